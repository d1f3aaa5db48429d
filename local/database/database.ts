// The platform's database: a Postgres with the roles, migrations and seed of the service in it.
import { join } from "node:path";
import postgres from "postgres";
import { patient } from "./connection.ts";
import { installPostgres } from "../postgres/binaries.ts";
import { identify, type Identity } from "../postgres/identity.ts";
import { PostgresServer, stopOrphan, SUPERUSER } from "../postgres/server.ts";
import { STATE } from "../settings.ts";
import { freePort, readOr, readRecord, removeIfThere, writeRecord } from "../state.ts";
import { edited, type Fingerprints, fingerprints, migrate } from "./migrations.ts";
import { prepareDatabase } from "./prepare.ts";

export interface DatabaseOptions {
  /** The name of the platform's folder. */
  readonly name: string;
  /** False for data that nobody keeps. */
  readonly durable: boolean;
  /** A database to copy the migrated and seeded one to, for tests that clone it. */
  readonly template?: string;
  readonly say: (line: string) => void;
}

const MIGRATIONS_RECORD = "migrations.json";

/** Starts the database and brings it up to date. */
export async function startDatabase(options: DatabaseOptions): Promise<PostgresServer> {
  const { say, template } = options;
  const identity = await identify(STATE);
  const folder = join(identity.home, options.name);
  await Deno.mkdir(folder, { recursive: true, mode: 0o755 });
  const server = await startServer(identity, folder, options);
  try {
    await prepareDatabase(server.url());
    await applyMigrations(server, folder, say);
    if (template !== undefined) await copyDatabase(server.url(SUPERUSER, "template1"), template);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/**
 * Removes the data of a platform that does not run; a server that outlived its platform is stopped first. False when there
 * was none.
 */
export async function removeDatabase(name: string): Promise<boolean> {
  const { home } = await identify(STATE);
  const folder = join(home, name);
  if (!await exists(folder)) return false;
  await stopOrphan(join(folder, "data"));
  await removeIfThere(join(folder, "data"));
  await removeIfThere(join(folder, MIGRATIONS_RECORD));
  return true;
}

/** The migration files that differ from what was applied to this platform's data. */
export async function changedMigrations(name: string): Promise<{ edited: string[]; added: string[] }> {
  const { home } = await identify(STATE);
  const applied = await readRecord<Fingerprints>(join(home, name, MIGRATIONS_RECORD), {});
  const present = await fingerprints();
  return { edited: edited(applied, present), added: Object.keys(present).filter((file) => !(file in applied)).sort() };
}

async function startServer(identity: Identity, folder: string, options: DatabaseOptions): Promise<PostgresServer> {
  const { durable, say } = options;
  const binaries = await installPostgres(identity.home);
  const port = await databasePort(folder);
  const server = new PostgresServer({ binaries, identity, folder, port, durable, onRestart: say });
  if (await server.create()) say(`Postgres ${binaries.version}: new data in ${server.data}`);
  await server.start();
  say(`Postgres is ready on 127.0.0.1:${port}`);
  return server;
}

async function applyMigrations(server: PostgresServer, folder: string, say: (line: string) => void): Promise<void> {
  const record = join(folder, MIGRATIONS_RECORD);
  const applied = await readRecord<Fingerprints>(record, {});
  const present = await fingerprints();
  const changed = edited(applied, present);
  if (changed.length > 0) {
    say(`Edited since it was applied: ${changed.join(", ")}. \`deno task reset\` builds the database anew.`);
  }
  say("Applying pending migrations and the seed");
  await migrate(server.url("postgres"), (line) => say(`  ${line}`));
  await writeRecord(record, JSON.stringify({ ...present, ...applied }, null, 2));
}

async function copyDatabase(superuser: string, name: string): Promise<void> {
  const sql = postgres(superuser, { max: 1, ...patient });
  try {
    await sql.unsafe(
      `create database "${name}" template postgres owner postgres is_template true allow_connections false`,
    );
  } finally {
    await sql.end();
  }
}

/** The port of the last start while it is free, so that a saved connection goes on working. */
async function databasePort(folder: string): Promise<number> {
  const record = join(folder, "postgres.port");
  const last = Number(await readOr(record, "0"));
  const isPort = Number.isInteger(last) && last >= 0 && last <= 65_535;
  const port = (isPort ? freePort(last) : undefined) ?? freePort(0);
  if (port === undefined) throw new Error("There is no free port for Postgres");
  await writeRecord(record, String(port));
  return port;
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
