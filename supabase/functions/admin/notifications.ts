import { route } from "../_shared/http/route.ts";
import { AdminNotifications, AdminNotificationsQuery } from "./notifications.schema.ts";
import { MarkedRead, MarkRead } from "../_shared/schema/notifications.ts";

export const listAdminNotifications = route({
  method: "GET",
  path: "/admin/notifications",
  access: "admin",
  area: null,
  summary: "List the notifications of the sidebar",
  description: "For the caller: of their areas, and to all administrators; newest first, of the last 90 days.",
  query: AdminNotificationsQuery,
  reply: [200, AdminNotifications],
  errors: [],
  handle: ({ db, query }) => db.rpc("admin_list_notifications", query),
});

export const markAdminNotificationsRead = route({
  method: "POST",
  path: "/admin/notifications/mark-read",
  access: "admin",
  area: null,
  summary: "Mark notifications of the sidebar as read",
  description: "For the caller only; other administrators still see them as unread.",
  body: MarkRead,
  reply: [200, MarkedRead],
  errors: [],
  handle: ({ db, body }) => db.rpc("admin_mark_notifications_read", body),
});
