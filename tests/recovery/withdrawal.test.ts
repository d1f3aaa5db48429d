// The job that forgets withdrawn accounts: what a crash of the database leaves of it.
import assert from "node:assert/strict";
import { crashPlatform } from "../support/crash_platform.ts";
import { eventually } from "../support/eventually.ts";
import { newUser } from "../support/rows.ts";

const ACTIVITIES = 4_000;
const TIMEOUT = 60_000;

Deno.test("withdrawal: after kill -9 of the database the job continues after its last batch, and nothing names the user", async () => {
  await using platform = await crashPlatform();
  const { sql } = platform;
  const user = await newUser(sql);
  await sql`
    insert into public.user_activity_logs (user_id, activity_type, subject_id, is_rewarded)
    select ${user}, 'session_end', gen_random_uuid(), false from generate_series(1, ${ACTIVITIES}::integer)`;
  // The job as in the migrations, each second and with small batches.
  await sql`
    select cron.schedule('erase_withdrawn_accounts', '1 seconds',
      'do $work$ begin while private.next_erasure_batch(10) loop commit; end loop; end $work$')`;
  await sql.begin(async (transaction) => {
    await transaction`
      select set_config('role', 'authenticated', true),
        set_config('request.jwt.claims', ${JSON.stringify({ role: "authenticated", sub: user })}, true)`;
    await transaction`select commands.withdraw_my_account()`;
  });
  const done = await eventually(async () => {
    const [end] = await sql<{ done: string }[]>`
      select done_rows as done from private.account_ends where user_id = ${user}`;
    if (end === undefined) throw new Error("The job was done before the database was killed");
    return Number(end.done) > ACTIVITIES / 10 ? Number(end.done) : undefined;
  }, TIMEOUT);
  await platform.killDatabase();

  const least = await eventually(async () => {
    const rows = await sql<{ done: string }[]>`
      select done_rows as done from private.account_ends where user_id = ${user}`.catch(() => undefined);
    // Done is what is committed: not less than was seen before. Nothing is left when the job was quick.
    return rows === undefined ? undefined : Number(rows[0]?.done ?? done);
  }, TIMEOUT);
  assert.ok(least >= done, `${least} of ${done}`);
  await eventually(async () => {
    const left = await sql`select from private.account_ends`.catch(() => undefined);
    return left?.length === 0 ? true : undefined;
  }, TIMEOUT);
  const [left] = await sql`
    select (select count(*)::integer from public.user_activity_logs where user_id = ${user}) as activities,
      (select count(*)::integer from public.exp_entries where user_id = ${user}) as points,
      (select count(*)::integer from auth.audit_log_entries where strpos(payload::text, ${user}) > 0) as entries`;
  assert.deepEqual({ ...left }, { activities: 0, points: 0, entries: 0 });
});
