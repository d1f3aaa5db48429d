// Errors in the two formats of the auth server (GoTrue): {code, message} for clients that send an API version,
// {code, error_code, msg} for older ones.
import { ANY_ORIGIN } from "../gateway/cors.ts";

const VERSION_HEADER = "x-supabase-api-version";
const NEW_SHAPE_SINCE = "2024-01-01";

export class AuthError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Further keys of the body. */
    readonly details: Readonly<Record<string, unknown>> = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** The response to `request` that carries this error. */
export function errorResponse(
  request: Request,
  { status, code, message, details, headers: more }: AuthError,
): Response {
  const version = request.headers.get(VERSION_HEADER);
  const isNew = version !== null && version >= NEW_SHAPE_SINCE;
  const headers = {
    ...more,
    ...ANY_ORIGIN,
    "access-control-expose-headers": `${VERSION_HEADER}, x-sb-error-code`,
    "x-sb-error-code": code,
    ...(isNew ? { [VERSION_HEADER]: NEW_SHAPE_SINCE } : {}),
  };
  const body = isNew ? { code, message, ...details } : { code: status, error_code: code, msg: message, ...details };
  return Response.json(body, { status, headers });
}

export function invalid(message: string): AuthError {
  return new AuthError(400, "validation_failed", message);
}
