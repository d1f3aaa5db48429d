// Fields of a lot as the console changes them: private.apply_lot_changes, against the constraints of the table.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { newLot } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

type Value = string | number | boolean | null | Value[] | { [field: string]: Value };

interface Difference {
  readonly [field: string]: { readonly old: Value; readonly new: Value };
}

async function apply(lot: string, changes: Value): Promise<Difference> {
  const [row] = await db.as({ role: "service_role" }, async (sql) => {
    await sql`select from public.parking_lots where id = ${lot} for no key update`;
    return await sql<{ difference: Difference }[]>`
      select private.apply_lot_changes(${lot}, ${sql.json(changes)}) as difference`;
  });
  return row!.difference;
}

await db.sql`insert into public.operators (id, name, slug) values ('console', 'Operator', 'console')`;

const polygon = { type: "Polygon", coordinates: [[[139, 35], [140, 35], [140, 36], [139, 35]]] };
const text = (length: number) => "あ".repeat(length);
const url = (length: number) => "https://a.test/".padEnd(length, "x");

/** Of each writable field: values at its bounds, values beyond them, and whether it may be null. */
const FIELDS: Record<string, { takes: Value[]; rejects: Value[]; nullable: boolean }> = {
  name: { takes: [text(1), text(200)], rejects: ["", "　 ", text(201), 1], nullable: false },
  name_kana: { takes: [text(200)], rejects: ["", text(201), true], nullable: true },
  address: { takes: [text(500)], rejects: [text(501), 5], nullable: true },
  lat: { takes: [-90, 90, 35.6812362], rejects: [-90.1, 90.1, "35"], nullable: false },
  lng: { takes: [-180, 180], rejects: [-180.1, 180.1, "139"], nullable: false },
  area: {
    takes: [polygon, { type: "GeometryCollection", geometries: [polygon] }],
    rejects: [
      { type: "GeometryCollection", geometries: [] },
      { type: "Polygon" },
      { type: "Polygon", coordinates: 1 },
      { type: "Circle", coordinates: [] },
      [],
      "POINT(0 0)",
    ],
    nullable: true,
  },
  total_spaces: { takes: [0, 1_000_000], rejects: [-1, 1_000_001, 1.5, "5"], nullable: true },
  status: { takes: ["active"], rejects: ["open", 1], nullable: false },
  structure: { takes: ["underground"], rejects: ["cave", 1], nullable: true },
  max_height_m: { takes: [0.1, 2.1, 50], rejects: [0, -1, 50.1, "2.1"], nullable: true },
  max_width_m: { takes: [0.1, 50], rejects: [0, 50.1], nullable: true },
  max_length_m: { takes: [0.1, 100], rejects: [0, 100.1], nullable: true },
  max_weight_t: { takes: [0.1, 200], rejects: [0, 200.1], nullable: true },
  min_clearance_cm: { takes: [0, 200], rejects: [-1, 201, 1.5], nullable: true },
  max_tire_width_mm: { takes: [1, 2000], rejects: [0, 2001], nullable: true },
  max_parking_duration_min: { takes: [1, 2_147_483_647], rejects: [0, 2_147_483_648], nullable: true },
  entry_method: { takes: ["gate_ticket"], rejects: ["ladder"], nullable: true },
  shape_type: { takes: ["polygon"], rejects: ["blob"], nullable: true },
  entry_difficulty: { takes: ["easy", "normal", "hard"], rejects: ["impossible"], nullable: true },
  operator_code: { takes: ["console"], rejects: ["nobody", "", 1], nullable: true },
  phone: { takes: [text(50)], rejects: ["", text(51)], nullable: true },
  website: { takes: [url(2000), "http://a.test"], rejects: [url(2001), "ftp://a.test", "https://a b"], nullable: true },
  time_zone: { takes: ["Europe/Zurich", "UTC"], rejects: ["EST", "Tokyo-9", "Asia/Nowhere", 9], nullable: false },
  holiday_calendar: { takes: ["CH", "CH-ZH"], rejects: ["jp", "JPN"], nullable: false },
  currency: { takes: ["CHF"], rejects: ["yen", "JP"], nullable: false },
  source: { takes: [text(100)], rejects: ["", text(101)], nullable: true },
  external_id: { takes: [text(200)], rejects: ["", text(201)], nullable: true },
  source_url: { takes: [url(2000)], rejects: [url(2001), "x"], nullable: true },
  licence: { takes: [text(200)], rejects: ["", text(201)], nullable: true },
  attribution: { takes: [text(500)], rejects: ["", text(501)], nullable: true },
  price_fixed_at_entry: { takes: [true, false], rejects: ["true", 1], nullable: false },
};

/** Columns that no client writes. */
const KEPT = [
  ["id", "created_at", "updated_at"],
  ["avg_rating", "review_count", "tag_slugs", "main_image_key", "hour_price"],
].flat();

Deno.test("lot fields: every column of parking_lots is writable or kept by triggers", async () => {
  const columns = await db.sql<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = 'public.parking_lots'::regclass and attnum > 0 and not attisdropped`;
  assert.deepEqual(columns.map(({ name }) => name).sort(), [...Object.keys(FIELDS), ...KEPT].sort());
  const [fields] = await db.sql<{ names: string[] }[]>`select private.lot_fields() as names`;
  assert.deepEqual(fields!.names.sort(), Object.keys(FIELDS).sort());
});

for (const [field, { takes, rejects, nullable }] of Object.entries(FIELDS)) {
  Deno.test(`lot fields: ${field} accepts only values within its bounds`, async () => {
    const lot = await newLot(db.sql, { status: "draft", source: "test" });
    for (const value of takes) {
      const { [field]: change } = await apply(lot, { [field]: value });
      assert.deepEqual(change?.new, value);
      const [row] = await db.sql<Record<string, Value>[]>`
        select to_jsonb(l) -> ${field} as value from public.parking_lots l where id = ${lot}`;
      assert.deepEqual(row!["value"], value);
    }
    for (const value of [...rejects, ...(nullable ? [] : [null])]) {
      const { code, status, param } = await errorOf(apply(lot, { [field]: value }));
      assert.deepEqual({ code, status, param }, { code: "validation_error", status: 422, param: field }, `${value}`);
    }
    if (!nullable) return;
    await apply(lot, { [field]: null });
    const [row] = await db.sql`select to_jsonb(l) -> ${field} as value from public.parking_lots l where id = ${lot}`;
    assert.equal(row!["value"], null);
  });
}

Deno.test("lot fields: a field that does not exist, or that triggers keep, is rejected by its name", async () => {
  const lot = await newLot(db.sql);
  for (const field of ["nonsense", ...KEPT]) {
    const { code, param } = await errorOf(apply(lot, { name: "Other", [field]: null }));
    assert.deepEqual({ code, param }, { code: "validation_error", param: field });
  }
  for (const changes of [[], "name", null]) {
    assert.equal((await errorOf(apply(lot, changes))).code, "validation_error");
  }
});

Deno.test("lot fields: the difference has the fields that changed, old and new; without one nothing is written", async () => {
  const lot = await newLot(db.sql, { name: "Before", max_height_m: 2.1, phone: "1" });
  assert.deepEqual(await apply(lot, { name: "After", max_height_m: 2.10, phone: null, total_spaces: 4 }), {
    name: { old: "Before", new: "After" },
    phone: { old: "1", new: null },
    total_spaces: { old: null, new: 4 },
  });
  const version = () => db.sql`select xmin::text, updated_at from public.parking_lots where id = ${lot}`;
  const [before] = await version();
  assert.deepEqual(await apply(lot, { name: "After", website: null }), {});
  assert.deepEqual((await version())[0], before);
});

Deno.test("lot fields: only allowed status transitions succeed", async () => {
  const lot = await newLot(db.sql, { status: "draft" });
  const { code, status, param, details } = await errorOf(apply(lot, { status: "suspended" }));
  assert.deepEqual({ code, status, param, details }, {
    code: "conflict",
    status: 409,
    param: "status",
    details: { reason: "status_not_reachable", status: "draft", allowed: ["active", "closed"] },
  });
  assert.deepEqual(await apply(lot, { status: "active" }), { status: { old: "draft", new: "active" } });
});

Deno.test("lot fields: an external_id needs a source, and names one lot of it", async () => {
  await newLot(db.sql, { source: "register", external_id: "1" });
  const lot = await newLot(db.sql);
  assert.equal((await errorOf(apply(lot, { external_id: "1" }))).param, "source");
  const taken = await errorOf(apply(lot, { source: "register", external_id: "1" }));
  assert.deepEqual([taken.code, taken.status, taken.param], ["conflict", 409, "external_id"]);
  await apply(lot, { source: "register", external_id: "2" });
  assert.equal((await errorOf(apply(lot, { source: null }))).param, "source");
});

Deno.test("lot fields: only the service may change them", async () => {
  const lot = await newLot(db.sql);
  for (const role of ["anon", "authenticated"] as const) {
    const calling = db.as({ role }, (sql) => sql`select private.apply_lot_changes(${lot}, '{"name": "Mine"}')`);
    assert.equal(await sqlstate(calling), "42501", role);
  }
});
