/** What is known about a request while it is being answered, and what is said about it at the end. */
import type { Caller } from "../auth/token.ts";
import type { CallTrace } from "../db/client.ts";
import { ApiError, isOutcomeUnknown, outcomeUnknown } from "../errors.ts";
import { allowAnyOrigin } from "./cors.ts";
import { describe, type LogLine } from "./log.ts";
import { type RateLimit, rateLimitHeaders } from "./rate_limit.ts";
import { readAfterHeader } from "./read_after.ts";
import { errorCodesOf, type Route } from "./route.ts";
import { readTrace, type Trace, traceHeaders } from "./trace.ts";

export interface RequestContext {
  readonly id: string;
  readonly trace: Trace;
  /** The id that the client brought, for its own logs; null where it brought none that can be logged. */
  readonly clientId: string | null;
  readonly method: string;
  readonly started: number;
  dbMs: number;
  /** Calls of the database that may have changed something, and were carried out. */
  effects: number;
  route?: Route;
  caller?: Caller | null;
  /** The last count of the request. */
  rateLimit?: RateLimit;
  error?: ApiError;
  /** The client has gone before it was answered. */
  clientLeft?: boolean;
}

/** What proxies and web servers log for a client that has gone before it was answered. */
export const CLIENT_LEFT_STATUS = 499;

/**
 * The id is always of our own: answers are kept by shared caches, and an id that a client chose could be in the log many
 * times.
 */
export function createContext(request: Request): RequestContext {
  const context: RequestContext = {
    id: crypto.randomUUID(),
    trace: readTrace(request.headers),
    clientId: printable(request.headers.get("x-request-id")),
    method: request.method,
    started: performance.now(),
    dbMs: 0,
    effects: 0,
  };
  request.signal.addEventListener("abort", () => context.clientLeft = true);
  return context;
}

function printable(id: string | null): string | null {
  return id !== null && /^[\x21-\x7e]{1,128}$/.test(id) ? id : null;
}

/** What the calls of the database have from their request, and report to it. */
export function traceOf(context: RequestContext): CallTrace {
  return {
    headers: { "X-Request-Id": context.id, ...traceHeaders(context.trace) },
    onCall: (name, ms, isDone) => {
      context.dbMs += ms;
      if (isDone && !PREPARING.test(name)) context.effects++;
    },
  };
}

/**
 * Counts a request, reads, checks an upload, records what a store said or prepares an invitation: a request that got no
 * further has not been carried out.
 */
const PREPARING = new RegExp(`^(${
  [
    "take_\\w+",
    "check_administrator",
    "check_purchaser",
    "read_counted",
    "pending_asset",
    "place_asset",
    "record_store_statement",
    "record_acknowledgement",
    "admin_read_known_subscription",
    "admin_invite_admin",
    "admin_claim_invitation",
  ].join("|")
})$`);

/**
 * The error as the client gets it: a request that got 503 must not have been carried out, not in part either. A
 * request that only reads may be sent again whatever became of it.
 */
export function withKnownOutcome(error: ApiError, { method, effects }: RequestContext): ApiError {
  const isRead = method === "GET" || method === "HEAD";
  if (isRead && isOutcomeUnknown(error)) return new ApiError("service_unavailable", { cause: error });
  if (!isRead && effects > 0 && error.code === "service_unavailable") return outcomeUnknown(error);
  return error;
}

/** The headers that every response carries. */
export function setResponseHeaders(headers: Headers, context: RequestContext): void {
  allowAnyOrigin(headers);
  headers.set("X-Request-Id", context.id);
  headers.set("X-Content-Type-Options", "nosniff");
  for (const [name, value] of rateLimitHeaders(context.rateLimit)) headers.set(name, value);
  for (const [name, value] of readAfterHeader(context.route, context.caller)) headers.set(name, value);
  headers.set("Server-Timing", `db;dur=${context.dbMs.toFixed(1)}, total;dur=${sinceStart(context).toFixed(1)}`);
}

/** `answered`: the status of the response, which a client that has gone never gets. What failed on our side stays. */
export function logLine(context: RequestContext, answered: number, slowMs: number): LogLine {
  const { error, route, caller, clientId } = context;
  const status = context.clientLeft && answered < 500 ? CLIENT_LEFT_STATUS : answered;
  const cause = causeOf(context, status);
  const ms = rounded(sinceStart(context));
  const isSlow = ms >= slowMs;
  return {
    level: cause !== undefined ? "error" : isSlow ? "warn" : "info",
    time: new Date().toISOString(),
    request_id: context.id,
    trace_id: context.trace.traceId,
    ...(clientId === null ? {} : { client_request_id: clientId }),
    method: context.method,
    route: route?.path ?? null,
    status,
    ms,
    db_ms: rounded(context.dbMs),
    ...(isSlow ? { slow: true } : {}),
    user_id: caller?.id ?? null,
    code: error?.code ?? null,
    ...(error?.code === "iap_invalid" && error.cause instanceof Error ? { reason: error.cause.message } : {}),
    ...(cause === undefined ? {} : { cause }),
  };
}

/** What is ours to look into: failures, and codes that the contract does not announce. */
function causeOf({ error, route }: RequestContext, status: number): string | undefined {
  if (!error) return undefined;
  if (status >= 500) return describe(error.cause ?? error);
  const unannounced = route && !errorCodesOf(route).includes(error.code);
  return unannounced ? `${error.code} is not among the refusals of ${route.method} ${route.path}` : undefined;
}

function sinceStart({ started }: RequestContext): number {
  return performance.now() - started;
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
