// /auth/v1: the library's auth server, and in front of it what it lacks and a hosted project has: the users'
// administration, the limit on attempts, bans, the full access token, and the error shape by API version.
import postgres from "postgres";
import type { Config } from "../config.ts";
import { Mutex } from "../database/mutex.ts";
import { Recovering, Unavailable } from "../database/recovering.ts";
import { BodyError, readBody } from "../gateway/body.ts";
import { preflight } from "../gateway/cors.ts";
import { knock } from "../gateway/keys.ts";
import { PUBLIC_JWK } from "../gateway/signing_key.ts";
import { verify } from "../gateway/tokens.ts";
import type { JwtAlgorithm } from "../settings.ts";
import { authError, AuthRefusal } from "./errors.ts";
import { AUTH_SIZE, type AuthLibrary, connectLibrary } from "./library.ts";
import { AttemptLimit } from "./limits.ts";
import {
  completeSession,
  forLibrary,
  refuseBannedCode,
  refuseBannedEmail,
  refuseBannedSession,
  refuseBannedUser,
  undoHalfRefresh,
} from "./sessions.ts";

export interface AuthOptions {
  /** The database's address as `supabase_auth_admin`. */
  readonly admin: string;
  /** The gateway's origin. */
  readonly origin: string;
  readonly config: Config;
  /** Attempts a minute and address. */
  readonly rate: number;
  /** What access tokens are signed with. */
  readonly algorithm: JwtAlgorithm;
  /** Hears what clients are not told. */
  readonly log: (line: string) => void;
}

const PREFIX = "/auth/v1";
/** What a browser or a verifier opens without a key. */
const OPEN = /^\/(verify|callback|authorize|\.well-known\/.+)$/;
const ATTEMPTS = new Set(["/signup", "/otp", "/magiclink", "/recover", "/verify"]);
/** What somebody with a session asks for. */
const OF_A_USER = new Set(["/user", "/logout", "/reauthenticate"]);
/** Fields that are text wherever they stand. */
const TEXTS = ["email", "password", "phone", "refresh_token", "token", "token_hash", "type"];
const BODY_LIMIT = 1_048_576;
/** Together what a request may take: then it is told to come again. */
const [WAIT_TIMEOUT_MS, RUN_TIMEOUT_MS] = [2_000, 3_000];

export class Auth {
  readonly #library: Recovering<AuthLibrary>;
  readonly #limit: AttemptLimit;
  readonly #mutex = new Mutex();
  /** Tokens whose refresh was cut off. */
  readonly #cutOff = new Set<string>();

  private constructor(readonly options: AuthOptions) {
    // Passwords here protect nothing; hashing them as slowly as in production would only slow the tests.
    if (!Deno.env.has("LITE_AUTH_BCRYPT_COST")) Deno.env.set("LITE_AUTH_BCRYPT_COST", "4");
    this.#limit = new AttemptLimit(options.rate);
    this.#library = new Recovering({
      open: (onLost) => connectLibrary(options, onLost),
      size: AUTH_SIZE,
      waitTimeoutMs: WAIT_TIMEOUT_MS,
      runTimeoutMs: RUN_TIMEOUT_MS,
      log: options.log,
    });
  }

  static async start(options: AuthOptions): Promise<Auth> {
    const auth = new Auth(options);
    await auth.#library.ready();
    return auth;
  }

  async handle(request: Request, url: URL, client: string): Promise<Response> {
    const path = url.pathname.slice(PREFIX.length);
    if (request.method === "OPTIONS") return preflight(request);
    if (path === "/.well-known/jwks.json" && /^(GET|HEAD)$/.test(request.method)) return publicKeys();
    try {
      const body = /^(GET|HEAD)$/.test(request.method) ? undefined : await readBody(request, BODY_LIMIT);
      const key = mutexKey(path, fieldsOf(body, path.startsWith("/admin/") ? [] : TEXTS));
      const run = () => this.#run(request, body, url, path, client);
      return key === undefined ? await run() : await this.#mutex.run(key, run);
    } catch (error) {
      return this.#refused(request, url, error);
    }
  }

  async stop(): Promise<void> {
    await this.#library.close();
  }

  async #run(
    request: Request,
    body: Uint8Array | undefined,
    url: URL,
    path: string,
    client: string,
  ): Promise<Response> {
    const { method, headers } = request;
    const { refresh_token: token } = fieldsOf(body, []);
    try {
      return await this.#library.run(async (library) => {
        if (typeof token === "string" && this.#cutOff.has(token)) {
          await undoHalfRefresh(library.sql, token);
          this.#cutOff.delete(token);
        }
        const inner = new Request(request.url, {
          method,
          headers,
          ...(body === undefined ? {} : { body: buffer(body) }),
        });
        return await this.#answer(library, inner, url, path, client);
      });
    } catch (error) {
      if (error instanceof Unavailable && typeof token === "string") this.#cutOff.add(token);
      throw error;
    }
  }

  #refused(request: Request, url: URL, error: unknown): Response {
    if (error instanceof AuthRefusal) return authError(request, error);
    if (error instanceof BodyError) {
      const code = error.status === 413 ? "request_too_large" : "request_timeout";
      return authError(request, { status: error.status, code, message: error.message });
    }
    if (error instanceof Unavailable) {
      const headers = { "retry-after": "1" };
      return authError(request, { status: 503, code: "unexpected_failure", message: error.message, headers });
    }
    if (!(error instanceof postgres.PostgresError)) throw error;
    // A trigger on auth.users refused, say: the auth server says no more than this to its clients.
    this.options.log(`${request.method} ${url.pathname}: ${error.code} ${error.message}`);
    return authError(request, { status: 500, code: "unexpected_failure", message: "Database error saving user" });
  }

  async #answer(
    { app, sql, users: admin }: AuthLibrary,
    request: Request,
    url: URL,
    path: string,
    client: string,
  ): Promise<Response> {
    let headers = request.headers;
    if (!OPEN.test(path)) {
      const entry = knock(request, url);
      if ("refused" in entry) return entry.refused;
      headers = new Headers(request.headers);
      headers.set("authorization", forLibrary(entry.authorization));
    }
    const grant = path === "/token" ? url.searchParams.get("grant_type") : null;
    const attempt = request.method === "POST" && (ATTEMPTS.has(path) || grant === "password");
    if (attempt && !this.#limit.allow(client)) {
      throw new AuthRefusal(429, "over_request_rate_limit", "Request rate limit reached");
    }
    const users = path.match(/^\/admin\/users(?:\/([^/]*))?\/?$/);
    if (users !== null) {
      requireService(headers);
      return await admin.handle(request, url, users[1] ?? "");
    }

    let body = request.body === null ? undefined : await request.bytes();
    const fields = fieldsOf(body);
    if (OF_A_USER.has(path)) await refuseBannedUser(sql, headers.get("authorization")?.split(" ")[1]);
    if (path === "/verify") {
      const code = body === undefined ? { token_hash: url.searchParams.get("token") } : fields;
      await refuseBannedCode(sql, code);
      // The library has one name for what a client may call either.
      if (fields["type"] === "email") {
        body = new TextEncoder().encode(JSON.stringify({ ...fields, type: "magiclink" }));
      }
    }
    const pass = async () => {
      const inner = new Request(request.url, {
        method: request.method,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      return await this.#finish(request, await app.fetch(inner), grant ?? "otp");
    };
    if (grant === "password") await refuseBannedEmail(sql, fields["email"]);
    if (grant !== "refresh_token") return await pass();
    await refuseBannedSession(sql, fields["refresh_token"]);
    return await pass();
  }

  async #finish(request: Request, answer: Response, method: string): Promise<Response> {
    if (!answer.headers.get("content-type")?.includes("json")) {
      const headers = new Headers(answer.headers);
      headers.set("access-control-allow-origin", "*");
      return new Response(answer.body, { status: answer.status, headers });
    }
    const body = await answer.json();
    if (!answer.ok) {
      const { error_code: code = "unexpected_failure", msg = "Internal server error", code: _, error: __, ...rest } =
        body;
      const { error_description: ___, ...details } = rest;
      return authError(request, { status: answer.status, code, message: msg, details });
    }
    const headers = new Headers(answer.headers);
    headers.delete("content-length");
    headers.set("access-control-allow-origin", "*");
    const amr = method === "refresh_token" ? "password" : method;
    const { origin, algorithm } = this.options;
    const full = "access_token" in body ? completeSession(body, `${origin}${PREFIX}`, amr, algorithm) : body;
    return Response.json(full, { status: answer.status, headers });
  }
}

function publicKeys(): Response {
  return Response.json({ keys: [PUBLIC_JWK] }, {
    headers: { "cache-control": "public, max-age=600", "access-control-allow-origin": "*" },
  });
}

function requireService(headers: Headers): void {
  const token = headers.get("authorization")?.match(/^Bearer\s+(\S+)$/i)?.[1];
  if (token === undefined) {
    throw new AuthRefusal(401, "no_authorization", "This endpoint requires a valid Bearer token");
  }
  const verdict = verify(token);
  if ("problem" in verdict) {
    throw new AuthRefusal(
      403,
      "bad_jwt",
      `invalid JWT: unable to parse or verify signature, token is ${verdict.problem}`,
    );
  }
  if (verdict.claims["role"] !== "service_role") throw new AuthRefusal(403, "not_admin", "User not allowed");
}

/**
 * What must not run at the same time: two refreshes with the same token would both rotate it, and two sign-ups with one
 * address would both find it free.
 */
function mutexKey(path: string, { refresh_token, email, phone }: Record<string, unknown>): string | undefined {
  if (typeof refresh_token === "string") return `token ${refresh_token}`;
  if (!/^\/(signup|otp|magiclink|invite|user|admin\/.*)$/.test(path)) return undefined;
  if (typeof email === "string") return `email ${email.toLowerCase()}`;
  return typeof phone === "string" ? `phone ${phone}` : undefined;
}

function buffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes as Uint8Array<ArrayBuffer>;
}

/** The fields of a JSON body; none for a body that is no JSON, which the auth server refuses in its own words. */
function fieldsOf(body: Uint8Array | undefined, texts: readonly string[] = TEXTS): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(body));
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw badJson("the body is not an object");
  const fields = value as Record<string, unknown>;
  const odd = texts.find((name) => typeof (fields[name] ?? "") !== "string");
  if (odd !== undefined) throw badJson(`${odd} is not a string`);
  return fields;
}

function badJson(reason: string): AuthRefusal {
  return new AuthRefusal(400, "bad_json", `Could not parse request body as JSON: ${reason}`);
}
