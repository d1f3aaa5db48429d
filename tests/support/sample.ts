// The smallest values that a schema accepts, for requests derived from the routes alone.
import { z } from "zod";

type JsonSchema = Readonly<Record<string, unknown>>;

const FORMATS: Record<string, () => string> = {
  uuid: () => crypto.randomUUID(),
  guid: () => crypto.randomUUID(),
  email: () => `${crypto.randomUUID()}@example.test`,
  uri: () => "https://example.test/a",
  date: () => "2031-01-01",
  time: () => "09:30:00",
  "date-time": () => "2031-01-01T09:30:00Z",
};

/** Texts that patterns of the interface accept: the first that does is taken. */
const TEXTS = ["a", "aa", "aaa", "a-b", "08:00", "2031-01-01", "JP", "JPY", "ja", "#112233", "/a", "A1", "1", "a.b"];

/**
 * An object that the schema accepts: with what it requires, and where that is not enough with one further field, or with
 * all. `whole` is with all first, and no list empty. Undefined where none was found.
 */
export function sample(schema: z.ZodObject, whole = false): Record<string, unknown> | undefined {
  const printed = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
  const definitions = (printed["$defs"] ?? {}) as Record<string, JsonSchema>;
  const json = resolved(printed, definitions);
  const properties = Object.entries((json["properties"] ?? {}) as Record<string, JsonSchema>);
  const required = (json["required"] ?? []) as string[];
  const withFields = (names: readonly string[]) =>
    Object.fromEntries(
      properties.filter(([name]) => names.includes(name)).map((
        [name, part],
      ) => [name, valueOf(part, definitions, whole)]),
    );
  const names = properties.map(([name]) => name);
  const few = [required, ...names.map((name) => [...required, name])];
  const candidates = whole ? [names, ...few] : [...few, names];
  return candidates.map(withFields).find((value) => schema.safeParse(value).success);
}

function resolved(schema: JsonSchema, definitions: Record<string, JsonSchema>): JsonSchema {
  const { $ref } = schema;
  return typeof $ref === "string" ? resolved(definitions[$ref.split("/").at(-1)!]!, definitions) : schema;
}

function valueOf(given: JsonSchema, definitions: Record<string, JsonSchema>, whole: boolean): unknown {
  const schema = resolved(given, definitions);
  const inner = (part: unknown) => valueOf(part as JsonSchema, definitions, whole);
  const list = (name: string) => schema[name] as readonly JsonSchema[] | undefined;
  if ("const" in schema) return schema["const"];
  if (list("enum")) return list("enum")![0];
  const type = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"];
  const choices = list("anyOf") ?? list("oneOf");
  if (choices && type === undefined) return inner(choices.find((choice) => choice["type"] !== "null"));
  if (list("allOf") && type === undefined) return Object.assign({}, ...list("allOf")!.map(inner));
  switch (type) {
    case "object": {
      const properties = (schema["properties"] ?? {}) as Record<string, unknown>;
      const required = (schema["required"] ?? []) as string[];
      return Object.fromEntries(required.map((name) => [name, inner(properties[name])]));
    }
    case "array":
      return Array.from({ length: Number(schema["minItems"] ?? (whole ? 1 : 0)) }, () => inner(schema["items"]));
    case "string":
      return textOf(schema);
    case "integer":
    case "number":
      return Number(schema["minimum"] ?? schema["maximum"] ?? 1);
    case "boolean":
      return true;
    default:
      return {};
  }
}

function textOf(schema: JsonSchema): string {
  const format = FORMATS[String(schema["format"])];
  if (format) return format();
  const patterns = schema["pattern"] === undefined ? [] : [new RegExp(String(schema["pattern"]), "u")];
  const examples = (schema["examples"] ?? []) as unknown[];
  const found = [...TEXTS, ...examples].map(String).find((text) => patterns.every((pattern) => pattern.test(text)));
  return (found ?? "a").padEnd(Number(schema["minLength"] ?? 0), "a");
}
