// The keys of the gateway, as Supabase has them: `apikey` opens the service, `Authorization` identifies the caller. Functions
// receive both headers as the client sent them.
import { ANON_KEY, PUBLISHABLE_KEY, SECRET_KEY, SERVICE_ROLE_KEY } from "../settings.ts";
import { ANY_ORIGIN } from "./cors.ts";

export type ApiKeyResult =
  | { readonly authorization: string }
  | { readonly error: Response };

const ROLE_TOKENS: Readonly<Record<string, string>> = {
  [PUBLISHABLE_KEY]: ANON_KEY,
  [SECRET_KEY]: SERVICE_ROLE_KEY,
  [ANON_KEY]: ANON_KEY,
  [SERVICE_ROLE_KEY]: SERVICE_ROLE_KEY,
};

/** The token of a key; undefined if the platform does not have the key. */
export function tokenOf(key: string): string | undefined {
  return ROLE_TOKENS[key];
}

/** The Authorization header of the request, or that of its key. */
export function authenticateApiKey(request: Request, url: URL): ApiKeyResult {
  const key = request.headers.get("apikey") ?? url.searchParams.get("apikey");
  if (key === null) {
    return rejected("UNAUTHORIZED_MISSING_API_KEY", {
      message: "No API key found in request",
      hint: "No `apikey` request header or url param was found.",
    });
  }
  const token = tokenOf(key);
  if (token === undefined) {
    return rejected("UNAUTHORIZED_INVALID_API_KEY", {
      message: "Invalid API key",
      hint: "Double check your Supabase `apikey`",
    });
  }
  return { authorization: ownAuthorization(request) ?? `Bearer ${token}` };
}

/** The request's own Authorization header, unless it repeats an opaque key, which is not a token. */
function ownAuthorization(request: Request): string | undefined {
  const header = request.headers.get("authorization");
  return header === null || /^Bearer\s+sb_/i.test(header) ? undefined : header;
}

function rejected(code: string, body: { message: string; hint: string }): ApiKeyResult {
  return { error: Response.json(body, { status: 401, headers: { "sb-error-code": code, ...ANY_ORIGIN } }) };
}
