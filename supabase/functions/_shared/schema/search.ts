import { z } from "zod";
import { Vehicle } from "./fit.ts";
import { Cost, PlannedStay, Usability, Usable } from "./parking_lots.ts";
import { NextCursor, PageQuery, Total } from "./lists.ts";
import { AvgRating, Id, Instant, Moment, text, Timestamp } from "./values.ts";

/** Condition of each attribute. A tag that is known to be false always excludes a lot. */
export const attributes = {
  covered: "the tag",
  open_24h: "the tag, or business hours around the clock every day",
  entry_24h: "the tag, or entry hours around the clock every day (business hours if there are no entry hours)",
  ev_charging: "the tag, or a spot with a charger",
  oversized_ok: "the tag",
  motorcycle_ok: "the tag",
  wheelchair_accessible: "the tag, or a spot for wheelchair users",
  barrier_free: "the tag",
  reservable: "the tag, or a spot that can be reserved",
  security_camera: "the tag",
  has_max_fee: "the tag, or a pricing rule with a cap",
  monthly_available: "the tag",
  coin_500_or_less: "the tag, or a cap of at most 500 yen for a day, for a stay, or for at least 12 hours",
  near_station: "the tag",
  low_price: "the tag, or an `hour_price` of at most 300 yen",
  partner_facility: "the tag",
  "24h": "the tag, or entry and exit around the clock every day",
  max_fee: "like `has_max_fee`, but with its own tag",
} as const;

const attributeNames = Object.keys(attributes) as [keyof typeof attributes, ...(keyof typeof attributes)[]];
const SearchAttributes = z.array(z.enum(attributeNames)).max(20).meta({
  id: "SearchAttributes",
  description: "A lot has an attribute by its tag, or by these data. " +
    Object.entries(attributes).filter(([, meaning]) => meaning !== "the tag")
      .map(([name, meaning]) => `\`${name}\`: ${meaning.replace("the tag, or ", "")}`).join(". ") +
    ". A tag that is known to be false excludes the lot.",
  example: ["covered", "open_24h"],
});
const Price = z.int().min(0).max(100_000).nullable().optional();

/** The conditions, as query parameters and as keys of one object. */
const conditions = {
  v: z.int().min(1).max(1).optional().meta({ description: "Version of the query schema" }),
  center: z.strictObject({
    lat: z.number().min(-90).max(90),
    lng: z.number().min(-180).max(180),
    placeName: text(0, 200).optional().meta({ description: "Name of the place for display. Not a filter." }),
  }).optional().meta({ description: "Origin of distances", example: { lat: 35.6812, lng: 139.7671 } }),
  radius_m: z.int().min(1).max(50_000).optional().meta({
    description: "Only lots within this great-circle distance of `center`. Requires `center`.",
  }),
  price_min: Price.meta({
    description: "Only lots with a known `hour_price` of at least this value, in minor units of the lot's currency",
  }),
  price_max: Price.meta({
    description: "Only lots with a known `hour_price` of at most this value, in minor units of the lot's currency",
  }),
  attributes: SearchAttributes.optional().meta({ description: "Only lots with all of these attributes" }),
  difficulty: z.array(z.enum(["easy", "normal", "hard"])).max(3).optional().meta({
    description: "Only lots with one of these values of `entry_difficulty`",
  }),
  operator_codes: z.array(text(1, 50)).max(50).optional().meta({
    description: "Only lots of these operators (`operator_code`)",
  }),
  vehicle: Vehicle.optional().meta({
    description:
      "Only lots that are known to fit this vehicle. A lot with an unknown limit does not match. `clearance_cm` is " +
      "the vehicle's ground clearance and must be at least the lot's `min_clearance_cm`. The other dimensions must " +
      "be at most the lot's limit.",
    example: { height_m: 1.9 },
  }),
  keywords: z.array(text(1, 50)).max(10).optional().meta({
    description:
      "Only lots whose name, kana, address or operator contains each of these keywords. Width, case and spaces are " +
      "ignored. So is the difference between hiragana and katakana, and between ヶ and ケ.",
    example: ["駅前"],
  }),
  meter_ticket_included: z.boolean().optional().meta({
    description: "`false` excludes lots with the `structure` `on_street` (on-street parking with a meter or ticket). " +
      "Otherwise they are included.",
  }),
  sort: z.enum(["distance", "price", "recommended"]).optional().meta({
    description:
      "`distance`: nearest to `center` first. Requires `center`. `price`: lowest `hour_price` first, unknown prices " +
      "last. `recommended`: by rating, adjusted for the number of reviews, and by completeness of data. Ties are " +
      "ordered by id. Default: `distance` with a `center`, otherwise `recommended`.",
  }),
};

export const SearchQueryV1 = z.strictObject(conditions).meta({
  id: "SearchQueryV1",
  description: "A search query, also the format of saved searches. A lot must meet all given conditions.",
});

export const SearchQuery = z.strictObject({
  ...conditions,
  query: SearchQueryV1.optional().meta({
    description:
      "All conditions as one JSON object, instead of the single parameters. Only `sort` can be given in addition. " +
      "It replaces the object's own `sort`.",
    example: { v: 1, attributes: ["covered"] },
  }),
  bbox: z.array(z.number().min(-180).max(180)).min(4).max(4).optional().meta({
    description:
      "Only lots in this box, including its edges: west, south, east, north in degrees. If west is greater than " +
      "east, the box crosses the antimeridian.",
    example: [139.6, 35.6, 139.8, 35.8],
  }),
  ids: z.array(Id).max(100).optional().meta({ description: "Only these lots" }),
  zoom: z.int().min(0).max(14).optional().meta({
    description:
      "With `bbox`: return `clusters` instead of lots. A cluster is a cell of 1/8 of the side of a map tile at " +
      "this zoom. If the box contains fewer than 10,000 lots, clusters are exact. Otherwise those of zooms 0 to 11 " +
      "can be up to a minute old and count whole cells. Rejected are more than 5,000 cells, 3,000 clusters " +
      "(`details.reason` `too_many_clusters`) or 250,000 lots to count (`too_many_lots`).",
  }),
  updated_since: Instant.optional().meta({
    description:
      "Lots whose detail changed since this time, oldest change first. Lots that were deleted or are no longer public " +
      "appear as tombstones. Ratings, votes on field values and occupancy do not count. Only `limit` and `cursor` can " +
      "be combined with it. Changes appear about 10 seconds after their commit. Keep `next_cursor`, which is also on " +
      "the last page, and send it with the same `updated_since` to get later changes. Changes committed up to 10 " +
      "seconds before `updated_since` may be repeated.",
  }),
  entry_at: Moment.optional().meta({
    description:
      "Start of a stay. Adds its fee and the state of the lot to each lot of the page (`estimated_fee` and the " +
      "fields after it). Neither filters nor sorts. Requires `exit_at`.",
  }),
  exit_at: Moment.optional().meta({
    description: "End of the stay. Not before `entry_at`, at most 31 days after it. Requires `entry_at`.",
    examples: ["2026-09-01T12:00:00+09:00"],
  }),
  vehicle_type: text(1, 50).default("standard").meta({
    description: "A code of category `vehicle_type`. Fees are calculated for this type.",
  }),
  usable: Usable,
  without_surprises: z.boolean().default(false).meta({
    description: "`true`: only lots whose fee for the stay is known and has no `surprises`. Requires `entry_at`.",
  }),
  ...PageQuery.shape,
});

/** Fields that `entry_at` and `exit_at` add to a lot, the same as in nearby. */
const Stay = {
  estimated_fee: Cost.estimated_fee.optional().meta({
    description: "With a stay: result of calc-fee for the stay and the `vehicle_type`. Null if unknown.",
  }),
  fee_refusal: Cost.fee_refusal.optional(),
  walk_minutes: z.int().min(0).nullable().optional().meta({
    description: "With a stay: `distance_m` / 80, rounded up. Null without a `center`.",
  }),
  effective_cost: Cost.effective_cost.optional().meta({
    description:
      "With a stay: `estimated_fee` + `walk_minutes` × `walk_yen_per_minute`. Null if one of them is null or the " +
      "fee is not in yen.",
  }),
  walk_yen_per_minute: Cost.walk_yen_per_minute.optional().meta({
    description: "With a stay: value of one minute of walking, the caller's `yen_per_walk_minute`, by default 20",
  }),
  planned_stay: PlannedStay.optional(),
  usable_for_stay: Usability.usable_for_stay.optional(),
  unusable_reasons: Usability.unusable_reasons.optional(),
  surprises: Cost.surprises.optional(),
};

export const FoundLot = z.object({
  id: Id,
  name: z.string(),
  name_kana: z.string().nullable(),
  address: z.string().nullable(),
  lat: z.number(),
  lng: z.number(),
  time_zone: z.string(),
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
      "Price of one hour on a regular Wednesday at noon for a standard vehicle, in minor units. Null if unknown.",
  }),
  currency: z.string().meta({ examples: ["JPY"] }),
  avg_rating: AvgRating,
  review_count: z.int().min(0),
  main_image: z.string().nullable().meta({ description: "Public URL of the main image" }),
  tags: z.array(z.string()).meta({ description: "Slugs of the lot's tags" }),
  distance_m: z.number().nullable().meta({
    description: "Great-circle distance to `center`. Null without a `center`.",
  }),
  is_saved: z.boolean().nullable().meta({ description: "Whether the caller saved the lot. Null without a token." }),
  my_rating: z.enum(["good", "bad"]).nullable(),
  ...Stay,
}).meta({ id: "FoundParkingLot" });

const Tombstone = z.object({ id: Id, deleted: z.literal(true), at: Timestamp }).meta({
  id: "ParkingLotTombstone",
  description: "The lot was deleted or is no longer public. Only with `updated_since`.",
});

const Cluster = z.object({
  count: z.int().min(1).meta({
    description: "Number of lots in the cell and the `bbox` (see `zoom`)",
  }),
  lat: z.number().meta({ description: "Mean latitude of these lots" }),
  lng: z.number(),
  bbox: z.array(z.number()).min(4).max(4).meta({ description: "The cell: west, south, east, north" }),
  price_min: z.int().nullable().meta({
    description: "Lowest `hour_price`. Null if no price is known or currencies differ.",
  }),
  price_max: z.int().nullable(),
  currency: z.string().nullable(),
  representative: z.object({
    id: Id,
    name: z.string(),
    lat: z.number(),
    lng: z.number(),
    time_zone: z.string(),
    hour_price: z.int().nullable(),
    avg_rating: AvgRating,
  }).meta({ description: "The first of these lots in the order `recommended`" }),
}).meta({ id: "ParkingLotCluster" });

export const FoundLots = z.object({
  items: z.array(z.union([Tombstone, FoundLot])),
  next_cursor: NextCursor,
  total: Total.meta({
    description:
      "Total number. Only with `include=total`. Counted up to 10,000, except for `clusters`, where it is their sum. A search that no index narrows is counted among 300,000 lots of its area, one with `usable=only` among its first 3,000 lots, one with `without_surprises` among 102 to 444 of them.",
  }),
  total_is_exact: z.boolean().optional().meta({
    description:
      "With `total`: false if there may be more than `total`, or if it is the sum of clusters that are not exact",
  }),
  has_more: z.boolean().optional().meta({
    description: "With `updated_since`: whether more changes are available now",
  }),
  clusters: z.array(Cluster).optional().meta({ description: "With `zoom`: clusters with the most lots first" }),
}).meta({ id: "FoundParkingLots" });
