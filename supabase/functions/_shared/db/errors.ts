/** The only translator from what the database says to what a client hears. docs/clients/errors.md lists the outcome. */
import { ApiError, type Code, isCode, outcomeUnknown } from "../errors.ts";
import type { RateLimit } from "../http/rate_limit.ts";
import { expiredToken, invalidToken } from "../auth/token.ts";

/** The error object of the Data API; what the client library makes of a failed connection has an empty code. */
export interface DatabaseError {
  readonly code?: string | null;
  readonly message?: string | null;
  readonly details?: string | null;
  /** Only in errors of api.run_command and of the functions that count requests. */
  readonly rate_limit?: RateLimit;
}

/** SQLSTATE classes and codes of Postgres, the most specific first. */
const bySqlState: readonly (readonly [RegExp, Code])[] = [
  [/^42501$/, "forbidden"],
  [/^23505$/, "conflict"],
  [/^23503$/, "not_found"],
  [/^23514$/, "validation_error"],
  [/^22/, "validation_error"],
  [/^40/, "conflict"],
  [/^(53|55P03|57014|57P03|08001|08004)/, "service_unavailable"],
];

/** Codes of the Data API itself: no connection, no free connection in time. Nothing of the request has run. */
const unreachable = /^PGRST00[023]$/;

/** The connection was lost while the request ran: what it did may have been committed before. */
const lost = /^(PGRST001|08...|57P0[12])$/;

/** The transaction lost against another one: serialization failure or deadlock. It had no effect; a retry may win. */
export function isTransient(error: DatabaseError): boolean {
  return /^40[0-9A-Z]{3}$/.test(error.code ?? "");
}

export function translate(error: DatabaseError, status: number): ApiError {
  const code = error.code ?? "";
  // The wording of Postgres may quote values: it is for the log, and without its details.
  const cause = new Error(`database answered ${status} ${code}: ${error.message ?? ""}`);
  if (isCode(code)) return fromApiError(code, error, cause);
  if (code === "PGRST301" || code === "PGRST302" || code === "PGRST303") {
    return /expired/i.test(error.message ?? "") ? expiredToken() : invalidToken();
  }
  const known = fromSqlState(code, status, `${error.message} ${error.details}`);
  return known === undefined
    ? outcomeUnknown(cause, error.rate_limit)
    : new ApiError(known, { cause, rateLimit: error.rate_limit });
}

/** Undefined where nobody knows whether the request was carried out. */
function fromSqlState(code: string, status: number, message: string): Code | undefined {
  if (unreachable.test(code)) return "service_unavailable";
  if (/^[0-9A-Z]{5}$/.test(code)) {
    const found = bySqlState.find(([pattern]) => pattern.test(code))?.[1];
    return found ?? (lost.test(code) ? undefined : "server_error");
  }
  if (lost.test(code)) return undefined;
  if (code !== "") return "server_error";
  // Not an error of the Data API: the connection failed (status 0), or something in between answered.
  if (status === 0) return neverConnected.test(message) ? "service_unavailable" : undefined;
  if (status === 429 || status === 503) return "service_unavailable";
  return status === 502 || status === 504 ? undefined : "server_error";
}

/** How the runtime words a request that was not sent because nobody took the connection. */
export const neverConnected = /client error \(Connect\)/;

/** A refusal in our own words (private.raise_error). Its details are JSON: {"param": "...", "details": {...}}. */
function fromApiError(code: Code, error: DatabaseError, cause: Error): ApiError {
  const { param, details } = detailsOf(error.details);
  const message = error.message ?? undefined;
  const isOfField = code === "validation_error" && param !== undefined && message !== undefined;
  const wait = code === "rate_limited" ? details?.["retry_after"] : undefined;
  return new ApiError(code, {
    message,
    param,
    // The database refuses for one field at a time, but for what lists the errors itself.
    details: isOfField ? { errors: [{ param, code: "refused", message }], ...details } : details,
    ...(typeof wait === "number" ? { headers: { "Retry-After": String(wait) } } : {}),
    rateLimit: error.rate_limit,
    cause,
  });
}

function detailsOf(json: string | null | undefined): { param?: string; details?: Record<string, unknown> } {
  if (!json) return {};
  const value: unknown = JSON.parse(json);
  if (!isObject(value)) return {};
  return {
    ...(typeof value["param"] === "string" ? { param: value["param"] } : {}),
    ...(isObject(value["details"]) ? { details: value["details"] } : {}),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
