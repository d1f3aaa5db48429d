/** The search that the address of the page names: place, radius, stay, vehicle and conditions. */
import { useMemo } from "preact/hooks";
import { fromLocalInput, toLocalInput } from "../../format.ts";
import { place, replaceQuery } from "../../router.ts";
import { settings } from "../../settings.ts";
import type { Values } from "./conditions.ts";

export const RADII = [300, 500, 1_000, 2_000, 5_000, 20_000] as const;
const RADIUS = 1_000;
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

export interface UsedSearch {
  readonly search: Search;
  /** Changes some fields of the search, and with them the address. */
  change(fields: Values): void;
}

/** The values of `<input type="datetime-local">` from the next full five minutes on. */
export function stayFromNow(minutes: number): { entry: string; exit: string } {
  const step = 5 * 60_000;
  const entry = Math.ceil(Date.now() / step) * step;
  return { entry: toLocalInput(new Date(entry)), exit: toLocalInput(new Date(entry + minutes * 60_000)) };
}

/** Tonight from 18:00 (from now, if that is later) to 8:00. */
export function stayOvernight(): { entry: string; exit: string } {
  const { entry: now } = stayFromNow(0);
  const evening = `${now.slice(0, 10)}T18:00`;
  const tomorrow = toLocalInput(new Date(Date.parse(fromLocalInput(now)) + 24 * 60 * 60_000)).slice(0, 10);
  return { entry: now > evening ? now : evening, exit: `${tomorrow}T08:00` };
}

function numberOf(text: string | undefined, min: number, max: number, otherwise: number): number {
  const value = Number(text);
  return text && value >= min && value <= max ? value : otherwise;
}

/** Whether the text is a value of `<input type="datetime-local">`. */
function isTime(text: string | undefined): text is string {
  return text !== undefined && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** Everything in the address but the view of the map, which moves without a new search. */
function searchValues(): Values {
  const { view: _, ...values } = Object.fromEntries(place.value.query);
  return values;
}

export function useSearch(): UsedSearch {
  const now = useMemo(() => stayFromNow(60), []);
  const values = searchValues();
  const search = useMemo((): Search => {
    const [entry = now.entry, exit = now.exit] = isTime(values["entry"]) && isTime(values["exit"])
      ? [values["entry"], values["exit"]]
      : [];
    return {
      lat: numberOf(values["lat"], -90, 90, settings.start.lat),
      lng: numberOf(values["lng"], -180, 180, settings.start.lng),
      radius: Math.round(numberOf(values["radius"], 1, 50_000, RADIUS)),
      sort: SORTS.find((sort) => sort === values["sort"]) ?? "recommended",
      stay: {
        entry_at: fromLocalInput(entry),
        exit_at: fromLocalInput(exit),
        vehicle_type: values["vehicle_type"] || "standard",
      },
      values: { ...values, entry, exit },
    };
  }, [JSON.stringify(values)]);
  return { search, change };
}

function change(fields: Values): void {
  replaceQuery({ ...Object.fromEntries(place.value.query), ...fields });
}

/** What the map shows: longitude, latitude and zoom, as the address has it. */
export function viewOf(): { lng: number; lat: number; zoom: number } | undefined {
  const [lng, lat, zoom] = (place.value.query.get("view") ?? "").split(",").map(Number);
  const isView = [lng, lat, zoom].every(Number.isFinite) && Math.abs(lat!) <= 85;
  return isView ? { lng: lng!, lat: lat!, zoom: zoom! } : undefined;
}
