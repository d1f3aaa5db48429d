/**
 * Reading what the client sent: strictly, and saying everything that is wrong with it at once. Query parameters are
 * decoded by the kind their schema declares, then checked by that schema like any JSON value.
 */
import { z } from "zod";
import { ApiError, type FieldError } from "../errors.ts";

const MIB = 1024 * 1024;

/** The limit of a body, unless its route has one of its own. */
export const BODY_LIMIT = MIB;

/** How much of a body that is too large is still taken from the wire. */
export const MAX_DRAIN_BYTES = 8 * BODY_LIMIT;

/** Enough to correct a form by; a hostile body shall not make the answer larger than itself. */
const MAX_ERRORS = 100;

/** Nothing in the interface nests half as deep. */
const MAX_DEPTH = 32;

/** A number as JSON writes it: 12, -0.5, 1.2e-7, 5.0E-4. Most languages print small numbers with an exponent. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/;

type Fields = z.ZodObject;

/** The client went before its body was complete. There is nobody to answer, and nothing of ours has failed. */
export class ClientLeft extends Error {
  override readonly name = "ClientLeft";
}

/** What a route takes that declares nothing. */
export const noFields = z.strictObject({});

export function readParams<F extends Fields>(fields: F, raw: Record<string, string>): z.output<F> {
  const values = Object.entries(raw).map(([name, text]) => {
    const schema = fields.shape[name];
    return [name, schema ? decoded(text, schema) : text];
  });
  return check(fields, Object.fromEntries(values), unstorable(raw));
}

/** The query string without the parameter by which the platform's client library chooses a region. */
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
    } else {
      const value = Object.hasOwn(fields.shape, name) ? decoded(text, fields.shape[name]!) : text;
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

/** The body as it was sent: JSON, of any shape. */
export async function readJson(request: Request, limit = BODY_LIMIT): Promise<unknown> {
  const bytes = await limitedBytes(request, limit);
  if (bytes.length === 0) throw rejectedBody("required", "A JSON body is required.");
  if (!isJsonRequest(request.headers)) throw new ApiError("unsupported_media_type");
  return parseJson(bytes);
}

/** As readJson; no body at all is an empty object. */
export async function readOptionalJson(request: Request, limit = BODY_LIMIT): Promise<unknown> {
  const bytes = await limitedBytes(request, limit);
  if (bytes.length === 0) return {};
  if (!isJsonRequest(request.headers)) throw new ApiError("unsupported_media_type");
  return parseJson(bytes);
}

/** The body of a request that has nothing to say: none at all, or the empty object that some clients send. */
export async function readNothing(request: Request): Promise<void> {
  readBody(noFields, await readOptionalJson(request));
}

export function readBody<F extends Fields>(fields: F, sent: unknown): z.output<F> {
  return check(fields, sent, unstorable(sent));
}

function check<F extends Fields>(fields: F, value: unknown, already: readonly FieldError[]): z.output<F> {
  const result = fields.safeParse(value, { reportInput: true });
  const broken = new Set(already.map((error) => error.param));
  const found = result.error?.issues.flatMap(fieldErrors).filter((error) => !broken.has(error.param)) ?? [];
  const [first, ...others] = [...already, ...found].slice(0, MAX_ERRORS);
  if (first) throw ApiError.ofFields([first, ...others]);
  return result.data!;
}

function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  const at = (...more: PropertyKey[]) => [...issue.path, ...more].map(String).join(".") || null;
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      param: at(key),
      code: "unknown_key",
      message: "This field does not exist. Remove it.",
    }));
  }
  if (issue.code === "invalid_type" && issue.input === undefined) {
    return [{
      param: at(),
      code: "required",
      message: "This field is required.",
    }];
  }
  return [{ param: at(), code: issue.code, message: issue.message }];
}

/** A value inside what was sent; its path is spelled out only when it is needed. */
interface Place {
  readonly value: unknown;
  readonly key: string;
  readonly outer: Place | null;
  readonly depth: number;
}

/** What the database cannot store: NUL characters, lone halves of surrogate pairs, bottomless nesting. */
function unstorable(root: unknown): FieldError[] {
  const errors: FieldError[] = [];
  const pending: Place[] = [{ value: root, key: "", outer: null, depth: 0 }];
  for (let place = pending.pop(); place && errors.length < MAX_ERRORS; place = pending.pop()) {
    const { value, key, depth } = place;
    if (depth > MAX_DEPTH) {
      return [{
        param: null,
        code: "malformed",
        message: "The body is nested too deeply. At most 32 levels are accepted.",
      }];
    }
    if (!isText(key) || (typeof value === "string" && !isText(value))) {
      const message = "Must not contain NUL characters or lone surrogates.";
      errors.push({ param: pathOf(place), code: "invalid_text", message });
    } else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        pending.push({ value: inner, key, outer: place, depth: depth + 1 });
      }
    }
  }
  return errors;
}

function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

function pathOf(place: Place): string | null {
  const keys: string[] = [];
  for (let at = place; at.outer; at = at.outer) {
    keys.unshift(isText(at.key) ? at.key : "?");
  }
  return keys.join(".") || null;
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
  /** What an array has. */
  readonly element?: z.core.$ZodType;
}

/** The type a parameter has once defaults and optionality are taken off. */
function kindOf(schema: z.core.$ZodType): Kind {
  const def = schema._zod.def as z.core.$ZodTypeDef & {
    innerType?: z.core.$ZodType;
    element?: z.core.$ZodType;
  };
  return def.innerType ? kindOf(def.innerType) : def;
}

/** What cannot be decoded stays text, and the schema says what it wanted instead. */
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
 * The body, counted as it arrives: Content-Length may be absent. The rest of one that is too large is read and dropped, up
 * to a point, because a client or a proxy in the middle of sending may not listen to an answer.
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
    // The stream fails for one reason: the connection that it comes from is gone.
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

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) throw rejectedBody("malformed", "The body must be valid JSON.");
    if (error instanceof TypeError) throw rejectedBody("malformed", "The body must be UTF-8.");
    throw error;
  }
}

function rejectedBody(code: string, message: string): ApiError {
  return ApiError.ofFields([{ param: null, code, message }]);
}
