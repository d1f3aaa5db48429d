import { z } from "zod";
import { user_notifications } from "../_shared/db/columns.ts";
import { column } from "../_shared/schema/columns.ts";
import { cappedPageOf, pageOf, PageQuery } from "../_shared/schema/lists.ts";
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
  title: column(user_notifications.title),
  body: column(user_notifications.body),
  title_en: column(user_notifications.title_en).meta({
    description: "For users with the language English. Null: same as `title`.",
  }),
  body_en: column(user_notifications.body_en),
  data: z.record(text(1, 100), text(0, 1000)).meta({
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

const Count = z.int().min(0);

export const NotificationFunnel = z.object({
  people: Count.meta({ description: "Number of users of the audience so far" }),
  inboxes: Count.nullable().meta({
    description: "Number of users who have it in their inbox. Null for a notification from before this was counted.",
  }),
  devices: Count.meta({ description: "Number of devices of these users that accept pushes of the type" }),
  delivered: Count.meta({ description: "Number of devices whose push was accepted" }),
  failed: Count.meta({ description: "Number of devices that could not be reached" }),
  suppressed: Count.meta({ description: "As `suppressed_count`" }),
  expired: Count.meta({ description: "Number of devices whose push was not sent in time" }),
  deferred: Count.meta({ description: "As `deferred_count`; they are part of `waiting`" }),
  waiting: Count.meta({ description: "Number of devices without an outcome" }),
  failures: z.array(z.object({
    outcome: z.enum(["dead_token", "wrong_sender", "payload_fault", "undeliverable", "gone"]),
    devices: Count,
    is_exact: z.boolean().meta({ description: "False if there may be more. Counting stops at 10,000." }),
  })).meta({ description: "The failed devices by reason, the most frequent first. Reasons are kept for 30 days." }),
  opened: Count.meta({ description: "Number of users who have read it in their inbox" }),
  opened_is_exact: z.boolean().meta({ description: "False if there may be more. Counting stops at 10,000." }),
}).meta({ id: "NotificationFunnel" });

const Outcome = z.enum([
  "dead_token",
  "wrong_sender",
  "payload_fault",
  "undeliverable",
  "gone",
  "suppressed",
  "expired",
]).meta({
  id: "UndeliveredOutcome",
  description:
    "`dead_token`: the app was removed. `wrong_sender`: the device belongs to another project. `payload_fault`: the " +
    "device refused the message. `undeliverable`: five attempts failed. `gone`: the device is not the user's any more, or the " +
    "user does not want pushes. `suppressed`: the user had five pushes of the type within a minute. " +
    "`expired`: the push was not sent in time.",
});

export const UndeliveredDevice = z.object({
  token_id: Id,
  user_id: Id,
  device_type: z.string().nullable().meta({
    description: "`ios`, `android` or `web`. Null if the device is not registered any more.",
  }),
  outcome: Outcome,
  attempts: Count,
  recorded_at: Timestamp.nullable(),
}).meta({ id: "UndeliveredDevice" });

export const UndeliveredDevices = cappedPageOf(UndeliveredDevice, "UndeliveredDevices");

export const UndeliveredDevicesQuery = z.strictObject({
  outcome: Outcome.optional().meta({ description: "Only devices with this outcome" }),
  ...PageQuery.shape,
});
