// Times of requests: RFC 3339 in every spelling, for every field of every route that is a time.
import assert from "node:assert/strict";
import { ApiError, type FieldError } from "../../supabase/functions/_shared/errors.ts";
import { readBody, readQuery } from "../../supabase/functions/_shared/http/input.ts";
import type { Route } from "../../supabase/functions/_shared/http/route.ts";
import { Instant, Moment } from "../../supabase/functions/_shared/schema/values.ts";
import { contract, groups } from "../../supabase/functions/openapi/contract.ts";

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly contentSchema?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Operation {
  readonly parameters?: readonly {
    readonly $ref?: string;
    name: string;
    in: string;
    schema: Schema;
    content?: unknown;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

const { paths, components } = JSON.parse(JSON.stringify(contract())) as {
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, NonNullable<Operation["parameters"]>[number]>;
  };
};

/** The paths of the fields of a schema that are times, for example ["reports", 0, "reported_at"]. */
function times(schema: Schema | undefined, path: (string | number)[] = [], depth = 0): (string | number)[][] {
  if (schema === undefined || depth > 8) return [];
  if (schema.$ref === "#/components/schemas/Timestamp") return [path];
  const named = schema.$ref && components.schemas[schema.$ref.split("/").at(-1)!];
  return [
    ...named ? times(named, path, depth + 1) : [],
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => times(field, [...path, name], depth + 1)),
    ...times(schema.items, [...path, 0], depth + 1),
    ...times(schema.contentSchema, path, depth + 1),
    ...[schema.anyOf, schema.oneOf, schema.allOf].flatMap((some) =>
      (some ?? []).flatMap((one) => times(one, path, depth + 1))
    ),
  ];
}

/** The value with this text at the path, and nothing else. */
function holding(path: readonly (string | number)[], text: string): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return text;
  return typeof key === "number" ? [holding(rest, text)] : { [key]: holding(rest, text) };
}

interface Field {
  readonly name: string;
  /** The errors of the field with this text. */
  errors(text: string): FieldError[];
}

function errorsAt(param: string, read: () => unknown): FieldError[] {
  try {
    read();
    return [];
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return (error.details?.["errors"] as FieldError[]).filter((one) => one.param === param);
  }
}

function fieldsOf(route: Route): Field[] {
  const operation = paths[`/v1${route.path}`]?.[route.method.toLowerCase()] ??
    Object.entries(paths).find(([path]) => path.endsWith(route.path))![1][route.method.toLowerCase()]!;
  const name = `${route.method} ${route.path}`;
  const query = (operation.parameters ?? [])
    .map((one) => one.$ref ? components.parameters[one.$ref.split("/").at(-1)!]! : one)
    .filter((one) => one.in === "query")
    .flatMap((one) => {
      const schema = one.schema ?? (Object.values(one.content as Record<string, { schema: Schema }>)[0]!.schema);
      return times(schema).map((rest) => [one.name, ...rest]);
    })
    .map((path) => ({
      name: `${name}?${path.join(".")}`,
      errors: (text: string) => {
        const [first, ...rest] = path as [string];
        const value = rest.length === 0 ? text : JSON.stringify(holding(rest, text));
        return errorsAt(path.join("."), () => readQuery(route.query!, `?${first}=${encodeURIComponent(value)}`));
      },
    }));
  const bodies = Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) => times(schema))
    .map((path) => ({
      name: `${name} ${path.join(".")}`,
      errors: (text: string) => errorsAt(path.join("."), () => readBody(route.body as never, holding(path, text))),
    }));
  return [...query, ...bodies];
}

const fields = groups.flatMap(({ routes }) => routes).flatMap(fieldsOf);

const SPELLINGS = [
  "2026-11-23T00:00:00Z",
  "2026-11-23t00:00:00z",
  "2026-11-23t09:00:00.25+09:00",
  "2026-12-31T23:59:60Z",
  "2027-01-01t08:59:60.5+09:00",
];
const WRONG = [
  "2026-11-23T00:00:00",
  "2026-11-23 00:00:00Z",
  "2026-11-23T00:00Z",
  "2026-11-23T00:00:61Z",
  "2026-11-23T00:60:60Z",
  "2026-13-31T23:59:60Z",
  "now",
];

Deno.test("times: every field of a request that is a time reads every spelling of RFC 3339, and no other text", () => {
  assert.ok(fields.length > 30, `${fields.length} fields`);
  for (const place of ["entry_at", "filters.entry_at", "seen_updated_at", "reports.0.reported_at", "scheduled_at"]) {
    assert.ok(fields.some(({ name }) => name.endsWith(place)), place);
  }
  for (const { name, errors } of fields) {
    for (const text of SPELLINGS) assert.deepEqual(errors(text), [], `${name}: ${text}`);
    for (const text of WRONG) assert.ok(errors(text).length > 0, `${name}: ${text}`);
  }
});

Deno.test("times: a time is read in one spelling, and the second 60 is the next second", () => {
  const read: [text: string, canonical: string][] = [
    ["2026-11-23t00:00:00.123456z", "2026-11-23T00:00:00.123456Z"],
    ["2026-11-23T09:00:00+09:00", "2026-11-23T09:00:00+09:00"],
    ["2026-12-31T23:59:60Z", "2027-01-01T00:00:00Z"],
    ["2027-01-01t08:59:60.123456+09:00", "2027-01-01T00:00:00.123456Z"],
  ];
  for (const [text, canonical] of read) {
    for (const schema of [Moment, Instant]) assert.equal(schema.parse(text), canonical);
  }
  assert.ok(!Moment.safeParse("2099-12-31T23:59:60Z").success, "it is in 2100");
  assert.ok(!Instant.safeParse("9999-12-31T23:59:60Z").success, "it has five digits");
});
