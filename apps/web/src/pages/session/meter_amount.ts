/** The amount of a meter at a later moment, from its curve. The service calculates fees; this only reads its answer. */
import type { components } from "parking-lot-client";
import { amountOf, type Step } from "../../ui/step_path.ts";

export type Meter = components["schemas"]["Meter"];

/** The increases that the meter knows. The last point is an exit at the end of the curve, not an increase. */
export function increasesOf({ curve, known_until }: Meter): Step[] {
  const end = Date.parse(known_until);
  return curve.map(({ at, amount }) => ({ at: Date.parse(at), amount })).filter(({ at }) => at < end);
}

/** The amount of an exit at this moment. After `known_until` it is the last known amount. */
export function amountAt(meter: Meter, now: number): number {
  return amountOf(increasesOf(meter), meter.amount, now);
}

/** The next increase after this moment, if the curve knows it. */
export function nextIncrease(meter: Meter, now: number): Step | undefined {
  return increasesOf(meter).find(({ at }) => at >= now);
}

/** The increases of a whole stay: those of the curve from its entry until the meter begins, then those of the meter. */
export function wholeStay(meter: Meter, fromEntry: readonly Step[], now: number): { steps: Step[]; first: number } {
  const future = increasesOf(meter);
  const begin = Math.min(future[0]?.at ?? Infinity, now);
  const past = fromEntry.slice(0, -1).filter(({ at }) => at < begin);
  return { steps: [...past, ...future], first: past[0]?.amount ?? meter.amount };
}

/** The share of the present step that has passed, from 0 to 1. */
export function shareOf(steps: readonly Step[], startedAt: number, next: number, now: number): number {
  const before = steps.findLast(({ at }) => at < next)?.at ?? startedAt;
  return next <= before ? 1 : Math.min(1, Math.max(0, (now - before) / (next - before)));
}
