// /auth/v1: the library's auth server, and in front of it what it lacks and a hosted project has: the users'
// administration, the limit on attempts, bans, the full access token, and the error shape by API version.
import { App } from "@supabase/lite";
import { createPostgresConnection } from "@supabase/lite/postgres";
import postgres, { type Sql } from "postgres";
import { patient } from "../database/connection.ts";
import type { Config } from "../config.ts";
import { textualJson } from "../database/json.ts";
import { preflight } from "../gateway/cors.ts";
import { knock } from "../gateway/keys.ts";
import { PUBLIC_JWK } from "../gateway/signing_key.ts";
import { verify } from "../gateway/tokens.ts";
import { JWT_SECRET, type JwtAlgorithm } from "../settings.ts";
import { AdminUsers } from "./admin.ts";
import { authError, AuthRefusal } from "./errors.ts";
import { AttemptLimit } from "./limits.ts";
import {
  completeSession,
  forLibrary,
  refuseBannedCode,
  refuseBannedEmail,
  refuseBannedSession,
  refuseBannedUser,
  Turnstile,
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

export class Auth {
  readonly #connection;
  readonly #app;
  readonly #sql: Sql;
  readonly #users: AdminUsers;
  readonly #limit: AttemptLimit;
  readonly #refreshes = new Turnstile();

  private constructor(readonly options: AuthOptions) {
    const { admin, config, origin, rate } = options;
    // Passwords here protect nothing; hashing them as slowly as in production would only slow the tests.
    if (!Deno.env.has("LITE_AUTH_BCRYPT_COST")) Deno.env.set("LITE_AUTH_BCRYPT_COST", "4");
    this.#connection = createPostgresConnection({
      url: admin,
      postgresOptions: { max: 5, ...patient, types: textualJson },
    });
    Object.assign(this.#connection, { rlsState: "inactive" });
    this.#sql = postgres(admin, { max: 5, ...patient });
    this.#users = new AdminUsers(this.#sql, config.minimumPasswordLength);
    this.#limit = new AttemptLimit(rate);
    this.#app = new App({
      connection: this.#connection,
      auth: {
        enabled: true,
        jwt_secret: JWT_SECRET,
        jwt_expiry: config.jwtExpiry,
        site_url: origin,
        minimum_password_length: config.minimumPasswordLength,
        enable_refresh_token_rotation: true,
        refresh_token_reuse_interval: config.refreshTokenReuseInterval,
        email: { enable_signup: true, enable_confirmations: false },
      },
      options: { server: { disableStudio: true, apiKeys: false } },
    });
  }

  static async start(options: AuthOptions): Promise<Auth> {
    const auth = new Auth(options);
    await auth.#app.init();
    return auth;
  }

  async handle(request: Request, url: URL, client: string): Promise<Response> {
    const path = url.pathname.slice(PREFIX.length);
    if (request.method === "OPTIONS") return preflight(request);
    try {
      return await this.#answer(request, url, path, client);
    } catch (error) {
      if (error instanceof AuthRefusal) return authError(request, error);
      if (!(error instanceof postgres.PostgresError)) throw error;
      // A trigger on auth.users refused, say: the auth server says no more than this to its clients.
      this.options.log(`${request.method} ${url.pathname}: ${error.code} ${error.message}`);
      return authError(request, { status: 500, code: "unexpected_failure", message: "Database error saving user" });
    }
  }

  async stop(): Promise<void> {
    await this.#connection.driver.end({ timeout: 1 });
    await this.#sql.end({ timeout: 1 });
  }

  async #answer(request: Request, url: URL, path: string, client: string): Promise<Response> {
    if (path === "/.well-known/jwks.json" && /^(GET|HEAD)$/.test(request.method)) return publicKeys();
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
      return await this.#users.handle(request, url, users[1] ?? "");
    }

    let body = request.method === "GET" || request.method === "HEAD" ? undefined : await limited(request);
    const fields = fieldsOf(body);
    if (OF_A_USER.has(path)) await refuseBannedUser(this.#sql, headers.get("authorization")?.split(" ")[1]);
    if (path === "/verify") {
      const code = body === undefined ? { token_hash: url.searchParams.get("token") } : fields;
      await refuseBannedCode(this.#sql, code);
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
      return await this.#finish(request, await this.#app.fetch(inner), grant ?? "otp");
    };
    if (grant === "password") await refuseBannedEmail(this.#sql, fields["email"]);
    if (grant !== "refresh_token") return await pass();
    return await this.#refreshes.pass(async () => {
      await refuseBannedSession(this.#sql, fields["refresh_token"]);
      return await pass();
    });
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

async function limited(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const body = await request.bytes();
  if (body.byteLength > BODY_LIMIT) throw new AuthRefusal(413, "request_too_large", "Request body too large");
  return body;
}

/** The fields of a JSON body; none for a body that is no JSON, which the auth server refuses in its own words. */
function fieldsOf(body: Uint8Array | undefined): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(body));
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw badJson("the body is not an object");
  const fields = value as Record<string, unknown>;
  const odd = TEXTS.find((name) => typeof (fields[name] ?? "") !== "string");
  if (odd !== undefined) throw badJson(`${odd} is not a string`);
  return fields;
}

function badJson(reason: string): AuthRefusal {
  return new AuthRefusal(400, "bad_json", `Could not parse request body as JSON: ${reason}`);
}
