/** Times of day: clock times, parts of the day, now, and the last train. */
import type { Scanner, Span } from "./scanner.ts";

export type DayPart =
  | "dawn"
  | "morning"
  | "forenoon"
  | "noon"
  | "after_noon"
  | "before_noon"
  | "afternoon"
  | "late_afternoon"
  | "evening_ja"
  | "evening"
  | "night"
  | "late_night"
  | "first_train"
  | "last_train";

/**
 * The default times of a part of the day in a text without a clock time: as a start and as an end (in minutes, from
 * 1440 on the next day). `half` is the half of the day of an hour next to it.
 */
export const DAY_PARTS: Readonly<
  Record<
    DayPart,
    {
      readonly from: number;
      readonly until: number;
      readonly half: "am" | "pm" | "night" | "noon";
      readonly isSpan?: true;
    }
  >
> = {
  dawn: { from: 5 * 60, until: 6 * 60, half: "am" },
  morning: { from: 8 * 60, until: 8 * 60, half: "am" },
  forenoon: { from: 9 * 60, until: 12 * 60, half: "am", isSpan: true },
  before_noon: { from: 11 * 60, until: 11 * 60, half: "noon" },
  noon: { from: 12 * 60, until: 12 * 60, half: "noon" },
  after_noon: { from: 13 * 60, until: 13 * 60, half: "noon" },
  afternoon: { from: 13 * 60, until: 17 * 60, half: "pm", isSpan: true },
  late_afternoon: { from: 16 * 60, until: 17 * 60, half: "pm" },
  evening_ja: { from: 17 * 60, until: 18 * 60, half: "pm" },
  evening: { from: 18 * 60, until: 18 * 60, half: "pm" },
  night: { from: 19 * 60, until: 22 * 60, half: "night" },
  late_night: { from: 23 * 60, until: 24 * 60, half: "night" },
  first_train: { from: 5 * 60, until: 5 * 60, half: "am" },
  last_train: { from: 24 * 60 + 30, until: 24 * 60 + 30, half: "night" },
};

export interface Clock extends Span {
  readonly kind: "clock";
  /** Minutes from midnight, as written: 25:00 is 1500. */
  readonly minute: number;
  /** The half of the day. "24h": the notation is unambiguous. Null: both halves are possible. */
  readonly half: "am" | "pm" | "night" | "noon" | "24h" | null;
  /** Written with a colon. 2:00 is more often at night than 2時. */
  readonly colon: boolean;
  /** Days after the start's day: 翌2時. */
  readonly daysAfter: number;
  readonly today: boolean;
}
export interface Part extends Span {
  readonly kind: "part";
  readonly part: DayPart;
  readonly daysAfter: number;
  /** 今夜 and tonight: also the date. */
  readonly today: boolean;
}
export interface Now extends Span {
  readonly kind: "now";
}

export type Point = Clock | Part | Now;

const EDGE = "(?![霞倉来日潮里宮陽張食礼神居勤景]|ご[飯は])";
/** A part of the day does not count before a kanji that makes it part of a name, except after a date: 明日朝渋谷. */
const alone = (word: string) => `(?:(?<=[\\uE000の、 ])(?:${word})${EDGE}|(?:${word})(?![一-龠]|ご[飯は]))`;

const PARTS: readonly (readonly [DayPart, string])[] = [
  [
    "last_train",
    "終電(?:後(?=まで|から|[に、。 ]))?(?!後|を?逃|が?(?:な[いくか]|無))|最終電車|最終(?=まで|[、。 ]|$)|終バス|(?<!miss(?:ed|ing)? )the last train|(?<!the )last train",
  ],
  ["first_train", "始発|the first train|first train"],
  ["dawn", "早朝|明け方|未明|夜明け|early(?: in the)? morning|dawn"],
  ["late_night", "深夜|真夜中|夜中|夜遅く|late(?: at)? night|middle of the night"],
  ["forenoon", "午前中|午前(?!\\d)"],
  ["before_noon", "お?昼前"],
  ["after_noon", "(?:お?昼|午後)(?:一番?|いち|イチ)(?![一-龠])|お?昼過ぎ|昼すぎ|お昼すぎ"],
  ["noon", `${alone("お昼|昼間?|ひる")}|ランチ(?:タイム)?|lunch ?time|(?<=(?:until|till|by|before) )lunch`],
  ["late_afternoon", "late afternoon"],
  ["afternoon", "午後(?!\\d)|(?:the |this )?afternoon"],
  ["evening_ja", `夕方(?:いち|イチ)?|夕刻|${alone("夕")}`],
  ["evening", "(?:the )?evening"],
  ["morning", `朝(?:一番?|イチ|いち|っぱら)|${alone("朝|あさ(?=[のかま、 \\d])")}|モーニング|(?:the )?morning`],
  ["night", `${alone("(?<!通)夜|よる(?=[のかま、 \\d])|晩")}|(?:the |at )?ni(?:ght|te)(?! ?(?:club|market|view))`],
];

const MIXED: readonly (readonly [RegExp, DayPart, number, boolean])[] = [
  [/今朝|this morning/giu, "morning", 0, true],
  [/今夜|今晩|今宵|こんや|こんばん(?!は)|(?<![a-z])(?:to-?night|2nite|tonite)(?![a-z])/giu, "night", 0, true],
  [/late tonight/giu, "late_night", 0, true],
  [/今夕/giu, "evening_ja", 0, true],
  [/this afternoon/giu, "afternoon", 0, true],
  [/this evening/giu, "evening", 0, true],
  [/明朝|明日の朝(?=一)/gu, "morning", 1, true],
  [/明晩/gu, "night", 1, true],
  [/翌朝|次の日の朝|翌日の朝|(?:the )?(?:next|following) morning/giu, "morning", 1, false],
  [/翌(?:日の)?昼/gu, "noon", 1, false],
  [/翌(?:日の)?(?:夕方|夕)/gu, "evening_ja", 1, false],
  [/翌(?:日の)?(?:夜|晩)/gu, "night", 1, false],
];

const NEXT_DAY = "(?<next>翌々日の?|翌日の?|翌朝の?|翌|次の日の?)? ?";
const HALF = "(?:(?<half>午前|午後|am|pm|a\\.m\\.|p\\.m\\.)の? ?)?";
const MINUTES = "(?:(?<half30>半)|(?<min>\\d{1,2}) ?分(?!前(?!後))|(?<min2>[0-5]\\d)(?![\\d円年月日時分:/]))?";
const CLOCKS: readonly RegExp[] = [
  new RegExp(
    `${NEXT_DAY}${HALF}(?<![\\d.])(?<h>\\d{1,2}) ?時(?!間|計|代|台)${MINUTES}(?:ごろ|頃|くらい|ぐらい|過ぎ|すぎ|前|ちょうど|きっかり|ジャスト)?`,
    "giu",
  ),
  new RegExp(
    `${NEXT_DAY}${HALF}(?<![\\d.:])(?<h>\\d{1,2}):(?<min>\\d{2})(?!\\d)(?::\\d{2})?(?: ?(?<late>am|pm|a\\.m\\.?|p\\.m\\.?)(?![a-z]))?`,
    "giu",
  ),
  /half[ -](?:past )?(?<past>\d{1,2})(?: ?(?<late>am|pm))?(?![\da-z])|(?:a )?quarter (?<way>past|after|to|till|before) (?<q>\d{1,2})(?: ?(?<late2>am|pm))?(?![\da-z])|(?<n>\d{1,2})(?: min(?:ute)?s?|(?= past)|(?<=(?:at|until|till?|by|before) (?:5|10|20|25))(?= to)) (?<way2>past|to|before) (?<q2>\d{1,2})(?: ?(?<late3>am|pm))(?![\da-z])/giu,
  /(?<![\d.:])(?<h>\d{1,2})(?:\.(?<min>\d{2}))? ?(?<late>am|pm|a\.m\.?|p\.m\.?)(?![a-z])/giu,
  /(?<![\d.:])(?<h>\d{1,2})\.(?<min>[0-5]\d)(?= ?(?:-|~|to|until|till?|から) ?\d{1,2}\.[0-5]\d(?!\d| ?(?:m|t|km|円|yen)))/giu,
  /(?<=\uE000 ?(?:-|~|to|until|till?|から) ?)(?<h>\d{1,2})\.(?<min>[0-5]\d)(?!\d| ?(?:m|t|km|円|yen))/giu,
  /(?<![\d.:])(?<h>\d{1,2}) ?o'?clock(?: (?<late>am|pm))?/giu,
  /(?<![\d.:])(?<h>\d{1,2})(?: |-(?!15(?! ?[ap]m)))(?<min>30|15|45)(?= ?(?:am|pm|tomorrow|tonight|in the|until|till|to |-|~|$|,))(?: ?(?<late>am|pm))?/giu,
  /(?<![\d.:/-])(?<compact>[012]\d[0-5]\d)(?: ?(?:hours|hrs)(?![a-z])|(?= ?(?:-|~|to|から) ?[012]\d[0-5]\d(?![\d円/-])))/giu,
  /(?<=[\uE000] ?(?:-|~|to|から) ?)(?<compact>[012]\d[0-5]\d)(?![\d円/-])/giu,
  /(?<=(?<![a-z])(?:from|at|until|till?) )(?<compact>[012]\d[0-5]\d)(?![\d円/.-]| ?(?:yen|jpy|m|km)(?![a-z])| (?:an|per|or) )/giu,
];
const EXACT: readonly (readonly [RegExp, number])[] = [
  [/正午(?:ごろ|頃)?|(?<![a-z])(?:12 )?noon(?![a-z])|mid-?day/giu, 720],
  [
    /(?<![a-z])midnight(?![a-z])|日付(?:が|の)?(?:変わる|かわる|変更)(?:頃|ころ|とき|時|前)?(?=まで|に|で|[、。 ]|$)/giu,
    1440,
  ],
];
const NOW =
  /(?<=(?:^|[ 、。]))今(?=[ 、。]|$)|今(?=から|すぐ|スグ|、|から)(?:すぐ|スグ)?|いま(?=から|すぐ)(?:すぐ)?|これから|すぐに(?=停|止|駐|と)|(?<![a-z])(?:right now|from now(?: on)?|starting now|now|right away|immediately|asap)(?![a-z])/giu;

/** A time with its words, as minutes and half of the day. */
function readClock(groups: Record<string, string | undefined>, text: string): Omit<Clock, keyof Span> | undefined {
  const late = (groups["late"] ?? groups["late2"] ?? groups["late3"] ?? groups["half"])?.toLowerCase();
  const named = late === undefined ? null : late === "午後" || late.startsWith("p") ? "pm" : "am";
  const next = groups["next"] ?? "";
  const daysAfter = next.startsWith("翌々") ? 2 : next === "" ? 0 : 1;
  let hour: number, minutes: number;
  if (groups["compact"] !== undefined) {
    hour = Number(groups["compact"].slice(0, 2));
    minutes = Number(groups["compact"].slice(2));
  } else if (groups["past"] !== undefined) {
    hour = Number(groups["past"]);
    minutes = 30;
  } else if (groups["way"] !== undefined || groups["way2"] !== undefined) {
    const away = groups["n"] === undefined ? 15 : Number(groups["n"]);
    const isBefore = /to|till|before/i.test(groups["way"] ?? groups["way2"]!);
    // Quarter to one is 12:45.
    hour = (Number(groups["q"] ?? groups["q2"]) - (isBefore ? 1 : 0)) || 12;
    minutes = isBefore ? 60 - away : away;
  } else {
    hour = Number(groups["h"]);
    minutes = groups["half30"] === undefined ? Number(groups["min"] ?? groups["min2"] ?? 0) : 30;
  }
  if (hour > 30 || minutes > 59 || hour < 0) return undefined;
  if (named !== null && hour > 12) return hour < 24 && named === "pm" ? exact(hour, minutes, daysAfter) : undefined;
  const padded = /^\D{0,6}0\d/.test(text);
  const colon = /\d:\d/.test(text);
  const half = named ?? (next.startsWith("翌朝") ? "am" : hour > 12 || hour === 0 || padded ? "24h" : null);
  return { kind: "clock", minute: hour * 60 + minutes, half, colon, daysAfter, today: false };
}

function exact(hour: number, minutes: number, daysAfter: number): Omit<Clock, keyof Span> {
  return { kind: "clock", minute: hour * 60 + minutes, half: "24h", colon: true, daysAfter, today: false };
}

/** Words between a part of the day and its hour: 朝の9時, tomorrow morning at 9. */
const JOIN_AFTER = /^[\uE000]{0,20}(?:の|、|,)? ?(?:at |from |after |past |around |about |starting (?:at |from )?)?$/iu;
const JOIN_BEFORE = /^ ?[\uE000]{0,20} ?(?:in |at |,)? ?(?:the )?$/iu;

export function takeClocks(scanner: Scanner): Point[] {
  const points: Point[] = [];
  const clocks: Clock[] = [];
  for (const [pattern, minute] of EXACT) {
    clocks.push(...scanner.take(pattern, () => ({
      kind: "clock" as const,
      minute,
      half: "24h" as const,
      colon: true,
      daysAfter: 0,
      today: false,
    })));
  }
  for (const pattern of CLOCKS) {
    clocks.push(...scanner.take(pattern, (match) => readClock(match.groups ?? {}, match[0])));
  }
  const parts: Part[] = MIXED.flatMap(([pattern, part, daysAfter, today]) =>
    scanner.take(pattern, () => ({ kind: "part" as const, part, daysAfter, today }))
  );
  for (const [part, pattern] of PART_PATTERNS) {
    parts.push(...scanner.take(pattern, () => ({ kind: "part" as const, part, daysAfter: 0, today: false })));
  }
  clocks.push(...takeBareHours(scanner, clocks, parts));
  // Lunch from 12 to 14, 昼の部(13時〜16時): with two times a meal is no third one.
  const times = clocks.length > 1
    ? parts.filter(({ start, end }) => !MEAL.test(scanner.slice({ start, end: end + 2 })))
    : parts;
  points.push(...scanner.take(NOW, () => ({ kind: "now" as const })));
  points.push(...joinParts(scanner, clocks, times));
  return points.toSorted((a, b) => a.start - b.start);
}

const MEAL = /^(?:ランチ|lunch)|の部$/iu;

const PART_PATTERNS = PARTS.map(([part, words]) =>
  [part, new RegExp(`(?<![a-z])(?:${words})(?![a-z])(?:ごろ|頃)?`, "giu")] as const
);

/** A part of the day next to a clock time selects the half of the day. It is not a separate time. */
function joinParts(scanner: Scanner, clocks: readonly Clock[], parts: readonly Part[]): Point[] {
  const joined: Point[] = [];
  const free = new Set(parts);
  for (const clock of clocks) {
    const part = [...free].find((one) =>
      (one.end <= clock.start && clock.start - one.end < 24 &&
        JOIN_AFTER.test(scanner.rest.slice(one.end, clock.start))) ||
      (one.start >= clock.end && one.start - clock.end < 24 &&
        JOIN_BEFORE.test(scanner.rest.slice(clock.end, one.start)))
    );
    if (part === undefined) {
      joined.push(clock);
      continue;
    }
    free.delete(part);
    joined.push({
      ...clock,
      start: Math.min(clock.start, part.start),
      end: Math.max(clock.end, part.end),
      // 月曜深夜0時 is in the night after Monday.
      half: clock.minute < 60 && DAY_PARTS[part.part].half === "night"
        ? "night"
        : clock.half ?? DAY_PARTS[part.part].half,
      daysAfter: Math.max(clock.daysAfter, part.daysAfter),
      today: part.today,
    });
  }
  return [...joined, ...free];
}

/** An hour that is only a time because of the words next to it: "9 to 6", "until 7", "9から18時". */
const BARE =
  /(?<![\d.:/\p{L}])(?<h>\d{1,2})(?!\d|\.\d|[:/%"'\p{L}]|(?<=\d) ?(?:hours?|hrs?|h|minutes?|mins?|m|km|yen|jpy|people|persons?|cars?|spots?|spaces?|floors?|nights?|days?|weeks?|months?|years?|feet|ft|tons?|t|kg|cm|mm|miles?|met(?:er|re)s?|dollars?|blocks?|stars?|seats?|times|階|人|台|番|号|丁)(?![a-z]))|(?<![\d.:/\p{L}])(?<h2>\d{1,2})(?=から|まで|より)/giu;
const LEFT =
  /(?:^|[^\p{L}])(?:from|at|until|till|by|before|after|around|about|since|to|starting|between|arriv(?:e|ing)|leav(?:e|ing)|and)(?: (?:at|by|around|about|from))? ?$|(?:~|-|から|より) ?$/iu;
const RIGHT = /^ ?(?:to|until|till|-|~|から|まで|and(?= ?\d))(?![a-z])|^ (?:in|at) \uE000/iu;
const NEAR_TAKEN = /^ (?:in |at )?\uE000|^\uE000|^(?: (?:to|until|till?|-|~)|[-~]) ?(?:\d|\uE000)/iu;

const ALONE =
  /^(?:$|[,.!?;)、。]| ?[\uE000-]| (?:to|till?|until|and|at|in|on|near|nr|for|around|by|with|under|please|sharp|ish|or|if|then|leav|this|next|from|so|but|out|the|o)(?![a-z]))/iu;

function takeBareHours(scanner: Scanner, clocks: readonly Span[], parts: readonly Span[]): Clock[] {
  const starts = new Set(parts.map(({ start }) => start)), ends = new Set(parts.map(({ end }) => end));
  const beside = (position: number, set: ReadonlySet<number>, step: -1 | 1) =>
    set.has(position) || (scanner.text[step < 0 ? position - 1 : position] === " " && set.has(position + step));
  const taken = new Set([...clocks, ...parts].map(({ end }) => end));
  return scanner.take(BARE, (match, span) => {
    const hour = Number(match.groups!["h"] ?? match.groups!["h2"]);
    if (hour > 24) return undefined;
    const before = scanner.before(span.start), after = scanner.after(span.end);
    // 4-2-8 is an address. In 4-2 the second number is an hour only if the first one is.
    if (/^ ?- ?\d{1,3} ?-/.test(after)) return undefined;
    const range = /(?:\d|\uE000)( ?(?:[-~]|(?:to|until|till?)(?= )) ?)$/iu.exec(before);
    const isRange = range !== null && taken.has(span.start - range[1]!.length);
    if (range !== null && !isRange && /[-~]/u.test(range[1]!)) return undefined;
    const left = LEFT.exec(before), right = RIGHT.exec(after);
    const sides = Number(left !== null) + Number(right !== null);
    // "around 5 cars": a number after a time word is an hour only if a time word or nothing follows.
    if (sides === 1 && left !== null && !isRange && !ALONE.test(after)) {
      // "until 6 Roppongi": a name follows.
      if (!/(?:from|until|till) $/iu.test(before) || !/^ (?!Chome|Guys)\p{Lu}\p{Ll}/u.test(after)) return undefined;
    }
    // A number between two names is not an hour: at least one side must be a time word. In "Terminal 2 tonight" the
    // number belongs to the name.
    if (sides === 0 && /\p{Lu}\p{L}{1,20} $/u.test(before)) return undefined;
    if (sides === 0 && !beside(span.start, ends, -1) && !beside(span.end, starts, 1)) return undefined;
    if (left === null && right !== null && !NEAR_TAKEN.test(after) && !/^ ?(?:から|まで)/u.test(after)) {
      return undefined;
    }
    taken.add(span.end);
    return {
      kind: "clock" as const,
      minute: hour * 60,
      half: hour > 12 || hour === 0 ? "24h" as const : null,
      colon: false,
      daysAfter: 0,
      today: false,
    };
  });
}
