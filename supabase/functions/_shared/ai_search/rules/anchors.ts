/** Decides which time is the start and which the end, and assigns a day to each. */
import type { Point } from "./clocks.ts";
import type { DateToken } from "./dates.ts";
import type { FromNow } from "./durations.ts";
import type { Scanner, Span } from "./scanner.ts";

export type Role = "from" | "until";

export interface Anchor extends Span {
  readonly point: Point | FromNow;
  readonly role: Role | null;
  readonly date: DateToken | null;
}

const FROM_AFTER =
  /^(?:ごろ|頃|くらい|ぐらい|過ぎ)?(?:に|で|の|には)? ?(?:から|より|スタート|開始|以降|入庫|入って|入る|入れ|着|到着|in(?! ?[a-z])|イン|~|→|に着|に入|集合|待ち合わせ)/iu;
const UNTIL_AFTER =
  /^(?:ごろ|頃|くらい|ぐらい|過ぎ)?(?:に|で|の|には)? ?(?:まで|迄|出庫|出る|出た|出ます|出て|出し|出(?=[ 、。]|$)|out(?=[ )]*(?:$|[,.;!?、。]))|アウト|終了|終わ|終演|解散|退|帰|戻|閉)/iu;
/** 9時着18時発. Alone, 18時発の新幹線 is when the car is left. */
const DEPARTURE = /^に?発(?=[ 、。でのに]|$)/u;
const ARRIVAL = /^に?(?:到?着|帰着)(?=[ 、。でのに]|$)/u;
const FROM_BEFORE =
  /(?<![a-z])(?:from|at|since|starts?(?: at| from)?|starting(?: at| from)?|begin(?:s|ning)?(?: at)?|arriv(?:e|es|ing|al)(?: is)?(?: at| by| around| about)?|after|open(?:s|ing)?(?: at| from)?|in at|get(?:ting)? there(?: at| by| around)?|there (?:at|by|from|around)|between|check[- ]?in(?: at)?|around)(?: (?:about|around))? ?$|(?:開始|開場|開演|開園|集合|入庫|到着|入り|着)(?:時間|時刻|予定)?(?:は|が|を|:)? ?$/iu;
const UNTIL_BEFORE =
  /(?<![a-z])(?:to|until|till|by|through|before|thru|leav(?:e|es|ing)(?: is)?(?: at| by| around| about)?|out(?: (?:at|by|before|around|on))?|(?:back|home|return(?:s|ing)?(?: home)?)(?: (?:at|by|on|around))?|end(?:s|ing)?(?: at| by)?|clos(?:es|ing)(?: time)?(?: at| by)?|gone by|depart(?:ing|ure)?(?: at)?|check[- ]?out(?: at| by)?|and)(?: (?:about|around))? ?$|(?:~|-|→) ?$|(?:終了|終わり|終演|閉演|閉園|解散|出庫|帰[り国着宅]|出発|退出)(?:時間|時刻|予定)?(?:は|が|を|:)? ?$/iu;
/** The word for the end of a journey, before its time or after it: "leaving Friday 7am, returning Sunday 8 pm". */
const RETURN =
  /(?:back|home|return(?:s|ing)?(?: home)?)(?: (?:at|by|on|around))? ?$|帰[り国着宅](?:は|が|:)? ?$|^(?:ごろ|頃)?(?:に|の)? ?(?:帰|戻)/iu;
/** Between a time and its own date: "7 pm Friday", "15:00 on Dec 5", 9時の土曜. */
export const OWN = /^(?: |の| ?on (?:the )?)?$/iu;
/** Words between a start and its end. */
const RANGE = /から|より|~|-|→|(?<![a-z])(?:to|until|till|through|thru)(?![a-z])/iu;

/** 入庫19時 出庫9時: the word is before its time, so that the word after a time is that of the next one. */
const LABEL = /(?:入庫|入場|到着|開始|開場|開演|開園|集合)(?:時間|時刻|予定)?(?:は|が|:)? ?$/u;
const NEXT_LABEL = /^(?:で|に| )?(?:入庫|入場|到着|開始|開演|出庫|出場|出発|退出|終了|終演|閉演|閉園|解散|帰り)/u;

const RANGE_OF_DATES = /^,? ?(?:から|より|~|-|→|to|until|till?|through|thru) ?(?:the )?$/iu;

/** 12/5~12/7 10時~18時: two days of a range, and the times apart from them. */
export function isRangeOfDates(scanner: Scanner, points: readonly Span[], dates: readonly DateToken[]): boolean {
  const [first, last, ...others] = dates;
  return first !== undefined && last !== undefined && others.length === 0 &&
    RANGE_OF_DATES.test(scanner.text.slice(first.end, last.start)) &&
    points.every(({ start, end }) => end <= first.start || start >= last.end);
}

interface Place extends Span {
  /** Whether another time comes before it. */
  readonly hasBefore: boolean;
  /** Whether the times have their words before them. */
  readonly isLabelled: boolean;
}

function roleOf(scanner: Scanner, { start, end, hasBefore, isLabelled }: Place): Role | null {
  const after = scanner.after(end, 10), before = scanner.before(start, 28);
  const isOwn = !isLabelled || !NEXT_LABEL.test(after);
  if (isOwn && UNTIL_AFTER.test(after)) return "until";
  if (isOwn && FROM_AFTER.test(after)) return "from";
  if (hasBefore && DEPARTURE.test(after)) return "until";
  const until = UNTIL_BEFORE.exec(before), from = FROM_BEFORE.exec(before);
  // "there by 6" is a start, though "by 6" is an end: the longer words count.
  if (until !== null && (from === null || from[0].length < until[0].length)) {
    // "and 6" and "- 6" are an end only after a start; ~18時 is one alone.
    const isOpen = /(?:^|[ 、。])~ ?$/u.test(before);
    if (!/^(?:and|to|-|~|→)/iu.test(until[0].trim()) || hasBefore || isOpen) return "until";
  }
  return from === null ? null : "from";
}

export function anchorsOf(
  scanner: Scanner,
  points: readonly (Point | FromNow)[],
  dates: readonly DateToken[],
): Anchor[] {
  const isRange = isRangeOfDates(scanner, points, dates);
  const bound = isRange && bindRange(scanner, points, dates) || bindDates(scanner, points, dates);
  const wholeOf = (point: Span, date: DateToken | undefined): Span =>
    date === undefined ? point : { start: Math.min(point.start, date.start), end: Math.max(point.end, date.end) };
  const isLabelled = points.length > 0 &&
    LABEL.test(scanner.before(wholeOf(points[0]!, bound.get(points[0]!)).start, 28));
  const roleAt = (span: Span, index: number) => roleOf(scanner, { ...span, hasBefore: index > 0, isLabelled });
  const anchors = points.map((point, index): Anchor => {
    const date = bound.get(point);
    const own = roleAt(point, index);
    // "from Saturday 10am", "leave Sunday at noon": the word before the date counts, an end also against "at".
    const whole = date === undefined || own === "until" ? own : roleAt(wholeOf(point, date), index);
    // "Friday to Sunday at 10am"
    const isLastDay = isRange && points.length === 1 && date !== undefined && date === dates[1] &&
      !FROM_AFTER.test(scanner.after(point.end, 10));
    const said = whole === "until" ? whole : own ?? whole;
    const role = point.kind === "now" ? "from" : isLastDay ? "until" : said;
    return { start: point.start, end: point.end, point, role, date: date ?? null };
  });
  const [first, last] = anchors;
  if (anchors.length === 2 && isJourney(scanner, first!, last!)) {
    return [{ ...first!, role: "from" }, { ...last!, role: "until" }];
  }
  if (anchors.length !== 2 || first!.role !== "until" || last!.role !== "until") return anchors;
  const { start, end } = wholeOf(last!, last!.date ?? undefined);
  const isReturn = RETURN.test(scanner.before(start, 28)) || RETURN.test(scanner.before(last!.start, 28)) ||
    RETURN.test(scanner.after(end, 10));
  return isReturn ? [{ ...first!, role: "from" }, last!] : anchors;
}

/** 12/5 7時発 12/8 21時着: there and back. On one day these are the times of one train. */
function isJourney(scanner: Scanner, out: Anchor, back: Anchor): boolean {
  return out.date !== null && back.date !== null && out.date.day !== back.date.day &&
    DEPARTURE.test(scanner.after(out.end, 10)) && ARRIVAL.test(scanner.after(back.end, 10));
}

/** The days of a range for its times; undefined if they are as those of other dates. */
function bindRange(scanner: Scanner, points: readonly (Point | FromNow)[], [first, last]: readonly DateToken[]) {
  const [start, end, ...others] = points;
  if (end !== undefined) return others.length === 0 ? new Map([[start!, first!], [end, last!]]) : undefined;
  // 5日~7日 10時から: the start. "Friday to Sunday 10am" is the end.
  return start !== undefined && FROM_AFTER.test(scanner.after(start.end, 10)) ? new Map([[start, first!]]) : undefined;
}

/**
 * A date belongs to the time after it. It belongs to the time before it if the end of a range is in between, or if it
 * follows that time directly and is apart from the next one: "arriving 7 pm Friday, leaving 9 am". So it does where each
 * time is followed by a date: "in 7 pm Fri out 9 am Sun".
 */
function bindDates(
  scanner: Scanner,
  points: readonly (Point | FromNow)[],
  dates: readonly DateToken[],
): Map<Point | FromNow, DateToken> {
  const bound = new Map<Point | FromNow, DateToken>();
  const between = (first: Span, second: Span) => scanner.text.slice(first.end, second.start);
  const isEachDated = points.length === dates.length && points.every((point, index) => {
    const date = dates[index]!, next = points[index + 1];
    return point.end <= date.start && OWN.test(between(point, date)) && (next === undefined || date.end <= next.start);
  });
  dates.forEach((date, index) => {
    // "6 tomorrow evening": the date is inside the time.
    const around = points.find((point) => point.start <= date.start && point.end >= date.end);
    if (around !== undefined) return void bound.set(around, date);
    const limit = dates[index + 1]?.start ?? Infinity;
    const next = points.find((point) => point.start >= date.end && point.start < limit);
    const before = points.findLast((point) => point.end <= date.start && point.start >= (dates[index - 1]?.end ?? 0));
    const gap = next === undefined ? "" : between(date, next);
    const isCut = before !== undefined && !bound.has(before) &&
      (isEachDated || RANGE.test(gap) || OWN.test(between(before, date)) && !OWN.test(gap));
    if (next !== undefined && !isCut) bound.set(next, date);
    else if (before !== undefined && !bound.has(before)) bound.set(before, date);
  });
  return bound;
}

export interface StayAnchors {
  readonly entry: Anchor | null;
  readonly exit: Anchor | null;
  /** Times that are neither a start nor an end. */
  readonly others: readonly Anchor[];
}

export function chooseAnchors(anchors: readonly Anchor[]): StayAnchors {
  const pair = anchors.findLastIndex((anchor, index) =>
    anchor.role !== "until" && anchors[index + 1]?.role === "until"
  );
  let entry = pair >= 0 ? anchors[pair]! : anchors.find((anchor) => anchor.role === "from") ??
    anchors.find((anchor) => anchor.role !== "until") ?? null;
  let exit = pair >= 0 ? anchors[pair + 1]! : anchors.find((anchor) => anchor.role === "until") ?? null;
  if (exit === null && entry !== null) {
    const after = anchors.slice(anchors.indexOf(entry) + 1);
    exit = after.find((anchor) => anchor.role === null) ?? null;
    // A part of the day followed by a clock time is not a range. The clock time is used.
    if (exit !== null && entry.role === null && entry.point.kind === "part" && entry.point.today) {
      entry = { ...exit, date: exit.date ?? entry.date };
      exit = null;
      return { entry, exit, others: after.slice(1) };
    }
  }
  return { entry, exit, others: anchors.filter((anchor) => anchor !== entry && anchor !== exit) };
}
