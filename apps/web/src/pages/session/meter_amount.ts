/** The amount of a meter at a later moment, from its curve. The service calculates fees; this only reads its answer. */
import type { components } from "parking-lot-client";

type Meter = components["schemas"]["Meter"];
type Point = Meter["curve"][number];

/** The amount of an exit at this moment. After `known_until` it is the last known amount. */
export function amountAt({ amount, curve, known_until }: Meter, now: number): number {
  const reached = increasesOf(curve, known_until).filter(({ at }) => Date.parse(at) < now);
  return reached.at(-1)?.amount ?? amount;
}

/** The next increase after this moment, if the curve knows it. */
export function nextIncrease({ curve, known_until }: Meter, now: number): Point | undefined {
  return increasesOf(curve, known_until).find(({ at }) => Date.parse(at) >= now);
}

/** The last point is an exit at the end of the curve, not an increase. */
function increasesOf(curve: readonly Point[], knownUntil: string): readonly Point[] {
  return curve.filter(({ at }) => Date.parse(at) < Date.parse(knownUntil));
}
