/**
 * Errors. Every error response is made from an `ApiError`, and this table has all codes. The responses, the contract, the
 * pages at `doc_url` and docs/clients/errors.md are printed from it.
 */

import type { RateLimit } from "./http/rate_limit.ts";

export interface CatalogueEntry {
  readonly status: number;
  /** Used when the error has no message of its own. From status 500 on it is always used. */
  readonly message: string;
  readonly meaning: string;
  readonly remedy: string;
}

export const catalogue = {
  validation_error: {
    status: 422,
    message: "The request is not valid.",
    meaning: "A parameter or a field of the body is missing, unknown, of the wrong type or out of bounds.",
    remedy: "`error.param` is the first invalid field. `error.details.errors` lists all of them. Correct the request " +
      "and send it again.",
  },
  unauthorized: {
    status: 401,
    message: "A valid access token is required.",
    meaning: "The access token is missing, malformed, expired, not yet valid or not signed by this service.",
    remedy: "Sign in or refresh the session, and send `Authorization: Bearer <access token>`. `error.details.reason` " +
      "is `token_missing`, `token_expired` or `token_invalid`. Without `details` the account of the token no longer " +
      "exists.",
  },
  forbidden: {
    status: 403,
    message: "The caller does not have permission for this request.",
    meaning: "The token is valid, but the request is not allowed. The account is suspended or withdrawn, a policy " +
      "denies the row, the path is for services only, or the administrator lacks an area or a second factor.",
    remedy: "Do not retry with the same account. `GET /v1/me` returns the status of the account and its permission " +
      "scopes. `error.details.scope` is the missing scope. `mfa_required` in `error.details.reason`: the administrator " +
      "signs in with a second factor.",
  },
  not_found: {
    status: 404,
    message: "The path or the resource does not exist.",
    meaning: "The path does not exist, or the resource does not exist for this caller.",
    remedy: "Check the path and the id. A resource of another user gets the same response as one that does not exist.",
  },
  method_not_allowed: {
    status: 405,
    message: "The path does not support this HTTP method.",
    meaning: "The path exists, but not with this HTTP method.",
    remedy: "Use one of the methods in the `Allow` header of the response.",
  },
  conflict: {
    status: 409,
    message: "The request contradicts the current state of the resource.",
    meaning: "The state of the resource does not allow the request, the resource exists already, or another request " +
      "changed it.",
    remedy: "Read the resource again and decide by its current state. `error.details.reason` is more exact. " +
      "`key_reused_with_different_body`: use a new key for each request. `key_in_use`: send the same " +
      "request again after a second. `status_not_reachable`: `error.details.allowed` lists the next states. " +
      "`changed_meanwhile`: the decision was about an earlier version.",
  },
  precondition_failed: {
    status: 412,
    message: "The resource does not have the version in `If-Match`. Read it again.",
    meaning: "The resource was changed after it was read.",
    remedy: "Read the resource again, apply the change to the new version, and send the new `ETag` as `If-Match`.",
  },
  payload_too_large: {
    status: 413,
    message: "The body is larger than 1 MiB.",
    meaning: "Request bodies are limited to 1 MiB. The limit for an import of parking lots is 4 MiB.",
    remedy: "Send a smaller body. Upload files to object storage, with an address from `POST /v1/storage/upload-url`.",
  },
  unsupported_media_type: {
    status: 415,
    message: "The body must be application/json in UTF-8, without content encoding.",
    meaning: "The service does not read this `Content-Type` or `Content-Encoding`.",
    remedy: "Send `Content-Type: application/json` and no `Content-Encoding`.",
  },
  rate_limited: {
    status: 429,
    message: "Too many requests.",
    meaning: "The caller exceeded a rate limit.",
    remedy: "Wait for the seconds in `Retry-After`, then send the request again. The `RateLimit` header of each " +
      "response has the remaining quota. `error.details` has `policy` and `retry_after`.",
  },
  lot_not_found: {
    status: 404,
    message: "The parking lot does not exist.",
    meaning: "The parking lot does not exist or is not public.",
    remedy: "Search again. The lot may have been closed.",
  },
  fee_unknown: {
    status: 422,
    message: "The fee of this stay is not known.",
    meaning: "The rules of the lot have no price for a part of the stay, or none for this vehicle type, or only the " +
      "totals of other stays. The service does not guess a price.",
    remedy:
      "`error.details.reason` is `no_rules`, `no_rate`, `only_totals` or `vehicle_type_not_priced`. With `no_rate` the price is " +
      "missing from `error.details.from` until `error.details.until`, if that is known. With `only_totals` the fee is at least " +
      "`error.details.at_least` and, if that is known, at most `error.details.at_most`. Request a shorter stay or another vehicle type, " +
      "or show that the price is not known.",
  },
  concurrent_session_not_allowed: {
    status: 409,
    message: "A parking session is already running. Finalize or cancel it first.",
    meaning: "The caller has a session with status `parking`. A user has at most one.",
    remedy: "Finalize or cancel the running session first. `GET /v1/me/parking-sessions/current` returns it.",
  },
  unparseable: {
    status: 422,
    message: "The text is not a search for parking.",
    meaning: "The text names no place, no stay and no conditions that the service understands.",
    remedy: "`error.details.missing` lists the missing parts: `place`, `stay`, `conditions`. Request them from the " +
      "user, or show the search form.",
  },
  iap_invalid: {
    status: 400,
    message: "The receipt is not valid.",
    meaning: "The store does not confirm the receipt of the purchase, or the receipt is for another app, product or " +
      "transaction.",
    remedy: "Read the latest receipt from the store on the device and send that. Do not send the same receipt again.",
  },
  server_error: {
    status: 500,
    message: "Internal server error.",
    meaning: "An error in the service. It is in the log under the request id. With `error.details.reason` " +
      "`outcome_unknown` the database did not answer in time, or the connection was lost. It is unknown whether the " +
      "request was carried out.",
    remedy:
      "Retry later. If the error persists, report `error.request_id`. After `outcome_unknown` read the resource " +
      "again, or send the same request with the same `Idempotency-Key`. A key never has its effect twice.",
  },
  not_implemented: {
    status: 501,
    message: "This environment does not offer this part of the service.",
    meaning: "The path belongs to a part of the platform that this environment does not offer.",
    remedy: "Use an environment that offers it.",
  },
  service_unavailable: {
    status: 503,
    message: "The service is temporarily unavailable.",
    meaning: "The service is in maintenance, or a dependency is down or too slow. The request was not carried out.",
    remedy: "Retry after the seconds in `Retry-After`, then with exponential backoff.",
  },
} as const satisfies Record<string, CatalogueEntry>;

export type Code = keyof typeof catalogue;

export const codes = Object.keys(catalogue) as Code[];

export function isCode(value: unknown): value is Code {
  return typeof value === "string" && Object.hasOwn(catalogue, value);
}

/** The reasons (`details.reason`) that clients receive from status 500 on, with their messages and further fields of `details`. */
const reasons: Readonly<Record<string, { readonly message: string; readonly fields?: readonly string[] }>> = {
  not_configured: { message: "This part of the service is not configured." },
  outcome_unknown: {
    message: "The connection was lost or timed out. It is unknown whether the request was carried out.",
  },
  schema_differs: {
    message: "The database does not have the migrations of this release.",
    fields: ["missing", "changed", "unknown"],
  },
};

/** One offending field of a request. */
export interface FieldError {
  readonly param: string | null;
  readonly code: string;
  readonly message: string;
}

export interface ApiErrorOptions {
  readonly message?: string | undefined;
  readonly param?: string | null | undefined;
  readonly details?: Record<string, unknown> | undefined;
  readonly headers?: Record<string, string> | undefined;
  /** The count of the request that was rejected, where the database sent one. */
  readonly rateLimit?: RateLimit | undefined;
  /** The internal cause: for the log, never for the client. */
  readonly cause?: unknown;
}

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: Code;
  readonly param: string | null;
  readonly details: Record<string, unknown> | undefined;
  readonly headers: Record<string, string>;
  readonly rateLimit: RateLimit | undefined;

  constructor(code: Code, options: ApiErrorOptions = {}) {
    super(options.message ?? catalogue[code].message, { cause: options.cause });
    this.code = code;
    this.param = options.param ?? null;
    this.details = options.details;
    this.headers = options.headers ?? {};
    this.rateLimit = options.rateLimit;
  }

  get status(): number {
    return catalogue[this.code].status;
  }

  /** What a client receives: everything below 500; from 500 on the code, and a reason of the list above. */
  get shown(): { message: string; param: string | null; details: Record<string, unknown> | undefined } {
    if (this.status < 500) return this;
    const reason = String(this.details?.["reason"]);
    const known = Object.hasOwn(reasons, reason) ? reasons[reason] : undefined;
    if (known === undefined) return { message: catalogue[this.code].message, param: null, details: undefined };
    const fields = (known.fields ?? []).map((name) => [name, this.details?.[name]]);
    return { message: known.message, param: null, details: { reason, ...Object.fromEntries(fields) } };
  }

  /** An error for invalid fields: `param` is the first of them, `details.errors` has all. */
  static ofFields(
    errors: readonly [FieldError, ...FieldError[]],
    details: Record<string, unknown> = {},
  ): ApiError {
    const [first] = errors;
    return new ApiError("validation_error", {
      message: first.message,
      param: first.param,
      details: { ...details, errors },
    });
  }
}

/** The error of a request of which it is unknown whether it was carried out. */
export function outcomeUnknown(cause: unknown, rateLimit?: RateLimit): ApiError {
  return new ApiError("server_error", { details: { reason: "outcome_unknown" }, cause, rateLimit });
}

export function isOutcomeUnknown({ details }: ApiError): boolean {
  return details?.["reason"] === "outcome_unknown";
}
