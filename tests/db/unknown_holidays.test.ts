// Years and calendars whose public holidays are not known: which these are, and the lots whose hours or fees depend on them.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { answers, type PricedLot, seedLots, stayFees } from "./support/fees.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

// Calendars that no country has. XB has two parts, of which XB-1 has days of its own; XC has a part without.
await db.sql`
  insert into public.holidays (calendar, holiday_date, name, name_en) values
    ('XA', '2040-01-01', '元日', 'New Year'), ('XA', '2041-01-01', '元日', 'New Year'),
    ('XB', '2040-06-13', '国', 'Nation'), ('XB', '2041-06-13', '国', 'Nation'),
    ('XB-1', '2040-06-13', '州', 'State'), ('XB-1', '2040-06-14', '州', 'State'),
    ('XC', '2040-06-13', '国', 'Nation'), ('XD-1', '2040-06-13', '州', 'State')`;

const KNOWN: readonly [calendar: string, year: number, isKnown: boolean][] = [
  ["JP", 2026, true],
  ["JP", 1999, false],
  ["JP-13", 2026, true],
  ["JP-13", 1999, false],
  ["XA", 2039, false],
  ["XA", 2040, true],
  ["XA", 2041, true],
  ["XA", 2042, false],
  ["XA-1", 2040, true],
  ["XA-ZZZ", 2041, true],
  ["XA-0", 2042, false],
  ["XB", 2040, true],
  ["XB", 2041, true],
  ["XB-1", 2040, true],
  ["XB-1", 2041, false],
  ["XB-2", 2040, false],
  ["XB-2", 2041, false],
  ["XC-A", 2040, true],
  ["XC-A", 2041, false],
  ["XD", 2040, false],
  ["XD-1", 2040, true],
  ["XD-1", 2041, false],
  ["XD-2", 2040, false],
  ["XE", 2040, false],
  ["XE-1", 2040, false],
];

Deno.test("holidays: a calendar is known in a year with rows, a part of a country also by its country, unless another part has rows", async () => {
  const rows = await db.sql<{ calendar: string; year: number; is_known: boolean }[]>`
    select k.calendar, k.year, private.has_holidays(k.calendar, k.year) as is_known
    from jsonb_to_recordset(${JSON.stringify(KNOWN.map(([calendar, year]) => ({ calendar, year })))}::text::jsonb)
      as k (calendar text, year integer)`;
  assert.deepEqual(rows.map((row) => [row.calendar, row.year, row.is_known]), KNOWN);
});

async function lotIn(calendar: string, lot: PricedLot): Promise<string> {
  const [id] = await seedLots(db.sql, [lot]);
  await db.sql`update public.parking_lots set holiday_calendar = ${calendar} where id = ${id!}`;
  return id!;
}

const rate = (day_type: string, price_minor: number, more: object = {}) => ({
  category: "time_band" as const,
  per_minutes: 60,
  day_type: day_type as "all",
  price_minor,
  ...more,
});
const week = ["weekday", "saturday", "sunday"].map((day_type) => rate(day_type, 100));
const HOLIDAY: PricedLot = { rules: [...week, rate("holiday", 700)] };
const EVE: PricedLot = { rules: [...week, rate("holiday_eve", 300)] };
const PLAIN: PricedLot = { rules: week };
const open = { window_type: "business" as const, day_type: null, open_time: "00:00", close_time: "24:00" };
const OPEN_ON_HOLIDAYS: PricedLot = { ...PLAIN, windows: [open, { ...open, day_type: "holiday", open_time: "10:00" }] };
const OPEN_ON_EVES: PricedLot = { ...PLAIN, windows: [open, { ...open, day_type: "holiday_eve", open_time: "10:00" }] };

/** A stay in Japan. */
const stay = (entry: string, exit: string) => ({ entry_at: `${entry}:00+09:00`, exit_at: `${exit}:00+09:00` });
const IN_2039 = stay("2039-06-13T10:00", "2039-06-13T11:00");
const IN_2040 = stay("2040-06-13T10:00", "2040-06-13T11:00");
const IN_2041 = stay("2041-06-13T10:00", "2041-06-13T11:00");
const IN_2042 = stay("2042-06-13T10:00", "2042-06-13T11:00");
const LAST_DAY = stay("2041-12-31T10:00", "2041-12-31T11:00");
const UNTIL_MIDNIGHT = stay("2041-12-31T10:00", "2042-01-01T00:00");
const OVER_MIDNIGHT = stay("2041-12-31T10:00", "2042-01-01T00:01");
const FIRST_NIGHT = stay("2039-12-31T23:00", "2040-01-01T01:00");

const LOTS: readonly [
  name: string,
  lot: PricedLot,
  calendar: string,
  at: ReturnType<typeof stay>,
  hours: boolean,
  fee: boolean,
][] = [
  ["prices of a known year", HOLIDAY, "XA", IN_2040, false, false],
  ["prices of an unknown year", HOLIDAY, "XA", IN_2042, false, true],
  ["prices of an unknown calendar", HOLIDAY, "XE", IN_2040, false, true],
  ["no prices for holidays", PLAIN, "XE", IN_2040, false, false],
  ["prices of a part by its country", HOLIDAY, "XC-A", IN_2040, false, false],
  ["prices of a part with days", HOLIDAY, "XB-1", IN_2040, false, false],
  ["prices of a part without this year", HOLIDAY, "XB-1", IN_2041, false, true],
  ["prices of a part where another has days", HOLIDAY, "XB-2", IN_2040, false, true],
  ["Japan", HOLIDAY, "JP-13", stay("2026-06-10T10:00", "2026-06-10T11:00"), false, false],
  ["prices on the last known day", HOLIDAY, "XA", LAST_DAY, false, false],
  ["prices of eves on the last known day", EVE, "XA", LAST_DAY, false, true],
  ["prices of eves on the first known day", EVE, "XA", stay("2040-01-01T10:00", "2040-01-01T11:00"), false, false],
  ["prices until midnight", HOLIDAY, "XA", UNTIL_MIDNIGHT, false, false],
  ["prices over midnight", HOLIDAY, "XA", OVER_MIDNIGHT, false, true],
  ["prices from the year before", HOLIDAY, "XA", FIRST_NIGHT, false, true],
  ["prices of a whole year", HOLIDAY, "XA", stay("2040-06-01T00:00", "2041-05-31T00:00"), false, false],
  ["hours of a known year", OPEN_ON_HOLIDAYS, "XA", IN_2040, false, false],
  ["hours of an unknown year", OPEN_ON_HOLIDAYS, "XA", IN_2039, true, false],
  ["hours at an exit on midnight", OPEN_ON_HOLIDAYS, "XA", UNTIL_MIDNIGHT, true, false],
  ["hours of eves on the last known day", OPEN_ON_EVES, "XA", LAST_DAY, true, false],
  ["hours of holidays on the last known day", OPEN_ON_HOLIDAYS, "XA", LAST_DAY, false, false],
  ["both", { ...HOLIDAY, windows: OPEN_ON_HOLIDAYS.windows! }, "XA", IN_2042, true, true],
  ["a fee that depends on the hours", { ...OPEN_ON_HOLIDAYS, free_while_closed: true }, "XA", IN_2042, true, true],
  [
    "hours that are no longer in effect",
    { ...PLAIN, windows: [open, { ...open, day_type: "holiday", effective_to: "2041-12-31" }] },
    "XA",
    IN_2042,
    false,
    false,
  ],
  [
    "prices that are no longer in effect",
    { rules: [...week, rate("holiday", 700, { effective_to: "2041-12-31" })] },
    "XA",
    IN_2042,
    false,
    false,
  ],
  [
    "a date with prices of its own",
    { ...HOLIDAY, date_overrides: [{ override_date: "2042-06-13", pricing: [rate("all", 50)] }] },
    "XA",
    IN_2042,
    false,
    false,
  ],
  [
    "a date with prices for holidays",
    { ...PLAIN, date_overrides: [{ override_date: "2042-06-13", pricing: [rate("all", 50), rate("holiday", 60)] }] },
    "XA",
    IN_2042,
    false,
    true,
  ],
  [
    "a later date with prices for holidays",
    { ...PLAIN, date_overrides: [{ override_date: "2042-06-14", pricing: [rate("all", 50), rate("holiday", 60)] }] },
    "XA",
    IN_2042,
    false,
    false,
  ],
  [
    "grace of holidays on the second day",
    { rules: [...week, { category: "grace", per_minutes: 30, day_type: "holiday" }] },
    "XA",
    OVER_MIDNIGHT,
    false,
    false,
  ],
  [
    "grace of holidays on the day of entry",
    { rules: [...week, { category: "grace", per_minutes: 30, day_type: "holiday" }] },
    "XA",
    FIRST_NIGHT,
    false,
    true,
  ],
  ["prices that are fixed at entry", { ...HOLIDAY, price_fixed_at_entry: true }, "XA", IN_2042, false, true],
  [
    "prices in New York, where it is still the year before",
    { ...HOLIDAY, time_zone: "America/New_York" },
    "XA",
    { entry_at: "2040-01-01T00:30:00Z", exit_at: "2040-01-01T01:00:00Z" },
    false,
    true,
  ],
  [
    "prices on Kiritimati, where the next year has begun",
    { ...HOLIDAY, time_zone: "Pacific/Kiritimati" },
    "XA",
    { entry_at: "2041-12-31T10:30:00Z", exit_at: "2041-12-31T11:00:00Z" },
    false,
    true,
  ],
];

for (const [name, lot, calendar, at, hours, fee] of LOTS) {
  Deno.test(`holidays: ${name} in ${calendar}: hours ${hours ? "unknown" : "known"}, fee ${fee ? "unknown" : "known"}`, async () => {
    const id = await lotIn(calendar, lot);
    const rows = await db.sql<{ for_hours: boolean; for_fee: boolean }[]>`
      select for_hours, for_fee from private.lots_without_holidays(${[id]}, 'standard', ${at.entry_at}, ${at.exit_at})`;
    assert.deepEqual(rows.map(({ for_hours, for_fee }) => [for_hours, for_fee]), hours || fee ? [[hours, fee]] : []);
    const [answer] = await answers(db.sql, [{ lot: id, ...at }]);
    assert.equal(answer!.breakdown!.notes.includes("holiday_calendar_unknown"), fee);
    const [detail] = await db.sql`
      select private.planned_stay_json(${id}, ${at.entry_at}, ${at.exit_at}, 'standard') -> 'holiday_calendar_unknown' as is_unknown`;
    assert.equal(detail!["is_unknown"], hours || fee);
  });
}

Deno.test("holidays: a stay of no length costs 0 and has no note", async () => {
  const id = await lotIn("XE", HOLIDAY);
  const [answer] = await answers(db.sql, [{ lot: id, entry_at: IN_2040.entry_at, exit_at: IN_2040.entry_at }]);
  assert.deepEqual([answer!.total_amount, answer!.breakdown!.notes], [0, []]);
});

Deno.test("holidays: only a vehicle type whose prices have holidays has the note", async () => {
  const id = await lotIn("XE", PLAIN);
  await db.sql`
    with g as (
      insert into public.pricing_groups (parking_lot_id, code, name, vehicle_types)
      values (${id}, 'kei', 'Kei', '{kei}') returning id, parking_lot_id
    )
    insert into public.pricing_rules (parking_lot_id, pricing_group_id, category, per_minutes, price_minor, day_type)
    select parking_lot_id, id, 'time_band', 60, price, day_type from g, (values (50, null), (90, 'holiday')) v (price, day_type)`;
  const [standard, kei] = await answers(
    db.sql,
    ["standard", "kei"].map((vehicle_type) => ({ lot: id, vehicle_type, ...IN_2040 })),
  );
  assert.deepEqual([standard!.breakdown!.notes, kei!.breakdown!.notes], [[], ["holiday_calendar_unknown"]]);
});

Deno.test("holidays: a part of a country has the days of its country and its own, in fees and hours", async () => {
  const lot = { ...HOLIDAY, windows: OPEN_ON_HOLIDAYS.windows! };
  const [part, other, country] = [await lotIn("XB-1", lot), await lotIn("XC-A", lot), await lotIn("XB", lot)];
  const on = (day: number) => stay(`2040-06-${day}T08:00`, `2040-06-${day}T09:00`);
  const days = [13, 14, 15];
  const seen = async (id: string) => {
    const fees = await answers(db.sql, days.map((day) => ({ lot: id, ...on(day) })));
    const listed = await stayFees(db.sql, days.map((day) => ({ lot: id, ...on(day) })));
    assert.deepEqual(listed.map((fee) => Number(fee)), fees.map(({ total_amount }) => total_amount));
    const hours = await Promise.all(days.map(async (day) => {
      const { entry_at, exit_at } = on(day);
      const [row] = await db.sql`
        select is_open_at_entry from private.planned_stays(${[id]}, ${entry_at}, ${exit_at})`;
      return row!["is_open_at_entry"];
    }));
    return fees.map(({ total_amount }, n) => [total_amount, hours[n]]);
  };
  // The 13th of the country, the 14th of XB-1 alone.
  assert.deepEqual(await seen(part), [[700, false], [700, false], [100, true]]);
  assert.deepEqual(await seen(other), [[700, false], [100, true], [100, true]]);
  assert.deepEqual(await seen(country), [[700, false], [100, true], [100, true]]);
});

Deno.test("holidays: the week of a lot has the holidays of country and part once, by the part's name", async () => {
  await db.sql`
    insert into public.holidays (calendar, holiday_date, name) values
      ('XF', current_date + 1, '国'), ('XF-1', current_date + 1, '州'), ('XF', current_date + 2, '国')`;
  const id = await lotIn("XF-1", PLAIN);
  await db.sql`update public.parking_lots set time_zone = 'UTC' where id = ${id}`;
  const [row] = await db.sql`select private.week_json(${id}, 'ja') -> 'days' as days`;
  const days: { holiday: string | null }[] = row!["days"];
  assert.deepEqual(days.map(({ holiday }) => holiday), [null, "州", "国", null, null, null, null]);
});

Deno.test("holidays: the standard stay of a holiday is on one of the country", async () => {
  const [row] = await db.sql`
    select (select exit_at from private.standard_stays('Asia/Tokyo', 'JP-13') where name = 'holiday')
      = (select exit_at from private.standard_stays('Asia/Tokyo', 'JP') where name = 'holiday') as is_same,
      (select exit_at from private.standard_stays('Asia/Tokyo', 'XE-1') where name = 'holiday')
      <> (select exit_at from private.standard_stays('Asia/Tokyo', 'JP') where name = 'holiday') as is_other`;
  assert.deepEqual({ ...row }, { is_same: true, is_other: true });
});

Deno.test("holidays: the meter has the note for the dates of its curve", async () => {
  const id = await lotIn("XA", HOLIDAY);
  const notes = async (entry: string, now: string) => {
    const [row] = await db.sql`
      select private.fee_meter(${id}, 'standard', ${`${entry}+09:00`}, ${`${now}+09:00`}) -> 'notes' as notes`;
    return row!["notes"];
  };
  assert.deepEqual(await notes("2041-12-30T10:00:00", "2041-12-30T12:00:00"), []);
  assert.deepEqual(await notes("2041-12-31T10:00:00", "2041-12-31T12:00:00"), ["holiday_calendar_unknown"]);
});

Deno.test("holidays: for a page whose calendars are all known no price list is read", async () => {
  const [known, unknown] = [await lotIn("XA", HOLIDAY), await lotIn("XE", HOLIDAY)];
  const read = (lot: string) =>
    db.sql.begin(async (sql) => {
      await sql`drop function private.stay_tariffs(uuid[], text, timestamptz, timestamptz)`;
      const rows = await sql`
        select * from private.lots_without_holidays(${[lot]}, 'standard', ${IN_2040.entry_at}, ${IN_2040.exit_at})`;
      assert.equal(rows.length, 0);
      throw new Error("undo");
    });
  await assert.rejects(() => read(known), /^Error: undo$/);
  await assert.rejects(() => read(unknown), /stay_tariffs/);
});
