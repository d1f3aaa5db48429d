import { z } from "zod";
import { parking_lots } from "../_shared/db/columns.ts";
import { column } from "../_shared/schema/columns.ts";
import { PricingRule } from "../_shared/schema/fees.ts";
import { GeometryInput } from "../_shared/schema/geometry.ts";
import { DateOverride, Window } from "../_shared/schema/hours.ts";
import { NextCursor, PageQuery, Total, TotalIsExact } from "../_shared/schema/lists.ts";
import { LotDetail, PricingGroup, Spot } from "../_shared/schema/lot_detail.ts";
import { AvgRating, CurrencyCode, HolidayCalendar, Id, text, Timestamp } from "../_shared/schema/values.ts";

const LotStatus = column(parking_lots.status).meta({
  id: "ParkingLotStatus",
  description: "A code of category `parking_lot_status`. Only `active` lots are public.",
});

export const Url = text(0, parking_lots.website.maxLength).regex(
  /^https?:\/\/\S+$/,
  "Must be an http or https address.",
).meta({
  examples: ["https://example.com/"],
});
const code = (name: "structure" | "entry_method" | "shape_type") =>
  column(parking_lots[name]).unwrap().meta({ description: `A code of category \`${name}\`` }).nullable();

const fields = {
  name: column(parking_lots.name).meta({ examples: ["東京駅前パーキング"] }),
  name_kana: column(parking_lots.name_kana),
  address: text(1, parking_lots.address.maxLength).nullable(),
  lat: column(parking_lots.lat).meta({ description: "Latitude in degrees", examples: [35.6812] }),
  lng: column(parking_lots.lng).meta({ description: "Longitude in degrees", examples: [139.7671] }),
  area: GeometryInput.nullable().meta({ description: "Outline of the lot" }),
  total_spaces: column(parking_lots.total_spaces),
  status: LotStatus,
  structure: code("structure"),
  max_height_m: column(parking_lots.max_height_m).meta({ description: "Maximum vehicle height" }),
  max_width_m: column(parking_lots.max_width_m),
  max_length_m: column(parking_lots.max_length_m),
  max_weight_t: column(parking_lots.max_weight_t),
  min_clearance_cm: column(parking_lots.min_clearance_cm),
  max_tire_width_mm: column(parking_lots.max_tire_width_mm),
  max_parking_duration_min: column(parking_lots.max_parking_duration_min),
  entry_method: code("entry_method"),
  shape_type: code("shape_type"),
  entry_difficulty: column(parking_lots.entry_difficulty),
  operator_code: text(1, 50).nullable().meta({ description: "Id of an operator" }),
  phone: column(parking_lots.phone),
  website: Url.nullable(),
  time_zone: text(1, 100).meta({ description: "Name of an IANA time zone", examples: ["Asia/Tokyo"] }),
  holiday_calendar: HolidayCalendar,
  currency: CurrencyCode,
  source: column(parking_lots.source).meta({ description: "Origin of the lot's data" }),
  external_id: column(parking_lots.external_id).meta({ description: "Id of the lot at its `source`, unique there" }),
  source_url: Url.nullable(),
  licence: column(parking_lots.licence),
  attribution: column(parking_lots.attribution).meta({ description: "Text to display with the lot" }),
  price_fixed_at_entry: z.boolean().meta({
    description: "A stay is priced by the rules in effect on the date of its entry",
  }),
};

export const ParkingLotChanges = z.strictObject(fields).partial().meta({
  id: "ParkingLotChanges",
  description: "The fields to change. Null clears a field. An omitted field does not change.",
});

export const NewParkingLot = ParkingLotChanges.required({ name: true, lat: true, lng: true }).meta({
  id: "NewParkingLot",
  description: "A lot. Its `status` is `draft` unless `active` is given.",
});

const AdminDateOverride = DateOverride.extend({ label: z.string().nullable() }).meta({ id: "AdminDateOverride" });

const AdminPricingRule = PricingRule.omit({ parking_lot_id: true }).meta({ id: "AdminPricingRule" });

const AdminLotTag = z.object({
  tag_id: Id,
  slug: z.string(),
  name: z.string(),
  state: z.boolean().nullable().meta({
    description: "True: the lot has the tag. False: it does not. Null: uncertain.",
  }),
}).meta({ id: "AdminParkingLotTag" });

const AdminLotImage = z.object({
  id: Id,
  asset_id: Id,
  is_main: z.boolean(),
  sort_order: z.int().nullable(),
  image_url: z.string().nullable().meta({
    description: "URL of the file. It expires while the file has no public copy. Null if the file was deleted.",
  }),
}).meta({ id: "AdminParkingLotImage" });

export const AdminParkingLot = LotDetail.pick({
  id: true,
  area: true,
  total_spaces: true,
  structure: true,
  max_height_m: true,
  max_width_m: true,
  max_length_m: true,
  max_weight_t: true,
  min_clearance_cm: true,
  max_tire_width_mm: true,
  max_parking_duration_min: true,
  name_kana: true,
  address: true,
  entry_method: true,
  shape_type: true,
  entry_difficulty: true,
  operator_code: true,
  phone: true,
  website: true,
  time_zone: true,
  holiday_calendar: true,
  currency: true,
  source: true,
  avg_rating: true,
  review_count: true,
  hour_price: true,
  price_fixed_at_entry: true,
  created_at: true,
  updated_at: true,
}).extend({
  name: z.string(),
  lat: z.number(),
  lng: z.number(),
  status: LotStatus,
  external_id: z.string().nullable(),
  source_url: z.string().nullable(),
  licence: z.string().nullable(),
  attribution: z.string().nullable(),
  allowed_statuses: z.array(LotStatus).meta({ description: "Allowed next values of `status`" }),
  spots: z.array(Spot),
  pricing_groups: z.array(PricingGroup).meta({ description: "The default group first" }),
  pricing_rules: z.array(AdminPricingRule).meta({
    description: "Rules of the default group first, then group by group",
  }),
  windows: z.array(Window).meta({ description: "The weekly hours" }),
  date_overrides: z.array(AdminDateOverride).meta({ description: "Sorted by date" }),
  tags: z.array(AdminLotTag),
  images: z.array(AdminLotImage).meta({ description: "The main image first" }),
}).meta({
  id: "AdminParkingLot",
  description:
    "A lot of any status with all related data. Its sets, except `tags` and `images`, can be sent back unchanged.",
});

const AdminLotRow = z.object({
  id: Id,
  name: z.string(),
  address: z.string().nullable(),
  lat: z.number(),
  lng: z.number(),
  status: LotStatus,
  operator_code: z.string().nullable(),
  source: z.string().nullable(),
  external_id: z.string().nullable(),
  total_spaces: z.int().nullable(),
  hour_price: z.int().nullable(),
  currency: z.string(),
  avg_rating: AvgRating,
  review_count: z.int().min(0),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "AdminParkingLotRow" });

export const AdminParkingLots = z.object({
  items: z.array(AdminLotRow).meta({ description: "The most recent change first" }),
  next_cursor: NextCursor,
  total: Total,
  total_is_exact: TotalIsExact,
}).meta({ id: "AdminParkingLots" });

export const AdminParkingLotsQuery = z.strictObject({
  status: LotStatus.optional().meta({ description: "Only lots with this status" }),
  operator_code: text(1, 50).optional().meta({ description: "Only lots of this operator" }),
  source: column(parking_lots.source).unwrap().optional().meta({ description: "Only lots of this data source" }),
  q: text(1, 100).optional().meta({
    description:
      "Words that must all occur in the lot's name, kana or address. For `active` lots, the operator's name is " +
      "searched too. One character is enough.",
  }),
  ...PageQuery.shape,
});

export const DeletedParkingLot = z.object({
  id: Id,
  deleted: z.boolean(),
  status: z.literal("closed").nullable().meta({
    description: "`closed` if the lot is kept. Null if it was deleted.",
  }),
}).meta({ id: "DeletedParkingLot" });
