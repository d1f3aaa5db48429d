// What Supabase's gateway does with keys: `apikey` says who may knock, `Authorization` says who it is.
import { ANON_KEY, PUBLISHABLE_KEY, SECRET_KEY, SERVICE_ROLE_KEY } from "../settings.ts";

export type Knock =
  | { readonly authorization: string }
  | { readonly refused: Response };

const ROLE_TOKENS: Readonly<Record<string, string>> = {
  [PUBLISHABLE_KEY]: ANON_KEY,
  [SECRET_KEY]: SERVICE_ROLE_KEY,
  [ANON_KEY]: ANON_KEY,
  [SERVICE_ROLE_KEY]: SERVICE_ROLE_KEY,
};

/** The token that stands for a key; undefined for what is no key of this platform. */
export function tokenOf(key: string): string | undefined {
  return ROLE_TOKENS[key];
}

/** The bearer token a request acts with: its own, or the one that stands for its key. */
export function knock(request: Request, url: URL): Knock {
  const key = request.headers.get("apikey") ?? url.searchParams.get("apikey");
  if (key === null) {
    return refuse("UNAUTHORIZED_MISSING_API_KEY", {
      message: "No API key found in request",
      hint: "No `apikey` request header or url param was found.",
    });
  }
  const token = ROLE_TOKENS[key];
  if (token === undefined) {
    return refuse("UNAUTHORIZED_INVALID_API_KEY", {
      message: "Invalid API key",
      hint: "Double check your Supabase `apikey`",
    });
  }
  return { authorization: bearer(request) ?? `Bearer ${token}` };
}

/** The request's own Authorization header, unless it repeats an opaque key, which is no token. */
export function bearer(request: Request): string | undefined {
  const header = request.headers.get("authorization");
  return header === null || /^Bearer\s+sb_/i.test(header) ? undefined : header;
}

/** The Authorization header of a request to a function: its own, or the token its key stands for, or none. */
export function functionAuthorization(request: Request): string | undefined {
  const key = request.headers.get("apikey");
  const token = key === null ? undefined : ROLE_TOKENS[key];
  return bearer(request) ?? (token === undefined ? undefined : `Bearer ${token}`);
}

function refuse(code: string, body: { message: string; hint: string }): Knock {
  return {
    refused: Response.json(body, {
      status: 401,
      headers: { "sb-error-code": code, "access-control-allow-origin": "*" },
    }),
  };
}
