import { z } from "zod";
import { FeeRefusal, FeeSurprises } from "./fees.ts";
import { Fit, Vehicle } from "./fit.ts";
import { Geometry } from "./geometry.ts";
import { CurrentOccupancy } from "./occupancy.ts";
import { AvgRating, Id, Moment, text, Timestamp } from "./values.ts";

export const NearbyFilters = z.strictObject({
  max_height_m: z.number().positive().max(100).optional().meta({
    description: "Only lots with a known height limit of at least this value",
  }),
  tags: z.array(text(1, 50)).max(20).optional().meta({
    description: "Only lots with all of these tags (slugs)",
  }),
  open_now: z.boolean().optional().meta({
    description: "`true`: only lots that are known to be open now. `false`: no filter.",
  }),
  max_price: z.number().min(0).max(100_000).optional().meta({
    description:
      "Only lots whose fee for the stay is known and at most this, in minor units of the lot's currency. If too many " +
      "lots must be priced, the error is `validation_error` with `details.reason` `too_much_to_price`. Then use a " +
      "smaller radius, a shorter stay or another price.",
  }),
  without_surprises: z.boolean().optional().meta({
    description:
      "`true`: only lots whose fee for the stay is known and has no `surprises`. `false`: no filter. Counted " +
      "and bounded like `max_price`, at a quarter of the lots.",
  }),
  entry_at: Moment.optional().meta({
    description: "Start of the stay that the lots are compared for. Not a filter. Requires `exit_at`.",
  }),
  exit_at: Moment.optional().meta({
    description: "End of the stay. Not before `entry_at`, at most 31 days after it. Requires `entry_at`.",
    examples: ["2026-09-01T12:00:00+09:00"],
  }),
}).meta({ id: "NearbyFilters" });

/** Whether unusable lots come last, or are left out. */
export const Usable = z.enum(["first", "only"]).optional().meta({
  description: "`first`: lots that are unusable for the stay come last. `only`: they are left out.",
});

export const NearbyQuery = z.strictObject({
  lat: z.number().min(-90).max(90).meta({ description: "Latitude in degrees", example: 35.6812 }),
  lng: z.number().min(-180).max(180).meta({ description: "Longitude in degrees", example: 139.7671 }),
  radius_m: z.int().min(1).max(50_000).default(500).meta({ description: "Search radius in metres" }),
  limit: z.int().min(1).max(100).default(50).meta({
    description: "Maximum number of lots. The nearest matching lots are returned.",
  }),
  filters: NearbyFilters.default({}).meta({
    description: "JSON object, URL-encoded",
    example: { tags: ["covered"] },
  }),
  sort: z.enum(["distance", "price", "recommended"]).default("distance").meta({
    description: "Order of the lots. `price`: lowest `estimated_fee` first, unknown fees last. `recommended`: by " +
      "`ranking_rank`. Ties are ordered by distance, then by id.",
  }),
  vehicle: Vehicle.optional().meta({
    description: "JSON object, URL-encoded, like `vehicle` of a search query. Adds `fit` to each lot.",
    example: { height_m: 1.9, width_m: 1.8 },
  }),
  vehicle_type: text(1, 50).default("standard").meta({
    description: "A code of category `vehicle_type`. Fees are calculated for this type.",
  }),
  usable: Usable,
});

const component = z.number().min(0).max(100);

const Ranking = {
  ranking_score: component.meta({
    description: "0.4 × `price` + 0.4 × `distance` + 0.2 × `rating` of `ranking_components`, with two decimals",
  }),
  ranking_rank: z.int().min(1).meta({ description: "1 is the best score. Ties are ordered by distance." }),
  is_top3: z.boolean(),
  ranking_components: z.object({
    price: component.meta({
      description:
        "100 × (max − fee) / (max − min), over the lots of the response with a known fee. 100 if all fees are " +
        "equal. 0 if the fee is unknown. With `at_most` of `fee_refusal`, that is the fee.",
    }),
    distance: component.meta({ description: "100 × (1 − `distance_m` / `radius_m`)" }),
    rating: component.meta({ description: "100 × (`avg_rating` − 1) / 4. 50 without reviews." }),
  }).meta({ id: "RankingComponents" }),
};

export const Cost = {
  estimated_fee: z.int().nullable().meta({
    description:
      "Result of calc-fee for the `vehicle_type` and the stay, in minor units. Without a stay, for 60 minutes from " +
      "now. Null if unknown.",
  }),
  currency: z.string().meta({ examples: ["JPY"] }),
  fee_refusal: FeeRefusal.nullable().meta({
    description: "Why the fee is unknown: `details` of the error `fee_unknown` of calc-fee. Null with `estimated_fee`.",
  }),
  walk_minutes: z.int().min(0).meta({ description: "`distance_m` / 80 (80 m per minute), rounded up" }),
  effective_cost: z.int().nullable().meta({
    description: "`estimated_fee` + `walk_minutes` × `walk_yen_per_minute`. Null if the fee is unknown or not in yen.",
  }),
  walk_yen_per_minute: z.int().min(0).max(500).meta({
    description: "Value of one minute of walking: the caller's `yen_per_walk_minute`, by default 20",
  }),
  surprises: FeeSurprises.nullable().meta({
    description: "Null without a stay or a fee",
  }),
};

const answer = z.boolean().nullable();

export const PlannedStay = z.object({
  entry_at: Timestamp,
  exit_at: Timestamp,
  is_open_at_entry: answer,
  can_enter_at: answer,
  can_exit_at: answer,
  locked_in: answer.meta({ description: "True if the car cannot leave at `exit_at`" }),
  next_exit_at: Timestamp.nullable().meta({
    description: "When a locked-in car can leave next, within 14 days. Null otherwise.",
  }),
  holiday_calendar_unknown: z.boolean().meta({
    description: "True if hours or prices depend on unknown public holidays",
  }),
}).meta({
  id: "PlannedStay",
  description: "State of the lot at the start and end of a stay. A value is null if unknown.",
});

/** Fields that a stay adds to a lot. */
export const Usability = {
  usable_for_stay: answer.meta({
    description:
      "False with `unusable_reasons`. True if entry, exit and the `fit` are known to be possible. Otherwise null.",
  }),
  unusable_reasons: z.array(z.string()).meta({
    description: "Codes of category `unusable_reason`",
    examples: [["closed_at_exit"]],
  }),
};

/** A parking lot of the specification: the common fields of all responses about one lot. */
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
  area: Geometry.nullable().optional(),
}).meta({
  id: "ParkingLot",
  description: "Fields common to all lots. `FoundParkingLot` and `ParkingLotWithDetail` contain these and more fields.",
});

/** A lot of the nearby search, without the comparison with other lots. */
export const NearbyLot = z.object({
  id: Id,
  name: z.string(),
  address: z.string().nullable(),
  lat: z.number().nullable(),
  lng: z.number().nullable(),
  distance_m: z.number().min(0).meta({ description: "Great-circle distance in metres, two decimals" }),
}).meta({
  id: "NearbyParkingLot",
  description: "A lot and its distance. `NearbyParkingLotWithRanking` contains these and more fields.",
});

export const NearbyParkingLot = z.object({
  ...NearbyLot.shape,
  time_zone: z.string(),
  avg_rating: AvgRating,
  review_count: z.int().min(0),
  main_image: z.string().nullable().meta({ description: "Public URL of the main image" }),
  tags: z.array(z.string()).meta({
    description: "Slugs of the lot's tags",
    examples: [["covered", "open_24h"]],
  }),
  ...Ranking,
  ...Cost,
  planned_stay: PlannedStay.nullable().meta({
    description: "Null unless `entry_at` and `exit_at` are given",
  }),
  fit: Fit.nullable().meta({ description: "Null unless `vehicle` contains a dimension" }),
  is_saved: z.boolean().nullable().meta({ description: "Whether the caller saved the lot. Null without a token." }),
  my_rating: z.enum(["good", "bad"]).nullable().meta({ description: "The caller's rating of the lot" }),
  availability: CurrentOccupancy.nullable().meta({ description: "Null if unknown" }),
  ...Usability,
}).meta({ id: "NearbyParkingLotWithRanking" });

export const NearbyParkingLots = z.array(NearbyParkingLot);
