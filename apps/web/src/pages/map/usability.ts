/** Which lots of the list can be used for the stay, and why the others cannot. */
import type { Lot } from "./lots.ts";

export interface Usable {
  readonly usable: readonly Lot[];
  readonly unusable: readonly Lot[];
}

/** The lots in their order, those that are known to be unusable apart. */
export function byUse(lots: readonly Lot[]): Usable {
  const { usable = [], unusable = [] } = Object.groupBy(
    lots,
    ({ usable_for_stay }) => usable_for_stay === false ? "unusable" : "usable",
  );
  return { usable, unusable };
}

/** The reasons of unusable lots with their counts, the most frequent first. A lot counts under its first reason. */
export function reasonCounts(lots: readonly Lot[]): [reason: string, count: number][] {
  const counts = Map.groupBy(lots, ({ unusable_reasons: [reason = ""] = [] }) => reason);
  return [...counts].map(([reason, { length }]): [string, number] => [reason, length])
    .filter(([reason]) => reason !== "")
    .toSorted(([, one], [, other]) => other - one);
}
