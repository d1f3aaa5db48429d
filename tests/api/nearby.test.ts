import assert from "node:assert/strict";
import postgres from "postgres";
import { NearbyParkingLots } from "../../supabase/functions/_shared/schema/parking_lots.ts";
import { nearbyParkingLots } from "../../supabase/functions/parking-lots/nearby.ts";
import { signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { ask, bearer, query, replyOf } from "./client.ts";

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
});
Deno.test.afterAll(async () => {
  await sql`delete from public.parking_lots where source = ${source}`;
  await sql.end();
});

Deno.test("public lots within the radius come nearest first, with their distance", async () => {
  const found = await search({});
  assert.deepEqual(found.map((lot) => lot.name), ["first", "second", "third"]);
  assert.equal(found[0]?.distance_m, 0);
  assert.ok(Math.abs(found[1]!.distance_m - 111.195) < 0.01, String(found[1]!.distance_m));
  assert.deepEqual(found[0]?.tags, ["covered"]);
  assert.deepEqual([found[0]?.avg_rating, found[0]?.review_count, found[0]?.main_image], [null, 0, null]);
});

Deno.test("radius and limit bound the search at their edges", async () => {
  assert.deepEqual(await namesFor({ radius_m: 111 }), ["first"]);
  assert.deepEqual(await namesFor({ radius_m: 112 }), ["first", "second"]);
  assert.deepEqual(await namesFor({ limit: 1 }), ["first"]);
  assert.deepEqual(await namesFor({ radius_m: 50_000, limit: 100 }), ["first", "second", "third", "far"]);
});

Deno.test("the height filter passes only lots that are known to be high enough", async () => {
  assert.deepEqual(await namesFor({ filters: { max_height_m: 2.1 } }), ["first", "second"]);
  assert.deepEqual(await namesFor({ filters: { max_height_m: 2.2 } }), ["second"]);
});

Deno.test("the tag filter wants every tag, and a tag that was denied does not count", async () => {
  assert.deepEqual(await namesFor({ radius_m: 2000, filters: { tags: ["covered"] } }), ["first", "far"]);
  assert.deepEqual(await namesFor({ filters: { tags: ["covered", "ev_charging"] } }), []);
  assert.deepEqual(await namesFor({ filters: { tags: ["no_such_tag"] } }), []);
  assert.deepEqual(await namesFor({ filters: { tags: [] } }), ["first", "second", "third"]);
  assert.deepEqual(await namesFor({ radius_m: 2000, filters: { tags: ["covered"], max_height_m: 2.5 } }), ["far"]);
});

Deno.test("everything that is not yet available is refused at once, by name and reason", async () => {
  const filters = {
    open_now: true,
    max_price: 500,
    entry_at: "2026-09-01T10:00:00+09:00",
    exit_at: "2026-09-01T12:00:00Z",
  };
  const response = await ask(`/parking-lots/nearby${query({ ...origin, filters, sort: "recommended" })}`);
  assert.equal(response.status, 422);
  const { error } = await response.json();
  assert.equal(error.details.reason, "not_yet_available");
  assert.deepEqual(
    error.details.errors.map(({ param }: { param: string }) => param),
    ["filters.open_now", "filters.max_price", "filters.entry_at", "filters.exit_at", "sort"],
  );
});

Deno.test("the poles and the antimeridian are places like any other", async () => {
  for (const [lat, lng] of [[90, 0], [-90, 180], [0, 180], [0, -180], [-0, 0]]) {
    const response = await ask(`/parking-lots/nearby${query({ lat, lng, radius_m: 50_000 })}`);
    await replyOf(nearbyParkingLots, response, NearbyParkingLots);
  }
});

Deno.test("a visitor and a signed-in user find the same lots", async () => {
  const { token } = await signUp();
  assert.deepEqual(await search({}, bearer(token)), await search({}));
});

Deno.test("the main image is an address under the public base of assets", async () => {
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

Deno.test("a search is asked for again each time, and 304 says that nothing changed", async () => {
  const path = `/parking-lots/nearby${query({ ...origin, radius_m: 50 })}`;
  const first = await ask(path);
  await first.body?.cancel();
  assert.equal(first.headers.get("cache-control"), "private, no-cache");
  assert.match(first.headers.get("vary") ?? "", /Authorization/i);
  const again = await ask(path, { headers: { "if-none-match": first.headers.get("etag") ?? "" } });
  assert.equal(again.status, 304);
});
