/** Local times and instants. Days are counted from 1970-01-01 and minutes from midnight, both in local time. */

const MINUTE = 60_000;
const DAY = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
    });
    // The number of time zones is limited, but each spelling of a name is one entry.
    if (formats.size > 500) formats.clear();
    formats.set(zone, format);
  }
  return format;
}

export interface WallTime {
  readonly day: number;
  readonly minute: number;
}

/** Local time in milliseconds, encoded as if it were UTC. */
function wallMs(at: number, zone: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(at)) parts[type] = Number(value);
  return Date.UTC(parts["year"]!, parts["month"]! - 1, parts["day"], parts["hour"], parts["minute"]);
}

export function wallTimeOf(at: number, zone: string): WallTime {
  const wall = wallMs(at, zone);
  const day = Math.floor(wall / DAY);
  return { day, minute: (wall - day * DAY) / MINUTE };
}

/** The instants of a local time: none in the hour that is skipped in spring, two in the hour that repeats in autumn. */
export function momentsOf(day: number, minute: number, zone: string): number[] {
  const wall = day * DAY + minute * MINUTE;
  const offsets = new Set([wall - DAY, wall + DAY].map((near) => wallMs(near, zone) - near));
  return [...offsets].map((offset) => wall - offset).filter((at) => wallMs(at, zone) === wall).toSorted((a, b) =>
    a - b
  );
}

/** RFC 3339 with the zone's offset, in minutes precision. */
export function timestamp(at: number, zone: string): string {
  const whole = Math.floor(at / MINUTE) * MINUTE;
  const wall = wallMs(whole, zone);
  const offset = Math.round((wall - whole) / MINUTE);
  const size = Math.abs(offset);
  const two = (value: number) => String(value).padStart(2, "0");
  const clock = new Date(wall).toISOString().slice(0, 16);
  return `${clock}:00${offset < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

export function dayOf(year: number, month: number, day: number): number | undefined {
  const at = new Date(Date.UTC(year, month - 1, day));
  if (year < 1000 || at.getUTCMonth() !== month - 1 || at.getUTCDate() !== day) return undefined;
  return at.getTime() / DAY;
}

export interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly date: number;
  /** 0 is Sunday. */
  readonly weekday: number;
}

export function calendarOf(day: number): CalendarDate {
  const at = new Date(day * DAY);
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, date: at.getUTCDate(), weekday: at.getUTCDay() };
}

export function isoDate(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}
