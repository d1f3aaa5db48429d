import { z } from "zod";
import { Lang } from "./codes.ts";
import { Cursor, Limit, NextCursor, Total } from "./lists.ts";
import { Id, Moment, text, Timestamp } from "./values.ts";

export const UserNotification = z.object({
  id: Id,
  title: z.string(),
  body: z.string(),
  type: z.string().meta({ description: "A code of category `notification_type`", examples: ["announcement"] }),
  target: z.string().meta({ description: "A code of category `notification_target`", examples: ["user"] }),
  status: z.string().meta({ description: "A code of category `notification_status`", examples: ["sent"] }),
  scheduled_at: Timestamp.nullable(),
  sent_at: Timestamp.nullable(),
  read_at: Timestamp.nullable().meta({ description: "When the caller read it; null: not yet" }),
  created_at: Timestamp,
  data: z.record(z.string(), z.string()).meta({ description: "What the app opens; the same that came with the push" }),
}).meta({ id: "UserNotification" });

export const UserNotifications = z.object({
  items: z.array(UserNotification),
  next_cursor: NextCursor,
  total: Total,
  unread_count: z.int().min(0).optional().meta({
    description: "How many of the whole inbox are unread, with `include=unread_count`",
  }),
}).meta({ id: "UserNotifications" });

export const NotificationsQuery = z.strictObject({
  unread: z.boolean().optional().meta({ description: "`true`: only unread ones; `false`: only read ones" }),
  limit: Limit,
  cursor: Cursor,
  include: z.array(z.enum(["unread_count", "total"])).optional().meta({
    description: "`unread_count`: also count what is unread; `total`: also count the list",
    example: ["unread_count"],
  }),
});

export const MarkRead = z.strictObject({
  ids: z.array(Id).min(1).max(100).optional().meta({
    description: "These; what is no notification of the caller's, or read already, counts for nothing",
  }),
  before: Moment.optional().meta({ description: "All that were sent before this" }),
}).superRefine(({ ids, before }, context) => {
  if (ids === undefined && before === undefined) {
    context.addIssue({ code: "custom", path: ["ids"], message: "Give ids or before." });
  } else if (ids !== undefined && before !== undefined) {
    context.addIssue({ code: "custom", path: ["before"], message: "Give ids or before, not both." });
  }
}).meta({
  id: "MarkRead",
  description: "Exactly one of the two",
  oneOf: [{ required: ["ids"] }, { required: ["before"] }],
});

export const MarkedRead = z.object({
  updated: z.int().min(0).meta({ description: "How many became read" }),
}).meta({ id: "MarkedRead" });

const ways = {
  notif_type: z.string().min(1).max(50).meta({ examples: ["announcement"] }),
  push_enabled: z.boolean(),
  in_app_enabled: z.boolean().meta({ description: "Whether notifications of this type come into the inbox" }),
  email_enabled: z.boolean().meta({
    description: "Whether notifications of this type are mailed; true only where the type has `email_allowed`",
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
  to: Clock.meta({ description: "Before `from`: of the next day" }),
  time_zone: text(1, 64).meta({ description: "An IANA time zone", examples: ["Asia/Tokyo"] }),
}).meta({
  id: "QuietHours",
  description: "Pushes wait until they end, except those of `fee_increase` and `exit_closing`",
});

export const NotificationPreferences = z.object({
  items: z.array(NotifPrefItem).meta({ description: "Every type, with the service's choice where there is no other" }),
  types: z.array(NotifType).meta({ description: "What the types are called" }),
  quiet_hours: QuietHours.nullable(),
  email_available: z.boolean().meta({
    description:
      "Whether the service is configured to send mail. False: nobody is mailed, whatever `email_enabled` says",
  }),
}).meta({ id: "NotificationPreferences" });

export const NotificationPreferencesQuery = z.strictObject({
  lang: Lang.default("ja").meta({ description: "Language of the labels" }),
});

export const NotificationPreferencesUpdate = z.strictObject({
  items: z.array(z.strictObject(ways)).min(1).max(100).meta({
    description: "Each type at most once; types that are not named stay as they are",
  }),
  quiet_hours: QuietHours.nullable().optional().meta({ description: "Null ends them; absent: they stay as they are" }),
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
  fcm_token: text(1, 2000).regex(/^[!-~]+$/).meta({ description: "The messaging service's name for the device" }),
  device_type: z.enum(["ios", "android", "web"]),
}).meta({ id: "NewPushToken" });

export const PushTokenParams = z.strictObject({ id: Id.meta({ description: "The device" }) });
