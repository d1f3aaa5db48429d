// The list of lots of the console in SQL: what a search finds, in which order, and how much it reads for it.
import assert from "node:assert/strict";
import postgres from "postgres";
import { asSuperuser, database } from "../support/database.ts";
import { newLot } from "../support/rows.ts";

const db = await database();
const { sql } = db;
/** Sees how much of a table a transaction has read. */
const superuser = postgres(asSuperuser(db.url), { max: 1, onnotice: () => {} });
Deno.test.afterAll(async () => {
  await superuser.end();
  await db.close();
});

const service = { role: "service_role" } as const;
const administrator = crypto.randomUUID();
await sql`
  insert into auth.users (id, email, raw_app_meta_data)
  values (${administrator}, 'administrator@console.test', '{"admin": {"areas": ["lots"]}}')`;

/** More than a search reads of the order before it turns to the indexes. */
const LOTS = 8000;
await sql`
  insert into public.operators (id, name, name_en, slug)
  values ('whale', 'くじら', 'Whale', 'whale'), ('other', 'Other', null, 'other')`;
await sql`
  insert into public.parking_lots (name, name_kana, address, lat, lng, status, operator_code, source, updated_at)
  select format('%s %s', case when n <= 40 then '旧市街' when n in (50, 7777) then '100%満_車' else 'ﾊﾟｰｷﾝｸﾞ' end, n),
    case when n % 7 = 0 then 'ぱーきんぐ' end, case when n % 3 > 0 then format('City %s, Block %s', n % 40, n) end, 35, 139,
    case when n % 10 = 0 then 'draft' when n % 37 = 0 then 'suspended' when n % 41 = 0 then 'closed' else 'active' end,
    (array['whale', 'other'])[n % 50], case when n % 100 = 1 then 'small' when n % 5 > 0 then 'large' end,
    timestamptz '2026-01-01 00:00:00+00' + n / 3 * interval '1 minute'
  from generate_series(1, ${LOTS}::integer) n`;
await sql`vacuum (analyze) public.parking_lots, private.search_entries, private.unlisted_search_entries`;
// The texts that the naive search reads, in the form in which texts are compared.
await sql`
  create table public.naive_texts as
  select l.id, array(
    select private.search_text(line) from unnest(array[l.name, l.name_kana, l.address, o.name, o.name_en]) as line
  ) as lines
  from public.parking_lots l left join public.operators o on o.id = l.operator_code and l.status = 'active'`;

interface Filter {
  readonly q?: string;
  readonly status?: string;
  readonly operator_code?: string;
  readonly source?: string;
}

interface Page {
  readonly items: readonly { readonly id: string }[];
  readonly next_cursor: string | null;
  readonly total?: number;
}

async function page(filter: Filter, limit = 100, cursor: string | null = null, include: string[] = []): Promise<Page> {
  const [row] = await db.as(service, (as) =>
    as<{ page: Page }[]>`
      select api.admin_list_parking_lots(${administrator}, ${filter.status ?? null}, ${filter.operator_code ?? null},
        ${filter.source ?? null}, ${filter.q ?? null}, ${include}, ${cursor}, ${limit}) as page`);
  return row!.page;
}

async function all(filter: Filter, limit = 100): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const next: Page = await page(filter, limit, cursor);
    ids.push(...next.items.map(({ id }) => id));
    cursor = next.next_cursor;
  } while (cursor !== null);
  return ids;
}

/** The same without entries, indexes and pages. */
async function expected({ q, status, operator_code, source }: Filter): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    with words as materialized (
      select private.search_text(word) as word from regexp_split_to_table(${
    q ?? ""
  }, '[[:space:]]+') as word where word <> ''
    )
    select l.id from public.parking_lots l join public.naive_texts t using (id)
    where (${status ?? null}::text is null or l.status = ${status ?? null})
      and (${operator_code ?? null}::text is null or l.operator_code = ${operator_code ?? null})
      and (${source ?? null}::text is null or l.source = ${source ?? null})
      and not exists (
        select from words w where not exists (select from unnest(t.lines) as line where strpos(line, w.word) > 0)
      )
    order by l.updated_at desc, l.id desc`;
  return rows.map(({ id }) => id);
}

const COMMON = "a common text";
const FILTERS: readonly [what: string, filter: Filter, least: number][] = [
  [COMMON, { q: "ぱーきんぐ" }, 7900],
  ["words of two fields", { q: "city パーキング" }, 5000],
  ["a text of the oldest alone", { q: "旧市街" }, 40],
  ["a text of the oldest and a common text", { q: "city 旧市" }, 20],
  ["a single letter", { q: "旧" }, 40],
  ["one lot", { q: "block7778" }, 1],
  ["a draft", { q: "100%" }, 2],
  ["wildcards, which are none", { q: "%満_" }, 2],
  ["wildcards that no lot has", { q: "1%満" }, 0],
  ["no lot", { q: "nobody has this" }, 0],
  ["pairs that no lot has in a row", { q: "kcolb" }, 0],
  ["an operator, of public lots alone", { q: "クジラ" }, 100],
  ["drafts by a common text", { q: "パーキング", status: "draft" }, 700],
  ["drafts by a text of the oldest", { q: "旧市街", status: "draft" }, 4],
  ["public lots by a text of the oldest", { q: "旧市街", status: "active" }, 30],
  ["an operator's name, which lots of this status are not found by", { q: "whale", status: "suspended" }, 0],
  ["a text in a small source", { q: "旧市街", source: "small" }, 1],
  ["a text in a large source", { q: "旧市街", source: "large" }, 20],
  ["a text of an operator's lots", { q: "パーキング", operator_code: "whale" }, 100],
];

for (const [what, filter, least] of FILTERS) {
  Deno.test(`admin_list_parking_lots: the pages of ${what} equal a naive search, the newest change first`, async () => {
    const ids = await expected(filter);
    assert.ok(ids.length >= least, `the data has ${ids.length} of them`);
    assert.deepEqual(await all(filter), ids);
    if (ids.length <= 100) assert.deepEqual(await all(filter, 7), ids);
    assert.equal((await page(filter, 1, null, ["total"])).total, ids.length);
  });
}

Deno.test("admin_list_parking_lots: a search reads only matching entries, a common text only a part of the order", async () => {
  const tables = ["parking_lots", "search_entries", "unlisted_search_entries"];
  for (const [what, filter] of FILTERS) {
    const matches = (await expected(filter)).length;
    await superuser.begin(async (sql) => {
      const read = async () => {
        const rows = await sql<{ scans: number; rows: number }[]>`
          select seq_scan::integer as scans, (seq_tup_read + idx_tup_fetch)::integer as rows
          from pg_stat_xact_user_tables where relname = any (${tables}) order by relname`;
        return rows.map(({ scans, rows }) => ({ scans, rows }));
      };
      const before = await read();
      await sql`set local role service_role`;
      await sql`
        select api.admin_list_parking_lots(${administrator}, ${filter.status ?? null}, ${filter.operator_code ?? null},
          ${filter.source ?? null}, ${filter.q ?? null}, p_limit => 20)`;
      await sql`reset role`;
      const after = await read();
      const scans = after.map((table, n) => table.scans - before[n]!.scans);
      assert.deepEqual(scans, [0, 0, 0], what);
      const entries = after[1]!.rows + after[2]!.rows - before[1]!.rows - before[2]!.rows;
      // The statistics count a row twice that an index scan reads. Lots of the seed are newer than these.
      const most = what === COMMON ? 500 : 2 * (5000 + matches);
      assert.ok(entries <= most, `${what}: ${entries} entries`);
    });
  }
});

Deno.test("search_entries, unlisted_search_entries: a lot has one entry, by its status, after every change, and it is deleted with the lot", async () => {
  const lot = await newLot(sql, { name: "Ｎｅｗ", address: "１-１", status: "draft", operator_code: "whale" });
  const entries = async () => {
    const [row] = await sql<{ listed: string[]; unlisted: string[] }[]>`
      select array(select document from private.search_entries where parking_lot_id = ${lot}) as listed,
        array(select document from private.unlisted_search_entries where parking_lot_id = ${lot}) as unlisted`;
    return row!;
  };
  assert.deepEqual(await entries(), { listed: [], unlisted: ["new\n1-1"] });
  await sql`update public.parking_lots set name_kana = 'にゅー', phone = '1' where id = ${lot}`;
  assert.deepEqual(await entries(), { listed: [], unlisted: ["new\nニュー\n1-1"] });
  const [row] = await sql`
    select terms = (select t.terms from private.search_terms(document) as t) as are_of_text
    from private.unlisted_search_entries where parking_lot_id = ${lot}`;
  assert.equal(row!["are_of_text"], true);
  await sql`update public.parking_lots set status = 'active' where id = ${lot}`;
  assert.deepEqual(await entries(), { listed: ["new\nニュー\n1-1\nクジラ\nwhale"], unlisted: [] });
  for (const status of ["suspended", "closed"]) {
    await sql`update public.parking_lots set status = ${status} where id = ${lot}`;
    assert.deepEqual(await entries(), { listed: [], unlisted: ["new\nニュー\n1-1"] });
  }
  await sql`delete from public.parking_lots where id = ${lot}`;
  assert.deepEqual(await entries(), { listed: [], unlisted: [] });
  const [wrong] = await sql`
    select count(*)::integer as lots from public.parking_lots l
    where (l.status = 'active') is distinct from exists (select from private.search_entries e where e.parking_lot_id = l.id)
      or (l.status <> 'active') is distinct from exists (
        select from private.unlisted_search_entries e where e.parking_lot_id = l.id
      )`;
  assert.equal(wrong!["lots"], 0);
});
