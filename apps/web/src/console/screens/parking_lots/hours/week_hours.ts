/** The hours of a week as spans that can be painted, made from the rows of a lot and written as rows again. */
import type { components } from "parking-lot-client";

export type Window = components["schemas"]["HoursWindow"];
export type WindowInput = components["schemas"]["WindowInput"];
export type Kind = Window["window_type"];

export const KINDS: readonly Kind[] = ["business", "entry", "exit", "after_hours_exit"];

/** The lines of the week: days of the week (0 is Sunday), and those that come before them on their dates. */
export type Day = 0 | 1 | 2 | 3 | 4 | 5 | 6 | "holiday_eve" | "holiday";
export const WEEKDAYS = [1, 2, 3, 4, 5] as const;
export const WEEK = [...WEEKDAYS, 6, 0] as const;
export const DAYS: readonly Day[] = [...WEEK, "holiday_eve", "holiday"];

export const DAY_MINUTES = 1440;

/** Minutes from the start of the day. The end may be on the next day, at most a day after the start. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The spans of a day; none: closed. Undefined: a holiday is its day of the week, an eve too. */
export type Line = readonly Span[] | undefined;

/** Undefined as a whole: nobody has said when the lot is open. */
export type Week = ReadonlyMap<Day, Line> | undefined;

/** The dates in which rows are in effect; both null is always. */
export interface Season {
  readonly from: string | null;
  readonly to: string | null;
}

/** The rows of one kind and one season. */
export interface Group {
  readonly kind: Kind;
  readonly season: Season;
  readonly week: Week;
}

/** Rows that name a type of day and a day of the week: the week has no line for them, and they stay as they are. */
const isElsewhere = ({ day_type, day_of_week }: Window) =>
  (day_type ?? null) !== null && (day_of_week ?? null) !== null;

export const isSameSeason = (a: Season, b: Season) => a.from === b.from && a.to === b.to;
const seasonOf = ({ effective_from, effective_to }: Window): Season => ({ from: effective_from, to: effective_to });

const rowsOf = (windows: readonly Window[], kind: Kind, season: Season) =>
  windows.filter((row) => row.window_type === kind && isSameSeason(seasonOf(row), season) && !isElsewhere(row));

export const elsewhere = (windows: readonly Window[]): Window[] => windows.filter(isElsewhere);

/** The seasons of a kind; the whole year is always the first. */
export function seasonsOf(windows: readonly Window[], kind: Kind): Season[] {
  const found: Season[] = [{ from: null, to: null }];
  for (const row of windows) {
    if (row.window_type === kind && !found.some((season) => isSameSeason(season, seasonOf(row)))) {
      found.push(seasonOf(row));
    }
  }
  return found;
}

export function weekOf(windows: readonly Window[], kind: Kind, season: Season): Week {
  const rows = rowsOf(windows, kind, season);
  if (rows.length === 0) return undefined;
  const ofType = (type: string) => rows.filter((row) => row.day_type === type);
  const everyDay = rows.filter(({ day_type, day_of_week }) => day_of_week === null && (day_type ?? "all") === "all");
  const line = (day: Day): Line => {
    if (typeof day === "string") return ofType(day).length === 0 ? undefined : spansOf(ofType(day));
    const type = day === 0 ? "sunday" : day === 6 ? "saturday" : "weekday";
    const ranks = [rows.filter(({ day_of_week }) => day_of_week === day), ofType(type), everyDay];
    return spansOf(ranks.find(({ length }) => length > 0) ?? []);
  };
  return new Map(DAYS.map((day) => [day, line(day)]));
}

type Hours = Pick<WindowInput, "is_24h" | "is_closed" | "open_time" | "close_time">;

/** One row that closes a day closes it, regardless of the others. */
export function spansOf(rows: readonly Hours[]): readonly Span[] {
  if (rows.some(({ is_closed }) => is_closed)) return [];
  return merged(rows.map(({ is_24h, open_time, close_time }) => {
    if (is_24h) return { from: 0, to: DAY_MINUTES };
    const [from, to] = [minutesOf(open_time!), minutesOf(close_time!)];
    return { from, to: to > from ? to : to + DAY_MINUTES };
  }));
}

export function minutesOf(clock: string): number {
  const [hours, minutes] = clock.split(":").map(Number);
  return hours! * 60 + minutes!;
}

/** `08:00`; of the next day too. */
export function clockOf(minutes: number): string {
  const ofDay = minutes > DAY_MINUTES ? minutes - DAY_MINUTES : minutes;
  return `${String(Math.floor(ofDay / 60)).padStart(2, "0")}:${String(ofDay % 60).padStart(2, "0")}`;
}

/** `8`, `8:30`, `0830` and `08:30` are times; `24:00` is the end of the day. */
export function clockFrom(entered: string): string | undefined {
  const [, hours, minutes = "00"] = /^\s*(\d{1,2}):?(\d{2})?\s*$/.exec(entered.normalize("NFKC")) ?? [];
  if (hours === undefined || Number(minutes) > 59 || Number(hours) * 60 + Number(minutes) > DAY_MINUTES) {
    return undefined;
  }
  return `${hours.padStart(2, "0")}:${minutes}`;
}

/** Spans in their order, those that touch as one. */
function merged(spans: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = found.at(-1);
    if (last && span.from <= last.to) found[found.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else found.push(span);
  }
  return found;
}

/** Changes the line of a day. The first line that is painted closes the days without one. */
export function withLine(week: Week, day: Day, line: Line): Week {
  const before = week ?? new Map(DAYS.map((day) => [day, typeof day === "string" ? undefined : [] as Line]));
  return new Map([...before, [day, line && merged(line)]]);
}

export const painted = (line: Line, span: Span): Line => merged([...line ?? [], span]);

export function erased(line: Line, { from, to }: Span): Line {
  return (line ?? []).flatMap((span) =>
    [{ from: span.from, to: Math.min(span.to, from) }, { from: Math.max(span.from, to), to: span.to }]
      .filter((part) => part.from < part.to)
      // What is left after midnight belongs to the next day.
      .filter((part) => part.from < DAY_MINUTES)
  );
}

/** One span of a line in place of another, within what a day can have. Undefined takes it out. */
export function replaced(line: Line, index: number, span: Span | undefined): Line {
  const others = (line ?? []).toSpliced(index, 1);
  return merged(span === undefined ? others : [...others, bounded(span)]);
}

export function bounded({ from, to }: Span): Span {
  const start = Math.min(Math.max(from, 0), DAY_MINUTES - 1);
  return { from: start, to: Math.min(Math.max(to, start + 1), start + DAY_MINUTES) };
}

export const isSameLine = (a: Line, b: Line): boolean => JSON.stringify(a) === JSON.stringify(b);
export const isSameWeek = (a: Week, b: Week): boolean =>
  a === undefined || b === undefined ? a === b : DAYS.every((day) => isSameLine(a.get(day), b.get(day)));

type RowDays = Pick<WindowInput, "day_type" | "day_of_week">;

/** The days of rows, with their spans: as few rows as say the same. */
function sharedLines(week: ReadonlyMap<Day, Line>): [RowDays, readonly Span[]][] {
  const found: [RowDays, readonly Span[]][] = [];
  const lineOf = (day: Day) => week.get(day) ?? [];
  if (WEEK.every((day) => isSameLine(lineOf(day), lineOf(1)))) found.push([{ day_type: "all" }, lineOf(1)]);
  else {
    const count = (day: Day) => WEEKDAYS.filter((other) => isSameLine(lineOf(other), lineOf(day))).length;
    const usual = WEEKDAYS.toSorted((a, b) => count(b) - count(a))[0]!;
    const differing = WEEKDAYS.filter((day) => !isSameLine(lineOf(day), lineOf(usual)));
    found.push([{ day_type: "weekday" }, lineOf(usual)]);
    for (const day of differing) found.push([{ day_of_week: day }, lineOf(day)]);
    found.push([{ day_type: "saturday" }, lineOf(6)], [{ day_type: "sunday" }, lineOf(0)]);
  }
  for (const day of ["holiday_eve", "holiday"] as const) {
    const line = week.get(day);
    if (line !== undefined) found.push([{ day_type: day }, line]);
  }
  return found;
}

function rowsOfWeek({ kind, season, week }: Group): WindowInput[] {
  if (week === undefined) return [];
  return sharedLines(week).flatMap(([days, line]): WindowInput[] => {
    const row = {
      window_type: kind,
      ...days,
      ...(season.from === null ? {} : { effective_from: season.from }),
      ...(season.to === null ? {} : { effective_to: season.to }),
    };
    if (line.length === 0) return [{ ...row, is_closed: true }];
    return line.flatMap(hoursOf).map((hours) => ({ ...row, ...hours }));
  });
}

/** The hours of a span. One that is longer than a day is two that overlap. */
export function hoursOf({ from, to }: Span): ({ is_24h: true } | { open_time: string; close_time: string })[] {
  if (to - from > DAY_MINUTES) {
    return [{ from, to: from + DAY_MINUTES }, { from: to - DAY_MINUTES, to }].flatMap(hoursOf);
  }
  if (from === 0 && to === DAY_MINUTES) return [{ is_24h: true }];
  return [{ open_time: clockOf(from), close_time: clockOf(to) }];
}

/** The rows of all groups. Rows of a group that was not painted stay as they were. */
export function windowsOf(stored: readonly Window[], groups: readonly Group[]): WindowInput[] {
  const changed = groups.filter(({ kind, season, week }) => !isSameWeek(week, weekOf(stored, kind, season)));
  const replacedRows = new Set(changed.flatMap(({ kind, season }) => rowsOf(stored, kind, season)));
  return [...stored.filter((row) => !replacedRows.has(row)), ...changed.flatMap(rowsOfWeek)];
}
