// What a read replica adds: reads a second of the primary alone and of both, each Postgres on one core of its own, and what it
// costs the replica to follow. The functions are called on connections to the databases, as role anon: the Data API and the
// router are the same for both, and would need the cores.
// deno run -A tests/bench/replica.ts   (starts a platform of its own; `deno task bench replica --lots 20000`)
import postgres, { type Sql } from "postgres";
import { asSuperuser } from "../support/database.ts";
import { newUser } from "../support/rows.ts";
import { startTestPlatform } from "../support/platform.ts";
import { loadLots, searchPlaces } from "./lots.ts";
import { table } from "./measure.ts";

const SECONDS = Number(Deno.env.get("BENCH_SECONDS") ?? 5);
const ROUNDS = 3;
const SESSIONS = 500;
const CALLS = 300;
/** Of the clock of Linux, by which /proc counts the time of processes. */
const TICK_MS = 10;

interface Instance {
  readonly name: string;
  readonly sql: Sql;
  readonly pid: number;
}

const platform = await startTestPlatform({ replica: { reads: "half" } });
try {
  const { DB_URL, REPLICA_DB_URL } = platform.status;
  console.log(await loadLots(DB_URL, Number(Deno.env.get("BENCH_LOTS") || 20_000)));
  const instances = [await open("primary", DB_URL), await open("replica", REPLICA_DB_URL!)] as const;
  const [primary, replica] = instances;
  await caughtUp(primary, replica);
  await oneCoreEach([primary, replica]);
  await showCosts(primary, replica);
  await showReads(primary, replica);
  await showReplay(primary, replica);
  await Promise.all(instances.map(({ sql }) => sql.end()));
} finally {
  await platform.stop();
}

async function open(name: string, address: string): Promise<Instance> {
  const sql = postgres(asSuperuser(address), { max: 2, onnotice: () => {} });
  const [{ folder }] = await sql<[{ folder: string }]>`select current_setting('data_directory') as folder`;
  return { name, sql, pid: Number.parseInt(await Deno.readTextFile(`${folder}/postmaster.pid`)) };
}

async function caughtUp({ sql: primary }: Instance, { sql: replica }: Instance): Promise<void> {
  const [{ at }] = await primary<[{ at: string }]>`select pg_current_wal_insert_lsn()::text as at`;
  for (let isThere = false; !isThere;) {
    [{ isThere }] = await replica<[{ isThere: boolean }]>`select pg_last_wal_replay_lsn() >= ${at} as "isThere"`;
    if (!isThere) await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Each server with all of its processes on a core, where the machine has a core for each and can do that. */
async function oneCoreEach(instances: readonly Instance[]): Promise<void> {
  const outcomes = await Promise.all(instances.map(async ({ pid }, core) => {
    for (const each of [pid, ...await childrenOf(pid)]) {
      const pin = new Deno.Command("taskset", {
        args: ["-cp", String(core), String(each)],
        stdout: "null",
        stderr: "null",
      });
      if (!(await pin.output()).success && each === pid) return false;
    }
    return true;
  })).catch(() => [false]);
  console.log(
    outcomes.every(Boolean)
      ? "Each Postgres has one core, which it shares with everything else that runs here."
      : "The databases share the cores: a second one adds nothing here.",
  );
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`);
  return text.split(" ").filter((each) => each !== "").map(Number);
}

/** Milliseconds of a core that the processes of a server have used, or those of them with a name. */
async function cpuMs({ pid }: Instance, named = ""): Promise<number> {
  let ticks = 0;
  for (const each of await childrenOf(pid)) {
    if (!(await Deno.readTextFile(`/proc/${each}/cmdline`)).includes(named)) continue;
    const fields = (await Deno.readTextFile(`/proc/${each}/stat`)).split(") ").at(-1)!.split(" ");
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * TICK_MS;
}

/** What usual reads cost a database, for the sums of docs/operations/scale.md. */
async function showCosts(primary: Instance, replica: Instance): Promise<void> {
  const places = await searchPlaces(primary.sql, CALLS);
  const priced = await primary.sql<{ id: string }[]>`
    select id from public.parking_lots where status = 'active' and hour_price is not null order by md5(id::text) limit 100`;
  const user = await newUser(primary.sql);
  await caughtUp(primary, replica);
  const lot = (n: number) => priced[n % priced.length]!.id;
  const reads: Record<string, (sql: Sql, n: number) => Promise<unknown>> = {
    "nearby, 500 m": (sql, n) => sql`select api.nearby_parking_lots(${places[n]!.lat}, ${places[n]!.lng})`,
    "search, a page within 2 km": (sql, n) => {
      const { lat, lng } = places[n]!;
      return sql`select api.search_parking_lots(${sql.json({ center: { lat, lng }, radius_m: 2000 })})`;
    },
    "lot detail": (sql, n) => sql`select api.get_parking_lot(${lot(n)})`,
    "calc-fee, 3 hours": (sql, n) =>
      sql`
      select api.calculate_fee(${lot(n)}, '2026-09-01T10:00:00+09:00', '2026-09-01T13:00:00+09:00')`,
    "account": (sql) => sql`select api.my_account()`,
    "inbox": (sql) => sql`select api.list_my_notifications()`,
    "own sessions": (sql) => sql`select api.list_my_parking_sessions()`,
  };
  const rows: [string, string][] = [];
  for (const [name, read] of Object.entries(reads)) {
    const once = (n: number) =>
      replica.sql.begin("read only", async (sql) => {
        const claims = JSON.stringify({ sub: user, role: "authenticated" });
        await sql`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${claims}, true)`;
        await read(sql as never, n);
      });
    for (let n = 0; n < 20; n++) await once(n);
    const before = await cpuMs(replica);
    for (let n = 0; n < CALLS; n++) await once(n);
    rows.push([name, ((await cpuMs(replica) - before) / CALLS).toFixed(2)]);
  }
  console.log(`\n${CALLS} calls each, of one signed-in user\n`);
  console.log(table(["read", "ms of a core"], rows));
}

async function showReads(primary: Instance, replica: Instance): Promise<void> {
  const places = await searchPlaces(primary.sql, 200);
  const read = ({ sql }: Instance, n: number) => {
    const { lat, lng } = places[n % places.length]!;
    return sql`select api.nearby_parking_lots(${lat}, ${lng}, 2000)`;
  };
  const sets = [[primary], [replica], [primary, replica]];
  const done = sets.map(() => ({ reads: new Map<string, number>(), ms: 0, cpu: new Map<string, number>() }));
  for (const each of [primary, replica]) for (let n = 0; n < 50; n++) await read(each, n);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, set] of sets.entries()) {
      const sums = done[at]!;
      const before = await Promise.all(set.map((each) => cpuMs(each)));
      const started = performance.now();
      let n = round * 1000;
      // Two clients a database, each of which asks again as soon as it has its answer.
      await Promise.all(
        set.flatMap((each) => [each, each]).map(async (each) => {
          while (performance.now() - started < SECONDS * 1000) {
            await read(each, n++);
            sums.reads.set(each.name, (sums.reads.get(each.name) ?? 0) + 1);
          }
        }),
      );
      sums.ms += performance.now() - started;
      const after = await Promise.all(set.map((each) => cpuMs(each)));
      for (const [i, each] of set.entries()) {
        sums.cpu.set(each.name, (sums.cpu.get(each.name) ?? 0) + after[i]! - before[i]!);
      }
    }
  }
  const rows = sets.map((set, at) => {
    const { reads, ms, cpu } = done[at]!;
    const all = [...reads.values()].reduce((a, b) => a + b, 0);
    return [
      set.map(({ name }) => name).join(" + "),
      Math.round(1000 * all / ms),
      set.map(({ name }) => `${Math.round(100 * reads.get(name)! / all)} %`).join(" + "),
      set.map(({ name }) => (cpu.get(name)! / reads.get(name)!).toFixed(1)).join(" + "),
    ];
  });
  console.log(`\nnearby, 2 km, 50 lots; two clients a database, ${ROUNDS} × ${SECONDS} s each in turn\n`);
  console.log(table(["databases", "reads a second", "of these", "ms of a core a read"], rows));
}

/** What the primary does once, every replica repeats without the work of finding out. */
async function showReplay(primary: Instance, replica: Instance): Promise<void> {
  const { sql } = primary;
  const [lot] = await sql`select id from public.parking_lots where status = 'active' limit 1`;
  const users = await Promise.all(Array.from({ length: SESSIONS }, () => newUser(sql)));
  const command = async (user: string, name: string, args: Record<string, unknown>) => {
    return await sql.begin(async (sql) => {
      const claims = JSON.stringify({ sub: user, role: "authenticated" });
      await sql`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${claims}, true)`;
      const [row] = await sql`select api.run_command(${name}, ${sql.json(args as never)}) as ran`;
      return row!["ran"].reply;
    });
  };
  const costs = async () => [await cpuMs(primary), await cpuMs(replica, "startup")] as const;
  await caughtUp(primary, replica);
  const [{ at }] = await sql<[{ at: string }]>`select pg_current_wal_insert_lsn()::text as at`;
  const before = await costs();
  for (const user of users) {
    const { session_id } = await command(user, "start_parking_session", { p_parking_lot_id: lot!["id"] });
    await command(user, "finalize_parking_session", { p_id: session_id, p_exit_at: new Date() });
  }
  await caughtUp(primary, replica);
  const after = await costs();
  const [{ bytes }] = await sql<[{ bytes: string }]>`select pg_current_wal_insert_lsn() - ${at}::pg_lsn as bytes`;
  const each = ([...costs]: readonly number[], i: number) => ((costs[i]! - before[i]!) / SESSIONS).toFixed(2);
  console.log(
    `\n${SESSIONS} sessions, each started and ended: ${each(after, 0)} ms of the primary's core a session, ` +
      `${each(after, 1)} ms to replay it, ${Math.round(Number(bytes) / SESSIONS)} bytes of log`,
  );
}
