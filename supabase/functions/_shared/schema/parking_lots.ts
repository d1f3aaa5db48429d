import { z } from "zod";
import { FeeRefusal } from "./fees.ts";
import { Fit, Vehicle } from "./fit.ts";
import { Geometry } from "./geometry.ts";
import { CurrentOccupancy } from "./occupancy.ts";
import { AvgRating, Id, Moment, text, Timestamp } from "./values.ts";

export const NearbyFilters = z.strictObject({
  max_height_m: z.number().positive().max(100).optional().meta({
    description: "Only lots whose stated height limit is at least this; an unknown limit never passes",
  }),
  tags: z.array(text(1, 50)).max(20).optional().meta({
    description: "Only lots that have all of these tags (slugs)",
  }),
  open_now: z.boolean().optional().meta({
    description: "`true`: only lots that are known to be open now. `false` filters nothing",
  }),
  max_price: z.number().min(0).max(100_000).optional().meta({
    description: "Only lots whose fee for the stay is known and at most this, in minor units of the lot's currency. " +
      "Too many lots to price are `validation_error` with `details.reason` `too_much_to_price`: ask for a smaller " +
      "radius, a shorter stay or another price",
  }),
  entry_at: Moment.optional().meta({
    description:
      "When the stay begins. It filters nothing: it says for which stay the lots are compared. Needs `exit_at`",
  }),
  exit_at: Moment.optional().meta({
    description: "When the stay ends: not before `entry_at`, at most 31 days later. Needs `entry_at`",
    examples: ["2026-09-01T12:00:00+09:00"],
  }),
}).meta({ id: "NearbyFilters" });

export const NearbyQuery = z.strictObject({
  lat: z.number().min(-90).max(90).meta({ description: "Latitude in degrees", example: 35.6812 }),
  lng: z.number().min(-180).max(180).meta({ description: "Longitude in degrees", example: 139.7671 }),
  radius_m: z.int().min(1).max(50_000).default(500).meta({ description: "Search radius in metres" }),
  limit: z.int().min(1).max(100).default(50).meta({ description: "How many lots at most: the nearest that pass" }),
  filters: NearbyFilters.default({}).meta({
    description: "JSON object, url-encoded",
    example: { tags: ["covered"] },
  }),
  sort: z.enum(["distance", "price", "recommended"]).default("distance").meta({
    description: "Order of the lots. `price`: the lowest `estimated_fee` first, unknown ones last. `recommended`: by " +
      "`ranking_rank`. Ties go to the nearer lot, then the smaller id",
  }),
  vehicle: Vehicle.optional().meta({
    description: "JSON object, url-encoded, as `vehicle` of a search query: each lot then says whether it fits (`fit`)",
    example: { height_m: 1.9, width_m: 1.8 },
  }),
  vehicle_type: text(1, 50).default("standard").meta({
    description: "A code of category `vehicle_type`: fees are those of this type",
  }),
});

const component = z.number().min(0).max(100);

const Ranking = {
  ranking_score: component.meta({
    description: "0.4 × `price` + 0.4 × `distance` + 0.2 × `rating` of `ranking_components`, two decimals",
  }),
  ranking_rank: z.int().min(1).meta({ description: "1 is the best score. Ties go to the nearer lot" }),
  is_top3: z.boolean(),
  ranking_components: z.object({
    price: component.meta({
      description:
        "100 × (max − fee) / (max − min) over the lots of the reply whose fee is known; 100 when these are " +
        "all equal, 0 where the fee is not known",
    }),
    distance: component.meta({ description: "100 × (1 − `distance_m` / `radius_m`)" }),
    rating: component.meta({ description: "100 × (`avg_rating` − 1) / 4; 50 without reviews" }),
  }).meta({ id: "RankingComponents" }),
};

export const Cost = {
  estimated_fee: z.int().nullable().meta({
    description:
      "What calc-fee answers for the `vehicle_type` and the stay, or for 60 minutes from now when no stay is " +
      "given; in minor units. Null when it is not known",
  }),
  currency: z.string().meta({ examples: ["JPY"] }),
  fee_refusal: z.union([FeeRefusal, z.null()]).meta({
    description: "Why the fee is not known: `details` of calc-fee's `fee_unknown`. Null with `estimated_fee`",
  }),
  walk_minutes: z.int().min(0).meta({ description: "`distance_m` / 80, rounded up: 80 m a minute" }),
  effective_cost: z.int().nullable().meta({
    description:
      "`estimated_fee` + `walk_minutes` × `walk_yen_per_minute`. Null when the fee is not known or not in yen",
  }),
  walk_yen_per_minute: z.int().min(0).max(500).meta({
    description: "What a minute of walking counts for: the caller's `yen_per_walk_minute`, 20 unless they set it",
  }),
};

const answer = z.boolean().nullable();

export const PlannedStay = z.object({
  entry_at: Timestamp,
  exit_at: Timestamp,
  is_open_at_entry: answer,
  can_enter_at: answer,
  can_exit_at: answer,
  locked_in: answer.meta({ description: "The car cannot leave at `exit_at`" }),
  next_exit_at: Timestamp.nullable().meta({
    description: "When a car that is locked in can next leave, within 14 days; else null",
  }),
}).meta({ id: "PlannedStay", description: "What a stay meets at the lot; null where nobody has said" });

/** What the specification calls a parking lot: the fields that every reply about one lot begins with. */
export const ParkingLot = z.object({
  id: Id.nullable(),
  name: z.string().nullable(),
  address: z.string().nullable(),
  lat: z.number().nullable(),
  lng: z.number().nullable(),
  total_spaces: z.int().nullable(),
  status: z.string().nullable(),
  structure: z.string().nullable(),
  created_at: Timestamp.nullable(),
  max_height_m: z.number().nullable().optional(),
  max_width_m: z.number().nullable().optional(),
  max_length_m: z.number().nullable().optional(),
  max_weight_t: z.number().nullable().optional(),
  min_clearance_cm: z.int().nullable().optional(),
  max_tire_width_mm: z.int().nullable().optional(),
  max_parking_duration_min: z.int().nullable().optional(),
  entry_method: z.string().nullable().optional(),
  source: z.string().nullable().optional(),
  shape_type: z.string().nullable().optional(),
  operator_code: z.string().nullable().optional(),
  entry_difficulty: z.string().nullable().optional(),
  area: z.union([Geometry, z.null()]).optional(),
}).meta({
  id: "ParkingLot",
  description: "What every lot has: `FoundParkingLot` and `ParkingLotWithDetail` are parking lots with more fields",
});

/** A lot of nearby, without what compares it with the others. */
export const NearbyLot = z.object({
  id: Id,
  name: z.string(),
  address: z.string().nullable(),
  lat: z.number().nullable(),
  lng: z.number().nullable(),
  distance_m: z.number().min(0).meta({ description: "Great-circle distance in metres, two decimals" }),
}).meta({
  id: "NearbyParkingLot",
  description: "A lot and how far it is: `NearbyParkingLotWithRanking` is one with more fields",
});

export const NearbyParkingLot = z.object({
  ...NearbyLot.shape,
  avg_rating: AvgRating,
  review_count: z.int().min(0),
  main_image: z.string().nullable().meta({ description: "Public URL of the main image" }),
  tags: z.array(z.string()).meta({
    description: "Slugs of the tags the lot has",
    examples: [["covered", "open_24h"]],
  }),
  ...Ranking,
  ...Cost,
  planned_stay: z.union([PlannedStay, z.null()]).meta({
    description: "Null unless `entry_at` and `exit_at` are given",
  }),
  fit: z.union([Fit, z.null()]).meta({ description: "Null unless `vehicle` gives a measure" }),
  is_saved: z.boolean().nullable().meta({ description: "Whether the caller saved the lot; null without a token" }),
  my_rating: z.enum(["good", "bad"]).nullable().meta({ description: "How the caller rates the lot" }),
  availability: z.union([CurrentOccupancy, z.null()]).meta({ description: "Null when nobody knows" }),
}).meta({ id: "NearbyParkingLotWithRanking" });

export const NearbyParkingLots = z.array(NearbyParkingLot);
