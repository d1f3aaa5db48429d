/** A stay in the words of a chip: `Tonight 22:30–01:30`. */
import { dateName, timeOfDay } from "../../format.ts";
import { dayAfter, toLocalInput } from "../../local_time.ts";
import { pageTexts } from "../../texts/pages.ts";
import type { Times } from "./search.ts";

const text = pageTexts(({ map }) => map.stayText);

const DAY_MS = 24 * 60 * 60_000;
/** From this hour on, today is tonight. */
const EVENING = 18;

export function stayText({ entry_at, exit_at }: Times, timeZone: string, now = Date.now()): string {
  const word = (time: string) => {
    const [day = "", clock = ""] = toLocalInput(time, timeZone).split("T");
    return dayWord(day, Number(clock.slice(0, 2)) >= EVENING, timeZone, now);
  };
  // An exit in the small hours belongs to the evening before: its day needs no word.
  const isClear = toLocalInput(entry_at, timeZone).slice(0, 10) === toLocalInput(exit_at, timeZone).slice(0, 10) ||
    Date.parse(exit_at) - Date.parse(entry_at) < DAY_MS / 2;
  const end = isClear ? timeOfDay(exit_at, timeZone) : `${word(exit_at)} ${timeOfDay(exit_at, timeZone)}`;
  return `${word(entry_at)} ${timeOfDay(entry_at, timeZone)}–${end}`;
}

/** A day of a list: today, tomorrow or the date. */
export function dayText(day: string, timeZone: string, now = Date.now()): string {
  return dayWord(day, false, timeZone, now);
}

/** Today, tonight, tomorrow or the date. */
function dayWord(day: string, isEvening: boolean, timeZone: string, now: number): string {
  const t = text.value;
  const today = toLocalInput(new Date(now), timeZone).slice(0, 10);
  if (day === today) return isEvening ? t.tonight : t.today;
  if (day === dayAfter(today, 1)) return t.tomorrow;
  return dateName(day, { year: undefined });
}
