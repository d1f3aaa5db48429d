// The platform's own answers, in the envelope that the functions use.
import type { Code } from "../../supabase/functions/_shared/errors.ts";
import { ANY_ORIGIN } from "./cors.ts";

export interface More {
  readonly headers?: Readonly<Record<string, string>>;
  readonly details?: Readonly<Record<string, unknown>>;
  /** What Supabase itself says there, for clients that read that. */
  readonly beside?: Readonly<Record<string, string>>;
}

const RETRY_AFTER_SECONDS = "2";

/** A refusal to `request`; its page of documentation is one of the functions'. */
export function errorResponse(
  request: Request,
  status: number,
  code: Code,
  message: string,
  more: More = {},
): Response {
  const { headers = {}, details, beside = {} } = more;
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
  // A page of another origin has to be able to read why its request failed.
  const readable = { ...ANY_ORIGIN, "access-control-expose-headers": "x-request-id, sb-error-code, retry-after" };
  return Response.json({ ...beside, error }, {
    status,
    headers: { ...readable, ...retry, ...headers, "x-request-id": error.request_id },
  });
}

/** As the client names the gateway; nothing when it names it in a way that cannot be read. */
function originOf(request: Request): string {
  try {
    return new URL(request.url).origin;
  } catch (error) {
    if (error instanceof TypeError) return "";
    throw error;
  }
}
