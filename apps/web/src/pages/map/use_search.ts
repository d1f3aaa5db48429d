/** The search that the address of the page names, with the remembered vehicle where it names none. */
import { useEffect, useMemo } from "preact/hooks";
import { isAppUser } from "../../following.ts";
import { place, replaceQuery } from "../../router.ts";
import { client } from "../../service.ts";
import { settings } from "../../settings.ts";
import type { Values } from "../../conditions.ts";
import { type Search, searchOf, usualStay } from "./search.ts";
import { rememberedVehicle, rememberVehicle, valuesOfVehicle, vehicleValues, withRemembered } from "./vehicle.ts";
import { zone } from "./zone.ts";

export interface UsedSearch {
  readonly search: Search;
  /** Changes some fields of the search, and with them the address. */
  change(fields: Values): void;
  /** Begins another search: fields that are not there are as at the start. */
  begin(fields: Values): void;
}

export function useSearch(): UsedSearch {
  const now = useMemo(() => usualStay(), []);
  useProfileVehicle();
  // Not the view of the map, which moves without a new search.
  const { view: _, ...address } = Object.fromEntries(place.value.query);
  const values = withRemembered(address, rememberedVehicle.value);
  const found = searchOf(values, now, settings.start, zone.value);
  // The same one until something of it is another.
  const search = useMemo(() => found, [JSON.stringify(found)]);
  return { search, change, begin };
}

function change(fields: Values): void {
  replaceQuery({ ...Object.fromEntries(place.value.query), ...fields });
}

function begin(fields: Values): void {
  const vehicle = vehicleValues(fields);
  if (Object.keys(vehicle).length > 0) rememberVehicle(vehicle);
  replaceQuery(fields);
}

/** The default vehicle of the user is the first one, until another is chosen. */
function useProfileVehicle(): void {
  useEffect(() => {
    if (!isAppUser.value || rememberedVehicle.peek() !== undefined) return;
    const abort = new AbortController();
    client.GET("/v1/me/vehicles", { params: { query: { limit: 100 } }, signal: abort.signal }).then(
      ({ data }) => {
        const vehicle = data.items.find(({ is_default }) => is_default);
        if (vehicle) rememberVehicle(valuesOfVehicle(vehicle));
      },
      // Without it the search has a standard car, and the chip says so.
      (error: unknown) => abort.signal.aborted || console.warn("The vehicles could not be read.", error),
    );
    return () => abort.abort();
  }, [isAppUser.value]);
}
