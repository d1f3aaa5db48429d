// The platform's own error responses, in the format of the functions.
import type { Code } from "../../supabase/functions/_shared/errors.ts";
import { ANY_ORIGIN } from "./cors.ts";

export interface ErrorExtras {
  readonly headers?: Readonly<Record<string, string>>;
  readonly details?: Readonly<Record<string, unknown>>;
  /** The fields of Supabase's own error, for clients that read those. */
  readonly fields?: Readonly<Record<string, string>>;
}

const RETRY_AFTER_SECONDS = "2";

/** An error response. Its page of documentation is one of the functions'. */
export function errorResponse(
  request: Request,
  status: number,
  code: Code,
  message: string,
  extras: ErrorExtras = {},
): Response {
  const { headers = {}, details, fields = {} } = extras;
  const error = {
    code,
    message,
    message_key: `error.${code}`,
    request_id: crypto.randomUUID(),
    param: null,
    doc_url: `${originOf(request)}/functions/v1/openapi/errors/${code}`,
    ...(details === undefined ? {} : { details }),
  };
  const retry: Record<string, string> = status === 503 || status === 504 ? { "retry-after": RETRY_AFTER_SECONDS } : {};
  // Pages of other origins may read the error.
  const readable = { ...ANY_ORIGIN, "access-control-expose-headers": "x-request-id, sb-error-code, retry-after" };
  return Response.json({ ...fields, error }, {
    status,
    headers: { ...readable, ...retry, ...headers, "x-request-id": error.request_id },
  });
}

/** The origin in the request, or nothing if it is malformed. */
function originOf(request: Request): string {
  try {
    return new URL(request.url).origin;
  } catch (error) {
    if (error instanceof TypeError) return "";
    throw error;
  }
}
