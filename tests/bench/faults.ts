// What a kill costs: 60 writers begin and end sessions while a part of the platform is killed. Starts a platform of its own
// as `deno task dev` does, because it is killed, too. Prints a table; `task bench faults`.
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { processes } from "../../local/process.ts";
import { JWT_SECRET, ROOT, STATE, type Status } from "../../local/settings.ts";
import { removeIfExists } from "../../local/files.ts";
import { findRunning, freePort } from "../../local/state.ts";
import { eventually } from "../support/eventually.ts";
import { newLot, newUser } from "../support/rows.ts";
import { token } from "../support/tokens.ts";

const WRITERS = 60;
const USERS_A_WRITER = 10;
const BEFORE_MS = 3_000;
const AFTER_MS = 6_000;
const PAUSE_MS = 50;
const STEADY_MS = 1_000;
/** The targets: the time until a request succeeds once the killed part is reachable, and the longest wait. */
const [RECOVERY_MS, LONGEST_MS] = [2_000, 5_000];

interface Reply {
  readonly at: number;
  readonly took: number;
  readonly outcome: string;
  readonly isSuccess: boolean;
}

interface Session {
  readonly user: string;
  readonly id: string;
}

interface Writer {
  readonly users: readonly string[];
  readonly replies: Reply[];
  readonly started: Session[];
  readonly ended: Session[];
}

interface Kill {
  readonly name: string;
  /** Kills, and settles with the moment since which what was killed can be reached again. */
  run(): Promise<number>;
}

const port = freePort(0)!;
const url = `http://127.0.0.1:${port}`;
let dev = await start();
try {
  const { DB_URL } = (await running()) as Status;
  const sql = postgres(DB_URL, { max: 2, onnotice: () => {}, connect_timeout: 2 });
  const lot = await newLot(sql);
  const functionPids = async () =>
    (await processes()).filter(({ args }) => args.includes(`/${port}/functions/`)).map(({ pid }) => pid);
  const end = (pids: readonly (number | undefined)[]) => {
    for (const pid of pids) if (pid !== undefined) Deno.kill(pid, "SIGKILL");
    return performance.now();
  };
  const restart = async (signal: Deno.Signal) => {
    dev.kill(signal);
    await dev.status;
    dev = await start();
    return performance.now();
  };
  const kills: Kill[] = [
    { name: "one function", run: async () => end((await functionPids()).slice(0, 1)) },
    { name: "all functions", run: async () => end(await functionPids()) },
    {
      name: "realtime",
      run: async () => {
        const { host } = new URL(DB_URL);
        const all = await processes();
        return end([all.find(({ args }) => args.includes("/realtime/main.ts") && args.endsWith(` ${host}`))?.pid]);
      },
    },
    {
      name: "one Postgres backend",
      run: async () => {
        const [row] = await sql<{ pid: number }[]>`
          select pid from pg_stat_activity where usename = 'authenticator' and query not like 'listen%' limit 1`;
        end([row?.pid]);
        return await reachable(DB_URL);
      },
    },
    {
      name: "Postgres",
      run: async () => {
        end([Number.parseInt(await Deno.readTextFile(join(STATE, String(port), "data", "postmaster.pid")))]);
        return await reachable(DB_URL);
      },
    },
    {
      name: "the gateway",
      run: async () => {
        const { gateway } = (await findRunning(port))!;
        end([gateway]);
        // Refused, not yet ready, or already the next one.
        await eventually(async () => {
          const next = await findRunning(port);
          return next !== undefined && next.gateway !== gateway && next.status !== null ? true : undefined;
        }, 60_000);
        return performance.now();
      },
    },
    { name: "task dev, started again", run: () => restart("SIGKILL") },
    { name: "SIGTERM, started again", run: () => restart("SIGTERM") },
  ];
  const rows: Record<string, unknown> = {};
  for (const kill of kills) rows[kill.name] = await measure(kill, sql, lot);
  console.log(`\n${WRITERS} writers; seconds`);
  console.table(rows);
  console.log(
    `Targets: served again ${RECOVERY_MS / 1000} s after the part can be reached, no wait over ${LONGEST_MS / 1000} s,`,
  );
  console.log("nothing acknowledged is lost, nothing is done twice.");
  await sql.end({ timeout: 1 });
} finally {
  dev.kill("SIGTERM");
  await dev.status;
  await removeIfExists(join(STATE, String(port)));
}

async function measure(kill: Kill, sql: Sql, lot: string): Promise<Record<string, unknown>> {
  const writers: Writer[] = [];
  for (let n = 0; n < WRITERS; n++) {
    const users = await Promise.all(Array.from({ length: USERS_A_WRITER }, () => newUser(sql)));
    writers.push({ users, replies: [], started: [], ended: [] });
  }
  const over = new AbortController();
  const writing = Promise.all(writers.map((writer) => write(writer, lot, over.signal)));
  await new Promise((resolve) => setTimeout(resolve, BEFORE_MS));
  const killed = performance.now();
  const back = await kill.run();
  await new Promise((resolve) => setTimeout(resolve, AFTER_MS));
  over.abort();
  await writing;

  const replies = writers.flatMap((writer) => writer.replies).filter(({ at }) => at > killed).sort((a, b) =>
    a.at - b.at
  );
  const successes = replies.filter(({ isSuccess }) => isSuccess).map(({ at }) => at);
  const gaps = successes.map((at, n) => at - (successes[n - 1] ?? killed));
  const served = (successes.find((at) => at >= back) ?? Infinity) - back;
  const longest = Math.max(...replies.map(({ took }) => took));
  const failures = Map.groupBy(replies.filter(({ isSuccess }) => !isSuccess), ({ outcome }) => outcome);
  const { lost, twice, acknowledged } = await check(writers, sql);
  const isMet = served <= RECOVERY_MS && longest <= LONGEST_MS && lost === 0 && twice === 0;
  return {
    "failures": [...failures].map(([outcome, all]) => `${all.length} × ${outcome}`).join(", ") || "nothing",
    "longest gap": seconds(Math.max(...gaps)),
    "reachable after": seconds(back - killed),
    "served after that": seconds(Math.max(0, served)),
    "longest wait": seconds(longest),
    "acknowledged": acknowledged,
    "lost": lost,
    "twice": twice,
    "targets": isMet ? "met" : "missed",
  };
}

/** Begins and ends sessions, one after the other; what fails is sent again with the same key. */
async function write(writer: Writer, lot: string, over: AbortSignal): Promise<void> {
  for (const user of writer.users) {
    const begin = { parking_lot_id: lot, client_request_id: crypto.randomUUID() };
    const started = await insist(writer, user, "", begin, over);
    if (started === undefined) return;
    const session = { user, id: String(started["session_id"]) };
    writer.started.push(session);
    const exit = { exit_at: new Date(Date.now() + 60_000).toISOString(), client_request_id: crypto.randomUUID() };
    if (await insist(writer, user, `/${session.id}/finalize`, exit, over) === undefined) return;
    writer.ended.push(session);
    // Ten sessions in all: the writers go on until the kill is over.
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 10));
  }
}

async function insist(writer: Writer, user: string, path: string, body: object, over: AbortSignal) {
  while (!over.aborted) {
    const begun = performance.now();
    const { outcome, reply } = await post(user, path, body);
    const at = performance.now();
    writer.replies.push({ at, took: at - begun, outcome, isSuccess: reply !== undefined });
    if (reply !== undefined) return reply;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return undefined;
}

async function post(user: string, path: string, body: object) {
  try {
    const answer = await fetch(`${url}/v1/parking-sessions${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token(user, { secret: JWT_SECRET })}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const reply: Record<string, unknown> = await answer.json();
    return { outcome: String(answer.status), reply: answer.ok ? reply : undefined };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { outcome: "connection lost", reply: undefined };
  }
}

async function check(writers: readonly Writer[], sql: Sql) {
  const [started, ended] = [writers.flatMap((one) => one.started), writers.flatMap((one) => one.ended)];
  const ids = (sessions: readonly Session[]) => sessions.map(({ id }) => id);
  const [row] = await sql<{ started: number; ended: number; twice: number }[]>`
    select
      (select count(*)::int from public.parking_sessions where id = any (${ids(started)})) as started,
      (select count(*)::int from public.parking_sessions where id = any (${ids(ended)}) and status = 'ended') as ended,
      (select count(*)::int from (
        select from public.parking_sessions where user_id = any (${writers.flatMap(({ users }) => [...users])})
        group by user_id having count(*) > 1) more) as twice`;
  const acknowledged = started.length + ended.length;
  return { acknowledged, lost: acknowledged - row!.started - row!.ended, twice: row!.twice };
}

async function start(): Promise<Deno.ChildProcess> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", join(ROOT, "local", "dev.ts")],
    env: { LOCAL_PORT: String(port) },
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  await eventually(async () => {
    const found = await findRunning(port); // for a moment it may be the gateway of the platform that was killed
    return found?.pid === child.pid && found.status !== null ? true : undefined;
  }, 120_000);
  return child;
}

async function running(): Promise<Status | null | undefined> {
  return (await findRunning(port))?.status;
}

/** The moment since which Postgres accepts connections; it does so for a moment after the kill, too. */
async function reachable(address: string): Promise<number> {
  let since: number | undefined;
  while (since === undefined || performance.now() - since < STEADY_MS) {
    const sql = postgres(address, { max: 1, onnotice: () => {}, connect_timeout: 2 });
    const accepts = await sql`select`.then(() => true, () => false);
    since = accepts ? since ?? performance.now() : undefined;
    await sql.end({ timeout: 1 });
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return since;
}

function seconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}
