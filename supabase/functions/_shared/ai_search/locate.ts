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
  /** Source of the place: a geocoder, `places`, `lots`, `device` or `context`. */
  readonly source: string;
}

export interface Located {
  readonly location: Location | null;
  readonly assumptions: readonly Note[];
  readonly unresolved: readonly Note[];
}

export interface LocateRequest {
  readonly parsed: ParsedSearch;
  readonly lang: Lang;
  readonly position: { readonly lat: number; readonly lng: number } | null;
}

interface Found extends Location {
  readonly is_ambiguous: boolean;
}

const WORDS = {
  ja: {
    here: "現在地",
    noPosition: "現在地が分からないため、場所を教えてください。",
    notFound: (place: string) => `「${place}」という場所が見つかりません。`,
    oneOfSeveral: (name: string) => `同じ名前の場所がほかにもあります。「${name}」としました。`,
  },
  en: {
    here: "Current position",
    noPosition: "The position of the device is unknown. Please name a place.",
    notFound: (place: string) => `There is no place called “${place}”.`,
    oneOfSeveral: (name: string) => `Several places have this name; this is ${name}.`,
  },
} as const;

/** The functions of the database that locating a place calls. */
export const LOCATE_CALLS = ["find_place", "keep_place"] as const;

type PlaceDatabase = Database<(typeof LOCATE_CALLS)[number]>;

export async function locate(service: PlaceDatabase, geocoder: Geocoder, request: LocateRequest): Promise<Located> {
  const { parsed, lang, position } = request;
  const words = WORDS[lang];
  const note = (value: string | null, reason: string): Note => ({
    text: parsed.place ?? "",
    field: "place",
    value,
    reason,
  });
  if (parsed.place !== null) {
    const found = await findPlace(service, geocoder, request);
    if (found === null) return { ...NOWHERE, unresolved: [note(null, words.notFound(parsed.place))] };
    const { is_ambiguous, ...location } = found;
    return {
      ...NOWHERE,
      location,
      assumptions: is_ambiguous ? [note(found.name, words.oneOfSeveral(found.name))] : [],
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

const NOWHERE: Located = { location: null, assumptions: [], unresolved: [] };

/** Order of lookup: cached results, the geocoder, then the names in the database. */
async function findPlace(
  service: PlaceDatabase,
  geocoder: Geocoder,
  { parsed, lang, position }: LocateRequest,
): Promise<Found | null> {
  const text = parsed.place!;
  const cached = await service.rpc<{ place: Found | null; wait_ms: number | null }>("find_place", {
    text,
    geocoder: geocoder.kind,
    ...position,
  });
  if (cached.wait_ms === null || geocoder.kind === null) return cached.place;
  await new Promise((resolve) => setTimeout(resolve, cached.wait_ms!));
  try {
    const place = await geocoder.find(text, lang);
    await service.rpc("keep_place", { text, geocoder: geocoder.kind, ...place });
    return place === null ? cached.place : { ...place, source: geocoder.kind, is_ambiguous: false };
  } catch (error) {
    if (error instanceof ProviderDown) return cached.place;
    throw error;
  }
}
