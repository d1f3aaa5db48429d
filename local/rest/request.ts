// What a request to the Data API contains, read as PostgREST reads it.
import { isFilter } from "../../supabase/functions/_shared/db/query.ts";
import { readBody } from "../gateway/body.ts";
import { notSupported, RestError } from "./errors.ts";

/** The arguments of a call by name: the fields of a JSON object, or texts of a query. */
export type Arguments =
  | { readonly names: ReadonlySet<string>; readonly json: string }
  | { readonly names: ReadonlySet<string>; readonly texts: ReadonlyMap<string, string> };

/** Query parameters by which PostgREST selects, filters and sorts rows. */
const ROW_PARAMETER = /^(select|order|limit|offset|columns|on_conflict|and|or|not\.(and|or))$/;
/** An import of lots is the largest: 4 MiB as a client sends it, somewhat more as the functions map it. */
const MAX_BODY_BYTES = 6 * 1024 * 1024;

/** Rejects a request for anything else than one JSON value. */
export function checkHeaders(headers: Headers): void {
  const accept = headers.get("accept") ?? "*/*";
  if (!/json|\*\/\*|application\/\*/i.test(accept)) {
    throw new RestError(406, "PGRST107", `None of these media types are available: ${accept}`);
  }
  if (/(^|[\s,])(count|max-affected)=/.test(headers.get("prefer") ?? "")) throw notSupported("counting rows");
}

/** The schema of a request: the first exposed one unless it names another. */
export function readProfile(method: string, headers: Headers, schemas: readonly string[]): string {
  const name = headers.get(method === "GET" || method === "HEAD" ? "accept-profile" : "content-profile");
  if (name === null) return schemas[0]!;
  if (schemas.includes(name)) return name;
  throw new RestError(406, "PGRST106", `Invalid schema: ${name}`, {
    hint: `Only the following schemas are exposed: ${schemas.join(", ")}`,
  });
}

export async function readArguments(request: Request, query: URLSearchParams): Promise<Arguments> {
  const parameters = Array.from(query).filter(([name]) => name !== "apikey");
  if (request.method === "GET" || request.method === "HEAD") {
    const filters = parameters.filter(([name, value]) => ROW_PARAMETER.test(name) || isFilter(value));
    if (filters.length > 0) throw notSupported(`filters of rows: ${filters.map(([name]) => name).join(", ")}`);
    const texts = new Map(parameters);
    return { names: new Set(texts.keys()), texts };
  }
  if (parameters.length > 0) throw notSupported("a query in a POST request");
  const body = await readBody(request, MAX_BODY_BYTES);
  const type = (request.headers.get("content-type") ?? "application/json").split(";", 1)[0]!.trim().toLowerCase();
  if (type !== "application/json") throw new RestError(400, "PGRST102", `Content-Type not acceptable: ${type}`);
  if (body.length === 0) return { names: new Set(), json: "{}" };
  return readObject(body);
}

/** A JSON object with the names of its fields. */
function readObject(body: Uint8Array): Arguments {
  try {
    const json = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { names: new Set(Object.keys(value)), json };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  throw new RestError(400, "PGRST102", "Empty or invalid json");
}
