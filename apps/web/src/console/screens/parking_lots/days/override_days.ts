/** Days with hours or prices of their own, while they are edited: one override for each date. */
import type { components } from "parking-lot-client";
import { hoursOf, type Kind, KINDS, type Line, spansOf } from "../hours/week_hours.ts";

export type Stored = components["schemas"]["AdminDateOverride"];
type Hours = NonNullable<Stored["hours"]>;
export type Override = Omit<Stored, "id"> & { readonly id?: string };

/** What an override says about the hours. */
export const MODES = ["usual", "closed", "day_and_night", "own"] as const;
export type Mode = (typeof MODES)[number];

export function modeOf({ hours }: Pick<Override, "hours">): Mode {
  if (hours === null) return "usual";
  if (KINDS.some((kind) => hours[kind] !== undefined)) return "own";
  return hours.is_closed ? "closed" : hours.is_24h ? "day_and_night" : "usual";
}

export const lineOf = ({ hours }: Pick<Override, "hours">, kind: Kind): Line => {
  const spans = hours?.[kind];
  return spans === undefined ? undefined : spansOf(spans);
};

/** The hours with those of one kind; undefined: the usual ones. */
export function withKind(hours: Hours | null, kind: Kind, line: Line): Hours {
  const { [kind]: _, ...others } = hours ?? {};
  return line === undefined ? others : { ...others, [kind]: line.flatMap(hoursOf) };
}

export function hoursOfMode(mode: Mode, before: Hours | null): Hours | null {
  switch (mode) {
    case "usual":
      return null;
    case "closed":
      return { is_closed: true };
    case "day_and_night":
      return { is_24h: true };
    case "own":
      return modeOf({ hours: before }) === "own" ? before : { business: [{ open_time: "08:00", close_time: "20:00" }] };
  }
}

const isEmpty = ({ label, hours, pricing, note }: Override) =>
  label === null && hours === null && pricing === null && note === null;

/** Changes the overrides of some dates. One that says nothing any more is gone. */
export function changed(
  overrides: readonly Override[],
  dates: readonly string[],
  change: (before: Override) => Partial<Override>,
): Override[] {
  const chosen = new Set(dates);
  const next = dates.map((date) => {
    const before = overrides.find(({ override_date }) => override_date === date) ??
      { override_date: date, label: null, hours: null, pricing: null, note: null };
    return { ...before, ...change(before) };
  });
  return [
    ...overrides.filter(({ override_date }) => !chosen.has(override_date)),
    ...next.filter((one) => !isEmpty(one)),
  ]
    .toSorted((a, b) => a.override_date < b.override_date ? -1 : 1);
}

const byDate = (overrides: readonly Override[]) => new Map(overrides.map((one) => [one.override_date, one]));

/** The dates whose overrides differ. */
export function changedDates(before: readonly Override[], after: readonly Override[]): string[] {
  const [old, next] = [byDate(before), byDate(after)];
  return [...new Set([...old.keys(), ...next.keys()])]
    .filter((date) => JSON.stringify(old.get(date)) !== JSON.stringify(next.get(date))).toSorted();
}

/** The newest overrides with what was changed here. Dates that were not changed stay as somebody else saved them. */
export function mergedWith(newest: readonly Stored[], before: readonly Override[], after: readonly Override[]) {
  const dates = new Set(changedDates(before, after));
  return [
    ...newest.filter(({ override_date }) => !dates.has(override_date)),
    ...after.filter(({ override_date }) => dates.has(override_date)),
  ];
}

const DAY_MS = 86_400_000;
const timeOf = (date: string) => Date.parse(`${date}T00:00Z`);
const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

export const addDays = (date: string, days: number): string => dateOf(timeOf(date) + days * DAY_MS);

/** The same day of another month, or its last day. */
export function addMonths(date: string, months: number): string {
  const [year, month, day] = date.split("-").map(Number) as [number, number, number];
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return dateOf(Date.UTC(year, month - 1 + months, Math.min(day, last)));
}

/** The dates from one to the other, in their order. At most as many as a lot can have. */
export function datesBetween(a: string, b: string, most: number): string[] {
  const [first, last] = a < b ? [a, b] : [b, a];
  const days = Math.min((timeOf(last) - timeOf(first)) / DAY_MS + 1, most);
  return Array.from({ length: days }, (_, nth) => addDays(first, nth));
}

/** The weeks of the month of a date, from Sunday to Saturday. */
export function weeksOf(date: string): string[][] {
  const first = `${date.slice(0, 7)}-01`;
  const start = addDays(first, -new Date(timeOf(first)).getUTCDay());
  const end = addMonths(first, 1);
  const weeks: string[][] = [];
  for (let day = start; day < end; day = addDays(day, 7)) {
    weeks.push(Array.from({ length: 7 }, (_, nth) => addDays(day, nth)));
  }
  return weeks;
}
