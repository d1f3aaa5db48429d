/** A JSON schema as the fields of a form, and the values of such a form as JSON. */
import { fromLocalInput } from "../../local_time.ts";

/** The part of JSON Schema that the contract uses for requests. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Common {
  readonly isNullable: boolean;
  readonly description?: string | undefined;
  /** What the service takes for an omitted field. */
  readonly default?: unknown;
}
export type Model =
  & Common
  & (
    | { readonly kind: "text"; readonly bounds: TextBounds; readonly type: "text" | "email" | "url" }
    | { readonly kind: "area"; readonly bounds: TextBounds }
    | { readonly kind: "number"; readonly bounds: NumberBounds }
    | { readonly kind: "boolean" | "moment" | "date" | "clock" | "lines" | "id" }
    | { readonly kind: "choice" | "checks"; readonly values: readonly string[] }
    | { readonly kind: "object"; readonly fields: readonly FieldModel[] }
    | { readonly kind: "rows"; readonly row: Model; readonly max?: number | undefined }
    | { readonly kind: "variants"; readonly variants: readonly Model[] }
    /** Nothing else fits: a value of any shape, as its JSON text. */
    | { readonly kind: "json" }
  );
export interface FieldModel {
  readonly name: string;
  readonly isRequired: boolean;
  readonly model: Model;
}
interface TextBounds {
  readonly minLength?: number;
  readonly maxLength?: number;
}
interface NumberBounds {
  readonly min?: number;
  readonly max?: number;
  readonly step: number | "any";
}

type Resolve = (name: string) => Schema | undefined;

/** Texts that may be longer have several lines. */
const LONGEST_LINE = 300;
const CLOCK = "ClockTime";

/** The model of a schema. A reference to a schema that contains itself is JSON text. */
export function modelOf(schema: Schema, resolve: Resolve, within: readonly string[] = []): Model {
  const { plain, isNullable, names } = withoutNull(schema, resolve);
  const common = {
    isNullable,
    ...(plain.description ?? schema.description ? { description: schema.description ?? plain.description } : {}),
    ...(plain.default === undefined ? {} : { default: plain.default }),
  };
  if (names.some((name) => within.includes(name))) return { ...common, kind: "json" };
  return { ...common, ...shapeOf(plain, names, resolve, [...within, ...names]) } as Model;
}

type Shape = Record<string, unknown> & { readonly kind: Model["kind"] };

function shapeOf(schema: Schema, names: readonly string[], resolve: Resolve, within: readonly string[]): Shape {
  const { anyOf, oneOf, properties } = schema;
  const variants = anyOf ?? oneOf;
  if (variants && !properties) {
    return { kind: "variants", variants: variants.map((variant) => modelOf(variant, resolve, within)) };
  }
  if (schema.const !== undefined) return { kind: "choice", values: [String(schema.const)] };
  if (schema.enum) return { kind: "choice", values: valuesOf(schema) };
  switch (typeOf(schema)) {
    case "boolean":
      return { kind: "boolean" };
    case "integer":
    case "number":
      return { kind: "number", bounds: numberBounds(schema) };
    case "string":
      return names.includes(CLOCK) ? { kind: "clock" } : textOf(schema);
    case "array":
      return arrayOf(schema.items ?? {}, schema, resolve, within);
    case "object":
      if (properties && Object.keys(properties).length > 0 && !isOpen(schema)) {
        return { kind: "object", fields: fieldsOf(schema, resolve, within) };
      }
  }
  return { kind: "json" };
}

/** Whether the object has fields that the schema does not name. */
const isOpen = ({ additionalProperties }: Schema) =>
  additionalProperties !== undefined && additionalProperties !== false;

function fieldsOf({ properties = {}, required = [] }: Schema, resolve: Resolve, within: readonly string[]) {
  return Object.entries(properties).map(([name, property]) => ({
    name,
    isRequired: required.includes(name),
    model: modelOf(property, resolve, within),
  }));
}

function arrayOf(items: Schema, { maxItems }: Schema, resolve: Resolve, within: readonly string[]): Shape {
  const row = modelOf(items, resolve, within);
  if (row.kind === "choice") return { kind: "checks", values: row.values };
  if (row.kind === "text" || row.kind === "id") return { kind: "lines" };
  if (row.kind === "object") return { kind: "rows", row, max: maxItems };
  return { kind: "json" };
}

function textOf({ format, minLength, maxLength, pattern }: Schema): Shape {
  const bounds = {
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
  };
  if (format === "date-time") return { kind: "moment" };
  if (format === "date") return { kind: "date" };
  if (format === "uuid") return { kind: "id" };
  if (format === "email") return { kind: "text", type: "email", bounds };
  if (format === "uri" || pattern?.startsWith("^https?:")) return { kind: "text", type: "url", bounds };
  return maxLength !== undefined && maxLength >= LONGEST_LINE ? { kind: "area", bounds } : {
    kind: "text",
    type: "text",
    bounds,
  };
}

function numberBounds(schema: Schema): NumberBounds {
  const { minimum, exclusiveMinimum, maximum } = schema;
  // The browser knows no exclusive bound: the service rejects the bound itself.
  const min = minimum ?? exclusiveMinimum;
  return {
    ...(min === undefined ? {} : { min }),
    ...(maximum === undefined ? {} : { max: maximum }),
    step: typeOf(schema) === "integer" ? 1 : "any",
  };
}

const valuesOf = ({ enum: values = [] }: Schema) => values.filter((value) => value !== null).map(String);

function typeOf({ type }: Schema): string | undefined {
  return typeof type === "string" ? type : type?.find((type) => type !== "null");
}

/** The schema without references and without null, and the names of the schemas that it refers to. */
function withoutNull(schema: Schema, resolve: Resolve): { plain: Schema; isNullable: boolean; names: string[] } {
  let plain = schema;
  let isNullable = false;
  const names: string[] = [];
  for (;;) {
    if (plain.$ref !== undefined) {
      const name = plain.$ref.split("/").at(-1)!;
      const target = resolve(name);
      if (target === undefined) throw new Error(`The contract has no schema ${name}.`);
      names.push(name);
      plain = target;
      continue;
    }
    if (Array.isArray(plain.type) && plain.type.includes("null")) isNullable = true;
    const others = plain.anyOf?.filter(({ type }) => type !== "null");
    if (others === undefined || others.length === plain.anyOf!.length) return { plain, isNullable, names };
    isNullable = true;
    plain = others.length === 1 ? others[0]! : { ...plain, anyOf: others };
  }
}

/** The name of the field of a form at a position, as the service names it in errors: `opening_hours.0.opens`. */
export const at = (path: string, name: string | number) => path === "" ? String(name) : `${path}.${name}`;
/** Fields that are no part of the request: how many rows there are, and which variant is chosen. */
export const rowsAt = (path: string) => `${path}#rows`;
export const variantAt = (path: string) => `${path}#variant`;

/** The value of a field that is not in the request. */
const ABSENT = undefined;

/**
 * The value that the fields of a form have together. An empty field is null where the schema has null, and else
 * absent. An object whose fields are all empty is empty itself.
 */
export function readValue(model: Model, form: FormData, path = ""): unknown {
  const empty = model.isNullable ? null : ABSENT;
  // A checkbox sends its value after that of the hidden field before it.
  const text = String(form.getAll(path).at(-1) ?? "");
  const line = text.trim();
  switch (model.kind) {
    case "object":
      return readObject(model.fields, form, path) ?? (path === "" ? {} : empty);
    case "rows":
      return readRows(model.row, form, path) ?? empty;
    case "variants":
      return readValue(model.variants[Number(form.get(variantAt(path)) ?? 0)]!, form, path) ?? empty;
    case "checks": {
      const chosen = form.getAll(path).map(String).filter((value) => value !== "");
      return chosen.length === 0 && (model.isNullable || !form.has(path)) ? empty : chosen;
    }
    case "lines":
      if (!form.has(path) || (line === "" && model.isNullable)) return empty;
      return text.split("\n").map((part) => part.trim()).filter((part) => part !== "");
    case "number":
      return line === "" ? empty : Number.isNaN(Number(line)) ? line : Number(line);
    case "boolean":
      return line === "" ? empty : line === "true";
    case "moment":
      return line === "" ? empty : fromLocalInput(line);
    case "json":
      return line === "" ? empty : JSON.parse(line);
    default:
      return line === "" ? empty : line;
  }
}

function readObject(fields: readonly FieldModel[], form: FormData, path: string): object | undefined {
  const entries = fields.map(({ name, model }) => [name, readValue(model, form, at(path, name))] as const);
  const isEmpty = entries.every(([, value]) => value === ABSENT || value === null || String(value) === "");
  if (path !== "" && isEmpty) return undefined;
  return Object.fromEntries(entries.filter(([, value]) => value !== ABSENT));
}

function readRows(row: Model, form: FormData, path: string): unknown[] | undefined {
  const count = Number(form.get(rowsAt(path)) ?? 0);
  if (count === 0) return form.has(rowsAt(path)) && !form.has(`${path}#null`) ? [] : undefined;
  return Array.from({ length: count }, (_, index) => readValue(row, form, at(path, index)) ?? {});
}

/** The fields of a request that differ: an update sends nothing else. */
export function changedFields(before: object, after: object): Record<string, unknown> {
  const old = before as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name])),
  );
}

/** The variant that fits a value: the one with its type. */
export function variantOf(variants: readonly Model[], value: unknown): number {
  const kinds: readonly Model["kind"][] = Array.isArray(value)
    ? ["lines", "checks", "rows", "json"]
    : typeof value === "object" && value !== null
    ? ["object", "json"]
    : ["text"];
  const index = variants.findIndex(({ kind }) => kinds.includes(kind));
  return Math.max(0, index);
}
