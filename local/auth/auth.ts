// /auth/v1: sign-up, sign-in, sessions, mails and the administration of users, compatible with the hosted server (GoTrue).
import postgres from "postgres";
import { z } from "zod";
import type { AuthConfig } from "../config.ts";
import { BodyError, readBody } from "../gateway/body.ts";
import { ANY_ORIGIN, preflight } from "../gateway/cors.ts";
import { authenticateApiKey } from "../gateway/keys.ts";
import { PUBLIC_JWK } from "../gateway/tokens.ts";
import type { JwtAlgorithm } from "../settings.ts";
import { administerFactors, administerUsers, generateLinkForUser, LinkParams } from "./admin.ts";
import { sendReauthentication } from "./codes.ts";
import type { AuthContext, Call } from "./context.ts";
import { AuthDatabase, Unavailable } from "./database.ts";
import { AuthError, errorResponse, invalid } from "./errors.ts";
import { handleFactors } from "./factors.ts";
import { AttemptLimit } from "./limits.ts";
import { mailPage } from "./mail_page.ts";
import type { Mailbox } from "./mailbox.ts";
import { ExchangeBody, exchangeCode } from "./pkce.ts";
import { parseBody, readCaller, requireService } from "./requests.ts";
import { RefreshBody, refreshSession, signOut } from "./sessions.ts";
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
  "POST /factors",
]);
/** Paths that need no key: links of mails, and the published keys. */
const OPEN = /^\/(verify|callback|authorize|\.well-known\/.+)$/;
const UNIQUE_VIOLATION = "23505";

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
    // Text that the database cannot store (NUL, half a character), or JSON that is nested too deeply.
    if (/^(22|54)/.test(error.code)) return invalid("A value of the request cannot be stored");
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
    const route = `${method} ${path.startsWith("/factors") ? "/factors" : path}${grant}`;
    const handler = this.#handlers[route] ?? handlerOfId(path);
    if (handler === undefined) throw unknownRoute(route);
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
    return {
      "POST /signup": withBody(SignUpBody, signUp),
      "POST /token password": withBody(PasswordBody, signInWithPassword),
      "POST /token refresh_token": withBody(RefreshBody, refreshSession),
      "POST /token pkce": withBody(ExchangeBody, exchangeCode),
      "POST /otp": withBody(OtpBody, sendOtp),
      "POST /recover": withBody(RecoverBody, sendRecovery),
      "POST /resend": withBody(ResendBody, resend),
      "POST /verify": withBody(VerifyBody, verifyCode),
      "GET /verify": followLink,
      "POST /logout": signOut,
      "GET /user": async ({ context, authorization }) =>
        await readUserJson(context.sql, (await readCaller(context, authorization)).user.id),
      "PUT /user": withBody(UserBody, updateUser),
      "GET /reauthenticate": async ({ context, authorization }) => {
        const { user } = await readCaller(context, authorization);
        if (!user.email) throw invalid("Reauthentication requires an email or a phone number");
        await sendReauthentication(context, context.sql, user);
        return {};
      },
      "POST /invite": async (call) => {
        await requireService(call.authorization);
        return await withBody(InviteBody, invite)(call);
      },
      "POST /admin/generate_link": async (call) => {
        await requireService(call.authorization);
        return await withBody(LinkParams, generateLinkForUser)(call);
      },
      "GET /.well-known/jwks.json": () => Promise.resolve(publicKeys()),
    };
  }
}

/** The handler of a path that has an id. */
function handlerOfId(path: string): Handler | undefined {
  const [, isAdmin, id = "", action = "", factor = ""] =
    path.match(/^\/(?:(admin\/users)|factors)(?:\/([^/]*))?(?:\/([^/]*))?(?:\/([^/]*))?$/) ?? [];
  if (isAdmin === undefined) return path.startsWith("/factors") ? (call) => handleFactors(call, id, action) : undefined;
  if (action === "factors") return (call) => administerFactors(call, id, factor);
  return action === "" ? (call) => administerUsers(call, id) : undefined;
}

/** The errors of a hosted project for features that this project has not enabled. */
const NOT_ENABLED: readonly [route: RegExp, error: AuthError][] = [
  [/^POST \/token web3$/, new AuthError(422, "web3_provider_disabled", "Web3 provider is disabled")],
  [/^POST \/token id_token$/, new AuthError(400, "provider_disabled", "Provider is not enabled")],
  [/^\w+ \/token /, invalid("unsupported_grant_type")],
  [/ \/(authorize|callback)$/, invalid("Unsupported provider: provider is not enabled")],
  [/ \/sso$/, new AuthError(404, "saml_provider_disabled", "SAML 2.0 is disabled")],
  [/ \/user\/identities/, new AuthError(404, "manual_linking_disabled", "Manual linking is disabled")],
  [/ (\/admin)?\/oauth/, new AuthError(404, "feature_disabled", "The OAuth server is not enabled")],
];

function unknownRoute(route: string): AuthError {
  const known = NOT_ENABLED.find(([pattern]) => pattern.test(route));
  return known?.[1] ?? new AuthError(404, "not_found", `The local auth server does not support ${route}.`);
}

function publicKeys(): Response {
  return Response.json({ keys: [PUBLIC_JWK] }, { headers: { "cache-control": "public, max-age=600" } });
}
