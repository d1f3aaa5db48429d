import { NetworkError, retryAfterSeconds } from "./errors.ts";

export interface RetryOptions {
  /** Retries after the first attempt, 3 by default. 0 sends every request once. */
  readonly maxRetries?: number;
  /** The longest wait before one retry, 30 seconds by default. A longer `Retry-After` is an error at once. */
  readonly maxDelaySeconds?: number;
}

const FIRST_DELAY_SECONDS = 0.5;
const JITTER_SECONDS = 0.25;

/** What an attempt led to: a response whose body has arrived, or an error of `fetch`. */
type Attempt = { readonly response: Response } | { readonly error: unknown };

/**
 * Sends a request until it gets a final response.
 *
 * A request that may have been carried out is sent again only if that has no second effect: a GET, or with
 * `isKeyed` the same `Idempotency-Key`. The service did not carry out requests that it rejected with 429 or 503.
 */
export async function sendWithRetries(
  send: () => Promise<Response>,
  { method, isKeyed, signal }: { method: string; isKeyed: boolean; signal?: AbortSignal | null },
  { maxRetries = 3, maxDelaySeconds = 30 }: RetryOptions = {},
): Promise<Response> {
  const isRepeatable = isKeyed || isSafe(method);
  for (let retries = 0;; retries++) {
    const attempt = await send().then(received).catch((error: unknown): Attempt => ({ error }));
    // An abort is not a failure of the network: the caller gets the reason of the signal.
    if (signal?.aborted) throw abortReason(signal);
    const delay = await isRetryable(attempt, isRepeatable, isKeyed)
      ? delaySeconds(attempt, retries, maxDelaySeconds)
      : undefined;
    if (retries < maxRetries && delay !== undefined) await sleep(delay, signal);
    else if ("response" in attempt) return attempt.response;
    else throw new NetworkError(attempt.error, !isSafe(method));
  }
}

/**
 * Waits for the body: a body that breaks off is a failure of the network. Streams are returned as they are, because they
 * may be larger than the memory.
 */
async function received(response: Response): Promise<Attempt> {
  const isStream = response.ok && response.headers.get("Content-Type")?.startsWith("application/x-ndjson");
  if (isStream || [204, 304].includes(response.status)) return { response };
  const { status, statusText, headers } = response;
  return { response: new Response(await response.text(), { status, statusText, headers }) };
}

async function isRetryable(attempt: Attempt, isRepeatable: boolean, isKeyed: boolean): Promise<boolean> {
  if ("error" in attempt) return isRepeatable;
  const { response } = attempt;
  if (![409, 429, 500, 502, 503, 504].includes(response.status)) return false;
  if (response.status === 429) return true;
  const { code, details } = await errorOf(response.clone());
  if (code === "service_unavailable") return details?.["reason"] !== "not_configured";
  if (code === "conflict") return isKeyed && details?.["reason"] === "key_in_use";
  if (code === "server_error") return isKeyed && details?.["reason"] === "outcome_unknown";
  // The response of a proxy, which may have sent the request on.
  return code === undefined && response.status > 500 && isRepeatable;
}

async function errorOf(response: Response): Promise<{ code?: string; details?: Record<string, unknown> }> {
  try {
    return (await response.json()).error ?? {};
  } catch {
    return {};
  }
}

/** `Retry-After`, or else exponential backoff with jitter. Undefined if that is longer than the bound. */
function delaySeconds(attempt: Attempt, retries: number, maxDelaySeconds: number): number | undefined {
  const sent = "response" in attempt ? retryAfterSeconds(attempt.response) : null;
  if (sent !== null) return sent <= maxDelaySeconds ? sent + Math.random() * JITTER_SECONDS : undefined;
  return Math.min(maxDelaySeconds, FIRST_DELAY_SECONDS * 2 ** retries) * (0.5 + Math.random() / 2);
}

function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

function sleep(seconds: number, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortReason(signal));
    const onAbort = () => {
      clearTimeout(timer);
      reject(abortReason(signal!));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** React Native has signals without a reason. */
function abortReason(signal: AbortSignal): unknown {
  return signal.reason ?? Object.assign(new Error("The request was aborted."), { name: "AbortError" });
}
