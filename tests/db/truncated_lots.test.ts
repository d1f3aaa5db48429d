import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { newLot } from "../support/rows.ts";

Deno.test("emptying the table of lots empties the map and leaves a change for every lot", async () => {
  const db = await database();
  try {
    await newLot(db.sql, { lat: 35.68, lng: 139.76 });
    const counts = async () => {
      const [row] = await db.sql`
        select (select count(*)::int from public.parking_lots) as lots, (select count(*)::int from private.map_cells) as cells,
          (select count(*)::int from private.lot_changes c where not c.is_gone) as public_lots`;
      return { ...row };
    };
    assert.ok(Object.values(await counts()).every((count) => count > 0));
    await db.sql`truncate public.parking_lots cascade`;
    assert.deepEqual(await counts(), { lots: 0, cells: 0, public_lots: 0 });
  } finally {
    await db.close();
  }
});
