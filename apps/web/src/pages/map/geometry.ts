/** The shapes of the map in degrees. */

export type Position = [lng: number, lat: number];

/** A point of GeoJSON. */
export interface Feature {
  readonly type: "Feature";
  readonly geometry: { readonly type: "Point"; readonly coordinates: Position };
  readonly properties: Readonly<Record<string, string | number>>;
}

/** The edges of a part of the map. East of a whole turn they have more than 180 degrees. */
export interface Edges {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** The edges of a box in a request: longitudes from -180 to 180. */
export type Bounds = readonly [west: number, south: number, east: number, north: number];

/** The map shows nothing nearer to the poles. */
const MAX_LATITUDE = 85;

export function point(lng: number, lat: number, properties: Feature["properties"]): Feature {
  return { type: "Feature", geometry: { type: "Point", coordinates: [lng, lat] }, properties };
}

/** The box of a view in the bounds of the contract. */
export function boundsOf({ west, south, east, north }: Edges): Bounds {
  const wrap = (lng: number) => Math.round((((lng + 180) % 360 + 360) % 360 - 180) * 1e5) / 1e5;
  const clamp = (lat: number) => Math.round(Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, lat)) * 1e5) / 1e5;
  const isWhole = east - west >= 360;
  return [isWhole ? -180 : wrap(west), clamp(south), isWhole ? 180 : wrap(east), clamp(north)];
}

export interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** The distance of two places that are not far from each other, and more than any of those for others. */
export function metersBetween(a: Place, b: Place): number {
  const radians = Math.PI / 180;
  const lng = Math.abs(a.lng - b.lng);
  const x = Math.min(lng, 360 - lng) * Math.cos((a.lat + b.lat) / 2 * radians);
  return Math.hypot(x, a.lat - b.lat) * radians * 6_371_000;
}

/** The place that is nearest to another; undefined if there are none. */
export function nearest<Some extends Place>(places: readonly Some[], to: Place): Some | undefined {
  let found: Some | undefined;
  for (const place of places) {
    if (found === undefined || metersBetween(place, to) < metersBetween(found, to)) found = place;
  }
  return found;
}

/** The box of some points; they are near to each other. */
export function boxAround(points: readonly { readonly lng: number; readonly lat: number }[]): Bounds {
  const [lngs, lats] = [points.map(({ lng }) => lng), points.map(({ lat }) => lat)];
  return [Math.min(...lngs), Math.min(...lats), Math.max(...lngs), Math.max(...lats)];
}
