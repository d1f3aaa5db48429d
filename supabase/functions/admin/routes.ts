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
  inviteAdministrator,
  listAdministrators,
  reactivateAdministrator,
  suspendAdministrator,
  updateAdministrator,
} from "./admins.ts";
import {
  createParkingLot,
  deleteParkingLot,
  listLotsOfAllStatuses,
  listParkingLotHistory,
  previewParkingLotFee,
  readLotOfAnyStatus,
  replaceDateOverrides,
  replaceLotImages,
  replaceLotTags,
  replacePricingGroups,
  replacePricingRules,
  replaceSpots,
  replaceWindows,
  updateParkingLot,
} from "./parking_lots.ts";
import { changeCode, createCode, listCodesOfAllStates, readCodeOfAnyState } from "./codes.ts";
import { changeHoliday, createHoliday, deleteHoliday, listHolidays, readHoliday } from "./holidays.ts";
import { discardDeadMessage, listDeadMessages, requeueDeadMessage } from "./dead_messages.ts";
import { listJobs } from "./jobs.ts";
import { readOverview } from "./overview.ts";
import { listAdminNotifications, markAdminNotificationsRead } from "./notifications.ts";
import {
  exportUser,
  listUserActivityLogs,
  listUsers,
  reactivateUser,
  readUser,
  setUserPremium,
  suspendUser,
  withdrawUser,
} from "./users.ts";
import {
  createUserSearchPreset,
  deleteUserSearchPreset,
  listUserSearchPresets,
  setDefaultUserSearchPreset,
  updateUserSearchPreset,
} from "./user_search_presets.ts";
import { listErrorReports, readErrorReport, updateErrorReport } from "./error_reports.ts";
import { decideFieldValue, listFieldValues, readFieldValue } from "./field_values.ts";
import { answerTicket, closeTicket, listTicketQueue, readTicketOfUser } from "./support_tickets.ts";
import { decideReview, decideReviews, listReviewQueue, readReview } from "./reviews.ts";
import {
  changeSponsor,
  createSponsor,
  deleteSponsor,
  listSponsorsOfAllStates,
  readSponsorOfAnyState,
} from "./sponsors.ts";
import { changePlan, createPlan, listPlansOfAllStates, readPlanOfAnyState } from "./subscription_plans.ts";
import {
  listSubscriptionEvents,
  listSubscriptions,
  readSubscription,
  refreshSubscription,
  reinstateSubscription,
  revokeSubscription,
} from "./subscriptions.ts";
import { changeTag, createTag, deleteTag, listTagsOfAllStates, readTagOfAnyState } from "./tags.ts";
import { listLotEngagement } from "./parking_lot_engagement.ts";
import { importLots } from "./parking_lot_import.ts";
import {
  backfillBadge,
  backfillBadges,
  createBadge,
  deleteBadge,
  listAdminBadges,
  readBadge,
  readBadgeBackfill,
  readBadgeBackfills,
  updateBadge,
} from "./badges.ts";
import { createExpRule, deleteExpRule, listExpRules, readExpRule, updateExpRule } from "./exp_rules.ts";
import {
  createLevel,
  deleteLevel,
  listAdminLevels,
  readLevel,
  readLevelRecalculation,
  recalculateLevels,
  updateLevel,
} from "./levels.ts";
import { createTheme, deleteTheme, giftTheme, listAdminThemes, readTheme, updateTheme } from "./themes.ts";
import { storeSyncRoutes } from "./store_sync.ts";
import { userNotificationRoutes } from "./user_notifications.ts";

export const routes = [
  listActivityLogs,
  listAdminNotifications,
  markAdminNotificationsRead,

  listUserSearchPresets,
  createUserSearchPreset,
  updateUserSearchPreset,
  deleteUserSearchPreset,
  setDefaultUserSearchPreset,

  listUsers,
  readUser,
  suspendUser,
  reactivateUser,
  setUserPremium,
  exportUser,
  withdrawUser,
  listUserActivityLogs,

  listSubscriptions,
  readSubscription,
  listSubscriptionEvents,
  revokeSubscription,
  reinstateSubscription,
  refreshSubscription,

  listReviewQueue,
  readReview,
  decideReview,
  decideReviews,
  listErrorReports,
  readErrorReport,
  updateErrorReport,
  listFieldValues,
  readFieldValue,
  decideFieldValue,
  listTicketQueue,
  readTicketOfUser,
  answerTicket,
  closeTicket,

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
  listSponsorsOfAllStates,
  createSponsor,
  readSponsorOfAnyState,
  changeSponsor,
  deleteSponsor,
  listPlansOfAllStates,
  createPlan,
  readPlanOfAnyState,
  changePlan,
  listCodesOfAllStates,
  createCode,
  readCodeOfAnyState,
  changeCode,
  listTagsOfAllStates,
  createTag,
  readTagOfAnyState,
  changeTag,
  deleteTag,
  listHolidays,
  createHoliday,
  readHoliday,
  changeHoliday,
  deleteHoliday,

  listAdministrators,
  inviteAdministrator,
  getAdministrator,
  updateAdministrator,
  suspendAdministrator,
  reactivateAdministrator,

  readOverview,
  listJobs,
  listDeadMessages,
  requeueDeadMessage,
  discardDeadMessage,

  listLotEngagement,
  importLots,

  listAdminBadges,
  createBadge,
  readBadge,
  updateBadge,
  deleteBadge,
  backfillBadge,
  readBadgeBackfill,
  backfillBadges,
  readBadgeBackfills,
  listAdminLevels,
  createLevel,
  readLevel,
  updateLevel,
  deleteLevel,
  recalculateLevels,
  readLevelRecalculation,
  listExpRules,
  createExpRule,
  readExpRule,
  updateExpRule,
  deleteExpRule,
  listAdminThemes,
  createTheme,
  readTheme,
  updateTheme,
  deleteTheme,
  giftTheme,
  listLotsOfAllStatuses,
  createParkingLot,
  readLotOfAnyStatus,
  updateParkingLot,
  deleteParkingLot,
  listParkingLotHistory,
  previewParkingLotFee,
  replaceSpots,
  replacePricingGroups,
  replacePricingRules,
  replaceWindows,
  replaceDateOverrides,
  replaceLotTags,
  replaceLotImages,
  ...userNotificationRoutes,
  ...storeSyncRoutes,
];
