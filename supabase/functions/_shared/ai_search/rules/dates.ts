/** Days mentioned in the text. */
import { calendarOf, dayOf } from "./local_time.ts";
import type { Scanner, Span } from "./scanner.ts";

export interface DateToken extends Span {
  readonly kind: "date";
  /** Null if the day does not exist (31 November), or if only a holiday calendar determines it. */
  readonly day: number | null;
  readonly problem: "no_such_day" | "holiday" | "vague" | "other_day" | "conflict" | null;
  /** Replacement of a past day: the next such day, or none. */
  readonly ifPast: "week" | "month" | "year" | "refuse";
  /** Why the day is an assumption, if it is one. */
  readonly assumed: "next_week" | "weekend" | "month_first" | null;
  /** A day of the week next to a date only repeats the date. */
  readonly weekday: number | null;
  /** 3日後 and "3 days later": after today, or after the day of the start. */
  readonly daysAfter: number | null;
  /** The words mean a whole week or weekend. Another date can be one of its days. */
  readonly span: boolean;
}

type Reading = Omit<DateToken, "start" | "end" | "kind">;

const plain = (day: number | null, more: Partial<Reading> = {}): Reading => ({
  day,
  problem: day === null ? "no_such_day" : null,
  ifPast: "refuse",
  assumed: null,
  weekday: null,
  daysAfter: null,
  span: false,
  ...more,
});

const KANJI_DAYS = "日月火水木金土";
const ENGLISH_DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const DAY_NAME =
  "(?:sun(?:day)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday|s)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?)";
const MONTH_NAME =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const AFTER_DATE = "(?:の?(?: ?\\( ?)?(?<wd>[日月火水木金土])(?:曜日?\\)?|(?:・?祝)?\\)))?";
const WEEKDAY_JA = "(?:(?<w>[日月火水木金土])曜日?|\\((?<p>[日月火水木金土])\\))";
const nth = (group: string) => `(?<![a-z\\d])(?<${group}>[12]?\\d|3[01])(?:st|nd|rd|th)(?![a-z])`;
/** Matches 土の夜 and 金の19時, but not 土の香り. */
const SHORT_DAY_JA =
  "(?<s>[土金日])(?=の?(?:夜|朝|昼|夕方|午前|午後|\\d{1,2} ?[時:]))(?<![一-龠々ァ-ヶ\\dのるた]日|[一-龠]金|[一-龠]土)";

export interface Today {
  readonly day: number;
  readonly year: number;
  readonly month: number;
  readonly date: number;
  readonly weekday: number;
}

export function todayOf(day: number): Today {
  return { day, ...calendarOf(day) };
}

/** The day of the month in this year, or in the next year if it is past (month may exceed 12). */
function inMonth(year: number, month: number, date: number): number | null {
  return dayOf(year + Math.floor((month - 1) / 12), ((month - 1) % 12) + 1, date) ?? null;
}

function lastOf(today: Today, monthsAhead: number): number {
  return dayOf(today.year + Math.floor((today.month + monthsAhead) / 12), ((today.month + monthsAhead) % 12) + 1, 1)! -
    1;
}

/** The last such day of the week in a month; where none is named, in the next month that has one ahead. */
function lastWeekday(today: Today, weekday: number, monthsAhead: number | undefined): number {
  const [day, next] = [0, 1].map((more) => {
    const last = lastOf(today, (monthsAhead ?? 0) + more);
    return last - ((calendarOf(last).weekday - weekday + 7) % 7);
  });
  return monthsAhead === undefined && day! < today.day ? next! : day!;
}

const ORDINALS = ["first", "second", "third", "fourth"];

/** The first, second … such day of the week in a month, if the month has it. */
function nthWeekday(today: Today, monthsAhead: number, weekday: number, count: number): number | null {
  const first = inMonth(today.year, today.month + monthsAhead, 1)!;
  const day = first + ((weekday - calendarOf(first).weekday + 7) % 7) + 7 * (count - 1);
  return calendarOf(day).month === calendarOf(first).month ? day : null;
}

/** Monday of the week of a day. */
const mondayOf = (today: Today) => today.day - ((today.weekday + 6) % 7);
export const inWeek = (today: Today, weeks: number, weekday: number) =>
  mondayOf(today) + 7 * weeks + ((weekday + 6) % 7);
const coming = (today: Today, weekday: number) => today.day + ((weekday - today.weekday + 7) % 7);

export function weeksAhead(word: string): number {
  return /再来週|week after/iu.test(word) ? 2 : /来週|翌週|next week/iu.test(word) ? 1 : 0;
}

/** A month and a day: in this year, or in the next year if it is past. */
function monthDay(today: Today, year: number | undefined, month: number, date: number): Reading {
  if (month < 1 || month > 12) return plain(null);
  const day = inMonth(year ?? today.year, month, date);
  // 29 February may exist in a later year, but users name the year for such an early reservation.
  return plain(day, { ifPast: year === undefined ? "year" : "refuse" });
}

const FIXED: readonly (readonly [RegExp, number, number])[] = [
  [/大晦日|大みそか|おおみそか|new year'?s eve/giu, 12, 31],
  [/元日|元旦|new year'?s day/giu, 1, 1],
  [/クリスマス ?・?イ[ヴブ]|christmas eve|xmas eve/giu, 12, 24],
  [/クリスマス(?:当日)?|christmas(?: day)?|xmas/giu, 12, 25],
  [/バレンタイン(?:デー)?|valentine'?s? day/giu, 2, 14],
  [/ハロウィン|halloween/giu, 10, 31],
];

const HOLIDAYS =
  /成人の日|建国記念(?:の|日)日?|天皇誕生日|春分の日|昭和の日|憲法記念日|みどりの日|こどもの日|海の日|山の日|敬老の日|秋分の日|スポーツの日|体育の日|文化の日|勤労感謝の日|振替休日|祝前日|(?:次の|今度の)?祝日|(?:public |bank |national )holiday|thanksgiving(?: day)?|easter(?: sunday| monday)?|labou?r day|memorial day/giu;
const VAGUE =
  /年末年始|年末|年始|お?正月|ゴールデンウ[ィイ]ーク|(?<![a-z])gw(?![a-z])|(?:\d{1,2} ?月の?)?(?:上旬|中旬|下旬)|\d{1,2} ?月の?(?:頭|初め|はじめ|半ば)|(?<![\d:])(?:1[0-2]|[1-9])月(?![極\d])|(?<![a-z])in (?:january|february|march|april|may|june|july|august|september|october|november|december)(?! \d)|お盆(?:休み)?|夏休み|冬休み|春休み|連休|三連休|3連休|golden week|new year holidays?|the holidays/giu;

/** Days of the week with times, as on a sign: Monday-Friday 9-5. Without times they are one stay. */
const WORKDAYS =
  "(?:(?<![a-z])mon(?:day)?s?|月(?:曜日?)?) ?(?:-|~|から|to|through|thru) ?(?:fri(?:day)?s?|金(?:曜日?)?)(?:まで)?(?:の|,)? ?(?=(?:from )?\\d{1,2}(?::\\d{2}| ?時(?:\\d{1,2}分|半)?)? ?(?:[ap]m)? ?(?:-|~|から|to |till? |until ))";
const EVERY = new RegExp(
  `${WORKDAYS}|毎週|毎日|毎朝|毎晩|毎月|(?<![今来先翌])週 ?\\d(?:回|日)|(?<!\\d ?)月 ?\\d回|(?:once|twice|\\d (?:times|days)) (?:a|per) (?:week|month)|平日(?:は|の)?(?:毎日)?|every ?(?:day|week|month|weekday|morning|evening)?(?![a-z])|weekdays|daily(?= from| \\d)`,
  "giu",
);

export interface Repetition extends Span {
  readonly kind: "repetition";
  readonly isOnWorkdays: boolean;
}

export function takeRepetitions(scanner: Scanner): Repetition[] {
  return scanner.take(EVERY, ([words]) => ({
    kind: "repetition" as const,
    isOnWorkdays: /^(?:mon|月|平日|weekdays|every ?weekday)/iu.test(words),
  }));
}

type Rule = readonly [RegExp, (groups: Record<string, string | undefined>, today: Today) => Reading | undefined];

const weekdayIndex = (name: string): number =>
  KANJI_DAYS.includes(name) ? KANJI_DAYS.indexOf(name) : ENGLISH_DAYS.indexOf(name.slice(0, 3).toLowerCase());
const monthIndex = (name: string): number => MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;

const RULES: readonly Rule[] = [
  [/年明け(?:の|、)? ?(?:1月)?(?<d>\d{1,2}) ?日/gu, ({ d }, today) => plain(inMonth(today.year + 1, 1, Number(d)))],
  [
    new RegExp(
      `(?<y>20\\d\\d) ?(?:年|[-/.]) ?(?<m>\\d{1,2}) ?(?:月|[-/.]) ?(?<d>\\d{1,2})(?!\\d) ?日?${AFTER_DATE}t?`,
      "giu",
    ),
    ({ y, m, d }, today) => monthDay(today, Number(y), Number(m), Number(d)),
  ],
  [
    new RegExp(`令和 ?(?<y>\\d{1,2}|元) ?年 ?(?<m>\\d{1,2}) ?月 ?(?<d>\\d{1,2}) ?日${AFTER_DATE}`, "giu"),
    ({ y, m, d }, today) => monthDay(today, 2018 + (y === "元" ? 1 : Number(y)), Number(m), Number(d)),
  ],
  [
    new RegExp(`(?:(?<n>来年|今年)の? ?)?(?<m>\\d{1,2}) ?月の? ?(?<d>\\d{1,2}) ?日?${AFTER_DATE}`, "giu"),
    ({ n, m, d }, today) =>
      monthDay(today, n === "来年" ? today.year + 1 : n === "今年" ? today.year : undefined, Number(m), Number(d)),
  ],
  [
    /(?:(?<r>来月|再来月|今月)の? ?(?:末|最終|最後)|月末|最終|最後)の? ?(?<w>[日月火水木金土])曜日?/gu,
    ({ r, w }, today) =>
      plain(lastWeekday(today, weekdayIndex(w!), r === undefined ? undefined : ["今月", "来月", "再来月"].indexOf(r))),
  ],
  [
    new RegExp(`(?<![a-z])(?:on )?(?:the )?last (?<w>${DAY_NAME}) (?:of|in) (?:(?<n>next|this)|the) month`, "giu"),
    ({ w, n }, today) =>
      plain(lastWeekday(today, weekdayIndex(w!), n === undefined ? undefined : Number(n.toLowerCase() === "next"))),
  ],
  [
    /(?:(?<r>来月|再来月|今月)|(?<m>\d{1,2}) ?月)の? ?(?:末日?|最終日|終わり)/giu,
    ({ r, m }, today) =>
      m === undefined
        ? plain(lastOf(today, r === "来月" ? 1 : r === "再来月" ? 2 : 0))
        : plain(lastOf({ ...today, month: Number(m) }, 0), { ifPast: "year" }),
  ],
  [/月末/gu, (_, today) => plain(lastOf(today, 0))],
  [
    new RegExp(`(?<r>来月|再来月|今月|翌月)の? ?(?<d>\\d{1,2}) ?日${AFTER_DATE}`, "giu"),
    ({ r, d }, today) =>
      plain(inMonth(today.year, today.month + (r === "再来月" ? 2 : r === "今月" ? 0 : 1), Number(d))),
  ],
  [
    new RegExp(
      `(?<![\\d/.]|(?<!/\\d{1,2} ?)-)(?<m>\\d{1,2}) ?/ ?(?<d>\\d{1,2})(?:/(?<y>20\\d\\d))?(?![\\d/])${AFTER_DATE}`,
      "giu",
    ),
    ({ m, d, y }, today) => {
      const first = Number(m), second = Number(d);
      const [month, date] = first > 12 && second <= 12 ? [second, first] : [first, second];
      if (first > 31 || second > 31 || (first > 12 && second > 12)) return undefined;
      const reading = monthDay(today, y === undefined ? undefined : Number(y), month, date);
      return { ...reading, assumed: first <= 12 && second <= 12 && first !== second ? "month_first" : null };
    },
  ],
  // 12.10 13:00
  [
    /(?<![\d./])(?<m>1[0-2]|[1-9])\.(?<d>[0-3]?\d)(?: ?\((?<wd>[日月火水木金土])\))?(?= ?\d{1,2}(?::\d{2}|時|\.\d{2} ?[-~]))/gu,
    ({ m, d }, today) => ({ ...monthDay(today, undefined, Number(m), Number(d)), assumed: "month_first" }),
  ],
  // Dec 5-7, December 5th to 7th: the second day.
  [
    new RegExp(
      `(?<=(?<![a-z])(?<mon>${MONTH_NAME})\\.? \\d{1,2}(?:st|nd|rd|th)? ?(?:-|~|to |until |till? |through )(?:the )?)(?<d>\\d{1,2})(?:st|nd|rd|th)?(?![\\d:/]| ?(?:[ap]m|yen|hours?)| (?:${MONTH_NAME})(?![a-z]))`,
      "giu",
    ),
    ({ mon, d }, today) => monthDay(today, undefined, monthIndex(mon!), Number(d)),
  ],
  [
    new RegExp(
      `(?<![a-z])(?:on )?(?:the )?(?<n>first|second|third|fourth|1st|2nd|3rd|4th) (?<w>${DAY_NAME}) (?:of|in) (?:(?:(?<r>next|this)|the) month|(?<mon>${MONTH_NAME})(?![a-z]))`,
      "giu",
    ),
    ({ n, w, r, mon }, today) => {
      const ahead = mon === undefined ? Number(r?.toLowerCase() === "next") : (monthIndex(mon) - today.month + 12) % 12;
      const count = ORDINALS.indexOf(n!.toLowerCase()) + 1 || Number.parseInt(n!);
      return plain(nthWeekday(today, ahead, weekdayIndex(w!), count));
    },
  ],
  [
    new RegExp(
      `(?<![a-z])(?:(?<wd>${DAY_NAME}),? )?(?<mon>${MONTH_NAME})\\.? (?:the )?(?<d>\\d{1,2})(?:st|nd|rd|th)?(?![\\d:])(?:,? (?<y>20\\d\\d))?(?! ?(?:am|pm|yen|hours?))`,
      "giu",
    ),
    ({ mon, d, y }, today) => monthDay(today, y === undefined ? undefined : Number(y), monthIndex(mon!), Number(d)),
  ],
  // 5-7 December, 5th to 7th Dec: the first day.
  [
    new RegExp(
      `(?<![\\d:./-])(?<d>\\d{1,2})(?:st|nd|rd|th)?(?= ?(?:-|~|to |until |till? |through )(?:the )?\\d{1,2}(?:st|nd|rd|th)?(?: of)? (?<mon>${MONTH_NAME})(?![a-z]))`,
      "giu",
    ),
    ({ mon, d }, today) => monthDay(today, undefined, monthIndex(mon!), Number(d)),
  ],
  [
    new RegExp(
      `(?<![a-z\\d])(?:(?<wd>${DAY_NAME}),? )?(?:the )?(?<d>\\d{1,2})(?:st|nd|rd|th)?(?: of)? (?<mon>${MONTH_NAME})(?![a-z])(?:,? (?<y>20\\d\\d))?`,
      "giu",
    ),
    ({ mon, d, y }, today) => monthDay(today, y === undefined ? undefined : Number(y), monthIndex(mon!), Number(d)),
  ],
  [
    /(?<![a-z\d])(?:on )?(?:the )?(?<d>\d{1,2})(?:st|nd|rd|th)(?: of)? (?<n>next|this) month/giu,
    ({ d, n }, today) => plain(inMonth(today.year, today.month + (n!.toLowerCase() === "next" ? 1 : 0), Number(d))),
  ],
  [
    new RegExp(
      `(?<![a-z])(?:on )?the ${
        nth("d")
      }(?! (?:floor|street|avenue|ave|st|century|district|ward|hole|tee|base)(?![a-z]))|(?:(?<=(?<![a-z])(?:from|until|till?|to|through|thru|by) )|(?<![a-z])on )${
        nth("e")
      }(?= ?(?:$|[,.;)-]|\\d)| (?:from|at|to|until|till?|for|in|near)(?![a-z]))|${
        nth("f")
      }(?= (?:at |from )?\\d{1,2}(?::\\d{2}| ?[ap]m| ?-))`,
      "giu",
    ),
    ({ d, e, f }, today) => plain(inMonth(today.year, today.month, Number(d ?? e ?? f)), { ifPast: "month" }),
  ],
  [
    /(?<n>\d{1,3}) ?日後(?:の)?|(?:in )(?<e>\d{1,3}) days?(?:'? time)?(?![a-z])|(?<f>\d{1,3}) days (?:from (?:now|today)|(?<l>later|after(?= at|[ ,]{1,2}\d|$)))(?![a-z])/giu,
    ({ n, e, f, l }, today) => {
      const count = Number(n ?? e ?? f);
      return plain(today.day + count, { daysAfter: n === undefined && l === undefined ? null : count });
    },
  ],
  // As 翌日: after the day of the start.
  [
    /(?<![a-z])(?:on )?(?:the )?(?:next|following) day(?![a-z])|(?<!tomorrow,? but )the day after(?=[,.;]|$| (?:at|around|by) )/giu,
    (_, today) => plain(today.day + 1, { daysAfter: 1 }),
  ],
  [
    /(?<n>\d{1,2}) ?週間後(?:の)?|in (?:(?<e>\d{1,2}|a) weeks?|(?<f>a fortnight))(?:'s?)?(?: time)?(?![a-z])/giu,
    ({ n, e, f }, today) => plain(today.day + 7 * (f === undefined ? Number.parseInt(n ?? e!) || 1 : 2)),
  ],
  [
    /(?:(?<r>来月|再来月|今月)|(?<m>\d{1,2}) ?月)?の?第 ?(?<n>[1-5一二三四]) ?(?<w>[日月火水木金土])曜日?/gu,
    ({ r, m, n, w }, today) => {
      const named = m === undefined ? 0 : (Number(m) - today.month + 12) % 12;
      const ahead = r === "来月" ? 1 : r === "再来月" ? 2 : named;
      return plain(nthWeekday(today, ahead, weekdayIndex(w!), "一二三四".indexOf(n!) + 1 || Number(n)));
    },
  ],
  [
    new RegExp(
      `(?:(?<c>\\d{1,2}|an?) weeks?|(?<f>a fortnight)) (?:from |after |on |(?=to[dm]))(?:(?:next|this) )?(?<w>${DAY_NAME}|tomorrow|today|now)(?![a-z])|(?<![a-z])(?:on )?(?<x>next )?(?<v>${DAY_NAME}|tomorrow|today) week(?![ -]?end|[a-z])`,
      "giu",
    ),
    ({ c, f, w, v, x }, today) => {
      const name = (w ?? v)!.toLowerCase();
      const day = /^(?:today|now)$/.test(name)
        ? today.day
        : name === "tomorrow"
        ? today.day + 1
        : coming(today, weekdayIndex(name));
      const weeks = f === undefined ? Number.parseInt(c ?? "1") || 1 : 2;
      return plain(day + 7 * weeks, { assumed: x === undefined ? null : "next_week" });
    },
  ],
  // "two Fridays from now"; in "the Friday after next" the week is unclear.
  [
    new RegExp(
      `(?:the )?(?<c>two|three|second|third|[23](?:nd|rd)?) (?<w>${DAY_NAME})s? from (?:now|today)(?![a-z])|(?:the |on )?(?<u>${DAY_NAME}) after next(?![a-z])`,
      "giu",
    ),
    ({ c, w, u }, today) =>
      u === undefined
        ? plain(coming(today, weekdayIndex(w!)) + (/^(?:two|second|2)/i.test(c!) ? 7 : 14), { assumed: "next_week" })
        : plain(null, { problem: "other_day" }),
  ],
  [
    /(?<![\d/.-])(?<d>\d{1,2}) ?\((?<wd>[日月火水木金土])(?:・?祝)?\)/gu,
    ({ d }, today) => plain(inMonth(today.year, today.month, Number(d)), { ifPast: "month" }),
  ],
  [
    /(?:(?<![\d次翌一-龠ァ-ヶー])(?!次|翌)[一-龠ァ-ヶー]{1,8}[みいめりき]?の日|前日)(?:の|から)?(?= ?(?:夜|朝|昼|夕方|午前|午後|深夜|\d{1,2} ?[時:]))/gu,
    () => plain(null, { problem: "other_day" }),
  ],
  // 年明け最初の土曜: not the coming one.
  [
    new RegExp(
      `(?:年明け|新年|来年|今年|年内|今月|来月)の?(?:最初|最後|一番最初|初)の?(?=${WEEKDAY_JA})|(?:the )?(?:first|last) ${DAY_NAME} (?:of|in) (?:the |next |this )?(?:new )?year(?![a-z])`,
      "giu",
    ),
    () => plain(null, { problem: "other_day" }),
  ],
  [/今日中(?:に)?/gu, (_, today) => plain(today.day)],
  [/明々後日|明明後日|しあさって/gu, (_, today) => plain(today.day + 3)],
  [
    /明後日|あさって|(?<![a-z])(?:not )?tomorrow,? but the day after(?! tomorrow)|(?:(?:the )?day|(?<n>\d{1,2}) days) after tomorrow/giu,
    ({ n }, today) => plain(today.day + 1 + Number(n ?? 1)),
  ],
  [
    /明日(?!香)|あした|あす(?=[のはかにま、 \d]|$)|翌日(?=[^の])(?! ?(?:午前|午後|早朝|朝|昼|夕方|夜|深夜)?の? ?\d{1,2} ?[時:])|tom{1,3}or{1,3}ow|tomo?r{1,3}ow|tmrw|tmr|2moro/giu,
    (_, today) => plain(today.day + 1),
  ],
  [/一昨日|おととい|day before yesterday/giu, (_, today) => plain(today.day - 2)],
  [/昨日|きのう|昨夜|昨晩|yesterday|last night/giu, (_, today) => plain(today.day - 1)],
  [/今日|本日|きょう(?!と)|当日(?!の? ?\d{1,2} ?[月日\/])|(?<![a-z])today(?![a-z])/giu, (_, today) => plain(today.day)],
  [
    /先週(?:の?[日月火水木金土]曜日?)?|last (?:week|month|sunday|monday|tuesday|wednesday|thursday|friday|saturday)/giu,
    (_, today) => plain(today.day - 7),
  ],
  [
    new RegExp(`(?<r>今週|来週|再来週|翌週)の? ?(?:${WEEKDAY_JA}|(?<x>[月火水木金土日])(?![一-龠]))`, "giu"),
    ({ r, w, p, x }, today) => plain(inWeek(today, weeksAhead(r!), weekdayIndex(w ?? p ?? x!))),
  ],
  [
    /(?<r>今|来|再来|次の|今度の)?の?(?:週末|土日祝?)(?:の?(?<w>[土日])曜日?)?/gu,
    ({ r, w }, today) => {
      const weeks = r === "来" ? 1 : r === "再来" ? 2 : 0;
      // On a Sunday, "this weekend" has one day left.
      const sunday = w === "日" || (w === undefined && weeks === 0 && today.weekday === 0);
      return plain(inWeek(today, weeks, sunday ? 0 : 6), {
        assumed: w === undefined ? "weekend" : null,
        ifPast: "week",
        span: w === undefined,
      });
    },
  ],
  [
    /(?:on |over |during )?(?:the |this |(?<n>next) |the (?<c>coming) )?week-?end(?![a-z])/giu,
    ({ n }, today) => {
      const weeks = n === undefined ? 0 : 1;
      return plain(inWeek(today, weeks, weeks === 0 && today.weekday === 0 ? 0 : 6), {
        assumed: "weekend",
        ifPast: "week",
        span: true,
      });
    },
  ],
  [
    new RegExp(`(?:(?<n>次の次の?)|次の?|今度の?|こんどの|直近の)? ?${WEEKDAY_JA}`, "giu"),
    ({ n, w, p }, today) => {
      const weekday = weekdayIndex(w ?? p!);
      if (n !== undefined) return plain(coming(today, weekday) + 7, { assumed: "next_week", weekday });
      return plain(coming(today, weekday), { ifPast: "week", weekday });
    },
  ],
  [
    new RegExp(SHORT_DAY_JA, "gu"),
    ({ s }, today) => plain(coming(today, weekdayIndex(s!)), { ifPast: "week", weekday: weekdayIndex(s!) }),
  ],
  [
    new RegExp(`(?<![a-z])(?:on )?(?<n>next|this|this coming|coming) (?<w>${DAY_NAME})(?![a-z])(?<k> week)?`, "giu"),
    ({ n, w }, today) => {
      const weekday = weekdayIndex(w!);
      if (n!.toLowerCase() !== "next") return plain(coming(today, weekday), { ifPast: "week", weekday });
      return plain(inWeek(today, 1, weekday), { assumed: "next_week", weekday });
    },
  ],
  [
    new RegExp(`(?<![a-z])(?:on )?(?<w>${DAY_NAME})(?: (?<n>next week))?(?![a-z'])`, "giu"),
    ({ w, n }, today) => {
      // "sun", "sat" and "wed" are also ordinary words.
      const weekday = weekdayIndex(w!);
      if (n !== undefined) return plain(inWeek(today, 1, weekday), { weekday });
      return plain(coming(today, weekday), { ifPast: "week", weekday });
    },
  ],
  [
    /(?<![\d年月/.-])(?:(?<d>[02-9]|[0-3]\d) ?日|1 ?日(?=(?:の|に|から|は|まで)? ?(?:\d{1,2} ?[時:]|午|朝|夜|夕|昼|深夜|\()))(?![間後目前市町本程数])(?: ?\([日月火水木金土]\))?/gu,
    ({ d }, today) => plain(inMonth(today.year, today.month, Number(d ?? 1)), { ifPast: "month" }),
  ],
  [
    /来週|再来週|翌週|来月|再来月|来年|今週中?|今月中?|(?:(?:on|in) )?the week after next|(?:next|this) (?:week|month|year)/giu,
    () => plain(null, { problem: "vague", span: true }),
  ],
];

/** 11月25日(水): the day of the week must match the date, in this year or the next. */
function agreed(reading: Reading | undefined, name: string | undefined): Reading | undefined {
  if (reading === undefined || reading.day === null || name === undefined) return reading;
  if (calendarOf(reading.day).weekday === weekdayIndex(name)) return reading;
  return { ...reading, day: null, problem: "conflict" };
}

/** "two days after Christmas", クリスマスの前日: a day that is counted from the one next to it. */
const COUNTED_FROM =
  /(?<![a-z])(?:on )?(?:the )?(?:(?<n>\d{1,2}) days|day) (?<way>before|after|following) (?:the )?$/iu;
const COUNTED_AFTER = /^の(?<way>前々日|前日|翌々日|翌日|次の日(?!曜))(?:の|に)?/u;
const COUNTED_DAYS: Readonly<Record<string, number>> = { 前々日: -2, 前日: -1, 翌々日: 2 };
/** "after Christmas", "the week before Christmas", クリスマス後: days that only the user knows. */
const SOME_DAY_FROM =
  /(?<![a-z])(?:after|except(?: for| on)?|excluding|all but|(?:week(?:end)?|night|evening|morning|days|(?:sun|mon|tues|wednes|thurs|fri|satur)day) before) (?:the )?$/iu;
const SOME_DAY_AFTER = /^の?(?:(?:前後|前|後|明け)(?=の|に|、| |$)|以外|を除)/u;

function counted(scanner: Scanner, token: DateToken): DateToken {
  if (token.day === null) return token;
  const before = scanner.text.slice(Math.max(0, token.start - 30), token.start), after = scanner.text.slice(token.end);
  const from = COUNTED_FROM.exec(before), behind = COUNTED_AFTER.exec(after);
  const start = token.start - (from?.[0].length ?? 0), end = token.end + (behind?.[0].length ?? 0);
  if (from === null && behind === null) {
    return SOME_DAY_FROM.test(before) || SOME_DAY_AFTER.test(after)
      ? { ...token, day: null, problem: "other_day" }
      : token;
  }
  const { n, way } = (from ?? behind)!.groups!;
  const days = from === null ? COUNTED_DAYS[way!] ?? 1 : Number(n ?? 1) * (way === "before" ? -1 : 1);
  scanner.blank([{ start, end }]);
  return { ...token, start, end, day: token.day + days, weekday: null };
}

const JAPANESE = /[ぁ-んァ-ヶ一-龠]/u;

export function takeDates(scanner: Scanner, today: Today): DateToken[] {
  const found: (DateToken & Span)[] = [];
  const keep = (reading: Reading | undefined) => reading && { kind: "date" as const, ...reading };
  for (const [pattern, month, date] of FIXED) {
    found.push(...scanner.take(pattern, () => keep(monthDay(today, undefined, month, date))));
  }
  found.push(...scanner.take(HOLIDAYS, () => keep(plain(null, { problem: "holiday" }))));
  for (const [pattern, read] of RULES) {
    found.push(
      ...scanner.take(pattern, (match) => keep(agreed(read(match.groups ?? {}, today), match.groups?.["wd"]))),
    );
  }
  if (JAPANESE.test(scanner.text)) {
    // Japanese dates have the month first, so this is not an assumption.
    found.forEach((token, index) =>
      found[index] = token.assumed === "month_first" ? { ...token, assumed: null } : token
    );
  }
  found.push(...scanner.take(VAGUE, () => keep(plain(null, { problem: "vague" }))));
  return found.toSorted((a, b) => a.start - b.start).map((token) => counted(scanner, token));
}
