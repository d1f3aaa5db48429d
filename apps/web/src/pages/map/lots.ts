/** The requests of the map page: the ranked list, and what the visible part of the map has. */
import type { components } from "parking-lot-client";
import { client } from "../../service.ts";
import { filtersOf, queryOf, vehicleOf } from "../../conditions.ts";
import type { Bounds } from "./geometry.ts";
import type { Search } from "./search.ts";

type Schemas = components["schemas"];
type Nearby = Schemas["NearbyParkingLotWithRanking"];
type Found = Schemas["FoundParkingLot"];
export type Cluster = Schemas["ParkingLotCluster"];

/** A lot of the list. Lots that nearby did not compare have no ranking. */
export type Lot =
  & Pick<
    Found,
    | "id"
    | "name"
    | "address"
    | "lat"
    | "lng"
    | "time_zone"
    | "distance_m"
    | "avg_rating"
    | "review_count"
    | "currency"
    | "is_saved"
  >
  & Pick<Nearby, "estimated_fee" | "fee_refusal" | "effective_cost" | "walk_yen_per_minute" | "planned_stay">
  & { readonly walk_minutes: number | null }
  & Partial<Pick<Nearby, "ranking_score" | "ranking_rank" | "ranking_components" | "fit" | "availability">>
  & Partial<Pick<Found, "operator_code">>
  & Partial<Pick<Nearby, "usable_for_stay" | "unusable_reasons" | "surprises">>;

export interface LotList {
  readonly lots: readonly Lot[];
  /** How many lots were compared with each other for the ranking. */
  readonly compared: number;
  /** True if more lots may match. */
  readonly isTruncated: boolean;
}

const PAGE = 100;
/** Lots of the visible box that are drawn one by one; more are drawn as clusters. */
const MAX_DRAWN = 300;
/** Below this zoom the map asks for clusters at once. */
const LOT_ZOOM = 12.5;
const MAX_CLUSTER_ZOOM = 14;

/**
 * The lots within the radius that meet all conditions. Nearby compares the nearest ones for the stay. If there are
 * conditions that only the search applies, it says which of them match, and adds those that nearby did not reach.
 */
export async function listLots(search: Search, signal: AbortSignal): Promise<LotList> {
  const hasQuery = Object.keys(queryOf(search.values)).length > 0;
  const [ranked, matching] = await Promise.all([
    rankedLots(search, signal),
    hasQuery ? matchingLots(search, signal) : undefined,
  ]);
  if (!matching) return { ...ranked, compared: ranked.lots.length };
  const ids = new Set(matching.lots.map(({ id }) => id));
  const both = ranked.lots.filter(({ id }) => ids.has(id));
  const known = new Set(both.map(({ id }) => id));
  // Nearby has filters of its own: a lot that it did not return may not pass them.
  const hasFilters = Object.keys(filtersOf(search.values)).length > 0;
  const others = hasFilters ? [] : matching.lots.filter(({ id }) => !known.has(id));
  return {
    lots: [...both, ...others],
    compared: ranked.lots.length,
    isTruncated: matching.isTruncated || (hasFilters && ranked.isTruncated),
  };
}

async function rankedLots(search: Search, signal: AbortSignal) {
  const { lat, lng, radius, sort, stay, values } = search;
  const { vehicle_type, ...times } = stay;
  const vehicle = vehicleOf(values);
  const { data, response } = await client.GET("/v1/parking-lots/nearby", {
    params: {
      query: {
        lat,
        lng,
        radius_m: radius,
        limit: PAGE,
        sort,
        usable: "first",
        vehicle_type,
        filters: { ...filtersOf(values), ...times },
        ...(vehicle ? { vehicle } : {}),
      },
    },
    signal,
  });
  const lots: Lot[] = data.flatMap(({ lat, lng, ...lot }) =>
    lat === null || lng === null ? [] : [{ ...lot, lat, lng }]
  );
  return { lots, isTruncated: response.headers.get("x-truncated") === "true" };
}

async function matchingLots({ lat, lng, radius, stay, values }: Search, signal: AbortSignal) {
  const query = { ...queryOf(values), center: { lat, lng }, radius_m: radius, sort: "distance" as const };
  const { data } = await client.GET("/v1/parking-lots", {
    params: { query: { query, limit: PAGE, ...stay } },
    signal,
  });
  return {
    lots: data.items.flatMap((item) => isLot(item) ? [lotOf(item)] : []),
    isTruncated: data.next_cursor !== null,
  };
}

function isLot(item: Found | Schemas["ParkingLotTombstone"]): item is Found {
  return "name" in item;
}

/** The fields of the stay are optional in the contract, because a search without a stay does not have them. */
function lotOf(found: Found): Lot {
  return {
    ...found,
    estimated_fee: found.estimated_fee ?? null,
    fee_refusal: found.fee_refusal ?? null,
    walk_minutes: found.walk_minutes ?? null,
    effective_cost: found.effective_cost ?? null,
    walk_yen_per_minute: found.walk_yen_per_minute ?? 0,
    planned_stay: found.planned_stay ?? null,
  };
}

export interface BoxContents {
  /** Empty if the lots themselves are drawn. */
  readonly clusters: readonly Cluster[];
  readonly lots: readonly Lot[];
  readonly total: number;
  readonly isExact: boolean;
}

/**
 * What a box of the map has: its lots, or clusters if they are many. Where the box before had clusters, clusters are read
 * first: in a dense city that is one request for each move of the map.
 */
export async function readBox(
  bounds: Bounds,
  zoom: number,
  search: Search,
  before: BoxContents | undefined,
  signal: AbortSignal,
): Promise<BoxContents> {
  const isNear = zoom >= LOT_ZOOM;
  const wasDense = before !== undefined && before.clusters.length > 0;
  const lots = isNear && !wasDense ? await lotsOfBox(bounds, search, signal) : undefined;
  if (lots) return ofLots(lots);
  const { data } = await client.GET("/v1/parking-lots", {
    params: {
      query: {
        bbox: [...bounds],
        query: queryOf(search.values),
        zoom: Math.min(MAX_CLUSTER_ZOOM, Math.max(0, Math.round(zoom))),
        include: ["total"],
      },
    },
    signal,
  });
  const total = data.total ?? 0;
  if (isNear && wasDense && total <= MAX_DRAWN) {
    const lots = await lotsOfBox(bounds, search, signal);
    if (lots) return ofLots(lots);
  }
  return { clusters: data.clusters ?? [], lots: [], total, isExact: data.total_is_exact ?? true };
}

const ofLots = (lots: Lot[]): BoxContents => ({ clusters: [], lots, total: lots.length, isExact: true });

/** The lots of a box for the stay, undefined if they are too many to draw. */
async function lotsOfBox(
  bounds: Bounds,
  { lat, lng, stay, values }: Search,
  signal: AbortSignal,
): Promise<Lot[] | undefined> {
  // The centre is for the walk; the best lots come first.
  const query = { ...queryOf(values), center: { lat, lng }, sort: "recommended" as const };
  const request = { bbox: [...bounds], query, ...stay, limit: PAGE };
  const lots: Lot[] = [];
  let cursor: string | null = null;
  do {
    const { data }: { data: Schemas["FoundParkingLots"] } = await client.GET("/v1/parking-lots", {
      params: { query: { ...request, ...(cursor ? { cursor } : { include: ["total"] }) } },
      signal,
    });
    if ((data.total ?? 0) > MAX_DRAWN) return undefined;
    lots.push(...data.items.flatMap((item) => isLot(item) ? [lotOf(item)] : []));
    cursor = data.next_cursor;
  } while (cursor !== null && lots.length < MAX_DRAWN);
  return lots;
}
