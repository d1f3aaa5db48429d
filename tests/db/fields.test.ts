// Fields of requests are checked by the table: types, not null and check constraints, before anything is written.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";
import { newUser, signedIn } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

type Fields = Record<string, unknown>;

interface Rules {
  readonly required?: string[];
  readonly rules?: object;
  readonly before?: object;
}

async function errors(table: string, objects: unknown[], fields: string[], { required, rules, before }: Rules = {}) {
  const rows = await db.sql<{ place: string; message: string }[]>`
    select place, message from private.field_errors(
      ${table}::regclass, array(select jsonb_array_elements(${JSON.stringify(objects)}::text::jsonb)), ${fields}, ${
    required ?? []
  },
      ${JSON.stringify(rules ?? {})}::text::jsonb, ${JSON.stringify(before ?? {})}::text::jsonb
    )`;
  return rows.map(({ place, message }) => `${place}: ${message}`);
}

Deno.test("fields: each object of a set is checked by types, null, required fields and constraints", async () => {
  const fields = ["vehicle_type", "nickname", "height_m", "clearance_cm"];
  assert.deepEqual(
    await errors(
      "public.user_vehicles",
      [
        { vehicle_type: "kei", nickname: "Red", height_m: 10, clearance_cm: null },
        { vehicle_type: null, nickname: "", height_m: 10.01, clearance_cm: 1.5 },
        { height_m: "2", owner: 1 },
        "kei",
      ],
      fields,
      { required: ["vehicle_type"] },
    ),
    [
      "2: clearance_cm must be a whole number, at most 2147483647.",
      "2: height_m must be above 0 and at most 10.",
      "2: nickname must have 1 to 50 characters.",
      "2: vehicle_type must not be null.",
      "3: height_m must be a number.",
      "3: owner does not exist, or it cannot be changed. Remove it.",
      "3: vehicle_type is required.",
      "4: Must be an object.",
    ],
  );
});

Deno.test("fields: rules of a call add codes, choices, lengths, and texts that are not blank", async () => {
  const rules = {
    "*": { blank: false },
    vehicle_type: { category: "vehicle_type" },
    color: { in: ["red", "blue"] },
    reason: { type: "text", max_length: 3 },
    places: { type: "array", null: false },
  };
  const fields = ["vehicle_type", "color", "nickname", "reason", "places"];
  assert.deepEqual(
    await errors(
      "public.user_vehicles",
      [
        { vehicle_type: "rocket", color: "green", nickname: " ", reason: "long", places: null },
        { vehicle_type: "kei", color: "red", nickname: "a", reason: "abc", places: [] },
      ],
      fields,
      { rules },
    ),
    [
      "1: color must be one of red, blue.",
      "1: nickname must not be blank.",
      "1: places must not be null.",
      "1: reason must have at most 3 characters.",
      "1: vehicle_type must be a code of the category vehicle_type.",
    ],
  );
});

Deno.test("fields: a constraint of several columns is checked when the others are given, or known from the row before", async () => {
  const change = { starts_at: "2026-09-02T00:00:00Z" };
  const fields = ["starts_at", "ends_at"];
  assert.deepEqual(await errors("public.ads", [change], fields), []);
  assert.deepEqual(await errors("public.ads", [change], fields, { before: { ends_at: "2026-09-03T00:00:00Z" } }), []);
  assert.deepEqual(await errors("public.ads", [change], fields, { before: { ends_at: "2026-09-01T00:00:00Z" } }), [
    "1: ends_at must be after starts_at.",
  ]);
  assert.deepEqual(await errors("public.ads", [{ ...change, ends_at: "2026-09-01T00:00:00Z" }], fields), [
    "1: ends_at must be after starts_at.",
  ]);
});

Deno.test("fields: a composite type has the constraints of the domain over it", async () => {
  const [row] = await db.sql<{ none: object }[]>`
    select to_jsonb(jsonb_populate_record(null::private.pricing_terms, '{}')) as none`;
  assert.deepEqual(
    await errors(
      "private.pricing_terms",
      [
        { category: "flat", price_minor: 100 },
        { category: "flat", price_minor: -1 },
        { category: "time_band", per_minutes: 30 },
        { category: "cap", cap_type: "duration", cap_price_minor: 1 },
      ],
      Object.keys(row!.none),
      { before: row!.none },
    ),
    [
      "2: price_minor must be at least 0.",
      "3: price_minor is required for the categories time_band, initial, flat and published_total.",
      "4: cap_duration_hours is required for the cap_type duration.",
    ],
  );
});

Deno.test("fields: a new column of vehicles is checked, stored, returned and emptied, without another change in SQL", async () => {
  await db.sql.unsafe(`
    alter table public.user_vehicles add seats integer constraint user_vehicles_seats_bounds check (seats between 1 and 100);
    grant select (seats), insert (seats), update (seats) on public.user_vehicles to authenticated`);
  const user = await newUser(db.sql);
  const add = (vehicle: Fields) =>
    db.as(signedIn(user), async (sql) => {
      const [row] = await sql<{ vehicle: Fields }[]>`
        select commands.add_my_vehicle(${JSON.stringify(vehicle)}::text::jsonb) as vehicle`;
      return row!.vehicle;
    });
  const { param, message } = await errorOf(add({ vehicle_type: "kei", seats: 0 }));
  assert.deepEqual([param, message], ["seats", "seats must be between 1 and 100."]);
  const { id, seats } = await add({ vehicle_type: "kei", seats: 4 });
  assert.equal(seats, 4);
  await db.as(signedIn(user), (sql) => sql`select commands.delete_my_vehicle(${id as string})`);
  const stored = await db.sql`select seats from public.user_vehicles where id = ${id as string}`;
  assert.deepEqual(stored.map(({ seats }) => seats), [null]);
  // The constraint of deleted vehicles is on every column too.
  const change = db.sql`update public.user_vehicles set seats = 4 where id = ${id as string}`;
  await assert.rejects(change, /user_vehicles_deleted_is_bare/);
});
