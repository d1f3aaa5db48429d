/** Requests to androidpublisher v3, and the meaning of its status codes. */
import { ApiError } from "../../errors.ts";
import type { PlayConfig } from "../../provider_settings.ts";
import { CredentialsRejected, ProviderDown } from "../calls/errors.ts";
import { type Answer, request, retryAfterOf } from "../calls/request.ts";
import { googleTokens, type Tokens } from "../calls/tokens.ts";

const SCOPE = "https://www.googleapis.com/auth/androidpublisher";
/** Retry delay if Google does not return one, and the maximum delay. */
const RETRY_SECONDS = 30;
const MAX_RETRY_SECONDS = 3_600;

/**
 * State of a purchase at `requestedAt`: the resource, or that it does not exist (`invalid`) or no longer exists (`gone`).
 */
export type PlayAnswer =
  & { readonly requestedAt: Date }
  & (
    | { readonly outcome: "ok"; readonly resource: unknown }
    | { readonly outcome: "invalid" | "gone"; readonly reason: string }
  );

export class PlayApi {
  readonly #purchasesUrl: string;
  readonly #tokens: Tokens;
  readonly #timeoutMs: number;

  constructor({ apiUrl, packageName, account }: PlayConfig, timeoutMs: number) {
    const application = `${apiUrl}/androidpublisher/v3/applications/${encodeURIComponent(packageName)}`;
    this.#purchasesUrl = `${application}/purchases`;
    this.#tokens = googleTokens(account, SCOPE, timeoutMs);
    this.#timeoutMs = timeoutMs;
  }

  /** Timeout of all requests of one operation. */
  deadline(): AbortSignal {
    return AbortSignal.timeout(this.#timeoutMs);
  }

  async subscription(token: string, deadline: AbortSignal): Promise<PlayAnswer> {
    return await this.#request("GET", `subscriptionsv2/tokens/${encodeURIComponent(token)}`, deadline);
  }

  async product(productId: string, token: string, deadline: AbortSignal): Promise<PlayAnswer> {
    const path = `products/${encodeURIComponent(productId)}/tokens/${encodeURIComponent(token)}`;
    return await this.#request("GET", path, deadline);
  }

  /** Both kinds use the path of version 1, because version 2 of subscriptions has no acknowledgement. */
  async acknowledge(
    kind: "subscriptions" | "products",
    productId: string,
    token: string,
    deadline: AbortSignal,
  ): Promise<PlayAnswer> {
    const path = `${kind}/${encodeURIComponent(productId)}/tokens/${encodeURIComponent(token)}:acknowledge`;
    return await this.#request("POST", path, deadline);
  }

  async #request(method: "GET" | "POST", path: string, deadline: AbortSignal): Promise<PlayAnswer> {
    const { answer, requestedAt } = await this.#tokens.use(
      (token) => this.#send(method, path, token, deadline),
      ({ answer }) => answer.status === 401,
    ).catch(asUnavailable);
    const { ok, status, text } = answer;
    // The response to an acknowledgement is empty.
    if (ok) {
      return {
        outcome: "ok",
        resource: method === "POST" && text === "" ? null : resourceIn(text),
        requestedAt,
      };
    }
    const reason = reasonIn(text);
    const outcome = outcomes[status];
    // A proxy's error page has the status of a response, but not its format.
    if (outcome === undefined || reason === undefined) {
      throw unavailable(`Google Play responded with ${status}: ${reason ?? "not in JSON"}`, retryAfterOf(answer));
    }
    return { outcome, reason, requestedAt };
  }

  async #send(
    method: string,
    path: string,
    token: string,
    deadline: AbortSignal,
  ): Promise<{ answer: Answer; requestedAt: Date }> {
    const requestedAt = new Date();
    const answer = await request("Google Play", `${this.#purchasesUrl}/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(method === "POST" && { "content-type": "application/json" }) },
      ...(method === "POST" && { body: "{}" }),
      redirect: "manual",
      deadline,
    });
    return { answer, requestedAt };
  }
}

const outcomes: Readonly<Record<number, "invalid" | "gone">> = { 400: "invalid", 404: "invalid", 410: "gone" };

export function unavailable(why: string, retryAfter = RETRY_SECONDS): ApiError {
  const seconds = Math.min(Math.max(retryAfter, 1), MAX_RETRY_SECONDS);
  return new ApiError("service_unavailable", { headers: { "Retry-After": `${seconds}` }, cause: new Error(why) });
}

function asUnavailable(error: unknown): never {
  if (!(error instanceof ProviderDown) && !(error instanceof CredentialsRejected)) throw error;
  throw unavailable(withoutAddresses(error));
}

function resourceIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unavailable("Google Play responded with status 200, but not with JSON");
  }
}

/** Google's error reason (`purchaseTokenNotFound`). Undefined if the response is not from Google. */
function reasonIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: { status?: unknown; errors?: { reason?: unknown }[] } };
    if (typeof error !== "object" || error === null) return undefined;
    const word = Array.isArray(error.errors) ? error.errors[0]?.reason : error.status;
    return typeof word === "string" && /^\w{1,80}$/.test(word) ? word : "no reason";
  } catch {
    return undefined;
  }
}

/**
 * URLs contain the purchase token and must not be logged. Deno includes them in the message or the cause of an error.
 */
function withoutAddresses({ message, cause }: Error): string {
  const causes = [cause, cause instanceof Error ? cause.cause : undefined].filter((each) => each !== undefined);
  return [message, ...causes].join(": ").replaceAll(/https?:\/\/\S+/g, "(address)");
}
