import { route } from "../_shared/http/route.ts";
import { AdminMarkedRead, AdminNotifications, AdminNotificationsQuery } from "./notifications.schema.ts";
import { MarkRead } from "../_shared/schema/notifications.ts";

export const listAdminNotifications = route({
  method: "GET",
  path: "/admin/notifications",
  access: "admin",
  area: null,
  summary: "List the caller's sidebar notifications",
  description: "Notifications for the caller's areas and for all administrators from the last 90 days, newest first.",
  query: AdminNotificationsQuery,
  reply: [200, AdminNotifications],
  errors: [],
  calls: "admin_list_notifications",
});

export const markAdminNotificationsRead = route({
  method: "POST",
  path: "/admin/notifications/mark-read",
  access: "admin",
  area: null,
  summary: "Mark sidebar notifications as read",
  description: "Only for the caller. Other administrators still see them as unread.",
  body: MarkRead,
  reply: [200, AdminMarkedRead],
  errors: [],
  calls: "admin_mark_notifications_read",
});
