import { z } from "zod";
import { pageOf, PageQuery } from "../_shared/schema/lists.ts";
import { Id, Moment, pathId, text, Timestamp } from "../_shared/schema/values.ts";

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
  }).optional().meta({ description: "Users who have parked in a lot inside this area" }),
  min_level: z.int().min(1).max(1_000_000).optional(),
  last_active_since: Moment.optional().meta({ description: "Users with activity at or after this time" }),
  plan: text(1, 150).optional().meta({
    description: "Users whose subscription to the plan with this code gives access now",
    examples: ["premium_monthly"],
  }),
}).meta({ id: "NotificationSegment", description: "All given conditions must hold" });

const fields = {
  type: text(1, 50).meta({ description: "A code of category `notification_type`", examples: ["announcement"] }),
  title: text(1, 200),
  body: text(1, 4000),
  title_en: text(1, 200).nullable().meta({
    description: "For users with the language English. Null: same as `title`.",
  }),
  body_en: text(1, 4000).nullable(),
  data: z.record(z.string().min(1).max(100), z.string().max(1000)).meta({
    description: "Data for opening the app at the right place, at most 2 KiB",
    examples: [{ path: "/articles/how-maximum-fees-work" }],
  }),
  target: z.enum(["all", "free", "premium", "user"]).meta({ description: "Codes of category `notification_target`" }),
  user_id: Id.nullable().meta({ description: "The user for the target `user`. Null for other targets." }),
  segment: Segment.nullable().meta({ description: "Null for all users of the target" }),
  scheduled_at: Moment.nullable().meta({ description: "Null if the notification is only sent manually" }),
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
  allowed_statuses: z.array(z.enum(["scheduled", "sending", "cancelled"])).meta({
    description:
      "The statuses that administrators can give the notification now. Empty: it can no longer be changed, sent or " +
      "cancelled.",
  }),
  sent_at: Timestamp.nullable().meta({ description: "When the outcome of the last device was recorded" }),
  success_count: z.int().min(0).meta({ description: "Number of devices whose push was accepted" }),
  failure_count: z.int().min(0).meta({ description: "Number of devices that could not be reached" }),
  suppressed_count: z.int().min(0).meta({
    description:
      "Number of devices without a push, because the user had received five pushes of this type within a minute",
  }),
  deferred_count: z.int().min(0).meta({
    description:
      "Number of devices whose push waits for the end of their users' quiet hours, as of the last attempt. The status " +
      "is `sending` until the last of them has its outcome.",
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "ComposedNotification" });

export const ComposedNotifications = pageOf(ComposedNotification, "ComposedNotifications");

export const ComposedNotificationsQuery = z.strictObject({
  status: Status.optional().meta({ description: "Only notifications with this status" }),
  ...PageQuery.shape,
});

export const ComposedNotificationParams = z.strictObject({ id: pathId("NotificationId", "The notification") });

export const SendNotification = z.strictObject({
  id: Id.optional().meta({ description: "Optional. If present, it must equal the id in the path." }),
}).meta({ id: "SendNotification" });

const Devices = z.int().min(0).meta({ description: "Number of devices" });
const Batches = z.int().min(0).meta({ description: "Number of batches of at most 500 devices" });

export const SentNotification = z.object({ notification_id: Id, enqueued: Devices, batches: Batches }).meta({
  id: "SentNotification",
  description: "Counts at the time of the request",
});

export const NotificationReach = z.object({
  people: z.int().min(0),
  devices: Devices,
  batches: Batches,
  is_exact: z.boolean().meta({
    description: "False if the numbers are scaled from a sample, as of more than 200,000 accounts",
  }),
}).meta({
  id: "NotificationReach",
});

export const TestedNotification = z.object({ devices: Devices }).meta({ id: "TestedNotification" });
