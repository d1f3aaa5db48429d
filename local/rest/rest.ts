// /rest/v1: calls of the functions in the exposed schemas, answered as PostgREST answers them. There are no tables here:
// the service exposes none.
import { BodyError } from "../gateway/body.ts";
import { authenticateApiKey } from "../gateway/keys.ts";
import { type Claims, verify } from "../gateway/tokens.ts";
import { type Call, prepareCall } from "./call.ts";
import { Connection, ConnectionLost, type Row, type Statement } from "./connection.ts";
import { CORS, errorResponse, RestError } from "./errors.ts";
import { textOf } from "./messages.ts";
import { describe } from "./description.ts";
import { ConnectionPool } from "./pool.ts";
import { mediaType, type Preferences, preferences, profile, readArguments, SINGULAR } from "./request.ts";
import { readSchema, type Schema } from "./schema.ts";
import { settings } from "./settings.ts";
import { asRestError } from "./sqlstate.ts";

export interface RestOptions {
  /** The database's address as `authenticator`. */
  readonly authenticator: string;
  /** Where the schema is read and changes of it are heard of, if not there: a read replica cannot listen. */
  readonly schemaFrom?: string;
  /** The schemas the Data API exposes, from supabase/config.toml. */
  readonly schemas: readonly string[];
  readonly maxRows: number;
  readonly log: (line: string) => void;
}

const PREFIX = "/rest/v1";
const METHODS = ["OPTIONS", "GET", "HEAD", "POST"];
/** What keeps the cores busy: with more, requests only share them longer, and the slowest answer comes later. */
const SIZE = Math.max(3, navigator.hardwareConcurrency + 1);
const MAXIMUM = Math.max(10, 3 * SIZE);
const SHARE = Math.floor(MAXIMUM / 3) + 1;
const LISTEN_TIMEOUT_MS = 2_000;
const LISTEN_PAUSE_MS = 200;

export class Rest {
  readonly #pool: ConnectionPool;
  #schema: Schema | undefined;
  #listener: Connection | undefined;
  #reading: Promise<void> = Promise.resolve();
  #isReadQueued = false;
  #stopped = false;

  private constructor(readonly options: RestOptions) {
    this.#pool = new ConnectionPool({
      address: options.authenticator,
      size: SIZE,
      maximum: MAXIMUM,
      share: SHARE,
      log: options.log,
    });
  }

  static async start(options: RestOptions): Promise<Rest> {
    const rest = new Rest(options);
    await rest.#listen();
    return rest;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#pool.close();
    this.#listener?.close();
    await this.#listener?.closed;
  }

  async handle(request: Request, url: URL, client: string): Promise<Response> {
    if (request.method === "OPTIONS") return preflight(request);
    const access = authenticateApiKey(request, url);
    if ("error" in access) return access.error;
    let role = "anon";
    try {
      const claims = await claimsOf(access.authorization);
      role = String(claims["role"]);
      return await this.#answer(request, url, client, claims, role);
    } catch (error) {
      if (error instanceof BodyError) return errorResponse(new RestError(error.status, "PGRST102", error.message));
      const known = asRestError(error, role);
      if (known === undefined) throw error;
      return errorResponse(known);
    }
  }

  async #answer(request: Request, url: URL, client: string, claims: Claims, role: string): Promise<Response> {
    const { method, headers } = request;
    const path = pathOf(url);
    const schemaName = profile(method, headers, this.options.schemas);
    const schema = this.#schema;
    if (schema === undefined) throw new ConnectionLost("The schema has not been read yet");
    if (path === "" && method === "GET") return describe(schema, schemaName, role);
    const [, name] = path.match(/^rpc\/([^/]+)$/) ?? [];
    if (name === undefined) throw noTable(path, schemaName);
    if (!METHODS.includes(method)) throw new RestError(405, "PGRST101", `Cannot use the ${method} method on RPC`);
    const [type, prefer] = [mediaType(headers), preferences(headers)];
    const isSingular = type === SINGULAR;
    const args = await readArguments(request, url.searchParams);
    const { maxRows } = this.options;
    const call = prepareCall(schema, schemaName, name, args, { maxRows, isSingular, isCounted: prefer.isCounted });
    const isRead = method !== "POST" || !call.target.isVolatile;
    const statements = [
      ...settings({ schema, schemaName, request, client, path, claims, role, isRead, target: call.target }),
      call.statement,
    ];
    const purpose = { route: name, role, signal: request.signal };
    // A write is committed once its reply is known to be one.
    let reply: Response | undefined;
    const check = (results: readonly Row[][]) => reply = replyOf(call, results.at(-1)![0]!, type, prefer, method);
    const results = await this.#pool.run(statements, purpose, isRead ? undefined : check);
    if (reply === undefined) check(results);
    return reply!;
  }

  /** `notify pgrst, 'reload schema'` says that functions changed. A lost connection may have missed one. */
  async #listen(): Promise<void> {
    const reload = () => this.#read(listener).catch((error) => this.options.log(`The schema was not read: ${error}`));
    const { authenticator, schemaFrom = authenticator } = this.options;
    const listener = await Connection.open(schemaFrom, LISTEN_TIMEOUT_MS, (payload) => {
      if (payload === "reload schema") reload();
    });
    this.#listener = listener;
    await listener.run([{ text: "listen pgrst", values: [] }]);
    listener.closed.then(() => this.#listenAgain());
    await this.#read(listener);
  }

  async #listenAgain(): Promise<void> {
    while (!this.#stopped) {
      await new Promise((resolve) => setTimeout(resolve, LISTEN_PAUSE_MS));
      try {
        return await this.#listen();
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
      }
    }
  }

  /** Reads the schema after what is being read; what changes meanwhile is read once more. */
  #read(connection: Connection): Promise<void> {
    if (this.#isReadQueued) return this.#reading;
    this.#isReadQueued = true;
    const read = async () => {
      this.#isReadQueued = false;
      const run = (statements: readonly Statement[]) => connection.run(statements);
      this.#schema = await readSchema(run, this.options.schemas);
    };
    return this.#reading = this.#reading.then(read, read);
  }
}

async function claimsOf(authorization: string): Promise<Claims> {
  const token = authorization.match(/^Bearer\s+(.*)$/i)?.[1];
  if (token === undefined) return { role: "anon" };
  const result = await verify(token.trim());
  if ("problem" in result) throw unauthorized(result.problem);
  return { role: "anon", ...result.claims };
}

function unauthorized(problem: string): RestError {
  const message = problem === "expired" ? "JWT expired" : problem === "not_yet_valid" ? "JWT not yet valid" : undefined;
  const [code, words, details] = message === undefined
    ? ["PGRST301", "No suitable key or wrong key type", "None of the keys was able to decode the JWT"] as const
    : ["PGRST303", message, null] as const;
  const challenge = `Bearer error="invalid_token", error_description="${words}"`;
  return new RestError(401, code, words, { details, headers: { "www-authenticate": challenge } });
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

/** The reply to a call, or the error that its result is. */
function replyOf(call: Call, row: Row, type: string, prefer: Preferences, method: string): Response {
  const [body, rows, total, status, headers] = row;
  const count = Number(textOf(rows!));
  if (call.target.returnsSet && prefer.maxAffected !== undefined && count > prefer.maxAffected) {
    throw new RestError(400, "PGRST124", "Query result exceeds max-affected preference constraint", {
      details: `The query affects ${count} rows`,
    });
  }
  if (type === SINGULAR && count !== 1) {
    throw new RestError(406, "PGRST116", "Cannot coerce the result to a single JSON object", {
      details: `The result contains ${count} rows`,
    });
  }
  const all = prefer.isCounted && total ? Number(textOf(total)) : undefined;
  const isVoid = call.target.returns === "void";
  const reply = new Headers({
    ...CORS,
    "content-range": `${count === 0 ? "*" : `0-${count - 1}`}/${all ?? "*"}`,
    ...(prefer.applied.length > 0 ? { "preference-applied": prefer.applied.join(", ") } : {}),
    ...(isVoid ? {} : { "content-type": `${type}; charset=utf-8` }),
  });
  for (const [name, value] of ownHeaders(headers)) {
    if (name.toLowerCase() === "content-type") reply.set(name, value);
    else reply.append(name, value);
  }
  const usual = isVoid ? 204 : all !== undefined && count < all ? 206 : 200;
  const sent = ownStatus(status) ?? usual;
  const isEmpty = isVoid || method === "HEAD" || [204, 205, 304].includes(sent);
  return new Response(isEmpty ? null : body as Uint8Array<ArrayBuffer>, { status: sent, headers: reply });
}

/** `response.status`, set by the function. */
function ownStatus(value: Uint8Array | null | undefined): number | undefined {
  if (!value) return undefined;
  const status = Number(textOf(value));
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status;
  throw new RestError(500, "PGRST112", "response.status guc must be a valid status code");
}

/** `response.headers`, set by the function: a list of objects with one name and value each. */
function ownHeaders(value: Uint8Array | null | undefined): [string, string][] {
  if (!value) return [];
  try {
    const list: unknown = JSON.parse(textOf(value));
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

/** A browser's question before the request is always answered. */
function preflight(request: Request): Response {
  const asked = request.headers.get("access-control-request-headers");
  const allowed = ["Authorization", "Content-Type", "Accept", "Accept-Language", "Content-Language"];
  return new Response(null, {
    status: 200,
    headers: {
      ...CORS,
      allow: METHODS.join(","),
      "access-control-allow-methods": "GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD",
      "access-control-allow-headers": asked === null ? allowed.join(", ") : `${allowed.join(", ")}, ${asked}`,
      "access-control-max-age": "86400",
    },
  });
}
