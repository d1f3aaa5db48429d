import { listActivityLogs } from "./activity_logs.ts";
import { listAdminNotifications, markAdminNotificationsRead } from "./notifications.ts";

export const routes = [
  listActivityLogs,
  listAdminNotifications,
  markAdminNotificationsRead,
];
