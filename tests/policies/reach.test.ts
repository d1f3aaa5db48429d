// Which private functions clients may execute: those that something they can reach calls, and no other.
import assert from "node:assert/strict";
import type { Sql, TransactionSql } from "postgres";
import { database } from "../support/database.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

type Client = "anon" | "authenticated";

interface Text {
  /** The function, or what else it is the text of. */
  readonly name: string;
  readonly schema: string;
  readonly text: string;
  readonly is_definer: boolean;
  readonly is_trigger: boolean;
  readonly executable: boolean;
}

/** Every function of ours, and whether the client may execute it. */
async function functionsOf(sql: Sql | TransactionSql, client: Client): Promise<Text[]> {
  return await sql<Text[]>`
    select p.proname as name, n.nspname as schema,
      case when p.prosqlbody is null then p.prosrc else pg_get_functiondef(p.oid) end as text,
      p.prosecdef as is_definer, p.prorettype = 'trigger'::regtype as is_trigger,
      has_function_privilege(${client}, p.oid, 'execute') as executable
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('api', 'commands', 'private')
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`;
}

/** What else is evaluated as the client: policies, settings, and the constraints and triggers of the tables that it writes. */
async function expressionsOf(sql: Sql | TransactionSql, client: Client): Promise<string[]> {
  const rows = await sql<{ text: string | null }[]>`
    with written as (
      select c.oid from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and (
        has_any_column_privilege(${client}, c.oid, 'insert') or has_any_column_privilege(${client}, c.oid, 'update')
        or has_table_privilege(${client}, c.oid, 'delete')
      )
    )
    select concat_ws(' ', qual, with_check) as text from pg_policies where roles && ${[client, "public"]}::name[]
    union all select pg_get_constraintdef(k.oid) from pg_constraint k join written w on w.oid = k.conrelid
    union all select pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d join written w on w.oid = d.adrelid
    union all select pg_get_indexdef(i.indexrelid) from pg_index i join written w on w.oid = i.indrelid
    union all
    select pg_get_triggerdef(t.oid) from pg_trigger t join written w on w.oid = t.tgrelid where not t.tgisinternal
    union all select s from pg_db_role_setting r cross join unnest(r.setconfig) as s`; // pgrst.db_pre_request
  return rows.map(({ text }) => text ?? "");
}

/** The private functions that a text calls, by name. */
function calls(text: string): string[] {
  return [...text.replaceAll(/--[^\n]*/g, "").matchAll(/\bprivate\.(\w+)/g)].map(([, name]) => name!);
}

/** Private functions that the client may execute though nothing that it reaches calls them. */
async function idle(sql: Sql | TransactionSql, client: Client): Promise<string[]> {
  const functions = await functionsOf(sql, client);
  const named = Map.groupBy(functions.filter(({ schema }) => schema === "private"), ({ name }) => name);
  const reached = new Set<string>();
  const queue = [
    ...functions.filter(({ schema, executable }) => schema !== "private" && executable).map(({ text }) => text),
    ...await expressionsOf(sql, client),
  ];
  for (let text = queue.pop(); text !== undefined; text = queue.pop()) {
    for (const name of calls(text)) {
      if (reached.has(name)) continue;
      reached.add(name);
      for (const found of named.get(name) ?? []) {
        // A definer calls with its owner's rights; a trigger function runs without a right to execute it.
        if (!found.is_definer && (found.executable || found.is_trigger)) queue.push(found.text);
      }
    }
  }
  return [...named.values()].flat()
    .filter(({ name, executable }) => executable && !reached.has(name)).map(({ name }) => name)
    .sort();
}

for (const client of ["anon", "authenticated"] as const) {
  Deno.test(`reach: every private function that ${client} may execute is called by a function that ${client} can reach`, async () => {
    assert.deepEqual(await idle(db.sql, client), []);
  });
}

Deno.test("reach: a private function with an unnecessary grant is reported", async () => {
  const undo = new Error("undo");
  await assert.rejects(
    db.sql.begin(async (sql) => {
      await sql`grant execute on function private.detach_assets(uuid[]) to authenticated`;
      assert.deepEqual(await idle(sql, "authenticated"), ["detach_assets"]);
      throw undo;
    }),
    undo,
  );
});
