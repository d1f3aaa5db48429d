// Fills the tables that the console reads, with admin.sql: a year of a service with as many users as lots.
import postgres, { type Sql } from "postgres";
import { asSuperuser } from "../support/database.ts";

const ADMINISTRATORS = 20;

/** The id that tests/bench/admin.sql gives a row. */
export function benchId(kind: number, n: number): string {
  return `00000000-0000-4000-8000-${kind.toString(16).padStart(4, "0")}${n.toString(16).padStart(8, "0")}`;
}

/** One of the administrators of all areas that are loaded. */
export const ADMINISTRATOR = benchId(11, 1);

/** Loads what a database with lots does not have yet; prints its steps on stderr. */
export async function loadConsole(url: string): Promise<void> {
  // The superuser of the local platform writes without triggers and foreign keys, which takes minutes instead of hours.
  const sql = postgres(asSuperuser(url), { max: 1, onnotice: () => {} });
  try {
    const [loaded] = await sql`select from public.admins where id = ${ADMINISTRATOR}`;
    if (loaded) return;
    const [lots] = await sql<{ count: number }[]>`select count(*)::integer from public.parking_lots`;
    await sql`
      select set_config('bench.count', ${
      String(lots!.count)
    }, false), set_config('session_replication_role', 'replica', false),
        set_config('synchronous_commit', 'on', false), set_config('maintenance_work_mem', '1GB', false)`;
    await sql`
      create function pg_temp.bench_id(kind integer, n bigint) returns uuid language sql immutable
      return ('00000000-0000-4000-8000-' || lpad(to_hex(kind), 4, '0') || lpad(to_hex(n), 8, '0'))::uuid`;
    await sql`
      create function pg_temp.bench_time(n bigint) returns timestamptz language sql stable
      return date_trunc('hour', now()) - interval '365 days' + n * interval '365 days' / current_setting('bench.count')::integer`;
    await sql`
      create temporary table bench_lots as
      select id, row_number() over (order by id)::integer as n from public.parking_lots`;
    await sql`create unique index on bench_lots (n)`;
    await sql`analyze bench_lots`;
    const text = await Deno.readTextFile(new URL("admin.sql", import.meta.url));
    for (const block of text.split("-- table: ").slice(1)) {
      const [name] = block.split("\n");
      const started = performance.now();
      await fill(sql, name!, block.slice(name!.length).replaceAll(/\bbench_(id|time)\(/g, "pg_temp.bench_$1("));
      console.error(`${name}: ${Math.round((performance.now() - started) / 1000)} s`);
    }
    await sql`
      insert into auth.users (id, email) select pg_temp.bench_id(11, n), 'administrator' || n || '@example.com'
      from generate_series(1, ${ADMINISTRATORS}::integer) as n`;
    await sql`
      insert into public.admins (id, name, areas) select pg_temp.bench_id(11, n), 'Administrator ' || n, private.admin_areas()
      from generate_series(1, ${ADMINISTRATORS}::integer) as n`;
    await sql`vacuum (analyze)`;
  } finally {
    await sql.end();
  }
}

/** Runs an insert into a table whose further indexes are made afterwards. */
async function fill(sql: Sql, name: string, statement: string): Promise<void> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index i
    where indrelid = ${name}::regclass and not indisunique`;
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
  await sql.unsafe(statement);
  for (const { definition } of indexes) await sql.unsafe(definition);
}
