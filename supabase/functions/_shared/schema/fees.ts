import { z } from "zod";
import { DayType } from "./hours.ts";
import { pageOf } from "./lists.ts";
import { ClockTime, Id, Moment, text, Timestamp } from "./values.ts";

export const FeeRequest = z.strictObject({
  entry_at: Moment.meta({ description: "Start of the stay, from 2000 to 2099" }),
  exit_at: Moment.meta({
    description: "End of the stay. Not before `entry_at`, at most 366 days after it.",
    examples: ["2026-09-01T12:00:00+09:00"],
  }),
  vehicle_type: text(1, 50).default("standard").meta({
    description: "A code of category `vehicle_type`",
  }),
}).meta({ id: "FeeRequest" });

const RuleId = Id.nullable().meta({
  description: "Null for a rule of a date override",
});
const OverrideDate = z.iso.date().nullable().meta({
  description: "The date whose special prices contain this rule. Null for a regular rule.",
});
const Amount = z.int().meta({
  description: "In minor units of `currency`",
  examples: [800],
});

export const FeePoint = z.object({
  at: Timestamp.meta({ description: "An exit after this time costs `amount`" }),
  amount: z.int().min(0),
}).meta({ id: "MeterPoint" });

const UnitsLine = z.object({
  kind: z.enum(["grace", "initial", "rate", "flat", "published_total"]),
  rule_id: RuleId,
  override_date: OverrideDate,
  from: Timestamp.meta({ description: "Start of the first unit" }),
  to: Timestamp.meta({
    description: "End of the last unit. It can be after the exit, because a started unit is charged in full.",
  }),
  units: z.int().min(1),
  unit_minutes: z.int().nullable().meta({
    description: "Length of a unit. Null for `flat` and `grace`: there `from` and `to` give the length.",
  }),
  unit_price: Amount,
  amount: Amount.meta({ description: "`units` × `unit_price`" }),
}).meta({
  id: "FeeUnitsLine",
  description: "Consecutive units of one rule",
});

const CapLine = z.object({
  kind: z.literal("cap"),
  rule_id: RuleId,
  override_date: OverrideDate,
  from: Timestamp,
  to: Timestamp,
  amount: z.int().max(0).meta({
    description: "Reduction by this window of the cap, a negative amount",
  }),
}).meta({ id: "FeeCapLine" });

export const FeeCapType = z.enum(["duration", "day", "band", "stay"]).meta({ id: "FeeCapType" });

export const PricingRuleCategory = z.enum(["time_band", "flat", "initial", "grace", "cap", "published_total"]).meta({
  id: "PricingRuleCategory",
});

const CapWindow = z.object({
  rule_id: RuleId,
  override_date: OverrideDate,
  cap_type: FeeCapType,
  from: Timestamp.meta({ description: "Can be before the entry" }),
  to: Timestamp.meta({
    description: "Can be after the exit, except for `stay`, whose window ends at the exit",
  }),
  cap: Amount,
  charged: Amount.meta({
    description: "Cost of the units that start in the window, after all caps",
  }),
  reached_at: Timestamp.nullable().meta({
    description: "Start of the unit that reached the cap. Null if the cap was not reached.",
  }),
}).meta({
  id: "FeeCapWindow",
  description: "A cap window in which at least one unit started",
});

const NotApplied = z.object({
  rule_id: Id,
  reason: z.enum([
    "date",
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
    description:
      "A code of category `fee_rule_reason`. The rule is for other dates (`date`), days (`day_type`), hours (`time`) or " +
      "vehicles (`group`). `order`: another rule came first, or an earlier unit was still running. `not_reached`: the " +
      "cap or the rule was not reached. `window`: another cap came first, or no window started under this cap. " +
      "`within_grace`: the stay was free. `exceeded`: it was longer than the grace. `override`: each day has special prices.",
  }),
}).meta({ id: "FeeRuleNotApplied" });

export const FeeSurprise = z.object({
  kind: z.enum([
    "cap_once",
    "cap_not_on_day",
    "cap_ends_at_midnight",
    "cap_ends_before_exit",
    "special_day_price",
    "other_vehicle_price",
    "stay_too_long",
    "grace_exceeded",
    "next_step_soon",
    "cheaper_if_earlier",
    "cheaper_if_later",
    "closed_at_exit",
  ]).meta({ description: "A code of category `fee_surprise`" }),
  at: Timestamp.meta({ description: "From when it costs more" }),
  amount_minor: z.int().min(1),
  message: z.object({ ja: z.string(), en: z.string() }),
  message_key: z.string(),
  leave_by: Timestamp.nullable().meta({ description: "An exit by then saves `saves`" }),
  saves: z.int().nullable(),
}).meta({ id: "FeeSurprise", description: "Where the fee is higher than a reader of the sign expects" });

export const FeeSurprises = z.array(FeeSurprise).max(5).meta({ description: "The dearest first" });

const FeeNote = z.enum([
  "holiday_rates_not_given",
  "cap_repeat_not_given",
  "exceeds_max_duration",
  "only_366_days_priced",
  "holiday_calendar_unknown",
  "prices_changed",
]).meta({ id: "FeeNote", description: "A code of category `fee_note`" });

export const FeeNotes = z.array(FeeNote);

const Breakdown = z.object({
  time_zone: z.string().meta({ examples: ["Asia/Tokyo"] }),
  vehicle_type: z.string().meta({ examples: ["standard"] }),
  lines: z.array(z.union([UnitsLine, CapLine])).meta({
    description:
      "The amounts add up to the total. Units come first, in chronological order, then the reductions by caps.",
  }),
  caps: z.array(CapWindow).meta({ description: "In chronological order" }),
  not_applied: z.array(NotApplied).meta({
    description: "Rules of the lot that were not applied",
  }),
  notes: FeeNotes,
  surprises: FeeSurprises.optional(),
}).meta({
  id: "FeeBreakdown",
  description: "How the total was calculated. Times have the UTC offset of the lot's time zone.",
});

export const Fee = z.object({
  total_amount: Amount,
  currency: z.string().meta({ examples: ["JPY"] }),
  breakdown: Breakdown,
  surprises: FeeSurprises,
}).meta({ id: "Fee", description: "The fee of a stay, and how it was calculated" });

export const PricingRule = z.object({
  id: Id,
  parking_lot_id: Id,
  pricing_group_id: Id.nullable().meta({
    description: "Null for the default group",
  }),
  category: PricingRuleCategory,
  rule_order: z.int().meta({ description: "Rules with a smaller number take precedence" }),
  time_start: ClockTime.nullable(),
  time_end: ClockTime.nullable().meta({
    description: "If not after `time_start`, it is on the next day",
  }),
  day_type: DayType.nullable(),
  per_minutes: z.int().nullable(),
  price_minor: z.int().nullable(),
  cap_type: FeeCapType.nullable(),
  cap_duration_hours: z.number().nullable(),
  cap_price_minor: z.int().nullable(),
  cap_repeat: z.boolean().nullable(),
  effective_from: z.iso.date().nullable().meta({ description: "The first date, in the lot's time zone" }),
  effective_to: z.iso.date().nullable().meta({ description: "Inclusive" }),
  max_units: z.int().nullable().meta({
    description: "Of a `time_band`: after so many units of a band the next rate applies",
  }),
}).meta({ id: "PricingRule", description: "A pricing rule of a lot" });

export const PricingRules = pageOf(PricingRule, "PricingRules");

export const FeeRefusal = z.object({
  code: z.literal("fee_unknown"),
  reason: z.enum(["no_rules", "no_rate", "only_totals", "vehicle_type_not_priced"]).meta({
    description: "A code of category `fee_unknown_reason`",
  }),
  from: Timestamp.optional().meta({
    description: "With `no_rate`, for a request about one lot: start of the time without a price",
  }),
  until: Timestamp.optional().meta({
    description: "With `from`: end of the time without a price, if the next rate is known",
  }),
  at_least: z.int().min(0).optional().meta({
    description: "With `only_totals`: the fee is not lower",
  }),
  at_most: z.int().min(0).optional().meta({
    description: "With `only_totals`: the fee is not higher, if that is known",
  }),
  currency: z.string().optional().meta({ description: "With `only_totals`" }),
}).meta({ id: "FeeRefusal", description: "Why a fee is unknown. Fees are never guessed." });
