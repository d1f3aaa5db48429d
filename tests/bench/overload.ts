// What rejections cost: 64 clients, whose requests are all served, against 1,000 that send the next request at once, also after
// 503 with Retry-After. The clients share the machine with the service, so they are cheap: one socket each, and hardly any
// parsing. Both loads take turns, and the last line is the share of the throughput that is left.
// deno run -A tests/bench/overload.ts   (needs API_URL, DB_URL and JWT_SECRET; `deno task bench overload` sets them)
import postgres from "postgres";
import { seedLots } from "../db/support/fees.ts";
import { newUser } from "../support/rows.ts";
import { token } from "../support/tokens.ts";
import { ms, percentile, table } from "./measure.ts";

const [FEW, MANY] = [64, 1000];
const ROUNDS = 3;
const SECONDS = Number(Deno.env.get("BENCH_SECONDS") ?? 5);
const WARM_UP_SECONDS = 3;
const DRIVERS = 3000;
const { DB_URL, API_URL, JWT_SECRET } = Deno.env.toObject();
if (!DB_URL || !API_URL || !JWT_SECRET) throw new Error("No platform is named: run `deno task bench overload`");

const { hostname, port } = new URL(API_URL);
const sql = postgres(DB_URL, { max: 4, onnotice: () => {} });
const rules = [{ category: "time_band", rule_order: 1, per_minutes: 20, price_minor: 200 }] as const;
const lots = await seedLots(sql, Array.from({ length: 20 }, () => ({ rules: [...rules] })));
const users = await Promise.all(Array.from({ length: DRIVERS }, () => newUser(sql)));
const drivers = users.map((user) => token(user, { secret: JWT_SECRET }));
await sql.end();

interface Reply {
  readonly status: number;
  readonly isRetryable: boolean;
  readonly body: string;
}

/** A client of HTTP/1.1 on one socket, which is opened again when the server closes it. */
class Client {
  #socket: Deno.TcpConn | undefined;
  readonly #buffer = new Uint8Array(64 << 10);

  async send(method: string, path: string, driver?: string, body?: object): Promise<Reply> {
    const content = body === undefined ? "" : JSON.stringify(body);
    const head = [
      `${method} /v1${path} HTTP/1.1`,
      `host: ${hostname}:${port}`,
      ...(driver === undefined ? [] : [`authorization: Bearer ${driver}`]),
      ...(body === undefined ? [] : ["content-type: application/json", `content-length: ${content.length}`]),
    ];
    this.#socket ??= await Deno.connect({ hostname, port: Number(port) });
    await this.#socket.write(new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n${content}`));
    return await this.#receive(this.#socket);
  }

  close(): void {
    this.#socket?.close();
    this.#socket = undefined;
  }

  async #receive(socket: Deno.TcpConn): Promise<Reply> {
    let text = "";
    for (;;) {
      const size = await socket.read(this.#buffer);
      if (size === null) throw new Error("The server closed the connection.");
      // The replies that are asked for here are ASCII, or are not looked at: their bytes are counted as characters.
      for (let at = 0; at < size; at += 8192) {
        text += String.fromCharCode(...this.#buffer.subarray(at, Math.min(size, at + 8192)));
      }
      const end = text.indexOf("\r\n\r\n");
      if (end < 0) continue;
      const head = text.slice(0, end).toLowerCase();
      const length = Number(head.match(/\r\ncontent-length: (\d+)/)?.[1]);
      if (Number.isNaN(length)) throw new Error(`A reply has no length:\n${head}`);
      if (text.length < end + 4 + length) continue;
      if (/\r\nconnection: close/.test(head)) this.close();
      return {
        status: Number(head.slice(9, 12)),
        isRetryable: head.includes("\r\nretry-after: "),
        body: text.slice(end + 4),
      };
    }
  }
}

/** One step of a client; the n-th of all clients together. */
type Step = (client: Client, n: number) => Promise<Reply>;

const lot = (n: number) => lots[n % lots.length]!;
const steps: readonly Step[] = [
  (client, n) =>
    client.send("GET", `/parking-lots/nearby?lat=${35.6 + (n % 97) / 1000}&lng=${139.6 + (n % 89) / 1000}`),
  (client, n) => client.send("GET", `/parking-lots/${lot(n)}?include=hours`),
  async (client, n) => {
    const driver = drivers[n % DRIVERS]!;
    const started = await client.send("POST", "/parking-sessions", driver, { parking_lot_id: lot(n) });
    if (started.status !== 201) return started;
    const path = `/parking-sessions/${JSON.parse(started.body).session_id}/finalize`;
    return await client.send("POST", path, driver, { exit_at: new Date().toISOString() });
  },
];

interface Outcome {
  readonly times: number[];
  rejected: number;
  readonly others: Map<string, number>;
}

let n = 0;

/** Counts the replies that come in the last `seconds`, when the load is even. */
async function load(count: number, outcome: Outcome, seconds: number): Promise<void> {
  const from = performance.now() + WARM_UP_SECONDS * 1000;
  const until = from + seconds * 1000;
  await Promise.all(Array.from({ length: count }, async (_, index) => {
    const client = new Client();
    for (let turn = index; performance.now() < until; turn++) {
      const started = performance.now();
      const { status, isRetryable } = await steps[turn % steps.length]!(client, n++);
      const now = performance.now();
      if (now < from || now > until) continue;
      if (status < 300) outcome.times.push(now - started);
      else if (status === 503 && isRetryable) outcome.rejected++;
      else outcome.others.set(String(status), (outcome.others.get(String(status)) ?? 0) + 1);
    }
    client.close();
  }));
}

const fresh = (): Outcome => ({ times: [], rejected: 0, others: new Map() });
const outcomes = new Map([FEW, MANY].map((count) => [count, fresh()]));
await load(FEW, fresh(), 0); // starts the functions
for (let round = 0; round < ROUNDS; round++) {
  for (const [count, outcome] of outcomes) await load(count, outcome, SECONDS);
}
const seconds = ROUNDS * SECONDS;
const rows = Array.from(outcomes, ([count, { times, rejected, others }]) => [
  String(count),
  (times.length / seconds).toFixed(1),
  ...[0.5, 0.99].map((share) => ms(percentile(times, share))),
  (rejected / seconds).toFixed(1),
  Array.from(others, ([status, number]) => `${number} × ${status}`).join(", ") || "none",
]);
console.log(`${ROUNDS} rounds of ${SECONDS} seconds; nearby, detail, start and finalize of a session\n`);
console.log(table(["clients", "served a second", "p50 ms", "p99 ms", "503 a second", "others"], rows));
const served = (count: number) => outcomes.get(count)!.times.length;
console.log(
  `\n${MANY} clients that ignore Retry-After leave ${
    Math.round(100 * served(MANY) / served(FEW))
  } % of ${FEW} clients.`,
);
