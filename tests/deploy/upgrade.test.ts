// A database of each release, with the rows that using every operation leaves, takes the migrations that followed.
import { strict as assert } from "node:assert";
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { migrationFiles } from "../../local/postgres/built.ts";
import { removeCrashed, startDatabase } from "../../local/postgres/database.ts";
import { migrate } from "../../local/postgres/migrations.ts";
import { ROOT } from "../../local/settings.ts";
import { PartOfMigrations } from "../../tools/release/drift.ts";
import { placeData, removeData } from "../support/built_data.ts";
import {
  dataFiles,
  loadData,
  readData,
  readDataFile,
  type ReleasedData,
  tableNames,
  versionOf,
} from "../examples/release_data.ts";

const files = await dataFiles();

/** A reason for rows that a migration removed on purpose: the table's name, and the file. */
const REMOVED: Readonly<Record<string, string>> = {};

interface Old {
  readonly sql: Sql;
  /** Adds these files to the release's, and applies what is pending. */
  upgrade(added: Readonly<Record<string, string>>): Promise<void>;
}

/** Runs with a database that has the migrations of a release, and its rows. */
async function withRelease(data: ReleasedData, act: (old: Old) => Promise<void>): Promise<void> {
  await removeCrashed("upgrade");
  await using part = await PartOfMigrations.make(data.header.migrations);
  const name = `upgrade-${Deno.pid}-${crypto.randomUUID().slice(0, 8)}`;
  await placeData(name);
  const server = await startDatabase({ name, root: part.root, durable: false, withSeed: false, onStep: () => {} });
  const superuser = postgres(server.url(), { max: 1, onnotice: () => {} });
  const sql = postgres(server.url("postgres"), { max: 2, onnotice: () => {} });
  try {
    await loadData(superuser, data);
    await act({
      sql,
      upgrade: async (added) => {
        for (const [file, text] of Object.entries(added)) await part.write(file, text);
        await migrate(part.root, server.url("postgres"), () => {}, false);
      },
    });
  } finally {
    await Promise.all([sql.end(), superuser.end()]);
    await server.stop();
    await removeData(name);
  }
}

/** The migrations after a release. */
async function later({ header }: ReleasedData): Promise<Record<string, string>> {
  const names = Object.keys(await migrationFiles(ROOT)).filter((name) => !header.migrations.includes(name));
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, await Deno.readTextFile(join(ROOT, "supabase/migrations", name))]),
    ),
  );
}

/** What a database does not have any more of a release's rows, and references to rows that do not exist. */
async function losses(sql: Sql, { tables }: ReleasedData): Promise<string[]> {
  const found: string[] = [];
  const present = new Set(await tableNames(sql));
  for (const [name, rows] of tables) {
    if (!present.has(name)) found.push(`${name} is gone`);
    else {
      const [left] = await sql.unsafe<{ rows: number }[]>(`select count(*)::integer as rows from ${name}`);
      const before = JSON.parse(rows).length;
      if (left!.rows < before) found.push(`${name}: ${left!.rows} of ${before} rows are left`);
    }
  }
  const references = await sql<{ name: string; query: string }[]>`
    select c.conname as name, format(
      'select count(*)::integer as rows from %s f where (%s) and not exists (select from %s t where %s)',
      c.conrelid::regclass, string_agg(format('f.%I is not null', a.attname), ' and '), c.confrelid::regclass,
      string_agg(format('t.%I = f.%I', b.attname, a.attname), ' and ')) as query
    from pg_constraint c
    cross join unnest(c.conkey, c.confkey) as k (here, there)
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.here
    join pg_attribute b on b.attrelid = c.confrelid and b.attnum = k.there
    join pg_namespace n on n.oid = c.connamespace
    where c.contype = 'f' and n.nspname in ('public', 'private')
    group by c.oid`;
  assert.ok(references.length > 50, String(references.length));
  for (const { name, query } of references) {
    const [broken] = await sql.unsafe<{ rows: number }[]>(query);
    if (broken!.rows > 0) found.push(`${name}: ${broken!.rows} rows refer to nothing`);
  }
  return found;
}

/** Reads as the user with the most sessions through each function that needs no argument. */
async function readEverything(sql: Sql): Promise<number> {
  const [user] = await sql<{ id: string }[]>`
    select user_id as id from public.parking_sessions group by user_id order by count(*) desc, user_id limit 1`;
  const functions = await sql<{ call: string }[]>`
    select format('select %s()', p.oid::regproc) as call from pg_proc p
    where p.pronamespace = 'api'::regnamespace and p.provolatile <> 'v' and p.pronargs = p.pronargdefaults
      and has_function_privilege('authenticated', p.oid, 'execute')
    order by p.oid::regproc::text`;
  for (const { call } of functions) {
    await sql.begin(async (tx) => {
      await tx`select set_config('role', 'authenticated', true),
        set_config('request.jwt.claims', ${JSON.stringify({ role: "authenticated", sub: user!.id })}, true)`;
      await tx.unsafe(call);
    }).catch((error) => {
      if (error.code === "PGRST" && JSON.parse(error.message).code === "not_found") return; // the user has none
      throw new Error(`${call}: ${error.message}`);
    });
  }
  return functions.length;
}

Deno.test("upgrade: each release has its rows in a file", () => {
  const changelog = Deno.readTextFileSync(join(ROOT, "CHANGELOG.md"));
  const released = [...changelog.matchAll(/^## (\d+\.\d+\.\d+) - /gm)].map(([, version]) => version!);
  assert.deepEqual(files.map(versionOf).sort(), released.sort());
});

for (const file of files) {
  Deno.test(`upgrade: a database of ${versionOf(file)} takes the migrations after it, keeps its rows, and answers`, async () => {
    const data = await readDataFile(join(ROOT, file));
    assert.ok(data.tables.size > 80);
    await withRelease(data, async ({ sql, upgrade }) => {
      await upgrade(await later(data));
      assert.deepEqual((await losses(sql, data)).filter((loss) => !(loss.split(/[: ]/)[0]! in REMOVED)), []);
      assert.ok(await readEverything(sql) > 10);
    });
  });
}

Deno.test("upgrade: a migration that loses rows, breaks a reference or fails on rows is found", async () => {
  const data = await readDataFile(join(ROOT, files.at(-1)!));
  await withRelease(data, async ({ sql, upgrade }) => {
    const read = await readData(sql, data.header);
    assert.deepEqual([...read.tables.keys()], [...data.tables.keys()]);
    await upgrade({
      "20990101000000_loss.sql": `delete from public.search_presets;
        alter table public.parking_sessions drop constraint parking_sessions_vehicle_id_fkey;
        update public.parking_sessions set vehicle_id = gen_random_uuid();
        alter table public.parking_sessions add constraint parking_sessions_vehicle_id_fkey
          foreign key (vehicle_id) references public.user_vehicles (id) not valid;`,
    });
    const found = (await losses(sql, data)).map((loss) => loss.replaceAll(/\d+/g, "n"));
    assert.deepEqual(found, [
      "public.search_presets: n of n rows are left",
      "parking_sessions_vehicle_id_fkey: n rows refer to nothing",
    ]);
    await assert.rejects(
      upgrade({ "20990101000001_fails.sql": "alter table public.app_users add column seats integer not null;" }),
      /contains null values/,
    );
  });
});
