// The job that sends session reminders: its text is true when it is sent, and each is sent once, also under concurrency.
import assert from "node:assert/strict";
import postgres from "postgres";
import { database } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { newUser } from "../support/rows.ts";
import { seedLots } from "./support/fees.ts";
import { age, callAs, inMinutes, lookAt, makeDue, parked, pricedLot, remind, start } from "./support/sessions.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

/** Lets the session have been as it is for a while, and the job look at it. */
async function sendReminders(session: string): Promise<void> {
  await watched(session);
  await lookAt(db.sql, session);
}

const watched = (session: string) =>
  db.sql`update private.session_reminders set watched_from = now() - interval '1 hour' where session_id = ${session}`;

const inbox = (user: string) =>
  db.sql<{ type: string; title: string; body: string; data: Record<string, string> }[]>`
    select type, title, body, data from public.user_notifications
    where user_id = ${user} and type in ('fee_increase', 'exit_closing') order by created_at, id`;

const timeOf = (at: number) =>
  new Intl.DateTimeFormat("ja-JP", { timeZone: "Asia/Tokyo", hour: "2-digit", minute: "2-digit" }).format(at);

async function closesIn(lot: string, minutes: number): Promise<void> {
  await db.sql`
    insert into public.parking_lot_windows (parking_lot_id, window_type, open_time, close_time)
    select ${lot}, 'exit', t.shut + interval '1 minute', t.shut
    from (
      select date_trunc('minute', now() at time zone 'Asia/Tokyo' + ${minutes} * interval '1 minute')::time as shut
    ) as t`;
}

Deno.test("session reminders: the next increase is named with its time and amount, once, and the one after it waits", async () => {
  const { id, user } = await parked(db, 26);
  await sendReminders(id);
  const [reminder, ...more] = await inbox(user);
  assert.deepEqual(more, []);
  const [session] = await db.sql`select started_at from public.parking_sessions where id = ${id}`;
  const at = timeOf(session!.started_at.getTime() + 30 * 60_000);
  assert.deepEqual([reminder!.title, reminder!.body], [
    "まもなく料金が上がります",
    `${at}を過ぎると料金は400円になります。`,
  ]);
  assert.deepEqual(reminder!.data, { session_id: id });
  await sendReminders(id);
  assert.equal((await inbox(user)).length, 1, "an increase is told once, and one that is further ahead is not told");
});

Deno.test("session reminders: an increase that is near when the session starts or changes sends no reminder", async () => {
  const { id, user } = await parked(db, 26);
  await lookAt(db.sql, id);
  assert.deepEqual([...await inbox(user)], []);
});

Deno.test("session reminders: a user who reads English is notified in English", async () => {
  const { id, user } = await parked(db, 26);
  await db.sql`update public.app_users set lang = 'en' where id = ${user}`;
  await sendReminders(id);
  const [reminder] = await inbox(user);
  assert.equal(reminder!.title, "Your parking fee is about to rise");
  assert.match(reminder!.body, /^After \d\d:\d\d the fee will be ¥400\.$/);
});

Deno.test("session reminders: a surprise of the fee is named 15 minutes before, once, with both amounts and its text", async () => {
  const user = await newUser(db.sql);
  const [lot] = await seedLots(db.sql, [{
    rules: [
      { category: "time_band", per_minutes: 60, price_minor: 200 },
      { category: "cap", cap_type: "duration", cap_duration_hours: 24, cap_price_minor: 300, cap_repeat: false },
    ],
  }]);
  const id = await start(db, user, lot!);
  const sent = async () => [
    ...await db.sql<{ title: string; body: string }[]>`
      select title, body from public.user_notifications where user_id = ${user} and type = 'fee_surprise'`,
  ];
  await age(db.sql, id, 23 * 60);
  await sendReminders(id);
  assert.deepEqual(await sent(), []);
  await age(db.sql, id, 24 * 60 - 10);
  await sendReminders(id);
  await sendReminders(id);
  const [reminder, ...more] = await sent();
  assert.deepEqual(more, []);
  const [session] = await db.sql`select started_at from public.parking_sessions where id = ${id}`;
  const at = timeOf(session!.started_at.getTime() + 24 * 60 * 60_000);
  assert.equal(reminder!.title, `${at}から料金が大きく上がります`);
  // At the end of the curve, 23 hours and 50 minutes after the cap, 24 hours are charged.
  assert.match(
    reminder!.body,
    new RegExp(`^${at}に300円の料金が、\\d+/\\d+ \\d\\d:\\d\\dには5,100円になります。最大料金は1回限りです。`),
  );
  const { meter } = await callAs<{ meter: { surprises: { kind: string; saves: number }[] } }>(
    db,
    user,
    "my_current_parking_session",
  );
  assert.deepEqual(meter.surprises.map(({ kind, saves }) => [kind, saves]), [["cap_once", 4800]]);
});

Deno.test("session reminders: an exit that closes within half an hour is named with its time, once, also right after the start", async () => {
  const [user, lot] = [await newUser(db.sql), await pricedLot(db.sql)];
  await closesIn(lot, 20);
  const id = await start(db, user, lot);
  const exits = async () => (await inbox(user)).filter(({ type }) => type === "exit_closing");
  for (const time of ["first", "second"]) {
    await lookAt(db.sql, id);
    assert.equal((await exits()).length, 1, time);
  }
  assert.match((await exits())[0]!.body, /^\d\d:\d\dを過ぎると出庫できません。$/);
});

Deno.test("session reminders: nothing is sent for a session that has ended, to a user who has withdrawn, or for an increase that has passed", async () => {
  const ended = await parked(db, 26);
  await watched(ended.id);
  await callAs(db, ended.user, "finalize_parking_session", { id: ended.id, exit_at: inMinutes(0) });
  await lookAt(db.sql, ended.id);
  assert.deepEqual([...await inbox(ended.user)], []);

  const withdrawn = await parked(db, 26);
  await db.sql`select private.empty_account(${withdrawn.user})`;
  await sendReminders(withdrawn.id);
  assert.deepEqual([...await inbox(withdrawn.user)], []);

  const late = await parked(db, 40); // the job was down while the fee rose
  await sendReminders(late.id);
  assert.deepEqual([...await inbox(late.user)], []);
});

Deno.test("session reminders: two jobs at once remind once, and neither waits for a session that a user holds", async () => {
  const sessions = await Promise.all(Array.from({ length: 6 }, () => parked(db, 26)));
  for (const { id } of sessions) await watched(id);
  await makeDue(db.sql, ...sessions.map(({ id }) => id));
  const [held, ...free] = sessions;
  const holder = postgres(db.url, { max: 1 });
  await holder.begin(async (sql) => {
    await sql`select from public.parking_sessions where id = ${held!.id} for no key update`;
    await Promise.all([1, 2].map(() => remind(db.sql)));
    for (const { user } of free) assert.equal((await inbox(user)).length, 1);
    assert.equal((await inbox(held!.user)).length, 0);
  });
  await holder.end();
  await lookAt(db.sql, held!.id);
  assert.equal((await inbox(held!.user)).length, 1);
});

Deno.test("session reminders: a job that is killed before it commits has sent nothing, and the next sends it once", async () => {
  const { id, user } = await parked(db, 26);
  await watched(id);
  const cut = postgres(db.url, { max: 1 });
  const [own] = await cut`select pg_backend_pid() as pid`;
  const job = assert.rejects(
    cut.begin(async (sql) => {
      await sql`update private.session_reminders set look_at = now() where session_id = ${id}`;
      await sql`select private.next_reminder_batch(), pg_sleep(600)`;
    }),
    { code: "57014" },
  );
  await eventually(async () => {
    const asleep = await db.sql`select from pg_stat_activity where pid = ${own!["pid"]} and wait_event = 'PgSleep'`;
    return asleep.length === 1 || undefined;
  });
  await db.sql`select pg_cancel_backend(${own!["pid"]})`;
  await job;
  await cut.end();
  assert.equal((await inbox(user)).length, 0);
  await lookAt(db.sql, id);
  assert.equal((await inbox(user)).length, 1);
});

Deno.test("session reminders: a session whose fee fails to compute blocks no other, and is retried", async () => {
  const [broken, other] = [await parked(db, 26), await parked(db, 26)];
  for (const { id } of [broken, other]) await watched(id);
  await db.sql.unsafe(`
    alter function private.session_exit(public.parking_sessions) rename to session_exit_whole;
    create function private.session_exit(p_session public.parking_sessions, out can_exit boolean, out changes_at timestamptz)
    language plpgsql as $$ begin
      if p_session.id = '${broken.id}' then raise exception 'no hours'; end if;
      select e.can_exit, e.changes_at into can_exit, changes_at from private.session_exit_whole(p_session) e;
    end $$`);
  try {
    await lookAt(db.sql, broken.id, other.id);
    assert.deepEqual([(await inbox(broken.user)).length, (await inbox(other.user)).length], [0, 1]);
    const [row] = await db.sql`
      select look_at between now() + interval '9 minutes' and now() + interval '10 minutes' as later
      from private.session_reminders where session_id = ${broken.id}`;
    assert.equal(row!["later"], true);
  } finally {
    await db.sql.unsafe(`
      drop function private.session_exit(public.parking_sessions);
      alter function private.session_exit_whole(public.parking_sessions) rename to session_exit`);
  }
});
