// What a driver waits for, with eight clients at once over HTTP: start, the live meter, end, a page of 10,000 sessions and of
// 10,000 notifications; and what a start costs in the database with a million sessions, and the job that looks at it. The
// lots have the price lists of the worked examples.
// deno run -A tests/bench/sessions.ts   (needs API_URL, DB_URL, PUBLISHABLE_KEY and JWT_SECRET and, for another number of sessions,
// BENCH_PEOPLE; `deno task bench` sets them)
import postgres from "postgres";
import { asSuperuser } from "../support/database.ts";
import { newUser } from "../support/rows.ts";
import { seedLots } from "../db/support/fees.ts";
import { token } from "../support/tokens.ts";
import { ms, percentile, table } from "./measure.ts";

const CLIENTS = 8;
const DRIVERS = 400;
const WARM_UP = 80;
const ROWS = 10_000;
const STARTS = 200;
const { DB_URL, API_URL, PUBLISHABLE_KEY, JWT_SECRET, BENCH_PEOPLE } = Deno.env.toObject();
const SESSIONS = Number(BENCH_PEOPLE ?? 1_000_000);
if (!DB_URL || !API_URL || !PUBLISHABLE_KEY || !JWT_SECRET) {
  throw new Error("No platform is named: run `deno task bench`");
}

interface Driver {
  readonly bearer: string;
  readonly user: string;
  readonly lot: string;
  session?: string;
}

const sql = postgres(DB_URL, { max: 2, onnotice: () => {} });

async function call(driver: Driver, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`${API_URL}/v1${path}`, {
    method,
    headers: { apikey: PUBLISHABLE_KEY!, authorization: driver.bearer, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const reply = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(reply)}`);
  return reply;
}

/** A rate by day and one by night, each with its maximum, as most lots have. */
const lots = await seedLots(
  sql,
  Array.from({ length: 20 }, (_, n) => ({
    rules: [
      {
        category: "time_band",
        rule_order: 1,
        time_start: "08:00",
        time_end: "22:00",
        per_minutes: 20,
        price_minor: 200,
      },
      {
        category: "time_band",
        rule_order: 2,
        time_start: "22:00",
        time_end: "08:00",
        per_minutes: 60,
        price_minor: 100,
      },
      {
        category: "cap",
        rule_order: 3,
        cap_type: "duration",
        cap_duration_hours: 24,
        cap_price_minor: 1500 + n,
        cap_repeat: true,
      },
    ] as const,
  })),
);
await sql`
  insert into public.parking_lot_windows (parking_lot_id, window_type, open_time, close_time)
  select id, 'business', '05:00', '01:00' from unnest(${lots}::uuid[]) as id`;

async function aDriver(n: number): Promise<Driver> {
  const user = await newUser(sql);
  return { user, lot: lots[n % lots.length]!, bearer: `Bearer ${token(user, { secret: JWT_SECRET! })}` };
}

type Drivers = { readonly warmUp: readonly Driver[]; readonly measured: readonly Driver[] };
type Activity = (driver: Driver) => Promise<number>;

const several = (count: number) => Promise.all(Array.from({ length: count }, (_, n) => aDriver(n)));
const drivers: Drivers = { warmUp: await several(WARM_UP), measured: await several(DRIVERS) };
const old = await aDriver(0);

const start: Activity = async (driver) => {
  const place = { start_lat: 35.68, start_lng: 139.76 };
  const body = { parking_lot_id: driver.lot, ...place, client_request_id: crypto.randomUUID() };
  driver.session = String((await call(driver, "POST", "/parking-sessions", body)).session_id);
  return 1;
};
const current: Activity = async (driver) => {
  const { meter } = await call(driver, "GET", "/me/parking-sessions/current");
  return (meter as { curve: unknown[] }).curve.length;
};
const finalize: Activity = async (driver) => {
  const body = { exit_at: new Date().toISOString(), client_request_id: crypto.randomUUID() };
  const { breakdown } = await call(driver, "POST", `/parking-sessions/${driver.session}/finalize`, body);
  return (breakdown as { lines: unknown[] }).lines.length;
};
const page = (path: string): Activity => async (driver) =>
  ((await call(driver, "GET", path)).items as unknown[]).length;

/** One long past, made of a session that was really ended. */
async function plantPast(): Promise<void> {
  await start(old);
  await sql`
    update public.parking_sessions set started_at = started_at - interval '3 days' where id = ${old.session!}`;
  await finalize(old);
  await sql`
    insert into public.parking_sessions (
      user_id, parking_lot_id, status, started_at, ended_at, total_amount_minor, currency, breakdown, price_list_id
    )
    select s.user_id, s.parking_lot_id, 'ended', s.started_at - n * interval '5 hours', s.ended_at - n * interval '5 hours',
      s.total_amount_minor, s.currency, s.breakdown, s.price_list_id
    from public.parking_sessions s cross join generate_series(1, ${ROWS}::integer) as n where s.user_id = ${old.user}`;
  await sql`
    insert into public.user_notifications (user_id, title, body, type, target, status, sent_at, created_at)
    select ${old.user}, 'Title', repeat('text ', 20), 'announcement', 'user', 'sent', now() - n * interval '1 hour',
      now() - n * interval '1 hour'
    from generate_series(1, ${ROWS}::integer) as n`;
  await sql`analyze public.parking_sessions, public.user_notifications`;
}

await plantPast();
const rows: string[][] = [];

/** Eight clients, each of which goes on as soon as it has its answer; a activity is done once with each driver. */
async function measure(name: string, activity: Activity, { warmUp, measured }: Drivers): Promise<void> {
  const atOnce = async (them: readonly Driver[]) => {
    const times: number[] = [];
    let results = 0;
    const pending = [...them];
    await Promise.all(Array.from({ length: CLIENTS }, async () => {
      for (let driver = pending.pop(); driver !== undefined; driver = pending.pop()) {
        const asked = performance.now();
        const found = await activity(driver);
        times.push(performance.now() - asked);
        results += found;
      }
    }));
    return { times, results };
  };
  await atOnce(warmUp);
  const { times, results } = await atOnce(measured);
  rows.push([name, ms(percentile(times, 0.5)), ms(percentile(times, 0.95)), (results / times.length).toFixed(1)]);
}

await measure("POST /v1/parking-sessions", start, drivers);
await measure("GET /v1/me/parking-sessions/current", current, drivers);
await sql`
  update public.parking_sessions set started_at = started_at - interval '7 hours'
  where user_id = any (${[...drivers.warmUp, ...drivers.measured].map(({ user }) => user)}::uuid[])`;
await measure("the same after 7 hours", current, drivers);
await measure("POST /v1/parking-sessions/{id}/finalize", finalize, drivers);
const many = (count: number) => Array.from({ length: count }, () => old);
for (const path of ["/me/parking-sessions", "/me/notifications"]) {
  await measure(`GET /v1${path}, of ${ROWS}`, page(path), { warmUp: many(WARM_UP), measured: many(DRIVERS) });
}

/** Sessions of others, five each, and what they left in the log of activities; written with the triggers off. */
async function plantSessions(): Promise<void> {
  const superuser = postgres(asSuperuser(DB_URL!), { max: 1, onnotice: () => {} });
  await superuser.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    await transaction`
      insert into public.parking_sessions (user_id, parking_lot_id, status, started_at, created_at, client_request_id)
      select md5('driver ' || n / 5)::uuid, (${lots}::uuid[])[1 + n % 20], 'cancelled', d.at, d.at, gen_random_uuid()
      from generate_series(1, ${SESSIONS}::integer) as n cross join lateral (select now() - n * interval '30 seconds' as at) d`;
    await transaction`
      insert into public.user_activity_logs (user_id, activity_type, parking_lot_id, subject_id, created_at)
      select user_id, 'session_start', parking_lot_id, id, created_at from public.parking_sessions
      where created_at > now() - interval '90 days' on conflict do nothing`;
  });
  await superuser`vacuum analyze public.parking_sessions, public.user_activity_logs`;
  await superuser.end();
}

/** Starts by api.run_command, as the router calls it, in the database alone; then the job's looks at them. */
async function startsInSql(): Promise<string[][]> {
  const connection = postgres(DB_URL!, { max: 1, onnotice: () => {} });
  const [times, buffers]: [number[], number[]] = [[], []];
  for (const { user, lot } of await several(STARTS)) {
    await connection.begin(async (transaction) => {
      await transaction`
        select set_config('role', 'authenticated', true),
          set_config('request.jwt.claims', ${JSON.stringify({ role: "authenticated", sub: user })}, true)`;
      const started = {
        p_parking_lot_id: lot,
        p_start_lat: 35.68,
        p_start_lng: 139.76,
        p_client_request_id: crypto.randomUUID(),
      };
      const [row] = await transaction.unsafe(`
        explain (analyze, buffers, timing off, format json)
        select api.run_command('start_parking_session', '${JSON.stringify(started)}')`);
      const [{ Plan, "Execution Time": time }] = row!["QUERY PLAN"];
      times.push(time);
      buffers.push(Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"]);
    });
  }
  const looks: number[] = [];
  for (;;) {
    const asked = performance.now();
    const [row] = await connection<{ looked: boolean }[]>`select private.next_reminder_batch() as looked`;
    if (!row!.looked) break;
    looks.push(performance.now() - asked);
  }
  await connection.end();
  const warm = times.slice(10);
  return [
    ["start", ms(percentile(warm, 0.5)), ms(percentile(warm, 0.95)), String(percentile(buffers.slice(10), 0.5))],
    ["20 looks of the job", ms(percentile(looks, 0.5)), ms(percentile(looks, 0.95)), ""],
  ];
}

await sql`select cron.unschedule(jobname) from cron.job where jobname = 'send_session_reminders'`; // or the platform would run it first
await plantSessions();
const inSql = await startsInSql();
await sql.end();
console.log(`${CLIENTS} clients at once, ${DRIVERS} requests a line\n`);
console.log(table(["", "p50 ms", "p95 ms", "results"], rows));
console.log(`\nIn the database, with ${SESSIONS} sessions\n`);
console.log(table(["", "p50 ms", "p95 ms", "buffers"], inSql));
