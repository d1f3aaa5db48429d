/**
 * Checks a model's answer against the text, because a model can invent or omit a number. A number that is only in the
 * text or only in the answer becomes an open question and lowers the confidence.
 */
import { MAX_TEXT, parseText } from "./parse.ts";
import { wallTimeOf } from "./local_time.ts";
import { confidenceOf, type Finding, noteOf } from "./notes.ts";
import type { Locale, Mention, Note, ParseOptions, Query } from "./types.ts";

/** The numeric part of an answer. */
export interface CheckedAnswer {
  readonly place?: string | null;
  readonly entry_at?: string | null;
  readonly exit_at?: string | null;
  readonly max_price?: number | null;
  readonly radius_m?: number | null;
  readonly query?: Query | null;
}

export interface Check {
  readonly unresolved: readonly Note[];
  /** Factor for the answer's confidence: 1 without differences. */
  readonly factor: number;
  /** The notes of `unresolved` on numbers that only the answer has. */
  readonly invented: readonly Note[];
}

const MINUTE = 60_000;
const DAY = 1440;

/** Mentions of a text, as returned by parseText. */
export function mentionsIn(text: string, options: ParseOptions): readonly Mention[] {
  return [...text].length > MAX_TEXT ? [] : parseText(text, options).mentions;
}

export function checkAnswer(
  mentions: readonly Mention[],
  answer: CheckedAnswer,
  options: { readonly locale: Locale; readonly now: Date; readonly timeZone: string },
): Check {
  const write = (finding: Finding) => noteOf(finding, options.locale);
  const invented = findInvented(mentions, answer, options);
  const findings = [...findMissing(mentions, answer, options), ...invented];
  return {
    unresolved: findings.map(write),
    invented: invented.map(write),
    factor: findings.length === 0 ? 1 : Math.round(confidenceOf(findings) / confidenceOf([]) * 100) / 100,
  };
}

interface Moments {
  readonly at: number | null;
  readonly minute: number | null;
  readonly date: string | null;
}

function momentOf(timestamp: string | null | undefined, zone: string): Moments {
  const at = timestamp === null || timestamp === undefined ? NaN : Date.parse(timestamp);
  if (Number.isNaN(at)) return { at: null, minute: null, date: null };
  const { day, minute } = wallTimeOf(at, zone);
  return { at, minute, date: new Date(day * DAY * MINUTE).toISOString().slice(0, 10) };
}

function numbersOf(answer: CheckedAnswer) {
  const { query } = answer;
  const known = (values: (number | null | undefined)[]) => values.filter((value) => typeof value === "number");
  return {
    prices: known([answer.max_price, query?.price_max, query?.price_min]),
    distances: known([answer.radius_m, query?.radius_m]),
    measures: known(Object.values(query?.vehicle ?? {})),
  };
}

const near = (a: number, b: number) => Math.abs(a - b) <= Math.max(0.011, Math.abs(a) * 0.005);

/** Mentions in the text that are missing in the answer. */
function findMissing(
  mentions: readonly Mention[],
  answer: CheckedAnswer,
  { timeZone, now }: { readonly timeZone: string; readonly now: Date },
): Finding[] {
  const entry = momentOf(answer.entry_at, timeZone), exit = momentOf(answer.exit_at, timeZone);
  const { prices, distances, measures } = numbersOf(answer);
  const findings: Finding[] = [];
  for (const mention of mentions) {
    const values = [mention.value, ...mention.others];
    const among = (numbers: readonly number[]) =>
      values.some((value) => numbers.some((one) => near(one, Number(value))));
    const leave = (field: Finding["field"]) =>
      findings.push({ text: mention.text, field, value: mention.value, reason: "lost" });
    switch (mention.kind) {
      case "price":
        if (!among(prices)) leave("max_price");
        break;
      case "distance":
        if (!among(distances)) leave("radius_m");
        break;
      case "measure":
        if (!among(measures)) leave("vehicle");
        break;
      case "clock":
        if (!values.some((value) => value === entry.minute || value === exit.minute)) leave("entry_at");
        break;
      case "date":
        if (!values.some((value) => isDate(value, entry, exit) || endsOn(value, exit))) leave("entry_at");
        break;
      case "duration":
        if (!isLength(Number(mention.value), entry.at, exit.at, now.getTime())) leave("exit_at");
        break;
      case "number":
        // A number in a name must be in the place. Any other number can be anywhere.
        if (!isAnywhere(mention, answer, [...prices, ...distances, ...measures])) leave("text");
    }
  }
  return findings;
}

/** A whole day ends at the following midnight. */
function endsOn(date: string | number, exit: Moments): boolean {
  return exit.minute === 0 && exit.date !== null && Date.parse(exit.date) - Date.parse(String(date)) === DAY * MINUTE;
}

/**
 * A duration matches the length of the stay or the time until its start. Nights and days match with a tolerance of half
 * a day.
 */
function isLength(minutes: number, entry: number | null, exit: number | null, now: number): boolean {
  const slack = minutes >= DAY ? DAY : 1;
  const stay = entry !== null && exit !== null ? (exit - entry) / MINUTE : null;
  if (stay !== null && Math.abs(stay - minutes) <= slack) return true;
  return [entry, exit].some((at) => at !== null && Math.abs((at - now) / MINUTE - minutes) <= 2);
}

function isAnywhere(mention: Mention, answer: CheckedAnswer, numbers: readonly number[]): boolean {
  const words = (answer.place ?? "").normalize("NFKC");
  const keywords = (answer.query?.keywords ?? []).join(" ");
  return `${words} ${keywords}`.includes(String(mention.value)) || numbers.includes(Number(mention.value));
}

/** Numbers in the answer that are missing in the text. */
function findInvented(
  mentions: readonly Mention[],
  answer: CheckedAnswer,
  { timeZone, now }: { readonly timeZone: string; readonly now: Date },
): Finding[] {
  const entry = momentOf(answer.entry_at, timeZone), exit = momentOf(answer.exit_at, timeZone);
  const { prices, distances, measures } = numbersOf(answer);
  const of = (kind: Mention["kind"]) =>
    mentions.filter((mention) => mention.kind === kind).flatMap(({ value, others }) => [value, ...others]);
  const findings: Finding[] = [];
  const compare = (numbers: readonly number[], named: readonly (string | number)[], field: Finding["field"]) => {
    for (const value of new Set(numbers)) {
      if (named.some((one) => near(Number(one), value))) continue;
      findings.push({ text: "", field, value, reason: "invented" });
    }
  };
  compare(prices, [...of("price"), ...of("number")], "max_price");
  compare(distances, [...of("distance"), ...of("number")], "radius_m");
  compare(measures, [...of("measure"), ...of("number")], "vehicle");
  const words = {
    clocks: of("clock"),
    lengths: of("duration").map(Number),
    dates: of("date"),
    daysAfter: daysAfter(mentions),
    now: now.getTime(),
  };
  const invented = (field: "entry_at" | "exit_at", value: string | null) =>
    findings.push({ text: "", field, value, reason: "invented" });
  if (entry.at !== null && !isEntryNamed(entry, exit, words)) invented("entry_at", answer.entry_at!);
  if (exit.at !== null && !isExitNamed(exit, entry, words)) invented("exit_at", answer.exit_at!);
  return findings;
}

interface TimeWords {
  readonly clocks: readonly (string | number)[];
  /** In minutes. */
  readonly lengths: readonly number[];
  readonly dates: readonly (string | number)[];
  /** From the day of the start to that of the end. */
  readonly daysAfter: number;
  readonly now: number;
}

/** A time of the text, now, or so long from now; without a date of the text it is today or tomorrow. */
function isEntryNamed(entry: Moments, exit: Moments, words: TimeWords): boolean {
  const { clocks, lengths, dates, now } = words;
  if (Math.abs(entry.at! - now) <= 2 * MINUTE || isFromNow(entry.at!, words)) return true;
  const isDay = dates.length > 0
    ? dates.some((date) => isDate(date, entry, exit))
    : entry.at! > now - DAY * MINUTE && entry.at! < now + 2 * DAY * MINUTE;
  // Of whole days and nights the text rarely has the hour.
  const isTime = clocks.includes(entry.minute!) || lengths.some((length) => length >= DAY) ||
    (exit.minute !== null && clocks.includes(exit.minute) && isLong(entry.at!, exit.at!, lengths));
  return isDay && isTime;
}

function isExitNamed(exit: Moments, entry: Moments, words: TimeWords): boolean {
  const { clocks, lengths, dates, daysAfter } = words;
  if (isFromNow(exit.at!, words)) return true;
  if (entry.at !== null && isLong(entry.at, exit.at!, lengths)) return true;
  const isDay = dates.some((date) => date === exit.date || endsOn(date, exit)) ||
    (entry.at !== null && exit.at! - entry.at <= DAY * MINUTE) ||
    Date.parse(exit.date!) - Date.parse(entry.date ?? "") === daysAfter * DAY * MINUTE;
  return isDay && (clocks.includes(exit.minute!) || dates.some((date) => endsOn(date, exit)));
}

/** 翌日20:00: so many days after the day of the start. */
function daysAfter(mentions: readonly Mention[]): number {
  const times = mentions.filter(({ kind }) => kind === "clock");
  return Math.max(0, ...times.map(({ text }) => text.startsWith("翌々") ? 2 : /^(?:翌|次の日)/u.test(text) ? 1 : 0));
}

function isFromNow(at: number, { lengths, now }: TimeWords): boolean {
  return lengths.some((length) => Math.abs((at - now) / MINUTE - length) <= 2);
}

/** Whether a stay is as long as the text says: nights and days within half a day or so. */
function isLong(entry: number, exit: number, lengths: readonly number[]): boolean {
  return lengths.some((length) => Math.abs((exit - entry) / MINUTE - length) <= (length >= DAY ? DAY : 1));
}

/** The start is on a mentioned day, or in the night after it. */
function isDate(date: string | number, entry: Moments, exit: Moments): boolean {
  if (date === entry.date || date === exit.date) return true;
  const after = entry.date === null ? NaN : Date.parse(entry.date) - Date.parse(String(date));
  return after === DAY * MINUTE && entry.minute !== null && entry.minute < 360;
}
