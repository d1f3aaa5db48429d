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
  /^(?:ごろ|頃|くらい|ぐらい|過ぎ)?(?:に|で|の|には)? ?(?:まで|迄|出庫|出る|出た|出ます|出て|出し|out(?! ?[a-z])|アウト|終了|終わ|終演|解散|退|帰|戻|閉)/iu;
const FROM_BEFORE =
  /(?<![a-z])(?:from|at|since|starts?(?: at| from)?|starting(?: at| from)?|begin(?:s|ning)?(?: at)?|arriv(?:e|es|ing|al)(?: is)?(?: at| by| around| about)?|after|in at|get(?:ting)? there(?: at| by| around)?|there (?:at|by|from|around)|between|check[- ]?in(?: at)?|around)(?: (?:about|around))? ?$|(?:開始|入庫|到着|入り|着)(?:時間|時刻|予定)?(?:は|が|:)? ?$/iu;
const UNTIL_BEFORE =
  /(?<![a-z])(?:to|until|till|til|by|through|before|thru|leav(?:e|es|ing)(?: is)?(?: at| by| around| about)?|out (?:at|by|before|around)|back (?:at|by)|end(?:s|ing)?(?: at| by)?|gone by|depart(?:ing|ure)?(?: at)?|check[- ]?out(?: at| by)?|and)(?: (?:about|around))? ?$|(?:~|-|→) ?$|(?:終了|終わり|出庫|帰り|出発|退出)(?:時間|時刻|予定)?(?:は|が|:)? ?$/iu;
/** Words between a start and its end. */
const RANGE = /から|より|~|-|→|(?<![a-z])(?:to|until|till|til|through|thru)(?![a-z])/iu;

function roleOf(scanner: Scanner, span: Span, hasBefore: boolean): Role | null {
  const after = scanner.after(span.end, 10), before = scanner.before(span.start, 28);
  if (UNTIL_AFTER.test(after)) return "until";
  if (FROM_AFTER.test(after)) return "from";
  const until = UNTIL_BEFORE.exec(before);
  if (until !== null) {
    // "and 6" and "- 6" are an end only after a start.
    if (!/^(?:and|to|-|~|→)/iu.test(until[0].trim()) || hasBefore) return "until";
  }
  if (FROM_BEFORE.test(before)) return "from";
  return null;
}

export function anchorsOf(
  scanner: Scanner,
  points: readonly (Point | FromNow)[],
  dates: readonly DateToken[],
): Anchor[] {
  const bound = bindDates(scanner, points, dates);
  return points.map((point, index) => ({
    start: point.start,
    end: point.end,
    point,
    role: point.kind === "now" ? "from" : roleWithDate(scanner, point, bound.get(point), index > 0),
    date: bound.get(point) ?? null,
  }));
}

/** "from Saturday 10am": the word is before the date. */
function roleWithDate(scanner: Scanner, point: Span, date: DateToken | undefined, hasBefore: boolean): Role | null {
  const own = roleOf(scanner, point, hasBefore);
  if (own === "until" || date === undefined) return own;
  const whole = roleOf(
    scanner,
    { start: Math.min(point.start, date.start), end: Math.max(point.end, date.end) },
    hasBefore,
  );
  // "leave Sunday at noon": the word before the date is more specific than "at".
  return whole === "until" ? whole : own ?? whole;
}

/**
 * A date belongs to the time after it, unless the end of a range is in between. Otherwise it belongs to the time before
 * it.
 */
function bindDates(
  scanner: Scanner,
  points: readonly (Point | FromNow)[],
  dates: readonly DateToken[],
): Map<Point | FromNow, DateToken> {
  const bound = new Map<Point | FromNow, DateToken>();
  dates.forEach((date, index) => {
    // "6 tomorrow evening": the date is inside the time.
    const around = points.find((point) => point.start <= date.start && point.end >= date.end);
    if (around !== undefined) return void bound.set(around, date);
    const limit = dates[index + 1]?.start ?? Infinity;
    const next = points.find((point) => point.start >= date.end && point.start < limit);
    const before = points.findLast((point) => point.end <= date.start && point.start >= (dates[index - 1]?.end ?? 0));
    const gap = next === undefined ? "" : scanner.text.slice(date.end, next.start);
    const isCut = before !== undefined && !bound.has(before) && RANGE.test(gap);
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
