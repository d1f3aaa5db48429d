// The SQL of docs/operations runs as it is on the pages.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { newLot, runJob } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const PAGES = ["deploy.md", "backup.md", "monitoring.md", "secrets.md", "rollback.md"];

/** The SQL blocks of a page, also those within a list. */
function blocks(page: string): string[] {
  const text = Deno.readTextFileSync(new URL(`../../docs/operations/${page}`, import.meta.url));
  return [...text.matchAll(/^ *```sql\n([\s\S]*?)^ *```$/gm)].map(([, block]) => block!);
}

class RolledBack extends Error {}

for (const page of PAGES) {
  for (const [index, block] of blocks(page).entries()) {
    Deno.test(`operations sql: docs/operations/${page}: SQL ${index + 1} runs`, async () => {
      await assert.rejects(
        db.sql.begin(async (sql) => {
          await sql.unsafe(block);
          throw new RolledBack();
        }),
        RolledBack,
      );
    });
  }
}

Deno.test("docs/operations/backup.md: the statement for public copies queues a copy of each published file, and of no other", async () => {
  const statement = blocks("backup.md").find((block) => block.includes("update public.assets"));
  const sql = db.sql;
  await sql`delete from public.assets`;
  await sql`
    insert into public.assets (storage_key, is_public, published_at, deleted_at) values
      ('review/shown.png', true, now(), null), ('review/hidden.png', false, null, null),
      ('review/deleted.png', false, now(), now())`;
  await sql`select pgmq.purge_queue('object_publication')`;
  await sql.unsafe(statement!);
  const messages = await sql`select message ->> 'storage_key' as key from pgmq.q_object_publication`;
  assert.deepEqual(messages.map(({ key }) => key), ["review/shown.png"]);
});

Deno.test("docs/operations/backup.md: after the statement for revisions the next change gets a higher one", async () => {
  const statement = blocks("backup.md").find((block) => block.includes("private.lot_changes"));
  const sql = db.sql;
  const lot = await newLot(sql, { status: "active" });
  const newest = async () =>
    Number((await sql`select max(revision) as revision from private.lot_changes`)[0]!["revision"]);
  await runJob(sql, "note_lot_changes");
  const before = await newest();
  await sql.unsafe(statement!);
  await sql`update public.parking_lots set name = 'Changed' where id = ${lot}`;
  await runJob(sql, "note_lot_changes");
  assert.ok(await newest() > before + 1_000_000_000);
});
