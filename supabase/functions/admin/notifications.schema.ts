import { z } from "zod";
import { cappedPageOf, Cursor, Limit } from "../_shared/schema/lists.ts";
import { MarkedRead } from "../_shared/schema/notifications.ts";
import { Id, Timestamp } from "../_shared/schema/values.ts";

export const AdminNotification = z.object({
  id: Id,
  type: z.string().meta({ description: "A code of category `admin_notification_type`", examples: ["review_pending"] }),
  severity: z.string().meta({ description: "A code of category `admin_notification_severity`", examples: ["info"] }),
  title: z.string(),
  body: z.string(),
  link: z.string().nullable().meta({ description: "Path in the console", examples: ["/reviews"] }),
  area: z.string().nullable().meta({ description: "A code of category `admin_area`. Null: for all administrators." }),
  is_read: z.boolean().meta({ description: "Whether the caller has read the notification" }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "AdminNotification" });

export const AdminNotifications = cappedPageOf(AdminNotification, "AdminNotifications", {
  unread_count: z.int().min(0).optional().meta({
    description: "Only with `include=unread_count`. Counted up to 10,000.",
  }),
});

export const AdminMarkedRead = MarkedRead.extend({
  has_more: z.boolean().meta({
    description: "Whether older notifications are still unread: one request marks at most 20,000. Send it again.",
  }),
}).meta({ id: "AdminMarkedRead" });

export const AdminNotificationsQuery = z.strictObject({
  unread: z.boolean().optional().meta({
    description: "`true`: only unread notifications. `false`: only read notifications.",
  }),
  include: z.array(z.enum(["unread_count", "total"])).optional().meta({
    description: "`unread_count`: also count the caller's unread notifications. `total`: also count the list.",
    example: ["unread_count"],
  }),
  limit: Limit,
  cursor: Cursor,
});
