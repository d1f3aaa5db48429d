// Difficult lots and searches all over the world, the same in each run.
import { EARTH_M, type Filters, type Lot, type Query, radians } from "./brute_force.ts";

interface Place {
  readonly lat: number;
  readonly lng: number;
  /** How far lots scatter around it, in degrees of latitude. */
  readonly spread: number;
  readonly share: number;
}

const PLACES: readonly Place[] = [
  { lat: 35.6812, lng: 139.7671, spread: 0.02, share: 0.3 }, // a dense centre
  { lat: 35.6, lng: 139.6, spread: 0.3, share: 0.14 }, // the country around it
  { lat: 0, lng: 0, spread: 0.1, share: 0.06 },
  { lat: -33.87, lng: 151.21, spread: 0.1, share: 0.05 },
  { lat: 64.15, lng: -21.94, spread: 0.2, share: 0.05 },
  { lat: 78.22, lng: 15.65, spread: 0.3, share: 0.05 },
  { lat: 84.4, lng: 20, spread: 0.25, share: 0.05 }, // where Mercator's scale changes fast
  { lat: -84.6, lng: -120, spread: 0.25, share: 0.05 },
  { lat: -17, lng: 180, spread: 0.15, share: 0.08 }, // both sides of the antimeridian
  { lat: 84.4, lng: 180, spread: 0.2, share: 0.03 },
  { lat: 90, lng: 0, spread: 0.2, share: 0.04 },
  { lat: -90, lng: 0, spread: 0.2, share: 0.04 },
];

/** A crowd on one point, lots on the poles and on the seam, and lots at equal distances in all four directions. */
const EXACT: readonly { lat: number; lng: number; count: number }[] = [
  { lat: 35.70001, lng: 139.70001, count: 450 },
  { lat: 90, lng: 0, count: 3 },
  { lat: 90, lng: 120, count: 3 },
  { lat: -90, lng: -45, count: 3 },
  { lat: 89.9, lng: 10, count: 3 },
  { lat: 89.95, lng: 10, count: 3 },
  { lat: -17, lng: 180, count: 3 },
  { lat: -17, lng: -180, count: 3 },
  ...[0.001, 0.002, 0.01].flatMap((step) => [
    { lat: step, lng: 0, count: 2 },
    { lat: -step, lng: 0, count: 2 },
    { lat: 0, lng: step, count: 2 },
    { lat: 0, lng: -step, count: 2 },
  ]),
];

/** Far north, where order on the Mercator plane is farthest from order on the globe. */
export const MISLEADING = { lat: 84.3, lng: 60 };
const NORTH = 0, EAST = 90, SOUTH = 180;

/**
 * Seen from there: fifty lots in the south, imaged nearer than they are; a few in the east, imaged as far as they are;
 * sixty in the north that are nearer than all of these, and imaged farther. And two on the circle's easternmost and
 * westernmost meridian, just inside 50 km.
 */
const MISPLACED: readonly { lat: number; lng: number }[] = [
  ...Array.from({ length: 50 }, (_, n) => towards(MISLEADING, SOUTH, 30_000 + n)),
  ...Array.from({ length: 10 }, (_, n) => towards(MISLEADING, EAST, 30_120 + n)),
  ...Array.from({ length: 60 }, (_, n) => towards(MISLEADING, NORTH, 29_900 + n)),
  ...[1, -1].map((side) => tangent(MISLEADING, 49_999.9, side)),
];

const TAGS: readonly [string, number][] = [["covered", 0.5], ["ev_charging", 0.2], ["reservable", 0.01]];

/** The point that one reaches from there on a great circle. */
function towards(from: { lat: number; lng: number }, bearing: number, metres: number): { lat: number; lng: number } {
  const [phi, theta, far] = [radians(from.lat), radians(bearing), metres / EARTH_M];
  const lat = Math.asin(Math.sin(phi) * Math.cos(far) + Math.cos(phi) * Math.sin(far) * Math.cos(theta));
  const turn = Math.atan2(
    Math.sin(theta) * Math.sin(far) * Math.cos(phi),
    Math.cos(far) - Math.sin(phi) * Math.sin(lat),
  );
  return { lat: degrees(lat), lng: from.lng + degrees(turn) };
}

/** Where a meridian touches the circle around there. */
function tangent(around: { lat: number; lng: number }, metres: number, side: number): { lat: number; lng: number } {
  const [phi, far] = [radians(around.lat), metres / EARTH_M];
  return {
    lat: degrees(Math.asin(Math.sin(phi) / Math.cos(far))),
    lng: around.lng + side * degrees(Math.asin(Math.sin(far) / Math.cos(phi))),
  };
}

function degrees(radians: number): number {
  return radians * 180 / Math.PI;
}

/** Mulberry32: small, and good enough to scatter lots. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Near the place by about its spread, in any direction, on the globe. */
function scatter(place: { lat: number; lng: number; spread: number }, next: () => number) {
  const far = place.spread * Math.sqrt(-2 * Math.log(1 - next()));
  const direction = 2 * Math.PI * next();
  const scale = Math.max(Math.cos(radians(place.lat)), 0.01);
  let lat = place.lat + far * Math.cos(direction);
  let lng = place.lng + far * Math.sin(direction) / scale;
  if (Math.abs(lat) > 90) {
    lat = Math.sign(lat) * 180 - lat;
    lng += 180;
  }
  return { lat, lng: ((lng + 180) % 360 + 360) % 360 - 180 };
}

function uuid(next: () => number): string {
  const hex = Array.from({ length: 32 }, () => Math.floor(next() * 16).toString(16)).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function pick<Item extends { share: number }>(items: readonly Item[], next: () => number): Item {
  let left = next() * items.reduce((sum, { share }) => sum + share, 0);
  return items.find(({ share }) => (left -= share) < 0) ?? items[0]!;
}

export function lots(count: number): Lot[] {
  const next = random(20260901);
  const exact = [...EXACT.flatMap(({ count, ...point }) => Array.from({ length: count }, () => point)), ...MISPLACED];
  return Array.from({ length: count }, (_, n): Lot => {
    const point = exact[n] ?? scatter(pick(PLACES, next), next);
    return {
      id: uuid(next),
      ...point,
      status: next() < 0.94 ? "active" : next() < 0.5 ? "draft" : next() < 0.5 ? "suspended" : "closed",
      max_height_m: next() < 0.4 ? null : Math.round(15 + next() * 20) / 10,
      tags: TAGS.filter(([, share]) => next() < share).map(([slug]) => slug),
      crowd: n < EXACT[0]!.count,
    };
  });
}

export function queries(count: number, filters: Filters): Query[] {
  const next = random(count);
  return Array.from({ length: count }, (): Query => {
    const kind = next();
    const place = pick(PLACES, next);
    const exact = EXACT[Math.floor(next() * EXACT.length)]!;
    const point = kind < 0.15
      ? { lat: exact.lat, lng: exact.lng }
      : kind < 0.2
      ? { lat: next() * 180 - 90, lng: next() * 360 - 180 }
      : scatter({ ...place, spread: place.spread * 10 ** (-2 + 3 * next()) }, next);
    return {
      ...point,
      radius_m: next() < 0.1 ? 50_000 : Math.min(50_000, Math.ceil(50_000 ** next())),
      limit: 1 + Math.floor(next() * 100),
      filters,
    };
  });
}
