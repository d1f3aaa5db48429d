// The examples of docs/operations/schema_changes.md, applied by the Supabase CLI to a database of their own.
import { strict as assert } from "node:assert";
import { join } from "node:path";
import type { Sql } from "postgres";
import { ROOT } from "../../local/settings.ts";
import { sqlFindings } from "../../tools/lint_sql/rules.ts";
import { database, type TestDatabase } from "../support/database.ts";
import { newLot, newUser, runJob } from "../support/rows.ts";
import { ProjectCopy } from "./cli.ts";

interface Example {
  readonly file: string;
  readonly text: string;
}

/** The examples of each section, in the order of the page. */
async function examples(): Promise<Map<string, Example[]>> {
  const page = await Deno.readTextFile(join(ROOT, "docs/operations/schema_changes.md"));
  const sections = page.split(/^## /m).slice(1);
  return new Map(sections.map((section) => [
    section.split("\n")[0]!,
    [...section.matchAll(/^```sql title=(\S+)\n([\s\S]*?)^```$/gm)].map(([, file, text]) => ({
      file: file!,
      text: text!,
    })),
  ]));
}

async function apply(project: ProjectCopy, db: TestDatabase, example: Example): Promise<string> {
  const path = join(project.folder, "supabase/migrations", example.file);
  await Deno.writeTextFile(path, example.text);
  const { code, output } = await project.run(["db", "push", "--db-url", db.url], {});
  if (code !== 0) await Deno.remove(path);
  return code === 0 ? "" : output;
}

/** What a migration can change and a way back has to restore. */
async function schema(sql: Sql): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    select format('column %s.%s %s', a.attrelid::regclass, a.attname, a.attacl) as line
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and a.attnum > 0 and not a.attisdropped
    union all select format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
    union all select format('index %s', pg_get_indexdef(indexrelid)) from pg_index i
      join pg_class c on c.oid = i.indrelid
      where i.indisvalid and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
    union all select format('function %s %s %s', p.oid::regprocedure, md5(pg_get_functiondef(p.oid)), p.proacl) from pg_proc p
      where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace, 'api'::regnamespace) and p.prokind = 'f'
    union all select format('comment %s %s', p.oid::regprocedure, obj_description(p.oid, 'pg_proc')) from pg_proc p
      where p.pronamespace = 'private'::regnamespace
    union all select format('policy %s %s %s %s %s', tablename, policyname, roles, qual, with_check) from pg_policies
    union all select format('job %s %s', jobname, command) from cron.job
    order by line`;
  return rows.map(({ line }) => line);
}

async function scratch(run: (project: ProjectCopy, db: TestDatabase) => Promise<void>): Promise<void> {
  await using project = await ProjectCopy.make();
  const db = await database();
  try {
    await run(project, db);
  } finally {
    await db.close();
  }
}

const sections = await examples();

Deno.test("schema changes: the page has the five kinds, and every example keeps the project's rules for migrations", () => {
  assert.deepEqual([...sections.keys()], [
    "Adding a column",
    "Changing a function",
    "Changing a policy",
    "Adding an index",
    "Backfill in batches",
  ]);
  const all = [...sections.values()].flat();
  assert.equal(all.length, 12);
  assert.deepEqual(all.flatMap(({ file, text }) => sqlFindings({ name: `supabase/migrations/${file}`, text })), []);
});

for (const kind of ["Adding a column", "Changing a function", "Changing a policy", "Adding an index"]) {
  Deno.test(`schema changes: ${kind}: the change is applied, and its way back restores the schema`, async () => {
    await scratch(async (project, db) => {
      const before = await schema(db.sql);
      const steps = sections.get(kind)!;
      for (const step of steps.slice(0, -1)) assert.equal(await apply(project, db, step), "", step.file);
      const changed = await schema(db.sql);
      assert.notDeepEqual(changed, before);
      assert.equal(changed.some((line) => line.includes("NOT VALID")), false);
      assert.equal(await apply(project, db, steps.at(-1)!), "");
      assert.deepEqual(await schema(db.sql), before);
    });
  });
}

Deno.test("schema changes: an index that is built concurrently lets a row be written meanwhile", async () => {
  await scratch(async (project, db) => {
    const [build] = sections.get("Adding an index")!;
    const [user, lot] = [await newUser(db.sql), await newLot(db.sql)];
    const writer = await db.sql.reserve();
    await writer`begin`;
    await writer`insert into public.saved_parking_lots (user_id, parking_lot_id) values (${user}, ${lot})`;
    let isApplied = false;
    // It waits for the transaction that began before it, and does not block writes.
    const applied = apply(project, db, build!).then((failure) => (isApplied = true, failure));
    while (!isApplied) {
      const [waiting] = await db.sql<{ builds: number }[]>`
        select count(*)::integer as builds from pg_stat_activity
        where datname = current_database() and query like 'create index concurrently%' and wait_event_type = 'Lock'`;
      if (waiting!.builds > 0) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const other = await newLot(db.sql);
    await db.sql`insert into public.saved_parking_lots (user_id, parking_lot_id) values (${user}, ${other})`;
    assert.equal(isApplied, false);
    await writer`commit`;
    writer.release();
    assert.equal(await applied, "");
    const [index] = await db.sql`
      select indisvalid from pg_index where indexrelid = 'public.saved_parking_lots_created_idx'::regclass`;
    assert.equal(index!["indisvalid"], true);
  });
});

Deno.test("schema changes: a backfill goes on where it was, its second step waits for its end, and it can be taken back", async () => {
  await scratch(async (project, db) => {
    const { sql } = db;
    const before = await schema(sql);
    const [fill, finish, back] = sections.get("Backfill in batches")!;
    const user = await newUser(sql);
    await sql`
      insert into public.saved_parking_lots (user_id, parking_lot_id)
      select ${user}, l.id from public.parking_lots l order by l.id limit 45`;
    assert.equal(await apply(project, db, fill!), "");
    const named = async () => (await sql`select from public.saved_parking_lots where lot_name is not null`).length;

    await sql`select private.next_lot_name_batch(20)`;
    assert.equal(await named(), 20);
    // An interrupted batch has no effect.
    await sql.begin(async (transaction) => {
      await transaction`select private.next_lot_name_batch(20)`;
      throw new Error("cut off");
    }).catch((error) => assert.match(String(error), /cut off/));
    assert.equal(await named(), 20);
    assert.match(await apply(project, db, finish!), /fill_lot_names is not done/);

    await runJob(sql, "fill_lot_names");
    assert.equal(await named(), 45);
    const [job] =
      await sql`select done_rows::integer as rows, finished_at is not null as is_done from private.lot_name_backfill`;
    assert.deepEqual({ ...job }, { rows: 45, is_done: true });

    assert.equal(await apply(project, db, finish!), "");
    const [left] = await sql`select to_regclass('private.lot_name_backfill') as progress`;
    assert.equal(left!["progress"], null);
    assert.equal(await apply(project, db, back!), "");
    assert.deepEqual(await schema(sql), before);
  });
});
