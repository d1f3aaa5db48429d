/** The spans of a lane of one day, for the strip and its text. */
import type { Lot } from "./lot.ts";

type Week = NonNullable<Lot["week"]>;
export type Day = Week["days"][number];
export type Lane = "is_open" | "can_enter" | "can_exit";

export interface LaneSpan {
  readonly from: number;
  readonly to: number;
  /** Null is unknown. */
  readonly state: boolean | null;
}

/** What the service says about one lane, from the start to the end of the day. Consecutive spans differ. */
export function laneOf(week: Week, day: Day, lane: Lane): LaneSpan[] {
  const [start, end] = [Date.parse(day.starts_at), Date.parse(day.ends_at)];
  const spans: LaneSpan[] = [];
  for (const span of week.spans) {
    const [from, to] = [Math.max(Date.parse(span.from), start), Math.min(Date.parse(span.to), end)];
    if (from >= to) continue;
    const last = spans.at(-1);
    if (last?.state === span[lane]) spans[spans.length - 1] = { ...last, to };
    else spans.push({ from, to, state: span[lane] });
  }
  return spans;
}
