// Sessions that API tests start, end and age, with a priced lot.
import { newLot } from "../support/rows.ts";
import { ask, bearer, jsonBody } from "./client.ts";
import { inDatabase } from "./lots.ts";

/** POST /parking-sessions<path>. */
export function post(path: string, token: string, body?: unknown, headers: Record<string, string> = {}) {
  const signed = { ...bearer(token), ...headers };
  return ask(`/parking-sessions${path}`, {
    method: "POST",
    ...(body === undefined ? { headers: signed } : jsonBody(body, signed)),
  });
}

/** Moves the start of a session into the past. */
export function age(id: string, minutes: number): Promise<unknown> {
  return inDatabase((sql) =>
    sql`
      update public.parking_sessions set started_at = date_trunc('second', now()) - ${minutes} * interval '1 minute'
      where id = ${id}`
  );
}

/** A lot at which every 30 minutes begun cost 200, at any hour. */
export function aPricedLot(columns: Parameters<typeof newLot>[1] = {}): Promise<string> {
  return inDatabase(async (sql) => {
    const lot = await newLot(sql, columns);
    await sql`
      insert into public.pricing_rules (parking_lot_id, category, rule_order, per_minutes, price_minor)
      values (${lot}, 'time_band', 1, 30, 200)`;
    return lot;
  });
}

/** So many minutes from now, as a client writes it. */
export function inMinutes(minutes: number): string {
  return new Date(Date.now() + minutes * 60_000).toISOString();
}
