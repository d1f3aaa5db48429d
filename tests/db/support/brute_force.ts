// A naive search: computes the distance of every lot, sorts and cuts.

export interface Lot {
  readonly id: string;
  readonly lat: number;
  readonly lng: number;
  readonly status: "draft" | "active" | "suspended" | "closed";
  readonly max_height_m: number | null;
  readonly tags: readonly string[];
  /** One of the many that stand on the very same point. */
  readonly crowd: boolean;
}

export interface Filters {
  readonly max_height_m?: number;
  readonly tags?: readonly string[];
}

export interface Query {
  readonly lat: number;
  readonly lng: number;
  readonly radius_m: number;
  readonly limit: number;
  readonly filters: Filters;
}

export const EARTH_M = 6371008.8;

export function radians(degrees: number): number {
  return degrees * Math.PI / 180;
}

/** Great-circle distance by the haversine formula. */
export function distance(from: { lat: number; lng: number }, to: { lat: number; lng: number }): number {
  const half = (a: number, b: number) => Math.sin(radians(b - a) / 2) ** 2;
  const h = half(from.lat, to.lat) +
    Math.cos(radians(from.lat)) * Math.cos(radians(to.lat)) * half(from.lng, to.lng);
  return 2 * EARTH_M * Math.asin(Math.min(1, Math.sqrt(h)));
}

export function nearest(lots: readonly Lot[], { filters, limit, radius_m, ...centre }: Query) {
  const micrometres = (distance_m: number) => Math.round(distance_m * 1e6);
  return lots
    .filter((lot) => lot.status === "active" && passes(lot, filters))
    .map((lot) => ({ ...lot, distance_m: distance(centre, lot) }))
    .filter(({ distance_m }) => distance_m <= radius_m)
    .sort((a, b) => micrometres(a.distance_m) - micrometres(b.distance_m) || (a.id < b.id ? -1 : 1))
    .slice(0, limit);
}

function passes(lot: Lot, { max_height_m, tags = [] }: Filters): boolean {
  if (max_height_m !== undefined && (lot.max_height_m === null || lot.max_height_m < max_height_m)) return false;
  return tags.every((tag) => lot.tags.includes(tag));
}
