/** The state of a request, its response headers and its log line. */
import type { Caller } from "../auth/token.ts";
import type { CallTrace } from "../db/client.ts";
import { ApiError, isOutcomeUnknown, outcomeUnknown } from "../errors.ts";
import { allowAnyOrigin } from "./cors.ts";
import { deprecationHeaders } from "./deprecation.ts";
import { describe, type LogLine } from "./log.ts";
import { type RateLimit, rateLimitHeaders } from "./rate_limit.ts";
import { readAfterHeader } from "./read_after.ts";
import { errorCodesOf, type Route } from "./route.ts";
import { type CallSpan, MAX_CALLS } from "./spans.ts";
import { isSampledTrace, readTrace, type Sampler, type Trace, traceHeaders } from "./trace.ts";

export interface RequestContext {
  readonly id: string;
  readonly trace: Trace;
  /** The X-Request-Id of the client. Null if it is missing, not printable or too long. */
  readonly clientId: string | null;
  readonly method: string;
  readonly started: number;
  dbMs: number;
  /** Number of successful database calls that may have changed data. */
  effects: number;
  /** Calls of the database and of providers, for spans. Undefined if the request is not recorded. */
  readonly calls: CallSpan[] | undefined;
  route?: Route;
  caller?: Caller | null;
  /** The last count of the request. */
  rateLimit?: RateLimit;
  error?: ApiError;
  /** The client closed the connection before the response. */
  clientLeft?: boolean;
}

/** The status that proxies and web servers log if the client closed the connection before the response. */
export const CLIENT_LEFT_STATUS = 499;

/**
 * The id is always generated here. Shared caches keep responses, and an id that a client chose could be in the log many times.
 */
export function createContext(request: Request, sampler?: Sampler): RequestContext {
  const trace = readTrace(request.headers, sampler);
  const context: RequestContext = {
    id: crypto.randomUUID(),
    trace,
    clientId: printable(request.headers.get("x-request-id")),
    method: request.method,
    started: performance.now(),
    dbMs: 0,
    effects: 0,
    calls: sampler !== undefined && isSampledTrace(trace) ? [] : undefined,
  };
  request.signal.addEventListener("abort", () => context.clientLeft = true);
  return context;
}

function printable(id: string | null): string | null {
  return id !== null && /^[\x21-\x7e]{1,128}$/.test(id) ? id : null;
}

/** The service calls the functions of the console. So the assurance of the administrator's token is passed on. */
function assuranceHeader({ route, caller }: RequestContext): Record<string, string> {
  return route?.access === "admin" && caller ? { "X-Admin-Aal": caller.assurance } : {};
}

/** Headers for the database calls of a request, and the callback for their duration. */
export function traceOf(context: RequestContext): CallTrace {
  return {
    headers: { "X-Request-Id": context.id, ...assuranceHeader(context), ...traceHeaders(context.trace) },
    onCall: (name, ms, isDone) => {
      context.dbMs += ms;
      noteCall(context, { kind: "database", name, ms, isDone });
      if (isDone && !PREPARING.test(name)) context.effects++;
    },
  };
}

/** Records a call that has ended now. A consumer makes thousands of calls in one request: the first ones are recorded. */
export function noteCall({ calls }: RequestContext, call: Omit<CallSpan, "endedAt">): void {
  if (calls !== undefined && calls.length < MAX_CALLS) calls.push({ ...call, endedAt: Date.now() });
}

/**
 * Functions that count a request, read, check an upload, record a store's statement or prepare an invitation. A request that
 * only called these was not carried out.
 */
const PREPARING = new RegExp(`^(${
  [
    "take_\\w+",
    "check_administrator",
    "check_idempotency_key",
    "check_purchaser",
    "read_counted",
    "pending_asset",
    "place_asset",
    "refuse_asset",
    "record_store_statement",
    "record_acknowledgement",
    "admin_read_known_subscription",
    "admin_invite_admin",
    "admin_claim_invitation",
  ].join("|")
})$`);

/**
 * The error that the client receives. 503 promises that nothing was carried out, not even in part. A request that only reads
 * may always be retried.
 */
export function withKnownOutcome(error: ApiError, { method, effects }: RequestContext): ApiError {
  const isRead = method === "GET" || method === "HEAD";
  if (isRead && isOutcomeUnknown(error)) return new ApiError("service_unavailable", { cause: error });
  if (!isRead && effects > 0 && error.code === "service_unavailable") return outcomeUnknown(error);
  return error;
}

/** Sets the headers of every response. */
export function setResponseHeaders(headers: Headers, context: RequestContext): void {
  allowAnyOrigin(headers);
  headers.set("X-Request-Id", context.id);
  headers.set("X-Content-Type-Options", "nosniff");
  for (const [name, value] of rateLimitHeaders(context.rateLimit)) headers.set(name, value);
  for (const [name, value] of readAfterHeader(context.route, context.caller)) headers.set(name, value);
  for (const [name, value] of deprecationHeaders(context.route?.deprecated)) headers.set(name, value);
  headers.set("Server-Timing", `db;dur=${context.dbMs.toFixed(1)}, total;dur=${sinceStart(context).toFixed(1)}`);
}

/** `answered` is the status of the response. If the client closed the connection it becomes 499, except for our failures. */
export function logLine(context: RequestContext, answered: number, slowMs: number): LogLine {
  const { error, route, caller, clientId } = context;
  const status = context.clientLeft && answered < 500 ? CLIENT_LEFT_STATUS : answered;
  const cause = causeOf(context, status);
  const ms = rounded(sinceStart(context));
  const isSlow = ms >= slowMs && route?.isConsumer !== true;
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

/** The cause of failures on our side, and of error codes that the contract does not declare. */
function causeOf({ error, route }: RequestContext, status: number): string | undefined {
  if (!error) return undefined;
  if (status >= 500) return describe(error.cause ?? error);
  const unannounced = route && !errorCodesOf(route).includes(error.code);
  return unannounced ? `${error.code} is not among the errors of ${route.method} ${route.path}` : undefined;
}

function sinceStart({ started }: RequestContext): number {
  return performance.now() - started;
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
