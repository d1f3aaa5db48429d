/** The interface of both stores for store sync, and the HTTP client for one request after another. */
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
  /** Throws a ReportError (`not_configured`) if the store is not configured. */
  of(store: StoreName): StoreReports;
}

/** A run that cannot continue. Waiting does not help. */
export class ReportError extends Error {
  override readonly name = "ReportError";
  constructor(
    readonly code:
      | "not_configured"
      | "credentials_rejected"
      | "column_missing"
      | "report_missing"
      | "unreadable"
      | "rejected",
    message: string,
  ) {
    super(message);
  }
}

/** The store requested a delay, or is down. The run continues after `seconds`. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
  constructor(readonly code: "rate_limited" | "unavailable", readonly seconds: number, message: string) {
    super(message);
  }
}

export interface ReportResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface ReportRequest {
  readonly method?: "GET" | "POST";
  readonly accept?: string;
  readonly body?: unknown;
}

const TIMEOUT_MS = 30_000;
/** A delay up to this length is waited for here. For a longer one the run is postponed. */
const SHORT_WAIT_SECONDS = 5;
const TRIES = 3;
/** Delay if a store limits its clients without Retry-After. */
const UNKNOWN_WAIT_SECONDS = 60;

/** Client for one API of a store, with its bearer token. */
export class ReportClient {
  readonly #token: ((rejected?: string) => Promise<string>) | null;
  readonly #name: string;

  /** `token` returns the current token, or a new one if the given one is rejected. Null for presigned URLs. */
  constructor(name: string, token: ((rejected?: string) => Promise<string>) | null) {
    this.#name = name;
    this.#token = token;
  }

  /** The response with its whole body. Retries after short delays. Throws StoreUnavailable or ReportError. */
  async request(url: string, request: ReportRequest = {}): Promise<ReportResponse> {
    let token = await this.#token?.();
    let isRenewed = false;
    for (let attempt = 1;; attempt++) {
      // Undefined: the connection failed.
      const response = await this.#send(url, request, token).catch(() => undefined);
      if (response?.status === 401 && !isRenewed && this.#token) {
        token = await this.#token(token);
        isRenewed = true;
        continue;
      }
      if (response?.status === 401 || response?.status === 403) {
        throw new ReportError(
          "credentials_rejected",
          `${this.#name} responded with ${response.status}: ${errorMessageOf(response)}`,
        );
      }
      if (response && response.status < 500 && response.status !== 429) return response;
      const wait = parseRetryAfter(response?.headers.get("retry-after") ?? null) ??
        (response?.status === 429 ? UNKNOWN_WAIT_SECONDS : attempt / 2);
      if (attempt < TRIES && wait <= SHORT_WAIT_SECONDS) {
        await new Promise((resolve) => setTimeout(resolve, wait * 1000));
        continue;
      }
      if (response?.status === 429) {
        throw new StoreUnavailable("rate_limited", Math.ceil(wait), `${this.#name} requested a delay.`);
      }
      const what = response ? `responded with ${response.status}` : "cannot be reached";
      throw new StoreUnavailable("unavailable", Math.ceil(wait), `${this.#name} ${what}.`);
    }
  }

  /** The JSON of a response with status 2xx. */
  async json<T>(url: string, request: ReportRequest = {}): Promise<T> {
    return this.read<T>(await this.request(url, request));
  }

  read<T>(response: ReportResponse): T {
    if (response.status >= 300) throw this.rejection(response);
    try {
      return JSON.parse(new TextDecoder().decode(response.bytes)) as T;
    } catch {
      throw new ReportError("unreadable", `${this.#name} responded with something that is not JSON.`);
    }
  }

  rejection(response: ReportResponse): ReportError {
    return new ReportError("rejected", `${this.#name} responded with ${response.status}: ${errorMessageOf(response)}`);
  }

  async #send(
    url: string,
    { method = "GET", accept = "application/json", body }: ReportRequest,
    token?: string,
  ): Promise<ReportResponse> {
    const response = await fetch(url, {
      method,
      headers: {
        accept,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
  }
}

/** The store's error message: Apple's `errors[0].detail` or Google's `error.message`. Other bodies are ignored. */
export function errorMessageOf({ bytes }: ReportResponse): string {
  try {
    const { errors, error } = JSON.parse(new TextDecoder().decode(bytes)) as {
      errors?: readonly { detail?: unknown; title?: unknown }[];
      error?: { message?: unknown };
    };
    const reason = errors?.[0]?.detail ?? errors?.[0]?.title ?? error?.message;
    return typeof reason === "string" ? reason.slice(0, 300) : "no reason given.";
  } catch {
    return "no reason given.";
  }
}

/** `Retry-After` in seconds, from seconds, a date, or the milliseconds since 1970 that Apple sends. */
export function parseRetryAfter(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const text = retryAfter.trim();
  if (/^\d{1,6}$/.test(text)) return Number(text);
  const at = /^\d{13}$/.test(text) ? Number(text) : Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.min(86_400, Math.max(0, Math.ceil((at - Date.now()) / 1000)));
}

/** Text that Postgres can store: without NUL and lone surrogates. Null if it becomes empty. */
export function storableText(value: unknown): string | null {
  if (typeof value !== "string") return null;
  return value.replaceAll("\0", "").toWellFormed().trim() || null;
}
