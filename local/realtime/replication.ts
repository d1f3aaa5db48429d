// The stream of the write-ahead log: a temporary replication slot on a connection of its own. Postgres drops the slot with
// the connection, so that a server that has died does not keep the log from being removed.
import type { Buffer } from "node:buffer";
import type { Duplex } from "node:stream";
import postgres from "postgres";
import { SESSION } from "./database.ts";

export interface StreamOptions {
  readonly url: string;
  /** Called with each message of pgoutput, in order. */
  readonly onMessage: (message: Uint8Array) => void;
  /** Called with the end of the log when there are no messages. */
  readonly onIdle: (lsn: bigint) => void;
  /** Called once, when the stream has ended. */
  readonly onLost: (reason: string) => void;
}

const PUBLICATION = "supabase_realtime";
/** How often the position is confirmed. Postgres ends a connection that is silent for a minute. */
const CONFIRM_INTERVAL_MS = 1_000;
const XLOG_DATA = 0x77;
const KEEPALIVE = 0x6b;

export class ReplicationStream {
  /** Everything before this place in the log has been handled. */
  done = 0n;
  #stream: Duplex | undefined;
  #sql: postgres.Sql | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isOver = false;

  constructor(readonly options: StreamOptions) {}

  /** Resolves when the stream runs. */
  async open(): Promise<void> {
    const slot = `realtime_${crypto.randomUUID().replaceAll("-", "")}`;
    const sql = postgres(this.options.url, {
      max: 1,
      fetch_types: false,
      idle_timeout: 0,
      max_lifetime: null,
      onnotice: () => {},
      onclose: () => this.#lose("The connection was closed"),
      connection: { replication: "database", application_name: "realtime stream", ...SESSION } as never,
    });
    this.#sql = sql;
    const [slotRow] = await sql.unsafe(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT`)
      .simple();
    const start = slotRow!["consistent_point"] as string;
    const query = sql.unsafe(
      `START_REPLICATION SLOT ${slot} LOGICAL ${start} (proto_version '1', publication_names '${PUBLICATION}')`,
    ).simple();
    const stream = await query.writable() as Duplex;
    this.done = lsnOf(start);
    this.#stream = stream;
    stream.on("error", (error: Error) => this.#lose(error.message));
    stream.on("close", () => this.#lose("The stream was closed"));
    stream.on("data", (data: Buffer) => this.#receive(data));
    this.#timer = setInterval(() => this.#confirm(), CONFIRM_INTERVAL_MS);
  }

  /** Stops reading: Postgres keeps the rest. */
  pause(): void {
    this.#stream?.pause();
  }

  resume(): void {
    this.#stream?.resume();
  }

  /** No callback is called afterwards. */
  async close(): Promise<void> {
    this.#isOver = true;
    clearInterval(this.#timer);
    await this.#sql?.end({ timeout: 0 });
  }

  #receive(data: Uint8Array): void {
    if (this.#isOver) return;
    try {
      const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
      if (data[0] === XLOG_DATA) {
        this.options.onMessage(data.subarray(25));
      } else if (data[0] === KEEPALIVE) {
        this.options.onIdle(view.getBigInt64(1));
        if (data[17] === 1) this.#confirm();
      }
    } catch (error) {
      this.#lose(error instanceof Error ? error.stack ?? error.message : String(error));
    }
  }

  #confirm(): void {
    if (this.#isOver || this.#stream === undefined) return;
    const message = new Uint8Array(34);
    const view = new DataView(message.buffer);
    message[0] = 0x72;
    for (const at of [1, 9, 17]) view.setBigInt64(at, this.done);
    view.setBigInt64(25, BigInt(Date.now() - Date.UTC(2000, 0, 1)) * 1000n);
    this.#stream.write(message);
  }

  #lose(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.options.onLost(reason);
  }
}

/** A place in the log, from the way Postgres writes it. */
export function lsnOf(text: string): bigint {
  const [high, low] = text.split("/");
  return BigInt(`0x${high}`) << 32n | BigInt(`0x${low}`);
}
