/**
 * The rows of a database of a release, which a test upgrades: `deno task release:data <version>` uses every operation once on
 * a platform of its own, and writes the rows of all its tables to tests/deploy/released_<version>.jsonl.gz.
 *
 * The first line is a Header as JSON. Each other line is a table's name, a tab, and its rows as a JSON array.
 */
import { gunzipSync, gzipSync } from "node:zlib";
import { basename, join } from "node:path";
import type { Sql } from "postgres";
import { ROOT } from "../../local/settings.ts";
import { Refusal } from "../../tools/release/rules.ts";

const FOLDER = "tests/deploy";
const FILE = /^released_(.+)\.jsonl\.gz$/;

export interface Header {
  readonly version: string;
  /** The names of the release's migrations. */
  readonly migrations: readonly string[];
  /** The last value of each sequence. */
  readonly sequences: Readonly<Record<string, string>>;
}

export interface ReleasedData {
  readonly header: Header;
  /** The rows of each table as a JSON array in text, because a number of JavaScript has fewer digits than numeric. */
  readonly tables: ReadonlyMap<string, string>;
}

/** The tables of the service, and the accounts that its rows refer to. */
const TABLES = `
  select format('%I.%I', n.nspname, c.relname) as name
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and (n.nspname in ('public', 'private') or (n.nspname, c.relname) = ('auth', 'users'))
  order by name`;

export function tableNames(sql: Pick<Sql, "unsafe">): Promise<string[]> {
  return sql.unsafe<{ name: string }[]>(TABLES).then((rows) => rows.map(({ name }) => name));
}

/** Reads all rows in one snapshot. */
export async function readData(sql: Sql, release: Omit<Header, "sequences">): Promise<ReleasedData> {
  return await sql.begin("isolation level repeatable read read only", async (tx) => {
    const tables = new Map<string, string>();
    for (const name of await tableNames(tx)) {
      const [found] = await tx.unsafe<{ rows: string | null }[]>(
        `select jsonb_agg(t order by t::text)::text as rows from ${name} t`,
      );
      if (found!.rows !== null) tables.set(name, found!.rows);
    }
    const sequences = await tx<{ name: string; last: string }[]>`
      select format('%I.%I', schemaname, sequencename) as name, last_value::text as last from pg_sequences
      where schemaname in ('public', 'private') and last_value is not null order by name`;
    const last = Object.fromEntries(sequences.map((each) => [each.name, each.last]));
    return { header: { ...release, sequences: last }, tables };
  });
}

/** The files of all releases, by their path in the repository. */
export async function dataFiles(): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(join(ROOT, FOLDER)));
  return entries.map(({ name }) => name).filter((name) => FILE.test(name)).sort().map((name) => join(FOLDER, name));
}

export function versionOf(path: string): string {
  return FILE.exec(basename(path))![1]!;
}

/** Replaces all rows of a database that has the release's migrations. No trigger runs, nor a check of references. */
export async function loadData(sql: Sql, { header, tables }: ReleasedData): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    for (const name of await tableNames(tx)) await tx.unsafe(`delete from ${name}`);
    for (const [name, rows] of tables) {
      const [columns] = await tx<{ names: string }[]>`
        select string_agg(quote_ident(attname), ', ' order by attnum) as names from pg_attribute
        where attrelid = ${name}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`;
      await tx.unsafe(
        `insert into ${name} (${columns!.names}) overriding system value
         select ${columns!.names} from jsonb_populate_recordset(null::${name}, $1::text::jsonb)`,
        [rows],
      );
    }
    for (const [name, last] of Object.entries(header.sequences)) await tx`select setval(${name}, ${last})`;
  });
}

export async function writeDataFile(path: string, { header, tables }: ReleasedData): Promise<void> {
  const lines = [JSON.stringify(header), ...[...tables].map(([name, rows]) => `${name}\t${rows}`)];
  await Deno.writeFile(path, gzipSync(`${lines.join("\n")}\n`, { level: 9 }));
}

export async function readDataFile(path: string): Promise<ReleasedData> {
  const [header, ...lines] = gunzipSync(await Deno.readFile(path)).toString().trimEnd().split("\n");
  const tables = lines.map((line) => {
    const tab = line.indexOf("\t");
    return [line.slice(0, tab), line.slice(tab + 1)] as const;
  });
  return { header: JSON.parse(header!), tables: new Map(tables) };
}

/** The rows that the walk through all operations leaves. */
async function makeData(release: Omit<Header, "sequences">): Promise<ReleasedData> {
  const { startTestPlatform } = await import("../support/platform.ts");
  const { default: postgres } = await import("postgres");
  const platform = await startTestPlatform();
  try {
    for (const [name, value] of Object.entries(platform.status)) Deno.env.set(name, String(value));
    // Its modules read the environment when they load.
    const { walk } = await import("./walk.ts");
    await walk();
    const sql = postgres(platform.status.DB_URL, { max: 1, onnotice: () => {} });
    try {
      return await readData(sql, release);
    } finally {
      await sql.end();
    }
  } finally {
    await platform.stop();
  }
}

if (import.meta.main) {
  const [version, ...more] = Deno.args.filter((word) => word !== "--");
  const released = JSON.parse(await Deno.readTextFile(join(ROOT, "supabase/released_migrations.json")));
  try {
    if (!/^\d+\.\d+\.\d+$/.test(version ?? "") || more.length > 0) {
      throw new Refusal("Usage: deno task release:data <version>, for example: deno task release:data 0.2.0");
    }
    const path = join(FOLDER, `released_${version}.jsonl.gz`);
    const data = await makeData({ version: version!, migrations: Object.keys(released).sort() });
    await writeDataFile(join(ROOT, path), data);
    console.log(`Wrote ${path}: ${data.tables.size} tables.`);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(error.message);
    Deno.exit(2);
  }
  Deno.exit();
}
