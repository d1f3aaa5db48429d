// /rest/v1: the Data API, on a connection as `authenticator`, whose `set local role` is the same boundary as hosted.
import { App } from "@supabase/lite";
import { createPostgresConnection } from "@supabase/lite/postgres";
import postgres, { type Sql } from "postgres";
import { textualJson } from "../database/json.ts";
import { knock } from "./keys.ts";
import { quoteJsonStrings, readJsonArguments } from "./json_arguments.ts";
import { asPostgrest } from "./sqlstate.ts";
import { type Claims, verify } from "./tokens.ts";

export interface RestOptions {
  /** The database's address as `authenticator`. */
  readonly authenticator: string;
  /** The schemas the Data API exposes, from supabase/config.toml. */
  readonly schemas: readonly string[];
  readonly maxRows: number;
}

type Backend = Awaited<ReturnType<typeof connect>>;

const RPC = "/rest/v1/rpc/";
const RELOAD = "reload schema";

export class Rest {
  #backend: Promise<Backend>;
  #listener: Sql;

  private constructor(readonly options: RestOptions) {
    this.#backend = connect(options);
    this.#listener = postgres(options.authenticator, { max: 1, onnotice: () => {}, idle_timeout: 0 });
  }

  static async start(options: RestOptions): Promise<Rest> {
    const rest = new Rest(options);
    await rest.#backend;
    // PostgREST's way to say that functions changed: `notify pgrst, 'reload schema'`. A lost connection may have missed one.
    let listening = false;
    await rest.#listener.listen("pgrst", (payload) => payload === RELOAD ? rest.reload() : undefined, () => {
      if (listening) rest.reload();
      listening = true;
    });
    return rest;
  }

  /** Reads the schema anew; requests that already run finish on the old connection. */
  async reload(): Promise<void> {
    const old = this.#backend;
    this.#backend = connect(this.options);
    await (await old).connection.close();
  }

  async handle(request: Request, url: URL): Promise<Response> {
    const entry = request.method === "OPTIONS" ? { authorization: "" } : knock(request, url);
    if ("refused" in entry) return entry.refused;
    let claims: Claims = { role: "anon" };
    if (entry.authorization.startsWith("Bearer ")) {
      const verdict = verify(entry.authorization.slice("Bearer ".length).trim());
      if ("problem" in verdict) return unauthorized(verdict.problem);
      claims = { role: "anon", ...verdict.claims };
    }
    const { app, callers, jsonArguments } = await this.#backend;
    const names = request.method === "POST" ? jsonArguments.get(url.pathname.slice(RPC.length)) : undefined;
    const inner = new Request(request.url, {
      method: request.method,
      headers: innerHeaders(request, this.options.schemas[0]),
      body: names === undefined ? request.body : await quoteJsonStrings(request, names),
    });
    callers.set(inner, claims);
    const answer = await app.fetch(inner);
    return request.headers.has("access-control-request-method") ? preflight(answer) : answer;
  }

  async stop(): Promise<void> {
    await this.#listener.end();
    await (await this.#backend).connection.close();
  }
}

async function connect(options: RestOptions) {
  const connection = createPostgresConnection({
    url: options.authenticator,
    postgresOptions: { max: 20, onnotice: () => {}, types: textualJson },
  });
  // Left to itself the library grants every table to every client role the first time it meets row security. The grants
  // are the migrations' business; as authenticator it could not, and this keeps it from trying.
  const normalize = connection.normalizeDbError.bind(connection);
  Object.assign(connection, {
    rlsState: "active",
    normalizeDbError: (error: unknown) => asPostgrest(normalize(error)),
  });
  const callers = new WeakMap<Request, Claims>();
  const app = new App({
    connection,
    api: { schemas: [...options.schemas], extra_search_path: [], max_rows: options.maxRows },
    auth: { enabled: false },
    options: {
      server: {
        disableStudio: true,
        // The gate has verified the caller; the key is a formality.
        apiKeys: {
          resolver: (_key, context) => {
            const claims = callers.get(context.req.raw);
            return Promise.resolve(claims === undefined ? null : { type: "publishable", claims });
          },
        },
      },
    },
  });
  await app.init();
  // The first request makes the library read the schema; nobody should have to wait for it.
  const first = new Request("http://localhost/rest/v1/rpc/none", { method: "POST", headers: { apikey: "verified" } });
  callers.set(first, { role: "anon" });
  await (await app.fetch(first)).body?.cancel();
  return { app, connection, callers, jsonArguments: await readJsonArguments(connection.driver, options.schemas) };
}

function innerHeaders(request: Request, schema: string | undefined): Headers {
  const headers = new Headers(request.headers);
  headers.set("apikey", "verified");
  headers.delete("authorization");
  const profile = request.method === "GET" || request.method === "HEAD" ? "accept-profile" : "content-profile";
  // PostgREST's default is the first exposed schema; the library's is public.
  if (schema !== undefined && !headers.has(profile)) headers.set(profile, schema);
  return headers;
}

/** A browser's question before the request is always answered; the library answers it only for what it finds. */
function preflight(answer: Response): Response {
  const headers = new Headers(answer.headers);
  headers.delete("content-type");
  return new Response(null, { status: 200, headers });
}

function unauthorized(problem: string): Response {
  const message = problem === "expired" ? "JWT expired" : problem === "not_yet_valid" ? "JWT not yet valid" : undefined;
  const body = message === undefined
    ? {
      code: "PGRST301",
      details: "None of the keys was able to decode the JWT",
      message: "No suitable key or wrong key type",
    }
    : { code: "PGRST303", details: null, message };
  return Response.json({ ...body, hint: null }, {
    status: 401,
    headers: {
      "www-authenticate": `Bearer error="invalid_token", error_description="${body.message}"`,
      "proxy-status": `PostgREST; error=${body.code}`,
      "access-control-allow-origin": "*",
    },
  });
}
