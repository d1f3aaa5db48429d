// What leaves the database by Realtime is decided here: which tables, which of their rows to whom, and how much of a change.
import assert from "node:assert/strict";
import { asyncApiDocument } from "../../supabase/functions/openapi/asyncapi.ts";
import type { JsonSchema, JsonSchemas } from "../../supabase/functions/openapi/json_schema.ts";
import { channels } from "../../supabase/functions/openapi/realtime_channels.ts";
import { database } from "../support/database.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const PUBLISHED = channels.map(({ table }) => table).sort();

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
  const publication = await Deno.readTextFile(
    new URL("../../supabase/schemas/realtime/publication.sql", import.meta.url),
  );
  await db.sql`drop publication supabase_realtime`;
  await db.sql`drop policy "Users join their own topics, administrators the console's" on realtime.messages`;
  await db.sql.unsafe(publication);
  const tables = await db.sql`select tablename from pg_publication_tables where pubname = 'supabase_realtime'`;
  assert.equal(tables.length, PUBLISHED.length);
});

/** JSON of the types of the published columns: as a reference of asyncapi.json, or a type. */
const JSON_TYPES: Readonly<Record<string, string>> = {
  bool: "boolean",
  float8: "number",
  int4: "integer",
  int8: "integer",
  jsonb: "object",
  text: "string",
  timestamptz: "Timestamp",
  uuid: "Id",
  _uuid: "array of Id",
};

/** The type of a property in the form of JSON_TYPES, with null and its values. */
function shape({ $ref, type, anyOf, items, enum: values }: JsonSchema): { type: string; values: unknown[] } {
  if (anyOf !== undefined) return { type: `${shape(anyOf[0]!).type} or ${anyOf[1]!.type}`, values: [] };
  if (items !== undefined) return { type: `array of ${shape(items).type}`, values: [] };
  const name = $ref === undefined ? [type].flat().join(" or ") : $ref.split("/").at(-1)!;
  return { type: name, values: [...values ?? []].sort() };
}

Deno.test("realtime: asyncapi.json has the columns that a user may read, with their types, null and values", async () => {
  const schemas = asyncApiDocument().components.schemas as JsonSchemas;
  for (const { table, row, key } of channels) {
    const columns = await db.sql<{ name: string; type: string; required: boolean; check: string | null }[]>`
      select a.attname as name, t.typname as type, a.attnotnull as required, (
        select pg_get_constraintdef(c.oid) from pg_constraint c
        where c.conrelid = a.attrelid and c.contype = 'c' and c.conkey = array[a.attnum] and c.conname like '%\\_known'
      ) as check
      from pg_attribute a join pg_type t on t.oid = a.atttypid
      where a.attrelid = ${`public.${table}`}::regclass and a.attnum > 0 and not a.attisdropped
        and has_column_privilege('authenticated', a.attrelid, a.attnum, 'select')
      order by a.attnum`;
    const { properties = {}, required = [] } = schemas[row.meta()!.id!]!;
    assert.deepEqual(
      Object.entries(properties).map(([name, schema]) => ({ name, ...shape(schema) })),
      columns.map(({ name, type, required, check }) => ({
        name,
        type: JSON_TYPES[type] + (required ? "" : " or null"),
        values: [...check?.matchAll(/'([^']*)'::text/g) ?? []].map(([, value]) => value).sort(),
      })),
      table,
    );
    // Values of a fixed size are in every change.
    const optional = columns.filter(({ name }) => !required.includes(name));
    assert.deepEqual(optional.filter(({ type }) => !["text", "jsonb", "_uuid"].includes(type)), [], table);
    for (const name of key) assert.ok(required.includes(name), `${table}.${name}`);
  }
});
