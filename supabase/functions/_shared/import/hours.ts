import type { SourceRecord } from "./record.ts";
import type { Mapping } from "./definition.ts";
import { narrow, valueOf } from "./lookup.ts";

/** A row of parking_lot_windows, window_type business. */
export interface BusinessWindow {
  readonly day_type: string | null;
  readonly day_of_week: number | null;
  readonly is_24h: boolean | null;
  readonly is_closed?: boolean | null;
  readonly open_time: string | null;
  readonly close_time: string | null;
}

type Span = Pick<BusinessWindow, "is_24h" | "open_time" | "close_time">;
type Day = Pick<BusinessWindow, "day_type" | "day_of_week">;
export type Hours = { readonly windows: readonly BusinessWindow[] | null; readonly problem?: string };

const ROUND_THE_CLOCK: Span = { is_24h: true, open_time: null, close_time: null };
const EVERY_DAY: readonly Day[] = [{ day_type: "all", day_of_week: null }];
const TIME = /^(翌)?(?:午前)?(\d{1,2})(?::(\d{2})(?::00)?|時(?:(\d{1,2})分|(半))?)$/;

/** `7:30`, `07:30:00`, `7時30分`, `翌2時` and `24:00` as HH:MM. */
export function timeOf(raw: string): string | undefined {
  const match = TIME.exec(narrow(raw).replaceAll(" ", ""));
  if (match === null) return undefined;
  const hours = Number(match[2]);
  const minutes = match[5] === undefined ? Number(match[3] ?? match[4] ?? "0") : 30;
  // 25:00 is a common notation for late hours. A window that ends before its start ends on the next day anyway.
  const within = match[1] === undefined && hours <= 24 ? hours : hours % 24;
  if (hours > 29 || minutes > 59 || (hours === 24 && minutes > 0 && within === 24)) return undefined;
  return `${String(within).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
}

/** From one time to another. Two equal times, or midnight to midnight, are the whole day. */
function spanOf(open: string, close: string): Span | undefined {
  const from = timeOf(open), to = timeOf(close);
  if (from === undefined || to === undefined || from === "24:00") return undefined;
  if (from === "00:00" && (to === "24:00" || to === "00:00")) return ROUND_THE_CLOCK;
  return { is_24h: null, open_time: from, close_time: to === "00:00" ? "24:00" : to };
}

/** `【開館時間】6：30～21：00`, `24時間`, `8時～20時`, `8:00-12:00、13:00-17:00`. */
export function spansOf(raw: string): readonly Span[] | undefined {
  const text = narrow(raw).replace(/^[【\[(][^】\])]*[】\])]/u, "").replace(/^(営業|開館|利用|供用)時間:?/u, "")
    .replaceAll(" ", "");
  if (/^(24時間(営業|利用可|入出庫可)?|終日|24\/7|0?0:00[~〜-]24:00)$/u.test(text)) return [ROUND_THE_CLOCK];
  const spans: Span[] = [];
  for (const part of text.split(/[、,;/]/u)) {
    const [open, close, ...more] = part.split(/[~〜‐–—ー-]|から/u);
    const span = open !== undefined && close !== undefined && more.length === 0
      ? spanOf(open, close.replace(/まで$/u, ""))
      : undefined;
    if (span === undefined) return undefined;
    spans.push(span);
  }
  return spans;
}

const KANJI = "日月火水木金土";
const ENGLISH = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const GROUPS: readonly (readonly [RegExp, string])[] = [
  [/毎日|全日|年中無休|全曜日/gu, "日月火水木金土"],
  [/平日/gu, "月火水木金"],
  [/祝(祭)?日?/gu, "H"],
  [/曜日?/gu, ""],
  [/から/gu, "~"],
];

function dayNumbers(raw: unknown): Set<number | "holiday"> | undefined {
  const days = new Set<number | "holiday">();
  if (Array.isArray(raw)) {
    for (const name of raw) {
      const index = ENGLISH.findIndex((start) => String(name).toLowerCase().startsWith(start));
      if (index < 0) return undefined;
      days.add(index);
    }
    return days;
  }
  let text = narrow(String(raw)).replace(/[\s,、・/]/gu, "");
  for (const [pattern, replacement] of GROUPS) text = text.replace(pattern, replacement);
  text = text.replace(/([日月火水木金土])[~〜-]([日月火水木金土])/gu, (_, from: string, to: string) => {
    const start = KANJI.indexOf(from);
    const length = (KANJI.indexOf(to) - start + 7) % 7;
    return Array.from({ length: length + 1 }, (_, step) => KANJI[(start + step) % 7]).join("");
  });
  for (const character of text) {
    if (character === "H") days.add("holiday");
    else if (KANJI.includes(character)) days.add(KANJI.indexOf(character));
    else return undefined;
  }
  return days;
}

/** `月火水木金土日`, `月～金`, `平日`, `土日祝`, ["MONDAY", …] as day types of windows. */
export function daysOf(raw: unknown): readonly Day[] | undefined {
  const numbers = dayNumbers(raw);
  if (numbers === undefined || numbers.size === 0) return undefined;
  const week = [0, 1, 2, 3, 4, 5, 6].filter((day) => numbers.has(day));
  if (week.length === 7) return EVERY_DAY;
  const days: Day[] = [];
  const isWorkWeek = [1, 2, 3, 4, 5].every((day) => numbers.has(day));
  if (isWorkWeek) days.push({ day_type: "weekday", day_of_week: null });
  for (const day of week) {
    if (!isWorkWeek || day === 0 || day === 6) days.push({ day_type: null, day_of_week: day });
  }
  if (numbers.has("holiday")) days.push({ day_type: "holiday", day_of_week: null });
  return days;
}

/** The opening hours of a record. Unreadable hours are a warning, because the lot can be imported without them. */
export function windowsOf(record: SourceRecord, hours: NonNullable<Mapping["hours"]>): Hours {
  const given = (value: Parameters<typeof valueOf>[1] | undefined) =>
    value === undefined ? undefined : valueOf(record, value);
  const rawDays = given(hours.days);
  const days = rawDays === undefined ? EVERY_DAY : daysOf(rawDays);
  if (days === undefined) return { windows: null, problem: `the days ${JSON.stringify(rawDays)} could not be read` };
  const open = given(hours.open), close = given(hours.close), text = given(hours.text);
  if (open === undefined && close === undefined && text === undefined) return { windows: null };
  const timed = open !== undefined || close !== undefined;
  const spans = timed ? spanBetween(open, close) : spansOf(String(text));
  if (spans === undefined) {
    const raw = timed ? `${open ?? "?"} to ${close ?? "?"}` : text;
    return { windows: null, problem: `the hours ${JSON.stringify(raw)} could not be read` };
  }
  return { windows: days.flatMap((day) => spans.map((span) => ({ ...day, ...span }))) };
}

function spanBetween(open: unknown, close: unknown): readonly Span[] | undefined {
  const span = open === undefined || close === undefined ? undefined : spanOf(String(open), String(close));
  return span === undefined ? undefined : [span];
}

export function isRoundTheClock(windows: readonly BusinessWindow[]): boolean {
  return windows.every((window) => window.is_24h === true && window.day_type === "all");
}
