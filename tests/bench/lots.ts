// The state that scripts begin with: places to search from among the generated lots, a second database with fewer of them,
// and no rate limits.
import postgres, { type Sql } from "postgres";
import { TEMPLATE } from "../support/platform.ts";
import { loadLots } from "./load_lots.ts";

export { loadLots };

/** Creates a further database with so many lots and returns its address. */
export async function fewLots(url: string, count: number): Promise<string> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  await admin`drop database if exists bench_few`;
  await admin`create database bench_few template ${admin(TEMPLATE)}`;
  await admin.end();
  const address = new URL(url);
  address.pathname = "/bench_few";
  await loadLots(address.href, count);
  return address.href;
}

/** All requests of a script come from one network or one person. They are counted as ever, and none is rejected. */
export async function liftRateLimits(sql: Sql): Promise<void> {
  await sql`update private.rate_limit_policies set quota = 1000000, premium_quota = null, daily_quota = null`;
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
