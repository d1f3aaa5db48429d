// `<parking-map>` without a page: the stay of its attributes, what a lot shows, which pins have room, and its requests a minute.
import assert from "node:assert/strict";
import {
  AttributeError,
  distance,
  isOpen,
  type NearbyLot,
  numberOf,
  placed,
  reasonsOf,
  RequestBudget,
  statesOf,
  stayOf,
  walkMinutes,
} from "../../client/src/map_lots.ts";
import { mapLanguage, mapTexts, money, stayText } from "../../client/src/map_texts.ts";

const NOW = Date.parse("2026-12-01T01:02:00Z");

const OPEN = {
  is_open_at_entry: true,
  can_enter_at: true,
  can_exit_at: true,
  locked_in: false,
  next_exit_at: null,
  holiday_calendar_unknown: false,
};

/** A lot that can be used for 300 yen. */
function aLot(id: string, fields: Partial<NearbyLot> = {}): NearbyLot {
  return {
    id,
    currency: "JPY",
    estimated_fee: 300,
    usable_for_stay: true,
    unusable_reasons: [],
    planned_stay: { entry_at: "2026-12-01T01:05:00Z", exit_at: "2026-12-01T02:05:00Z", ...OPEN },
    ...fields,
  } as NearbyLot;
}

const unusable = (reason: string) => ({ usable_for_stay: false, unusable_reasons: [reason] });

Deno.test("parking map: without attributes the stay is an hour from the next five minutes on", () => {
  const stay = { entry_at: "2026-12-01T01:05:00.000Z", exit_at: "2026-12-01T02:05:00.000Z" };
  assert.deepEqual(stayOf(null, null, NOW), stay);
  assert.deepEqual(stayOf("", " ", NOW), stay);
});

Deno.test("parking map: an entry without an offset is by the clocks of Japan, and hours can have a fraction", () => {
  const stay = { entry_at: "2026-12-02T01:00:00.000Z", exit_at: "2026-12-02T03:30:00.000Z" };
  assert.deepEqual(stayOf("2026-12-02T10:00", "2.5", NOW), stay);
  assert.deepEqual(stayOf("2026-12-02T01:00:00Z", "2.5", NOW), stay);
  assert.deepEqual(stayOf("2026-12-02T02:00:00+01:00", "2.5", NOW), stay);
});

Deno.test("parking map: an attribute with a wrong value is an error that names it", () => {
  const errors: [name: string, act: () => unknown][] = [
    ["entry", () => stayOf("tomorrow", null, NOW)],
    ["entry", () => stayOf("2026-13-02T10:00", null, NOW)],
    ["entry", () => stayOf("2026-12-02", null, NOW)],
    ["hours", () => stayOf(null, "0", NOW)],
    ["hours", () => stayOf(null, "745", NOW)],
    ["hours", () => stayOf(null, "two", NOW)],
    ["lat", () => numberOf("lat", "91", -85, 85)],
  ];
  for (const [attribute, act] of errors) {
    assert.throws(act, (error) => error instanceof AttributeError && error.attribute === attribute);
  }
});

Deno.test("parking map: a lot that cannot be used is never the best one, however cheap it is", () => {
  const closed = { planned_stay: { ...aLot("").planned_stay!, can_exit_at: false } };
  const unknownHours = { planned_stay: { ...aLot("").planned_stay!, can_enter_at: null }, usable_for_stay: null };
  const lots = [
    aLot("dear", { estimated_fee: 900 }),
    aLot("best"),
    aLot("full", { estimated_fee: 100, ...unusable("full") }),
    aLot("closed", { estimated_fee: 100, ...closed, usable_for_stay: null }),
    aLot("unknown hours", { estimated_fee: 200, ...unknownHours }),
    aLot("no price", { estimated_fee: null }),
    aLot("euros", { estimated_fee: 2, currency: "EUR" }),
  ];
  assert.deepEqual(Object.fromEntries(statesOf(lots)), {
    "dear": "usable",
    "best": "best",
    "full": "unusable",
    "closed": "unusable",
    "unknown hours": "usable",
    "no price": "unknown",
    "euros": "usable",
  });
  assert.deepEqual(lots.filter(isOpen).map(({ id }) => id), ["dear", "best", "no price", "euros"]);
  assert.deepEqual(lots.slice(2, 4).map(reasonsOf), [["full"], ["closed_at_exit"]]);
});

Deno.test("parking map: the walk is counted as the service counts it", () => {
  const metres = distance({ lat: 35.6812, lng: 139.7671 }, { lat: 35.682811, lng: 139.764258 });
  // The example of the contract.
  assert.ok(Math.abs(metres - 313.02) < 0.05, `${metres}`);
  assert.equal(walkMinutes(313.02), 4);
});

Deno.test("parking map: so many requests are sent in a minute, and none before Retry-After has passed", () => {
  const budget = new RequestBudget(3, 60_000);
  for (const now of [0, 1_000, 2_000]) {
    assert.equal(budget.wait(now), 0);
    budget.take(now);
  }
  assert.equal(budget.wait(2_000), 58_000);
  assert.equal(budget.wait(60_001), 0);
  budget.take(60_001);
  assert.equal(budget.wait(60_001), 999);
  budget.close(30, 60_001);
  assert.equal(budget.wait(62_001), 28_000);
  assert.equal(budget.wait(90_001), 0);
});

Deno.test("parking map: a pin that covers an earlier one, or is cut at the edge, has no room", () => {
  const box = (left: number, top: number) => ({ left, top, right: left + 60, bottom: top + 44 });
  const boxes = [box(10, 10), box(69, 10), box(70, 10), box(-1, 100), box(10, 54), box(100, 280)];
  assert.deepEqual([...placed(boxes, { width: 300, height: 300 })], [0, 2, 4]);
});

Deno.test("parking map: texts are in Japanese or English, amounts in their currency, times by the clocks of Japan", () => {
  assert.deepEqual(["ja", "ja-JP", "JA", "en", "de", "jav"].map(mapLanguage), ["ja", "ja", "ja", "en", "en", "en"]);
  assert.deepEqual(Object.keys(mapTexts.ja.reasons), Object.keys(mapTexts.en.reasons));
  assert.equal(money(1200, "JPY", "ja"), "¥1,200");
  assert.equal(money(1250, "EUR", "en"), "€12.50");
  assert.equal(stayText("2026-12-02T01:00:00Z", "2026-12-02T03:00:00Z", "ja"), "12月2日(水) 10:00 – 12:00");
  assert.equal(stayText("2026-12-02T09:00:00Z", "2026-12-02T23:00:00Z", "en"), "Wed 2 Dec 18:00 – Thu 3 Dec 08:00");
});
