/** Rate limits over HTTP. The counters are in Postgres. */

/** The database's reply for a counted request. */
export interface RateLimit {
  readonly allowed: boolean;
  readonly policy: string;
  readonly quota: number;
  readonly window_seconds: number;
  readonly remaining: number;
  readonly reset_seconds: number;
}

/** The headers of the IETF draft (draft-ietf-httpapi-ratelimit-headers-10): structured fields, seconds. */
export function rateLimitHeaders(rateLimit: RateLimit | undefined): [name: string, value: string][] {
  if (!rateLimit) return [];
  const { policy, quota, window_seconds, remaining, reset_seconds } = rateLimit;
  return [
    ["RateLimit-Policy", `"${policy}";q=${quota};w=${window_seconds}`],
    ["RateLimit", `"${policy}";r=${remaining};t=${reset_seconds}`],
  ];
}

/**
 * The network address of a client; the database counts by the network it belongs to. The hosted edge overwrites
 * CF-Connecting-IP, and only appends to what a client put into X-Forwarded-For.
 */
export function addressOf(headers: Headers): string {
  return (headers.get("cf-connecting-ip") ?? headers.get("x-forwarded-for")?.split(",")[0] ?? "").trim();
}
