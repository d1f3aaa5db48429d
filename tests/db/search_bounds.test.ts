// Bounds of search: counts end, maps have a most, and no question reads the whole again and again.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { refusal } from "../support/refusal.ts";
import { search, type SearchArguments } from "./support/search.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const MOST_ON_MAP = 250_000;
const TOKYO = { lat: 35.68, lng: 139.77 };

// Entries without lots: what is counted here is only found, not shown. Two in a hundred thousand have a price.
await db.sql`alter table private.search_entries disable trigger user`;
await db.sql`alter table private.search_entries drop constraint search_entries_parking_lot_id_fkey`;
await db.sql`drop index private.search_entries_terms_idx`;
await db.sql`delete from public.parking_lots`;
await db.sql`truncate private.search_entries, private.map_cells, private.map_areas, private.map_stale`;
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

const asked = (question: SearchArguments) =>
  db.as({ role: "anon" }, async (sql) => {
    await sql`set local statement_timeout = '3s'`;
    return await search(sql, question);
  });
const total = async (question: SearchArguments) => {
  const { total, total_is_exact } = await asked({ limit: 1, include: ["total"], ...question });
  return [total, total_is_exact];
};

Deno.test("search: total is exact up to 10,000, and beyond that 10000 with total_is_exact false", async () => {
  assert.deepEqual(await total({}), [10_000, false]);
  assert.deepEqual(await total({ query: { center: TOKYO, radius_m: 50_000 } }), [10_000, false]);
  assert.deepEqual(await total({ query: { price_max: 100 } }), [5, true]);
  const ids = await db.sql<{ id: string }[]>`select parking_lot_id as id from private.search_entries limit 100`;
  assert.deepEqual(await total({ ids: ids.map(({ id }) => id) }), [100, true]);
});

Deno.test("search: a vehicle that fits nowhere is answered in the time of an anonymous request, in every order", async () => {
  for (const order of [{ center: TOKYO }, { center: { lat: 0, lng: 0 } }, { sort: "price" }, { sort: "recommended" }]) {
    const { items, next_cursor } = await asked({ query: { ...order, vehicle: { height_m: 10 } } });
    assert.deepEqual([items, next_cursor], [[], null]);
  }
});

Deno.test("map: more than 5,000 cells are rejected, and so is counting more than 250,000 lots one by one", async () => {
  const refused = await refusal(asked({ zoom: 11, bbox: [139, 35, 141, 37] }));
  assert.deepEqual([refused.status, refused.param], [422, "zoom"]);
  const japan = { zoom: 5, bbox: [129, 30, 146, 46], query: { meter_ticket_included: true }, include: ["total"] };
  const many = await refusal(asked(japan));
  assert.deepEqual([many.code, many.status, many.param, many.details], [
    "validation_error",
    422,
    "bbox",
    { reason: "too_many_lots" },
  ]);
  await db
    .sql`delete from private.search_entries where parking_lot_id = (select parking_lot_id from private.search_entries limit 1)`;
  await asked(japan);
});
