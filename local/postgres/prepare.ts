// Gives a new Postgres what a hosted project has before its first migration: roles, default grants, schemas auth and
// realtime.
import postgres from "postgres";
import { connectionOptions } from "./connection_options.ts";

/** `superuser` is the superuser's address of the database. Runs at every start; changes nothing the second time. */
export async function prepareDatabase(superuser: string): Promise<void> {
  const sql = postgres(superuser, { max: 1, ...connectionOptions });
  try {
    await sql.unsafe(await read("roles.sql"));
    await sql.unsafe(await read("../realtime/schema.sql"));
    await sql.unsafe(await read("../realtime/access.sql"));
    const [found] = await sql<{ ready: boolean }[]>`
      select exists (
        select from pg_namespace where nspname = 'auth' and pg_get_userbyid(nspowner) = 'supabase_auth_admin'
      ) as ready`;
    if (found?.ready) return;
    await sql.unsafe(await read("../auth/tables.sql"));
    await sql.unsafe(await read("../auth/functions.sql"));
  } finally {
    await sql.end();
  }
}

function read(file: string): Promise<string> {
  return Deno.readTextFile(new URL(file, import.meta.url));
}
