/** What is known about a request while it is being answered, and what is said about it at the end. */
import type { Caller } from "../auth/token.ts";
import type { Refusal } from "../errors.ts";
import { allowAnyOrigin } from "./cors.ts";
import { describe, type LogLine } from "./log.ts";
import { type RateLimit, rateLimitHeaders } from "./rate_limit.ts";
import { refusalsOf, type Route } from "./route.ts";

export interface Exchange {
  readonly id: string;
  readonly method: string;
  readonly started: number;
  dbMs: number;
  route?: Route;
  caller?: Caller | null;
  /** The last count of the request. */
  rateLimit?: RateLimit;
  refusal?: Refusal;
}

export function begin(request: Request): Exchange {
  return { id: requestId(request.headers), method: request.method, started: performance.now(), dbMs: 0 };
}

/** A client may bring an id of its own, to find the request in its logs and in ours. */
function requestId(headers: Headers): string {
  const given = headers.get("x-request-id");
  return given !== null && /^[A-Za-z0-9_-]{8,64}$/.test(given) ? given : crypto.randomUUID();
}

/** The headers that every response carries. */
export function sign(headers: Headers, exchange: Exchange): void {
  allowAnyOrigin(headers);
  headers.set("X-Request-Id", exchange.id);
  headers.set("X-Content-Type-Options", "nosniff");
  for (const [name, value] of rateLimitHeaders(exchange.rateLimit)) headers.set(name, value);
  headers.set("Server-Timing", `db;dur=${exchange.dbMs.toFixed(1)}, total;dur=${sinceStart(exchange).toFixed(1)}`);
}

export function logLine(exchange: Exchange, status: number): LogLine {
  const { refusal, route, caller } = exchange;
  const cause = causeOf(exchange, status);
  return {
    level: cause === undefined ? "info" : "error",
    time: new Date().toISOString(),
    request_id: exchange.id,
    method: exchange.method,
    route: route?.path ?? null,
    status,
    ms: rounded(sinceStart(exchange)),
    db_ms: rounded(exchange.dbMs),
    user_id: caller?.id ?? null,
    code: refusal?.code ?? null,
    ...(cause === undefined ? {} : { cause }),
  };
}

/** What is ours to look into: failures, and codes that the contract does not announce. */
function causeOf({ refusal, route }: Exchange, status: number): string | undefined {
  if (!refusal) return undefined;
  if (status >= 500) return describe(refusal.cause ?? refusal);
  const unannounced = route && !refusalsOf(route).includes(refusal.code);
  return unannounced ? `${refusal.code} is not among the refusals of ${route.method} ${route.path}` : undefined;
}

function sinceStart({ started }: Exchange): number {
  return performance.now() - started;
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
