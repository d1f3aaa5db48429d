// web/: finding a lot: the stay, a sentence, usable lots first, and the heights of the sheet.
import assert from "node:assert/strict";
import type { components } from "parking-lot-client";
import type { Lot } from "../../apps/web/src/pages/map/lots.ts";
import { isPossibleStay, radiusFor, withEntry } from "../../apps/web/src/pages/map/search.ts";
import { sentenceOf } from "../../apps/web/src/pages/map/sentence_values.ts";
import { levelOf } from "../../apps/web/src/pages/map/sheet_level.ts";
import { byUse, reasonCounts } from "../../apps/web/src/pages/map/usability.ts";

const TOKYO = "Asia/Tokyo";
const STAY = { entry: "2026-09-01T19:00", exit: "2026-09-01T22:00" };

Deno.test("stay: another entry keeps the length, also after the old exit and over midnight", () => {
  assert.deepEqual(withEntry(STAY, "2026-09-01T22:30", TOKYO), { entry: "2026-09-01T22:30", exit: "2026-09-02T01:30" });
  assert.deepEqual(withEntry(STAY, "2026-08-31T08:00", TOKYO), { entry: "2026-08-31T08:00", exit: "2026-08-31T11:00" });
  assert.deepEqual(withEntry(STAY, "", TOKYO), STAY);
});

Deno.test("stay: an exit that is not after the entry, or more than 366 days later, is not searched", () => {
  assert.ok(isPossibleStay(STAY, TOKYO));
  for (const exit of ["2026-09-01T19:00", "2026-09-01T18:59", "2027-09-02T19:01", ""]) {
    assert.ok(!isPossibleStay({ ...STAY, exit }, TOKYO), exit);
  }
});

Deno.test("place: a circle that covers it, at least the usual one", () => {
  assert.deepEqual([0, 500, 1001, 5000, 40_000].map(radiusFor), [1000, 1000, 2000, 5000, 20_000]);
});

type Answer = components["schemas"]["AiSearchAnswer"];
const ANSWER: Answer = {
  location: null,
  entry_at: null,
  exit_at: null,
  max_price: null,
  radius_m: null,
  filters: [],
  confidence: 0.9,
  query: { v: 1 },
  nearby: null,
  assumptions: [],
  unresolved: [],
  parser: "rules",
  model: null,
};

Deno.test("sentence: it has no place and no time that it does not name", () => {
  const query = {
    v: 1 as const,
    vehicle: { height_m: 2.1 },
    center: { lat: 35, lng: 139, placeName: "the old place" },
  };
  const { values, hasPlace } = sentenceOf("van 2.1 m", { ...ANSWER, query }, TOKYO);
  assert.equal(hasPlace, false);
  assert.deepEqual(values, { height_m: "2.1" });
});

Deno.test("sentence: place, stay and price that it names are the search; an entry alone is for an hour", () => {
  const answer: Answer = {
    ...ANSWER,
    location: { name: "Tokyo Station", lat: 35.68, lng: 139.77, source: "places" },
    entry_at: "2026-09-01T13:30:00Z",
    exit_at: "2026-09-01T16:30:00Z",
    max_price: 1000,
    query: { v: 1, price_max: 1000, sort: "price" },
  };
  const expected = { lat: "35.68", lng: "139.77", place: "Tokyo Station", max_price: "1000", sort: "price" };
  assert.deepEqual(sentenceOf("", answer, TOKYO), {
    text: "",
    values: { ...expected, entry: "2026-09-01T22:30", exit: "2026-09-02T01:30" },
    hasPlace: true,
    assumptions: [],
    unresolved: [],
  });
  assert.equal(sentenceOf("", { ...answer, exit_at: null }, TOKYO).values["exit"], "2026-09-01T23:30");
  assert.equal(sentenceOf("", answer, "Europe/Zurich").values["entry"], "2026-09-01T15:30");
});

const lot = (id: string, usable_for_stay: boolean | null | undefined, ...unusable_reasons: string[]) =>
  ({ id, usable_for_stay, unusable_reasons }) as unknown as Lot;

Deno.test("list: unusable lots are apart with the counts of their reasons, unknown ones are not, and the order stays", () => {
  const lots = [
    lot("a", false, "full"),
    lot("b", null),
    lot("c", true),
    lot("d", undefined),
    lot("e", false, "closed_at_exit", "full"),
    lot("f", false, "closed_at_exit"),
  ];
  const { usable, unusable } = byUse(lots);
  assert.deepEqual(usable.map(({ id }) => id), ["b", "c", "d"]);
  assert.deepEqual(unusable.map(({ id }) => id), ["a", "e", "f"]);
  assert.deepEqual(reasonCounts(unusable), [["closed_at_exit", 2], ["full", 1]]);
});

Deno.test("sheet: it goes to the nearest height, and a flick goes on to the next", () => {
  const heights = { low: 200, half: 400, full: 600 };
  assert.equal(levelOf(290, heights, 0), "low");
  assert.equal(levelOf(310, heights, 0), "half");
  assert.equal(levelOf(210, heights, 1), "half");
  assert.equal(levelOf(590, heights, -1), "half");
  assert.equal(levelOf(190, heights, -1), "low");
});
