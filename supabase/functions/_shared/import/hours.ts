import type { SourceRecord } from "./record.ts";
import type { Mapping } from "./definition.ts";
import { valueOf } from "./lookup.ts";
import { windowsOfHours } from "../osm/opening_hours.ts";
import { UnreadTag } from "../osm/week.ts";
import { narrow } from "./text.ts";
import type { BusinessWindow } from "./window.ts";

type Span = Pick<BusinessWindow, "is_24h" | "open_time" | "close_time">;
type Day = Pick<BusinessWindow, "day_type" | "day_of_week">;
export type Hours = { readonly windows: readonly BusinessWindow[] | null; readonly problem?: string };

const ROUND_THE_CLOCK: Span = { is_24h: true, open_time: null, close_time: null };
const CLOSED = { is_24h: null, is_closed: true, open_time: null, close_time: null };
const EVERY_DAY: readonly Day[] = [{ day_type: "all", day_of_week: null }];
/** A longer text is not hours alone. */
const TEXT_LENGTH = 200;
/** Every dash, wave and arrow that stands between two times or two days. */
const TO = "(?:[~〜‐‑‒–—―−─━ー→-]|から|より|to)";
const AFTER = "(?:[AaPp]\\.?[Mm]\\.?)", BEFORE = `(?:午前|午後|朝|夜|${AFTER})`, NEXT_DAY = "翌(?:日の?|朝の?)?";
const CLOCK = "正午|\\d{4}(?!\\d)|\\d{1,2}(?:[:.]\\d{2}(?::00)?|時(?:\\d{1,2}分|半)?|[hH](?:\\d{2})?)?";
const TIME = new RegExp(
  `^(${NEXT_DAY})?(${BEFORE})?(?:(\\d{2})(\\d{2})|(\\d{1,2})(?:[:.](\\d{2})(?::00)?|[hH](\\d{2})?|時(?:(\\d{1,2})分|(半))?)?)(${AFTER})?$`,
  "u",
);

/** A time of day, and whether it is written as one of the next day. */
interface Clock {
  readonly time: string;
  /** The half of the day that the text names. */
  readonly half: "am" | "pm" | undefined;
  /** Without a half, and there is such a time in both. */
  readonly isOfEither: boolean;
  /** A number of hours alone: `9`. */
  readonly isBare: boolean;
  /** The half of the day is a Japanese word: 夜, 午後. */
  readonly isJapanese: boolean;
  readonly isNextDay: boolean;
}

function clockOf(raw: string): Clock | undefined {
  const written = narrow(raw).replaceAll(" ", "");
  const match = TIME.exec(written.replace("正午", "12:00"));
  if (match === null) return undefined;
  const [text, next, before, hh, mm, h, m, hMinute, minute, half, after] = match;
  let hours = Number(hh ?? h);
  const minutes = half === undefined ? Number(mm ?? m ?? hMinute ?? minute ?? "0") : 30;
  if (hours > 29 || minutes > 59) return undefined;
  const halfDay = before ?? after;
  const isAfternoon = halfDay !== undefined && /^(午後|夜|[Pp])/u.test(halfDay);
  const isOfEither = halfDay === undefined && next === undefined && hours >= 1 && hours <= 12 && written !== "正午";
  if (halfDay !== undefined) {
    // 午前12時 and 午後12時 are both noon for some and midnight for others; 夜1時 is after midnight.
    if (
      hours > 12 || hours === 12 && /^[午朝夜]/u.test(halfDay) || halfDay === "夜" && hours < 6 ||
      before !== undefined && after !== undefined
    ) {
      return undefined;
    }
    hours = hours % 12 + (isAfternoon ? 12 : 0);
  }
  // 24:30 and 25:00 are common notations for late hours; 24:00 alone is the end of the day.
  const isEnd = next === undefined && hours === 24 && minutes === 0;
  const time = `${String(isEnd ? 24 : hours % 24).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
  return {
    time,
    isNextDay: next !== undefined || hours >= 24,
    half: halfDay === undefined ? undefined : isAfternoon ? "pm" : "am",
    isOfEither,
    isBare: /^\d{1,2}$/.test(text),
    isJapanese: before !== undefined && /^[午朝夜]/u.test(before),
  };
}

/** Whether two times may mean others: in `午後1:00～5:00`, `9-5` and `8:30-5:15` the second may be one of the afternoon. */
function isUnclear(from: Clock, to: Clock): boolean {
  if (from.half === "am" && to.time.startsWith("12:")) return false;
  // 8:00～夜10時: the evening is named, so that 8:00 is not in it.
  if (from.half === undefined && from.time >= "05:00" && to.half === "pm" && to.isJapanese) return from.isBare;
  if (from.half !== undefined || to.half !== undefined) return from.isOfEither || to.isOfEither;
  // A lot that opens at 7:00 may close at 2:00, but hardly at 5:15.
  const isOffice = from.isOfEither && to.isOfEither && from.time >= "07:00" && from.time < "10:00" &&
    to.time >= "03:00" && to.time < from.time;
  return isOffice || from.isBare && to.isBare && to.time <= from.time;
}

/** `7:30`, `07:30:00`, `7.30`, `0730`, `7時30分`, `午後7時`, `7:30PM`, `翌2時`, `24:30` and `24:00` as HH:MM. */
export function timeOf(raw: string): string | undefined {
  return clockOf(raw)?.time;
}

/** From one time to another. Two equal times, or midnight to midnight, are the whole day. */
function spanOf(open: string, close: string): Span | undefined {
  const from = clockOf(open), to = clockOf(close);
  // Hours that begin on the next day belong to a day that is not named here.
  if (from === undefined || to === undefined || from.isNextDay || isUnclear(from, to)) return undefined;
  if (from.time === "00:00" && (to.time === "24:00" || to.time === "00:00")) return ROUND_THE_CLOCK;
  // A window that ends before its start ends on the next day; one that ends after it there is longer than a day.
  if (to.isNextDay && to.time !== "24:00" && to.time > from.time) return undefined;
  return { is_24h: null, open_time: from.time, close_time: to.time === "00:00" ? "24:00" : to.time };
}

const KANJI = "日月火水木金土";
const ENGLISH = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
/** A whole word, without a difference between capitals and small letters. */
const word = (alternatives: string) => new RegExp(`(?<![a-z])(?:${alternatives})(?![a-z])`, "giu");
/** English words, with the Japanese ones that the grammar reads. */
const ENGLISH_WORDS: readonly (readonly [RegExp, string | ((day: string) => string)])[] = [
  [
    word("(?:sun|mon|fri)(?:day)?s?|tue(?:sday|s)?s?|wed(?:nesday)?s?|thu(?:rsday|rs|r)?s?|sat(?:urday)?s?"),
    (day) => KANJI[ENGLISH.indexOf(day.slice(0, 3).toLowerCase())]!,
  ],
  [word("weekdays?"), "平日"],
  [word("week-?ends?"), "土日"],
  [word("(?:public |bank |national )?holidays?"), "祝"],
  [word("daily|every ?day|all week|7 days(?: a week)?"), "毎日"],
  [word("closed(?: on)?"), "休業"],
  [word("noon"), "正午"],
  [word("midnight"), "24:00"],
  [word("(?:opening|business) hours:?|hours:|open(?= )"), "営業時間"],
];
const BETWEEN_DAYS = /(?<=[日月火水木金土]) ?(?:to|thru|through|-|–) ?(?=[日月火水木金土])/giu;
const AND = /(?<=[日月火水木金土祝]),? ?(?:and|&) ?(?=[日月火水木金土祝])/giu;
const EXCEPT = /(?:except|excluding)(?: on| for)? ([日月火水木金土祝・, -]*[日月火水木金土祝])/giu;

/** The text with the Japanese words for the English ones. A text that is too long to be hours stays as it is. */
function inJapanese(text: string): string {
  if (text.length > TEXT_LENGTH || !/[a-z]{2}/iu.test(text)) return text;
  return ENGLISH_WORDS
    .reduce(
      (done, [english, japanese]) =>
        done.replace(english, (day) => typeof japanese === "string" ? japanese : japanese(day)),
      text,
    )
    .replace(BETWEEN_DAYS, "-").replace(AND, "・").replace(EXCEPT, "$1を除く");
}

/** What only a value of OpenStreetMap's opening_hours has. */
const OPENING_HOURS = /(?<![A-Za-z])(?:Mo|Tu|We|Th|Fr|Sa|Su|PH)(?![A-Za-z])/u;

function windowsOfTag(value: string): readonly BusinessWindow[] | undefined {
  try {
    return windowsOfHours(value);
  } catch (error) {
    if (error instanceof UnreadTag) return undefined;
    throw error;
  }
}

const WHOLE_WEEK = "年中無休|無休|365日|通年|毎日|全日|全曜日";
const DAY = "(?:平日|[日月火水木金土](?:曜日?)?|祝祭?日?)";
const LABEL = "(?:営業|開館|利用|利用可能|供用|開場|開放)時間帯?";
const OPENING = "[【\\[(〔〈《「]", CLOSING = "[】\\])〕〉》」]";
const SPAN_END = `(?:${NEXT_DAY})?(?:${BEFORE} ?)?(?:${CLOCK})(?: ?${AFTER})?`;
/** What hours in words are made of, each where the one before it ended. */
const PARTS = {
  space: /[\s、,;:/。・]+/uy,
  label: new RegExp(`${OPENING}${LABEL}${CLOSING}|${LABEL}`, "uy"),
  wholeWeek: new RegExp(`${WHOLE_WEEK}|(?:定休日?|休業日?|休館日?)[ :は]*(?:なし|無し)`, "uy"),
  days: new RegExp(`${DAY}(?:(?:${TO}|[・、,/と]|及び|および| )?${DAY})*(?:のみ)?(?:は(?!定|休|お))?`, "uy"),
  // 休日 and 休祝日 are no closing days: they are days on which others rest.
  closed: /は?(?:定休日?|休業日?|休館日?|休場日?|お?休み|休(?! ?[日祝]))|を?除く|以外/uy,
  wholeDay: /(?:24 ?(?:時間|h(?:ou)?rs?|h(?!\d))|終日|常時)(?:営業|開放|利用可能?|入出庫可能?)?|24\/7/iuy,
  span: new RegExp(`(${SPAN_END}) ?${TO} ?(${SPAN_END})(?:まで)?`, "uy"),
  bracket: new RegExp(`${OPENING}([^【\\[(〔〈《「】\\])〕〉》」]*)${CLOSING}`, "uy"),
} as const;

/** What begins an exception to the hours before it, up to the end of the text. */
const EXCEPTION = /[\s、。,;]*(?:ただし|但し|※)[\s、,]*([^※【\[(〔〈《「】\])〕〉》」]+)$/u;

type DaySet = ReadonlySet<number | "holiday">;
type Part =
  | { readonly days: DaySet }
  | { readonly isWholeWeek: true }
  | { readonly isClosed: true }
  | { readonly span: Span }
  /** 8:00-22:00(土日祝は9:00-20:00): days with hours of their own. */
  | { readonly exception: Block };
/** Spans with the days that the text names for them: every day where it names none. */
interface Block {
  readonly days?: DaySet;
  readonly spans: readonly Span[];
}

/** The parts of hours in words; undefined if anything else is among them. */
function partsOf(text: string): readonly Part[] | undefined {
  const parts: Part[] = [];
  let at = 0;
  const take = (kind: keyof typeof PARTS) => {
    PARTS[kind].lastIndex = at;
    const found = PARTS[kind].exec(text);
    if (found !== null) at = PARTS[kind].lastIndex;
    return found;
  };
  while (at < text.length) {
    if (take("space") ?? take("label")) continue;
    let found: RegExpExecArray | null;
    if ((found = take("bracket")) !== null) {
      // Brackets may hold days, also with their hours. Whatever else they hold is a condition that the hours cannot express.
      const inside = partsOf(found[1]!);
      if (inside === undefined || inside.length === 0) return undefined;
      if (!inside.some((part) => "span" in part)) parts.push(...inside);
      else {
        const blocks = inside.every((part) => "span" in part || "days" in part) ? blocksOf(inside) : undefined;
        if (parts.length === 0 || blocks === undefined || blocks[0]!.days === undefined) return undefined;
        parts.push(...blocks.map((exception) => ({ exception })));
      }
    } else if (take("wholeWeek") !== null) parts.push({ isWholeWeek: true });
    else if ((found = take("days")) !== null) {
      const days = dayNumbers(found[0]);
      if (days === undefined) return undefined;
      parts.push({ days });
    } else if (take("closed") !== null) parts.push({ isClosed: true });
    else if (take("wholeDay") !== null) parts.push({ span: ROUND_THE_CLOCK });
    else {
      const span = (found = take("span")) === null ? undefined : spanOf(found[1]!, found[2]!);
      if (span === undefined) return undefined;
      parts.push({ span });
    }
  }
  return parts;
}

/** Days before or behind a word for closed are closed: they leave the parts. Undefined if such a word has no days. */
function withoutClosed(
  parts: readonly Part[],
): { readonly open: readonly Part[]; readonly closed: DaySet } | undefined {
  const closed = new Set<number | "holiday">();
  const open: Part[] = [];
  for (let n = 0; n < parts.length; n++) {
    const part = parts[n]!;
    if (!("isClosed" in part)) {
      open.push(part);
      continue;
    }
    const last = open.at(-1), next = parts[n + 1];
    const isBehind = last !== undefined && "days" in last;
    // Between hours it is unclear which days are closed.
    const behindNext = parts[n + 2];
    if (!isBehind && last !== undefined && behindNext !== undefined && "span" in behindNext) return undefined;
    const named = isBehind ? last : next;
    if (named === undefined || !("days" in named)) return undefined;
    if (isBehind) open.pop();
    else n++;
    for (const day of named.days) closed.add(day);
  }
  return { open, closed };
}

/** Hours that overlap are those of different days, seasons or users, which the text did not name. */
function areApart(spans: readonly Span[]): boolean {
  const minutes = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
  const times = spans.map(({ open_time, close_time }) => {
    const open = minutes(open_time ?? "00:00"), close = minutes(close_time ?? "24:00");
    return { open, end: close > open ? close : close + 24 * 60 };
  }).sort((a, b) => a.open - b.open);
  return times.every(({ end }, n) => end <= (times[n + 1]?.open ?? times[0]!.open + 24 * 60));
}

/** Days stand before their spans or behind them, throughout; exceptions follow them. */
function blocksOf(all: readonly Part[]): readonly Block[] | undefined {
  const exceptions = all.flatMap((part) => "exception" in part ? [part.exception] : []);
  const parts = all.filter((part) => !("exception" in part));
  const isBefore = parts.length > 0 && "days" in parts[0]!;
  const blocks: { days?: Set<number | "holiday">; spans: Span[] }[] = [];
  for (const part of parts) {
    let block = blocks.at(-1);
    const isNext = "span" in part ? !isBefore && block?.days !== undefined : isBefore && block?.spans.length !== 0;
    if (block === undefined || isNext) blocks.push(block = { spans: [] });
    if ("span" in part) block.spans.push(part.span);
    else if ("days" in part) block.days = new Set([...block.days ?? [], ...part.days]);
  }
  const isWhole = ({ days, spans }: Block) =>
    spans.length > 0 && (days !== undefined || blocks.length === 1) && (spans.length === 1 || areApart(spans));
  if (blocks.length === 0 || !blocks.every(isWhole)) return undefined;
  const found = [...blocks, ...exceptions];
  const named = found.flatMap(({ days }) => [...days ?? []]);
  return new Set(named).size === named.length ? found : undefined;
}

/**
 * Hours in words as windows: `【開館時間】6：30～21：00`, `24時間`, `8:00-12:00、13:00-17:00`,
 * `平日8:00～22:00【土日祝】9:00～20:00`, `8:00～20:00（日祝休業）`, `8:00～22:00（土日祝は9:00～20:00）`. Without days in the text they are those of `days`. Undefined
 * if anything in it is not understood: a condition that was lost would be hours that are wrong.
 */
export function windowsOfText(raw: string, days?: readonly Day[]): readonly BusinessWindow[] | undefined {
  const given = narrow(raw);
  if (given.length > TEXT_LENGTH) return undefined;
  // 10.01-3.31 9:00-17:00: next to other times a point is that of a date.
  if (/\d\.\d/.test(given) && /[:時]/u.test(given)) return undefined;
  if (OPENING_HOURS.test(given)) return days === undefined ? windowsOfTag(given) : undefined;
  const parts = partsOf(inJapanese(given).replace(EXCEPTION, "($1)"));
  const isWholeWeek = parts?.some((part) => "isWholeWeek" in part) ?? false;
  const read = parts && withoutClosed(parts.filter((part) => !("isWholeWeek" in part)));
  const blocks = read && blocksOf(read.open);
  if (blocks === undefined) return undefined;
  const { closed } = read!;
  const isNamed = closed.size > 0 || blocks.some((block) => block.days !== undefined);
  if ((isNamed || isWholeWeek) && days !== undefined) return undefined;
  // Of a whole week no day is closed.
  const isOpen = (day: number) => blocks.some((block) => block.days === undefined || block.days.has(day));
  if (isWholeWeek && (closed.size > 0 || !WEEK.every(isOpen))) return undefined;
  if (blocks.some((block) => [...block.days ?? []].some((day) => closed.has(day)))) return undefined;
  const on = (block: Block) => block.days === undefined ? days ?? EVERY_DAY : dayRows(block.days);
  return [
    ...blocks.flatMap((block) => on(block).flatMap((day) => block.spans.map((span) => ({ ...day, ...span })))),
    ...(closed.size === 0 ? [] : dayRows(closed)).map((day) => ({ ...day, ...CLOSED })),
  ];
}

const WEEK = [0, 1, 2, 3, 4, 5, 6];
const GROUPS: readonly (readonly [RegExp, string])[] = [
  [new RegExp(WHOLE_WEEK, "gu"), "日月火水木金土"],
  [/平日/gu, "月火水木金"],
  [/祝(祭)?日?/gu, "H"],
  [/曜日?/gu, ""],
  [/と|及び|および|のみ|は/gu, ""],
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
  let text = inJapanese(narrow(String(raw))).replace(/[\s,、・/]/gu, "");
  for (const [pattern, replacement] of GROUPS) text = text.replace(pattern, replacement);
  text = text.replace(new RegExp(`([日月火水木金土])${TO}([日月火水木金土])`, "gu"), (_, from: string, to: string) => {
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
  return numbers === undefined || numbers.size === 0 ? undefined : dayRows(numbers);
}

function dayRows(numbers: DaySet): readonly Day[] {
  const week = WEEK.filter((day) => numbers.has(day));
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
  const days = rawDays === undefined ? undefined : daysOf(rawDays);
  if (rawDays !== undefined && days === undefined) {
    return { windows: null, problem: `the days ${JSON.stringify(rawDays)} could not be read` };
  }
  const open = given(hours.open), close = given(hours.close), text = given(hours.text);
  if (open === undefined && close === undefined && text === undefined) return { windows: null };
  const timed = open !== undefined || close !== undefined;
  const windows = timed
    ? spanBetween(open, close)?.flatMap((span) => (days ?? EVERY_DAY).map((day) => ({ ...day, ...span })))
    : windowsOfText(String(text), days);
  if (windows === undefined) {
    const raw = timed ? `${open ?? "?"} to ${close ?? "?"}` : text;
    return { windows: null, problem: `the hours ${JSON.stringify(raw)} could not be read` };
  }
  return { windows };
}

const WHOLE_DAY = new RegExp(`^${PARTS.wholeDay.source}$`, "iu");

/** From one column to the other one. 24時間 in both is the whole day. */
function spanBetween(open: unknown, close: unknown): readonly Span[] | undefined {
  if (open === close && WHOLE_DAY.test(narrow(String(open)))) return [ROUND_THE_CLOCK];
  const span = open === undefined || close === undefined ? undefined : spanOf(String(open), String(close));
  return span === undefined ? undefined : [span];
}

export function isRoundTheClock(windows: readonly BusinessWindow[]): boolean {
  return windows.every((window) => window.is_24h === true && window.day_type === "all");
}
