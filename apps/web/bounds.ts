/**
 * Writes src/bounds.ts (part of `deno task openapi`): the bounds of the fields of requests, as the contract has them, for
 * the inputs of forms. tests/web/bounds.test.ts compares the file.
 */
import { completeContract } from "../../supabase/functions/openapi/contract.ts";

export const FILE = new URL("src/bounds.ts", import.meta.url);

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly [keyword: string]: unknown;
}

interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** Objects of queries, which are in no request body. */
const QUERIES = ["NearbyFilters", "SearchQueryV1", "Vehicle"];

/** The keywords of a schema, and the properties of a field. An exclusive minimum has none: the step is added to it. */
const ATTRIBUTES = { minimum: "min", exclusiveMinimum: "above", maximum: "max", maxLength: "maxLength" } as const;

/** The text of the file: a constant for each request, with the bounds of its fields. */
export function boundsFile(contract = JSON.parse(JSON.stringify(completeContract())) as Contract): string {
  const { paths, components: { schemas } } = contract;
  const nameOf = ($ref = "") => $ref.split("/").at(-1)!;
  const resolved = (schema: Schema): Schema => {
    const single = schema.$ref === undefined
      ? schema.anyOf?.find(({ type }) => type !== "null") ?? schema.allOf?.[0]
      : undefined;
    return schema.$ref !== undefined ? resolved(schemas[nameOf(schema.$ref)]!) : single ? resolved(single) : schema;
  };
  const bodies = Object.values(paths).flatMap((operations) =>
    Object.values(operations).flatMap(({ requestBody }) =>
      Object.values(requestBody?.content ?? {}).map(({ schema }) => nameOf(schema.$ref))
    )
  );
  const lines = [...new Set([...bodies, ...QUERIES])].toSorted().flatMap((name) => {
    const fields = Object.entries(schemas[name]?.properties ?? {}).flatMap(([field, schema]) => {
      const property = resolved(schema);
      const bounds = Object.entries(ATTRIBUTES).flatMap(([keyword, attribute]) =>
        typeof property[keyword] === "number" ? [`${attribute}: ${property[keyword]}`] : []
      );
      return bounds.length === 0 ? [] : [`  ${field}: { ${bounds.join(", ")} },`];
    });
    return fields.length === 0 ? [] : ["", `export const ${name} = {`, ...fields, "} as const;"];
  });
  return [
    "// Generated from openapi.json by `deno task openapi`. Do not edit.",
    "// deno-fmt-ignore-file",
    "/** The bounds of the fields of requests, as properties of fields. */",
    ...lines,
    "",
  ].join("\n");
}

if (import.meta.main) {
  await Deno.writeTextFile(FILE, boundsFile());
  console.log("wrote apps/web/src/bounds.ts");
}
