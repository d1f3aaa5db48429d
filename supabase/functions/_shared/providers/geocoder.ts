/** Geocoding by GSI (Japan) or Nominatim. The caller caches results and limits its request rate. */
import type { Config } from "../config.ts";
import type { GeocoderConfig } from "../provider_settings.ts";
import { DEADLINES } from "./calls/deadlines.ts";
import { ProviderDown } from "./calls/errors.ts";
import { type Answer, request } from "./calls/request.ts";

export interface GeocodedPlace {
  readonly name: string;
  readonly lat: number;
  readonly lng: number;
}

export interface Geocoder {
  /** Null if none is configured. */
  readonly kind: GeocoderConfig["kind"] | null;
  /** Null if the place does not exist. Throws ProviderDown. */
  find(text: string, lang: string): Promise<GeocodedPlace | null>;
}

const MAX_TEXT = 100;

export function geocoder(config: () => Config): Geocoder {
  return {
    get kind() {
      return config().providers.geocoder?.kind ?? null;
    },
    find: async (text, lang) => {
      const settings = config().providers.geocoder;
      if (settings === null) return null;
      return settings.kind === "gsi" ? await queryGsi(settings, text) : await queryNominatim(settings, text, lang);
    },
  };
}

/** GSI returns addresses and place names, with loose matches. */
async function queryGsi(settings: GeocoderConfig, text: string): Promise<GeocodedPlace | null> {
  const url = new URL(`${settings.url}/address-search/AddressSearch`);
  url.searchParams.set("q", text.slice(0, MAX_TEXT));
  const found = await fetchResults(url, settings);
  const places = found.map(gsiPlace).filter((place) => place !== null);
  const wanted = normalize(text);
  // Only results that contain the text. The one with the least additional text is used.
  const matches = places.filter(({ name }) => normalize(name).includes(wanted));
  return matches.sort((a, b) => a.name.length - b.name.length)[0] ?? null;
}

function gsiPlace(feature: unknown): GeocodedPlace | null {
  const { geometry, properties } = feature as {
    geometry?: { coordinates?: unknown };
    properties?: { title?: unknown };
  };
  const [lng, lat] = Array.isArray(geometry?.coordinates) ? geometry.coordinates : [];
  return placeOf(properties?.title, lat, lng);
}

async function queryNominatim(settings: GeocoderConfig, text: string, lang: string): Promise<GeocodedPlace | null> {
  const url = new URL(`${settings.url}/search`);
  url.search = new URLSearchParams({
    q: text.slice(0, MAX_TEXT),
    format: "jsonv2",
    limit: "1",
    "accept-language": lang,
  }).toString();
  const [first] = await fetchResults(url, settings);
  if (first === undefined) return null;
  const { lat, lon, display_name } = first as Record<string, unknown>;
  return placeOf(display_name, Number(lat), Number(lon));
}

function placeOf(name: unknown, lat: unknown, lng: unknown): GeocodedPlace | null {
  if (typeof name !== "string" || typeof lat !== "number" || typeof lng !== "number") return null;
  if (!(Math.abs(lat) <= 90 && Math.abs(lng) <= 180)) return null;
  return { name: name.slice(0, 200), lat, lng };
}

/** Retries once after a temporary failure, before the same deadline. Returns an array of results, or throws ProviderDown. */
async function fetchResults(url: URL, { userAgent }: GeocoderConfig): Promise<readonly object[]> {
  const deadline = AbortSignal.timeout(DEADLINES.geocoder);
  const headers = { "user-agent": userAgent, accept: "application/json" };
  const send = () => request("The geocoder", url, { headers, deadline });
  const results = listIn(await send().catch(() => undefined)) ?? listIn(await send());
  if (results === undefined) throw new ProviderDown("The geocoder did not respond with a list");
  return results.filter((result) => typeof result === "object" && result !== null);
}

/** Undefined if another attempt can succeed. */
function listIn(answer: Answer | undefined): unknown[] | undefined {
  if (answer === undefined) return undefined;
  const { ok, status, text } = answer;
  if (status >= 400 && status < 500) throw new ProviderDown(`The geocoder responded with ${status}`);
  try {
    const results: unknown = ok ? JSON.parse(text) : undefined;
    return Array.isArray(results) ? results : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function normalize(text: string): string {
  return text.normalize("NFKC").replace(/\s+/g, "").toLowerCase();
}
