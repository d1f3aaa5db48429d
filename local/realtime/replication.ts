// The stream of the write-ahead log: a temporary replication slot on a connection of its own. Postgres drops the slot with
// the connection, so that a server that has died does not keep the log from being removed.
import { Buffer } from "node:buffer";
import type { Duplex } from "node:stream";
import postgres from "postgres";
import { SESSION } from "./database.ts";

export interface StreamOptions {
  readonly url: string;
  /** Called with each message of pgoutput, in order. */
  readonly onMessage: (message: Buffer) => void;
  /** Called once, when the stream has ended. */
  readonly onLost: (reason: string) => void;
}

const PUBLICATION = "supabase_realtime";
/** How often the position is confirmed. Postgres ends a connection that is silent for a minute. */
const CONFIRM_INTERVAL_MS = 1_000;
const XLOG_DATA = 0x77;
const KEEPALIVE = 0x6b;

export class ReplicationStream {
  /** The end of the log when Postgres last told it. The slot ends with the stream, so what was received is not sent again. */
  #end = 0n;
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
    this.#end = lsnOf(start);
    this.#stream = stream;
    stream.on("error", (error: Error) => this.#lose(error.message));
    stream.on("close", () => this.#lose("The stream was closed"));
    stream.on("data", (data: Buffer) => this.#receive(data));
    this.#timer = setInterval(() => this.#confirm(), CONFIRM_INTERVAL_MS);
  }

  /** No callback is called afterwards. */
  async close(): Promise<void> {
    this.#isOver = true;
    clearInterval(this.#timer);
    await this.#sql?.end({ timeout: 0 });
  }

  #receive(data: Buffer): void {
    if (this.#isOver) return;
    try {
      if (data[0] === XLOG_DATA) {
        this.options.onMessage(data.subarray(25));
      } else if (data[0] === KEEPALIVE) {
        this.#end = data.readBigInt64BE(1);
        if (data[17] === 1) this.#confirm();
      }
    } catch (error) {
      this.#lose(error instanceof Error ? error.stack ?? error.message : String(error));
    }
  }

  #confirm(): void {
    if (this.#isOver || this.#stream === undefined) return;
    const message = Buffer.alloc(34, "r");
    for (const at of [1, 9, 17]) message.writeBigInt64BE(this.#end, at);
    message.writeBigInt64BE(BigInt(Date.now() - Date.UTC(2000, 0, 1)) * 1000n, 25);
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
function lsnOf(text: string): bigint {
  const [high, low] = text.split("/");
  return BigInt(`0x${high}`) << 32n | BigInt(`0x${low}`);
}
