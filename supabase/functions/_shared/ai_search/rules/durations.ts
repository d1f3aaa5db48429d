/** Durations: hours, nights, days, and times from now. */
import type { Scanner, Span } from "./scanner.ts";

export interface Duration extends Span {
  readonly kind: "duration";
  readonly minutes: number;
  readonly assumed: "half_day" | "range" | "couple" | null;
}
export interface Nights extends Span {
  readonly kind: "nights";
  readonly nights: number;
}
export interface Days extends Span {
  readonly kind: "days";
  readonly days: number;
}
/** One whole calendar day. */
export interface WholeDay extends Span {
  readonly kind: "whole_day";
}
/** A time this many minutes from now. */
export interface FromNow extends Span {
  readonly kind: "from_now";
  readonly minutes: number;
}
/** 1時間延長: a change of the stay before, whose times no query has. */
export interface Change extends Span {
  readonly kind: "change";
}
/** "a few hours": a duration without a number. */
export interface SomeTime extends Span {
  readonly kind: "some_time";
}

export type Length = Duration | Nights | Days | WholeDay | FromNow | Change | SomeTime;

const N = "\\d{1,4}(?:\\.\\d{1,2})?";
const HOURS = `(?:hours?|hrs?|h(?![a-z])|時間)`;
const MINUTES = `(?:minutes?|mins?|分間?)`;

const ABOUT = "(?:about |around |roughly |approx\\.? |~|約|だいたい|大体)?";
const TAIL = "(?:くらい|ぐらい|程度|ほど|だけ|弱|強|ちょい|ちょっと|ばかり|未満|以内|まで| or so| max| tops| at most)?";
/** Hours and minutes in one expression: 2時間30分, 1時間半, 2.5 hours, 1h30m, an hour and a half. */
const AMOUNT =
  `(?:(?<h>${N})[ -]?${HOURS}(?:(?<half>半| and a half)|(?<=h)(?<hh>[0-5]\\d)(?:m(?![a-z]))?(?![\\d:])| ?(?:と|and )?(?<hm>\\d{1,3}) ?(?:${MINUTES}|m(?![a-z])))?|(?<h2>\\d{1,3}) and a half hours?|(?<!時 ?|[\\d.])(?<m>\\d{1,4})[ -]?${MINUTES}(?![a-z]| (?:to|past|before) \\d{1,2}(?![\\d.]| ?(?:hours?|hrs?|h|min)))|(?<an>an?|1) ?hours?(?<anhalf> and a half)?)`;

const FROM_NOW = [
  new RegExp(`(?:今から|いまから|あと)? ?${AMOUNT}(?:くらい|ぐらい|ほど)?後(?:に|から|くらい|ごろ|頃)?`, "giu"),
  new RegExp(`(?<![a-z])in ${ABOUT}${AMOUNT}(?:'? time)?(?![a-z])`, "giu"),
  new RegExp(
    `(?:今から|いまから|あと)? ?${AMOUNT}(?:くらい|ぐらい|ほど)?(?:で|以内に)(?:着|到着|つき|行け)(?:きます|く|します|る)?`,
    "giu",
  ),
  new RegExp(`(?<!for )(?<!\\d)${AMOUNT} from now`, "giu"),
];
const CHANGE = [
  new RegExp(
    `(?:あと|もう|さらに)?${AMOUNT}(?:くらい|ぐらい|ほど|だけ)?(?:後ろ|前)?に?(?:遅ら|早め(?![にの])|[早遅長短]く|ずら|延長|追加|延ば|伸ば|前倒し|後ろ倒し)[しせす]?(?:て(?:ください|下さい|ほしい|欲しい)?)?`,
    "giu",
  ),
  new RegExp(
    `(?<![a-z])(?:push|move|shift|extend|delay|postpone)(?: (?:it|that|them|the stay))?(?: (?:back|forward|out|by|for)){0,2} ${AMOUNT}(?: (?:later|earlier))?`,
    "giu",
  ),
  new RegExp(`${AMOUNT} (?:later|earlier|longer|shorter)(?![a-z])`, "giu"),
];
const HALF_HOUR_FROM_NOW = /(?<![a-z])in (?:about |around )?half an hour|half an hour from now/giu;

const LENGTH = new RegExp(
  `(?:for |stay(?:ing)? )?(?:the next )?${ABOUT}(?:(?<![\\d:.])(?<low>\\d{1,2})(?<to> ?(?:to|-|~|から|or|か|、) ?))?${AMOUNT}(?:間)?${TAIL}`,
  "giu",
);
const HALF_HOUR = /(?:for )?(?:about |around )?half an hour/giu;
const HALF_DAY =
  /半日(?:間)?(?:くらい|ぐらい|程度|ほど|だけ)?|(?:for )?(?:about )?(?:half a day|a half day|half-day|half day)/giu;
const COUPLE = /(?:for )?(?:(?:a|the next) )?couple(?: of)? (?:hours|hrs)/giu;
const SOME =
  /数時間(?:だけ|ほど|くらい|程度)?|何時間か|数日間?|\d{1,2} ?[ヶヵカケか箇]月間?|(?:for )?(?:a few|several|some) (?:hours|days)|しばらく|(?:for )?a while|(?:till?|until) late(?! ?(?:at|in|night|afternoon|evening|morning|tonight))/giu;

const NIGHTS = [
  /(?<n>\d{1,2}) ?(?:泊(?: ?\d{1,2} ?日)?|晩中?)(?:間)?(?:で|の|したい|駐車|停め)?/gu,
  /(?:for )?(?<n>\d{1,2}) nights?(?![a-z])|(?:for )?(?:a|one) night(?![a-z])/giu,
  /(?:stay(?:ing)? )?overnight|ひと晩(?:中)?|夜通し|オールナイト|泊まり(?:で|がけ)?|お泊り|all night(?: long)?|through the night/giu,
];
const WHOLE_DAY =
  /終日|1日中|まる1日|丸1日|(?:for )?(?:the )?(?:whole|entire|full) day|all[ -]day(?: long)?|(?<!\d)1日(?=停|止|駐|と[めま]|置|預|ずっと|いっぱい|[、。 \uE000]|$|で|だけ|お|(?=[\p{Script=Han}\p{Script=Katakana}]))/giu;
const DAYS =
  /(?<n>\d{1,2}) ?日間(?!後)(?:くらい|ほど)?|(?:for )(?<e>\d{1,2}) days?(?![a-z])|(?<!in )(?<!\d)(?<f>\d{1,2})[- ]days?(?! (?:from (?:now|today|tomorrow)|in (?:advance|total)|ago|later|before|after|earlier|notice|a|per|old)(?![a-z])|\p{L})/giu;
const WEEKS =
  /(?<n>\d{1,2}) ?週間(?!後)|(?:for )(?:(?<e>\d{1,2})|a) weeks?(?![a-z])|(?<!in )(?<![\d:])(?:(?<f>\d{1,2})|(?<![a-z])a) weeks?(?= stay| parking| from(?! now| today| tomorrow)| starting|,|$| at| near| in)/giu;

function minutesOf(groups: Record<string, string | undefined>): number {
  const { h, half, hm, hh, h2, m, an, anhalf } = groups;
  if (an !== undefined) return anhalf === undefined ? 60 : 90;
  if (h2 !== undefined) return Number(h2) * 60 + 30;
  if (m !== undefined) return Number(m);
  return Math.round(Number(h) * 60) + (half === undefined ? Number(hm ?? hh ?? 0) : 30);
}

/** 30分から1時間, "2 hours to 3 hours": the longer one of a range. */
function mergeRanges(scanner: Scanner, lengths: readonly Length[]): Length[] {
  const merged: Length[] = [];
  for (const length of lengths.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    const isRange = last?.kind === "duration" && length.kind === "duration" && length.minutes > last.minutes &&
      /^ ?(?:から|~|-|か|または|もしくは|or|to) ?(?:\d|(?<=~))$/iu.test(scanner.text.slice(last.end, length.start + 1));
    if (!isRange) merged.push(length);
    else merged[merged.length - 1] = { ...length, start: last.start, assumed: "range" };
  }
  return merged;
}

/** Parses 1時間半 and similar. A duration of zero is not consumed. */
export function takeLengths(scanner: Scanner): Length[] {
  const duration = (minutes: number, assumed: Duration["assumed"]) =>
    minutes > 0 ? { kind: "duration" as const, minutes, assumed } : undefined;
  return mergeRanges(scanner, [
    ...CHANGE.flatMap((pattern) => scanner.take(pattern, () => ({ kind: "change" as const }))),
    ...scanner.take(HALF_HOUR_FROM_NOW, () => ({ kind: "from_now" as const, minutes: 30 })),
    ...FROM_NOW.flatMap((pattern) =>
      scanner.take(pattern, (match) => ({ kind: "from_now" as const, minutes: minutesOf(match.groups!) }))
    ),
    ...scanner.take(SOME, () => ({ kind: "some_time" as const })),
    ...scanner.take(HALF_DAY, () => duration(360, "half_day")),
    ...scanner.take(HALF_HOUR, () => duration(30, null)),
    ...scanner.take(COUPLE, () => duration(120, "couple")),
    ...NIGHTS.flatMap((pattern) =>
      scanner.take(pattern, (match) => ({ kind: "nights" as const, nights: Number(match.groups?.["n"] ?? 1) }))
    ),
    ...scanner.take(DAYS, ({ groups }) => ({
      kind: "days" as const,
      days: Number(groups!["n"] ?? groups!["e"] ?? groups!["f"]),
    })),
    ...scanner.take(WEEKS, ({ groups }) => ({
      kind: "days" as const,
      days: 7 * Number(groups!["n"] ?? groups!["e"] ?? groups!["f"] ?? 1),
    })),
    ...scanner.take(LENGTH, (match, span) => {
      const { low, to, h } = match.groups!;
      const minutes = minutesOf(match.groups!);
      if (low === undefined) return duration(minutes, null);
      // "9から3時間": the first number is a time of day.
      if (Number(low) * (h === undefined ? 1 : 60) < minutes) return duration(minutes, "range");
      const found = duration(minutes, null);
      return found && { ...found, start: span.start + match[0].indexOf(`${low}${to}`) + `${low}${to}`.length };
    }),
  ]);
}

/** Runs after dates, because 1日 can be the first of a month. */
export function takeWholeDays(scanner: Scanner): WholeDay[] {
  return scanner.take(WHOLE_DAY, () => ({ kind: "whole_day" as const }));
}
