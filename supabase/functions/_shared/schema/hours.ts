import { z } from "zod";
import { ClockTime, Id, Timestamp } from "./values.ts";

export const DayType = z.enum(["weekday", "saturday", "sunday", "holiday", "holiday_eve", "all"]).meta({
  id: "DayType",
});

export const Window = z.object({
  id: Id,
  window_type: z.enum(["business", "entry", "exit", "after_hours_exit"]).meta({
    description: "Without own rows, `entry` and `exit` use the `business` hours. `after_hours_exit` only adds hours.",
  }),
  day_type: DayType.nullable(),
  day_of_week: z.int().min(0).max(6).nullable().meta({ description: "0 is Sunday" }),
  is_24h: z.boolean().nullable(),
  is_closed: z.boolean().nullable(),
  open_time: ClockTime.nullable(),
  close_time: ClockTime.nullable().meta({
    description: "If not after `open_time`, it is on the next day. If equal, it is the same time on the next day.",
    examples: ["22:00"],
  }),
  effective_from: z.iso.date().nullable(),
  effective_to: z.iso.date().nullable().meta({ description: "Inclusive" }),
}).meta({
  id: "HoursWindow",
  description:
    "On each date, only the matching rows of the highest rank apply. The ranks are: `holiday`, `holiday_eve`, rows " +
    "with a `day_of_week`, the other day types, then `all` and null. If there are rows but none matches, the lot is " +
    "closed.",
});

export const Hours = z.object({
  windows: z.array(Window),
  legacy_business: z.array(z.object({
    day_type: DayType.nullable(),
    open_time: ClockTime.nullable(),
    close_time: ClockTime.nullable(),
    is_24h: z.boolean().nullable(),
  })).meta({ description: "The business windows in the legacy format" }),
}).meta({ id: "Hours", description: "The lot's weekly hours. Only with `include=hours`." });

const answer = z.boolean().nullable();

export const Week = z.object({
  days: z.array(z.object({
    date: z.iso.date(),
    starts_at: Timestamp,
    ends_at: Timestamp.meta({ description: "Start of the next day. When clocks change, a day is not 24 hours." }),
    holiday: z.string().nullable().meta({ description: "Name of the public holiday. Null on other days." }),
    date_override_id: Id.nullable().meta({ description: "The date override of this date, from `date_overrides`" }),
  })),
  spans: z.array(z.object({
    from: Timestamp,
    to: Timestamp.meta({ description: "Start of the next span, or the end of the last day" }),
    is_open: answer,
    can_enter: answer,
    can_exit: answer,
  })),
}).meta({
  id: "Week",
  description:
    "Seven days from today on, in the lot's time zone. The spans have the state at each moment of these days, without " +
    "gaps. A value is null if unknown. Only with `include=week`.",
});

export const HoursSpan = z.object({
  open_time: ClockTime.optional(),
  close_time: ClockTime.optional(),
  is_24h: z.literal(true).optional(),
  is_closed: z.literal(true).optional(),
}).meta({ id: "HoursSpan" });

const Spans = z.array(HoursSpan).optional();

export const DateOverride = z.object({
  id: Id,
  override_date: z.iso.date(),
  label: z.string(),
  hours: z.object({
    business: Spans,
    entry: Spans,
    exit: Spans,
    after_hours_exit: Spans,
    is_closed: z.boolean().optional().meta({ description: "True closes business and entry, unless they are listed" }),
    is_24h: z.boolean().optional().meta({
      description: "True opens business, entry and exit, unless they are listed",
    }),
  }).nullable().meta({
    description:
      "Time spans of each listed kind. An empty list means closed. A span is `open_time` to `close_time`, `is_24h` " +
      "or `is_closed`. A kind that is not listed keeps its weekly windows. Null for the weekly hours.",
    examples: [{ business: [{ open_time: "08:00", close_time: "15:00" }] }],
  }),
  pricing: z.array(z.record(z.string(), z.unknown())).nullable().meta({
    description:
      "Rules with the fields of a PricingRule. They replace all rules of the lot on this date. Null for the " +
      "regular rules.",
    examples: [[{ category: "time_band", rule_order: 1, per_minutes: 60, price_minor: 500 }]],
  }),
  note: z.string().nullable(),
}).meta({ id: "DateOverride", description: "Special hours and prices of a lot on one date" });
