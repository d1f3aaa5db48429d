import { z } from "zod";
import { Cursor, IncludeTotal, Limit, NextCursor, Total } from "../_shared/schema/lists.ts";
import { Id, Moment, text, Timestamp } from "../_shared/schema/values.ts";

const Status = z.enum(["draft", "scheduled", "sending", "sent", "failed", "cancelled"]).meta({
  id: "ComposedNotificationStatus",
  description: "Codes of category `notification_status`",
});

const Segment = z.strictObject({
  box: z.strictObject({
    west: z.number().min(-180).max(180),
    south: z.number().min(-90).max(90),
    east: z.number().min(-180).max(180),
    north: z.number().min(-90).max(90),
  }).optional().meta({ description: "Users who have parked in a lot inside it" }),
  min_level: z.int().min(1).max(1_000_000).optional(),
  last_active_since: Moment.optional().meta({ description: "Users who have done something since" }),
  plan: text(1, 150).optional().meta({
    description: "Users with a subscription to the plan of this code that gives access now",
    examples: ["premium_monthly"],
  }),
}).meta({ id: "NotificationSegment", description: "All conditions that are given must hold" });

const fields = {
  type: text(1, 50).meta({ description: "A code of category `notification_type`", examples: ["announcement"] }),
  title: text(1, 200),
  body: text(1, 4000),
  title_en: text(1, 200).nullable().meta({ description: "For users who read English; null: as `title`" }),
  body_en: text(1, 4000).nullable(),
  data: z.record(z.string().min(1).max(100), z.string().max(1000)).meta({
    description: "What the app opens, 2 KiB at most",
    examples: [{ path: "/articles/how-maximum-fees-work" }],
  }),
  target: z.enum(["all", "free", "premium", "user"]).meta({ description: "Codes of category `notification_target`" }),
  user_id: Id.nullable().meta({ description: "The user, for the target `user`; else null" }),
  segment: Segment.nullable().meta({ description: "Null: all of the target" }),
  scheduled_at: Moment.nullable().meta({ description: "Null: not before it is sent by hand" }),
};

export const NewComposedNotification = z.strictObject({
  ...fields,
  title_en: fields.title_en.optional(),
  body_en: fields.body_en.optional(),
  data: fields.data.optional(),
  user_id: fields.user_id.optional(),
  segment: fields.segment.optional(),
  scheduled_at: fields.scheduled_at.optional(),
}).meta({ id: "NewComposedNotification" });

export const ComposedNotificationUpdate = z.strictObject(fields).partial().meta({ id: "ComposedNotificationUpdate" });

export const ComposedNotification = z.object({
  id: Id,
  ...fields,
  scheduled_at: Timestamp.nullable(),
  status: Status,
  sent_at: Timestamp.nullable().meta({ description: "When the last device had its outcome" }),
  success_count: z.int().min(0).meta({ description: "Devices whose push was accepted" }),
  failure_count: z.int().min(0).meta({ description: "Devices that could not be reached" }),
  suppressed_count: z.int().min(0).meta({
    description: "Devices that were not pushed to: their users had five pushes of the type within a minute",
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "ComposedNotification" });

export const ComposedNotifications = z.object({
  items: z.array(ComposedNotification),
  next_cursor: NextCursor,
  total: Total,
}).meta({ id: "ComposedNotifications" });

export const ComposedNotificationsQuery = z.strictObject({
  status: Status.optional(),
  limit: Limit,
  cursor: Cursor,
  include: IncludeTotal,
});

export const ComposedNotificationParams = z.strictObject({ id: Id.meta({ description: "The notification" }) });

export const SendNotification = z.strictObject({
  id: Id.optional().meta({ description: "The id of the path once more, or nothing" }),
}).meta({ id: "SendNotification" });

const Devices = z.int().min(0).meta({ description: "How many devices" });
const Batches = z.int().min(0).meta({ description: "How many batches of at most 500 devices" });

export const SentNotification = z.object({ notification_id: Id, enqueued: Devices, batches: Batches }).meta({
  id: "SentNotification",
  description: "As counted at the request",
});

export const NotificationReach = z.object({ people: z.int().min(0), devices: Devices, batches: Batches }).meta({
  id: "NotificationReach",
});

export const TestedNotification = z.object({ devices: Devices }).meta({ id: "TestedNotification" });
