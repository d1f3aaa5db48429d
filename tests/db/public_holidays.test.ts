// Public holidays: those that rules make are those of the published lists, and the job keeps what administrators changed.
import assert from "node:assert/strict";
import { workedExamples } from "../support/cases.ts";
import { database } from "../support/database.ts";
import { sqlstate } from "../support/database_errors.ts";
import { runJob } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

/** The stored holidays of calendars in a year, without the year. */
async function stored(calendars: readonly string[], year: number): Promise<string[]> {
  const rows = await db.sql<{ day: string }[]>`
    select to_char(holiday_date, 'MM-DD') as day from public.holidays
    where calendar = any (${calendars as string[]}) and extract(year from holiday_date) = ${year} order by 1`;
  return rows.map(({ day }) => day);
}

async function byRule(calendar: string, from: number, to: number): Promise<string[]> {
  const rows = await db.sql<{ day: string }[]>`
    select holiday_date::text as day from private.holidays_by_rule(${calendar}, ${from}, ${to}) order by 1`;
  return rows.map(({ day }) => day);
}

/** Lists that states publish. A calendar with a plus has the days of its country too. */
const PUBLISHED: Record<string, Record<number, string>> = {
  "DE": {
    2026: "01-01 04-03 04-06 05-01 05-14 05-25 10-03 12-25 12-26",
    2027: "01-01 03-26 03-29 05-01 05-06 05-17 10-03 12-25 12-26",
  },
  "DE-BW": { 2026: "01-06 06-04 11-01", 2027: "01-06 05-27 11-01" },
  "DE-BE": { 2024: "03-08", 2025: "03-08 05-08", 2026: "03-08", 2027: "03-08", 2028: "03-08 06-17", 2029: "03-08" },
  "DE-BB": { 2026: "04-05 05-24 10-31", 2027: "03-28 05-16 10-31" },
  "DE-HB": { 2026: "10-31", 2027: "10-31" },
  "DE-HH": { 2026: "10-31", 2027: "10-31" },
  "DE-HE": { 2026: "06-04", 2027: "05-27" },
  "DE-MV": { 2026: "03-08 10-31", 2027: "03-08 10-31" },
  "DE-NI": { 2026: "10-31", 2027: "10-31" },
  "DE-NW": { 2026: "06-04 11-01", 2027: "05-27 11-01" },
  "DE-RP": { 2026: "06-04 11-01", 2027: "05-27 11-01" },
  "DE-SL": { 2026: "06-04 08-15 11-01", 2027: "05-27 08-15 11-01" },
  "DE-SN": { 2026: "10-31 11-18", 2027: "10-31 11-17", 2028: "10-31 11-22" },
  "DE-ST": { 2026: "01-06 10-31", 2027: "01-06 10-31" },
  "DE-SH": { 2026: "10-31", 2027: "10-31" },
  "DE-TH": { 2026: "09-20 10-31", 2027: "09-20 10-31" },
  "FR": {
    2026: "01-01 04-06 05-01 05-08 05-14 05-25 07-14 08-15 11-01 11-11 12-25",
    2027: "01-01 03-29 05-01 05-06 05-08 05-17 07-14 08-15 11-01 11-11 12-25",
  },
  "CH": { 2026: "01-01 05-14 08-01 12-25", 2027: "01-01 05-06 08-01 12-25" },
  "CH+CH-ZH": {
    2026: "01-01 04-03 04-06 05-01 05-14 05-25 08-01 12-25 12-26",
    2027: "01-01 03-26 03-29 05-01 05-06 05-17 08-01 12-25 12-26",
  },
  "CH+CH-BS": { 2026: "01-01 04-03 04-06 05-01 05-14 05-25 08-01 12-25 12-26" },
  "CH+CH-BE": { 2026: "01-01 01-02 04-03 04-06 05-14 05-25 08-01 12-25 12-26" },
  "CH+CH-GE": {
    2026: "01-01 04-03 04-06 05-14 05-25 08-01 09-10 12-25 12-31",
    2027: "01-01 03-26 03-29 05-06 05-17 08-01 09-09 12-25 12-31",
  },
  "CH+CH-VD": {
    2026: "01-01 01-02 04-03 04-06 05-14 05-25 08-01 09-21 12-25",
    2027: "01-01 01-02 03-26 03-29 05-06 05-17 08-01 09-20 12-25",
  },
  "CA-ON": {
    2026: "01-01 02-16 04-03 05-18 07-01 09-07 10-12 12-25 12-26",
    2027: "01-01 02-15 03-26 05-24 07-01 09-06 10-11 12-25 12-26",
  },
  "SG": {
    2026: "01-01 02-17 02-18 03-21 04-03 05-01 05-27 05-31 06-01 08-09 08-10 11-08 11-09 12-25",
    2027: "", // not announced
  },
};

for (const [name, years] of Object.entries(PUBLISHED)) {
  Deno.test(`public holidays: ${name}: they are those of the published list`, async () => {
    for (const [year, days] of Object.entries(years)) {
      assert.deepEqual(await stored(name.split("+"), Number(year)), days.split(" ").filter(Boolean), year);
    }
  });
}

Deno.test("public holidays: every calendar with rules has a published list here", async () => {
  const rows = await db.sql<{ calendar: string }[]>`
    select calendar from private.holiday_calendars where calendar <> 'JP'
    union select distinct calendar from private.holiday_rules where calendar <> 'JP' order by 1`;
  const names = new Set(Object.keys(PUBLISHED).flatMap((name) => name.split("+")));
  assert.deepEqual(rows.map(({ calendar }) => calendar), [...names].sort());
});

Deno.test("public holidays: those of Japan are the published ones from 2024 to 2028, with their names", async () => {
  const published = workedExamples<Record<string, Record<string, { ja: string; en: string }>>>("holidays.json")["JP"]!;
  const rows = await db.sql`
    select holiday_date::text as day, name as ja, name_en as en from public.holidays
    where calendar = 'JP' and holiday_date < '2029-01-01' order by 1`;
  const expected = Object.entries(published).map(([day, names]) => ({ day, ...names }));
  assert.deepEqual([...rows], expected.sort((a, b) => a.day.localeCompare(b.day)));
});

/** Jean Meeus, Astronomical Algorithms, chapter 27: amplitude, phase and speed of what moves an equinox. */
const TERMS = [
  [485, 324.96, 1934.136],
  [203, 337.23, 32964.467],
  [199, 342.08, 20.186],
  [182, 27.85, 445267.112],
  [156, 73.14, 45036.886],
  [136, 171.52, 22518.443],
  [77, 222.54, 65928.934],
  [74, 296.72, 3034.906],
  [70, 243.58, 9037.513],
  [58, 119.81, 33718.147],
  [52, 297.17, 150.678],
  [50, 21.02, 2281.226],
] as const;

/** The date in Japan of the equinox of March or September. */
function equinox(year: number, month: 3 | 9): string {
  const y = (year - 2000) / 1000;
  const mean = month === 3
    ? 2451623.80984 + 365242.37404 * y + 0.05169 * y ** 2
    : 2451810.21715 + 365242.01767 * y - 0.11575 * y ** 2;
  const t = (mean - 2451545) / 36525;
  const cosine = (degrees: number) => Math.cos(degrees * Math.PI / 180);
  const moved = TERMS.reduce((sum, [amplitude, phase, speed]) => sum + amplitude * cosine(phase + speed * t), 0);
  const days = mean + 0.00001 * moved / (1 + 0.0334 * cosine(35999.373 * t - 2.47)) - 2440587.5;
  return new Date(days * 86_400_000 - 70_000 + 9 * 3_600_000).toISOString().slice(0, 10); // the earth's clock is 70 s late
}

/** The law of Japan, day by day. */
function japan(year: number): string[] {
  const dates: string[] = [];
  for (let at = Date.UTC(year, 0, 1); new Date(at).getUTCFullYear() === year; at += 86_400_000) {
    dates.push(new Date(at).toISOString().slice(0, 10));
  }
  const weekday = (date: string | undefined) => new Date(date!).getUTCDay();
  const monday = (month: string, nth: number) =>
    dates.filter((date) => date.slice(5, 7) === month && weekday(date) === 1)[nth - 1]!;
  const national = new Set([
    ...["01-01", "02-11", "02-23", "04-29", "05-03", "05-04", "05-05", "08-11", "11-03", "11-23"]
      .map((day) => `${year}-${day}`),
    ...[monday("01", 2), monday("07", 3), monday("09", 3), monday("10", 2)],
    ...[equinox(year, 3), equinox(year, 9)],
  ]);
  let isOwed = false; // a holiday on a Sunday waits for a day that is no holiday
  return dates.filter((date, nth) => {
    if (national.has(date)) {
      isOwed ||= weekday(date) === 0;
      return true;
    }
    const isMoved = isOwed;
    isOwed = false;
    return isMoved || (national.has(dates[nth - 1]!) && national.has(dates[nth + 1]!));
  });
}

Deno.test("public holidays: those of Japan follow from its law and from the equinoxes, stored to 2036 and by rule to 2099", async () => {
  const computed = Array.from({ length: 2099 - 2024 + 1 }, (_, n) => japan(2024 + n)).flat();
  assert.ok(computed.includes("2032-09-21"), "the day between two holidays");
  assert.deepEqual(await byRule("JP", 2024, 2099), computed);
  for (let year = 2024; year <= 2036; year++) {
    assert.deepEqual(await stored(["JP"], year), japan(year).map((day) => day.slice(5)));
  }
});

Deno.test("public holidays: Easter Sunday is that of the Gregorian calendar", async () => {
  const known = [
    ...["1818-03-22", "1943-04-25", "1954-04-18", "1981-04-19", "2000-04-23", "2024-03-31", "2025-04-20", "2026-04-05"],
    ...["2027-03-28", "2028-04-16", "2029-04-01", "2030-04-21", "2038-04-25", "2049-04-18", "2076-04-19", "2285-03-22"],
  ];
  const rows = await db.sql<{ day: string }[]>`
    select private.easter_sunday(extract(year from k.day)::integer)::text as day
    from unnest(${known}::date[]) as k (day)`;
  assert.deepEqual(rows.map(({ day }) => day), known);
});

Deno.test("public holidays: a day has one name in a calendar, and a part does not have the days of its country", async () => {
  // Ascension Day is 8 May in 2059, and 1 May in 2160.
  assert.equal((await byRule("FR", 2059, 2059)).length, 10);
  assert.deepEqual(await byRule("DE", 2160, 2160), [
    ...["2160-01-01", "2160-03-21", "2160-03-24", "2160-05-01", "2160-05-12", "2160-10-03", "2160-12-25", "2160-12-26"],
  ]);
  assert.deepEqual(await byRule("CH-ZH", 2160, 2160), ["2160-03-21", "2160-03-24", "2160-05-12", "2160-12-26"]);
  const [shared] = await db.sql`
    select count(*)::integer as days from public.holidays p
    join public.holidays c on c.calendar = left(p.calendar, 2) and c.holiday_date = p.holiday_date
    where p.calendar <> c.calendar`;
  assert.equal(shared!["days"], 0);
});

Deno.test("public holidays: they reach ten years ahead; the job adds the next year, and twice adds nothing", async () => {
  const [{ year, last }] = await db.sql`
    select extract(year from now())::integer as year, (select max(extract(year from holiday_date))::integer from public.holidays) as last
  ` as unknown as [{ year: number; last: number }];
  assert.equal(last, year + 10);
  const all = async () =>
    (await db.sql`select calendar, holiday_date::text from public.holidays order by 1, 2`).slice();
  const before = await all();
  await runJob(db.sql, "extend_holidays");
  assert.deepEqual(await all(), before);
  for (let times = 0; times < 2; times++) await db.sql`select private.extend_holidays(${year + 11})`;
  const added = (await all()).slice(before.length).length;
  const [expected] = await db.sql`
    select count(*)::integer as days from private.holiday_calendars c
    cross join lateral private.holidays_by_rule(c.calendar, ${year + 11}, ${year + 11})`;
  assert.equal(added, expected!["days"]);
});

Deno.test("public holidays: what an administrator deleted does not come back, also when it was the only one of a year", async () => {
  await db
    .sql`delete from public.holidays where (calendar, holiday_date) in (('FR', '2027-05-08'), ('DE-SH', '2027-10-31'))`;
  await runJob(db.sql, "extend_holidays");
  assert.ok(!(await stored(["FR"], 2027)).includes("05-08"));
  assert.deepEqual(await stored(["DE-SH"], 2027), []);
});

Deno.test("public holidays: a year in which a calendar has a holiday is not filled", async () => {
  // As in a database that had Japan's holidays to 2028 before the rules, and a holiday of Singapore that was added for 2027.
  await db
    .sql`delete from public.holidays where calendar = 'JP' and (holiday_date = '2027-08-11' or holiday_date > '2029-01-01')`;
  await db.sql`delete from public.holidays where calendar = 'SG'`;
  await db.sql`insert into public.holidays (calendar, holiday_date, name) values ('SG', '2026-08-09', 'National Day')`;
  await db.sql`update private.holiday_calendars set filled_until = 2023 where calendar in ('JP', 'SG')`;
  await runJob(db.sql, "extend_holidays");
  assert.ok(!(await stored(["JP"], 2027)).includes("08-11"));
  assert.deepEqual(await stored(["JP"], 2029), ["01-01"]);
  assert.equal((await stored(["JP"], 2030)).length, japan(2030).length);
  assert.deepEqual(await stored(["SG"], 2026), ["08-09"]);
});

Deno.test("public holidays: days of a later year that rules announce are added by the next run", async () => {
  await db.sql`
    insert into private.holiday_rules (calendar, name, name_en, kind, month, day, first_year, last_year)
    values ('SG', 'Chinese New Year', 'Chinese New Year', 'date', 2, 6, 2027, 2027)`;
  await runJob(db.sql, "extend_holidays");
  assert.deepEqual(await stored(["SG"], 2027), ["02-06"]);
});

Deno.test("public holidays: a rule has the fields of its kind, and no client reads or writes rules", async () => {
  const rule = { calendar: "FR", name: "Rule", name_en: "Rule", month: null, day: null, weekday: null };
  for (
    const wrong of [
      { kind: "date", month: 5 },
      { kind: "easter", month: 5 },
      { kind: "weekday", month: 5, day: 8 },
      { kind: "equinox", month: 3 }, // without its last year
      { kind: "date", month: 5, day: 8, weekday: 1 },
    ]
  ) {
    const insert = db.sql`insert into private.holiday_rules ${db.sql({ ...rule, ...wrong })}`;
    assert.equal(await sqlstate(insert), "23514", JSON.stringify(wrong));
  }
  for (const role of ["anon", "authenticated"] as const) {
    for (const table of ["holiday_rules", "holiday_calendars"]) {
      for (const statement of [`select from private.${table}`, `delete from private.${table}`]) {
        await assert.rejects(db.as({ role }, (sql) => sql.unsafe(statement)), { code: "42501" });
      }
    }
    await assert.rejects(db.as({ role }, (sql) => sql`select private.extend_holidays()`), { code: "42501" });
  }
});
