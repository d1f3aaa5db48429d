// web/: the search that an address of the map page names, and the view of the map.
import assert from "node:assert/strict";
import {
  fieldsOf,
  hasOtherClocks,
  isOf,
  RADII,
  searchOf,
  SORTS,
  stayFromNow,
  stayOvernight,
  viewOf,
  viewText,
} from "../../apps/web/src/pages/map/search.ts";

const STAY = { entry_at: "2026-09-01T00:30:00.000Z", exit_at: "2026-09-01T01:30:00.000Z" };
const START = { lat: 35.6812, lng: 139.7671 };
const TOKYO = "Asia/Tokyo";
const ZURICH = "Europe/Zurich";
const search = (values: Record<string, string>, timeZone = TOKYO) => searchOf(values, STAY, START, timeZone);
/** The moment of a time of day in Japan. */
const at = (time: string) => Date.parse(`${time}+09:00`);

Deno.test("search: an empty address is the start, an hour and the usual radius and order", () => {
  assert.deepEqual(search({}), {
    ...START,
    radius: 1000,
    sort: "recommended",
    stay: { ...STAY, vehicle_type: "standard" },
    values: {},
  });
});

Deno.test("search: each value of the address is used", () => {
  const values = {
    lat: "-33.5",
    lng: "0",
    radius: "300",
    sort: "price",
    entry: "2026-12-31T23:00",
    exit: "2027-01-01T01:00",
    vehicle_type: "large",
    keywords: "駅",
  };
  assert.deepEqual(search(values), {
    lat: -33.5,
    lng: 0,
    radius: 300,
    sort: "price",
    stay: { entry_at: "2026-12-31T14:00:00.000Z", exit_at: "2026-12-31T16:00:00.000Z", vehicle_type: "large" },
    values,
  });
});

for (
  const [name, values] of Object.entries({
    "a latitude beyond the pole": { lat: "90.1" },
    "a longitude beyond 180": { lng: "-180.5" },
    "a latitude that is a word": { lat: "north" },
    "a latitude of white space": { lat: " " },
    "a radius of nothing": { radius: "0" },
    "a radius beyond the contract": { radius: "50001" },
    "an order that does not exist": { sort: "newest" },
    "an entry without an exit": { entry: "2026-09-01T08:00" },
    "an exit without an entry": { exit: "2026-09-01T08:00" },
    "a stay with seconds": { entry: "2026-09-01T08:00:00", exit: "2026-09-01T09:00:00" },
    "a day that does not exist": { entry: "2026-13-01T08:00", exit: "2026-13-01T09:00" },
    "a thirtieth of February": { entry: "2026-02-30T08:00", exit: "2026-02-30T09:00" },
    "an empty type of vehicle": { vehicle_type: "" },
  })
) {
  Deno.test(`search: ${name} is as if it were not there`, () => {
    const { values: _, ...found } = search(values);
    const { values: __, ...otherwise } = search({});
    assert.deepEqual(found, otherwise);
  });
}

Deno.test("search: every radius and order that the page offers is kept", () => {
  assert.deepEqual(RADII.map((radius) => search({ radius: String(radius) }).radius), [...RADII]);
  assert.deepEqual(SORTS.map((sort) => search({ sort }).sort), [...SORTS]);
});

Deno.test("search: the values of a search are the same search again", () => {
  const first = search({
    lat: "35.1",
    lng: "139.2",
    radius: "500",
    entry: "2026-09-02T08:00",
    exit: "2026-09-02T20:00",
  });
  const other = { entry_at: "2020-01-01T00:00:00.000Z", exit_at: "2020-01-01T01:00:00.000Z" };
  assert.deepEqual(searchOf(first.values, other, START, TOKYO), first);
});

Deno.test("search: typed times are those of the clocks of the zone; an hour from now on is the same by all clocks", () => {
  const typed = { entry: "2026-12-02T10:00", exit: "2026-12-02T12:00" };
  const inZurich = search(typed, ZURICH);
  assert.deepEqual(inZurich.stay, {
    entry_at: "2026-12-02T09:00:00.000Z",
    exit_at: "2026-12-02T11:00:00.000Z",
    vehicle_type: "standard",
  });
  assert.equal(search(typed, "Europe/London").stay.entry_at, "2026-12-02T10:00:00.000Z");
  assert.deepEqual(search({}, ZURICH), search({}, TOKYO));
  assert.deepEqual([ZURICH, "Europe/Berlin", TOKYO].map((zone) => isOf(inZurich, zone)), [true, true, false]);
  assert.ok(isOf(search({}, ZURICH), TOKYO));
  assert.deepEqual(fieldsOf(inZurich.stay, ZURICH), typed);
});

Deno.test("search: a time that the clocks leave out is a later one", () => {
  const { stay } = search({ entry: "2027-03-28T02:30", exit: "2027-03-28T05:00" }, ZURICH);
  assert.deepEqual(fieldsOf(stay, ZURICH), { entry: "2027-03-28T03:30", exit: "2027-03-28T05:00" });
});

Deno.test("search: the zone is named where its clocks are not those of the reader", () => {
  assert.ok(hasOtherClocks(STAY, ZURICH, TOKYO));
  assert.ok(!hasOtherClocks(STAY, ZURICH, "Europe/Berlin"));
  assert.ok(!hasOtherClocks(STAY, "Japan", TOKYO));
  // Both have the same time in winter alone.
  const winter = { entry_at: "2026-12-01T00:30:00.000Z", exit_at: "2026-12-01T01:30:00.000Z" };
  assert.deepEqual([winter, STAY].map((times) => hasOtherClocks(times, "Europe/London", "UTC")), [false, true]);
});

for (
  const [now, entry, exit] of [
    ["2026-09-01T09:26:01", "2026-09-01T09:30", "2026-09-01T10:30"],
    ["2026-09-01T09:30:00", "2026-09-01T09:30", "2026-09-01T10:30"],
    ["2026-12-31T23:58:00", "2027-01-01T00:00", "2027-01-01T01:00"],
  ] as const
) {
  Deno.test(`stay of an hour at ${now}: from ${entry}, the next full five minutes`, () => {
    assert.deepEqual(stayFromNow(60, TOKYO, at(now)), { entry, exit });
  });
}

for (
  const [now, entry, exit] of [
    ["2026-09-01T00:10:00", "2026-09-01T18:00", "2026-09-02T08:00"],
    ["2026-09-01T12:00:00", "2026-09-01T18:00", "2026-09-02T08:00"],
    ["2026-09-01T21:12:00", "2026-09-01T21:15", "2026-09-02T08:00"],
    ["2026-09-01T23:58:00", "2026-09-02T00:00", "2026-09-02T08:00"],
    ["2026-12-31T20:00:00", "2026-12-31T20:00", "2027-01-01T08:00"],
  ] as const
) {
  Deno.test(`stay overnight at ${now}: from ${entry} to ${exit}`, () => {
    assert.deepEqual(stayOvernight(TOKYO, at(now)), { entry, exit });
  });
}

for (
  const [now, zone, entry, exit] of [
    // Its evening is tomorrow in Japan.
    ["2026-12-02T12:00:00Z", ZURICH, "2026-12-02T18:00", "2026-12-03T08:00"],
    ["2026-12-02T23:30:00Z", ZURICH, "2026-12-03T18:00", "2026-12-04T08:00"],
    ["2026-12-02T23:30:00Z", "America/New_York", "2026-12-02T18:30", "2026-12-03T08:00"],
    // A day of 25 hours, and one of 23.
    ["2026-10-24T22:10:00Z", ZURICH, "2026-10-25T18:00", "2026-10-26T08:00"],
    ["2027-03-27T23:10:00Z", ZURICH, "2027-03-28T18:00", "2027-03-29T08:00"],
  ] as const
) {
  Deno.test(`stay overnight at ${now} in ${zone}: from ${entry} to ${exit}`, () => {
    assert.deepEqual(stayOvernight(zone, Date.parse(now)), { entry, exit });
  });
}

Deno.test("view of the map: a position returns from its text", () => {
  for (const position of [{ lng: 139.7671, lat: 35.6812, zoom: 14 }, { lng: -180, lat: -85, zoom: 2.25 }]) {
    assert.deepEqual(viewOf(viewText(position)), position);
  }
  assert.equal(viewText({ lng: 1 / 3, lat: 2 / 3, zoom: 10.123 }), "0.33333,0.66667,10.12");
});

Deno.test("view of the map: a text without a position that a map can show has none", () => {
  for (const text of [null, "", "139,35", "139,35,", ",,", "a,b,c", "139,86,14", "139,-85.5,14", "139,35,Infinity"]) {
    assert.equal(viewOf(text), undefined, JSON.stringify(text));
  }
});
