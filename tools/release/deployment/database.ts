// The database of a project before and during a deployment.
import postgres, { type Sql } from "postgres";
import { connectionOptions } from "../../../local/postgres/connection_options.ts";
import { catalogueOf, drift, expectedCatalogue, PartOfMigrations } from "../drift.ts";
import type { Catalogue } from "../catalogue.ts";
import { fingerprintOf, migrationFingerprints } from "../fingerprints.ts";

const CONNECT_TIMEOUT_SECONDS = 10;

export interface MigrationState {
  /** Migrations that the database has, by name. */
  readonly applied: readonly string[];
  /** Migrations of the folder that it does not have. */
  readonly pending: readonly string[];
  /** What stands against a deployment. */
  readonly problems: readonly string[];
}

/** Runs with a connection to a database. */
export async function withDatabase<Result>(address: string, act: (sql: Sql) => Promise<Result>): Promise<Result> {
  const sql = postgres(address, {
    max: 1,
    ...connectionOptions,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    prepare: false, // a pooler may give each statement another connection
    onnotice: () => {},
  });
  try {
    return await act(sql);
  } finally {
    await sql.end();
  }
}

/** Compares the applied migrations with the files of a repository. */
export async function migrationState(sql: Sql, root: string): Promise<MigrationState> {
  const files = await migrationFingerprints(root);
  const [table] = await sql`select to_regclass('supabase_migrations.schema_migrations') is not null as exists`;
  const rows = !table!["exists"] ? [] : await sql<{ name: string; text: string }[]>`
    select concat_ws('_', version, name) as name, array_to_string(statements, '') as text
    from supabase_migrations.schema_migrations order by version`;
  const applied = rows.map(({ name }) => name);
  const pending = Object.keys(files).filter((name) => !applied.includes(name));
  const last = applied.at(-1) ?? "";
  return {
    applied,
    pending,
    problems: [
      ...applied.filter((name) => !(name in files)).map((name) =>
        `The database has the migration ${name}, which this folder does not have. Deploy a newer commit.`
      ),
      ...rows.filter(({ name, text }) => name in files && fingerprintOf(text) !== files[name]).map(({ name }) =>
        `The migration ${name} was changed after it was applied. Restore the file, and write a new migration.`
      ),
      ...pending.filter((name) => name < last).map((name) =>
        `The migration ${name} sorts before ${last}, which is applied. Give it a later time.`
      ),
    ],
  };
}

/** The differences between a database and the migrations that it has. Buckets are left out: a step of their own makes them. */
export async function driftOf(address: string, root: string, applied: readonly string[]): Promise<string[]> {
  await using part = await PartOfMigrations.make(applied.map((name) => `${name}.sql`), root);
  const expected = await expectedCatalogue({}, part.root);
  const actual = await catalogueOf(address, { tables: expected.tables });
  return drift(withoutBuckets(expected), withoutBuckets(actual));
}

function withoutBuckets(catalogue: Catalogue): Catalogue {
  const objects = [...catalogue.objects].filter(([name]) => !name.startsWith("bucket "));
  return { ...catalogue, objects: new Map(objects) };
}

/** Writes secrets into the vault, and returns the names of those that it did not have with this value. */
export async function storeInVault(sql: Sql, secrets: Readonly<Record<string, string>>): Promise<string[]> {
  const written: string[] = [];
  for (const [name, value] of Object.entries(secrets)) {
    const [kept] = await sql<{ id: string; secret: string }[]>`
      select id, decrypted_secret as secret from vault.decrypted_secrets where name = ${name}`;
    if (kept?.secret === value) continue;
    if (kept === undefined) await sql`select vault.create_secret(${value}, ${name})`;
    else await sql`select vault.update_secret(${kept.id}, ${value})`;
    written.push(name);
  }
  return written;
}
