/**
 * Converts zod schemas to JSON Schema. A schema with an id becomes a component, and all others refer to it. A
 * description or default at the place of use stays next to the reference, and null never becomes part of the component.
 */
import { z } from "zod";

export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly propertyNames?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly [keyword: string]: unknown;
}

export type JsonSchemas = Record<string, JsonSchema>;

const COMPONENTS = "#/components/schemas/";

/** The key under which zod's converter puts schemas with an id. */
const DEFS = "#/$defs/";

/**
 * The schemas under the same names, and the components that they refer to. Throws if two components have the same id.
 */
export function jsonSchemas(
  schemas: Readonly<Record<string, z.ZodType>>,
): { named: JsonSchemas; components: JsonSchemas } {
  const { properties, $defs = {} } = z.toJSONSchema(z.object(schemas), { io: "input" }) as {
    properties: JsonSchemas;
    $defs?: JsonSchemas;
  };
  const tidy = (schema: JsonSchema) => tidied(schema, $defs);
  return { named: mapped(properties, tidy), components: mapped(sorted($defs, nounOf), tidy) };
}

/** The component of a reference, or the schema itself. */
export function resolved(schema: JsonSchema, components: JsonSchemas): JsonSchema {
  return schema.$ref === undefined ? schema : components[schema.$ref.slice(COMPONENTS.length)]!;
}

export function sorted<T>(record: Readonly<Record<string, T>>, keyOf = (name: string) => name): Record<string, T> {
  return Object.fromEntries(
    Object.entries(record).map((entry) => ({ entry, key: `${keyOf(entry[0])} ${entry[0]}` }))
      .sort((a, b) => a.key < b.key ? -1 : 1).map(({ entry }) => entry),
  );
}

/** Schemas of one thing stand together, because compression finds a repetition only within 32 KB. */
function nounOf(name: string): string {
  return name.replace(/^(Admin|Composed|My|Nearby|New|Public)+(?=[A-Z])/, "");
}

function mapped<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

/** Simplifies the exact but long output of zod's converter. `defs` are its components. */
function tidied({ $ref, ...keywords }: JsonSchema, defs: JsonSchemas): JsonSchema {
  const id = $ref?.slice(DEFS.length);
  const repeated: JsonSchema = id === undefined ? {} : defs[id]!;
  const { type, ...others } = Object.fromEntries(
    Object.entries(keywords)
      .filter(([keyword, value]) => JSON.stringify(value) !== JSON.stringify(repeated[keyword]))
      .map(([keyword, value]) => [keyword, tidiedWithin(keyword, value, defs)]),
  );
  const rest = { ...(type === undefined ? {} : { type }), ...others } as JsonSchema;
  return {
    ...(id === undefined ? {} : { $ref: COMPONENTS + id }),
    ...withTypedNull(withProperties(withIntegerFormat(withoutNoise(rest)))),
  };
}

/** The value of a keyword, with its schemas simplified. */
function tidiedWithin(keyword: string, value: unknown, defs: JsonSchemas): unknown {
  const tidy = (schema: unknown) => tidied(schema as JsonSchema, defs);
  if (Array.isArray(value)) return /^(anyOf|oneOf|allOf|prefixItems)$/.test(keyword) ? value.map(tidy) : value;
  if (typeof value !== "object" || value === null) return value;
  if (keyword === "properties") return mapped(value as JsonSchemas, tidy);
  return /^(items|additionalProperties|propertyNames|not)$/.test(keyword) ? tidy(value) : value;
}

/** Formats that are equivalent to their pattern. */
const FORMATS = ["uuid", "date", "date-time", "email"];

/** Removes patterns that repeat a format, bounds of every safe integer, and property names that accept any text. */
function withoutNoise(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).filter(([keyword, value]) => {
      if (keyword === "pattern") return !FORMATS.includes(schema.format ?? "");
      if (keyword === "maximum") return value !== Number.MAX_SAFE_INTEGER;
      if (keyword === "minimum") return value !== Number.MIN_SAFE_INTEGER;
      if (keyword === "propertyNames") return JSON.stringify(value) !== '{"type":"string"}';
      return true;
    }),
  );
}

/** An integer with its size: without one, generated Kotlin and Java have 32 bits for every integer. */
function withIntegerFormat(schema: JsonSchema): JsonSchema {
  if (![schema.type].flat().includes("integer") || "format" in schema) return schema;
  const { minimum = -Infinity, maximum = Infinity } = schema as { minimum?: number; maximum?: number };
  const { type, ...rest } = schema;
  return { type, format: minimum >= -(2 ** 31) && maximum < 2 ** 31 ? "int32" : "int64", ...rest } as JsonSchema;
}

/** A record with known keys becomes an object with properties, so that typed clients know them. */
function withProperties(schema: JsonSchema): JsonSchema {
  const { propertyNames, additionalProperties, ...rest } = schema;
  if (propertyNames?.enum === undefined || typeof additionalProperties !== "object") return schema;
  return { ...rest, properties: Object.fromEntries(propertyNames.enum.map((name) => [name, additionalProperties])) };
}

/** A type or null, as a list of types. */
function withTypedNull(schema: JsonSchema): JsonSchema {
  const { anyOf = [], ...rest } = schema;
  const [one, none] = anyOf;
  if (anyOf.length !== 2 || none!.type !== "null" || typeof one!.type !== "string" || "const" in one!) return schema;
  return { ...one, type: [one!.type, "null"], ...(one!.enum ? { enum: [...one!.enum, null] } : {}), ...rest };
}
