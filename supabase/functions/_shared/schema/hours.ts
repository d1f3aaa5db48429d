import { z } from "zod";
import { Id } from "./values.ts";

const ClockTime = z.string().regex(/^\d\d:\d\d:\d\d(\.\d+)?$/).nullable();

const Day = z.enum(["weekday", "saturday", "sunday", "holiday", "holiday_eve", "all"]).nullable();

const Window = z.object({
  id: Id,
  window_type: z.enum(["business", "entry", "exit", "after_hours_exit"]).meta({
    description:
      "`entry` and `exit` follow `business` where the lot has none of their own; `after_hours_exit` only adds",
  }),
  day_type: Day,
  day_of_week: z.int().min(0).max(6).nullable().meta({ description: "0 is Sunday" }),
  is_24h: z.boolean().nullable(),
  is_closed: z.boolean().nullable(),
  open_time: ClockTime.meta({ description: "By the lot's own clock", examples: ["08:00:00"] }),
  close_time: ClockTime.meta({
    description:
      "Not after `open_time`: on the next day, and when equal at the same time of the next day. `24:00:00` " +
      "is the day's end",
    examples: ["22:00:00"],
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
    open_time: ClockTime,
    close_time: ClockTime,
    is_24h: z.boolean().nullable(),
  })).meta({ description: "The business windows in an older form" }),
}).meta({ id: "Hours" });

export const DateOverride = z.object({
  id: Id,
  override_date: z.iso.date(),
  label: z.string(),
  hours: z.unknown().meta({
    description: "Hours by kind (`business`, `entry`, `exit`, `after_hours_exit`), each an array of `{open_time, " +
      "close_time}`, `{is_24h}` or `{is_closed}`; or `is_closed` or `is_24h` for all. Null: the usual hours",
    examples: [{ business: [{ open_time: "08:00", close_time: "15:00" }] }],
  }),
  pricing: z.unknown().meta({
    description: "Pricing rules that replace all of the lot's on this date. Null: the usual prices",
  }),
  note: z.string().nullable(),
}).meta({ id: "DateOverride", description: "What the lot has on one date instead of its usual hours and prices" });
