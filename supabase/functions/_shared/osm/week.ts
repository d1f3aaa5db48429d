// Days and hours as OpenStreetMap writes them (the syntax of opening_hours), as far as the rows of a lot can hold them:
// days of the week, public holidays, and times of day. Months, weeks, sunrise, comments and "unknown" are not read.

/** Monday to Sunday, then public holidays. */
export const DAYS = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su", "PH"] as const;
export const HOLIDAY = 7;
export const DAY_MINUTES = 1440;

/** A time of day in minutes; `to` is over 1440 where it is on the next day. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Selector {
  /** Places in DAYS; null: every day, holidays too. */
  readonly days: readonly number[] | null;
  /** Null: the whole day. */
  readonly spans: readonly Span[] | null;
}

/** Thrown where a tag is not read. The message is the reason in a report. */
export class UnreadTag extends Error {}

function timeOf(text: string): number {
  const match = /^(\d{1,2}):(\d{2})$/.exec(text);
  const hours = Number(match?.[1]), minutes = Number(match?.[2]);
  if (match === null || hours > 48 || minutes > 59) throw new UnreadTag(`${JSON.stringify(text)} is not a time of day`);
  return hours * 60 + minutes;
}

function spanOf(text: string): Span {
  const [open = "", close = "", ...more] = text.split("-").map((time) => time.trim());
  if (more.length > 0) throw new UnreadTag(`${JSON.stringify(text)} is not a range of times`);
  const from = timeOf(open), end = timeOf(close);
  const to = end > from ? end : end + DAY_MINUTES;
  if (from >= DAY_MINUTES || to - from > DAY_MINUTES) {
    throw new UnreadTag(`${JSON.stringify(text)} is not a range of times`);
  }
  return { from, to };
}

function daysOf(text: string): readonly number[] {
  const days = new Set<number>();
  for (const part of text.split(",")) {
    const [first = "", last, ...more] = part.trim().split("-").map((day) =>
      DAYS.indexOf(day.trim() as typeof DAYS[number])
    );
    const from = Number(first), to = last ?? from;
    if (more.length > 0 || from < 0 || to < 0 || (last !== undefined && (from === HOLIDAY || to === HOLIDAY))) {
      throw new UnreadTag(`${JSON.stringify(text)} are not days of the week`);
    }
    for (let day = from;; day = (day + 1) % 7) {
      days.add(day);
      if (day === to) break;
    }
  }
  return [...days].sort((a, b) => a - b);
}

/** `Mo-Fr 08:00-12:00,13:00-18:00`, `Sa,Su,PH`, `08:00-20:00`, `24/7`. */
export function selectorOf(text: string): Selector {
  const plain = text.trim().replaceAll(/\s+/g, " ");
  if (plain === "24/7") return { days: null, spans: null };
  const match = /^([A-Z][A-Za-z, -]*?)?:? ?(\d{1,2}:\d{2}[\d:,\- ]*)?$/.exec(plain);
  if (match === null || plain === "") throw new UnreadTag(`${JSON.stringify(plain)} is not read as days and times`);
  const [, days, times] = match;
  return {
    days: days === undefined ? null : daysOf(days),
    spans: times === undefined ? null : times.split(",").map(spanOf),
  };
}

function clock(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}

/** `Mo-Fr,PH` of places in DAYS. */
function daysText(days: readonly number[]): string {
  const parts: string[] = [];
  const week = days.filter((day) => day !== HOLIDAY);
  for (let n = 0; n < week.length;) {
    let end = n;
    while (week[end + 1] === week[end]! + 1) end++;
    const first = DAYS[week[n]!], last = DAYS[week[end]!];
    parts.push(end === n ? first! : end === n + 1 ? `${first},${last}` : `${first}-${last}`);
    n = end + 1;
  }
  return [...parts, ...(days.includes(HOLIDAY) ? ["PH"] : [])].join(",");
}

export function selectorText({ days, spans }: Selector): string {
  const hours = spans?.map(({ from, to }) => `${clock(from)}-${clock(to > DAY_MINUTES ? to - DAY_MINUTES : to)}`).join(
    ",",
  );
  const parts = [...(days === null ? [] : [daysText(days)]), ...(hours === undefined ? [] : [hours])];
  return parts.length === 0 ? "24/7" : parts.join(" ");
}
