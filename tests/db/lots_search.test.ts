// The nearest lots, against sorting all of them by the haversine formula.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { chance } from "../support/random.ts";
import { type Filters, type Lot, nearest, type Query } from "./support/brute_force.ts";
import { lots, MISLEADING, queries } from "./support/lots_of_the_world.ts";
import { storeLots } from "./support/stored_lots.ts";
import { volume } from "../support/sizes.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const world = lots(volume("WORLD_LOTS", 4_000, 20_000));
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
    cross join lateral (
      select f.lot_ids, f.distances from private.nearest_lots(q.lat, q.lng, q.radius_m, q.limit) as f
      where q.max_height_m is null and q.tags = '{}'
      union all
      select f.lot_ids, f.distances
      from private.nearest_passing_lots(q.lat, q.lng, q.radius_m, q.limit, q.max_height_m, q.tags::text[]) as f
      where q.max_height_m is not null or q.tags <> '{}'
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

Deno.test("nearest lots: they are those of a full sort: anywhere, any radius, any limit", async () => {
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
  Deno.test(`nearest lots: with ${name}: those of a full sort`, async () => {
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
  Deno.test(`nearest lots: ${name}: those of a full sort`, async () => {
    const around = [1, 40, 900, 5_000, 20_000, 50_000].flatMap((radius_m) =>
      [1, 3, 50, 100].map((limit): Query => ({ lat, lng, radius_m, limit, filters: {} }))
    );
    assert.ok(await agrees(around) > 100);
  });
}

Deno.test("nearest lots: lots that the map projection shows in another order are listed in the order of the globe", async () => {
  const limits = [1, 40, 45, 50, 55, 100];
  await agrees(limits.map((limit) => ({ ...MISLEADING, radius_m: 50_000, limit, filters: {} })));
});

Deno.test("nearest lots: a lot on the outermost meridian of the circle is found", async () => {
  const tall = { max_height_m: 1 };
  const outermost = nearest(world, { ...MISLEADING, radius_m: 50_000, limit: 1_000, filters: tall })
    .filter(({ distance_m }) => distance_m > 49_999);
  assert.ok(outermost.length > 0);
  await agrees([{ ...MISLEADING, radius_m: 50_000, limit: 1_000, filters: tall }]);
});

Deno.test("nearest lots: lots at one point are listed by id, for any number", async () => {
  const [crowd] = world.filter(({ crowd }) => crowd);
  const query = { lat: crowd!.lat, lng: crowd!.lng, radius_m: 500, limit: 100, filters: {} };
  const [given] = await answers([query]);
  const ids = world.filter((lot) => lot.crowd && lot.status === "active").map(({ id }) => id).sort();
  assert.ok(ids.length > 400);
  assert.deepEqual(given!.map(({ id }) => id), ids.slice(0, 100));
});

Deno.test("nearest lots: lots a few centimetres to metres apart are all found, with any index", async () => {
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

/** The conditions of a page: a condition over private.search_entries e, and the share of lots that is expected to meet it. */
interface PageCase {
  readonly condition: string;
  readonly share: number;
  readonly most_m: number | null;
}

/** All lots by their distance from a point; `meets` has whether the lot meets each of the conditions. */
const sorted = (lat: number, lng: number, conditions: readonly string[]) =>
  db.sql.unsafe<{ id: string; key: number; meets: boolean[] }[]>(`
    select parking_lot_id as id, key, array[${conditions.map((one) => `coalesce(${one}, false)`).join(", ")}] as meets
    from private.search_entries e
    cross join lateral (select round(private.great_circle_m(${lat}, ${lng}, e.lat, e.lng) * 1e6) / 1e6 as key) k
    order by key, id`);

/** Compares pages after lots of many ranks with a full sort. */
async function pagesAgree(
  { lat, lng }: { lat: number; lng: number },
  { condition, share, most_m }: PageCase,
  ranked: readonly { readonly id: string; readonly key: number }[],
) {
  const some = below(ranked.length + 1);
  for (const after of new Set([0, 1, some, some + 1, 448, ranked.length >> 1, ranked.length - 1, ranked.length])) {
    if (after < 0 || after > ranked.length) continue;
    const [last, limit] = [ranked[after - 1], [1, 21, 101][below(3)]!];
    const [found] = await db.sql<{ lot_ids: string[]; keys: number[] }[]>`
      select coalesce(p.lot_ids, '{}') as lot_ids, coalesce(p.keys, '{}') as keys
      from private.distance_page(
        ${condition}, ${share}, ${lat}, ${lng}, ${most_m}, ${last ? db.sql.json([last.key, last.id]) : null}, ${limit}
      ) as p`;
    const expected = ranked.slice(after, after + limit);
    const about = JSON.stringify({ lat, lng, condition, share, most_m, after, limit });
    assert.deepEqual(found!.lot_ids, expected.map(({ id }) => id), about);
    assert.deepEqual(found!.keys, expected.map(({ key }) => key), about);
  }
}

const { below, next } = chance(11);
const EVERYWHERE: readonly { lat: number; lng: number }[] = [
  ...places.map(([, lat, lng]) => ({ lat, lng })),
  { lat: 51.5, lng: -0.12 },
  { lat: 35.6812, lng: 139.7671 },
  { lat: 35.70001, lng: 139.70001 },
  MISLEADING,
  ...Array.from({ length: 6 }, () => ({ lat: 180 * next() - 90, lng: 360 * next() - 180 })),
];
for (const { lat, lng } of EVERYWHERE) {
  Deno.test(`nearest lots: pages by distance from ${lat}, ${lng} are those of the sorted list, at any depth`, async () => {
    const cases: [condition: string, share: number, most_m: number | null][] = [
      ["true", 1, null],
      ["true", 1, 3],
      ["true", 1, 50_000],
      // However many lots are expected to meet a condition: some, all of them, or none.
      ["e.max_height_m >= 2.5", 0.3, null],
      ["e.max_height_m >= 3.5", 1, null],
      ["e.lat < 60", 0, null],
      // Far fewer than expected, so that reading in the order of distance is given up.
      ["e.max_height_m between 2.5 and 2.51", 0.9, 50_000],
      ["e.max_height_m > 100", 0.9, 50_000],
      ["e.max_height_m between 2.5 and 2.51", 0.9, null],
      ["e.max_height_m > 100", 0.9, null],
    ];
    const all = await sorted(lat, lng, cases.map(([condition]) => condition));
    assert.ok(all.length > 0.75 * world.length);
    for (const [n, [condition, share, most_m]] of cases.entries()) {
      const ranked = all.filter(({ key, meets }) => meets[n] && key <= (most_m ?? Infinity));
      await pagesAgree({ lat, lng }, { condition, share, most_m }, ranked);
    }
  });
}

Deno.test("nearest lots: a search never scans the whole table", async () => {
  await db.as({ role: "anon" }, async (sql) => {
    // Counted since the session's counts were last written out, so that what came before counts too.
    const scans = async () => {
      const [row] = await sql<{ seq_scan: number; idx_scan: number }[]>`
        select seq_scan::integer, idx_scan::integer
        from pg_stat_xact_user_tables where relid = 'private.search_entries'::regclass`;
      return row ?? { seq_scan: 0, idx_scan: 0 };
    };
    const before = await scans();
    for (const { lat, lng, radius_m, limit } of queries(40, {})) {
      await sql`select * from private.nearest_lots(${lat}, ${lng}, ${radius_m}, ${limit})`;
    }
    const after = await scans();
    assert.equal(after.seq_scan - before.seq_scan, 0);
    assert.ok(after.idx_scan - before.idx_scan >= 40);
  });
});
