// The rebuild of badges in batches: what a crash leaves of it, and what is done while it runs.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { crashPlatform } from "../support/crash_platform.ts";
import { database } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { seedHistory } from "../support/history.ts";
import { recalculateLevels } from "../support/rows.ts";

const PEOPLE = 600;
const ACTIVITIES = 7_000;
const PATIENCE = 60_000;

interface Figures {
  readonly progress: string;
  readonly badges: string;
  readonly told: number;
  readonly points: number;
}

/** The figures of users, counted by any job in any order. */
async function figures(sql: Sql): Promise<Figures> {
  const [row] = await sql<Figures[]>`
    select (
        select md5(string_agg(concat_ws(' ', p.user_id, p.badge_id, p.count), ',' order by p.user_id, p.badge_id))
        from public.user_badge_progress p where p.count > 0
      ) as progress, (
        select md5(string_agg(concat_ws(' ', b.user_id, b.badge_id), ',' order by b.user_id, b.badge_id))
        from public.user_badges b
      ) as badges, (
        select count(*)::integer from public.user_notifications n where n.type = 'badge_earned'
      ) as told, (
        select sum(e.amount)::integer from public.exp_entries e where e.reason = 'badge_earned'
      ) as points`;
  return { ...row! };
}

async function startAll(sql: Sql): Promise<void> {
  await sql`select api.backfill_all_badge_progress()`;
}

async function workOff(sql: Sql, users: number): Promise<void> {
  for (;;) {
    const [row] = await sql<{ more: boolean }[]>`select private.next_badge_batch(${users}) as more`;
    if (!row!.more) return;
  }
}

/** When a rebuild is well under way: the users who are done with its badge, each with the version of their row. */
async function halfway(sql: Sql) {
  return await eventually(async () => {
    const [job] = await sql<{ badge_id: string; started_at: Date; done: Record<string, string> | null }[]>`
      select f.badge_id, f.started_at, (
        select jsonb_object_agg(p.user_id, p.xmin::text) from public.user_badge_progress p
        where p.badge_id = f.badge_id and p.user_id <= f.last_user_id
      ) as done
      from private.badge_backfills f
      where f.finished_at is null and f.done_users between ${PEOPLE / 5}::integer and ${PEOPLE * 4 / 5}::integer`;
    return job?.done ? { ...job, done: job.done } : undefined; // not where no user has counted activity
  }, PATIENCE);
}

Deno.test("badge backfill: after kill -9 of the database the job continues after the last batch, with the result of an uninterrupted run", async () => {
  await using platform = await crashPlatform();
  const { sql } = platform;
  await sql`select cron.unschedule('backfill_badges')`;
  await seedHistory(sql, PEOPLE, ACTIVITIES);
  await startAll(sql);
  await workOff(sql, PEOPLE);
  const expected = await figures(sql);
  assert.ok(expected.told > PEOPLE, JSON.stringify(expected));

  await sql`truncate private.badge_marks, public.user_badge_progress, public.user_badges, public.user_notifications cascade`;
  await sql`delete from public.exp_entries`;
  await startAll(sql);
  // The job as in the migrations, each second instead of each minute and with small batches.
  await sql`
    select cron.schedule('backfill_badges', '1 seconds',
      'do $work$ begin while private.next_badge_batch(25) loop commit; end loop; end $work$')`;
  const { badge_id, started_at, done } = await halfway(sql);
  await platform.killDatabase();

  const finished = await eventually(async () => {
    const jobs = await sql<{ badge_id: string; done_users: number; started_at: Date; finished_at: Date | null }[]>`
      select badge_id, done_users, started_at, finished_at from private.badge_backfills`
      .catch(() => []); // the database is not back yet
    return jobs.length > 0 && jobs.every(({ finished_at }) => finished_at !== null) ? jobs : undefined;
  }, PATIENCE);
  assert.ok(finished.every(({ done_users }) => done_users === PEOPLE), JSON.stringify(finished));
  assert.deepEqual(finished.find((job) => job.badge_id === badge_id)?.started_at, started_at);
  assert.deepEqual(await figures(sql), expected);
  const kept = await sql<{ user_id: string; version: string }[]>`
    select user_id, xmin::text as version from public.user_badge_progress
    where badge_id = ${badge_id} and user_id in ${sql(Object.keys(done))}`;
  assert.deepEqual(Object.fromEntries(kept.map(({ user_id, version }) => [user_id, version])), done);
  assert.equal(await recalculateLevels(sql), 0);
});

Deno.test("badge backfill: activity during a rebuild counts once: every figure equals the history and another rebuild", async () => {
  const db = await database();
  try {
    const { sql } = db;
    await seedHistory(sql, PEOPLE, ACTIVITIES);
    await startAll(sql);
    let working = true;
    const begun = new Set<string>();
    const write = async () => {
      for (let n = 0; working; n++) {
        // As often in a row as there are retries, and of a kind that several badges count.
        const subject = crypto.randomUUID();
        for (let again = 0; again <= n % 2; again++) {
          await sql`
            select private.record_activity(md5('person ' || 1 + floor(${PEOPLE}::integer * random()))::uuid, 'session_end',
              md5('lot ' || 1 + floor(2000 * random()))::uuid, ${subject}, '{"minutes": 200}')`;
        }
        begun.add(subject);
      }
    };
    const work = async () => {
      try {
        // Started again during the run, once.
        for (let n = 0; n < 60; n++) await sql`select private.next_badge_batch(25)`;
        await startAll(sql);
        await workOff(sql, 25);
      } finally {
        working = false;
      }
    };
    await Promise.all([work(), write(), write(), write()]);
    assert.ok(begun.size > 50, `${begun.size} activities were done meanwhile`);

    const wrong = await sql`
      with history as (
        select l.user_id, count(distinct l.subject_id) as stays, count(distinct l.parking_lot_id) as lots,
          count(distinct l.subject_id) filter (where (l.metadata ->> 'minutes')::integer >= 180) as long_stays
        from public.user_activity_logs l where l.activity_type = 'session_end' group by l.user_id
      ), expected as (
        select h.user_id, e.icon, e.count
        from history h cross join lateral (
          values ('first_parking', h.stays), ('ten_lots', h.lots), ('long_stay', h.long_stays)
        ) as e (icon, count)
      )
      select x.user_id, x.icon, x.count as expected, p.count as found, u.id is not null as has_badge
      from expected x join public.badges b using (icon)
      left join public.user_badge_progress p on p.user_id = x.user_id and p.badge_id = b.id
      left join public.user_badges u on u.user_id = x.user_id and u.badge_id = b.id
      where least(x.count, b.threshold) <> coalesce(p.count, 0) or (x.count >= b.threshold) <> (u.id is not null)`;
    assert.deepEqual([...wrong], []);

    const before = await figures(sql);
    await startAll(sql);
    await workOff(sql, PEOPLE);
    assert.deepEqual(await figures(sql), before);
  } finally {
    await db.close();
  }
});
