// How long a change takes from its commit to those who listen, and what sockets cost that only wait.
// deno run -A tests/bench/realtime.ts   (needs API_URL, DB_URL, PUBLISHABLE_KEY and JWT_SECRET; `deno task bench` sets them)
import postgres from "postgres";
import { eventually } from "../support/eventually.ts";
import { newUser } from "../support/rows.ts";
import { token } from "../support/tokens.ts";
import { ms, percentile, table } from "./measure.ts";
import { Socket } from "./socket.ts";

const CHANGES = 300;
const SUBSCRIBERS = 50;
const IDLE = 2_000;
/** Connections and joins that are under way at once. */
const AT_ONCE = 25;
const { DB_URL, API_URL, PUBLISHABLE_KEY, JWT_SECRET } = Deno.env.toObject();
if (!DB_URL || !API_URL || !PUBLISHABLE_KEY || !JWT_SECRET) {
  throw new Error("No platform is named: run `deno task bench`");
}

interface Listener {
  readonly user: string;
  readonly socket: Socket;
  /** Milliseconds from each commit to its receipt. */
  readonly latencies: number[];
}

const sql = postgres(DB_URL, { max: 4, onnotice: () => {} });

/** Without `user` each has one of their own. */
async function join(count: number, user?: string): Promise<Listener[]> {
  const listeners: Listener[] = [];
  while (listeners.length < count) {
    const group = await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - listeners.length) }, async (): Promise<Listener> => {
        const listened = user ?? await newUser(sql);
        const latencies: number[] = [];
        const onChange = (committed: string) => latencies.push(Date.now() - Date.parse(committed));
        const bearer = token(listened, { secret: JWT_SECRET! });
        const socket = new Socket(API_URL!, PUBLISHABLE_KEY!, bearer, listened, onChange);
        await socket.listening();
        return { user: listened, socket, latencies };
      }),
    );
    listeners.push(...group);
  }
  return listeners;
}

/** Writes changes one after another, each when all who listen to its user have received the last one. */
async function measure(name: string, listeners: readonly Listener[]): Promise<void> {
  for (let n = 0; n < CHANGES; n++) {
    const { user } = listeners[n % listeners.length]!;
    const receivers = listeners.filter((one) => one.user === user);
    const before = receivers.map(({ latencies }) => latencies.length);
    await sql`
      insert into public.user_notifications (user_id, type, title, body, status, sent_at)
      values (${user}, 'announcement', 'Title', ${"text ".repeat(20)}, 'sent', now())`;
    await eventually(() => receivers.every(({ latencies }, at) => latencies.length > before[at]!) || undefined);
  }
  const latencies = listeners.flatMap((one) => one.latencies);
  latencies.sort((one, other) => one - other);
  figures.push([name, ...[0.5, 0.95, 0.99, 1].map((part) => ms(percentile(latencies, part)))]);
  for (const { socket } of listeners) socket.close();
}

/** Mebibytes of the realtime server and of the platform with the gateway. */
async function memory(): Promise<[string, string]> {
  const { stdout } = await new Deno.Command("ps", { args: ["-eo", "pid=,ppid=,rss=,args="] }).output();
  const processes = new TextDecoder().decode(stdout).trim().split("\n").map((line) => {
    const [pid, parent, rss, ...args] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), mebibytes: Number(rss) / 1024, args: args.join(" ") };
  });
  const server = processes.find(({ parent, args }) => parent === Deno.ppid && args.includes("local/realtime/main.ts"));
  const platform = processes.find(({ pid }) => pid === Deno.ppid);
  return [server!.mebibytes.toFixed(0), platform!.mebibytes.toFixed(0)];
}

const figures: string[][] = [];
const before = await memory();
await measure("1 subscriber", await join(1));
await measure(`${SUBSCRIBERS} subscribers of one user`, await join(SUBSCRIBERS, await newUser(sql)));
await measure(`${SUBSCRIBERS} subscribers of ${SUBSCRIBERS} users`, await join(SUBSCRIBERS));
console.log(table(["from commit to receipt", "p50 ms", "p95 ms", "p99 ms", "most ms"], figures));

const idle = await join(IDLE);
console.log(
  `\n${table(["", "server MiB", "platform MiB"], [["at start", ...before], [`${IDLE} that wait`, ...await memory()]])}`,
);
for (const { socket } of idle) socket.close();
await sql.end();
