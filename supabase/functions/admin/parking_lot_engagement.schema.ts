import { z } from "zod";
import { NextCursor, PageQuery, Total } from "../_shared/schema/lists.ts";
import { Id } from "../_shared/schema/values.ts";

/** A day of a report: a date in Asia/Tokyo. */
const Day = z.iso.date().refine(
  (text) => text >= "2000-01-01" && text < "2100-01-01",
  "Must be a date from 2000 to 2099.",
)
  .meta({ examples: ["2026-09-01"] });

const Count = z.int().min(0);

export const LotEngagement = z.object({
  parking_lot_id: Id,
  name: z.string().nullable().meta({ description: "Null if the lot has been deleted" }),
  saves: Count.meta({ description: "Users who saved the lot. Each user counts once, at the first save." }),
  sessions: Count.meta({ description: "Sessions that started, including cancelled ones" }),
  searches: Count.meta({ description: "Search result pages that contained the lot" }),
}).meta({ id: "LotEngagement" });

export const LotEngagements = z.object({
  from: z.iso.date().meta({ description: "First day of the report" }),
  to: z.iso.date().meta({ description: "The day after the last day of the report" }),
  items: z.array(LotEngagement),
  next_cursor: NextCursor,
  total: Total,
}).meta({ id: "LotEngagements" });

export const LotEngagementQuery = z.strictObject({
  from: Day.optional().meta({ description: "First day, a date in Asia/Tokyo. Default: 30 days before `to`." }),
  to: Day.optional().meta({ description: "The day after the last day. Default: tomorrow, or 30 days after `from`." }),
  sort: z.enum(["saves", "sessions", "searches", "name"]).optional().meta({
    description:
      "The order: by one count, the largest first, or by name. Default: by sessions, then saves, then searches.",
  }),
  ...PageQuery.shape,
});
