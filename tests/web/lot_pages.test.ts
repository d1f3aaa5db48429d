// web/: the stay that the page of a lot calculates, and the lanes of its week.
import assert from "node:assert/strict";
import { isPossible, lasting, nextHour, queryOf, stayOf, vehicleFrom } from "../../apps/web/src/pages/lot/stay.ts";
import { laneOf } from "../../apps/web/src/pages/lot/week.ts";

const HOUR = { entryAt: "2026-09-01T00:30:00.000Z", exitAt: "2026-09-01T01:30:00.000Z" };
const stay = (query: string) => stayOf(new URLSearchParams(query), HOUR);

Deno.test("stay: without a query it is the one that is given, for a standard vehicle", () => {
  assert.deepEqual(stay(""), { ...HOUR, vehicleType: "standard", vehicle: undefined });
});

Deno.test("stay: an hour begins at the next full five minutes", () => {
  assert.deepEqual(nextHour(new Date("2026-09-01T00:26:01Z")), HOUR);
  assert.deepEqual(nextHour(new Date(HOUR.entryAt)), HOUR);
});

for (
  const [name, entryAt, exitAt, expected] of [
    ["of no length", HOUR.entryAt, HOUR.entryAt, true],
    ["of 366 days", "2026-01-01T00:00:00Z", "2027-01-02T00:00:00Z", true],
    ["of a millisecond more", "2026-01-01T00:00:00Z", "2027-01-02T00:00:00.001Z", false],
    ["that ends before it begins", HOUR.exitAt, HOUR.entryAt, false],
    ["without an end", HOUR.entryAt, "", false],
    ["of words", "now", "later", false],
    ["in the last century", "1999-01-01T00:00:00Z", "1999-01-01T01:00:00Z", false],
    ["in the next century", "2100-01-01T00:00:00Z", "2100-01-01T01:00:00Z", false],
  ] as const
) {
  Deno.test(`stay: one ${name} is ${expected ? "calculated" : "not calculated"}`, () => {
    assert.equal(isPossible({ entryAt, exitAt }), expected);
    const query = new URLSearchParams({ entry_at: entryAt, exit_at: exitAt });
    const { entryAt: used } = stayOf(query, { entryAt: "otherwise", exitAt: "" });
    assert.equal(used, expected ? entryAt : "otherwise");
  });
}

Deno.test("stay: it returns from the query of its address", () => {
  for (
    const vehicle of [undefined, { height_m: 1.55 }, {
      height_m: 2.1,
      width_m: 1.9,
      clearance_cm: 0,
      tire_width_mm: 185,
    }]
  ) {
    const given = { ...lasting(Date.parse(HOUR.entryAt), 24), vehicleType: "large", vehicle };
    const entries = Object.entries(queryOf(given)).filter((entry): entry is [string, string] => entry[1] !== undefined);
    assert.deepEqual(stayOf(new URLSearchParams(entries), HOUR), given);
  }
});

Deno.test("stay: a vehicle has the dimensions that are numbers, and none without any", () => {
  assert.deepEqual(vehicleFrom({ height_m: 2, width_m: "1.8", wheels: 4 }), { height_m: 2 });
  for (const values of [{}, null, undefined, "truck", [1, 2], { height_m: null }]) {
    assert.equal(vehicleFrom(values), undefined, JSON.stringify(values));
  }
  for (const json of ["{", "null", "3", "[]"]) assert.equal(stay(`vehicle=${json}`).vehicle, undefined, json);
});

const day = { starts_at: "2026-09-01T00:00:00+09:00", ends_at: "2026-09-02T00:00:00+09:00" };
const ms = (time: string) => Date.parse(`2026-09-${time}:00+09:00`);
const span = (from: string, to: string, isOpen: boolean | null, canEnter: boolean | null = isOpen) => ({
  from: new Date(ms(from)).toISOString(),
  to: new Date(ms(to)).toISOString(),
  is_open: isOpen,
  can_enter: canEnter,
  can_exit: true,
});
const lane = (spans: ReturnType<typeof span>[], name: "is_open" | "can_enter" | "can_exit" = "is_open") =>
  laneOf({ spans } as unknown as Parameters<typeof laneOf>[0], day as unknown as Parameters<typeof laneOf>[1], name);

Deno.test("week: spans are cut at the ends of the day, and those of other days are left out", () => {
  const spans = [span("01T20:00", "01T23:00", true), span("31T20:00", "31T23:00", true)];
  assert.deepEqual(lane([{ ...spans[0]!, from: "2026-08-31T20:00:00+09:00", to: "2026-09-03T00:00:00+09:00" }]), [
    { from: ms("01T00:00"), to: Date.parse(day.ends_at), state: true },
  ]);
  assert.deepEqual(lane([span("02T00:00", "02T10:00", true)]), []);
});

Deno.test("week: consecutive spans of one state are one, in each lane by itself", () => {
  const spans = [
    span("01T00:00", "01T08:00", false),
    span("01T08:00", "01T12:00", true),
    span("01T12:00", "01T20:00", true, false),
    span("01T20:00", "01T23:00", null, null),
  ];
  assert.deepEqual(lane(spans).map(({ from, to, state }) => [from, to, state]), [
    [ms("01T00:00"), ms("01T08:00"), false],
    [ms("01T08:00"), ms("01T20:00"), true],
    [ms("01T20:00"), ms("01T23:00"), null],
  ]);
  assert.deepEqual(lane(spans, "can_enter").map(({ state }) => state), [false, true, false, null]);
  assert.deepEqual(lane(spans, "can_exit"), [{ from: ms("01T00:00"), to: ms("01T23:00"), state: true }]);
});

Deno.test("week: a day without spans has an empty lane", () => assert.deepEqual(lane([]), []));
