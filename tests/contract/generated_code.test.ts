// Rules for openapi.json that keep generated Swift and Kotlin usable. Neither compiler is needed: the rules are about names,
// sizes of numbers and alternatives, where their generators fail or invent names.
import assert from "node:assert/strict";
import { contract } from "../../supabase/functions/openapi/contract.ts";
import type { JsonSchema } from "../../supabase/functions/openapi/json_schema.ts";

interface Found {
  readonly at: string;
  readonly schema: JsonSchema;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { name?: string; schema?: JsonSchema }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

const document: Document = JSON.parse(JSON.stringify(contract()));

/** Enum values that start with a digit. Generators put an underscore before them. */
const DIGIT_FIRST = ["24h"];

/** Every schema with all the schemas in it. */
function schemasOf({ paths, components }: Document): Found[] {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  return [
    ...Object.entries(components.schemas).flatMap(([name, schema]) => within(schema, name)),
    ...operations.flatMap(({ operationId, parameters = [] }) =>
      parameters.flatMap(({ name, schema }) => schema ? within(schema, `${operationId} ${name}`) : [])
    ),
    ...contentsOf(paths).flatMap(({ at, schema }) => within(schema, at)),
  ];
}

/** The schemas of JSON bodies and responses. */
function contentsOf(paths: Document["paths"]): Found[] {
  const json = (content: Content | undefined, at: string) => {
    const schema = content?.["application/json"]?.schema;
    return schema ? [{ at, schema }] : [];
  };
  return Object.values(paths).flatMap((item) => Object.values(item)).flatMap((
    { operationId, requestBody, responses },
  ) => [
    ...json(requestBody?.content, `${operationId} body`),
    ...Object.entries(responses).flatMap(([status, { content }]) => json(content, `${operationId} ${status}`)),
  ]);
}

function within(schema: JsonSchema, at: string): Found[] {
  const inner = Object.entries(schema).flatMap(([keyword, value]): Found[] => {
    if (keyword === "properties") {
      return Object.entries(value as Record<string, JsonSchema>).flatMap(([name, field]) =>
        within(field, `${at}.${name}`)
      );
    }
    if (/^(anyOf|oneOf|allOf|prefixItems)$/.test(keyword)) {
      return (value as JsonSchema[]).flatMap((one) => within(one, at));
    }
    const isSchema = /^(items|additionalProperties|contentSchema)$/.test(keyword) && typeof value === "object";
    return isSchema ? within(value as JsonSchema, at) : [];
  });
  return [{ at, schema }, ...inner];
}

/** The alternatives of a schema, without null and without those that only require fields. */
function alternatives(schema: JsonSchema): JsonSchema[] {
  const all = [schema.anyOf, schema["oneOf"]].flatMap((list) => (list ?? []) as JsonSchema[]);
  return all.filter(({ type, ...rest }) => type !== "null" && Object.keys(rest).join() !== "required");
}

function isNamed(schema: JsonSchema): boolean {
  if (schema.$ref !== undefined) return true;
  if (schema.items) return isNamed(schema.items);
  const others = alternatives(schema);
  return others.length > 0 ? others.every(isNamed) : schema.type !== "object";
}

const isObject = ({ type, properties }: JsonSchema) => type === "object" || properties !== undefined;

function problems(document: Document): string[] {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const names = operations.map(({ operationId }) => operationId);
  const types = Object.keys(document.components.schemas);
  const found: string[] = [];
  for (const name of names) if (!/^[a-z][A-Za-z0-9]*$/.test(name)) found.push(`${name} is not in camelCase`);
  for (const name of types) if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) found.push(`${name} is not in PascalCase`);
  // Files of generated code are named after types. Some file systems do not distinguish case.
  if (new Set(types.map((name) => name.toLowerCase())).size !== types.length) {
    found.push("two types differ in case only");
  }
  for (const { at, schema } of contentsOf(document.paths)) {
    if (!isNamed(schema)) found.push(`${at}: an object without a name`);
  }
  for (const { at, schema } of schemasOf(document)) {
    if (alternatives(schema).length > 1) {
      if (alternatives(schema).some((one) => isObject(one) && one["properties"])) {
        found.push(`${at}: an alternative without a name`);
      }
    }
    const types = [schema.type].flat();
    if (types.includes("integer") && !/^int(32|64)$/.test(schema.format ?? "")) {
      found.push(`${at}: an integer without a size`);
    }
    const { minimum = 0, maximum = 0 } = schema as { minimum?: number; maximum?: number };
    const large = minimum < -(2 ** 31) || maximum >= 2 ** 31;
    if (schema.format === "int32" && large) found.push(`${at}: int32 is too small`);
    const values = (schema.enum ?? []).filter((value) => typeof value === "string");
    for (const value of values) {
      if (!/^[A-Za-z]/.test(value) && !DIGIT_FIRST.includes(value)) found.push(`${at}: the case ${value} has no name`);
    }
    const cases = values.map((value) => value.toLowerCase().replaceAll(/[^a-z0-9]/g, ""));
    if (new Set(cases).size !== cases.length) found.push(`${at}: two cases have one name`);
    if (/_at$/.test(at) && types.includes("string") && schema.format !== "date-time") {
      found.push(`${at}: not a date-time`);
    }
  }
  return found;
}

Deno.test("openapi.json: names, integers, enums, alternatives and timestamps have what generators of Swift and Kotlin need", () => {
  assert.ok(schemasOf(document).length > 3_000, String(schemasOf(document).length));
  assert.deepEqual(problems(document), []);
});

Deno.test("openapi.json: each mistake for generated code is found", () => {
  const broken: Document = {
    paths: {
      "/v1/things": {
        get: {
          operationId: "list_things",
          responses: { 200: { content: { "application/json": { schema: { type: "object", properties: {} } } } } },
        },
      },
    },
    components: {
      schemas: {
        thing: { type: "object", properties: { made_at: { type: "string" }, size: { type: "integer" } } },
        Thing: {
          type: "object",
          properties: {
            kind: { type: "string", enum: ["a-b", "a_b", "1st"] },
            count: { type: ["integer", "null"], format: "int32", maximum: 2 ** 40 },
            part: { anyOf: [{ type: "object", properties: {} }, { $ref: "#/components/schemas/thing" }] },
          },
        },
      },
    },
  };
  assert.deepEqual(problems(broken), [
    "list_things is not in camelCase",
    "thing is not in PascalCase",
    "two types differ in case only",
    "list_things 200: an object without a name",
    "thing.made_at: not a date-time",
    "thing.size: an integer without a size",
    "Thing.kind: the case 1st has no name",
    "Thing.kind: two cases have one name",
    "Thing.count: int32 is too small",
    "Thing.part: an alternative without a name",
  ]);
});
