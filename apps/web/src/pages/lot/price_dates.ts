/** Which of a lot's pricing rules are in effect on a date, and when that changes. Dates are those of the lot's zone. */
import { dayAfter, toLocalInput } from "../../local_time.ts";

interface Dated {
  readonly effective_from?: string | null;
  readonly effective_to?: string | null;
}

export function today(timeZone: string): string {
  return toLocalInput(new Date(), timeZone).slice(0, 10);
}

export function rulesOn<Rule extends Dated>(rules: readonly Rule[], date: string): Rule[] {
  return rules.filter(({ effective_from, effective_to }) =>
    (effective_from ?? date) <= date && date <= (effective_to ?? date)
  );
}

/** The dates after this one on which other rules are in effect than the day before, in order. */
export function changesAfter(rules: readonly Dated[], date: string): string[] {
  const dates = rules.flatMap(({ effective_from, effective_to }) => [
    effective_from ?? "",
    effective_to ? dayAfter(effective_to, 1) : "",
  ]);
  return [...new Set(dates.filter((each) => each > date))].sort();
}
