// The migrations on a Postgres of Debian with the real pg_cron, pgTAP and plpgsql_check, which the local platform lacks.
// POSTGRES_ROOT is the folder that the packages are unpacked in, by default the machine's own root.
import assert from "node:assert/strict";
import { join } from "node:path";
import postgres from "postgres";
import { migrate } from "../../local/postgres/migrations.ts";
import { identify } from "../../local/postgres/identity.ts";
import { prepareDatabase } from "../../local/postgres/prepare.ts";
import { PostgresServer } from "../../local/postgres/server.ts";
import { ROOT } from "../../local/settings.ts";
import { fileExists } from "../../local/files.ts";
import { freePort } from "../../local/state.ts";
import { eventually } from "../support/eventually.ts";

/** The version of hosted projects (supabase/config.toml). Earlier ones lack features that the migrations use. */
const MAJOR_VERSION = "17";
const EXTENSIONS = ["pg_cron", "pgtap", "plpgsql_check", "pgcrypto", "uuid-ossp", "pg_trgm"];
/** Debian does not package these: the local platform's parts of them are used. */
const LOCAL_EXTENSIONS = /^(pgmq|pg_net|supabase_vault)/;
const PREFIX = `usr/lib/postgresql/${MAJOR_VERSION}`;
const SHARE = `usr/share/postgresql/${MAJOR_VERSION}`;

const root = Deno.env.get("POSTGRES_ROOT") || "/";
const missing = await missingFile();

async function missingFile(): Promise<string | undefined> {
  const files = [`${PREFIX}/bin/initdb`, ...EXTENSIONS.map((name) => `${SHARE}/extension/${name}.control`)];
  for (const file of files) if (!await fileExists(join(root, file))) return join(root, file);
  return undefined;
}

/** Copies the programs, because files of extensions are added to them. Postgres finds its files relative to its program. */
async function installTo(folder: string): Promise<void> {
  for (const path of [PREFIX, SHARE]) {
    await Deno.mkdir(join(folder, path, ".."), { recursive: true });
    const { success } = await new Deno.Command("cp", { args: ["-a", join(root, path), join(folder, path)] }).output();
    assert.ok(success, `${join(root, path)} could not be copied`);
  }
  const extensions = new URL("../../local/postgres/extensions/", import.meta.url);
  for await (const { name } of Deno.readDir(extensions)) {
    if (LOCAL_EXTENSIONS.test(name)) {
      await Deno.copyFile(new URL(name, extensions), join(folder, SHARE, "extension", name));
    }
  }
}

const suffix = missing === undefined ? "" : ` (ignored: ${missing} does not exist)`;

Deno.test({
  name: `migrations: they apply with the real pg_cron and pass plpgsql_check and pgTAP${suffix}`,
  ignore: missing !== undefined,
  fn: async () => {
    const folder = await Deno.makeTempDir();
    await Deno.chmod(folder, 0o755);
    await installTo(folder);
    const bin = join(folder, PREFIX, "bin");
    const server = new PostgresServer({
      binaries: {
        version: MAJOR_VERSION,
        folder: bin,
        initdb: join(bin, "initdb"),
        postgres: join(bin, "postgres"),
      },
      identity: await identify(folder),
      folder,
      port: freePort(0)!,
      durable: false,
      settings: {
        shared_preload_libraries: "pg_cron",
        "cron.database_name": "postgres",
        "cron.use_background_workers": "on",
        max_worker_processes: "30",
      },
      onRestart: assert.fail,
    });
    await server.create();
    await server.start();
    const sql = postgres(server.url(), { max: 1, onnotice: () => {} });
    try {
      await prepareDatabase(sql, ROOT);
      // A hosted project creates the extension as a superuser and grants this to postgres.
      await sql.unsafe(`
        create extension pg_cron with schema pg_catalog;
        grant usage on schema cron to postgres with grant option;
        grant select on cron.job to postgres with grant option;
        grant all on cron.job_run_details to postgres with grant option;
        create extension plpgsql_check with schema extensions;
        create extension pgtap with schema extensions`);
      await migrate(ROOT, server.url("postgres"), () => {});
      await jobsSucceed(sql);
      await functionsPassTheCheck(sql);
      await tapAssertionsPass(sql);
    } finally {
      await sql.end();
      await server.stop();
      await Deno.remove(folder, { recursive: true });
    }
  },
});

/** pg_cron has accepted the schedules of all jobs, and runs them without an error. */
async function jobsSucceed(sql: postgres.Sql): Promise<void> {
  const runs = await eventually(async () => {
    const found = await sql<{ jobname: string; status: string; return_message: string }[]>`
      select j.jobname, r.status, r.return_message
      from cron.job_run_details r join cron.job j using (jobid) where r.end_time is not null`;
    return found.length >= 10 ? found : undefined;
  }, 90_000);
  assert.deepEqual(runs.filter(({ status }) => status !== "succeeded").map((run) => ({ ...run })), []);
}

/**
 * Findings of plpgsql_check that a static check cannot avoid: temporary and transition tables that exist at run time only, a
 * record that a loop assigns, variadic arguments of format(), and errors that a function of constants raises on purpose.
 */
const FALSE_FINDINGS =
  /^relation "(pg_temp\.|rows_)|^record "\w+" is not assigned yet$|^too few arguments for format|^\{"code": /;

async function functionsPassTheCheck(sql: postgres.Sql): Promise<void> {
  const problems = await sql<{ function: string; lineno: number; message: string; detail: string | null }[]>`
    select distinct p.oid::regprocedure::text as function, c.lineno, c.message, c.detail
    from pg_proc p
    join pg_language l on l.oid = p.prolang and l.lanname = 'plpgsql'
    left join pg_trigger t on t.tgfoid = p.oid and not t.tgisinternal
    cross join lateral extensions.plpgsql_check_function_tb(
      p.oid, coalesce(t.tgrelid, 0), oldtable => t.tgoldtable, newtable => t.tgnewtable
    ) c
    where p.pronamespace in ('api'::regnamespace, 'commands'::regnamespace, 'private'::regnamespace)
      and (t.oid is not null or p.prorettype <> 'trigger'::regtype) and c.level = 'error'
    order by 1, 2`;
  const found = problems.filter(({ message }) => !FALSE_FINDINGS.test(message)).map((problem) => ({ ...problem }));
  assert.deepEqual(found, []);
}

async function tapAssertionsPass(sql: postgres.Sql): Promise<void> {
  const lines = await sql.begin(async (transaction) => {
    await transaction`set local search_path = extensions, public`;
    const results = [await transaction`select no_plan() as line`];
    for (const name of ["api", "commands", "private"]) {
      results.push(await transaction`select has_schema(${name}::name) as line`);
    }
    results.push(
      await transaction`
        select is_empty('select from pg_class where relnamespace = ''public''::regnamespace and relkind in (''r'', ''p'')
          and not relrowsecurity', 'tables of public have row-level security') as line`,
      await transaction`
        select is_empty('select from cron.job where jobname is null or not active', 'jobs have a name and are active') as line`,
      await transaction`select finish() as line`,
    );
    return results.flat().map((row) => String(row["line"]));
  });
  assert.ok(lines.filter((line) => line.startsWith("ok ")).length >= 5, lines.join("\n"));
  assert.deepEqual(lines.filter((line) => /^not ok/.test(line)), [], lines.join("\n"));
}
