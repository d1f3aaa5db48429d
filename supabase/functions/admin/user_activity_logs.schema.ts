import { z } from "zod";
import { cappedPageOf, PageQuery } from "../_shared/schema/lists.ts";
import { Id, Timestamp } from "../_shared/schema/values.ts";

const ActivityType = z.enum([
  "session_start",
  "session_end",
  "session_cancel",
  "review_post",
  "error_report_post",
  "field_confirm",
  "field_deny",
  "lot_save",
  "occupancy_report",
  "support_ticket_post",
  "sponsor_checkin",
]);

/** A row of `user_activity_logs`. */
export const UserActivity = z.object({
  id: Id,
  user_id: Id,
  activity_type: ActivityType.meta({ description: "A code of category `user_activity`" }),
  parking_lot_id: Id.nullable().meta({ description: "The lot of the activity, if any. It may be deleted." }),
  subject_id: Id.nullable().meta({
    description: "The session, review, field value, report or ticket of the activity, if any. It may be deleted.",
  }),
  metadata: z.record(z.string(), z.unknown()).meta({ description: "More about the activity, by its type" }),
  is_rewarded: z.boolean().meta({ description: "False: no experience points, and no badge counts it" }),
  created_at: Timestamp,
}).meta({ id: "UserActivity" });

export const UserActivities = cappedPageOf(UserActivity, "UserActivities");

export const UserActivitiesQuery = z.strictObject({
  activity_type: ActivityType.optional().meta({ description: "Only activities of this type" }),
  user_id: Id.optional().meta({ description: "Only activities of this app user" }),
  ...PageQuery.shape,
});
