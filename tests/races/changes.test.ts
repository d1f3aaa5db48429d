// Writers, workers and a reader of the changes of lots at once: the reader ends with what the lots are.
import assert from "node:assert/strict";
import postgres from "postgres";
import { database } from "../support/database.ts";
import { chance } from "../support/random.ts";
import { newLot, runJob } from "../support/rows.ts";
import { type Page, search } from "../db/support/search.ts";

const WRITERS = 12;
const STEPS = 15;

const db = await database();
const sql = postgres(db.url, { max: WRITERS, onnotice: () => {} });
Deno.test.afterAll(async () => {
  await sql.end();
  await db.close();
});
await db.sql`delete from public.parking_lots`;
await runJob(db.sql, "note_lot_changes");

Deno.test("updated_since: no change is skipped, in any interleaving of writers, workers and the reader", async () => {
  const [since] = await db.sql<{ at: Date }[]>`select clock_timestamp() as at`;
  const lots = await Promise.all(Array.from({ length: 6 }, (_, n) => newLot(sql, { name: `lot ${n}` })));
  const random = chance(925);
  let writing = true;

  const writers = Promise.all(Array.from({ length: WRITERS }, async (_, writer) => {
    for (let step = 0; step < STEPS; step++) {
      const name = `${writer} at ${step}`;
      const [first, second] = [random.pick(lots), random.pick(lots)].sort();
      const isPublic = random.next() < 0.8;
      const pause = random.next() / 20;
      await sql.begin(async (transaction) => {
        await transaction`update public.parking_lots set name = ${name} where id = ${first!}`;
        await transaction`select pg_sleep(${pause})`;
        if (second === first) return;
        await transaction`
          update public.parking_lots set name = ${name}, status = ${
          isPublic ? "active" : "suspended"
        } where id = ${second!}`;
      });
    }
  })).finally(() => writing = false);

  const workers = [1, 2].map(async () => {
    const worker = postgres(db.url, { max: 1, onnotice: () => {} });
    try {
      while (writing) await runJob(worker, "note_lot_changes");
    } finally {
      await worker.end();
    }
  });

  const seen = new Map<string, string | undefined>();
  let cursor: string | null = null;
  const read = async () => {
    const page: Page = await db.as(
      { role: "anon" },
      (as) => search(as, { updated_since: since!.at.toISOString(), cursor, limit: 2 }),
    );
    for (const { id, name } of page.items) seen.set(id, name);
    cursor = page.next_cursor;
    return page.has_more;
  };
  while (writing) await read();
  await writers;
  await Promise.all(workers);
  await runJob(db.sql, "note_lot_changes");
  while (await read());

  const now = await db.sql<{ id: string; name: string }[]>`
    select id, case when status = 'active' then name end as name from public.parking_lots`;
  assert.deepEqual(
    now.map(({ id, name }) => [id, name]).sort(),
    [...seen].map(([id, name]) => [id, name ?? null]).sort(),
  );
  assert.equal((await db.sql`select from private.lot_change_queue`).length, 0);
});
