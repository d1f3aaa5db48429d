import type { components, ErrorReasons } from "./api.ts";

type ServiceCode = components["schemas"]["Error"]["error"]["code"];

/** The codes of the service, and `unexpected_response`: an error response that the service did not write, for example of a proxy. */
export type ErrorCode = ServiceCode | "unexpected_response";

type WithReason<Code extends keyof ErrorReasons, More = unknown> = { reason: ErrorReasons[Code] } & More;

/** What `details` has, by code. A code without an entry has no fixed fields. */
interface Details {
  validation_error: {
    errors?: { param: string | null; code: string; message: string }[];
    reason?: ErrorReasons["validation_error"];
    [field: string]: unknown;
  };
  unauthorized: WithReason<"unauthorized"> | undefined;
  forbidden: { reason?: ErrorReasons["forbidden"]; scope?: string; [field: string]: unknown } | undefined;
  conflict: { reason?: ErrorReasons["conflict"]; [field: string]: unknown } | undefined;
  fee_unknown: WithReason<"fee_unknown", { from?: string; until?: string }>;
  concurrent_session_not_allowed: { session_id: string };
  rate_limited: { policy: string; retry_after: number };
  unparseable: { missing?: ("place" | "stay" | "conditions")[]; [field: string]: unknown } | undefined;
  server_error: WithReason<"server_error"> | undefined;
  service_unavailable: WithReason<"service_unavailable"> | undefined;
}

export type ErrorDetails<Code extends ErrorCode> = Code extends keyof Details ? Details[Code]
  : Record<string, unknown> | undefined;

interface ErrorOf<Code extends ErrorCode> extends Error {
  readonly name: "ApiError";
  /** Decide by the code, never by the message. */
  readonly code: Code;
  readonly details: ErrorDetails<Code>;
  readonly status: number;
  /** The service writes its log under this id. */
  readonly requestId: string | null;
  /** The parameter or field that is invalid. */
  readonly param: string | null;
  /** The seconds to wait before the next request, if the response has them. */
  readonly retryAfterSeconds: number | null;
  /** Whether this attempt or an earlier one may have been carried out. Read the resource before you send it again. */
  readonly isOutcomeUnknown: boolean;
}

/** An error response. `code` narrows `details`. */
export type ApiError = { [Code in ErrorCode]: ErrorOf<Code> }[ErrorCode];

class ErrorResponse extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  readonly details: unknown;
  readonly status: number;
  readonly requestId: string | null;
  readonly param: string | null;
  readonly retryAfterSeconds: number | null;
  readonly isOutcomeUnknown: boolean;

  constructor(response: Response, body: unknown, isOutcomeUnknown = false) {
    const { error } = Object(body) as Partial<components["schemas"]["Error"]>;
    super(error?.message ?? `The response has the status ${response.status}, and is not from the service.`);
    this.code = error?.code ?? "unexpected_response";
    this.details = error?.details;
    this.status = response.status;
    this.requestId = error?.request_id ?? response.headers.get("X-Request-Id");
    this.param = error?.param ?? null;
    this.retryAfterSeconds = retryAfterSeconds(response);
    this.isOutcomeUnknown = isOutcomeUnknown;
  }
}

/** For `error instanceof ApiError`. */
export const ApiError = ErrorResponse as unknown as {
  new (response: Response, body: unknown, isOutcomeUnknown?: boolean): ApiError;
};

/** No response arrived, also not after the retries. `cause` is the error of `fetch`. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
  /** Whether the service may have carried out the request. Read the resource before you send it again. */
  readonly isOutcomeUnknown: boolean;

  constructor(cause: unknown, isOutcomeUnknown: boolean) {
    super("No response arrived from the service.", { cause });
    this.isOutcomeUnknown = isOutcomeUnknown;
  }
}

/** `Retry-After` in seconds. The service sends seconds; proxies may send a date. */
export function retryAfterSeconds(response: Response): number | null {
  const value = response.headers.get("Retry-After");
  if (value === null) return null;
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
