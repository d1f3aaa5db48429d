/**
 * Resolves the place of a search: the place in the text, the position of the device, or the centre of the previous
 * search.
 */
import type { Database } from "../db/client.ts";
import type { Geocoder } from "../providers/geocoder.ts";
import { ProviderDown } from "../providers/calls/errors.ts";
import type { Lang } from "./reply.ts";
import type { Note, ParsedSearch } from "./rules/types.ts";

export interface Location {
  readonly name: string;
  readonly lat: number;
  readonly lng: number;
  /** Source of the place: a geocoder, `places`, `lots`, `text`, `device` or `context`. */
  readonly source: string;
}

export interface Located {
  readonly location: Location | null;
  readonly assumptions: readonly Note[];
  readonly unresolved: readonly Note[];
}

interface Found extends Location {
  /** Prefecture and municipality, if the place is one of `places`. */
  readonly area?: string | null;
  readonly is_ambiguous: boolean;
}

/** What is known of the words for a place. */
export interface Lookup {
  readonly place: Found | null;
  /** The words of the text that are the place. */
  readonly words: string | null;
  /** The geocoder may be asked, now. */
  readonly canAsk: boolean;
  /** The geocoder would be asked, but others ask it in this second. */
  readonly isBusy: boolean;
}

type Position = { readonly lat: number; readonly lng: number } | null;

const WORDS = {
  ja: {
    here: "現在地",
    noPosition: "現在地が分からないため、場所を教えてください。",
    notFound: (place: string) => `「${place}」という場所が見つかりません。`,
    busy: (place: string) => `「${place}」という場所をいま調べられませんでした。少し待って、もう一度送ってください。`,
    oneOfSeveral: (name: string) => `同じ名前の場所がほかにもあります。「${name}」としました。`,
    otherWords: (name: string) => `「${name}」を場所としました。`,
  },
  en: {
    here: "Current position",
    noPosition: "The position of the device is unknown. Please name a place.",
    notFound: (place: string) => `There is no place called “${place}”.`,
    busy: (place: string) => `The place “${place}” could not be looked up now. Wait a moment and send it again.`,
    oneOfSeveral: (name: string) => `Several places have this name; this is ${name}.`,
    otherWords: (name: string) => `The place is “${name}”.`,
  },
} as const;

/** The functions of the database that locating a place calls. */
export const LOCATE_CALLS = ["find_place", "keep_place"] as const;

type PlaceDatabase = Database<(typeof LOCATE_CALLS)[number]>;

const NO_PLACE: Lookup = { place: null, words: null, canAsk: false, isBusy: false };

/**
 * Looks up the place of a search without a network: kept answers of the geocoder, the names of places, the names of lots,
 * then other words of the text. `geocoder` is null if it may not be asked.
 */
export async function lookUp(
  service: PlaceDatabase,
  geocoder: Geocoder["kind"],
  parsed: ParsedSearch,
  position: Position,
): Promise<Lookup> {
  if (parsed.status === "unparseable" || parsed.place === null) return NO_PLACE;
  if (parsed.position !== null) {
    const place = { name: parsed.place, ...parsed.position, source: "text", is_ambiguous: false };
    return { ...NO_PLACE, place, words: parsed.place };
  }
  const { place, words, wait_ms, is_busy } = await service.rpc<{
    place: Found | null;
    words: string | null;
    wait_ms: number | null;
    is_busy: boolean;
  }>("find_place", {
    text: parsed.place,
    geocoder,
    ...position,
    others: [...parsed.other_places],
    is_left_over: parsed.is_place_left_over,
  });
  return { place, words, canAsk: wait_ms !== null, isBusy: is_busy };
}

/** Asks the geocoder for a place that is not known. It has a deadline; without an answer the lookup stays as it is. */
export async function askGeocoder(
  service: PlaceDatabase,
  geocoder: Geocoder,
  parsed: ParsedSearch,
  lookup: Lookup,
  lang: Lang,
): Promise<Lookup> {
  if (!lookup.canAsk || geocoder.kind === null) return lookup;
  const text = parsed.place!;
  try {
    const place = await geocoder.find(text, lang);
    if (place !== null && parsed.is_place_left_over && !isNamed(place.name, text)) return lookup;
    await service.rpc("keep_place", { text, geocoder: geocoder.kind, ...place });
    return place === null
      ? lookup
      : { ...lookup, place: { ...place, source: geocoder.kind, is_ambiguous: false }, words: text };
  } catch (error) {
    if (error instanceof ProviderDown) return lookup;
    throw error;
  }
}

/** Geocoders also return places that only contain the text. What remained of a text must be the name itself. */
function isNamed(name: string, text: string): boolean {
  const plain = (words: string) => words.normalize("NFKC").replace(/\s+/g, "").toLowerCase();
  return plain(name.split(",")[0]!).endsWith(plain(text));
}

export interface LocateRequest {
  readonly parsed: ParsedSearch;
  readonly lookup: Lookup;
  readonly lang: Lang;
  readonly position: Position;
}

export function locate({ parsed, lookup, lang, position }: LocateRequest): Located {
  const words = WORDS[lang];
  const note = (value: string | null, reason: string): Note => ({
    text: parsed.place ?? "",
    field: "place",
    value,
    reason,
  });
  if (parsed.place !== null) {
    if (lookup.place === null) {
      const reason = lookup.isBusy ? words.busy(parsed.place) : words.notFound(parsed.place);
      return { ...NOWHERE, unresolved: [note(null, reason)] };
    }
    const { is_ambiguous, area, ...location } = lookup.place;
    const full = area && !location.name.startsWith(area) ? `${location.name} (${area})` : location.name;
    return {
      ...NOWHERE,
      location,
      assumptions: [
        ...lookup.words === parsed.place ? [] : [note(lookup.words, words.otherWords(lookup.words!))],
        ...is_ambiguous ? [note(location.name, words.oneOfSeveral(full))] : [],
      ],
    };
  }
  if (parsed.own_position) {
    if (position === null) return { ...NOWHERE, unresolved: [note(null, words.noPosition)] };
    return { ...NOWHERE, location: { name: words.here, ...position, source: "device" } };
  }
  const centre = parsed.query.center;
  if (centre === undefined) return NOWHERE;
  return {
    ...NOWHERE,
    location: { name: centre.placeName ?? "", lat: centre.lat, lng: centre.lng, source: "context" },
  };
}

export const NOWHERE: Located = { location: null, assumptions: [], unresolved: [] };
