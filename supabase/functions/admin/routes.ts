import { listActivityLogs } from "./activity_logs.ts";
import { changeAd, createAd, deleteAd, listAdsOfAllStates, readAdOfAnyState } from "./ads.ts";
import {
  changeArticle,
  createArticle,
  deleteArticle,
  listArticlesOfAllStates,
  readArticleOfAnyState,
} from "./articles.ts";
import {
  getAdministrator,
  listAdministrators,
  reactivateAdministrator,
  suspendAdministrator,
  updateAdministrator,
} from "./admins.ts";
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

  listArticlesOfAllStates,
  createArticle,
  readArticleOfAnyState,
  changeArticle,
  deleteArticle,
  listAdsOfAllStates,
  createAd,
  readAdOfAnyState,
  changeAd,
  deleteAd,

  listAdministrators,
  getAdministrator,
  updateAdministrator,
  suspendAdministrator,
  reactivateAdministrator,
];
