import { z } from "zod";
import { Cursor, IncludeTotal, Limit, NextCursor, Total } from "../_shared/schema/lists.ts";
import { Id } from "../_shared/schema/values.ts";

/** A day that a report is about: a date in Asia/Tokyo. */
const Day = z.iso.date().refine(
  (text) => text >= "2000-01-01" && text < "2100-01-01",
  "Must be a day from 2000 to 2099.",
)
  .meta({ examples: ["2026-09-01"] });

const Count = z.int().min(0);

export const LotEngagement = z.object({
  parking_lot_id: Id,
  name: z.string().nullable().meta({ description: "Null: the lot has been deleted" }),
  saves: Count.meta({ description: "Users who saved the lot, each at the first time" }),
  sessions: Count.meta({ description: "Sessions that began, also those that were cancelled" }),
  searches: Count.meta({ description: "Pages of searches that showed the lot" }),
}).meta({ id: "LotEngagement" });

export const LotEngagements = z.object({
  from: z.iso.date().meta({ description: "The first day of the report" }),
  to: z.iso.date().meta({ description: "The day after its last day" }),
  items: z.array(LotEngagement),
  next_cursor: NextCursor,
  total: Total,
}).meta({ id: "LotEngagements" });

export const LotEngagementQuery = z.strictObject({
  from: Day.optional().meta({ description: "The first day, a date in Asia/Tokyo; by default 30 days before `to`" }),
  to: Day.optional().meta({ description: "The day after the last day; by default tomorrow, or 30 days after `from`" }),
  sort: z.enum(["saves", "sessions", "searches", "name"]).default("sessions"),
  limit: Limit,
  cursor: Cursor,
  include: IncludeTotal,
});
