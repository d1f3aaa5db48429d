// How long a change takes from its commit to those who listen, and what sockets cost that only wait.
// deno run -A tools/bench/realtime.ts   (needs API_URL, DB_URL, PUBLISHABLE_KEY and JWT_SECRET; `deno task bench` sets them)
import postgres from "postgres";
import { newUser } from "../../tests/support/rows.ts";
import { token } from "../../tests/support/tokens.ts";
import { ms, percentile, table } from "./measure.ts";
import { Socket } from "./socket.ts";

const BUSY = 500;
const PER_SECOND = 5;
const SECONDS = 20;
const IDLE = 2_000;
/** Notifications that one transaction writes, each for another person. */
const TOGETHER = 25;
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

async function join(count: number): Promise<Listener[]> {
  const listeners: Listener[] = [];
  while (listeners.length < count) {
    const group = await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - listeners.length) }, async (): Promise<Listener> => {
        const user = await newUser(sql);
        const latencies: number[] = [];
        const onChange = (committed: string) => latencies.push(Date.now() - Date.parse(committed));
        const bearer = token(user, { secret: JWT_SECRET! });
        const socket = new Socket(API_URL!, PUBLISHABLE_KEY!, bearer, user, onChange);
        await socket.listening();
        return { user, socket, latencies };
      }),
    );
    listeners.push(...group);
  }
  return listeners;
}

/** Calls `run` so many times a second, whether or not the last call has ended, and waits for all. */
async function paced(perSecond: number, count: number, run: (n: number) => Promise<unknown>): Promise<number> {
  const started = performance.now();
  const under: Promise<unknown>[] = [];
  for (let n = 0; n < count; n++) {
    const wait = started + n * 1000 / perSecond - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    under.push(run(n));
  }
  await Promise.all(under);
  return performance.now() - started;
}

async function write(users: readonly string[]): Promise<void> {
  await sql`
    insert into public.user_notifications (user_id, type, title, body, status, sent_at)
    select u, 'announcement', 'Title', repeat('text ', 20), 'sent', now() from unnest(${users}::uuid[]) as u`;
}

interface Use {
  readonly mebibytes: number;
  /** Seconds of a core, since the process began. */
  readonly seconds: number;
}

const NAMES = ["server", "platform", "database", "clients"] as const;
type Uses = Record<typeof NAMES[number], Use>;

/** What the processes use: the realtime server, the platform (with the gateway), Postgres as a whole, and this one. */
async function uses(): Promise<Uses> {
  const { stdout } = await new Deno.Command("ps", { args: ["-eo", "pid=,ppid=,rss=,args="] }).output();
  const processes = new TextDecoder().decode(stdout).trim().split("\n").map((line) => {
    const [pid, parent, rss, ...args] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), mebibytes: Number(rss) / 1024, args: args.join(" ") };
  });
  const ours = processes.filter(({ parent }) => parent === Deno.ppid);
  const postmaster = await postmasterPid();
  const of = (found: typeof processes): Use => ({
    mebibytes: found.reduce((sum, { mebibytes }) => sum + mebibytes, 0),
    seconds: found.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0),
  });
  return {
    server: of(ours.filter(({ args }) => args.includes("local/realtime/main.ts"))),
    platform: of(processes.filter(({ pid }) => pid === Deno.ppid)),
    database: of(processes.filter(({ pid, parent }) => pid === postmaster || parent === postmaster)),
    clients: of(processes.filter(({ pid }) => pid === Deno.pid)),
  };
}

async function postmasterPid(): Promise<number> {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return parentOf(row!.pid);
}

function stat(pid: number): string[] {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/stat`).replace(/^.*\) /, "").split(" ");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || /ESRCH|No such process/.test(String(error))) return []; // it has ended
    throw error;
  }
}

const parentOf = (pid: number): number => Number(stat(pid)[1]);
/** The kernel counts hundredths. */
const cpuSeconds = (pid: number): number => (Number(stat(pid)[11] ?? 0) + Number(stat(pid)[12] ?? 0)) / 100;

const rows: string[][] = [];
let before = { at: performance.now(), uses: await uses() };

/** A line of the table; what the processes used of a core is what they used since the line before. */
async function remember(name: string, latencies: readonly number[], perSecond: number): Promise<void> {
  const now = { at: performance.now(), uses: await uses() };
  const seconds = (now.at - before.at) / 1000;
  const share = (each: typeof NAMES[number]) =>
    `${(100 * (now.uses[each].seconds - before.uses[each].seconds) / seconds).toFixed(0)}%`;
  const figures = [0.5, 0.95, 0.99, 1].map((part) => latencies.length > 0 ? ms(percentile(latencies, part)) : "");
  const memory = [now.uses.server, now.uses.platform].map(({ mebibytes }) => mebibytes.toFixed(0));
  rows.push([name, perSecond > 0 ? perSecond.toFixed(0) : "", ...figures, ...memory, ...NAMES.map(share)]);
  before = now;
}

await remember("no sockets", [], 0);
const busy = await join(BUSY);
await remember(`${BUSY} that wait`, [], 0);

const changes = BUSY * PER_SECOND * SECONDS;
const group = (n: number) => Array.from({ length: TOGETHER }, (_, at) => busy[(n * TOGETHER + at) % BUSY]!.user);
let took = await paced(BUSY * PER_SECOND / TOGETHER, changes / TOGETHER, (n) => write(group(n)));
const deadline = performance.now() + 30_000;
const received = () => busy.reduce((sum, { latencies }) => sum + latencies.length, 0);
while (received() < changes && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 100));
await remember(`${BUSY} that receive changes`, busy.flatMap(({ latencies }) => latencies), changes / took * 1000);
console.log(`${received()} of ${changes} changes were received\n`);

busy.forEach(({ latencies }) => latencies.length = 0);
const replies: number[] = [];
const both = Promise.all([
  paced(BUSY * PER_SECOND / TOGETHER, changes / TOGETHER, (n) => write(group(n))),
  paced(BUSY * PER_SECOND, changes, async (n) => {
    const sent = performance.now();
    await busy[n % BUSY]!.socket.heartbeat();
    replies.push(performance.now() - sent);
  }),
]);
took = Math.max(...await both);
await remember(
  "the same, and each sends as many heartbeats",
  busy.flatMap(({ latencies }) => latencies),
  changes / took * 1000,
);
const [, ...others] = rows.at(-1)!;
rows.push([
  "a heartbeat, to its reply",
  others[0]!,
  ...[0.5, 0.95, 0.99, 1].map((part) => ms(percentile(replies, part))),
]);
busy.forEach(({ socket }) => socket.close());

const idle = await join(IDLE);
await remember(`${IDLE} that wait`, [], 0);
idle.forEach(({ socket }) => socket.close());
await sql.end();
const head = ["sockets", "a second", "p50 ms", "p95 ms", "p99 ms", "most ms", "server MiB", "platform MiB"];
head.push(...NAMES.map((name) => `${name} CPU`));
console.log(table(head, rows));
