// apps/web/: what the pages of a lot and of a session read from a curve of fees, and the links of the way there.
import assert from "node:assert/strict";
import { adviceOf, cheaperFrom, plateauOf } from "../../apps/web/src/ui/cheaper.ts";
import { routesTo } from "../../apps/web/src/pages/lot/routes.ts";
import { amountOf, amountTicks, pathOf, thatFit } from "../../apps/web/src/ui/step_path.ts";

const MINUTE = 60_000;
/** Points at minutes from the entry. */
const points = (...given: [minute: number, amount: number][]) =>
  given.map(([minute, amount]) => ({ at: minute * MINUTE, amount }));
const advice = (given: ReturnType<typeof points>, exit: number) => {
  const found = adviceOf(given, 0, exit * MINUTE);
  return found && [found.kind, found.at / MINUTE, found.saved];
};

const HALF_HOURS = points([0, 300], [30, 600], [60, 900], [90, 1200], [120, 1500], [1440, 1500]);

Deno.test("advice: a step that has just begun is worth leaving earlier; one that is used up is not", () => {
  assert.deepEqual(advice(HALF_HOURS, 65), ["leave", 60, 300]);
  assert.equal(advice(HALF_HOURS, 90), undefined);
});

Deno.test("advice: under a maximum the stay can be longer for the same fee", () => {
  assert.deepEqual(advice(HALF_HOURS, 300), ["stay", 1440, 0]);
});

Deno.test("advice: none outside the curve, without a curve and for no stay", () => {
  assert.equal(advice(HALF_HOURS, 2000), undefined);
  assert.equal(advice(points(), 60), undefined);
  assert.equal(advice(HALF_HOURS, 0), undefined);
});

Deno.test("cheaper: the first unit that costs less for each minute, of two at least", () => {
  const night = points([0, 300], [30, 600], [60, 800], [90, 1000], [120, 1200], [150, 1200]);
  assert.deepEqual(cheaperFrom(night, 0), { at: 60 * MINUTE, amount: 200, minutes: 30 });
  assert.equal(cheaperFrom(night, 100 * MINUTE), undefined);
  assert.equal(cheaperFrom(HALF_HOURS, 0), undefined);
  // A meter without its past begins in the middle of the stay.
  assert.equal(cheaperFrom(HALF_HOURS.slice(1), 0, 300), undefined);
});

Deno.test("maximum: the amount that stays for hours, until it rises again or the curve ends", () => {
  assert.deepEqual(plateauOf(HALF_HOURS, 0), { amount: 1500, until: 1440 * MINUTE });
  assert.equal(plateauOf(points([0, 300], [60, 600], [120, 900], [150, 900]), 0), undefined);
});

Deno.test("steps: a step is due after its time, in the amount and in the drawing", () => {
  const steps = points([0, 300], [30, 600]);
  assert.deepEqual([0, 30, 31].map((minute) => amountOf(steps, 100, minute * MINUTE)), [100, 300, 600]);
  const path = pathOf(steps, 100, 0, 60 * MINUTE, (time) => time / MINUTE, (amount) => -amount);
  assert.equal(path, "M0 -100H0V-300H30V-600H60");
});

Deno.test("ticks: round amounts up to the greatest, and times that do not touch", () => {
  assert.deepEqual([0, 170, 900, 2300, 5000].map(amountTicks), [
    [0],
    [0, 100, 200],
    [0, 500, 1000],
    [0, 1000, 2000, 3000],
    [0, 2000, 4000, 6000],
  ]);
  assert.deepEqual(thatFit([0, 100, 10, 50], (time) => time, 40), [0, 100, 50]);
});

Deno.test("routes: names with markup and symbols stay in their place", () => {
  const { device, google, apple } = routesTo(35.5, -139.25, `A&B "1" <b>(東)`);
  assert.equal(device, "geo:35.5,-139.25?q=35.5,-139.25(A%26B%20%221%22%20%3Cb%3E(%E6%9D%B1))");
  assert.equal(new URL(google).searchParams.get("destination"), "35.5,-139.25");
  assert.equal(new URL(apple).searchParams.get("daddr"), "35.5,-139.25");
});
