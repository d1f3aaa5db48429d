// What a request to the Data API asks for, read as PostgREST reads it.
import { isFilter } from "../../supabase/functions/_shared/db/query.ts";
import type { Arguments } from "./call.ts";
import { RestError } from "./errors.ts";
import { readBody } from "../gateway/body.ts";

export interface Preferences {
  readonly isStrict: boolean;
  readonly isCounted: boolean;
  readonly maxAffected: number | undefined;
  /** What is echoed in Preference-Applied. */
  readonly applied: readonly string[];
}

export const SINGULAR = "application/vnd.pgrst.object+json";
const JSON_TYPE = "application/json";
const ACCEPTED: Readonly<Record<string, string>> = {
  "*/*": JSON_TYPE,
  "application/*": JSON_TYPE,
  [JSON_TYPE]: JSON_TYPE,
  "application/vnd.pgrst.array+json": JSON_TYPE,
  "application/vnd.pgrst.object": SINGULAR,
  [SINGULAR]: SINGULAR,
};
const PREFERENCES =
  /^(return=(minimal|representation|headers-only)|count=(exact|planned|estimated)|resolution=(merge|ignore)-duplicates|missing=(default|null)|handling=(strict|lenient)|tx=(commit|rollback)|timezone=.+|max-affected=\d+)$/;
/** Query parameters that shape the rows of a reply. */
const SHAPING = /^(select|order|limit|offset|columns|on_conflict|and|or|not\.(and|or))$/;
/** An import of lots is the largest: 4 MiB as a client sends it, somewhat more as the functions map it. */
const MAX_BODY_BYTES = 6 * 1024 * 1024;

/** The media type of the reply. */
export function mediaType(headers: Headers): string {
  const accept = headers.get("accept") ?? "*/*";
  const names = accept.split(",").map((range) => range.split(";", 1)[0]!.trim().toLowerCase());
  const found = names.map((name) => ACCEPTED[name]).find((type) => type !== undefined);
  if (found === undefined) {
    throw new RestError(406, "PGRST107", `None of these media types are available: ${names.join(", ")}`);
  }
  return found;
}

export function preferences(headers: Headers): Preferences {
  const given = (headers.get("prefer") ?? "").split(",").map((one) => one.trim()).filter((one) => one !== "");
  const valueOf = (name: string) => given.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
  const isStrict = valueOf("handling") === "strict";
  const unknown = given.filter((one) => !PREFERENCES.test(one));
  if (isStrict && unknown.length > 0) {
    throw new RestError(400, "PGRST122", "Invalid preferences given with handling=strict", {
      details: `Invalid preferences: ${unknown.join(", ")}`,
    });
  }
  const affected = valueOf("max-affected");
  return {
    isStrict,
    isCounted: valueOf("count") !== undefined,
    maxAffected: isStrict && affected !== undefined ? Number(affected) : undefined,
    applied: given.filter((one) => /^(count|handling)=/.test(one) || (isStrict && one.startsWith("max-affected="))),
  };
}

/** The schema that a request is for: the first exposed one unless it names another. */
export function profile(method: string, headers: Headers, schemas: readonly string[]): string {
  const name = headers.get(method === "GET" || method === "HEAD" ? "accept-profile" : "content-profile");
  if (name === null) return schemas[0]!;
  if (schemas.includes(name)) return name;
  throw new RestError(406, "PGRST106", `Invalid schema: ${name}`, {
    hint: `Only the following schemas are exposed: ${schemas.join(", ")}`,
  });
}

/** The arguments of a call. */
export async function readArguments(request: Request, query: URLSearchParams): Promise<Arguments> {
  const isRead = request.method === "GET" || request.method === "HEAD";
  rejectShaping(query, isRead);
  if (isRead) return texts(query);
  const body = await readBody(request, MAX_BODY_BYTES);
  const type = (request.headers.get("content-type") ?? JSON_TYPE).split(";", 1)[0]!.trim().toLowerCase();
  switch (type) {
    case JSON_TYPE:
      return jsonArguments(body);
    case "application/x-www-form-urlencoded":
      return texts(new URLSearchParams(new TextDecoder().decode(body)));
    case "text/plain":
      return { kind: "whole", type: "text", body };
    case "text/xml":
      return { kind: "whole", type: "xml", body };
    case "application/octet-stream":
      return { kind: "whole", type: "bytea", body: `\\x${body.toHex()}` };
    default:
      throw new RestError(400, "PGRST102", `Content-Type not acceptable: ${type}`);
  }
}

function jsonArguments(body: Uint8Array): Arguments {
  if (body.length === 0) return { kind: "json", names: new Set(), body: "{}" };
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) throw invalidBody("Empty or invalid json");
    throw error;
  }
  if (!Array.isArray(value)) return { kind: "json", names: keysOf(value), body };
  // A list of objects is read as its first one; all must have the same keys.
  const [first, ...others] = value.map(keysOf);
  const names = first ?? new Set<string>();
  if (others.some((keys) => keys.symmetricDifference(names).size > 0)) throw invalidBody("All object keys must match");
  return { kind: "json", names, body: names.size === 0 ? body : JSON.stringify(value[0]) };
}

function keysOf(value: unknown): Set<string> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? new Set(Object.keys(value)) : new Set();
}

function invalidBody(message: string): RestError {
  return new RestError(400, "PGRST102", message);
}

function texts(query: URLSearchParams): Arguments {
  const found = new Map<string, string[]>();
  for (const [name, value] of query) {
    if (name !== "apikey") found.set(name, [...(found.get(name) ?? []), value]);
  }
  return { kind: "texts", texts: found };
}

/** Rows come as the function returns them: what hosted PostgREST would do with them afterwards is refused, not ignored. */
function rejectShaping(query: URLSearchParams, isRead: boolean): void {
  const names = Array.from(query).filter(([name, value]) =>
    name !== "apikey" && (!isRead || SHAPING.test(name) || isFilter(value))
  ).map(([name]) => name);
  if (names.length === 0) return;
  throw new RestError(
    501,
    "LOCAL501",
    `The local Data API does not select, filter, sort or cut rows: ${names.join(", ")}`,
    {
      hint: "Call the function with parameters that do it.",
    },
  );
}
