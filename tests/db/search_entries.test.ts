// Search entries follow the rows of lots: the trigger compares every column that an entry depends on.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { newLot } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

/** Another value for each column of parking_lots; null where no statement writes it. */
const OTHERS: Record<string, string | number | null> = {
  id: null,
  name: "Other",
  name_kana: "アザー",
  address: "2-2",
  lat: 35.7,
  lng: 139.8,
  area: '{"type":"Point","coordinates":[139.8,35.7]}',
  total_spaces: 41,
  structure: "on_street",
  max_height_m: 2.2,
  max_width_m: 1.9,
  max_length_m: 4.8,
  max_weight_t: 2.5,
  min_clearance_cm: 16,
  max_tire_width_mm: 225,
  max_parking_duration_min: 600,
  entry_method: "gate",
  shape_type: "flat",
  entry_difficulty: "hard",
  operator_code: "minato",
  phone: "03",
  website: "https://example.com",
  time_zone: "Asia/Seoul",
  holiday_calendar: "KR",
  currency: "USD",
  source: "test",
  external_id: "1",
  source_url: "https://example.com/1",
  licence: "CC0",
  attribution: "Somebody",
  avg_rating: 4.5,
  review_count: 12,
  tag_slugs: "{covered}",
  main_image_key: "lots/a.png",
  hour_price: 350,
  price_fixed_at_entry: "true",
  status: "closed",
  created_at: null,
  updated_at: null,
};

Deno.test("search entries: after a change of any column of a lot they equal a new derivation", async () => {
  const columns = await db.sql<{ name: string; type: string }[]>`
    select attname as name, format_type(atttypid, null) as type from pg_attribute
    where attrelid = 'public.parking_lots'::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`;
  const unknown = columns.filter(({ name }) => OTHERS[name] === undefined).map(({ name }) => name);
  assert.deepEqual(unknown, [], "give another value for these columns");
  const lot = await newLot(db.sql);
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  for (const [column, value] of Object.entries(OTHERS)) {
    if (value === null) continue;
    await db.sql.unsafe(
      `update public.parking_lots set ${column} = $1::text::${types.get(column)} where id = $2`,
      [String(value), lot],
    );
    const [entries] = await db.sql`
      select (select to_jsonb(e) - 'terms' from private.search_entries e where e.parking_lot_id = ${lot}) as kept,
        (select to_jsonb(w) - 'terms' from private.written_entries(${[lot]}) w) as derived,
        (select array(select unnest(e.terms) order by 1) from private.search_entries e where e.parking_lot_id = ${lot}) as kept_terms,
        (select array(select unnest(w.terms) order by 1) from private.written_entries(${[lot]}) w) as derived_terms`;
    assert.deepEqual(entries!["kept"], entries!["derived"], column);
    assert.deepEqual(entries!["kept_terms"], entries!["derived_terms"], column);
  }
});
