// Growth: every table has a plan, and what is kept for a time goes, in batches.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { newUser, purge, runJob } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const page = Deno.readTextFileSync(new URL("../../docs/operations/scale.md", import.meta.url));
const PLANS = ["lots", "customers", "retention", "archive", "administrators", "stores", "state"];

/** The plans of docs/operations/scale.md, by table. */
function plans(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const part of page.split(/^Tables of `/m).slice(1)) {
    const schema = /^\w+/.exec(part)![0];
    for (const [, tables, plan] of part.matchAll(/^- ((?:`\w+`[,\s]*)+):\s+\*\*([\s\S]*?)(?=\n- |\n\n)/gm)) {
      for (const [, table] of tables!.matchAll(/`(\w+)`/g)) {
        const name = `${schema}.${table}`;
        found.set(name, [...found.get(name) ?? [], plan!]);
      }
    }
  }
  return found;
}

Deno.test("growth: every table has one plan in docs/operations/scale.md, and the page names no other table", async () => {
  const tables = await db.sql<{ name: string }[]>`
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition and n.nspname in ('public', 'private') order by 1`;
  const found = plans();
  assert.deepEqual([...found.keys()].sort(), tables.map(({ name }) => name).sort());
  for (const [name, lines] of found) {
    assert.equal(lines.length, 1, `${name} has ${lines.length} plans`);
    assert.ok(PLANS.includes(/^\w+/.exec(lines[0]!)![0]), `${name}: ${lines[0]}`);
  }
});

Deno.test("growth: a plan names the job `purge` where private.retentions has the table, and only there", async () => {
  const retentions = await db.sql<{ name: string }[]>`
    select distinct table_name as name from private.retentions where table_name !~ '^(cron|auth)\.' order by 1`;
  const purged = [...plans()].filter(([, [plan]]) => plan!.includes("`purge`"));
  assert.deepEqual(purged.map(([name]) => name).sort(), retentions.map(({ name }) => name).sort());
  for (const [name, [plan]] of plans()) {
    if (/^retention/.test(plan!)) assert.ok(plan!.includes("`purge`"), name);
  }
});

Deno.test("retention: every condition runs, and one that is due daily waits for a day", async () => {
  await purge(db.sql);
  await db.sql`
    insert into private.dead_messages (queue, msg_id, message, read_count, enqueued_at, died_at)
    values ('mail', 1, '{}', 5, now(), now() - interval '91 days')`;
  const left = async () => (await db.sql`select from private.dead_messages`).length;
  await runJob(db.sql, "purge");
  assert.equal(await left(), 1);
  await db.sql`update private.retentions set done_at = done_at - interval '1 day'`;
  await runJob(db.sql, "purge");
  assert.equal(await left(), 0);
});

Deno.test("retention: rows are deleted in committed batches; rows locked by another transaction are skipped", async () => {
  await db.sql`
    insert into private.dead_messages (queue, msg_id, message, read_count, enqueued_at, died_at)
    select 'mail', n, '{}', 5, now(), now() - interval '91 days' from generate_series(1, 25) as n`;
  const left = async () => (await db.sql`select from private.dead_messages`).length;
  await db.sql`update private.retentions set done_at = '-infinity' where table_name = 'private.dead_messages'`;
  await db.sql.begin(async (other) => {
    await other`select from private.dead_messages order by msg_id limit 1 for update`;
    const seen: number[] = [];
    for (let nth = 0; nth < 3; nth++) {
      await db.sql`select private.next_purge_batch(10)`;
      seen.push(await left());
    }
    assert.deepEqual(seen, [15, 5, 1]);
  });
  const [row] = await db.sql`
    select done_rows::integer, done_at > now() - interval '1 minute' as is_done from private.retentions
    where table_name = 'private.dead_messages'`;
  assert.deepEqual({ ...row }, { done_rows: 25, is_done: true });
});

Deno.test("retention: an inbox keeps notifications for a year, read or not; composed ones stay", async () => {
  const user = await newUser(db.sql);
  await db.sql`
    insert into public.user_notifications (user_id, title, body, type, status, sent_at, is_composed, created_at)
    select ${user}, n.title, 'Body', 'announcement', 'sent', now(), n.title = 'composed', now() - n.days * interval '1 day'
    from (values ('old', 366), ('recent', 364), ('composed', 400)) as n (title, days)`;
  await purge(db.sql);
  const left = await db.sql`select title from public.user_notifications where user_id = ${user} order by title`;
  assert.deepEqual(left.map(({ title }) => title), ["composed", "recent"]);
});
