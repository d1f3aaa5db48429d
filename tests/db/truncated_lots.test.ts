import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { newLot, runJob } from "../support/rows.ts";

Deno.test("truncated lots: truncating parking_lots clears the map and records a change for every lot", async () => {
  const db = await database();
  try {
    await newLot(db.sql, { lat: 35.68, lng: 139.76 });
    const counts = async () => {
      await runJob(db.sql, "refresh_map");
      await runJob(db.sql, "note_lot_changes");
      const [row] = await db.sql`
        select (select count(*)::int from public.parking_lots) as lots, (select count(*)::int from private.map_cells) as cells,
          (select count(*)::int from private.lot_changes c where not c.is_gone) as public_lots`;
      return { ...row };
    };
    assert.ok(Object.values(await counts()).every((count) => count > 0));
    await db.sql`truncate public.parking_lots cascade`;
    assert.deepEqual(await counts(), { lots: 0, cells: 0, public_lots: 0 });
  } finally {
    await db.close();
  }
});

Deno.test("truncated lots: truncating a table that references lots clears its data in lots and search entries", async () => {
  const db = await database();
  try {
    const lot = await newLot(db.sql);
    const [asset] = await db.sql`insert into public.assets (storage_key) values ('lots/a.png') returning id`;
    const rows: Record<string, Promise<unknown>> = {
      parking_lot_windows: db.sql`
        insert into public.parking_lot_windows (parking_lot_id, window_type, is_24h) values (${lot}, 'business', true)`,
      pricing_rules: db.sql`
        insert into public.pricing_rules (parking_lot_id, category, cap_type, cap_price_minor) values (${lot}, 'cap', 'day', 500)`,
      parking_lot_spots: db.sql`
        insert into public.parking_lot_spots (parking_lot_id, code, is_ev_charger) values (${lot}, 'a', true)`,
      parking_lot_tags: db.sql`
        insert into public.parking_lot_tags (parking_lot_id, tag_id, state)
        select ${lot}, id, slug <> 'reservable' from public.tags where slug in ('covered', 'reservable')`,
      parking_lot_images: db.sql`
        insert into public.parking_lot_images (parking_lot_id, asset_id, is_main) values (${lot}, ${
        asset!["id"]
      }, true)`,
    };
    await Promise.all(Object.values(rows));
    const known = async () => {
      const [row] = await db.sql`
        select l.tag_slugs, l.main_image_key is not null as has_image, e.rank_key,
          array(select t from unnest(e.terms[:e.name_count]) as t order by t) as names
        from public.parking_lots l join private.search_entries e on e.parking_lot_id = l.id where l.id = ${lot}`;
      return { ...row };
    };
    for (const table of Object.keys(rows)) {
      const before = await known();
      await db.sql`truncate ${db.sql(`public.${table}`)}`;
      const after = await known();
      assert.notDeepEqual(after, before, table);
      await db.sql`select private.refresh_search_entries(${[lot]}::uuid[])`;
      assert.deepEqual(await known(), after, table);
    }
    const { tag_slugs, has_image, names } = await known();
    assert.deepEqual([tag_slugs, has_image, names], [[], false, []]);
  } finally {
    await db.close();
  }
});
