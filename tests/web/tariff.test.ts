// apps/web/src/console/screens/parking_lots: the price editor, without a page.
import assert from "node:assert/strict";
import {
  changedIn,
  comparedStays,
  curveOf,
  drawnStay,
  type Fee,
  isSame,
  newRule,
  tomorrow,
} from "../../apps/web/src/console/screens/parking_lots/prices/tariff.ts";
import { csvOf } from "../../apps/web/src/console/kit/download.ts";

const ID = "11111111-1111-4111-8111-111111111111";

Deno.test("price editor: what differs from a stored rule, and what does not", () => {
  const stored = newRule("time_band", ID, null);
  assert.deepEqual([...changedIn({ ...stored, price_minor: 330, time_start: "08:00" }, stored)], [
    "time_start",
    "price_minor",
  ]);
  assert.equal(changedIn(stored, undefined).size, 0, "a new rule has nothing to compare with");
  assert.ok(isSame([stored], [{ ...stored }]));
  assert.ok(!isSame([stored], [{ ...stored, cap_repeat: true }]));
  assert.ok(!isSame([stored], [{ ...stored, effective_to: "2026-09-30" }]), "its dates count");
  assert.ok(!isSame([stored], [{ ...stored, max_units: 4 }]), "its units count");
  assert.ok(!isSame([stored, newRule("cap", "2", null)], [newRule("cap", "2", null), stored]), "the order counts");
});

Deno.test("price editor: the compared stays are those of the next day by the clocks of the lot", () => {
  const stays = comparedStays(tomorrow(new Date("2026-11-23T20:00:00Z"), "Asia/Tokyo"), "Asia/Tokyo");
  assert.deepEqual(stays.map(({ name, entry_at, exit_at }) => [name, entry_at, exit_at]), [
    ["one", "2026-11-25T01:00:00.000Z", "2026-11-25T02:00:00.000Z"],
    ["three", "2026-11-25T01:00:00.000Z", "2026-11-25T04:00:00.000Z"],
    ["twelve", "2026-11-24T23:00:00.000Z", "2026-11-25T11:00:00.000Z"],
    ["overnight", "2026-11-25T11:00:00.000Z", "2026-11-25T23:00:00.000Z"],
  ]);
  assert.equal(drawnStay(stays).exit_at, "2026-11-25T23:00:00.000Z");
});

/** A fee of rates of ¥300 for each hour from 08:00, with a maximum of ¥700 for 12 hours. */
function fee(total: number): Fee {
  const rate = { override_date: null, rule_id: "rate", unit_minutes: 60, unit_price: 300 };
  return {
    total_amount: total,
    currency: "JPY",
    breakdown: {
      time_zone: "Asia/Tokyo",
      vehicle_type: "standard",
      notes: [],
      not_applied: [],
      lines: [
        {
          ...rate,
          kind: "rate",
          from: "2026-11-24T08:00:00+09:00",
          to: "2026-11-24T22:00:00+09:00",
          units: 14,
          amount: 4200,
        },
        {
          kind: "cap",
          rule_id: "cap",
          override_date: null,
          from: "2026-11-24T08:00:00+09:00",
          to: "2026-11-24T20:00:00+09:00",
          amount: -2900,
        },
      ],
      caps: [{
        rule_id: "cap",
        override_date: null,
        cap_type: "duration",
        from: "2026-11-24T08:00:00+09:00",
        to: "2026-11-24T20:00:00+09:00",
        cap: 700,
        charged: 700,
        reached_at: "2026-11-24T10:00:00+09:00",
      }],
    },
  } as unknown as Fee;
}

Deno.test("price editor: the curve has the units and the maximum of the service, and is not drawn if its sum differs", () => {
  assert.deepEqual(curveOf(fee(1300), "2026-11-24T08:00:00+09:00"), [[0, 300], [1, 600], [2, 700], [12, 1000], [
    13,
    1300,
  ]]);
  assert.equal(curveOf(fee(1200), "2026-11-24T08:00:00+09:00"), undefined);
});

Deno.test("CSV of the console: cells with commas and quotes are quoted, and no cell is a formula", () => {
  assert.equal(csvOf([["a,b", 'c"d'], ["=1+1", "-5"]]), '"a,b","c""d"\r\n\'=1+1,-5\r\n');
});
