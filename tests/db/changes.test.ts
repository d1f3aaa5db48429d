// updated_since: which changes are reported, and that older ones are not repeated.
import assert from "node:assert/strict";
import postgres, { type Sql } from "postgres";
import { database } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { newLot, newUser, purge, runJob } from "../support/rows.ts";
import { search } from "./support/search.ts";

const db = await database();
Deno.test.afterAll(() => db.close());
await db.sql`delete from public.parking_lots`;

/** The revision of a lot's newest change, once the job has run. */
async function changeOf(lot: string): Promise<string> {
  await runJob(db.sql, "note_lot_changes");
  const [row] = await db.sql<{ revision: string }[]>`
    select revision::text from private.lot_changes where parking_lot_id = ${lot}`;
  return row!.revision;
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
    await runJob(sql, "propagate_renames");
  }],
  ["a tag is taken away", (sql) => sql`delete from public.parking_lot_tags where parking_lot_id = ${lot}`],
  ["the operator is renamed", async (sql) => {
    await sql`update public.operators set name = 'Renamed' where id = ${operator!.id}`;
    await runJob(sql, "propagate_renames");
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

Deno.test("updated_since: many changes of a lot between two runs of the job get one revision", async () => {
  const before = Number(await changeOf(lot));
  await db.sql.begin(async (sql) => {
    await sql`update public.parking_lots set phone = '04' where id = ${lot}`;
    for (let n = 0; n < 5; n++) {
      await sql`insert into public.parking_lot_spots (parking_lot_id, code) values (${lot}, ${`B${n}`})`;
    }
  });
  await db.sql`update public.parking_lots set phone = '05' where id = ${lot}`;
  assert.equal(Number(await changeOf(lot)), before + 1);
  assert.equal((await db.sql`select from private.lot_change_queue`).length, 0);
});

const since = (at: string, cursor: string | null = null, limit = 1000) =>
  db.as({ role: "anon" }, (sql) => search(sql, { updated_since: at, cursor, limit }));
const idsSince = async (at: string) => (await since(at)).items.map(({ id }) => id);
/** To the microsecond, as revisions are noted. */
const now = async () => (await db.sql<{ at: string }[]>`select to_jsonb(clock_timestamp()) #>> '{}' as at`)[0]!.at;

Deno.test("updated_since: changes reported before are not repeated, with any page size", async () => {
  const old = await newLot(db.sql, { name: "old" });
  await runJob(db.sql, "note_lot_changes");
  const moment = await now();
  const young = [await newLot(db.sql, { name: "young" }), await newLot(db.sql, { name: "younger" })];
  await runJob(db.sql, "note_lot_changes");
  const pages = [];
  for (let cursor: string | null = null;;) {
    const page: Awaited<ReturnType<typeof since>> = await since(moment, cursor, 1);
    pages.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor;
    if (!page.has_more) break;
  }
  assert.deepEqual(pages, young);
  const all = await idsSince("2000-01-01T00:00:00Z");
  assert.ok([old, ...young].every((id) => all.includes(id)));
  assert.deepEqual(await idsSince("2999-01-01T00:00:00Z"), []);
});

Deno.test("updated_since: the cursor of an empty page with a future time continues with later changes", async () => {
  const { next_cursor, items } = await since("2999-01-01T00:00:00Z");
  assert.deepEqual(items, []);
  const next = await newLot(db.sql, { name: "next" });
  assert.deepEqual((await since("2999-01-01T00:00:00Z", next_cursor)).items, []);
  await runJob(db.sql, "note_lot_changes");
  assert.deepEqual((await since("2999-01-01T00:00:00Z", next_cursor)).items.map(({ id }) => id), [next]);
});

Deno.test("updated_since: a transaction that began before the moment and ended after it is reported", async () => {
  const slow = await db.sql.reserve();
  try {
    await slow`begin`;
    const [late] = await slow<{ id: string }[]>`
      insert into public.parking_lots (name, lat, lng, status) values ('late', 1, 1, 'active') returning id`;
    const moment = await now();
    await runJob(db.sql, "note_lot_changes");
    assert.ok(!(await idsSince(moment)).includes(late!.id));
    await slow`commit`;
    await runJob(db.sql, "note_lot_changes");
    assert.deepEqual(await idsSince(moment), [late!.id]);
  } finally {
    await slow`rollback`;
    slow.release();
  }
});

Deno.test("updated_since: a clock set back or ahead hides no change", async () => {
  await db.sql`update private.lot_changes set noted_at = now() + interval '1 hour'
    where revision = (select max(revision) from private.lot_changes)`;
  const moment = await now();
  const id = await newLot(db.sql, { name: "after the clock" });
  await runJob(db.sql, "note_lot_changes");
  assert.ok((await idsSince(moment)).includes(id));
  const [row] = await db.sql`
    select count(*)::integer as wrong from private.lot_changes a join private.lot_changes b on a.revision < b.revision
    where a.noted_at > b.noted_at`;
  assert.equal(row!["wrong"], 0);
  await db.sql`update private.lot_changes set noted_at = least(noted_at, now())`;
});

Deno.test("updated_since: transactions that stay open, here and in another database, delay nothing", async () => {
  const elsewhere = postgres(Deno.env.get("DB_URL")!, { max: 1, onnotice: () => {} });
  const slow = await db.sql.reserve();
  try {
    await slow`begin`;
    await slow`update public.parking_lots set phone = 'open' where id = ${other}`;
    await elsewhere.unsafe("begin; select pg_current_xact_id()");
    const moment = await now();
    const id = await newLot(db.sql, { name: "not held up" });
    await runJob(db.sql, "note_lot_changes");
    assert.deepEqual(await idsSince(moment), [id]);
  } finally {
    await slow`rollback`;
    slow.release();
    await elsewhere.end();
  }
});

Deno.test("updated_since: a lot that was public between two runs of the job leaves a tombstone, a draft nothing", async () => {
  const moment = await now();
  const [visible, draft] = [await newLot(db.sql), await newLot(db.sql, { status: "draft" })];
  await db.sql`update public.parking_lots set status = 'closed' where id = ${visible}`;
  await db.sql`delete from public.parking_lots where id = any (${[visible, draft]})`;
  await runJob(db.sql, "note_lot_changes");
  const { items } = await since(moment);
  assert.deepEqual(items.map(({ id, deleted }) => [id, deleted]), [[visible, true]]);
});

Deno.test("updated_since: a tombstone is kept for a year, and revisions grow without it", async () => {
  const moment = await now();
  const [old, recent] = [await newLot(db.sql), await newLot(db.sql)];
  await runJob(db.sql, "note_lot_changes");
  await db.sql`delete from public.parking_lots where id = ${old}`;
  await runJob(db.sql, "note_lot_changes");
  await db.sql`delete from public.parking_lots where id = ${recent}`;
  await runJob(db.sql, "note_lot_changes");
  const ago = (lot: string, age: string) =>
    db.sql`update private.lot_changes set noted_at = now() - ${age}::interval where parking_lot_id = ${lot}`;
  await ago(old, "366 days");
  await ago(recent, "364 days");
  await purge(db.sql);
  const left = async () =>
    (await db.sql<{ id: string }[]>`
      select parking_lot_id as id from private.lot_changes where parking_lot_id in (${old}, ${recent})`).map(({ id }) =>
      id
    );
  assert.deepEqual(await left(), [recent]);
  // The newest revision of all stays, or it would be given again.
  await ago(recent, "366 days");
  await purge(db.sql);
  assert.deepEqual(await left(), [recent]);
  const later = await newLot(db.sql);
  await runJob(db.sql, "note_lot_changes");
  await purge(db.sql);
  assert.deepEqual(await left(), []);
  assert.deepEqual(await idsSince(moment), [later]);
});

Deno.test("updated_since: the job works in batches; none is skipped, and a second worker does nothing", async () => {
  const moment = await now();
  const lots = new Set(await Promise.all(Array.from({ length: 7 }, () => newLot(db.sql))));
  const first = await db.sql.reserve();
  try {
    await first`begin`;
    const [batch] = await first<{ from: string | null }[]>`select private.note_lot_changes(null, 3) as from`;
    assert.ok(batch!.from !== null);
    assert.equal((await db.sql`select private.note_lot_changes() as from`)[0]!["from"], null);
    assert.deepEqual(await idsSince(moment), []);
    await first`commit`;
    let from = batch!.from as string | null;
    for (let batches = 1; from !== null; batches++) {
      assert.ok(batches < 10);
      from = (await first<{ from: string | null }[]>`select private.note_lot_changes(${from}, 3) as from`)[0]!.from;
    }
  } finally {
    first.release();
  }
  assert.deepEqual(new Set(await idsSince(moment)), lots);
});

Deno.test("updated_since: a cursor made before a dump continues in the restored database", async () => {
  const moment = await now();
  const kept = await newLot(db.sql, { name: "kept" });
  await runJob(db.sql, "note_lot_changes");
  const { next_cursor } = await since(moment);
  const waiting = await newLot(db.sql, { name: "waiting" });
  const restored = await database();
  try {
    // As a dump is restored: the rows as they are, and the triggers after them.
    await restored.sql`delete from public.parking_lots`;
    await restored.sql`truncate private.lot_changes, private.lot_change_queue`;
    await restored.sql`alter table public.parking_lots disable trigger user`;
    const [dump] = await db.sql<{ changes: never; queue: never }[]>`
      select (select jsonb_agg(to_jsonb(c)) from private.lot_changes c) as changes,
        (select jsonb_agg(to_jsonb(q)) from private.lot_change_queue q) as queue`;
    await restored.sql`
      insert into public.parking_lots (id, name, lat, lng, status)
      select id, 'restored', 1, 1, 'active' from unnest(${[kept, waiting]}::uuid[]) as id`;
    await restored.sql`
      insert into private.lot_changes
      select * from jsonb_populate_recordset(null::private.lot_changes, ${restored.sql.json(dump!.changes)})`;
    await restored.sql`
      insert into private.lot_change_queue overriding system value
      select * from jsonb_populate_recordset(null::private.lot_change_queue, ${restored.sql.json(dump!.queue)})`;
    await restored.sql`alter table public.parking_lots enable trigger user`;
    const after = await newLot(restored.sql, { name: "after" });
    await runJob(restored.sql, "note_lot_changes");
    const notifications = await restored.as(
      { role: "anon" },
      (sql) => search(sql, { updated_since: moment, cursor: next_cursor, limit: 1000 }),
    );
    assert.deepEqual(new Set(notifications.items.map(({ id }) => id)), new Set([waiting, after]));
    const whole = await restored.as({ role: "anon" }, (sql) => search(sql, { updated_since: moment, limit: 1000 }));
    assert.deepEqual(whole.items.map(({ id }) => id)[0], kept);
  } finally {
    await restored.close();
  }
});

Deno.test("updated_since: writing a part of a lot and then the lot does not deadlock with a write of the lot", async () => {
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
      let isDone = false;
      const second = Promise.allSettled([
        db.sql`update public.parking_lots set phone = ${what} where id = ${other}`.finally(() => isDone = true),
      ]);
      await eventually(async () => {
        const [row] = await db.sql<{ waits: boolean }[]>`
          select exists (select from pg_locks where not granted) as waits`;
        return row!.waits || isDone || undefined;
      });
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
