/**
 * Saying no. `ApiError` is the only way to do it, and this table holds every code a client can meet: the replies, the
 * contract, the documentation pages behind `doc_url` and docs/clients/errors.md are all printed from it.
 */

import type { RateLimit } from "./http/rate_limit.ts";

export interface CatalogueEntry {
  readonly status: number;
  /** Shown when the refusal brings no message of its own; from 500 on it is all that is shown. */
  readonly message: string;
  readonly meaning: string;
  readonly remedy: string;
}

export const catalogue = {
  validation_error: {
    status: 422,
    message: "The request is not valid.",
    meaning: "A parameter or a field of the body is missing, unknown, of the wrong type or out of bounds.",
    remedy:
      "`error.param` names the first offending field, `error.details.errors` lists all of them. Correct and resend.",
  },
  unauthorized: {
    status: 401,
    message: "A valid access token is required.",
    meaning: "The access token is missing, malformed, expired, not yet valid or not signed by this service.",
    remedy: "Sign in, or refresh the session, and send `Authorization: Bearer <access token>`. " +
      "`error.details.reason` is `token_missing`, `token_expired` or `token_invalid`; there are no `details` when the " +
      "token's account no longer exists.",
  },
  forbidden: {
    status: 403,
    message: "You may not do this.",
    meaning:
      "The caller is known but may not do this: the account is suspended or withdrawn, a policy denies it, only the " +
      "service itself may call this path, or an administrator lacks a permission scope.",
    remedy:
      "Do not retry with the same account. `GET /v1/me` shows the state of the account and its permission scopes; " +
      "`error.details.scope` names the one that is missing.",
  },
  not_found: {
    status: 404,
    message: "There is nothing here.",
    meaning: "The path does not exist, or the resource does not exist for this caller.",
    remedy: "Check the path and the id. A resource of somebody else answers the same way as one that does not exist.",
  },
  method_not_allowed: {
    status: 405,
    message: "This path does not take this method.",
    meaning: "The path exists, but not with this HTTP method.",
    remedy: "Use one of the methods in the `Allow` header of the response.",
  },
  conflict: {
    status: 409,
    message: "The request contradicts the current state.",
    meaning:
      "The resource is not in a state that allows this, it exists already, or somebody else changed it meanwhile.",
    remedy: "Read the resource again and decide on what it says now. `error.details.reason` may tell more: with an " +
      "`Idempotency-Key` it is `key_reused_with_different_body` (give each request a key of its own) or `key_in_use` " +
      "(send it again in a moment); with `status_not_reachable` `details.allowed` has the states that may follow; with " +
      "`changed_meanwhile` the decision was about an earlier version.",
  },
  precondition_failed: {
    status: 412,
    message: "The resource is not the version that `If-Match` names.",
    meaning: "The resource was changed after it was read.",
    remedy: "Read the resource again, apply the change to what it says now, and send the new `ETag` as `If-Match`.",
  },
  payload_too_large: {
    status: 413,
    message: "The body is larger than 1 MiB.",
    meaning: "Request bodies are limited to 1 MiB, those of an import of parking lots to 4 MiB.",
    remedy: "Send less. Files are uploaded straight to storage, never through this interface.",
  },
  unsupported_media_type: {
    status: 415,
    message: "The body must be application/json in UTF-8, without content encoding.",
    meaning: "The `Content-Type` or `Content-Encoding` of the body is not one this interface reads.",
    remedy: "Send `Content-Type: application/json` and no `Content-Encoding`.",
  },
  rate_limited: {
    status: 429,
    message: "Too many requests.",
    meaning: "The caller exceeded a rate limit.",
    remedy: "Wait for as long as `Retry-After` says, then try again. `RateLimit` tells beforehand how much is left; " +
      "`error.details` has the `policy` and `retry_after`.",
  },
  lot_not_found: {
    status: 404,
    message: "There is no such parking lot.",
    meaning: "The parking lot does not exist or is not public.",
    remedy: "Search again: the lot may have been closed.",
  },
  fee_unknown: {
    status: 422,
    message: "What this stay costs is not known.",
    meaning: "The lot's rules do not say what a part of the stay costs, or not for this vehicle. Nothing is guessed.",
    remedy: "`error.details.reason` is `no_rules`, `no_rate` (from `from` on, until `until` when that is known) or " +
      "`vehicle_type_not_priced`. Ask for a shorter stay or another vehicle type, or say that the price is not known.",
  },
  concurrent_session_not_allowed: {
    status: 409,
    message: "A parking session is already running.",
    meaning: "The caller already has a session with status `parking`; there can be one at a time.",
    remedy: "Finalize or cancel the running session first.",
  },
  unparseable: {
    status: 422,
    message: "The text could not be understood.",
    meaning: "The text is not a search for parking.",
    remedy:
      "`error.details.missing` has what it would have to say: `place`, `stay`, `conditions`. Ask the user for it, or " +
      "offer the search form.",
  },
  iap_invalid: {
    status: 400,
    message: "The receipt is not valid.",
    meaning: "The store does not confirm the in-app purchase receipt, or it is of another app, product or transaction.",
    remedy: "Fetch the latest receipt from the store on the device and send that. Do not send the same one again.",
  },
  server_error: {
    status: 500,
    message: "Something went wrong on our side.",
    meaning: "An error in the service. It has been recorded under the request id. With `error.details.reason` " +
      "`outcome_unknown` the connection to the database was lost while it worked, or it did not answer in time: the " +
      "request may have been carried out, or not.",
    remedy:
      "Retry later. When it persists, report `error.request_id`. After `outcome_unknown` read the resource again, or " +
      "send the same request with the same `Idempotency-Key`, which never has its effect twice.",
  },
  not_implemented: {
    status: 501,
    message: "This part of the service is not available.",
    meaning: "The path belongs to a part of the platform that this environment does not offer.",
    remedy: "Use an environment that offers it.",
  },
  service_unavailable: {
    status: 503,
    message: "The service is temporarily unavailable.",
    meaning:
      "Maintenance, or something this service depends on is down or too slow. The request has not been carried out.",
    remedy: "Retry after as many seconds as `Retry-After` says, then with increasing pauses.",
  },
} as const satisfies Record<string, CatalogueEntry>;

export type Code = keyof typeof catalogue;

export const codes = Object.keys(catalogue) as Code[];

export function isCode(value: unknown): value is Code {
  return typeof value === "string" && Object.hasOwn(catalogue, value);
}

/** The reasons (`details.reason`) that a client learns from 500 on, with the message that goes with each. */
const reasons: Readonly<Record<string, string>> = {
  not_configured: "This part of the service is not configured.",
  outcome_unknown: "The connection was lost or timed out. Whether the request was carried out is not known.",
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
  /** What went wrong behind the scenes: for the log, never for the client. */
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

  /** What a client learns: all of it below 500, from there on the code and a reason of the few that say what to do. */
  get shown(): { message: string; param: string | null; details: Record<string, unknown> | undefined } {
    if (this.status < 500) return this;
    const reason = String(this.details?.["reason"]);
    const message = Object.hasOwn(reasons, reason) ? reasons[reason] : undefined;
    const details = message === undefined ? undefined : { reason };
    return { message: message ?? catalogue[this.code].message, param: null, details };
  }

  /** A request refused for its fields: `param` is the first of them, `details.errors` all. */
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

/** What a request gets that may have been carried out, or not: nobody knows. */
export function outcomeUnknown(cause: unknown, rateLimit?: RateLimit): ApiError {
  return new ApiError("server_error", { details: { reason: "outcome_unknown" }, cause, rateLimit });
}

export function isOutcomeUnknown({ details }: ApiError): boolean {
  return details?.["reason"] === "outcome_unknown";
}
