/** Client for chat completions of an AI gateway with OpenAI's protocol: one request to one model. */
import type { Config } from "../config.ts";
import type { AiConfig, AiSearchConfig } from "../provider_settings.ts";
import { bytesOf, retryAfterOf } from "./calls/request.ts";

export interface AiRequest {
  readonly system: string;
  readonly user: string;
  /** JSON Schema of the answer. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly schemaName: string;
}

/**
 * Outcome of a request: `refused` by the model, `cut_off` before the end of the answer, `rejected` by the API (4xx),
 * `credentials` not accepted, `rate_limited`, `failed` (5xx, no connection, no JSON), `timed_out`.
 */
export type AiOutcome =
  | "answered"
  | "refused"
  | "cut_off"
  | "rejected"
  | "credentials"
  | "rate_limited"
  | "failed"
  | "timed_out";

export interface AiAnswer {
  readonly outcome: AiOutcome;
  /** The text of an answer. Null for all other outcomes. */
  readonly content: string | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export interface AiRequestOptions {
  readonly timeoutMs: number;
  /** A user's own key, instead of the gateway's. */
  readonly key?: string | undefined;
}

export interface AiGateway {
  readonly settings: AiSearchConfig;
  /** Throws if `settings.gateway` is null. */
  complete(model: string, request: AiRequest, options: AiRequestOptions): Promise<AiAnswer>;
}

/** A longer response cannot be a valid answer. */
const MAX_ANSWER_BYTES = 200_000;
const MAX_COMPLETION_TOKENS = 1000;
/** How long an exhausted model is skipped if its response does not contain Retry-After. */
const QUOTA_SECONDS = 20;

interface Completion {
  readonly error?: unknown;
  readonly choices?: readonly {
    readonly finish_reason?: string | null;
    readonly message?: { readonly content?: string | null; readonly refusal?: string | null };
  }[];
  readonly usage?: { readonly prompt_tokens?: number; readonly completion_tokens?: number };
}

/** One per process. */
export function aiGateway(config: () => Config): AiGateway {
  let gateway: AiGateway | undefined;
  const open = () => gateway ??= gatewayOf(config().providers.aiSearch);
  return {
    get settings() {
      return open().settings;
    },
    complete: (model, request, options) => open().complete(model, request, options),
  };
}

/** Caches which models have an exhausted quota. */
export function gatewayOf(settings: AiSearchConfig): AiGateway {
  const client = settings.gateway && new Client(settings.gateway);
  return {
    settings,
    complete: (model, request, options) => {
      if (client === null) throw new TypeError("No AI gateway is configured");
      return client.complete(model, request, options);
    },
  };
}

class Client {
  readonly #settings: AiConfig;
  readonly #outOfQuotaUntil = new Map<string, number>();

  constructor(settings: AiConfig) {
    this.#settings = settings;
  }

  async complete(model: string, request: AiRequest, options: AiRequestOptions): Promise<AiAnswer> {
    // A user's own key has its own quota.
    if (options.key === undefined && (this.#outOfQuotaUntil.get(model) ?? 0) > Date.now()) {
      return failed("rate_limited");
    }
    // The timeout covers the whole response, because a gateway can stop in the middle of it.
    const signal = AbortSignal.timeout(options.timeoutMs);
    try {
      const response = await this.#post(model, request, options.key, signal);
      if (response.ok) return parseCompletion(await bytesOf(response, MAX_ANSWER_BYTES));
      await response.body?.cancel();
      if (response.status === 429 && options.key === undefined) {
        this.#outOfQuotaUntil.set(model, Date.now() + (retryAfterOf(response) ?? QUOTA_SECONDS) * 1000);
      }
      return failed(outcomeOf(response.status));
    } catch {
      return failed(signal.aborted ? "timed_out" : "failed");
    }
  }

  #post(model: string, request: AiRequest, key: string | undefined, signal: AbortSignal): Promise<Response> {
    const { url, headers, key: ownKey } = this.#settings;
    const bearer = key ?? ownKey;
    return fetch(`${url}/chat/completions`, {
      method: "POST",
      headers: {
        ...headers,
        ...bearer === null ? {} : { authorization: `Bearer ${bearer}` },
        "content-type": "application/json",
      },
      body: JSON.stringify({
        model,
        messages: [{ role: "system", content: request.system }, { role: "user", content: request.user }],
        temperature: 0,
        max_completion_tokens: MAX_COMPLETION_TOKENS,
        response_format: {
          type: "json_schema",
          json_schema: { name: request.schemaName, strict: true, schema: request.schema },
        },
      }),
      redirect: "error",
      signal,
    });
  }
}

function failed(outcome: AiOutcome, tokens: { prompt?: number; completion?: number } = {}): AiAnswer {
  return { outcome, content: null, promptTokens: tokens.prompt ?? 0, completionTokens: tokens.completion ?? 0 };
}

function outcomeOf(status: number): AiOutcome {
  if (status === 401 || status === 403) return "credentials";
  if (status === 429) return "rate_limited";
  if (status === 408) return "timed_out";
  return status >= 400 && status < 500 ? "rejected" : "failed";
}

/** An error after the start of the response arrives with status 200. */
function parseCompletion(bytes: Uint8Array | null): AiAnswer {
  if (bytes === null) throw new RangeError("The response is too long");
  const { error, choices, usage } = (JSON.parse(new TextDecoder().decode(bytes)) ?? {}) as Completion;
  const tokens = { prompt: countOf(usage?.prompt_tokens), completion: countOf(usage?.completion_tokens) };
  const choice = choices?.[0];
  if (error || !choice) return failed("failed", tokens);
  const { content, refusal } = choice.message ?? {};
  if (refusal || choice.finish_reason === "content_filter") return failed("refused", tokens);
  if (choice.finish_reason === "length") return failed("cut_off", tokens);
  if (typeof content !== "string") return failed("failed", tokens);
  return { outcome: "answered", content, promptTokens: tokens.prompt, completionTokens: tokens.completion };
}

function countOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? Math.min(value, 10_000_000) : 0;
}
