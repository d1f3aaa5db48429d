// What readers of price texts share: days, clock times, money, and the rows that they become.
import type { PricingRule } from "../../../supabase/functions/_shared/import/pricing.ts";

/** Thrown where a text is not read. The message is the reason in the report. */
export class Unread extends Error {}

/** The rules of a price list, or why there are none. `lines` counts the parts of the text that state prices. */
export type Tariff =
  & { readonly lines: number }
  & ({ readonly rules: readonly PricingRule[] } | { readonly problem: string });

export type DayType = "weekday" | "saturday" | "sunday" | "holiday" | "holiday_eve" | "all";

/** A time of day in minutes, 0 to 1440. */
export interface Band {
  readonly from: number;
  /** Not after `from`: on the next day. */
  readonly to: number;
}

export const DAY_MINUTES = 1440;

export function clock(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}

/** The columns of a row that holds in a band. A band of midnight to midnight is the calendar day. */
export function during(band: Band | undefined): { readonly time_start?: string; readonly time_end?: string } {
  if (band === undefined) return {};
  return { time_start: clock(band.from % DAY_MINUTES), time_end: clock(band.to === 0 ? DAY_MINUTES : band.to) };
}

/** The minutes of a day that bands hold, each band in the calendar day of the moment. */
export function covered(bands: readonly Band[]): boolean[] {
  const minutes = Array<boolean>(DAY_MINUTES).fill(false);
  for (const { from, to } of bands) {
    const length = to > from ? to - from : to - from + DAY_MINUTES;
    for (let step = 0; step < length; step++) minutes[(from + step) % DAY_MINUTES] = true;
  }
  return minutes;
}

export function overlap(a: Band, b: Band): boolean {
  const first = covered([a]);
  return covered([b]).some((is, minute) => is && first[minute]);
}

/**
 * `7am`, `6:30 pm`, `8.30am`, `12am`, and `0700` as minutes. The last minute before a full or half hour (`11:59pm`) is
 * how lists write that hour as an end, and the first minute after it (`6.01pm`) how they write it as a start.
 */
export function clockMinutes(text: string): number | undefined {
  const plain = /^(\d{2})(\d{2})$/.exec(text);
  const match = /^(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm)$/i.exec(text);
  let hours: number, minutes: number;
  if (plain !== null) {
    hours = Number(plain[1]);
    minutes = Number(plain[2]);
    if (hours > 24) return undefined;
  } else if (match !== null) {
    hours = Number(match[1]);
    minutes = Number(match[2] ?? 0);
    if (hours < 1 || hours > 12) return undefined;
    hours = hours % 12 + (match[3]!.toLowerCase() === "pm" ? 12 : 0);
  } else {
    return undefined;
  }
  if (minutes > 59) return undefined;
  const total = hours * 60 + minutes;
  if (total % 30 === 29) return total + 1;
  return total % 30 === 1 ? total - 1 : total;
}

/** An amount of a currency with two decimals in minor units. */
export function cents(text: string): number {
  const match = /^(\d{1,5})(?:\.(\d{1,4}))?$/.exec(text);
  if (match === null) throw new Unread(`the amount ${JSON.stringify(text)} is not read`);
  const decimals = (match[2] ?? "").replace(/0+$/, "");
  if (decimals.length > 2) throw new Unread(`${text} is not a whole number of cents`);
  return Number(match[1]) * 100 + Number(decimals.padEnd(2, "0"));
}

type Draft = Omit<PricingRule, "rule_order" | "day_type">;

function same(a: readonly Draft[], b: readonly Draft[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * The rows of each day type in one list. Where weekdays, Saturdays, Sundays and holidays have the same rows, they are rows
 * for all days.
 */
export function rulesOfDays(days: ReadonlyMap<DayType, readonly Draft[]>): readonly PricingRule[] {
  const [first] = days.values();
  const everyDay = (["weekday", "saturday", "sunday", "holiday"] as const).every((day) =>
    first !== undefined && days.has(day) && same(days.get(day)!, first)
  );
  const rows = everyDay && first !== undefined
    ? first.map((draft) => ({ ...draft, day_type: "all" as const }))
    : [...days].flatMap(([day_type, drafts]) => drafts.map((draft) => ({ ...draft, day_type })));
  return rows.map((row, place) => ({ ...row, rule_order: place + 1 }));
}

export type { Draft };
