// Refusals as the auth server (GoTrue) words them, in both of its shapes: clients that name an API version get
// {code, message}, older ones {code, error_code, msg}.

const VERSION_HEADER = "x-supabase-api-version";
const NEW_SHAPE_SINCE = "2024-01-01";

export interface AuthErrorBody {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Further keys of the body. */
  readonly details?: Record<string, unknown>;
  readonly headers?: Readonly<Record<string, string>>;
}

export class AuthRefusal extends Error {
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }
}

/** The answer to `request` that carries this refusal. */
export function authError(
  request: Request,
  { status, code, message, details = {}, headers: more = {} }: AuthErrorBody,
): Response {
  const version = request.headers.get(VERSION_HEADER);
  const headers = new Headers({ ...more, "x-sb-error-code": code, "access-control-allow-origin": "*" });
  if (version !== null && version >= NEW_SHAPE_SINCE) {
    headers.set(VERSION_HEADER, NEW_SHAPE_SINCE);
    headers.set("access-control-expose-headers", `${VERSION_HEADER}, x-sb-error-code`);
    return Response.json({ code, message, ...details }, { status, headers });
  }
  return Response.json({ code: status, error_code: code, msg: message, ...details }, { status, headers });
}
