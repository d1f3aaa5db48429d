// Compares what the rules say with what the database does, and gives the differences in words.
import postgres, { type TransactionSql } from "postgres";
import { type Actor, ACTORS, callerOf, type People } from "./people.ts";
import type { Client, Columns, Domain, Reach, TableRules } from "./rules.ts";

type Privilege = "SELECT" | "INSERT" | "UPDATE" | "DELETE" | "TRUNCATE" | "REFERENCES" | "TRIGGER" | "MAINTAIN";

/** Actor by actor, table by table: the rows that are read and changed, against the rules. */
export async function rowDifferences(
  sql: TransactionSql,
  domains: readonly Domain[],
  people: People,
): Promise<string[]> {
  const differences: string[] = [];
  for (const rules of domains.flatMap(({ tables }) => tables)) {
    const names = new Map(Object.entries(rules.rows(people)).map(([name, key]) => [key, name]));
    await assertPlanted(sql, rules, names);
    const compare = async (actor: Actor, deed: string, statement: string, expected: Reach) => {
      const found = await reach(sql, actor, people, statement, names);
      if (inWords(found) === inWords(expected)) return;
      differences.push(`${actor} ${deed} ${rules.table}: ${inWords(found)}, not ${inWords(expected)}`);
    };
    for (const actor of ACTORS) {
      await compare(actor, "reads", `select ${rules.key} as key from public.${rules.table}`, rules.reads[actor]);
      for (const [column, expected] of Object.entries(rules.updates ?? {})) {
        const change = `update public.${rules.table} set ${column} = ${column} returning ${rules.key} as key`;
        await compare(actor, `changes ${column} of`, change, expected[actor]);
      }
    }
  }
  return differences;
}

/** Every grant to a client on every table of public, against the rules. */
export async function grantDifferences(sql: TransactionSql, domains: readonly Domain[]): Promise<string[]> {
  const tables = await sql<{ name: string; columns: string[] }[]>`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
    group by c.relname`;
  const given = await sql<{ grant: string }[]>`
    with acls as (
      select c.relname, '*' as attname, c.relacl as acl from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind <> 'i'
      union all
      select c.relname, a.attname, a.attacl
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind <> 'i'
    )
    select distinct format('%s %s %s.%s', coalesce(r.rolname, 'public'), p.privilege_type, acls.relname, acls.attname) as grant
    from acls
    cross join lateral aclexplode(acls.acl) as p
    left join pg_roles r on r.oid = p.grantee
    where p.grantee = 0 or r.rolname in ('anon', 'authenticated', 'authenticator')`;

  const rules = new Map(domains.flatMap((domain) => domain.tables).map((table) => [table.table, table]));
  const expected = new Set<string>();
  const differences: string[] = [];
  for (const { name, columns } of tables) {
    const table = rules.get(name);
    if (!table) differences.push(`${name} is in no domain of tests/policies/domains.ts`);
    else grantsOf(table, columns).forEach((grant) => expected.add(grant));
  }
  const existing = new Set(given.map((row) => row.grant));
  differences.push(...[...existing].filter((grant) => !expected.has(grant)).map((grant) => `granted: ${grant}`));
  differences.push(...[...expected].filter((grant) => !existing.has(grant)).map((grant) => `not granted: ${grant}`));
  return differences;
}

function grantsOf({ table, grants }: TableRules, all: readonly string[]): string[] {
  const of = (privilege: Privilege, clients: Partial<Record<Client, Columns>> = {}) =>
    Object.entries(clients).flatMap(([client, columns]) =>
      named(columns, all).map((column) => `${client} ${privilege} ${table}.${column}`)
    );
  return [...of("SELECT", grants.select), ...of("UPDATE", grants.update)];
}

function named(columns: Columns, all: readonly string[]): readonly string[] {
  return "allBut" in columns ? all.filter((column) => !columns.allBut.includes(column)) : columns;
}

class Undo extends Error {
  constructor(readonly keys: readonly string[]) {
    super("The statement was only tried");
  }
}

/** Runs the statement as the actor and undoes it, whatever it did. */
async function reach(
  sql: TransactionSql,
  actor: Actor,
  people: People,
  statement: string,
  names: ReadonlyMap<string, string>,
): Promise<Reach> {
  const { role, sub } = callerOf(actor, people);
  try {
    await sql.savepoint(async (attempt) => {
      await attempt`
        select set_config('role', ${role}, true), set_config('request.jwt.claims', ${
        JSON.stringify({ role, sub })
      }, true)`;
      throw new Undo((await attempt.unsafe<{ key: string }[]>(statement)).map((row) => row.key));
    });
  } catch (error) {
    if (error instanceof Undo) return error.keys.flatMap((key) => names.get(key) ?? []);
    if (error instanceof postgres.PostgresError && error.code === "42501") return "refused";
    throw error;
  }
  throw new Error("The attempt was not undone");
}

async function assertPlanted(
  sql: TransactionSql,
  { table, key }: TableRules,
  names: ReadonlyMap<string, string>,
): Promise<void> {
  const planted = await sql.unsafe<{ key: string }[]>(`select ${key} as key from public.${table}`);
  const keys = new Set(planted.map((row) => row.key));
  const missing = [...names].filter(([key]) => !keys.has(key)).map(([, name]) => name);
  if (missing.length > 0) throw new Error(`The fixture of ${table} has no row ${missing.join(", ")}`);
}

function inWords(reach: Reach): string {
  return reach === "refused" ? reach : `[${[...new Set(reach)].sort().join(", ")}]`;
}
