// Sends what transactions put into net.http_request_queue, as pg_net does: after they committed, once, and whatever the
// answer is it is written down.
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

interface Answer {
  readonly status_code: number | null;
  readonly content_type: string | null;
  readonly headers: Record<string, string>;
  readonly content: string | null;
  readonly timed_out: boolean;
  readonly error_msg: string | null;
}

/** For notifications that a lost connection missed. */
const LOOK_ANYHOW = 10_000;
const AT_ONCE = 200;

export class NetWorker {
  readonly #sql: Sql;
  readonly #sending = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #timer: ReturnType<typeof setInterval> | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #purgedAt = -LOOK_ANYHOW;

  constructor(superuser: string, readonly log: (line: string) => void) {
    this.#sql = postgres(superuser, { max: 2, ...connectionOptions });
  }

  async start(): Promise<void> {
    await this.#sql.listen("pg_net", () => this.#look(), () => this.#look());
    this.#timer = setInterval(() => this.#look(), LOOK_ANYHOW);
  }

  /** Requests that wait for an answer are given up, and written down so. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort(new Error("The platform stops"));
    await this.#looking;
    await Promise.all(this.#sending);
    await this.#sql.end({ timeout: 1 });
  }

  #look(): void {
    this.#lookAgain = true;
    if (this.#stop.signal.aborted) return;
    this.#looking ??= this.#take()
      .catch((error) => {
        this.#lookAgain = false; // the timer, or the new connection, looks again
        this.log(`Queued requests could not be read: ${error}`);
      })
      .finally(() => {
        this.#looking = undefined;
        if (this.#lookAgain && this.#sending.size < AT_ONCE) this.#look();
      });
  }

  // A slow answer holds nobody up: as long as there is room, what is queued is sent beside it.
  async #take(): Promise<void> {
    if (performance.now() - this.#purgedAt >= LOOK_ANYHOW) {
      this.#purgedAt = performance.now();
      await this.#sql`delete from net._http_response where created < now() - interval '6 hours'`;
    }
    while (this.#lookAgain && this.#sending.size < AT_ONCE && !this.#stop.signal.aborted) {
      this.#lookAgain = false;
      const requests = await this.#sql<QueuedRequest[]>`
        delete from net.http_request_queue
        where id in (select id from net.http_request_queue order by id limit ${AT_ONCE - this.#sending.size})
        returning id::text, method, url, headers, body, timeout_milliseconds`;
      for (const request of requests) {
        const sent = this.#send(request)
          .catch((error) => this.log(`The answer to request ${request.id} could not be written down: ${error}`))
          .finally(() => {
            this.#sending.delete(sent);
            this.#look();
          });
        this.#sending.add(sent);
      }
    }
  }

  async #send(request: QueuedRequest): Promise<void> {
    const answer = await answerOf(request, this.#stop.signal);
    const { status_code, content_type, headers, content, timed_out, error_msg } = answer;
    await this.#sql`
      insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg)
      values (${request.id}, ${status_code}, ${content_type}, ${this.#sql.json(headers)}, ${content}, ${timed_out},
        ${error_msg})`;
  }
}

async function answerOf(request: QueuedRequest, stop: AbortSignal): Promise<Answer> {
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
