/** What the links of mails bring in the address of the page. */

/** The result of a link that the auth server followed, from the address to which it redirected the browser. */
export type Arrival =
  /** Of PKCE: only the browser that requested the mail can exchange it. */
  | { readonly kind: "code"; readonly code: string; readonly flowId: string }
  | { readonly kind: "error"; readonly code: string }
  /** One of two addresses confirmed a change. */
  | { readonly kind: "half" };

const PARAMETERS = [
  "access_token",
  "code",
  "error",
  "error_code",
  "error_description",
  "expires_at",
  "expires_in",
  "message",
  "provider_refresh_token",
  "provider_token",
  "refresh_token",
  "sb",
  "sb_flow_id",
  "token_type",
  "type",
];

/**
 * Reads the result, and the address without it. Only names and codes are taken from the address, never its sentences or
 * tokens: any website can link to this page with texts and tokens of its own.
 */
export function readArrival(address: string): { readonly arrival: Arrival | undefined; readonly rest: string } {
  const url = new URL(address);
  // A fragment with `/` is a page of the application.
  const isPage = url.hash === "" || url.hash.startsWith("#/");
  const values = new URLSearchParams([...url.searchParams, ...isPage ? [] : new URLSearchParams(url.hash.slice(1))]);
  for (const name of PARAMETERS) url.searchParams.delete(name);
  if (!isPage) url.hash = "";
  return { arrival: arrivalOf(values), rest: url.href };
}

function arrivalOf(values: URLSearchParams): Arrival | undefined {
  const [code, flowId, errorCode] = ["code", "sb_flow_id", "error_code"].map((name) => values.get(name));
  if (values.has("access_token") || values.has("refresh_token")) return { kind: "error", code: "tokens" };
  if (errorCode || values.has("error")) return { kind: "error", code: errorCode || "unknown" };
  if (code) return flowId ? { kind: "code", code, flowId } : { kind: "error", code: "flow_state_not_found" };
  return values.has("message") && values.has("sb") ? { kind: "half" } : undefined;
}

const TYPES = ["signup", "invite", "recovery", "magiclink", "email_change"] as const;
export type LinkType = (typeof TYPES)[number];

/** The link of a mail, from the query of the page `#/link` (supabase/templates). */
export interface MailLink {
  readonly type: LinkType;
  readonly tokenHash: string;
  /** The address of the account, as the link says. */
  readonly email: string;
  /** The new address, for a change. */
  readonly newEmail: string | undefined;
  /** Where the requester of the mail wants to continue. */
  readonly redirectTo: URL | undefined;
}

/** Undefined for a link of which a part is missing. */
export function readMailLink(query: URLSearchParams): MailLink | undefined {
  const [given, tokenHash, email, newEmail, redirectTo] = ["type", "token_hash", "email", "new_email", "redirect_to"]
    .map(
      (name) => query.get(name) || undefined,
    );
  const type = TYPES.find((type) => type === given);
  if (!type || !tokenHash || !email || (type === "email_change" && !newEmail)) return undefined;
  const target = redirectTo !== undefined && URL.canParse(redirectTo) ? new URL(redirectTo) : undefined;
  return { type, tokenHash, email, newEmail, redirectTo: target };
}

/** The id of the flow that the auth server can continue by redirects: a link of PKCE that leads to this page. */
export function flowOf({ tokenHash, redirectTo }: MailLink, page: string): string | undefined {
  if (!tokenHash.startsWith("pkce_") || !isPage(redirectTo, page)) return undefined;
  return redirectTo!.searchParams.get("sb_flow_id") ?? undefined;
}

export function isPage(target: URL | undefined, page: string): boolean {
  return target !== undefined && target.origin + target.pathname === page;
}

/** The address of the auth server that accepts the link and redirects to the requester, which it checks. */
export function followAddress(api: string, { tokenHash, type, redirectTo }: MailLink): string {
  const query = new URLSearchParams({ token: tokenHash, type, redirect_to: redirectTo?.href ?? "" });
  return `${api}/auth/v1/verify?${query}`;
}
