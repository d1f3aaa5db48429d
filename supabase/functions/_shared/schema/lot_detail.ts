import { z } from "zod";
import { LangQuery } from "./codes.ts";
import { Fee, FeePoint, FeeRefusal, PricingRule } from "./fees.ts";
import { Fit, Vehicle } from "./fit.ts";
import { Geometry } from "./geometry.ts";
import { DateOverride, Hours, Week } from "./hours.ts";
import { CurrentOccupancy, OccupancyForecast } from "./occupancy.ts";
import { PlannedStay } from "./parking_lots.ts";
import { LotTag } from "./tags.ts";
import { AvgRating, Id, Moment, text, Timestamp } from "./values.ts";

const Part = z.enum(["field_value_ids", "hours", "week", "fee_curve", "field_provenance", "occupancy_forecast"]);

export const LotDetailQuery = z.strictObject({
  include: z.array(Part).default([]).meta({
    description: "Optional parts to include, separated by commas",
    example: ["hours"],
  }),
  entry_at: Moment.optional().meta({
    description: "Start of a stay, from 2000 to 2099. Adds `planned_stay` to the response. Requires `exit_at`.",
  }),
  exit_at: Moment.optional().meta({
    description:
      "End of the stay. Not before `entry_at` (it can be the same time), at most 366 days after it. Requires " +
      "`entry_at`.",
    examples: ["2026-09-01T12:00:00+09:00"],
  }),
  vehicle_type: text(1, 50).default("standard").meta({
    description: "A code of category `vehicle_type`, used for `planned_stay.fee`",
  }),
  vehicle: Vehicle.optional().meta({
    description: "JSON object, URL-encoded. Adds `fit` to the response.",
    example: { height_m: 1.9, width_m: 1.8 },
  }),
  lang: LangQuery,
});

const known = z.string().nullable();
const count = z.int().min(0);
const limit = z.number().positive().nullable();
const answer = z.boolean().nullable();

const Image = z.object({
  id: Id,
  parking_lot_id: Id,
  asset_id: Id,
  is_main: z.boolean(),
  sort_order: z.int().nullable(),
  image_url: known.meta({ description: "Null if the asset is deleted, not placed or not public" }),
}).meta({ id: "ParkingLotDetailImage" });

const Tag = z.object({
  tag_id: Id,
  state: answer.meta({ description: "True: the lot has the tag. False: it does not. Null: uncertain." }),
  tag: LotTag.nullable(),
}).meta({ id: "ParkingLotTag" });

const Operator = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  color: known,
}).meta({ id: "ParkingLotDetailOperator" });

export const Spot = z.object({
  id: Id,
  code: z.string(),
  vehicle_type_max: known.meta({ description: "A code of category `vehicle_type`" }),
  is_ev_charger: z.boolean(),
  ev_connector_type: known.meta({ description: "A code of category `ev_connector_type`" }),
  accessibility: known.meta({ description: "A code of category `accessibility`" }),
  is_reservable: z.boolean(),
}).meta({ id: "ParkingLotPublicSpot" });

export const PricingGroup = z.object({
  id: Id,
  code: z.string(),
  name: z.string(),
  is_default: z.boolean(),
  display_order: z.int(),
  vehicle_types: z.array(z.string()).nullable().meta({
    description: "Codes of category `vehicle_type`. Null for all vehicles.",
  }),
  free_while_closed: z.boolean().meta({
    description: "No unit of the price starts while the lot is closed by its business hours",
  }),
}).meta({ id: "ParkingLotPublicPricingGroup" });

const Provenance = z.object({
  source: known,
  external_id: known.meta({ description: "Id of the lot at its source" }),
  source_url: known,
  licence: known,
  attribution: known.meta({ description: "Text to display with the lot" }),
}).meta({ id: "Provenance" });

const FieldValueIds = z.record(z.string(), Id).meta({
  id: "ParkingLotFieldValueIds",
  description: "For each field, the id for confirming or denying its value. Only with `include=field_value_ids`.",
});

const FieldProvenance = z.record(
  z.string(),
  z.object({
    field_value_id: Id,
    state: z.enum(["unverified", "confirmed", "disputed"]),
    source: known,
    licence: known,
    last_verified_at: Timestamp.nullable(),
    confirm_count: count,
    deny_count: count,
    my_vote: z.enum(["confirm", "deny"]).nullable().meta({ description: "The caller's vote" }),
  }),
).meta({
  id: "FieldProvenance",
  description: "For each field, the origin of its value and the votes on it. Only with `include=field_provenance`.",
});

const PlannedStayWithFee = PlannedStay.extend({
  vehicle_type: z.string(),
  fee: Fee.nullable().meta({ description: "Result of calc-fee. Null with `fee_refusal`." }),
  fee_refusal: FeeRefusal.nullable().meta({ description: "Why the fee is unknown. Null with `fee`." }),
}).meta({ id: "PlannedStayWithFee" });

const Changes = Timestamp.nullable();

export const LotDetail = z.object({
  id: Id,
  name: known,
  name_kana: known,
  address: known,
  lat: z.number().nullable(),
  lng: z.number().nullable(),
  area: Geometry.nullable(),
  total_spaces: count.nullable(),
  status: known,
  structure: known,
  max_height_m: limit,
  max_width_m: limit,
  max_length_m: limit,
  max_weight_t: limit,
  min_clearance_cm: count.nullable(),
  max_tire_width_mm: z.int().nullable(),
  max_parking_duration_min: z.int().nullable(),
  entry_method: known,
  shape_type: known,
  entry_difficulty: known,
  operator_code: known,
  phone: known,
  website: known,
  time_zone: z.string().meta({ examples: ["Asia/Tokyo"] }),
  holiday_calendar: z.string().meta({ examples: ["JP"] }),
  currency: z.string().meta({ examples: ["JPY"] }),
  source: known,
  avg_rating: AvgRating,
  review_count: count,
  good_count: count.meta({ description: "Number of users who rate the lot good" }),
  bad_count: count,
  hour_price: z.int().nullable().meta({
    description:
      "Price of 60 minutes from Wednesday noon for a standard vehicle, by the rules of today. Null if unknown.",
  }),
  price_fixed_at_entry: z.boolean().meta({
    description:
      "True: a stay is priced by the rules in effect on the date of its entry. False: by those of each date.",
  }),
  main_image: known.meta({ description: "Public URL of the main image" }),
  created_at: Timestamp,
  updated_at: Timestamp,
  pricing_rules: z.array(PricingRule),
  pricing_groups: z.array(PricingGroup),
  images: z.array(Image).meta({ description: "The main image first" }),
  tags: z.array(Tag),
  operator: Operator.nullable(),
  spots: z.array(Spot),
  date_overrides: z.array(DateOverride),
  is_open_now: answer.meta({ description: "Same as in `derived`. Null if unknown." }),
  derived: z.object({
    is_open_now: answer,
    can_enter_now: answer,
    can_exit_now: answer,
  }).meta({ id: "Derived", description: "Current state. A value is null if unknown." }),
  next_change_at: z.object({
    is_open_now: Changes,
    can_enter_now: Changes,
    can_exit_now: Changes,
  }).meta({
    id: "NextChangeAt",
    description: "When each value of `derived` changes next. Null if it does not change within 14 days.",
  }),
  planned_stay: PlannedStayWithFee.nullable().meta({
    description: "Null unless `entry_at` and `exit_at` are given",
  }),
  fit: Fit.nullable().meta({ description: "Null unless `vehicle` contains a dimension" }),
  availability: CurrentOccupancy.nullable().meta({ description: "Null if unknown" }),
  is_saved: answer.meta({ description: "Whether the caller saved the lot. Null without a token." }),
  my_rating: z.enum(["good", "bad"]).nullable().meta({ description: "The caller's rating of the lot" }),
  provenance: Provenance,
  field_value_ids: FieldValueIds.optional(),
  hours: Hours.optional(),
  week: Week.optional(),
  fee_curve: z.array(FeePoint).nullable().optional().meta({
    description:
      "The fee of a stay from `entry_at`, by default from now, for each exit of the next 24 hours. Each point is an " +
      "increase, which becomes due after `at`. The last one is not an increase: the fee is known until `at`. Null if " +
      "it is unknown. Only with `include=fee_curve`.",
  }),
  field_provenance: FieldProvenance.optional(),
  occupancy_forecast: OccupancyForecast.optional(),
}).meta({ id: "ParkingLotWithDetail" });
