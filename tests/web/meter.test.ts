// apps/web/: the amount that the page shows between two reads of the meter.
import assert from "node:assert/strict";
import { amountAt, nextIncrease } from "../../apps/web/src/pages/session/meter_amount.ts";

const at = (minute: number) => new Date(Date.UTC(2026, 10, 25, 1, minute)).toISOString();
const meter = {
  amount: 200,
  currency: "JPY",
  next_increase_at: at(10),
  next_amount: 400,
  cap_reached: false,
  known_until: at(50),
  curve: [{ at: at(10), amount: 400 }, { at: at(40), amount: 600 }, { at: at(50), amount: 600 }],
};

Deno.test("meter: the amount rises after each point of the curve, and stays after its end", () => {
  const amounts = [9, 10, 11, 40, 41, 50, 90].map((minute) => amountAt(meter, Date.parse(at(minute))));
  assert.deepEqual(amounts, [200, 200, 400, 400, 600, 600, 600]);
});

Deno.test("meter: the next increase is the first point that has not passed; the end of the curve is none", () => {
  const next = [0, 10, 11, 41].map((minute) => nextIncrease(meter, Date.parse(at(minute)))?.at);
  assert.deepEqual(next, [at(10), at(10), at(40), undefined]);
});
