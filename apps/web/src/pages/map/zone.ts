/// <reference lib="dom" />
/** By which clocks the map has its times: by those of the lots that it looks at. */
import { signal } from "@preact/signals";
import { readerZone, toLocalInput } from "../../local_time.ts";
import { OF_USER } from "../../storage.ts";
import { nearest, type Place } from "./geometry.ts";
import { isOf, type Search } from "./search.ts";

type Lot = Place & { readonly time_zone: string };

/** The zone of the lots that were looked at last, or of the last visit; before there are any, that of the reader. */
export const zone = signal(knownZone(localStorage.getItem(OF_USER.zone)) ?? readerZone());

/** The middle whose zone it is, of the list and of the visible part of the map. */
const followed = { list: "", view: "" };

/**
 * Takes the zone of the lot that is nearest to the middle, once the list or the view has another middle. Times that were
 * typed keep what the clocks show: what was requested for other moments waits until the page requests it again.
 */
export async function followZone(
  of: keyof typeof followed,
  middle: Place,
  lots: readonly Lot[],
  search: Search,
  signal: AbortSignal,
): Promise<void> {
  const found = knownZone(nearest(lots, middle)?.time_zone);
  const key = `${middle.lat},${middle.lng}`;
  if (found === undefined || followed[of] === key || signal.aborted) return;
  followed[of] = key;
  localStorage.setItem(OF_USER.zone, found);
  zone.value = found;
  if (isOf(search, found)) return;
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
}

/** The zone, if it is one that the browser knows. */
function knownZone(timeZone: string | null | undefined): string | undefined {
  try {
    if (timeZone) toLocalInput(new Date(), timeZone);
    return timeZone || undefined;
  } catch {
    return undefined;
  }
}
