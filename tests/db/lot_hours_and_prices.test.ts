// Which rows of hours and prices can be stored. A row that can is one that the evaluators can read.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { database } from "../support/database.ts";
import { sqlstate } from "../support/database_errors.ts";

const CHECK_VIOLATION = "23514";
const UNIQUE_VIOLATION = "23505";
const FOREIGN_KEY_VIOLATION = "23503";

const db = await database();
Deno.test.afterAll(() => db.close());

type Row = Record<string, postgres.ParameterOrJSON<never>>;
let dates = 0;
const nextDate = () => new Date(Date.UTC(2027, 0, ++dates)).toISOString().slice(0, 10);

async function newLot(): Promise<string> {
  const [row] = await db.sql<{ id: string }[]>`
    insert into public.parking_lots (name, address, lat, lng, status) values ('Lot', '1-1', 35, 139, 'active') returning id`;
  return row!.id;
}

const lot = await newLot();
const store = (table: string, row: Row) =>
  db.sql`insert into ${db.sql(table)} ${db.sql({ parking_lot_id: lot, ...row })}`;
const storeRule = (rule: Row) => store("public.pricing_rules", rule);
const storeWindow = (window: Row) => store("public.parking_lot_windows", window);
const storeOverride = (columns: Row) =>
  store("public.parking_lot_date_overrides", {
    override_date: nextDate(),
    ...columns,
  });

const hourOfDay = { category: "time_band", per_minutes: 60, price_minor: 120, time_start: "08:00", time_end: "22:00" };
const rules: readonly [string, Row][] = [
  ["metered at any hour", { category: "time_band", per_minutes: 20, price_minor: 100 }],
  ["free of charge", { category: "time_band", per_minutes: 60, price_minor: 0 }],
  ["metered by night", {
    category: "time_band",
    time_start: "20:00",
    time_end: "08:00",
    per_minutes: 60,
    price_minor: 100,
  }],
  ["of a calendar day", {
    category: "flat",
    time_start: "00:00",
    time_end: "24:00",
    price_minor: 800,
    day_type: "sunday",
  }],
  ["for the first half hour", { category: "initial", per_minutes: 30, price_minor: 0, rule_order: 1 }],
  ["of grace", { category: "grace", per_minutes: 10 }],
  ["a cap of twelve hours", { category: "cap", cap_type: "duration", cap_duration_hours: 12, cap_price_minor: 900 }],
  ["a cap of a fraction of an hour", {
    category: "cap",
    cap_type: "duration",
    cap_duration_hours: 2.5,
    cap_price_minor: 0,
  }],
  ["a cap of each day", { category: "cap", cap_type: "day", cap_price_minor: 1000, cap_repeat: true }],
  ["a cap of the night", {
    category: "cap",
    cap_type: "band",
    time_start: "20:00",
    time_end: "08:00",
    cap_price_minor: 400,
  }],
  ["a cap of the stay", { category: "cap", cap_type: "stay", cap_price_minor: 3000, cap_repeat: false }],
  ["metered, with a cap of its own", {
    category: "time_band",
    per_minutes: 20,
    price_minor: 100,
    cap_type: "day",
    cap_price_minor: 1200,
    cap_repeat: true,
  }],
  ["for one unit in each band", { ...hourOfDay, max_units: 1 }],
  ["for a thousand units in each band", { ...hourOfDay, max_units: 1000 }],
];
const brokenRules: readonly [string, Row][] = [
  ["of an unknown category", { category: "hourly", per_minutes: 60, price_minor: 100 }],
  ["of an unknown day type", { category: "flat", price_minor: 1, day_type: "monday" }],
  ["metered without minutes", { category: "time_band", price_minor: 100 }],
  ["metered without a price", { category: "time_band", per_minutes: 20 }],
  ["metered by no time", { category: "time_band", per_minutes: 0, price_minor: 100 }],
  ["of a negative price", { category: "time_band", per_minutes: 20, price_minor: -1 }],
  ["flat, but metered", { category: "flat", per_minutes: 20, price_minor: 100 }],
  ["flat without a price", { category: "flat" }],
  ["for a first while without a price", { category: "initial", per_minutes: 30 }],
  ["of grace without minutes", { category: "grace" }],
  ["of grace at a price", { category: "grace", per_minutes: 10, price_minor: 100 }],
  ["of half a band", { category: "flat", price_minor: 100, time_start: "08:00" }],
  ["of a band that starts at the day's end", {
    category: "flat",
    price_minor: 1,
    time_start: "24:00",
    time_end: "08:00",
  }],
  ["a cap of nothing", { category: "cap", cap_price_minor: 900 }],
  ["a cap without its price", { category: "cap", cap_type: "day" }],
  ["a cap with a price of its own", { category: "cap", cap_type: "day", cap_price_minor: 900, price_minor: 100 }],
  ["a cap of an unknown type", { category: "cap", cap_type: "week", cap_price_minor: 900 }],
  ["a cap of some hours", { category: "cap", cap_type: "duration", cap_price_minor: 900 }],
  ["a cap of no hours", { category: "cap", cap_type: "duration", cap_duration_hours: 0, cap_price_minor: 900 }],
  ["a cap of less than a microsecond", {
    category: "cap",
    cap_type: "duration",
    cap_duration_hours: 1e-11,
    cap_price_minor: 900,
  }],
  ["a cap of a day of hours", { category: "cap", cap_type: "day", cap_duration_hours: 24, cap_price_minor: 900 }],
  ["a cap of a band that it lacks", { category: "cap", cap_type: "band", cap_price_minor: 900 }],
  ["of grace with a cap", { category: "grace", per_minutes: 10, cap_type: "day", cap_price_minor: 900 }],
  ["for no unit in a band", { ...hourOfDay, max_units: 0 }],
  ["for more than a thousand units in a band", { ...hourOfDay, max_units: 1001 }],
  ["for some units without a band", { category: "time_band", per_minutes: 60, price_minor: 120, max_units: 4 }],
  ["flat for some units", { ...hourOfDay, category: "flat", per_minutes: null, max_units: 4 }],
  ["for some units of the first minutes", { ...hourOfDay, category: "initial", max_units: 4 }],
  ["a cap of some units", {
    category: "cap",
    cap_type: "band",
    cap_price_minor: 900,
    time_start: "08:00",
    time_end: "22:00",
    max_units: 4,
  }],
  ["that repeats no cap", { category: "time_band", per_minutes: 20, price_minor: 100, cap_repeat: true }],
];
for (const [name, rule] of rules) {
  Deno.test(`lot hours and prices: a price rule ${name} can be stored, for every day and for one date`, async () => {
    await storeRule(rule);
    await storeOverride({ pricing: [rule] as never });
  });
}
for (const [name, rule] of brokenRules) {
  Deno.test(`lot hours and prices: a price rule ${name} cannot be stored, neither for every day nor for one date`, async () => {
    assert.equal(await sqlstate(storeRule(rule)), CHECK_VIOLATION);
    const override = { override_date: "2028-01-01", pricing: [rule] as never };
    assert.equal(await sqlstate(storeOverride(override)), CHECK_VIOLATION);
  });
}

Deno.test("lot hours and prices: the dates of a price rule are in order, and clients can read them", async () => {
  const rule = { category: "time_band", per_minutes: 20, price_minor: 100 };
  await storeRule({ ...rule, effective_from: "2026-10-01", effective_to: "2026-10-01" });
  assert.equal(
    await sqlstate(storeRule({ ...rule, effective_from: "2026-10-02", effective_to: "2026-10-01" })),
    CHECK_VIOLATION,
  );
  for (const column of ["effective_from", "effective_to"]) {
    const endless = db.sql`
      insert into public.pricing_rules (parking_lot_id, category, per_minutes, price_minor, ${db.sql(column)})
      values (${lot}, 'time_band', 20, 100, 'infinity')`;
    assert.equal(await sqlstate(endless), CHECK_VIOLATION);
  }
});

Deno.test("lot hours and prices: the prices of a date are an array of rules and nothing else", async () => {
  for (const pricing of [{}, "free", [5], [null], [{ category: "flat", price_minor: 5, colour: "red" }]]) {
    const override = { override_date: "2028-01-01", pricing: pricing as never };
    assert.equal(await sqlstate(storeOverride(override)), CHECK_VIOLATION, JSON.stringify(pricing));
  }
});

Deno.test("lot hours and prices: a rule's price group is one of the rule's lot", async () => {
  const other = await newLot();
  const [group] = await db.sql<{ id: string }[]>`
    insert into public.pricing_groups (parking_lot_id, code, name, vehicle_types)
    values (${other}, 'bikes', 'バイク', '{motorcycle}') returning id`;
  const rule = { category: "flat", price_minor: 100, pricing_group_id: group!.id };
  assert.equal(await sqlstate(storeRule(rule)), FOREIGN_KEY_VIOLATION);
  await storeRule({ ...rule, parking_lot_id: other });
  await db.sql`delete from public.pricing_groups where id = ${group!.id}`;
  assert.equal((await db.sql`select 1 from public.pricing_rules where parking_lot_id = ${other}`).length, 0);
});

Deno.test("lot hours and prices: a lot has at most one default price group", async () => {
  await store("public.pricing_groups", { code: "a", name: "A", is_default: true });
  await store("public.pricing_groups", { code: "b", name: "B" });
  const second = store("public.pricing_groups", { code: "c", name: "C", is_default: true });
  assert.equal(await sqlstate(second), UNIQUE_VIOLATION);
});

const windows: readonly Row[] = [
  { window_type: "business", open_time: "08:00", close_time: "24:00" },
  { window_type: "entry", day_type: "saturday", open_time: "18:00", close_time: "02:00" },
  { window_type: "exit", day_of_week: 0, is_24h: true },
  { window_type: "after_hours_exit", day_type: "holiday", is_closed: true },
  { window_type: "business", effective_from: "2026-06-01", effective_to: "2026-06-01", is_24h: true, is_closed: false },
  { window_type: "business" },
];
for (const window of windows) {
  Deno.test(`lot hours and prices: hours can be ${JSON.stringify(window)}`, async () => void await storeWindow(window));
}
const brokenWindows: readonly Row[] = [
  { window_type: "lunch", is_24h: true },
  { window_type: "business", day_type: "monday", is_24h: true },
  { window_type: "business", day_of_week: 7, is_24h: true },
  { window_type: "business", open_time: "08:00" },
  { window_type: "business", close_time: "08:00" },
  { window_type: "business", open_time: "24:00", close_time: "08:00" },
  { window_type: "business", is_24h: true, is_closed: true },
  { window_type: "business", effective_from: "2026-06-02", effective_to: "2026-06-01", is_24h: true },
];
for (const window of brokenWindows) {
  Deno.test(`lot hours and prices: hours cannot be ${JSON.stringify(window)}`, async () => {
    assert.equal(await sqlstate(storeWindow(window)), CHECK_VIOLATION);
  });
}

for (const date of ["infinity", "-infinity", "10000-01-01", "0001-12-31 BC"]) {
  Deno.test(`lot hours and prices: hours cannot begin or end on ${date}, which is not a date in ISO 8601`, async () => {
    for (const column of ["effective_from", "effective_to"]) {
      const stored = db.sql`
        insert into public.parking_lot_windows (parking_lot_id, window_type, is_24h, ${db.sql(column)})
        values (${lot}, 'business', true, ${date}::text::date)`;
      assert.equal(await sqlstate(stored), CHECK_VIOLATION, column);
    }
  });
}

const span = { open_time: "08:00", close_time: "15:00" };
const hours: readonly unknown[] = [
  { business: [span, { open_time: "18:00:30", close_time: "24:00" }] },
  { business: [], exit: [{ is_24h: true }], entry: [{ is_closed: true }], after_hours_exit: [span] },
  { is_closed: true },
  { is_24h: true, exit: [span] },
  {},
];
for (const value of hours) {
  Deno.test(`lot hours and prices: a date's hours can be ${JSON.stringify(value)}`, async () => {
    await storeOverride({ hours: value as never });
  });
}
const brokenHours: readonly unknown[] = [
  [],
  "closed",
  { closed: true },
  { is_closed: "yes" },
  { business: span },
  { business: [5] },
  { business: [{ open_time: "08:00" }] },
  { business: [{ open_time: "8:00", close_time: "15:00" }] },
  { business: [{ open_time: "08:00", close_time: "24:30" }] },
  { business: [{ open_time: "24:00", close_time: "08:00" }] },
  { business: [{ ...span, note: "x" }] },
  { business: [{}] },
];
for (const value of brokenHours) {
  Deno.test(`lot hours and prices: a date's hours cannot be ${JSON.stringify(value)}`, async () => {
    const override = { override_date: "2028-01-01", hours: value as never };
    assert.equal(await sqlstate(storeOverride(override)), CHECK_VIOLATION);
  });
}

Deno.test("lot hours and prices: a lot has one override per date", async () => {
  await storeOverride({ override_date: "2026-12-31", label: "大晦日" });
  assert.equal(await sqlstate(storeOverride({ override_date: "2026-12-31" })), UNIQUE_VIOLATION);
});

Deno.test("lot hours and prices: the hours and prices of a lot that is not active are not public", async () => {
  const seen = async () => {
    const rows = await db.as({ role: "anon" }, (sql) =>
      sql`
      select 1 from public.parking_lot_windows where parking_lot_id = ${lot}
      union all select 1 from public.parking_lot_date_overrides where parking_lot_id = ${lot}
      union all select 1 from public.pricing_groups where parking_lot_id = ${lot}
      union all select 1 from public.pricing_rules where parking_lot_id = ${lot}`);
    return rows.length;
  };
  await storeWindow({ window_type: "business", is_24h: true });
  await storeRule({ category: "flat", price_minor: 100 });
  assert.ok(await seen() > 0);
  await db.sql`update public.parking_lots set status = 'suspended' where id = ${lot}`;
  assert.equal(await seen(), 0);
  await db.sql`update public.parking_lots set status = 'active' where id = ${lot}`;
});
