// Imports while others write about the same lots.
import assert from "node:assert/strict";
import postgres from "postgres";
import { Progress } from "../../tools/importer/progress.ts";
import { importFile } from "../../tools/importer/run.ts";
import { fileOf } from "../importer/files.ts";
import { database } from "../support/database.ts";
import { newUser, runJob } from "../support/rows.ts";

const LOTS = 2_000;
const MODERATORS = 4;
const SOURCE = "raced";

const db = await database();
const sql = postgres(db.url, { max: MODERATORS + 1, onnotice: () => {} });
Deno.test.afterAll(async () => {
  await sql.end();
  await db.close();
});

/** The lots in an order of their own, all in one cell of the map, each with hours. */
async function lots(spaces: number, step: number): Promise<string> {
  const rows = Array.from({ length: LOTS }, (_, n) => {
    const id = n * step % LOTS;
    return `${id},駐車場${id},35.6801,139.7601,${spaces},8:00,${spaces}:00`;
  });
  return await fileOf("lots.csv", `id,name,lat,lng,total_spaces,open_time,close_time\n${rows.join("\n")}\n`);
}

const options = { source: SOURCE, mapping: "parking_lots", quiet: true } as const;

Deno.test("import: moderators and administrators of its lots meet no deadlock and wait for no more than a batch", async () => {
  await importFile(db.url, { ...options, file: await lots(10, 1) });
  const author = await newUser(sql);
  const reviews = await sql<{ id: string; lot: string }[]>`
    insert into public.reviews (parking_lot_id, user_id, rating)
    select id, ${author}, 4 from public.parking_lots where source = ${SOURCE}
    returning id, parking_lot_id as lot`;
  let isImporting = true;
  let acts = 0;
  const moderators = Array.from({ length: MODERATORS }, async (_, nth) => {
    for (let n = nth; isImporting && n < reviews.length; n += MODERATORS) {
      await sql.begin(async (transaction) => {
        await transaction`set local statement_timeout = '8s'`;
        const { id, lot } = reviews[n]!;
        await transaction`update public.reviews set status = 'approved' where id = ${id}`;
        if (n % 3 === 0) await transaction`update public.parking_lots set max_height_m = 2 where id = ${lot}`;
      });
      acts++;
    }
  });
  let during = 0;
  class Counted extends Progress {
    override lots(): void {
      during = acts;
    }
  }
  const report = await importFile(db.url, { ...options, file: await lots(20, 7), progress: new Counted(true) });
  isImporting = false;
  await Promise.all(moderators);
  assert.deepEqual([report.counts.updated, report.counts.read], [LOTS, LOTS]);
  assert.ok(during > 0, "somebody moderated while the import ran");
});

Deno.test("import: all lots of an operator are written while its name changes, and each has the new name", async () => {
  await db.sql`
    update public.parking_lots set operator_code = 'aozora' where source = ${SOURCE}`;
  const [, report] = await Promise.all([
    (async () => {
      for (let n = 0; n < 5; n++) {
        await sql`update public.operators set name = ${`Renamed ${n}`} where id = 'aozora'`;
        await runJob(db.sql, "propagate_renames");
      }
    })(),
    importFile(db.url, { ...options, file: await lots(15, 11) }),
  ]);
  assert.equal(report.counts.updated, LOTS);
  const [row] = await db.sql`
    select count(*)::integer as lots from private.search_entries e join public.parking_lots l on l.id = e.parking_lot_id
    where l.source = ${SOURCE} and e.document like '%renamed4%' and l.total_spaces = 15`;
  assert.equal(row!["lots"], LOTS);
});
