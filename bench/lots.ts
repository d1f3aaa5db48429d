// The generated lots of a bench, and places to search from.
import postgres, { type Sql } from "postgres";
import { TEMPLATE } from "../tests/support/platform.ts";

/** Many at a time, because each statement compiles price lists; not all, because it holds what it reads. */
const BATCH = 20_000;

const script = (name: string) => Deno.readTextFile(new URL(name, import.meta.url));

/** Loads this many lots, three in ten with prices, hours, tags and reviews, and says how that went. */
export async function loadLots(url: string, count: number): Promise<string> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const started = performance.now();
    // Vacuum marks no page as visible to all before its rows' commit is on disk, which a test platform does not wait for.
    await sql`select set_config('bench.lots', ${String(count)}, false), set_config('synchronous_commit', 'on', false)`;
    await toggleSearchTriggers(sql, "disable");
    await sql.unsafe(await script("lots.sql"));
    const withFacts = await loadFacts(sql);
    await toggleSearchTriggers(sql, "enable");
    await writeSearchEntries(sql);
    await sql`select private.refresh_map_areas()`;
    await sql`vacuum (analyze)`;
    const seconds = Math.round((performance.now() - started) / 1000);
    const [size] = await sql<{ lots: string; table: string; index: string }[]>`
      select count(*)::text as lots, pg_size_pretty(pg_relation_size('public.parking_lots')) as table,
        pg_size_pretty(pg_relation_size('public.parking_lots_mercator_idx')) as index
      from public.parking_lots`;
    return `${size!.lots} lots in ${seconds} s: table ${size!.table}, search index ${size!.index}; ` +
      `${withFacts} of them with prices, hours, tags and reviews`;
  } finally {
    await sql.end();
  }
}

/** Search entries are written once, when all is there, and not with each statement that fills a lot in. */
async function toggleSearchTriggers(sql: Sql, state: "enable" | "disable"): Promise<void> {
  const triggers = await sql<{ table: string; name: string }[]>`
    select tgrelid::regclass::text as table, tgname as name from pg_trigger
    where tgfoid in ('private.tg_parking_lots__refresh_search'::regproc, 'private.tg_lot_rows__refresh_search'::regproc)`;
  for (const { table, name } of triggers) await sql.unsafe(`alter table ${table} ${state} trigger ${name}`);
}

/** Indexes and the map are made once, from all entries, which takes half the time of keeping them entry by entry. */
async function writeSearchEntries(sql: Sql): Promise<void> {
  await sql`analyze`;
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index where indrelid = 'private.search_entries'::regclass and not indisprimary`;
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
  await sql`alter table private.search_entries disable trigger user`;
  await sql`
    select private.refresh_search_entries(array_agg(s.id))
    from (select id, row_number() over (order by id) / ${BATCH}::integer as batch from public.parking_lots) s
    group by s.batch`;
  await sql`alter table private.search_entries enable trigger user`;
  await sql`set maintenance_work_mem = '512MB'`;
  for (const { definition } of indexes) await sql.unsafe(definition);
  await sql`select private.refresh_map_cells(array(select distinct private.map_cell(mercator) from private.search_entries))`;
}

/** A database beside the one of the bench with so many lots, and its address. */
export async function fewLots(url: string, count: number): Promise<string> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  await admin`drop database if exists bench_few`;
  await admin`create database bench_few template ${admin(TEMPLATE)}`;
  await admin.end();
  const beside = new URL(url);
  beside.pathname = "/bench_few";
  await loadLots(beside.href, count);
  return beside.href;
}

async function loadFacts(sql: Sql): Promise<number> {
  await sql`
    create temporary table lot_with_facts as
    select id, row_number() over (order by name)::integer as n
    from public.parking_lots where address like '%, City 1' or address like '%, City 4'`;
  await sql`analyze lot_with_facts`;
  const [lots] = await sql<{ count: number }[]>`select count(*)::integer from lot_with_facts`;
  const facts = await script("lot_facts.sql");
  for (let from = 1; from <= lots!.count; from += BATCH) {
    await sql.begin(async (transaction) => {
      await transaction`
        select set_config('bench.from', ${String(from)}, true), set_config('bench.upto', ${
        String(from + BATCH)
      }, true)`;
      await transaction.unsafe(facts);
    });
  }
  return lots!.count;
}

export interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** Places within some hundred metres of lots, as often in each city as it has lots; or only where lots have prices. */
export async function searchPlaces(sql: Sql, count: number, onlyPriced = false): Promise<Place[]> {
  return [
    ...await sql<Place[]>`
    select lat + 0.002 * sin(n * 7.1) as lat, lng + 0.002 * cos(n * 3.3) as lng
    from (
      select lat, lng, row_number() over (order by name) as n
      from public.parking_lots tablesample system (10) repeatable (7)
      where not ${onlyPriced} or hour_price is not null
      order by md5(name) limit ${count}
    ) s`,
  ];
}

/** The active lots as lines of id, lat and lng between tabs, some thousand bytes at a time. */
export async function* activeLots(url: string): AsyncGenerator<Uint8Array> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    yield* await sql`copy (select id, lat, lng from public.parking_lots where status = 'active') to stdout`.readable();
  } finally {
    await sql.end();
  }
}
