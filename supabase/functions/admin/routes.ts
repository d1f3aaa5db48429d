import { listActivityLogs } from "./activity_logs.ts";
import { listAdminNotifications, markAdminNotificationsRead } from "./notifications.ts";
import {
  createUserSearchPreset,
  deleteUserSearchPreset,
  listUserSearchPresets,
  setDefaultUserSearchPreset,
  updateUserSearchPreset,
} from "./user_search_presets.ts";
import { decideReview, decideReviews, listReviewQueue, readReview } from "./reviews.ts";

export const routes = [
  listActivityLogs,
  listAdminNotifications,
  markAdminNotificationsRead,

  listUserSearchPresets,
  createUserSearchPreset,
  updateUserSearchPreset,
  deleteUserSearchPreset,
  setDefaultUserSearchPreset,

  listReviewQueue,
  readReview,
  decideReview,
  decideReviews,
];
