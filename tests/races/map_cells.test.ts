// Many writers of one cell of the map at once.
import assert from "node:assert/strict";
import postgres from "postgres";
import { database } from "../support/database.ts";

const WRITERS = 40;

const db = await database();
Deno.test.afterAll(() => db.close());

/** What the cells say, and what a recount of the entries gives. */
async function cells() {
  return await db.sql`
    with counted as (
      select private.map_cell(e.mercator) as cell, count(*)::integer as lots, min(e.hour_price) as price_min,
        max(e.hour_price) as price_max, round(sum(e.lat)::numeric, 6) as lat_sum,
        (array_agg(e.parking_lot_id order by e.rank_key, e.parking_lot_id))[1] as best
      from private.search_entries e group by 1
    )
    select coalesce(c.cell, m.cell) as cell,
      (c.lots, c.price_min, c.price_max, c.lat_sum, c.best)
        is not distinct from (m.lot_count, m.price_min, m.price_max, round(m.lat_sum::numeric, 6), m.representative_id)
        as is_equal
    from counted c full join private.map_cells m on m.cell = c.cell`;
}

Deno.test(`${WRITERS} writers who add, price, move and delete lots of one cell leave what a recount gives`, async () => {
  const sql = postgres(db.url, { max: WRITERS, onnotice: () => {} });
  try {
    await Promise.all(Array.from({ length: WRITERS }, async (_, n) => {
      const [lot] = await sql<{ id: string }[]>`
        insert into public.parking_lots (name, lat, lng, status) values (${`Racer ${n}`}, 10.0001, 20.0001, 'active')
        returning id`;
      const id = lot!.id;
      await sql`
        insert into public.pricing_rules (parking_lot_id, category, per_minutes, price_minor)
        values (${id}, 'time_band', 60, ${100 + n})`;
      if (n % 4 === 0) await sql`delete from public.parking_lots where id = ${id}`;
      if (n % 4 === 1) await sql`update public.parking_lots set lat = 11, lng = 21 where id = ${id}`;
      if (n % 4 === 2) await sql`update public.parking_lots set status = 'closed' where id = ${id}`;
    }));
  } finally {
    await sql.end();
  }
  const [racers] = await db.sql`
    select count(*)::integer as lots, count(distinct private.map_cell(mercator))::integer as cells
    from private.search_entries where document like 'racer%'`;
  assert.deepEqual({ ...racers }, { lots: WRITERS / 2, cells: 2 });
  const all = await cells();
  assert.ok(all.length > 2);
  assert.deepEqual(all.filter((cell) => !cell["is_equal"]).map((cell) => cell["cell"]), []);
});
