// The nearest lots, against sorting all of them by the haversine formula.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { chance } from "../support/random.ts";
import { type Filters, type Lot, nearest, type Query } from "./support/brute_force.ts";
import { lots, MISLEADING, queries } from "./support/lots_of_the_world.ts";
import { storeLots } from "./support/stored_lots.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const world = lots(20_000);
await storeLots(db.sql, world);

/** What the database answers, one list a query. */
async function answers(queries: readonly Query[]): Promise<{ id: string; distance_m: number }[][]> {
  const column = <Key extends keyof Query>(key: Key) => queries.map((query) => query[key]);
  const rows = await db.sql<{ query: number; id: string; distance_m: number }[]>`
    select q.query::integer - 1 as query, n.id, n.distance_m
    from unnest(
      ${column("lat")}::float8[], ${column("lng")}::float8[], ${column("radius_m")}::float8[],
      ${column("limit")}::integer[], ${queries.map(({ filters }) => filters.max_height_m ?? null)}::numeric[],
      ${queries.map(({ filters }) => `{${(filters.tags ?? []).join(",")}}`)}::text[]
    ) with ordinality as q (lat, lng, radius_m, "limit", max_height_m, tags, query)
    cross join lateral private.nearest_lots(
      q.lat, q.lng, q.radius_m, q.limit, q.max_height_m, q.tags::text[]
    ) as f
    cross join lateral unnest(f.lot_ids, f.distances) with ordinality as n (id, distance_m, place)
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

Deno.test("lots a few centimetres to metres apart are all found, however the index was built", async () => {
  const { next } = chance(7);
  const street = { lat: 35.00001, lng: 135.00001 };
  const somewhere = (spread: number) => ({
    lat: street.lat + spread * (next() - 0.5),
    lng: street.lng + spread * (next() - 0.5),
  });
  const crowd = Array.from({ length: 4_000 }, (): Lot => ({
    id: crypto.randomUUID(),
    ...somewhere(0.0006),
    status: "active",
    max_height_m: null,
    tags: [],
    crowd: false,
  }));
  const near = await database();
  try {
    await storeLots(near.sql, crowd);
    for (let n = 0; n < 400; n++) {
      const query = {
        ...somewhere(0.0006),
        radius_m: 1 + 12 * next(),
        limit: 1 + Math.floor(20 * next()),
        filters: {},
      };
      const given = await near.sql<{ id: string }[]>`
        select unnest(lot_ids) as id
        from private.nearest_lots(${query.lat}, ${query.lng}, ${query.radius_m}, ${query.limit})`;
      assert.deepEqual(given.map(({ id }) => id), nearest(crowd, query).map(({ id }) => id), JSON.stringify(query));
    }
  } finally {
    await near.close();
  }
});

Deno.test("a search never reads the table from end to end", async () => {
  const scans = await db.as({ role: "anon" }, async (sql) => {
    for (const { lat, lng, radius_m, limit } of queries(40, {})) {
      await sql`select * from private.nearest_lots(${lat}, ${lng}, ${radius_m}, ${limit})`;
    }
    return await sql<{ seq_scan: number; idx_scan: number }[]>`
      select seq_scan::integer, idx_scan::integer
      from pg_stat_xact_user_tables where relid = 'public.parking_lots'::regclass`;
  });
  assert.equal(scans[0]?.seq_scan, 0);
  assert.ok(scans[0].idx_scan >= 40);
});
