// Applies migrations and the seed as `supabase db push --include-all --include-seed` does, and records them in the same
// tables, so that the CLI can continue with the database.
import { createHash } from "node:crypto";
import { join } from "node:path";
import postgres, { type Sql, type TransactionSql } from "postgres";
import { statementsOf } from "../../tools/release/statements.ts";
import { connectionOptions } from "./connection_options.ts";

const SEED = "supabase/seed.sql";

/** The tables of versions and of seeds, as the CLI makes them. */
const TABLES = `
  create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.schema_migrations (version text not null primary key);
  alter table supabase_migrations.schema_migrations add column if not exists statements text[];
  alter table supabase_migrations.schema_migrations add column if not exists name text;
  create table if not exists supabase_migrations.seed_files (path text not null primary key, hash text not null)`;

/** Applies the pending migrations of a repository as the user of `url`, and its seed unless `withSeed` is false. */
export async function migrate(root: string, url: string, onStep: (line: string) => void, withSeed = true) {
  const sql = postgres(url, { max: 1, ...connectionOptions });
  try {
    await sql.unsafe(TABLES);
    const applied = new Set(await appliedVersions(sql));
    for (const name of [...Deno.readDirSync(join(root, "supabase/migrations"))].map(({ name }) => name).sort()) {
      const [, version, title] = name.match(/^(\d+)_(.*)\.sql$/) ?? [];
      if (version === undefined || applied.has(version)) continue;
      onStep(`Applying migration ${name}`);
      await apply(
        sql,
        root,
        `supabase/migrations/${name}`,
        (transaction, text) =>
          transaction`insert into supabase_migrations.schema_migrations (version, name, statements)
          values (${version}, ${title!}, ${statementsOf(text)})`,
      );
    }
    const [seeded] = await sql`select from supabase_migrations.seed_files where path = ${SEED}`;
    if (!withSeed || seeded !== undefined) return;
    onStep(`Seeding data from ${SEED}`);
    await apply(
      sql,
      root,
      SEED,
      (transaction, text) =>
        transaction`insert into supabase_migrations.seed_files (path, hash)
        values (${SEED}, ${createHash("sha256").update(text).digest("hex")})`,
    );
  } finally {
    await sql.end();
  }
}

/** The versions of the migrations that the database has. */
export async function appliedVersions(sql: Sql): Promise<string[]> {
  const [table] = await sql`select to_regclass('supabase_migrations.schema_migrations') as name`;
  if (table!["name"] === null) return [];
  const rows = await sql<{ version: string }[]>`select version from supabase_migrations.schema_migrations`;
  return rows.map(({ version }) => version);
}

const CONCURRENTLY = /^(create|drop) index concurrently\b/m;

type Record = (transaction: TransactionSql, text: string) => Promise<unknown>;

/**
 * Runs a file and `record` in one transaction. Settings that the file changes end with it. A file that builds an index
 * concurrently has no other statements, and they run one by one before.
 */
async function apply(sql: Sql, root: string, path: string, record: Record): Promise<void> {
  const text = await Deno.readTextFile(join(root, path));
  try {
    if (CONCURRENTLY.test(text)) {
      for (const statement of statementsOf(text)) await sql.unsafe(statement);
      await sql.begin((transaction) => record(transaction, text));
      return;
    }
    await sql.begin(async (transaction) => {
      await transaction.unsafe(text);
      await transaction`reset all`;
      await record(transaction, text);
    });
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error;
    const line = text.slice(0, Number(error.position ?? 1)).split("\n").length;
    const reason = [error.message, error.detail, error.hint].filter((part) => part !== undefined).join("\n");
    throw new Error(`The migrations failed: ${path}, line ${line}: ${reason}`, { cause: error });
  }
}
