/** A search as the address of the map page has it: place, radius, stay, vehicle and conditions. */
import type { components } from "parking-lot-client";
import { dayAfter, fromLocalInput, readerZone, toLocalInput } from "../../local_time.ts";
import { numberOf, queryOf, type Values } from "../../conditions.ts";

export const RADII = [300, 500, 1_000, 2_000, 5_000, 20_000] as const;
export const RADIUS = 1_000;
const LONGEST_MS = 366 * 24 * 60 * 60_000;
/** The circle for a place that extends so far: a ward needs a larger one than a station. */
export function radiusFor(extentM: number): number {
  return RADII.find((radius) => radius >= Math.max(RADIUS, extentM)) ?? RADII.at(-1)!;
}

export const SORTS = ["recommended", "price", "distance"] as const;
export type Sort = (typeof SORTS)[number];

export interface Stay {
  readonly entry_at: string;
  readonly exit_at: string;
  readonly vehicle_type: string;
}

export interface Search {
  readonly lat: number;
  readonly lng: number;
  readonly radius: number;
  readonly sort: Sort;
  readonly stay: Stay;
  readonly values: Values;
}

/** The times of a stay. */
export type Times = Pick<Stay, "entry_at" | "exit_at">;

/** The values of the two fields of a stay, by the clocks of the place. */
export type StayFields = { readonly entry: string; readonly exit: string };

/** The times from the next full five minutes on. */
function fromNow(minutes: number, now: number): Times {
  const step = 5 * 60_000;
  const entry = Math.ceil(now / step) * step;
  return { entry_at: new Date(entry).toISOString(), exit_at: new Date(entry + minutes * 60_000).toISOString() };
}

export function fieldsOf({ entry_at, exit_at }: Times, timeZone: string): StayFields {
  return { entry: toLocalInput(entry_at, timeZone), exit: toLocalInput(exit_at, timeZone) };
}

/** The values of `<input type="datetime-local">` from the next full five minutes on. */
export function stayFromNow(minutes: number, timeZone: string, now = Date.now()): StayFields {
  return fieldsOf(fromNow(minutes, now), timeZone);
}

let usual: Times | undefined;

/** The stay of a search that names none: an hour from now on. It is the same one until its entry has passed. */
export function usualStay(now = Date.now()): Times {
  if (usual === undefined || Date.parse(usual.entry_at) < now) usual = fromNow(60, now);
  return usual;
}

/** Tonight from 18:00 (from now, if that is later) to 8:00. */
export function stayOvernight(timeZone: string, now = Date.now()): StayFields {
  const { entry: start } = stayFromNow(0, timeZone, now);
  const today = toLocalInput(new Date(now), timeZone).slice(0, 10);
  const evening = `${today}T18:00`;
  return { entry: start > evening ? start : evening, exit: `${dayAfter(today, 1)}T08:00` };
}

/** The stay with another entry: its length stays. Without an entry it is as it was. */
export function withEntry({ entry, exit }: StayFields, next: string, timeZone: string): StayFields {
  if (!isTime(next)) return { entry, exit };
  const at = (value: string) => Date.parse(fromLocalInput(value, timeZone));
  return { entry: next, exit: toLocalInput(new Date(at(next) + at(exit) - at(entry)), timeZone) };
}

/** Whether the service accepts the stay: the exit is after the entry, by 366 days at most. */
export function isPossibleStay({ entry, exit }: StayFields, timeZone: string): boolean {
  const times = timesOf({ entry, exit }, timeZone);
  if (times === undefined) return false;
  const length = Date.parse(times.exit_at) - Date.parse(times.entry_at);
  return length > 0 && length <= LONGEST_MS;
}

function between(text: string | undefined, min: number, max: number, otherwise: number): number {
  const value = numberOf(text);
  return value !== undefined && value >= min && value <= max ? value : otherwise;
}

/** Whether the text is a value of `<input type="datetime-local">`. */
function isTime(text: string | undefined): text is string {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(text) || Number.isNaN(Date.parse(text))) {
    return false;
  }
  // A day that the month does not have is one of the next month.
  return new Date(`${text}Z`).toISOString().startsWith(text);
}

/** Whether the clocks of the zone show other times for the stay than those of the reader. */
export function hasOtherClocks(times: Times, timeZone: string, reader = readerZone()): boolean {
  const [there, here] = [fieldsOf(times, timeZone), fieldsOf(times, reader)];
  return there.entry !== here.entry || there.exit !== here.exit;
}

/** The times that an address or the two fields name, by the clocks of the zone. */
export function timesOf({ entry, exit }: Values, timeZone: string): Times | undefined {
  if (!isTime(entry) || !isTime(exit)) return undefined;
  return { entry_at: fromLocalInput(entry, timeZone), exit_at: fromLocalInput(exit, timeZone) };
}

/** Whether the times that the search names are those that it has by the clocks of the zone. */
export function isOf({ stay, values }: Search, timeZone: string): boolean {
  const { entry_at, exit_at } = timesOf(values, timeZone) ?? stay;
  return entry_at === stay.entry_at && exit_at === stay.exit_at;
}

/** The search of the values of an address. A value that is missing or impossible is that of `stay` and `start`. */
export function searchOf(
  values: Values,
  stay: Times,
  start: { readonly lat: number; readonly lng: number },
  timeZone: string,
): Search {
  return {
    lat: between(values["lat"], -90, 90, start.lat),
    lng: between(values["lng"], -180, 180, start.lng),
    radius: Math.round(between(values["radius"], 1, 50_000, RADIUS)),
    sort: SORTS.find((sort) => sort === values["sort"]) ?? "recommended",
    stay: {
      ...(timesOf(values, timeZone) ?? stay),
      vehicle_type: values["vehicle_type"] || "standard",
    },
    values,
  };
}

/** A search as it is saved: its conditions, its place, radius and order. A stay is not saved. */
export function savedQueryOf({ lat, lng, radius, sort, values }: Search): components["schemas"]["SearchQueryV1"] {
  const name = values["place"];
  return {
    v: 1,
    ...queryOf(values),
    center: { lat, lng, ...(name ? { placeName: name } : {}) },
    radius_m: radius,
    sort,
  };
}

/** What the map shows: the place of its centre and the zoom. */
export interface MapPosition {
  readonly lng: number;
  readonly lat: number;
  readonly zoom: number;
}

/** The text of a position in the address. */
export function viewText({ lng, lat, zoom }: MapPosition): string {
  return [lng.toFixed(5), lat.toFixed(5), zoom.toFixed(2)].join(",");
}

/** The position of a text; undefined if it has none that a map can show. */
export function viewOf(text: string | null): MapPosition | undefined {
  const [lng, lat, zoom] = (text ?? "").split(",").map(numberOf);
  if (lng === undefined || lat === undefined || zoom === undefined || Math.abs(lat) > 85) return undefined;
  return { lng, lat, zoom };
}
