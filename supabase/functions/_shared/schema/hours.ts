import { z } from "zod";
import { ClockTime, Id } from "./values.ts";

const Day = z.enum(["weekday", "saturday", "sunday", "holiday", "holiday_eve", "all"]).nullable();

export const Window = z.object({
  id: Id,
  window_type: z.enum(["business", "entry", "exit", "after_hours_exit"]).meta({
    description:
      "`entry` and `exit` follow `business` where the lot has none of their own; `after_hours_exit` only adds",
  }),
  day_type: Day,
  day_of_week: z.int().min(0).max(6).nullable().meta({ description: "0 is Sunday" }),
  is_24h: z.boolean().nullable(),
  is_closed: z.boolean().nullable(),
  open_time: ClockTime.nullable(),
  close_time: ClockTime.nullable().meta({
    description: "Not after `open_time`: on the next day, and when equal at the same time of the next day",
    examples: ["22:00"],
  }),
  effective_from: z.iso.date().nullable(),
  effective_to: z.iso.date().nullable().meta({ description: "Inclusive" }),
}).meta({
  id: "HoursWindow",
  description: "Of the rows that match a date the best rank counts, whole: `holiday`, `holiday_eve`, rows with a " +
    "`day_of_week`, the other day types, `all` and null. Rows but none that match: closed",
});

export const Hours = z.object({
  windows: z.array(Window),
  legacy_business: z.array(z.object({
    day_type: Day,
    open_time: ClockTime.nullable(),
    close_time: ClockTime.nullable(),
    is_24h: z.boolean().nullable(),
  })).meta({ description: "The business windows in an older form" }),
}).meta({ id: "Hours", description: "The lot's weekly hours. With `include=hours`" });

const Spans = z.array(z.object({
  open_time: ClockTime.optional(),
  close_time: ClockTime.optional(),
  is_24h: z.literal(true).optional(),
  is_closed: z.literal(true).optional(),
})).optional();

export const DateOverride = z.object({
  id: Id,
  override_date: z.iso.date(),
  label: z.string(),
  hours: z.object({
    business: Spans,
    entry: Spans,
    exit: Spans,
    after_hours_exit: Spans,
    is_closed: z.boolean().optional().meta({ description: "True closes business and entry where they are not named" }),
    is_24h: z.boolean().optional().meta({
      description: "True opens business, entry and exit where they are not named",
    }),
  }).nullable().meta({
    description: "Spans of each kind that is named (none: closed): from `open_time` to `close_time`, `is_24h` or " +
      "`is_closed`. A kind that is not named keeps its windows. Null: the usual hours",
    examples: [{ business: [{ open_time: "08:00", close_time: "15:00" }] }],
  }),
  pricing: z.array(z.record(z.string(), z.unknown())).nullable().meta({
    description:
      "Rows with the fields of a PricingRule that replace all of the lot's on this date. Null: the usual ones",
    examples: [[{ category: "time_band", rule_order: 1, per_minutes: 60, price_minor: 500 }]],
  }),
  note: z.string().nullable(),
}).meta({ id: "DateOverride", description: "What the lot has on one date instead of its usual hours and prices" });
