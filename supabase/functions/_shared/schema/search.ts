import { z } from "zod";
import { Vehicle } from "./fit.ts";
import { Cost, PlannedStay } from "./parking_lots.ts";
import { Cursor, IncludeTotal, Limit, NextCursor, Total } from "./lists.ts";
import { AvgRating, Id, Instant, Moment, text, Timestamp } from "./values.ts";

/** Each attribute, and what a lot must have to be found by it. A tag that is known to be false always excludes. */
export const attributes = {
  covered: "the tag",
  open_24h: "the tag, or business hours that are around the clock every day",
  entry_24h: "the tag, or entry hours (where there are none, business hours) that are around the clock every day",
  ev_charging: "the tag, or a spot with a charger",
  oversized_ok: "the tag",
  motorcycle_ok: "the tag",
  wheelchair_accessible: "the tag, or a spot for wheelchair users",
  barrier_free: "the tag",
  reservable: "the tag, or a spot that can be reserved",
  security_camera: "the tag",
  has_max_fee: "the tag, or any pricing rule with a cap",
  monthly_available: "the tag",
  coin_500_or_less: "the tag, or a cap of at most 500 yen for a day, a stay, or 12 hours and more",
  near_station: "the tag",
  low_price: "the tag, or an `hour_price` of at most 300 yen",
  partner_facility: "the tag",
  "24h": "the tag, or entry and exit around the clock every day",
  max_fee: "as has_max_fee, with a tag of its own",
} as const;

const attributeNames = Object.keys(attributes) as [keyof typeof attributes, ...(keyof typeof attributes)[]];
const Price = z.int().min(0).max(100_000).nullable().optional();

/** The conditions one by one, so that they can be query parameters as well as keys of one object. */
const conditions = {
  v: z.int().min(1).max(1).optional().meta({ description: "Version of the schema" }),
  center: z.strictObject({
    lat: z.number().min(-90).max(90),
    lng: z.number().min(-180).max(180),
    placeName: text(0, 200).optional().meta({ description: "What the client calls the place; it filters nothing" }),
  }).optional().meta({ description: "From where distances are measured" }),
  radius_m: z.int().min(1).max(50_000).optional().meta({
    description: "Only lots within this great-circle distance of `center`, which it needs",
  }),
  price_min: Price.meta({
    description: "Only lots whose `hour_price` is known and at least this, in minor units of the lot's currency",
  }),
  price_max: Price.meta({
    description: "Only lots whose `hour_price` is known and at most this, in minor units of the lot's currency",
  }),
  attributes: z.array(z.enum(attributeNames)).max(20).optional().meta({
    description: "Only lots that have all of these. " +
      Object.entries(attributes).map(([name, meaning]) => `\`${name}\`: ${meaning}`).join("; ") +
      ". A tag that is known to be false excludes the lot",
    example: ["covered", "open_24h"],
  }),
  difficulty: z.array(z.enum(["easy", "normal", "hard"])).max(3).optional().meta({
    description: "Only lots whose `entry_difficulty` is one of these",
  }),
  operator_codes: z.array(text(1, 50)).max(50).optional().meta({
    description: "Only lots of one of these operators (`operator_code`)",
  }),
  vehicle: Vehicle.optional().meta({
    description: "Only lots that take this vehicle for certain: an unknown limit never passes. `clearance_cm` is the " +
      "vehicle's ground clearance, at least the lot's `min_clearance_cm`; the others are at most the lot's limit",
    example: { height_m: 1.9 },
  }),
  keywords: z.array(text(1, 50)).max(10).optional().meta({
    description: "Only lots in whose name, kana, address or operator each of these occurs. Width, case, spaces, and " +
      "hiragana or katakana, and ヶ or ケ make no difference",
    example: ["駅前"],
  }),
  meter_ticket_included: z.boolean().optional().meta({
    description:
      "`false`: without lots that are known to be parking by meter or ticket on the street (`structure` `on_street`). " +
      "Otherwise with them",
  }),
  sort: z.enum(["distance", "price", "recommended"]).optional().meta({
    description: "`distance`: nearest to `center` first, which it needs. `price`: lowest `hour_price` first, unknown " +
      "ones last. `recommended`: by rating, shrunk by the number of reviews, and by how much is known. Ties by id. " +
      "Default: `distance` with a `center`, else `recommended`",
  }),
};

export const SearchQueryV1 = z.strictObject(conditions).meta({
  id: "SearchQueryV1",
  description: "A search, as it can also be saved. A lot meets all conditions that are given",
});

export const SearchQuery = z.strictObject({
  ...conditions,
  query: SearchQueryV1.optional().meta({
    description:
      "All conditions as one JSON object, instead of the parameters of the same names. Only `sort` may be given as well, and " +
      "takes the place of the object's own",
    example: { v: 1, attributes: ["covered"] },
  }),
  bbox: z.array(z.number().min(-180).max(180)).min(4).max(4).optional().meta({
    description:
      "Only lots in this box or on its sides: west, south, east, north in degrees. Where west is greater than east " +
      "the box crosses the antimeridian",
    example: [139.6, 35.6, 139.8, 35.8],
  }),
  ids: z.array(Id).max(100).optional().meta({ description: "Only these lots" }),
  zoom: z.int().min(0).max(14).optional().meta({
    description:
      "With `bbox`: no lots but `clusters`, cells of 1/8 of the side of a map tile of this zoom. Where the box " +
      "holds fewer than 10,000 lots, clusters are exact. Where it holds more, clusters of zooms 0 to 11 without " +
      "conditions, or with one value of `attributes`, `difficulty` or `operator_codes` alone, are up to a minute old, and " +
      "a cell at a side of the box has all of its lots. More than 5,000 cells, 3,000 clusters (`details.reason` " +
      "`too_many_clusters`) or 250,000 lots to count (`too_many_lots`) are rejected",
  }),
  updated_since: Instant.optional().meta({
    description: "Lots that changed since, oldest change first, and a tombstone for each that was deleted or is no " +
      "longer public. A lot changes with anything that its detail shows and a client may keep: hours, date overrides, " +
      "spots, prices, tags, images, field values, its operator's name; not with counts of good and bad, votes on field " +
      "values, or occupancy. It takes `limit` and `cursor` alone. A change is reported about 10 seconds after its commit: " +
      "keep `next_cursor` (there on the last page as well) and ask with it, and the same `updated_since`, for what came " +
      "after. Changes that committed up to 10 seconds before `updated_since` may be repeated",
  }),
  entry_at: Moment.optional().meta({
    description: "When a stay begins: each lot of the page then has what it costs and meets (`estimated_fee` and the " +
      "fields after it). It filters and orders nothing. Needs `exit_at`",
  }),
  exit_at: Moment.optional().meta({
    description: "When the stay ends: not before `entry_at`, at most 31 days later. Needs `entry_at`",
    examples: ["2026-09-01T12:00:00+09:00"],
  }),
  vehicle_type: text(1, 50).default("standard").meta({
    description: "A code of category `vehicle_type`: fees are those of this type",
  }),
  limit: Limit,
  cursor: Cursor,
  include: IncludeTotal,
});

/** What `entry_at` and `exit_at` add to a lot: what nearby shows of the same stay. */
const Stay = {
  estimated_fee: Cost.estimated_fee.optional().meta({
    description: "With a stay: what calc-fee answers for it and the `vehicle_type`; null when it is not known",
  }),
  fee_refusal: Cost.fee_refusal.optional(),
  walk_minutes: z.int().min(0).nullable().optional().meta({
    description: "With a stay: `distance_m` / 80, rounded up; null without a `center`",
  }),
  effective_cost: Cost.effective_cost.optional().meta({
    description:
      "With a stay: `estimated_fee` + `walk_minutes` × `walk_yen_per_minute`. Null when one of them is null " +
      "or the fee is not in yen",
  }),
  walk_yen_per_minute: Cost.walk_yen_per_minute.optional().meta({
    description:
      "With a stay: what a minute of walking counts for, the caller's `yen_per_walk_minute`, 20 unless they set it",
  }),
  planned_stay: PlannedStay.optional(),
};

export const FoundLot = z.object({
  id: Id,
  name: z.string(),
  name_kana: z.string().nullable(),
  address: z.string().nullable(),
  lat: z.number(),
  lng: z.number(),
  total_spaces: z.int().nullable(),
  status: z.string(),
  structure: z.string().nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
  max_height_m: z.number().nullable(),
  max_width_m: z.number().nullable(),
  max_length_m: z.number().nullable(),
  max_weight_t: z.number().nullable(),
  min_clearance_cm: z.int().nullable(),
  max_tire_width_mm: z.int().nullable(),
  max_parking_duration_min: z.int().nullable(),
  entry_method: z.string().nullable(),
  source: z.string().nullable(),
  licence: z.string().nullable(),
  attribution: z.string().nullable(),
  shape_type: z.string().nullable(),
  operator_code: z.string().nullable(),
  entry_difficulty: z.string().nullable(),
  hour_price: z.int().nullable().meta({
    description:
      "What a standard vehicle pays for an hour on an ordinary Wednesday noon, in minor units. Null: unknown",
  }),
  currency: z.string().meta({ examples: ["JPY"] }),
  avg_rating: AvgRating,
  review_count: z.int().min(0),
  main_image: z.string().nullable().meta({ description: "Public URL of the main image" }),
  tags: z.array(z.string()).meta({ description: "Slugs of the tags the lot has" }),
  distance_m: z.number().nullable().meta({ description: "Great-circle distance to `center`; null without one" }),
  is_saved: z.boolean().nullable().meta({ description: "Whether the caller saved the lot; null without a token" }),
  my_rating: z.enum(["good", "bad"]).nullable(),
  ...Stay,
}).meta({ id: "FoundParkingLot" });

const Tombstone = z.object({ id: Id, deleted: z.literal(true), at: Timestamp }).meta({
  id: "ParkingLotTombstone",
  description: "The lot was deleted or is no longer public. Only with `updated_since`",
});

const Cluster = z.object({
  count: z.int().min(1).meta({
    description: "How many lots of the cell lie in the `bbox` that was asked for (see `zoom`)",
  }),
  lat: z.number().meta({ description: "Mean of these lots" }),
  lng: z.number(),
  bbox: z.array(z.number()).min(4).max(4).meta({ description: "The cell: west, south, east, north" }),
  price_min: z.int().nullable().meta({
    description: "Lowest `hour_price`; null when none is known or currencies differ",
  }),
  price_max: z.int().nullable(),
  currency: z.string().nullable(),
  representative: z.object({
    id: Id,
    name: z.string(),
    lat: z.number(),
    lng: z.number(),
    hour_price: z.int().nullable(),
    avg_rating: AvgRating,
  }).meta({ description: "The first of these lots in the recommended order" }),
}).meta({ id: "ParkingLotCluster" });

export const FoundLots = z.object({
  items: z.array(z.union([Tombstone, FoundLot])),
  next_cursor: NextCursor,
  total: Total.meta({
    description:
      "How many there are in all, with `include=total`: counted up to 10,000, but for `clusters`, whose sum it is",
  }),
  total_is_exact: z.boolean().optional().meta({
    description:
      "With `total`: false when there are more than `total`, and when it is the sum of clusters that are not exact",
  }),
  has_more: z.boolean().optional().meta({ description: "With `updated_since`: whether there are more changes now" }),
  clusters: z.array(Cluster).optional().meta({ description: "With `zoom`: the fullest first" }),
}).meta({ id: "FoundParkingLots" });
