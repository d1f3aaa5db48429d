/**
 * Splits the complete document into the contract that clients load, and an overlay (OpenAPI Overlay 1.0) with the rest:
 * examples, the texts of operations that no app uses, and headers that `info.description` states once for all operations.
 * The overlay applied to the contract is the complete document.
 */
import type { Operation, PathItem, Reference, ResponseObject } from "./generator.ts";
import type { JsonSchema, JsonSchemas } from "./json_schema.ts";
import { isInternalTag } from "./tags.ts";

interface Document {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: { readonly schemas: JsonSchemas };
}

export interface Overlay {
  readonly overlay: "1.0.0";
  readonly info: { readonly title: string; readonly version: string };
  readonly extends: string;
  readonly actions: readonly Action[];
}

export interface Action {
  /** A JSONPath that selects one place. */
  readonly target: string;
  /** Is merged into that place, objects with objects. */
  readonly update: Readonly<Record<string, unknown>>;
}

type Path = readonly (string | number)[];
type Writable = Record<string, unknown>;

/** Operations whose recorded examples stay in the contract: with them an app finds a lot, knows its fee and parks. */
const SHOWN: ReadonlySet<string> = new Set(["nearbyParkingLots", "calculateFee", "startSession", "finalizeSession"]);

export function split<D extends Document>(complete: D): { contract: D; overlay: Overlay } {
  // Not a structured clone: two places with one object would still have one.
  const contract: D = JSON.parse(JSON.stringify(complete));
  const moved: { base: Path; place: Path; value: unknown }[] = [];

  /** Moves these keys of an object of the contract. `base` is where their action begins, at the latest. */
  function move(object: object, base: Path, place: Path, ...keys: readonly string[]): void {
    for (const key of keys) {
      if (!(key in object)) continue;
      moved.push({ base, place: [...place, key], value: (object as Writable)[key] });
      delete (object as Writable)[key];
    }
  }

  function moveWithin(schema: JsonSchema, keywords: readonly string[], base: Path, place: Path = base): void {
    move(schema, base, place, ...keywords);
    for (const { inner, keys } of parts(schema)) moveWithin(inner, keywords, base, [...place, ...keys]);
  }

  for (const { operation, place } of operations(contract.paths)) {
    const isInternal = operation.tags.some(isInternalTag);
    if (isInternal) move(operation, place, place, "description");
    for (const [keys, response] of messages(operation)) {
      const { headers } = response;
      if (headers === undefined) continue;
      move(headers, place, [...place, ...keys, "headers"], "RateLimit", "RateLimit-Policy");
      if (Object.keys(headers).length === 0) delete (response as Writable)["headers"];
    }
    if (SHOWN.has(operation.operationId)) continue;
    for (const [nth, parameter] of (operation.parameters ?? []).entries()) {
      move(
        parameter,
        place,
        [...place, "parameters", nth],
        "example",
        ...isInternal && "in" in parameter ? ["description"] : [],
      );
    }
    for (const [keys, { content = {} }] of messages(operation)) {
      for (const [type, media] of Object.entries(content)) {
        move(media, place, [...place, ...keys, "content", type], "example");
      }
    }
  }
  const internal = internalSchemas(complete);
  for (const [name, schema] of Object.entries(contract.components.schemas)) {
    const keywords = internal.has(name) ? ["description", "examples"] : ["examples"];
    moveWithin(schema, keywords, ["components", "schemas", name]);
  }
  return {
    contract,
    overlay: {
      overlay: "1.0.0",
      info: {
        title: `${complete.info.title}: examples, and texts of internal operations`,
        version: complete.info.version,
      },
      extends: "/functions/v1/openapi",
      actions: actionsOf(moved),
    },
  };
}

function* operations(paths: Readonly<Record<string, PathItem>>): Generator<{ operation: Operation; place: Path }> {
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) yield { operation, place: ["paths", path, method] };
  }
}

/** The body of the request, and the responses that are not shared ones. */
function* messages({ requestBody, responses }: Operation): Generator<[Path, Partial<ResponseObject>]> {
  if (requestBody) yield [["requestBody"], requestBody];
  for (const [status, response] of Object.entries(responses)) {
    if (!("$ref" in response)) yield [["responses", status], response];
  }
}

/** The schemas in a schema, with the keys that lead to them. */
function* parts(schema: JsonSchema): Generator<{ inner: JsonSchema; keys: Path }> {
  for (const [name, inner] of Object.entries(schema.properties ?? {})) yield { inner, keys: ["properties", name] };
  for (const keyword of ["anyOf", "oneOf", "allOf"] as const) {
    for (const [nth, inner] of ((schema[keyword] ?? []) as JsonSchema[]).entries()) {
      yield { inner, keys: [keyword, nth] };
    }
  }
  for (const keyword of ["items", "additionalProperties", "propertyNames", "contentSchema"] as const) {
    const inner = schema[keyword];
    if (typeof inner === "object" && inner !== null) yield { inner: inner as JsonSchema, keys: [keyword] };
  }
}

/** The names of the schemas that no app uses. */
function internalSchemas({ paths, components: { schemas } }: Document): ReadonlySet<string> {
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { $ref } = value as Partial<Reference>;
    const name = $ref?.match(/^#\/components\/schemas\/(.+)$/)?.[1];
    if (name !== undefined && !used.has(name)) {
      used.add(name);
      visit(schemas[name]);
    }
    Object.values(value).forEach(visit);
  };
  const byConsole = Object.groupBy(
    operations(paths),
    ({ operation }) => operation.tags.some(isInternalTag) ? "console" : "others",
  );
  byConsole.others?.forEach(({ operation }) => visit(operation));
  const others = new Set(used);
  byConsole.console?.forEach(({ operation }) => visit(operation));
  return used.difference(others);
}

/** One action for an operation or a schema, and one for each element of a list in it: an update appends to lists. */
function actionsOf(moved: readonly { base: Path; place: Path; value: unknown }[]): Action[] {
  const updates = new Map<string, Writable>();
  for (const { base, place, value } of moved) {
    const end = Math.max(base.length, place.findLastIndex((key) => typeof key === "number") + 1);
    const target = `$${place.slice(0, end).map((key) => typeof key === "number" ? `[${key}]` : `['${key}']`).join("")}`;
    const update = updates.get(target) ?? {};
    updates.set(target, update);
    let within = update;
    for (const key of place.slice(end, -1)) within = (within[key] ??= {}) as Writable;
    within[place.at(-1)!] = value;
  }
  return [...updates].map(([target, update]) => ({ target, update }));
}
