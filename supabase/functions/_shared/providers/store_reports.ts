/** The interface of both stores for store sync, and the HTTP client for one request after another. */
import { DEADLINES } from "./calls/deadlines.ts";
import { CredentialsRejected, ProviderDown, Refused } from "./calls/errors.ts";
import { type Answer, request, retryAfterOf } from "./calls/request.ts";
import { MAX_BYTES } from "./report_files.ts";
import type { Tokens } from "./calls/tokens.ts";
import type { StoreName } from "./store.ts";

/** One product, country and currency of a day, in minor units. */
export interface SalesRow {
  readonly sku: string;
  readonly title: string | null;
  readonly product_type: string;
  readonly country: string;
  readonly currency: string;
  readonly units: number;
  readonly refund_units: number;
  readonly amount_minor: number;
  readonly refund_minor: number;
  readonly proceeds_currency: string;
  readonly proceeds_minor: number | null;
}

export interface SalesDay {
  readonly day: string;
  readonly rows: readonly SalesRow[];
  readonly rowsRead: number;
}

export interface ReviewRow {
  readonly review_id: string;
  readonly rating: number;
  readonly title: string | null;
  readonly body: string;
  readonly language: string | null;
  readonly territory: string | null;
  readonly author_name: string | null;
  readonly app_version: string | null;
  readonly response_body: string | null;
  readonly responded_at: string | null;
  readonly reviewed_at: string;
}

export interface ReviewPage {
  readonly rows: readonly ReviewRow[];
  /** Cursor of the next page. Null after the last one. */
  readonly next: string | null;
}

export interface MetricRow {
  readonly metric_date: string;
  readonly metric: string;
  readonly value: number;
}

export interface MetricReport {
  readonly part: string;
  /** If two reports contain the same day, the later one is used. */
  readonly reportedOn: string;
  readonly rows: readonly MetricRow[];
  readonly rowsRead: number;
}

/** Each step of an iterable is one part, which is requested when it is needed. */
export interface StoreReports {
  /** Reports of these days, in their order. Days without a report are skipped. */
  sales(days: readonly string[]): AsyncIterable<SalesDay>;
  /** From `page` on (null: the first page), back to `until` (null: all). */
  reviews(page: string | null, until: string | null): AsyncIterable<ReviewPage>;
  /** Skips `parts`, which were read before. */
  metrics(parts: ReadonlySet<string>): AsyncIterable<MetricReport>;
}

export interface StoreReportSources {
  /** Throws Refused (`not_configured`) if the store is not configured. */
  of(store: StoreName): StoreReports;
}

export interface ReportRequest {
  readonly method?: "GET" | "POST";
  readonly accept?: string;
  readonly body?: unknown;
}

/** A delay up to this length is waited for here. For a longer one the run is postponed. */
const SHORT_WAIT_SECONDS = 5;
const TRIES = 3;
/** Delay if a store limits its clients without Retry-After. */
const UNKNOWN_WAIT_SECONDS = 60;

/** Client for one API of a store, with its bearer token. */
export class ReportClient {
  readonly #tokens: Tokens | null;
  readonly #name: string;

  /** Presigned URLs need no tokens. */
  constructor(name: string, tokens: Tokens | null) {
    this.#name = name;
    this.#tokens = tokens;
  }

  /** The response with its whole body. Retries after short delays. Throws the errors of providers. */
  async request(url: string, asked: ReportRequest = {}): Promise<Answer> {
    for (let attempt = 1;; attempt++) {
      const answer = await this.#send(url, asked);
      if (answer?.status === 401 || answer?.status === 403) {
        throw new CredentialsRejected(`${this.#name} responded with ${answer.status}: ${errorMessageOf(answer)}`);
      }
      const isLimited = answer?.status === 429;
      if (answer && answer.status < 500 && !isLimited) return answer;
      const wait = (answer && retryAfterOf(answer)) ?? (isLimited ? UNKNOWN_WAIT_SECONDS : attempt / 2);
      if (attempt < TRIES && wait <= SHORT_WAIT_SECONDS) {
        await new Promise((resolve) => setTimeout(resolve, wait * 1000));
        continue;
      }
      const what = isLimited ? "requested a delay" : answer ? `responded with ${answer.status}` : "cannot be reached";
      throw new ProviderDown(`${this.#name} ${what}.`, {
        why: isLimited ? "rate_limited" : "failing",
        retryAfter: Math.ceil(wait),
      });
    }
  }

  /** The JSON of a response with status 2xx. */
  async json<T>(url: string, request: ReportRequest = {}): Promise<T> {
    return this.read<T>(await this.request(url, request));
  }

  read<T>(response: Answer): T {
    if (response.status >= 300) throw this.rejection(response);
    try {
      return JSON.parse(response.text) as T;
    } catch {
      throw new Refused("unreadable", `${this.#name} responded with something that is not JSON.`);
    }
  }

  rejection(response: Answer): Refused {
    return new Refused("rejected", `${this.#name} responded with ${response.status}: ${errorMessageOf(response)}`);
  }

  /** Undefined if the connection failed. */
  async #send(
    url: string,
    { method = "GET", accept = "application/json", body }: ReportRequest,
  ): Promise<Answer | undefined> {
    const send = (token?: string) =>
      request(this.#name, url, {
        method,
        headers: {
          accept,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        deadline: DEADLINES.storeReports,
        maxBytes: MAX_BYTES,
      }).catch(() => undefined);
    return await (this.#tokens ? this.#tokens.use(send, (answer) => answer?.status === 401) : send());
  }
}

/** The store's error message: Apple's `errors[0].detail` or Google's `error.message`. Other bodies are ignored. */
export function errorMessageOf({ text }: Answer): string {
  try {
    const { errors, error } = JSON.parse(text) as {
      errors?: readonly { detail?: unknown; title?: unknown }[];
      error?: { message?: unknown };
    };
    const reason = errors?.[0]?.detail ?? errors?.[0]?.title ?? error?.message;
    return typeof reason === "string" ? reason.slice(0, 300) : "no reason given.";
  } catch {
    return "no reason given.";
  }
}

/** Text that Postgres can store: without NUL and lone surrogates. Null if it becomes empty. */
export function storableText(value: unknown): string | null {
  if (typeof value !== "string") return null;
  return value.replaceAll("\0", "").toWellFormed().trim() || null;
}
