// /auth/v1: sign-up, sign-in, sessions, mails and the users' administration, as the hosted auth server (GoTrue) has them.
import postgres from "postgres";
import { z } from "zod";
import type { AuthConfig } from "../config.ts";
import { Recovering, Unavailable } from "../postgres/recovering.ts";
import { BodyError, readBody } from "../gateway/body.ts";
import { ANY_ORIGIN, preflight } from "../gateway/cors.ts";
import { knock } from "../gateway/keys.ts";
import { PUBLIC_JWK } from "../gateway/signing_key.ts";
import type { JwtAlgorithm } from "../settings.ts";
import { AdminUsers } from "./admin.ts";
import { sendReauthentication } from "./codes.ts";
import { AUTH_SIZE, type AuthConnections, connect } from "./connections.ts";
import type { AuthContext } from "./context.ts";
import { AuthError, errorResponse, invalid } from "./errors.ts";
import { AttemptLimit } from "./limits.ts";
import { generateLink, invite, InviteBody, LinkBody } from "./links.ts";
import { mailPage } from "./mail_page.ts";
import type { Mailbox } from "./mailbox.ts";
import { ExchangeBody, exchangeCode } from "./pkce.ts";
import { parseBody, readCaller, requireService } from "./requests.ts";
import { type Client, endSessions, RefreshBody, refreshSession } from "./sessions.ts";
import {
  alreadyRegistered,
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
  /** The gateway's address on this machine, which access tokens name as their issuer. */
  readonly origin: string;
  /** The gateway's address for clients, which links begin with. */
  readonly publicUrl: string;
  /** Attempts a minute and address. */
  readonly rate: number;
  /** What access tokens are signed with. */
  readonly algorithm: JwtAlgorithm;
  /** Where its mails go. */
  readonly mailbox: Mailbox;
  /** Receives what clients are not told. */
  readonly log: (line: string) => void;
}

const PREFIX = "/auth/v1";
const BODY_LIMIT = 1_048_576;
/** Together what a request may take; then the response is to try again. */
const [WAIT_TIMEOUT_MS, RUN_TIMEOUT_MS] = [2_000, 3_000];
/** What an address may try only so often in a minute. */
const ATTEMPTS = new Set([
  "POST /signup",
  "POST /token password",
  "POST /otp",
  "POST /magiclink",
  "POST /recover",
  "POST /resend",
  "POST /verify",
]);
/** What a browser or a verifier opens without a key. */
const OPEN = /^\/(verify|callback|authorize|\.well-known\/.+)$/;
const UNIQUE_VIOLATION = "23505";

/** A request, with what its handler needs of it. */
interface Call {
  readonly context: AuthContext;
  readonly request: Request;
  readonly body: Uint8Array;
  readonly url: URL;
  /** `Bearer …`: the request's own token or the one that stands for its key. */
  readonly authorization: string;
  readonly client: Client;
  /** Where the client wants the link of a mail to lead. */
  readonly redirect: string | null;
}

type Handler = (call: Call) => Promise<Response | Record<string, unknown>>;

export class Auth {
  readonly #connections: Recovering<AuthConnections>;
  readonly #limit: AttemptLimit;
  readonly #mailbox: Mailbox;
  readonly #handlers: Readonly<Record<string, Handler>>;

  private constructor(readonly options: AuthOptions) {
    this.#mailbox = options.mailbox;
    this.#limit = new AttemptLimit(options.rate);
    this.#handlers = this.#routes();
    this.#connections = new Recovering({
      open: (onLost) => connect(options.admin, onLost),
      size: AUTH_SIZE,
      waitTimeoutMs: WAIT_TIMEOUT_MS,
      runTimeoutMs: RUN_TIMEOUT_MS,
      log: options.log,
    });
  }

  static async start(options: AuthOptions): Promise<Auth> {
    const auth = new Auth(options);
    await auth.#connections.ready();
    return auth;
  }

  async handle(request: Request, url: URL, address: string): Promise<Response> {
    if (request.method === "OPTIONS") return preflight(request);
    try {
      const body = await readBody(request, BODY_LIMIT);
      return await this.#answer(request, body, url, address);
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
    // Two requests with one address at the same moment.
    if (error.code === UNIQUE_VIOLATION && error.table_name === "users") return alreadyRegistered();
    // A trigger on auth.users failed, say: the auth server tells its clients no more than this.
    this.options.log(`${request.method} ${url.pathname}: ${error.code} ${error.message}`);
    return new AuthError(500, "unexpected_failure", "Database error saving user");
  }

  /** /_mail: what was sent. */
  mail(request: Request, url: URL): Response {
    return mailPage(this.#mailbox, request, url);
  }

  async stop(): Promise<void> {
    await this.#connections.close();
  }

  async #answer(request: Request, body: Uint8Array, url: URL, address: string): Promise<Response> {
    const path = url.pathname.slice(PREFIX.length).replace(/(?<=.)\/$/, "");
    let authorization = "";
    if (!OPEN.test(path)) {
      const entry = knock(request, url);
      if ("refused" in entry) return entry.refused;
      authorization = entry.authorization;
    }
    // A mail scanner that looks at a link with HEAD must not use it up.
    const method = request.method === "HEAD" && path !== "/verify" ? "GET" : request.method;
    const grant = path === "/token" ? ` ${url.searchParams.get("grant_type")}` : "";
    const handler = this.#handlers[`${method} ${path}${grant}`] ?? this.#adminHandler(path);
    if (handler === undefined) throw unknownPath(method, path);
    const attempt = `${method} ${path}${grant}`;
    if (ATTEMPTS.has(attempt) && !this.#limit.allow(address)) {
      throw new AuthError(429, "over_request_rate_limit", "Request rate limit reached");
    }
    const client = { address, userAgent: request.headers.get("user-agent") };
    const redirect = url.searchParams.get("redirect_to") ?? request.headers.get("redirect_to");
    const result = await this.#connections.run(({ sql }) =>
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
      requireService(call.authorization);
      return await handler(call);
    };
    const otp = withBody(OtpBody, (body, { context, redirect }) => sendOtp(context, body, redirect));
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
      "POST /otp": otp,
      "POST /magiclink": otp,
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
      "POST /admin/generate_link": forService(
        withBody(LinkBody, (body, { context, redirect }) => generateLink(context, body, redirect)),
      ),
      "GET /settings": () => Promise.resolve(this.#settings()),
      "GET /health": () =>
        Promise.resolve({ version: "local", name: "GoTrue", description: "The local platform's auth server" }),
      "GET /.well-known/jwks.json": () => Promise.resolve(publicKeys()),
    };
  }

  #adminHandler(path: string): Handler | undefined {
    const [, id = "", factors] = path.match(/^\/admin\/users(?:\/([^/]+)(\/factors)?)?$/) ?? [null, undefined];
    if (!/^\/admin\/users(\/|$)/.test(path)) return undefined;
    return async ({ context, request, body, url, authorization }) => {
      requireService(authorization);
      if (factors !== undefined && request.method === "GET") return Response.json([]);
      return await new AdminUsers(context).handle(request.method, body, url, id);
    };
  }

  #settings(): Record<string, unknown> {
    const { config } = this.options;
    return {
      external: { email: true, phone: false, anonymous_users: false },
      disable_signup: !config.signUpEnabled,
      mailer_autoconfirm: !config.confirmations,
      phone_autoconfirm: false,
      sms_provider: "",
      saml_enabled: false,
    };
  }
}

/** What a hosted project answers for what this project has not switched on. */
function unknownPath(method: string, path: string): AuthError {
  if (path === "/token") return invalid("unsupported_grant_type");
  if (path === "/authorize" || path === "/callback") return invalid("Unsupported provider: provider is not enabled");
  if (path === "/sso") return new AuthError(404, "saml_provider_disabled", "SAML 2.0 is disabled");
  if (path.startsWith("/factors")) {
    return new AuthError(422, "mfa_totp_enroll_not_enabled", "MFA enroll is disabled for TOTP");
  }
  if (path.startsWith("/user/identities")) {
    return new AuthError(404, "manual_linking_disabled", "Manual linking is disabled");
  }
  if (path.startsWith("/admin/oauth") || path.startsWith("/oauth")) {
    return new AuthError(404, "feature_disabled", "The OAuth server is not enabled");
  }
  return new AuthError(404, "not_found", `${method} ${path}: no such path`);
}

function publicKeys(): Response {
  return Response.json({ keys: [PUBLIC_JWK] }, { headers: { "cache-control": "public, max-age=600" } });
}
