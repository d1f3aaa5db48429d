// The generated lots of a bench, and places to search from.
import postgres, { type Sql } from "postgres";

/** Loads this many lots and says how that went. */
export async function loadLots(url: string, count: number): Promise<string> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const script = await Deno.readTextFile(new URL("lots.sql", import.meta.url));
    const started = performance.now();
    // Vacuum marks no page as visible to all before its rows' commit is on disk, which a test platform does not wait for.
    await sql`select set_config('bench.lots', ${String(count)}, false), set_config('synchronous_commit', 'on', false)`;
    await sql.unsafe(script);
    await sql`vacuum (analyze) public.parking_lots`;
    const seconds = Math.round((performance.now() - started) / 1000);
    const [size] = await sql<{ lots: string; table: string; index: string }[]>`
      select count(*)::text as lots, pg_size_pretty(pg_relation_size('public.parking_lots')) as table,
        pg_size_pretty(pg_relation_size('public.parking_lots_mercator_idx')) as index
      from public.parking_lots`;
    return `${size!.lots} lots in ${seconds} s: table ${size!.table}, search index ${size!.index}`;
  } finally {
    await sql.end();
  }
}

export interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** Places within some hundred metres of lots, as often in each city as it has lots. */
export async function searchPlaces(sql: Sql, count: number): Promise<Place[]> {
  return [
    ...await sql<Place[]>`
    select lat + 0.002 * sin(n * 7.1) as lat, lng + 0.002 * cos(n * 3.3) as lng
    from (
      select lat, lng, row_number() over (order by name) as n
      from public.parking_lots tablesample system (1) repeatable (7)
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
