import type { BusinessWindow } from "../import/window.ts";
import { DAY_MINUTES, DAYS, HOLIDAY, selectorOf, selectorText, type Span, UnreadTag } from "./week.ts";

const WHOLE_DAY: readonly Span[] = [{ from: 0, to: DAY_MINUTES }];

function time(minutes: number): string {
  const within = minutes > DAY_MINUTES ? minutes - DAY_MINUTES : minutes;
  return `${String(Math.floor(within / 60)).padStart(2, "0")}:${String(within % 60).padStart(2, "0")}`;
}

type Day = Pick<BusinessWindow, "day_type" | "day_of_week">;

function windowsOf(day: Day, spans: readonly Span[]): BusinessWindow[] {
  const empty = { is_24h: null, open_time: null, close_time: null };
  if (spans.length === 0) return [{ ...day, ...empty, is_closed: true }];
  return spans.map(({ from, to }) =>
    from === 0 && to === DAY_MINUTES
      ? { ...day, ...empty, is_24h: true }
      : { ...day, ...empty, open_time: time(from), close_time: time(to) }
  );
}

/**
 * Business windows of a value of opening_hours. A later rule replaces an earlier one on the days that it names; one after
 * a comma adds to it. Days that no rule names are closed; a holiday that no rule names is a day of the week.
 */
export function windowsOfHours(value: string): BusinessWindow[] {
  const spans: (readonly Span[] | undefined)[] = DAYS.map(() => undefined);
  const ruleOf = DAYS.map(() => -1);
  let namesHolidays = false;
  for (const [place, rule] of value.split(";").entries()) {
    if (rule.trim() === "") continue;
    const [, text = "", closed] = /^(.*?)\s*(off|closed|open)?$/i.exec(rule.trim())!;
    const isClosed = closed !== undefined && closed.toLowerCase() !== "open";
    const selector = text === "" ? { days: null, spans: null } : selectorOf(text);
    if (isClosed && selector.spans !== null) {
      throw new UnreadTag(`${JSON.stringify(rule.trim())}: closed in a part of a day`);
    }
    if (namesHolidays && selector.days !== null && !selector.days.includes(HOLIDAY)) {
      throw new UnreadTag("a rule for days of the week after one for holidays");
    }
    namesHolidays ||= selector.days?.includes(HOLIDAY) ?? false;
    for (const day of selector.days ?? DAYS.keys()) {
      spans[day] = isClosed ? [] : selector.spans ?? WHOLE_DAY;
      ruleOf[day] = place;
    }
  }
  for (const day of DAYS.keys()) {
    const isReplaced = (next: number) => ruleOf[next]! > ruleOf[day]!;
    const runsOn = spans[day]?.some(({ to }) => to > DAY_MINUTES) ?? false;
    if (day < HOLIDAY && runsOn && (isReplaced((day + 1) % 7) || isReplaced(HOLIDAY))) {
      throw new UnreadTag("hours after midnight on a day that a later rule replaces");
    }
  }
  if (spans.every((day) => day === undefined)) throw new UnreadTag("opening_hours is empty");
  return windowsOfWeek({
    days: spans.slice(0, HOLIDAY).map((day) => day ?? []),
    holidays: namesHolidays ? spans[HOLIDAY]! : null,
  });
}

/** The hours of each day from Monday, and those of public holidays. Null: a holiday is a day of the week. */
export interface WeekHours {
  readonly days: readonly (readonly Span[])[];
  readonly holidays: readonly Span[] | null;
}

export function windowsOfWeek({ days, holidays }: WeekHours): BusinessWindow[] {
  const same = (a: readonly Span[], b: readonly Span[]) => JSON.stringify(a) === JSON.stringify(b);
  const [first] = days;
  if (days.every((day) => same(day, first!)) && (holidays === null || same(holidays, first!))) {
    return windowsOf({ day_type: "all", day_of_week: null }, first!);
  }
  const windows: BusinessWindow[] = [];
  const isWorkWeek = days.slice(0, 5).every((day) => same(day, first!));
  if (isWorkWeek && first!.length > 0) windows.push(...windowsOf({ day_type: "weekday", day_of_week: null }, first!));
  days.forEach((day, n) => {
    if ((n < 5 && isWorkWeek) || day.length === 0) return;
    windows.push(...windowsOf({ day_type: null, day_of_week: (n + 1) % 7 }, day));
  });
  if (holidays !== null) windows.push(...windowsOf({ day_type: "holiday", day_of_week: null }, holidays));
  return windows;
}

const DAY_TYPES: Readonly<Record<string, readonly number[]>> = {
  all: [0, 1, 2, 3, 4, 5, 6, 7],
  weekday: [0, 1, 2, 3, 4],
  saturday: [5],
  sunday: [6],
  holiday: [HOLIDAY],
};

function minutes(text: string): number {
  const [hours = 0, rest = 0] = text.split(":").map(Number);
  return hours * 60 + rest;
}

/** The hours of business windows. Undefined for windows that a week cannot hold: those of an eve. */
export function weekOfWindows(windows: readonly BusinessWindow[]): WeekHours | undefined {
  const spans: Span[][] = DAYS.map(() => []);
  const isClosed = new Set<number>();
  // A row of a day of the week is stronger than one of a day type, and that one than a row of all days.
  const rank = ({ day_type, day_of_week }: BusinessWindow) =>
    day_of_week !== null ? 2 : day_type === "all" || day_type === null ? 0 : 1;
  const of = (window: BusinessWindow): readonly number[] | undefined => {
    if (window.day_of_week === null) return DAY_TYPES[window.day_type ?? "all"];
    return window.day_type === null ? [(window.day_of_week + 6) % 7] : undefined;
  };
  if (windows.length === 0 || windows.some((window) => of(window) === undefined)) return undefined;
  for (const day of DAYS.keys()) {
    const matching = windows.filter((window) => of(window)!.includes(day));
    const best = Math.max(...matching.map(rank));
    for (const window of matching.filter((one) => rank(one) === best)) {
      if (window.is_closed) isClosed.add(day);
      else if (window.is_24h) spans[day]!.push({ from: 0, to: DAY_MINUTES });
      else if (window.open_time !== null && window.close_time !== null) {
        const from = minutes(window.open_time), to = minutes(window.close_time);
        spans[day]!.push({ from, to: to > from ? to : to + DAY_MINUTES });
      } else return undefined;
    }
    if (isClosed.has(day)) spans[day] = [];
    spans[day]!.sort((a, b) => a.from - b.from);
  }
  const namesHolidays = windows.some(({ day_type }) => day_type === "holiday");
  return { days: spans.slice(0, HOLIDAY), holidays: namesHolidays ? spans[HOLIDAY]! : null };
}

/**
 * A value of opening_hours for business windows. Undefined for windows that it cannot hold: those of an eve, and hours
 * after midnight on a day that another rule would replace.
 */
export function hoursOfWindows(windows: readonly BusinessWindow[]): string | undefined {
  const hours = weekOfWindows(windows);
  if (hours === undefined) return undefined;
  const namesHolidays = hours.holidays !== null;
  const spans = [...hours.days, hours.holidays ?? []];
  const week = namesHolidays ? [...DAYS.keys()] : [...DAYS.keys()].slice(0, HOLIDAY);
  const groups = Map.groupBy(week, (day) => JSON.stringify(spans[day]));
  if (groups.size === 1 && week.every((day) => spans[day]!.length > 0)) {
    const every = spans[0]!;
    const isWhole = every.length === 1 && every[0]!.from === 0 && every[0]!.to === DAY_MINUTES;
    return isWhole ? "24/7" : selectorText({ days: namesHolidays ? week : [0, 1, 2, 3, 4, 5, 6], spans: every });
  }
  // Days that no rule names are closed; a holiday that no rule names is a day of the week. Holidays come last: a later rule
  // replaces an earlier one.
  const rules = [...groups].map(([, days]) => days).filter((days) => spans[days[0]!]!.length > 0)
    .sort((a, b) => Number(a.includes(HOLIDAY)) - Number(b.includes(HOLIDAY)))
    .map((days) => selectorText({ days, spans: spans[days[0]!]! }));
  if (namesHolidays && spans[HOLIDAY]!.length === 0 && rules.length > 0) rules.push("PH off");
  const text = rules.length === 0 ? "off" : rules.join("; ");
  try {
    windowsOfHours(text);
  } catch (error) {
    if (!(error instanceof UnreadTag)) throw error;
    return undefined;
  }
  return text;
}
