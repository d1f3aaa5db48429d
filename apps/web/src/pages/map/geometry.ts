/** The shapes of the map in degrees, and what fits on it in pixels. */

export type Position = [lng: number, lat: number];

/** A feature of GeoJSON. */
export interface Feature {
  readonly type: "Feature";
  readonly geometry:
    | { readonly type: "Point"; readonly coordinates: Position }
    | { readonly type: "LineString"; readonly coordinates: Position[] }
    | { readonly type: "Polygon"; readonly coordinates: Position[][] };
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

const EARTH_RADIUS_M = 6_371_008.8;
/** The map shows nothing nearer to the poles. */
const MAX_LATITUDE = 85;
const GRID_STEPS = [30, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001];
const GRID_CELL_PX = 70;
/** The room of a marker with its price. */
const MARKER_PX = { width: 74, height: 30 };

export function point(lng: number, lat: number, properties: Feature["properties"]): Feature {
  return { type: "Feature", geometry: { type: "Point", coordinates: [lng, lat] }, properties };
}

/** A circle on the globe, as a polygon. */
export function circle({ lat, lng }: { readonly lat: number; readonly lng: number }, radiusM: number): Feature {
  const degrees = 180 / Math.PI;
  const angle = radiusM / EARTH_RADIUS_M * degrees;
  const corners = Array.from({ length: 73 }, (_, index): Position => {
    const direction = index * 5 / degrees;
    return [
      lng + angle * Math.sin(direction) / Math.max(0.05, Math.cos(lat / degrees)),
      lat + angle * Math.cos(direction),
    ];
  });
  return { type: "Feature", geometry: { type: "Polygon", coordinates: [corners] }, properties: {} };
}

/** Meridians and parallels of a view of so many pixels and its surroundings, at round degrees. */
export function gridLines({ west, south, east, north }: Edges, widthPx: number): Feature[] {
  const [width, height] = [east - west, north - south];
  const step = GRID_STEPS.findLast((step) => step * widthPx / width >= GRID_CELL_PX) ?? GRID_STEPS[0]!;
  const lines: Feature[] = [];
  const line = (...coordinates: Position[]) =>
    lines.push({ type: "Feature", geometry: { type: "LineString", coordinates }, properties: {} });
  const [bottom, top] = [Math.max(-MAX_LATITUDE, south - height), Math.min(MAX_LATITUDE, north + height)];
  for (let lng = Math.floor((west - width) / step) * step; lng < east + width; lng += step) {
    line([lng, bottom], [lng, top]);
  }
  for (let lat = Math.floor(bottom / step) * step; lat < top; lat += step) {
    line([west - width, lat], [east + width, lat]);
  }
  return lines;
}

/** The box of a view in the bounds of the contract. */
export function boundsOf({ west, south, east, north }: Edges): Bounds {
  const wrap = (lng: number) => Math.round((((lng + 180) % 360 + 360) % 360 - 180) * 1e5) / 1e5;
  const clamp = (lat: number) => Math.round(Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, lat)) * 1e5) / 1e5;
  const isWhole = east - west >= 360;
  return [isWhole ? -180 : wrap(west), clamp(south), isWhole ? 180 : wrap(east), clamp(north)];
}

/** For each marker whether it would cover one before it in the list, which has room. */
export function overlapping(points: readonly { readonly x: number; readonly y: number }[]): boolean[] {
  const placed: { x: number; y: number }[] = [];
  return points.map((at) => {
    const overlaps = placed.some(({ x, y }) =>
      Math.abs(at.x - x) < MARKER_PX.width && Math.abs(at.y - y) < MARKER_PX.height
    );
    if (!overlaps) placed.push(at);
    return overlaps;
  });
}
