/** The names of days, and of spans of a day. */
import { label } from "../../../../codes.ts";
import { dateName, weekdayName } from "../../../../format.ts";
import { consoleTexts } from "../../../../texts/console.ts";
import { clockOf, type Day, DAY_MINUTES, type Line, type Season, type Span } from "./week_hours.ts";

const text = consoleTexts(({ hours }) => hours);

export function dayName(day: Day, length: "long" | "short" = "long"): string {
  if (typeof day === "string") return length === "short" ? text.value.shortDays[day] : label("day_type", day);
  return weekdayName(day, length);
}

export const spanText = ({ from, to }: Span) =>
  `${clockOf(from)}–${to > DAY_MINUTES ? text.value.nextDay(clockOf(to)) : clockOf(to)}`;

export function lineText(line: Line): string {
  const t = text.value;
  if (line === undefined) return t.asUsual;
  if (line.length === 0) return t.closed;
  const [only] = line as [Span];
  return line.length === 1 && only.from === 0 && only.to === DAY_MINUTES
    ? t.dayAndNight
    : line.map(spanText).join(", ");
}

export function seasonName({ from, to }: Season): string {
  const t = text.value;
  if (from === null && to === null) return t.wholeYear;
  const short = (date: string | null) => date === null ? "" : dateName(date, { weekday: undefined });
  return `${short(from)} – ${short(to)}`.trim();
}
