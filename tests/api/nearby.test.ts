import assert from "node:assert/strict";
import postgres from "postgres";
import { NearbyParkingLots } from "../../supabase/functions/_shared/schema/parking_lots.ts";
import { Fee } from "../../supabase/functions/_shared/schema/fees.ts";
import { calculateFee } from "../../supabase/functions/parking-lots/fee.ts";
import { nearbyParkingLots } from "../../supabase/functions/parking-lots/nearby.ts";
import { signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { stack } from "../support/stack.ts";
import { ask, bearer, jsonBody, query, replyOf } from "./client.ts";

/** A place of this file's own, far from all sample data: a few lots on a line going north, about 111 m apart. */
const origin = { lat: -48.87, lng: -123.39 };
const sql = postgres(stack().dbUrl, { max: 1, onnotice: () => {} });
const source = `test-${crypto.randomUUID()}`;
const lots = [
  { name: "first", step: 0, status: "active", max_height_m: 2.1 },
  { name: "second", step: 1, status: "active", max_height_m: 3.0 },
  { name: "third", step: 2, status: "active", max_height_m: null },
  { name: "draft", step: 0.5, status: "draft", max_height_m: 3.0 },
  { name: "far", step: 9, status: "active", max_height_m: 3.0 },
];

async function search(values: Record<string, unknown>, headers: Record<string, string> = {}) {
  const response = await ask(`/parking-lots/nearby${query({ ...origin, ...values })}`, { headers });
  return (await replyOf(nearbyParkingLots, response, NearbyParkingLots)).filter((lot) => ids.has(lot.id));
}
const namesFor = async (values: Record<string, unknown>) => (await search(values)).map((lot) => lot.name);

const ids = new Set<string>();
Deno.test.beforeAll(async () => {
  for (const { name, step, status, max_height_m } of lots) {
    const [row] = await sql<{ id: string }[]>`
      insert into public.parking_lots (name, address, lat, lng, status, max_height_m, source, external_id)
      values (${name}, 'test', ${
      origin.lat + step / 1000
    }, ${origin.lng}, ${status}, ${max_height_m}, ${source}, ${name})
      returning id`;
    ids.add(row!.id);
  }
  await sql`
    insert into public.parking_lot_tags (parking_lot_id, tag_id, state)
    select l.id, t.id, l.name <> 'second'
    from public.parking_lots l, public.tags t
    where l.source = ${source} and t.slug = 'covered' and l.name in ('first', 'second', 'far')`;
  await sql`
    insert into public.pricing_rules (parking_lot_id, category, rule_order, per_minutes, price_minor)
    select l.id, 'time_band', 1, p.per_minutes, p.price_minor
    from public.parking_lots l
    join (values ('first', 30, 200), ('second', 60, 200), ('far', 60, 100)) as p (name, per_minutes, price_minor) using (name)
    where l.source = ${source}`;
  await sql`
    insert into public.parking_lot_windows (parking_lot_id, window_type, is_24h, is_closed)
    select l.id, 'business', l.name <> 'first', l.name = 'first'
    from public.parking_lots l where l.source = ${source} and l.name in ('first', 'second')`;
});
Deno.test.afterAll(async () => {
  await sql`delete from public.parking_lots where source = ${source}`;
  await sql.end();
});

Deno.test("nearby: public lots within the radius come nearest first, with their distance", async () => {
  const found = await search({});
  assert.deepEqual(found.map((lot) => lot.name), ["first", "second", "third"]);
  assert.equal(found[0]?.distance_m, 0);
  assert.ok(Math.abs(found[1]!.distance_m - 111.195) < 0.01, String(found[1]!.distance_m));
  assert.deepEqual(found[0]?.tags, ["covered"]);
  assert.deepEqual([found[0]?.avg_rating, found[0]?.review_count, found[0]?.main_image], [0, 0, null]);
});

Deno.test("nearby: radius and limit bound the search at their edges", async () => {
  assert.deepEqual(await namesFor({ radius_m: 111 }), ["first"]);
  assert.deepEqual(await namesFor({ radius_m: 112 }), ["first", "second"]);
  assert.deepEqual(await namesFor({ limit: 1 }), ["first"]);
  assert.deepEqual(await namesFor({ radius_m: 50_000, limit: 100 }), ["first", "second", "third", "far"]);
});

Deno.test("nearby: X-Truncated is true when lots within the radius were left out, else absent", async () => {
  const truncated = async (values: Record<string, unknown>) => {
    const response = await ask(`/parking-lots/nearby${query({ ...origin, ...values })}`);
    await response.body?.cancel();
    return response.headers.get("x-truncated");
  };
  assert.equal(await truncated({ limit: 3 }), null);
  assert.equal(await truncated({ limit: 2 }), "true");
  assert.equal(await truncated({ limit: 2, filters: { open_now: true } }), null);
  assert.equal(await truncated({ limit: 1, filters: { ...stay, max_price: 1_000 } }), "true");
  assert.equal(await truncated({ limit: 2, filters: { ...stay, max_price: 1_000 } }), null);
});

Deno.test("nearby: fees are those of vehicle_type", async () => {
  const bike = await search({ filters: stay, vehicle_type: "motorcycle" });
  const [first] = bike;
  assert.deepEqual([first?.estimated_fee, first?.fee_refusal], [1_000, null]);
  await sql`
    insert into public.pricing_groups (parking_lot_id, code, name, is_default, vehicle_types)
    select id, 'cars', 'Cars', true, '{standard}' from public.parking_lots where source = ${source} and name = 'first'`;
  const [error] = await search({ filters: stay, vehicle_type: "motorcycle" });
  assert.deepEqual(error?.fee_refusal, { code: "fee_unknown", reason: "vehicle_type_not_priced" });
  assert.deepEqual((await search({ filters: stay }))[0]?.estimated_fee, 1_000);
});

Deno.test("nearby: the height filter passes only lots that are known to be high enough", async () => {
  assert.deepEqual(await namesFor({ filters: { max_height_m: 2.1 } }), ["first", "second"]);
  assert.deepEqual(await namesFor({ filters: { max_height_m: 2.2 } }), ["second"]);
});

Deno.test("nearby: the tag filter requires every tag, and a tag that was denied does not count", async () => {
  assert.deepEqual(await namesFor({ radius_m: 2000, filters: { tags: ["covered"] } }), ["first", "far"]);
  assert.deepEqual(await namesFor({ filters: { tags: ["covered", "ev_charging"] } }), []);
  assert.deepEqual(await namesFor({ filters: { tags: ["no_such_tag"] } }), []);
  assert.deepEqual(await namesFor({ filters: { tags: [] } }), ["first", "second", "third"]);
  assert.deepEqual(await namesFor({ radius_m: 2000, filters: { tags: ["covered"], max_height_m: 2.5 } }), ["far"]);
});

/** A Wednesday, from noon to half past two. */
const stay = { entry_at: "2026-11-25T12:00:00+09:00", exit_at: "2026-11-25T14:30:00+09:00" };

Deno.test("nearby: usable puts lots that are unusable for the stay last or leaves them out, and each has the reason", async () => {
  // The first is closed, the second always open, the hours of the third are unknown.
  const shown = async (values: Record<string, unknown>) =>
    (await search({ filters: stay, ...values })).map(({ name, usable_for_stay, unusable_reasons }) => [
      name,
      usable_for_stay,
      ...unusable_reasons,
    ]);
  const closed = ["first", false, "closed_at_entry", "closed_at_exit"];
  assert.deepEqual(await shown({}), [closed, ["second", true], ["third", null]]);
  assert.deepEqual(await shown({ usable: "first" }), [["second", true], ["third", null], closed]);
  assert.deepEqual(await shown({ usable: "only", vehicle: { height_m: 3 } }), [["second", true], ["third", null]]);
  assert.deepEqual(await shown({ usable: "first", vehicle: { height_m: 3.1 } }), [
    ["third", null],
    [...closed, "vehicle_does_not_fit"],
    ["second", false, "vehicle_does_not_fit"],
  ]);
  await assertError(await ask(`/parking-lots/nearby${query({ ...origin, usable: "last" })}`), {
    code: "validation_error",
    param: "usable",
  });
});

Deno.test("nearby: a fee in the list is the total that calc-fee answers for the same stay", async () => {
  const found = await search({ filters: stay });
  assert.deepEqual(found.map(({ estimated_fee, fee_refusal }) => [estimated_fee, fee_refusal]), [
    [1_000, null],
    [600, null],
    [null, { code: "fee_unknown", reason: "no_rules" }],
  ]);
  for (const { id, estimated_fee, currency } of found.filter(({ estimated_fee }) => estimated_fee !== null)) {
    const response = await ask(`/parking-lots/${id}/calc-fee`, { method: "POST", ...jsonBody(stay) });
    const fee = await replyOf(calculateFee, response, Fee);
    assert.deepEqual([fee.total_amount, fee.currency], [estimated_fee, currency]);
  }
});

Deno.test("nearby: the price filter passes only fees that are known and not higher", async () => {
  assert.deepEqual(await namesFor({ filters: { ...stay, max_price: 1_000 } }), ["first", "second"]);
  assert.deepEqual(await namesFor({ filters: { ...stay, max_price: 999.5 } }), ["second"]);
  assert.deepEqual(await namesFor({ filters: { ...stay, max_price: 599 } }), []);
});

Deno.test("nearby: the filter open_now passes only lots that are known to be open; false passes all", async () => {
  assert.deepEqual(await namesFor({ filters: { open_now: true } }), ["second"]);
  assert.deepEqual(await namesFor({ filters: { open_now: false } }), ["first", "second", "third"]);
});

Deno.test("nearby: the list is sorted by price or by rank on request, and unknown prices come last", async () => {
  assert.deepEqual(await namesFor({ filters: stay, sort: "price" }), ["second", "first", "third"]);
  const recommended = await search({ filters: stay, sort: "recommended" });
  assert.deepEqual(recommended.map(({ ranking_rank }) => ranking_rank), [1, 2, 3]);
  const [best] = recommended;
  assert.equal(best!.name, "second");
  const { price, distance, rating } = best!.ranking_components;
  assert.equal(price, 100);
  assert.ok(Math.abs(best!.ranking_score - (0.4 * price + 0.4 * distance + 0.2 * rating)) < 0.0051);
});

Deno.test("nearby: each item has true cost, planned stay and fit", async () => {
  const [first, second, third] = await search({ filters: stay, vehicle: { height_m: 2.5 } });
  assert.deepEqual(
    [second!.walk_minutes, second!.walk_yen_per_minute, second!.effective_cost],
    [2, 20, 600 + 2 * 20],
  );
  assert.deepEqual([third!.effective_cost, third!.walk_minutes], [null, 3]);
  assert.deepEqual([first!.planned_stay?.can_enter_at, first!.planned_stay?.locked_in], [false, true]);
  assert.deepEqual([second!.planned_stay?.can_enter_at, second!.planned_stay?.locked_in], [true, false]);
  assert.deepEqual([third!.planned_stay?.can_enter_at, third!.planned_stay?.locked_in], [null, null]);
  assert.deepEqual([first, second, third].map((lot) => lot!.fit), [
    { fits: false, failing: ["height_m"], unknown: [], limits: { height_m: 2.1 } },
    { fits: true, failing: [], unknown: [], limits: { height_m: 3 } },
    { fits: null, failing: [], unknown: ["height_m"], limits: { height_m: null } },
  ]);
  const [plain] = await search({});
  assert.deepEqual([plain!.planned_stay, plain!.fit, plain!.is_saved], [null, null, null]);
});

Deno.test("nearby: searches at the poles and across the antimeridian work", async () => {
  for (const [lat, lng] of [[90, 0], [-90, 180], [0, 180], [0, -180], [-0, 0]]) {
    const response = await ask(`/parking-lots/nearby${query({ lat, lng, radius_m: 50_000 })}`);
    await replyOf(nearbyParkingLots, response, NearbyParkingLots);
  }
});

Deno.test("nearby: anonymous and authenticated users get the same lots, and only the user gets ratings and saved state", async () => {
  const { token } = await signUp();
  const marked = (await search({})).map((lot) => ({ ...lot, is_saved: false }));
  assert.deepEqual(await search({}, bearer(token)), marked);
});

Deno.test("nearby: the main image is an address under the public base of assets", async () => {
  const key = `parking_lot/${crypto.randomUUID()}/front side #1.jpg`;
  const [asset] = await sql<{ id: string }[]>`
    insert into public.assets (storage_key, content_type, size_bytes, is_public, category)
    values (${key}, 'image/jpeg', 1, true, 'parking_lot') returning id`;
  await sql`
    insert into public.parking_lot_images (parking_lot_id, asset_id, is_main)
    select id, ${asset!.id}, true from public.parking_lots where source = ${source} and name = 'third'`;
  const image = (await search({})).find((lot) => lot.name === "third")?.main_image ?? "";
  assert.ok(URL.canParse(image) && image.endsWith(`/${key.replace("front side #1", "front%20side%20%231")}`), image);
});

Deno.test("nearby: a client revalidates each time and gets 304 when nothing changed", async () => {
  const path = `/parking-lots/nearby${query({ ...origin, radius_m: 50 })}`;
  const first = await ask(path);
  await first.body?.cancel();
  assert.equal(first.headers.get("cache-control"), "private, no-cache");
  assert.match(first.headers.get("vary") ?? "", /Authorization/i);
  const again = await ask(path, { headers: { "if-none-match": first.headers.get("etag") ?? "" } });
  assert.equal(again.status, 304);
});

Deno.test("nearby: a filter is not counted where few lots are, at any radius; a stay of more than a day is, over HTTP and at the Data API", async () => {
  const { token } = await signUp();
  const { restUrl, publishableKey } = stack();
  const stay = (hours: number) => ({
    entry_at: "2026-09-01T00:00:00Z",
    exit_at: new Date(Date.UTC(2026, 8, 1, hours)).toISOString(),
  });
  const filters: [name: string, filters: Record<string, unknown>, isCounted: boolean][] = [
    ["none", {}, false],
    ["no value", { tags: [], open_now: false }, false],
    ["a day", stay(23), false],
    ["two days", stay(48), true],
    ["max_price", { max_price: 100 }, false],
    ["tags", { tags: ["open_24h"] }, false],
    ["open_now", { open_now: true }, false],
    ["max_height_m", { max_height_m: 2 }, false],
    ["a price for a day", { ...stay(23), max_price: 100 }, false],
  ];
  for (const [name, given, isCounted] of filters) {
    for (const radius_m of [500, 50_000]) {
      for (const sort of ["distance", "price", "recommended"]) {
        const path = `/parking-lots/nearby${query({ ...origin, filters: given, radius_m, sort })}`;
        const answer = await ask(path, { headers: bearer(token) });
        await answer.body?.cancel();
        const policy = answer.headers.get("ratelimit-policy")?.split(";")[0];
        const place = `${name}, ${radius_m} m, ${sort}`;
        assert.deepEqual([answer.status, policy], [200, isCounted ? '"expensive_read"' : undefined], place);
      }
      const direct = await fetch(`${restUrl}/rpc/nearby_parking_lots`, {
        method: "POST",
        headers: { apikey: publishableKey, "content-type": "application/json" },
        body: JSON.stringify({ p_lat: origin.lat, p_lng: origin.lng, p_radius_m: radius_m, p_filters: given }),
      });
      const body = await direct.text();
      assert.equal(direct.status, isCounted ? 403 : 200, `${name}, ${radius_m} m at the Data API: ${body}`);
      if (direct.status === 403) assert.match(body, /not_counted/);
    }
  }
});
