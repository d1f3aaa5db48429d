/** Any web page may call the interface: who may do what is decided by tokens, and there are no cookies. */

const allowedHeaders =
  "authorization, x-client-info, apikey, content-type, if-none-match, idempotency-key, x-request-id";
const exposedHeaders = "etag, x-request-id, server-timing, retry-after, www-authenticate, allow, " +
  "idempotent-replayed, ratelimit, ratelimit-policy";

export function preflight(methods: string): Headers {
  return new Headers({
    "Access-Control-Allow-Methods": methods,
    "Access-Control-Allow-Headers": allowedHeaders,
    "Access-Control-Max-Age": "86400",
    "Allow": methods,
  });
}

export function allowAnyOrigin(headers: Headers): void {
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Access-Control-Expose-Headers", exposedHeaders);
}
