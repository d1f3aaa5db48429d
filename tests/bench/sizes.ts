// What rows cost on disk: loads so many of what grows with use, and prints bytes a row with its indexes.
// deno run -A tests/bench/sizes.ts   (needs DB_URL and, for another size, BENCH_ROWS; `deno task bench sizes` sets both)
//
// It reads no column that only some versions of the schema have, so that it can be run against an older one.
import postgres, { type Sql } from "postgres";
import { table } from "./measure.ts";

const { DB_URL, BENCH_ROWS } = Deno.env.toObject();
if (!DB_URL) throw new Error("No platform is named: run `deno task bench`");
const ROWS = Number(BENCH_ROWS ?? 100_000);
const LOTS = 500;
/** How often the sensor of each lot reports. */
const REPORTS = 40;
const PEOPLE = 200;

const sql = postgres(DB_URL, { max: 1, onnotice: () => {} });
const rows: string[][] = [];

/** Bytes of these tables and their indexes, partitions included; 0 of one that this schema does not have. */
async function bytes(tables: readonly string[]): Promise<{ heap: number; indexes: number }> {
  const [row] = await sql<{ heap: number; indexes: number }[]>`
    select coalesce(sum(pg_table_size(t.id)), 0)::float8 as heap, coalesce(sum(pg_indexes_size(t.id)), 0)::float8 as indexes
    from unnest(${tables as string[]}::text[]) as n (name)
    cross join lateral (
      select to_regclass(n.name)::oid union all select i.inhrelid from pg_inherits i where i.inhparent = to_regclass(n.name)
    ) as t (id)`;
  return row!;
}

/** Runs what adds the rows, and prints what they take, divided by how many things they stand for. */
async function measure(name: string, tables: readonly string[], count: number, add: (sql: Sql) => Promise<unknown>) {
  const vacuum = async () => {
    for (const one of tables) {
      const [found] = await sql`select to_regclass(${one}) as name`;
      if (found!["name"] !== null) await sql`vacuum analyze ${sql(one)}`;
    }
  };
  await vacuum();
  const before = await bytes(tables);
  await add(sql);
  await vacuum();
  const after = await bytes(tables);
  const [heap, indexes] = [(after.heap - before.heap) / count, (after.indexes - before.indexes) / count];
  rows.push([name, String(count), heap.toFixed(0), indexes.toFixed(0), (heap + indexes).toFixed(0)]);
}

/** The same with the triggers of a table off. */
async function quietly(name: string, add: () => Promise<unknown>): Promise<void> {
  await sql`alter table ${sql(name)} disable trigger user`;
  await add();
  await sql`alter table ${sql(name)} enable trigger user`;
}

async function people(): Promise<void> {
  await sql`
    insert into auth.users (id, email)
    select md5('size ' || n)::uuid, 'size' || n || '@example.test' from generate_series(1, ${PEOPLE}::integer) as n on conflict do nothing`;
  await sql`
    insert into public.parking_lots (id, name, address, lat, lng, status, total_spaces)
    select md5('lot ' || n)::uuid, 'Lot ' || n, '1-1', 35.6 + n * 0.0001, 139.7, 'active', 40
    from generate_series(1, ${LOTS}::integer) as n on conflict do nothing`;
  await sql`
    insert into public.pricing_rules (parking_lot_id, category, rule_order, time_start, time_end, per_minutes, price_minor)
    select md5('lot ' || n)::uuid, 'time_band', r.place, r.time_start, r.time_end, 30, r.price
    from generate_series(1, ${LOTS}::integer) as n
    cross join (values (1, time '08:00', time '22:00', 200), (2, time '22:00', time '08:00', 100)) as r (place, time_start, time_end, price)`;
}

/** A session that was really ended, at each lot, and copies of them. */
async function sessions(): Promise<void> {
  const user = `md5('size 1')::uuid`;
  for (let n = 1; n <= 20; n++) {
    await sql.begin(async (as) => {
      await as.unsafe(`select set_config('request.jwt.claims',
        json_build_object('sub', ${user}, 'role', 'authenticated')::text, true), set_config('role', 'authenticated', true)`);
      const [row] = await as`select commands.start_parking_session(md5(${`lot ${n}`})::uuid) ->> 'session_id' as id`;
      await as`reset role`;
      await as`
        update public.parking_sessions set started_at = started_at - interval '3 hours' where id = ${row!["id"]}`;
      await as`set local role authenticated`;
      await as`select commands.finalize_parking_session(${row!["id"]}, now())`;
    });
  }
  await quietly("public.parking_sessions", () =>
    sql`
      insert into public.parking_sessions
      select r.* from generate_series(1, ${ROWS}::integer) as n
      join (select s, row_number() over (order by s.id) - 1 as place from public.parking_sessions s where s.status = 'ended') e
        on e.place = n % 20
      cross join lateral jsonb_populate_record(e.s, jsonb_build_object('id', gen_random_uuid(),
        'user_id', md5('size ' || 1 + n % ${PEOPLE}::integer)::uuid, 'client_request_id', gen_random_uuid(),
        'started_at', (e.s).started_at - n * interval '1 minute', 'ended_at', (e.s).ended_at - n * interval '1 minute')) r`);
}

const activities = (days: number) =>
  quietly("public.user_activity_logs", () =>
    sql`
      insert into public.user_activity_logs (user_id, activity_type, parking_lot_id, subject_id, metadata, created_at)
      select md5('size ' || 1 + n % ${PEOPLE}::integer)::uuid, case n % 2 when 0 then 'session_start' else 'session_end' end,
        md5('lot ' || n % ${LOTS}::integer)::uuid, gen_random_uuid(),
        case n % 2 when 0 then '{}'::jsonb else '{"minutes": 180, "currency": "JPY", "total_amount": 1200}' end,
        now() - ${days}::integer * interval '1 day' - n * interval '1 second'
      from generate_series(1, ${ROWS}::integer) as n`);

async function archive(): Promise<void> {
  const [job] = await sql<{ command: string }[]>`select command from cron.job where jobname = 'archive_activities'`;
  if (job) await sql.unsafe(job.command);
}

/** Every sensor reports every five minutes. */
async function reports(): Promise<void> {
  for (let nth = 0; nth < REPORTS; nth++) {
    await sql`
      insert into public.occupancy_reports (parking_lot_id, source, free_spaces, reported_at)
      select md5('lot ' || n)::uuid, 'sensor', (7 * ${nth}::integer + n) % 40, now() - interval '2 days' + ${nth} * interval '5 minutes'
      from generate_series(1, ${LOTS}::integer) as n on conflict do nothing`;
  }
}

await people();
await measure("an ended session", ["public.parking_sessions", "private.price_lists"], ROWS, sessions);
await measure("an activity of the last 90 days", ["public.user_activity_logs"], ROWS, () => activities(0));
await measure("an older activity, in the archive", ["private.archived_activities"], ROWS, async () => {
  await activities(100);
  await archive();
});
await measure("a sensor's report", ["public.occupancy_reports"], REPORTS * LOTS, reports);
await measure(
  "a notification in an inbox",
  ["public.user_notifications"],
  ROWS,
  () =>
    quietly("public.user_notifications", () =>
      sql`
      insert into public.user_notifications (user_id, type, title, body, status, sent_at)
      select md5('size ' || 1 + n % ${PEOPLE}::integer)::uuid, 'badge_earned', 'Badge earned', repeat('text ', 10), 'sent', now()
      from generate_series(1, ${ROWS}::integer) as n`),
);
await measure(
  "an entry of experience points",
  ["public.exp_entries"],
  ROWS,
  () =>
    quietly("public.exp_entries", () =>
      sql`
      insert into public.exp_entries (user_id, reason, source_type, source_id, amount, given_on)
      select md5('size ' || 1 + n % ${PEOPLE}::integer)::uuid, 'session_end', 'session_end', gen_random_uuid(), 10,
        (now() - n * interval '1 minute')::date
      from generate_series(1, ${ROWS}::integer) as n`),
);
await measure("the marks of a finished session, 20 a user", ["private.badge_marks"], 20 * PEOPLE, () =>
  sql`
    select private.record_activity(md5('size ' || 1 + n % ${PEOPLE}::integer)::uuid, 'session_end', md5('lot ' || n % 50)::uuid,
      gen_random_uuid(), '{"minutes": 200}', p_created_at => now() - n * interval '5 minutes')
    from generate_series(1, ${20 * PEOPLE}::integer) as n`);
console.log(table(["what", "rows", "table, bytes a row", "indexes, bytes a row", "together"], rows));
await sql.end();
