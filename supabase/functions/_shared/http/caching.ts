/** How long, and by whom, a reply may be kept. Without it a reply is not kept at all. */
export interface Cache {
  /** `public`: by anyone. `private`: by the client of this caller only. */
  readonly scope: "public" | "private";
  /** 0: kept, but asked for again every time (304 when nothing changed). */
  readonly maxAge: number;
  readonly staleWhileRevalidate?: number;
}

export function cacheControl(cache: Cache | undefined): string {
  if (!cache) return "no-store";
  const parts = [
    cache.scope,
    cache.maxAge === 0 ? "no-cache" : `max-age=${cache.maxAge}`,
  ];
  if (cache.staleWhileRevalidate) parts.push(`stale-while-revalidate=${cache.staleWhileRevalidate}`);
  return parts.join(", ");
}

/** A strong validator: equal tags mean equal bytes. */
export async function entityTag(body: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body)));
  return `"${hash.subarray(0, 16).reduce((text, byte) => text + byte.toString(16).padStart(2, "0"), "")}"`;
}

/** Whether If-None-Match names this tag. Proxies that compress weaken tags, so `W/` is ignored, as RFC 9110 says. */
export function etagMatches(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((part) => part.trim().replace(/^W\//, "") === tag);
}
