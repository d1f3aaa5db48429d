// Read and write access to each table, actor by actor; and the proof that this suite would detect a missing rule.
import assert from "node:assert/strict";
import type { TransactionSql } from "postgres";
import { database } from "../support/database.ts";
import { sqlstate } from "../support/database_errors.ts";
import { grantDifferences, rowDifferences } from "./check.ts";
import { domains } from "./domains.ts";
import { createPeople, type People } from "./people.ts";

const db = await database();
const users = await db.sql.begin(async (sql): Promise<People> => {
  const created = await createPeople(sql);
  await sql`set local role service_role`;
  for (const domain of domains) await domain.seed(sql, created);
  return created;
});
Deno.test.afterAll(() => db.close());

Deno.test("matrix: every actor reads and changes exactly the rows that the rules give them", async () => {
  await db.sql.begin(async (sql) => assert.deepEqual(await rowDifferences(sql, domains, users), []));
});

Deno.test("matrix: clients have exactly the column grants of the rules, on every table", async () => {
  await db.sql.begin(async (sql) => assert.deepEqual(await grantDifferences(sql, domains), []));
});

Deno.test("matrix: a user who has withdrawn inserts nothing that the owner may insert", async () => {
  const undo = new Error("undo");
  await assert.rejects(
    db.sql.begin(async (sql) => {
      await sql`update public.app_users set status = 'withdrawn' where id = ${users.owner}`;
      const claims = JSON.stringify({ role: "authenticated", sub: users.owner });
      await sql`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${claims}, true)`;
      const tried: string[] = [];
      for (const { table, inserts } of domains.flatMap((domain) => domain.tables)) {
        for (const { row, by } of Object.values(inserts ?? {})) {
          if (!by.includes("owner")) continue;
          const attempt = sql.savepoint((inner) => inner`insert into ${inner(`public.${table}`)} ${inner(row(users))}`);
          assert.equal(await sqlstate(attempt), "42501", table);
          tried.push(table);
        }
      }
      assert.ok(tried.length >= 10, tried.join());
      throw undo;
    }),
    undo,
  );
});

interface Policy {
  readonly table: string;
  readonly name: string;
  readonly clause: "using" | "with check";
  readonly open: boolean;
}

const policies = await db.sql<Policy[]>`
  select tablename as table, policyname as name, case cmd when 'INSERT' then 'with check' else 'using' end as clause,
    coalesce(qual, 'true') = 'true' and coalesce(with_check, 'true') = 'true' as open
  from pg_policies where schemaname = 'public' order by tablename, policyname`;

Deno.test("matrix: no policy can be dropped without a difference in the rows", async () => {
  for (const { table, name } of policies) {
    const differences = await afterChange(`drop policy "${name}" on public.${table}`, rowDifferencesOf(table));
    assert.notDeepEqual(differences, [], `${table}: ${name}`);
  }
});

Deno.test("matrix: no policy can be widened to all rows without a difference in the rows", async () => {
  const narrow = policies.filter(({ open }) => !open);
  assert.ok(narrow.length > 0);
  for (const { table, name, clause } of narrow) {
    const change = `alter policy "${name}" on public.${table} ${clause} (true)`;
    assert.notDeepEqual(await afterChange(change, rowDifferencesOf(table)), [], `${table}: ${name}`);
  }
});

Deno.test("matrix: no table can be granted further to a client without a difference in the grants", async () => {
  const differences = (sql: TransactionSql) => grantDifferences(sql, domains);
  for (const { table, grants } of domains.flatMap((domain) => domain.tables)) {
    for (const privilege of ["select", "insert", "update", "delete", "truncate", "references", "trigger"]) {
      if (privilege === "delete" && grants.delete?.includes("authenticated")) continue;
      const found = await afterChange(`grant ${privilege} on public.${table} to authenticated`, differences);
      assert.deepEqual(found, [`granted: authenticated ${privilege.toUpperCase()} ${table}.*`]);
    }
    const toPublic = await afterChange(`grant select on public.${table} to public`, differences);
    assert.deepEqual(toPublic, [`granted: public SELECT ${table}.*`]);
  }
});

Deno.test("matrix: a table without rules is a difference in the grants", async () => {
  const found = await afterChange(
    "create table public.forgotten (id integer)",
    (sql) => grantDifferences(sql, domains),
  );
  assert.deepEqual(found, ["forgotten is in no domain of tests/policies/domains.ts"]);
});

function rowDifferencesOf(table: string): (sql: TransactionSql) => Promise<string[]> {
  const narrowed = domains.map((domain) => ({
    ...domain,
    tables: domain.tables.filter((rules) => rules.table === table),
  }));
  return (sql) => rowDifferences(sql, narrowed, users);
}

/** What a check finds after a change to the schema, which is undone. */
async function afterChange<Found>(change: string, check: (sql: TransactionSql) => Promise<Found>): Promise<Found> {
  const undo = new Error("undo");
  let found: { value: Found } | undefined;
  try {
    await db.sql.begin(async (sql) => {
      await sql.unsafe(change);
      found = { value: await check(sql) };
      throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  return found!.value;
}
