import { z } from "zod";
import { cappedPageOf, PageQuery } from "../_shared/schema/lists.ts";
import { Id, Moment, text, Timestamp } from "../_shared/schema/values.ts";

export const AdminActivityLog = z.object({
  id: Id,
  admin_id: Id,
  action: z.string().meta({ description: "A code of category `admin_action`", examples: ["review.approve"] }),
  target_type: z.string().meta({ examples: ["review"] }),
  target_id: z.string().nullable().meta({ description: "Null for the whole list" }),
  user_id: Id.nullable().meta({ description: "The app user affected by the action, if any" }),
  changes: z.record(z.string(), z.unknown()).meta({
    description:
      "The changed fields, each as `{old, new}`, and `reason` if one was given. The values are null after the app " +
      "user's withdrawal.",
  }),
  request_id: z.string().nullable().meta({ description: "`X-Request-Id` of the request" }),
  created_at: Timestamp,
}).meta({ id: "AdminActivityLog" });

export const AdminActivityLogs = cappedPageOf(AdminActivityLog, "AdminActivityLogs");

export const AdminActivityLogsQuery = z.strictObject({
  admin_id: Id.optional().meta({ description: "Only actions of this administrator" }),
  user_id: Id.optional().meta({ description: "Only actions that affect this app user" }),
  action: text(1, 100).optional().meta({
    description: "Only this action, a code of category `admin_action`",
    examples: ["user.suspend"],
  }),
  target_id: text(1, 200).optional().meta({ description: "Only actions on the resource with this id" }),
  from: Moment.optional().meta({ description: "Only actions at or after this time" }),
  to: Moment.optional().meta({ description: "Only actions before this time" }),
  ...PageQuery.shape,
});
