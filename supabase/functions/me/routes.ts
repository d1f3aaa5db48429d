import { exportMyData, readMe, updateMe, withdraw } from "./account.ts";
import { listMyBadgeProgress, listMyBadges } from "./badges.ts";
import { listMyErrorReports } from "./error_reports.ts";
import { listMyExpEntries, readMyExp } from "./exp.ts";
import {
  listNotifications,
  markNotificationsRead,
  putNotificationPreferences,
  readNotificationPreferences,
} from "./notifications.ts";
import { listMySessions, readCurrentSession, updateMySession } from "./parking_sessions.ts";
import { deletePushToken, putPushToken } from "./push_tokens.ts";
import { deleteMyReview, listMyReviews, updateMyReview } from "./reviews.ts";
import { listSavedParkingLots, saveParkingLot, unsaveParkingLot } from "./saved_parking_lots.ts";
import { putSearchPreferences, readSearchPreferences } from "./search_preferences.ts";
import {
  createSearchPreset,
  deleteSearchPreset,
  listSearchPresets,
  setDefaultSearchPreset,
  updateSearchPreset,
} from "./search_presets.ts";
import { deleteSessionPhoto, putSessionPhoto, readMySession } from "./session_photos.ts";
import { listMySubscriptionEvents, readMySubscription, refreshMyIap, verifyMyIap } from "./subscription.ts";
import { applyTheme, listThemeGifts, listThemes } from "./themes.ts";
import { addVehicle, deleteVehicle, listVehicles, updateVehicle } from "./vehicles.ts";

export const routes = [
  readMe,
  updateMe,
  withdraw,
  exportMyData,
  listMyReviews,
  updateMyReview,
  deleteMyReview,
  listMyErrorReports,
  listMySessions,
  readCurrentSession,
  updateMySession,
  readMySession,
  putSessionPhoto,
  deleteSessionPhoto,
  listVehicles,
  addVehicle,
  updateVehicle,
  deleteVehicle,
  listSearchPresets,
  createSearchPreset,
  updateSearchPreset,
  deleteSearchPreset,
  setDefaultSearchPreset,
  readSearchPreferences,
  putSearchPreferences,
  listSavedParkingLots,
  saveParkingLot,
  unsaveParkingLot,
  listNotifications,
  markNotificationsRead,
  readNotificationPreferences,
  putNotificationPreferences,
  putPushToken,
  deletePushToken,
  readMySubscription,
  listMySubscriptionEvents,
  verifyMyIap,
  refreshMyIap,
  listThemes,
  applyTheme,
  listThemeGifts,
  readMyExp,
  listMyExpEntries,
  listMyBadges,
  listMyBadgeProgress,
];
