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

/** `rejected`: the service did not carry out the request. `unknown`: it may have. `final`: a retry gets the same response. */
type Outcome = "rejected" | "unknown" | "final";

/** The error responses of requests that an earlier attempt may have carried out. */
const afterUnknown = new WeakSet<Response>();

/** Whether the service may have carried out the request of this error response. */
export function isOutcomeUnknown(response: Response): boolean {
  return afterUnknown.has(response);
}

interface Sending {
  readonly method: string;
  readonly isKeyed: boolean;
  /** Called once, after 401. True: the next attempt has a newer token. */
  readonly renewToken?: () => Promise<boolean>;
  readonly signal?: AbortSignal | null;
}

/**
 * Sends a request until it gets a final response.
 *
 * A request that may have been carried out is sent again only if that has no second effect: a GET, or with
 * `isKeyed` the same `Idempotency-Key`.
 */
export async function sendWithRetries(
  send: () => Promise<Response>,
  { method, isKeyed, renewToken, signal }: Sending,
  { maxRetries = 3, maxDelaySeconds = 30 }: RetryOptions = {},
): Promise<Response> {
  const isRead = method === "GET" || method === "HEAD";
  let isUnknown = false;
  let isRenewed = false;
  for (let retries = 0;; retries++) {
    const attempt = await send().then(received).catch((error: unknown): Attempt => ({ error }));
    // An abort is not a failure of the network: the caller gets the reason of the signal.
    if (signal?.aborted) throw abortReason(signal);
    if (renewToken && !isRenewed && "response" in attempt && attempt.response.status === 401) {
      isRenewed = true;
      if (await renewToken()) continue;
    }
    const outcome = await outcomeOf(attempt);
    isUnknown ||= outcome === "unknown" && !isRead;
    const isRetryable = outcome === "rejected" || (outcome === "unknown" && (isRead || isKeyed));
    const delay = isRetryable && retries < maxRetries ? delaySeconds(attempt, retries, maxDelaySeconds) : undefined;
    if (delay !== undefined) await sleep(delay, signal);
    else if ("response" in attempt) {
      if (isUnknown) afterUnknown.add(attempt.response);
      return attempt.response;
    } else throw new NetworkError(attempt.error, isUnknown);
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

async function outcomeOf(attempt: Attempt): Promise<Outcome> {
  if ("error" in attempt) return "unknown";
  const { status } = attempt.response;
  if (status === 429) return "rejected";
  if (status !== 409 && status < 500) return "final";
  const { code, details } = await errorOf(attempt.response.clone());
  const reason = details?.["reason"];
  if (code === "service_unavailable") return reason === "not_configured" ? "final" : "rejected";
  // `key_in_use`: an earlier attempt still runs. An error without a code is of a proxy, which may have sent the request on.
  return reason === "outcome_unknown" || reason === "key_in_use" || code === undefined ? "unknown" : "final";
}

async function errorOf(response: Response): Promise<{ code?: string; details?: Record<string, unknown> }> {
  try {
    return (await response.json()).error ?? {};
  } catch {
    return {};
  }
}

/** The wait: `Retry-After`, or else the backoff. Undefined if `Retry-After` is longer than the bound. */
function delaySeconds(attempt: Attempt, retries: number, maxDelaySeconds: number): number | undefined {
  const sent = "response" in attempt ? retryAfterSeconds(attempt.response) : null;
  // With a longer wait more clients wait for the same moment.
  if (sent !== null) return sent <= maxDelaySeconds ? sent + Math.random() * (JITTER_SECONDS + sent / 4) : undefined;
  return backoffSeconds(retries, maxDelaySeconds);
}

/** Exponential backoff with jitter. */
export function backoffSeconds(retries: number, maxSeconds: number): number {
  return Math.min(maxSeconds, FIRST_DELAY_SECONDS * 2 ** retries) * (0.5 + Math.random() / 2);
}

export function sleep(seconds: number, signal: AbortSignal | null | undefined): Promise<void> {
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
