/** The App Store Server API: returns the current state of a subscription or transaction. */
import { importPKCS8 } from "jose/key/import";
import { SignJWT } from "jose/jwt/sign";
import { z } from "zod";
import type { AppStoreConfig } from "../../provider_settings.ts";
import type { Environment } from "./signed_data.ts";

const AUDIENCE = "appstoreconnect-v1";
const TOKEN_LIFETIME_MS = 20 * 60_000;
/** A token is renewed this long before it expires. */
const TOKEN_MARGIN_MS = 60_000;
const TIMEOUT_MS = 6_000;
const RETRY_PAUSE_MS = 200;
/** Retry delay if the store does not return one. */
const RETRY_SECONDS = 15;
const RATE_LIMIT_SECONDS = 60;
const MAX_RETRY_SECONDS = 3600;

/** The App Store is unavailable: it is down, too slow, or rejects our key. */
export class AppStoreDown extends Error {
  override readonly name = "AppStoreDown";
  constructor(message: string, readonly retryAfter: number = RETRY_SECONDS, options?: ErrorOptions) {
    super(message, options);
  }
}

/** It rejects our token. A retry cannot help. */
export class KeyRejected extends AppStoreDown {}

/** The transaction does not exist, or not yet. */
export class TransactionUnknown extends Error {
  override readonly name = "TransactionUnknown";
}

const ErrorCode = {
  invalidTransactionId: 4000006,
  invalidOriginalTransactionId: 4000008,
  accountNotFound: 4040001,
  accountNotFoundRetryable: 4040002,
  appNotFoundRetryable: 4040004,
  originalTransactionNotFound: 4040005,
  originalTransactionNotFoundRetryable: 4040006,
  transactionNotFound: 4040010,
  internalRetryable: 5000001,
} as const;

const UNKNOWN: readonly number[] = [
  ErrorCode.invalidTransactionId,
  ErrorCode.invalidOriginalTransactionId,
  ErrorCode.accountNotFound,
  ErrorCode.originalTransactionNotFound,
  ErrorCode.transactionNotFound,
];
const RETRYABLE: readonly number[] = [
  ErrorCode.accountNotFoundRetryable,
  ErrorCode.appNotFoundRetryable,
  ErrorCode.originalTransactionNotFoundRetryable,
  ErrorCode.internalRetryable,
];

const ApiError = z.object({ errorCode: z.number() });
const TransactionAnswer = z.object({ signedTransactionInfo: z.string() });
const StatusItem = z.object({
  originalTransactionId: z.string().optional(),
  status: z.number().optional(),
  signedTransactionInfo: z.string().optional(),
  signedRenewalInfo: z.string().optional(),
});
export type StatusItem = z.output<typeof StatusItem>;
const StatusAnswer = z.object({
  data: z.array(z.object({
    subscriptionGroupIdentifier: z.string().optional(),
    lastTransactions: z.array(StatusItem).optional(),
  })).optional(),
});

export interface ServerApiOptions {
  /** Timeout of one attempt. */
  readonly timeoutMs?: number;
}

export class ServerApi {
  readonly #api: NonNullable<AppStoreConfig["api"]>;
  readonly #bundleId: string;
  readonly #timeoutMs: number;
  #token: { readonly value: string; readonly usableUntil: number } | undefined;

  constructor(
    api: NonNullable<AppStoreConfig["api"]>,
    bundleId: string,
    { timeoutMs = TIMEOUT_MS }: ServerApiOptions = {},
  ) {
    this.#api = api;
    this.#bundleId = bundleId;
    this.#timeoutMs = timeoutMs;
  }

  /** The last transactions of all subscriptions of the customer of this transaction. */
  async subscriptions(environment: Environment, transactionId: string): Promise<readonly StatusItem[]> {
    const answer = await this.#get(environment, "subscriptions", transactionId, StatusAnswer);
    return (answer.data ?? []).flatMap(({ lastTransactions }) => lastTransactions ?? []);
  }

  /** A signed transaction of any product type. */
  async transaction(environment: Environment, transactionId: string): Promise<string> {
    const answer = await this.#get(environment, "transactions", transactionId, TransactionAnswer);
    return answer.signedTransactionInfo;
  }

  async #get<Answer>(
    environment: Environment,
    resource: "subscriptions" | "transactions",
    transactionId: string,
    schema: z.ZodType<Answer>,
  ): Promise<Answer> {
    const url = environment === "Production" ? this.#api.url : this.#api.sandboxUrl;
    const address = `${url}/inApps/v1/${resource}/${encodeURIComponent(transactionId)}`;
    let answer = await this.#try(address);
    if (answer.outcome !== "answer") {
      if (answer.outcome === "unauthorized") this.#token = undefined;
      else await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
      answer = await this.#try(address);
    }
    if (answer.outcome === "unauthorized") throw new KeyRejected("the App Store rejects the key of its Server API");
    if (answer.outcome === "retry") throw answer.failure;
    const parsed = schema.safeParse(answer.body);
    if (!parsed.success) throw new AppStoreDown("the response of the App Store has an unknown format");
    return parsed.data;
  }

  /** One attempt: returns a response or a retryable error. Throws other errors. */
  async #try(address: string): Promise<Outcome> {
    const bearer = await this.#bearer();
    let status: number, headers: Headers, text: string;
    try {
      const response = await fetch(address, {
        headers: { authorization: `Bearer ${bearer}`, accept: "application/json" },
        redirect: "manual",
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      [status, headers, text] = [response.status, response.headers, await response.text()];
    } catch (cause) {
      const isTimeout = cause instanceof DOMException && cause.name === "TimeoutError";
      if (isTimeout) throw new AppStoreDown("the App Store does not respond in time", RETRY_SECONDS, { cause });
      return {
        outcome: "retry",
        failure: new AppStoreDown("the App Store cannot be reached", RETRY_SECONDS, { cause }),
      };
    }
    const body = jsonIn(text);
    if (status >= 200 && status < 300) return { outcome: "answer", body };
    if (status === 401) return { outcome: "unauthorized" };
    const code = ApiError.safeParse(body).data?.errorCode;
    const message = `the App Store responded with ${status}${code === undefined ? "" : ` (${code})`}`;
    if (status === 429) throw new AppStoreDown(message, rateLimitSeconds(headers.get("retry-after")));
    if (code !== undefined && UNKNOWN.includes(code)) throw new TransactionUnknown(message);
    if (status >= 500 || (code !== undefined && RETRYABLE.includes(code))) {
      return { outcome: "retry", failure: new AppStoreDown(message) };
    }
    throw new AppStoreDown(message);
  }

  async #bearer(): Promise<string> {
    if (this.#token && this.#token.usableUntil > Date.now()) return this.#token.value;
    const { issuerId, keyId, privateKey } = this.#api;
    const expiresAt = Date.now() + TOKEN_LIFETIME_MS;
    const key = await importPKCS8(privateKey, "ES256").catch((cause) => {
      throw new KeyRejected("the key of the App Store Server API is unusable", RETRY_SECONDS, { cause });
    });
    const value = await new SignJWT({ bid: this.#bundleId })
      .setProtectedHeader({ alg: "ES256", kid: keyId, typ: "JWT" })
      .setIssuer(issuerId).setAudience(AUDIENCE).setIssuedAt().setExpirationTime(Math.floor(expiresAt / 1000))
      .sign(key);
    this.#token = { value, usableUntil: expiresAt - TOKEN_MARGIN_MS };
    return value;
  }
}

type Outcome =
  | { readonly outcome: "answer"; readonly body: unknown }
  | { readonly outcome: "unauthorized" }
  | { readonly outcome: "retry"; readonly failure: AppStoreDown };

/** A proxy responds in HTML, and a rejected token has an empty response. Neither is JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Seconds until a time that the App Store returns in milliseconds since 1970. Proxies in front of it return seconds.
 */
function rateLimitSeconds(retryAfter: string | null): number {
  if (retryAfter === null || !/^\d{1,15}$/.test(retryAfter)) return RATE_LIMIT_SECONDS;
  const value = Number(retryAfter);
  const seconds = value <= MAX_RETRY_SECONDS ? value : Math.ceil((value - Date.now()) / 1000);
  return Math.min(Math.max(seconds, 1), MAX_RETRY_SECONDS);
}
