import assert from "node:assert/strict";
import { AREAS } from "../../tools/seed/places.ts";
import { Random } from "../../tools/seed/random.ts";
import { seedSql } from "../../tools/seed/seed.ts";
import { database } from "../support/database.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

Deno.test("seed: supabase/seed.sql is what its generator writes (deno task seed)", async () => {
  const committed = await Deno.readTextFile(new URL("../../supabase/seed.sql", import.meta.url));
  assert.ok(committed === seedSql(), "supabase/seed.sql is stale: run `deno task seed`");
});

Deno.test("seed: its random numbers are the same everywhere and evenly distributed", () => {
  const random = new Random("tokyo-001");
  const drawn = Array.from({ length: 10_000 }, () => random.between(1, 10));
  assert.deepEqual(
    drawn.slice(0, 8),
    Array.from({ length: 8 }, ((again) => () => again.between(1, 10))(new Random("tokyo-001"))),
  );
  for (let value = 1; value <= 10; value++) {
    const share = drawn.filter((number) => number === value).length;
    assert.ok(share > 850 && share < 1150, `${value}: ${share}`);
  }
});

Deno.test("seed: has 240 active lots, each with an address, an operator and a unique name", async () => {
  const [counts] = await db.sql`
    select count(*)::integer as lots, count(distinct name)::integer as names, count(address)::integer as addresses,
      count(operator_code)::integer as operated, count(*) filter (where status = 'active')::integer as active,
      count(*) filter (where max_height_m is not null)::integer > 80 as heights
    from public.parking_lots where source = 'seed'`;
  assert.deepEqual({ ...counts }, { lots: 240, names: 240, addresses: 240, operated: 240, active: 240, heights: true });
});

Deno.test("seed: lots lie within 2.5 km of their station", async () => {
  for (const { id, station } of AREAS) {
    const lots = await db.sql`
      select count(*)::integer as lots from public.parking_lots
      where source = 'seed' and external_id like ${`${id}-%`}
        and sqrt(power(lat - ${station.lat}, 2) + power((lng - ${station.lng}) * cosd(lat), 2)) * 111.195 < 2.5`;
    assert.equal(lots[0]?.["lots"], 80, id);
  }
});

Deno.test("seed: has every category of pricing rule, every cap and every kind of hours", async () => {
  const distinct = async (column: string, table: string) =>
    (await db.sql`
      select distinct ${db.sql(column)} as value from ${db.sql(table)}
      where parking_lot_id in (select id from public.parking_lots where source = 'seed')
        and ${db.sql(column)} is not null order by 1`).map((row) => row["value"]);
  assert.deepEqual(await distinct("category", "pricing_rules"), ["cap", "flat", "grace", "initial", "time_band"]);
  assert.deepEqual(await distinct("cap_type", "pricing_rules"), ["band", "day", "duration", "stay"]);
  assert.deepEqual(await distinct("window_type", "parking_lot_windows"), [
    "after_hours_exit",
    "business",
    "entry",
    "exit",
  ]);
  assert.deepEqual(await distinct("day_type", "parking_lot_windows"), [
    "all",
    "holiday",
    "holiday_eve",
    "saturday",
    "sunday",
    "weekday",
  ]);
});

Deno.test("seed: its codes are in the code master, and every tag is on some lot", async () => {
  const unknown = await db.sql`
    with used as (
      select 'structure' as category, structure as code from public.parking_lots where source = 'seed'
      union select 'entry_method', entry_method from public.parking_lots where source = 'seed'
      union select 'vehicle_type', vehicle_type_max from public.parking_lot_spots
      union select 'ev_connector_type', ev_connector_type from public.parking_lot_spots
      union select 'accessibility', accessibility from public.parking_lot_spots
      union select 'vehicle_type', unnest(vehicle_types) from public.pricing_groups
    )
    select category, code from used u
    where code is not null
      and not exists (select from public.codes c where c.category_id = u.category and c.code = u.code)`;
  assert.deepEqual([...unknown], []);
  const unused = await db.sql`
    select slug from public.tags t
    where not exists (
      select from public.parking_lots l where l.source = 'seed' and t.slug = any (l.tag_slugs)
    )`;
  assert.deepEqual(unused.map((row) => row["slug"]), []);
});

Deno.test("seed: some lots have no price and some no hours", async () => {
  const [counts] = await db.sql`
    select
      count(*) filter (where not exists (select from public.pricing_rules r where r.parking_lot_id = l.id))::integer as unpriced,
      count(*) filter (where not exists (select from public.parking_lot_windows w where w.parking_lot_id = l.id))::integer as unstated
    from public.parking_lots l where l.source = 'seed'`;
  assert.ok(counts?.["unpriced"] >= 1 && counts?.["unpriced"] <= 10, JSON.stringify(counts));
  assert.ok(counts?.["unstated"] >= 5 && counts?.["unstated"] <= 40, JSON.stringify(counts));
});
