/** CORS: any web page may call the API. Access depends on tokens only; there are no cookies. */

/** Request headers of this API and of supabase-js. */
const knownHeaders = [
  "authorization",
  "apikey",
  "content-type",
  "idempotency-key",
  "if-none-match",
  "x-client-info",
  "x-read-after",
  "x-region",
  "x-request-id",
  "x-supabase-api-version",
  "traceparent",
  "tracestate",
  "baggage",
  "sentry-trace",
];
const exposedHeaders = "date, etag, x-request-id, server-timing, retry-after, www-authenticate, allow, " +
  "idempotent-replayed, ratelimit, ratelimit-policy, x-read-after, x-truncated, deprecation, sunset, link";

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,64}$/;
const MAX_ASKED_HEADERS = 32;

export function preflight(methods: string, request: Headers): Headers {
  return new Headers({
    "Access-Control-Allow-Methods": methods,
    "Access-Control-Allow-Headers": allowedHeaders(request.get("access-control-request-headers") ?? ""),
    "Access-Control-Max-Age": "86400",
    "Vary": "Access-Control-Request-Headers",
    "Allow": methods,
  });
}

/**
 * The known headers and those that the page requests, because monitoring libraries add their own. Unknown headers are ignored.
 * `*` would not cover `Authorization`.
 */
function allowedHeaders(asked: string): string {
  const names = asked.split(",").map((name) => name.trim().toLowerCase()).filter((name) => HEADER_NAME.test(name));
  return [...new Set([...knownHeaders, ...names.slice(0, MAX_ASKED_HEADERS)])].join(", ");
}

export function allowAnyOrigin(headers: Headers): void {
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Access-Control-Expose-Headers", exposedHeaders);
}
