// The map under concurrent writes: no writer waits for another one, and the sums are those of what was committed.
import assert from "node:assert/strict";
import postgres, { type Sql } from "postgres";
import { database } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { newLot, newUser, runJob } from "../support/rows.ts";

const WRITERS = 40;

const db = await database();
const sql = postgres(db.url, { max: WRITERS, onnotice: () => {} });
Deno.test.afterAll(async () => {
  await sql.end();
  await db.close();
});

/** The numbers of the cells whose sums are not those of a recount. */
async function wrongCells(): Promise<number[]> {
  const cells = await db.sql<{ cell: number; is_equal: boolean }[]>`
    with counted as (
      select private.map_cell(e.mercator) as cell, count(*)::integer as lots, min(e.hour_price) as price_min,
        max(e.hour_price) as price_max, round(sum(e.lat)::numeric, 6) as lat_sum,
        min(((100000 + e.rank_key)::text || e.parking_lot_id) collate "C") as best
      from private.search_entries e group by 1
    )
    select cell, (c.lots, c.price_min, c.price_max, c.lat_sum, c.best)
        is not distinct from (m.lot_count, m.price_min, m.price_max, round(m.lat_sum::numeric, 6), m.best) as is_equal
    from counted c
    full join (select * from private.map_cells where level = 14 and term = '') m using (cell)`;
  assert.ok(cells.length > 2);
  return cells.filter(({ is_equal }) => !is_equal).map(({ cell }) => cell);
}

Deno.test(`map: ${WRITERS} writers that add, price, move and delete lots of one cell while the job runs leave sums equal to a recount`, async () => {
  let isWriting = true;
  const job = (async () => {
    while (isWriting) await runJob(db.sql, "refresh_map");
  })();
  await Promise.all(Array.from({ length: WRITERS }, async (_, n) => {
    const id = await newLot(sql, { name: `Racer ${n}`, lat: 10.0001, lng: 20.0001 });
    await sql`
      insert into public.pricing_rules (parking_lot_id, category, per_minutes, price_minor)
      values (${id}, 'time_band', 60, ${100 + n})`;
    if (n % 4 === 0) await sql`delete from public.parking_lots where id = ${id}`;
    if (n % 4 === 1) await sql`update public.parking_lots set lat = 11, lng = 21 where id = ${id}`;
    if (n % 4 === 2) await sql`update public.parking_lots set status = 'closed' where id = ${id}`;
  }));
  isWriting = false;
  await job;
  const [racers] = await db.sql`
    select count(*)::integer as lots, count(distinct private.map_cell(mercator))::integer as cells
    from private.search_entries where document like 'racer%'`;
  assert.deepEqual({ ...racers }, { lots: WRITERS / 2, cells: 2 });
  await runJob(db.sql, "refresh_map");
  assert.deepEqual(await wrongCells(), []);
});

Deno.test("map: two jobs at once, one of which is slow, leave sums equal to a recount", async () => {
  const lot = await newLot(sql, { name: "Slow", lat: 10.0001, lng: 20.0001 });
  const slow = await sql.reserve();
  try {
    await slow`begin`;
    await slow`select private.next_map_batch(-1)`;
    await sql`update public.parking_lots set hour_price = 1 where id = ${lot}`;
    const other = runJob(db.sql, "refresh_map");
    await waiting("next_map_batch");
    await slow`commit`;
    await other;
  } finally {
    await slow`rollback`;
    slow.release();
  }
  assert.deepEqual(await wrongCells(), []);
});

/** Waits until a statement that contains this text waits for a lock. */
async function waiting(text: string): Promise<void> {
  await eventually(async () => {
    const found = await db.sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and position(${text} in query) > 0`;
    return found.length > 0 || undefined;
  });
}

/** Approves a review of the lot, which changes its rating. */
async function approve(on: Sql, lot: string): Promise<void> {
  const author = await newUser(on);
  const [review] = await on<{ id: string }[]>`
    insert into public.reviews (parking_lot_id, user_id, rating) values (${lot}, ${author}, 5) returning id`;
  await on.begin(async (transaction) => {
    await transaction`set local statement_timeout = '10s'`;
    await transaction`update public.reviews set status = 'approved' where id = ${review!.id}`;
  });
}

Deno.test("map: moderation in a cell that an open import has written neither waits for it nor deadlocks with it", async () => {
  const [first, second] = [await newLot(sql, { lat: 10.0001 }), await newLot(sql, { lat: 10.0001 })];
  await sql.begin(async (imported) => {
    await imported`update public.parking_lots set total_spaces = 10 where id = ${first}`;
    await approve(sql, second);
    await imported`
      insert into public.pricing_rules (parking_lot_id, category, per_minutes, price_minor)
      values (${second}, 'time_band', 60, 100)`;
  });
  const [lot] = await db.sql`select avg_rating::float, hour_price from public.parking_lots where id = ${second}`;
  assert.deepEqual({ ...lot }, { avg_rating: 5, hour_price: 100 });
  await runJob(db.sql, "refresh_map");
  assert.deepEqual(await wrongCells(), []);
});
