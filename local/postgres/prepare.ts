// Gives a new Postgres what a hosted project has before its first migration: roles, default grants, schemas auth and
// realtime.
import { join } from "node:path";
import type { Sql } from "postgres";

/** Runs as the superuser at every start; changes nothing the second time. */
export async function prepareDatabase(sql: Sql, root: string): Promise<void> {
  const run = async (file: string) => await sql.unsafe(await Deno.readTextFile(join(root, "local", file)));
  await run("postgres/roles.sql");
  await run("realtime/schema.sql");
  await run("realtime/access.sql");
  const [found] = await sql<{ ready: boolean }[]>`
    select exists (
      select from pg_namespace where nspname = 'auth' and pg_get_userbyid(nspowner) = 'supabase_auth_admin'
    ) as ready`;
  if (!found?.ready) {
    await run("auth/tables.sql");
    await run("auth/functions.sql");
  }
  await run("postgres/second_factors.sql");
}
