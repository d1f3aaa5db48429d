// The archive of activities: a year later, what reads back reads the same.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { eraseWithdrawn } from "../support/forgotten.ts";
import { seedHistory } from "../support/history.ts";
import { newLot, newUser, runJob, signedIn } from "../support/rows.ts";

const db = await database();
const { sql } = db;
Deno.test.afterAll(() => db.close());

const PEOPLE = 40;
const STAYING = ["field_confirm", "field_deny", "lot_save", "review_post"];

/** What a rebuild of all badges from nothing gives. */
async function rebuilt(): Promise<unknown[]> {
  await sql`truncate private.badge_marks, public.user_badge_progress, public.user_badges cascade`;
  await sql`select api.backfill_all_badge_progress()`;
  await runJob(sql, "backfill_badges");
  return [
    ...await sql`select user_id, badge_id, count from public.user_badge_progress where count > 0 order by 1, 2`,
    ...await sql`select user_id, badge_id from public.user_badges order by 1, 2`,
  ].map((row) => ({ ...row }));
}

async function exported(user: string): Promise<{ id: string }[]> {
  const [row] = await db.as(
    signedIn(user),
    (as) =>
      as`
        select d -> 'rows' as rows from json_array_elements(api.export_my_data() -> 'data') as d
        where d ->> 'table' = 'user_activity_logs'`,
  );
  return row!["rows"];
}

async function segment(days: number): Promise<number> {
  const [row] = await sql`
    select (private.audience_size(jsonb_populate_record(null::public.user_notifications, jsonb_build_object(
      'target', 'all', 'type', 'notice', 'segment', jsonb_build_object('last_active_since', now() - ${days} * interval '1 day')
    )))).people::integer as people`;
  return row!["people"];
}

async function counts() {
  const [row] = await sql<{ recent: number; archived: number; old: number; months: number; partitions: number }[]>`
    select (select count(*)::integer from public.user_activity_logs) as recent,
      (select count(*)::integer from private.archived_activities) as archived,
      (select count(*)::integer from public.user_activity_logs
        where created_at < now() - interval '90 days' and activity_type <> all (${STAYING})) as old,
      (select count(distinct date_trunc('month', created_at at time zone 'UTC'))::integer
        from private.archived_activities) as months,
      (select count(*)::integer from pg_inherits where inhparent = 'private.archived_activities'::regclass) as partitions`;
  return { ...row! };
}

Deno.test("archive: badges, exports and segments read rows archived after a year, and every row is in one table", async () => {
  await seedHistory(sql, PEOPLE, 4000);
  const someone = (await sql`select id from public.app_users order by id limit 1`)[0]!["id"] as string;
  const read = async () => [await rebuilt(), await exported(someone), await segment(300), await segment(60)];
  const [before, at] = [await read(), await counts()];
  assert.equal(at.archived, 0);
  assert.ok(at.old > 1000);
  assert.equal((before[0] as unknown[]).length > PEOPLE, true);
  await runJob(sql, "archive_activities");
  const after = await counts();
  assert.deepEqual([after.old, after.archived, after.recent], [0, at.old, at.recent - at.old]);
  assert.deepEqual([after.partitions, after.months >= 9], [after.months, true]);
  assert.deepEqual(await read(), before);
  // Old rows can be requested by month only.
  const [plan] = await sql`
    explain (format json) select from private.archived_activities where created_at >= now() - interval '100 days'`;
  assert.ok(JSON.stringify(plan).split("archived_activities_").length < 12);

  // Another year on.
  await sql`update public.user_activity_logs set created_at = created_at - interval '1 year'`;
  await runJob(sql, "archive_activities");
  const kept = await sql`select distinct activity_type from public.user_activity_logs order by 1`;
  assert.deepEqual(kept.map(({ activity_type }) => activity_type), STAYING.filter((type) => type !== "review_post"));
  assert.equal((await exported(someone)).length, (before[1] as unknown[]).length);
});

Deno.test("archive: archived rows still count once, and archived stays are none of today's six", async () => {
  const [user, lot] = [await newUser(sql), await newLot(sql)];
  const as = (statement: string, values: string[]) => db.as(signedIn(user), (as) => as.unsafe(statement, values));
  const stay = async () => {
    const [row] = await as("select commands.start_parking_session($1::uuid) as reply", [lot]);
    const id = row!["reply"].session_id;
    await sql`update public.parking_sessions set started_at = started_at - interval '5 minutes' where id = ${id}`;
    await as("select commands.finalize_parking_session($1::uuid, now())", [id]);
  };
  await as("select commands.save_parking_lot($1::uuid)", [lot]);
  await stay();
  await sql`
    insert into public.user_activity_logs (user_id, activity_type, subject_id)
    select ${user}, 'session_end', gen_random_uuid() from generate_series(1, 5)`;
  await sql`update public.user_activity_logs set created_at = created_at - interval '91 days' where user_id = ${user}`;
  await runJob(sql, "archive_activities");
  await as("select commands.unsave_parking_lot($1::uuid)", [lot]);
  await as("select commands.save_parking_lot($1::uuid)", [lot]);
  await stay();
  const rows = await sql`
    select activity_type, is_rewarded, tableoid::regclass <> 'public.user_activity_logs'::regclass as is_archived
    from (
      select activity_type, is_rewarded, tableoid, user_id, created_at, parking_lot_id from public.user_activity_logs
      union all select activity_type, is_rewarded, tableoid, user_id, created_at, parking_lot_id from private.archived_activities
    ) l where user_id = ${user} and parking_lot_id = ${lot} order by created_at, activity_type desc`;
  assert.deepEqual(rows.map((row) => Object.values(row)), [
    ["lot_save", true, false],
    ["session_start", true, true],
    ["session_end", true, true],
    ["session_start", true, false],
    ["session_end", true, false],
  ]);
});

Deno.test("archive: a user who withdraws or is deleted has no row in either table, also while rows are moved", async () => {
  for (const leave of ["withdraw", "delete"]) {
    const user = await newUser(sql);
    await sql`
      insert into public.user_activity_logs (user_id, activity_type, subject_id, created_at)
      select ${user}, 'session_start', gen_random_uuid(), now() - n * interval '40 days' from generate_series(0, 9) as n`;
    await sql`select private.next_archive_batch(1)`;
    let leaving: Promise<unknown> | undefined;
    await sql.begin(async (mover) => {
      while ((await mover`select private.next_archive_batch() as more`)[0]!["more"]);
      leaving = leave === "withdraw"
        ? db.as(signedIn(user), (as) => as`select commands.withdraw_my_account()`).then(() => eraseWithdrawn(sql))
        : sql`delete from auth.users where id = ${user}`.execute();
      await eventually(async () => {
        const waiting = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        return waiting.length > 0 ? true : undefined;
      });
    });
    await leaving;
    const left = await sql`select from private.activities where user_id = ${user}`;
    assert.equal(left.length, 0, leave);
  }
});
