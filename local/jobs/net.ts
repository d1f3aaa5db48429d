// Sends the requests in net.http_request_queue, as pg_net does: after their transaction committed, once, and records each
// response or error.
import postgres, { type Sql } from "postgres";
import { connectionOptions } from "../postgres/connection_options.ts";

interface QueuedRequest {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string> | null;
  readonly body: Uint8Array<ArrayBuffer> | null;
  readonly timeout_milliseconds: number;
}

interface StoredResponse {
  readonly status_code: number | null;
  readonly content_type: string | null;
  readonly headers: Record<string, string>;
  readonly content: string | null;
  readonly timed_out: boolean;
  readonly error_msg: string | null;
}

/** Notifications are lost with their connection, so the queue is also read at this interval. */
const POLL_INTERVAL_MS = 10_000;
const MAX_CONCURRENT = 200;

export class NetWorker {
  readonly #sql: Sql;
  readonly #sending = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #timer: ReturnType<typeof setInterval> | undefined;
  #reading: Promise<void> | undefined;
  #isReadRequested = false;
  #purgedAt = -POLL_INTERVAL_MS;

  constructor(superuser: string, readonly log: (line: string) => void) {
    this.#sql = postgres(superuser, { max: 2, ...connectionOptions });
  }

  async start(): Promise<void> {
    await this.#sql.listen("pg_net", () => this.#readSoon(), () => this.#readSoon());
    this.#timer = setInterval(() => this.#readSoon(), POLL_INTERVAL_MS);
  }

  /** Aborts the requests that wait for a response, and records that. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort(new Error("The platform stops"));
    await this.#reading;
    await Promise.all(this.#sending);
    await this.#sql.end({ timeout: 1 });
  }

  #readSoon(): void {
    this.#isReadRequested = true;
    if (this.#stop.signal.aborted) return;
    this.#reading ??= this.#readQueue()
      .catch((error) => {
        this.#isReadRequested = false; // the timer, or the new connection, reads again
        this.log(`Queued requests could not be read: ${error}`);
      })
      .finally(() => {
        this.#reading = undefined;
        if (this.#isReadRequested && this.#sending.size < MAX_CONCURRENT) this.#readSoon();
      });
  }

  // A slow response does not delay other requests: up to MAX_CONCURRENT are sent at once.
  async #readQueue(): Promise<void> {
    if (performance.now() - this.#purgedAt >= POLL_INTERVAL_MS) {
      this.#purgedAt = performance.now();
      await this.#sql`delete from net._http_response where created < now() - interval '6 hours'`;
    }
    while (this.#isReadRequested && this.#sending.size < MAX_CONCURRENT && !this.#stop.signal.aborted) {
      this.#isReadRequested = false;
      const requests = await this.#sql<QueuedRequest[]>`
        delete from net.http_request_queue
        where id in (select id from net.http_request_queue order by id limit ${MAX_CONCURRENT - this.#sending.size})
        returning id::text, method, url, headers, body, timeout_milliseconds`;
      for (const request of requests) {
        const sent = this.#send(request)
          .catch((error) => this.log(`The response to request ${request.id} could not be recorded: ${error}`))
          .finally(() => {
            this.#sending.delete(sent);
            this.#readSoon();
          });
        this.#sending.add(sent);
      }
    }
  }

  async #send(request: QueuedRequest): Promise<void> {
    const response = await send(request, this.#stop.signal);
    const { status_code, content_type, headers, content, timed_out, error_msg } = response;
    await this.#sql`
      insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg)
      values (${request.id}, ${status_code}, ${content_type}, ${this.#sql.json(headers)}, ${content}, ${timed_out},
        ${error_msg})`;
  }
}

async function send(request: QueuedRequest, stop: AbortSignal): Promise<StoredResponse> {
  const { method, url, headers, body, timeout_milliseconds } = request;
  const nothing = { status_code: null, content_type: null, headers: {}, content: null, timed_out: false };
  try {
    const response = await fetch(url, {
      method,
      headers: headers ?? {},
      body,
      signal: AbortSignal.any([stop, AbortSignal.timeout(timeout_milliseconds)]),
    });
    return {
      status_code: response.status,
      content_type: response.headers.get("content-type"),
      headers: Object.fromEntries(response.headers),
      content: await response.text(),
      timed_out: false,
      error_msg: null,
    };
  } catch (error) {
    const timedOut = error instanceof DOMException && error.name === "TimeoutError";
    return {
      ...nothing,
      timed_out: timedOut,
      error_msg: timedOut ? `Timeout of ${timeout_milliseconds} ms` : String(error),
    };
  }
}
