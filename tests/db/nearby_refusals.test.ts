// Invalid arguments of nearby are rejected, and the error names the parameter.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const ENTRY = "2026-11-25T10:00:00+09:00";
const filters = (value: unknown) => ({ p_filters: JSON.stringify(value) });
const vehicle = (value: unknown) => ({ p_vehicle: JSON.stringify(value) });

const wrong: readonly [string, Record<string, unknown>][] = [
  ["lat", { p_lat: 90.001 }],
  ["lat", { p_lat: "NaN" }],
  ["lat", { p_lat: null }],
  ["lng", { p_lng: -180.5 }],
  ["lng", { p_lng: "Infinity" }],
  ["lng", { p_lng: null }],
  ["radius_m", { p_radius_m: 0 }],
  ["radius_m", { p_radius_m: 50_001 }],
  ["radius_m", { p_radius_m: null }],
  ["limit", { p_limit: 0 }],
  ["limit", { p_limit: 101 }],
  ["limit", { p_limit: null }],
  ["sort", { p_sort: "name" }],
  ["sort", { p_sort: null }],
  ["filters", { p_filters: null }],
  ["filters", filters([])],
  ["filters", filters(null)],
  ["filters.max_height_m", filters({ max_height_m: "2.1" })],
  ["filters.max_height_m", filters({ max_height_m: 0 })],
  ["filters.max_height_m", filters({ max_height_m: 101 })],
  ["filters.max_height_m", filters({ max_height_m: null })],
  ["filters.tags", filters({ tags: "covered" })],
  ["filters.tags", filters({ tags: [1] })],
  ["filters.tags", filters({ tags: [["covered"]] })],
  ["filters.tags", filters({ tags: Array(21).fill("covered") })],
  ["filters.open_now", filters({ open_now: "true" })],
  ["filters.open_now", filters({ open_now: null })],
  ["filters.max_price", filters({ max_price: -1 })],
  ["filters.max_price", filters({ max_price: 100_001 })],
  ["filters.max_price", filters({ max_price: "500" })],
  ["filters.entry_at", filters({ entry_at: "2026-11-25T10:00:00", exit_at: ENTRY })],
  ["filters.entry_at", filters({ entry_at: "2026-02-30T10:00:00Z", exit_at: ENTRY })],
  ["filters.entry_at", filters({ entry_at: "infinity", exit_at: ENTRY })],
  ["filters.entry_at", filters({ entry_at: 5, exit_at: ENTRY })],
  ["filters.entry_at", filters({ exit_at: ENTRY })],
  ["filters.exit_at", filters({ entry_at: ENTRY })],
  ["filters.exit_at", filters({ entry_at: ENTRY, exit_at: "tomorrow" })],
  ["filters.exit_at", filters({ entry_at: ENTRY, exit_at: "2026-11-25T09:59:59+09:00" })],
  ["filters.exit_at", filters({ entry_at: ENTRY, exit_at: "2026-12-26T10:00:01+09:00" })],
  ["filters.entry_at", filters({ entry_at: "1999-12-31T23:59:59Z", exit_at: ENTRY })],
  ["filters.exit_at", filters({ entry_at: ENTRY, exit_at: "2099-12-31T23:59:59-14:00" })],
  ["filters.Tags", filters({ Tags: [] })],
  ["vehicle", vehicle("big")],
  ["vehicle.colour", vehicle({ colour: 1 })],
  ["vehicle.height_m", vehicle({ height_m: 0 })],
  ["vehicle.height_m", vehicle({ height_m: 10.1 })],
  ["vehicle.height_m", vehicle({ height_m: "2" })],
  ["vehicle.width_m", vehicle({ width_m: 5.1 })],
  ["vehicle.length_m", vehicle({ length_m: 20.1 })],
  ["vehicle.weight_t", vehicle({ weight_t: 50.1 })],
  ["vehicle.clearance_cm", vehicle({ clearance_cm: -1 })],
  ["vehicle.clearance_cm", vehicle({ clearance_cm: 12.5 })],
  ["vehicle.tire_width_mm", vehicle({ tire_width_mm: 0 })],
  ["vehicle.tire_width_mm", vehicle({ tire_width_mm: 501 })],
  ["vehicle_type", { p_vehicle_type: "spaceship" }],
  ["vehicle_type", { p_vehicle_type: null }],
];

function ask(argument: Record<string, unknown>) {
  const given = { p_lat: 35, p_lng: 139, p_radius_m: 500, p_limit: 50, p_sort: "price", p_filters: "{}", ...argument };
  const { p_vehicle = null, p_vehicle_type = "standard", ...others } = given as Record<string, string | number | null>;
  return db.as({ role: "anon" }, (sql) =>
    sql`
      select api.nearby_parking_lots(
        ${others.p_lat!}::text::float8, ${others.p_lng!}::text::float8, ${others.p_radius_m!}, ${others.p_limit!},
        ${others.p_filters!}::text::jsonb, ${others.p_sort!}, ${p_vehicle}::text::jsonb, ${p_vehicle_type}
      )`);
}

for (const [param, argument] of wrong) {
  Deno.test(`nearby: rejects ${JSON.stringify(argument).slice(0, 90)} and names ${param}`, async () => {
    const error = await errorOf(ask(argument));
    assert.deepEqual([error.code, error.status, error.param], ["validation_error", 422, param]);
  });
}

Deno.test("nearby: values at their bounds are accepted", async () => {
  const widest = { entry_at: ENTRY, exit_at: "2026-12-26T10:00:00+09:00", max_price: 100_000, max_height_m: 100 };
  for (
    const argument of [
      filters(widest),
      filters({ entry_at: ENTRY, exit_at: ENTRY, max_price: 0, open_now: true, tags: [] }),
      { p_radius_m: 50_000, p_limit: 100, p_lat: 90, p_lng: 180 },
      vehicle({ height_m: 10, width_m: 5, length_m: 20, weight_t: 50, clearance_cm: 100, tire_width_mm: 500 }),
      vehicle({ height_m: null, clearance_cm: 0 }),
      vehicle(null),
    ]
  ) await ask(argument);
});
