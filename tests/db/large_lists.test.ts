// Searches and lists that take another way in a large table: each way has the rows and the order of a plain query.
import assert from "node:assert/strict";
import postgres from "postgres";
import { Random } from "../../tools/seed/random.ts";
import { asSuperuser, database } from "../support/database.ts";
import { search, searchAll } from "./support/search.ts";

const db = await database();
/** Writes statistics. */
const superuser = postgres(asSuperuser(db.url), { max: 1, onnotice: () => {} });
Deno.test.afterAll(async () => {
  await superuser.end();
  await db.close();
});

const administrator = crypto.randomUUID();
await db.sql`
  insert into auth.users (id, email, raw_app_meta_data)
  values (${administrator}, 'administrator@large.test', '{"admin": {"areas": ["lots", "users", "notifications"]}}')`;

/** More than a search reads of its order. */
const LOTS = 7_000;
await db.sql`delete from public.parking_lots`;
await db
  .sql`insert into public.operators (id, name, slug) select 'op' || n, 'Op ' || n, 'op' || n from generate_series(1, 60) as n`;
// The first third of each order has no operator and no height.
await db.sql`
  insert into public.parking_lots (name, address, lat, lng, status, operator_code, max_height_m, tag_slugs)
  select 'Lot ' || n, 'Block ' || n || ', City ' || n % 9, 35 + n % 83 * 0.003, 139 + n % 89 * 0.003, 'active',
    case when n > ${LOTS}::integer / 3 and n % 7 = 0 then 'op' || 1 + n % 60 end,
    case when n > ${LOTS}::integer / 3 and n % 3 = 0 then 2.1 end,
    case when n % 2 = 0 then '{covered}' else '{}' end::text[]
  from generate_series(1, ${LOTS}::integer) as n`;
await db.sql`
  update private.search_entries e set hour_price = v.price, price_key = coalesce(v.price, 2147483647), rank_key = v.rank
  from (
    select l.id, case when s.n % 4 > 0 then s.n / 10 * 10 end as price, 5000 + s.n % 50 as rank
    from public.parking_lots l cross join lateral (select substr(l.name, 5)::integer as n) s
  ) v where v.id = e.parking_lot_id`;
await db.sql`analyze`;
await db
  .sql`select private.refresh_map_cells(array(select distinct private.map_cell(mercator) from private.search_entries))`;

interface Chosen {
  readonly operator_codes?: string[];
  readonly price_min?: number;
  readonly price_max?: number;
  readonly keywords?: string[];
  readonly vehicle?: { height_m: number };
  readonly attributes?: string[];
}

/** The same from the lots, without terms, windows and areas of an index. */
async function expected(chosen: Chosen, bbox: readonly number[] | undefined, sort: string): Promise<string[]> {
  const { operator_codes = null, price_min = null, price_max = null, keywords = [], vehicle, attributes = [] } = chosen;
  const rows = await db.sql<{ id: string }[]>`
    select l.id from public.parking_lots l join private.search_entries e on e.parking_lot_id = l.id
    where (${operator_codes}::text[] is null or l.operator_code = any (${operator_codes}::text[]))
      and (${price_min}::integer is null or e.hour_price >= ${price_min})
      and (${price_max}::integer is null or e.hour_price <= ${price_max})
      and (${vehicle?.height_m ?? null}::numeric is null or l.max_height_m >= ${vehicle?.height_m ?? null})
      and l.tag_slugs @> ${attributes}::text[]
      and not exists (
        select from unnest(${keywords}::text[]) as k
        where not exists (
          select from unnest(array[l.name, l.address]) as line
          where strpos(replace(lower(line), ' ', ''), replace(k, ' ', '')) > 0
        ) and not exists (
          select from public.operators o where o.id = l.operator_code and strpos(replace(lower(o.name), ' ', ''), replace(k, ' ', '')) > 0
        )
      )
      and (${bbox === undefined} or l.lng between ${bbox?.[0] ?? 0} and ${bbox?.[2] ?? 0} and l.lat between ${
    bbox?.[1] ?? 0
  } and ${bbox?.[3] ?? 0})
    order by ${sort === "price" ? db.sql`e.price_key` : db.sql`e.rank_key`}, l.id`;
  return rows.map(({ id }) => id);
}

Deno.test("search: random conditions, areas and orders have the rows, the order and the total of a plain query", async () => {
  const random = new Random("large lists");
  const list = (count: number, name: (n: number) => string) => Array.from({ length: count }, (_, n) => name(n + 1));
  for (let round = 0; round < 60; round++) {
    const chosen: Chosen = {
      ...(random.chance(0.4) && {
        operator_codes: [
          ...list(random.pick([0, 1, 4, 25]), (n) => `op${n}`),
          ...list(random.pick([1, 4, 25]), (n) => `no${n}`),
        ],
      }),
      ...(random.chance(0.3) && { price_min: random.pick([0, 3_000, 6_990]) }),
      ...(random.chance(0.3) && { price_max: random.pick([7_000, 100_000]) }),
      ...(random.chance(0.4) && { keywords: [random.pick(["lot", "77", "777", "city 3", "kcolb", "t1", "block12"])] }),
      ...(random.chance(0.3) && { vehicle: { height_m: random.pick([2, 2.1, 3]) } }),
      ...(random.chance(0.3) && { attributes: ["covered"] }),
    };
    const bbox = random.chance(0.4) ? [139.05, 35.05, 139.05 + random.pick([0.01, 0.1, 1]), 35.3] : undefined;
    const sort = random.pick(["price", "recommended"]);
    const ids = await expected(chosen, bbox, sort);
    await db.as({ role: "anon" }, async (sql) => {
      const args = { query: { ...chosen, sort }, ...(bbox && { bbox }) };
      // Some 40 pages at most: a page of a long list costs as much as one of a short list.
      const limit = Math.max(random.pick([17, 100, 1_000]), Math.ceil(ids.length / 40));
      const found = (await searchAll(sql, { ...args, limit })).map(({ id }) => id);
      assert.deepEqual(found, ids, JSON.stringify(args));
      const { total, total_is_exact } = await search(sql, { ...args, limit: 1, include: ["total"] });
      assert.deepEqual([total, total_is_exact], [ids.length, true], JSON.stringify(args));
    });
  }
});

Deno.test("admin_list_users: an address that the newest accounts lack finds the older ones, newest first", async () => {
  await db.sql`
    insert into auth.users (id, email)
    select gen_random_uuid(), 'user' || n || case when n <= 900 then '@example.com' else '@other.test' end
    from generate_series(1, 4000) as n`;
  await db.sql`
    update public.app_users a set created_at = now() - (4000 - substring(u.email from '^user([0-9]+)@')::integer) * interval '1 minute'
    from auth.users u where u.id = a.id and u.email ~ '^user[0-9]+@'`;
  await db.sql`analyze private.user_search_entries`;
  const ids = (await db.sql<{ id: string }[]>`
    select a.id from public.app_users a join auth.users u using (id) where u.email like 'user%@example.com'
    order by a.created_at desc, a.id desc`).map(({ id }) => id);
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const [row] = await db.as(
      { role: "service_role" },
      (sql) =>
        sql<
          { page: { items: { id: string }[]; next_cursor: string | null; total: number; total_is_exact: boolean } }[]
        >`
        select api.admin_list_users(${administrator}, p_email => 'example.com', p_cursor => ${cursor}, p_limit => 100,
          p_include => '{total}') as page`,
    );
    found.push(...row!.page.items.map(({ id }) => id));
    assert.deepEqual([row!.page.total, row!.page.total_is_exact], [900, true]);
    cursor = row!.page.next_cursor;
  } while (cursor !== null);
  assert.deepEqual(found, ids);
});

Deno.test("admin_preview_user_notification: of more than 200,000 accounts a sample is counted, unless it has few of the audience", async () => {
  const [accounts] = await db.sql<{ active: number; leveled: number }[]>`
    with leveled as (
      update public.app_users set level = 9 where id in (select id from public.app_users where status = 'active' limit 3) returning id
    )
    select (select count(*)::integer from public.app_users where status = 'active') as active, (select count(*)::integer from leveled) as leveled`;
  const preview = async (segment?: Record<string, unknown>) => {
    const [row] = await db.as(
      { role: "service_role" },
      (sql) =>
        sql<{ reach: { people: number; is_exact: boolean } }[]>`
        select api.admin_preview_user_notification(${administrator}, ${
          sql.json({ type: "announcement", title: "T", body: "B", target: "all", ...(segment && { segment }) } as never)
        }) as reach`,
    );
    return row!.reach;
  };
  const exact = { people: accounts!.active, is_exact: true };
  assert.deepEqual(await preview().then(({ people, is_exact }) => ({ people, is_exact })), exact);
  // As if there were so many: the sample has a tenth of the pages.
  await superuser`update pg_class set reltuples = 200001 where oid = 'public.app_users'::regclass`;
  const sampled = await preview();
  assert.deepEqual(
    [sampled.is_exact, sampled.people > 190_000 && sampled.people <= 200_001],
    [false, true],
    String(sampled.people),
  );
  const few = await preview({ min_level: 9 });
  assert.deepEqual([few.people, few.is_exact], [accounts!.leveled, true]);
});

Deno.test("last_active_since: an account belongs to the audience from the moment of its last activity on, to the microsecond", async () => {
  const [row] = await db.sql<{ user: string; at: string }[]>`
    select u.id as user, m.at::text as at,
      private.record_activity(u.id, 'session_start', p_subject_id => gen_random_uuid(), p_created_at => m.at)
    from (select id from public.app_users where status = 'active' limit 1) u
    cross join (select date_trunc('day', now() - interval '3 days', 'UTC') + interval '5 hours 3 microseconds' as at) m`;
  const isIn = async (since: string) => {
    const [found] = await db.sql.unsafe<{ found: boolean }[]>(
      `select exists (
        select from (select jsonb_populate_record(null::public.user_notifications, jsonb_build_object('target', 'all', 'segment',
          jsonb_build_object('last_active_since', (${since})::text))) as n) p
        cross join public.app_users u where u.id = '${row!.user}' and ${
        (await db.sql.unsafe<{ condition: string }[]>(
          `select private.audience_sql(jsonb_populate_record(null::public.user_notifications, jsonb_build_object('target', 'all',
            'segment', jsonb_build_object('last_active_since', (${since})::text)))) as condition`,
        ))[0]!.condition.replaceAll("($1)", "(p.n)")
      }) as found`,
    );
    return found!.found;
  };
  const at = `timestamptz '${row!.at}'`;
  assert.equal(await isIn(at), true);
  assert.equal(await isIn(`${at} - interval '1 microsecond'`), true);
  assert.equal(await isIn(`${at} + interval '1 microsecond'`), false);
  assert.equal(await isIn(`${at} - interval '1 day'`), true);
  assert.equal(await isIn(`${at} + interval '1 day'`), false);
});

Deno.test("admin_list_parking_lots: a text whose terms most lots have finds the one lot that has it, also long after its last change", async () => {
  const found = async (q: string) => {
    const [row] = await db.as(
      { role: "service_role" },
      (sql) =>
        sql<{ page: { items: { name: string }[]; total: number; total_is_exact: boolean } }[]>`
        select api.admin_list_parking_lots(${administrator}, p_q => ${q}, p_include => '{total}') as page`,
    );
    const { items, total, total_is_exact } = row!.page;
    return [items.map(({ name }) => name), total, total_is_exact];
  };
  const isRare = async (word: string) => {
    const [row] = await superuser<{ rare: boolean; common: boolean }[]>`
      select private.is_rare_text(f) as rare, private.is_common_text(f) as common
      from private.read_lot_filter(null, null, null, ${[word]}::text[]) f`;
    return row;
  };
  // As if there were so many: the sample has a fiftieth of the pages.
  await superuser`update pg_class set reltuples = 1000000 where oid = 'private.search_entries'::regclass`;
  assert.deepEqual({ ...await isRare("oty") }, { rare: true, common: true }); // of lot and city
  assert.deepEqual({ ...await isRare("city") }, { rare: false, common: true });
  assert.deepEqual(await found("oty"), [[], 0, true]);
  await db.sql`update public.parking_lots set name = 'Oty' where name = 'Lot 7'`;
  await superuser.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`update public.parking_lots set updated_at = '2020-01-01Z' where name = 'Oty'`;
  });
  assert.deepEqual(await found("oty"), [["Oty"], 1, true]);
});
