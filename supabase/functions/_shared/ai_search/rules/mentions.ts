/** All numbers, times and prices in a text. Answers of models are checked against them. */
import { DAY_PARTS, type Point } from "./clocks.ts";
import type { DateToken } from "./dates.ts";
import type { Distance } from "./distances.ts";
import type { Length } from "./durations.ts";
import { calendarOf, dayOf, isoDate } from "./local_time.ts";
import type { Measure } from "./measures.ts";
import type { OtherMoney, Price } from "./prices.ts";
import type { Scanner, Span } from "./scanner.ts";
import type { Mention, MentionKind } from "./types.ts";

export interface MentionTokens {
  readonly dates: readonly DateToken[];
  readonly points: readonly Point[];
  readonly lengths: readonly Length[];
  readonly prices: readonly (Price | OtherMoney)[];
  readonly distances: readonly Distance[];
  readonly measures: readonly Measure[];
}

const NUMBER = /(?<![\d.])\d{1,9}(?:\.\d{1,4})?(?![\d])/gu;
const DAY = 1440;

export function mentionsOf(scanner: Scanner, tokens: MentionTokens): Mention[] {
  const found: (Mention & { start: number })[] = [];
  const add = (span: Span, kind: MentionKind, value: string | number, others: readonly (string | number)[] = []) =>
    found.push({ start: span.start, kind, text: scanner.slice(span).trim(), value, others });
  const hasWeek = tokens.dates.some(({ problem }) => problem === "vague");
  for (const date of tokens.dates) {
    const others = [...laterDays(date, hasWeek), ...daysAfter(date, tokens.dates)];
    if (date.day !== null) add(date, "date", isoDate(date.day), others);
  }
  for (const point of tokens.points) {
    if (point.kind === "clock") {
      const [minute, ...others] = minutesOf(point);
      add(point, "clock", minute!, others);
    } else if (point.kind === "part") {
      const { from, until } = DAY_PARTS[point.part];
      add(point, "clock", from % DAY, [until % DAY]);
    }
  }
  for (const length of tokens.lengths) {
    if (length.kind === "duration" || length.kind === "from_now") add(length, "duration", length.minutes);
    else if (length.kind === "nights") add(length, "duration", length.nights * DAY);
    else if (length.kind === "days") add(length, "duration", length.days * DAY);
    else if (length.kind === "whole_day") add(length, "duration", DAY);
  }
  for (const price of tokens.prices) {
    if (price.kind !== "price") continue;
    const amounts = [price.most, price.least].filter((amount) => amount !== null);
    for (const amount of amounts) {
      const hourly = price.unit.of === "rate" ? Math.round(amount * 60 / price.unit.minutes) : amount;
      add(price, "price", amount, hourly === amount ? [] : [hourly]);
    }
  }
  for (const distance of tokens.distances) if (distance.metres !== null) add(distance, "distance", distance.metres);
  for (const measure of tokens.measures) if (measure.value !== null) add(measure, "measure", measure.value);
  for (const match of scanner.rest.matchAll(NUMBER)) {
    add({ start: match.index, end: match.index + match[0].length }, "number", Number(match[0]));
  }
  return found.toSorted((a, b) => a.start - b.start).map(({ start: _, ...mention }) => mention);
}

/** The minutes of the day that a clock time can mean, that of its own half first. */
function minutesOf({ minute, half }: Extract<Point, { kind: "clock" }>): number[] {
  const early = minute % 720, late = early + 720;
  if (half === "am") return [early];
  if (half === "pm") return [late];
  return half === "24h" ? [minute % DAY] : [minute % DAY, (minute + 720) % DAY];
}

/** 3日後 can also be counted from another day of the text. */
function daysAfter({ daysAfter }: DateToken, dates: readonly DateToken[]): string[] {
  if (daysAfter === null) return [];
  return dates.flatMap((other) =>
    other.day === null || other.daysAfter !== null ? [] : [isoDate(other.day + daysAfter)]
  );
}

/** "Saturday" can also be a following Saturday, and "3 January" can be in the next year. */
function laterDays(date: DateToken, hasWeek: boolean): string[] {
  if (date.day === null || date.ifPast === "refuse") return [];
  if (date.ifPast === "week") {
    return [7, ...(hasWeek ? [14] : []), ...(date.span ? [1] : [])].map((days) => isoDate(date.day! + days));
  }
  const { year, month, date: dateOfMonth } = calendarOf(date.day);
  const later = date.ifPast === "year"
    ? dayOf(year + 1, month, dateOfMonth)
    : dayOf(month === 12 ? year + 1 : year, month % 12 + 1, dateOfMonth);
  return later === undefined ? [] : [isoDate(later)];
}
