/**
 * Parses requests strictly and reports all field errors at once. Query parameters are decoded by the type in their schema,
 * then validated by it like any JSON value.
 */
import { z } from "zod";
import { ApiError, type FieldError } from "../errors.ts";
import { fieldMessage } from "./field_messages.ts";

const MIB = 1024 * 1024;

/** Maximum size of a body in bytes. Routes may set their own limit. */
export const BODY_LIMIT = MIB;

/** Bytes read from an oversized body before the connection is closed. */
export const MAX_DRAIN_BYTES = 8 * BODY_LIMIT;

/** Maximum number of reported errors, so that the response is not larger than the request. */
const MAX_ERRORS = 100;

/** Maximum nesting of JSON; the API needs less than half of it. */
const MAX_DEPTH = 32;
const TOO_DEEP = `The body is nested too deeply. At most ${MAX_DEPTH} levels are accepted.`;

/**
 * A body may have one value for each 20 bytes of its limit: 52,428 in a MiB. Values with their names are longer. Half a
 * million of `0` would cost a second of a core to read and to refuse.
 */
const BYTES_PER_VALUE = 20;

/** A JSON number: 12, -0.5, 1.2e-7, 5.0E-4. Most languages print small numbers with an exponent. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/;

type Fields = z.ZodObject;

/** The client closed the connection before its body was complete. There is no response and no failure on our side. */
export class ClientLeft extends Error {
  override readonly name = "ClientLeft";
}

/** The schema of a route without fields. */
export const noFields = z.strictObject({});

export function readParams<F extends Fields>(fields: F, raw: Record<string, string>): z.output<F> {
  const values = Object.entries(raw).map(([name, text]) => {
    const schema = fields.shape[name];
    return [name, schema ? decoded(text, schema) : text];
  });
  return check(fields, Object.fromEntries(values), unstorable(raw));
}

/** The query string without supabase-js's parameter for the region. */
export function searchOf(url: string): string {
  return new URL(url).search.replace(/(?<=[?&])forceFunctionRegion=[^&]*(&|$)/g, "").replace(/[?&]+$/, "");
}

export function readQuery<F extends Fields>(fields: F, search: string): z.output<F> {
  const errors: FieldError[] = [];
  const values = new Map<string, unknown>();
  for (const pair of search.replace(/^\?/, "").split("&").filter((pair) => pair !== "")) {
    const [rawName, ...rest] = pair.split("=");
    const name = percentDecoded(rawName!);
    const text = percentDecoded(rest.join("="));
    if (name === undefined) {
      errors.push({
        param: null,
        code: "malformed",
        message: "The query string must be percent-encoded UTF-8.",
      });
    } else if (text === undefined) {
      errors.push({ param: name, code: "malformed", message: "The value must be percent-encoded UTF-8." });
      values.set(name, undefined);
    } else if (bracketed(name, fields) !== undefined) {
      const given = bracketed(name, fields)!;
      if (!errors.some(({ param }) => param === given.param)) errors.push(given);
      values.set(given.param, undefined);
    } else {
      const schema = Object.hasOwn(fields.shape, name) ? fields.shape[name]! : undefined;
      const value = schema ? decoded(text, schema) : text;
      if (schema && kindOf(schema).type === "object" && !isObject(value)) errors.push(notObject(name, schema));
      const before = values.get(name);
      if (!values.has(name)) {
        values.set(name, value);
      } else if (Array.isArray(before) && Array.isArray(value)) {
        // `include=a&include=b` is `include=a,b`.
        values.set(name, before.concat(value));
      } else if (before !== undefined) {
        errors.push({
          param: name,
          code: "duplicate",
          message: "This parameter is given more than once. Send it once.",
        });
      }
    }
  }
  const raw = Object.fromEntries(values);
  return check(fields, raw, [...errors, ...unstorable(raw)]);
}

type ParamError = FieldError & { readonly param: string };

/** `name[key]=…`: how some libraries send an object or a list. The service reads JSON, and commas. */
function bracketed(name: string, { shape }: Fields): ParamError | undefined {
  const [, base] = /^([^[]+)\[/.exec(name) ?? [];
  const schema = base !== undefined && Object.hasOwn(shape, base) ? shape[base] : undefined;
  if (base === undefined || schema === undefined) return undefined;
  const { type } = kindOf(schema);
  if (type === "object") return { ...notObject(base, schema), code: "malformed" };
  const message = type === "array"
    ? `Send the list as one parameter with commas: ${base}=a,b.`
    : `Send the value without brackets: ${base}=….`;
  return { param: base, code: "malformed", message };
}

function notObject(param: string, schema: z.core.$ZodType): ParamError {
  const json = JSON.stringify(z.globalRegistry.get(schema)?.example ?? {});
  const message = `Must be an object as URL-encoded JSON. For example, ${json} is sent as ${param}=${
    encodeURIComponent(json)
  }.`;
  return { param, code: "invalid_type", message };
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The JSON body, not validated. */
export async function readJson(request: Request, limit = BODY_LIMIT): Promise<unknown> {
  const bytes = await limitedBytes(request, limit);
  if (bytes.length === 0) throw rejectedBody("required", "A JSON body is required.");
  if (!isJsonRequest(request.headers)) throw new ApiError("unsupported_media_type");
  return parseJson(bytes, limit);
}

/** As readJson. Without a body: an empty object. */
export async function readOptionalJson(request: Request, limit = BODY_LIMIT): Promise<unknown> {
  const bytes = await limitedBytes(request, limit);
  if (bytes.length === 0) return {};
  if (!isJsonRequest(request.headers)) throw new ApiError("unsupported_media_type");
  return parseJson(bytes, limit);
}

/** Rejects a body on routes without one. Some clients send an empty object, which is accepted. */
export async function readNothing(request: Request): Promise<void> {
  readBody(noFields, await readOptionalJson(request));
}

export function readBody<F extends Fields>(fields: F, sent: unknown): z.output<F> {
  return check(fields, sent, unstorable(sent));
}

function check<F extends Fields>(fields: F, value: unknown, already: readonly FieldError[]): z.output<F> {
  const result = fields.safeParse(value, { reportInput: true, error: fieldMessage });
  const broken = new Set(already.map((error) => error.param));
  const issues = result.error?.issues.slice(0, MAX_ERRORS) ?? [];
  const found = issues.flatMap(fieldErrors).filter((error) => !broken.has(error.param));
  const [first, ...others] = [...already, ...found].slice(0, MAX_ERRORS);
  if (first) throw ApiError.ofFields([first, ...others]);
  return result.data!;
}

function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  const at = (...more: PropertyKey[]) => [...issue.path, ...more].map(String).join(".") || null;
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, MAX_ERRORS).map((key) => ({
      param: at(key),
      code: "unknown_key",
      message: "This field does not exist. Remove it.",
    }));
  }
  if ((issue.code === "invalid_type" || issue.code === "invalid_value") && issue.input === undefined) {
    return [{ param: at(), code: "required", message: "This field is required." }];
  }
  return [{ param: at(), code: issue.code, message: issue.message }];
}

/** A list or object inside a body. */
interface Place {
  readonly value: Readonly<Record<string, unknown>>;
  readonly key: string;
  readonly outer: Place | null;
  readonly depth: number;
}

/** Values that the database cannot store: NUL characters, lone surrogates, too deep nesting. */
function unstorable(root: unknown): FieldError[] {
  const errors: FieldError[] = [];
  const pending: Place[] = isPlace(root) ? [{ value: root, key: "", outer: null, depth: 0 }] : [];
  if (isUnstorableText(root)) errors.push(unstorableText(null));
  for (let place = pending.pop(); place && errors.length < MAX_ERRORS; place = pending.pop()) {
    const { value, depth } = place;
    if (depth > MAX_DEPTH) return [{ param: null, code: "malformed", message: TOO_DEEP }];
    // Nothing is made for a value without a fault: a body may have 52,428.
    for (const key in value) {
      const inner = value[key];
      if (!isText(key) || isUnstorableText(inner)) errors.push(unstorableText(pathOf(key, place)));
      else if (isPlace(inner)) pending.push({ value: inner, key, outer: place, depth: depth + 1 });
    }
  }
  return errors.slice(0, MAX_ERRORS);
}

function unstorableText(param: string | null): FieldError {
  return { param, code: "invalid_text", message: "Must not contain NUL characters or lone surrogates." };
}

function isUnstorableText(value: unknown): boolean {
  return typeof value === "string" && !isText(value);
}

function isPlace(value: unknown): value is Place["value"] {
  return typeof value === "object" && value !== null;
}

function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

function pathOf(key: string, place: Place): string | null {
  const keys = [key];
  for (let at = place; at.outer; at = at.outer) keys.unshift(at.key);
  return keys.map((key) => isText(key) ? key : "?").join(".") || null;
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

interface Kind {
  readonly type: string;
  /** The schema of an array's items. */
  readonly element?: z.core.$ZodType;
}

/** The type of a parameter without defaults and optionality. */
function kindOf(schema: z.core.$ZodType): Kind {
  const def = schema._zod.def as z.core.$ZodTypeDef & {
    innerType?: z.core.$ZodType;
    element?: z.core.$ZodType;
  };
  return def.innerType ? kindOf(def.innerType) : def;
}

/** Text that cannot be decoded stays text; the schema then reports the expected type. */
function decoded(text: string, schema: z.core.$ZodType): unknown {
  const { type, element } = kindOf(schema);
  if (type === "number") return NUMBER.test(text) ? Number(text) : text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  if (type === "array") return text.split(",").map((part) => element ? decoded(part, element) : part);
  if (type === "object") return parsedOr(text, text);
  return text;
}

function parsedOr(json: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return otherwise;
    throw error;
  }
}

function isJsonRequest(headers: Headers): boolean {
  if ((headers.get("content-encoding") ?? "identity").toLowerCase() !== "identity") return false;
  return /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(headers.get("content-type") ?? "");
}

/**
 * The body. Its bytes are counted on arrival, because Content-Length may be absent. The rest of an oversized body is read and
 * dropped up to MAX_DRAIN_BYTES, because clients and proxies may ignore a response while they send.
 */
async function limitedBytes(request: Request, limit = BODY_LIMIT): Promise<Uint8Array> {
  const message = `The body is larger than ${limit / MIB} MiB.`;
  if (Number(request.headers.get("content-length")) > MAX_DRAIN_BYTES) {
    throw new ApiError("payload_too_large", { message });
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  while (reader !== undefined && size <= MAX_DRAIN_BYTES) {
    // The only cause of a failure is a closed connection.
    const { done, value } = await reader.read().catch((cause) => {
      throw new ClientLeft("The body ended early", { cause });
    });
    if (done) break;
    size += value.length;
    if (size <= limit) chunks.push(value);
  }
  if (size > MAX_DRAIN_BYTES) await reader?.cancel();
  if (size > limit) throw new ApiError("payload_too_large", { message });
  const [only] = chunks;
  if (chunks.length === 1 && only) return only;
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

function parseJson(bytes: Uint8Array, limit: number): unknown {
  checkShape(bytes, Math.floor(limit / BYTES_PER_VALUE));
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) throw rejectedBody("malformed", "The body must be valid JSON.");
    if (error instanceof TypeError) throw rejectedBody("malformed", "The body must be UTF-8.");
    throw error;
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = [0x5b, 0x7b, 0x5d, 0x7d];

/**
 * Counts values and levels before anything is made of them. Between two values there is a comma or an opening bracket, so
 * in valid JSON the count is exact but for empty lists. What is no JSON is refused by the parser.
 */
function checkShape(bytes: Uint8Array, maxValues: number): void {
  let [values, depth, isInText] = [1, 0, false];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (isInText) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isInText = false;
    } else if (byte === QUOTE) isInText = true;
    else if (byte === COMMA) values++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values++;
      if (++depth > MAX_DEPTH) throw rejectedBody("malformed", TOO_DEEP);
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
    if (values > maxValues) {
      throw rejectedBody(
        "too_big",
        `The body has too many values. At most ${maxValues.toLocaleString("en")} are accepted.`,
      );
    }
  }
}

function rejectedBody(code: string, message: string): ApiError {
  return ApiError.ofFields([{ param: null, code, message }]);
}
