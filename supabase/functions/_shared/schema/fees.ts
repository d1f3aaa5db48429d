import { z } from "zod";
import { Cursor, IncludeTotal, Limit, NextCursor, Total } from "./lists.ts";
import { ClockTime, Id, Moment, text, Timestamp } from "./values.ts";

export const FeeQuestion = z.strictObject({
  entry_at: Moment.meta({ description: "When the stay begins: from 2000 to 2099" }),
  exit_at: Moment.meta({
    description: "When it ends: not before `entry_at`, at most 366 days later",
    examples: ["2026-09-01T12:00:00+09:00"],
  }),
  vehicle_type: text(1, 50).default("standard").meta({
    description: "A code of category `vehicle_type`",
  }),
}).meta({ id: "FeeQuestion" });

const RuleId = Id.nullable().meta({
  description: "Null for a row of a date override",
});
const OverrideDate = z.iso.date().nullable().meta({
  description: "The date whose own prices the row is one of; null for the lot's usual ones",
});
const Amount = z.int().meta({
  description: "In minor units of `currency`",
  examples: [800],
});

const UnitsLine = z.object({
  kind: z.enum(["grace", "initial", "rate", "flat"]),
  rule_id: RuleId,
  override_date: OverrideDate,
  from: Timestamp.meta({ description: "When the first unit begins" }),
  to: Timestamp.meta({
    description: "When the last unit ends: a unit that has begun is charged whole, so this can be after the exit",
  }),
  units: z.int().min(1),
  unit_minutes: z.int().nullable().meta({
    description: "How long a unit is; null for `flat` and `grace`, whose length follows from the times",
  }),
  unit_price: Amount,
  amount: Amount.meta({ description: "`units` × `unit_price`" }),
}).meta({
  id: "FeeUnitsLine",
  description: "Units of one row that follow one another",
});

const CapLine = z.object({
  kind: z.literal("cap"),
  rule_id: RuleId,
  override_date: OverrideDate,
  from: Timestamp,
  to: Timestamp,
  amount: z.int().max(0).meta({
    description: "What this window of the cap took off: negative",
  }),
}).meta({ id: "FeeCapLine" });

const CapWindow = z.object({
  rule_id: RuleId,
  override_date: OverrideDate,
  cap_type: z.enum(["duration", "day", "band", "stay"]),
  from: Timestamp.meta({ description: "May be before the entry" }),
  to: Timestamp.meta({
    description: "May be after the exit, but for `stay`, whose window ends with it",
  }),
  cap: Amount,
  charged: Amount.meta({
    description: "What units that begin in the window cost, after all caps",
  }),
  reached_at: Timestamp.nullable().meta({
    description: "When the unit began that filled the cap; null when it was not filled",
  }),
}).meta({
  id: "FeeCapWindow",
  description: "A window of a cap in which a unit began",
});

const NotApplied = z.object({
  rule_id: Id,
  reason: z.enum([
    "day_type",
    "time",
    "order",
    "not_reached",
    "window",
    "within_grace",
    "exceeded",
    "override",
    "group",
  ]).meta({
    description: "A code of category `fee_rule_reason`. `day_type`, `time`: for other days or hours than the stay's. " +
      "`order`: another row of its kind went before it, or a unit begun earlier was still running. `not_reached`: a cap " +
      "that was not filled, or a row whose turn did not come. `window`: a cap of which no window with a unit in it was " +
      "its own. `within_grace`: the stay was free. `exceeded`: a grace that the stay outlasted. `override`: each day of " +
      "the stay has prices of its own. `group`: for other vehicles.",
  }),
}).meta({ id: "FeeRuleNotApplied" });

const Breakdown = z.object({
  time_zone: z.string().meta({ examples: ["Asia/Tokyo"] }),
  vehicle_type: z.string().meta({ examples: ["standard"] }),
  lines: z.array(z.union([UnitsLine, CapLine])).meta({
    description: "They sum to the total: units in order of time, then what caps took off",
  }),
  caps: z.array(CapWindow).meta({ description: "In order of time" }),
  not_applied: z.array(NotApplied).meta({
    description: "The lot's other rules",
  }),
  notes: z.array(
    z.enum(["holiday_rates_not_given", "cap_repeat_not_given", "exceeds_max_duration", "only_366_days_priced"]),
  ).meta({
    description: "Codes of category `fee_note`",
  }),
}).meta({
  id: "FeeBreakdown",
  description: "How the total comes about. Times carry the offset of the lot's own clock.",
});

export const Fee = z.object({
  total_amount: Amount,
  currency: z.string().meta({ examples: ["JPY"] }),
  breakdown: Breakdown,
}).meta({ id: "Fee", description: "What a stay costs, and why" });

export const PricingRule = z.object({
  id: Id,
  parking_lot_id: Id,
  pricing_group_id: Id.nullable().meta({
    description: "Null: of the default group",
  }),
  category: z.enum(["time_band", "flat", "initial", "grace", "cap"]),
  rule_order: z.int().meta({ description: "Smaller goes before" }),
  time_start: ClockTime.nullable(),
  time_end: ClockTime.nullable().meta({
    description: "Not after `time_start`: on the next day",
  }),
  day_type: z.enum(["weekday", "saturday", "sunday", "holiday", "holiday_eve", "all"]).nullable(),
  per_minutes: z.int().nullable(),
  price_minor: z.int().nullable(),
  cap_type: z.enum(["duration", "day", "band", "stay"]).nullable(),
  cap_duration_hours: z.number().nullable(),
  cap_price_minor: z.int().nullable(),
  cap_repeat: z.boolean().nullable(),
}).meta({ id: "PricingRule", description: "A row of a lot's price list" });

export const PricingRules = z.object({
  items: z.array(PricingRule),
  next_cursor: NextCursor,
  total: Total,
}).meta({ id: "PricingRules" });

export const PricingRulesQuery = z.strictObject({ limit: Limit, cursor: Cursor, include: IncludeTotal });

export const FeeRefusal = z.object({
  code: z.literal("fee_unknown"),
  reason: z.enum(["no_rules", "no_rate", "vehicle_type_not_priced"]),
  from: Timestamp.optional().meta({ description: "With `no_rate`, where one lot is asked about: from when on" }),
  until: Timestamp.optional().meta({ description: "With `from`: until when, if the next rate is known" }),
}).meta({ id: "FeeRefusal", description: "Why a fee is not known" });
