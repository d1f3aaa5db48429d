// /rest/v1: calls of the functions in the exposed schemas, with PostgREST's responses. There are no tables here: the service
// exposes none.
import postgres, { type Sql } from "postgres";
import { BodyError } from "../gateway/body.ts";
import { authenticateApiKey } from "../gateway/keys.ts";
import { type Claims, verify } from "../gateway/tokens.ts";
import { connectionOptions } from "../postgres/connection_options.ts";
import { callStatement, chooseFunction } from "./call.ts";
import { ConnectionLost, type Row } from "./connection.ts";
import { contextStatements } from "./context.ts";
import { CORS, errorResponse, RestError, toRestError } from "./errors.ts";
import { ConnectionPool } from "./pool.ts";
import { checkHeaders, readArguments, readProfile } from "./request.ts";
import { readSchema, type Schema } from "./schema.ts";

export interface RestOptions {
  /** The database's address as `authenticator`. */
  readonly authenticator: string;
  /** The database whose schema is read, if not that one: a read replica cannot listen for changes of the schema. */
  readonly schemaFrom?: string;
  /** The schemas the Data API exposes, from supabase/config.toml. */
  readonly schemas: readonly string[];
  readonly log: (line: string) => void;
}

const PREFIX = "/rest/v1";
const METHODS = ["OPTIONS", "GET", "HEAD", "POST"];
/** Enough to keep the cores busy. With more, requests share the cores longer, and the slowest response is later. */
const SIZE = Math.max(3, navigator.hardwareConcurrency + 1);
const MAXIMUM = Math.max(10, 3 * SIZE);
const SHARE = Math.floor(MAXIMUM / 3) + 1;

export class Rest {
  readonly #pool: ConnectionPool;
  /** Where the schema is read. */
  readonly #catalogue: Sql;
  #schema: Schema | undefined;
  #reading: Promise<void> = Promise.resolve();
  #isReadQueued = false;

  private constructor(readonly options: RestOptions) {
    this.#pool = new ConnectionPool({
      address: options.authenticator,
      size: SIZE,
      maximum: MAXIMUM,
      share: SHARE,
      log: options.log,
    });
    const { authenticator, schemaFrom = authenticator } = options;
    this.#catalogue = postgres(schemaFrom, { ...connectionOptions, max: 1, max_lifetime: null });
  }

  static async start(options: RestOptions): Promise<Rest> {
    const rest = new Rest(options);
    await rest.#listen();
    return rest;
  }

  async stop(): Promise<void> {
    this.#pool.close();
    await this.#catalogue.end({ timeout: 0 });
  }

  async handle(request: Request, url: URL, client: string): Promise<Response> {
    if (request.method === "OPTIONS") return preflight(request);
    const access = authenticateApiKey(request, url);
    if ("error" in access) return access.error;
    let role = "anon";
    try {
      const claims = await claimsOf(access.authorization);
      role = String(claims["role"]);
      return await this.#call(request, url, client, claims, role);
    } catch (error) {
      if (error instanceof BodyError) return errorResponse(new RestError(error.status, "PGRST102", error.message));
      const restError = toRestError(error, role);
      if (restError === undefined) throw error;
      return errorResponse(restError);
    }
  }

  async #call(request: Request, url: URL, client: string, claims: Claims, role: string): Promise<Response> {
    const { method, headers } = request;
    const path = pathOf(url);
    const schemaName = readProfile(method, headers, this.options.schemas);
    const schema = this.#schema;
    if (schema === undefined) throw new ConnectionLost("The schema has not been read yet");
    const [, name] = path.match(/^rpc\/([^/]+)$/) ?? [];
    if (name === undefined) throw noTable(path, schemaName);
    if (!METHODS.includes(method)) throw new RestError(405, "PGRST101", `Cannot use the ${method} method on RPC`);
    checkHeaders(headers);
    const args = await readArguments(request, url.searchParams);
    const target = chooseFunction(schema, schemaName, name, args);
    const isRead = method !== "POST" || !target.isVolatile;
    const context = { schema, schemaName, request, client, path, claims, role, isRead, target };
    const statements = [...contextStatements(context), callStatement(target, args)];
    const results = await this.#pool.run(statements, { route: name, role, signal: request.signal });
    return responseOf(results.at(-1)![0]!, target.returns === "void", method);
  }

  /** `notify pgrst, 'reload schema'` reports a change of functions. A connection that was lost may have missed one. */
  async #listen(): Promise<void> {
    const read = () => this.#read();
    await this.#catalogue.listen("pgrst", (payload) => payload === "reload schema" ? read() : undefined, read);
    await this.#reading;
    if (this.#schema === undefined) throw new Error("The schema could not be read");
  }

  /** Reads the schema once the running read has ended. One queued read is enough for all changes until it starts. */
  #read(): void {
    if (this.#isReadQueued) return;
    this.#isReadQueued = true;
    this.#reading = this.#reading.then(async () => {
      this.#isReadQueued = false;
      this.#schema = await readSchema(this.#catalogue, this.options.schemas);
    }).catch((error) => this.options.log(`The schema was not read: ${error}`));
  }
}

async function claimsOf(authorization: string): Promise<Claims> {
  const token = authorization.match(/^Bearer\s+(.*)$/i)?.[1];
  if (token === undefined) return { role: "anon" };
  const result = await verify(token.trim());
  if ("claims" in result) return { role: "anon", ...result.claims };
  const { problem } = result;
  if (problem === "expired") throw unauthorized("PGRST303", "JWT expired");
  if (problem === "not_yet_valid") throw unauthorized("PGRST303", "JWT not yet valid");
  throw unauthorized("PGRST301", "No suitable key or wrong key type", "None of the keys was able to decode the JWT");
}

function unauthorized(code: string, message: string, details: string | null = null): RestError {
  const challenge = `Bearer error="invalid_token", error_description="${message}"`;
  return new RestError(401, code, message, { details, headers: { "www-authenticate": challenge } });
}

function pathOf(url: URL): string {
  try {
    return decodeURIComponent(url.pathname.slice(PREFIX.length)).replace(/^\//, "");
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new RestError(400, "PGRST125", "Invalid path specified in request URL");
  }
}

function noTable(path: string, schema: string): RestError {
  if (path === "" || path.includes("/")) return new RestError(404, "PGRST125", "Invalid path specified in request URL");
  return new RestError(404, "PGRST205", `Could not find the table '${schema}.${path}' in the schema cache`);
}

function responseOf([body, status, headers]: Row, isVoid: boolean, method: string): Response {
  const own = new Headers({
    ...CORS,
    "content-range": "0-0/*",
    ...(isVoid ? {} : { "content-type": "application/json; charset=utf-8" }),
  });
  for (const [name, value] of ownHeaders(headers)) {
    if (name.toLowerCase() === "content-type") own.set(name, value);
    else own.append(name, value);
  }
  const sent = ownStatus(status) ?? (isVoid ? 204 : 200);
  const isEmpty = isVoid || method === "HEAD" || [204, 205, 304].includes(sent);
  return new Response(isEmpty ? null : body!, { status: sent, headers: own });
}

/** `response.status`, set by the function. */
function ownStatus(value: string | null | undefined): number | undefined {
  if (!value) return undefined;
  const status = Number(value);
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status;
  throw new RestError(500, "PGRST112", "response.status guc must be a valid status code");
}

/** `response.headers`, set by the function: a list of objects with one name and value each. */
function ownHeaders(value: string | null | undefined): [string, string][] {
  if (!value) return [];
  try {
    const list: unknown = JSON.parse(value);
    if (Array.isArray(list)) {
      const entries = list.map((one) => Object.entries(Object(one)));
      if (entries.every((one) => one.length === 1 && typeof one[0]![1] === "string")) {
        return entries.map(([entry]) => entry as [string, string]);
      }
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const message = "response.headers guc must be a JSON array composed of objects with a single key and a string value";
  throw new RestError(500, "PGRST111", message);
}

/** A browser's preflight needs no key. */
function preflight(request: Request): Response {
  const requested = request.headers.get("access-control-request-headers");
  const allowed = ["Authorization", "Content-Type", "Accept", "Accept-Language", "Content-Language"];
  return new Response(null, {
    status: 200,
    headers: {
      ...CORS,
      allow: METHODS.join(","),
      "access-control-allow-methods": "GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD",
      "access-control-allow-headers": [...allowed, ...(requested === null ? [] : [requested])].join(", "),
      "access-control-max-age": "86400",
    },
  });
}
