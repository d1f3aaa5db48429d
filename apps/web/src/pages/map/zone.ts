/// <reference lib="dom" />
/** By which clocks the map has its times: by those of the lots that it looks at. */
import { signal } from "@preact/signals";
import { readerZone, toLocalInput } from "../../local_time.ts";
import { client } from "../../service.ts";
import { OF_USER } from "../../storage.ts";
import { metersBetween, nearest, type Place } from "./geometry.ts";
import { isOf, type Search } from "./search.ts";

interface Known extends Place {
  readonly timeZone: string;
}

type Lot = Place & { readonly id: string };

/** A lot this near to one whose zone is known has the same. */
const NEAR_M = 10_000;

const known: Known[] = stored();

/** The zone of the lots that were looked at last; before there are any, that of the reader. */
export const zone = signal(known[0]?.timeZone ?? readerZone());

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
  const lot = nearest(lots, middle);
  const key = `${middle.lat},${middle.lng}`;
  if (lot === undefined || followed[of] === key) return;
  const following = readZone(lot, signal).then((found) => {
    if (signal.aborted) return;
    followed[of] = key;
    localStorage.setItem(OF_USER.zone, JSON.stringify(found));
    zone.value = found.timeZone;
  }).catch((error: unknown) => signal.aborted || console.warn("The time zone of a lot could not be read.", error));
  // An hour from now on is the same by all clocks.
  if (isTyped(search)) await following;
  if (isOf(search, zone.peek())) return;
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
}

const isTyped = ({ values }: Search): boolean => values["entry"] !== undefined;

/** The lists have no zones: the page of a lot has. */
async function readZone(lot: Lot, signal: AbortSignal): Promise<Known> {
  const near = nearest(known, lot);
  if (near !== undefined && metersBetween(near, lot) < NEAR_M) return near;
  const params = { path: { id: lot.id } };
  // A page without a stay is not one to show without a connection.
  const { data } = await client.GET("/v1/parking-lots/{id}", { params, signal, cache: "no-store" });
  const found = { lat: lot.lat, lng: lot.lng, timeZone: data.time_zone };
  // A browser may not know the zone.
  toLocalInput(new Date(), found.timeZone);
  known.push(found);
  return found;
}

/** The place and the zone of the last visit. */
function stored(): Known[] {
  try {
    const last = JSON.parse(localStorage.getItem(OF_USER.zone) ?? "null") as Known | null;
    if (last === null) return [];
    toLocalInput(new Date(), last.timeZone);
    return [last];
  } catch {
    return [];
  }
}
