/**
 * Geometries of lots, as RFC 7946 has them. What a file or a form sends is checked; its rings are closed and wound, and
 * what crosses the date line is cut there. The table requires the result (private.is_geometry) and changes nothing.
 */
import { bboxClip } from "@turf/bbox-clip";

type Position = readonly number[];
type Path = readonly Position[];
/** The outer ring, and those of the holes. */
type Polygon = readonly Path[];

export interface Geometry {
  readonly type: string;
  readonly coordinates?: unknown;
  readonly geometries?: unknown;
}

/** Degrees. Of a Point in a file it is what the file has, also text. */
export interface Point {
  readonly lng: unknown;
  readonly lat: unknown;
}

export type GeometryReading = { readonly geometry: Geometry; readonly point: Point } | { readonly problem: string };

interface Place extends Point {
  readonly lng: number;
  readonly lat: number;
}

class Fault extends Error {}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isGeometry(value: unknown): value is Geometry & Record<string, unknown> {
  return isObject(value) && typeof value["type"] === "string";
}

/** WGS 84, and what differs from it by less than a lot: ETRS89, JGD2000, JGD2011, NAD83. Each in degrees. */
const DEGREES = /(?:CRS84h?|\bEPSG\b.*\b(?:4326|4979|4258|4612|6668|6697|4269))$/i;

/** Before RFC 7946 an object could name the system of its coordinates: what it names, if that is not degrees. */
export function otherSystem(value: unknown): string | undefined {
  const crs = isObject(value) ? value["crs"] ?? undefined : undefined;
  if (crs === undefined) return undefined;
  const name = isObject(crs) && isObject(crs["properties"]) ? crs["properties"]["name"] ?? crs : crs;
  return typeof name === "string" && DEGREES.test(name.trim()) ? undefined : shown(name);
}

/** A geometry in its normal form with its point; or why it is none. The work is bounded by the size of the value. */
export function readGeometry(value: unknown): GeometryReading {
  try {
    const { geometry, polygons, positions } = normal(value);
    return { geometry, point: centreOf(polygons) ?? meanOf(positions) };
  } catch (error) {
    if (error instanceof Fault) return { problem: error.message };
    throw error;
  }
}

/** The point of a geometry in a file: the point itself, or the centre of an outline. Undefined if it is no geometry. */
export function pointOf(value: unknown): Point | undefined {
  if (isGeometry(value) && value.type === "Point") {
    return Array.isArray(value.coordinates) ? { lng: value.coordinates[0], lat: value.coordinates[1] } : undefined;
  }
  const reading = outlineOf(value);
  return reading !== undefined && "point" in reading ? reading.point : undefined;
}

const outlines = new WeakMap<object, GeometryReading>();

/** The outline of a lot in a file, any geometry but a point. Undefined without one. */
export function outlineOf(value: unknown): GeometryReading | undefined {
  if (typeof value !== "object" || value === null || isGeometry(value) && value.type === "Point") return undefined;
  let reading = outlines.get(value);
  if (reading === undefined) outlines.set(value, reading = readGeometry(value));
  return reading;
}

// ---------------------------------------------------------------------------------------------------------------------
// The normal form
// ---------------------------------------------------------------------------------------------------------------------

interface Parts {
  readonly geometry: Geometry;
  readonly polygons: readonly Polygon[];
  readonly positions: readonly Position[];
}

function normal(value: unknown, isMember = false): Parts {
  const { type = "", coordinates, geometries } = isGeometry(value) ? value : { type: undefined };
  const system = otherSystem(value);
  if (system !== undefined) throw new Fault(`has the crs ${system}, not degrees of WGS 84`);
  if (type === "GeometryCollection" && !isMember) {
    const members = listOf(geometries, 1, "geometries").map((member) => normal(member, true));
    return {
      geometry: { type, geometries: members.map(({ geometry }) => geometry) },
      polygons: members.flatMap(({ polygons }) => polygons),
      positions: members.flatMap(({ positions }) => positions),
    };
  }
  const isMulti = type.startsWith("Multi");
  const members = isMulti ? listOf(coordinates, 1, "parts") : [coordinates];
  const one = type.replace(/^Multi/, "");
  const geometryOf = (parts: readonly unknown[]): Geometry =>
    isMulti || parts.length > 1 ? { type: `Multi${one}`, coordinates: parts } : { type, coordinates: parts[0] };
  if (one === "Point") {
    const positions = members.map(positionOf);
    return { geometry: geometryOf(positions), polygons: [], positions };
  } else if (one === "LineString") {
    const lines = members.flatMap((line) => cut("LineString", [unrolled(pathOf(line, 2))])).flat();
    return { geometry: geometryOf(lines), polygons: [], positions: lines.flat() };
  } else if (one === "Polygon") {
    const polygons = members.flatMap((rings) => cut("Polygon", listOf(rings, 1, "rings").map(ringOf))).map(wound);
    checkHoles(polygons);
    return { geometry: geometryOf(polygons), polygons, positions: polygons.flat(2) };
  }
  throw new Fault(`is not a GeoJSON geometry${isMember ? " of a collection" : ""}: ${shown(value)}`);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function listOf(value: unknown, least: number, items: string): unknown[] {
  if (Array.isArray(value) && value.length >= least) return value;
  throw new Fault(`has ${least === 1 ? "no" : `fewer than ${least}`} ${items}: ${shown(value)}`);
}

function positionOf(value: unknown): Position {
  const isNumbers = Array.isArray(value) && value.length >= 2 && value.every(Number.isFinite);
  const [lng, lat] = isNumbers ? value as [number, number] : [NaN, NaN];
  if (Math.abs(lng) <= 180 && Math.abs(lat) <= 90) return value as Position;
  const hint = Math.abs(lat) <= 180 && Math.abs(lng) <= 90 ? ", latitude and longitude look swapped" : "";
  throw new Fault(`has a position that is not [longitude, latitude] in degrees: ${shown(value)}${hint}`);
}

function pathOf(value: unknown, least: number): Path {
  return listOf(value, least, "positions").map(positionOf);
}

const isSamePlace = ([x1, y1]: Position, [x2, y2]: Position) => x1 === x2 && y1 === y2;

/** A ring whose last position is the first, without jumps over the date line. */
function ringOf(value: unknown): Path {
  const path = pathOf(value, 3);
  const [first, last] = [path[0]!, path.at(-1)!];
  const ring = isSamePlace(first, last) ? [...path.slice(0, -1), first] : [...path, first];
  if (cornersOf(ring) < 3) throw new Fault(`has a ring of fewer than 3 different corners: ${shown(value)}`);
  const flat = unrolled(ring);
  if (!isSamePlace(flat[0]!, flat.at(-1)!)) throw new Fault("has a ring around a pole");
  if (!hasArea(flat)) throw new Fault(`has a ring without an area: ${shown(value)}`);
  return flat;
}

/** West, south, east and north of a ring. */
function boundsOf(ring: Path): [number, number, number, number] {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [lng = 0, lat = 0] of ring) {
    [west, south, east, north] = [Math.min(west, lng), Math.min(south, lat), Math.max(east, lng), Math.max(north, lat)];
  }
  return [west, south, east, north];
}

/** Whether a ring is more than a line there and back. The parts of a bow tie can cancel each other: it has a width. */
function hasArea(ring: Path): boolean {
  const [west, south, east, north] = boundsOf(ring);
  return Math.abs(sumsOf(ring).area) > 1e-7 * (east - west) * (north - south) ||
    (innerPointOf([ring])?.width ?? 0) > 1e-7 * Math.max(east - west, north - south);
}

/** Corners of outer rings that all holes of an outline are compared with: a millisecond, since a request may have many. */
const MOST_COMPARISONS = 200_000;

/** Holes are within their outer ring: one elsewhere would move the centre of the lot. They may touch it. */
function checkHoles(polygons: readonly Polygon[]): void {
  const comparisons = polygons.reduce((sum, polygon) => sum + (polygon.length - 1) * polygon[0]!.length, 0);
  if (comparisons > MOST_COMPARISONS) throw new Fault("has too many holes");
  for (const [outer = [], ...holes] of polygons) {
    const [west, south, east, north] = boundsOf(outer);
    for (const hole of holes) {
      const [holeWest, holeSouth, holeEast, holeNorth] = boundsOf(hole);
      const point = innerPointOf([hole]);
      const isWithin = west <= holeWest && south <= holeSouth && holeEast <= east && holeNorth <= north &&
        (point === undefined || isInside([outer], point)) &&
        Math.abs(sumsOf(hole).area) < Math.abs(sumsOf(outer).area);
      if (!isWithin) throw new Fault(`has a hole outside of its outer ring: ${shown(hole)}`);
    }
  }
}

const cornersOf = (ring: Path) => new Set(ring.map(([lng, lat]) => `${lng} ${lat}`)).size;

/** The right-hand rule: the outer ring counterclockwise, holes clockwise. */
function wound(polygon: Polygon): Polygon {
  return polygon.map((ring, index) => sumsOf(ring).area * (index === 0 ? 1 : -1) < 0 ? ring.toReversed() : ring);
}

/** Moves a path by whole turns, so that it begins beside a longitude. */
function beside(lng: number, path: Path): Path {
  const turn = 360 * Math.round((lng - (path[0]?.[0] ?? 0)) / 360);
  return turn === 0 ? path : path.map(([x = 0, ...rest]) => [x + turn, ...rest]);
}

/** The longitudes of a path without jumps, so that they leave -180 to 180 where it crosses the date line. */
function unrolled(path: Path): Path {
  let turn = 0;
  return path.map(([lng = 0, ...rest], index) => {
    turn += 360 * Math.round(((path[index - 1]?.[0] ?? lng) - lng) / 360);
    return [lng + turn, ...rest];
  });
}

/**
 * A line or a polygon in parts that do not cross the date line. An edge is the shorter way around the earth. The parts have
 * no heights: where they are cut, none is known.
 */
function cut(type: "LineString" | "Polygon", flat: Polygon): Polygon[] {
  if (flat.every((path) => path.every(([lng = 0]) => Math.abs(lng) <= 180))) return [flat];
  const whole = flat.map((path) => beside(flat[0]![0]![0]!, path).map((position) => position.slice(0, 2)));
  return [-360, 0, 360].flatMap((turn) => {
    const world: [number, number, number, number] = [turn - 180, -90, turn + 180, 90];
    const { geometry } = type === "Polygon"
      ? bboxClip({ type, coordinates: whole }, world)
      : bboxClip({ type, coordinates: whole[0]! }, world);
    const parts: readonly Polygon[] = geometry.type === "MultiPolygon"
      ? geometry.coordinates
      : geometry.type === "Polygon"
      ? [geometry.coordinates]
      : (geometry.type === "MultiLineString" ? geometry.coordinates : [geometry.coordinates]).map((line) => [line]);
    return parts.map((part) =>
      part.filter((path) => cornersOf(path) >= (type === "Polygon" ? 3 : 2))
        .map((path) => path.map(([lng = 0, lat = 0]) => [lng - turn, lat]))
    ).filter((part) => part.length > 0);
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// The centre
// ---------------------------------------------------------------------------------------------------------------------

/** Twice the signed area of a ring, and its moments: the centre is where they are, divided by three times the area. */
function sumsOf(
  ring: Path,
  [originX = 0, originY = 0]: Position = ring[0] ?? [],
): { area: number; x: number; y: number } {
  const sums = { area: 0, x: 0, y: 0 };
  for (const [index, [x1 = 0, y1 = 0]] of ring.entries()) {
    const [x2 = 0, y2 = 0] = ring[index + 1] ?? ring[0]!;
    const cross = (x1 - originX) * (y2 - originY) - (x2 - originX) * (y1 - originY);
    sums.area += cross;
    sums.x += cross * (x1 + x2 - 2 * originX);
    sums.y += cross * (y1 + y2 - 2 * originY);
  }
  return sums;
}

/** Where a circle of latitude crosses the rings, from west to east. It is inside from the first to the second, and so on. */
function crossings(polygon: Polygon, lat: number): number[] {
  const found: number[] = [];
  for (const ring of polygon) {
    for (const [index, [x1 = 0, y1 = 0]] of ring.entries()) {
      const [x2 = 0, y2 = 0] = ring[index + 1] ?? ring[0]!;
      if ((y1 > lat) !== (y2 > lat)) found.push(x1 + (lat - y1) / (y2 - y1) * (x2 - x1));
    }
  }
  return found.sort((a, b) => a - b);
}

const isInside = (polygon: Polygon, { lng, lat }: Place) =>
  crossings(polygon, lat).filter((end) => end < lng).length % 2 === 1;

/** The middle of the widest part of three circles of latitude through a polygon. Undefined where it has no width. */
function innerPointOf(polygon: Polygon): (Place & { readonly width: number }) | undefined {
  const [, south, , north] = boundsOf(polygon[0] ?? []);
  let width = 0, place: Place | undefined;
  for (const share of [1 / 2, 1 / 3, 2 / 3]) {
    const lat = south + (north - south) * share;
    const ends = crossings(polygon, lat);
    for (let index = 0; index + 1 < ends.length; index += 2) {
      const [west, east] = [ends[index]!, ends[index + 1]!];
      if (east - west > width) [width, place] = [east - west, { lng: inRange((west + east) / 2), lat }];
    }
  }
  return place && { ...place, width };
}

const inRange = (lng: number) => lng > 180 ? lng - 360 : lng < -180 ? lng + 360 : lng;

/** The centre of the area of all parts; where that is outside of them, a point within the largest. */
function centreOf(polygons: readonly Polygon[]): Place | undefined {
  const origin = polygons[0]?.[0]?.[0];
  if (origin === undefined) return undefined;
  const parts = polygons.map((polygon) => polygon.map((ring) => beside(origin[0]!, ring)));
  const total = { area: 0, x: 0, y: 0 };
  let largest = parts[0]!, largestArea = 0;
  for (const polygon of parts) {
    const sums = polygon.map((ring) => sumsOf(ring, origin));
    const area = Math.abs(sums.reduce((sum, ring) => sum + ring.area, 0));
    if (area > largestArea) [largest, largestArea] = [polygon, area];
    for (const { area, x, y } of sums) [total.area, total.x, total.y] = [total.area + area, total.x + x, total.y + y];
  }
  const lng = origin[0]! + total.x / (3 * total.area), lat = origin[1]! + total.y / (3 * total.area);
  if (parts.some((polygon) => isInside(polygon, { lng, lat }))) return { lng: inRange(lng), lat };
  const inner = innerPointOf(largest);
  return inner && { lng: inner.lng, lat: inner.lat };
}

function meanOf(positions: readonly Position[]): Point {
  const [first = 0] = positions[0] ?? [];
  const mean = (axis: number) =>
    positions.reduce((sum, position) => sum + beside(first, [position])[0]![axis]!, 0) / positions.length;
  return { lng: inRange(mean(0)), lat: mean(1) };
}
