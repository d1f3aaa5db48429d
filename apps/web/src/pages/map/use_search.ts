/** The search that the address of the page names. */
import { useMemo } from "preact/hooks";
import { place, replaceQuery } from "../../router.ts";
import { settings } from "../../settings.ts";
import type { Values } from "./conditions.ts";
import { type Search, searchOf, stayFromNow } from "./search.ts";

export interface UsedSearch {
  readonly search: Search;
  /** Changes some fields of the search, and with them the address. */
  change(fields: Values): void;
}

export function useSearch(): UsedSearch {
  const now = useMemo(() => stayFromNow(60), []);
  // Not the view of the map, which moves without a new search.
  const { view: _, ...values } = Object.fromEntries(place.value.query);
  const search = useMemo(() => searchOf(values, now, settings.start), [JSON.stringify(values)]);
  return { search, change };
}

function change(fields: Values): void {
  replaceQuery({ ...Object.fromEntries(place.value.query), ...fields });
}
