// A hot standby of a server that runs: a copy of its data, which then follows it by streaming replication. It answers reads
// and refuses writes, as a read replica of a hosted project does. The programs of the npm package lack pg_basebackup; this is
// the same by Postgres's own functions for backups (pg_backup_start, pg_backup_stop).
import { join } from "node:path";
import postgres from "postgres";
import { connectionOptions } from "./connection_options.ts";
import { removeIfExists } from "../files.ts";
import { PASSWORD, PostgresServer, SUPERUSER } from "./server.ts";

export interface StandbyOptions {
  /** Holds the standby's data and log; what an earlier start left there is thrown away. */
  readonly folder: string;
  readonly port: number;
  readonly onRestart: (reason: string) => void;
}

/** What the primary needs to have a standby: the log since the copy began, for as long as that may take. */
export const FOR_STANDBYS = { wal_keep_size: "1GB" };

/** Of these only the folder is copied: they belong to the server that runs, or come over the stream. */
const EMPTY = [
  "pg_dynshmem",
  "pg_notify",
  "pg_replslot",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
  "pg_wal",
];
const LEFT_OUT = ["postmaster.pid", "postmaster.opts"];
/** A file that goes while it is copied makes a copy fail. */
const COPY_ATTEMPTS = 3;

/** Copies the primary's data and starts a server on it, which answers when it has caught up with the copy. */
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
      if (await copied(primary, standby.data)) break;
      if (attempt === COPY_ATTEMPTS) throw new Error("The data of Postgres could not be copied for its replica");
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

/** Copied by the user that Postgres runs as, whose the files then are. */
async function copied(primary: PostgresServer, target: string): Promise<boolean> {
  const { identity } = primary.options;
  const names: string[] = [];
  for await (const { name } of Deno.readDir(primary.data)) {
    if (!EMPTY.includes(name) && !LEFT_OUT.includes(name)) names.push(join(primary.data, name));
  }
  for (const name of EMPTY) {
    await Deno.mkdir(join(target, name), { mode: 0o700 });
    await identity.own(join(target, name));
  }
  const { success } = await identity.command("cp", ["-Rp", ...names, target], { stdout: "null", stderr: "null" })
    .output();
  return success;
}
