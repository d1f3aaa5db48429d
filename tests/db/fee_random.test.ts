// Random price lists and stays: the database and the naive oracle agree exactly, and what must always hold does.
import assert from "node:assert/strict";
import { inWholeSeconds, naiveFee } from "../oracles/fees.ts";
import { Chance, type RandomStay, randomStay } from "../oracles/random_fees.ts";
import { holidays } from "../support/cases.ts";
import { database } from "../support/database.ts";
import { answers, type FeeAnswer, outcomeOf, type Question, seedLots, stayFees } from "./support/fees.ts";
import { seed, volume } from "../support/sizes.ts";

const SETS = volume("FEE_SETS", 250, 2_000);
const SEED = seed("FEE_SEED", 1);
const BATCH = 250;
const DAY_MS = 86_400_000;

const db = await database();
Deno.test.afterAll(() => db.close());

const chance = new Chance(SEED);
const japanese = holidays("JP");
const stays: RandomStay[] = [];
const questions: Question[] = [];
const results: FeeAnswer[] = [];
for (let done = 0; done < SETS; done += BATCH) {
  const batch = Array.from({ length: Math.min(BATCH, SETS - done) }, () => randomStay(chance));
  const lots = await seedLots(db.sql, batch);
  const args = batch.map(({ entry_at, exit_at }, n) => ({ lot: lots[n]!, entry_at, exit_at }));
  stays.push(...batch);
  questions.push(...args);
  results.push(...await answers(db.sql, args));
}
const priced = await stayFees(db.sql, questions);

/** Compares what was found for each stay with what was expected, and shows the first that differs. */
function assertEach<Found>(found: readonly Found[], expected: readonly Found[]): void {
  assert.equal(found.length, expected.length);
  const n = found.findIndex((one, n) => !equal(one, expected[n]));
  assert.ok(n < 0, JSON.stringify({ found: found[n], expected: expected[n], ...stays[n] }, null, 1));
}

function equal(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The same lots with other stays. */
function moved(change: (stay: RandomStay, question: Question) => Partial<Question>): Question[] {
  return questions.map((question, n) => ({ ...question, ...change(stays[n]!, question) }));
}

function later(time: string, ms: number): string {
  return new Date(Date.parse(time) + ms).toISOString();
}

Deno.test(`random fees: ${SETS} random stays have the oracle's fee or error`, () => {
  const expected = stays.map((stay) => {
    const fee = naiveFee({ ...stay, holidays: japanese });
    return "total" in fee ? [fee.total] : [fee.reason, fee.from === undefined ? undefined : Date.parse(fee.from)];
  });
  const found = results.map(({ total_amount, refusal: error }) =>
    error ? [error.reason, error.from === undefined ? undefined : Date.parse(error.from)] : [total_amount!]
  );
  assertEach(found, expected);
  const known = found.filter((each) => each.length === 1).length;
  assert.ok(known > SETS / 2 && known < SETS, `${known} of ${SETS} are known`);
});

Deno.test("random fees: a search returns the same price as the explained fee", () =>
  assertEach(priced, results.map(outcomeOf)));

Deno.test("stay_fees: many lots priced together have the same fees as alone, also where a plain stay needs no walk", async () => {
  const lots = questions.slice(0, 80).map(({ lot }) => lot);
  let plain = 0;
  for (const { entry_at } of questions.slice(0, 20)) {
    for (const minutes of [20, 60, 180, 600]) {
      const [row] = await db.sql<{ priced: number; plain: number; wrong: string[] }[]>`
        with asked as (select ${entry_at}::text::timestamptz as entry_at, ${entry_at}::text::timestamptz + ${minutes}::integer * interval '1 minute' as exit_at)
        select count(f.amount)::integer as priced,
          (select count(private.plain_fee(t.tariff, t.holidays, (extract(epoch from t.entry_at) * 1000000)::bigint,
              (extract(epoch from t.exit_at) * 1000000)::bigint, 32400000000))::integer
            from (select s.*, a.* from asked a cross join lateral private.stay_tariffs(${lots}::uuid[], 'standard', a.entry_at, a.exit_at) s) t
            where t.is_priced and t.overridden is null and t.time_zone = 'Asia/Tokyo') as plain,
          coalesce(array_agg(f.parking_lot_id) filter (where (f.amount, f.refusal) is distinct from (o.amount, o.refusal)), '{}')
            as wrong
        from asked a
        cross join lateral private.stay_fees(${lots}::uuid[], 'standard', a.entry_at, a.exit_at) f
        cross join lateral private.stay_fees(array[f.parking_lot_id], 'standard', a.entry_at, a.exit_at) o`;
      assert.deepEqual(row!.wrong, [], `${entry_at}, ${minutes} minutes`);
      plain += row!.plain;
    }
  }
  assert.ok(plain > 200, `${plain} stays were plain`);
});

Deno.test("random fees: lots_within_amount keeps every lot at its own fee, and leaves out some at a quarter of it", async () => {
  const rows = await db.sql<{ own: boolean; less: boolean }[]>`
    select q.lot = any (private.lots_within_amount(array[q.lot], 'standard', q.entry_at, q.exit_at, q.amount)) as own,
      q.lot = any (private.lots_within_amount(array[q.lot], 'standard', q.entry_at, q.exit_at, q.amount / 4)) as less
    from jsonb_to_recordset(${
    JSON.stringify(
      questions.map((question, n) => ({ ...question, amount: priced[n] })).filter(({ amount }) =>
        typeof amount === "number" && amount > 0
      ),
    )
  }::text::jsonb) as q (lot uuid, entry_at timestamptz, exit_at timestamptz, amount numeric)`;
  assert.ok(rows.length > SETS / 4);
  assert.deepEqual(rows.filter(({ own }) => !own), []);
  const share = rows.filter(({ less }) => !less).length / rows.length;
  assert.ok(share > 0.1, `only ${share}`);
});

Deno.test("random fees: fifty lots priced together have the same fees as alone", async () => {
  const some = questions.slice(0, 50);
  const { entry_at, exit_at } = some[0]!;
  const alone = await stayFees(db.sql, some.map(({ lot }) => ({ lot, entry_at, exit_at })));
  const together = await db.sql<{ parking_lot_id: string; amount: string | null; refusal: string | null }[]>`
    select parking_lot_id, amount, refusal
    from private.stay_fees(${some.map(({ lot }) => lot)}::uuid[], 'standard', ${entry_at}, ${exit_at})`;
  const byLot = new Map(together.map((row) => [row.parking_lot_id, row.refusal ?? Number(row.amount)]));
  assert.equal(together.length, some.length);
  assert.deepEqual(some.map(({ lot }) => byLot.get(lot)), alone);
});

Deno.test("random fees: the lines sum to the total exactly, and units follow one another without a gap", () => {
  const sums = results.map(({ breakdown }) => breakdown?.lines.reduce((sum, { amount }) => sum + amount, 0));
  assertEach(sums, results.map(({ total_amount }) => total_amount));
  for (const [n, { breakdown }] of results.entries()) {
    const { entry_at, exit_at } = inWholeSeconds(stays[n]!);
    const lines = breakdown?.lines.filter(({ kind }) => kind !== "cap") ?? [];
    for (const [place, line] of lines.entries()) {
      assert.equal(line.amount, line.units! * line.unit_price!);
      assert.equal(Date.parse(line.from), Date.parse(place === 0 ? entry_at : lines[place - 1]!.to));
      assert.ok(Date.parse(line.from) < Date.parse(exit_at));
    }
    const end = lines.at(-1)?.to ?? exit_at;
    if (breakdown) assert.ok(Date.parse(end) >= Date.parse(exit_at));
  }
});

Deno.test("random fees: no window of a cap is charged more than its cap, and a filled one has its time", () => {
  for (const window of results.flatMap(({ breakdown }) => breakdown?.caps ?? [])) {
    assert.ok(window.charged <= window.cap);
    assert.equal(window.reached_at !== null, window.charged === window.cap, JSON.stringify(window));
  }
});

Deno.test("random fees: a stay inside one window of a cap that counts costs no more than the cap", () => {
  let inside = 0;
  for (const [n, { breakdown, total_amount }] of results.entries()) {
    const { entry_at, exit_at, rules } = stays[n]!;
    for (const cap of breakdown?.caps ?? []) {
      const isOfLot = rules.find(({ id }) => id === cap.rule_id)?.category === "cap";
      if (!isOfLot || Date.parse(cap.from) > Date.parse(entry_at) || Date.parse(cap.to) < Date.parse(exit_at)) continue;
      inside++;
      assert.ok(total_amount! <= cap.cap);
    }
  }
  assert.ok(inside > SETS / 20, `only ${inside}`);
});

Deno.test("random fees: a later exit never costs less", async () => {
  const laterOnes = await stayFees(
    db.sql,
    moved(({ exit_at }) => ({ exit_at: later(exit_at, chance.int(1, 40_000) * 1000) })),
  );
  // A flat row without a band lasts to the exit, so it is the same unit whenever that is.
  for (const [n, amount] of laterOnes.entries()) {
    if (typeof amount === "string") continue;
    const before = priced[n]!;
    assert.ok(typeof before === "number" && amount >= before, JSON.stringify({ before, amount, ...stays[n] }, null, 1));
  }
});

Deno.test("random fees: a week later, without holidays, overrides and changes of the clock, the fee is the same", async () => {
  const calm = stays.map(({ date_overrides }, n) => date_overrides.length === 0 ? questions[n]! : null).filter((q) =>
    q !== null
  );
  // The first week of June 2026 and the second: no holiday in Japan, and no clock changes.
  const inWeek = (week: number) =>
    calm.map(({ lot, entry_at, exit_at }) => {
      const shift = Date.UTC(2026, 5, 1 + 7 * week) - Math.floor(Date.parse(entry_at) / DAY_MS) * DAY_MS;
      return { lot, entry_at: later(entry_at, shift), exit_at: later(exit_at, shift) };
    });
  assert.ok(calm.length > SETS / 2);
  assert.deepEqual(await stayFees(db.sql, inWeek(1)), await stayFees(db.sql, inWeek(0)));
});

interface Meter {
  readonly amount?: number;
  readonly next_increase_at?: string | null;
  readonly next_amount?: number | null;
  readonly known_until?: string;
  readonly curve?: readonly { at: string; amount: number }[];
  readonly refusal?: { readonly reason: string };
}

Deno.test("random fees: the meter's amount, its next one and every point of its curve equal the fee of an exit then", async () => {
  const some = questions.slice(0, SETS / 2.5);
  const meters = await Promise.all(some.map(async ({ lot, entry_at, exit_at }) => {
    const [row] = await db.sql<{ meter: Meter }[]>`
      select private.fee_meter(${lot}, 'standard', ${entry_at}, ${exit_at}) as meter`;
    return row!.meter;
  }));
  for (const [n, meter] of meters.entries()) {
    const { lot, entry_at } = some[n]!;
    if (typeof priced[n] === "string") {
      assert.equal(meter.refusal?.reason, priced[n]);
      continue;
    }
    assert.equal(meter.amount, priced[n]);
    const curve = meter.curve!;
    const aSecondMore = 1000 + Date.parse(entry_at) % 1000;
    const exits = [
      ...curve.slice(0, -1).flatMap(({ at }) => [{ at, by: 0 }, { at, by: aSecondMore }]),
      { at: curve.at(-1)!.at, by: 0 },
    ];
    const fees = await stayFees(
      db.sql,
      exits.map(({ at, by }) => ({ lot, entry_at, exit_at: later(at, by) })),
    );
    // What an exit at the moment of an increase costs is still the amount before it.
    const before = [meter.amount!, ...curve.slice(0, -1).map(({ amount }) => amount)];
    const expected = [
      ...curve.slice(0, -1).flatMap(({ amount }, place) => [before[place], amount]),
      curve.at(-1)!.amount,
    ];
    assert.deepEqual(fees, expected, JSON.stringify({ ...stays[n], meter }, null, 1));
    const increases = curve.slice(0, -1);
    assert.equal(meter.next_increase_at ?? undefined, increases[0]?.at);
    assert.equal(meter.next_amount ?? undefined, increases[0]?.amount);
    assert.ok(increases.every(({ amount }, place) => amount > (increases[place - 1]?.amount ?? meter.amount!)));
    assert.equal(curve.at(-1)!.at, meter.known_until);
  }
});
