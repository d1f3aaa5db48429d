// A stay in a search: the same numbers as nearby and calc-fee, for every lot of the page.
import assert from "node:assert/strict";
import type { TransactionSql } from "postgres";
import { database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";
import { newUser, signedIn } from "../support/rows.ts";
import type { Surprise } from "./support/fees.ts";
import { lots } from "./support/lots_of_the_world.ts";
import { nearby } from "./support/nearby.ts";
import { search } from "./support/search.ts";
import { storeFacts, storeLots } from "./support/stored_lots.ts";

const db = await database();
Deno.test.afterAll(() => db.close());
await db.sql`delete from public.parking_lots`;
const world = lots(3_000);
await storeLots(db.sql, world);
await storeFacts(db.sql, world);
await db.sql`
  insert into public.parking_lot_date_overrides (parking_lot_id, override_date, hours, pricing)
  select id, '2026-11-25', '{"is_closed": true}', '[{"category": "flat", "price_minor": 70}]'
  from public.parking_lots where substr(id::text, 1, 1) < '4'`;
await db.sql`
  with g as (
    insert into public.pricing_groups (parking_lot_id, code, name, vehicle_types)
    select id, 'kei', 'Kei', '{kei}' from public.parking_lots where substr(id::text, 2, 1) < '8' returning id, parking_lot_id
  )
  insert into public.pricing_rules (parking_lot_id, pricing_group_id, category, rule_order, per_minutes, price_minor)
  select parking_lot_id, id, 'time_band', 1, 60, 123 from g`;
await db.sql`update public.parking_lots set currency = 'CHF' where substr(id::text, 3, 1) < '2'`;
const user = await newUser(db.sql);
await db.sql`insert into public.search_preferences (user_id, yen_per_walk_minute) values (${user}, 77)`;

const TOKYO = { lat: 35.6812, lng: 139.7671 };
const asAnonymous = <Result>(run: (sql: TransactionSql) => Promise<Result>) => db.as({ role: "anon" }, run);

interface Priced {
  readonly id: string;
  readonly distance_m: number | null;
  readonly currency: string;
  readonly estimated_fee: number | null;
  readonly fee_refusal: { readonly code: string; readonly reason: string } | null;
  readonly walk_minutes: number | null;
  readonly effective_cost: number | null;
  readonly walk_yen_per_minute: number;
  readonly planned_stay: Record<string, unknown>;
  readonly surprises: Surprise[] | null;
}

const visible = (lot: Priced) => ({
  id: lot.id,
  distance_m: lot.distance_m,
  currency: lot.currency,
  estimated_fee: lot.estimated_fee,
  fee_refusal: lot.fee_refusal,
  walk_minutes: lot.walk_minutes,
  effective_cost: lot.effective_cost,
  walk_yen_per_minute: lot.walk_yen_per_minute,
  planned_stay: lot.planned_stay,
  surprises: lot.surprises,
});

const stays = [
  { entry_at: "2026-11-25T18:30:00+09:00", exit_at: "2026-11-26T01:00:00+09:00" },
  { entry_at: "2026-11-25T18:30:00+09:00", exit_at: "2026-11-25T18:30:00+09:00" },
  { entry_at: "2026-11-22T09:00:00Z", exit_at: "2026-12-23T09:00:00Z" },
  { entry_at: "2026-12-31T23:00:00+09:00", exit_at: "2027-01-02T07:00:00+09:00" },
];
for (const stay of stays) {
  for (const vehicle_type of ["standard", "kei", "motorcycle"]) {
    Deno.test(`search: ${vehicle_type} from ${stay.entry_at} to ${stay.exit_at} has the fee of nearby and calc-fee`, async () => {
      for (const caller of [{ role: "anon" as const }, signedIn(user)]) {
        await db.as(caller, async (sql) => {
          const near = await nearby(sql, { ...TOKYO, radius_m: 50_000, limit: 100, filters: stay, vehicle_type });
          assert.ok(near.length > 20, `${near.length} lots`);
          const ids = near.map(({ id }) => id);
          const { items } = await search(sql, { query: { center: TOKYO }, ids, ...stay, vehicle_type });
          assert.deepEqual(
            (items as unknown as Priced[]).map(visible),
            (near as unknown as Priced[]).map(visible),
          );
          for (const lot of (items as unknown as Priced[]).slice(0, 15)) {
            const [row] = await db.sql`
              select private.fee_answer(${lot.id}, ${vehicle_type}, ${stay.entry_at}, ${stay.exit_at}) as fee`;
            assert.equal(row!["fee"].total_amount ?? null, lot.estimated_fee);
            assert.equal(row!["fee"].refusal?.reason ?? null, lot.fee_refusal?.reason ?? null);
            const named = (list: Surprise[] | null) =>
              list?.map(({ kind, amount_minor }) => [kind, amount_minor]) ?? null;
            assert.deepEqual(named(lot.surprises), named(row!["fee"].surprises ?? null));
          }
        });
      }
    });
  }
}

Deno.test("search: without a center the walk is null, and the fee is known", async () => {
  const { items } = await asAnonymous((sql) => search(sql, { ...stays[0]!, limit: 50 }));
  assert.equal(items.length, 50);
  for (const lot of items as unknown as Priced[]) {
    assert.deepEqual([lot.distance_m, lot.walk_minutes, lot.effective_cost], [null, null, null]);
    assert.equal(lot.estimated_fee === null, lot.fee_refusal !== null);
    assert.equal(
      lot.planned_stay["locked_in"],
      lot.planned_stay["can_exit_at"] === null ? null : !lot.planned_stay["can_exit_at"],
    );
  }
});

Deno.test("search: pages with a stay are the pages without one", async () => {
  const query = { sort: "price" };
  await asAnonymous(async (sql) => {
    const plain = await search(sql, { query, limit: 30, include: ["total"] });
    const priced = await search(sql, { query, limit: 30, include: ["total"], ...stays[0]! });
    assert.deepEqual(priced.items.map(({ id }) => id), plain.items.map(({ id }) => id));
    assert.deepEqual([priced.next_cursor, priced.total], [plain.next_cursor, plain.total]);
    assert.ok(!("estimated_fee" in plain.items[0]!));
  });
});

Deno.test("search: an invalid stay is rejected and names its end", async () => {
  const [entry_at, exit_at] = ["2026-11-25T10:00:00Z", "2026-12-26T10:00:00Z"];
  const wrong: [Parameters<typeof search>[1], string][] = [
    [{ entry_at }, "exit_at"],
    [{ exit_at }, "entry_at"],
    [{ entry_at: exit_at, exit_at: entry_at }, "exit_at"],
    [{ entry_at, exit_at: "2026-12-26T10:00:00.000001Z" }, "exit_at"],
    [{ entry_at: "1999-12-31T00:00:00Z", exit_at: "2000-01-01T00:00:00Z" }, "entry_at"],
    [{ entry_at, exit_at, limit: 101 }, "limit"],
    [{ entry_at, exit_at, vehicle_type: "submarine" }, "vehicle_type"],
    [{ vehicle_type: "submarine" }, "vehicle_type"],
    [{ entry_at, exit_at, updated_since: entry_at }, "entry_at"],
    [{ entry_at, exit_at, zoom: 3, bbox: [139, 35, 140, 36] }, "entry_at"],
  ];
  for (const [args, param] of wrong) {
    const { code, status, param: named } = await errorOf(asAnonymous((sql) => search(sql, args)));
    assert.deepEqual([code, status, named], ["validation_error", 422, param], JSON.stringify(args));
  }
  await asAnonymous((sql) => search(sql, { entry_at, exit_at, limit: 100 }));
});

Deno.test("search, detail: a stay with one end is rejected for the other end, not for its year", async () => {
  const at = "2026-11-25T10:00:00Z";
  const [lot] = await db.sql`select id from public.parking_lots where status = 'active' limit 1`;
  for (const [entry, exit, missing] of [[at, null, "exit_at"], [null, at, "entry_at"]] as const) {
    for (
      const read of [
        (sql: TransactionSql) => search(sql, entry ? { entry_at: entry } : { exit_at: at }),
        (sql: TransactionSql) =>
          sql`select api.get_parking_lot(${lot!["id"]}, p_entry_at => ${entry}, p_exit_at => ${exit})`,
      ]
    ) {
      const { code, param, message } = await errorOf(asAnonymous<unknown>(read));
      assert.deepEqual([code, param, message], [
        "validation_error",
        missing,
        "A stay requires entry_at and exit_at.",
      ]);
    }
  }
});
