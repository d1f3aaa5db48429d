// The job that rebuilds badges, as the migrations schedule it and the platform runs it.
import assert from "node:assert/strict";
import { CronRunner } from "../../local/jobs/cron.ts";
import { asSuperuser, database } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { seedHistory } from "../support/history.ts";

const PEOPLE = 2_500;

Deno.test("backfill_badges: within a minute the job rebuilds pending badges, a thousand users in a transaction", async () => {
  const db = await database();
  const runner = new CronRunner(asSuperuser(db.url), () => {});
  try {
    const { sql } = db;
    await seedHistory(sql, PEOPLE, 10 * PEOPLE);
    await sql`delete from private.badge_backfills`;
    const [badge] = await sql<{ id: string }[]>`
      insert into public.badges (name, description, icon, category, conditions, threshold)
      values ('Badge', 'For a test', 'icon', 'parking', '{"activity": ["session_end"], "measure": "count"}', 1000)
      returning id`;
    const [job] = await sql<{ schedule: string; command: string }[]>`
      select schedule, command from cron.job where jobname = 'backfill_badges'`;
    const [, seconds] = /^(\d+) seconds$/.exec(job!.schedule) ?? [];
    assert.ok(Number(seconds) < 60, job!.schedule);

    // A job of this copy of the database, and sooner than in a minute.
    await sql`select cron.schedule('backfill_badges', '1 seconds', ${job!.command})`;
    runner.start();
    const run = await eventually(async () => {
      const [ended] = await sql`
        select status, return_message, username from cron.job_run_details where end_time is not null order by runid`;
      return ended;
    });
    assert.deepEqual({ ...run, return_message: "" }, { status: "succeeded", return_message: "", username: "postgres" });

    const [backfill] = await sql`
      select done_users, finished_at is not null as is_finished from private.badge_backfills where badge_id = ${
      badge!.id
    }`;
    assert.deepEqual({ ...backfill }, { done_users: PEOPLE, is_finished: true });
    const [made] = await sql`
      select sum(count)::integer as counted, count(distinct xmin::text)::integer as transactions
      from public.user_badge_progress where badge_id = ${badge!.id}`;
    const [history] = await sql`
      select count(*)::integer as activities from public.user_activity_logs where activity_type = 'session_end'`;
    assert.deepEqual({ ...made }, { counted: history!["activities"], transactions: 3 });
  } finally {
    await runner.stop();
    await db.close();
  }
});
