// The kit of the console (console/rows.sql, console/lists.sql), on a table of its own: what it writes, records and reads.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

type Row = Record<string, unknown>;
const admin = crypto.randomUUID();
await db.sql.unsafe(`
  create table public.kit_samples (
    shelf text collate "C", place integer, title text not null constraint kit_samples_title_length check (title <> ''),
    slug text unique, text text, is_active boolean not null default true,
    length integer generated always as (char_length(title)) stored,
    created_at timestamptz not null default now(), updated_at timestamptz not null default now(), primary key (shelf, place)
  );
  create function public.count_write() returns trigger language plpgsql as $$
  begin new.updated_at := clock_timestamp(); return new; end $$;
  create trigger writes before update on public.kit_samples for each row execute function public.count_write();
  select private.add_admin_actions('[
    ["sample.create", "作成", "Created"], ["sample.update", "変更", "Changed"], ["sample.withdraw", "停止", "Withdrew"],
    ["sample.restore", "再開", "Restored"], ["sample.rename", "改名", "Renamed"], ["sample.delete", "削除", "Deleted"]
  ]')`);

async function save(key: [string, number] | null, changes: Row, more = "", kind = "save_row"): Promise<Row> {
  const before = key === null
    ? "null::public.kit_samples"
    : `private.locked_row(null::public.kit_samples, '${JSON.stringify({ shelf: key[0], place: key[1] })}', 'sample')`;
  const [row] = await db.sql.unsafe(
    `select to_jsonb(private.${kind}('${admin}', 'sample', ${before}, $1::text::jsonb${more})) as saved`,
    [JSON.stringify(changes)],
  );
  return row!["saved"] as Row;
}

const acts = async (target: string) =>
  (await db.sql<{ action: string; changes: Row }[]>`
    select action, changes from public.admin_activity_logs where target_id = ${target} order by created_at`)
    .map(({ action, changes }) => [action, changes] as const);

Deno.test("save_row: a new row has the defaults of its table; its record has neither generated columns nor times", async () => {
  const row = await save(null, { shelf: "new", place: 1, title: "One" });
  assert.deepEqual([row["is_active"], row["length"], row["slug"]], [true, 3, null]);
  assert.deepEqual(await acts("new/1"), [["sample.create", {
    shelf: { old: null, new: "new" },
    place: { old: null, new: 1 },
    title: { old: null, new: "One" },
    is_active: { old: null, new: true },
  }]]);
});

Deno.test("save_row: texts are without what cannot be seen, line breaks stay, and nothing but that stays to be refused", async () => {
  const row = await save(null, { shelf: "seen", place: 1, title: "運\u200d営\u202e", text: "a\n\tb" });
  assert.deepEqual([row["title"], row["text"]], ["運営", "a\n\tb"]);
  assert.equal((await save(["seen", 1], { title: "\ufeff運営" }))["title"], "運営");
  assert.equal((await acts("seen/1")).length, 1, "an equal version");
  assert.equal((await save(["seen", 1], { text: "\u3164" }))["text"], "\u3164");
});

Deno.test("visible_texts: texts in lists and objects are without what cannot be seen, and what is deep or no text stays", async () => {
  const table: [given: unknown, visible: unknown][] = [
    [{ list: ["運\u202e営", "\u200b", "a\r\nb", 1, null] }, { list: ["運営", "", "a\nb", 1, null] }],
    [{ ja: { title: "名\u2066前", body: "\u3164" }, n: 1.5 }, { ja: { title: "名前", body: "\u3164" }, n: 1.5 }],
    [{ family: "👨‍👩‍👧", list: ["क्‍", {}] }, { family: "👨‍👩‍👧", list: ["क्‍", {}] }],
    [{ a: "\\u202e", b: "" }, { a: "\\u202e", b: "" }],
    [{ a: { b: { c: { d: ["\u202eA"] } } } }, { a: { b: { c: { d: ["\u202eA"] } } } }],
    ["\u202ea", "a"],
    [[], []],
  ];
  for (const [given, visible] of table) {
    const [row] = await db.sql`select private.visible_texts(${JSON.stringify(given)}::text::jsonb) as visible`;
    assert.deepEqual(row!["visible"], visible, JSON.stringify(given));
  }
  const deep = `${"[".repeat(3000)}"\u202ea"${"]".repeat(3000)}`;
  const [same] = await db.sql`select private.visible_texts(${deep}::text::jsonb) = ${deep}::text::jsonb as same`;
  assert.equal(same!["same"], true);
});

Deno.test("save_row: an equal version writes and records nothing; a change is the act of its is_active, or the given one", async () => {
  const made = await save(null, { shelf: "acts", place: 2, title: "Two" });
  assert.deepEqual(await save(["acts", 2], { title: "Two", is_active: true }), made);
  await save(["acts", 2], { title: "Three", is_active: true });
  await save(["acts", 2], { is_active: false });
  await save(["acts", 2], { is_active: true });
  await save(["acts", 2], { title: "Four" }, ", 'sample.rename'");
  const [, ...changed] = await acts("acts/2");
  assert.deepEqual(changed, [
    ["sample.update", { title: { old: "Two", new: "Three" } }],
    ["sample.withdraw", { is_active: { old: true, new: false } }],
    ["sample.restore", { is_active: { old: false, new: true } }],
    ["sample.rename", { title: { old: "Three", new: "Four" } }],
  ]);
});

Deno.test("save_row: the record has the MD5 of a hashed column, and only if it changed", async () => {
  await save(null, { shelf: "hash", place: 1, title: "H", text: "long" }, ", p_hashed => '{text}'");
  await save(["hash", 1], { title: "I" }, ", p_hashed => '{text}'");
  const [[, created], [, changed]] = (await acts("hash/1")) as unknown as [[string, Row], [string, Row]];
  assert.deepEqual(created["text"], { old: null, new: "0f5264038205edfb1ac05fbb0e8c5e94" });
  assert.deepEqual(Object.keys(changed), ["title"]);
});

Deno.test("save_row, save_unique_row: a value that breaks a constraint is rejected and named", async () => {
  const wrong = await errorOf(save(null, { shelf: "wrong", place: 1, title: "" }));
  assert.deepEqual([wrong.code, wrong.param], ["validation_error", "title"]);
  await save(null, { shelf: "wrong", place: 2, title: "T", slug: "taken" });
  const twice = await errorOf(
    save(null, { shelf: "wrong", place: 3, title: "T", slug: "taken" }, ", 'slug'", "save_unique_row"),
  );
  assert.deepEqual([twice.code, twice.param, twice.details], ["conflict", "slug", { reason: "already_exists" }]);
});

Deno.test("locked_row: a row that does not exist is not_found, named by the last field of its key; another version is rejected", async () => {
  const absent = await errorOf(save(["none", 1], { title: "T" }));
  assert.deepEqual([absent.code, absent.param], ["not_found", "place"]);
  await save(null, { shelf: "version", place: 1, title: "T" });
  const stale = await errorOf(db.sql.unsafe(
    `select private.locked_version(null::public.kit_samples, '{"shelf": "version", "place": 1}', 'sample', '"then"')`,
  ));
  assert.equal(stale.code, "precondition_failed");
});

Deno.test("delete_row: deletes the one row and records what it had", async () => {
  for (const place of [1, 2]) await save(null, { shelf: "delete", place, title: "T" });
  await db.sql.unsafe(`
    select private.delete_row('${admin}', 'sample', private.locked_row(null::public.kit_samples, '{"shelf": "delete", "place": 1}', 'sample'))`);
  const rows = await db.sql`select place from public.kit_samples where shelf = 'delete'`;
  assert.deepEqual(rows.map(({ place }) => place), [2]);
  const [action, changes] = (await acts("delete/1")).at(-1)!;
  assert.deepEqual([action, changes["title"], "length" in changes], [
    "sample.delete",
    { old: "T", new: null },
    false,
  ]);
});

interface Page {
  readonly items: Row[];
  readonly next_cursor: string | null;
  readonly total?: number;
  readonly total_is_exact?: boolean;
}

async function list(
  filters: Row,
  options: { cursor?: string | null; limit?: number; order?: string; more?: string } = {},
) {
  const { cursor = null, limit = 20, order = "asc", more = "" } = options;
  const [row] = await db.sql.unsafe<{ page: Page }[]>(
    `select private.list_rows('public.kit_samples', '{shelf text,place integer}', $1, $2::text::jsonb, '{total}', $3, $4${more}) as page`,
    [order, JSON.stringify(filters), cursor, limit] as never[],
  );
  return row!.page;
}
const SHELF = "r.shelf = %s";
const places = ({ items }: Page) => items.map(({ place }) => place);

await db.sql`
  insert into public.kit_samples (shelf, place, title, is_active)
  select 'list', n, 'Title ' || n, n % 2 = 0 from generate_series(1, 9) as n`;

Deno.test("list_rows: pages continue each other in both directions, with the total of all", async () => {
  const filters = { [SHELF]: "list" };
  const first = await list(filters, { limit: 5 });
  assert.deepEqual([places(first), first.total], [[1, 2, 3, 4, 5], 9]);
  assert.deepEqual(places(await list(filters, { limit: 5, cursor: first.next_cursor })), [6, 7, 8, 9]);
  // No list in descending order has a text in its order: there is no last text.
  const down = (cursor: string | null) =>
    db.sql.unsafe<{ page: Page }[]>(
      `select private.list_rows('public.kit_samples', '{place integer}', 'desc', $1::text::jsonb, '{}', $2, 6) as page`,
      [JSON.stringify(filters), cursor] as never[],
    ).then(([row]) => row!.page);
  const last = await down(null);
  assert.deepEqual([places(last), places(await down(last.next_cursor))], [[9, 8, 7, 6, 5, 4], [3, 2, 1]]);
});

Deno.test("list_rows: a filter without a value is not in the statement; a value is never a part of it", async () => {
  const absent = await list({ [SHELF]: "list", "r.no_such_column = %s": null });
  assert.equal(absent.total, 9);
  assert.equal(await sqlstate(list({ [SHELF]: "list", "r.no_such_column = %s": "x" })), "42703");
  assert.equal((await list({ [SHELF]: "list' or 'a' = 'a" })).total, 0);
  assert.equal((await list({ [SHELF]: "list", "r.is_active = %s::boolean": false })).total, 5);
  const both = "strpos(r.title, %1$s) > 0 or r.slug = %1$s";
  assert.deepEqual(places(await list({ [SHELF]: "list", [both]: "7" })), [7]);
});

Deno.test("list_rows: a cursor of other filters is rejected, and so is a limit beyond the list's", async () => {
  const { next_cursor } = await list({ [SHELF]: "list" }, { limit: 2 });
  const other = await errorOf(list({ [SHELF]: "acts" }, { limit: 2, cursor: next_cursor }));
  assert.deepEqual([other.code, other.param], ["validation_error", "cursor"]);
  const long = await errorOf(list({ [SHELF]: "list" }, { limit: 101 }));
  assert.deepEqual([long.code, long.param], ["validation_error", "limit"]);
  assert.equal((await list({ [SHELF]: "list" }, { limit: 101, more: ", p_max_limit => 200" })).items.length, 9);
});

Deno.test("list_rows: rows are shown one by one or together, and a capped total has total_is_exact", async () => {
  const filters = { [SHELF]: "list" };
  const one = await list(filters, { limit: 2, more: `, p_row => 'to_jsonb(r) || ''{"shown": true}'''` });
  assert.deepEqual(one.items.map(({ shown }) => shown), [true, true]);
  const all = await list(filters, {
    limit: 2,
    more: ", p_rows => 'jsonb_agg(to_jsonb(r) order by (r).place)', p_is_capped => true",
  });
  assert.deepEqual([places(all), all.total, all.total_is_exact], [[1, 2], 9, true]);
});
