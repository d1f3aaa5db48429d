/** The list of the first page. It is requested before the page is there to ask for it. */
import { NetworkError } from "parking-lot-client";
import { place, replaceQuery } from "../../router.ts";
import { settings } from "../../settings.ts";
import { OF_USER } from "../../storage.ts";
import { listLots, type LotList } from "./lots.ts";
import { fieldsOf, type Search, searchOf, usualStay } from "./search.ts";
import { rememberedVehicle, withRemembered } from "./vehicle.ts";
import { zone } from "./zone.ts";

interface FirstList {
  readonly search: string;
  readonly list: Promise<LotList>;
}

let first: FirstList | undefined;

/** Requests the list of the search that the address names, if the address is that of the map. */
function requestFirstList(): void {
  if (place.peek().path !== "/") return;
  const { view: _, ...values } = Object.fromEntries(place.peek().query);
  const search = searchOf(withRemembered(values, rememberedVehicle.peek()), usualStay(), settings.start, zone.peek());
  const list = listLots(search, new AbortController().signal);
  // The page says what is wrong.
  list.catch(() => {});
  first = { search: JSON.stringify(search), list };
}

/** The lots of a search: those of the first list, once, or of a request. */
export async function readList(search: Search, signal: AbortSignal): Promise<LotList> {
  const requested = first;
  first = undefined;
  try {
    const list = await (requested?.search === JSON.stringify(search) ? requested.list : listLots(search, signal));
    localStorage.setItem(
      OF_USER.lastSearch,
      JSON.stringify({ ...search.values, stay: search.stay, view: place.peek().query.get("view") }),
    );
    return list;
  } catch (error) {
    if (error instanceof NetworkError && !signal.aborted) showLast();
    throw error;
  }
}

/** Without a connection, an address without a stay shows the last search: its lots are kept, with their prices. */
function showLast(): void {
  const { path, query } = place.peek();
  const last = JSON.parse(localStorage.getItem(OF_USER.lastSearch) ?? "null");
  if (last?.stay === undefined || path !== "/" || query.has("entry")) return;
  const { stay, ...values } = last;
  replaceQuery({ ...Object.fromEntries(query), ...values, ...fieldsOf(stay, zone.peek()) });
}

// When this module is there, before the texts and the frame.
requestFirstList();
