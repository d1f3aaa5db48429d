// The changes between two OpenAPI documents that break a client of the earlier one. Resolves references, and compares
// schemas by direction: a request that was valid stays valid, and a response has no less than before.
//
// Not a break: a new operation, response field, optional request field, status or value of a response's enum. Clients
// ignore fields and values that they do not know.
//
// Code of our own, because openapi-diff 0.24 from npm reads no OpenAPI 3.1.

type Json = Readonly<Record<string, unknown>>;
type Direction = "request" | "response";
type Document = Json;

interface Side {
  readonly document: Document;
  readonly schema: Json;
}

const METHODS = ["get", "post", "put", "patch", "delete"];

/** Bounds that are stricter when they are higher, and those that are stricter when they are lower. */
const MINIMUMS = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const MAXIMUMS = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
/** Conditions of a request that are not compared in detail. */
const CONDITIONS = ["format", "pattern", "multipleOf", "uniqueItems", "dependentRequired", "not", "prefixItems"];
const COMBINED = ["anyOf", "oneOf", "allOf"];

export function breakingChanges(before: Document, after: Document): string[] {
  return [...new Set(new Comparison(before, after).document())];
}

class Comparison {
  /** Results of pairs of components. A pair that is being compared has none yet, so that recursion ends. */
  readonly #compared = new Map<string, string[]>();

  constructor(readonly before: Document, readonly after: Document) {}

  document(): string[] {
    return Object.entries(objectOf(this.before["paths"])).flatMap(([path, item]) =>
      METHODS.filter((method) => method in objectOf(item)).flatMap((method) => {
        const place = `${method.toUpperCase()} ${path}`;
        const now = objectOf(objectOf(this.after["paths"])[path])[method];
        if (now === undefined) return [`${place}: the operation was removed`];
        return this.#operation(objectOf(objectOf(item)[method]), objectOf(now), place);
      })
    );
  }

  #operation(before: Json, after: Json, place: string): string[] {
    const [name, newName] = [before["operationId"], after["operationId"]];
    return [
      ...name === newName ? [] : [`${place}: the operation ${name} is now called ${newName}`],
      ...isOpen(before, this.before) && !isOpen(after, this.after) ? [`${place}: a token is required now`] : [],
      ...this.#parameters(before, after, place),
      ...this.#body(before, after, place),
      ...this.#responses(before, after, place),
    ];
  }

  #parameters(before: Json, after: Json, place: string): string[] {
    const of = (operation: Json, document: Document) =>
      new Map(
        listOf(operation["parameters"]).map((parameter) => {
          const { schema } = resolved({ document, schema: objectOf(parameter) });
          return [`${schema["in"]} parameter ${schema["name"]}`, schema];
        }),
      );
    const [earlier, later] = [of(before, this.before), of(after, this.after)];
    const removed = [...earlier.keys()].filter((name) => !later.has(name));
    return [
      ...removed.map((name) => `${place}: the ${name} was removed`),
      ...[...later].filter(([name, { required }]) => required === true && earlier.get(name)?.["required"] !== true)
        .map(([name]) => `${place}: the ${name} is required now`),
      ...[...earlier].filter(([name]) => later.has(name)).flatMap(([name, parameter]) =>
        this.#schemas(parameter["schema"], later.get(name)!["schema"], `${place}: ${name}`, "request")
      ),
    ];
  }

  #body(before: Json, after: Json, place: string): string[] {
    const [earlier, later] = [objectOf(before["requestBody"]), objectOf(after["requestBody"])];
    if (before["requestBody"] === undefined) {
      return later["required"] === true ? [`${place}: a request body is required now`] : [];
    }
    if (after["requestBody"] === undefined) return [`${place}: the request body was removed`];
    return [
      ...earlier["required"] !== true && later["required"] === true ? [`${place}: a request body is required now`] : [],
      ...this.#contents(earlier, later, `${place}: request`, "request"),
    ];
  }

  #responses(before: Json, after: Json, place: string): string[] {
    return Object.entries(objectOf(before["responses"])).flatMap(([status, response]) => {
      const found = objectOf(after["responses"])[status];
      if (found === undefined) return [`${place}: the status ${status} was removed`];
      const earlier = resolved({ document: this.before, schema: objectOf(response) }).schema;
      const later = resolved({ document: this.after, schema: objectOf(found) }).schema;
      const removed = Object.keys(objectOf(earlier["headers"])).filter((name) => !(name in objectOf(later["headers"])));
      return [
        ...removed.map((name) => `${place}: the header ${name} of ${status} was removed`),
        ...this.#contents(earlier, later, `${place}: ${status}`, "response"),
      ];
    });
  }

  /** The schemas of each media type. */
  #contents(before: Json, after: Json, place: string, direction: Direction): string[] {
    return Object.entries(contentsOf(before)).flatMap(([type, content]) => {
      const found = contentsOf(after)[type];
      if (found === undefined) return [`${place}: the media type ${type} was removed`];
      return this.#schemas(objectOf(content)["schema"], objectOf(found)["schema"], place, direction);
    });
  }

  /** Each variant of what is sent must match a variant that its reader knows. */
  #schemas(before: unknown, after: unknown, place: string, direction: Direction): string[] {
    const [earlier, later] = [
      variants({ document: this.before, schema: objectOf(before) }),
      variants({ document: this.after, schema: objectOf(after) }),
    ];
    const [sent, known] = direction === "request" ? [earlier, later] : [later, earlier];
    return sent.flatMap((variant) => {
      const results = known.filter((other) => isOfKind(variant, other)).map((other) =>
        direction === "request"
          ? this.#variant(variant, other, place, direction)
          : this.#variant(other, variant, place, direction)
      );
      const closest = results.toSorted((one, other) => one.length - other.length)[0];
      const type = typeOf(variant);
      const problem = direction === "request" ? `${type} is no longer accepted` : `can be ${type} now`;
      return closest ?? [`${place} (${direction}): ${problem}`];
    });
  }

  /** Two schemas of one type. Those of components are compared once, and named after the component. */
  #variant(before: Side, after: Side, place: string, direction: Direction): string[] {
    const [one, other] = [before, after].map(({ schema }) => schema["$ref"]);
    if (typeof one !== "string" || typeof other !== "string") {
      return this.#keywords(resolved(before).schema, resolved(after).schema, place, direction);
    }
    const key = `${one} ${other} ${direction}`;
    const known = this.#compared.get(key);
    if (known !== undefined) return known;
    this.#compared.set(key, []);
    const component = one.split("/").at(-1)!;
    const result = this.#keywords(resolved(before).schema, resolved(after).schema, component, direction);
    this.#compared.set(key, result);
    return result;
  }

  #keywords(before: Json, after: Json, place: string, direction: Direction): string[] {
    const at = `${place} (${direction})`;
    return [
      ...enumChanges(before, after, at, direction),
      ...direction === "request" ? narrowed(before, after, at) : formatChanges(before, after, at),
      ...this.#properties(before, after, place, direction),
      ...["items", "additionalProperties", "contentSchema"].flatMap((keyword) => {
        const [one, other] = [before[keyword], after[keyword]];
        const inner = keyword === "items" ? `${place}[]` : place;
        return isObject(one) && isObject(other) ? this.#schemas(one, other, inner, direction) : [];
      }),
    ];
  }

  #properties(before: Json, after: Json, place: string, direction: Direction): string[] {
    const [earlier, later] = [objectOf(before["properties"]), objectOf(after["properties"])];
    const required = (schema: Json) => new Set(listOf(schema["required"]) as string[]);
    const [needed, needs] = [required(before), required(after)];
    const at = (name: string) => `${place}.${name} (${direction})`;
    return [
      ...Object.keys(earlier).filter((name) => !(name in later)).map((name) => `${at(name)}: the field was removed`),
      ...direction === "request"
        ? [...needs].filter((name) => !needed.has(name)).map((name) => `${at(name)}: the field is required now`)
        : [...needed].filter((name) => name in later && !needs.has(name)).map((name) =>
          `${at(name)}: the field can be absent now`
        ),
      ...Object.keys(earlier).filter((name) => name in later).flatMap((name) =>
        this.#schemas(earlier[name], later[name], `${place}.${name}`, direction)
      ),
    ];
  }
}

/** Whether a request without a token is allowed. */
function isOpen({ security }: Json, document: Document): boolean {
  const allowed = listOf(security ?? document["security"]);
  return allowed.length === 0 || allowed.some((scheme) => Object.keys(objectOf(scheme)).length === 0);
}

/** Values that a client may compare with, or send. */
function enumChanges(before: Json, after: Json, at: string, direction: Direction): string[] {
  const values = (schema: Json) => ("const" in schema ? [schema["const"]] : schema["enum"]) as unknown[] | undefined;
  const [earlier, later] = [values(before), values(after)];
  if (later === undefined) return [];
  if (earlier === undefined) return direction === "request" ? [`${at}: only some values are accepted now`] : [];
  return earlier.filter((value) => !later.includes(value)).map((value) =>
    `${at}: the value ${JSON.stringify(value)} was removed`
  );
}

function formatChanges(before: Json, after: Json, at: string): string[] {
  const [earlier, later] = [before["format"], after["format"]];
  return earlier === undefined || earlier === later ? [] : [`${at}: the format ${earlier} became ${later ?? "any"}`];
}

/** Conditions that a valid request may not meet now. */
function narrowed(before: Json, after: Json, at: string): string[] {
  const changed = (keyword: string) => JSON.stringify(before[keyword]) !== JSON.stringify(after[keyword]);
  const higher = MINIMUMS.filter((keyword) => Number(after[keyword]) > Number(before[keyword] ?? -Infinity));
  const lower = MAXIMUMS.filter((keyword) => Number(after[keyword]) < Number(before[keyword] ?? Infinity));
  const conditions = [...CONDITIONS, ...COMBINED].filter((keyword) => keyword in after && changed(keyword));
  return [
    ...[...higher, ...lower].map((keyword) =>
      `${at}: ${keyword} ${before[keyword] ?? "none"} became ${after[keyword]}`
    ),
    ...conditions.map((keyword) => `${at}: ${keyword} was added or changed`),
    ...changed("default") && "default" in before ? [`${at}: the default was changed`] : [],
    ...after["additionalProperties"] === false && before["additionalProperties"] !== false
      ? [`${at}: unknown fields are rejected now`]
      : [],
  ];
}

/** A schema as one schema for each of its types and alternatives. */
function variants({ document, schema }: Side): Side[] {
  const target = resolved({ document, schema }).schema;
  const alternatives = target["type"] === undefined ? target["anyOf"] ?? target["oneOf"] : undefined;
  if (Array.isArray(alternatives)) return alternatives.flatMap((schema) => variants({ document, schema }));
  const { type } = target;
  if (!Array.isArray(type)) return [{ document, schema }];
  return type.map((type) => {
    const values = listOf(target["enum"]).filter((value) => (value === null) === (type === "null"));
    return { document, schema: { ...target, type, ...("enum" in target ? { enum: values } : {}) } };
  });
}

function typeOf(side: Side): string {
  const { type, enum: values } = resolved(side).schema;
  return typeof type === "string" ? type : Array.isArray(values) ? typeof values[0] : "anything";
}

/** Whether the reader of `known` can read the type of `sent`. */
function isOfKind(sent: Side, known: Side): boolean {
  const [type, expected] = [typeOf(sent), typeOf(known)];
  return type === expected || expected === "anything" || type === "integer" && expected === "number";
}

/** What a reference points to. Keywords at the reference apply in addition. */
function resolved({ document, schema }: Side): Side {
  const { $ref, ...own } = schema;
  if (typeof $ref !== "string") return { document, schema };
  const target = $ref.slice(2).split("/").reduce<unknown>((within, key) => objectOf(within)[key], document);
  if (!isObject(target)) throw new TypeError(`The document has no ${$ref}.`);
  return resolved({ document, schema: { ...target, ...own } });
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The media types of a body, also those that `Accept` selects. */
function contentsOf(body: Json): Json {
  return { ...objectOf(body["content"]), ...objectOf(body["x-representations"]) };
}
