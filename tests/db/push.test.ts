// Push in the database: fan-out page by page, batches for several consumers, outcomes that count once, quiet hours.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { newUser } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

interface Batch {
  readonly msg_id: number;
  readonly notification_id: string;
  readonly batch?: number;
  readonly devices: readonly { readonly token_id: string; readonly fcm_token: string; readonly lang: string }[];
}

const take = async (limit = 1): Promise<Batch[]> => {
  const [row] = await db.sql<{ taken: { batches: Batch[] } }[]>`select api.take_push_batches(${limit}) as taken`;
  return row!.taken.batches;
};

const record = (batch: Batch, outcome: string, retrySeconds: number | null = null) =>
  db.sql`
    select api.record_push_outcomes(${batch.msg_id}, ${batch.notification_id}, ${batch.batch!},
      ${
    db.sql.json(batch.devices.map(({ token_id, fcm_token }) => ({ token_id, fcm_token, outcome })))
  }, ${retrySeconds})`;

const pageOf = async ({ notification_id, msg_id }: Batch) => {
  const [row] = await db.sql<{ page: { is_done: boolean; people: number; devices: number } }[]>`
    select api.fan_out_notification(${notification_id}, ${msg_id}) as page`;
  return row!.page;
};

const composed = async (id: string) => {
  const [row] = await db.sql`
    select status, success_count, failure_count, suppressed_count from public.user_notifications where id = ${id} and is_composed`;
  return row!;
};

const emptyQueue = () => db.sql`delete from pgmq."q_push-dispatch"`;

async function aDevice(user: string): Promise<string> {
  const [row] = await db.sql<{ id: string }[]>`
    insert into public.user_push_tokens (user_id, fcm_token, device_type) values (${user}, gen_random_uuid()::text, 'ios') returning id`;
  return row!.id;
}

/** A composed notification on its way: its fan-out waits in the queue. */
async function sending(target: string, user: string | null = null): Promise<string> {
  return await db.sql.begin(async (sql) => {
    const [row] = await sql<{ id: string }[]>`
      insert into public.user_notifications (type, title, body, title_en, target, user_id, is_composed, is_in_app)
      values ('announcement', '題名', '本文', 'Title', ${target}, ${user}, true, false) returning id`;
    const { id } = row!;
    await sql`update public.user_notifications set status = 'scheduled', scheduled_at = now() where id = ${id}`;
    await sql`update public.user_notifications set status = 'sending' where id = ${id}`;
    await sql`select private.start_fan_out(${id})`;
    return id;
  });
}

/** Of a notification to one user, the batch as a consumer takes it. */
async function batchTo(user: string): Promise<Batch> {
  const id = await sending("user", user);
  const [fanOut] = await take();
  while (!(await pageOf(fanOut!)).is_done);
  const [batch] = await take();
  assert.equal(batch!.notification_id, id);
  return batch!;
}

Deno.test("fan-out: a page that is rolled back is taken again; each user has one row and each device one delivery", async () => {
  await emptyQueue();
  await db.sql`insert into auth.users (id) select gen_random_uuid() from generate_series(1, 11000)`;
  await db.sql`
    insert into public.user_push_tokens (user_id, fcm_token, device_type)
    select id, gen_random_uuid()::text, 'android' from public.app_users order by id limit 1200`;
  const [{ people } = { people: 0 }] = await db.sql<{ people: number }[]>`
    select count(*)::integer as people from public.app_users where status = 'active'`;
  const id = await sending("all");
  const [fanOut] = await take();
  assert.equal(fanOut!.batch, undefined);
  await pageOf(fanOut!);
  await assert.rejects(
    db.sql.begin(async (sql) => {
      await sql`select api.fan_out_notification(${id}, ${fanOut!.msg_id})`;
      throw new Error("the consumer is killed");
    }),
    /killed/,
  );
  let page = await pageOf(fanOut!);
  while (!page.is_done) page = await pageOf(fanOut!);
  assert.deepEqual([page.people, page.devices], [people, 1200]);
  const [rows] = await db.sql`
    select count(*)::integer as rows, count(distinct user_id)::integer as users from public.user_notifications where composed_id = ${id}`;
  assert.deepEqual({ ...rows }, { rows: people, users: people });
  const batches = await db.sql`
    select batch, count(*)::integer as devices from private.push_deliveries where notification_id = ${id} group by 1 order by 1`;
  assert.deepEqual(batches.map(({ devices }) => devices), [500, 500, 200]);

  const [one, other] = await Promise.all([take(2), take(2)]);
  const taken = [...one, ...other].map(({ batch }) => batch).sort();
  assert.deepEqual(taken, [0, 1, 2], "two consumers take different batches");
  await Promise.all([...one, ...other].flatMap((batch) => [record(batch, "delivered"), record(batch, "delivered")]));
  assert.deepEqual({ ...await composed(id) }, {
    status: "sent",
    success_count: 1200,
    failure_count: 0,
    suppressed_count: 0,
  });
});

Deno.test("outcomes: what is recorded twice, or otherwise the second time, counts once", async () => {
  const user = await newUser(db.sql);
  await aDevice(user);
  const batch = await batchTo(user);
  await record(batch, "delivered");
  await record(batch, "dead_token");
  const { success_count, failure_count, status } = await composed(batch.notification_id);
  assert.deepEqual([status, success_count, failure_count], ["sent", 1, 0]);
});

Deno.test("outcomes: five tries, each after twice the time, that fail end as undeliverable, with a dead message; the device stays", async () => {
  const user = await newUser(db.sql);
  const device = await aDevice(user);
  let batch = await batchTo(user);
  const waits: number[] = [];
  for (let n = 1; n <= 5; n++) {
    await record(batch, "later", 30);
    const [waiting] = await db.sql<{ seconds: number }[]>`
      update pgmq."q_push-dispatch" q set vt = now() from pgmq."q_push-dispatch" o where o.msg_id = q.msg_id
      returning round(extract(epoch from o.vt - now()))::integer as seconds`;
    if (waiting) waits.push(waiting.seconds);
    if (n < 5) batch = (await take())[0]!;
  }
  assert.deepEqual(waits, [30, 60, 120, 240], "each wait is twice the one before");
  assert.deepEqual(await take(), []);
  const { failure_count, status } = await composed(batch.notification_id);
  assert.deepEqual([status, failure_count], ["sent", 1]);
  const [dead] = await db.sql`
    select message from private.dead_messages where message ->> 'notification_id' = ${batch.notification_id}`;
  assert.deepEqual(dead!["message"].token_ids, [device]);
  assert.equal((await db.sql`select from public.user_push_tokens where id = ${device}`).length, 1);
});

for (
  const [change, run] of [
    ["turned pushes of the type off", (user: string) =>
      db.sql`
        insert into public.notification_preferences (user_id, notif_type, push_enabled, in_app_enabled, email_enabled)
        values (${user}, 'announcement', false, true, false)`],
    ["was suspended", (user: string) => db.sql`update public.app_users set status = 'suspended' where id = ${user}`],
    ["withdrew", (user: string) => db.sql`update public.app_users set status = 'withdrawn' where id = ${user}`],
    ["gave the device to another user", async (user: string) => {
      const other = await newUser(db.sql);
      await db.sql`
        update public.user_push_tokens set user_id = ${other}, id = gen_random_uuid() where user_id = ${user}`;
    }],
  ] as const
) {
  Deno.test(`batches: a user who ${change} before the batch is sent gets nothing`, async () => {
    await emptyQueue();
    const user = await newUser(db.sql);
    await aDevice(user);
    const id = await sending("user", user);
    const [fanOut] = await take();
    while (!(await pageOf(fanOut!)).is_done);
    await run(user);
    assert.deepEqual(await take(), []);
    assert.equal((await db.sql`select from pgmq."q_push-dispatch"`).length, 0);
    const [left] = await db.sql`select status, failure_count from public.user_notifications where id = ${id}`;
    // What was written to a user alone goes with the user.
    if (change === "withdrew") assert.equal(left, undefined);
    else assert.deepEqual({ ...left }, { status: "sent", failure_count: 1 });
  });
}

Deno.test("batches: a device that is registered during the dispatch is another one, and gets nothing of it", async () => {
  await emptyQueue();
  const user = await newUser(db.sql);
  const device = await aDevice(user);
  const id = await sending("user", user);
  const [fanOut] = await take();
  while (!(await pageOf(fanOut!)).is_done);
  await aDevice(user);
  const [batch] = await take();
  assert.deepEqual(batch!.devices.map(({ token_id }) => token_id), [device]);
  await record(batch!, "delivered");
  assert.equal((await composed(id))["success_count"], 1);
});

Deno.test("pause: nothing is taken while it lasts, each failure lengthens it, and a batch that gets through ends it", async () => {
  const user = await newUser(db.sql);
  await aDevice(user);
  const batch = await batchTo(user);
  const pauses: number[] = [];
  for (let n = 0; n < 8; n++) {
    const [row] = await db.sql<{ seconds: number }[]>`select api.pause_push('outage', null, ${[
      batch.msg_id,
    ]}) as seconds`;
    pauses.push(row!.seconds);
  }
  assert.ok(pauses[0]! >= 3 && pauses[0]! <= 7, String(pauses));
  assert.ok(pauses.every((seconds) => seconds <= 375) && pauses[7]! > 100, String(pauses));
  await db.sql`update pgmq."q_push-dispatch" set vt = now()`;
  assert.deepEqual(await take(), []);
  await db.sql`update private.push_state set paused_until = now()`;
  const [again] = await take();
  await record(again!, "delivered");
  const [state] = await db.sql`select failures, reason from private.push_state`;
  assert.deepEqual({ ...state }, { failures: 0, reason: null });
});

Deno.test("health: a message that waits for ten minutes is notified to administrators once", async () => {
  await emptyQueue();
  await db.sql`update private.push_state set alerted_at = null`;
  const alerts = async () =>
    (await db.sql`select from public.admin_notifications where title = 'プッシュ通知を送信できません'`).length;
  const before = await alerts();
  await db.sql`
    insert into pgmq."q_push-dispatch" (vt, message, read_ct, enqueued_at)
    values (now() - interval '11 minutes', '{}', 0, now() - interval '11 minutes')`;
  for (let n = 0; n < 3; n++) await db.sql`select private.check_push_health()`;
  assert.equal(await alerts(), before + 1);
  await emptyQueue();
});

Deno.test("quiet hours: the end is that of a naive model, minute by minute, also where the clock is changed", async () => {
  const zones = ["Asia/Tokyo", "Europe/Zurich", "America/New_York", "Australia/Lord_Howe"];
  const spans = [["22:00", "07:00"], ["09:00", "17:30"], ["00:00", "06:00"], ["23:30", "23:00"]] as const;
  const moments = Array.from({ length: 60 }, (_, n) => new Date(Date.UTC(2026, 2, 28, 12) + n * 47 * 60_000))
    .concat(Array.from({ length: 60 }, (_, n) => new Date(Date.UTC(2026, 9, 24, 12) + n * 47 * 60_000)));
  for (const zone of zones) {
    const clock = new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
    for (const [from, to] of spans) {
      const isQuiet = (at: Date) => {
        const time = clock.format(at);
        return from < to ? time >= from && time < to : time >= from || time < to;
      };
      const rows = await db.sql<{ until: Date | null }[]>`
        select private.quiet_until(${from}, ${to}, ${zone}, m.at) as until
        from unnest(${moments.map((at) => at.toISOString())}::timestamptz[]) with ordinality as m (at, n) order by m.n`;
      for (const [n, { until }] of rows.entries()) {
        const at = moments[n]!;
        assert.equal(until !== null, isQuiet(at), `${zone} ${from}-${to} ${at.toISOString()}`);
        if (until === null) continue;
        assert.ok(
          until > at && +until - +at <= 25 * 3_600_000,
          `${zone} ${at.toISOString()} until ${until.toISOString()}`,
        );
        assert.ok(!isQuiet(until), `${zone}: ${until.toISOString()} is still quiet`);
      }
    }
  }
});

Deno.test("quiet hours: pushes wait in the queue until they end, urgent types do not", async () => {
  await emptyQueue();
  const user = await newUser(db.sql);
  await aDevice(user);
  await db.sql`
    insert into public.notification_quiet_hours (user_id, from_time, to_time, time_zone)
    select ${user}, (now() at time zone 'UTC' - interval '1 hour')::time, (now() at time zone 'UTC' + interval '1 hour')::time, 'UTC'`;
  await db.sql`select private.notify_user(${user}, 'announcement', 'Quiet', 'Body')`;
  assert.deepEqual(await take(), []);
  const [waiting] = await db.sql`select extract(epoch from vt - now())::float8 as seconds from pgmq."q_push-dispatch"`;
  assert.ok(Math.abs(waiting!["seconds"] - 3600) < 60, String(waiting!["seconds"]));
  await db.sql`select private.notify_user(${user}, 'fee_increase', 'Urgent', 'Body')`;
  const [batch] = await take();
  assert.equal(batch!.devices.length, 1);
});
