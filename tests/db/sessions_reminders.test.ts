// Reminders of sessions: which sessions the job looks at and when, and that it looks at none that has ended.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { eraseWithdrawn } from "../support/forgotten.ts";
import { newUser } from "../support/rows.ts";
import { age, callAs, inMinutes, lookAt, parked, pricedLot, start } from "./support/sessions.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

/** In how many minutes the job looks at a session; undefined: not at all. */
async function looksIn(session: string): Promise<number | undefined> {
  const [row] = await db.sql<{ minutes: string }[]>`
    select extract(epoch from look_at - now()) / 60 as minutes from private.session_reminders where session_id = ${session}`;
  return row && Number(row.minutes);
}

/** The same after the job has looked at the session. */
async function looksAgainIn(session: string): Promise<number> {
  await lookAt(db.sql, session);
  return (await looksIn(session))!;
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

const near = (found: number, expected: number, most = 0.1) =>
  assert.ok(Math.abs(found - expected) < most, `${found}, not ${expected}`);

Deno.test("reminder times: a session that starts is due at once, and then five minutes before its next increase", async () => {
  const { id } = await parked(db);
  near((await looksIn(id))!, 0);
  near(await looksAgainIn(id), 25);
});

Deno.test("reminder times: an increase that is less than five minutes ahead when a session starts is left out; the one after it is not", async () => {
  const { id } = await parked(db, 27);
  near(await looksAgainIn(id), 28);
});

Deno.test("reminder times: where the exit closes a session is due half an hour before, when it closes, and when it opens", async () => {
  const [user, lot] = [await newUser(db.sql), await pricedLot(db.sql)];
  await closesIn(lot, 40);
  const id = await start(db, user, lot);
  near(await looksAgainIn(id), 9.5, 0.6);

  const [other, closing] = [await newUser(db.sql), await pricedLot(db.sql)];
  await closesIn(closing, 20);
  near(await looksAgainIn(await start(db, other, closing)), 19.5, 0.6);

  const [third, closed] = [await newUser(db.sql), await pricedLot(db.sql)];
  await db.sql`
    insert into public.parking_lot_windows (parking_lot_id, window_type, open_time, close_time)
    select ${closed}, 'exit', t.open, t.open + interval '1 hour'
    from (select date_trunc('minute', now() at time zone 'Asia/Tokyo' + interval '15 minutes')::time as open) as t`;
  near(await looksAgainIn(await start(db, third, closed)), 14.5, 0.6);
});

Deno.test("reminder times: a session is due at once only when its prices change", async () => {
  const { user, id } = await parked(db);
  const before = await looksAgainIn(id);
  await callAs(db, user, "update_my_parking_session", { id, memo: "B2" });
  near((await looksIn(id))!, before);
  await age(db.sql, id, 40);
  near((await looksIn(id))!, 0);
  near(await looksAgainIn(id), 15);
});

Deno.test("reminder times: a session that has ended, was cancelled, or whose user has withdrawn is never due", async () => {
  const ends: ((user: string, id: string) => Promise<unknown>)[] = [
    (user, id) => callAs(db, user, "finalize_parking_session", { id, exit_at: inMinutes(0) }),
    (user, id) => callAs(db, user, "cancel_parking_session", { id }),
    (user) => db.sql`select private.empty_account(${user})`,
    (user) => db.sql`delete from auth.users where id = ${user}`,
    (_, id) => db.sql`delete from public.parking_sessions where id = ${id}`,
  ];
  for (const end of ends) {
    const { user, id } = await parked(db);
    assert.notEqual(await looksIn(id), undefined);
    await end(user, id);
    await eraseWithdrawn(db.sql);
    assert.equal(await looksIn(id), undefined);
  }
});

Deno.test("reminder times: where the fee is not known, or rises no more, a session is due again in twelve hours", async () => {
  const { lot, id } = await parked(db);
  await db.sql`update public.pricing_rules set cap_type = 'stay', cap_price_minor = 200 where parking_lot_id = ${lot}`;
  near(await looksAgainIn(id), 720);
  await db.sql`delete from public.pricing_rules where parking_lot_id = ${lot}`;
  near(await looksAgainIn(id), 720);
});

Deno.test("reminder times: a start that is rejected or rolled back leaves no due session", async () => {
  const { user, lot } = await parked(db);
  const count = async () => (await db.sql`select count(*)::int as count from private.session_reminders`)[0]!["count"];
  const before = await count();
  await assert.rejects(start(db, user, lot));
  assert.equal(await count(), before);
});
