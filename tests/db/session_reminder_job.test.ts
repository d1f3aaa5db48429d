// The job that sends session reminders: what it says is true when it is sent, each is sent once, and the next one waits.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { newUser } from "../support/rows.ts";
import { age, callAs, inMinutes, parked, pricedLot, start } from "./support/sessions.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

/** Runs the job as it is when everything that waits for this session is due. */
async function sendReminders(session: string): Promise<void> {
  await db.sql`
    update pgmq.q_session_reminders set vt = now() + case when message ->> 'session_id' = ${session}
      then interval '0' else interval '1 hour' end`;
  for (let n = 0; n < 10; n++) {
    const [row] = await db.sql<{ sent: boolean }[]>`select private.send_next_session_reminder() as sent`;
    if (!row!.sent) return;
  }
  assert.fail("the job finds no end");
}

const inbox = (user: string) =>
  db.sql<{ type: string; title: string; body: string; data: Record<string, string> }[]>`
    select type, title, body, data from public.user_notifications
    where user_id = ${user} and type in ('fee_increase', 'exit_closing') order by created_at, id`;

const timeOf = (at: number) =>
  new Intl.DateTimeFormat("ja-JP", { timeZone: "Asia/Tokyo", hour: "2-digit", minute: "2-digit" }).format(at);

Deno.test("session reminders: the next increase is named with its time and amount, once, and the one after it waits", async () => {
  const { id, user } = await parked(db, 25);
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
  assert.equal((await inbox(user)).length, 1, "an increase that is further ahead than its reminder is not sent");
});

Deno.test("session reminders: a user who reads English is notified in English", async () => {
  const { id, user } = await parked(db, 25);
  await db.sql`update public.app_users set lang = 'en' where id = ${user}`;
  await sendReminders(id);
  const [reminder] = await inbox(user);
  assert.equal(reminder!.title, "Your parking fee is about to rise");
  assert.match(reminder!.body, /^After \d\d:\d\d the fee will be ¥400\.$/);
});

Deno.test("session reminders: an exit that closes within half an hour is named with its time", async () => {
  const [user, lot] = [await newUser(db.sql), await pricedLot(db.sql)];
  await db.sql`
    insert into public.parking_lot_windows (parking_lot_id, window_type, open_time, close_time)
    select ${lot}, 'exit', t.shut + interval '1 minute', t.shut
    from (select date_trunc('minute', now() at time zone 'Asia/Tokyo' + interval '20 minutes')::time as shut) as t`;
  const id = await start(db, user, lot);
  await sendReminders(id);
  const exits = (await inbox(user)).filter(({ type }) => type === "exit_closing");
  assert.equal(exits.length, 1);
  await db.sql`select private.remind_of_session(${id})`;
  await sendReminders(id);
  assert.equal((await inbox(user)).filter(({ type }) => type === "exit_closing").length, 1, "of one closing once");
  assert.match(exits[0]!.body, /^\d\d:\d\dを過ぎると出庫できません。$/);
});

Deno.test("session reminders: nothing is sent for a session that has ended, or for an increase that has passed", async () => {
  const ended = await parked(db, 25);
  const [message] = await db.sql`select * from pgmq.q_session_reminders where message ->> 'session_id' = ${ended.id}`;
  await callAs(db, ended.user, "finalize_parking_session", { id: ended.id, exit_at: inMinutes(0) });
  await db.sql`
    insert into pgmq.q_session_reminders (vt, message, read_ct, enqueued_at)
    values (now(), ${db.sql.json(message!["message"])}, 0, now())`;
  await sendReminders(ended.id);
  assert.deepEqual([...await inbox(ended.user)], []);

  const late = await parked(db, 25);
  await db.sql`alter table public.parking_sessions disable trigger _300_remind_on_update`;
  await age(db.sql, late.id, 40); // the job was down while the fee rose
  await db.sql`alter table public.parking_sessions enable trigger _300_remind_on_update`;
  await sendReminders(late.id);
  assert.deepEqual([...await inbox(late.user)], []);
});
