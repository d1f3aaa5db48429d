// Lots of the console while others write about them: a deletion during the start of a stay, two administrators who replace
// one set, images whose files are being published.
import assert from "node:assert/strict";
import postgres, { type Sql } from "postgres";
import { database } from "../support/database.ts";
import { call, newAdministrator } from "../support/activities.ts";
import { newLot, newUser } from "../support/rows.ts";

const db = await database();
const sql = postgres(db.url, { max: 4, onnotice: () => {} });
Deno.test.afterAll(async () => {
  await sql.end();
  await db.close();
});

const administrators = [await newAdministrator(sql), await newAdministrator(sql)];

/** Runs a function of the console as the service; its reply, or the code that it is rejected with. */
async function act<Reply>(run: (on: Sql) => PromiseLike<{ reply: Reply }[]>): Promise<Reply | string> {
  try {
    return await sql.begin(async (transaction) => {
      await transaction`set local role service_role`;
      const [row] = await run(transaction as unknown as Sql);
      return row!.reply;
    }) as Reply;
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || error.code !== "PGRST") throw error;
    return (JSON.parse(error.message) as { code: string }).code;
  }
}

const put = (nth: number, lot: string, set: string, items: postgres.JSONValue) =>
  act<{ updated_at: string }>((on) =>
    on`select api.admin_put_parking_lot_set(${administrators[nth]!}, ${lot}, ${set}, ${on.json(items)}) as reply`
  );

Deno.test("DELETE admin/parking-lots/{id} while a stay starts: the lot is deleted and the stay rejected, or the stay runs and the lot is closed", async () => {
  const outcomes = new Set<string>();
  for (let round = 0; round < 20; round++) {
    const [lot, user] = [await newLot(sql), await newUser(sql)];
    const start = () => call(sql, user, "commands.start_parking_session", { parking_lot_id: lot });
    const remove = () =>
      act<{ deleted: boolean }>((on) =>
        on`select api.admin_delete_parking_lot(${administrators[0]!}, ${lot}) as reply`
      );
    const [started, removed] = round % 2 === 0
      ? await Promise.all([start(), remove()])
      : (await Promise.all([remove(), start()])).toReversed() as [unknown, { deleted: boolean }];
    const [row] = await sql<{ lots: string[]; stays: number }[]>`
      select array(select status from public.parking_lots where id = ${lot}) as lots,
        (select count(*)::integer from public.parking_sessions where parking_lot_id = ${lot}) as stays`;
    const { deleted } = removed as { deleted: boolean };
    outcomes.add(String(deleted));
    assert.deepEqual(row, deleted ? { lots: [], stays: 0 } : { lots: ["closed"], stays: 1 });
    assert.equal(started === null, deleted, "a stay that is rejected has no reply");
  }
  assert.ok(outcomes.size > 0);
});

Deno.test("PUT …/pricing-rules by two administrators at once: both are stored, one after the other, and the records are a chain", async () => {
  const lot = await newLot(sql);
  const rule = (price: number) => [{ category: "flat", price_minor: price }, { category: "grace", per_minutes: 10 }];
  for (let round = 0; round < 15; round++) {
    const replies = await Promise.all([
      put(0, lot, "pricing_rules", rule(2 * round)),
      put(1, lot, "pricing_rules", rule(2 * round + 1)),
    ]);
    assert.ok(replies.every((reply) => typeof reply === "object"), JSON.stringify(replies));
  }
  // In the order in which they were written: a transaction that began first may have waited.
  const acts = await sql<{ old: unknown[]; new: unknown[] }[]>`
    select changes #> '{pricing_rules,old}' as old, changes #> '{pricing_rules,new}' as new
    from public.admin_activity_logs where target_id = ${lot}`;
  assert.equal(acts.length, 30);
  const text = (rows: unknown[]) => JSON.stringify(rows);
  const next = new Map(acts.map((one) => [text(one.old), text(one.new)]));
  let at = text([]);
  for (let step = 0; step < 30; step++) at = next.get(at) ?? assert.fail(`no act follows ${at}`);
  const [stored] = await sql<{ set: unknown[]; fee: number }[]>`
    select private.lot_set_json(${lot}, 'pricing_rules') as set, (t.tariff).prices[1]::integer as fee
    from private.tariffs t where t.parking_lot_id = ${lot}`;
  assert.equal(text(stored!.set), at);
});

Deno.test("PUT …/images while the files are published: no deadlock, and the lot shows what is stored", async () => {
  const lot = await newLot(sql);
  const files = await sql<{ id: string; storage_key: string }[]>`
    insert into public.assets (storage_key, category, is_public, attached_at, created_by)
    select 'parking_lot/' || n || '.png', 'parking_lot', false, null, ${administrators[
    0
  ]!}::uuid from generate_series(1, 6) as n
    returning id, storage_key`;
  const items = files.map(({ id }, nth) => ({ asset_id: id, is_main: nth === 0 }));
  for (let kept = files.length; kept > 0; kept--) {
    const publish = ({ storage_key }: { storage_key: string }) =>
      act((on) => on`select api.finish_object_publication(null, ${storage_key}, true) as reply`);
    await Promise.all([put(0, lot, "images", items.slice(0, kept)), ...files.map(publish)]);
    const [row] = await sql<{ shown: string | null; images: number }[]>`
      select main_image_key as shown, (select count(*)::integer from public.parking_lot_images where parking_lot_id = ${lot}) as images
      from public.parking_lots where id = ${lot}`;
    assert.equal(row!.images, kept);
    await publish(files[0]!);
  }
  const [row] = await sql<
    { shown: string | null }[]
  >`select main_image_key as shown from public.parking_lots where id = ${lot}`;
  assert.equal(row!.shown, files[0]!.storage_key);
});
