// A hot standby: a copy of the primary's data that follows it by streaming replication. It serves reads and rejects writes,
// as a read replica of a hosted project does. The npm package lacks pg_basebackup, so the copy uses pg_backup_start and
// pg_backup_stop.
import { join } from "node:path";
import postgres from "postgres";
import { connectionOptions } from "./connection_options.ts";
import { removeIfExists } from "../files.ts";
import { PASSWORD, PostgresServer, SUPERUSER } from "./server.ts";

export interface StandbyOptions {
  /** The folder of data and log. Files of an earlier start are deleted. */
  readonly folder: string;
  readonly port: number;
  readonly onRestart: (reason: string) => void;
  readonly onProblem: (() => void) | undefined;
}

/** The primary keeps the log since the start of the copy. */
export const FOR_STANDBYS = { wal_keep_size: "1GB" };

/** Folders whose files are not copied: they belong to the running server, or come over the stream. */
const EMPTY_FOLDERS = [
  "pg_dynshmem",
  "pg_notify",
  "pg_replslot",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
  "pg_wal",
];
const EXCLUDED_FILES = ["postmaster.pid", "postmaster.opts"];
/** A copy fails if a file is deleted while it is copied. */
const COPY_ATTEMPTS = 3;

/** Copies the primary's data and starts a server on it. Resolves when the server accepts connections. */
export async function startStandby(primary: PostgresServer, options: StandbyOptions): Promise<PostgresServer> {
  const { binaries, identity, durable } = primary.options;
  await Deno.mkdir(options.folder, { recursive: true, mode: 0o755 });
  const standby = new PostgresServer({
    ...options,
    binaries,
    identity,
    durable,
    settings: {
      primary_conninfo: `host=127.0.0.1 port=${primary.options.port} user=${SUPERUSER} password=${PASSWORD}`,
    },
  });
  await copyData(primary, standby);
  await standby.start();
  return standby;
}

async function copyData(primary: PostgresServer, standby: PostgresServer): Promise<void> {
  const sql = postgres(primary.url(), { max: 1, ...connectionOptions }); // a backup belongs to one connection
  const { identity } = primary.options;
  try {
    await sql`select pg_backup_start('standby', true)`;
    for (let attempt = 1;; attempt++) {
      await removeIfExists(standby.data);
      await Deno.mkdir(standby.data, { mode: 0o700 });
      await identity.own(standby.data);
      if (await tryCopy(primary, standby.data)) break;
      if (attempt === COPY_ATTEMPTS) throw new Error("The data of Postgres could not be copied for its replica.");
    }
    const [label] = await sql<{ labelfile: string }[]>`select labelfile from pg_backup_stop(false)`;
    for (const [name, text] of [["backup_label", label!.labelfile], ["standby.signal", ""]] as const) {
      await Deno.writeTextFile(join(standby.data, name), text, { mode: 0o600 });
      await identity.own(join(standby.data, name));
    }
  } finally {
    await sql.end();
  }
}

/** Copies as the user of Postgres, who must own the files. Returns whether it succeeded. */
async function tryCopy(primary: PostgresServer, target: string): Promise<boolean> {
  const { identity } = primary.options;
  const names: string[] = [];
  for await (const { name } of Deno.readDir(primary.data)) {
    if (!EMPTY_FOLDERS.includes(name) && !EXCLUDED_FILES.includes(name)) names.push(join(primary.data, name));
  }
  for (const name of EMPTY_FOLDERS) {
    await Deno.mkdir(join(target, name), { mode: 0o700 });
    await identity.own(join(target, name));
  }
  const { success } = await identity.command("cp", ["-Rp", ...names, target], { stdout: "null", stderr: "null" })
    .output();
  return success;
}
