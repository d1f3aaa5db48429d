// Push in the database: fan-out page by page, batches for several consumers, outcomes that count once, quiet hours.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";
import { eraseWithdrawn } from "../support/forgotten.ts";
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

Deno.test("fan-out: a page that is rolled back is repeated; each user has one row and each device one delivery", async () => {
  await emptyQueue();
  await db.sql`insert into auth.users (id) select gen_random_uuid() from generate_series(1, 11000)`;
  await db.sql`
    insert into public.user_push_tokens (user_id, fcm_token, device_type)
    select id, gen_random_uuid()::text, 'android' from public.app_users order by id limit 1200`;
  const [{ people: appUsers } = { people: 0 }] = await db.sql<{ people: number }[]>`
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
  assert.deepEqual([page.people, page.devices], [appUsers, 1200]);
  const [rows] = await db.sql`
    select count(*)::integer as rows, count(distinct user_id)::integer as users from public.user_notifications where composed_id = ${id}`;
  assert.deepEqual({ ...rows }, { rows: appUsers, users: appUsers });
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

Deno.test("outcomes: an outcome recorded twice, also with another value, counts once", async () => {
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

  await db.sql`select private.requeue('push-dispatch', ${dead!["message"]})`;
  batch = (await take())[0]!;
  assert.deepEqual(batch.devices.map(({ token_id }) => token_id), [device], "put back, the device is tried again");
  await record(batch, "delivered");
  const again = await composed(batch.notification_id);
  assert.deepEqual([again.success_count, again.failure_count], [1, 0]);
});

for (
  const [change, run] of [
    ["turned pushes of the type off", (user: string) =>
      db.sql`
        insert into public.notification_preferences (user_id, notif_type, push_enabled, in_app_enabled, email_enabled)
        values (${user}, 'announcement', false, true, false)`],
    ["was suspended", (user: string) => db.sql`update public.app_users set status = 'suspended' where id = ${user}`],
    ["withdrew", async (user: string) => {
      await db.sql`select private.empty_account(${user})`;
      await eraseWithdrawn(db.sql);
    }],
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
    const outcomes = await db.sql`select outcome from private.push_deliveries where notification_id = ${id}`;
    assert.deepEqual(outcomes.map(({ outcome }) => outcome), ["gone"]);
    const [left] = await db.sql`select status, failure_count from public.user_notifications where id = ${id}`;
    // What was written to a user alone goes with the user.
    if (change === "withdrew") assert.equal(left, undefined);
    else assert.deepEqual({ ...left }, { status: "sent", failure_count: 1 });
  });
}

Deno.test("batches: a device that is registered during the dispatch is another one, and gets no push of it", async () => {
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

const pause = async (batch: Batch | undefined, reason = "outage", seconds: number | null = null) => {
  const [row] = await db.sql<{ seconds: number }[]>`
    select api.pause_push(${reason}, ${seconds}, ${batch ? [batch.msg_id] : []}) as seconds`;
  return row!.seconds;
};

/** The clock goes on by so long for what waits. */
const age = (interval: string) =>
  db.sql.begin(async (sql) => {
    await sql`
      update private.outages set paused_until = paused_until - ${interval}::interval,
        failing_since = failing_since - ${interval}::interval, tried_until = tried_until - ${interval}::interval where queue = 'push-dispatch'`;
    await sql`
      update pgmq."q_push-dispatch" set vt = vt - ${interval}::interval, enqueued_at = enqueued_at - ${interval}::interval`;
    await sql`update private.push_leases set leased_until = leased_until - ${interval}::interval`;
  });

Deno.test("pause: no batch is taken while it lasts, each failure lengthens it, and a successful batch ends it", async () => {
  const user = await newUser(db.sql);
  await aDevice(user);
  const batch = await batchTo(user);
  const pauses: number[] = [];
  for (let n = 0; n < 8; n++) {
    pauses.push(await pause(batch));
    assert.deepEqual(await take(), []);
    await age("400 seconds");
  }
  assert.ok(pauses[0]! >= 3 && pauses[0]! <= 7, String(pauses));
  assert.ok(pauses.every((seconds) => seconds <= 375) && pauses[7]! > 100, String(pauses));
  const [again] = await take();
  await record(again!, "delivered");
  const [state] = await db
    .sql`select failures, reason, failing_since from private.outages where queue = 'push-dispatch'`;
  assert.deepEqual({ ...state }, { failures: 0, reason: null, failing_since: null });
});

Deno.test("pause: consumers that fail at once are one failure, and the longest Retry-After of the service counts", async () => {
  await emptyQueue();
  const first = await pause(undefined);
  for (let n = 0; n < 9; n++) assert.ok(await pause(undefined) <= first);
  const [state] = await db.sql`select failures from private.outages where queue = 'push-dispatch'`;
  assert.equal(state!["failures"], 1);
  assert.ok(await pause(undefined, "outage", 100) >= 99);
  assert.ok(await pause(undefined) >= 98);
  await db
    .sql`update private.outages set failures = 0, failing_since = null, paused_until = '-infinity', reason = null`;
});

Deno.test("pause: after it one consumer tries one batch, another one when that one crashes; all continue after a success", async () => {
  await emptyQueue();
  const user = await newUser(db.sql);
  await aDevice(user);
  for (let n = 0; n < 4; n++) await db.sql`select private.notify_user(${user}, 'announcement', ${`${n}`}, 'Body')`;
  const [failed] = await take();
  await pause(failed);
  await age("20 seconds");
  const tries = (await Promise.all(Array.from({ length: 10 }, () => take(5)))).flat();
  assert.equal(tries.length, 1);
  await age("13 seconds");
  const [second, none] = [await take(5), await take(5)];
  assert.deepEqual([second.length, none.length], [1, 0]);
  await record(second[0]!, "delivered");
  assert.equal((await take(5)).length, 3);
});

Deno.test("pause: a fan-out goes on, so that inboxes do not wait for the messaging service", async () => {
  await emptyQueue();
  const user = await newUser(db.sql);
  await aDevice(user);
  await pause(undefined);
  const id = await sending("user", user);
  const [fanOut] = await take();
  assert.equal(fanOut?.notification_id, id);
  while (!(await pageOf(fanOut!)).is_done);
  assert.deepEqual(await take(), []);
  assert.equal(
    (await db.sql`select from public.user_notifications where user_id = ${user} and status = 'sent'`).length,
    1,
  );
  await age("20 seconds");
  const [batch] = await take();
  await record(batch!, "delivered");
  assert.equal((await composed(id))["success_count"], 1);
});

Deno.test("fan-out: it precedes batches that wait longer, and one that must not be sent any more ends", async () => {
  await emptyQueue();
  const user = await newUser(db.sql);
  await aDevice(user);
  await db.sql`select private.notify_user(${user}, 'announcement', 'First', 'Body')`;
  const id = await sending("all");
  const [fanOut] = await take();
  assert.deepEqual([fanOut!.notification_id, fanOut!.batch], [id, undefined]);
  await db.sql`update public.user_notifications set status = 'failed' where id = ${id}`;
  assert.equal((await pageOf(fanOut!)).is_done, true);
  assert.equal((await db.sql`select from private.fan_outs where finished_at is null`).length, 0);
});

Deno.test("batches: at most eight are sent at once, by any number of consumers; the lease of a crashed one expires", async () => {
  await emptyQueue();
  await db.sql`delete from private.push_leases`;
  await db.sql`insert into auth.users (id) select gen_random_uuid() from generate_series(1, 12)`;
  const users = await db.sql<{ id: string }[]>`select id from public.app_users order by created_at desc limit 12`;
  for (const { id } of users) {
    await aDevice(id);
    await db.sql`select private.notify_user(${id}, 'announcement', 'Title', 'Body')`;
  }
  const taken = (await Promise.all(Array.from({ length: 12 }, () => take(2)))).flat();
  assert.equal(taken.length, 8);
  assert.equal(new Set(taken.map(({ msg_id }) => msg_id)).size, 8);
  await record(taken[0]!, "delivered");
  assert.equal((await take(5)).length, 1);
  await age("13 seconds");
  assert.equal((await take(20)).length, 8);
  await emptyQueue();
  await db.sql`delete from private.push_leases`;
});

Deno.test("fan-out: it is taken while eight batches are being sent and while a consumer tries after a pause; neither changes", async () => {
  await emptyQueue();
  await db.sql`delete from private.push_leases`;
  const user = await newUser(db.sql);
  await aDevice(user);
  for (let n = 0; n < 10; n++) {
    const other = await newUser(db.sql);
    await aDevice(other);
    await db.sql`select private.notify_user(${other}, 'announcement', 'Title', 'Body')`;
  }
  const stateOfPushing = async () => ({
    leases: await db.sql`select msg_id, leased_until from private.push_leases order by msg_id`,
    state: await db.sql`select * from private.outages where queue = 'push-dispatch'`,
  });
  const takesFanOutOnly = async () => {
    const before = await stateOfPushing();
    const id = await sending("user", user);
    const [fanOut, ...others] = await take(5);
    assert.deepEqual([fanOut?.notification_id, fanOut?.batch, others], [id, undefined, []]);
    assert.deepEqual(await take(5), []);
    assert.deepEqual(await stateOfPushing(), before);
    while (!(await pageOf(fanOut!)).is_done);
    assert.deepEqual(await stateOfPushing(), before);
  };
  const sent = await take(20);
  assert.equal(sent.length, 8);
  await takesFanOutOnly();

  await pause(sent[0]);
  await age("20 seconds");
  assert.equal((await take(5)).length, 1);
  await takesFanOutOnly();

  await db.sql`
    update private.outages
    set failures = 0, failing_since = null, paused_until = '-infinity', tried_until = '-infinity', reason = null`;
  await emptyQueue();
  await db.sql`delete from private.push_leases`;
});

const alerts = async () =>
  (await db.sql<{ body: string }[]>`
    select body from public.admin_notifications where title = 'プッシュ通知を送信できません' order by created_at`)
    .map(({ body }) => body);

const checkHealth = async () => {
  for (let n = 0; n < 3; n++) await db.sql`select private.check_queue_health('push-dispatch')`;
};

Deno.test("health: a message that waits for ten minutes is notified to administrators once, and again when it was over", async () => {
  await emptyQueue();
  await checkHealth();
  const before = (await alerts()).length;
  const wait = () =>
    db.sql`
      insert into pgmq."q_push-dispatch" (vt, message, read_ct, enqueued_at)
      values (now() - interval '11 minutes', '{}', 0, now() - interval '11 minutes')`;
  await wait();
  await checkHealth();
  assert.equal((await alerts()).length, before + 1);
  await emptyQueue();
  await checkHealth();
  await wait();
  await checkHealth();
  assert.equal((await alerts()).length, before + 2);
  await emptyQueue();
});

for (
  const [reason, atOnce, text] of [
    ["outage", false, /10分以上送信されていません/],
    ["not_configured", false, /設定がないため/],
    ["credentials", true, /認証情報を拒否/],
  ] as const
) {
  Deno.test(`health: administrators are notified of ${reason} once, ${atOnce ? "at once" : "after ten minutes"}, and messages in quiet hours are no trouble`, async () => {
    await emptyQueue();
    await checkHealth();
    const before = (await alerts()).length;
    const user = await newUser(db.sql);
    await aDevice(user);
    await db.sql`select private.notify_user(${user}, 'announcement', 'Title', 'Body')`;
    const [batch] = await take();
    await db.sql`
      insert into pgmq."q_push-dispatch" (vt, message, read_ct, enqueued_at)
      values (now() + interval '2 hours', '{}', 1, now() - interval '5 hours')`;
    await pause(batch, reason);
    await checkHealth();
    assert.equal((await alerts()).length, before + (atOnce ? 1 : 0));
    for (let n = 0; n < 12; n++) {
      await age("1 minute");
      const [again] = await take();
      if (again) await pause(again, reason);
      await checkHealth();
      if (!atOnce && n < 8) assert.equal((await alerts()).length, before, `after ${n + 1} minutes`);
    }
    const notified = await alerts();
    assert.equal(notified.length, before + 1);
    assert.match(notified.at(-1)!, text);
    await age("10 minutes");
    const [last] = await take();
    await record(last!, "delivered");
    await checkHealth();
    assert.equal((await alerts()).length, before + 1);
    const [state] = await db.sql`select alerted_at from private.outages where queue = 'push-dispatch'`;
    assert.equal(state!["alerted_at"], null);
    await emptyQueue();
  });
}

/** Quiet hours of a user that have begun and end in an hour. */
const quiet = (user: string) =>
  db.sql`
    insert into public.notification_quiet_hours (user_id, from_time, to_time, time_zone)
    select ${user}, (now() at time zone 'UTC' - interval '1 hour')::time, (now() at time zone 'UTC' + interval '1 hour')::time, 'UTC'`;

/** The reply of a function of the console to an administrator with the area. */
async function asAdmin<Reply>(name: string, ...values: readonly (string | number | null | string[])[]): Promise<Reply> {
  const admin = crypto.randomUUID();
  await db.sql`
    insert into auth.users (id, email, raw_app_meta_data)
    values (${admin}, ${`${admin}@example.test`}, '{"admin": {"areas": ["notifications"]}}')`;
  const places = values.map((_, n) => `, $${n + 2}`).join("");
  const [row] = await db.as(
    { role: "service_role" },
    (sql) => sql.unsafe<{ reply: Reply }[]>(`select api.${name}($1${places}) as reply`, [admin, ...values] as never[]),
  );
  return row!.reply;
}

/** What an administrator with the area reads of a composed notification. */
async function readByAdmin(id: string) {
  const { status, success_count, failure_count, deferred_count } = await asAdmin<
    { status: string; success_count: number; failure_count: number; deferred_count: number }
  >("admin_read_user_notification", id);
  return [status, success_count, failure_count, deferred_count];
}

interface Devices {
  readonly items: { readonly token_id: string; readonly user_id: string; readonly outcome: string }[];
  readonly next_cursor: string | null;
  readonly total?: number;
}

Deno.test("funnel: people, inboxes, devices, reasons and opened rows are those of the tables, and the devices without it are listed", async () => {
  await emptyQueue();
  await db.sql`delete from public.user_push_tokens where true`;
  const draft = await sending("all");
  await db.sql`delete from private.fan_outs where notification_id = ${draft}`;
  const none = {
    people: 0,
    inboxes: 0,
    devices: 0,
    delivered: 0,
    failed: 0,
    suppressed: 0,
    expired: 0,
    deferred: 0,
    waiting: 0,
  };
  const nobody = { ...none, failures: [], opened: 0, opened_is_exact: true };
  assert.deepEqual(await asAdmin("admin_read_notification_funnel", draft), nobody);
  await emptyQueue();

  const [reader, closed, busy, other] = [
    await newUser(db.sql),
    await newUser(db.sql),
    await newUser(db.sql),
    await newUser(db.sql),
  ];
  for (const user of [reader, closed, other, other]) await aDevice(user);
  const full = await aDevice(busy);
  await db.sql`
    insert into public.notification_preferences (user_id, notif_type, push_enabled, in_app_enabled, email_enabled)
    values (${closed}, 'announcement', true, false, false)`;
  for (let n = 0; n < 5; n++) await db.sql`select private.notify_user(${busy}, 'announcement', 'Title', 'Body')`;
  await emptyQueue();
  const [{ people } = { people: 0 }] = await db.sql<{ people: number }[]>`
    select count(*)::integer as people from public.app_users where status = 'active'`;
  const id = await sending("all");
  const [fanOut] = await take();
  while (!(await pageOf(fanOut!)).is_done);
  const [batch] = await take();
  const ofOther = batch!.devices.map(({ token_id, fcm_token }, n) => ({
    token_id,
    fcm_token,
    outcome: ["delivered", "dead_token", "dead_token", "wrong_sender"][n]!,
  }));
  await db.sql`
    select api.record_push_outcomes(${batch!.msg_id}, ${id}, ${batch!.batch!}, ${db.sql.json(ofOther)}, null)`;
  await db.sql`
    update public.user_notifications set read_at = now() where composed_id = ${id} and user_id in (${reader}, ${other})`;
  assert.deepEqual(await asAdmin("admin_read_notification_funnel", id), {
    people,
    inboxes: people - 1,
    devices: 5,
    delivered: 1,
    failed: 3,
    suppressed: 1,
    expired: 0,
    deferred: 0,
    waiting: 0,
    failures: [{ outcome: "dead_token", devices: 2, is_exact: true }, {
      outcome: "wrong_sender",
      devices: 1,
      is_exact: true,
    }],
    opened: 2,
    opened_is_exact: true,
  });
  const list = (outcome: string | null, cursor: string | null = null, limit = 20) =>
    asAdmin<Devices>("admin_list_undelivered_devices", id, outcome, ["total"], cursor, limit);
  const first = await list(null, null, 3);
  const second = await list(null, first.next_cursor, 3);
  assert.deepEqual([...first.items, ...second.items].map(({ outcome }) => outcome), [
    "dead_token",
    "dead_token",
    "suppressed",
    "wrong_sender",
  ]);
  assert.deepEqual([first.total, second.next_cursor], [4, null]);
  const dead = ofOther.filter(({ outcome }) => outcome === "dead_token").map(({ token_id }) => token_id).toSorted();
  assert.deepEqual((await list("dead_token")).items.map(({ token_id }) => token_id), dead);
  const [{ token_id, user_id } = { token_id: "", user_id: "" }] = (await list("suppressed")).items;
  assert.deepEqual([token_id, user_id], [full, busy]);
  assert.equal((await errorOf(list("delivered"))).param, "outcome");
  const unknown = asAdmin("admin_read_notification_funnel", crypto.randomUUID());
  assert.equal((await errorOf(unknown)).code, "not_found");
});

Deno.test("funnel: opened rows and devices of a reason are counted in their indexes, up to a bound", async () => {
  const id = await sending("user", await newUser(db.sql));
  await db.sql`
    insert into private.push_deliveries (notification_id, token_id, user_id, batch, outcome, recorded_at)
    select ${id}, gen_random_uuid(), gen_random_uuid(), 0, 'gone', now() from generate_series(1, 10002)`;
  await db.sql`analyze private.push_deliveries`;
  const { failures } = await asAdmin<{ failures: unknown[] }>("admin_read_notification_funnel", id);
  assert.deepEqual(failures, [{ outcome: "gone", devices: 10_000, is_exact: false }]);
  await emptyQueue();
});

Deno.test("quiet hours: a composed notification is sending until they end, and its deferred_count is exact", async () => {
  await emptyQueue();
  await db.sql`delete from public.user_push_tokens where true`;
  const [awake, asleep, gone] = [await newUser(db.sql), await newUser(db.sql), await newUser(db.sql)];
  for (const user of [awake, asleep, asleep, gone]) await aDevice(user);
  for (const user of [asleep, gone]) await quiet(user);
  const id = await sending("all");
  const [fanOut] = await take();
  while (!(await pageOf(fanOut!)).is_done);
  assert.deepEqual(await readByAdmin(id), ["sending", 0, 0, 0]);
  const [batch] = await take();
  assert.equal(batch!.devices.length, 1);
  await record(batch!, "delivered");
  assert.deepEqual(await readByAdmin(id), ["sending", 1, 0, 3]);

  const again = () => db.sql`update pgmq."q_push-dispatch" set vt = now() where true`;
  await again();
  assert.deepEqual(await take(), []);
  assert.deepEqual(await readByAdmin(id), ["sending", 1, 0, 3]);
  await db.sql`delete from public.user_push_tokens where user_id = ${gone}`;
  await again();
  assert.deepEqual(await take(), []);
  assert.deepEqual(await readByAdmin(id), ["sending", 1, 1, 2]);
  await db.sql`delete from public.notification_quiet_hours where user_id = ${asleep}`;
  await again();
  const [late] = await take();
  assert.equal(late!.devices.length, 2);
  await record(late!, "later", 1);
  assert.deepEqual(await readByAdmin(id), ["sending", 1, 1, 0]);
  await again();
  await record((await take())[0]!, "delivered");
  assert.deepEqual(await readByAdmin(id), ["sent", 3, 1, 0]);
});

Deno.test("quiet hours: pushes wait in the queue until they end, urgent types do not", async () => {
  await emptyQueue();
  const user = await newUser(db.sql);
  await aDevice(user);
  await quiet(user);
  await db.sql`select private.notify_user(${user}, 'announcement', 'Quiet', 'Body')`;
  assert.deepEqual(await take(), []);
  const [waiting] = await db.sql`select extract(epoch from vt - now())::float8 as seconds from pgmq."q_push-dispatch"`;
  assert.ok(Math.abs(waiting!["seconds"] - 3600) < 60, String(waiting!["seconds"]));
  await db.sql`select private.notify_user(${user}, 'fee_increase', 'Urgent', 'Body')`;
  const [batch] = await take();
  assert.equal(batch!.devices.length, 1);
});

Deno.test("push: a message has failed when devices of several users refuse it and none was reached; else it is the device", async () => {
  for (
    const [outcomes, status] of [
      [[["first", "payload_fault"], ["second", "payload_fault"]], "failed"],
      [[["first", "payload_fault"], ["second", "payload_fault"], ["first", "dead_token"]], "failed"],
      [[["first", "payload_fault"], ["second", "delivered"]], "sent"],
      [[["first", "payload_fault"], ["second", "payload_fault"], ["first", "delivered"]], "sent"],
      [[["first", "payload_fault"], ["first", "payload_fault"]], "sent"],
      [[["first", "payload_fault"], ["second", "dead_token"]], "sent"],
      [[["first", "payload_fault"], ["second", "payload_fault"], ["first", "later"]], "sending"],
    ] as const
  ) {
    await emptyQueue();
    const users = { first: await newUser(db.sql), second: await newUser(db.sql) };
    await aDevice(users.first);
    const batch = await batchTo(users.first);
    await db.sql`delete from private.push_deliveries where notification_id = ${batch.notification_id}`;
    const rows = outcomes.map(([user, outcome]) => ({ user_id: users[user], outcome, token_id: crypto.randomUUID() }));
    const waiting = crypto.randomUUID(); // in a batch of its own, which nobody has taken
    await db.sql`
      insert into private.push_deliveries ${
      db.sql([
        ...rows.map(({ user_id, token_id }) => ({ user_id, token_id, batch: batch.batch! })),
        ...status === "failed" ? [{ user_id: users.second, token_id: waiting, batch: batch.batch! + 1 }] : [],
      ].map((row) => ({ ...row, notification_id: batch.notification_id })))
    }`;
    const said = rows.map(({ token_id, outcome }) => ({ token_id, fcm_token: "x", outcome }));
    const [row] = await db.sql<{ rejected: boolean }[]>`
      select api.record_push_outcomes(${batch.msg_id}, ${batch.notification_id}, ${batch.batch!}, ${
      db.sql.json(said)
    }, 30)
        as rejected`;
    const text = JSON.stringify(outcomes.map(([, outcome]) => outcome));
    assert.equal(row!.rejected, status === "failed", text);
    const known = outcomes.filter(([, outcome]) => outcome !== "later");
    const delivered = known.filter(([, outcome]) => outcome === "delivered").length;
    assert.deepEqual(await composed(batch.notification_id), {
      status,
      success_count: delivered,
      failure_count: known.length - delivered + (status === "failed" ? 1 : 0),
      suppressed_count: 0,
    }, text);
  }
});
