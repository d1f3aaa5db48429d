// The platform's database: a Postgres server with the roles, migrations and seed of the service.
import { join } from "node:path";
import postgres from "postgres";
import { connectionOptions } from "./connection_options.ts";
import { installPostgres } from "./binaries.ts";
import { identify, type Identity } from "./identity.ts";
import { PostgresServer, stopOrphan, SUPERUSER } from "./server.ts";
import { FOR_STANDBYS, startStandby } from "./standby.ts";
import { type AuthRules, ROOT, STATE } from "../settings.ts";
import { fileExists, readOr, removeIfExists, writeRecord } from "../files.ts";
import { isRunning } from "../process.ts";
import { freePort } from "../state.ts";
import {
  type Built,
  type Changes,
  commitOf,
  compare,
  filesAppliedOnce,
  readBuilt,
  RECORD,
  requireFit,
  versionOf,
  writeBuilt,
} from "./built.ts";
import { appliedVersions, migrate } from "./migrations.ts";
import { prepareDatabase } from "./prepare.ts";
import { loadPlaces } from "../../tools/places/load.ts";

export interface DatabaseOptions {
  /** The name of the platform's folder. */
  readonly name: string;
  /** False if the data may be lost in a crash. */
  readonly durable: boolean;
  /** A database to copy the migrated and seeded one to, for tests that clone it. */
  readonly template?: string;
  /** Whether the sample data of supabase/seed.sql is added; true by default. */
  readonly withSeed?: boolean;
  /** Whether the places of tools/places are added; false by default. */
  readonly withPlaces?: boolean | undefined;
  /** Whether there is to be a read replica. */
  readonly replica?: ReplicaOptions | undefined;
  /** The repository whose files build it; this one by default. */
  readonly root?: string;
  /** The rules of accounts; relaxed by default. */
  readonly authRules?: AuthRules | undefined;
  readonly onStep: (line: string) => void;
  /** Called when a server has stopped, or runs again. */
  readonly onProblem?: () => void;
}

export interface ReplicaOptions {
  /** The share of GET requests that it serves; half by default, as behind a load balancer. */
  readonly reads?: "half" | "all";
  /** Whether a commit waits for the replica, so that reads there see every write. */
  readonly isSynchronous?: boolean;
}

/** Starts the database and applies pending migrations. Data that other files built is left as it is. */
export async function startDatabase(options: DatabaseOptions): Promise<PostgresServer> {
  const { template, root = ROOT } = options;
  const identity = await identify(STATE);
  const folder = join(identity.home, options.name);
  await Deno.mkdir(folder, { recursive: true, mode: 0o755 });
  const data = join(folder, "data");
  const built = await fileExists(data) ? await readBuilt(folder) : { commit: null, files: {} };
  requireFit(data, built.commit, compare(built.files, await filesAppliedOnce(root)));
  const server = await startServer(identity, folder, options);
  try {
    await build(server, folder, built, options);
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
  const replica = await startStandby(primary, {
    folder,
    port,
    onRestart: options.onStep,
    onProblem: options.onProblem,
  });
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
  await removeIfExists(join(folder, RECORD));
  return true;
}

/** Removes the servers and data of killed processes. Their folders are named by the prefix and the id of the process. */
export async function removeCrashed(prefix: string): Promise<void> {
  const { home } = await identify(STATE);
  await Deno.mkdir(home, { recursive: true });
  for await (const { name } of Deno.readDir(home)) {
    const [first, pid] = name.split("-");
    if (first !== prefix || !/^\d+$/.test(pid ?? "") || isRunning(Number(pid))) continue;
    const folder = join(home, name);
    for (const each of [replicaFolder(folder), folder]) await stopOrphan(join(each, "data"));
    await removeIfExists(folder);
  }
}

/** The files that differ from those that this platform's data was built from. */
export async function changedFiles(name: string): Promise<Changes> {
  const { home } = await identify(STATE);
  return compare((await readBuilt(join(home, name))).files, await filesAppliedOnce(ROOT));
}

async function startServer(identity: Identity, folder: string, options: DatabaseOptions): Promise<PostgresServer> {
  const { durable, onStep } = options;
  const binaries = await installPostgres(identity.home, onStep);
  const port = await databasePort(folder);
  const settings = options.replica ? FOR_STANDBYS : {};
  const server = new PostgresServer({
    binaries,
    identity,
    folder,
    port,
    durable,
    settings,
    onRestart: onStep,
    onProblem: options.onProblem,
  });
  if (await server.create()) onStep(`Postgres ${binaries.version}: new data in ${server.data}`);
  await server.start();
  onStep(`Postgres is ready on 127.0.0.1:${port}`);
  return server;
}

async function build(server: PostgresServer, folder: string, built: Built, options: DatabaseOptions): Promise<void> {
  const { onStep, root = ROOT } = options;
  const present = await filesAppliedOnce(root);
  const sql = postgres(server.url(), { max: 1, ...connectionOptions });
  try {
    // A start that was killed has no record of the migrations that it applied.
    const versions = new Set(Object.keys(present).map(versionOf));
    const gone = (await appliedVersions(sql)).filter((version) => !versions.has(version));
    requireFit(server.data, built.commit, { edited: [], gone });
    await prepareDatabase(sql, root);
    onStep("Applying pending migrations and the seed");
    try {
      await migrate(root, server.url("postgres"), (line) => onStep(`  ${line}`), options.withSeed);
    } finally {
      // Also after a failure: the migrations before the one that failed are applied.
      const applied = await appliedVersions(sql);
      const isApplied = (name: string) => applied.includes(versionOf(name) ?? "") || name.includes("/");
      const files = Object.fromEntries(Object.entries(present).filter(([name]) => isApplied(name)));
      await writeBuilt(folder, { commit: await commitOf(root), files: { ...files, ...built.files } });
    }
    await followRules(sql, options.authRules ?? "relaxed");
    if (options.withPlaces) await addPlaces(server.url("postgres"), onStep);
  } finally {
    await sql.end();
  }
}

async function addPlaces(url: string, onStep: (line: string) => void): Promise<void> {
  const sql = postgres(url, { max: 1, ...connectionOptions });
  try {
    const { places, isNew } = await loadPlaces(sql, onStep);
    if (isNew) onStep(`  ${places} places`);
  } finally {
    await sql.end();
  }
}

/** In development administrators need no second factor. A repository of an earlier release has no such setting. */
async function followRules(sql: postgres.Sql, rules: AuthRules): Promise<void> {
  const [{ table } = { table: null }] = await sql`select to_regclass('private.console_settings') as table`;
  if (table === null) return;
  await sql`
    insert into private.console_settings (requires_second_factor) values (${rules === "hosted"})
    on conflict (is_only_row) do update set requires_second_factor = excluded.requires_second_factor`;
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
