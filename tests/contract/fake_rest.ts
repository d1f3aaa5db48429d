// A Data API that answers as it is told, and remembers what it was asked.
import type { Config } from "../../supabase/functions/_shared/config.ts";

export const SECRET = "a-secret-for-tests-of-at-least-32-characters";
export const PUBLISHABLE_KEY = "sb_publishable_for_tests";
export const ANON_KEY = "anon.key.for-tests";
export const SECRET_KEY = "sb_secret_for_tests";
export const SERVICE_ROLE_KEY = "service.role.for-tests";

export interface Asked {
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly headers: Headers;
}

export interface FakeRest extends AsyncDisposable {
  readonly asked: Asked[];
  readonly config: Config;
}

/** What the limiter replies to a caller who has hardly asked for anything. */
export const TAKEN = {
  allowed: true,
  policy: "write",
  quota: 120,
  window_seconds: 60,
  remaining: 119,
  reset_seconds: 60,
};

/** The limiter lets everybody through and is not remembered, unless `limits` answers for it. */
export function fakeRest(
  answer: (asked: Asked, nth: number) => Response | Promise<Response>,
  limits: (asked: Asked) => Response = () => Response.json(TAKEN),
): FakeRest {
  const asked: Asked[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const name = new URL(request.url).pathname.replace("/rest/v1/rpc/", "");
    const one = { name, args: await request.json(), headers: request.headers };
    if (name.startsWith("take_")) return limits(one);
    if (name !== "counted") {
      asked.push(one);
      return await answer(one, asked.length);
    }
    const taken = await limits(one).json();
    if (!taken?.allowed) return Response.json({ taken });
    const inner = counted(one);
    asked.push(inner);
    const reply = await answer(inner, asked.length);
    return reply.ok ? Response.json({ taken, reply: reply.status === 204 ? null : await reply.json() }) : reply;
  });
  return {
    asked,
    config: configFor(`http://127.0.0.1:${server.addr.port}`),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** The call that is counted with its request. */
function counted({ args: { p_policy: _, p_function, p_arguments, ...key }, headers }: Asked): Asked {
  const call = { p_function, p_arguments };
  return "p_key" in key
    ? { name: "once", args: { ...key, ...call }, headers }
    : { name: String(p_function), args: Object(p_arguments), headers };
}

export function configFor(gatewayUrl: string): Config {
  return {
    gatewayUrl,
    baseUrl: "https://api.test/functions",
    cdnUrl: "https://cdn.test",
    tokens: {
      algorithms: ["HS256"],
      secret: new TextEncoder().encode(SECRET),
      jwksUrl: `${gatewayUrl}/auth/v1/.well-known/jwks.json`,
      issuer: null,
    },
    addressHashKey: { secret: new TextEncoder().encode(SECRET), isDerived: true },
    visitorKeys: [PUBLISHABLE_KEY, ANON_KEY],
    serviceKeys: [SECRET_KEY, SERVICE_ROLE_KEY],
    storage: null,
    apps: { appleAppIds: [], linkPaths: [], android: null },
  };
}

/** An error as the Data API words it. */
export function databaseError(status: number, code: string, message = "", details: string | null = null): Response {
  return Response.json({ code, message, details, hint: null }, { status });
}
