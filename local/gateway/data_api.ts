// One reading of the schema: the library's Data API on its own connections, until a newer reading takes its place.
import { App } from "@supabase/lite";
import { createPostgresConnection } from "@supabase/lite/postgres";
import { patient } from "../database/connection.ts";
import { textualJson } from "../database/json.ts";
import { plainTypes } from "./arguments.ts";
import { quoteJsonStrings, readJsonArguments } from "./json_arguments.ts";
import { pipeline } from "./pipeline.ts";
import { settings } from "./settings.ts";
import { asPostgrest } from "./sqlstate.ts";
import type { Claims } from "./tokens.ts";
import { MissedTurn, Turn, turns } from "./turn.ts";

export interface DataApiOptions {
  /** The database's address as `authenticator`. */
  readonly authenticator: string;
  /** The schemas the Data API exposes, from supabase/config.toml. */
  readonly schemas: readonly string[];
  readonly maxRows: number;
}

type Library = Awaited<ReturnType<typeof connect>>;

const RPC = "/rest/v1/rpc/";
/** What keeps the cores busy: with more, requests only share them longer, and the slowest answer comes later. */
const CONNECTIONS = Math.max(3, navigator.hardwareConcurrency + 1);

export class DataApi {
  #inFlight = 0;
  #idle: (() => void) | undefined;

  private constructor(readonly options: DataApiOptions, readonly library: Library) {}

  static async connect(options: DataApiOptions): Promise<DataApi> {
    return new DataApi(options, await connect(options));
  }

  /** Answers a request whose caller the gate has verified; throws MissedTurn when no statement of it ran. */
  async handle(request: Request, url: URL, claims: Claims): Promise<Response> {
    const { app, callers, jsonArguments } = this.library;
    this.#inFlight++;
    try {
      const names = request.method === "POST" ? jsonArguments.get(url.pathname.slice(RPC.length)) : undefined;
      const inner = new Request(request.url, {
        method: request.method,
        headers: innerHeaders(request, this.options.schemas[0]),
        body: names === undefined ? request.body : await quoteJsonStrings(request, names),
      });
      callers.set(inner, claims);
      const turn = new Turn(request.signal);
      const answer = await turns.run(turn, () => app.fetch(inner));
      if (!turn.isMissed) return answer;
      await answer.body?.cancel();
      throw new MissedTurn("The request had no turn");
    } finally {
      this.#inFlight--;
      if (this.#inFlight === 0) this.#idle?.();
    }
  }

  /** Closes the connections once the requests that run are answered, or when `seconds` are over. */
  async close(seconds: number): Promise<void> {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, seconds * 1000);
    if (this.#inFlight > 0) await Promise.race([over, new Promise<void>((idle) => this.#idle = idle)]);
    clearTimeout(timer);
    await this.library.connection.driver.end({ timeout: 1 });
  }
}

async function connect(options: DataApiOptions) {
  const connection = createPostgresConnection({
    url: options.authenticator,
    postgresOptions: { max: CONNECTIONS, ...patient, types: { ...textualJson, ...plainTypes } },
  });
  pipeline(connection.driver);
  // Left to itself the library grants every table to every client role the first time it meets row security. The grants
  // are the migrations' business; as authenticator it could not, and this keeps it from trying.
  const normalize = connection.normalizeDbError.bind(connection);
  Object.assign(connection, {
    rlsState: "active",
    normalizeDbError: (error: unknown) => asPostgrest(normalize(error)),
    ...settings,
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
