type Position = readonly number[];

export interface Point {
  readonly lng: unknown;
  readonly lat: unknown;
}

const GEOMETRIES = ["LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection"];

interface Geometry {
  readonly type: string;
  readonly coordinates?: unknown;
  readonly geometries?: unknown;
}

function isGeometry(value: unknown): value is Geometry {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function isPosition(value: unknown): value is Position {
  return Array.isArray(value) && value.length >= 2 && value.every((part) => typeof part === "number");
}

/** All positions of a geometry, at any depth. */
function positionsOf(value: unknown): Position[] {
  if (isPosition(value)) return [value];
  return Array.isArray(value) ? value.flatMap(positionsOf) : [];
}

/** Centre of gravity of a closed ring. Mean of its corners if its area is zero. */
function centreOfRing(ring: readonly Position[]): Point {
  const [originX = 0, originY = 0] = ring[0] ?? [];
  let area = 0, x = 0, y = 0;
  for (const [index, [x1 = 0, y1 = 0]] of ring.entries()) {
    const [x2 = 0, y2 = 0] = ring[(index + 1) % ring.length] ?? [];
    const cross = (x1 - originX) * (y2 - originY) - (x2 - originX) * (y1 - originY);
    area += cross;
    x += cross * (x1 + x2 - 2 * originX);
    y += cross * (y1 + y2 - 2 * originY);
  }
  if (Math.abs(area) < 1e-15) return meanOf(ring);
  return { lng: originX + x / (3 * area), lat: originY + y / (3 * area) };
}

function meanOf(positions: readonly Position[]): Point {
  const mean = (axis: number) => positions.reduce((sum, position) => sum + (position[axis] ?? 0), 0) / positions.length;
  return { lng: mean(0), lat: mean(1) };
}

/** The point of a geometry: the point itself, the centre of a polygon's outer ring, or the mean of its positions. */
export function pointOf(geometry: unknown): Point | undefined {
  if (!isGeometry(geometry)) return undefined;
  const { type, coordinates } = geometry;
  if (type === "Point") return Array.isArray(coordinates) ? { lng: coordinates[0], lat: coordinates[1] } : undefined;
  if (type === "Polygon" && Array.isArray(coordinates)) {
    const ring = positionsOf(coordinates[0]);
    return ring.length > 0 ? centreOfRing(ring) : undefined;
  }
  const parts = type === "GeometryCollection" && Array.isArray(geometry.geometries)
    ? geometry.geometries.filter(isGeometry).map((part) => part.coordinates)
    : coordinates;
  const positions = positionsOf(parts);
  return positions.length > 0 ? meanOf(positions) : undefined;
}

/** The geometry to store as the lot's area: any geometry except a point. */
export function areaOf(geometry: unknown): unknown {
  return isGeometry(geometry) && GEOMETRIES.includes(geometry.type) ? geometry : undefined;
}
