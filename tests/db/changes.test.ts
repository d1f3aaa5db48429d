// updated_since: which changes are reported, and that older ones are not repeated.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { database } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { newLot, newUser, runJob, signedIn } from "../support/rows.ts";
import { search } from "./support/search.ts";

const db = await database();
Deno.test.afterAll(() => db.close());
await db.sql`delete from public.parking_lots`;

/** Transactions of other databases of the server hold changes up. */
const LONGEST_TRANSACTION_MS = 180_000;

/** What was changed last and how often: kept rows of two tables are enough to see both. */
async function changeOf(lot: string): Promise<string> {
  const [row] = await db.sql<{ id: string }[]>`
    select changed_in::text as id from private.lot_changes where parking_lot_id = ${lot}`;
  return row!.id;
}

const lot = await newLot(db.sql, { name: "Changed" });
const other = await newLot(db.sql, { name: "Not changed" });
const [operator] = await db.sql<{ id: string }[]>`
  insert into public.operators (id, name, slug) values ('changes_test', 'Operator', 'changes-test') returning id`;
await db.sql`update public.parking_lots set operator_code = ${operator!.id} where id = ${lot}`;
const [tag] = await db.sql<{ id: string }[]>`
  insert into public.tags (name, slug, sort_order) values ('Tag', 'changes_test', 1) returning id`;
const [asset] = await db.sql<{ id: string }[]>`
  insert into public.assets (storage_key, category) values ('changes/test.jpg', 'parking_lot') returning id`;
const user = await newUser(db.sql);

type Statement = (sql: Sql) => PromiseLike<unknown>;

/** In this order: the later ones change what the earlier ones wrote. */
const reported: [what: string, statement: Statement][] = [
  [
    "a window is added",
    (sql) =>
      sql`insert into public.parking_lot_windows (parking_lot_id, window_type, is_24h) values (${lot}, 'business', true)`,
  ],
  [
    "a window is changed",
    (sql) => sql`update public.parking_lot_windows set is_24h = null, is_closed = true where parking_lot_id = ${lot}`,
  ],
  ["a window is deleted", (sql) => sql`delete from public.parking_lot_windows where parking_lot_id = ${lot}`],
  [
    "a date override is added",
    (sql) =>
      sql`insert into public.parking_lot_date_overrides (parking_lot_id, override_date) values (${lot}, '2026-12-31')`,
  ],
  [
    "a date override is changed",
    (sql) => sql`update public.parking_lot_date_overrides set note = 'x' where parking_lot_id = ${lot}`,
  ],
  [
    "a date override is deleted",
    (sql) => sql`delete from public.parking_lot_date_overrides where parking_lot_id = ${lot}`,
  ],
  ["a spot is added", (sql) => sql`insert into public.parking_lot_spots (parking_lot_id, code) values (${lot}, 'A1')`],
  [
    "a spot is changed",
    (sql) => sql`update public.parking_lot_spots set is_ev_charger = true where parking_lot_id = ${lot}`,
  ],
  ["a spot is deleted", (sql) => sql`delete from public.parking_lot_spots where parking_lot_id = ${lot}`],
  [
    "a pricing group is added",
    (sql) => sql`insert into public.pricing_groups (parking_lot_id, code, name) values (${lot}, 'g', 'Group')`,
  ],
  [
    "a pricing group is changed",
    (sql) => sql`update public.pricing_groups set name = 'Other' where parking_lot_id = ${lot}`,
  ],
  ["a pricing group is deleted", (sql) => sql`delete from public.pricing_groups where parking_lot_id = ${lot}`],
  [
    "a rule is added that leaves hour_price alone",
    (sql) =>
      sql`insert into public.pricing_rules (parking_lot_id, category, rule_order, cap_type, cap_price_minor)
      values (${lot}, 'cap', 1, 'day', 1000)`,
  ],
  [
    "a rule is changed that leaves hour_price alone",
    (sql) => sql`update public.pricing_rules set cap_price_minor = 1200 where parking_lot_id = ${lot}`,
  ],
  ["a rule is deleted", (sql) => sql`delete from public.pricing_rules where parking_lot_id = ${lot}`],
  [
    "an image is added",
    (sql) => sql`insert into public.parking_lot_images (parking_lot_id, asset_id) values (${lot}, ${asset!.id})`,
  ],
  [
    "an image is moved",
    (sql) => sql`update public.parking_lot_images set sort_order = 3 where parking_lot_id = ${lot}`,
  ],
  [
    "the file of an image is deleted",
    (sql) => sql`update public.assets set deleted_at = now() where id = ${asset!.id}`,
  ],
  ["an image is deleted", (sql) => sql`delete from public.parking_lot_images where parking_lot_id = ${lot}`],
  [
    "a tag is given",
    (sql) => sql`insert into public.parking_lot_tags (parking_lot_id, tag_id, state) values (${lot}, ${tag!.id}, null)`,
  ],
  [
    "a tag's state changes",
    (sql) => sql`update public.parking_lot_tags set state = false where parking_lot_id = ${lot}`,
  ],
  ["a tag is renamed", async (sql) => {
    await sql`update public.tags set name = 'Renamed' where id = ${tag!.id}`;
    await runJob(sql, "tell_renames");
  }],
  ["a tag is taken away", (sql) => sql`delete from public.parking_lot_tags where parking_lot_id = ${lot}`],
  ["the operator is renamed", async (sql) => {
    await sql`update public.operators set name = 'Renamed' where id = ${operator!.id}`;
    await runJob(sql, "tell_renames");
  }],
  [
    "a field value is added",
    (sql) => sql`insert into public.field_values (parking_lot_id, field_name, value) values (${lot}, 'phone', '"1"')`,
  ],
  [
    "a field value is disputed",
    (sql) => sql`update public.field_values set state = 'disputed' where parking_lot_id = ${lot}`,
  ],
  ["its row changes", (sql) => sql`update public.parking_lots set phone = '03' where id = ${lot}`],
];
for (const [what, statement] of reported) {
  Deno.test(`updated_since: a lot is reported when ${what}, and no other`, async () => {
    const [before, unchanged] = [await changeOf(lot), await changeOf(other)];
    await statement(db.sql);
    assert.notEqual(await changeOf(lot), before);
    assert.equal(await changeOf(other), unchanged);
  });
}

const unreported: [what: string, statement: Statement][] = [
  [
    "somebody taps good",
    (sql) =>
      sql`insert into public.parking_lot_ratings (parking_lot_id, user_id, value) values (${lot}, ${user}, 'good')`,
  ],
  [
    "somebody taps bad instead",
    (sql) => sql`update public.parking_lot_ratings set value = 'bad' where user_id = ${user}`,
  ],
  ["somebody takes the tap back", (sql) => sql`delete from public.parking_lot_ratings where user_id = ${user}`],
  ["a row is written as it was", (sql) => sql`update public.parking_lots set name = name where id = ${lot}`],
  [
    "a part is written as it was",
    (sql) => sql`update public.field_values set state = state where parking_lot_id = ${lot}`,
  ],
  ["somebody confirms a field value", (sql) =>
    sql`insert into public.field_value_votes (field_value_id, user_id, vote)
      select id, ${user}, 'confirm' from public.field_values where parking_lot_id = ${lot}`],
  [
    "somebody reports occupancy",
    (sql) =>
      sql`insert into public.occupancy_reports (parking_lot_id, source, state) values (${lot}, 'sensor', 'full')`,
  ],
];
for (const [what, statement] of unreported) {
  Deno.test(`updated_since: a lot is not reported when ${what}`, async () => {
    const before = await changeOf(lot);
    await statement(db.sql);
    assert.equal(await changeOf(lot), before);
  });
}

Deno.test("updated_since: many statements of one transaction write a lot's change once", async () => {
  await db.sql.begin(async (sql) => {
    const updates = async () => {
      const [row] = await sql<{ updates: number }[]>`
        select n_tup_upd::integer as updates from pg_stat_xact_user_tables where relname = 'lot_changes'`;
      return row!.updates;
    };
    const before = await updates();
    await sql`update public.parking_lots set phone = '04' where id = ${lot}`;
    for (let n = 0; n < 5; n++) {
      await sql`insert into public.parking_lot_spots (parking_lot_id, code) values (${lot}, ${`B${n}`})`;
    }
    assert.equal(await updates() - before, 1);
  });
});

const since = (at: string, cursor: string | null = null, limit = 1000) =>
  db.as({ role: "anon" }, (sql) => search(sql, { updated_since: at, cursor, limit }));

Deno.test("updated_since: changes that were visible before are not repeated, however they are paged", async () => {
  const [old, young] = [await newLot(db.sql, { name: "old" }), await newLot(db.sql, { name: "young" })];
  // Time rules age the row: what ended before this is an hour old.
  await db.sql`update private.change_transactions set ended_at = now() - interval '1 hour'
    where id <> (select changed_in from private.lot_changes where parking_lot_id = ${young})`;
  const moment = new Date(Date.now() - 60_000).toISOString();
  await eventually(async () => {
    const { items } = await since(moment);
    assert.ok(items.every(({ id }) => id !== old), "an older change is repeated");
    return items.some(({ id }) => id === young) || undefined;
  }, LONGEST_TRANSACTION_MS);
  const pages = [];
  for (let cursor: string | null = null;;) {
    const page: Awaited<ReturnType<typeof since>> = await since(moment, cursor, 1);
    pages.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor;
    if (!page.has_more) break;
  }
  assert.deepEqual(pages, [young]);
  const all = await since(new Date(Date.now() - 7_200_000).toISOString());
  assert.ok([old, young].every((lot) => all.items.some(({ id }) => id === lot)));
});

Deno.test("updated_since: a transaction that began before the moment and ended after it is reported", async () => {
  const slow = await db.sql.reserve();
  try {
    await slow`begin`;
    const [late] = await slow<{ id: string }[]>`
      insert into public.parking_lots (name, lat, lng, status) values ('late', 1, 1, 'active') returning id`;
    const [row] = await db.sql<{ at: Date }[]>`select clock_timestamp() + interval '11 seconds' as at`;
    await slow`commit`;
    // As if the commit had come 20 seconds later.
    await db.sql`update private.change_transactions set ended_at = clock_timestamp() + interval '20 seconds'
      where id = (select changed_in from private.lot_changes where parking_lot_id = ${late!.id})`;
    const isTold = await eventually(async () => {
      const { items } = await since(row!.at.toISOString());
      return items.some(({ id }) => id === late!.id) || undefined;
    }, LONGEST_TRANSACTION_MS);
    assert.ok(isTold);
  } finally {
    await slow`rollback`;
    slow.release();
  }
});

Deno.test("updated_since: the end of a transaction is noted when it commits, for every role", async () => {
  const [began] = await db.sql<{ at: Date }[]>`select clock_timestamp() as at`;
  const id = await db.as(signedIn(user), async (sql) => {
    await sql`select set_config('role', 'service_role', true)`;
    const [row] = await sql<{ id: string }[]>`
      insert into public.parking_lots (name, lat, lng, status) values ('x', 1, 1, 'active') returning id`;
    await sql`select pg_sleep(0.2), set_config('role', 'anon', true)`;
    return row!.id;
  });
  const [row] = await db.sql<{ ended: Date; changed: Date }[]>`
    select t.ended_at as ended, c.changed_at as changed from private.lot_changes c
    join private.change_transactions t on t.id = c.changed_in where c.parking_lot_id = ${id}`;
  assert.ok(row!.ended.getTime() - row!.changed.getTime() >= 200 && row!.changed >= began!.at);
});

Deno.test("change_transactions: transactions of which no change is left are purged after a day", async () => {
  await db.sql`update private.change_transactions set ended_at = now() - interval '2 days'`;
  await db.sql`select private.purge_change_transactions()`;
  const [row] = await db.sql`
    select count(*)::integer as left_over, (select count(distinct changed_in)::integer from private.lot_changes) as named
    from private.change_transactions`;
  assert.equal(row!["left_over"], row!["named"]);
});

Deno.test("updated_since: who writes a part of a lot and then the lot is not deadlocked by who writes the lot", async () => {
  const parts: [what: string, statement: Statement][] = [
    [
      "an override",
      (sql) =>
        sql`insert into public.parking_lot_date_overrides (parking_lot_id, override_date) values (${other}, '2026-12-31')`,
    ],
    [
      "a group",
      (sql) => sql`insert into public.pricing_groups (parking_lot_id, code, name) values (${other}, 'd', 'Deadlock')`,
    ],
    ["a spot", (sql) => sql`insert into public.parking_lot_spots (parking_lot_id, code) values (${other}, 'D1')`],
  ];
  for (const [what, statement] of parts) {
    const first = await db.sql.reserve();
    try {
      await first`begin`;
      await statement(first as unknown as Sql);
      const second = Promise.allSettled([
        db.sql`update public.parking_lots set phone = ${what} where id = ${other}`,
      ]);
      await eventually(async () => {
        const [row] = await db.sql<{ waits: boolean }[]>`
          select exists (select from pg_locks where not granted) as waits`;
        return row!.waits || undefined;
      }, 10_000);
      await first`update public.parking_lots set website = 'https://example.com' where id = ${other}`;
      await first`commit`;
      const [ended] = await second;
      assert.equal(ended.status, "fulfilled", what);
    } finally {
      await first`rollback`;
      first.release();
    }
  }
  const [row] = await db.sql`select phone, website from public.parking_lots where id = ${other}`;
  assert.deepEqual({ ...row }, { phone: "a spot", website: "https://example.com" });
});
