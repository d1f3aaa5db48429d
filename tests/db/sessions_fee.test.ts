// The meter, calc-fee and the end of a session give the same amount, for random price lists and stays.
import assert from "node:assert/strict";
import { Chance, randomStay } from "../oracles/random_fees.ts";
import { database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";
import { newUser, signedIn } from "../support/rows.ts";
import { type FeeAnswer, seedLots } from "./support/fees.ts";
import { age, callAs, type Finalized, inMinutes, parked, start } from "./support/sessions.ts";
import { seed, volume } from "../support/sizes.ts";

const SETS = volume("FEE_SETS", 100, 800);
const SEED = seed("FEE_SEED", 5);
const DAY_MS = 86_400_000;

const db = await database();
Deno.test.afterAll(() => db.close());

interface Meter {
  readonly amount?: number;
  readonly currency?: string;
  readonly next_increase_at?: string | null;
  readonly next_amount?: number | null;
  readonly known_until?: string;
  readonly curve?: { at: string; amount: number }[];
  readonly refusal?: { reason: string };
}

interface Current {
  readonly id: string;
  readonly meter: Meter;
  readonly can_exit_now: boolean | null;
  readonly can_exit_changes_at: string | null;
}

interface FeeResults {
  readonly meter: Meter;
  readonly fee: FeeAnswer;
  readonly end: Finalized;
}

/** The result of each of the three at the same time: that of a transaction. */
async function resultsOf(user: string, lot: string, id: string): Promise<FeeResults> {
  const [row] = await db.as(signedIn(user), async (sql) => {
    const [current] = await sql<{ meter: Meter }[]>`select api.my_current_parking_session() -> 'meter' as meter`;
    const [fee] = await sql<{ fee: FeeAnswer }[]>`
      select coalesce(f.answer::jsonb, jsonb_build_object('refusal', f.refusal)) as fee
      from public.parking_sessions s
      cross join lateral private.explained_fee(${lot}, 'standard', s.started_at, now()) f where s.id = ${id}`;
    const [end] = await sql<{ end: Finalized }[]>`select commands.finalize_parking_session(${id}, now()) as end`;
    return [{ meter: current!.meter, fee: fee!.fee, end: end!.end }];
  });
  return row!;
}

Deno.test(`session fees: for ${SETS} random price lists the meter, calc-fee and the end of a session give the same fee`, async () => {
  const chance = new Chance(SEED);
  const user = await newUser(db.sql);
  let known = 0;
  for (let n = 0; n < SETS; n++) {
    const stay = randomStay(chance);
    const lasts = Date.parse(stay.exit_at) - Date.parse(stay.entry_at);
    // The stay ends now: dates with prices of their own move along.
    const days = Math.round((Date.now() - Date.parse(stay.exit_at)) / DAY_MS);
    const overrides = stay.date_overrides.map(({ override_date, ...rest }) => ({
      ...rest,
      override_date: new Date(Date.parse(override_date) + days * DAY_MS).toISOString().slice(0, 10),
    }));
    const [lot] = await seedLots(db.sql, [{ ...stay, date_overrides: overrides }]);
    const id = await start(db, user, lot!);
    await age(db.sql, id, lasts / 60_000);
    const { meter, fee, end } = await resultsOf(user, lot!, id);
    const context = JSON.stringify({ meter, fee, end, ...stay }, null, 1);
    if (fee.refusal) {
      assert.deepEqual([meter.refusal, end.total_amount, end.breakdown], [fee.refusal, null, fee], context);
    } else {
      known++;
      assert.deepEqual([meter.amount, end.total_amount], [fee.total_amount, fee.total_amount], context);
      assert.deepEqual(
        [end.currency, end.breakdown],
        [fee.currency, { ...fee.breakdown, surprises: fee.surprises }],
        context,
      );
    }
  }
  assert.ok(known > SETS / 2 && known < SETS, `${known} of ${SETS} are known`);
});

const current = (user: string) => callAs<Current>(db, user, "my_current_parking_session");

Deno.test("session fees: the meter has the amount, the next one and when, and every increase of the next 24 hours", async () => {
  const { user, id } = await parked(db, 40);
  const { meter, id: visible } = await current(user);
  assert.deepEqual([visible, meter.amount, meter.currency, meter.next_amount], [id, 400, "JPY", 600]);
  const [row] = await db.sql`select started_at from public.parking_sessions where id = ${id}`;
  assert.equal(Date.parse(meter.next_increase_at!), row!.started_at.getTime() + 60 * 60_000);
  assert.deepEqual(meter.curve!.slice(0, 2).map(({ amount }) => amount), [600, 800]);
  assert.equal(meter.curve!.length, 49); // 48 increases and where the curve ends
});

Deno.test("session fees: the meter has the reason for an unknown fee", async () => {
  const { user, lot } = await parked(db, 10);
  await db.sql`delete from public.pricing_rules where parking_lot_id = ${lot}`;
  const { meter } = await current(user);
  assert.deepEqual(meter, { refusal: { code: "fee_unknown", reason: "no_rules" } });
});

Deno.test("session fees: a session of more than 366 days still has a meter, and can be ended", async () => {
  const { user, id } = await parked(db, 400 * 24 * 60);
  const { meter } = await current(user);
  assert.equal(meter.amount, 366 * 48 * 200);
  const end = (exit_at: string) => callAs<Finalized>(db, user, "finalize_parking_session", { id, exit_at });
  const { total_amount, breakdown } = await end(inMinutes(0));
  assert.equal(total_amount, meter.amount);
  assert.deepEqual(breakdown.notes, ["only_366_days_priced"]);
});

Deno.test("session fees: the receipt notes prices that were written during the session, and none before it", async () => {
  const notesOf = async (change: (lot: string) => Promise<unknown>) => {
    const { user, lot, id } = await parked(db, 30);
    await change(lot);
    const args = { id, exit_at: inMinutes(0) };
    return (await callAs<Finalized>(db, user, "finalize_parking_session", args)).breakdown.notes;
  };
  assert.deepEqual(await notesOf(() => Promise.resolve()), []);
  assert.deepEqual(
    await notesOf((lot) => db.sql`update public.pricing_rules set price_minor = 300 where parking_lot_id = ${lot}`),
    ["prices_changed"],
  );
  assert.deepEqual(
    await notesOf((lot) => db.sql`update public.parking_lots set name = 'Another name' where id = ${lot}`),
    [],
    "no price was written",
  );
  assert.deepEqual(await notesOf(comesIntoEffect), [], "a price with dates was written before the session");
});

/** As if other rules of the lot came into effect today, and the job had not yet seen it. */
async function comesIntoEffect(lot: string): Promise<void> {
  await db.sql`update private.tariffs set changes_on = current_date - 1 where parking_lot_id = ${lot}`;
  await db.sql`do $$ begin while private.next_price_change_batch() loop null; end loop; end $$`;
  const [list] = await db.sql`select changes_on from private.tariffs where parking_lot_id = ${lot}`;
  assert.equal(list!.changes_on, null, "the job has seen the list");
}

Deno.test("session fees: a user without a running session has no current one", async () => {
  const user = await newUser(db.sql);
  assert.equal((await errorOf(current(user))).code, "not_found");
  const { user: appUser, id } = await parked(db);
  await callAs(db, appUser, "cancel_parking_session", { id });
  assert.equal((await errorOf(current(appUser))).code, "not_found");
});

Deno.test("session fees: the current session shows whether the car can leave, also of a lot that has closed to the public", async () => {
  const { user, lot } = await parked(db);
  const exit = async () => {
    const { can_exit_now, can_exit_changes_at } = await current(user);
    return [can_exit_now, can_exit_changes_at === null];
  };
  assert.deepEqual(await exit(), [null, true]);
  // Open for all but one minute of the day, half a day from now.
  await db.sql`
    insert into public.parking_lot_windows (parking_lot_id, window_type, open_time, close_time)
    select ${lot}, 'exit', t.shut + interval '1 minute', t.shut
    from (select date_trunc('minute', now() at time zone 'Asia/Tokyo' + interval '12 hours')::time as shut) as t`;
  await db.sql`update public.parking_lots set status = 'closed' where id = ${lot}`;
  assert.deepEqual(await exit(), [true, false]);
});
