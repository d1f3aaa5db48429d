// The platform's database: a Postgres server with the roles, migrations and seed of the service.
import { join } from "node:path";
import postgres from "postgres";
import { connectionOptions } from "./connection_options.ts";
import { installPostgres } from "./binaries.ts";
import { identify, type Identity } from "./identity.ts";
import { PostgresServer, stopOrphan, SUPERUSER } from "./server.ts";
import { FOR_STANDBYS, startStandby } from "./standby.ts";
import { STATE } from "../settings.ts";
import { fileExists, readOr, readRecord, removeIfExists, writeRecord } from "../files.ts";
import { freePort } from "../state.ts";
import { edited, type Fingerprints, fingerprints, migrate } from "./migrations.ts";
import { prepareDatabase } from "./prepare.ts";

export interface DatabaseOptions {
  /** The name of the platform's folder. */
  readonly name: string;
  /** False if the data may be lost in a crash. */
  readonly durable: boolean;
  /** A database to copy the migrated and seeded one to, for tests that clone it. */
  readonly template?: string;
  /** Whether there is to be a read replica. */
  readonly replica?: ReplicaOptions | undefined;
  readonly onStep: (line: string) => void;
}

export interface ReplicaOptions {
  /** The share of GET requests that it serves; half by default, as behind a load balancer. */
  readonly reads?: "half" | "all";
  /** Whether a commit waits for the replica, so that reads there see every write. */
  readonly isSynchronous?: boolean;
}

const MIGRATIONS_RECORD = "migrations.json";

/** Starts the database and applies pending migrations. */
export async function startDatabase(options: DatabaseOptions): Promise<PostgresServer> {
  const { onStep, template } = options;
  const identity = await identify(STATE);
  const folder = join(identity.home, options.name);
  await Deno.mkdir(folder, { recursive: true, mode: 0o755 });
  const server = await startServer(identity, folder, options);
  try {
    await prepareDatabase(server.url());
    await applyMigrations(server, folder, onStep);
    if (template !== undefined) await copyDatabase(server.url(SUPERUSER, "template1"), template);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Starts a read replica of a platform's database. */
export async function startReplica(primary: PostgresServer, options: DatabaseOptions): Promise<PostgresServer> {
  const folder = replicaFolder(primary.options.folder);
  await stopOrphan(join(folder, "data"));
  await Deno.mkdir(folder, { recursive: true, mode: 0o755 });
  const port = await databasePort(folder);
  const replica = await startStandby(primary, { folder, port, onRestart: options.onStep });
  options.onStep(`Its read replica is ready on 127.0.0.1:${port}`);
  if (options.replica?.isSynchronous) await enableSynchronousCommit(primary);
  return replica;
}

function replicaFolder(folder: string): string {
  return join(folder, "replica");
}

async function enableSynchronousCommit(primary: PostgresServer): Promise<void> {
  const sql = postgres(primary.url(), { max: 1, ...connectionOptions });
  try {
    await sql`alter database postgres set synchronous_commit = remote_apply`;
    await sql`alter system set synchronous_standby_names = '*'`;
    await sql`select pg_reload_conf()`;
  } finally {
    await sql.end();
  }
}

/** Removes the data of a platform that does not run, and stops its server if that still runs. False if there was none. */
export async function removeDatabase(name: string): Promise<boolean> {
  const { home } = await identify(STATE);
  const folder = join(home, name);
  if (!await fileExists(folder)) return false;
  for (const each of [replicaFolder(folder), folder]) {
    await stopOrphan(join(each, "data"));
    await removeIfExists(join(each, "data"));
  }
  await removeIfExists(join(folder, MIGRATIONS_RECORD));
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
  const { durable, onStep } = options;
  const binaries = await installPostgres(identity.home);
  const port = await databasePort(folder);
  const settings = options.replica ? FOR_STANDBYS : {};
  const server = new PostgresServer({ binaries, identity, folder, port, durable, settings, onRestart: onStep });
  if (await server.create()) onStep(`Postgres ${binaries.version}: new data in ${server.data}`);
  await server.start();
  onStep(`Postgres is ready on 127.0.0.1:${port}`);
  return server;
}

async function applyMigrations(server: PostgresServer, folder: string, onStep: (line: string) => void): Promise<void> {
  const record = join(folder, MIGRATIONS_RECORD);
  const applied = await readRecord<Fingerprints>(record, {});
  const present = await fingerprints();
  const changed = edited(applied, present);
  if (changed.length > 0) {
    onStep(`Edited since it was applied: ${changed.join(", ")}. \`deno task reset\` rebuilds the database.`);
  }
  onStep("Applying pending migrations and the seed");
  await migrate(server.url("postgres"), (line) => onStep(`  ${line}`));
  await writeRecord(record, JSON.stringify({ ...present, ...applied }, null, 2));
}

async function copyDatabase(superuser: string, name: string): Promise<void> {
  const sql = postgres(superuser, { max: 1, ...connectionOptions });
  try {
    await sql.unsafe(
      `create database "${name}" template postgres owner postgres is_template true allow_connections false`,
    );
  } finally {
    await sql.end();
  }
}

/** The port of the last start if it is free, so that saved connections keep working. */
async function databasePort(folder: string): Promise<number> {
  const record = join(folder, "postgres.port");
  const last = Number(await readOr(record, "0"));
  const isPort = Number.isInteger(last) && last >= 0 && last <= 65_535;
  const port = (isPort ? freePort(last) : undefined) ?? freePort(0);
  if (port === undefined) throw new Error("There is no free port for Postgres.");
  await writeRecord(record, String(port));
  return port;
}
