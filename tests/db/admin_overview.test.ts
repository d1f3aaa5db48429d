// The overview's figures against counts by hand, the days of sessions, and the texts of slow statements.
import assert from "node:assert/strict";
import postgres from "postgres";
import { asSuperuser, database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";
import { newLot, newUser, runJob } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const administrator = crypto.randomUUID();
await db.sql`
  insert into auth.users (id, email, raw_app_meta_data)
  values (${administrator}, ${`${administrator}@example.test`},
    jsonb_build_object('admin', jsonb_build_object('name', 'Chief', 'areas', private.admin_areas())))`;

// deno-lint-ignore no-explicit-any -- the reply, as it comes
async function overview(days = 14): Promise<any> {
  return await db.as({ role: "service_role" }, async (sql) => {
    const [row] = await sql`select api.admin_get_overview(${administrator}, ${days}) as reply`;
    return row!["reply"];
  });
}

async function refreshed(days?: number) {
  await runJob(db.sql, "refresh_overview_now");
  await runJob(db.sql, "refresh_overview");
  return await overview(days);
}

Deno.test("overview: an empty database has zeros and no oldest entry", async () => {
  const { people: appUsers, sessions, sessions_by_day, open_work, dead_messages } = await refreshed(30);
  assert.deepEqual([appUsers.all, appUsers.active, appUsers.new_7d, appUsers.premium, sessions.parking], [
    0,
    0,
    0,
    0,
    0,
  ]);
  assert.equal(sessions_by_day.days.length, 30);
  assert.ok(sessions_by_day.days.every(({ started }: { started: number }) => started === 0));
  for (const name of ["pending_reviews", "open_error_reports", "waiting_tickets"]) {
    assert.deepEqual(open_work[name], { count: 0, oldest_at: null, oldest_age_seconds: null });
  }
  assert.deepEqual([dead_messages.count, dead_messages.newest_at], [0, null]);
});

Deno.test("overview: users, sessions and pending work are counted", async () => {
  const lot = await newLot(db.sql);
  const users: string[] = [];
  for (let n = 0; n < 6; n++) users.push(await newUser(db.sql));
  const [old, premium, lapsed, suspended, deleted, plain] = users as [string, string, string, string, string, string];
  await db.sql`update public.app_users set created_at = now() - interval '8 days' where id = ${old}`;
  await db.sql`update public.app_users set premium_ends_at = 'infinity' where id = ${premium}`;
  await db.sql`update public.app_users set premium_ends_at = now() - interval '1 day' where id = ${lapsed}`;
  await db.sql`update public.app_users set status = 'suspended', premium_ends_at = 'infinity' where id = ${suspended}`;
  await db.sql`select private.empty_account(${deleted})`;
  await db.sql`
    insert into public.reviews (parking_lot_id, user_id, rating, status, created_at) values
      (${lot}, ${old}, 4, 'pending', now() - interval '2 hours'), (${lot}, ${premium}, 4, 'pending', now()),
      (${lot}, ${plain}, 4, 'approved', now() - interval '9 hours')`;
  await db.sql`
    insert into public.error_reports (parking_lot_name, report_type, description, status, created_at) values
      ('Lot', 'price', 'Dearer', 'open', now() - interval '1 hour'), ('Lot', 'price', 'Dearer', 'rejected', now() - interval '2 days')`;
  await db.sql`
    insert into public.support_tickets (user_id, category, subject, status) values
      (${plain}, 'other', 'Subject', 'open'), (${plain}, 'other', 'Subject', 'answered')`;
  await db
    .sql`insert into public.parking_sessions (parking_lot_id, user_id) values (${lot}, ${plain}), (${lot}, ${old})`;
  const { people: appUsers, sessions, open_work } = await refreshed();
  assert.deepEqual([appUsers.all, appUsers.active, appUsers.new_7d, appUsers.premium], [5, 4, 4, 1]);
  assert.equal(sessions.parking, 2);
  assert.deepEqual(
    [open_work.pending_reviews, open_work.open_error_reports, open_work.waiting_tickets].map(({ count }) => count),
    [2, 1, 1],
  );
  assert.equal(Math.round(open_work.pending_reviews.oldest_age_seconds / 60), 120);
  assert.equal(Math.round(open_work.open_error_reports.oldest_age_seconds / 60), 60);
});

Deno.test("overview: sessions are counted on the day in Tokyo, today and yesterday each time, earlier days once", async () => {
  const lot = await newLot(db.sql);
  const days = async () => (await refreshed(30)).sessions_by_day.days.map((day: { started: number }) => day.started);
  const before: number[] = await days();
  // The first and the last moment of the day in Tokyo.
  const start = (ago: number, at: string) =>
    db.sql`
      insert into public.parking_sessions (parking_lot_id, status, started_at)
      select ${lot}, 'cancelled', (((now() at time zone 'Asia/Tokyo')::date - ${ago}::integer) + ${at}::time) at time zone 'Asia/Tokyo'`;
  for (const [ago, at] of [[0, "00:00"], [1, "00:00"], [1, "23:59:59"], [5, "12:00"]] as const) await start(ago, at);
  const after: number[] = await days();
  const added = after.map((started, nth) => started - before[nth]!);
  assert.deepEqual(added.slice(-6), [0, 0, 0, 0, 2, 1]);
  // A day that was not counted, because no job ran, is counted when one runs again.
  await db.sql`delete from private.session_days where day = (now() at time zone 'Asia/Tokyo')::date - 5`;
  const again: number[] = await days();
  assert.deepEqual(again.map((started, nth) => started - before[nth]!).slice(-6), [1, 0, 0, 0, 2, 1]);
});

/** Writes runs of a job that started and, unless they run, ended some minutes ago. */
async function ran(name: string, status: string, minutesAgo: number) {
  await db.sql`
    insert into cron.job_run_details (jobid, runid, username, status, start_time, end_time)
    select jobid, (select coalesce(max(runid), 0) + 1 from cron.job_run_details), username, ${status}, r.at, case when ${status}::text <> 'running' then r.at end
    from cron.job cross join (select now() - ${minutesAgo}::integer * interval '1 minute' as at) r where jobname = ${name}`;
}

Deno.test("overview: queues have their due messages, dead messages are as they are now", async () => {
  await db
    .sql`select private.enqueue('object_deletion', '{"n": 1}'), private.enqueue('object_deletion', '{"n": 2}', 3600)`;
  const { message_queues } = await refreshed();
  const queue = message_queues.items.find(({ queue }: { queue: string }) => queue === "object_deletion");
  assert.deepEqual([queue.length, queue.due], [2, 1]);
  assert.ok(queue.oldest_due_at);
  await db.sql`
    insert into private.dead_messages (queue, msg_id, message, read_count, enqueued_at) values ('object_deletion', 1, '{}', 5, now())`;
  assert.equal((await overview()).dead_messages.count, 1);
});

Deno.test("overview: jobs are counted every minute, a job is failing while its last finished run failed", async () => {
  const jobs = async () => (await refreshed()).jobs;
  const [row] = await db.sql`select count(*)::integer as active from cron.job where active`;
  const { at, last_started_at, ...none } = await jobs();
  assert.deepEqual([none, last_started_at], [{ active: row!["active"], failed_24h: 0, failing: [] }, null]);
  await ran("sweep_assets", "failed", 25 * 60);
  await ran("sweep_assets", "failed", 20);
  await ran("sweep_assets", "running", 1);
  await ran("requeue_publications", "failed", 10);
  await ran("requeue_publications", "succeeded", 5);
  await ran("refresh_overview", "succeeded", 4);
  // Before the job has run again: only the last start is as it is now.
  const { last_started_at: started, ...kept } = (await overview()).jobs;
  assert.deepEqual(kept, { at, ...none });
  assert.equal(Math.round((Date.now() - Date.parse(started)) / 60_000), 1);
  const { failed_24h, failing } = await jobs();
  assert.deepEqual([failed_24h, failing], [2, ["sweep_assets"]]);
  await ran("sweep_assets", "succeeded", 0);
  assert.deepEqual((await jobs()).failing, []);
});

Deno.test("overview: only the newest runs of jobs are read, for any number of runs", async () => {
  await db.sql`
    insert into cron.job_run_details (jobid, runid, username, status, start_time, end_time)
    select j.jobid, 1e15 + row_number() over (), j.username, 'succeeded', now() - n * interval '1 minute', now() - n * interval '1 minute'
    from cron.job j cross join generate_series(1, 500) as n`;
  const read = await db.as({ role: "service_role" }, async (sql) => {
    const rows = async () => {
      await sql`reset role`;
      const [row] = await sql<{ rows: number }[]>`
        select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::integer as rows
        from pg_stat_xact_all_tables where relid = 'cron.job_run_details'::regclass`;
      await sql`set local role service_role`;
      return row!.rows;
    };
    const before = await rows();
    await sql`select api.admin_get_overview(${administrator})`;
    return await rows() - before;
  });
  assert.ok(read > 0 && read <= 100, String(read));
});

Deno.test("overview: days outside of 1 to 30 are rejected by their name", async () => {
  for (const days of [0, 31]) {
    const { code, param } = await errorOf(overview(days));
    assert.deepEqual([code, param], ["validation_error", "days"]);
  }
});

Deno.test("overview: the text of a statement contains no values, and a statement that cannot be normalized is not shown", async () => {
  const masked = async (text: string) =>
    (await db.sql<{ text: string | null }[]>`select private.masked_statement(${text}) as text`)[0]!.text;
  for (
    const [text, expected] of [
      ["select * from t where a = $1 and b1 = $2", "select * from t where a = $1 and b1 = $2"],
      ["select * from t where a = 'Aki' and b = 42", "select * from t where a = ? and b = ?"],
      ["select 'it''s', e'a\\'b', 1.5e-7, x2", "select ?, e?, ?, x2"],
      ["select $$secret$$, $a$ it's $a$ from t", "select ?, ? from t"],
      ["select 1 -- of Aki\nfrom t /* 'Aki' */", "select ? from t"],
      ["select\n  1\n", "select ?"],
      ["select 'open", null],
    ] as const
  ) {
    const found = await masked(text);
    assert.equal(found, expected, text);
    for (const secret of ["Aki", "secret", "42"]) assert.ok(!found?.includes(secret), text);
  }
  assert.equal((await masked(`select ${"a, ".repeat(400)}`))?.length, 500);
});

Deno.test("overview: slow statements come from the statistics where they are installed, else there is the reason", async () => {
  assert.deepEqual((await refreshed()).slow_queries.reason, "not_installed");
  const superuser = postgres(asSuperuser(db.url), { max: 1, onnotice: () => {} });
  try {
    await superuser`create schema "Statistics"`;
    await superuser`create extension pg_stat_statements with schema "Statistics"`;
    await superuser`grant usage on schema "Statistics" to postgres`;
    const { items, reason } = (await refreshed()).slow_queries;
    assert.deepEqual([reason, items], ["not_loaded", []]);
    // The server has not loaded it: in the place of the view a table with the columns that are read.
    await superuser.unsafe(`
      alter extension pg_stat_statements drop view "Statistics".pg_stat_statements;
      drop view "Statistics".pg_stat_statements;
      create table "Statistics".pg_stat_statements as
      select d.oid as dbid, s.*
      from (values
        ('select api.nearby($1)', 10::bigint, 5.125::float8, 20::float8, 51.25::float8),
        ('with q as (select $1) update t set a = ''Aki''', 2, 7, 8, 14),
        ('alter role postgres password ''secret''', 1, 90, 90, 90),
        ('<insufficient privilege>', 1, 80, 80, 80)
      ) as s (query, calls, mean_exec_time, max_exec_time, total_exec_time)
      join pg_database d on d.datname = current_database();
      insert into "Statistics".pg_stat_statements select 0, 'select ' || n, 1, 100, 100, 100 from generate_series(1, 3) as n;
      insert into "Statistics".pg_stat_statements
      select d.oid, 'select from t' || n, 1, 1, 1, 1 from pg_database d, generate_series(1, 20) as n
      where datname = current_database();
      grant select on "Statistics".pg_stat_statements to postgres`);
  } finally {
    await superuser.end();
  }
  const { items, reason } = (await refreshed()).slow_queries;
  assert.deepEqual([reason, items.length], [null, 10]);
  assert.deepEqual(items.slice(0, 2), [
    { query: "with q as (select $1) update t set a = ?", calls: 2, mean_ms: 7, max_ms: 8, total_ms: 14 },
    { query: "select api.nearby($1)", calls: 10, mean_ms: 5.13, max_ms: 20, total_ms: 51 },
  ]);
  assert.ok(items.slice(2).every(({ query }: { query: string }) => query.startsWith("select from t")));
});

const withArea = crypto.randomUUID();
await db.sql`
  insert into auth.users (id, email, raw_app_meta_data)
  values (${withArea}, ${`${withArea}@example.test`}, '{"admin": {"name": "Nobody", "areas": ["notifications"]}}')`;

async function delivery() {
  await runJob(db.sql, "refresh_delivery_figures");
  return await db.as({ role: "service_role" }, async (sql) => {
    const [row] = await sql`select api.admin_get_overview(${withArea}) as reply`;
    return row!["reply"];
  });
}

Deno.test("overview: push and mail have zeros before anything was sent", async () => {
  const { push: { at: _push, ...pushes }, mail: { at: _mail, ...mails } } = await delivery();
  const nothing = { messages: 0, waiting: 0, retrying: 0, oldest_at: null, oldest_age_seconds: null, trouble: null };
  assert.deepEqual([pushes, mails], [{ ...nothing, outcomes: [] }, { ...nothing, outcomes: [] }]);
});

Deno.test("overview: pending and retried pushes and mails, the oldest message, and the reason for a pause are shown", async () => {
  const user = await newUser(db.sql);
  await db.sql`update auth.users set email_confirmed_at = now() where id = ${user}`;
  await db.sql`
    insert into public.user_push_tokens (user_id, fcm_token, device_type)
    select ${user}, gen_random_uuid()::text, 'ios' from generate_series(1, 3)`;
  for (let n = 0; n < 2; n++) await db.sql`select private.notify_user(${user}, 'support_reply', 'Title', 'Body')`;
  await db.sql`update pgmq."q_push-dispatch" set enqueued_at = now() - interval '5 minutes' where msg_id = 1`;
  await db
    .sql`update private.push_deliveries set attempts = 1 where token_id = (select min(token_id::text)::uuid from private.push_deliveries)`;
  await db.sql`select api.take_mails(), api.pause_push('outage', 60), api.pause_mail('quota', 3600)`;
  const { push, mail } = await delivery();
  assert.deepEqual([push.messages, push.waiting, push.retrying], [2, 6, 2]);
  assert.equal(Math.floor(push.oldest_age_seconds / 60), 5);
  assert.deepEqual([mail.messages, mail.waiting, mail.retrying], [2, 2, 1]);
  assert.deepEqual([push.trouble.reason, mail.trouble.reason], ["outage", "quota"]);
  const minutes = (Date.parse(mail.trouble.paused_until) - Date.now()) / 60_000;
  assert.ok(minutes > 58 && minutes <= 60, String(minutes));
});

Deno.test("overview: outcomes are counted by the hour of the last 24, the current hour each time, earlier hours once", async () => {
  const hour = (ago: number) =>
    new Date(Math.floor(Date.now() / 3_600_000 - ago) * 3_600_000).toISOString().replace(".000Z", "+00:00");
  const record = (ago: number, outcome: string, count: number) =>
    db.sql`
      insert into private.push_deliveries (notification_id, token_id, user_id, batch, outcome, recorded_at)
      select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 0, ${outcome}, ${hour(ago)}::timestamptz
      from generate_series(1, ${count}::integer)`;
  await db.sql`delete from private.overview_parts where part = 'push'`;
  for (
    const [ago, outcome, count] of [[0, "delivered", 3], [0, "gone", 1], [1, "delivered", 2], [23, "suppressed", 4], [
      24,
      "delivered",
      9,
    ]] as const
  ) {
    await record(ago, outcome, count);
  }
  const first = [
    { hour: hour(23), counts: { suppressed: 4 } },
    { hour: hour(1), counts: { delivered: 2 } },
    { hour: hour(0), counts: { delivered: 3, gone: 1 } },
  ];
  assert.deepEqual((await delivery()).push.outcomes, first);
  // As if the last count had been at the half of this hour, or of the one before, or of the one 23 hours ago.
  const countedAt = (ago: number) =>
    db.sql`update private.overview_parts set at = ${
      hour(ago)
    }::timestamptz + interval '30 minutes' where part = 'push'`;
  await countedAt(0);
  await record(0, "delivered", 1);
  await record(5, "delivered", 1);
  first[2]!.counts["delivered"] = 4;
  assert.deepEqual((await delivery()).push.outcomes, first, "an hour that is over is not counted again");
  await countedAt(23);
  assert.deepEqual((await delivery()).push.outcomes, [
    first[0],
    { hour: hour(5), counts: { delivered: 1 } },
    ...first.slice(1),
  ]);
  // Two minutes after its end the hour before is still counted, ten minutes after it is not.
  await record(1, "gone", 1);
  await db.sql`update private.overview_parts set at = ${
    hour(0)
  }::timestamptz + interval '10 minutes' where part = 'push'`;
  const counts = async () =>
    (await delivery()).push.outcomes.find((one: { hour: string }) => one.hour === hour(1)).counts;
  assert.deepEqual(await counts(), { delivered: 2 });
  await db.sql`update private.overview_parts set at = ${
    hour(0)
  }::timestamptz + interval '2 minutes' where part = 'push'`;
  assert.deepEqual(await counts(), { delivered: 2, gone: 1 });
});
