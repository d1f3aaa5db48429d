/** Cuts a text into tokens in one pass: numbers with their units, clock times, amounts of money, words. */
import { kanjiNumber } from "../ai_search/rules/japanese_numbers.ts";
import { characters } from "./characters.ts";
import type { Stretch } from "./types.ts";
import { type Meaning, WORDS } from "./words.ts";

export interface Band {
  /** Minutes since midnight. The end is at most 1440. An end that is not after the start is on the next day. */
  readonly start: number;
  readonly end: number;
}

export type Token =
  & Stretch
  & (
    | Meaning
    | { readonly kind: "line" }
    | { readonly kind: "unknown" }
    | { readonly kind: "number"; readonly value: number; readonly isAmbiguous: boolean }
    | { readonly kind: "duration"; readonly minutes: number; readonly isUnit?: true }
    | { readonly kind: "nth"; readonly nth: number }
    | { readonly kind: "clock"; readonly minute: number; readonly isNextDay: boolean }
    | { readonly kind: "hours"; readonly value: number; readonly minutes: number }
    | { readonly kind: "band"; readonly band: Band; readonly isValid: boolean }
    | { readonly kind: "money"; readonly minor: number; readonly isOther: boolean }
  )
  & { readonly isLatin: boolean };

type Unplaced = Token extends infer T ? T extends Token ? Omit<T, "from" | "to" | "isLatin"> : never : never;

const CLOCK = /(\d{1,2}):([0-5]\d)(?!\d)(?::00(?!\d))?/y;
const NUMBER = /\d{1,12}(?:[.,]\d{1,12}){0,3}/y;
const KANJI = /[〇零一二三四五六七八九十百千万\d.]{1,12}(?=時間|時|分|円|泊)/y;
const HAS_KANJI = /[〇零一二三四五六七八九十百千万]/u;
const SIGN = /(?:s\$|ca?\$|[¥$€£]|chf|eur|usd|jpy|gbp|fr\.)(?= ?\d)/y;
const AMOUNT_END =
  / ?(?:円|えん|yen(?![a-z])|jpy(?![a-z])|€|euros?(?![a-z])|eur(?![a-z])|chf(?![a-z])|francs?(?![a-z])|£|\$|usd(?![a-z])|gbp(?![a-z])|dollars?(?![a-z]))/y;
const DASH_END = /(?:,|\.)?-(?! ?\d)/y;
const HOURS = / ?(?:時間|hours?(?![a-z])|hrs?(?![a-z.])|stunden?(?![a-z])|std\.?(?![a-z])|heures?(?![a-zé]))/y;
const HOURS_HALF = /半/y;
const MINUTES = / ?(?:分間?|minutes?(?![a-z])|mins?(?![a-z])|minuten(?![a-z])|')/y;
const MORE_MINUTES = /と?(\d{1,2})分/y;
const H = / ?h(?:([0-5]\d)(?!\d))?(?![a-z])/y;
const O_CLOCK = /時(?!間)(?:(半)|([0-5]?\d)分)?/y;
const UHR = / ?uhr(?![a-z])/y;
const HALF_DAY = / ?(am|pm|a\.m\.?|p\.m\.?)(?![a-z])/y;
const ORDINAL = /(?:st|nd|rd|th|ère|ere|ème|er|e)(?![a-z])|\.(?= (?:angefangene )?(?:stunde|std))|時間目/y;
/** 高さ制限2.1m, "max. height 2.1 m". Prices by height have other words. */
const SIZE = "\\d{1,4}(?:\\.\\d{1,2})? ?(?:メートル|m|cm|mm|トン|t|kg)(?![a-z0-9])(?:まで|以下)?";
const SIDE = "(?:高さ|車高|全高|車幅|全幅|幅|全長|車長|長さ|総重量|車重|重量)";
const LIMIT = new RegExp(
  `(?:${SIDE}制限[:は]? ?${SIZE}|(?:車両|車輌|入庫)?制限[: ]{1,2}${SIDE} ?${SIZE}(?:[ 、・/]{1,2}${SIDE} ?${SIZE}){0,3}|(?:(?:max(?:imum|\\.)? height|height (?:limit|restriction))(?: is)?:? ?${SIZE}))(?=[ \\n,.、。)]|$)(?! ?(?:以上|超|を超|の車|車両|は))`,
  "y",
);
const LETTER = /[a-zà-ÿ0-9]/u;

const SIGNS: Readonly<Record<string, string>> = {
  "¥": "JPY",
  jpy: "JPY",
  円: "JPY",
  えん: "JPY",
  yen: "JPY",
  "€": "EUR",
  eur: "EUR",
  euro: "EUR",
  euros: "EUR",
  "£": "GBP",
  gbp: "GBP",
  chf: "CHF",
  "fr.": "CHF",
  franc: "CHF",
  francs: "CHF",
  usd: "USD",
};
const DOLLARS: ReadonlySet<string> = new Set(["USD", "CAD", "SGD", "AUD", "HKD", "NZD", "TWD"]);
/** The most minor units that a column can hold. */
const MAX_MINOR = 100_000_000;

export function tokens(raw: string, currency: string): Token[] {
  const { text, origin } = characters(raw);
  const digits = digitsOf(currency);
  const found: Token[] = [];
  let at = 0, hasLimit = false;
  const match = (pattern: RegExp, from: number) => {
    pattern.lastIndex = from;
    return pattern.exec(text);
  };

  while (at < text.length) {
    const character = text.charAt(at);
    if (character === " " || character === "　") {
      at++;
      continue;
    }
    if (character === "\n") {
      add({ kind: "line" }, at + 1);
      continue;
    }
    if (character === "ー" && /[\d時分]/.test(text.charAt(at - 1)) && /[\d翌]/.test(text.charAt(at + 1))) {
      add({ kind: "to" }, at + 1);
      continue;
    }
    if (!(limit() || word() || amountWithSign() || clock() || kanji() || number())) unknown();
  }
  return joined(found);

  function add(token: Unplaced, end: number): true {
    const isLatin = LETTER.test(text.charAt(at)) && !/\d/.test(text.charAt(at));
    found.push({ ...token, isLatin, from: origin[at]!, to: origin[end]! } as Token);
    at = end;
    return true;
  }

  /** The limit of the vehicles, once: of two, each would have its own prices. */
  function limit(): boolean {
    const written = hasLimit ? null : match(LIMIT, at);
    if (written === null) return false;
    hasLimit = true;
    return add({ kind: "stop" }, at + written[0].length);
  }

  function word(): boolean {
    const before = text.charAt(at - 1);
    for (const [word, meaning] of WORDS.get(text.charAt(at)) ?? []) {
      if (!text.startsWith(word, at)) continue;
      const end = at + word.length;
      const first = word.charAt(0), last = word.charAt(word.length - 1);
      // A Latin word ends where its letters end. A word that begins with a digit is not the tail of a number.
      if (/[a-zà-ÿ]/u.test(last) && /[a-zà-ÿ]/u.test(text.charAt(end))) continue;
      if (/[a-zà-ÿ]/u.test(first) && /[a-zà-ÿ]/u.test(before)) continue;
      if (/\d/.test(first) && /[\d.,:]/.test(before)) continue;
      if (/\d/.test(last) && /[\d.,:]/.test(text.charAt(end))) continue;
      return add(meaning, end);
    }
    return false;
  }

  function amountWithSign(): boolean {
    const sign = match(SIGN, at);
    if (sign === null) return false;
    const start = at + sign[0].length + (text.charAt(at + sign[0].length) === " " ? 1 : 0);
    const run = match(NUMBER, start);
    if (run === null) return false;
    let end = start + run[0].length;
    end += match(DASH_END, end)?.[0].length ?? 0;
    const after = match(AMOUNT_END, end);
    if (after !== null && sameCurrency(sign[0], after[0].trim())) end += after[0].length;
    return money(run[0], sign[0], end);
  }

  function sameCurrency(one: string, other: string): boolean {
    return (SIGNS[one] ?? one) === (SIGNS[other] ?? other);
  }

  function money(written: string, sign: string, end: number): true {
    const minor = minorOf(written, digits);
    if (minor === undefined) return add({ kind: "number", value: NaN, isAmbiguous: true }, end);
    const isOther = sign.endsWith("$") || sign.startsWith("dollar") ? !DOLLARS.has(currency) : SIGNS[sign] !== currency;
    return add({ kind: "money", minor, isOther }, end);
  }

  function clock(): boolean {
    const found = match(CLOCK, at);
    if (found === null || /\d:?$/.test(text.slice(Math.max(0, at - 2), at))) return false;
    const end = at + found[0].length;
    return clockOf(Number(found[1]), Number(found[2]), end);
  }

  /** A clock time, with the half of the day that stands after it. Above 29:59 it is none. */
  function clockOf(hour: number, minutes: number, end: number): boolean {
    const half = match(HALF_DAY, end);
    let minute = hour * 60 + minutes;
    if (half !== null) {
      if (hour > 12 || hour === 0) return false;
      minute = (hour % 12 + (half[1]!.startsWith("p") ? 12 : 0)) * 60 + minutes;
      end += half[0].length;
    }
    if (minute >= 1800) return false;
    return add({ kind: "clock", minute, isNextDay: false }, end);
  }

  function kanji(): boolean {
    const run = match(KANJI, at);
    if (run === null || !HAS_KANJI.test(run[0]) || /\d/.test(text.charAt(at - 1))) return false;
    const value = kanjiNumber(run[0]);
    return value !== undefined && Number.isInteger(value) && withUnit(String(value), at + run[0].length);
  }

  function number(): boolean {
    const run = match(NUMBER, at);
    return run !== null && withUnit(run[0], at + run[0].length);
  }

  /** A number and what stands after it. */
  function withUnit(written: string, end: number): boolean {
    const amount = match(AMOUNT_END, end + (match(DASH_END, end)?.[0].length ?? 0));
    if (amount !== null) return money(written, amount[0].trim(), amount.index + amount[0].length);
    const value = plainOf(written);
    if (value === undefined) return add({ kind: "number", value: NaN, isAmbiguous: true }, end);
    const ordinal = Number.isInteger(value) ? match(ORDINAL, end) : null;
    if (ordinal !== null) {
      return add({ kind: "nth", nth: value }, end + ordinal[0].length);
    }
    const hours = match(HOURS, end);
    if (hours !== null) {
      end += hours[0].length;
      if (match(HOURS_HALF, end)) return duration(value * 60 + 30, end + 1);
      const more = match(MORE_MINUTES, end);
      if (more !== null) return duration(value * 60 + Number(more[1]), end + more[0].length);
      return duration(value * 60, end);
    }
    const minutes = match(MINUTES, end);
    if (minutes !== null) return duration(value, end + minutes[0].length);
    if (Number.isInteger(value) && value < 30) {
      const time = match(O_CLOCK, end);
      if (time !== null && Number(time[2] ?? 0) < 60) {
        return clockOf(value, time[1] ? 30 : Number(time[2] ?? 0), end + time[0].length);
      }
      const uhr = match(UHR, end);
      if (uhr !== null) return clockOf(value, 0, end + uhr[0].length);
      if (match(HALF_DAY, end) !== null && clockOf(value, 0, end)) return true;
    }
    const dotted = /^(\d{1,2})\.([0-5]\d)$/.exec(written);
    const uhr = match(UHR, end) ?? match(HALF_DAY, end);
    if (dotted !== null && uhr !== null) {
      const isHalf = /m/.test(uhr[0]);
      return clockOf(Number(dotted[1]), Number(dotted[2]), isHalf ? end : end + uhr[0].length);
    }
    const h = match(H, end);
    if (h !== null && (h[1] === undefined || Number.isInteger(value))) {
      return add({ kind: "hours", value, minutes: Number(h[1] ?? 0) }, end + h[0].length);
    }
    return add({ kind: "number", value, isAmbiguous: false }, end);
  }

  function duration(minutes: number, end: number): true {
    return Number.isInteger(minutes) && minutes > 0 && minutes <= 527_040
      ? add({ kind: "duration", minutes }, end)
      : add({ kind: "number", value: minutes, isAmbiguous: false }, end);
  }

  /** Letters of one script that no word covers are one token. */
  function unknown(): void {
    let end = at + String.fromCodePoint(text.codePointAt(at)!).length;
    if (LETTER.test(text.charAt(at))) { while (/[a-zà-ÿ]/u.test(text.charAt(end))) end++; }
    add({ kind: "unknown" }, end);
  }
}

const DIGITS = new Map<string, number>();

/** The decimals of a currency. */
function digitsOf(currency: string): number {
  const known = DIGITS.get(currency);
  if (known !== undefined) return known;
  const digits = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits!;
  DIGITS.set(currency, digits);
  return digits;
}

/** An amount in minor units: 1,200 and 2,50 and 1.200,50. Undefined if it can be read in two ways. */
function minorOf(written: string, digits: number): number | undefined {
  const groups = written.split(/[.,]/);
  const separators = written.replace(/\d/g, "");
  const last = groups.at(-1)!;
  let whole = groups[0]!, fraction = "";
  if (groups.length > 1) {
    const isGrouped = groups[0]!.length <= 3 && groups[0] !== "0";
    const inner = groups.slice(1, -1);
    if (inner.some(({ length }) => length !== 3) || new Set(separators.slice(0, -1)).size > 1) return undefined;
    if (last.length === 3) {
      if (!isGrouped || new Set(separators).size > 1) return undefined;
      // 1,200 yen; but 1.200 euros can be one euro twenty.
      if (digits !== 0 || separators.includes(".")) return undefined;
      whole = groups.join("");
    } else {
      if (last.length > 2 || digits < last.length || (inner.length > 0 && separators.at(-1) === separators.at(0))) {
        return undefined;
      }
      if (inner.length > 0 && !isGrouped) return undefined;
      whole = groups.slice(0, -1).join("");
      fraction = last;
    }
  }
  const minor = Number(whole + fraction.padEnd(digits, "0").slice(0, digits));
  return Number.isSafeInteger(minor) && minor <= MAX_MINOR ? minor : undefined;
}

/** A number of hours, minutes or nothing: 1.5 or 1,5. */
function plainOf(written: string): number | undefined {
  if (/^\d{1,6}$/.test(written)) return Number(written);
  const parts = /^(\d{1,3})[.,](\d{1,2})$/.exec(written);
  return parts === null ? undefined : Number(`${parts[1]}.${parts[2]}`);
}

/** Joins tokens that have a meaning only together: bands, units without a number, days in a list, halves of the day. */
function joined(found: readonly Token[]): Token[] {
  const halves: Token[] = [];
  for (let at = 0; at < found.length; at++) {
    const token = found[at]!, next = found[at + 1];
    const isHalf = token.kind === "before_noon" || token.kind === "after_noon" || token.kind === "night_band";
    if (isHalf && next?.kind === "clock" && next.from - token.to <= 1) {
      const minute = halfOf(token.kind, next.minute);
      if (minute !== undefined) {
        halves.push({ ...next, minute, from: token.from });
        at++;
        continue;
      }
    }
    halves.push(token);
  }
  const next: Token[] = [];
  for (let at = 0; at < halves.length; at++) {
    const token = halves[at]!, after = halves[at + 1];
    const unit = halves[at + 2];
    if (token.kind === "number" && after?.kind === "first" && after.isLatin && unit !== undefined && isUnit(unit)) {
      // "30 premières minutes"
      const minutes = token.value * (unit.kind === "hour_unit" ? 60 : 1);
      next.push({ ...after, from: token.from }, { ...unit, kind: "duration", minutes, from: token.from });
      at += 2;
    } else if (token.kind === "next_day" && after?.kind === "clock") {
      next.push({ ...after, isNextDay: true, from: token.from });
      at++;
    } else if (token.kind === "noon" || token.kind === "midnight") {
      next.push({ ...token, kind: "clock", minute: token.kind === "noon" ? 720 : 1440, isNextDay: false });
    } else if (isUnit(token)) {
      next.push({ ...token, kind: "duration", minutes: token.kind === "hour_unit" ? 60 : 1, isUnit: true });
    } else next.push(token);
  }
  return daysJoined(bandsJoined(withoutPayments(next)));
}

/** 現金・クレジットカード利用可: ways to pay, with the word that ends their list. Without it the price may be for them alone. */
function withoutPayments(found: readonly Token[]): Token[] {
  const kept: Token[] = [];
  for (let at = 0; at < found.length; at++) {
    const token = found[at]!;
    if (token.kind !== "payment") {
      kept.push(token.kind === "usable" ? { ...token, kind: "filler" } : token);
      continue;
    }
    let end = at + 1;
    while (found[end]?.kind === "payment" || found[end]?.kind === "comma" || found[end]?.kind === "slash") end++;
    if (found[end]?.kind === "usable") at = end;
    else kept.push({ ...token, kind: "unknown" });
  }
  return kept;
}

const isUnit = ({ kind }: Token) => kind === "hour_unit" || kind === "minute_unit";

function halfOf(half: "before_noon" | "after_noon" | "night_band", minute: number): number | undefined {
  if (minute > 720) return half === "before_noon" ? undefined : minute;
  if (half === "before_noon") return minute;
  if (half === "after_noon") return minute % 720 + 720;
  return minute < 360 ? minute : minute === 720 ? 1440 : minute + 720;
}

const isSide = (token: Token | undefined) =>
  token?.kind === "clock" || token?.kind === "hours" || token?.kind === "number" || token?.kind === "until_midnight";

function minuteOf(token: Token): number | undefined {
  if (token.kind === "clock") return token.minute;
  if (token.kind === "until_midnight") return 1440;
  const value = token.kind === "hours" || token.kind === "number" ? token.value : NaN;
  return Number.isInteger(value) && value <= 24 ? value * 60 + (token.kind === "hours" ? token.minutes : 0) : undefined;
}

/**
 * 8-20 30分200円, 9-18 20分300円 18-9 60分100円: bare numbers before a unit are hours if they are those of a day, or if each
 * band begins where another one ends. Other numbers can be those of spaces.
 */
function bareBands(found: readonly Token[]): ReadonlySet<Token> {
  const pairs: (readonly [number, number, Token])[] = [];
  for (let at = 0; at + 3 < found.length; at++) {
    const [left, middle, right, unit] = [found[at]!, found[at + 1]!, found[at + 2]!, found[at + 3]!];
    if (left.kind !== "number" || middle.kind !== "to" || right.kind !== "number" || unit.kind !== "duration") continue;
    pairs.push([left.value, right.value, left]);
  }
  const isDay = pairs.length === 1 && pairs.every(([from, to]) => from >= 5 && from <= 12 && to >= 16);
  const isRing = pairs.length > 1 && pairs.every(([, to]) => pairs.some(([from]) => from % 24 === to % 24));
  return new Set(isDay || isRing ? pairs.map(([, , left]) => left) : []);
}

function bandsJoined(found: readonly Token[]): Token[] {
  const bare = bareBands(found);
  const bands: Token[] = [];
  let at = 0;
  while (at < found.length) {
    let start = at;
    const hasFrom = found[start]!.kind === "from" && isSide(found[start + 1]);
    if (hasFrom) start++;
    const left = found[start]!;
    let middle = start + 1;
    // から alone is the range, and から～ too.
    if (found[middle]?.kind === "from" && isSide(left)) middle++;
    if (found[middle]?.kind === "to" || found[middle]?.kind === "until") middle++;
    let right = middle > start + 1 ? found[middle] : undefined;
    // "von 8 bis 18 uhr", "de 8h à 20h"; a "next day" after the second time belongs to it.
    let end = middle + 1;
    const begin = isSide(left) ? minuteOf(left) : undefined;
    const finish = isSide(right) ? minuteOf(right!) : undefined;
    if (
      right !== undefined && begin !== undefined && finish !== undefined &&
      (bare.has(left) || isRange(left, right, hasFrom))
    ) {
      if (found[end]?.kind === "next_day") {
        if (right.kind === "clock") right = { ...right, isNextDay: true };
        end++;
      }
      if (found[end]?.kind === "until") end++;
      bands.push({
        kind: "band",
        band: { start: begin % 1440, end: finish > 1440 ? finish - 1440 : finish === 0 ? 1440 : finish },
        isValid: isWithinDay(begin, finish, right),
        isLatin: found[at]!.isLatin || right.isLatin,
        from: found[at]!.from,
        to: found[end - 1]!.to,
      });
      at = end;
      continue;
    }
    const token = found[at]!;
    bands.push(
      token.kind === "hours" ? { ...token, kind: "duration", minutes: token.value * 60 + token.minutes } : token,
    );
    at++;
  }
  return bands.map((token) =>
    token.kind === "duration" && !(Number.isInteger(token.minutes) && token.minutes > 0)
      ? { ...token, kind: "number", value: token.minutes, isAmbiguous: false }
      : token
  );
}

/** Of two bare numbers no band is made, except those of bareBands. Of hours like 8h only if both are, or words say so. */
function isRange(left: Token, right: Token, hasFrom: boolean): boolean {
  if (left.kind === "clock" || right.kind === "clock") return left.kind !== "until_midnight";
  if (left.kind === "hours" && right.kind === "hours") return true;
  return hasFrom && right.kind === "hours" && left.kind === "number";
}

/** A band lasts at most a day. A time above 24:00, or of the next day, must end after midnight. */
function isWithinDay(begin: number, finish: number, right: Token): boolean {
  // 24:00-8:00 is 0:00-8:00.
  if (begin >= 1440) return begin === 1440 && finish > 0 && finish < 1440;
  if (finish > 1440) return finish - 1440 <= begin;
  const isNextDay = right.kind === "clock" && right.isNextDay;
  return !isNextDay || finish <= begin || finish === 1440;
}

/** 平日・土曜, "sat, sun and holidays": one list of days. */
function daysJoined(found: readonly Token[]): Token[] {
  const lists: Token[] = [];
  for (const token of found) {
    const last = lists.at(-1), link = lists.at(-2);
    // 平日(月~金): the same days once more.
    if (token.kind === "close" && last?.kind === "days" && link?.kind === "open") {
      const named = lists.at(-3);
      if (named?.kind === "days" && isSame(named.days, last.days)) {
        lists.length -= 2;
        continue;
      }
    }
    if (token.kind === "days") {
      if (last?.kind === "days" && last.to >= token.from - 1) {
        lists[lists.length - 1] = merged(last, token);
        continue;
      }
      if (link?.kind === "days" && isLink(last!)) {
        lists.pop();
        lists[lists.length - 1] = merged(link, token);
        continue;
      }
    }
    lists.push(token);
  }
  return lists;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((day) => other.includes(day));
}

function isLink(token: Token): boolean {
  return token.kind === "comma" || token.kind === "slash" || token.kind === "filler" || token.kind === "add" ||
    (token.kind === "to" && token.isLatin);
}

function merged(
  one: Token & { kind: "days" },
  other: Token & { kind: "days" },
): Token {
  const all = [...new Set([...one.days, ...other.days])];
  const { strict: _, ...rest } = one;
  return { ...rest, days: all, ...(one.strict && other.strict ? { strict: true as const } : {}), to: other.to };
}
