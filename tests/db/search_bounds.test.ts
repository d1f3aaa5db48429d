// Bounds of search: counts end, maps have a most, and no question reads the whole again and again.
import assert from "node:assert/strict";
import postgres, { type TransactionSql } from "postgres";
import { asSuperuser, database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";
import { search, type SearchArguments } from "./support/search.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const MOST_ON_MAP = 250_000;
const TOKYO = { lat: 35.68, lng: 139.77 };

// Entries without lots: what is counted here is only found, not shown. Two in a hundred thousand have a price.
await db.sql`alter table private.search_entries drop constraint search_entries_parking_lot_id_fkey`;
await db.sql`drop index private.search_entries_terms_idx`;
await db.sql`delete from public.parking_lots`;
await db.sql`truncate private.search_entries, private.map_cells, private.map_marks`;
await db.sql`
  insert into private.search_entries (
    parking_lot_id, mercator, lat, lng, rank_key, price_key, hour_price, currency, is_on_street, document, terms, name_count
  )
  select gen_random_uuid(), point(radians(p.lng), private.mercator_y(p.lat)), p.lat, p.lng, 9000,
    case when n % 50000 = 0 then 100 else 2147483647 end, case when n % 50000 = 0 then 100 end, 'JPY', false, '', '{}', 0
  from generate_series(1, ${MOST_ON_MAP + 1}::integer) as n
  cross join lateral (
    select ${TOKYO.lat}::float8 + 0.0004 * sqrt(n) * sin(n) as lat, ${TOKYO.lng}::float8 + 0.0004 * sqrt(n) * cos(n) as lng
  ) p`;
await db.sql`vacuum (analyze) private.search_entries, public.parking_lots`;

const searchOf = (question: SearchArguments) =>
  db.as({ role: "anon" }, async (sql) => {
    await sql`set local statement_timeout = '3s'`;
    return await search(sql, question);
  });
const total = async (question: SearchArguments) => {
  const { total, total_is_exact } = await searchOf({ limit: 1, include: ["total"], ...question });
  return [total, total_is_exact];
};

Deno.test("search: total is exact up to 10,000, and beyond that 10000 with total_is_exact false", async () => {
  assert.deepEqual(await total({}), [10_000, false]);
  assert.deepEqual(await total({ query: { center: TOKYO, radius_m: 50_000 } }), [10_000, false]);
  assert.deepEqual(await total({ query: { price_max: 100 } }), [5, true]);
  const ids = await db.sql<{ id: string }[]>`select parking_lot_id as id from private.search_entries limit 100`;
  assert.deepEqual(await total({ ids: ids.map(({ id }) => id) }), [100, true]);
  // One page has all, or none: nothing is compared again.
  assert.deepEqual(await total({ ids: ids.map(({ id }) => id), limit: 100 }), [100, true]);
  assert.deepEqual(await total({ query: { price_max: 100 }, limit: 5 }), [5, true]);
  assert.deepEqual(await total({ query: { price_max: 100 }, limit: 4 }), [5, true]);
  assert.deepEqual(await total({ query: { price_min: 50_000 }, limit: 5 }), [0, true]);
});

Deno.test("search: a vehicle that fits nowhere gets a response within the statement timeout of an anonymous request, in every order", async () => {
  for (const order of [{ center: TOKYO }, { center: { lat: 0, lng: 0 } }, { sort: "price" }, { sort: "recommended" }]) {
    const { items, next_cursor } = await searchOf({ query: { ...order, vehicle: { height_m: 10 } } });
    assert.deepEqual([items, next_cursor], [[], null]);
  }
});

Deno.test("search: a page for which all entries are compared is a counted read, in every order; one that an index or the order finds is not", async () => {
  const reason = (query: Record<string, unknown>, more: SearchArguments = {}, isCounted = false) =>
    errorOf(db.as({ role: "anon" }, async (sql) => {
      await sql`select set_config('request.headers', '{"host": "localhost"}', true)`;
      if (isCounted) await sql`select set_config('request.is_counted_read', 'yes', true)`;
      await sql`set local cpu_tuple_cost = 1`; // as if each entry were a hundred
      await search(sql, { query, ...more });
    })).then(
      ({ details }) => (details as { reason?: string }).reason,
      () => undefined,
    );
  const ids = await db.sql<{ id: string }[]>`select parking_lot_id as id from private.search_entries limit 5`;
  const rare = { keywords: ["rare"] }; // the index of terms does not exist here
  for (const order of [{ center: TOKYO }, { sort: "price" }, { sort: "recommended" }]) {
    const place = JSON.stringify(order);
    assert.equal(await reason({ ...order, ...rare }), "not_counted", place);
    assert.equal(await reason({ ...order, ...rare }, {}, true), undefined, place);
    assert.equal(await reason({ ...order, ...rare }, { ids: ids.map(({ id }) => id) }), undefined, place);
    assert.equal(await reason({ ...order, ...rare, center: TOKYO, radius_m: 1000 }), undefined, place);
    assert.equal(await reason({ ...order, meter_ticket_included: false }), undefined, place);
    assert.equal(await reason({ ...order, price_min: 50_000 }), undefined, place);
  }
});

Deno.test("search: a page of a list of operators that no lot has reads a window of the order, not the order to its end", async () => {
  const superuser = postgres(asSuperuser(db.url), { max: 1, onnotice: () => {} });
  const read = async (sql: TransactionSql) => {
    const [row] = await sql<{ rows: number }[]>`
      select (seq_tup_read + idx_tup_fetch)::integer as rows from pg_stat_xact_user_tables where relname = 'search_entries'`;
    return row!.rows;
  };
  for (const count of [4, 50]) {
    for (const sort of ["price", "recommended"]) {
      const operator_codes = Array.from({ length: count }, (_, n) => `nobody${n}`);
      await superuser.begin(async (sql) => {
        const before = await read(sql);
        await sql`set local role anon`;
        assert.deepEqual((await search(sql, { query: { sort, operator_codes }, limit: 20 })).items, []);
        await sql`reset role`;
        const rows = await read(sql) - before;
        assert.ok(rows <= 10_000, `${count} by ${sort}: ${rows} entries`);
      });
    }
  }
  await superuser.end();
});

const clusters = (zoom: number, bbox: number[], query: Record<string, unknown> = {}) =>
  db.sql<{ count: number; lots: number | null; is_exact: boolean }[]>`
    select cardinality(f.clusters) as count, (select sum(c.lot_count)::integer from unnest(f.clusters) as c) as lots, f.is_exact
    from private.clusters(${db.sql.json(query as never)}, ${bbox}::float8[], null, ${zoom + 3}) as f`;
const JAPAN = [129, 30, 146, 46];

Deno.test("map: more than 5,000 cells, 3,000 clusters, or 250,000 lots to be counted are rejected", async () => {
  const rejected = async (question: SearchArguments) => {
    const { code, status, param, details } = await errorOf(searchOf(question));
    return [code, status, param, (details as { reason?: string } | undefined)?.reason];
  };
  assert.deepEqual(await rejected({ zoom: 11, bbox: [139, 35, 141, 37] }), [
    "validation_error",
    422,
    "zoom",
    undefined,
  ]);
  const dense = { zoom: 14, bbox: [139.675, 35.61, 139.86, 35.75] };
  assert.deepEqual(await rejected(dense), ["validation_error", 422, "zoom", "too_many_clusters"]);
  const japan = { zoom: 5, bbox: JAPAN, query: { meter_ticket_included: true }, include: ["total"] };
  assert.deepEqual(await rejected(japan), ["validation_error", 422, "bbox", "too_many_lots"]);
  await db
    .sql`delete from private.search_entries where parking_lot_id = (select parking_lot_id from private.search_entries limit 1)`;
  await searchOf(japan);
});

Deno.test("map: a box with 10,000 lots has the kept sums, one with fewer lots or several conditions is counted", async () => {
  await db
    .sql`update private.search_entries set terms = '{#covered,=easy}', name_count = 2 where rank_key = 9000 and hour_price = 100`;
  await db.sql`
    select private.refresh_map_cells(array(select distinct private.map_cell(mercator) from private.search_entries))`;
  const found = async (...question: Parameters<typeof clusters>) => {
    const [row] = await clusters(...question);
    return [row!.lots, row!.is_exact];
  };
  assert.deepEqual(await found(5, JAPAN), [MOST_ON_MAP, false]);
  const [{ priced }] = await db.sql<[{ priced: number }]>`
    select count(*)::integer as priced from private.search_entries where hour_price = 100`;
  assert.ok(priced >= 4);
  assert.deepEqual(await found(5, JAPAN, { attributes: ["covered"] }), [priced, false]);
  assert.deepEqual(await found(5, JAPAN, { difficulty: ["easy"], sort: "price" }), [priced, false]);
  assert.deepEqual(await found(5, JAPAN, { operator_codes: ["nobody"] }), [null, false]);
  assert.deepEqual(await found(5, JAPAN, { attributes: ["covered"], difficulty: ["easy"] }), [priced, true]);
  assert.deepEqual(await found(5, JAPAN, { attributes: ["covered", "reservable"] }), [null, true]);
  assert.deepEqual(await found(5, JAPAN, { price_max: 100 }), [priced, true]);
  assert.equal((await found(12, [139.75, 35.67, 139.78, 35.69]))[1], true);
  const { total_is_exact } = await searchOf({ zoom: 5, bbox: JAPAN, include: ["total"] });
  assert.equal(total_is_exact, false);
});
