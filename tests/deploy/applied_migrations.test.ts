// The platform applies migrations by itself. The same files applied by the Supabase CLI must leave the same database and the
// same record of versions, so that either continues where the other ended.
import assert from "node:assert/strict";
import { join } from "node:path";
import postgres from "postgres";
import { installPostgres } from "../../local/postgres/binaries.ts";
import { identify } from "../../local/postgres/identity.ts";
import { migrate } from "../../local/postgres/migrations.ts";
import { prepareDatabase } from "../../local/postgres/prepare.ts";
import { PostgresServer, SUPERUSER } from "../../local/postgres/server.ts";
import { ROOT, STATE } from "../../local/settings.ts";
import { freePort } from "../../local/state.ts";
import { catalogueOf, drift } from "../../tools/release/drift.ts";
import { ProjectCopy } from "./cli.ts";

/** A migration with what divides statements wrongly where a reader of SQL is careless. */
const EDGES = `-- a comment; with a semicolon
create table public.edges (id integer, note text default 'a;b''c;d'); /* another; one */
comment on table public.edges is E'it''s; \\\\ escaped';
create table public."semi;colon" (id integer);
set lock_timeout = '4s';
do $body$ begin perform ';'; perform $inner$;$inner$; end $body$;
create function public.edge(p integer) returns text language sql
begin atomic
  select 'end;';
  select p::text;
end;
create rule edges_rule as on insert to public.edges do also (select 1; select 2);
create function public.edge_text(a text) returns text language sql as 'select a || '';''';
insert into public.edges values (1, '--'), (2, '/*'), (3, '$$');
;
-- the end
`;

const read = async (url: string) => {
  const sql = postgres(url, { max: 1 });
  try {
    return {
      migrations: [...await sql`select * from supabase_migrations.schema_migrations order by version`],
      seeds: [...await sql`select * from supabase_migrations.seed_files`],
      columns: [
        ...await sql`
          select table_name, column_name, data_type, is_nullable, column_default
          from information_schema.columns where table_schema = 'supabase_migrations' order by 1, ordinal_position`,
      ],
      owners: [
        ...await sql`select tablename, tableowner from pg_tables where schemaname = 'supabase_migrations' order by 1`,
      ],
      rows: [
        ...await sql`select (select count(*) from public.parking_lots) as lots, (select count(*) from public.edges) as edges`,
      ],
    };
  } finally {
    await sql.end();
  }
};

Deno.test("migrations: applied by the platform and by the CLI they leave the same database and record, and either continues", async () => {
  await using project = await ProjectCopy.make();
  await Deno.writeTextFile(join(project.folder, "supabase/migrations/20990101000000_edges.sql"), EDGES);
  const identity = await identify(STATE);
  const folder = join(identity.home, `migrations-${crypto.randomUUID()}`);
  await Deno.mkdir(folder, { recursive: true });
  const server = new PostgresServer({
    binaries: await installPostgres(identity.home, () => {}),
    identity,
    folder,
    port: freePort(0)!,
    durable: false,
    onRestart: assert.fail,
  });
  await server.create();
  await server.start();
  try {
    const [ours, theirs] = ["by_platform", "by_cli"];
    for (const name of [ours, theirs]) {
      const admin = postgres(server.url(), { max: 1, onnotice: () => {} });
      await admin.unsafe(`create database ${name} owner postgres`).catch(async () => {
        // The first database makes the role.
        await prepareDatabase(admin, ROOT);
        await admin.unsafe(`create database ${name} owner postgres`);
      });
      await admin.end();
      const sql = postgres(server.url(SUPERUSER, name), { max: 1, onnotice: () => {} });
      await prepareDatabase(sql, ROOT);
      await sql.end();
    }
    const push = (name: string) =>
      project.run(
        ["db", "push", "--include-all", "--include-seed", "--yes", "--db-url", server.url("postgres", name)],
        { env: { BUN_JSC_useGC: "1" } },
      );
    const steps: string[] = [];
    await migrate(project.folder, server.url("postgres", ours), (step) => steps.push(step));
    assert.deepEqual([steps.at(0), steps.at(-1)], [
      "Applying migration 20260901000100_types.sql",
      "Seeding data from supabase/seed.sql",
    ]);
    const pushed = await push(theirs);
    assert.equal(pushed.code, 0, pushed.output);

    const [one, other] = [await read(server.url("postgres", ours)), await read(server.url("postgres", theirs))];
    for (const [index, { version, name, statements }] of other.migrations.entries()) {
      const mine = one.migrations[index]!;
      assert.deepEqual([mine["version"], mine["name"]], [version, name]);
      for (const [at, statement] of statements.entries()) {
        assert.equal(mine["statements"][at], statement, `${name} ${at}`);
      }
      assert.equal(mine["statements"].length, statements.length, name);
    }
    assert.deepEqual(one, other);
    assert.equal(one.rows[0]!["edges"], "3");
    const [mine, reference] = [
      await catalogueOf(server.url("postgres", ours)),
      await catalogueOf(server.url("postgres", theirs)),
    ];
    // The rows of the seed have random ids.
    assert.deepEqual(drift(reference, mine).filter((line) => !/^\w+: row of /.test(line)), []);

    // Either has nothing left to do in the database of the other.
    const again = await push(ours);
    assert.equal(again.code, 0, again.output);
    assert.match(again.output, /up to date/);
    await migrate(project.folder, server.url("postgres", theirs), (step) => assert.fail(step));
  } finally {
    await server.stop();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("migrations: a statement that fails is named with its file and line, and nothing of its file is kept", async () => {
  const identity = await identify(STATE);
  const folder = join(identity.home, `migrations-${crypto.randomUUID()}`);
  const root = join(folder, "root");
  await Deno.mkdir(join(root, "supabase/migrations"), { recursive: true });
  await Deno.writeTextFile(join(root, "supabase/migrations/1_good.sql"), "create table good (id integer);\n");
  await Deno.writeTextFile(
    join(root, "supabase/migrations/2_bad.sql"),
    "create table bad (id integer);\n\nselect nonsense;\n",
  );
  const server = new PostgresServer({
    binaries: await installPostgres(identity.home, () => {}),
    identity,
    folder,
    port: freePort(0)!,
    durable: false,
    onRestart: assert.fail,
  });
  await server.create();
  await server.start();
  const sql = postgres(server.url(), { max: 1 });
  try {
    await assert.rejects(
      migrate(root, server.url(), () => {}, false),
      /2_bad\.sql, line 3: column "nonsense" does not exist/,
    );
    const [found] = await sql`
      select to_regclass('good')::text as good, to_regclass('bad') as bad,
        (select array_agg(version) from supabase_migrations.schema_migrations) as versions`;
    assert.deepEqual({ ...found }, { good: "good", bad: null, versions: ["1"] });
  } finally {
    await sql.end();
    await server.stop();
    await Deno.remove(folder, { recursive: true });
  }
});
