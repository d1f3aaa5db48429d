// apps/web/src/console/screens/parking_lots: hours of a week as spans and as rows, and days with hours of their own.
import assert from "node:assert/strict";
import {
  clockFrom,
  type Day,
  DAYS,
  erased,
  type Group,
  isSameWeek,
  painted,
  replaced,
  weekOf,
  type Window,
  type WindowInput,
  windowsOf,
  withLine,
} from "../../apps/web/src/console/screens/parking_lots/hours/week_hours.ts";

import {
  addMonths,
  changed,
  changedDates,
  datesBetween,
  hoursOfMode,
  lineOf,
  mergedWith,
  modeOf,
  weeksOf,
  withKind,
} from "../../apps/web/src/console/screens/parking_lots/days/override_days.ts";

const ALWAYS = { from: null, to: null };

/** A row as the service returns it. */
function stored(row: Partial<Window> | WindowInput, nth = 0): Window {
  return {
    id: `00000000-0000-4000-8000-${String(nth).padStart(12, "0")}`,
    window_type: "business",
    day_type: null,
    day_of_week: null,
    is_24h: null,
    is_closed: null,
    open_time: null,
    close_time: null,
    effective_from: null,
    effective_to: null,
    ...row,
  } as Window;
}

const open = (open_time: string, close_time: string, row: Partial<Window> = {}) =>
  stored({ open_time, close_time, ...row });
const business = (week: Group["week"]): Group => ({ kind: "business", season: ALWAYS, week });
const plain = (rows: readonly WindowInput[]) =>
  rows.map(({ window_type: _, ...row }) =>
    Object.fromEntries(Object.entries(row).filter(([name, value]) => value !== null && name !== "id"))
  );

Deno.test("hours: the lines of a week are those of the best rank, whole", () => {
  const week = weekOf(
    [
      open("08:00", "20:00", { day_type: "all" }),
      open("09:00", "18:00", { day_type: "weekday" }),
      open("07:00", "12:00", { day_of_week: 3 }),
      open("13:00", "02:00", { day_of_week: 3 }),
      stored({ day_type: "sunday", is_closed: true }),
      stored({ day_type: "holiday", is_24h: true }),
    ],
    "business",
    ALWAYS,
  )!;
  assert.deepEqual(week.get(1), [{ from: 540, to: 1080 }]);
  assert.deepEqual(week.get(3), [{ from: 420, to: 720 }, { from: 780, to: 1560 }]);
  assert.deepEqual(week.get(6), [{ from: 480, to: 1200 }]);
  assert.deepEqual([week.get(0), week.get("holiday"), week.get("holiday_eve")], [
    [],
    [{ from: 0, to: 1440 }],
    undefined,
  ]);
  assert.equal(weekOf([], "business", ALWAYS), undefined, "nobody has said anything");
});

Deno.test("hours: what was not painted keeps its rows, other kinds, seasons and rare rows too", () => {
  const rows = [
    open("08:00", "20:00"),
    open("08:00", "21:00", { effective_from: "2026-07-01", effective_to: "2026-08-31" }),
    open("08:00", "12:00", { day_type: "holiday", day_of_week: 1 }),
    stored({ window_type: "exit", is_24h: true }),
  ];
  assert.deepEqual(windowsOf(rows, []), rows);
  const week = withLine(weekOf(rows, "business", ALWAYS), 6, [{ from: 540, to: 1440 }]);
  const written = windowsOf(rows, [business(week)]);
  assert.deepEqual(written.slice(0, 3), rows.slice(1));
  assert.deepEqual(plain(written.slice(3)), [
    { day_type: "weekday", open_time: "08:00", close_time: "20:00" },
    { day_type: "saturday", open_time: "09:00", close_time: "24:00" },
    { day_type: "sunday", open_time: "08:00", close_time: "20:00" },
  ]);
});

Deno.test("hours: the first paint closes the other days, and equal days are one row", () => {
  const first = withLine(undefined, 2, [{ from: 600, to: 900 }]);
  assert.deepEqual(plain(windowsOf([], [business(first)])), [
    { day_type: "weekday", is_closed: true },
    { day_of_week: 2, open_time: "10:00", close_time: "15:00" },
    { day_type: "saturday", is_closed: true },
    { day_type: "sunday", is_closed: true },
  ]);
  const all = DAYS.filter((day) => typeof day === "number").reduce<Group["week"]>(
    (week, day) => withLine(week, day, [{ from: 0, to: 1440 }]),
    undefined,
  );
  assert.deepEqual(plain(windowsOf([], [business(all)])), [{ day_type: "all", is_24h: true }]);
  assert.deepEqual(windowsOf([open("08:00", "20:00")], [business(undefined)]), [], "nothing is said any more");
});

Deno.test("hours: painting joins spans, erasing cuts them, and nothing is longer than the next day", () => {
  const line = painted(painted([], { from: 480, to: 720 }), { from: 720, to: 900 });
  assert.deepEqual(line, [{ from: 480, to: 900 }]);
  assert.deepEqual(erased(line, { from: 600, to: 630 }), [{ from: 480, to: 600 }, { from: 630, to: 900 }]);
  assert.deepEqual(erased([{ from: 1200, to: 1560 }], { from: 1440, to: 1500 }), [{ from: 1200, to: 1440 }]);
  assert.deepEqual(replaced(line, 0, { from: -30, to: 4000 }), [{ from: 0, to: 1440 }]);
  assert.deepEqual(replaced(line, 0, undefined), []);
});

Deno.test("hours: a time is read as people write it", () => {
  assert.deepEqual(["8", "8:30", "0830", "２４:００", "24:01", "8:60", "noon", ""].map(clockFrom), [
    "08:00",
    "08:30",
    "08:30",
    "24:00",
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

/** Whether rows open the lot at a minute of a day, as the service decides: written without lines and spans. */
function isOpen(
  rows: readonly WindowInput[],
  day: number,
  minute: number,
  special?: "holiday" | "holiday_eve",
): boolean {
  const hasHoliday = rows.some(({ day_type }) => day_type === "holiday");
  const types = special === "holiday" && hasHoliday
    ? ["holiday"]
    : [...special === "holiday_eve" ? ["holiday_eve"] : [], day === 0 ? "sunday" : day === 6 ? "saturday" : "weekday"];
  const rankOf = ({ day_type, day_of_week }: WindowInput): number | undefined => {
    const dow = day_of_week ?? null;
    const type = day_type ?? null;
    if (dow !== null && dow !== day) return undefined;
    if (type === null && dow !== null) return special === "holiday" && hasHoliday ? undefined : 3;
    if (type !== null && type !== "all" && !types.includes(type)) return undefined;
    return type === "holiday" ? 1 : type === "holiday_eve" ? 2 : type === null || type === "all" ? 5 : 4;
  };
  const best = Math.min(...rows.map((row) => rankOf(row) ?? 9));
  const counting = rows.filter((row) => rankOf(row) === best);
  if (counting.some(({ is_closed }) => is_closed)) return false;
  const minutes = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
  return counting.some(({ is_24h, open_time, close_time }) => {
    if (is_24h) return minute < 1440;
    const [from, to] = [minutes(open_time!), minutes(close_time!)];
    return minute >= from && minute < (to > from ? to : to + 1440);
  });
}

/** Random numbers that are the same in each run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % 65_536 % below;
}

Deno.test("hours: painted weeks of 300 random lots say as rows what they say as lines, for each day and minute", () => {
  const next = random(7);
  const clock = () => `${String(next(24)).padStart(2, "0")}:${["00", "30"][next(2)]}`;
  const dayOf = (): Partial<Window> =>
    [
      {},
      { day_type: "all" },
      { day_type: "weekday" },
      { day_type: "saturday" },
      { day_type: "sunday" },
      {
        day_type: "holiday",
      },
      { day_type: "holiday_eve" },
      { day_of_week: next(7) },
    ][next(8)] as Partial<Window>;
  for (let lot = 0; lot < 300; lot++) {
    const rows = Array.from({ length: 1 + next(5) }, (_, nth) => {
      const days = dayOf();
      const hours = next(6) === 0
        ? { is_24h: true }
        : next(6) === 0
        ? { is_closed: true }
        : { open_time: clock(), close_time: clock() };
      return stored({ ...days, ...hours }, nth);
    });
    const before = weekOf(rows, "business", ALWAYS);
    // Paint one day, so that the rows are written again.
    const day = DAYS[next(DAYS.length)]!;
    const from = next(48) * 30;
    const week = withLine(before, day, painted(before?.get(day), { from, to: from + 60 }));
    const written = windowsOf(rows, [business(week)]).map((row, nth) => stored(row, nth));
    assert.ok(isSameWeek(weekOf(written, "business", ALWAYS), week), JSON.stringify({ rows, written }));
    for (const special of [undefined, "holiday", "holiday_eve"] as const) {
      for (let weekday = 0; weekday < 7; weekday++) {
        const isPainted = day === weekday || day === special;
        const lineDay: Day = special !== undefined && week!.get(special) !== undefined ? special : weekday as Day;
        for (let minute = 0; minute < 1440; minute += 30) {
          const expected = week!.get(lineDay)!.some((span) => minute >= span.from && minute < span.to);
          assert.equal(
            isOpen(written, weekday, minute, special),
            expected,
            JSON.stringify({ weekday, special, minute }),
          );
          if (!isPainted && special === undefined) {
            assert.equal(isOpen(rows, weekday, minute), expected, "a day that was not painted stays");
          }
        }
      }
    }
  }
});

Deno.test("days: a change is for the chosen dates alone, and an empty one is removed", () => {
  const day = (override_date: string, more: object = {}) => ({
    override_date,
    label: null,
    hours: null,
    pricing: null,
    note: null,
    ...more,
  });
  const before = [day("2026-12-31", { label: "Eve" }), day("2027-01-01", { hours: { is_closed: true } })];
  const next = changed(before, datesBetween("2027-01-02", "2026-12-31", 400), () => ({ hours: { is_closed: true } }));
  assert.deepEqual(next.map(({ override_date, label }) => [override_date, label]), [
    ["2026-12-31", "Eve"],
    ["2027-01-01", null],
    ["2027-01-02", null],
  ]);
  assert.deepEqual(changedDates(before, next), ["2026-12-31", "2027-01-02"]);
  const newest = [{ id: "1", ...day("2027-01-01", { hours: { is_24h: true } }) }, { id: "2", ...day("2027-02-11") }];
  assert.deepEqual(
    mergedWith(newest, before, next).map(({ override_date, hours }) => [override_date, hours]),
    [["2027-01-01", { is_24h: true }], ["2027-02-11", null], ["2026-12-31", { is_closed: true }], ["2027-01-02", {
      is_closed: true,
    }]],
    "what somebody else saved for other dates stays",
  );
  assert.deepEqual(changed(next, ["2027-01-01"], () => ({ hours: null })).length, 2);
});

Deno.test("days: hours of a date in the short and in the long form", () => {
  assert.deepEqual(
    [null, { is_closed: true }, { is_24h: true }, { exit: [] }, {}].map((hours) => modeOf({ hours })),
    ["usual", "closed", "day_and_night", "own", "usual"],
  );
  const hours = withKind(hoursOfMode("own", null), "exit", []);
  assert.deepEqual(hours, { business: [{ open_time: "08:00", close_time: "20:00" }], exit: [] });
  assert.deepEqual(lineOf({ hours }, "business"), [{ from: 480, to: 1200 }]);
  assert.deepEqual([lineOf({ hours }, "exit"), lineOf({ hours }, "entry")], [[], undefined]);
});

Deno.test("days: months have whole weeks from Sunday, and their ends", () => {
  const weeks = weeksOf("2026-11-23");
  assert.deepEqual([weeks.length, weeks[0]![0], weeks.at(-1)![6]], [5, "2026-11-01", "2026-12-05"]);
  assert.deepEqual([addMonths("2027-01-31", 1), addMonths("2026-11-30", -9), addMonths("2026-12-15", 1)], [
    "2027-02-28",
    "2026-02-28",
    "2027-01-15",
  ]);
});
