// Bounds of nearby, and of usable lots in search: every request among tens of thousands of lots is answered or rejected well within anon's three
// seconds, and a list that left something out says so.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";
import { nearbyFound, type Question } from "./support/nearby.ts";
import { type Page, search } from "./support/search.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const CENTER = { lat: 35.68, lng: 139.77 };
const LOTS = 60_000;
const PRICED = 4_000;
/** By day an hour costs 100, by night 1,000: the night costs more than the price list lets expect. */
const NIGHT = { entry_at: "2026-11-25T20:00:00+09:00", exit_at: "2026-11-26T06:00:00+09:00" };
const MONTH = { entry_at: "2026-11-25T10:00:00+09:00", exit_at: "2026-12-26T10:00:00+09:00" };

// To derive a search entry takes longer than all the rest: they are written as they would be.
const triggers = await db.sql<{ on: string; name: string }[]>`
  select tgrelid::regclass::text as on, tgname as name from pg_trigger
  where tgfoid = 'private.tg_parking_lots__refresh'::regproc
    or tgfoid = 'private.tg_lot_rows__refresh_lots'::regproc and tgrelid = 'public.parking_lot_windows'::regclass`;
for (const { on, name } of triggers) await db.sql.unsafe(`alter table ${on} disable trigger ${name}`);
await db.sql`delete from public.parking_lots`;
// On a spiral: the first are the nearest.
await db.sql`
  insert into public.parking_lots (name, lat, lng, status)
  select 'Lot ' || n, ${CENTER.lat}::float8 + 0.0008 * sqrt(n) * sin(n), ${CENTER.lng}::float8 + 0.0008 * sqrt(n) * cos(n), 'active'
  from generate_series(1, ${LOTS}::integer) as n`;
await db.sql`
  insert into public.pricing_rules (parking_lot_id, category, rule_order, time_start, time_end, per_minutes, price_minor)
  select l.id, 'time_band', r.place, r.opens::time, r.closes::time, 60, r.price
  from public.parking_lots l
  join generate_series(1, ${PRICED}::integer) as n on l.name = 'Lot ' || n
  cross join (values (1, '08:00', '20:00', 100), (2, '20:00', '08:00', 1000)) as r (place, opens, closes, price)`;
await db.sql`
  insert into public.parking_lot_windows (parking_lot_id, window_type, is_closed)
  select l.id, 'business', true from public.parking_lots l`;
await db.sql`
  insert into private.search_entries (
    parking_lot_id, mercator, lat, lng, rank_key, price_key, currency, is_on_street, max_height_m, document, terms, name_count
  )
  select l.id, point(radians(l.lng), private.mercator_y(l.lat)), l.lat, l.lng, 9000, 2147483647, 'JPY', false,
    case when l.name in ('Lot 1', ${"Lot " + LOTS}) then 5 end, '',
    case when l.name in ('Lot 1', ${"Lot " + LOTS}) then '{#covered}' else '{}' end::text[], 0
  from public.parking_lots l`;
await db.sql`vacuum (analyze) public.parking_lots, private.search_entries, private.tariffs, public.parking_lot_windows`;

const searchOf = (question: Partial<Question>) =>
  db.as({ role: "anon" }, async (sql) => {
    await sql`set local statement_timeout = '3s'`;
    const { items, is_truncated } = await nearbyFound(sql, { ...CENTER, radius_m: 50_000, limit: 100, ...question });
    return [items.length, is_truncated];
  });

Deno.test("nearby: a max_price that needs too many lots to be priced is 422 too_much_to_price", async () => {
  for (const stay of [NIGHT, MONTH]) {
    const max_price = stay === NIGHT ? 9_000 : 100_000;
    const error = await errorOf(searchOf({ filters: { ...stay, max_price } }));
    assert.deepEqual([error.code, error.status, error.details], [
      "validation_error",
      422,
      { reason: "too_much_to_price" },
    ]);
  }
});

Deno.test("nearby: without_surprises prices a quarter of the lots", async () => {
  for (const [stay, max_price, most] of [[NIGHT, 9_000, 444], [MONTH, 100_000, 102]] as const) {
    const error = await errorOf(searchOf({ filters: { ...stay, max_price, without_surprises: true } }));
    assert.deepEqual(error.details, { reason: "too_much_to_price" });
    assert.match(error.message, new RegExp(`more than ${most} lots`));
    assert.deepEqual(await searchOf({ filters: { ...stay, without_surprises: true } }), [100, true]);
  }
});

Deno.test("nearby: within a radius with few lots the same request succeeds", async () => {
  assert.deepEqual(await searchOf({ radius_m: 2_000, filters: { ...NIGHT, max_price: 9_000 } }), [0, false]);
  assert.deepEqual(await searchOf({ radius_m: 2_000, filters: { ...NIGHT, max_price: 10_000 } }), [100, true]);
});

Deno.test("nearby: lots whose price list is above the limit are left out without being priced", async () => {
  assert.deepEqual(await searchOf({ filters: { ...NIGHT, max_price: 900 } }), [0, true]);
  assert.deepEqual(await searchOf({ filters: { ...MONTH, max_price: 70_000 } }), [0, true]);
});

Deno.test("nearby: filters that no lot passes end after the nearest 3,000 lots, with is_truncated true", async () => {
  assert.deepEqual(await searchOf({ filters: { open_now: true } }), [0, true]);
  assert.deepEqual(await searchOf({ filters: { ...NIGHT, open_now: true, max_price: 9_000 } }), [0, true]);
  assert.deepEqual(await searchOf({ radius_m: 3_000, filters: { open_now: true } }), [0, false]);
});

Deno.test("nearby: a request that checks more than 300 lots is counted, with any radius", async () => {
  const isCounted = async (question: Partial<Question>) => {
    const asked = db.as({ role: "anon" }, async (sql) => {
      await sql`select set_config('request.headers', '{}', true)`; // as a request of the Data API
      await nearbyFound(sql, { ...CENTER, radius_m: 50_000, limit: 100, ...question });
    });
    if (await asked.then(() => true, () => false)) return false;
    assert.deepEqual((await errorOf(asked)).details, { reason: "not_counted" });
    return true;
  };
  const noneOpen = { open_now: true };
  const filters: [question: Partial<Question>, isCounted: boolean][] = [
    [{ filters: noneOpen }, true],
    [{ filters: noneOpen, radius_m: 2_000 }, true],
    [{ filters: noneOpen, radius_m: 1_800 }, true],
    [{ filters: { ...NIGHT, max_price: 900 }, radius_m: 2_000 }, true],
    [{ filters: NIGHT, usable: "only", radius_m: 2_000 }, true],
    [{ filters: noneOpen, radius_m: 500 }, false], // with fewer lots
    [{ filters: noneOpen, lat: -35 }, false], // where no lot is
    [{ filters: { ...NIGHT, max_price: 10_000 } }, false], // the nearest 100 pass
    [{ filters: { max_height_m: 4 } }, false], // an index finds these
    [{ filters: { tags: ["covered"] } }, false],
  ];
  for (const [question, expected] of filters) {
    assert.equal(await isCounted(question), expected, JSON.stringify(question));
  }
});

Deno.test("nearby: usable=only checks the nearest 3,000 lots, and usable=first those of the page", async () => {
  // All lots are closed.
  assert.deepEqual(await searchOf({ usable: "only" }), [0, true]);
  assert.deepEqual(await searchOf({ usable: "only", filters: MONTH, vehicle: { height_m: 2, width_m: 2 } }), [0, true]);
  assert.deepEqual(await searchOf({ usable: "only", radius_m: 3_000 }), [0, false]);
  assert.deepEqual(await searchOf({ usable: "first" }), [100, true]);
});

Deno.test("search: a page with usable checks 1,000 lots, and the next one continues where it ended", async () => {
  await db.as({ role: "anon" }, async (sql) => {
    await sql`set local statement_timeout = '3s'`;
    for (const sort of ["distance", "price", "recommended"]) {
      for (const usable of ["first", "only"]) {
        const plain = { query: { center: CENTER, radius_m: 4_000, sort }, ...NIGHT, limit: 100 };
        const args = { ...plain, usable };
        const lengths = [];
        const found = new Set<string>();
        let cursor: string | null = null;
        do {
          const page: Page = await search(sql, { ...args, cursor });
          lengths.push(page.items.length);
          page.items.forEach(({ id }) => found.add(id));
          cursor = page.next_cursor;
        } while (cursor !== null);
        const { total, total_is_exact } = await search(sql, { ...args, include: ["total"] });
        const { total: all } = await search(sql, { ...plain, include: ["total"] });
        assert.ok(all! > 1_500 && all! < 3_000, String(all));
        assert.deepEqual([total, total_is_exact], [usable === "only" ? 0 : all, true]);
        assert.equal(found.size, usable === "only" ? 0 : all);
        const empty = Math.ceil(all! / 1_000);
        assert.deepEqual(lengths.slice(0, empty), Array(empty).fill(0));
        assert.equal(lengths.length, empty + (usable === "only" ? 0 : Math.ceil(all! / 100)));
      }
      const { total, total_is_exact } = await search(sql, {
        query: { center: CENTER, radius_m: 10_000, sort },
        ...NIGHT,
        usable: "only",
        include: ["total"],
      });
      assert.deepEqual([total, total_is_exact], [0, false]);
    }
  });
});

Deno.test("nearby: a rare tag or height is searched in the whole radius", async () => {
  for (const filters of [{ tags: ["covered"] }, { max_height_m: 4 }, { tags: ["covered"], max_height_m: 4 }]) {
    assert.deepEqual(await searchOf({ filters }), [2, false]);
    assert.deepEqual(await searchOf({ filters, limit: 1 }), [1, true]);
    assert.deepEqual(await searchOf({ filters, radius_m: 10_000 }), [1, false]);
  }
  assert.deepEqual(await searchOf({ filters: { tags: ["nowhere"] } }), [0, false]);
  assert.deepEqual(await searchOf({ filters: { max_height_m: 100 } }), [0, false]);
});

Deno.test("nearby: a stay of 31 days is priced at 100 lots within the time of an anonymous request", async () => {
  assert.deepEqual(await searchOf({ sort: "price", filters: MONTH }), [100, true]);
});
