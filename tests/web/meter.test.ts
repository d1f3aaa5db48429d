// apps/web/: the amount that the page shows between two reads of the meter.
import assert from "node:assert/strict";
import { amountAt, nextIncrease, shareOf, wholeStay } from "../../apps/web/src/pages/session/meter_amount.ts";

const at = (minute: number) => new Date(Date.UTC(2026, 10, 25, 1, minute)).toISOString();
const meter = {
  amount: 200,
  currency: "JPY",
  next_increase_at: at(10),
  next_amount: 400,
  cap_reached: false,
  known_until: at(50),
  curve: [{ at: at(10), amount: 400 }, { at: at(40), amount: 600 }, { at: at(50), amount: 600 }],
  notes: [],
  surprises: [],
};

Deno.test("meter: the amount rises after each point of the curve, and stays after its end", () => {
  const amounts = [9, 10, 11, 40, 41, 50, 90].map((minute) => amountAt(meter, Date.parse(at(minute))));
  assert.deepEqual(amounts, [200, 200, 400, 400, 600, 600, 600]);
});

Deno.test("meter: the next increase is the first point that has not passed; the end of the curve is none", () => {
  const next = [0, 10, 11, 41].map((minute) => nextIncrease(meter, Date.parse(at(minute)))?.at);
  assert.deepEqual(next, [at(10), at(10), at(40), undefined].map((time) => time && Date.parse(time)));
});

Deno.test("meter: the whole stay has the steps from the entry, and from the meter's first increase those of the meter", () => {
  const ms = (minute: number) => Date.parse(at(minute));
  const fromEntry = [{ at: ms(-20), amount: 100 }, { at: ms(-5), amount: 200 }, { at: ms(10), amount: 999 }, {
    at: ms(60),
    amount: 999,
  }];
  const { steps, first } = wholeStay(meter, fromEntry, ms(5));
  assert.deepEqual(steps.map(({ amount }) => amount), [100, 200, 400, 600]);
  assert.equal(first, 100);
  // The step that is both the last of the past and the first of the meter is there once.
  assert.deepEqual(wholeStay(meter, fromEntry, ms(20)).steps, steps);
  assert.deepEqual(wholeStay(meter, [], ms(5)).first, 200);
});

Deno.test("meter: the share of a step begins with the step before it or with the stay, and never leaves 0 to 1", () => {
  const steps = [{ at: 100, amount: 1 }, { at: 200, amount: 2 }];
  assert.deepEqual([shareOf(steps, 0, 200, 150), shareOf(steps, 0, 100, 25), shareOf(steps, 0, 200, 900)], [
    0.5,
    0.25,
    1,
  ]);
});
