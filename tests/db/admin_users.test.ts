// The list of app users in SQL: what it finds, in which order, and how much it reads for it.
import assert from "node:assert/strict";
import postgres from "postgres";
import { asSuperuser, database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";

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
  values (${administrator}, 'administrator@console.test', '{"admin": {"areas": ["users"]}}')`;

/** More than a search reads of the order before it turns to an index. */
const PEOPLE = 3000;
await sql`
  insert into auth.users (id, email, raw_user_meta_data, created_at)
  select gen_random_uuid(), format('%s.%s@%s', (array['taro', 'hanako', 'ken_ji'])[1 + n % 3], n,
      case when n <= 40 then 'old-mail.test' when n % 2 = 0 then 'mail.test' else 'post.test' end),
    case when n % 5 > 0 then jsonb_build_object('display_name',
      (array['田中', '佐藤', 'ﾀﾅｶ', '鯨%'])[case when n in (7, 1777) then 4 else 1 + n % 3 end] || ' 太郎' || n) else '{}' end, now()
  from generate_series(1, ${PEOPLE}::integer) n`;
await sql`
  update public.app_users a set created_at = timestamptz '2026-01-01 00:00:00+00' + r.nth / 2 * interval '1 minute'
  from (
    select id, (regexp_match(email, '\\.(\\d+)@'))[1]::integer as nth from auth.users where email like '%.test' and email <> 'administrator@console.test'
  ) r where r.id = a.id`;
await sql`
  update public.app_users a set
    status = case when r.nth % 100 = 0 then 'suspended' else 'active' end,
    premium_ends_at = case when r.nth % 300 = 1 then 'infinity' when r.nth % 10 = 2 then now() - interval '1 day' end::timestamptz
  from (
    select id, (regexp_match(email, '\\.(\\d+)@'))[1]::integer as nth from auth.users where email like '%.test' and email <> 'administrator@console.test'
  ) r where r.id = a.id`;
await sql`analyze private.user_search_entries`;

interface Filter {
  readonly email?: string;
  readonly display_name?: string;
  readonly status?: string;
  readonly premium?: boolean;
}

interface Page {
  readonly items: readonly { readonly id: string; readonly email: string }[];
  readonly next_cursor: string | null;
  readonly total?: number;
  readonly total_is_exact?: boolean;
}

async function page(filter: Filter, limit = 100, cursor: string | null = null, include: string[] = []): Promise<Page> {
  const [row] = await db.as(service, (as) =>
    as<{ page: Page }[]>`
      select api.admin_list_users(${administrator}, ${filter.email ?? null}, ${filter.display_name ?? null},
        ${filter.status ?? null}, ${filter.premium ?? null}, ${include}, ${cursor}, ${limit}) as page`);
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
async function expected({ email, display_name, status, premium }: Filter): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select a.id from public.app_users a join auth.users u on u.id = a.id
    where (${status ?? null}::text is null or a.status = ${status ?? null})
      and (${premium ?? null}::boolean is null or coalesce(a.premium_ends_at > now(), false) = ${premium ?? null})
      and (${email ?? null}::text is null or strpos(private.search_text(u.email), private.search_text(${
    email ?? null
  })) > 0)
      and (${display_name ?? null}::text is null
        or strpos(private.search_text(a.display_name), private.search_text(${display_name ?? null})) > 0)
    order by a.created_at desc, a.id desc`;
  return rows.map(({ id }) => id);
}

const FILTERS: readonly [what: string, filter: Filter, least: number][] = [
  ["nothing", {}, PEOPLE],
  ["a common part of the address", { email: "mail.test" }, 1000],
  ["an address of the oldest alone", { email: "@OLD-mail" }, 40],
  ["one address", { email: "taro.1776@" }, 1],
  ["an underscore, which is no wildcard", { email: "en_ji" }, 900],
  ["no address", { email: "k_n_ji" }, 0],
  ["a common name", { display_name: "太郎" }, 2000],
  ["a name of two letters, in every kana and width", { display_name: "たな" }, 700],
  ["a rare name with a percent sign", { display_name: "鯨%" }, 2],
  ["pairs that no name has in a row", { display_name: "中郎" }, 0],
  ["a status", { status: "suspended" }, 30],
  ["premium", { premium: true }, 10],
  ["no premium", { premium: false }, 2900],
  ["address and name", { email: "old-mail", display_name: "田中" }, 8],
  ["everything", { email: "post.test", display_name: "佐藤", status: "active", premium: false }, 200],
];

for (const [what, filter, least] of FILTERS) {
  Deno.test(`admin_list_users: the pages of ${what} equal a naive search, newest first`, async () => {
    const ids = await expected(filter);
    assert.ok(ids.length >= least, `the data has ${ids.length} of them`);
    assert.deepEqual(await all(filter), ids);
    if (ids.length <= 100) assert.deepEqual(await all(filter, 7), ids);
    const { total, total_is_exact } = await page(filter, 1, null, ["total"]);
    assert.deepEqual([total, total_is_exact], [ids.length, true]);
  });
}

Deno.test("admin_list_users: no search by text or premium reads the whole table, and a common text reads only the next entries", async () => {
  for (const [what, filter] of FILTERS) {
    if (filter.email === undefined && filter.display_name === undefined && filter.premium !== true) continue;
    await superuser.begin(async (sql) => {
      const read = async () => {
        const [row] = await sql`
          select seq_scan::integer as scans, (seq_tup_read + idx_tup_fetch)::integer as rows
          from pg_stat_xact_user_tables where relname = 'user_search_entries'`;
        return { scans: row!["scans"] as number, rows: row!["rows"] as number };
      };
      const before = await read();
      await sql`set local role service_role`;
      await sql`
        select api.admin_list_users(${administrator}, ${filter.email ?? null}, ${filter.display_name ?? null},
          ${filter.status ?? null}, ${filter.premium ?? null}, p_limit => 20)`;
      await sql`reset role`;
      const after = await read();
      assert.equal(after.scans - before.scans, 0, what);
      if (["a common part of the address", "a common name"].includes(what)) {
        assert.ok(after.rows - before.rows <= 2000, `${what}: ${after.rows - before.rows} rows`);
      }
    });
  }
});

Deno.test("user_search_entries: an entry equals its account after every change, and is deleted with it", async () => {
  const id = crypto.randomUUID();
  const entry = async () => {
    const [row] = await sql`
      select status, premium_ends_at is not null as premium, email, name, created_at = (select created_at from public.app_users where id = ${id}) as same
      from private.user_search_entries where user_id = ${id}`;
    return row && { ...row };
  };
  await sql`insert into auth.users (id, email, raw_user_meta_data) values (${id}, 'First@Mail.test', '{"display_name": "さとう Ｋ"}')`;
  const base = { status: "active", premium: false, email: "first@mail.test", name: "サトウk", same: true };
  assert.deepEqual(await entry(), base);
  await sql`update auth.users set email = 'second@mail.test' where id = ${id}`;
  await sql`update public.app_users set display_name = null, premium_ends_at = 'infinity', created_at = '2020-01-01 00:00:00+00' where id = ${id}`;
  assert.deepEqual(await entry(), { ...base, premium: true, email: "second@mail.test", name: "" });
  await db.as(
    { role: "authenticated", sub: id },
    (as) => as`select commands.update_my_account('New name')`,
  );
  assert.equal((await entry())!["name"], "newname");
  await sql`update public.app_users set status = 'suspended' where id = ${id}`;
  assert.equal((await entry())!["status"], "suspended");
  await sql`update public.app_users set status = 'withdrawn' where id = ${id}`;
  assert.deepEqual(await entry(), { ...base, status: "withdrawn", premium: true, email: "", name: "" });
  await sql`delete from auth.users where id = ${id}`;
  assert.equal(await entry(), undefined);
  const [mine] =
    await sql`select count(*)::integer as rows from private.user_search_entries where user_id = ${administrator}`;
  assert.equal(mine!["rows"], 0, "an administrator has none");
});

Deno.test("admin functions of users: functions that act for any user are executable by the service only", async () => {
  const open = await sql`
    select p.oid::regprocedure::text as name from pg_proc p
    where p.pronamespace = 'private'::regnamespace
      and p.proname in ('empty_account', 'data_page', 'avatar_of', 'sign_ins_of', 'found_users', 'user_total', 'admin_user', 'admin_user_rows', 'set_user_status')
      and (has_function_privilege('authenticated', p.oid, 'execute') or has_function_privilege('anon', p.oid, 'execute')
        or not has_function_privilege('service_role', p.oid, 'execute'))`;
  assert.deepEqual(open.map(({ name }) => name), []);
});

Deno.test("admin functions of users: a caller who is not an administrator of users is rejected before any other check", async () => {
  const other = crypto.randomUUID();
  await sql`insert into auth.users (id, email, raw_app_meta_data) values (${other}, ${`${other}@console.test`}, '{"admin": {"areas": ["lots"]}}')`;
  for (
    const call of [
      "admin_list_users($1, p_limit => 0)",
      "admin_list_users($1, p_cursor => 'none')",
      "admin_read_user($1, null)",
      "admin_suspend_user($1, null, null)",
      "admin_reactivate_user($1, null, null)",
      "admin_set_user_premium($1, null, null, null)",
      "admin_withdraw_user($1, null, null)",
      "admin_export_user($1, null)",
      "admin_read_user_export($1, null)",
      "admin_list_user_activity_logs($1, null)",
    ]
  ) {
    const error = await errorOf(db.as(service, (as) => as.unsafe(`select api.${call}`, [other])));
    assert.deepEqual([error.code, error.details], ["forbidden", { scope: "admin:users" }], call);
  }
});
