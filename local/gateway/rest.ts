// /rest/v1: who may knock, and which reading of the schema answers.
import postgres, { type Sql } from "postgres";
import { patient } from "../database/connection.ts";
import { DataApi, type DataApiOptions } from "./data_api.ts";
import { knock } from "./keys.ts";
import { type Claims, verify } from "./tokens.ts";
import { MissedTurn } from "./turn.ts";

export interface RestOptions extends DataApiOptions {
  /** Hears what fails behind the clients' backs. */
  readonly log: (line: string) => void;
}

/** Longer than a request may wait for a connection and its statement may run: whoever waits longer waits in vain. */
const PATIENCE = 20_000;
const RELOAD = "reload schema";

export class Rest {
  readonly #listener: Sql;
  #reloading: Promise<void> = Promise.resolve();

  private constructor(readonly options: RestOptions, private current: DataApi) {
    this.#listener = postgres(options.authenticator, { max: 1, ...patient, idle_timeout: 0 });
  }

  static async start(options: RestOptions): Promise<Rest> {
    const rest = new Rest(options, await DataApi.connect(options));
    // PostgREST's way to say that functions changed: `notify pgrst, 'reload schema'`. A lost connection may have missed
    // one, so a new connection reads the schema too.
    let connected = false;
    await rest.#listener.listen("pgrst", (payload) => payload === RELOAD ? rest.reload() : undefined, () => {
      if (connected) rest.reload();
      connected = true;
    });
    return rest;
  }

  /** Reads the schema anew; requests that already run finish on the old reading. */
  reload(): Promise<void> {
    this.#reloading = this.#reloading.then(async () => {
      const old = this.current;
      this.current = await DataApi.connect(this.options);
      await old.close(PATIENCE / 1000);
    }).catch((error) => this.options.log(`The schema could not be read anew: ${error}`));
    return this.#reloading;
  }

  async handle(request: Request, url: URL): Promise<Response> {
    const entry = request.method === "OPTIONS" ? { authorization: "" } : knock(request, url);
    if ("refused" in entry) return entry.refused;
    let claims: Claims = { role: "anon" };
    const token = entry.authorization.match(/^Bearer\s+(.*)$/i)?.[1];
    if (token !== undefined) {
      const verdict = verify(token.trim());
      if ("problem" in verdict) return unauthorized(verdict.problem);
      claims = { role: "anon", ...verdict.claims };
    }
    const answer = await inTime(this.current.handle(request, url, claims));
    return request.headers.has("access-control-request-method") ? preflight(answer) : answer;
  }

  async stop(): Promise<void> {
    await this.#listener.end({ timeout: 1 });
    await this.current.close(1);
  }
}

async function inTime(answering: Promise<Response>): Promise<Response> {
  const { promise: late, resolve } = Promise.withResolvers<Response>();
  const timer = setTimeout(() => {
    answering.then((answer) => answer.body?.cancel(), () => {}); // nobody waits for it any more
    resolve(noConnection());
  }, PATIENCE);
  try {
    return await Promise.race([answering, late]);
  } catch (error) {
    if (error instanceof MissedTurn) return noConnection();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function noConnection(): Response {
  const message = "Timed out acquiring connection from connection pool.";
  return Response.json({ code: "PGRST003", details: null, hint: null, message }, { status: 504 });
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
