// The nearest lots, against sorting all of them by the haversine formula.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { refusal } from "../support/refusal.ts";
import { type Filters, type Lot, nearest, type Query } from "./support/brute_force.ts";
import { lots, MISLEADING, queries } from "./support/lots_of_the_world.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

await db.sql`delete from public.parking_lots`;
const world = lots(20_000);
await store(world);

async function store(lots: readonly Lot[]): Promise<void> {
  const column = <Key extends keyof Lot>(key: Key) => lots.map((lot) => lot[key]);
  await db.sql`
    insert into public.parking_lots (id, name, lat, lng, status, max_height_m)
    select id, 'Lot', lat, lng, status, max_height_m
    from unnest(
      ${column("id")}::uuid[], ${column("lat")}::float8[], ${column("lng")}::float8[], ${column("status")}::text[],
      ${column("max_height_m")}::numeric[]
    ) as l (id, lat, lng, status, max_height_m)`;
  const tags = lots.flatMap((lot) => lot.tags.map((slug) => ({ id: lot.id, slug })));
  await db.sql`
    insert into public.parking_lot_tags (parking_lot_id, tag_id)
    select l.id, t.id
    from unnest(${tags.map(({ id }) => id)}::uuid[], ${tags.map(({ slug }) => slug)}::text[]) as l (id, slug)
    join public.tags t using (slug)`;
  await db.sql`analyze public.parking_lots`;
}

/** What the database answers, one list a query. */
async function answers(queries: readonly Query[]): Promise<{ id: string; distance_m: number }[][]> {
  const column = <Key extends keyof Query>(key: Key) => queries.map((query) => query[key]);
  const rows = await db.sql<{ query: number; id: string; distance_m: number }[]>`
    select q.query::integer - 1 as query, n.parking_lot_id as id, n.distance_m
    from unnest(
      ${column("lat")}::float8[], ${column("lng")}::float8[], ${column("radius_m")}::float8[],
      ${column("limit")}::integer[], ${queries.map(({ filters }) => filters.max_height_m ?? null)}::numeric[],
      ${queries.map(({ filters }) => `{${(filters.tags ?? []).join(",")}}`)}::text[]
    ) with ordinality as q (lat, lng, radius_m, "limit", max_height_m, tags, query)
    cross join lateral private.nearest_lots(
      q.lat, q.lng, q.radius_m, q.limit, q.max_height_m, q.tags::text[]
    ) with ordinality as n (parking_lot_id, distance_m, place)
    order by q.query, n.place`;
  const lists: { id: string; distance_m: number }[][] = queries.map(() => []);
  for (const { query, id, distance_m } of rows) lists[query]!.push({ id, distance_m });
  return lists;
}

async function agrees(queries: readonly Query[]): Promise<number> {
  const found = await answers(queries);
  let total = 0;
  for (const [n, query] of queries.entries()) {
    const given = found[n]!;
    const expected = nearest(world, query);
    const about = JSON.stringify(query);
    assert.deepEqual(given.map(({ id }) => id), expected.map(({ id }) => id), about);
    for (const [place, { distance_m }] of given.entries()) {
      assert.ok(Math.abs(distance_m - expected[place]!.distance_m) < 1e-5, about);
    }
    total += given.length;
  }
  return total;
}

Deno.test("the nearest lots are those that sorting all of them gives: anywhere, any radius, any limit", async () => {
  assert.ok(await agrees(queries(400, {})) > 4_000);
});

const filters: readonly [string, Filters][] = [
  ["a height", { max_height_m: 2.1 }],
  ["a tag", { tags: ["covered"] }],
  ["tags that few lots have", { tags: ["covered", "reservable"] }],
  ["a tag that no lot has", { tags: ["near_station"] }],
  ["a height and tags", { max_height_m: 1.8, tags: ["covered", "ev_charging"] }],
];
for (const [name, filter] of filters) {
  Deno.test(`the nearest lots that pass ${name} are those that sorting all of them gives`, async () => {
    const total = await agrees(queries(120, filter));
    assert.equal(total > 0, name !== "a tag that no lot has");
  });
}

const places: readonly [string, number, number][] = [
  ["at the north pole", 90, 0],
  ["at the south pole", -90, 77],
  ["where the pole's neighbourhood begins", 84.6, 20],
  ["where the pole's neighbourhood begins in the south", -84.55, -120],
  ["on the antimeridian", -17, 180],
  ["on the antimeridian, from the other side", -17, -180],
  ["west of the antimeridian", -17, 179.9],
  ["east of the antimeridian", -17, -179.9],
  ["on the antimeridian in the far north", 84.4, 179.99],
  ["at the crossing of the equator and the prime meridian", 0, 0],
];
for (const [name, lat, lng] of places) {
  Deno.test(`the nearest lots ${name} are those that sorting all of them gives`, async () => {
    const around = [1, 40, 900, 5_000, 20_000, 50_000].flatMap((radius_m) =>
      [1, 3, 50, 100].map((limit): Query => ({ lat, lng, radius_m, limit, filters: {} }))
    );
    assert.ok(await agrees(around) > 100);
  });
}

Deno.test("lots that the map projection shows in another order are listed in the order of the globe", async () => {
  const limits = [1, 40, 45, 50, 55, 100];
  await agrees(limits.map((limit) => ({ ...MISLEADING, radius_m: 50_000, limit, filters: {} })));
});

Deno.test("a lot on the outermost meridian of the circle is found", async () => {
  const tall = { max_height_m: 1 };
  const outermost = nearest(world, { ...MISLEADING, radius_m: 50_000, limit: 1_000, filters: tall })
    .filter(({ distance_m }) => distance_m > 49_999);
  assert.ok(outermost.length > 0);
  await agrees([{ ...MISLEADING, radius_m: 50_000, limit: 1_000, filters: tall }]);
});

Deno.test("lots that stand on one point are listed by id, however many there are", async () => {
  const [crowd] = world.filter(({ crowd }) => crowd);
  const query = { lat: crowd!.lat, lng: crowd!.lng, radius_m: 500, limit: 100, filters: {} };
  const [given] = await answers([query]);
  const ids = world.filter((lot) => lot.crowd && lot.status === "active").map(({ id }) => id).sort();
  assert.ok(ids.length > 400);
  assert.deepEqual(given!.map(({ id }) => id), ids.slice(0, 100));
});

Deno.test("a search never reads the table from end to end", async () => {
  const scans = await db.as({ role: "anon" }, async (sql) => {
    for (const { lat, lng, radius_m, limit } of queries(40, {})) {
      await sql`select api.nearby_parking_lots(${lat}, ${lng}, ${Math.ceil(radius_m)}, ${limit})`;
    }
    return await sql<{ seq_scan: number; idx_scan: number }[]>`
      select seq_scan::integer, idx_scan::integer
      from pg_stat_xact_user_tables where relid = 'public.parking_lots'::regclass`;
  });
  assert.equal(scans[0]?.seq_scan, 0);
  assert.ok(scans[0].idx_scan >= 40);
});

Deno.test("a visitor gets the nearest lots with all that a list shows", async () => {
  const query: Query = { lat: 35.6812, lng: 139.7671, radius_m: 3_000, limit: 20, filters: { tags: ["covered"] } };
  const [row] = await db.as(
    { role: "anon" },
    (sql) =>
      sql<{ found: Record<string, unknown>[] }[]>`
      select api.nearby_parking_lots(35.6812, 139.7671, 3000, 20, '{"tags": ["covered"]}') as found`,
  );
  const expected = nearest(world, query);
  assert.equal(expected.length, 20);
  assert.deepEqual(
    row!.found,
    expected.map(({ id, lat, lng, distance_m, tags }) => ({
      id,
      name: "Lot",
      address: null,
      lat,
      lng,
      distance_m: Math.round(distance_m * 100) / 100,
      avg_rating: null,
      review_count: 0,
      main_image: null,
      tags: [...tags].sort(),
    })),
  );
});

Deno.test("nearby answers 50 lots within 500 m unless told otherwise", async () => {
  const found = await db.as({ role: "anon" }, (sql) =>
    sql<{ id: string }[]>`
    select jsonb_array_elements(api.nearby_parking_lots(35.6812, 139.7671)) ->> 'id' as id`);
  const expected = nearest(world, { lat: 35.6812, lng: 139.7671, radius_m: 500, limit: 50, filters: {} });
  assert.equal(expected.length, 50);
  assert.deepEqual(found.map(({ id }) => id), expected.map(({ id }) => id));
});

const wrong: readonly [string, Record<string, unknown>][] = [
  ["lat", { p_lat: 90.001 }],
  ["lat", { p_lat: "NaN" }],
  ["lat", { p_lat: null }],
  ["lng", { p_lng: -180.5 }],
  ["lng", { p_lng: "Infinity" }],
  ["lng", { p_lng: null }],
  ["radius_m", { p_radius_m: 0 }],
  ["radius_m", { p_radius_m: 50_001 }],
  ["radius_m", { p_radius_m: null }],
  ["limit", { p_limit: 0 }],
  ["limit", { p_limit: 101 }],
  ["limit", { p_limit: null }],
  ["filters", { p_filters: null }],
  ["filters", { p_filters: "[]" }],
  ["filters", { p_filters: "null" }],
  ["filters.max_height_m", { p_filters: '{"max_height_m": "2.1"}' }],
  ["filters.max_height_m", { p_filters: '{"max_height_m": 0}' }],
  ["filters.max_height_m", { p_filters: '{"max_height_m": 101}' }],
  ["filters.max_height_m", { p_filters: '{"max_height_m": null}' }],
  ["filters.tags", { p_filters: '{"tags": "covered"}' }],
  ["filters.tags", { p_filters: '{"tags": [1]}' }],
  ["filters.tags", { p_filters: '{"tags": [["covered"]]}' }],
  ["filters.tags", { p_filters: JSON.stringify({ tags: Array(21).fill("covered") }) }],
  ["filters.open_now", { p_filters: '{"open_now": true}' }],
  ["filters.Tags", { p_filters: '{"Tags": []}' }],
];
for (const [param, argument] of wrong) {
  Deno.test(`nearby refuses ${JSON.stringify(argument)} and names ${param}`, async () => {
    const given = {
      p_lat: 35,
      p_lng: 139,
      p_radius_m: 500,
      p_limit: 50,
      p_filters: "{}",
      ...argument,
    } as Record<string, string | number | null>;
    const refused = await refusal(db.as({ role: "anon" }, (sql) =>
      sql`
        select api.nearby_parking_lots(
          ${given.p_lat!}::text::float8, ${given.p_lng!}::text::float8, ${given.p_radius_m!}, ${given.p_limit!},
          ${given.p_filters!}::text::jsonb)`));
    assert.deepEqual([refused.code, refused.status, refused.param], ["validation_error", 422, param]);
  });
}

Deno.test("a suspended or withdrawn user is refused, an active one and an administrator are answered", async () => {
  const search = (sub: string) =>
    db.as({ role: "authenticated", sub }, (sql) => sql`select api.nearby_parking_lots(35.6812, 139.7671) as found`);
  const user = crypto.randomUUID();
  const administrator = crypto.randomUUID();
  await db.sql`
    insert into auth.users (id, email, raw_app_meta_data) values
      (${user}, ${`${user}@example.test`}, '{}'),
      (${administrator}, ${`${administrator}@example.test`}, '{"admin": {"name": "A", "areas": ["lots"]}}')`;
  assert.equal((await search(user))[0]!.found.length, 50);
  assert.equal((await search(administrator))[0]!.found.length, 50);
  for (const status of ["suspended", "withdrawn"]) {
    await db.sql`update public.app_users set status = ${status} where id = ${user}`;
    const refused = await refusal(search(user));
    assert.deepEqual([refused.code, refused.status], ["forbidden", 403]);
  }
});
