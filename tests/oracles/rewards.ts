// Points, levels and badges computed from the activity of users alone: no ledger, no counted sources, no SQL.
import type { Done } from "../support/activities.ts";

export interface Rule {
  readonly reason: string;
  readonly amount: number;
  readonly daily_limit: number | null;
}

export interface Badge {
  readonly id: string;
  readonly threshold: number;
  readonly conditions: { readonly activity: readonly string[]; readonly measure: string };
}

/** A user's activity that can be undone: approved reviews, by lot. */
export interface Held {
  readonly reviews: readonly { readonly id: string; readonly lot: string }[];
  /** How many badges. */
  readonly badges: number;
}

/** Which reason an activity gives points for. */
const REASONS: Record<string, string> = {
  session_end: "session_end",
  field_confirm: "field_value_vote",
  field_deny: "field_value_vote",
  occupancy_report: "occupancy_report",
  sponsor_checkin: "sponsor_checkin",
  error_report_resolved: "error_report_resolved",
};

/** No activity, so it is not the first of a day. */
const STATES = new Set(["error_report_resolved"]);

/** Which activities of a user are rewarded, with all activity on one day: of the stays of five minutes or more the first six. */
export function rewarded(done: readonly Done[]): readonly Done[] {
  // A user has one session at a time: they ended in the order in which they were started.
  const started = done.filter(({ kind }) => kind === "session_start").map(({ subject }) => subject);
  const ends = done.filter(({ kind }) => kind === "session_end")
    .toSorted((a, b) => started.indexOf(a.subject) - started.indexOf(b.subject));
  const stays = new Set(ends.filter(({ long }) => long).map(({ subject }) => subject));
  const sixOfThem = [...stays].slice(0, 6);
  const unrewarded = new Set(ends.filter(({ subject }) => !sixOfThem.includes(subject)));
  return done.filter((one) => !unrewarded.has(one));
}

/** The sum of a user's points, with all activity on one day. */
export function points(done: readonly Done[], held: Held, rules: readonly Rule[]): number {
  const rule = (reason: string) => rules.find((one) => one.reason === reason)!;
  const sources = new Map<string, Set<string>>();
  let acted = false;
  for (const { kind, subject } of done) {
    const reason = REASONS[kind];
    if (!reason) continue;
    acted ||= !STATES.has(kind);
    sources.set(reason, (sources.get(reason) ?? new Set()).add(subject));
  }
  let sum = held.reviews.length * rule("review_approved").amount + held.badges * rule("badge_earned").amount;
  if (acted) sum += rule("first_of_day").amount;
  for (const [reason, { size }] of sources) {
    const { amount, daily_limit } = rule(reason);
    sum += amount * Math.min(size, daily_limit ?? size);
  }
  return sum;
}

/** The level that points reach. */
export function level(exp: number, levels: readonly { level: number; required_exp: number }[]): number {
  return Math.max(1, ...levels.filter(({ required_exp }) => required_exp <= exp).map((one) => one.level));
}

/** A user's progress with a badge that has no predicate. */
export function progress(done: readonly Done[], held: Held, { conditions }: Badge): number {
  const approved = held.reviews.map(({ id, lot }) => ({ kind: "review_approved", subject: id, lot, at: null }));
  const counted = [...done, ...approved].filter(({ kind }) => conditions.activity.includes(kind));
  const distinct = (values: readonly unknown[]) => new Set(values).size;
  switch (conditions.measure) {
    case "count":
      return distinct(counted.map(({ kind, subject }) => `${kind} ${subject}`));
    case "distinct_lots":
      return distinct(counted.map(({ lot }) => lot).filter((lot) => lot !== null));
    case "distinct_days":
      return distinct(counted.map(({ at }) => day(at!)));
    case "streak_days":
      return longestRun([...new Set(counted.map(({ at }) => day(at!)))].sort((a, b) => a - b));
    default:
      throw new Error(`The oracle does not know the measure ${conditions.measure}`);
  }
}

/** The day in Japan, counted from 1970. */
export function day(at: Date): number {
  return Math.floor((at.getTime() / 3_600_000 + 9) / 24);
}

function longestRun(days: readonly number[]): number {
  let [longest, run] = [0, 0];
  for (const [n, one] of days.entries()) {
    run = n > 0 && days[n - 1] === one - 1 ? run + 1 : 1;
    longest = Math.max(longest, run);
  }
  return longest;
}
