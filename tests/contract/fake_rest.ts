// A Data API with scripted responses, which records its requests.
import type { AnyDatabase } from "../../supabase/functions/_shared/db/client.ts";
import type { Config } from "../../supabase/functions/_shared/config.ts";
import { DEFAULT_LOG } from "../../supabase/functions/_shared/http/log.ts";
import { readProviderSettings } from "../../supabase/functions/_shared/provider_settings.ts";

/** The database of a handler, for functions that only these tests know. */
export const anyDatabase = (database: unknown) => database as AnyDatabase;

export const SECRET = "a-secret-for-tests-of-at-least-32-characters";
export const PUBLISHABLE_KEY = "sb_publishable_for_tests";
export const ANON_KEY = "anon.key.for-tests";
export const SECRET_KEY = "sb_secret_for_tests";
export const SERVICE_ROLE_KEY = "service.role.for-tests";

export interface RecordedCall {
  readonly name: string;
  /** Of a GET as the texts that they were sent as. */
  readonly args: Record<string, unknown>;
  readonly headers: Headers;
}

export interface FakeRest extends AsyncDisposable {
  readonly calls: RecordedCall[];
  readonly config: Config;
}

/** The count of a client who has hardly sent anything. */
export const RATE_LIMIT = {
  allowed: true,
  policy: "write",
  quota: 120,
  window_seconds: 60,
  remaining: 119,
  reset_seconds: 60,
};

/** What the database replies beyond a quota. */
export function overQuota(rate_limit: typeof RATE_LIMIT): Response {
  const details = JSON.stringify({ details: { policy: rate_limit.policy, retry_after: rate_limit.reset_seconds } });
  return Response.json({
    code: "rate_limited",
    message: "Too many requests. Retry after details.retry_after seconds.",
    details,
    hint: null,
    rate_limit,
  }, {
    status: 429,
  });
}

/**
 * Every count is RATE_LIMIT, unless `limits` answers for it. `calls` holds the functions that were called, commands by
 * their own names; `answer` replies for them. Calls with an idempotency key appear as `run_command`, with all arguments.
 */
export function fakeRest(
  answer: (call: RecordedCall, nth: number) => Response | Promise<Response>,
  limits: (call: RecordedCall) => typeof RATE_LIMIT | null = () => RATE_LIMIT,
): FakeRest {
  const calls: RecordedCall[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const url = new URL(request.url);
    const name = url.pathname.replace("/rest/v1/rpc/", "");
    const args = request.method === "GET" ? Object.fromEntries(url.searchParams) : await request.json();
    const one = { name, args, headers: request.headers };
    const isCount = name === "take_request" || name === "take_anonymous_request";
    if (!isCount && name !== "run_command") {
      calls.push(one);
      return await answer(one, calls.length);
    }
    const rateLimit = limits(one);
    if (rateLimit?.allowed === false) return overQuota(rateLimit);
    if (isCount) return Response.json(rateLimit);
    const isKeyed = "p_key" in one.args;
    const inner = isKeyed
      ? one
      : { ...one, name: String(one.args["p_command"]), args: Object(one.args["p_arguments"]) };
    calls.push(inner);
    const reply = await answer(inner, calls.length);
    const body = reply.status === 204 ? null : await reply.json();
    if (!reply.ok) return Response.json({ ...body, rate_limit: rateLimit }, { status: reply.status });
    return Response.json({ ...(isKeyed ? body : { replayed: false, reply: body }), rate_limit: rateLimit });
  });
  return {
    calls,
    config: configFor(`http://127.0.0.1:${server.addr.port}`),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** The calls of no request. */
export const TRACE = { headers: { "X-Request-Id": "00000000-0000-4000-8000-000000000000" }, onCall: () => {} };

export function configFor(gatewayUrl: string): Config {
  return {
    gatewayUrl,
    readsUrl: gatewayUrl,
    baseUrl: "https://api.test/functions",
    cdnUrl: "https://cdn.test",
    tokens: {
      algorithms: ["HS256"],
      secret: new TextEncoder().encode(SECRET),
      jwksUrl: `${gatewayUrl}/auth/v1/.well-known/jwks.json`,
      issuer: null,
    },
    log: { ...DEFAULT_LOG, successShare: 1 },
    metricsToken: null,
    tracing: null,
    anonymousKeys: [PUBLISHABLE_KEY, ANON_KEY],
    serviceKeys: [SECRET_KEY, SERVICE_ROLE_KEY],
    storage: null,
    consoleUrl: null,
    apps: { appleAppIds: [], linkPaths: [], android: null },
    providers: readProviderSettings(() => undefined),
  };
}

/** An error as the Data API words it. */
export function databaseError(status: number, code: string, message = "", details: string | null = null): Response {
  return Response.json({ code, message, details, hint: null }, { status });
}
