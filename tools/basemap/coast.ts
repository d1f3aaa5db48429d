// Municipalities as land without inner lines, and the lines between them.
import type { AreaFeature, LineFeature, Position } from "./shapes.ts";

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly owners: string[];
  readonly codes: string[];
}

/** Coordinates are exact to this part of a degree. */
const STEPS = 10_000;

const keyOf = ([lng, lat]: Position) => `${Math.round(lng * STEPS)},${Math.round(lat * STEPS)}`;

function positionOf(key: string): Position {
  const [lng, lat] = key.split(",").map(Number);
  return [lng! / STEPS, lat! / STEPS];
}

export interface Coast {
  readonly land: readonly AreaFeature[];
  /** Lines between prefectures (`level` 1) and between municipalities (2). */
  readonly borders: readonly LineFeature[];
}

/** Neighbours have the same points on their common line: a line with two owners is a border, one with one is the coast. */
export function coastOf(municipalities: readonly AreaFeature[]): Coast {
  const edges = new Map<string, Edge>();
  municipalities.forEach(({ coordinates, properties }, index) => {
    for (const ring of coordinates) {
      const keys = ring.map(keyOf);
      for (let at = 1; at < keys.length; at++) {
        const [from, to] = [keys[at - 1]!, keys[at]!];
        if (from === to) continue;
        const id = from < to ? `${from} ${to}` : `${to} ${from}`;
        const edge = edges.get(id) ?? { from, to, owners: [], codes: [] };
        edge.owners.push(String(properties["pref"]));
        edge.codes.push(String(properties["code"] ?? index));
        edges.set(id, edge);
      }
    }
  });
  const all = [...edges.values()];
  const inner = all.filter(({ codes }) => codes.length % 2 === 0 && new Set(codes).size > 1);
  const isPrefecture = ({ owners }: Edge) => new Set(owners).size > 1;
  return {
    land: polygons(rings(all.filter(({ codes }) => codes.length % 2 === 1))),
    borders: [
      ...paths(inner.filter(isPrefecture)).map((line) => lineOf(line, 1)),
      ...paths(inner.filter((edge) => !isPrefecture(edge))).map((line) => lineOf(line, 2)),
    ],
  };
}

function lineOf(coordinates: Position[], level: number): LineFeature {
  return { type: "line", coordinates: [coordinates], properties: { level } };
}

/** Directed edges as closed rings. */
function rings(edges: readonly Edge[]): Position[][] {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...next.get(from) ?? [], to]);
  const found: Position[][] = [];
  for (const start of next.keys()) {
    while (next.get(start)?.length) {
      const ring = [start];
      for (let at = next.get(start)!.pop(); at !== undefined; at = next.get(at)?.pop()) {
        ring.push(at);
        if (at === start) break;
      }
      if (ring.length > 3 && ring.at(-1) === start) found.push(ring.map(positionOf));
    }
  }
  return found;
}

/** Edges as lines from one junction to the next. */
function paths(edges: readonly Edge[]): Position[][] {
  const neighbours = new Map<string, Set<string>>();
  const connect = (a: string, b: string) => neighbours.set(a, (neighbours.get(a) ?? new Set()).add(b));
  for (const { from, to } of edges) {
    connect(from, to);
    connect(to, from);
  }
  const walk = (start: string): Position[] => {
    const line = [start];
    for (let at = start;;) {
      const to = neighbours.get(at)?.values().next().value;
      if (to === undefined) break;
      neighbours.get(at)!.delete(to);
      neighbours.get(to)!.delete(at);
      line.push(to);
      at = to;
      if (ends.has(at)) break;
    }
    return line.map(positionOf);
  };
  const ends = new Set([...neighbours].filter(([, { size }]) => size !== 2).map(([key]) => key));
  const lines: Position[][] = [];
  for (const start of [...ends, ...neighbours.keys()]) {
    while (neighbours.get(start)!.size > 0) lines.push(walk(start));
  }
  return lines;
}

/** Outer rings with the holes in them. Outer rings and holes have opposite directions. */
function polygons(rings: readonly Position[][]): AreaFeature[] {
  const areas = rings.map((ring) => ({ ring, area: areaOf(ring) }));
  // The largest ring is no hole: its direction is that of the outer rings.
  const sign = Math.sign(areas.reduce((a, b) => Math.abs(a.area) > Math.abs(b.area) ? a : b).area);
  const outer = areas.filter(({ area }) => Math.sign(area) === sign).sort((a, b) => Math.abs(a.area) - Math.abs(b.area))
    .map(({ ring }) => ({ box: boxOf(ring), coordinates: [ring] }));
  for (const { ring } of areas.filter(({ area }) => Math.sign(area) === -sign)) {
    const [lng, lat] = ring[0]!;
    outer.find(({ box, coordinates }) =>
      lng >= box[0] && lng <= box[2] && lat >= box[1] && lat <= box[3] && contains(coordinates[0]!, ring[0]!)
    )?.coordinates.push(ring);
  }
  return outer.map(({ coordinates }) => ({ type: "area", coordinates, properties: {} }));
}

function areaOf(ring: readonly Position[]): number {
  return ring.slice(1).reduce((sum, [x, y], index) => sum + ring[index]![0] * y - x * ring[index]![1], 0);
}

export function boxOf(ring: readonly Position[]): [number, number, number, number] {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [lng, lat] of ring) {
    box[0] = Math.min(box[0], lng);
    box[1] = Math.min(box[1], lat);
    box[2] = Math.max(box[2], lng);
    box[3] = Math.max(box[3], lat);
  }
  return box;
}

/** Whether a ring has a point inside. */
export function contains(ring: readonly Position[], [lng, lat]: Position): boolean {
  let isInside = false;
  for (let at = 0, before = ring.length - 1; at < ring.length; before = at++) {
    const [[x1, y1], [x2, y2]] = [ring[at]!, ring[before]!];
    if ((y1 > lat) !== (y2 > lat) && lng < (x2 - x1) * (lat - y1) / (y2 - y1) + x1) isInside = !isInside;
  }
  return isInside;
}
