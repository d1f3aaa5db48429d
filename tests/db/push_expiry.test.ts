// The end of the use of a push: when it is, that nothing is sent from then on, and that each device is counted once.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { newUser } from "../support/rows.ts";
import { age, callAs, inMinutes, lookAt, parked, pricedLot, start } from "./support/sessions.ts";
import { seedLots } from "./support/fees.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const [MINUTE, DAY] = [60, 86_400];

interface Device {
  readonly token_id: string;
  readonly fcm_token: string;
  readonly expires_at: string;
}

interface Batch {
  readonly msg_id: number;
  readonly notification_id: string;
  readonly batch?: number;
  readonly devices: readonly Device[];
}

const take = async (): Promise<Batch | undefined> => {
  const [row] = await db.sql<{ taken: { batches: Batch[] } }[]>`select api.take_push_batches(1) as taken`;
  return row!.taken.batches[0];
};

const record = (batch: Batch, outcomes: readonly (readonly [Device, string])[]) =>
  db.sql`
    select api.record_push_outcomes(${batch.msg_id}, ${batch.notification_id}, ${batch.batch!}, ${
    db.sql.json(outcomes.map(([{ token_id, fcm_token }, outcome]) => ({ token_id, fcm_token, outcome })))
  }, 30)`;

const emptyQueue = () => db.sql`delete from pgmq."q_push-dispatch"`;
const readAgain = () => db.sql`update pgmq."q_push-dispatch" set vt = now() where true`;
const queued = async (notification: string) =>
  (await db.sql`select from pgmq."q_push-dispatch" where message ->> 'notification_id' = ${notification}`).length;

async function aDevice(user: string): Promise<void> {
  await db.sql`
    insert into public.user_push_tokens (user_id, fcm_token, device_type) values (${user}, gen_random_uuid()::text, 'android')`;
}

async function notify(user: string, type: string, data: Record<string, string> = {}): Promise<string> {
  const [row] = await db.sql<{ id: string }[]>`
    select private.notify_user(${user}, ${type}, 'Title', 'Body', p_data => ${db.sql.json(data)}) as id`;
  return row!.id;
}

const outcomesOf = async (notification: string) =>
  (await db.sql<{ outcome: string | null }[]>`
    select outcome from private.push_deliveries where notification_id = ${notification} order by outcome`)
    .map(({ outcome }) => outcome);

/** How many seconds after it was written the pushes of a notification end. */
async function secondsOf(notification: string): Promise<number> {
  const [row] = await db.sql<{ seconds: number }[]>`
    select extract(epoch from expires_at - created_at)::float8 as seconds from private.push_deliveries
    where notification_id = ${notification}`;
  return row!.seconds;
}

/** The use of the open pushes of a notification has ended. */
const end = (notification: string) =>
  db.sql`update private.push_deliveries set expires_at = now() where notification_id = ${notification} and outcome is null`;

/** A notification to all, of which the first batch is taken. */
async function sentToAll(): Promise<Batch> {
  const id = await db.sql.begin(async (sql) => {
    const [row] = await sql<{ id: string }[]>`
      insert into public.user_notifications (type, title, body, target, is_composed, is_in_app, data)
      values ('announcement', 'Title', 'Body', 'all', true, false, '{"session_id": "none"}') returning id`;
    await sql`update public.user_notifications set status = 'scheduled', scheduled_at = now() where id = ${row!.id}`;
    await sql`update public.user_notifications set status = 'sending' where id = ${row!.id}`;
    await sql`select private.start_fan_out(${row!.id})`;
    return row!.id;
  });
  const fanOut = await take();
  assert.equal(fanOut!.notification_id, id);
  await db.sql`select api.fan_out_notification(${id}, ${fanOut!.msg_id}) from generate_series(1, 2)`;
  return (await take())!;
}

/** The reply of a function of the console to an administrator with the area. */
async function asAdmin<Reply>(name: string, ...values: readonly (string | null)[]): Promise<Reply> {
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

async function funnelOf(notification: string) {
  const { devices, delivered, failed, suppressed, expired, waiting } = await asAdmin<Record<string, number>>(
    "admin_read_notification_funnel",
    notification,
  );
  return { devices, delivered, failed, suppressed, expired, waiting };
}

Deno.test("push expiry: each type has its lifetime, which is data", async () => {
  for (
    const [type, seconds] of [
      ["announcement", DAY],
      ["campaign", DAY],
      ["saved_lot_update", DAY],
      ["session_reminder", 60 * MINUTE],
      ["review_result", 7 * DAY],
      ["error_report_result", 7 * DAY],
      ["support_reply", 7 * DAY],
      ["badge_earned", 7 * DAY],
      ["level_up", 7 * DAY],
      ["theme_gift", 7 * DAY],
      ["subscription", 7 * DAY],
    ] as const
  ) {
    const user = await newUser(db.sql);
    await aDevice(user);
    await db.sql`
      insert into public.notification_preferences (user_id, notif_type, push_enabled, in_app_enabled, email_enabled)
      values (${user}, ${type}, true, true, false)`;
    assert.equal(await secondsOf(await notify(user, type)), seconds, type);
  }
  const user = await newUser(db.sql);
  await aDevice(user);
  await db.sql`update public.notification_types set push_ttl = '2 hours' where code = 'level_up'`;
  assert.equal(await secondsOf(await notify(user, "level_up")), 120 * MINUTE);
  await db.sql`update public.notification_types set push_ttl = '7 days' where code = 'level_up'`;
  await assert.rejects(db.sql`update public.notification_types set push_ttl = '29 days' where code = 'level_up'`);
});

/** When the push of the latest reminder of a type to a user ends. */
async function endOf(user: string, type: string): Promise<Date> {
  const [row] = await db.sql<{ expires_at: Date }[]>`
    select d.expires_at from public.user_notifications n join private.push_deliveries d on d.notification_id = n.id
    where n.user_id = ${user} and n.type = ${type} order by n.created_at desc limit 1`;
  assert.ok(row, `${type} was pushed`);
  return row.expires_at;
}

/** The session has been as it is for an hour, and the job looks at it. */
async function remind(session: string): Promise<void> {
  await db
    .sql`update private.session_reminders set watched_from = now() - interval '1 hour' where session_id = ${session}`;
  await lookAt(db.sql, session);
}

/** A driver with a device, for whom a reminder of an increase is on its way. */
async function reminded(): Promise<{ user: string; id: string; batch: Batch }> {
  await emptyQueue();
  const { user, id } = await parked(db, 26);
  await aDevice(user);
  await remind(id);
  const batch = await take();
  assert.equal(batch?.devices.length, 1);
  return { user, id, batch: batch! };
}

Deno.test("push expiry: a reminder is of use until the moment that it announces", async () => {
  const { user, id } = await reminded();
  const [session] = await db.sql<{ started_at: Date }[]>`
    select started_at from public.parking_sessions where id = ${id}`;
  const startedAt = session!.started_at.getTime();
  assert.equal((await endOf(user, "fee_increase")).getTime(), startedAt + 30 * MINUTE * 1000);

  const [leaver, lot] = [await newUser(db.sql), await pricedLot(db.sql)];
  await aDevice(leaver);
  const [shut] = await db.sql<{ at: Date }[]>`
    insert into public.parking_lot_windows (parking_lot_id, window_type, open_time, close_time)
    select ${lot}, 'exit', (t.shut + interval '1 minute')::time, t.shut::time
    from (select date_trunc('minute', now() at time zone 'Asia/Tokyo' + interval '20 minutes') as shut) t
    returning date_trunc('minute', now() + interval '20 minutes') as at`;
  await remind(await start(db, leaver, lot));
  assert.deepEqual(await endOf(leaver, "exit_closing"), shut!.at);

  const surprised = await newUser(db.sql);
  await aDevice(surprised);
  const [capped] = await seedLots(db.sql, [{
    rules: [
      { category: "time_band", per_minutes: 60, price_minor: 200 },
      { category: "cap", cap_type: "duration", cap_duration_hours: 24, cap_price_minor: 300, cap_repeat: false },
    ],
  }]);
  const stay = await start(db, surprised, capped!);
  await age(db.sql, stay, 24 * 60 - 10);
  await remind(stay);
  const [begun] = await db.sql<{ at: Date }[]>`
    select started_at + interval '24 hours' as at from public.parking_sessions where id = ${stay}`;
  assert.deepEqual(await endOf(surprised, "fee_surprise"), begun!.at);
});

Deno.test("push expiry: what was not sent in time is expired, never sent, and counted as neither sent nor failed", async () => {
  await emptyQueue();
  await db.sql`delete from public.user_push_tokens where true`;
  for (let n = 0; n < 3; n++) await aDevice(await newUser(db.sql));
  const batch = await sentToAll();
  const id = batch.notification_id;
  const [first, second, third] = batch.devices;
  assert.equal(Date.parse(first!.expires_at) > Date.now() + (DAY - MINUTE) * 1000, true);
  await record(batch, [[first!, "delivered"], [second!, "dead_token"], [third!, "later"]]);
  assert.deepEqual(await funnelOf(id), { devices: 3, delivered: 1, failed: 1, suppressed: 0, expired: 0, waiting: 1 });

  await end(id);
  await readAgain();
  assert.equal(await take(), undefined);
  assert.equal(await queued(id), 0);
  assert.deepEqual(await outcomesOf(id), ["dead_token", "delivered", "expired"]);
  assert.deepEqual(await funnelOf(id), { devices: 3, delivered: 1, failed: 1, suppressed: 0, expired: 1, waiting: 0 });
  const { status, success_count, failure_count } = await asAdmin<Record<string, unknown>>(
    "admin_read_user_notification",
    id,
  );
  assert.deepEqual([status, success_count, failure_count], ["sent", 1, 1]);
  const { items } = await asAdmin<{ items: { token_id: string }[] }>("admin_list_undelivered_devices", id, "expired");
  assert.deepEqual(items.map(({ token_id }) => token_id), [third!.token_id]);
  assert.deepEqual(
    [...await db.sql`select from private.dead_messages where message ->> 'notification_id' = ${id}`],
    [],
  );
});

Deno.test("push expiry: devices whose push ends while their batch is sent are expired, and end no outage", async () => {
  await emptyQueue();
  await db.sql`delete from public.user_push_tokens where true`;
  for (let n = 0; n < 2; n++) await aDevice(await newUser(db.sql));
  const failures = async () =>
    (await db.sql<{ failures: number }[]>`
      select failures from private.outages where queue = 'push-dispatch'`)[0]!.failures;
  const batch = await sentToAll();
  await end(batch.notification_id);
  await db.sql`update private.outages set failures = 1, failing_since = now() where queue = 'push-dispatch'`;
  await record(batch, []);
  assert.equal(await failures(), 1);
  assert.deepEqual(await outcomesOf(batch.notification_id), ["expired", "expired"]);
  assert.equal(await queued(batch.notification_id), 0);

  const other = await db.sql`update private.outages set failures = 0, failing_since = null where true`.then(sentToAll);
  await end(other.notification_id);
  await record(other, [[other.devices[0]!, "delivered"]]);
  assert.deepEqual(await outcomesOf(other.notification_id), ["delivered", "expired"]);
});

for (
  const [change, run, outcome] of [
    [
      "ended",
      (user: string, id: string) => callAs(db, user, "finalize_parking_session", { id, exit_at: inMinutes(0) }),
      "expired",
    ],
    ["is gone", (_: string, id: string) => db.sql`delete from public.parking_sessions where id = ${id}`, "expired"],
    [
      "has another vehicle type",
      (_: string, id: string) => db.sql`update public.parking_sessions set vehicle_type = 'kei' where id = ${id}`,
      "expired",
    ],
    ["began at another time", (_: string, id: string) => age(db.sql, id, 20), "expired"],
    ["is the same", () => Promise.resolve(), null],
    [
      "has a note",
      (user: string, id: string) => callAs(db, user, "update_my_parking_session", { id, memo: "B2" }),
      null,
    ],
  ] as const
) {
  Deno.test(`push expiry: a reminder of a stay that ${change} is ${outcome ?? "sent"} at the next try`, async () => {
    const { user, id, batch } = await reminded();
    await record(batch, [[batch.devices[0]!, "later"]]);
    await run(user, id);
    await readAgain();
    assert.equal((await take())?.devices.length, outcome === null ? 1 : undefined);
    assert.deepEqual(await outcomesOf(batch.notification_id), [outcome]);
    assert.equal(await queued(batch.notification_id), outcome === null ? 1 : 0);
  });
}

Deno.test("push expiry: a reminder of a stay that ended before its first try is expired", async () => {
  await emptyQueue();
  const { user, id } = await parked(db, 26);
  await aDevice(user);
  await remind(id);
  await callAs(db, user, "finalize_parking_session", { id, exit_at: inMinutes(0) });
  const [{ id: reminder } = { id: "" }] = await db.sql<{ id: string }[]>`
    select id from public.user_notifications where user_id = ${user} and type = 'fee_increase'`;
  assert.deepEqual(await outcomesOf(reminder), [null]);
  await take();
  assert.deepEqual(await outcomesOf(reminder), ["expired"]);
});

Deno.test("push expiry: in quiet hours a push waits until its end at most", async () => {
  await emptyQueue();
  const user = await newUser(db.sql);
  await aDevice(user);
  await db.sql`
    insert into public.notification_quiet_hours (user_id, from_time, to_time, time_zone)
    select ${user}, (now() at time zone 'UTC' - interval '1 hour')::time, (now() at time zone 'UTC' + interval '1 hour')::time, 'UTC'`;
  const id = await notify(user, "fee_surprise");
  assert.equal(await take(), undefined);
  const [waiting] = await db.sql<{ seconds: number }[]>`
    select extract(epoch from q.vt - d.expires_at)::float8 as seconds
    from pgmq."q_push-dispatch" q cross join private.push_deliveries d where d.notification_id = ${id}`;
  assert.ok(waiting!.seconds >= 0 && waiting!.seconds < 5, `${waiting!.seconds} seconds after its end`);
  await end(id);
  await readAgain();
  assert.equal(await take(), undefined);
  assert.deepEqual(await outcomesOf(id), ["expired"]);
});

Deno.test("push expiry: a dead message that is put back after the end is expired, and no longer counted as failed", async () => {
  await emptyQueue();
  await db.sql`delete from public.user_push_tokens where true`;
  await aDevice(await newUser(db.sql));
  let batch = await sentToAll();
  const id = batch.notification_id;
  for (let n = 1; n <= 5; n++) {
    await record(batch, [[batch.devices[0]!, "later"]]);
    await readAgain();
    if (n < 5) batch = (await take())!;
  }
  assert.deepEqual(await outcomesOf(id), ["undeliverable"]);
  const [dead] = await db.sql`select message from private.dead_messages where message ->> 'notification_id' = ${id}`;
  await db.sql`update private.push_deliveries set expires_at = now() where notification_id = ${id}`;
  await db.sql`select private.requeue('push-dispatch', ${dead!["message"]})`;
  assert.equal(await take(), undefined);
  assert.deepEqual(await outcomesOf(id), ["expired"]);
  assert.deepEqual(await funnelOf(id), { devices: 1, delivered: 0, failed: 0, suppressed: 0, expired: 1, waiting: 0 });
});
