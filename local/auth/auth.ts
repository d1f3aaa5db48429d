// /auth/v1: sign-up, sign-in, sessions, mails and the administration of users, compatible with the hosted server (GoTrue).
import postgres from "postgres";
import { z } from "zod";
import type { AuthConfig } from "../config.ts";
import { BodyError, readBody } from "../gateway/body.ts";
import { ANY_ORIGIN, preflight } from "../gateway/cors.ts";
import { authenticateApiKey } from "../gateway/keys.ts";
import { PUBLIC_JWK } from "../gateway/tokens.ts";
import type { JwtAlgorithm } from "../settings.ts";
import { administerUsers } from "./admin.ts";
import { sendReauthentication } from "./codes.ts";
import type { AuthContext } from "./context.ts";
import { AuthDatabase, Unavailable } from "./database.ts";
import { AuthError, errorResponse, invalid } from "./errors.ts";
import { AttemptLimit } from "./limits.ts";
import { mailPage } from "./mail_page.ts";
import type { Mailbox } from "./mailbox.ts";
import { ExchangeBody, exchangeCode } from "./pkce.ts";
import { parseBody, readCaller, requireService } from "./requests.ts";
import { type Client, endSessions, RefreshBody, refreshSession } from "./sessions.ts";
import {
  alreadyRegistered,
  invite,
  InviteBody,
  OtpBody,
  PasswordBody,
  RecoverBody,
  resend,
  ResendBody,
  sendOtp,
  sendRecovery,
  signInWithPassword,
  signUp,
  SignUpBody,
} from "./sign_up.ts";
import { updateUser, UserBody } from "./user.ts";
import { readUserJson } from "./users.ts";
import { followLink, VerifyBody, verifyCode } from "./verification.ts";

export interface AuthOptions {
  /** The database's address as `supabase_auth_admin`. */
  readonly admin: string;
  readonly config: AuthConfig;
  /** The gateway's address on this machine, the issuer of access tokens. */
  readonly origin: string;
  /** The gateway's address for clients, the origin of links. */
  readonly publicUrl: string;
  /** Attempts a minute and IP address. */
  readonly rate: number;
  /** The algorithm of access tokens. */
  readonly algorithm: JwtAlgorithm;
  readonly mailbox: Mailbox;
  /** Receives errors that clients do not see. */
  readonly log: (line: string) => void;
}

const PREFIX = "/auth/v1";
const BODY_LIMIT = 1_048_576;
/** Requests that are limited by IP address. */
const LIMITED = new Set([
  "POST /signup",
  "POST /token password",
  "POST /otp",
  "POST /recover",
  "POST /resend",
  "POST /verify",
]);
/** Paths that need no key: links of mails, and the published keys. */
const OPEN = /^\/(verify|callback|authorize|\.well-known\/.+)$/;
const UNIQUE_VIOLATION = "23505";

/** The arguments of a handler. */
interface Call {
  readonly context: AuthContext;
  readonly request: Request;
  readonly body: Uint8Array;
  readonly url: URL;
  /** `Bearer …`: the request's own token or that of its key. */
  readonly authorization: string;
  readonly client: Client;
  /** The requested target of the link in a mail. */
  readonly redirect: string | null;
}

type Handler = (call: Call) => Promise<Response | Record<string, unknown>>;

export class Auth {
  readonly #database: AuthDatabase;
  readonly #limit: AttemptLimit;
  readonly #mailbox: Mailbox;
  readonly #handlers: Readonly<Record<string, Handler>>;

  private constructor(readonly options: AuthOptions) {
    this.#mailbox = options.mailbox;
    this.#limit = new AttemptLimit(options.rate);
    this.#handlers = this.#routes();
    this.#database = new AuthDatabase(options.admin);
  }

  static async start(options: AuthOptions): Promise<Auth> {
    const auth = new Auth(options);
    await auth.#database.run((sql) => sql`select`);
    return auth;
  }

  async handle(request: Request, url: URL, address: string): Promise<Response> {
    if (request.method === "OPTIONS") return preflight(request);
    try {
      const body = await readBody(request, BODY_LIMIT);
      return await this.#respond(request, body, url, address);
    } catch (error) {
      return errorResponse(request, this.#asAuthError(request, url, error));
    }
  }

  #asAuthError(request: Request, url: URL, error: unknown): AuthError {
    if (error instanceof AuthError) return error;
    if (error instanceof BodyError) {
      return new AuthError(error.status, error.status === 413 ? "request_too_large" : "request_timeout", error.message);
    }
    if (error instanceof Unavailable) {
      return new AuthError(503, "unexpected_failure", error.message, {}, { "retry-after": "1" });
    }
    if (!(error instanceof postgres.PostgresError)) throw error;
    // Two concurrent requests with one address.
    if (error.code === UNIQUE_VIOLATION && error.table_name === "users") return alreadyRegistered();
    // For example, a trigger on auth.users failed. The hosted auth server returns only this message.
    this.options.log(`${request.method} ${url.pathname}: ${error.code} ${error.message}`);
    return new AuthError(500, "unexpected_failure", "Database error saving user");
  }

  /** /_mail: the sent mails. */
  mail(request: Request, url: URL): Promise<Response> {
    return mailPage(this.#mailbox, request, url);
  }

  async stop(): Promise<void> {
    await this.#database.close();
  }

  async #respond(request: Request, body: Uint8Array, url: URL, address: string): Promise<Response> {
    const path = url.pathname.slice(PREFIX.length).replace(/(?<=.)\/$/, "");
    let authorization = "";
    if (!OPEN.test(path)) {
      const entry = authenticateApiKey(request, url);
      if ("error" in entry) return entry.error;
      authorization = entry.authorization;
    }
    // A mail scanner that requests a link with HEAD must not consume it.
    const method = request.method === "HEAD" && path !== "/verify" ? "GET" : request.method;
    const grant = path === "/token" ? ` ${url.searchParams.get("grant_type")}` : "";
    const route = `${method} ${path}${grant}`;
    const handler = this.#handlers[route] ?? adminHandler(path);
    if (handler === undefined) throw unknownPath(method, path);
    if (LIMITED.has(route) && !this.#limit.allow(address)) {
      throw new AuthError(429, "over_request_rate_limit", "Request rate limit reached");
    }
    const client = { address, userAgent: request.headers.get("user-agent") };
    const redirect = url.searchParams.get("redirect_to") ?? request.headers.get("redirect_to");
    const result = await this.#database.run((sql) =>
      handler({ context: this.#context(sql), request, body, url, authorization, client, redirect })
    );
    const response = result instanceof Response ? result : Response.json(result);
    for (const [name, value] of Object.entries(ANY_ORIGIN)) response.headers.set(name, value);
    return response;
  }

  #context(sql: AuthContext["sql"]): AuthContext {
    const { config, origin, publicUrl, algorithm } = this.options;
    return { sql, config, publicUrl, issuer: `${origin}${PREFIX}`, algorithm, mailbox: this.#mailbox };
  }

  #routes(): Record<string, Handler> {
    const withBody = <Schema extends z.ZodType>(
      schema: Schema,
      handle: (body: z.output<Schema>, call: Call) => Promise<Response | Record<string, unknown>>,
    ): Handler =>
    async (call) => await handle(parseBody(call.body, schema), call);
    const forService = (handler: Handler): Handler => async (call) => {
      await requireService(call.authorization);
      return await handler(call);
    };
    return {
      "POST /signup": withBody(
        SignUpBody,
        (body, { context, redirect, client }) => signUp(context, body, redirect, client),
      ),
      "POST /token password": withBody(
        PasswordBody,
        (body, { context, client }) => signInWithPassword(context, body, client),
      ),
      "POST /token refresh_token": withBody(
        RefreshBody,
        (body, { context }) => refreshSession(context, body.refresh_token),
      ),
      "POST /token pkce": withBody(ExchangeBody, (body, { context, client }) => exchangeCode(context, body, client)),
      "POST /otp": withBody(OtpBody, (body, { context, redirect }) => sendOtp(context, body, redirect)),
      "POST /recover": withBody(RecoverBody, (body, { context, redirect }) => sendRecovery(context, body, redirect)),
      "POST /resend": withBody(ResendBody, (body, { context, redirect }) => resend(context, body, redirect)),
      "POST /verify": withBody(VerifyBody, (body, { context, client }) => verifyCode(context, body, client)),
      "GET /verify": ({ context, url, client }) => followLink(context, url, client),
      "POST /logout": async ({ context, url, authorization }) => {
        const { user, sessionId } = await readCaller(context, authorization);
        await endSessions(context.sql, user.id, sessionId, url.searchParams.get("scope") ?? "global");
        return new Response(null, { status: 204 });
      },
      "GET /user": async ({ context, authorization }) =>
        await readUserJson(context.sql, (await readCaller(context, authorization)).user.id),
      "PUT /user": withBody(
        UserBody,
        async (body, { context, authorization, redirect }) =>
          await updateUser(context, await readCaller(context, authorization), body, redirect),
      ),
      "GET /reauthenticate": async ({ context, authorization }) => {
        const { user } = await readCaller(context, authorization);
        if (!user.email) throw invalid("Reauthentication requires an email or a phone number");
        await sendReauthentication(context, context.sql, user);
        return {};
      },
      "POST /invite": forService(
        withBody(InviteBody, (body, { context, redirect }) => invite(context, body, redirect)),
      ),
      "GET /.well-known/jwks.json": () => Promise.resolve(publicKeys()),
    };
  }
}

function adminHandler(path: string): Handler | undefined {
  const id = path.match(/^\/admin\/users(?:\/([^/]*))?$/);
  if (id === null) return undefined;
  return async ({ context, request, body, url, authorization }) => {
    await requireService(authorization);
    return await administerUsers(context, request.method, body, url, id[1] ?? "");
  };
}

/** The errors of a hosted project for features that this project has not enabled. */
const NOT_ENABLED: readonly [path: RegExp, error: AuthError][] = [
  [/^\/token$/, invalid("unsupported_grant_type")],
  [/^\/(authorize|callback)$/, invalid("Unsupported provider: provider is not enabled")],
  [/^\/sso$/, new AuthError(404, "saml_provider_disabled", "SAML 2.0 is disabled")],
  [/^\/factors/, new AuthError(422, "mfa_totp_enroll_not_enabled", "MFA enroll is disabled for TOTP")],
  [/^\/user\/identities/, new AuthError(404, "manual_linking_disabled", "Manual linking is disabled")],
  [/^(\/admin)?\/oauth/, new AuthError(404, "feature_disabled", "The OAuth server is not enabled")],
];

function unknownPath(method: string, path: string): AuthError {
  const known = NOT_ENABLED.find(([pattern]) => pattern.test(path));
  return known?.[1] ?? new AuthError(404, "not_found", `The local auth server does not support ${method} ${path}.`);
}

function publicKeys(): Response {
  return Response.json({ keys: [PUBLIC_JWK] }, { headers: { "cache-control": "public, max-age=600" } });
}
