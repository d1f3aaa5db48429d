// What leaves the database by Realtime is decided here: which tables, which of their rows to whom, and how much of a change.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const PUBLISHED = [
  "admin_notifications",
  "parking_sessions",
  "user_activity_logs",
  "user_badges",
  "user_notifications",
];

Deno.test("realtime: the publication has the tables of the five channels, whole, and all their changes", async () => {
  const tables = await db.sql`
    select schemaname as schema, tablename as table, rowfilter as filter from pg_publication_tables
    where pubname = 'supabase_realtime' order by tablename`;
  assert.deepEqual(
    tables.map((row) => ({ ...row })),
    PUBLISHED.map((table) => ({ schema: "public", table, filter: null })),
  );
  const [publication] = await db.sql`
    select puballtables as all, pubinsert and pubupdate and pubdelete as changes from pg_publication
    where pubname = 'supabase_realtime'`;
  assert.deepEqual({ ...publication }, { all: false, changes: true });
});

Deno.test("realtime: a DELETE event has only a random key, and for a notification whether it was sent", async () => {
  const keys = await db.sql`
    select c.relname as table, c.relreplident as identity, array_agg(a.attname::text order by a.attnum) as key,
      bool_or(pg_get_expr(d.adbin, d.adrelid) = 'gen_random_uuid()') as random
    from pg_class c
    join pg_index i on i.indrelid = c.oid and i.indisprimary
    join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.oid = any (${PUBLISHED.map((table) => `public.${table}`)}::regclass[])
    group by c.relname, c.relreplident order by c.relname`;
  assert.deepEqual(
    keys.map((row) => ({ ...row })),
    PUBLISHED.map((table) => {
      const key = table === "user_notifications" ? ["id", "status"] : ["id"];
      return { table, identity: "d", key, random: true };
    }),
  );
});

Deno.test("realtime: every published table shows its rows by one policy, to active authenticated users", async () => {
  const policies = await db.sql`
    select tablename as table, roles::text[] as roles, qual ~ 'status = ''active''' as standing from pg_policies
    where schemaname = 'public' and tablename = any (${PUBLISHED}) and cmd = 'SELECT' order by tablename`;
  assert.deepEqual(
    policies.map((row) => ({ ...row })),
    PUBLISHED.map((table) => ({ table, roles: ["authenticated"], standing: true })),
  );
});

Deno.test("realtime: a database without the platform's publication gets one", async () => {
  const migration = await Deno.readTextFile(
    new URL("../../supabase/migrations/20260901001900_realtime.sql", import.meta.url),
  );
  await db.sql`drop publication supabase_realtime`;
  await db.sql`drop policy "Users join their own topics, administrators the console's" on realtime.messages`;
  await db.sql.unsafe(migration);
  const tables = await db.sql`select tablename from pg_publication_tables where pubname = 'supabase_realtime'`;
  assert.equal(tables.length, PUBLISHED.length);
});
