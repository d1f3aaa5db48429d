// The stream of the write-ahead log: a temporary slot on a connection of its own, which is gone with the connection, so
// that a server that has died holds no log back.
import type { Buffer } from "node:buffer";
import type { Duplex } from "node:stream";
import postgres from "postgres";
import { SESSION } from "./inquirer.ts";

export interface StreamOptions {
  readonly url: string;
  /** Hears each message of pgoutput, in order. */
  readonly message: (message: Uint8Array) => void;
  /** Hears how far the log goes when there is nothing to tell. */
  readonly idle: (lsn: bigint) => void;
  /** Hears once that the stream is no more. */
  readonly lost: (reason: string) => void;
}

const PUBLICATION = "supabase_realtime";
/** How often Postgres is told how far this has come; it ends a connection that is silent for a minute. */
const REPORT_EVERY = 1_000;
const XLOG_DATA = 0x77;
const KEEPALIVE = 0x6b;

export class ReplicationStream {
  /** Everything before this place has been dealt with. */
  done = 0n;
  #stream: Duplex | undefined;
  #sql: postgres.Sql | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #over = false;

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
    const [made] = await sql.unsafe(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT`)
      .simple();
    const start = made!["consistent_point"] as string;
    const query = sql.unsafe(
      `START_REPLICATION SLOT ${slot} LOGICAL ${start} (proto_version '1', publication_names '${PUBLICATION}')`,
    ).simple();
    const stream = await query.writable() as Duplex;
    this.done = lsnOf(start);
    this.#stream = stream;
    stream.on("error", (error: Error) => this.#lose(error.message));
    stream.on("close", () => this.#lose("The stream was closed"));
    stream.on("data", (data: Buffer) => this.#hear(data));
    this.#timer = setInterval(() => this.#report(), REPORT_EVERY);
  }

  /** Reads no further for now: Postgres keeps the rest. */
  pause(): void {
    this.#stream?.pause();
  }

  resume(): void {
    this.#stream?.resume();
  }

  /** Nothing is heard afterwards. */
  async close(): Promise<void> {
    this.#over = true;
    clearInterval(this.#timer);
    await this.#sql?.end({ timeout: 0 });
  }

  #hear(data: Uint8Array): void {
    if (this.#over) return;
    try {
      const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
      if (data[0] === XLOG_DATA) {
        this.options.message(data.subarray(25));
      } else if (data[0] === KEEPALIVE) {
        this.options.idle(view.getBigInt64(1));
        if (data[17] === 1) this.#report();
      }
    } catch (error) {
      this.#lose(error instanceof Error ? error.stack ?? error.message : String(error));
    }
  }

  #report(): void {
    if (this.#over || this.#stream === undefined) return;
    const report = new Uint8Array(34);
    const view = new DataView(report.buffer);
    report[0] = 0x72;
    for (const at of [1, 9, 17]) view.setBigInt64(at, this.done);
    view.setBigInt64(25, BigInt(Date.now() - Date.UTC(2000, 0, 1)) * 1000n);
    this.#stream.write(report);
  }

  #lose(reason: string): void {
    if (this.#over) return;
    this.#over = true;
    clearInterval(this.#timer);
    this.options.lost(reason);
  }
}

/** A place in the log, from the way Postgres writes it. */
export function lsnOf(text: string): bigint {
  const [high, low] = text.split("/");
  return BigInt(`0x${high}`) << 32n | BigInt(`0x${low}`);
}
