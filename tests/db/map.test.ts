// The map: clusters of the lots in a box, and the sums that are kept for boxes with many lots.
import assert from "node:assert/strict";
import type { TransactionSql } from "postgres";
import { database } from "../support/database.ts";
import { chance } from "../support/random.ts";
import { newLot, runJob } from "../support/rows.ts";
import { search, searchAll } from "./support/search.ts";

const db = await database();
Deno.test.afterAll(() => db.close());
await db.sql`delete from public.parking_lots`;
const asAnonymous = <Result>(run: (sql: TransactionSql) => Promise<Result>) => db.as({ role: "anon" }, run);
const { below: within } = chance(7);

/** Prices and places are few, so that many lots tie. */
const someLot = () => ({
  name: "drawn",
  lat: 35.68 + within(12) / 100,
  lng: 139.76 + within(6) / 100,
  total_spaces: within(2) ? 10 : null,
  hour_price: within(3) ? 100 * within(4) : null,
  currency: within(20) ? "JPY" : "CHF",
  entry_difficulty: ["easy", "hard", null][within(3)]!,
  tag_slugs: [["covered"], ["covered", "reservable"], []][within(3)]!,
});
for (let n = 0; n < 120; n++) await newLot(db.sql, someLot());

const refresh = () => runJob(db.sql, "refresh_map");

Deno.test("map: clusters hold every lot of the box once at every zoom, with a range of prices and the best lot", async () => {
  const bbox = [139.5, 35.5, 140, 36];
  const lots = await asAnonymous((sql) => searchAll(sql, { bbox }));
  assert.ok(lots.length > 50);
  const inJpy = await db.sql<{ id: string }[]>`select id from public.parking_lots where currency = 'JPY'`;
  const comparable = new Set(inJpy.map(({ id }) => id));
  for (let zoom = 0; zoom <= 12; zoom++) {
    const { clusters } = await asAnonymous((sql) => search(sql, { bbox, zoom }));
    assert.equal(clusters!.reduce((sum, { count }) => sum + count, 0), lots.length);
    for (const { bbox: [west, south, east, north], count, representative, ...cell } of clusters!) {
      const inside = await asAnonymous((sql) => searchAll(sql, { bbox: [west, south, east, north] }));
      assert.ok(inside.length >= count);
      assert.equal(inside[0]!.id, representative.id);
      const priced = inside.filter(({ hour_price }) => hour_price !== null);
      const prices = priced.map(({ hour_price }) => hour_price!);
      const currencies = new Set(priced.map(({ id }) => comparable.has(id)));
      assert.deepEqual(
        [cell.price_min, cell.price_max],
        currencies.size === 1 ? [Math.min(...prices), Math.max(...prices)] : [null, null],
      );
    }
  }
});

Deno.test("map: clusters hold exactly the lots in the box, also where its sides cut a cell", async () => {
  await db.sql`
    insert into public.parking_lots (name, lat, lng, status)
    select 'Around', 35.6 + n / 400.0, 139.7 + n * 7 % 40 / 400.0, 'active' from generate_series(-40, 40) as n
    union all
    select 'Around', lat, lng, 'active'
    from unnest('{-89.95,-86,-60,0,84,89.95}'::float8[]) as lat, unnest('{-180,-179.999,-90,0,179.99,180}'::float8[]) as lng`;
  const boxes = Array.from({ length: 60 }, () => {
    const [west, south] = [139.55 + within(200) / 1000, 35.45 + within(200) / 1000];
    return [west, south, west + within(150) / 1000, south + within(150) / 1000];
  });
  boxes.push([0, 0, 0, 0], [-180, -90, 180, 90], [0, -90, -90, 90], [-90, 84, 0, 90], [179.995, -61, -179.9995, 85]);
  boxes.push([0, -90, 1, -87], [-90, -89, 0, -85], [139.74609375, 35.460669951495305, 139.921875, 35.60371874069731]);
  for (const bbox of boxes) {
    const { total } = await asAnonymous((sql) => search(sql, { bbox, include: ["total"] }));
    const fits = bbox[2]! - bbox[0]! < 1 && bbox[2]! >= bbox[0]!;
    const args = { bbox, zoom: fits ? [2, 6, 9, 11][within(4)]! : 2, include: ["total"] };
    const page = await asAnonymous((sql) => search(sql, args));
    assert.deepEqual([page.total, page.total_is_exact], [total, true], `${bbox} at zoom ${args.zoom}`);
    assert.equal(page.clusters!.reduce((sum, { count }) => sum + count, 0), total);
  }
});

interface Cell {
  readonly cell_x: number;
  readonly cell_y: number;
  readonly lot_count: string;
  readonly lat: string;
  readonly representative_id: string;
}

/** The kept cells of the whole world, and the same counted from the entries. */
async function keptAndCounted(level: number, term: string, query: Record<string, unknown>): Promise<[Cell[], Cell[]]> {
  const world = [-180, -90, 180, 90];
  const columns = db.sql`
    c.cell_x, c.cell_y, c.lot_count, round(c.lat::numeric, 6) as lat, round(c.lng::numeric, 6) as lng, c.price_min, c.price_max,
    c.currency, c.representative_id`;
  const kept = await db.sql<Cell[]>`
    select ${columns} from private.stored_clusters(${world}::float8[], ${level}, ${term}) as c order by 1, 2`;
  const counted = await db.sql<Cell[]>`
    select ${columns} from private.counted_clusters(${
    db.sql.json(query as never)
  }, ${world}::float8[], null, ${level}) as c
    order by 1, 2`;
  return [[...kept], [...counted]];
}

Deno.test("map: a lot has its time zone in a cluster, in the results of a search and nearby", async () => {
  const place = { lat: 46.2, lng: 6.14 };
  await newLot(db.sql, { ...place, name: "By other clocks", time_zone: "Europe/Zurich" });
  const bbox = [6.1, 46.1, 6.2, 46.3];
  const zones = await asAnonymous(async (sql) => [
    (await search(sql, { bbox, zoom: 9 })).clusters![0]!.representative,
    (await search(sql, { bbox })).items[0],
    (await sql`select api.nearby_parking_lots(${place.lat}, ${place.lng}) -> 'items' -> 0 as lot`)[0]!["lot"],
  ]);
  assert.deepEqual(zones.map((lot) => lot?.time_zone), Array(3).fill("Europe/Zurich"));
});

Deno.test("map: after the job the stored sums equal a count, at every level, for all lots and for each name", async () => {
  await db.sql`
    insert into public.parking_lots (name, lat, lng, status)
    select 'Spread', -50 + n, -178 + 356.0 * (n * 37 % 100) / 100, 'active' from generate_series(1, 100) as n
    union all
    select 'Spread', 33 + n / 20.0, 136 + n * 7 % 80 / 10.0, 'active' from generate_series(1, 80) as n`;
  for (let round = 0; round < 3; round++) {
    await refresh();
    for (let level = 3; level <= 14; level++) {
      for (
        const [term, query] of [
          ["", {}],
          ["#covered", { attributes: ["covered"] }],
          ["#reservable", { attributes: ["reservable"] }],
          ["=hard", { difficulty: ["hard"] }],
        ] as const
      ) {
        const [kept, counted] = await keptAndCounted(level, term, query);
        assert.ok(kept.length > 0);
        assert.deepEqual(kept, counted, `level ${level}, ${term}`);
      }
    }
    await db
      .sql`update public.parking_lots set hour_price = 700 where id in (select id from public.parking_lots limit 10)`;
    await db
      .sql`update public.parking_lots set lat = lat + 0.5, tag_slugs = '{reservable}' where total_spaces = 10 and lat < 35.7`;
    await db.sql`update public.parking_lots set status = 'closed' where lng > 150`;
    await db.sql`delete from public.parking_lots where id in (select id from public.parking_lots order by id limit 7)`;
  }
  const [left] = await db.sql`select count(*)::integer as marks from private.map_marks`;
  assert.ok(left!["marks"] > 0);
});

Deno.test("map: a stored cell whose best lot was deleted shows another lot with the term, and is not shown when none is left", async () => {
  const add = (columns: Record<string, string | number | string[]>) =>
    newLot(db.sql, { lat: -20.005, lng: 30.005, name: "alone", ...columns });
  const best = await add({ total_spaces: 5, hour_price: 100, tag_slugs: ["monthly_available"] });
  const other = await add({ tag_slugs: ["monthly_available"] });
  const withoutTag = await add({ total_spaces: 5, hour_price: 100, max_height_m: 2 });
  await refresh();
  const visible = async (term: string) =>
    (await keptAndCounted(14, term, {}))[0].filter(({ lat }) => Number(lat) < -20 && Number(lat) > -20.1)
      .map(({ lot_count, representative_id }) => [lot_count, representative_id]);
  assert.deepEqual(await visible("#monthly_available"), [["2", best]]);
  assert.deepEqual(await visible(""), [["3", withoutTag]]);
  await db.sql`update public.parking_lots set status = 'closed' where id = ${best}`;
  assert.deepEqual(await visible("#monthly_available"), [["2", other]]);
  await db.sql`delete from public.parking_lots where id = ${other}`;
  assert.deepEqual(await visible("#monthly_available"), []);
  assert.deepEqual(await visible(""), [["3", withoutTag]]);
  await refresh();
  assert.deepEqual(await visible(""), [["1", withoutTag]]);
});

Deno.test("map: a change without effect on the sums marks no cell", async () => {
  await refresh();
  await db.sql`update public.parking_lots set website = 'https://example.test' where name = 'alone'`;
  await db.sql`update public.parking_lots set name = 'renamed' where name = 'alone'`;
  assert.equal((await db.sql`select from private.map_marks`).length, 0);
});

Deno.test("map: the job recalculates batch by batch, and each batch is committed", async () => {
  await db.sql`insert into private.map_marks (cell) select cell from private.map_cells where level = 14`;
  const marked = async () => (await db.sql`select distinct cell from private.map_marks`).length;
  const all = await marked();
  assert.ok(all > 20);
  const [batch] = await db.sql<{ last: number }[]>`select private.next_map_batch(-1, 10) as last`;
  assert.equal(await marked(), all - 10);
  await db.sql`select private.next_map_batch(${batch!.last}, 1000)`;
  assert.equal(await marked(), 0);
  const [end] = await db.sql`select private.next_map_batch(-1) as last`;
  assert.equal(end!["last"], null);
});
