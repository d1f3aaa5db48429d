// Lots of a test in the database, with prices, hours and ratings of every kind.
import type { Sql } from "postgres";
import { chance } from "../../support/random.ts";
import type { Lot } from "./brute_force.ts";

/** Replaces all stored lots. */
export async function storeLots(sql: Sql, lots: readonly Lot[]): Promise<void> {
  const column = <Key extends keyof Lot>(key: Key) => lots.map((lot) => lot[key]);
  await sql`delete from public.parking_lots`;
  await sql`
    insert into public.parking_lots (id, name, lat, lng, status, max_height_m)
    select id, 'Lot', lat, lng, status, max_height_m
    from unnest(
      ${column("id")}::uuid[], ${column("lat")}::float8[], ${column("lng")}::float8[], ${column("status")}::text[],
      ${column("max_height_m")}::numeric[]
    ) as l (id, lat, lng, status, max_height_m)`;
  const tags = lots.flatMap((lot) => lot.tags.map((slug) => ({ id: lot.id, slug })));
  await sql`
    insert into public.parking_lot_tags (parking_lot_id, tag_id)
    select l.id, t.id
    from unnest(${tags.map(({ id }) => id)}::uuid[], ${tags.map(({ slug }) => slug)}::text[]) as l (id, slug)
    join public.tags t using (slug)`;
  await sql`analyze public.parking_lots, private.search_entries`;
}

type Row = Record<string, string | number | boolean | null>;

/** Some are dear, some cheap, some equal, some free for a while; some cannot be priced on Sundays. */
const PRICE_LISTS: readonly (readonly Row[])[] = [
  [{ category: "time_band", per_minutes: 30, price_minor: 200 }],
  [{ category: "time_band", per_minutes: 20, price_minor: 400 }],
  [
    { category: "time_band", per_minutes: 60, price_minor: 300 },
    { category: "cap", cap_type: "day", cap_price_minor: 900, cap_repeat: true },
  ],
  [{ category: "grace", per_minutes: 90 }, { category: "time_band", per_minutes: 15, price_minor: 150 }],
  [{ category: "flat", price_minor: 1000 }],
  [{ category: "time_band", per_minutes: 30, price_minor: 100, day_type: "weekday" }],
];

const HOURS: readonly (readonly Row[])[] = [
  [{ window_type: "business", is_24h: true }],
  [{ window_type: "business", is_closed: true }],
  [{ window_type: "business", open_time: "08:00", close_time: "20:00" }],
  [{ window_type: "business", open_time: "20:00", close_time: "08:00" }],
  [
    { window_type: "business", is_24h: true },
    { window_type: "exit", open_time: "06:00", close_time: "23:00" },
  ],
];

/** A quarter of the lots gets no prices, another no hours, a third no rating. */
export async function storeFacts(sql: Sql, lots: readonly Lot[]): Promise<void> {
  const { next, pick, below } = chance(lots.length);
  const rules: Row[] = [];
  const windows: Row[] = [];
  const ratings: Row[] = [];
  for (const { id } of lots) {
    if (next() < 0.75) {
      rules.push(...pick(PRICE_LISTS).map((rule, n) => ({ parking_lot_id: id, rule_order: n + 1, ...rule })));
    }
    if (next() < 0.75) windows.push(...pick(HOURS).map((window) => ({ parking_lot_id: id, ...window })));
    if (next() < 0.67) ratings.push({ id, avg_rating: 1 + below(401) / 100 });
  }
  await sql`
    insert into public.pricing_rules (
      parking_lot_id, rule_order, category, per_minutes, price_minor, day_type, cap_type, cap_price_minor, cap_repeat
    )
    select parking_lot_id, rule_order, category, per_minutes, price_minor, day_type, cap_type, cap_price_minor, cap_repeat
    from jsonb_populate_recordset(null::public.pricing_rules, ${sql.json(rules)})`;
  await sql`
    insert into public.parking_lot_windows (parking_lot_id, window_type, is_24h, is_closed, open_time, close_time)
    select parking_lot_id, window_type, is_24h, is_closed, open_time, close_time
    from jsonb_populate_recordset(null::public.parking_lot_windows, ${sql.json(windows)})`;
  await sql`
    update public.parking_lots l set avg_rating = r.avg_rating, review_count = 1
    from jsonb_populate_recordset(null::public.parking_lots, ${sql.json(ratings)}) r
    where l.id = r.id`;
  await sql`analyze`;
}
