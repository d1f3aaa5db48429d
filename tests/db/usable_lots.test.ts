// Lots that cannot be used for a stay: which ones, why, and where they are in nearby and search.
import assert from "node:assert/strict";
import type { TransactionSql } from "postgres";
import { database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";
import { chance } from "../support/random.ts";
import { newLot, newUser, signedIn } from "../support/rows.ts";
import { lots } from "./support/lots_of_the_world.ts";
import { type Item, nearby, nearbyFound } from "./support/nearby.ts";
import { search, type SearchArguments } from "./support/search.ts";
import { storeFacts, storeLots } from "./support/stored_lots.ts";
import { volume } from "../support/sizes.ts";

const db = await database();
Deno.test.afterAll(() => db.close());
const random = chance(31);
const STAYS = volume("USABLE_STAYS", 40, 1_000);
const SEARCHES = volume("USABLE_SEARCHES", 10, 120);
const world = lots(1_000);
await storeLots(db.sql, world);
await storeFacts(db.sql, world);
const facts = world.map(({ id }) => ({
  id,
  max_height_m: random.pick([null, null, 2.1, 2.5, 1.9]),
  max_width_m: random.pick([null, 1.8, 2]),
  max_parking_duration_min: random.pick([null, null, null, 60, 180, 720]),
}));
await db.sql`
  update public.parking_lots l set max_height_m = f.max_height_m, max_width_m = f.max_width_m,
    max_parking_duration_min = f.max_parking_duration_min
  from jsonb_populate_recordset(null::public.parking_lots, ${db.sql.json(facts)}) f
  where f.id = l.id`;
const reports = world.filter(() => random.next() < 0.5)
  .map(({ id }) => ({ parking_lot_id: id, state: random.pick(["available", "crowded", "full", "full"]) }));
await db.sql`
  insert into public.occupancy_reports (parking_lot_id, source, state)
  select parking_lot_id, 'sensor', state from jsonb_populate_recordset(null::public.occupancy_reports, ${
  db.sql.json(reports)
})`;
const user = await newUser(db.sql);

const TOKYO = { lat: 35.6812, lng: 139.7671 };
const MINUTE = 60_000;
const CALLERS = [{ role: "anon" }, { role: "service_role" }, signedIn(user)] as const;
const SORTS = ["distance", "price", "recommended"] as const;

interface Detail {
  readonly id: string;
  readonly max_parking_duration_min: number | null;
  readonly planned_stay: { readonly can_enter_at: boolean | null; readonly can_exit_at: boolean | null };
  readonly availability: { readonly state: string } | null;
  readonly fit: { readonly fits: boolean | null } | null;
}

interface Stay {
  readonly entry_at: string;
  readonly exit_at: string;
}

/** Whether each lot can be used, by the answers of its detail. */
async function expected(sql: TransactionSql, ids: readonly string[], stay: Stay, vehicle: object | null) {
  const rows = await sql<{ lot: Detail; now: Date }[]>`
    select api.get_parking_lot(id, p_entry_at => ${stay.entry_at}::text::timestamptz, p_exit_at => ${stay.exit_at}::text::timestamptz,
      p_vehicle => ${vehicle === null ? null : JSON.stringify(vehicle)}::text::jsonb) as lot, now() as now
    from unnest(${ids as string[]}::uuid[]) as id`;
  const [entry, exit] = [Date.parse(stay.entry_at), Date.parse(stay.exit_at)];
  return new Map(rows.map(({ lot, now }) => {
    const { planned_stay: { can_enter_at, can_exit_at }, fit, max_parking_duration_min: longest } = lot;
    const isSoon = Math.abs(entry - now.getTime()) <= 60 * MINUTE;
    const fits = fit === null ? true : fit.fits;
    const reasons = [
      can_enter_at === false ? ["closed_at_entry"] : [],
      can_exit_at === false ? ["closed_at_exit"] : [],
      fits === false ? ["vehicle_does_not_fit"] : [],
      isSoon && lot.availability?.state === "full" ? ["full"] : [],
      longest !== null && exit - entry > longest * MINUTE ? ["stay_too_long"] : [],
    ].flat();
    const usable = reasons.length > 0 ? false : can_enter_at && can_exit_at && fits ? true : null;
    return [lot.id, { usable_for_stay: usable, unusable_reasons: reasons }];
  }));
}

/** Half of them begin within the hours around now, to the second. */
function randomStay(): Stay {
  const now = Math.floor(Date.now() / 1_000) * 1_000;
  const entry = now + (random.next() < 0.5 ? random.below(240) - 120 : random.below(20_000)) * MINUTE;
  const exit = entry + random.pick([0, 30, 60, 61, 180, 720, 1_500, 5_000]) * MINUTE;
  return { entry_at: new Date(entry).toISOString(), exit_at: new Date(exit).toISOString() };
}

const randomVehicle = () =>
  random.pick([null, { height_m: 2.1 }, { height_m: 2, width_m: 1.9 }, { width_m: 1.7 }, { height_m: 3 }]);
const randomPlace = () => ({
  lat: TOKYO.lat + (random.next() - 0.5) / 20,
  lng: TOKYO.lng + (random.next() - 0.5) / 20,
});

Deno.test(`usable: over ${STAYS} random stays first puts unusable lots last, only leaves them out, and the reasons are true`, async () => {
  const seen = new Map<string, number>();
  for (let n = 0; n < STAYS; n++) {
    const [stay, vehicle, sort, place] = [randomStay(), randomVehicle(), random.pick(SORTS), randomPlace()];
    const filters = { ...stay, ...random.pick([{}, {}, { open_now: true }, { max_price: 900 }]) };
    const question = { ...place, radius_m: 300 + random.below(1_000), limit: 100, filters, vehicle, sort };
    await db.as(random.pick(CALLERS), async (sql) => {
      const plain = await nearby(sql, question);
      assert.ok(plain.length < 100);
      const facts = await expected(sql, plain.map(({ id }) => id), stay, vehicle);
      const shown = ({ usable_for_stay, unusable_reasons }: Item) => ({ usable_for_stay, unusable_reasons });
      for (const item of plain) {
        assert.deepEqual(shown(item), facts.get(item.id), JSON.stringify({ id: item.id, ...question }));
        for (const one of item.unusable_reasons) seen.set(one, (seen.get(one) ?? 0) + 1);
      }
      const [good, bad] = [true, false].map((usable) =>
        plain.filter(({ usable_for_stay }) => (usable_for_stay !== false) === usable)
      ) as [Item[], Item[]];
      assert.deepEqual(await nearby(sql, { ...question, usable: "first" }), [...good, ...bad]);

      const only = await nearbyFound(sql, { ...question, usable: "only" });
      assert.deepEqual(new Set(only.items.map(({ id }) => id)), new Set(good.map(({ id }) => id)));
      assert.equal(only.is_truncated, false);
      const ranked = only.items.toSorted((a, b) => a.ranking_rank - b.ranking_rank).map(({ id }) => id);
      assert.deepEqual(only.items.map(({ id }) => id), sort === "recommended" ? ranked : good.map(({ id }) => id));
      // With a limit it is the nearest usable ones.
      const limit = 1 + random.below(5);
      const nearest = await nearbyFound(sql, { ...question, usable: "only", limit, sort: "distance" });
      const byDistance = only.items.toSorted((a, b) => a.distance_m - b.distance_m || (a.id < b.id ? -1 : 1));
      assert.deepEqual(nearest.items.map(({ id }) => id), byDistance.slice(0, limit).map(({ id }) => id));
      assert.equal(nearest.is_truncated, good.length > limit);
    });
  }
  assert.deepEqual([...seen.keys()].sort(), [
    "closed_at_entry",
    "closed_at_exit",
    "full",
    "stay_too_long",
    "vehicle_does_not_fit",
  ]);
  for (const [reason, count] of seen) assert.ok(count > STAYS / 10, `${reason}: ${count}`);
});

/** The lots of all pages of a search. */
async function pages(sql: TransactionSql, args: SearchArguments) {
  const items: { id: string; usable_for_stay: boolean | null; unusable_reasons: string[] }[] = [];
  let cursor: string | null = null;
  do {
    const page = await search(sql, { ...args, cursor });
    assert.ok(page.items.length <= args.limit!);
    items.push(...page.items as unknown as typeof items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return items;
}

Deno.test("usable: the pages of a search are the usable lots in its order, and with first then the others", async () => {
  let crossed = 0;
  for (let n = 0; n < SEARCHES; n++) {
    const [stay, place] = [randomStay(), randomPlace()];
    const vehicle = random.pick([undefined, undefined, { height_m: 2 }]);
    const query = { center: place, radius_m: 500 + random.below(1_500), sort: random.pick(SORTS), vehicle };
    const limit = 1 + random.below(8);
    await db.as(random.pick(CALLERS), async (sql) => {
      const args = { query, ...stay, limit };
      const plain = await pages(sql, args);
      const facts = await expected(sql, plain.map(({ id }) => id), stay, vehicle ?? null);
      for (const { id, usable_for_stay, unusable_reasons } of plain) {
        assert.deepEqual({ usable_for_stay, unusable_reasons }, facts.get(id), JSON.stringify({ id, ...args }));
      }
      const good = plain.filter(({ usable_for_stay }) => usable_for_stay !== false);
      const bad = plain.filter(({ usable_for_stay }) => usable_for_stay === false);
      assert.deepEqual(await pages(sql, { ...args, usable: "first" }), [...good, ...bad]);
      assert.deepEqual(await pages(sql, { ...args, usable: "only" }), good);
      for (const [usable, total] of [["first", plain.length], ["only", good.length]] as const) {
        const counted = await search(sql, { ...args, usable, include: ["total"] });
        assert.deepEqual([counted.total, counted.total_is_exact], [total, true]);
        // A list that fits a page is one page.
        if (total <= limit) assert.equal(counted.next_cursor, null);
      }
      if (good.length > limit && bad.length > limit) crossed++;
    });
  }
  assert.ok(crossed > SEARCHES / 6, `${crossed} searches`);
});

Deno.test("usable: without a stay nearby compares the 60 minutes from now, and shows usability only with the parameter", async () => {
  await db.as({ role: "anon" }, async (sql) => {
    const question = { ...TOKYO, radius_m: 3_000 };
    const plain = await nearby(sql, question);
    assert.ok(plain.every((item) => item.usable_for_stay === null && item.unusable_reasons.length === 0));
    const first = await nearby(sql, { ...question, usable: "first" });
    assert.ok(first.every(({ planned_stay }) => planned_stay === null));
    const [{ now } = { now: "" }] = await sql<{ now: string }[]>`select to_json(now()) #>> '{}' as now`;
    const stay = { entry_at: now, exit_at: new Date(Date.parse(now) + 60 * MINUTE).toISOString() };
    const facts = await expected(sql, plain.map(({ id }) => id), stay, null);
    for (const { id, ...item } of first) assert.equal(item.usable_for_stay, facts.get(id)!.usable_for_stay);
    assert.deepEqual(new Set(first.map(({ usable_for_stay }) => usable_for_stay)), new Set([true, null, false]));
  });
});

Deno.test("usable: a stay as long as the longest, an entry an hour from now, and a vehicle at the limit", async () => {
  const lot = await newLot(db.sql, { max_height_m: 2.1, max_parking_duration_min: 60 });
  await db
    .sql`insert into public.parking_lot_windows (parking_lot_id, window_type, is_24h) values (${lot}, 'business', true)`;
  await db
    .sql`insert into public.occupancy_reports (parking_lot_id, source, state) values (${lot}, 'operator', 'full')`;
  await db.as({ role: "anon" }, async (sql) => {
    const reasons = async (entry: string, length: string, height_m: number) => {
      const [row] = await sql<{ entry_at: string; exit_at: string; lat: number; lng: number }[]>`
        select to_json(now() + ${entry}::text::interval) #>> '{}' as entry_at,
          to_json(now() + ${entry}::text::interval + ${length}::text::interval) #>> '{}' as exit_at, lat, lng
        from public.parking_lots where id = ${lot}`;
      const { lat, lng, ...stay } = row!;
      const items = await nearby(sql, { lat, lng, limit: 100, filters: stay, vehicle: { height_m } });
      const { usable_for_stay, unusable_reasons } = items.find(({ id }) => id === lot)!;
      return [usable_for_stay, ...unusable_reasons];
    };
    assert.deepEqual(await reasons("60 minutes 1 microsecond", "60 minutes", 2.1), [true]);
    assert.deepEqual(await reasons("60 minutes", "60 minutes", 2.1), [false, "full"]);
    assert.deepEqual(await reasons("-60 minutes", "60 minutes", 2.1), [false, "full"]);
    assert.deepEqual(await reasons("-60 minutes -1 microsecond", "60 minutes", 2.1), [true]);
    assert.deepEqual(await reasons("2 hours", "60 minutes 1 microsecond", 2.1), [false, "stay_too_long"]);
    assert.deepEqual(await reasons("2 hours", "60 minutes", 2.11), [false, "vehicle_does_not_fit"]);
  });
});

Deno.test("usable: another value, a search without a stay, and the cursor of another order or stay are rejected", async () => {
  const stay = { entry_at: "2026-12-01T18:00:00+09:00", exit_at: "2026-12-01T20:00:00+09:00" };
  const rejected = async (call: (sql: TransactionSql) => Promise<unknown>) => {
    const { code, status, param } = await errorOf(db.as({ role: "anon" }, call));
    return [code, status, param];
  };
  const of = (param: string) => ["validation_error", 422, param];
  assert.deepEqual(await rejected((sql) => nearby(sql, { ...TOKYO, usable: "never" })), of("usable"));
  assert.deepEqual(await rejected((sql) => search(sql, { ...stay, usable: "" })), of("usable"));
  assert.deepEqual(await rejected((sql) => search(sql, { usable: "first" })), of("usable"));
  const { next_cursor: cursor } = await db.as(
    { role: "anon" },
    (sql) => search(sql, { ...stay, usable: "first", limit: 5 }),
  );
  for (
    const other of [
      { ...stay, usable: "only" },
      stay,
      { ...stay, exit_at: "2026-12-01T20:00:01+09:00", usable: "first" },
    ]
  ) {
    assert.deepEqual(await rejected((sql) => search(sql, { ...other, limit: 5, cursor })), of("cursor"));
  }
  // The same moments in another zone are the same stay.
  const same = { entry_at: "2026-12-01T09:00:00Z", exit_at: "2026-12-01T11:00:00Z", usable: "first", limit: 5, cursor };
  assert.equal((await db.as({ role: "anon" }, (sql) => search(sql, same))).items.length, 5);
});
