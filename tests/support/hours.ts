// Lots that differ only in their hours, for tests of the evaluator.
import type { Sql } from "postgres";
import type { LotHours } from "../oracles/hours.ts";

/** Stores lots with their windows and date overrides; gives their ids in the same order. */
export async function addLots(sql: Sql, lots: readonly LotHours[]): Promise<string[]> {
  const rows = lots.map((lot) => ({ ...lot, id: crypto.randomUUID() }));
  await sql.begin(async (transaction) => {
    const input = transaction.json(JSON.parse(JSON.stringify(rows)));
    await transaction`
      insert into public.parking_lots (id, name, lat, lng, status, time_zone)
      select r.id, 'lot', 35, 139, 'active', r.time_zone
      from jsonb_to_recordset(${input}) as r (id uuid, time_zone text)`;
    await transaction`
      insert into public.parking_lot_windows (parking_lot_id, window_type, day_type, day_of_week, is_24h, is_closed,
        open_time, close_time, effective_from, effective_to)
      select r.id, w.window_type, w.day_type, w.day_of_week, w.is_24h, w.is_closed, w.open_time, w.close_time,
        w.effective_from, w.effective_to
      from jsonb_to_recordset(${input}) as r (id uuid, windows jsonb)
      cross join lateral jsonb_populate_recordset(null::public.parking_lot_windows, r.windows) as w`;
    await transaction`
      insert into public.parking_lot_date_overrides (parking_lot_id, override_date, label, hours)
      select r.id, o.override_date, 'Override', o.hours
      from jsonb_to_recordset(${input}) as r (id uuid, date_overrides jsonb)
      cross join lateral jsonb_to_recordset(r.date_overrides) as o (override_date date, hours jsonb)`;
  });
  return rows.map((row) => row.id);
}
