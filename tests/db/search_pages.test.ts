// Pages, clusters and changes of a search while lots come, go and change.
import assert from "node:assert/strict";
import type { TransactionSql } from "postgres";
import { database } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { chance } from "../support/random.ts";
import { newLot } from "../support/rows.ts";
import { type Page, search, searchAll } from "./support/search.ts";

const db = await database();
Deno.test.afterAll(() => db.close());
await db.sql`delete from public.parking_lots`;
const asVisitor = <Result>(run: (sql: TransactionSql) => Promise<Result>) => db.as({ role: "anon" }, run);
const { below: within } = chance(7);

const CENTER = { lat: 35.68, lng: 139.76 };
/** Prices and places are few, so that many lots tie. */
const someLot = () => ({
  name: "drawn",
  lat: CENTER.lat + within(12) / 100,
  lng: CENTER.lng,
  total_spaces: within(2) ? 10 : null,
  hour_price: within(3) ? 100 * within(4) : null,
});
for (let n = 0; n < 120; n++) await newLot(db.sql, someLot());

const sorts = ["recommended", "price", "distance"] as const;
for (const sort of sorts) {
  Deno.test(`pages by ${sort} add up to the whole list, in order, with ties by id`, async () => {
    const query = { sort, center: CENTER };
    const [whole, paged] = await asVisitor(async (sql) => [
      (await search(sql, { query, limit: 1000 })).items,
      await searchAll(sql, { query, limit: 7 }),
    ]);
    assert.equal(whole.length, 120);
    assert.deepEqual(paged, whole);
    const key = (item: typeof whole[number]) => sort === "price" ? item.hour_price ?? Infinity : item.distance_m ?? 0;
    if (sort === "recommended") return;
    whole.slice(1).forEach((item, n) => {
      const [before, after] = [key(whole[n]!), key(item)];
      assert.ok(before < after || (before === after && whole[n]!.id < item.id));
    });
  });
}

Deno.test("a circle passes what lies within it and nothing else", async () => {
  const all = await asVisitor((sql) => searchAll(sql, { query: { center: CENTER } }));
  for (const radius_m of [1, 1_000, 3_336, 5_000, 50_000]) {
    const query = { center: CENTER, radius_m };
    const expected = all.filter(({ distance_m }) => distance_m! <= radius_m).map(({ id }) => id);
    assert.deepEqual((await asVisitor((sql) => searchAll(sql, { query }))).map(({ id }) => id), expected);
    const { total } = await asVisitor((sql) => search(sql, { query, limit: 1, include: ["total"] }));
    assert.equal(total, expected.length);
  }
});

Deno.test("200 interleavings of reading pages and changing lots skip and repeat nothing that stayed", async () => {
  for (let round = 0; round < 200; round++) {
    const sort = sorts[round % 3]!;
    const ids = (await db.sql<{ id: string }[]>`select id from public.parking_lots order by id`).map(({ id }) => id);
    const touched = new Set<string>();
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const asked = { query: { sort, center: CENTER }, limit: 1 + within(40), cursor };
      const page: Page = await asVisitor((sql) => search(sql, asked));
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
      for (let n = within(4); n > 0; n--) await change(ids[within(ids.length)]!, touched);
    } while (cursor !== null);
    const counts = Map.groupBy(seen, (id) => id);
    for (const id of ids.filter((id) => !touched.has(id))) assert.equal(counts.get(id)?.length, 1, `${sort} ${id}`);
  }
});

/** Moves, reprices, removes or adds a lot; ids of lots that did not stay go into `touched`. */
async function change(id: string, touched: Set<string>): Promise<void> {
  const { lat, hour_price, total_spaces } = someLot();
  touched.add(id);
  if (within(3) > 0) {
    await db.sql`
      update public.parking_lots set lat = ${lat}, hour_price = ${hour_price}, total_spaces = ${total_spaces}
      where id = ${id}`;
  } else {
    await db.sql`delete from public.parking_lots where id = ${id}`;
    await newLot(db.sql, someLot());
  }
}

Deno.test("clusters hold every lot of the box once at every zoom, with a range of prices and the best lot", async () => {
  const bbox = [139.5, 35.5, 140, 36];
  const lots = await asVisitor((sql) => searchAll(sql, { bbox }));
  assert.ok(lots.length > 50);
  for (let zoom = 0; zoom <= 12; zoom++) {
    const plain = await asVisitor((sql) => search(sql, { bbox, zoom }));
    // A condition that all meet is answered from the entries, not from the kept cells.
    const counted = await asVisitor((sql) => search(sql, { bbox, zoom, query: { meter_ticket_included: false } }));
    assert.deepEqual(plain, counted, `zoom ${zoom}`);
    const clusters = plain.clusters!;
    assert.equal(clusters.reduce((sum, { count }) => sum + count, 0), lots.length);
    for (const { bbox: [west, south, east, north], count, representative, ...cell } of clusters) {
      const inside = await asVisitor((sql) => searchAll(sql, { bbox: [west, south, east, north] }));
      assert.ok(inside.length >= count);
      assert.equal(inside[0]!.id, representative.id);
      const prices = inside.flatMap(({ hour_price }) => hour_price ?? []);
      assert.deepEqual(
        [cell.price_min, cell.price_max],
        prices.length === 0 ? [null, null] : [Math.min(...prices), Math.max(...prices)],
      );
    }
  }
});

Deno.test("kept areas, and the cells of those that changed since, give what cells alone give", async () => {
  const boxes = [
    { bbox: [139.5, 35.5, 140, 36], zooms: [0, 5, 8] },
    { bbox: [139.755, 35.7, 139.77, 35.75], zooms: [7, 8] },
    { bbox: [120, 20, 150, 50], zooms: [3, 4] },
    { bbox: [100, -60, -170, 60], zooms: [1, 2] },
    { bbox: [-180, -85, 180, 85], zooms: [0, 3] },
  ];
  const all = () =>
    Promise.all(
      boxes.flatMap(({ bbox, zooms }) =>
        zooms.map((zoom) => asVisitor(async (sql) => (await search(sql, { bbox, zoom })).clusters))
      ),
    );
  await db.sql`
    insert into public.parking_lots (name, lat, lng, status)
    select 'Spread', -50 + n, -178 + 356.0 * (n * 37 % 100) / 100, 'active' from generate_series(1, 100) as n
    union all
    select 'Spread', 33 + n / 20.0, 136 + n * 7 % 80 / 10.0, 'active' from generate_series(1, 80) as n`;
  await db.sql`insert into private.map_stale (area) select area from private.map_cells`;
  const alone = await all();
  assert.ok(alone.every((clusters) => clusters!.length > 0));

  await db.sql`select private.refresh_map_areas()`;
  const [kept] = await db.sql`
    select count(*)::integer as areas, sum(lot_count)::integer as lots, (select count(*)::integer from private.map_stale) as stale,
      (select count(*)::integer from private.search_entries) as entries
    from private.map_areas`;
  assert.ok(kept!["areas"] > 100);
  assert.deepEqual([kept!["stale"], kept!["lots"]], [0, kept!["entries"]]);
  assert.deepEqual(await all(), alone);

  // An area that is stale is not read, whatever it says.
  await db.sql`insert into private.map_stale (area) select area from private.map_areas where area % 2 = 0`;
  await db.sql`update private.map_areas set lot_count = 1000000 where area % 2 = 0`;
  assert.deepEqual(await all(), alone);
  await db.sql`select private.refresh_map_areas()`;
  assert.deepEqual(await all(), alone);
  await db.sql`delete from public.parking_lots where name = 'Spread'`;
});

Deno.test("clusters hold the lots that lie in the box and no others, wherever its sides part a cell", async () => {
  await db.sql`
    insert into public.parking_lots (name, lat, lng, status)
    select 'Around', 35.6 + n / 400.0, 139.7 + n * 7 % 40 / 400.0, 'active' from generate_series(-40, 40) as n
    union all
    select 'Around', lat, lng, 'active'
    from unnest('{-89.95,-86,-60,0,84,89.95}'::float8[]) as lat, unnest('{-180,-179.999,-90,0,179.99,180}'::float8[]) as lng`;
  await db.sql`select private.refresh_map_areas()`;
  const boxes = Array.from({ length: 60 }, () => {
    const [west, south] = [139.55 + within(200) / 1000, 35.45 + within(200) / 1000];
    return [west, south, west + within(150) / 1000, south + within(150) / 1000];
  });
  boxes.push([0, 0, 0, 0], [-180, -90, 180, 90], [0, -90, -90, 90], [-90, 84, 0, 90], [179.995, -61, -179.9995, 85]);
  boxes.push([0, -90, 1, -87], [-90, -89, 0, -85], [139.74609375, 35.460669951495305, 139.921875, 35.60371874069731]);
  for (const bbox of boxes) {
    const { total } = await asVisitor((sql) => search(sql, { bbox, include: ["total"] }));
    const zoom = [2, 6, 9, 11][within(4)]!;
    const fits = bbox[2]! - bbox[0]! < 1 && bbox[2]! >= bbox[0]!;
    const asked = { bbox, zoom: fits ? zoom : 2, include: ["total"] };
    const plain = await asVisitor((sql) => search(sql, asked));
    const counted = await asVisitor((sql) => search(sql, { ...asked, query: { meter_ticket_included: true } }));
    assert.deepEqual(plain, counted, `${bbox} at zoom ${asked.zoom}`);
    assert.deepEqual([plain.total, plain.clusters!.reduce((sum, { count }) => sum + count, 0)], [total, total]);
  }
  await db.sql`delete from public.parking_lots where name = 'Around'`;
});

Deno.test("whoever changes lots of one area waits for nobody, and each change is seen at once", async () => {
  const bbox = [120, 20, 150, 50];
  const total = () =>
    asVisitor(async (sql) =>
      (await search(sql, { bbox, zoom: 4 })).clusters!.reduce((sum, { count }) => sum + count, 0)
    );
  await db.sql`select private.refresh_map_areas()`;
  const before = await total();
  const add = (sql: TransactionSql, lng: number) =>
    sql`insert into public.parking_lots (name, lat, lng, status) values ('Area', 35.6, ${lng}, 'active')`;
  // Two cells of one area: the second does not wait for the first, which has not committed.
  await db.sql.begin(async (first) => {
    await add(first, 139.60);
    await db.sql.begin((second) => add(second, 139.66));
    assert.equal(await total(), before + 1);
    await db.sql`select private.refresh_map_areas()`;
  });
  assert.equal(await total(), before + 2);
  await db.sql`select private.refresh_map_areas()`;
  assert.equal(await total(), before + 2);
  await db.sql`delete from public.parking_lots where name = 'Area'`;
  assert.equal(await total(), before);
});

/** Of the tests that run on the same server at the same time. */
const LONGEST_TRANSACTION_MS = 180_000;
const NOW = new Date().toISOString();
const changes = (cursor: string | null) => asVisitor((sql) => search(sql, { updated_since: NOW, limit: 1000, cursor }));

/** As many changes behind the cursor as are told of at last; transactions of other databases of the server hold them up. */
async function told(count: number, from: string | null): Promise<{ items: Page["items"]; cursor: string | null }> {
  const items: Page["items"] = [];
  let cursor = from;
  await eventually(async () => {
    const page = await changes(cursor);
    items.push(...page.items);
    cursor = page.next_cursor;
    return items.length >= count || undefined;
  }, LONGEST_TRANSACTION_MS);
  return { items, cursor };
}

Deno.test("changes tell what was added, changed, hidden and deleted, and resume without a gap", async () => {
  const marker = await newLot(db.sql, { name: "marker" });
  let { items, cursor } = await told(1, null);
  while (!items.some(({ id }) => id === marker)) ({ items, cursor } = await told(1, cursor));
  const lot = await newLot(db.sql, { name: "new" });
  const hidden = await newLot(db.sql, { name: "soon hidden" });
  const draft = await newLot(db.sql, { name: "draft", status: "draft" });
  await db.sql`update public.parking_lots set status = 'closed' where id = ${hidden}`;
  await db.sql`delete from public.parking_lots where id = ${draft}`;
  const second = await told(2, cursor);
  assert.deepEqual(second.items.map(({ id, deleted }) => [id, deleted ?? false]), [[lot, false], [hidden, true]]);
  await db.sql`delete from public.parking_lots where id = ${lot}`;
  const third = await told(1, second.cursor);
  assert.deepEqual(third.items.map(({ id, deleted }) => [id, deleted]), [[lot, true]]);
  const last = await changes(third.cursor);
  assert.deepEqual([last.items, last.next_cursor, last.has_more], [[], third.cursor, false]);
});

Deno.test("who asked when nothing had changed yet is told of a change, however long ago its transaction began", async () => {
  const since = new Date(Date.now() + 3_600_000).toISOString();
  const ask = (cursor?: string) => asVisitor((sql) => search(sql, { updated_since: since, cursor: cursor ?? null }));
  const slow = await db.sql.reserve();
  try {
    await slow`begin`;
    const [late] = await slow<{ id: string }[]>`
      insert into public.parking_lots (name, lat, lng, status) values ('slow', 1, 1, 'active') returning id`;
    const first = await ask();
    assert.deepEqual([first.items, first.has_more, typeof first.next_cursor], [[], false, "string"]);
    await slow`commit`;
    const isTold = await eventually(async () => {
      const { items } = await ask(first.next_cursor!);
      return items.some(({ id }) => id === late!.id) || undefined;
    }, LONGEST_TRANSACTION_MS);
    assert.ok(isTold);
  } finally {
    await slow`rollback`;
    slow.release();
  }
});

Deno.test("a change that commits late is not passed over by one that began later and committed first", async () => {
  const marker = await newLot(db.sql, { name: "marker" });
  let { items, cursor } = await told(1, null);
  while (!items.some(({ id }) => id === marker)) ({ items, cursor } = await told(1, cursor));
  const slow = await db.sql.reserve();
  try {
    await slow`begin`;
    const [late] = await slow<{ id: string }[]>`
      insert into public.parking_lots (name, lat, lng, status) values ('late', 1, 1, 'active') returning id`;
    const quick = await newLot(db.sql, { name: "quick", lat: 40 });
    assert.deepEqual((await changes(cursor)).items, [], "what may be overtaken is not told yet");
    await slow`commit`;
    assert.deepEqual((await told(2, cursor)).items.map(({ id }) => id), [late!.id, quick]);
  } finally {
    await slow`rollback`;
    slow.release();
  }
});
