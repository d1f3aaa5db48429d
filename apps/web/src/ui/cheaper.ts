/** What a little less or more time would change, from the curve that the service calculated. */
import { amountOf, type Step } from "./step_path.ts";

export interface Advice {
  readonly kind: "leave" | "stay";
  /** Leave by this time and save, or stay until it for the same fee. */
  readonly at: number;
  /** What leaving earlier saves; 0 for staying. */
  readonly saved: number;
}

/** How many times the mean price of a minute the minutes until the exit must cost before leaving earlier is advised. */
const WORTH = 1.5;
/** Shorter times are no offer. */
const LEAST_MS = 15 * 60_000;

/**
 * The best exit before the planned one, if the minutes between them cost much more than the mean of the stay; otherwise
 * how much longer the stay could be for the same fee. The last point of a curve is its end.
 */
export function adviceOf(points: readonly Step[], entry: number, exit: number): Advice | undefined {
  const steps = points.slice(0, -1);
  const end = points.at(-1)?.at;
  if (end === undefined || exit <= entry || exit > end) return undefined;
  const first = points[0]!.amount;
  const fee = amountOf(steps, first, exit);
  const mean = fee / (exit - entry);
  const leave = steps
    .filter(({ at }) => at > entry && at < exit)
    .map(({ at }) => ({ kind: "leave" as const, at, saved: fee - amountOf(steps, first, at) }))
    .filter(({ at, saved }) => saved / (exit - at) >= WORTH * mean)
    .toSorted((a, b) => b.saved - a.saved || b.at - a.at)[0];
  if (leave !== undefined) return leave;
  const next = steps.find(({ at }) => at >= exit)?.at ?? end;
  return next - exit >= LEAST_MS ? { kind: "stay", at: next, saved: 0 } : undefined;
}

export interface CheaperRate {
  readonly at: number;
  readonly amount: number;
  readonly minutes: number;
}

/**
 * When a unit begins to cost less for each minute than the one before it, for two units at least. `before` is the amount
 * before the first point: 0 at the entry.
 */
export function cheaperFrom(points: readonly Step[], from: number, before = 0): CheaperRate | undefined {
  const steps = points.slice(0, -1);
  const rates = steps.slice(0, -1).map(({ at, amount }, index) => ({
    at,
    amount: amount - (steps[index - 1]?.amount ?? before),
    minutes: (steps[index + 1]!.at - at) / 60_000,
  }));
  const perMinute = ({ amount, minutes }: CheaperRate) => amount / minutes;
  return rates.find((rate, index) => {
    const [previous, after] = [rates[index - 1], rates[index + 1]];
    return previous !== undefined && rate.at > from && perMinute(rate) < perMinute(previous) &&
      after?.amount === rate.amount && after.minutes === rate.minutes;
  });
}

/** A fee that stays for so long is a maximum. */
const PLATEAU_MS = 3 * 60 * 60_000;

/** The first amount from now on that does not rise for some hours, and until when. The last point is the end. */
export function plateauOf(points: readonly Step[], now: number): { amount: number; until: number } | undefined {
  const index = points.findIndex(({ at }, index) =>
    index < points.length - 1 && points[index + 1]!.at > now && points[index + 1]!.at - at >= PLATEAU_MS
  );
  return index < 0 ? undefined : { amount: points[index]!.amount, until: points[index + 1]!.at };
}
