// The local platform as one value: everything it needs, started in order and stopped in reverse.
import { join } from "node:path";
import postgres from "postgres";
import { edited, type Fingerprints, fingerprints, migrate } from "./database/migrations.ts";
import { prepareDatabase } from "./database/prepare.ts";
import { installPostgres } from "./postgres/binaries.ts";
import { identify, type Identity } from "./postgres/identity.ts";
import { PostgresServer, SUPERUSER } from "./postgres/server.ts";
import { STATE, type Status, status } from "./settings.ts";

export interface PlatformOptions {
  /** The gateway's port. */
  readonly port: number;
  /** The name of this platform's folder under the local state. */
  readonly name: string;
  /** False for a platform whose data nobody keeps. */
  readonly durable: boolean;
  /** A database to copy the migrated and seeded one to, for tests that clone it. */
  readonly template?: string;
  /** The Deno that runs the functions; this one unless another is named. */
  readonly functionsDeno?: string;
  readonly say: (line: string) => void;
}

export interface Platform {
  readonly status: Status;
  stop(): Promise<void>;
}

export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { say } = options;
  const identity = await identify(STATE);
  const folder = await platformFolder(identity, options.name);
  const server = await startPostgres(identity, folder, options);
  try {
    await prepareDatabase(server.url());
    await applyMigrations(server, folder, say);
    if (options.template !== undefined) await copyDatabase(server.url(SUPERUSER, "template1"), options.template);
    return { status: status(options.port, server.url("postgres")), stop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** The folder of one platform's data, logs and records. */
export async function platformFolder(identity: Identity, name: string): Promise<string> {
  const folder = join(identity.home, name);
  await Deno.mkdir(folder, { recursive: true, mode: 0o755 });
  return folder;
}

async function startPostgres(identity: Identity, folder: string, options: PlatformOptions): Promise<PostgresServer> {
  const { say } = options;
  const binaries = await installPostgres(identity.home);
  const port = await databasePort(folder);
  const server = new PostgresServer({ binaries, identity, folder, port, durable: options.durable, onRestart: say });
  if (await server.create()) say(`Postgres ${binaries.version}: new data in ${server.data}`);
  await server.start();
  say(`Postgres is ready on 127.0.0.1:${port}`);
  return server;
}

async function applyMigrations(server: PostgresServer, folder: string, say: (line: string) => void): Promise<void> {
  const record = join(folder, "migrations.json");
  const applied: Fingerprints = JSON.parse(await readOr(record, "{}"));
  const present = await fingerprints();
  const changed = edited(applied, present);
  if (changed.length > 0) {
    say(`Changed since it was applied: ${changed.join(", ")}. \`deno task reset\` builds the database anew.`);
  }
  say("Applying migrations and seed");
  await migrate(server.url("postgres"), (line) => say(`  ${line}`));
  await Deno.writeTextFile(record, JSON.stringify({ ...present, ...applied }, null, 2));
}

async function copyDatabase(superuser: string, name: string): Promise<void> {
  const sql = postgres(superuser, { max: 1, onnotice: () => {} });
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
  const port = freePort(last) ?? freePort(0);
  if (port === undefined) throw new Error("There is no free port for Postgres");
  await Deno.writeTextFile(record, String(port));
  return port;
}

/** The port when it can be listened on (any free one for 0), else undefined. */
export function freePort(port: number): number | undefined {
  try {
    const listener = Deno.listen({ hostname: "127.0.0.1", port });
    listener.close();
    return listener.addr.port;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return undefined;
    throw error;
  }
}

async function readOr(path: string, fallback: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return fallback;
    throw error;
  }
}
