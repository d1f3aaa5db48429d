// Long stays: days that repeat are not walked again, and nobody can tell from the answer.
//   FEE_LONG=2000 FEE_SEED=7 deno task test -- tests/db/fee_long.test.ts
import assert from "node:assert/strict";
import { naiveFee } from "../oracles/fees.ts";
import { Chance, randomStay } from "../oracles/random_fees.ts";
import { holidays } from "../support/cases.ts";
import { database } from "../support/database.ts";
import { answers, outcomeOf, plantLots, stayFees } from "./support/fees.ts";

const STAYS = Number(Deno.env.get("FEE_LONG") ?? 150);
/** The oracle counts single units: a stay of twenty days takes it no time, one of a year minutes. */
const ORACLES = Math.ceil(STAYS / 3);
const DAY_S = 86_400;

const db = await database();
Deno.test.afterAll(() => db.close());

const chance = new Chance(Number(Deno.env.get("FEE_SEED") ?? 1));
const stays = Array.from({ length: STAYS }, (_, n) => {
  const stay = randomStay(chance);
  const seconds = chance.int(10 * DAY_S, n < ORACLES ? 20 * DAY_S : chance.pick(40, 120, 366) * DAY_S);
  const at = (second: number) => new Date(Date.parse(stay.entry_at) + second * 1000).toISOString();
  // Overridden dates anywhere in the stay, so that days are between them that repeat.
  const date_overrides = stay.date_overrides.map(({ pricing }) => ({
    override_date: at(chance.int(0, seconds)).slice(0, 10),
    pricing,
  }));
  return { ...stay, date_overrides, exit_at: at(seconds) };
});
const lots = await plantLots(db.sql, stays);
const questions = stays.map(({ entry_at, exit_at }, n) => ({ lot: lots[n]!, entry_at, exit_at }));
const told = await answers(db.sql, questions);

Deno.test(`${ORACLES} random stays of ten days and more cost what the oracle says, or are refused where it says`, () => {
  const japanese = holidays("JP");
  for (const [n, { total_amount, refusal }] of told.slice(0, ORACLES).entries()) {
    const fee = naiveFee({ ...stays[n]!, holidays: japanese });
    const expected = "total" in fee ? fee.total : [fee.reason, fee.from === undefined ? null : Date.parse(fee.from)];
    const found = refusal
      ? [refusal.reason, refusal.from === undefined ? null : Date.parse(refusal.from)]
      : total_amount;
    assert.deepEqual(found, expected, JSON.stringify(stays[n]));
  }
  const known = told.filter(({ refusal }) => refusal === undefined).length;
  assert.ok(known > STAYS / 2 && known < STAYS, `${known} of ${STAYS} are known`);
});

Deno.test("of a long stay the amount alone is that of the explained fee", async () => {
  assert.deepEqual(await stayFees(db.sql, questions), told.map(outcomeOf));
});

Deno.test("with every day walked the breakdown is the same to the byte", async () => {
  await db.sql.begin(async (sql) => {
    await sql.unsafe(`create or replace function private.repeats_from(p_tariff private.tariff, p_entry bigint)
      returns bigint language plpgsql immutable as $$ begin return null; end $$`);
    for (const [n, walked] of (await answers(sql, questions)).entries()) {
      assert.equal(JSON.stringify(told[n]), JSON.stringify(walked), JSON.stringify(stays[n]));
    }
  });
});
