// The naive oracle of hours: minute by minute, from the documented semantics alone, independent of the SQL. Slow on purpose.

export type Kind = "business" | "entry" | "exit" | "after_hours_exit";

export interface Window {
  window_type: Kind;
  day_type?: string | null;
  day_of_week?: number | null;
  is_24h?: boolean | null;
  is_closed?: boolean | null;
  open_time?: string | null;
  close_time?: string | null;
  effective_from?: string | null;
  effective_to?: string | null;
}

export type Span = { open_time: string; close_time: string } | { is_24h: true } | { is_closed: true };
export type OverrideHours = Partial<Record<Kind, Span[]>> & { is_closed?: boolean; is_24h?: boolean };

export interface Override {
  override_date: string;
  hours?: OverrideHours | null;
}

export interface LotHours {
  time_zone: string;
  windows: Window[];
  date_overrides: Override[];
}

export interface Answers {
  is_open: boolean | null;
  can_enter: boolean | null;
  can_exit: boolean | null;
}

type Answer = keyof Answers;
type Times = Pick<Window, "is_24h" | "is_closed" | "open_time" | "close_time">;
/** A window as instants, in milliseconds. */
type Interval = { from: number; to: number };
/** A date's windows of one kind; null when unknown. */
type Intervals = Interval[] | null;
type AnswerDay = { today: Interval[]; yesterday: Interval[]; isKnown: boolean };

const MINUTE = 60_000;
export const FORTNIGHT = 14 * 24 * 60 * MINUTE;
const WEEK = ["sunday", "weekday", "weekday", "weekday", "weekday", "weekday", "saturday"];

/** The date that the zone's calendar shows at an instant. One table a zone, because a scan reads every minute. */
const datesSeen = new Map<string, Map<number, string>>();
function dateAt(zone: string, at: number): string {
  const minute = Math.floor(at / MINUTE);
  const seen = datesSeen.get(zone) ?? new Map<number, string>();
  datesSeen.set(zone, seen);
  let date = seen.get(minute);
  if (date === undefined) {
    date = Temporal.Instant.fromEpochMilliseconds(minute * MINUTE).toZonedDateTimeISO(zone).toPlainDate().toString();
    seen.set(minute, date);
  }
  return date;
}

function plusDays(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** The instant of a local time; a time that comes twice is its second, one that is skipped is as much later. */
function instant(zone: string, date: string, time: string): number {
  const [day, clock] = time.startsWith("24:") ? [plusDays(date, 1), "00:00"] : [date, time];
  return Temporal.PlainDateTime.from(`${day}T${clock}`).toZonedDateTime(zone, { disambiguation: "later" })
    .epochMilliseconds;
}

export class HoursOracle {
  private readonly days = new Map<string, Intervals>();
  private readonly answerDays = new Map<string, AnswerDay>();
  /** The day of the minute before, by answer: the next minute is mostly on the same one. */
  private readonly last: Partial<Record<Answer, { date: string; day: AnswerDay }>> = {};

  constructor(private readonly lot: LotHours, private readonly holidays: ReadonlySet<string>) {}

  answers(at: number): Answers {
    return {
      is_open: this.answer("is_open", at),
      can_enter: this.answer("can_enter", at),
      can_exit: this.answer("can_exit", at),
    };
  }

  /** The next minute after `at` at which the answer passes the test, within 14 days. */
  next(answer: Answer, at: number, test: (value: boolean | null) => boolean): number | null {
    for (let minute = (Math.floor(at / MINUTE) + 1) * MINUTE; minute <= at + FORTNIGHT; minute += MINUTE) {
      if (test(this.answer(answer, minute))) return minute;
    }
    return null;
  }

  nextChange(answer: Answer, at: number): number | null {
    const now = this.answer(answer, at);
    return this.next(answer, at, (value) => value !== now);
  }

  private answer(answer: Answer, at: number): boolean | null {
    const date = dateAt(this.lot.time_zone, at);
    let last = this.last[answer];
    if (last?.date !== date) this.last[answer] = last = { date, day: this.answerDay(answer, date) };
    const { day } = last;
    const holds = (interval: Interval) => interval.from <= at && at < interval.to;
    if (day.today.some(holds) || day.yesterday.some(holds)) return true;
    return day.isKnown ? false : null;
  }

  /** What decides on a date: its own windows, those of the day before, and whether they are known. */
  private answerDay(answer: Answer, date: string): AnswerDay {
    const key = `${answer} ${date}`;
    let day = this.answerDays.get(key);
    if (day === undefined) {
      const serving = (on: string): Interval[] => [
        ...this.day(this.kindOf(answer, on), on) ?? [],
        ...answer === "can_exit" ? this.day("after_hours_exit", on) ?? [] : [],
      ];
      day = {
        today: serving(date),
        yesterday: serving(plusDays(date, -1)),
        isKnown: this.day(this.kindOf(answer, date), date) !== null,
      };
      this.answerDays.set(key, day);
    }
    return day;
  }

  /** The kind of hours that gives an answer on a date. */
  private kindOf(answer: Answer, date: string): Kind {
    if (answer === "is_open") return "business";
    const own = answer === "can_enter" ? "entry" : "exit";
    const hasRows = this.lot.windows.some((row) => row.window_type === own);
    return hasRows || this.overrideOf(date)?.[own] !== undefined ? own : "business";
  }

  private overrideOf(date: string): OverrideHours | null {
    return this.lot.date_overrides.find((override) => override.override_date === date)?.hours ?? null;
  }

  private day(kind: Kind, date: string): Intervals {
    const key = `${kind} ${date}`;
    let intervals = this.days.get(key);
    if (intervals === undefined) {
      const replaced = this.replacement(kind, date);
      intervals = replaced ? this.intervals(replaced, date) : this.ownDay(kind, date);
      this.days.set(key, intervals);
    }
    return intervals;
  }

  private replacement(kind: Kind, date: string): Times[] | null {
    const hours = this.overrideOf(date);
    if (!hours) return null;
    const named = hours[kind];
    if (named) return named.length === 0 ? [{ is_closed: true }] : named;
    if (hours.is_closed && (kind === "business" || kind === "entry")) return [{ is_closed: true }];
    if (hours.is_24h && kind !== "after_hours_exit") return [{ is_24h: true }];
    return null;
  }

  private ownDay(kind: Kind, date: string): Intervals {
    const rows = this.lot.windows.filter((row) =>
      row.window_type === kind && (row.effective_from ?? date) <= date && date <= (row.effective_to ?? date)
    );
    if (rows.length === 0) return null;
    const matching = rows.filter((row) => this.matches(row, rows, date));
    if (matching.length === 0) return [];
    const best = Math.min(...matching.map(rankOf));
    return this.intervals(matching.filter((row) => rankOf(row) === best), date);
  }

  private matches(row: Window, rows: Window[], date: string): boolean {
    const dayOfWeek = Temporal.PlainDate.from(date).dayOfWeek % 7;
    const { day_type = null, day_of_week = null } = row;
    if (day_of_week !== null && day_of_week !== dayOfWeek) return false;
    const weekDay = WEEK[dayOfWeek]!;
    if (this.holidays.has(date)) {
      if (!rows.some((other) => other.day_type === "holiday")) {
        return day_type === null || day_type === "all" || day_type === weekDay;
      }
      if (day_type === null) return day_of_week === null;
      return day_type === "holiday" || day_type === "all";
    }
    if (day_type === "holiday_eve") return this.holidays.has(plusDays(date, 1));
    return day_type === null || day_type === "all" || day_type === weekDay;
  }

  private intervals(rows: Times[], date: string): Intervals {
    if (rows.some((row) => row.is_closed)) return [];
    const spoken = rows.filter((row) => row.is_24h || row.open_time);
    if (spoken.length === 0) return null;
    return spoken.map((row) => {
      const [open, close] = row.is_24h ? ["00:00", "24:00"] : [row.open_time!, row.close_time!];
      const closeDate = minutes(close) > minutes(open) ? date : plusDays(date, 1);
      return { from: instant(this.lot.time_zone, date, open), to: instant(this.lot.time_zone, closeDate, close) };
    });
  }
}

function minutes(time: string): number {
  const [hour, minute] = time.split(":").map(Number);
  return hour! * 60 + minute!;
}

function rankOf(row: Window): number {
  if (row.day_type === "holiday") return 1;
  if (row.day_type === "holiday_eve") return 2;
  if ((row.day_of_week ?? null) !== null) return 3;
  return (row.day_type ?? "all") === "all" ? 5 : 4;
}
