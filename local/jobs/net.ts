// Sends what transactions put into net.http_request_queue, as pg_net does: after they committed, once, and whatever the
// answer is it is written down.
import postgres, { type Sql } from "postgres";
import { patient } from "../database/connection.ts";

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
const BATCH = 200;

export class NetWorker {
  readonly #sql: Sql;
  #timer: ReturnType<typeof setInterval> | undefined;
  #draining: Promise<void> = Promise.resolve();

  constructor(superuser: string, readonly log: (line: string) => void) {
    this.#sql = postgres(superuser, { max: 2, ...patient });
  }

  async start(): Promise<void> {
    await this.#sql.listen("pg_net", () => this.#look(), () => this.#look());
    this.#timer = setInterval(() => this.#look(), LOOK_ANYHOW);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#draining;
    await this.#sql.end({ timeout: 1 });
  }

  #look(): void {
    this.#draining = this.#draining.then(() => this.#drain())
      .catch((error) => this.log(`Queued requests could not be sent: ${error}`));
  }

  async #drain(): Promise<void> {
    await this.#sql`delete from net._http_response where created < now() - interval '6 hours'`;
    for (;;) {
      const requests = await this.#sql<QueuedRequest[]>`
        delete from net.http_request_queue where id in (select id from net.http_request_queue order by id limit ${BATCH})
        returning id::text, method, url, headers, body, timeout_milliseconds`;
      if (requests.length === 0) return;
      await Promise.all(requests.map((request) => this.#send(request)));
    }
  }

  async #send(request: QueuedRequest): Promise<void> {
    const { status_code, content_type, headers, content, timed_out, error_msg } = await answerOf(request);
    await this.#sql`
      insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg)
      values (${request.id}, ${status_code}, ${content_type}, ${this.#sql.json(headers)}, ${content}, ${timed_out},
        ${error_msg})`;
  }
}

async function answerOf({ method, url, headers, body, timeout_milliseconds }: QueuedRequest): Promise<Answer> {
  const nothing = { status_code: null, content_type: null, headers: {}, content: null, timed_out: false };
  try {
    const response = await fetch(url, {
      method,
      headers: headers ?? {},
      body,
      signal: AbortSignal.timeout(timeout_milliseconds),
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
