// Compares the access rules with the behaviour of the database, and returns the differences as text.
import postgres, { type TransactionSql } from "postgres";
import { type Actor, ACTORS, callerOf, type People } from "./people.ts";
import type { Client, Columns, Domain, Reach, TableRules } from "./rules.ts";

type Privilege = "SELECT" | "INSERT" | "UPDATE" | "DELETE" | "TRUNCATE" | "REFERENCES" | "TRIGGER" | "MAINTAIN";

/** Actor by actor, table by table: the rows that are read and changed, against the rules. */
export async function rowDifferences(
  sql: TransactionSql,
  domains: readonly Domain[],
  users: People,
): Promise<string[]> {
  const differences: string[] = [];
  for (const rules of domains.flatMap(({ tables }) => tables)) {
    const names = new Map(Object.entries(rules.rows(users)).map(([name, key]) => [key, name]));
    await assertPlanted(sql, rules, names);
    for (const actor of ACTORS) {
      for (const { name, run, expected } of activities(rules, users, actor)) {
        const found = await reach(sql, actor, users, run, names);
        if (inWords(found) === inWords(expected)) continue;
        differences.push(`${actor} ${name} ${rules.table}: ${inWords(found)}, not ${inWords(expected)}`);
      }
    }
  }
  return differences;
}

/** What an actor tries with a table, and the rows that it should reach. An insert that succeeds reaches no fixture. */
function activities(rules: TableRules, users: People, actor: Actor): Activity[] {
  const table = `public.${rules.table}`;
  const reads = async (sql: TransactionSql) => keysOf(await sql.unsafe(`select ${rules.key} as key from ${table}`));
  // The statement has neither a `where` nor a `returning`, so policies for select do not apply.
  const writes = (statement: string) => async (sql: TransactionSql) => {
    const before = await versions(sql, rules);
    await sql.unsafe(statement);
    const after = await versions(sql, rules);
    return [...before].filter(([key, version]) => after.get(key) !== version).map(([key]) => key);
  };
  const values = (row: Record<string, string | number>) => Object.values(row).map((value) => `'${value}'`).join();
  return [
    { name: "reads", run: reads, expected: rules.reads[actor] },
    ...Object.entries(rules.updates ?? {}).map(([column, expected]) => ({
      name: `changes ${column} of`,
      run: writes(`update ${table} set ${column} = ${rules.writes?.[column] ?? column}`),
      expected: expected[actor],
    })),
    ...Object.entries(rules.inserts ?? {}).flatMap(([name, { row, by }]) => {
      const insert = (name: string, users: People, expected: Reach) => ({
        name: `inserts ${name} into`,
        run: writes(`insert into ${table} (${Object.keys(row(users)).join()}) values (${values(row(users))})`),
        expected,
      });
      const asThemselves = { ...users, owner: users.suspended };
      return [
        insert(name, users, by.includes(actor) ? [] : "rejected"),
        // What the owner may insert, by a suspended user, as their own.
        ...(actor === "suspended" && by.includes("owner")
          ? [insert(`as their own ${name}`, asThemselves, "rejected")]
          : []),
      ];
    }),
    ...(rules.deletes
      ? [{ name: "deletes from", run: writes(`delete from ${table}`), expected: rules.deletes[actor] }]
      : []),
  ];
}

interface Activity {
  readonly name: string;
  /** Gives the keys of the rows that it read or changed. */
  run(sql: TransactionSql): Promise<string[]>;
  readonly expected: Reach;
}

function keysOf(rows: readonly { key?: string }[]): string[] {
  return rows.map(({ key }) => key!);
}

/** The current ctid of each row; an updated row has another one. The reader is not a client. */
async function versions(sql: TransactionSql, { table, key }: TableRules): Promise<Map<string, string>> {
  const [role] = await sql<
    { name: string }[]
  >`select current_setting('role') as name, set_config('role', 'none', true)`;
  const rows = await sql.unsafe<{ key: string; version: string }[]>(
    `select ${key} as key, ctid::text as version from public.${table}`,
  );
  await sql`select set_config('role', ${role!.name}, true)`;
  return new Map(rows.map(({ key, version }) => [key, version]));
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
  return [
    ...of("SELECT", grants.select),
    ...of("UPDATE", grants.update),
    ...of("INSERT", grants.insert),
    ...(grants.delete ?? []).map((client) => `${client} DELETE ${table}.*`),
  ];
}

function named(columns: Columns, all: readonly string[]): readonly string[] {
  return "allBut" in columns ? all.filter((column) => !columns.allBut.includes(column)) : columns;
}

class Undo extends Error {
  constructor(readonly keys: readonly string[]) {
    super("It was only tried");
  }
}

/** Runs it as the actor and rolls it back. */
async function reach(
  sql: TransactionSql,
  actor: Actor,
  users: People,
  run: Activity["run"],
  names: ReadonlyMap<string, string>,
): Promise<Reach> {
  const { role, sub } = callerOf(actor, users);
  try {
    await sql.savepoint(async (attempt) => {
      await attempt`
        select set_config('role', ${role}, true), set_config('request.jwt.claims', ${
        JSON.stringify({ role, sub })
      }, true)`;
      throw new Undo(await run(attempt));
    });
  } catch (error) {
    if (error instanceof Undo) return error.keys.flatMap((key) => names.get(key) ?? []);
    if (error instanceof postgres.PostgresError && error.code === "42501") return "rejected";
    // Row level security is checked before keys: it accepted the row.
    if (error instanceof postgres.PostgresError && error.code === "23505") return [];
    throw error;
  }
  throw new Error("The attempt was not undone");
}

async function assertPlanted(
  sql: TransactionSql,
  { table, key }: TableRules,
  names: ReadonlyMap<string, string>,
): Promise<void> {
  const seeded = await sql.unsafe<{ key: string }[]>(`select ${key} as key from public.${table}`);
  const keys = new Set(seeded.map((row) => row.key));
  const missing = [...names].filter(([key]) => !keys.has(key)).map(([, name]) => name);
  if (missing.length > 0) throw new Error(`The fixture of ${table} has no row ${missing.join(", ")}`);
}

function inWords(reach: Reach): string {
  return reach === "rejected" ? reach : `[${[...new Set(reach)].sort().join(", ")}]`;
}
