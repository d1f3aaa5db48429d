import { createHash } from "node:crypto";

/** Who may cache a response, and for how long. Without it, responses are not cached. */
export interface Cache {
  /** `public`: shared caches. `private`: only the client of this user. */
  readonly scope: "public" | "private";
  /** In seconds. 0: cached, but revalidated with every request (304 if unchanged). */
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

/** A strong validator: equal tags mean equal bytes. Computed here, because crypto.subtle hands each text to another thread. */
export function entityTag(body: string): string {
  return `"${createHash("sha256").update(body).digest("hex").slice(0, 32)}"`;
}

/** Whether If-None-Match contains this tag. `W/` is ignored (RFC 9110), because compressing proxies weaken tags. */
export function etagMatches(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((part) => part.trim().replace(/^W\//, "") === tag);
}
