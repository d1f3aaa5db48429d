/**
 * The sets of a lot in an administrator's request: each is replaced as a whole. The database checks the relations
 * between rows.
 */
import { z } from "zod";
import {
  parking_lot_date_overrides,
  parking_lot_images,
  parking_lot_spots,
  parking_lot_windows,
  pricing_groups,
  pricing_terms,
} from "../_shared/db/columns.ts";
import { column } from "../_shared/schema/columns.ts";
import { FeeCapType, FeeRequest, PricingRuleCategory } from "../_shared/schema/fees.ts";
import { DayType, HoursSpan } from "../_shared/schema/hours.ts";
import { ClockTime, Id, text } from "../_shared/schema/values.ts";

const ItemId = Id.optional().meta({
  description: "Id of an existing row of the lot. An unknown id becomes the id of a new row.",
});
const code = (category: string) => text(1, 50).meta({ description: `A code of category \`${category}\`` });

const SpotInput = z.strictObject({
  id: ItemId,
  code: column(parking_lot_spots.code).meta({ examples: ["A-1"] }),
  vehicle_type_max: code("vehicle_type").nullable().optional(),
  is_ev_charger: z.boolean().optional(),
  ev_connector_type: code("ev_connector_type").nullable().optional(),
  accessibility: code("accessibility").nullable().optional(),
  is_reservable: z.boolean().optional(),
}).meta({ id: "SpotInput" });

const PricingGroupInput = z.strictObject({
  id: ItemId,
  code: column(pricing_groups.code).meta({ examples: ["standard"] }),
  name: column(pricing_groups.name).meta({ examples: ["普通車"] }),
  is_default: z.boolean().optional().meta({ description: "True for at most one group of a lot" }),
  display_order: column(pricing_groups.display_order).optional(),
  vehicle_types: z.array(code("vehicle_type")).min(1).max(50).nullable().optional().meta({
    description: "Null for all vehicle types",
  }),
  free_while_closed: z.boolean().optional().meta({
    description: "No unit of the price starts while the lot is closed by its business hours. Default: false.",
  }),
}).meta({ id: "PricingGroupInput" });

const terms = {
  category: PricingRuleCategory,
  rule_order: column(pricing_terms.rule_order).unwrap().optional().meta({
    description: "Rules with a smaller number take precedence. Default: the position in the list, starting at 1.",
  }),
  time_start: ClockTime.nullable().optional(),
  time_end: ClockTime.nullable().optional().meta({ description: "If not after `time_start`, it is on the next day" }),
  day_type: DayType.nullable().optional(),
  per_minutes: column(pricing_terms.per_minutes).optional(),
  price_minor: column(pricing_terms.price_minor).optional(),
  cap_type: FeeCapType.nullable().optional(),
  cap_duration_hours: z.number().positive().max(8784).nullable().optional(),
  cap_price_minor: column(pricing_terms.cap_price_minor).optional(),
  cap_repeat: z.boolean().nullable().optional(),
  max_units: column(pricing_terms.max_units).optional().meta({ description: "Only for a `time_band` with a band" }),
};

export const PricingRuleInput = z.strictObject({
  id: ItemId,
  pricing_group_id: Id.nullable().optional().meta({ description: "A group of the lot. Null for the default group." }),
  ...terms,
  effective_from: z.iso.date().nullable().optional().meta({ description: "The first date, in the lot's time zone" }),
  effective_to: z.iso.date().nullable().optional().meta({
    description: "Inclusive. The dates of two rules for the same days and hours must not overlap.",
  }),
}).meta({ id: "PricingRuleInput", description: "The required fields of each category are in docs/domains/fees.md" });

const WindowInput = z.strictObject({
  id: ItemId,
  window_type: column(parking_lot_windows.window_type),
  day_type: DayType.nullable().optional(),
  day_of_week: column(parking_lot_windows.day_of_week).optional().meta({ description: "0 is Sunday" }),
  is_24h: z.boolean().nullable().optional(),
  is_closed: z.boolean().nullable().optional(),
  open_time: ClockTime.nullable().optional(),
  close_time: ClockTime.nullable().optional(),
  effective_from: z.iso.date().nullable().optional(),
  effective_to: z.iso.date().nullable().optional().meta({ description: "Inclusive" }),
}).meta({ id: "WindowInput", description: "Requires `open_time` with `close_time`, or `is_24h`, or `is_closed`" });

const HoursSpanInput = z.strictObject(HoursSpan.shape).meta({ id: "HoursSpanInput" });

const Spans = z.array(HoursSpanInput).max(50).optional();

const DateOverrideInput = z.strictObject({
  id: ItemId,
  override_date: z.iso.date(),
  label: column(parking_lot_date_overrides.label).optional(),
  hours: z.strictObject({
    business: Spans,
    entry: Spans,
    exit: Spans,
    after_hours_exit: Spans,
    is_closed: z.boolean().optional(),
    is_24h: z.boolean().optional(),
  }).nullable().optional().meta({ description: "Same format as in DateOverride" }),
  pricing: z.array(z.strictObject({ ...terms, id: Id.optional(), parking_lot_id: Id.optional() })).max(200).nullable()
    .optional().meta({
      description:
        "Rules that replace all rules of the lot on this date. Null for the regular rules. Their `id` is ignored.",
    }),
  note: text(1, 2000).nullable().optional(),
}).meta({ id: "DateOverrideInput" });

const LotTagInput = z.strictObject({
  tag_id: Id,
  state: z.boolean().nullable().optional().meta({
    description: "True (the default): the lot has the tag. False: it does not. Null: uncertain.",
  }),
}).meta({ id: "ParkingLotTagInput" });

const LotImageInput = z.strictObject({
  id: ItemId,
  asset_id: Id.meta({
    description: "A public upload of the caller of category `parking_lot`, or a file that the lot already uses",
  }),
  is_main: z.boolean().optional().meta({ description: "True for at most one image of a lot" }),
  sort_order: column(parking_lot_images.sort_order).optional(),
}).meta({ id: "ParkingLotImageInput" });

const sets = {
  spots: z.array(SpotInput).max(1000),
  pricing_groups: z.array(PricingGroupInput).max(20),
  pricing_rules: z.array(PricingRuleInput).max(200),
  windows: z.array(WindowInput).max(200),
  date_overrides: z.array(DateOverrideInput).max(400),
};

const reason = text(1, 500).optional().meta({ description: "Why the set changes. The record of acts keeps it." });

export const Spots = z.strictObject({ spots: sets.spots, reason }).meta({ id: "SpotsInput" });
export const PricingGroups = z.strictObject({ pricing_groups: sets.pricing_groups, reason }).meta({
  id: "PricingGroupsInput",
});
export const LotPricingRules = z.strictObject({ pricing_rules: sets.pricing_rules, reason }).meta({
  id: "PricingRulesInput",
});
export const Windows = z.strictObject({ windows: sets.windows, reason }).meta({ id: "WindowsInput" });
export const DateOverrides = z.strictObject({ date_overrides: sets.date_overrides, reason }).meta({
  id: "DateOverridesInput",
});
export const LotTags = z.strictObject({ tags: z.array(LotTagInput).max(100), reason }).meta({
  id: "ParkingLotTagsInput",
});
export const LotImages = z.strictObject({ images: z.array(LotImageInput).max(20), reason }).meta({
  id: "ParkingLotImagesInput",
});

export const FeePreview = FeeRequest.extend({
  pricing_groups: sets.pricing_groups.optional(),
  pricing_rules: sets.pricing_rules.optional(),
  windows: sets.windows.optional().meta({
    description: "A fee depends on them only where a pricing group is free while the lot is closed",
  }),
  date_overrides: sets.date_overrides.optional(),
}).meta({
  id: "FeePreview",
  description: "A stay, and the sets for its price. An omitted set is taken from the lot.",
});
