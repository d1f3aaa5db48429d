/** A stay in the words of a chip: `Tonight 22:30–01:30`. */
import { dateName, timeOfDay } from "../../format.ts";
import { fromLocalInput, toLocalInput } from "../../local_time.ts";
import { pageTexts } from "../../texts/pages.ts";
import type { Stay } from "./search.ts";

const text = pageTexts(({ map }) => map.stayText);

const DAY_MS = 24 * 60 * 60_000;
/** From this hour on, today is tonight. */
const EVENING = 18;

export function stayText({ entry_at, exit_at }: Pick<Stay, "entry_at" | "exit_at">, now = Date.now()): string {
  const [entry, exit] = [Date.parse(entry_at), Date.parse(exit_at)];
  // An exit in the small hours belongs to the evening before: its day needs no word.
  const isClear = dayOf(entry) === dayOf(exit) || exit - entry < DAY_MS / 2;
  const end = isClear ? timeOfDay(exit_at) : `${dayWord(exit, now)} ${timeOfDay(exit_at)}`;
  return `${dayWord(entry, now)} ${timeOfDay(entry_at)}–${end}`;
}

/** A day of a list: today, tomorrow or the date. */
export function dayText(day: string, now = Date.now()): string {
  const noon = Date.parse(fromLocalInput(`${day}T12:00`));
  return dayWord(noon, now);
}

/** Today, tonight, tomorrow or the date. */
function dayWord(time: number, now: number): string {
  const t = text.value;
  if (dayOf(time) === dayOf(now)) {
    return Number(toLocalInput(new Date(time)).slice(11, 13)) >= EVENING ? t.tonight : t.today;
  }
  if (dayOf(time) === dayOf(now + DAY_MS)) return t.tomorrow;
  return dateName(dayOf(time), { year: undefined });
}

const dayOf = (time: number): string => toLocalInput(new Date(time)).slice(0, 10);
