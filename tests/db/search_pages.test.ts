// Pages and changes of a search while lots come, go and change.
import assert from "node:assert/strict";
import type { TransactionSql } from "postgres";
import { database } from "../support/database.ts";
import { chance } from "../support/random.ts";
import { newLot, runJob } from "../support/rows.ts";
import { type Page, search, searchAll } from "./support/search.ts";
import { volume } from "../support/sizes.ts";

const db = await database();
Deno.test.afterAll(() => db.close());
await db.sql`delete from public.parking_lots`;
const asAnonymous = <Result>(run: (sql: TransactionSql) => Promise<Result>) => db.as({ role: "anon" }, run);
const { below: within } = chance(7);

const ROUNDS = volume("SEARCH_ROUNDS", 40, 200);
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
  Deno.test(`search pages: pages by ${sort} add up to the whole list, in order, with ties by id`, async () => {
    const query = { sort, center: CENTER };
    const [whole, paged] = await asAnonymous(async (sql) => [
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

Deno.test("search pages: a circle passes exactly the lots within it", async () => {
  const all = await asAnonymous((sql) => searchAll(sql, { query: { center: CENTER } }));
  for (const radius_m of [1, 1_000, 3_336, 5_000, 50_000]) {
    const query = { center: CENTER, radius_m };
    const expected = all.filter(({ distance_m }) => distance_m! <= radius_m).map(({ id }) => id);
    assert.deepEqual((await asAnonymous((sql) => searchAll(sql, { query }))).map(({ id }) => id), expected);
    const { total } = await asAnonymous((sql) => search(sql, { query, limit: 1, include: ["total"] }));
    assert.equal(total, expected.length);
  }
});

Deno.test(`search pages: ${ROUNDS} interleavings of reading pages and changing lots skip and repeat no unchanged lot`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const sort = sorts[round % 3]!;
    const ids = (await db.sql<{ id: string }[]>`select id from public.parking_lots order by id`).map(({ id }) => id);
    const touched = new Set<string>();
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const args = { query: { sort, center: CENTER }, limit: 1 + within(40), cursor };
      const page: Page = await asAnonymous((sql) => search(sql, args));
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

const NOW = new Date().toISOString();
/** The changes after the cursor, once the job has run. */
async function changes(cursor: string | null): Promise<Page> {
  await runJob(db.sql, "note_lot_changes");
  return await asAnonymous((sql) => search(sql, { updated_since: NOW, limit: 1000, cursor }));
}

Deno.test("search pages: changes report what was added, changed, hidden and deleted, and resume without a gap", async () => {
  const marker = await newLot(db.sql, { name: "marker" });
  let first = await changes(null);
  const before = [...first.items];
  for (; first.has_more; before.push(...first.items)) first = await changes(first.next_cursor);
  assert.ok(before.some(({ id }) => id === marker));
  const lot = await newLot(db.sql, { name: "new" });
  const hidden = await newLot(db.sql, { name: "soon hidden" });
  const draft = await newLot(db.sql, { name: "draft", status: "draft" });
  await db.sql`update public.parking_lots set status = 'closed' where id = ${hidden}`;
  await db.sql`delete from public.parking_lots where id = ${draft}`;
  const second = await changes(first.next_cursor);
  assert.deepEqual(second.items.map(({ id, deleted }) => [id, deleted ?? false]), [[lot, false], [hidden, true]]);
  await db.sql`delete from public.parking_lots where id = ${lot}`;
  const third = await changes(second.next_cursor);
  assert.deepEqual(third.items.map(({ id, deleted }) => [id, deleted]), [[lot, true]]);
  const last = await changes(third.next_cursor);
  assert.deepEqual([last.items, last.next_cursor, last.has_more], [[], third.next_cursor, false]);
});

Deno.test("search pages: a change that commits late is reported after earlier reads, and delays no other change", async () => {
  const since = new Date(Date.now() + 3_600_000).toISOString();
  const ask = async (cursor: string | null) => {
    await runJob(db.sql, "note_lot_changes");
    return await asAnonymous((sql) => search(sql, { updated_since: since, cursor }));
  };
  const slow = await db.sql.reserve();
  try {
    await slow`begin`;
    const [late] = await slow<{ id: string }[]>`
      insert into public.parking_lots (name, lat, lng, status) values ('late', 1, 1, 'active') returning id`;
    const first = await ask(null);
    assert.deepEqual([first.items, first.has_more, typeof first.next_cursor], [[], false, "string"]);
    const quick = await newLot(db.sql, { name: "quick", lat: 40 });
    const second = await ask(first.next_cursor);
    assert.deepEqual(second.items.map(({ id }) => id), [quick]);
    await slow`commit`;
    assert.deepEqual((await ask(second.next_cursor)).items.map(({ id }) => id), [late!.id]);
  } finally {
    await slow`rollback`;
    slow.release();
  }
});
