/** The geometry of a fee that rises in steps. */

export interface Step {
  /** Milliseconds since 1970. An exit after this time costs the amount. */
  readonly at: number;
  readonly amount: number;
}

/** The amount of an exit at this time: a step is due after its time. The first amount holds before the first step. */
export function amountOf(steps: readonly Step[], first: number, time: number): number {
  return steps.findLast(({ at }) => at < time)?.amount ?? first;
}

/** The path of the steps between two times, for `d` of an SVG path. */
export function pathOf(
  steps: readonly Step[],
  first: number,
  from: number,
  until: number,
  x: (time: number) => number,
  y: (amount: number) => number,
): string {
  const start = amountOf(steps, first, from);
  const inside = steps.filter(({ at }) => at >= from && at < until);
  return [
    `M${round(x(from))} ${round(y(start))}`,
    ...inside.map(({ at, amount }) => `H${round(x(at))}V${round(y(amount))}`),
    `H${round(x(until))}`,
  ].join("");
}

const round = (value: number) => Math.round(value * 10) / 10;

/** Amounts for the lines of a chart: 0 and up to three round amounts; the last is not below the greatest amount. */
export function amountTicks(greatest: number): number[] {
  if (greatest <= 0) return [0];
  const power = 10 ** Math.floor(Math.log10(greatest / 2));
  const size = [1, 2, 5, 10].map((factor) => factor * power).find((size) => greatest / size <= 3) ?? 10 * power;
  return Array.from({ length: Math.ceil(greatest / size) + 1 }, (_, index) => index * size);
}

/** The times whose labels fit beside those before them in the list. */
export function thatFit(times: readonly number[], x: (time: number) => number, apart: number): number[] {
  const kept: number[] = [];
  for (const time of times) {
    if (kept.every((other) => Math.abs(x(other) - x(time)) >= apart)) kept.push(time);
  }
  return kept;
}
