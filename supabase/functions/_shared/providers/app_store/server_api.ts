/** The App Store Server API: returns the current state of a subscription or transaction. */
import { z } from "zod";
import type { AppStoreConfig } from "../../provider_settings.ts";
import { DEADLINES } from "../calls/deadlines.ts";
import { CredentialsRejected, ProviderDown, Refused } from "../calls/errors.ts";
import { request, retryAfterOf } from "../calls/request.ts";
import { appleTokens, type Tokens } from "../calls/tokens.ts";
import type { Environment } from "./signed_data.ts";

const RETRY_PAUSE_MS = 200;
/** Retry delay if the store limits its clients without Retry-After. */
const RATE_LIMIT_SECONDS = 60;
const MAX_RETRY_SECONDS = 3600;

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
  readonly #tokens: Tokens;
  readonly #timeoutMs: number;

  constructor(
    api: NonNullable<AppStoreConfig["api"]>,
    bundleId: string,
    { timeoutMs = DEADLINES.appStore }: ServerApiOptions = {},
  ) {
    this.#api = api;
    this.#tokens = appleTokens(api, { bid: bundleId });
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
    const token = await this.#tokens.get();
    let answer = await this.#try(address, token);
    if (answer.outcome === "unauthorized") {
      answer = await this.#try(address, await this.#tokens.get(token));
    } else if (answer.outcome === "retry") {
      await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
      answer = await this.#try(address, token);
    }
    if (answer.outcome === "unauthorized") {
      throw new CredentialsRejected("the App Store rejects the key of its Server API");
    }
    if (answer.outcome === "retry") throw answer.failure;
    const parsed = schema.safeParse(answer.body);
    if (!parsed.success) throw new ProviderDown("the response of the App Store has an unknown format");
    return parsed.data;
  }

  /** One attempt: returns a response or a retryable error. Throws other errors. */
  async #try(address: string, token: string): Promise<Outcome> {
    try {
      return await this.#send(address, token);
    } catch (error) {
      if (error instanceof ProviderDown && error.why === "unreachable") return { outcome: "retry", failure: error };
      throw error;
    }
  }

  async #send(address: string, token: string): Promise<Outcome> {
    const answer = await request("the App Store", address, {
      headers: { authorization: `Bearer ${token}`, accept: "application/json" },
      redirect: "manual",
      deadline: this.#timeoutMs,
    });
    const { ok, status, text } = answer;
    const body = jsonIn(text);
    if (ok) return { outcome: "answer", body };
    if (status === 401) return { outcome: "unauthorized" };
    const code = ApiError.safeParse(body).data?.errorCode;
    const message = `the App Store responded with ${status}${code === undefined ? "" : ` (${code})`}`;
    if (status === 429) {
      const retryAfter = Math.min(Math.max(retryAfterOf(answer) ?? RATE_LIMIT_SECONDS, 1), MAX_RETRY_SECONDS);
      throw new ProviderDown(message, { why: "rate_limited", retryAfter });
    }
    if (code !== undefined && UNKNOWN.includes(code)) throw new Refused("unknown", message);
    const failure = new ProviderDown(message);
    if (status >= 500 || (code !== undefined && RETRYABLE.includes(code))) return { outcome: "retry", failure };
    throw failure;
  }
}

type Outcome =
  | { readonly outcome: "answer"; readonly body: unknown }
  | { readonly outcome: "unauthorized" }
  | { readonly outcome: "retry"; readonly failure: ProviderDown };

/** A proxy responds in HTML, and a rejected token has an empty response. Neither is JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
