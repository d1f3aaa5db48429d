import { route } from "../_shared/http/route.ts";
import {
  MarkedRead,
  MarkRead,
  NotificationPreferences,
  NotificationPreferencesQuery,
  NotificationPreferencesUpdate,
  NotificationsQuery,
  UserNotifications,
} from "../_shared/schema/notifications.ts";
import type { z } from "zod";

/** Combines the database's preferences with whether mail is configured, which only the settings contain. */
type StoredPreferences = Omit<z.input<typeof NotificationPreferences>, "email_available">;

export const listNotifications = route({
  method: "GET",
  path: "/me/notifications",
  access: "user",
  summary: "List the caller's notifications",
  description: "Sent notifications, latest first.",
  query: NotificationsQuery,
  reply: [200, UserNotifications],
  errors: [],
  calls: "list_my_notifications",
});

export const markNotificationsRead = route({
  method: "POST",
  path: "/me/notifications/mark-read",
  access: "user",
  summary: "Mark notifications as read",
  description: "Send either `ids` or `before`. Ids of other notifications are ignored. Idempotent.",
  body: MarkRead,
  reply: [200, MarkedRead],
  errors: [],
  calls: "mark_my_notifications_read",
});

export const readNotificationPreferences = route({
  method: "GET",
  path: "/me/notification-preferences",
  access: "user",
  summary: "Get the caller's notification preferences",
  description: "Returns every notification type with its channels, also types without a stored choice.",
  query: NotificationPreferencesQuery,
  reply: [200, NotificationPreferences],
  errors: [],
  calls: "my_notification_preferences",
  uses: ["mail"],
  handle: async ({ db, query, mail }) => ({
    ...await db.rpc<StoredPreferences>("my_notification_preferences", query),
    email_available: mail.isAvailable,
  }),
});

export const putNotificationPreferences = route({
  method: "PUT",
  path: "/me/notification-preferences",
  access: "user",
  summary: "Set the caller's notification preferences",
  description: "All listed preferences are set, or none.",
  query: NotificationPreferencesQuery,
  body: NotificationPreferencesUpdate,
  reply: [200, NotificationPreferences],
  errors: [],
  // For the database, null is an omitted argument.
  calls: "set_my_notification_preferences",
  uses: ["mail"],
  handle: async ({ db, query, body: { items, quiet_hours }, mail }) => ({
    ...await db.rpc<StoredPreferences>("set_my_notification_preferences", {
      ...query,
      items,
      quiet_hours: quiet_hours ?? undefined,
      remove_quiet_hours: quiet_hours === null,
    }),
    email_available: mail.isAvailable,
  }),
});
