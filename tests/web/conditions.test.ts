// web/: the conditions of a search as the address has them, and as requests have them.
import assert from "node:assert/strict";
import {
  CONDITION_FIELDS,
  countConditions,
  filtersOf,
  listOf,
  queryOf,
  valuesOfQuery,
  VEHICLE_FIELDS,
  vehicleOf,
} from "../../apps/web/src/conditions.ts";
import { SearchQueryV1 } from "../../supabase/functions/_shared/schema/search.ts";

Deno.test("conditions: an address without conditions makes empty requests", () => {
  for (const values of [{}, { price_min: "", keywords: "", open_now: "", tags: "" }, { lat: "35", radius: "500" }]) {
    assert.deepEqual([queryOf(values), filtersOf(values), vehicleOf(values), countConditions(values)], [
      {},
      {},
      undefined,
      0,
    ]);
  }
});

Deno.test("conditions: each value reaches the request that applies it, with its type", () => {
  const values = {
    keywords: "駅, 24h、屋根",
    max_price: "0",
    open_now: "true",
    without_surprises: "true",
    attributes: "open_24h,covered",
    tags: "new",
    price_min: "0",
    price_max: "1500",
    difficulty: "easy",
    operator_codes: "times",
    meter_ticket_included: "true",
    height_m: "1.55",
  };
  assert.deepEqual(queryOf(values), {
    keywords: ["駅", "24h", "屋根"],
    attributes: ["open_24h", "covered"],
    price_min: 0,
    price_max: 1500,
    difficulty: ["easy"],
    operator_codes: ["times"],
    meter_ticket_included: false,
  });
  assert.deepEqual(filtersOf(values), { max_price: 0, open_now: true, without_surprises: true, tags: ["new"] });
  assert.deepEqual(vehicleOf(values), { height_m: 1.55 });
  assert.equal(countConditions(values), CONDITION_FIELDS.length);
  assert.deepEqual(SearchQueryV1.parse(queryOf(values)), queryOf(values));
});

Deno.test("conditions: a vehicle limits a search only if only fitting lots are wanted", () => {
  const values = { height_m: "2.1", width_m: "1.9" };
  assert.deepEqual(queryOf(values), {});
  assert.deepEqual(queryOf({ ...values, only_fitting: "true" }), { vehicle: { height_m: 2.1, width_m: 1.9 } });
  assert.deepEqual(queryOf({ only_fitting: "true" }), {});
  assert.equal(countConditions({ only_fitting: "true" }), 1);
});

Deno.test("conditions: a text that is no number, or is empty, is no condition", () => {
  for (const text of ["many", "1e999", "NaN", " ", "1,5"]) {
    assert.deepEqual(
      [queryOf({ price_max: text }), vehicleOf({ height_m: text })],
      [{}, undefined],
      JSON.stringify(text),
    );
  }
});

Deno.test("conditions: a list has no empty and no outer white space", () => {
  assert.deepEqual(listOf(" a ,, b、c ,"), ["a", "b", "c"]);
  assert.deepEqual([listOf(undefined), listOf(""), listOf(" , ")], [[], [], []]);
});

Deno.test("conditions: a search query returns to itself through the address", () => {
  for (
    const query of [
      {},
      { price_min: 0, price_max: 300, keywords: ["駅前"] },
      { meter_ticket_included: false, attributes: ["covered" as const] },
      { vehicle: { height_m: 1.55, clearance_cm: 0, tire_width_mm: 185 }, difficulty: ["easy" as const] },
      { operator_codes: ["times", "repark"] },
    ]
  ) {
    assert.deepEqual(queryOf(valuesOfQuery(query)), query);
  }
});

Deno.test("conditions: a query replaces the whole address: what it does not have is emptied", () => {
  const values = valuesOfQuery({ price_max: 500 });
  assert.deepEqual(Object.entries(values).filter(([, value]) => value !== ""), [["price_max", "500"]]);
  const names = [...CONDITION_FIELDS, ...VEHICLE_FIELDS].map(({ name }) => name);
  assert.deepEqual(names.filter((name) => !(name in values)), []);
});

Deno.test("conditions: a query's place, radius and order are values of the address", () => {
  const { lat, lng, place, radius, sort } = valuesOfQuery({
    center: { lat: 35.68, lng: 139.76, placeName: "東京駅" },
    radius_m: 800,
    sort: "price",
  });
  assert.deepEqual([lat, lng, place, radius, sort], ["35.68", "139.76", "東京駅", "800", "price"]);
  assert.equal(valuesOfQuery({ center: { lat: 1, lng: 2 } })["place"], "");
  assert.equal("lat" in valuesOfQuery({}), false);
});

Deno.test("conditions: a flag whose other value a query has is not set", () => {
  assert.equal(valuesOfQuery({ meter_ticket_included: true })["meter_ticket_included"], "");
});

Deno.test("conditions: the fields of the vehicle and of prices have the bounds of the contract", () => {
  const accepts = (name: string, target: string, value: number) =>
    SearchQueryV1.safeParse(target === "vehicle" ? { vehicle: { [name]: value } } : { [name]: value }).success;
  const numbers = [...VEHICLE_FIELDS, ...CONDITION_FIELDS].filter((field) => field.kind === "number");
  for (const { name, target, min, max, step } of numbers.filter(({ target }) => target !== "filters")) {
    const found = [min - step, min, max, max + step].map((value) => accepts(name, target, value));
    assert.deepEqual(found, [false, true, true, false], name);
  }
});
