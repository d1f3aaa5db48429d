/** What store sync asks of a store, in the same words for both; and how a store is asked: one request after another. */
import type { StoreName } from "./store.ts";

/** One product, country and currency of a day, in minor units of the currencies. */
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
  /** Where the next page is; null after the last one. */
  readonly next: string | null;
}

export interface MetricRow {
  readonly metric_date: string;
  readonly metric: string;
  readonly value: number;
}

export interface MetricReport {
  readonly part: string;
  /** Of two reports about a day the later one holds. */
  readonly reportedOn: string;
  readonly rows: readonly MetricRow[];
  readonly rowsRead: number;
}

/** Each step of the iterables is one part, which is asked for when it is wanted. */
export interface StoreReports {
  /** Of these days those whose report is there, in their order. */
  sales(days: readonly string[]): AsyncIterable<SalesDay>;
  /** From `page` on (null: the first), as far back as `until` (null: all). */
  reviews(page: string | null, until: string | null): AsyncIterable<ReviewPage>;
  /** Without `parts`, which are read already. */
  metrics(parts: ReadonlySet<string>): AsyncIterable<MetricReport>;
}

export interface StoreReportSources {
  /** Throws a ReportError (`not_configured`) when the settings of the store are not there. */
  of(store: StoreName): StoreReports;
}

/** Why a run cannot go on, whatever it waits for. */
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

/** The store asks to wait, or is down: the run goes on after `seconds`. */
export class StoreWaits extends Error {
  override readonly name = "StoreWaits";
  constructor(readonly code: "rate_limited" | "unavailable", readonly seconds: number, message: string) {
    super(message);
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface Question {
  readonly method?: "GET" | "POST";
  readonly accept?: string;
  readonly body?: unknown;
}

const TIMEOUT_MS = 30_000;
/** A wait that is no longer is waited for here; for a longer one the run is put off. */
const SHORT_WAIT_SECONDS = 5;
const TRIES = 3;
/** When a store that limits its clients does not say for how long. */
const UNKNOWN_WAIT_SECONDS = 60;

/** Asks one interface of a store, with its bearer token. */
export class ReportClient {
  readonly #token: ((rejected?: string) => Promise<string>) | null;
  readonly #name: string;

  /** `token` gives the current token, or another one than that which is rejected; null for addresses that are signed. */
  constructor(name: string, token: ((rejected?: string) => Promise<string>) | null) {
    this.#name = name;
    this.#token = token;
  }

  /** The answer with its whole body. Waits, and asks again, as long as that is short; throws StoreWaits or ReportError. */
  async ask(url: string, question: Question = {}): Promise<Answer> {
    let token = await this.#token?.();
    let isRenewed = false;
    for (let attempt = 1;; attempt++) {
      // Undefined: it could not be reached, or broke off.
      const answer = await this.#send(url, question, token).catch(() => undefined);
      if (answer?.status === 401 && !isRenewed && this.#token) {
        token = await this.#token(token);
        isRenewed = true;
        continue;
      }
      if (answer?.status === 401 || answer?.status === 403) {
        throw new ReportError("credentials_rejected", `${this.#name} answers ${answer.status}: ${reasonOf(answer)}`);
      }
      if (answer && answer.status < 500 && answer.status !== 429) return answer;
      const wait = secondsOf(answer?.headers.get("retry-after") ?? null) ??
        (answer?.status === 429 ? UNKNOWN_WAIT_SECONDS : attempt / 2);
      if (attempt < TRIES && wait <= SHORT_WAIT_SECONDS) {
        await new Promise((resolve) => setTimeout(resolve, wait * 1000));
        continue;
      }
      if (answer?.status === 429) throw new StoreWaits("rate_limited", Math.ceil(wait), `${this.#name} asks to wait.`);
      const what = answer ? `answers ${answer.status}` : "cannot be reached";
      throw new StoreWaits("unavailable", Math.ceil(wait), `${this.#name} ${what}.`);
    }
  }

  /** The JSON of an answer with status 2xx. */
  async json<T>(url: string, question: Question = {}): Promise<T> {
    return this.read<T>(await this.ask(url, question));
  }

  read<T>(answer: Answer): T {
    if (answer.status >= 300) throw this.rejection(answer);
    try {
      return JSON.parse(new TextDecoder().decode(answer.bytes)) as T;
    } catch {
      throw new ReportError("unreadable", `${this.#name} answers with something that is not JSON.`);
    }
  }

  rejection(answer: Answer): ReportError {
    return new ReportError("rejected", `${this.#name} answers ${answer.status}: ${reasonOf(answer)}`);
  }

  async #send(
    url: string,
    { method = "GET", accept = "application/json", body }: Question,
    token?: string,
  ): Promise<Answer> {
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

/** What a store says about an error: Apple's `errors[0].detail`, Google's `error.message`; nothing of any other body. */
export function reasonOf({ bytes }: Answer): string {
  try {
    const { errors, error } = JSON.parse(new TextDecoder().decode(bytes)) as {
      errors?: readonly { detail?: unknown; title?: unknown }[];
      error?: { message?: unknown };
    };
    const reason = errors?.[0]?.detail ?? errors?.[0]?.title ?? error?.message;
    return typeof reason === "string" ? reason.slice(0, 300) : "no reason is given.";
  } catch {
    return "no reason is given.";
  }
}

/** `Retry-After` in seconds: as such, as a date, or as the milliseconds of a UNIX time, which Apple sends. */
export function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const text = retryAfter.trim();
  if (/^\d{1,6}$/.test(text)) return Number(text);
  const at = /^\d{13}$/.test(text) ? Number(text) : Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.min(86_400, Math.max(0, Math.ceil((at - Date.now()) / 1000)));
}

/** Text as Postgres takes it: without NUL and half characters; null when nothing is left. */
export function textOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  return value.replaceAll("\0", "").toWellFormed().trim() || null;
}
