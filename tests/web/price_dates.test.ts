// apps/web/: which prices of a lot apply on a date, and when they change.
import assert from "node:assert/strict";
import { changesAfter, rulesOn, today } from "../../apps/web/src/pages/lot/price_dates.ts";

const old = { id: "old", effective_from: null, effective_to: "2026-09-30" };
const next = { id: "next", effective_from: "2026-10-01", effective_to: null };
const always = { id: "always", effective_from: null, effective_to: null };

Deno.test("price dates: both dates of a rule are included", () => {
  const on = (date: string) => rulesOn([old, next, always], date).map(({ id }) => id);
  assert.deepEqual(on("2026-09-30"), ["old", "always"]);
  assert.deepEqual(on("2026-10-01"), ["next", "always"]);
});

Deno.test("price dates: a change is the first date of a rule, or the day after its last one, once and in order", () => {
  assert.deepEqual(changesAfter([old, next, always], "2026-06-01"), ["2026-10-01"]);
  assert.deepEqual(changesAfter([{ ...old, effective_to: "2026-10-31" }, next], "2026-06-01"), [
    "2026-10-01",
    "2026-11-01",
  ]);
  assert.deepEqual(changesAfter([old, next, always], "2026-10-01"), []);
});

Deno.test("price dates: today is that of the lot's zone", () => {
  const dates = ["Pacific/Kiritimati", "Pacific/Pago_Pago"].map(today);
  assert.ok(dates[0]! > dates[1]!, "25 hours apart");
});
