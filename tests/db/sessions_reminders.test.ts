// Reminders of sessions: what waits in the queue while a car is parked, and that nothing does afterwards.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { forgetWithdrawn } from "../support/forgotten.ts";
import { newUser } from "../support/rows.ts";
import { age, callAs, inMinutes, parked, pricedLot, start } from "./support/sessions.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

interface Waiting {
  readonly kind: string;
  readonly at: string;
  readonly amount?: number;
  /** How long before its event the message can be read, in minutes. */
  readonly lead: number;
}

/** What waits in the queue for a session, and agrees with what is noted of it. */
async function waiting(session: string): Promise<Waiting[]> {
  const rows = await db.sql<{ msg_id: string; message: Record<string, string | number>; lead: string }[]>`
    select q.msg_id, q.message, extract(epoch from (q.message ->> 'at')::timestamptz - q.vt) / 60 as lead
    from pgmq.q_session_reminders q
    where q.message ->> 'session_id' = ${session} order by q.message ->> 'kind' desc`;
  const noted = await db.sql<{ msg_id: string }[]>`
    select msg_id from private.session_reminders where session_id = ${session} order by kind desc`;
  assert.deepEqual(rows.map(({ msg_id }) => msg_id), noted.map(({ msg_id }) => msg_id));
  return rows.map(({ message: { session_id: _, ...message }, lead }) => ({
    ...message as unknown as Waiting,
    lead: Number(lead),
  }));
}

async function startOf(session: string): Promise<number> {
  const [row] = await db.sql`select started_at from public.parking_sessions where id = ${session}`;
  return row!.started_at.getTime();
}

/** Leaving is possible but for a minute that comes in so many. */
async function closesIn(lot: string, minutes: number): Promise<void> {
  await db.sql`
    insert into public.parking_lot_windows (parking_lot_id, window_type, open_time, close_time)
    select ${lot}, 'exit', t.shut + interval '1 minute', t.shut
    from (
      select date_trunc('minute', now() at time zone 'Asia/Tokyo' + ${minutes} * interval '1 minute')::time as shut
    ) as t`;
}

const near = (found: number, expected: number) =>
  assert.ok(Math.abs(found - expected) < 0.1, `${found}, not ${expected}`);

Deno.test("while a car is parked one message waits for the next increase, five minutes before it", async () => {
  const { id } = await parked(db);
  const [message, ...more] = await waiting(id);
  assert.deepEqual(more, []);
  assert.deepEqual([message!.kind, message!.amount], ["increase", 400]);
  assert.equal(Date.parse(message!.at), await startOf(id) + 30 * 60_000);
  near(message!.lead, 5);
});

Deno.test("an increase that is less than five minutes ahead is not reminded of; the one after it is", async () => {
  const { id } = await parked(db, 27);
  const [message] = await waiting(id);
  assert.equal(message!.amount, 600);
  assert.equal(Date.parse(message!.at), await startOf(id) + 60 * 60_000);
});

Deno.test("when the way out closes within 14 days a message waits for that, half an hour before", async () => {
  const [user, lot] = [await newUser(db.sql), await pricedLot(db.sql)];
  await closesIn(lot, 120);
  const id = await start(db, user, lot);
  const [increase, exit] = await waiting(id);
  assert.deepEqual([increase!.kind, exit!.kind], ["increase", "exit_closes"]);
  near(exit!.lead, 30);
  assert.ok(Date.parse(exit!.at) > Date.now() + 118 * 60_000 && Date.parse(exit!.at) <= Date.now() + 120 * 60_000);
});

Deno.test("who parks where the way out closes in less than half an hour is told at once", async () => {
  const [user, lot] = [await newUser(db.sql), await pricedLot(db.sql)];
  await closesIn(lot, 20);
  const [, exit] = await waiting(await start(db, user, lot));
  assert.equal(exit!.kind, "exit_closes");
  assert.ok(exit!.lead <= 20.1 && exit!.lead > 18, String(exit!.lead));
});

Deno.test("what waits follows the session, and changes nothing when the session does not", async () => {
  const { user, id } = await parked(db);
  const before = await waiting(id);
  await callAs(db, user, "update_my_parking_session", { id, memo: "B2" });
  assert.deepEqual(await waiting(id), before);
  await age(db.sql, id, 40);
  const [message, ...more] = await waiting(id);
  assert.deepEqual([message!.amount, more.length], [600, 0]);
});

Deno.test("nothing waits for a session that has ended, was cancelled, or whose person has left", async () => {
  const ends: ((user: string, id: string) => Promise<unknown>)[] = [
    (user, id) => callAs(db, user, "finalize_parking_session", { id, exit_at: inMinutes(0) }),
    (user, id) => callAs(db, user, "cancel_parking_session", { id }),
    (user) => db.sql`update public.app_users set status = 'withdrawn' where id = ${user}`,
    (user) => db.sql`delete from auth.users where id = ${user}`,
    (_, id) => db.sql`delete from public.parking_sessions where id = ${id}`,
  ];
  for (const end of ends) {
    const { user, id } = await parked(db);
    assert.equal((await waiting(id)).length, 1);
    await end(user, id);
    await forgetWithdrawn(db.sql);
    assert.deepEqual(await waiting(id), []);
  }
});

Deno.test("nothing waits where the fee is not known, or rises no more", async () => {
  const { user, lot, id } = await parked(db);
  await db.sql`update public.pricing_rules set cap_type = 'stay', cap_price_minor = 200 where parking_lot_id = ${lot}`;
  await db.sql`select private.remind_of_session(${id})`;
  assert.deepEqual(await waiting(id), []);
  await db.sql`delete from public.pricing_rules where parking_lot_id = ${lot}`;
  await db.sql`select private.remind_of_session(${id})`;
  assert.deepEqual(await waiting(id), []);
  await callAs(db, user, "cancel_parking_session", { id });
});

Deno.test("a start that is refused or rolled back leaves nothing waiting", async () => {
  const [before] = await db.sql`select count(*)::int as waiting from pgmq.q_session_reminders`;
  const { user, lot } = await parked(db);
  await assert.rejects(start(db, user, lot));
  const [after] = await db.sql`select count(*)::int as waiting from pgmq.q_session_reminders`;
  assert.equal(after!.waiting, before!.waiting + 1);
});
