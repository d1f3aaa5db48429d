// The filter without_surprises of nearby and search: exactly the lots whose calc-fee has a fee without surprises, by every
// caller, for random price lists and stays.
import assert from "node:assert/strict";
import type { TransactionSql } from "postgres";
import { Chance, randomStay } from "../oracles/random_fees.ts";
import { database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";
import { newUser, signedIn } from "../support/rows.ts";
import { answers, seedLots } from "./support/fees.ts";
import { nearby, nearbyFound } from "./support/nearby.ts";
import { search, searchAll } from "./support/search.ts";
import { seed, volume } from "../support/sizes.ts";

const SEED = seed("FEE_SEED", 5);
const CENTER = { lat: 35.68, lng: 139.77 };
const LOTS = 60;
const STAYS = volume("SURPRISE_STAYS", 5, 50);

const db = await database();
Deno.test.afterAll(() => db.close());
await db.sql`delete from public.parking_lots`;
const chance = new Chance(SEED);
const lots = await seedLots(
  db.sql,
  Array.from({ length: LOTS }, () => ({ ...randomStay(chance), time_zone: "Asia/Tokyo" })),
);
// On a spiral, the nearest first. Some allow shorter stays, some close at night, some have a list of their own for kei.
await db.sql`
  update public.parking_lots l set lat = ${CENTER.lat}::float8 + 0.0002 * sqrt(n) * sin(n),
    lng = ${CENTER.lng}::float8 + 0.0002 * sqrt(n) * cos(n), max_parking_duration_min = case when n % 7 = 0 then 600 end
  from unnest(${lots}::uuid[]) with ordinality as u (id, n) where u.id = l.id`;
await db.sql`
  insert into public.parking_lot_windows (parking_lot_id, window_type, day_type, open_time, close_time)
  select id, 'business', 'all', '08:00', '22:00' from unnest(${lots}::uuid[]) with ordinality as u (id, n) where n % 5 = 0`;
await db.sql`
  with g as (
    insert into public.pricing_groups (parking_lot_id, code, name, vehicle_types)
    select id, 'kei', 'Kei', '{kei}' from unnest(${lots}::uuid[]) with ordinality as u (id, n) where n % 3 = 0
    returning id, parking_lot_id
  )
  insert into public.pricing_rules (parking_lot_id, pricing_group_id, category, per_minutes, price_minor)
  select parking_lot_id, id, 'time_band', 60, 700 from g`;
const user = await newUser(db.sql);
const CALLERS = [{ role: "anon" }, { role: "service_role" }, signedIn(user)] as const;
const MINUTE = 60_000;

function stayOf(): { entry_at: string; exit_at: string } {
  const entry = Date.parse("2026-11-20T00:00:00+09:00") + chance.int(0, 40 * 24 * 12) * 5 * MINUTE;
  const minutes = chance.pick(0, 25, 60, 185, 600, 1_440, 1_900, 4_000, 12_000);
  return { entry_at: new Date(entry).toISOString(), exit_at: new Date(entry + minutes * MINUTE).toISOString() };
}

/** The lots whose calc-fee has a fee and no surprises. */
async function plainLots(stay: { entry_at: string; exit_at: string }, vehicle_type: string): Promise<Set<string>> {
  const list = await answers(db.sql, lots.map((lot) => ({ lot, ...stay, vehicle_type })));
  return new Set(lots.filter((_, n) => list[n]!.surprises?.length === 0));
}

const ids = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);

Deno.test(`without_surprises: nearby and search leave the lots whose calc-fee has no surprises, for ${STAYS} random stays`, async () => {
  let [kept, left] = [0, 0];
  for (let n = 0; n < STAYS; n++) {
    const stay = stayOf();
    const vehicle_type = chance.pick("standard", "standard", "kei");
    const plain = await plainLots(stay, vehicle_type);
    const caller = CALLERS[n % CALLERS.length]!;
    await db.as(caller, async (sql: TransactionSql) => {
      const question = { ...CENTER, radius_m: 2_000, limit: 100, vehicle_type };
      const all = await nearby(sql, { ...question, filters: stay });
      assert.equal(all.length, LOTS);
      const expected = ids(all).filter((id) => plain.has(id));
      const filters = { ...stay, without_surprises: true };
      assert.deepEqual(ids(await nearby(sql, { ...question, filters })), expected, JSON.stringify(stay));
      // A filter that is false is none.
      assert.deepEqual(
        ids(await nearby(sql, { ...question, filters: { ...stay, without_surprises: false } })),
        ids(all),
      );
      // With a price, with usability, and with a limit.
      const cheap = all.filter(({ id, estimated_fee }) => plain.has(id) && estimated_fee! <= 900).map(({ id }) => id);
      assert.deepEqual(ids(await nearby(sql, { ...question, filters: { ...filters, max_price: 900 } })), cheap);
      const usable = all.filter(({ id, usable_for_stay }) => plain.has(id) && usable_for_stay !== false);
      assert.deepEqual(ids(await nearby(sql, { ...question, filters, usable: "only" })), ids(usable));
      const some = await nearbyFound(sql, { ...question, filters, limit: 3 });
      assert.deepEqual([ids(some.items), some.is_truncated], [expected.slice(0, 3), expected.length > 3]);

      const query = { center: CENTER, radius_m: 2_000 };
      const found = { query, ...stay, vehicle_type, without_surprises: true };
      assert.deepEqual(ids(await searchAll(sql, { ...found, limit: 7 })), expected);
      assert.deepEqual(ids(await searchAll(sql, { ...found, limit: 7, usable: "only" })), ids(usable));
      const unusable = expected.filter((id) => !ids(usable).includes(id));
      assert.deepEqual(ids(await searchAll(sql, { ...found, limit: 7, usable: "first" })), [
        ...ids(usable),
        ...unusable,
      ]);
      const { total, total_is_exact } = await search(sql, { ...found, limit: 1, include: ["total"] });
      assert.deepEqual([total, total_is_exact], [expected.length, true]);
    });
    kept += plain.size;
    left += LOTS - plain.size;
  }
  assert.ok(kept > 8 * STAYS && left > 8 * STAYS, `${kept} kept, ${left} left out`);
});

Deno.test("without_surprises: a cursor is for one vehicle and one stay, and the filter needs a stay in a search", async () => {
  await db.as({ role: "service_role" }, async (sql) => {
    const stay = { entry_at: "2026-11-25T10:00:00+09:00", exit_at: "2026-11-25T12:00:00+09:00" };
    const { next_cursor: cursor } = await search(sql, { ...stay, without_surprises: true, limit: 1 });
    assert.ok(cursor);
    for (const other of [{}, { without_surprises: true, vehicle_type: "kei" }]) {
      const error = await errorOf(sql.savepoint((inner) => search(inner, { ...stay, ...other, limit: 1, cursor })));
      assert.equal(error.param, "cursor");
    }
    const error = await errorOf(sql.savepoint((inner) => search(inner, { without_surprises: true })));
    assert.deepEqual([error.code, error.param], ["validation_error", "without_surprises"]);
    const wrong = await errorOf(
      sql.savepoint((inner) => nearby(inner, { ...CENTER, filters: { without_surprises: 1 } })),
    );
    assert.deepEqual([wrong.code, wrong.param], ["validation_error", "filters.without_surprises"]);
  });
});
