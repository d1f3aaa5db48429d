import { listActivityLogs } from "./activity_logs.ts";
import { listAdminNotifications, markAdminNotificationsRead } from "./notifications.ts";
import {
  createUserSearchPreset,
  deleteUserSearchPreset,
  listUserSearchPresets,
  setDefaultUserSearchPreset,
  updateUserSearchPreset,
} from "./user_search_presets.ts";

export const routes = [
  listActivityLogs,
  listAdminNotifications,
  markAdminNotificationsRead,

  listUserSearchPresets,
  createUserSearchPreset,
  updateUserSearchPreset,
  deleteUserSearchPreset,
  setDefaultUserSearchPreset,
];
