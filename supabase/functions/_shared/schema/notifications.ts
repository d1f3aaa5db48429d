import { z } from "zod";
import { user_push_tokens } from "../db/columns.ts";
import { column } from "./columns.ts";
import { LangQuery } from "./codes.ts";
import { Cursor, Limit, pageOf } from "./lists.ts";
import { Id, Moment, pathId, text, Timestamp } from "./values.ts";

export const UserNotification = z.object({
  id: Id,
  title: z.string(),
  body: z.string(),
  type: z.string().meta({ description: "A code of category `notification_type`", examples: ["announcement"] }),
  target: z.string().meta({ description: "A code of category `notification_target`", examples: ["user"] }),
  status: z.string().meta({ description: "A code of category `notification_status`", examples: ["sent"] }),
  scheduled_at: Timestamp.nullable(),
  sent_at: Timestamp.nullable(),
  read_at: Timestamp.nullable().meta({ description: "When the caller read it. Null if unread." }),
  created_at: Timestamp,
  data: z.record(z.string(), z.string()).meta({ description: "Data that the app opens, the same as in the push" }),
}).meta({ id: "UserNotification" });

export const UserNotifications = pageOf(UserNotification, "UserNotifications", {
  unread_count: z.int().min(0).optional().meta({
    description: "Number of unread notifications in the whole inbox. Only with `include=unread_count`.",
  }),
});

export const NotificationsQuery = z.strictObject({
  unread: z.boolean().optional().meta({
    description: "`true`: only unread notifications. `false`: only read notifications.",
  }),
  limit: Limit,
  cursor: Cursor,
  include: z.array(z.enum(["unread_count", "total"])).optional().meta({
    description: "`unread_count`: also count unread notifications. `total`: also count the list.",
    example: ["unread_count"],
  }),
});

export const MarkRead = z.strictObject({
  ids: z.array(Id).min(1).max(100).optional().meta({
    description: "Ids of notifications. Ids that are already read or do not belong to the caller are ignored.",
  }),
  before: Moment.optional().meta({ description: "All notifications sent before this time" }),
}).superRefine(({ ids, before }, context) => {
  if (ids === undefined && before === undefined) {
    context.addIssue({ code: "custom", path: ["ids"], message: "Give either ids or before." });
  } else if (ids !== undefined && before !== undefined) {
    context.addIssue({ code: "custom", path: ["before"], message: "Give either ids or before, not both." });
  }
}).meta({
  id: "MarkRead",
  description: "Exactly one of the two fields",
  oneOf: [{ required: ["ids"] }, { required: ["before"] }],
});

export const MarkedRead = z.object({
  updated: z.int().min(0).meta({ description: "Number of notifications that became read" }),
}).meta({ id: "MarkedRead" });

const ways = {
  notif_type: text(1, 50).meta({ examples: ["announcement"] }),
  push_enabled: z.boolean(),
  in_app_enabled: z.boolean().meta({ description: "Whether notifications of this type appear in the inbox" }),
  email_enabled: z.boolean().meta({
    description: "Whether notifications of this type are mailed. Can only be true for types with `email_allowed`.",
  }),
};

const NotifPrefItem = z.object(ways).meta({ id: "NotifPrefItem" });

const NotifType = z.object({
  code: z.string(),
  display_label: z.string(),
  email_allowed: z.boolean().meta({ description: "Whether `email_enabled` can be true" }),
}).meta({ id: "NotifType" });

const Clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "Must be a time of day, for example 22:00.").meta({
  examples: ["22:00"],
});

const QuietHours = z.strictObject({
  from: Clock,
  to: Clock.meta({ description: "If before `from`, it is on the next day" }),
  time_zone: text(1, 64).meta({ description: "Name of an IANA time zone", examples: ["Asia/Tokyo"] }),
}).meta({
  id: "QuietHours",
  description: "Pushes are delayed until the end of the quiet hours, except `fee_increase` and `exit_closing`",
});

export const NotificationPreferences = z.object({
  items: z.array(NotifPrefItem).meta({
    description: "Every type, with the service's default if the caller has not chosen",
  }),
  types: z.array(NotifType).meta({ description: "Labels of the types" }),
  quiet_hours: QuietHours.nullable(),
  email_available: z.boolean().meta({
    description: "If false, the service sends no mail, even with `email_enabled`.",
  }),
}).meta({ id: "NotificationPreferences" });

export const NotificationPreferencesQuery = z.strictObject({
  lang: LangQuery,
});

export const NotificationPreferencesUpdate = z.strictObject({
  items: z.array(z.strictObject(ways)).min(1).max(100).meta({
    description: "Each type at most once. Types that are not listed do not change.",
  }),
  quiet_hours: QuietHours.nullable().optional().meta({
    description: "Null removes quiet hours. If omitted, they do not change.",
  }),
}).meta({ id: "NotificationPreferencesUpdate" });

export const UserPushToken = z.object({
  id: Id,
  user_id: Id,
  fcm_token: z.string(),
  device_type: z.string().meta({ description: "A code of category `device_type`", examples: ["ios"] }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "UserPushToken" });

export const NewPushToken = z.strictObject({
  fcm_token: text(1, user_push_tokens.fcm_token.maxLength).regex(/^[!-~]+$/, "Must be ASCII characters without spaces.")
    .meta({
      description: "The FCM registration token of the device",
    }),
  device_type: column(user_push_tokens.device_type),
}).meta({ id: "NewPushToken" });

export const PushTokenParams = z.strictObject({ id: pathId("DeviceId", "The device") });
