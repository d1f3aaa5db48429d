import assert from "node:assert/strict";
import { HoursOracle, type LotHours } from "../oracles/hours.ts";
import { database } from "../support/database.ts";
import { addLots } from "../support/hours.ts";

interface Case extends Omit<LotHours, "date_overrides"> {
  id: string;
  why: string;
  at: string;
  date_overrides?: LotHours["date_overrides"];
  expect: { is_open: boolean | null; can_enter: boolean | null; can_exit: boolean | null };
}

const read = async (name: string) => JSON.parse(await Deno.readTextFile(new URL(`../cases/${name}`, import.meta.url)));
const cases: Case[] = await read("hours-cases.json");
const holidays = new Set(Object.keys((await read("holidays.json")).JP));

const db = await database();
Deno.test.afterAll(() => db.close());

const lots = cases.map((example) => ({ ...example, date_overrides: example.date_overrides ?? [] }));
const ids = await addLots(db.sql, lots);

for (const [n, example] of cases.entries()) {
  Deno.test(`hours: worked example ${example.id}: ${example.why}`, async () => {
    const rows = await db.sql`
      select is_open, can_enter, can_exit from private.hours_at(${[ids[n]!]}, ${example.at})`;
    assert.deepEqual([...rows], [example.expect]);
  });
}

Deno.test("hours: the oracle agrees with the worked examples", () => {
  for (const lot of lots) {
    assert.deepEqual(new HoursOracle(lot, holidays).answers(Date.parse(lot.at)), lot.expect, lot.id);
  }
});
