// Lots that publish only the sums of some stays: bounds between them, by every entry point, and no sums that fall with time.
import assert from "node:assert/strict";
import type { Rule } from "../oracles/fees.ts";
import { database } from "../support/database.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { chance } from "../support/random.ts";
import { type PricedLot, seedLots } from "./support/fees.ts";
import { nearby } from "./support/nearby.ts";
import { askHidden, isMonotone, type Point } from "./support/published_totals.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const total = (per_minutes: number, price_minor: number, more: Partial<Rule> = {}): Partial<Rule> => ({
  category: "published_total",
  per_minutes,
  price_minor,
  ...more,
});
const HOURS = [total(60, 200), total(120, 360), total(240, 680), total(1440, 2720)];
const ENTRY = "2026-09-16T10:00:00+09:00";
const exit = (time: string) => `2026-09-16T${time}+09:00`;

Deno.test("published totals: of random lists a hidden sum is within the bounds, and a shown one is the fee", async () => {
  const random = chance(20_260_916);
  const upTo = (most: number) => random.below(most + 1);
  const lists = Array.from({ length: 400 }, () => {
    const points: Point[] = [];
    let minutes = 0, amount_minor = upTo(3) * 50;
    for (let left = 2 + upTo(7); left > 0; left--) {
      minutes += 1 + upTo(600);
      points.push({ minutes, amount_minor });
      amount_minor += upTo(2) * upTo(500);
    }
    return points;
  });
  assert.ok(lists.every(isMonotone));
  for (const isOddHidden of [true, false]) {
    const { shown, hidden, wrong, bounded } = await askHidden(db.sql, lists, isOddHidden);
    assert.deepEqual(wrong, []);
    assert.ok(shown > 800 && hidden > 800 && bounded > 300, `${shown} shown, ${hidden} hidden, ${bounded} bounded`);
  }
});

Deno.test("published totals: a lower sum of a longer stay cannot be stored, and other sums next to it can", async () => {
  const store = (rules: readonly Partial<Rule>[]) => seedLots(db.sql, [{ rules }]);
  for (const [long, short] of [[total(120, 150), total(60, 200)], [total(60, 150), total(60, 200)]]) {
    const { code, message } = await errorOf(store([long!, short!]));
    assert.equal(code, "validation_error");
    assert.match(message, /published total of \d+ minutes is lower than that of a stay that is not longer/);
  }
  await store([total(60, 200), total(120, 200), total(120, 150, { day_type: "sunday" })]);
  await store([
    total(60, 200, { time_start: "08:00", time_end: "20:00" }),
    total(120, 50, { time_start: "20:00", time_end: "08:00" }),
  ]);
  await store([total(60, 200, { effective_to: "2026-09-30" }), total(120, 50, { effective_from: "2026-10-01" })]);
  const onDate = (pricing: readonly object[]): PricedLot => ({
    rules: HOURS,
    date_overrides: [{ override_date: "2026-12-31", pricing }],
  });
  await seedLots(db.sql, [onDate([total(60, 500), total(120, 900)])]);
  assert.equal(await sqlstate(seedLots(db.sql, [onDate([total(60, 500), total(120, 400)])])), "23514");
});

Deno.test("published totals: a rule without what it needs, or with a cap, cannot be stored", async () => {
  for (
    const wrong of [
      { category: "published_total", price_minor: 1 },
      { category: "published_total", per_minutes: 60 },
      { category: "published_total", per_minutes: 0, price_minor: 1 },
      { category: "published_total", per_minutes: 60, price_minor: 1, cap_type: "day", cap_price_minor: 1 },
    ] as const
  ) {
    assert.equal(await sqlstate(seedLots(db.sql, [{ rules: [wrong] }])), "23514");
  }
});

Deno.test("published totals: the answer of calc-fee has the published duration, and names rules that had no part", async () => {
  const rules = HOURS.map((rule) => ({ ...rule, id: crypto.randomUUID() as string }));
  const rate = { id: crypto.randomUUID() as string, category: "time_band" as const, per_minutes: 60, price_minor: 100 };
  const [lot] = await seedLots(db.sql, [{ rules: [...rules, rate] }]);
  const calc = async (until: string) => {
    const [row] = await db.as({ role: "anon" }, (sql) =>
      sql<{ fee: Record<string, unknown> }[]>`
        select api.calculate_fee(${lot!}, ${ENTRY}, ${until}) as fee`);
    return row!.fee;
  };
  const { total_amount, breakdown, surprises } = await calc(exit("12:00:00"));
  assert.deepEqual([total_amount, surprises], [360, []]);
  const { lines, caps, not_applied } = breakdown as Record<string, unknown>;
  assert.deepEqual([lines, caps], [[{
    kind: "published_total",
    rule_id: rules[1]!.id,
    override_date: null,
    from: ENTRY,
    to: exit("12:00:00"),
    units: 1,
    unit_minutes: 120,
    unit_price: 360,
    amount: 360,
  }], []]);
  const others = [...rules.filter((_, n) => n !== 1), rate].map(({ id }) => ({ rule_id: id, reason: "order" }));
  const byId = (list: readonly { rule_id: string }[]) => list.toSorted((a, b) => a.rule_id < b.rule_id ? -1 : 1);
  assert.deepEqual(byId(not_applied as { rule_id: string }[]), byId(others));
  const { code, details } = await errorOf(calc(exit("12:30:00")));
  assert.equal(code, "fee_unknown");
  assert.deepEqual(details, { reason: "only_totals", at_least: 360, at_most: 680, currency: "JPY" });
});

Deno.test("published totals: nearby orders, compares and filters by what the fee is at most; search has the same bounds", async () => {
  const [between, cheap, dear, long, hour] = await seedLots(db.sql, [
    { rules: HOURS },
    { rules: [{ category: "time_band", per_minutes: 60, price_minor: 200 }] },
    { rules: [{ category: "time_band", per_minutes: 60, price_minor: 300 }] },
    { rules: [total(60, 100)] },
    { rules: [total(150, 500)] },
  ]);
  const ids = [between!, cheap!, dear!, long!, hour!];
  await db.sql`
    update public.parking_lots l set lat = -40.5 + p.place * 0.0001, lng = 170.5
    from unnest(${ids}::uuid[]) with ordinality as p (id, place) where l.id = p.id`;
  const filters = { entry_at: ENTRY, exit_at: exit("12:30:00") };
  const here = { lat: -40.5, lng: 170.5, radius_m: 1000 };
  await db.as({ role: "anon" }, async (sql) => {
    const found = await nearby(sql, { ...here, filters, sort: "price" });
    // At most 680, 600, 900, at least 100 without an upper bound, and 500.
    assert.deepEqual(found.map(({ id }) => id), [hour, cheap, between, dear, long]);
    assert.deepEqual(found.map(({ estimated_fee }) => estimated_fee), [500, 600, null, 900, null]);
    assert.deepEqual(found.map(({ fee_refusal }) => fee_refusal), [
      null,
      null,
      { code: "fee_unknown", reason: "only_totals", at_least: 360, at_most: 680, currency: "JPY" },
      null,
      { code: "fee_unknown", reason: "only_totals", at_least: 100, currency: "JPY" },
    ]);
    assert.deepEqual(found.map(({ ranking_components: { price } }) => price), [100, 75, 55, 0, 0]);
    assert.deepEqual(found.map(({ effective_cost }) => effective_cost === null), [false, false, true, false, true]);
    const within = async (max_price: number, more = {}) =>
      (await nearby(sql, { ...here, filters: { ...filters, max_price, ...more }, sort: "price" })).map((
        { id, fee_refusal },
      ) => [id, fee_refusal?.at_most]);
    assert.deepEqual(await within(679), [[hour, undefined], [cheap, undefined]]);
    assert.deepEqual(await within(680), [[hour, undefined], [cheap, undefined], [between, 680]]);
    assert.deepEqual(await within(100_000), [
      [hour, undefined],
      [cheap, undefined],
      [between, 680],
      [dear, undefined],
    ]);
    const known = await within(100_000, { without_surprises: true });
    assert.deepEqual(known.map(([id]) => id), [hour, cheap, dear]);
    const [row] = await sql<
      { page: { items: { id: string; fee_refusal: unknown; estimated_fee: number | null }[] } }[]
    >`
      select api.search_parking_lots('{}', null, ${ids}, 10, p_entry_at => ${ENTRY}, p_exit_at => ${filters.exit_at}) as page`;
    const bySearch = new Map(row!.page.items.map((item) => [item.id, item]));
    for (const { id, fee_refusal, estimated_fee } of found) {
      assert.deepEqual(bySearch.get(id)!.fee_refusal, fee_refusal);
      assert.equal(bySearch.get(id)!.estimated_fee, estimated_fee);
    }
  });
  const prices = await db.sql`select id, hour_price from public.parking_lots where id = any (${ids})`;
  const hourPrice = new Map(prices.map((row) => [row["id"], row["hour_price"]]));
  assert.deepEqual(ids.map((id) => hourPrice.get(id)), [200, 200, 300, 100, null]);
});

Deno.test("published totals: the meter knows what is due up to the published stay, and otherwise the bounds", async () => {
  const [lot] = await seedLots(db.sql, [{
    rules: [...HOURS, total(180, 680), { category: "grace", per_minutes: 15 }],
  }]);
  const meter = async (now: string) => {
    const [row] = await db.sql<{ meter: Record<string, unknown> }[]>`
      select private.fee_meter(${lot!}, 'standard', ${ENTRY}, ${now}) as meter`;
    return row!.meter;
  };
  const known = async (now: string) => {
    const { amount, next_increase_at, known_until, curve } = await meter(now);
    return [amount, next_increase_at, known_until, curve];
  };
  assert.deepEqual(await known(exit("10:05:00")), [0, null, exit("10:15:00"), [{ at: exit("10:15:00"), amount: 0 }]]);
  assert.deepEqual(await known(exit("13:20:00")), [680, null, exit("14:00:00"), [{
    at: exit("14:00:00"),
    amount: 680,
  }]]);
  assert.deepEqual((await meter(exit("11:30:00")))["refusal"], {
    code: "fee_unknown",
    reason: "only_totals",
    at_least: 200,
    at_most: 360,
    currency: "JPY",
  });
});
