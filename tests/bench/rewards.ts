// What points and badges cost: the award in the transaction of its cause, compared with the same activity without the functions
// that reward it; and the rebuild of one badge, and of all, from a history.
// deno run -A tests/bench/rewards.ts   (needs DB_URL and, for another size, BENCH_ACTIVITIES; `deno task bench` sets both)
import postgres, { type Sql } from "postgres";
import { seedHistory } from "../support/history.ts";
import { newUser } from "../support/rows.ts";
import { ms, percentile, table } from "./measure.ts";

const { DB_URL, BENCH_ACTIVITIES } = Deno.env.toObject();
if (!DB_URL) throw new Error("No platform is named: run `deno task bench`");
const ACTIVITIES = Number(BENCH_ACTIVITIES ?? 100_000);
const PEOPLE = Math.ceil(ACTIVITIES / 20);
const LOTS = 2000;
const SPONSORS = 20;
/** Activities are done in blocks, by turns with and without rewards; the first of a block plan again and are not counted. */
const BLOCKS = 20;
const WARM_UP = 5;
const BLOCK = 15;

const sql = postgres(DB_URL, { max: 1, onnotice: () => {} });

async function loadHistory(): Promise<void> {
  await sql`select cron.unschedule('backfill_badges')`; // or the platform would run it too
  await seedHistory(sql, PEOPLE, ACTIVITIES);
  await sql`
    insert into public.parking_lots (id, name, address, lat, lng, status)
    select md5('lot ' || n)::uuid, 'Lot ' || n, '1-1', 35.6 + n * 0.0001, 139.7, 'active'
    from generate_series(1, ${LOTS}::integer) as n`;
  await sql`
    insert into public.pricing_rules (parking_lot_id, category, rule_order, per_minutes, price_minor)
    select md5('lot ' || n)::uuid, 'time_band', 1, 30, 200 from generate_series(1, ${LOTS}::integer) as n`;
  await sql`
    insert into public.sponsors (id, name, lat, lng)
    select md5('sponsor ' || n)::uuid, 'Sponsor ' || n, 35.7, 139.7 from generate_series(1, ${SPONSORS}::integer) as n`;
  await sql`vacuum analyze public.user_activity_logs`;
  await sql`analyze public.app_users, public.parking_lots`;
}

async function seconds(run: () => Promise<unknown>): Promise<string> {
  const started = performance.now();
  await run();
  return ((performance.now() - started) / 1000).toFixed(1);
}

/** As the job does it. */
async function workOff(): Promise<void> {
  const [job] = await sql<{ command: string }[]>`select command from bench_job`;
  await sql.unsafe(job!.command);
}

async function backfills(): Promise<void> {
  await sql`create temporary table bench_job as select command from cron.job where jobname = 'backfill_badges'`;
  await loadHistory();
  await workOff(); // what the migrations left to do: nothing that counts here
  const badges = await sql<{ id: string; conditions: object }[]>`
    select id, conditions from public.badges where is_active order by sort_order`;
  const rows: string[][] = [];
  for (const { id, conditions } of badges) {
    const start = () => sql`select api.backfill_badge_progress(${id})`;
    const first = await seconds(() => start().then(workOff));
    rows.push([JSON.stringify(conditions), first, await seconds(() => start().then(workOff))]);
  }
  const again = await seconds(() => sql`select api.backfill_all_badge_progress()`.then(workOff));
  rows.push([`all ${badges.length}`, "", again]);
  const [made] = await sql<{ progress: number; badges: number }[]>`
    select (select count(*)::integer from public.user_badge_progress where count > 0) as progress,
      (select count(*)::integer from public.user_badges) as badges`;
  console.log(`Rebuild from ${ACTIVITIES} activities of ${PEOPLE} people: ${JSON.stringify(made)}\n`);
  console.log(table(["badge", "first, with what is earned, s", "again, s"], rows));
}

interface Activity {
  readonly name: string;
  /** What is needed to do it once, made before the clock starts. */
  prepare(sql: Sql): Promise<() => Promise<unknown>>;
}

const as = (user: string, run: (sql: postgres.TransactionSql) => Promise<unknown>) =>
  sql.begin(async (transaction) => {
    const claims = JSON.stringify({ sub: user, role: "authenticated" });
    await transaction`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${claims}, true)`;
    return await run(transaction);
  });

let done = 0;
/** Each time another of those who have done something, but not the busiest. */
async function aPerson(): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select md5('person ' || ${100 + done++ % (PEOPLE - 100)}::integer)::uuid as id`;
  return row!.id;
}

async function aStay(user: string): Promise<() => Promise<unknown>> {
  const [session] = await sql<{ id: string }[]>`
    insert into public.parking_sessions (user_id, parking_lot_id, status, started_at)
    select ${user}, md5('lot ' || 1 + floor(${LOTS}::integer * random()))::uuid, 'parking', now() - interval '2 hours' returning id`;
  return () => as(user, (sql) => sql`select commands.finalize_parking_session(${session!.id}, now())`);
}

/** What rewards: the points, and the badges that are complete. */
const REWARDS = [
  "private.give_exp(uuid, text, text, uuid, text)",
  "private.count_for_badges(uuid, text, uuid, uuid, jsonb, timestamptz)",
];
const KINDS: readonly Activity[] = [
  { name: "a session ends", prepare: async () => aStay(await aPerson()) },
  { name: "a person's first: badge, level, both told", prepare: async () => aStay(await newUser(sql)) },
  {
    name: "a check-in",
    prepare: async () => {
      const [user, sponsor] = [await aPerson(), done % SPONSORS + 1];
      return () =>
        as(
          user,
          (sql) =>
            sql`select commands.check_in_at_sponsor(md5('sponsor ' || ${sponsor}::integer)::uuid, 35.7, 139.7, 5)`,
        );
    },
  },
  {
    name: "a review is approved",
    prepare: async () => {
      const [review] = await sql<{ id: string }[]>`
        insert into public.reviews (user_id, parking_lot_id, rating)
        select ${await aPerson()}, md5('lot ' || 1 + floor(${LOTS}::integer * random()))::uuid, 4 returning id`;
      return () => sql`update public.reviews set status = 'approved' where id = ${review!.id}`;
    },
  },
];

async function block(activity: Activity, rewarded: boolean): Promise<number[]> {
  const rewards = await sql<{ definition: string }[]>`
    select pg_get_functiondef(name::regprocedure) as definition from unnest(${REWARDS}::text[]) as name`;
  for (const { definition } of rewarded ? [] : rewards) {
    await sql.unsafe(definition.replace(/\$function\$.*\$function\$/s, "$function$ begin end $function$"));
  }
  try {
    const times = [];
    for (let n = 0; n < WARM_UP + BLOCK; n++) {
      const act = await activity.prepare(sql);
      const started = performance.now();
      await act();
      times.push(performance.now() - started);
    }
    return times.slice(WARM_UP);
  } finally {
    for (const { definition } of rewards) await sql.unsafe(definition);
  }
}

async function awards(): Promise<void> {
  const rows: string[][] = [];
  for (const activity of KINDS) {
    const times: Record<"with" | "without", number[]> = { with: [], without: [] };
    for (let n = 0; n < BLOCKS; n++) {
      times.without.push(...await block(activity, false));
      times.with.push(...await block(activity, true));
    }
    const [without, plus] = [percentile(times.without, 0.5), percentile(times.with, 0.5)];
    rows.push([activity.name, ms(without), ms(plus), ms(plus - without), ms(percentile(times.with, 0.95))]);
  }
  console.log(`\nA activity as its transaction, ${BLOCKS * BLOCK} with and as many without rewards, by turns\n`);
  console.log(table(["", "without, p50 ms", "with, p50 ms", "difference", "with, p95 ms"], rows));
}

await backfills();
await awards();
await sql.end();
