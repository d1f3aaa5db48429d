import assert from "node:assert/strict";
import { LotDetail } from "../../supabase/functions/_shared/schema/lot_detail.ts";
import { NearbyParkingLots } from "../../supabase/functions/_shared/schema/parking_lots.ts";
import { FoundLots } from "../../supabase/functions/_shared/schema/search.ts";
import { readParkingLot } from "../../supabase/functions/parking-lots/detail.ts";
import { nearbyParkingLots } from "../../supabase/functions/parking-lots/nearby.ts";
import { searchParkingLots } from "../../supabase/functions/parking-lots/search.ts";
import { eventually } from "../support/eventually.ts";
import { newLot } from "../support/rows.ts";
import { assertError } from "../support/api_errors.ts";
import { ask, query, replyOf } from "./client.ts";
import { inDatabase } from "./lots.ts";

/** A word of this file's own, so that only its lots are found. */
const word = `さがす${crypto.randomUUID().slice(0, 8)}`;
const ids: string[] = [];
Deno.test.beforeAll(async () => {
  await inDatabase(async (sql) => {
    for (const [n, name] of ["first", "second", "third"].entries()) {
      ids.push(await newLot(sql, { name: `${name} ${word}`, lat: -44 - n / 100, lng: 170, max_height_m: 2 + n / 10 }));
    }
  });
});
Deno.test.afterAll(async () => {
  await inDatabase((sql) => sql`delete from public.parking_lots where id = any (${ids}::uuid[])`);
});

const path = (values: Record<string, unknown>) => `/parking-lots${query(values)}`;
const found = async (values: Record<string, unknown>) =>
  await replyOf(searchParkingLots, await ask(path(values)), FoundLots);
const center = { lat: -44, lng: 170 };

Deno.test("search: conditions as separate parameters or one object give the same reply", async () => {
  const apart = await found({ keywords: word, vehicle: { height_m: 2.1 }, center, radius_m: 5000, include: "total" });
  const whole = await found({
    query: { v: 1, keywords: [word], vehicle: { height_m: 2.1 }, center, radius_m: 5000 },
    include: "total",
  });
  assert.deepEqual(apart, whole);
  assert.deepEqual(apart.items.map(({ id }) => id), ids.slice(1));
  assert.equal(apart.total, 2);
});

Deno.test("parking-lots: query goes with sort, bbox, ids, limit and cursor; sort goes before the query's own", async () => {
  const beside = { bbox: "169,-45,171,-43", ids: ids.join(","), limit: 2, include: "total" };
  const apart = await found({ keywords: word, center, sort: "distance", ...beside });
  for (const query of [{ keywords: [word], center }, { keywords: [word], center, sort: "price" }]) {
    const first = await found({ query, sort: "distance", ...beside });
    assert.deepEqual(first, apart);
    const second = await found({ query, sort: "distance", ...beside, cursor: first.next_cursor });
    assert.deepEqual(second.items.map(({ id }) => id), ids.slice(2));
  }
});

Deno.test("parking-lots: numbers with exponents and repeated list parameters are read", async () => {
  const near = await ask(`/parking-lots/nearby?lat=-4.4e1&lng=1.7E2&radius_m=1e4`);
  assert.deepEqual((await replyOf(nearbyParkingLots, near, NearbyParkingLots)).map(({ id }) => id), ids);
  const boxed = await ask(`/parking-lots?bbox=1.69e2,-45,171,-4.3E1&bbox=&keywords=${encodeURIComponent(word)}`);
  await assertError(boxed, { code: "validation_error", param: "bbox" });
  const listed = await ask(
    `/parking-lots?bbox=1.69e2,-45,171,-4.3E1&ids=${ids[0]}&ids=${ids[1]},${ids[2]}&keywords=${
      encodeURIComponent(word)
    }`,
  );
  assert.equal((await replyOf(searchParkingLots, listed, FoundLots)).items.length, 3);
  const tiny = await ask(`/parking-lots?center=${encodeURIComponent('{"lat":51.4779,"lng":-1.2e-7}')}&limit=1`);
  assert.equal((await replyOf(searchParkingLots, tiny, FoundLots)).items.length, 1);
});

Deno.test("parking-lots: a stay is priced in JSON, GeoJSON and lines alike, as in nearby and the detail", async () => {
  const stay = { entry_at: "2026-11-25T10:00:00+09:00", exit_at: "2026-11-25T12:30:00+09:00", vehicle_type: "kei" };
  await inDatabase((sql) =>
    sql`insert into public.pricing_rules (parking_lot_id, category, rule_order, per_minutes, price_minor)
      values (${ids[0]!}, 'time_band', 1, 60, 200)`
  );
  const args = { keywords: word, center, limit: 3, ...stay };
  const { items } = await found(args);
  const [first, second] = items;
  assert.ok(first && second && !("deleted" in first) && !("deleted" in second));
  assert.deepEqual([first.estimated_fee, first.fee_refusal, first.walk_minutes, first.effective_cost], [
    600,
    null,
    0,
    600,
  ]);
  assert.deepEqual([second.estimated_fee, second.fee_refusal], [null, { code: "fee_unknown", reason: "no_rules" }]);
  const { vehicle_type, ...filters } = stay;
  const near = await ask(`/parking-lots/nearby${query({ ...center, radius_m: 5000, filters, vehicle_type })}`);
  for (const [n, lot] of (await replyOf(nearbyParkingLots, near, NearbyParkingLots)).entries()) {
    const item = items[n]!;
    assert.ok(!("deleted" in item));
    for (const field of ["estimated_fee", "fee_refusal", "walk_minutes", "effective_cost", "planned_stay"] as const) {
      assert.deepEqual(item[field], lot[field], field);
    }
  }
  const detail = await replyOf(readParkingLot, await ask(`/parking-lots/${ids[1]}${query(stay)}`), LotDetail);
  assert.deepEqual(detail.planned_stay?.fee_refusal, second.fee_refusal);
  for (const accept of ["application/geo+json", "application/x-ndjson"]) {
    const text = await (await ask(path(args), { headers: { accept } })).text();
    assert.match(text, /"estimated_fee":600/);
    assert.match(text, /"planned_stay":\{"entry_at"/);
  }
  assert.ok(!("estimated_fee" in (await found({ keywords: word })).items[0]!));
});

Deno.test("parking-lots: a stay of more than 24 hours is priced as well, and counted", async () => {
  const stay = { entry_at: "2026-11-25T10:00:00.000001Z", exit_at: "2026-11-26T10:00:00.000002Z" };
  for (
    const args of [
      `${path({ keywords: word, ...stay })}`,
      `/parking-lots/nearby${query({ ...center, filters: stay })}`,
    ]
  ) {
    const answer = await ask(args);
    assert.deepEqual(
      [answer.status, /expensive_read/.test(answer.headers.get("ratelimit") ?? "")],
      [200, true],
      await answer.text(),
    );
  }
  const short = await ask(path({ keywords: word, ...stay, exit_at: "2026-11-26T10:00:00Z" }));
  await short.body?.cancel();
  assert.equal(short.status, 200);
});

Deno.test("search: pages follow one another by next_cursor", async () => {
  const first = await found({ keywords: word, center, limit: 2, v: 1 });
  const second = await found({ keywords: word, center, limit: 2, v: 1, cursor: first.next_cursor });
  assert.deepEqual([...first.items, ...second.items].map(({ id }) => id), ids);
  assert.equal(second.next_cursor, null);
});

Deno.test("search: a lot is found, listed and read with any version of UUID", async () => {
  const id = crypto.randomUUID().replace(/^(.{14}).(.{4})./, "$1f$20");
  await inDatabase((sql) => newLot(sql, { id, name: `odd ${word}`, lat: -45, lng: 171 }));
  try {
    assert.deepEqual((await found({ ids: id })).items.map((lot) => lot.id), [id]);
    const nearby = await ask(`/parking-lots/nearby${query({ lat: -45, lng: 171 })}`);
    assert.deepEqual((await replyOf(nearbyParkingLots, nearby, NearbyParkingLots)).map((lot) => lot.id), [id]);
    assert.equal((await replyOf(readParkingLot, await ask(`/parking-lots/${id}`), LotDetail)).id, id);
  } finally {
    await inDatabase((sql) => sql`delete from public.parking_lots where id = ${id}`);
  }
});

Deno.test("search: Accept of GeoJSON gets features, an unknown type gets JSON", async () => {
  const accept = (type: string) => ask(path({ keywords: word, center }), { headers: { accept: type } });
  const response = await accept("application/geo+json");
  assert.match(response.headers.get("content-type") ?? "", /^application\/geo\+json/);
  const { type, features } = await response.json();
  assert.equal(type, "FeatureCollection");
  assert.deepEqual(features.map(({ id }: { id: string }) => id), ids);
  assert.deepEqual(features[1].geometry, { type: "Point", coordinates: [170, -44.01] });
  await replyOf(searchParkingLots, await accept("text/csv"), FoundLots);
});

Deno.test("search: GeoJSON and lines are sent where Accept gives them a weight that is not below that of JSON", async () => {
  const sent = async (types: string) => {
    const response = await ask(path({ keywords: word, center }), { headers: { accept: types } });
    await response.body?.cancel();
    return response.headers.get("content-type")?.split(";")[0];
  };
  const [json, geojson, lines] = ["application/json", "application/geo+json", "application/x-ndjson"];
  const cases: [types: string, expected: string][] = [
    [`${geojson};q=0`, json],
    [`${geojson};q=0.1, ${json};q=0.9`, json],
    [`${json}, ${geojson};q=0.5`, json],
    [`${lines};q=0.0, ${json}`, json],
    [`${lines};q=0.2, ${json}`, json],
    [`${json};q=0.5, ${geojson}; Q=0.8`, geojson],
    [`${json}, ${geojson}`, geojson],
    [`${geojson};q=0.5, */*;q=0.1`, geojson],
    [`${lines};q=0.3`, lines],
  ];
  for (const [types, expected] of cases) assert.equal(await sent(types), expected, types);
});

Deno.test("search: Accept of JSON Lines gets a lot a line, as many as limit, and an error as one line", async () => {
  const headers = { accept: "application/x-ndjson" };
  const lines = async (args: Record<string, unknown>) => {
    const response = await ask(path({ keywords: word, center, ...args }), { headers });
    assert.match(response.headers.get("content-type") ?? "", /^application\/x-ndjson/);
    return (await response.text()).trimEnd().split("\n").map((line) => JSON.parse(line));
  };
  assert.deepEqual((await lines({})).map(({ id }) => id), ids);
  const [first, end, ...others] = await lines({ limit: 1 });
  assert.deepEqual([first.id, end.has_more, others], [ids[0], true, []]);
  assert.deepEqual((await lines({ cursor: end.next_cursor })).map(({ id }) => id), ids.slice(1));
  await assertError(await ask(path({ sort: "distance" }), { headers }), { code: "validation_error", param: "sort" });
});

Deno.test("parking-lots: usable goes over pages and lines, and the last page has the others", async () => {
  const stay = { entry_at: "2026-11-25T10:00:00Z", exit_at: "2026-11-25T11:00:00Z" };
  await inDatabase((sql) => sql`update public.parking_lots set max_parking_duration_min = 30 where id = ${ids[0]!}`);
  const args = { keywords: word, center, ...stay };
  const { items } = await found({ ...args, usable: "first" });
  assert.deepEqual(
    items.map((lot) => "deleted" in lot ? [] : [lot.id, lot.usable_for_stay, ...lot.unusable_reasons ?? []]),
    [[ids[1], null], [ids[2], null], [ids[0], false, "stay_too_long"]],
  );
  const page = await found({ ...args, usable: "only", limit: 2, include: "total" });
  assert.deepEqual([page.items.map(({ id }) => id), page.next_cursor, page.total], [ids.slice(1), null, 2]);
  const first = await found({ ...args, usable: "first", limit: 2 });
  const rest = await found({ ...args, usable: "first", limit: 2, cursor: first.next_cursor });
  assert.deepEqual([...first.items, ...rest.items].map(({ id }) => id), [ids[1], ids[2], ids[0]]);
  const lines = await ask(path({ ...args, usable: "first" }), { headers: { accept: "application/x-ndjson" } });
  assert.deepEqual((await lines.text()).trimEnd().split("\n").map((line) => JSON.parse(line).id), [
    ids[1],
    ids[2],
    ids[0],
  ]);
  await inDatabase((sql) => sql`update public.parking_lots set max_parking_duration_min = null where id = ${ids[0]!}`);
});

Deno.test("search: zoom returns clusters", async () => {
  const args = { bbox: "169,-45,171,-43", zoom: 2, keywords: word };
  const { items, clusters, total } = await found(args);
  assert.deepEqual([items, total], [[], undefined]);
  assert.equal((await found({ ...args, include: "total" })).total, 3);
  assert.deepEqual(clusters?.map(({ count }) => count), [3]);
});

Deno.test("search: changes since a time have tombstones", async () => {
  const since = new Date().toISOString();
  const deleted = await inDatabase((sql) => newLot(sql, { name: word }));
  await inDatabase((sql) => sql`delete from public.parking_lots where id = ${deleted}`);
  let cursor: string | null = null;
  // Running transactions of other tests hold changes up.
  const changes = await eventually(async () => {
    const page: Awaited<ReturnType<typeof found>> = await found({
      updated_since: since,
      limit: 100,
      ...(cursor && { cursor }),
    });
    cursor = page.next_cursor;
    return page.items.find(({ id }) => id === deleted);
  }, 180_000);
  assert.ok("deleted" in changes);
});

Deno.test("search: a + that the URL turned into a space is distinguished from a wrong time", async () => {
  const answer = await ask("/parking-lots?updated_since=2026-09-01T09:30:00+09:00");
  const { error } = await answer.json();
  assert.deepEqual([answer.status, error.param], [422, "updated_since"]);
  assert.match(error.message, /%2B/);
});

const wrong: [Record<string, unknown>, string][] = [
  [{ query: { v: 1 }, price_min: 1 }, "query"],
  [{ query: { v: 1 }, sort: "distance" }, "sort"],
  [{ query: { sort: "price" }, sort: "distance" }, "sort"],
  [{ query: { colour: 1 } }, "query.colour"],
  [{ v: 2 }, "v"],
  [{ center: { lat: 91, lng: 0 } }, "center.lat"],
  [{ radius_m: 0 }, "radius_m"],
  [{ radius_m: 5 }, "radius_m"],
  [{ query: { radius_m: 5 } }, "query.radius_m"],
  [{ query: { sort: "distance" } }, "query.sort"],
  [{ query: { price_min: 2, price_max: 1 } }, "query.price_min"],
  [{ query: { keywords: ["　"] } }, "query.keywords"],
  [{ query: {}, bbox: "1,5,3,4" }, "bbox"],
  [{ price_min: -1 }, "price_min"],
  [{ price_max: 100_001 }, "price_max"],
  [{ price_min: 2, price_max: 1 }, "price_min"],
  [{ attributes: "colour" }, "attributes.0"],
  [{ difficulty: "medium" }, "difficulty.0"],
  [{ operator_codes: "" }, "operator_codes.0"],
  [{ vehicle: { height_m: 0 } }, "vehicle.height_m"],
  [{ keywords: "a".repeat(51) }, "keywords.0"],
  [{ meter_ticket_included: "yes" }, "meter_ticket_included"],
  [{ sort: "name" }, "sort"],
  [{ bbox: "1,2,3" }, "bbox"],
  [{ bbox: "1,2,3,x" }, "bbox.3"],
  [{ bbox: "1,5,3,4" }, "bbox"],
  [{ ids: "x" }, "ids.0"],
  [{ zoom: 15 }, "zoom"],
  [{ zoom: 3 }, "bbox"],
  [{ updated_since: "2026-01-01" }, "updated_since"],
  [{ updated_since: "0000-12-31T23:59:59Z" }, "updated_since"],
  [{ updated_since: "2026-01-01T00:00:00+16:00" }, "updated_since"],
  [{ updated_since: `2026-01-01T00:00:00.${"1".repeat(200)}Z` }, "updated_since"],
  [{ updated_since: "2026-01-01T00:00:00Z", v: 1 }, "updated_since"],
  [{ entry_at: "2026-11-25T10:00:00Z" }, "exit_at"],
  [{ exit_at: "2026-11-25T10:00:00Z" }, "entry_at"],
  [{ entry_at: "2026-11-25T10:00:00", exit_at: "2026-11-25T10:00:00Z" }, "entry_at"],
  [{ entry_at: "2026-11-25T10:00:00Z", exit_at: "2026-12-27T10:00:00Z" }, "exit_at"],
  [{ entry_at: "2026-11-25T10:00:00Z", exit_at: "2026-11-25T11:00:00Z", zoom: 3, bbox: "1,2,3,4" }, "entry_at"],
  [{ vehicle_type: "submarine" }, "vehicle_type"],
  [{ usable: "first" }, "usable"],
  [{ entry_at: "2026-11-25T10:00:00Z", exit_at: "2026-11-25T11:00:00Z", usable: "last" }, "usable"],
  [{ limit: 101 }, "limit"],
  [{ cursor: "abc" }, "cursor"],
  [{ include: "all" }, "include.0"],
];
for (const [values, param] of wrong) {
  Deno.test(`search: ${JSON.stringify(values).slice(0, 70)} is rejected and names ${param}`, async () => {
    await assertError(await ask(path(values)), { code: "validation_error", param });
  });
}
