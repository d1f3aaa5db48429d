// The lots nearby: which ones, in what order, and that the numbers of a reply explain one another.
import assert from "node:assert/strict";
import type { TransactionSql } from "postgres";
import { database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";
import { newLot, newUser, signedIn } from "../support/rows.ts";
import { type Filters, type Lot, nearest } from "./support/brute_force.ts";
import { lots, queries } from "./support/lots_of_the_world.ts";
import { type Item, nearby, nearbyFound, type Question } from "./support/nearby.ts";
import { storeFacts, storeLots } from "./support/stored_lots.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const world = lots(6_000);
await storeLots(db.sql, world);
await storeFacts(db.sql, world);

const TOKYO = { lat: 35.6812, lng: 139.7671 };
const STAY = { entry_at: "2026-11-25T18:30:00+09:00", exit_at: "2026-11-26T01:00:00+09:00" };
const asAnonymous = <Result>(run: (sql: TransactionSql) => Promise<Result>) => db.as({ role: "anon" }, run);

/** What every lot of the world would answer, worked out all at once. */
async function passing(sql: TransactionSql, filters: Question["filters"] = {}): Promise<Lot[]> {
  const { entry_at = null, exit_at = null, open_now, max_price } = filters as Record<string, string | undefined>;
  const passes = await sql<{ id: string }[]>`
    select l.id
    from public.parking_lots l
    left join private.hours_at(array(select id from public.parking_lots), now()) h on h.parking_lot_id = l.id
    left join private.stay_fees(
      array(select id from public.parking_lots), 'standard', coalesce(${entry_at}::text::timestamptz, now()),
      coalesce(${exit_at}::text::timestamptz, now() + interval '1 hour')
    ) f on f.parking_lot_id = l.id
    where (not ${open_now ?? false}::boolean or h.is_open)
      and (${max_price ?? null}::numeric is null or f.amount <= ${max_price ?? null}::numeric)`;
  const ids = new Set(passes.map(({ id }) => id));
  return world.filter(({ id }) => ids.has(id));
}

const filters: readonly Record<string, unknown>[] = [
  {},
  { open_now: true },
  { open_now: false },
  { max_price: 0 },
  { max_price: 400 },
  { max_price: 1_200, ...STAY },
  { open_now: true, max_price: 1_200, ...STAY },
  { open_now: true, max_price: 300, tags: ["covered"], max_height_m: 2 },
  { max_price: 0, open_now: true, tags: ["reservable"] },
];
for (const filter of filters) {
  Deno.test(`nearby: the lots nearby with ${JSON.stringify(filter)} are the nearest that pass, also when few do`, async () => {
    await asAnonymous(async (sql) => {
      const lots = await passing(sql, filter);
      let found = 0;
      for (const { lat, lng, radius_m, limit } of queries(60, {})) {
        const question = { lat, lng, radius_m: Math.ceil(radius_m), limit };
        const given = await nearby(sql, { ...question, filters: filter });
        const expected = nearest(lots, { ...question, filters: filter as Filters });
        assert.deepEqual(given.map(({ id }) => id), expected.map(({ id }) => id), JSON.stringify(question));
        found += given.length;
      }
      assert.ok(found > 5, `${found} lots`);
    });
  });
}

Deno.test("nearby: is_truncated is true when a lot within the radius that passes is left out, else false", async () => {
  await asAnonymous(async (sql) => {
    for (const filter of filters) {
      const lots = await passing(sql, filter);
      const kinds = new Set<boolean>();
      for (const { lat, lng, radius_m, limit } of queries(30, {})) {
        const question = { lat, lng, radius_m: Math.ceil(radius_m), limit };
        const { is_truncated } = await nearbyFound(sql, { ...question, filters: filter });
        const more = nearest(lots, { ...question, limit: limit + 1, filters: filter as Filters });
        assert.equal(is_truncated, more.length > limit, JSON.stringify({ ...question, filter }));
        kinds.add(is_truncated);
      }
      if (Object.keys(filter).length < 2) assert.equal(kinds.size, 2);
    }
  });
});

Deno.test("nearby: a filter that nine lots in ten fail is followed until the list is full", async () => {
  const rare = { ...TOKYO, radius_m: 50_000, limit: 100, filters: { max_price: 0, open_now: true } };
  const given = await asAnonymous((sql) => nearby(sql, rare));
  assert.equal(given.length, 100);
});

const places: readonly Question[] = [
  { ...TOKYO, radius_m: 3_000, limit: 40 },
  { ...TOKYO, radius_m: 3_000, limit: 40, filters: STAY },
  { ...TOKYO, radius_m: 700, limit: 100, filters: { open_now: true } },
  { ...TOKYO, radius_m: 50_000, limit: 3, filters: { max_price: 0 } },
  { lat: -17, lng: 180, radius_m: 40_000, limit: 100, filters: STAY },
  { lat: 35.70001, lng: 139.70001, radius_m: 1, limit: 100 }, // lots on one point
];
for (const [n, place] of places.entries()) {
  Deno.test(`nearby: the ranking follows from the numbers in the reply (place ${n + 1})`, async () => {
    const items = await asAnonymous((sql) => nearby(sql, place));
    assert.ok(items.length >= 3);
    checkRanking(items, place.radius_m!);
  });
}

function checkRanking(items: readonly Item[], radius: number): void {
  const fees = items.flatMap(({ estimated_fee }) => estimated_fee ?? []);
  const [least, most] = [Math.min(...fees), Math.max(...fees)];
  const near = (given: number, expected: number, within: number) =>
    assert.ok(Math.abs(given - expected) <= within, `${given} is not ${expected}`);
  for (const { estimated_fee: fee, ranking_components: visible, ...item } of items) {
    near(visible.price, fee === null ? 0 : most === least ? 100 : 100 * (most - fee) / (most - least), 1e-6);
    near(visible.distance, 100 * (1 - item.distance_m / radius), 1e-6);
    near(visible.rating, item.review_count === 0 ? 50 : 100 * (item.avg_rating - 1) / 4, 1e-6);
    near(item.ranking_score, 0.4 * visible.price + 0.4 * visible.distance + 0.2 * visible.rating, 0.005 + 1e-9);
    assert.equal(item.is_top3, item.ranking_rank <= 3);
  }
  // The list is in order of distance and id, which breaks ties.
  const byScore = [...items].sort((a, b) => b.ranking_score - a.ranking_score);
  assert.deepEqual(byScore.map(({ ranking_rank }) => ranking_rank), items.map((_, n) => n + 1));
}

Deno.test("nearby: the orders price and recommended rearrange the same lots; ties go to the nearer lot", async () => {
  const question = { ...TOKYO, radius_m: 3_000, limit: 60, filters: STAY };
  await asAnonymous(async (sql) => {
    const byDistance = await nearby(sql, question);
    const fee = ({ estimated_fee }: Item) => estimated_fee ?? Infinity;
    assert.ok(byDistance.some((item) => fee(item) === Infinity));
    assert.deepEqual(
      await nearby(sql, { ...question, sort: "price" }),
      [...byDistance].sort((a, b) => fee(a) === fee(b) ? 0 : fee(a) - fee(b)),
    );
    assert.deepEqual(
      await nearby(sql, { ...question, sort: "recommended" }),
      [...byDistance].sort((a, b) => a.ranking_rank - b.ranking_rank),
    );
  });
});

Deno.test("nearby: a fee equals that of calc-fee for the same stay, and an unknown fee has its reason", async () => {
  await asAnonymous(async (sql) => {
    const items = await nearby(sql, { ...TOKYO, radius_m: 3_000, limit: 100, filters: STAY });
    for (const { id, estimated_fee, currency, fee_refusal } of items) {
      const [row] = await sql<{ fee: { total_amount?: number; currency?: string; refusal?: { reason: string } } }[]>`
        select coalesce(f.answer::jsonb, jsonb_build_object('refusal', f.refusal)) as fee
        from private.explained_fee(
          ${id}, 'standard', ${STAY.entry_at}::text::timestamptz, ${STAY.exit_at}::text::timestamptz) f`;
      const { total_amount, refusal: rejection } = row!.fee;
      assert.deepEqual([estimated_fee, fee_refusal?.reason], [total_amount ?? null, rejection?.reason]);
      assert.equal(currency, row!.fee.currency ?? currency);
    }
    assert.ok(items.some(({ fee_refusal }) => fee_refusal?.reason === "no_rules"));
  });
});

Deno.test("nearby: without a stay the fee is that of 60 minutes from now", async () => {
  await asAnonymous(async (sql) => {
    const items = await nearby(sql, { ...TOKYO, radius_m: 3_000, limit: 50 });
    const fees = await sql<{ id: string; amount: number | null }[]>`
      select parking_lot_id as id, amount::float8
      from private.stay_fees(${items.map(({ id }) => id)}::uuid[], 'standard', now(), now() + interval '60 minutes')`;
    const byId = new Map(fees.map(({ id, amount }) => [id, amount]));
    assert.ok(items.every(({ id, estimated_fee }) => byId.get(id) === estimated_fee));
    assert.ok(items.every(({ planned_stay }) => planned_stay === null));
  });
});

Deno.test("nearby: a planned stay equals that of the hours evaluator, also with zero length", async () => {
  await asAnonymous(async (sql) => {
    for (const stay of [STAY, { entry_at: STAY.exit_at, exit_at: STAY.exit_at }]) {
      const items = await nearby(sql, { ...TOKYO, radius_m: 3_000, limit: 60, filters: stay });
      const expected = await sql<{ stay: Record<string, unknown> }[]>`
        select to_jsonb(s) || '{"holiday_calendar_unknown": false}' as stay
        from private.planned_stays(
          ${items.map(({ id }) => id)}::uuid[], ${stay.entry_at}::text::timestamptz, ${stay.exit_at}::text::timestamptz
        ) s`;
      const visible = items.map(({ id, planned_stay }) => ({ parking_lot_id: id, ...planned_stay }));
      const order = (a: Record<string, unknown>, b: Record<string, unknown>) =>
        String(a.parking_lot_id) < String(b.parking_lot_id) ? -1 : 1;
      assert.deepEqual(visible.sort(order), expected.map((row) => row.stay).sort(order));
      assert.deepEqual(new Set(items.map(({ planned_stay }) => planned_stay?.locked_in)), new Set([true, false, null]));
    }
  });
});

Deno.test("nearby: the true cost is the fee and the walk at the caller's price of a minute", async () => {
  const user = await newUser(db.sql);
  const check = (items: readonly Item[], yen: number) => {
    assert.ok(items.some(({ estimated_fee }) => estimated_fee === null));
    for (const { walk_minutes, distance_m, estimated_fee, effective_cost, walk_yen_per_minute } of items) {
      assert.equal(walk_yen_per_minute, yen);
      assert.equal(walk_minutes, Math.ceil(distance_m / 80));
      assert.equal(effective_cost, estimated_fee === null ? null : estimated_fee + walk_minutes * yen);
    }
  };
  const question = { ...TOKYO, radius_m: 2_000 };
  check(await db.as(signedIn(user), (sql) => nearby(sql, question)), 20);
  await db.sql`insert into public.search_preferences (user_id, yen_per_walk_minute) values (${user}, 55)`;
  check(await db.as(signedIn(user), (sql) => nearby(sql, question)), 55);
  check(await asAnonymous((sql) => nearby(sql, question)), 20);
});

Deno.test("nearby: yen for walking are not added to a fee in another currency", async () => {
  const question = { ...TOKYO, radius_m: 2_000 };
  const [lot] = (await asAnonymous((sql) => nearby(sql, question))).filter(({ estimated_fee }) =>
    estimated_fee !== null
  );
  await db.sql`update public.parking_lots set currency = 'CHF' where id = ${lot!.id}`;
  const [changed] = (await asAnonymous((sql) => nearby(sql, question))).filter(({ id }) => id === lot!.id);
  assert.deepEqual([changed!.currency, changed!.estimated_fee, changed!.effective_cost], [
    "CHF",
    lot!.estimated_fee,
    null,
  ]);
});

Deno.test("nearby: a user gets their own rating and saved state, an anonymous user none", async () => {
  const [one, other] = [await newUser(db.sql), await newUser(db.sql)];
  const question = { ...TOKYO, radius_m: 2_000, limit: 3 };
  const items = await asAnonymous((sql) => nearby(sql, question));
  const [saved, rated] = items.map(({ id }) => id);
  await db.sql`insert into public.saved_parking_lots (user_id, parking_lot_id) values (${one}, ${saved!})`;
  await db.sql`
    insert into public.parking_lot_ratings (user_id, parking_lot_id, value)
    values (${one}, ${rated!}, 'bad'), (${other}, ${rated!}, 'good')`;
  const marks = (items: readonly Item[]) => items.map(({ is_saved, my_rating }) => [is_saved, my_rating]);
  assert.deepEqual(marks(await db.as(signedIn(one), (sql) => nearby(sql, question))), [
    [true, null],
    [false, "bad"],
    [false, null],
  ]);
  assert.deepEqual(marks(items), [[null, null], [null, null], [null, null]]);
});

Deno.test("nearby: a lot shows its known free spaces, else null", async () => {
  const question = { ...TOKYO, radius_m: 2_000, limit: 2 };
  const [lot] = await asAnonymous((sql) => nearby(sql, question));
  await db.sql`
    insert into public.occupancy_reports (parking_lot_id, source, state, free_spaces)
    values (${lot!.id}, 'sensor', 'crowded', 4)`;
  const [known, unknown] = await asAnonymous((sql) => nearby(sql, question));
  const { state, free_spaces, source } = known!.availability!;
  assert.deepEqual([state, free_spaces, source], ["crowded", 4, "sensor"]);
  assert.equal(unknown!.availability, null);
});

Deno.test("nearby: the defaults are 50 lots within 500 m in order of distance", async () => {
  const found = await asAnonymous((sql) =>
    sql<{ id: string }[]>`
      select json_array_elements(api.nearby_parking_lots(35.70001, 139.70001) -> 'items') ->> 'id' as id`
  );
  const expected = nearest(world, { lat: 35.70001, lng: 139.70001, radius_m: 500, limit: 50, filters: {} });
  assert.equal(expected.length, 50);
  assert.deepEqual(found.map(({ id }) => id), expected.map(({ id }) => id));
});

Deno.test("nearby: without a lot the result is an empty array", async () => {
  const nowhere = { lat: -50, lng: -100, radius_m: 50_000, filters: { open_now: true, max_price: 0, ...STAY } };
  assert.deepEqual(await asAnonymous((sql) => nearby(sql, nowhere)), []);
});

Deno.test("nearby: a suspended or withdrawn user is rejected, an active one and an administrator get a result", async () => {
  const search = (sub: string) => db.as(signedIn(sub), (sql) => nearby(sql, { ...TOKYO, radius_m: 5_000 }));
  const user = await newUser(db.sql);
  const administrator = crypto.randomUUID();
  await db.sql`
    insert into auth.users (id, email, raw_app_meta_data)
    values (${administrator}, 'a@example.test', '{"admin": {"name": "A", "areas": ["lots"]}}')`;
  assert.equal((await search(user)).length, 50);
  assert.equal((await search(administrator)).length, 50);
  for (const status of ["suspended", "withdrawn"]) {
    await db.sql`update public.app_users set status = ${status} where id = ${user}`;
    const error = await errorOf(search(user));
    assert.deepEqual([error.code, error.status], ["forbidden", 403]);
  }
});

Deno.test("nearby: tags are the lot's own true tags, not attributes derived from hours", async () => {
  const around = { lat: 20, lng: 100, filters: { tags: ["open_24h"] } };
  const found = async () => (await asAnonymous((sql) => nearby(sql, around))).map(({ id }) => id);
  const lot = await newLot(db.sql, { lat: 20, lng: 100 });
  assert.deepEqual(await found(), []);
  await db
    .sql`insert into public.parking_lot_windows (parking_lot_id, window_type, is_24h) values (${lot}, 'business', true)`;
  assert.deepEqual(await found(), []);
  await db.sql`
    insert into public.parking_lot_tags (parking_lot_id, tag_id, state)
    select ${lot}, id, true from public.tags where slug = 'open_24h'`;
  assert.deepEqual(await found(), [lot]);
  await db.sql`update public.parking_lot_tags set state = false where parking_lot_id = ${lot}`;
  assert.deepEqual(await found(), []);
});
