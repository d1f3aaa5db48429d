/** The outcomes of the last 24 hours. */

interface Outcomes {
  /** The time of the figures. */
  readonly at: string;
  readonly outcomes: readonly { readonly hour: string; readonly counts: Readonly<Record<string, number>> }[];
}

export interface Hour {
  /** The start of the hour in seconds. */
  readonly hour: number;
  readonly sent: number;
  readonly other: number;
}

/** The hours up to that of the figures, each with how many have the outcome `sent` and how many another one. */
export function hoursOf({ at, outcomes }: Outcomes, sent: string): Hour[] {
  const end = Math.floor(Date.parse(at) / 3_600_000);
  return Array.from({ length: 24 }, (_, index) => {
    const hour = end - 23 + index;
    const counts = outcomes.find((outcome) => Date.parse(outcome.hour) / 3_600_000 === hour)?.counts ?? {};
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return { hour: hour * 3600, sent: counts[sent] ?? 0, other: all - (counts[sent] ?? 0) };
  });
}
