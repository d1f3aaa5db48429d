/**
 * `deno task drift <database address>`: prints what differs between a database and the migrations of this folder.
 *
 * The migrations are applied to a new database on this machine, and the catalogues of both are compared. Reading rights are
 * enough. Exit codes: 0 the database is equal and nothing is printed, 1 it differs, 2 it could not be compared.
 */
import { join } from "node:path";
import postgres from "postgres";
import { readConfig } from "../../local/config.ts";
import { removeIfExists } from "../../local/files.ts";
import { connectionOptions } from "../../local/postgres/connection_options.ts";
import { removeCrashed, startDatabase } from "../../local/postgres/database.ts";
import { ROOT } from "../../local/settings.ts";
import { type Catalogue, type CatalogueObject, type CatalogueOptions, readCatalogue } from "./catalogue.ts";
import { differences } from "./catalogue_difference.ts";

const USAGE =
  'deno task drift <database address>, for example: PGPASSWORD=… deno task drift "postgresql://drift_reader@db.REF.supabase.co:5432/postgres?sslmode=require"';
/** Folders of the databases that the migrations are applied to begin with this. */
const FOLDER = "drift";
const CONNECT_TIMEOUT_SECONDS = 10;

/** The rights that reading needs. */
const READER = "create role drift_reader login bypassrls password '…' in role pg_read_all_data";

/** A reason why the databases could not be compared. */
class NotCompared extends Error {}

/** The catalogue of a database, read in one snapshot. */
export async function catalogueOf(address: string, options: CatalogueOptions = {}): Promise<Catalogue> {
  const sql = postgres(address, { max: 1, ...connectionOptions, connect_timeout: CONNECT_TIMEOUT_SECONDS });
  try {
    return await sql.begin("isolation level repeatable read read only", (tx) => readCatalogue(tx, options));
  } finally {
    await sql.end();
  }
}

/** The catalogue that the migrations of a repository give, by default of this one, and the buckets of `config.toml`. */
export async function expectedCatalogue(options: CatalogueOptions = {}, root: string = ROOT): Promise<Catalogue> {
  await removeCrashed(FOLDER);
  const name = `${FOLDER}-${Deno.pid}-${crypto.randomUUID().slice(0, 8)}`;
  const server = await startDatabase({ name, root, durable: false, withSeed: false, onStep: () => {} });
  try {
    const catalogue = await catalogueOf(server.url("postgres"), options);
    return { ...catalogue, objects: new Map([...catalogue.objects, ...await buckets()]), hasBuckets: true };
  } finally {
    await server.stop();
    await removeIfExists(server.options.folder);
  }
}

async function buckets(): Promise<[name: string, CatalogueObject][]> {
  return (await readConfig()).buckets.map(({ name, isPublic, fileSizeLimit, mediaTypes }) => [`bucket ${name}`, {
    parent: null,
    properties: { public: isPublic, "file size limit": fileSizeLimit, "media types": mediaTypes },
  }]);
}

/** A folder that builds a database with these migrations of a repository only. It is removed at the end of its scope. */
export class PartOfMigrations implements AsyncDisposable {
  private constructor(readonly root: string) {}

  static async make(names: readonly string[], root: string = ROOT): Promise<PartOfMigrations> {
    const folder = await Deno.makeTempDir();
    const migrations = join(folder, "supabase/migrations");
    await Deno.mkdir(migrations, { recursive: true });
    for (const name of ["local", "supabase/templates", "supabase/config.toml"]) {
      await Deno.symlink(join(root, name), join(folder, name));
    }
    for (const name of names) await Deno.copyFile(join(root, "supabase/migrations", name), join(migrations, name));
    return new PartOfMigrations(folder);
  }

  /** Adds a migration. */
  write(name: string, text: string): Promise<void> {
    return Deno.writeTextFile(join(this.root, "supabase/migrations", name), text);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Deno.remove(this.root, { recursive: true });
  }
}

/** The lines of a comparison with the migrations. */
export function drift(expected: Catalogue, actual: Catalogue): string[] {
  if (actual.hasBuckets) return differences(expected, actual);
  const objects = [...expected.objects].filter(([name]) => !name.startsWith("bucket "));
  return differences({ ...expected, objects: new Map(objects) }, actual);
}

async function readActual(address: string, tables: readonly string[]): Promise<Catalogue> {
  try {
    return await catalogueOf(address, { tables });
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === "42501") {
      throw new NotCompared(
        `The role may not read everything: ${message}.\nReading needs a role such as this one: ${READER};`,
      );
    }
    // The classes of connections, passwords, databases, resources and locks, or a code of the network.
    const isOutside = error instanceof postgres.PostgresError ? /^(08|28|3D|53|55|57)/.test(error.code) : code;
    if (!isOutside) throw error;
    throw new NotCompared(`The database could not be read: ${message || code}. Check the address and the password.`);
  }
}

async function main(): Promise<number> {
  const [address, ...more] = Deno.args.filter((word) => word !== "--");
  const isAddress = address !== undefined && URL.canParse(address) &&
    ["postgres:", "postgresql:"].includes(new URL(address).protocol);
  if (!isAddress || more.length > 0) {
    console.error(`Usage: ${USAGE}`);
    return 2;
  }
  // A wrong address is reported before the migrations are applied.
  await readActual(address, []);
  const expected = await expectedCatalogue();
  const lines = drift(expected, await readActual(address, expected.tables));
  for (const line of lines) console.log(line);
  return lines.length === 0 ? 0 : 1;
}

if (import.meta.main) {
  try {
    Deno.exit(await main());
  } catch (error) {
    if (!(error instanceof NotCompared)) throw error;
    console.error(error.message);
    Deno.exit(2);
  }
}
