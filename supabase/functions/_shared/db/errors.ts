/** Maps database errors to API errors. docs/clients/errors.md lists the result. */
import { ApiError, type Code, isCode, outcomeUnknown } from "../errors.ts";
import type { RateLimit } from "../http/rate_limit.ts";
import { expiredToken, invalidToken } from "../auth/token.ts";

/** The error object of the Data API. For a failed connection the client library returns an empty code. */
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

/** Codes of the Data API: no connection, or none free in time. The request did not run. */
const unreachable = /^PGRST00[023]$/;

/** The connection was lost while the request ran. It may have been committed. */
const lost = /^(PGRST001|08...|57P0[12])$/;

/** Serialization failure or deadlock. The transaction had no effect and can be retried. */
export function isTransient(error: DatabaseError): boolean {
  return /^40[0-9A-Z]{3}$/.test(error.code ?? "");
}

export function translate(error: DatabaseError, status: number): ApiError {
  const code = error.code ?? "";
  // Postgres may quote values in its messages. They are only logged, and without details.
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

/** Undefined if it is unknown whether the request was carried out. */
function fromSqlState(code: string, status: number, message: string): Code | undefined {
  if (unreachable.test(code)) return "service_unavailable";
  if (/^[0-9A-Z]{5}$/.test(code)) {
    const found = bySqlState.find(([pattern]) => pattern.test(code))?.[1];
    return found ?? (lost.test(code) ? undefined : "server_error");
  }
  if (lost.test(code)) return undefined;
  if (code !== "") return "server_error";
  // Not from the Data API: the connection failed (status 0), or a proxy responded.
  if (status === 0) return neverConnected.test(message) ? "service_unavailable" : undefined;
  if (status === 429 || status === 503) return "service_unavailable";
  return status === 502 || status === 504 ? undefined : "server_error";
}

/** The runtime's message if the connection was refused, so that the request was not sent. */
export const neverConnected = /client error \(Connect\)/;

/** An error raised by private.raise_error. Its details are JSON: {"param": "...", "details": {...}}. */
function fromApiError(code: Code, error: DatabaseError, cause: Error): ApiError {
  const { param, details } = detailsOf(error.details);
  const message = error.message ?? undefined;
  const isOfField = code === "validation_error" && param !== undefined && message !== undefined;
  const wait = code === "rate_limited" ? details?.["retry_after"] : undefined;
  return new ApiError(code, {
    message,
    param,
    // The database reports one field at a time, unless `details` lists the errors.
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
