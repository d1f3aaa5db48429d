import { z } from "zod";
import { PricingRule } from "../_shared/schema/fees.ts";
import { GeometryInput } from "../_shared/schema/geometry.ts";
import { DateOverride, Window } from "../_shared/schema/hours.ts";
import { NextCursor, PageQuery, Total, TotalIsExact } from "../_shared/schema/lists.ts";
import { LotDetail, PricingGroup, Spot } from "../_shared/schema/lot_detail.ts";
import { AvgRating, CurrencyCode, HolidayCalendar, Id, text, Timestamp } from "../_shared/schema/values.ts";

const LotStatus = z.enum(["draft", "active", "suspended", "closed"]).meta({
  id: "ParkingLotStatus",
  description: "A code of category `parking_lot_status`. Only `active` lots are public.",
});

const Url = z.string().max(2000).regex(/^https?:\/\/\S+$/, "Must be an http or https address.").meta({
  examples: ["https://example.com/"],
});
const code = (category: string) => text(1, 50).meta({ description: `A code of category \`${category}\`` });
const measure = (max: number) => z.number().positive().max(max);

const fields = {
  name: text(1, 200).meta({ examples: ["東京駅前パーキング"] }),
  name_kana: text(1, 200).nullable(),
  address: text(1, 500).nullable(),
  lat: z.number().min(-90).max(90).meta({ description: "Latitude in degrees", examples: [35.6812] }),
  lng: z.number().min(-180).max(180).meta({ description: "Longitude in degrees", examples: [139.7671] }),
  area: z.union([GeometryInput, z.null()], "Must be a GeoJSON geometry, or null.").meta({
    description: "Outline of the lot",
  }),
  total_spaces: z.int().min(0).max(1_000_000).nullable(),
  status: LotStatus,
  structure: code("structure").nullable(),
  max_height_m: measure(50).nullable().meta({ description: "Maximum vehicle height" }),
  max_width_m: measure(50).nullable(),
  max_length_m: measure(100).nullable(),
  max_weight_t: measure(200).nullable(),
  min_clearance_cm: z.int().min(0).max(200).nullable(),
  max_tire_width_mm: z.int().min(1).max(2000).nullable(),
  max_parking_duration_min: z.int().min(1).max(2_147_483_647).nullable(),
  entry_method: code("entry_method").nullable(),
  shape_type: code("shape_type").nullable(),
  entry_difficulty: z.enum(["easy", "normal", "hard"]).nullable(),
  operator_code: text(1, 50).nullable().meta({ description: "Id of an operator" }),
  phone: text(1, 50).nullable(),
  website: Url.nullable(),
  time_zone: text(1, 100).meta({ description: "Name of an IANA time zone", examples: ["Asia/Tokyo"] }),
  holiday_calendar: HolidayCalendar,
  currency: CurrencyCode,
  source: text(1, 100).nullable().meta({ description: "Origin of the lot's data" }),
  external_id: text(1, 200).nullable().meta({ description: "Id of the lot at its `source`, unique there" }),
  source_url: Url.nullable(),
  licence: text(1, 200).nullable(),
  attribution: text(1, 500).nullable().meta({ description: "Text to display with the lot" }),
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
  source: text(1, 100).optional().meta({ description: "Only lots of this data source" }),
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
