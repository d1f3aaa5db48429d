// Prices with dates: random price lists agree with the oracle, and what is stored for searches follows the calendar.
import assert from "node:assert/strict";
import { naiveFee, type Stay } from "../oracles/fees.ts";
import { Chance, randomStay } from "../oracles/random_fees.ts";
import { naiveDifferences } from "../oracles/surprises.ts";
import { holidays } from "../support/cases.ts";
import { database } from "../support/database.ts";
import { answers, outcomeOf, type PricedLot, seedLots, stayFees } from "./support/fees.ts";
import { seed, volume } from "../support/sizes.ts";

const SETS = volume("FEE_SETS", 150, 1_200);
const SEED = seed("FEE_SEED", 5);

const db = await database();
Deno.test.afterAll(() => db.close());

const japanese = holidays("JP");
const chance = new Chance(SEED);

/** A stay at a lot some of whose rules begin or end near it. */
function datedStay(): Omit<Stay, "holidays"> {
  const stay = randomStay(chance);
  const near = () => Temporal.PlainDate.from(stay.entry_at.slice(0, 10)).add({ days: chance.int(-1, 3) }).toString();
  const rules = stay.rules.flatMap((rule) => {
    const change = near();
    const ends = Temporal.PlainDate.from(change).subtract({ days: 1 }).toString();
    const later = crypto.randomUUID() as string;
    const price_minor = typeof rule.price_minor === "number" && rule.category !== "grace"
      ? rule.price_minor + 70
      : null;
    return chance.pick(
      () => [rule],
      () => [{ ...rule, effective_from: change }],
      () => [{ ...rule, effective_to: change }],
      () => [{ ...rule, effective_to: ends }, { ...rule, id: later, price_minor, effective_from: change }],
    )();
  });
  const windows = [
    { window_type: "business" as const, open_time: "07:30", close_time: chance.pick("19:00", "24:00", "01:00") },
    ...chance.happens(0.3) ? [{ window_type: "business" as const, day_type: "sunday", is_closed: true }] : [],
  ];
  return {
    ...stay,
    rules,
    price_fixed_at_entry: chance.happens(0.3),
    ...chance.happens(0.3) ? { free_while_closed: true, windows } : {},
  };
}

const stays = Array.from({ length: SETS }, datedStay);
const lots = await seedLots(db.sql, stays);
const questions = stays.map(({ entry_at, exit_at }, n) => ({ lot: lots[n]!, entry_at, exit_at }));
const results = await answers(db.sql, questions);

Deno.test(`fee calendar: ${SETS} random stays at lots with dated rules have the oracle's fee or error, in a search too`, async () => {
  const priced = await stayFees(db.sql, questions);
  let known = 0;
  for (const [n, stay] of stays.entries()) {
    const fee = naiveFee({ ...stay, holidays: japanese });
    const expected = "total" in fee ? fee.total : fee.reason;
    known += "total" in fee ? 1 : 0;
    const context = () => JSON.stringify({ expected, found: results[n], stay }, null, 1);
    assert.equal(outcomeOf(results[n]!), expected, context());
    assert.equal(priced[n], expected, context());
    const from = "from" in fee && fee.from !== undefined ? Date.parse(fee.from) : undefined;
    const found = results[n]!.refusal?.from;
    assert.equal(found === undefined ? undefined : Date.parse(found), from, context());
  }
  assert.ok(known > SETS / 3 && known < SETS, `${known} of ${SETS} are known`);
});

Deno.test("fee calendar: the lines sum to the total, and each rule of the lot is in a line, a cap or has a reason", () => {
  for (const [n, { breakdown, total_amount }] of results.entries()) {
    if (!breakdown || stays[n]!.entry_at === stays[n]!.exit_at) continue;
    assert.equal(breakdown.lines.reduce((sum, { amount }) => sum + amount, 0), total_amount);
    const explained = new Set([
      ...breakdown.lines.map(({ rule_id }) => rule_id),
      ...breakdown.caps.map(({ rule_id }) => rule_id),
      ...breakdown.not_applied.map(({ rule_id }) => rule_id),
    ]);
    assert.deepEqual(stays[n]!.rules.filter(({ id }) => !explained.has(id)), [], JSON.stringify(breakdown));
  }
});

Deno.test("fee calendar: the amounts of the surprises sum to the bill minus the oracle's naive bill", async () => {
  const some = questions.slice(0, 100);
  const rows = await db.sql<{ amounts: Record<string, number> }[]>`
    select (
      select coalesce(jsonb_object_agg(d.kind, d.amount) filter (where d.amount <> 0), '{}')
      from private.stay_tariffs(array[q.lot], 'standard', q.entry_at, q.exit_at) t
      cross join lateral private.compute_fee(
        t.tariff, t.time_zone, t.holidays, t.overridden, q.entry_at, q.exit_at, true
      ) w
      cross join lateral private.fee_differences(
        private.tariff_between(t.tariff, (q.entry_at at time zone t.time_zone)::date, (q.exit_at at time zone t.time_zone)::date),
        null, t.time_zone, t.holidays, t.overridden, q.entry_at, q.exit_at, w.total, null
      ) f
      cross join lateral unnest(f) d
      where w.total is not null
    ) as amounts
    from rows from (jsonb_to_recordset(${JSON.stringify(some)}::text::jsonb)
      as (lot uuid, entry_at timestamptz, exit_at timestamptz)) with ordinality as q (lot, entry_at, exit_at, place)
    order by q.place`;
  let found = 0;
  for (const [n, { amounts }] of rows.entries()) {
    const expected = naiveDifferences({ ...stays[n]!, holidays: japanese });
    const context = JSON.stringify({ amounts, expected: expected && [...expected.amounts], stay: stays[n] }, null, 1);
    assert.deepEqual(amounts, Object.fromEntries(expected?.amounts ?? []), context);
    found += expected ? 1 : 0;
  }
  assert.ok(found > 5, `${found} stays have a difference`);
});

Deno.test("fee calendar: a rule on other dates has the reason date, also where the prices are those of the entry", async () => {
  const rules = [
    {
      id: crypto.randomUUID() as string,
      category: "time_band" as const,
      per_minutes: 60,
      price_minor: 300,
      effective_to: "2026-09-30",
    },
    {
      id: crypto.randomUUID() as string,
      category: "time_band" as const,
      per_minutes: 60,
      price_minor: 400,
      effective_from: "2026-10-01",
    },
  ];
  const [each, fixed] = await seedLots(db.sql, [
    { rules },
    { rules: rules.map((rule) => ({ ...rule, id: crypto.randomUUID() as string })), price_fixed_at_entry: true },
  ]);
  const before = { entry_at: "2026-09-30T20:00:00+09:00", exit_at: "2026-09-30T22:00:00+09:00" };
  const across = { ...before, exit_at: "2026-10-01T02:00:00+09:00" };
  const found = await answers(db.sql, [{ lot: each!, ...before }, { lot: each!, ...across }, {
    lot: fixed!,
    ...across,
  }]);
  assert.deepEqual(found.map(({ breakdown }) => breakdown!.not_applied.map(({ reason }) => reason)), [["date"], [], [
    "date",
  ]]);
});

// ---------------------------------------------------------------------------------------------------------------------
// What is stored for searches
// ---------------------------------------------------------------------------------------------------------------------

const today = (zone: string) => Temporal.Now.zonedDateTimeISO(zone).toPlainDate();
const hourly = (price_minor: number) => ({ category: "time_band" as const, per_minutes: 60, price_minor });

/** What a search reads of a lot. */
async function priceNow(lot: string): Promise<{ hour_price: number | null; entry_price: number | null }> {
  const [row] = await db.sql<{ hour_price: number | null; entry_price: number | null }[]>`
    select l.hour_price, e.hour_price as entry_price
    from public.parking_lots l join private.search_entries e on e.parking_lot_id = l.id where l.id = ${lot}`;
  return row!;
}
const runJob = () => db.sql`do $$ begin while private.next_price_change_batch(1) loop null; end loop; end $$`;

Deno.test("fee calendar: the hour price is that of the rules in effect today", async () => {
  const date = today("Asia/Tokyo");
  const [lot] = await seedLots(db.sql, [{
    rules: [
      { ...hourly(300), effective_to: date.subtract({ days: 1 }).toString() },
      { ...hourly(400), effective_from: date.toString(), effective_to: date.toString() },
      { ...hourly(500), effective_from: date.add({ days: 1 }).toString() },
    ],
  }]);
  const found = await priceNow(lot!);
  assert.deepEqual([found.hour_price, found.entry_price], [400, 400]);
});

Deno.test("fee calendar: on the date of a change the job refreshes price, search entry and change feed of these lots only", async () => {
  // The zones whose date is the first and the last one on earth: the first changes on a date that the last has not reached.
  const ahead = today("Pacific/Kiritimati");
  const lotOf = (time_zone: string, change: Temporal.PlainDate): PricedLot => ({
    time_zone,
    rules: [
      { ...hourly(300), effective_to: change.subtract({ days: 1 }).toString() },
      { ...hourly(250), effective_from: change.toString(), rule_order: 1 },
      { category: "cap", cap_type: "day", cap_price_minor: 900, cap_repeat: true, effective_from: change.toString() },
    ],
  });
  const change = ahead;
  const [first, last] = await seedLots(db.sql, [
    lotOf("Pacific/Kiritimati", change),
    lotOf("Pacific/Pago_Pago", change),
  ]) as [string, string];
  const plain = (await seedLots(db.sql, [{ rules: [hourly(300)] }]))[0]!;
  assert.deepEqual([(await priceNow(first)).hour_price, (await priceNow(last)).hour_price], [250, 300]);
  // As it was a day ago: yesterday's price, and the date of the change still to come.
  await db.sql`update public.parking_lots set hour_price = 300 where id = ${first}`;
  await db.sql`update private.tariffs set changes_on = ${change.toString()} where parking_lot_id = ${first}`;
  await db.sql`delete from private.lot_change_queue`;
  await runJob();
  assert.deepEqual([(await priceNow(first)).hour_price, (await priceNow(first)).entry_price], [250, 250]);
  assert.deepEqual([(await priceNow(last)).hour_price, (await priceNow(plain)).hour_price], [300, 300]);
  const queued = await db.sql<{ id: string }[]>`select distinct parking_lot_id as id from private.lot_change_queue`;
  assert.deepEqual(queued.map(({ id }) => id), [first]);
  assert.equal(
    (await db.sql`select from private.tariffs where changes_on is not null and parking_lot_id = ${first}`).count,
    0,
  );
});

Deno.test("fee calendar: no stored price is out of date after the job, and the list of a lot has the time of its next change", async () => {
  await runJob();
  const stale = await db.sql`
    select l.id from public.parking_lots l
    join private.hour_prices(array(select id from public.parking_lots)) p on p.parking_lot_id = l.id
    where l.hour_price is distinct from p.hour_price
    union all
    select t.parking_lot_id from private.tariffs t join public.parking_lots l on l.id = t.parking_lot_id
    where t.changes_on is distinct from private.next_price_date(t.tariff, (now() at time zone l.time_zone)::date)`;
  assert.equal(stale.count, 0);
});

Deno.test("fee calendar: a maximum price that only begins later is no attribute of a search today", async () => {
  const date = today("Asia/Tokyo");
  const cap = { category: "cap" as const, cap_type: "day" as const, cap_price_minor: 900, cap_repeat: true };
  const [now, later] = await seedLots(db.sql, [
    { rules: [hourly(300), cap] },
    { rules: [hourly(300), { ...cap, effective_from: date.add({ days: 1 }).toString() }] },
  ]) as [string, string];
  const slugs = async (lot: string) =>
    (await db.sql<
      { slug: string }[]
    >`select distinct slug from private.derived_attributes(array[${lot}::uuid]) order by 1`)
      .map(({ slug }) => slug);
  assert.deepEqual((await slugs(now)).filter((slug) => slug.includes("max_fee")), ["has_max_fee", "max_fee"]);
  assert.deepEqual((await slugs(later)).filter((slug) => slug.includes("max_fee")), []);
});
