// Generated from openapi.json by `deno task openapi`. Do not edit.
// deno-fmt-ignore-file

export interface paths {
  "/v1/me/export": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["exportMyData"];
  };
  "/v1/me": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readMe"];
    patch: operations["updateMe"];
  };
  "/v1/me/withdraw": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["withdraw"];
  };
  "/v1/me/badge-progress": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listMyBadgeProgress"];
  };
  "/v1/me/badges": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listMyBadges"];
  };
  "/v1/me/error-reports": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listMyErrorReports"];
  };
  "/v1/me/exp/history": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listMyExpEntries"];
  };
  "/v1/me/exp": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readMyExp"];
  };
  "/v1/me/notifications": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listNotifications"];
  };
  "/v1/me/notifications/mark-read": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["markNotificationsRead"];
  };
  "/v1/me/notification-preferences": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readNotificationPreferences"];
    put: operations["putNotificationPreferences"];
  };
  "/v1/me/parking-sessions": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listMySessions"];
  };
  "/v1/me/parking-sessions/current": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readCurrentSession"];
  };
  "/v1/me/parking-sessions/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readMySession"];
    patch: operations["updateMySession"];
  };
  "/v1/me/push-tokens/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    delete: operations["deletePushToken"];
  };
  "/v1/me/push-tokens": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    put: operations["putPushToken"];
  };
  "/v1/me/reviews/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    delete: operations["deleteMyReview"];
    patch: operations["updateMyReview"];
  };
  "/v1/me/reviews": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listMyReviews"];
  };
  "/v1/me/saved-parking-lots": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listSavedParkingLots"];
    post: operations["saveParkingLot"];
  };
  "/v1/me/saved-parking-lots/{lotId}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    delete: operations["unsaveParkingLot"];
  };
  "/v1/me/search-preferences": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readSearchPreferences"];
    put: operations["putSearchPreferences"];
  };
  "/v1/me/search-presets": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listSearchPresets"];
    post: operations["createSearchPreset"];
  };
  "/v1/me/search-presets/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    delete: operations["deleteSearchPreset"];
    patch: operations["updateSearchPreset"];
  };
  "/v1/me/search-presets/{id}/set-default": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["setDefaultSearchPreset"];
  };
  "/v1/me/parking-sessions/{id}/photos/{phase}/{slot}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    put: operations["putSessionPhoto"];
    delete: operations["deleteSessionPhoto"];
  };
  "/v1/me/subscription/history": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listMySubscriptionEvents"];
  };
  "/v1/me/subscription": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readMySubscription"];
  };
  "/v1/me/subscription/refresh-iap": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["refreshMyIap"];
  };
  "/v1/me/subscription/verify-iap": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["verifyMyIap"];
  };
  "/v1/me/themes/{id}/apply": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["applyTheme"];
  };
  "/v1/me/theme-gifts": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listThemeGifts"];
  };
  "/v1/me/themes": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listThemes"];
  };
  "/v1/me/vehicles": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listVehicles"];
    post: operations["addVehicle"];
  };
  "/v1/me/vehicles/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    delete: operations["deleteVehicle"];
    patch: operations["updateVehicle"];
  };
  "/v1/parking-lots/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readParkingLot"];
  };
  "/v1/parking-lots/export": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["exportParkingLots"];
  };
  "/v1/parking-lots/{id}/calc-fee": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["calculateFee"];
  };
  "/v1/parking-lots/{id}/field-values/{fieldValueId}/confirm": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["confirmFieldValue"];
  };
  "/v1/parking-lots/{id}/field-values/{fieldValueId}/deny": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["denyFieldValue"];
  };
  "/v1/parking-lots/nearby": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["nearbyParkingLots"];
  };
  "/v1/parking-lots/occupancy-reports": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["feedOccupancy"];
  };
  "/v1/parking-lots/{id}/occupancy": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readOccupancy"];
  };
  "/v1/parking-lots/{id}/occupancy-reports": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["reportOccupancy"];
  };
  "/v1/parking-lots/{id}/pricing-rules": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listPricingRules"];
  };
  "/v1/parking-lots/{id}/rating": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readRating"];
    put: operations["putRating"];
    delete: operations["deleteRating"];
  };
  "/v1/parking-lots/{id}/reviews": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listReviews"];
    post: operations["postReview"];
  };
  "/v1/parking-lots": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["searchParkingLots"];
  };
  "/v1/search/ai": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["searchInWords"];
  };
  "/v1/search/ai/keys/{provider_id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    delete: operations["deleteAiKey"];
  };
  "/v1/search/ai/keys": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listAiKeys"];
  };
  "/v1/ai-search-parse": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["parseSearch"];
  };
  "/v1/parking-sessions": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["startSession"];
  };
  "/v1/parking-sessions/{id}/finalize": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["finalizeSession"];
  };
  "/v1/parking-sessions/{id}/cancel": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["cancelSession"];
  };
  "/v1/error-reports": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["postErrorReport"];
  };
  "/v1/support/tickets": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listTickets"];
    post: operations["createTicket"];
  };
  "/v1/support/tickets/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readTicket"];
  };
  "/v1/support/tickets/{id}/messages": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["replyToTicket"];
  };
  "/v1/sponsors": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listSponsors"];
  };
  "/v1/sponsors/nearby": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["nearbySponsors"];
  };
  "/v1/sponsors/{id}/checkin": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["checkIn"];
  };
  "/v1/storage/sweep": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["sweepStorage"];
  };
  "/v1/storage/upload-url": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["createUpload"];
  };
  "/v1/codes": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listCodes"];
  };
  "/v1/places": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listPlaces"];
  };
  "/v1/places/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readPlace"];
  };
  "/v1/tags": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listTags"];
  };
  "/v1/subscription-plans": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listPlans"];
  };
  "/v1/verify-iap": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["verifyIap"];
  };
  "/v1/articles": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listArticles"];
  };
  "/v1/articles/{slug}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readArticle"];
  };
  "/v1/ads": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listAds"];
  };
  "/v1/admin/activity-logs": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listActivityLogs"];
  };
  "/v1/admin/admins/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["getAdministrator"];
    patch: operations["updateAdministrator"];
  };
  "/v1/admin/admins": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listAdministrators"];
    post: operations["inviteAdministrator"];
  };
  "/v1/admin/admins/{id}/reactivate": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["reactivateAdministrator"];
  };
  "/v1/admin/admins/{id}/reset-second-factor": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["resetSecondFactor"];
  };
  "/v1/admin/admins/{id}/suspend": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["suspendAdministrator"];
  };
  "/v1/admin/ads/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readAdOfAnyState"];
    delete: operations["deleteAd"];
    patch: operations["changeAd"];
  };
  "/v1/admin/ads": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listAdsOfAllStates"];
    post: operations["createAd"];
  };
  "/v1/admin/articles/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readArticleOfAnyState"];
    delete: operations["deleteArticle"];
    patch: operations["changeArticle"];
  };
  "/v1/admin/articles": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listArticlesOfAllStates"];
    post: operations["createArticle"];
  };
  "/v1/admin/badges/{id}/backfill": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readBadgeBackfill"];
    post: operations["backfillBadge"];
  };
  "/v1/admin/badges/backfill": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readBadgeBackfills"];
    post: operations["backfillBadges"];
  };
  "/v1/admin/badges": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listAdminBadges"];
    post: operations["createBadge"];
  };
  "/v1/admin/badges/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readBadge"];
    delete: operations["deleteBadge"];
    patch: operations["updateBadge"];
  };
  "/v1/admin/badges/preview": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["previewBadge"];
  };
  "/v1/admin/codes/{category_id}/{code}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readCodeOfAnyState"];
    patch: operations["changeCode"];
  };
  "/v1/admin/codes": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listCodesOfAllStates"];
    post: operations["createCode"];
  };
  "/v1/admin/dead-messages/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    delete: operations["discardDeadMessage"];
  };
  "/v1/admin/dead-messages": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listDeadMessages"];
  };
  "/v1/admin/dead-messages/{id}/requeue": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["requeueDeadMessage"];
  };
  "/v1/admin/error-reports": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listErrorReports"];
  };
  "/v1/admin/error-reports/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readErrorReport"];
    patch: operations["updateErrorReport"];
  };
  "/v1/admin/exp-rules": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listExpRules"];
    post: operations["createExpRule"];
  };
  "/v1/admin/exp-rules/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readExpRule"];
    delete: operations["deleteExpRule"];
    patch: operations["updateExpRule"];
  };
  "/v1/admin/field-values/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readFieldValue"];
    patch: operations["decideFieldValue"];
  };
  "/v1/admin/field-values": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listFieldValues"];
  };
  "/v1/admin/holidays/{calendar}/{holiday_date}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readHoliday"];
    delete: operations["deleteHoliday"];
    patch: operations["changeHoliday"];
  };
  "/v1/admin/holidays": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listHolidays"];
    post: operations["createHoliday"];
  };
  "/v1/admin/jobs": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listJobs"];
  };
  "/v1/admin/levels": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listAdminLevels"];
    post: operations["createLevel"];
  };
  "/v1/admin/levels/{level}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readLevel"];
    delete: operations["deleteLevel"];
    patch: operations["updateLevel"];
  };
  "/v1/admin/levels/recalculate": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readLevelRecalculation"];
    post: operations["recalculateLevels"];
  };
  "/v1/admin/notifications": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listAdminNotifications"];
  };
  "/v1/admin/notifications/mark-read": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["markAdminNotificationsRead"];
  };
  "/v1/admin/overview": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readOverview"];
  };
  "/v1/admin/parking-lots/engagement": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listLotEngagement"];
  };
  "/v1/admin/parking-lots/import": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["importLots"];
  };
  "/v1/admin/parking-lots": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listLotsOfAllStatuses"];
    post: operations["createParkingLot"];
  };
  "/v1/admin/parking-lots/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readLotOfAnyStatus"];
    delete: operations["deleteParkingLot"];
    patch: operations["updateParkingLot"];
  };
  "/v1/admin/parking-lots/{id}/history": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listParkingLotHistory"];
  };
  "/v1/admin/parking-lots/{id}/preview-fee": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["previewParkingLotFee"];
  };
  "/v1/admin/parking-lots/{id}/date-overrides": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    put: operations["replaceDateOverrides"];
  };
  "/v1/admin/parking-lots/{id}/images": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    put: operations["replaceLotImages"];
  };
  "/v1/admin/parking-lots/{id}/tags": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    put: operations["replaceLotTags"];
  };
  "/v1/admin/parking-lots/{id}/pricing-groups": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    put: operations["replacePricingGroups"];
  };
  "/v1/admin/parking-lots/{id}/pricing-rules": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    put: operations["replacePricingRules"];
  };
  "/v1/admin/parking-lots/{id}/spots": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    put: operations["replaceSpots"];
  };
  "/v1/admin/parking-lots/{id}/windows": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    put: operations["replaceWindows"];
  };
  "/v1/admin/reviews/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readReview"];
    patch: operations["decideReview"];
  };
  "/v1/admin/reviews/decisions": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["decideReviews"];
  };
  "/v1/admin/reviews": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listReviewQueue"];
  };
  "/v1/admin/sponsors/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readSponsorOfAnyState"];
    delete: operations["deleteSponsor"];
    patch: operations["changeSponsor"];
  };
  "/v1/admin/sponsors": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listSponsorsOfAllStates"];
    post: operations["createSponsor"];
  };
  "/v1/admin/store-metrics": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listStoreMetrics"];
  };
  "/v1/admin/store-reviews": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listStoreReviews"];
  };
  "/v1/admin/store-sales": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listStoreSales"];
  };
  "/v1/admin/store-sync/runs": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listStoreSyncRuns"];
  };
  "/v1/admin/store-sync/runs/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readStoreSyncRun"];
  };
  "/v1/admin/store-sales/daily": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["sumStoreSales"];
  };
  "/v1/admin/store-sync/trigger": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["triggerStoreSync"];
  };
  "/v1/admin/subscription-plans/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readPlanOfAnyState"];
    patch: operations["changePlan"];
  };
  "/v1/admin/subscription-plans": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listPlansOfAllStates"];
    post: operations["createPlan"];
  };
  "/v1/admin/subscriptions/{id}/events": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listSubscriptionEvents"];
  };
  "/v1/admin/subscriptions": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listSubscriptions"];
  };
  "/v1/admin/subscriptions/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readSubscription"];
  };
  "/v1/admin/subscriptions/{id}/refresh": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["refreshSubscription"];
  };
  "/v1/admin/subscriptions/{id}/reinstate": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["reinstateSubscription"];
  };
  "/v1/admin/subscriptions/{id}/revoke": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["revokeSubscription"];
  };
  "/v1/admin/support-tickets/{id}/messages": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["answerTicket"];
  };
  "/v1/admin/support-tickets/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readTicketOfUser"];
    patch: operations["closeTicket"];
  };
  "/v1/admin/support-tickets": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listTicketQueue"];
  };
  "/v1/admin/tags/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readTagOfAnyState"];
    delete: operations["deleteTag"];
    patch: operations["changeTag"];
  };
  "/v1/admin/tags": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listTagsOfAllStates"];
    post: operations["createTag"];
  };
  "/v1/admin/tariff-text": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["readTariffText"];
  };
  "/v1/admin/themes": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listAdminThemes"];
    post: operations["createTheme"];
  };
  "/v1/admin/themes/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readTheme"];
    delete: operations["deleteTheme"];
    patch: operations["updateTheme"];
  };
  "/v1/admin/themes/{id}/gift": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["giftTheme"];
  };
  "/v1/admin/user-activity-logs": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listUserActivities"];
  };
  "/v1/admin/user-notifications/{id}/cancel": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["cancelUserNotification"];
  };
  "/v1/admin/user-notifications": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listUserNotifications"];
    post: operations["createUserNotification"];
  };
  "/v1/admin/user-notifications/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readUserNotification"];
    delete: operations["deleteUserNotification"];
    patch: operations["updateUserNotification"];
  };
  "/v1/admin/user-notifications/{id}/undelivered-devices": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listUndeliveredDevices"];
  };
  "/v1/admin/user-notifications/preview": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["previewUserNotification"];
  };
  "/v1/admin/user-notifications/{id}/funnel": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readNotificationFunnel"];
  };
  "/v1/admin/user-notifications/{id}/send": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["sendUserNotification"];
  };
  "/v1/admin/user-notifications/{id}/test": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["testUserNotification"];
  };
  "/v1/admin/user-search-presets": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listUserSearchPresets"];
    post: operations["createUserSearchPreset"];
  };
  "/v1/admin/user-search-presets/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    delete: operations["deleteUserSearchPreset"];
    patch: operations["updateUserSearchPreset"];
  };
  "/v1/admin/user-search-presets/{id}/set-default": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["setDefaultUserSearchPreset"];
  };
  "/v1/admin/users/{id}/export": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["exportUser"];
  };
  "/v1/admin/users/{id}/activity-logs": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listUserActivityLogs"];
  };
  "/v1/admin/users": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listUsers"];
  };
  "/v1/admin/users/{id}/reactivate": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["reactivateUser"];
  };
  "/v1/admin/users/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readUser"];
  };
  "/v1/admin/users/{id}/premium": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["setUserPremium"];
  };
  "/v1/admin/users/{id}/suspend": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["suspendUser"];
  };
  "/v1/admin/users/{id}/withdraw": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["withdrawUser"];
  };
  "/v1/well-known/apple-app-site-association": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readAppleAssociation"];
  };
  "/v1/well-known/assetlinks.json": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readAssetLinks"];
  };
  "/v1/push-dispatch": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["dispatchPushes"];
  };
  "/v1/mail-dispatch": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["dispatchMails"];
  };
  "/v1/store-notifications/process": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["processStoreNotifications"];
  };
  "/v1/store-notifications/reconcile": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["reconcileSubscriptions"];
  };
  "/v1/store-notifications/app-store": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["receiveAppStoreNotification"];
  };
  "/v1/store-notifications/google-play": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["receiveGooglePlayNotification"];
  };
  "/v1/store-sync": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["syncRuns"];
  };
  "/v1/report-crash": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    post: operations["reportCrash"];
  };
  "/v1/openapi": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readContract"];
  };
  "/v1/openapi/overlay": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readContractOverlay"];
  };
  "/v1/openapi/asyncapi": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readRealtimeContract"];
  };
  "/v1/openapi/errors": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["listErrors"];
  };
  "/v1/openapi/errors/{code}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readError"];
  };
  "/v1/health": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["live"];
  };
  "/v1/health/ready": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["ready"];
  };
  "/v1/health/metrics": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    get: operations["readMetrics"];
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    ActReason: {
      reason: string;
    };
    AdminActivityLog: {
      id: components["schemas"]["Id"];
      admin_id: components["schemas"]["Id"];
      action: string;
      target_type: string;
      target_id: string | null;
      user_id: components["schemas"]["Id"] | null;
      changes: {
        [key: string]: unknown;
      };
      request_id: string | null;
      created_at: components["schemas"]["Timestamp"];
    };
    AdminActivityLogs: {
      items: components["schemas"]["AdminActivityLog"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
      total_is_exact?: components["schemas"]["TotalIsExact"];
    };
    Ad: {
      id: components["schemas"]["Id"];
      placement: components["schemas"]["AdPlacement"];
      title: string;
      body: string | null;
      image_url: string | null;
      link_url: string | null;
      starts_at: components["schemas"]["Timestamp"];
      ends_at: components["schemas"]["Timestamp"] | null;
    };
    AdminAd: {
      id: components["schemas"]["Id"];
      placement: components["schemas"]["AdPlacement"];
      title: string;
      body: string | null;
      image_url: string | null;
      link_url: string | null;
      starts_at: components["schemas"]["Timestamp"];
      ends_at: components["schemas"]["Timestamp"] | null;
      weight: number;
      is_active: boolean;
      status: "scheduled" | "shown" | "ended" | "withdrawn";
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    NewAd: {
      placement: components["schemas"]["AdPlacement"];
      title: string;
      body?: string | null;
      image_url?: string | null;
      link_url?: string | null;
      weight?: number;
      starts_at?: components["schemas"]["Timestamp"];
      ends_at?: components["schemas"]["Timestamp"] | null;
      is_active?: boolean;
    };
    AdChanges: {
      placement?: components["schemas"]["AdPlacement"];
      title?: string;
      body?: string | null;
      image_url?: string | null;
      link_url?: string | null;
      weight?: number;
      starts_at?: components["schemas"]["Timestamp"];
      ends_at?: components["schemas"]["Timestamp"] | null;
      is_active?: boolean;
    };
    AdPlacement: "home_top" | "map" | "search_results" | "lot_detail" | "session_end" | "article";
    Administrator: {
      id: components["schemas"]["Id"];
      email: string | null;
      name: string | null;
      status: "active" | "suspended";
      areas: components["schemas"]["AdminArea"][];
      invited_at: components["schemas"]["Timestamp"] | null;
      last_sign_in_at: components["schemas"]["Timestamp"] | null;
      has_second_factor: boolean;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    NewAdministrator: {
      email: string;
      name?: string | null;
      areas: components["schemas"]["AdminArea"][];
    };
    AdministratorUpdate: {
      name?: string | null;
      areas?: components["schemas"]["AdminArea"][];
    };
    Administrators: {
      items: components["schemas"]["Administrator"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    AdminAds: {
      items: components["schemas"]["AdminAd"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    Ads: {
      items: components["schemas"]["Ad"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
      seed: string;
    };
    AiKeys: {
      keys: {
        provider_id: string;
        created_at: components["schemas"]["Timestamp"];
        updated_at: components["schemas"]["Timestamp"];
      }[];
    };
    AiSearchAnswer: {
      location: {
        name: string;
        lat: number;
        lng: number;
        source: string;
      } | null;
      entry_at: components["schemas"]["Timestamp"] | null;
      exit_at: components["schemas"]["Timestamp"] | null;
      max_price: number | null;
      radius_m: number | null;
      filters: ("covered" | "open_24h" | "entry_24h" | "ev_charging" | "oversized_ok" | "motorcycle_ok" | "wheelchair_accessible" | "barrier_free" | "reservable" | "security_camera" | "has_max_fee" | "monthly_available" | "coin_500_or_less" | "near_station" | "low_price" | "partner_facility" | "24h" | "max_fee")[];
      confidence: number;
      query: components["schemas"]["SearchQueryV1"];
      nearby: string | null;
      assumptions: components["schemas"]["AiSearchNote"][];
      unresolved: components["schemas"]["AiSearchNote"][];
      parser: "model" | "rules";
      model: string | null;
    };
    AiSearchNote: {
      text: string;
      field: string;
      value: string | number | null;
      reason: string;
    };
    AiSearchParseRequest: {
      query: string;
      locale?: string;
      lat?: number;
      lng?: number;
      time_zone?: string;
    };
    AiSearchReply: {
      status: "parsed" | "need_info" | "error";
      reply: string;
      location: {
        name: string;
        lat: number;
        lng: number;
        source: string;
      } | null;
      entry_at: components["schemas"]["Timestamp"] | null;
      exit_at: components["schemas"]["Timestamp"] | null;
      max_price: number | null;
      radius_m: number | null;
      filters: ("covered" | "open_24h" | "entry_24h" | "ev_charging" | "oversized_ok" | "motorcycle_ok" | "wheelchair_accessible" | "barrier_free" | "reservable" | "security_camera" | "has_max_fee" | "monthly_available" | "coin_500_or_less" | "near_station" | "low_price" | "partner_facility" | "24h" | "max_fee")[];
      confidence: number;
      query: components["schemas"]["SearchQueryV1"] | null;
      nearby: string | null;
      assumptions: components["schemas"]["AiSearchNote"][];
      unresolved: components["schemas"]["AiSearchNote"][];
      parser: "model" | "rules";
      model: string | null;
    };
    AiSearchRequest: {
      query?: string;
      action?: "parse" | "register_key";
      message?: string;
      context?: components["schemas"]["SearchQueryV1"];
      provider_id?: string;
      api_key?: string;
      locale?: string;
      lat?: number;
      lng?: number;
      time_zone?: string;
    };
    AppStoreNotification: {
      signedPayload: string;
    };
    AppleAppSiteAssociation: {
      applinks: {
        details: {
          appIDs: string[];
          components: {
            "/": string;
            comment?: string;
          }[];
        }[];
      };
      webcredentials: {
        apps: string[];
      };
    };
    AdminArea: "admins" | "content" | "lots" | "notifications" | "reviews" | "rewards" | "search_presets" | "store_sync" | "support" | "users";
    AdminArticle: {
      id: components["schemas"]["Id"];
      slug: string;
      locale: components["schemas"]["Lang"];
      title: string;
      summary: string | null;
      cover_image_url: string | null;
      tags: string[];
      published_at: components["schemas"]["Timestamp"] | null;
      updated_at: components["schemas"]["Timestamp"];
      withdrawn_at: components["schemas"]["Timestamp"] | null;
      status: "draft" | "scheduled" | "published" | "withdrawn";
      created_at: components["schemas"]["Timestamp"];
      body: string;
    };
    Article: {
      id: components["schemas"]["Id"];
      slug: string;
      locale: components["schemas"]["Lang"];
      title: string;
      summary: string | null;
      cover_image_url: string | null;
      tags: string[];
      published_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    NewArticle: {
      slug: string;
      locale: components["schemas"]["Lang"];
      title: string;
      summary?: string | null;
      body: string;
      cover_image_url?: string | null;
      tags?: string[];
      published_at?: components["schemas"]["Timestamp"] | null;
    };
    ArticleChanges: {
      slug?: string;
      locale?: components["schemas"]["Lang"];
      title?: string;
      summary?: string | null;
      body?: string;
      cover_image_url?: string | null;
      tags?: string[];
      published_at?: components["schemas"]["Timestamp"] | null;
      withdrawn_at?: components["schemas"]["Timestamp"] | null;
    };
    ArticleDetail: {
      id: components["schemas"]["Id"];
      slug: string;
      locale: components["schemas"]["Lang"];
      title: string;
      summary: string | null;
      cover_image_url: string | null;
      tags: string[];
      published_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
      body: string;
    };
    AdminArticleItem: {
      id: components["schemas"]["Id"];
      slug: string;
      locale: components["schemas"]["Lang"];
      title: string;
      summary: string | null;
      cover_image_url: string | null;
      tags: string[];
      published_at: components["schemas"]["Timestamp"] | null;
      updated_at: components["schemas"]["Timestamp"];
      withdrawn_at: components["schemas"]["Timestamp"] | null;
      status: "draft" | "scheduled" | "published" | "withdrawn";
      created_at: components["schemas"]["Timestamp"];
    };
    AdminArticles: {
      items: components["schemas"]["AdminArticleItem"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    Articles: {
      items: components["schemas"]["Article"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    AssetLinksResponse: {
      relation: string[];
      target: {
        namespace: string;
        package_name: string;
        sha256_cert_fingerprints: string[];
      };
    }[];
    AdminBadge: {
      id: components["schemas"]["Id"];
      name: string;
      name_en: string | null;
      description: string;
      description_en: string | null;
      icon: string;
      category: string;
      conditions: {
        [key: string]: unknown;
      };
      threshold: number;
      is_active: boolean;
      sort_order: number;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    MyBadge: {
      id: components["schemas"]["Id"];
      badge_id: components["schemas"]["Id"];
      earned_at: components["schemas"]["Timestamp"];
      badge: {
        id: components["schemas"]["Id"];
        name: string;
        description: string;
        icon: string;
        category: string;
      } | null;
    };
    NewBadge: {
      name: string;
      description: string;
      name_en?: string | null;
      description_en?: string | null;
      icon: string;
      category: string;
      conditions: {
        [key: string]: unknown;
      };
      threshold: number;
      is_active?: boolean;
      sort_order?: number;
    };
    BadgeAudience: {
      users: number;
      is_exact: boolean;
    };
    BadgeBackfill: {
      badge_id: components["schemas"]["Id"];
      status: "none" | "queued" | "running" | "done";
      done_users: number;
      total_users: number;
      started_at: components["schemas"]["Timestamp"] | null;
      updated_at: components["schemas"]["Timestamp"] | null;
    };
    BadgeBackfills: {
      status: "none" | "queued" | "running" | "done";
      done_users: number;
      total_users: number;
      started_at: components["schemas"]["Timestamp"] | null;
      updated_at: components["schemas"]["Timestamp"] | null;
      done_badges: number;
      total_badges: number;
    };
    BadgePreview: {
      conditions: {
        [key: string]: unknown;
      };
      threshold: number;
    };
    MyBadgeProgress: {
      badge_id: components["schemas"]["Id"];
      count: number;
      threshold: number;
      percent: number;
      badge: {
        name: string;
        description: string;
        icon: string;
        category: string;
      } | null;
    };
    MyBadgeProgressList: {
      items: components["schemas"]["MyBadgeProgress"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    BadgeUpdate: {
      name?: string;
      description?: string;
      name_en?: string | null;
      description_en?: string | null;
      icon?: string;
      category?: string;
      conditions?: {
        [key: string]: unknown;
      };
      threshold?: number;
      is_active?: boolean;
      sort_order?: number;
    };
    AdminBadges: {
      items: components["schemas"]["AdminBadge"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    MyBadges: {
      items: components["schemas"]["MyBadge"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    CancelledParkingSession: {
      cancelled: boolean;
    };
    CatalogueTheme: {
      id: components["schemas"]["Id"];
      name: string;
      description: string | null;
      is_free: boolean;
      price_yen_minor: number | null;
      preview_asset_id: components["schemas"]["Id"] | null;
      preview_url: string | null;
      unlock_level: number | null;
      unlock_badge_id: components["schemas"]["Id"] | null;
      sort_order: number;
      is_owned: boolean;
      is_applied: boolean;
    };
    NewCheckin: {
      lat: number;
      lng: number;
      accuracy_m: number;
    };
    ClockTime: string;
    AdminCode: {
      category_id: string;
      code: string;
      labels: {
        [key: string]: string;
      };
      metadata: ({
        color: string | null;
        logo_url: string | null;
        url: string | null;
      } & {
        [key: string]: unknown;
      }) | null;
      sort_order: number;
      is_active: boolean;
      is_open: boolean;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    NewCode: {
      labels: {
        ja: string;
        en: string;
      };
      metadata?: {
        color?: string | null;
        logo_url?: string | null;
        url?: string | null;
      } | null;
      sort_order?: number;
      is_active?: boolean;
      category_id: string;
      code: string;
    };
    CodeChanges: {
      labels?: {
        ja: string;
        en: string;
      };
      metadata?: {
        color?: string | null;
        logo_url?: string | null;
        url?: string | null;
      } | null;
      sort_order?: number;
      is_active?: boolean;
    };
    CodeRow: {
      category_id: string;
      code: string;
      display_label: string;
      lang: components["schemas"]["Lang"];
      sort_order: number;
      metadata: ({
        color: string | null;
        logo_url: string | null;
        url: string | null;
      } & {
        [key: string]: unknown;
      }) | null;
    };
    AdminCodes: {
      items: components["schemas"]["AdminCode"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    CodesResponse: {
      items: components["schemas"]["CodeRow"][];
      lang: components["schemas"]["Lang"];
    };
    ContractDocument: {
      [key: string]: unknown;
    };
    CrashReport: {
      stack: string;
      device: string;
      app_version: string;
    };
    CrashReported: {
      ok: true;
    };
    CurrentOccupancy: {
      state: components["schemas"]["OccupancyState"];
      free_spaces: number | null;
      trust: number;
      observed_at: components["schemas"]["Timestamp"];
      age_seconds: number;
      source: "driver" | "operator" | "sensor";
    };
    CurrentParkingSession: {
      id: components["schemas"]["Id"];
      user_id: components["schemas"]["Id"];
      parking_lot_id: components["schemas"]["Id"];
      parking_lot_name: string;
      status: components["schemas"]["SessionStatus"];
      vehicle_id: components["schemas"]["Id"] | null;
      vehicle_type: string | null;
      started_at: components["schemas"]["Timestamp"] | null;
      ended_at: components["schemas"]["Timestamp"] | null;
      total_amount_minor: number | null;
      currency: string | null;
      memo: string | null;
      personal_rating: string | null;
      start_lat: number | null;
      start_lng: number | null;
      created_at: components["schemas"]["Timestamp"];
      is_start_reported: boolean;
      meter: components["schemas"]["Meter"] | components["schemas"]["UnknownFee"];
      can_exit_now: boolean | null;
      can_exit_changes_at: components["schemas"]["Timestamp"] | null;
    };
    MyData: {
      exported_at: components["schemas"]["Timestamp"];
      account: components["schemas"]["Me"];
      data: {
        [key: string]: {
          [key: string]: unknown;
        }[];
      };
    };
    AdminDateOverride: {
      id: components["schemas"]["Id"];
      override_date: string;
      label: string | null;
      hours: {
        business?: components["schemas"]["HoursSpan"][];
        entry?: components["schemas"]["HoursSpan"][];
        exit?: components["schemas"]["HoursSpan"][];
        after_hours_exit?: components["schemas"]["HoursSpan"][];
        is_closed?: boolean;
        is_24h?: boolean;
      } | null;
      pricing: {
        [key: string]: unknown;
      }[] | null;
      note: string | null;
    };
    DateOverride: {
      id: components["schemas"]["Id"];
      override_date: string;
      label: string;
      hours: {
        business?: components["schemas"]["HoursSpan"][];
        entry?: components["schemas"]["HoursSpan"][];
        exit?: components["schemas"]["HoursSpan"][];
        after_hours_exit?: components["schemas"]["HoursSpan"][];
        is_closed?: boolean;
        is_24h?: boolean;
      } | null;
      pricing: {
        [key: string]: unknown;
      }[] | null;
      note: string | null;
    };
    DateOverrideInput: {
      id?: components["schemas"]["Id"];
      override_date: string;
      label?: string | null;
      hours?: {
        business?: components["schemas"]["HoursSpanInput"][];
        entry?: components["schemas"]["HoursSpanInput"][];
        exit?: components["schemas"]["HoursSpanInput"][];
        after_hours_exit?: components["schemas"]["HoursSpanInput"][];
        is_closed?: boolean;
        is_24h?: boolean;
      } | null;
      pricing?: {
        category: components["schemas"]["PricingRuleCategory"];
        rule_order?: number;
        time_start?: components["schemas"]["ClockTime"] | null;
        time_end?: components["schemas"]["ClockTime"] | null;
        day_type?: components["schemas"]["DayType"] | null;
        per_minutes?: number | null;
        price_minor?: number | null;
        cap_type?: components["schemas"]["FeeCapType"] | null;
        cap_duration_hours?: number | null;
        cap_price_minor?: number | null;
        cap_repeat?: boolean | null;
        max_units?: number | null;
        id?: components["schemas"]["Id"];
        parking_lot_id?: components["schemas"]["Id"];
      }[] | null;
      note?: string | null;
    };
    DateOverridesInput: {
      date_overrides: components["schemas"]["DateOverrideInput"][];
      reason?: string;
    };
    DayType: "weekday" | "saturday" | "sunday" | "holiday" | "holiday_eve" | "all";
    DeadMessage: {
      id: components["schemas"]["Id"];
      queue: string;
      message: unknown;
      read_count: number;
      enqueued_at: components["schemas"]["Timestamp"];
      died_at: components["schemas"]["Timestamp"];
    };
    DeadMessages: {
      items: components["schemas"]["DeadMessage"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    DeletedParkingLot: {
      id: components["schemas"]["Id"];
      deleted: boolean;
      status: "closed" | null;
    };
    Derived: {
      is_open_now: boolean | null;
      can_enter_now: boolean | null;
      can_exit_now: boolean | null;
    };
    DispatchedMails: {
      batches: number;
      sent: number;
      rejected: number;
      later: number;
      not_configured: number;
    };
    DispatchedPushes: {
      batches: number;
      delivered: number;
      failed: number;
      later: number;
    };
    Error: {
      error: {
        code: "validation_error" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "rate_limited" | "lot_not_found" | "fee_unknown" | "concurrent_session_not_allowed" | "unparseable" | "iap_invalid" | "server_error" | "not_implemented" | "service_unavailable";
        message: string;
        message_key?: string;
        request_id: string;
        param?: string | null;
        doc_url?: string | null;
        details?: {
          [key: string]: unknown;
        };
      };
    };
    ErrorPage: {
      code: "validation_error" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "rate_limited" | "lot_not_found" | "fee_unknown" | "concurrent_session_not_allowed" | "unparseable" | "iap_invalid" | "server_error" | "not_implemented" | "service_unavailable";
      status: number;
      message: string;
      message_key: string;
      meaning: string;
      remedy: string;
      doc_url: string;
    };
    ErrorPages: {
      items: components["schemas"]["ErrorPage"][];
    };
    AdminErrorReport: {
      id: components["schemas"]["Id"];
      user_id: components["schemas"]["Id"] | null;
      user_name: string | null;
      parking_lot_id: components["schemas"]["Id"] | null;
      parking_lot_name: string;
      report_type: string;
      severity: "low" | "medium" | "high" | "critical" | null;
      status: "open" | "in_review" | "resolved" | "rejected";
      allowed_statuses: ("in_review" | "resolved" | "rejected")[];
      description: string | null;
      evidence_urls: string[];
      assigned_admin_id: components["schemas"]["Id"] | null;
      assigned_admin_name: string | null;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    NewErrorReport: {
      parking_lot_id?: components["schemas"]["Id"];
      parking_lot_name?: string;
      report_type: string;
      severity?: "low" | "medium" | "high" | "critical";
      description: string;
      evidence_asset_ids?: components["schemas"]["Id"][];
    } & (unknown | unknown);
    ErrorReportDecision: {
      assigned_admin_id?: components["schemas"]["Id"] | null;
      status?: "in_review" | "resolved" | "rejected";
      reason?: string | null;
      correction?: {
        [key: string]: unknown;
      };
      seen_updated_at: components["schemas"]["Timestamp"];
    };
    AdminErrorReports: {
      items: components["schemas"]["AdminErrorReport"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
      total_is_exact?: components["schemas"]["TotalIsExact"];
    };
    MyExp: {
      total_exp: number;
      level: number;
      next_level_exp: number | null;
      exp_to_next_level: number | null;
    };
    ExpEntries: {
      items: components["schemas"]["ExpEntry"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    ExpEntry: {
      id: components["schemas"]["Id"];
      reason: string;
      amount: number;
      source_type: string;
      source_id: components["schemas"]["Id"];
      created_at: components["schemas"]["Timestamp"];
    };
    ExpRule: {
      id: number;
      reason: string;
      activity_type: string | null;
      amount: number;
      daily_limit: number | null;
      is_active: boolean;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    NewExpRule: {
      reason: string;
      activity_type?: string | null;
      amount: number;
      daily_limit?: number | null;
      is_active?: boolean;
    };
    ExpRuleUpdate: {
      amount?: number;
      daily_limit?: number | null;
      is_active?: boolean;
    };
    ExpRules: {
      items: components["schemas"]["ExpRule"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    Fee: {
      total_amount: number;
      currency: string;
      breakdown: components["schemas"]["FeeBreakdown"];
      surprises: components["schemas"]["FeeSurprise"][];
    };
    FeeBreakdown: {
      time_zone: string;
      vehicle_type: string;
      lines: (components["schemas"]["FeeUnitsLine"] | components["schemas"]["FeeCapLine"])[];
      caps: components["schemas"]["FeeCapWindow"][];
      not_applied: components["schemas"]["FeeRuleNotApplied"][];
      notes: components["schemas"]["FeeNote"][];
      surprises?: components["schemas"]["FeeSurprise"][];
    };
    FeeCapLine: {
      kind: "cap";
      rule_id: components["schemas"]["Id"] | null;
      override_date: string | null;
      from: components["schemas"]["Timestamp"];
      to: components["schemas"]["Timestamp"];
      amount: number;
    };
    FeeCapType: "duration" | "day" | "band" | "stay";
    FeeCapWindow: {
      rule_id: components["schemas"]["Id"] | null;
      override_date: string | null;
      cap_type: components["schemas"]["FeeCapType"];
      from: components["schemas"]["Timestamp"];
      to: components["schemas"]["Timestamp"];
      cap: number;
      charged: number;
      reached_at: components["schemas"]["Timestamp"] | null;
    };
    FeeNote: "holiday_rates_not_given" | "cap_repeat_not_given" | "exceeds_max_duration" | "only_366_days_priced" | "holiday_calendar_unknown" | "prices_changed";
    FeePreview: {
      entry_at: components["schemas"]["Timestamp"];
      exit_at: components["schemas"]["Timestamp"];
      vehicle_type?: string;
      pricing_groups?: components["schemas"]["PricingGroupInput"][];
      pricing_rules?: components["schemas"]["PricingRuleInput"][];
      windows?: components["schemas"]["WindowInput"][];
      date_overrides?: components["schemas"]["DateOverrideInput"][];
    };
    FeeRefusal: {
      code: "fee_unknown";
      reason: "no_rules" | "no_rate" | "only_totals" | "vehicle_type_not_priced";
      from?: components["schemas"]["Timestamp"];
      until?: components["schemas"]["Timestamp"];
      at_least?: number;
      at_most?: number;
      currency?: string;
    };
    FeeRequest: {
      entry_at: components["schemas"]["Timestamp"];
      exit_at: components["schemas"]["Timestamp"];
      vehicle_type?: string;
    };
    FeeRuleNotApplied: {
      rule_id: components["schemas"]["Id"];
      reason: "date" | "day_type" | "time" | "order" | "not_reached" | "window" | "within_grace" | "exceeded" | "override" | "group";
    };
    FeeSurprise: {
      kind: "cap_once" | "cap_not_on_day" | "cap_ends_at_midnight" | "cap_ends_before_exit" | "special_day_price" | "other_vehicle_price" | "stay_too_long" | "grace_exceeded" | "next_step_soon" | "cheaper_if_earlier" | "cheaper_if_later" | "closed_at_exit";
      at: components["schemas"]["Timestamp"];
      amount_minor: number;
      message: {
        ja: string;
        en: string;
      };
      message_key: string;
      leave_by: components["schemas"]["Timestamp"] | null;
      saves: number | null;
    };
    FeeUnitsLine: {
      kind: "grace" | "initial" | "rate" | "flat" | "published_total";
      rule_id: components["schemas"]["Id"] | null;
      override_date: string | null;
      from: components["schemas"]["Timestamp"];
      to: components["schemas"]["Timestamp"];
      units: number;
      unit_minutes: number | null;
      unit_price: number;
      amount: number;
    };
    FieldProvenance: {
      [key: string]: {
        field_value_id: components["schemas"]["Id"];
        state: "unverified" | "confirmed" | "disputed";
        source: string | null;
        licence: string | null;
        last_verified_at: components["schemas"]["Timestamp"] | null;
        confirm_count: number;
        deny_count: number;
        my_vote: "confirm" | "deny" | null;
      };
    };
    AdminFieldValue: {
      id: components["schemas"]["Id"];
      parking_lot_id: components["schemas"]["Id"];
      parking_lot_name: string;
      field_name: string;
      value: unknown;
      state: "disputed" | "unverified" | "confirmed" | "retired";
      allowed_states: ("confirmed" | "retired")[];
      source: string | null;
      licence: string | null;
      confirm_count: number;
      deny_count: number;
      last_verified_at: components["schemas"]["Timestamp"] | null;
      decided_at: components["schemas"]["Timestamp"] | null;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    FieldValue: {
      id: components["schemas"]["Id"];
      parking_lot_id: components["schemas"]["Id"];
      field_name: string;
      value: unknown;
      state: "unverified" | "confirmed" | "disputed";
      source: string | null;
      licence: string | null;
      confirm_count: number;
      deny_count: number;
      last_verified_at: components["schemas"]["Timestamp"] | null;
      my_vote: "confirm" | "deny";
      my_vote_counts: boolean;
    };
    FieldValueDecision: {
      state: "confirmed" | "retired";
      reason?: string | null;
    };
    AdminFieldValues: {
      items: components["schemas"]["AdminFieldValue"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
      total_is_exact?: components["schemas"]["TotalIsExact"];
    };
    NearbyFilters: {
      max_height_m?: number;
      tags?: string[];
      open_now?: boolean;
      max_price?: number;
      without_surprises?: boolean;
      entry_at?: components["schemas"]["Timestamp"];
      exit_at?: components["schemas"]["Timestamp"];
    };
    FinalizeParkingSession: {
      exit_at: components["schemas"]["Timestamp"];
      client_request_id?: components["schemas"]["Id"];
    };
    FinalizedParkingSession: {
      session_id: components["schemas"]["Id"];
      total_amount: number | null;
      currency: string;
      breakdown: components["schemas"]["FeeBreakdown"] | components["schemas"]["UnknownFee"];
    };
    FoundParkingLot: {
      id: components["schemas"]["Id"];
      name: string;
      name_kana: string | null;
      address: string | null;
      lat: number;
      lng: number;
      time_zone: string;
      total_spaces: number | null;
      status: string;
      structure: string | null;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
      max_height_m: number | null;
      max_width_m: number | null;
      max_length_m: number | null;
      max_weight_t: number | null;
      min_clearance_cm: number | null;
      max_tire_width_mm: number | null;
      max_parking_duration_min: number | null;
      entry_method: string | null;
      source: string | null;
      licence: string | null;
      attribution: string | null;
      shape_type: string | null;
      operator_code: string | null;
      entry_difficulty: string | null;
      hour_price: number | null;
      currency: string;
      avg_rating: number;
      review_count: number;
      main_image: string | null;
      tags: string[];
      distance_m: number | null;
      is_saved: boolean | null;
      my_rating: "good" | "bad" | null;
      estimated_fee?: number | null;
      fee_refusal?: components["schemas"]["FeeRefusal"] | null;
      walk_minutes?: number | null;
      effective_cost?: number | null;
      walk_yen_per_minute?: number;
      planned_stay?: components["schemas"]["PlannedStay"];
      usable_for_stay?: boolean | null;
      unusable_reasons?: string[];
      surprises?: components["schemas"]["FeeSurprise"][] | null;
    };
    FoundParkingLots: {
      items: (components["schemas"]["ParkingLotTombstone"] | components["schemas"]["FoundParkingLot"])[];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
      total_is_exact?: boolean;
      has_more?: boolean;
      clusters?: components["schemas"]["ParkingLotCluster"][];
    };
    Geometry: {
      type: "Point" | "LineString" | "Polygon" | "MultiPoint" | "MultiLineString" | "MultiPolygon" | "GeometryCollection";
      coordinates?: unknown[];
      geometries?: unknown[];
    } & {
      [key: string]: unknown;
    };
    GeometryInput: {
      type: "Point" | "LineString" | "Polygon" | "MultiPoint" | "MultiLineString" | "MultiPolygon" | "GeometryCollection";
      coordinates?: unknown[];
      geometries?: unknown[];
    } & {
      [key: string]: unknown;
    };
    GooglePlayNotification: {
      message: {
        data: string;
        messageId: string;
      } & {
        [key: string]: unknown;
      };
      subscription?: string;
      deliveryAttempt?: number;
    };
    Holiday: {
      calendar: string;
      holiday_date: string;
      name: string;
      name_en: string | null;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    NewHoliday: {
      name: string;
      name_en?: string | null;
      calendar: string;
      holiday_date: string;
    };
    HolidayChanges: {
      name?: string;
      name_en?: string | null;
    };
    Holidays: {
      items: components["schemas"]["Holiday"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    Hours: {
      windows: components["schemas"]["HoursWindow"][];
      legacy_business: {
        day_type: components["schemas"]["DayType"] | null;
        open_time: components["schemas"]["ClockTime"] | null;
        close_time: components["schemas"]["ClockTime"] | null;
        is_24h: boolean | null;
      }[];
    };
    HoursSpan: {
      open_time?: components["schemas"]["ClockTime"];
      close_time?: components["schemas"]["ClockTime"];
      is_24h?: true;
      is_closed?: true;
    };
    HoursSpanInput: {
      open_time?: components["schemas"]["ClockTime"];
      close_time?: components["schemas"]["ClockTime"];
      is_24h?: true;
      is_closed?: true;
    };
    HoursWindow: {
      id: components["schemas"]["Id"];
      window_type: "business" | "entry" | "exit" | "after_hours_exit";
      day_type: components["schemas"]["DayType"] | null;
      day_of_week: number | null;
      is_24h: boolean | null;
      is_closed: boolean | null;
      open_time: components["schemas"]["ClockTime"] | null;
      close_time: components["schemas"]["ClockTime"] | null;
      effective_from: string | null;
      effective_to: string | null;
    };
    Id: string;
    ImportedLot: {
      external_id?: unknown;
      name?: unknown;
      lat?: unknown;
      lng?: unknown;
      operator_code?: unknown;
      operator_name?: unknown;
      tags?: unknown;
      windows?: unknown;
      hours?: unknown;
      pricing_rules?: unknown;
      fee_text?: unknown;
    } & {
      [key: string]: unknown;
    };
    Job: {
      name: string;
      schedule: string;
      is_active: boolean;
      last_run: {
        status: "starting" | "connecting" | "sending" | "running" | "succeeded" | "failed";
        started_at: components["schemas"]["Timestamp"];
        ended_at: components["schemas"]["Timestamp"] | null;
        duration_ms: number | null;
        error: string | null;
      } | null;
      failed_24h: number;
      next_run_at: components["schemas"]["Timestamp"] | null;
    };
    Jobs: {
      at: components["schemas"]["Timestamp"];
      items: components["schemas"]["Job"][];
    };
    Lang: "ja" | "en";
    AdminLevel: {
      level: number;
      required_exp: number;
      name: string | null;
      name_en: string | null;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    NewLevel: {
      level: number;
      required_exp: number;
      name?: string | null;
      name_en?: string | null;
    };
    LevelRecalculation: {
      status: "none" | "queued" | "running" | "done";
      done_users: number;
      total_users: number;
      started_at: components["schemas"]["Timestamp"] | null;
      updated_at: components["schemas"]["Timestamp"] | null;
      changed_users: number;
    };
    LevelUpdate: {
      required_exp?: number;
      name?: string | null;
      name_en?: string | null;
    };
    AdminLevels: {
      items: components["schemas"]["AdminLevel"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    Liveness: {
      status: "ok";
      version: string;
    };
    LotEngagement: {
      parking_lot_id: components["schemas"]["Id"];
      name: string | null;
      saves: number;
      sessions: number;
      searches: number;
    };
    LotEngagements: {
      from: string;
      to: string;
      items: components["schemas"]["LotEngagement"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    LotImport: {
      source: string;
      licence?: string;
      attribution?: string;
      source_url?: string;
      status?: "draft" | "active";
      dry_run?: boolean;
      partial?: boolean;
      lots: components["schemas"]["ImportedLot"][];
    };
    LotImportReport: {
      dry_run: boolean;
      counts: {
        read: number;
        created: number;
        updated: number;
        unchanged: number;
        rejected: number;
        warnings: number;
      };
      rows: {
        index: number;
        external_id: string | null;
        outcome: "created" | "updated" | "unchanged" | "rejected";
        parking_lot_id: components["schemas"]["Id"] | null;
        errors: {
          param: string;
          message: string;
        }[];
        warnings: {
          param: string;
          message: string;
        }[];
      }[];
    };
    MailFigures: {
      at: components["schemas"]["Timestamp"];
      messages: number;
      waiting: number;
      retrying: number;
      oldest_at: components["schemas"]["Timestamp"] | null;
      oldest_age_seconds: number | null;
      trouble: {
        reason: "outage" | "credentials" | "quota";
        since: components["schemas"]["Timestamp"];
        paused_until: components["schemas"]["Timestamp"];
      } | null;
      outcomes: {
        hour: components["schemas"]["Timestamp"];
        counts: {
          [key: string]: number;
        };
      }[];
    };
    MarkRead: {
      ids?: components["schemas"]["Id"][];
      before?: components["schemas"]["Timestamp"];
    } & (unknown | unknown);
    AdminMarkedRead: {
      updated: number;
      has_more: boolean;
    };
    MarkedRead: {
      updated: number;
    };
    Me: {
      user_id: components["schemas"]["Id"];
      email: string | null;
      app_user: {
        id: components["schemas"]["Id"];
        display_name: string | null;
        lang: components["schemas"]["Lang"];
        avatar_url: string | null;
        status: "active" | "suspended" | "withdrawn";
        created_at: components["schemas"]["Timestamp"];
      } | null;
      admin: {
        id: components["schemas"]["Id"];
        name: string | null;
        status: string;
      } | null;
      permission_scopes: string[];
    };
    MeErrorReport: {
      id: components["schemas"]["Id"];
      parking_lot_id: components["schemas"]["Id"] | null;
      parking_lot_name: string;
      report_type: string;
      severity: "low" | "medium" | "high" | "critical" | null;
      status: "open" | "in_review" | "resolved" | "rejected";
      description: string;
      evidence_urls: string[] | null;
      created_at: components["schemas"]["Timestamp"];
    };
    MeErrorReports: {
      items: components["schemas"]["MeErrorReport"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    MeUpdate: {
      lang?: components["schemas"]["Lang"];
      display_name?: string;
      avatar_asset_id?: components["schemas"]["Id"] | null;
    };
    Meter: {
      amount: number;
      currency: string;
      next_increase_at: components["schemas"]["Timestamp"] | null;
      next_amount: number | null;
      cap_reached: boolean;
      known_until: components["schemas"]["Timestamp"];
      curve: components["schemas"]["MeterPoint"][];
      notes: components["schemas"]["FeeNote"][];
      surprises: components["schemas"]["FeeSurprise"][];
    };
    MeterPoint: {
      at: components["schemas"]["Timestamp"];
      amount: number;
    };
    Metric: {
      name: string;
      type: "counter" | "gauge" | "histogram";
      help: string;
      samples: components["schemas"]["MetricSample"][];
    };
    MetricSample: {
      name: string;
      labels: {
        [key: string]: string;
      };
      value: number;
    };
    Metrics: {
      metrics: components["schemas"]["Metric"][];
    };
    NextChangeAt: {
      is_open_now: components["schemas"]["Timestamp"] | null;
      can_enter_now: components["schemas"]["Timestamp"] | null;
      can_exit_now: components["schemas"]["Timestamp"] | null;
    };
    NotifPrefItem: {
      notif_type: string;
      push_enabled: boolean;
      in_app_enabled: boolean;
      email_enabled: boolean;
    };
    NotifType: {
      code: string;
      display_label: string;
      email_allowed: boolean;
    };
    AdminNotification: {
      id: components["schemas"]["Id"];
      type: string;
      severity: string;
      title: string;
      body: string;
      link: string | null;
      area: string | null;
      is_read: boolean;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    ComposedNotification: {
      id: components["schemas"]["Id"];
      type: string;
      title: string;
      body: string;
      title_en: string | null;
      body_en: string | null;
      data: {
        [key: string]: string;
      };
      target: "all" | "free" | "premium" | "user";
      user_id: components["schemas"]["Id"] | null;
      segment: components["schemas"]["NotificationSegment"] | null;
      scheduled_at: components["schemas"]["Timestamp"] | null;
      status: components["schemas"]["ComposedNotificationStatus"];
      allowed_statuses: ("scheduled" | "sending" | "cancelled")[];
      sent_at: components["schemas"]["Timestamp"] | null;
      success_count: number;
      failure_count: number;
      suppressed_count: number;
      deferred_count: number;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    NewComposedNotification: {
      type: string;
      title: string;
      body: string;
      title_en?: string | null;
      body_en?: string | null;
      data?: {
        [key: string]: string;
      };
      target: "all" | "free" | "premium" | "user";
      user_id?: components["schemas"]["Id"] | null;
      segment?: components["schemas"]["NotificationSegment"] | null;
      scheduled_at?: components["schemas"]["Timestamp"] | null;
    };
    NotificationFunnel: {
      people: number;
      inboxes: number | null;
      devices: number;
      delivered: number;
      failed: number;
      suppressed: number;
      expired: number;
      deferred: number;
      waiting: number;
      failures: {
        outcome: "dead_token" | "wrong_sender" | "payload_fault" | "undeliverable" | "gone";
        devices: number;
        is_exact: boolean;
      }[];
      opened: number;
      opened_is_exact: boolean;
    };
    NotificationPreferences: {
      items: components["schemas"]["NotifPrefItem"][];
      types: components["schemas"]["NotifType"][];
      quiet_hours: components["schemas"]["QuietHours"] | null;
      email_available: boolean;
    };
    NotificationPreferencesUpdate: {
      items: {
        notif_type: string;
        push_enabled: boolean;
        in_app_enabled: boolean;
        email_enabled: boolean;
      }[];
      quiet_hours?: components["schemas"]["QuietHours"] | null;
    };
    NotificationReach: {
      people: number;
      devices: number;
      batches: number;
      is_exact: boolean;
    };
    NotificationSegment: {
      box?: {
        west: number;
        south: number;
        east: number;
        north: number;
      };
      min_level?: number;
      last_active_since?: components["schemas"]["Timestamp"];
      plan?: string;
    };
    ComposedNotificationStatus: "draft" | "scheduled" | "sending" | "sent" | "failed" | "cancelled";
    ComposedNotificationUpdate: {
      type?: string;
      title?: string;
      body?: string;
      title_en?: string | null;
      body_en?: string | null;
      data?: {
        [key: string]: string;
      };
      target?: "all" | "free" | "premium" | "user";
      user_id?: components["schemas"]["Id"] | null;
      segment?: components["schemas"]["NotificationSegment"] | null;
      scheduled_at?: components["schemas"]["Timestamp"] | null;
    };
    AdminNotifications: {
      items: components["schemas"]["AdminNotification"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
      total_is_exact?: components["schemas"]["TotalIsExact"];
      unread_count?: number;
    };
    ComposedNotifications: {
      items: components["schemas"]["ComposedNotification"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    Occupancy: {
      current: components["schemas"]["CurrentOccupancy"] | null;
      forecast: components["schemas"]["OccupancyForecast"];
    };
    OccupancyFeed: {
      source: "operator" | "sensor";
      reports: ({
        parking_lot_id: components["schemas"]["Id"];
        state?: components["schemas"]["OccupancyState"];
        free_spaces?: number;
        occupancy_ratio?: number;
        reported_at?: components["schemas"]["Timestamp"];
      } | unknown | unknown | unknown)[];
    };
    OccupancyFeedResult: {
      accepted: number;
      unknown: components["schemas"]["Id"][];
    };
    OccupancyForecast: {
      day_of_week: number;
      hour: number;
      sample_size: number;
      full_share: number;
      crowded_share: number;
      occupancy_ratio: number | null;
    }[];
    NewOccupancyReport: {
      state?: components["schemas"]["OccupancyState"];
      free_spaces?: number;
      occupancy_ratio?: number;
    } | unknown | unknown | unknown;
    OccupancyReport: {
      id: components["schemas"]["Id"];
      parking_lot_id: components["schemas"]["Id"];
      source: "driver" | "operator" | "sensor";
      state: components["schemas"]["OccupancyState"];
      free_spaces: number | null;
      occupancy_ratio: number | null;
      reported_at: components["schemas"]["Timestamp"];
    };
    OccupancyState: "available" | "crowded" | "full";
    OpenWork: {
      count: number;
      oldest_at: components["schemas"]["Timestamp"] | null;
      oldest_age_seconds: number | null;
    };
    OverlayDocument: {
      [key: string]: unknown;
    };
    Overview: {
      at: components["schemas"]["Timestamp"];
      people: {
        at: components["schemas"]["Timestamp"];
        all: number;
        active: number;
        new_7d: number;
        premium: number;
      } | null;
      sessions: {
        at: components["schemas"]["Timestamp"];
        parking: number;
      } | null;
      sessions_by_day: {
        at: components["schemas"]["Timestamp"];
        time_zone: string;
        days: {
          date: string;
          started: number;
        }[];
      } | null;
      open_work: {
        at: components["schemas"]["Timestamp"];
        pending_reviews: components["schemas"]["OpenWork"] | null;
        open_error_reports: components["schemas"]["OpenWork"] | null;
        waiting_tickets: components["schemas"]["OpenWork"] | null;
      };
      message_queues: {
        at: components["schemas"]["Timestamp"];
        items: {
          queue: string;
          length: number;
          due: number;
          oldest_due_at: components["schemas"]["Timestamp"] | null;
        }[];
      };
      jobs: {
        at: components["schemas"]["Timestamp"];
        active: number;
        failed_24h: number;
        last_started_at: components["schemas"]["Timestamp"] | null;
        failing: string[];
      };
      dead_messages: {
        at: components["schemas"]["Timestamp"];
        count: number;
        newest_at: components["schemas"]["Timestamp"] | null;
      };
      slow_queries: {
        at: components["schemas"]["Timestamp"];
        reason: "not_installed" | "not_loaded" | null;
        items: {
          query: string;
          calls: number;
          mean_ms: number;
          max_ms: number;
          total_ms: number;
        }[];
      } | null;
      push: components["schemas"]["PushFigures"] | null;
      mail: components["schemas"]["MailFigures"] | null;
    };
    AdminParkingLot: {
      id: components["schemas"]["Id"];
      area: components["schemas"]["Geometry"] | null;
      total_spaces: number | null;
      structure: string | null;
      max_height_m: number | null;
      max_width_m: number | null;
      max_length_m: number | null;
      max_weight_t: number | null;
      min_clearance_cm: number | null;
      max_tire_width_mm: number | null;
      max_parking_duration_min: number | null;
      name_kana: string | null;
      address: string | null;
      entry_method: string | null;
      shape_type: string | null;
      entry_difficulty: string | null;
      operator_code: string | null;
      phone: string | null;
      website: string | null;
      time_zone: string;
      holiday_calendar: string;
      currency: string;
      source: string | null;
      avg_rating: number;
      review_count: number;
      hour_price: number | null;
      price_fixed_at_entry: boolean;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
      name: string;
      lat: number;
      lng: number;
      status: components["schemas"]["ParkingLotStatus"];
      external_id: string | null;
      source_url: string | null;
      licence: string | null;
      attribution: string | null;
      allowed_statuses: components["schemas"]["ParkingLotStatus"][];
      spots: components["schemas"]["ParkingLotPublicSpot"][];
      pricing_groups: components["schemas"]["ParkingLotPublicPricingGroup"][];
      pricing_rules: components["schemas"]["AdminPricingRule"][];
      windows: components["schemas"]["HoursWindow"][];
      date_overrides: components["schemas"]["AdminDateOverride"][];
      tags: components["schemas"]["AdminParkingLotTag"][];
      images: components["schemas"]["AdminParkingLotImage"][];
    };
    NearbyParkingLot: {
      id: components["schemas"]["Id"];
      name: string;
      address: string | null;
      lat: number | null;
      lng: number | null;
      distance_m: number;
    };
    NewParkingLot: {
      name: string;
      name_kana?: string | null;
      address?: string | null;
      lat: number;
      lng: number;
      area?: components["schemas"]["GeometryInput"] | null;
      total_spaces?: number | null;
      status?: components["schemas"]["ParkingLotStatus"];
      structure?: string | null;
      max_height_m?: number | null;
      max_width_m?: number | null;
      max_length_m?: number | null;
      max_weight_t?: number | null;
      min_clearance_cm?: number | null;
      max_tire_width_mm?: number | null;
      max_parking_duration_min?: number | null;
      entry_method?: string | null;
      shape_type?: string | null;
      entry_difficulty?: "easy" | "normal" | "hard" | null;
      operator_code?: string | null;
      phone?: string | null;
      website?: string | null;
      time_zone?: string;
      holiday_calendar?: string;
      currency?: string;
      source?: string | null;
      external_id?: string | null;
      source_url?: string | null;
      licence?: string | null;
      attribution?: string | null;
      price_fixed_at_entry?: boolean;
    };
    ParkingLot: {
      id: components["schemas"]["Id"] | null;
      name: string | null;
      address: string | null;
      lat: number | null;
      lng: number | null;
      total_spaces: number | null;
      status: string | null;
      structure: string | null;
      created_at: components["schemas"]["Timestamp"] | null;
      max_height_m?: number | null;
      max_width_m?: number | null;
      max_length_m?: number | null;
      max_weight_t?: number | null;
      min_clearance_cm?: number | null;
      max_tire_width_mm?: number | null;
      max_parking_duration_min?: number | null;
      entry_method?: string | null;
      source?: string | null;
      shape_type?: string | null;
      operator_code?: string | null;
      entry_difficulty?: string | null;
      area?: components["schemas"]["Geometry"] | null;
    };
    ParkingLotChanges: {
      name?: string;
      name_kana?: string | null;
      address?: string | null;
      lat?: number;
      lng?: number;
      area?: components["schemas"]["GeometryInput"] | null;
      total_spaces?: number | null;
      status?: components["schemas"]["ParkingLotStatus"];
      structure?: string | null;
      max_height_m?: number | null;
      max_width_m?: number | null;
      max_length_m?: number | null;
      max_weight_t?: number | null;
      min_clearance_cm?: number | null;
      max_tire_width_mm?: number | null;
      max_parking_duration_min?: number | null;
      entry_method?: string | null;
      shape_type?: string | null;
      entry_difficulty?: "easy" | "normal" | "hard" | null;
      operator_code?: string | null;
      phone?: string | null;
      website?: string | null;
      time_zone?: string;
      holiday_calendar?: string;
      currency?: string;
      source?: string | null;
      external_id?: string | null;
      source_url?: string | null;
      licence?: string | null;
      attribution?: string | null;
      price_fixed_at_entry?: boolean;
    };
    ParkingLotCluster: {
      count: number;
      lat: number;
      lng: number;
      bbox: number[];
      price_min: number | null;
      price_max: number | null;
      currency: string | null;
      representative: {
        id: components["schemas"]["Id"];
        name: string;
        lat: number;
        lng: number;
        time_zone: string;
        hour_price: number | null;
        avg_rating: number;
      };
    };
    ParkingLotDetailImage: {
      id: components["schemas"]["Id"];
      parking_lot_id: components["schemas"]["Id"];
      asset_id: components["schemas"]["Id"];
      is_main: boolean;
      sort_order: number | null;
      image_url: string | null;
    };
    ParkingLotDetailOperator: {
      id: string;
      name: string;
      slug: string;
      color: string | null;
    };
    ParkingLotExport: {
      "@graph"?: {
        [key: string]: unknown;
      }[];
      type?: "FeatureCollection";
      features?: {
        [key: string]: unknown;
      }[];
      items?: {
        [key: string]: unknown;
      }[];
      next_cursor: string | null;
      has_more: boolean;
    };
    ParkingLotFieldValueIds: {
      [key: string]: components["schemas"]["Id"];
    };
    AdminParkingLotImage: {
      id: components["schemas"]["Id"];
      asset_id: components["schemas"]["Id"];
      is_main: boolean;
      sort_order: number | null;
      image_url: string | null;
    };
    ParkingLotImageInput: {
      id?: components["schemas"]["Id"];
      asset_id: components["schemas"]["Id"];
      is_main?: boolean;
      sort_order?: number | null;
    };
    ParkingLotImagesInput: {
      images: components["schemas"]["ParkingLotImageInput"][];
      reason?: string;
    };
    ParkingLotPublicPricingGroup: {
      id: components["schemas"]["Id"];
      code: string;
      name: string;
      is_default: boolean;
      display_order: number;
      vehicle_types: string[] | null;
      free_while_closed: boolean;
    };
    ParkingLotPublicSpot: {
      id: components["schemas"]["Id"];
      code: string;
      vehicle_type_max: string | null;
      is_ev_charger: boolean;
      ev_connector_type: string | null;
      accessibility: string | null;
      is_reservable: boolean;
    };
    ParkingLotRating: {
      id: components["schemas"]["Id"];
      user_id: components["schemas"]["Id"];
      parking_lot_id: components["schemas"]["Id"];
      value: "good" | "bad";
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    AdminParkingLotRow: {
      id: components["schemas"]["Id"];
      name: string;
      address: string | null;
      lat: number;
      lng: number;
      status: components["schemas"]["ParkingLotStatus"];
      operator_code: string | null;
      source: string | null;
      external_id: string | null;
      total_spaces: number | null;
      hour_price: number | null;
      currency: string;
      avg_rating: number;
      review_count: number;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    ParkingLotStatus: "draft" | "active" | "suspended" | "closed";
    AdminParkingLotTag: {
      tag_id: components["schemas"]["Id"];
      slug: string;
      name: string;
      state: boolean | null;
    };
    ParkingLotTag: {
      tag_id: components["schemas"]["Id"];
      state: boolean | null;
      tag: components["schemas"]["Tag"] | null;
    };
    ParkingLotTagInput: {
      tag_id: components["schemas"]["Id"];
      state?: boolean | null;
    };
    ParkingLotTagsInput: {
      tags: components["schemas"]["ParkingLotTagInput"][];
      reason?: string;
    };
    ParkingLotTombstone: {
      id: components["schemas"]["Id"];
      deleted: true;
      at: components["schemas"]["Timestamp"];
    };
    ParkingLotWithDetail: {
      id: components["schemas"]["Id"];
      name: string | null;
      name_kana: string | null;
      address: string | null;
      lat: number | null;
      lng: number | null;
      area: components["schemas"]["Geometry"] | null;
      total_spaces: number | null;
      status: string | null;
      structure: string | null;
      max_height_m: number | null;
      max_width_m: number | null;
      max_length_m: number | null;
      max_weight_t: number | null;
      min_clearance_cm: number | null;
      max_tire_width_mm: number | null;
      max_parking_duration_min: number | null;
      entry_method: string | null;
      shape_type: string | null;
      entry_difficulty: string | null;
      operator_code: string | null;
      phone: string | null;
      website: string | null;
      time_zone: string;
      holiday_calendar: string;
      currency: string;
      source: string | null;
      avg_rating: number;
      review_count: number;
      good_count: number;
      bad_count: number;
      hour_price: number | null;
      price_fixed_at_entry: boolean;
      main_image: string | null;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
      pricing_rules: components["schemas"]["PricingRule"][];
      pricing_groups: components["schemas"]["ParkingLotPublicPricingGroup"][];
      images: components["schemas"]["ParkingLotDetailImage"][];
      tags: components["schemas"]["ParkingLotTag"][];
      operator: components["schemas"]["ParkingLotDetailOperator"] | null;
      spots: components["schemas"]["ParkingLotPublicSpot"][];
      date_overrides: components["schemas"]["DateOverride"][];
      is_open_now: boolean | null;
      derived: components["schemas"]["Derived"];
      next_change_at: components["schemas"]["NextChangeAt"];
      planned_stay: components["schemas"]["PlannedStayWithFee"] | null;
      fit: components["schemas"]["VehicleFit"] | null;
      availability: components["schemas"]["CurrentOccupancy"] | null;
      is_saved: boolean | null;
      my_rating: "good" | "bad" | null;
      provenance: components["schemas"]["Provenance"];
      field_value_ids?: components["schemas"]["ParkingLotFieldValueIds"];
      hours?: components["schemas"]["Hours"];
      week?: components["schemas"]["Week"];
      fee_curve?: components["schemas"]["MeterPoint"][] | null;
      field_provenance?: components["schemas"]["FieldProvenance"];
      occupancy_forecast?: components["schemas"]["OccupancyForecast"];
    };
    NearbyParkingLotWithRanking: {
      id: components["schemas"]["Id"];
      name: string;
      address: string | null;
      lat: number | null;
      lng: number | null;
      distance_m: number;
      time_zone: string;
      avg_rating: number;
      review_count: number;
      main_image: string | null;
      tags: string[];
      ranking_score: number;
      ranking_rank: number;
      is_top3: boolean;
      ranking_components: components["schemas"]["RankingComponents"];
      estimated_fee: number | null;
      currency: string;
      fee_refusal: components["schemas"]["FeeRefusal"] | null;
      walk_minutes: number;
      effective_cost: number | null;
      walk_yen_per_minute: number;
      surprises: components["schemas"]["FeeSurprise"][] | null;
      planned_stay: components["schemas"]["PlannedStay"] | null;
      fit: components["schemas"]["VehicleFit"] | null;
      is_saved: boolean | null;
      my_rating: "good" | "bad" | null;
      availability: components["schemas"]["CurrentOccupancy"] | null;
      usable_for_stay: boolean | null;
      unusable_reasons: string[];
    };
    AdminParkingLots: {
      items: components["schemas"]["AdminParkingLotRow"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
      total_is_exact?: components["schemas"]["TotalIsExact"];
    };
    NewParkingSession: {
      parking_lot_id: components["schemas"]["Id"];
      vehicle_id?: components["schemas"]["Id"];
      vehicle_type?: string;
      start_lat?: number | null;
      start_lng?: number | null;
      client_request_id?: components["schemas"]["Id"];
      started_at?: components["schemas"]["Timestamp"];
    };
    ParkingSession: {
      id: components["schemas"]["Id"];
      user_id: components["schemas"]["Id"];
      parking_lot_id: components["schemas"]["Id"];
      parking_lot_name: string;
      status: components["schemas"]["SessionStatus"];
      vehicle_id: components["schemas"]["Id"] | null;
      vehicle_type: string | null;
      started_at: components["schemas"]["Timestamp"] | null;
      ended_at: components["schemas"]["Timestamp"] | null;
      total_amount_minor: number | null;
      currency: string | null;
      memo: string | null;
      personal_rating: string | null;
      start_lat: number | null;
      start_lng: number | null;
      created_at: components["schemas"]["Timestamp"];
      is_start_reported: boolean;
    };
    ParkingSessionDetail: {
      id: components["schemas"]["Id"];
      user_id: components["schemas"]["Id"];
      parking_lot_id: components["schemas"]["Id"];
      parking_lot_name: string;
      status: components["schemas"]["SessionStatus"];
      vehicle_id: components["schemas"]["Id"] | null;
      vehicle_type: string | null;
      started_at: components["schemas"]["Timestamp"] | null;
      ended_at: components["schemas"]["Timestamp"] | null;
      total_amount_minor: number | null;
      currency: string | null;
      memo: string | null;
      personal_rating: string | null;
      start_lat: number | null;
      start_lng: number | null;
      created_at: components["schemas"]["Timestamp"];
      is_start_reported: boolean;
      breakdown: (components["schemas"]["FeeBreakdown"] | components["schemas"]["UnknownFee"]) | null;
      rules: components["schemas"]["RulesOfStay"] | null;
      photos: components["schemas"]["SessionPhoto"][];
    };
    ParkingSessionUpdate: {
      memo?: string | null;
      personal_rating?: string | null;
    };
    ParkingSessions: {
      items: components["schemas"]["ParkingSession"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    Place: {
      id: string;
      kind: "prefecture" | "municipality" | "town" | "station" | "interchange" | "airport" | "civic" | "district" | "hall" | "hospital" | "mall" | "mountain" | "museum" | "park" | "port" | "temple" | "themepark" | "tower" | "lot";
      name: string;
      name_en: string | null;
      area: string | null;
      lat: number;
      lng: number;
      radius_m: number;
    };
    PlacesResponse: {
      items: components["schemas"]["Place"][];
    };
    NewPlanFeatures: string[] | {
      [key: string]: unknown;
    };
    PlanFeatures: string[] | {
      [key: string]: unknown;
    };
    PlannedStay: {
      entry_at: components["schemas"]["Timestamp"];
      exit_at: components["schemas"]["Timestamp"];
      is_open_at_entry: boolean | null;
      can_enter_at: boolean | null;
      can_exit_at: boolean | null;
      locked_in: boolean | null;
      next_exit_at: components["schemas"]["Timestamp"] | null;
      holiday_calendar_unknown: boolean;
    };
    PlannedStayWithFee: {
      entry_at: components["schemas"]["Timestamp"];
      exit_at: components["schemas"]["Timestamp"];
      is_open_at_entry: boolean | null;
      can_enter_at: boolean | null;
      can_exit_at: boolean | null;
      locked_in: boolean | null;
      next_exit_at: components["schemas"]["Timestamp"] | null;
      holiday_calendar_unknown: boolean;
      vehicle_type: string;
      fee: components["schemas"]["Fee"] | null;
      fee_refusal: components["schemas"]["FeeRefusal"] | null;
    };
    PricingGroupInput: {
      id?: components["schemas"]["Id"];
      code: string;
      name: string;
      is_default?: boolean;
      display_order?: number;
      vehicle_types?: string[] | null;
      free_while_closed?: boolean;
    };
    PricingGroupsInput: {
      pricing_groups: components["schemas"]["PricingGroupInput"][];
      reason?: string;
    };
    AdminPricingRule: {
      id: components["schemas"]["Id"];
      pricing_group_id: components["schemas"]["Id"] | null;
      category: components["schemas"]["PricingRuleCategory"];
      rule_order: number;
      time_start: components["schemas"]["ClockTime"] | null;
      time_end: components["schemas"]["ClockTime"] | null;
      day_type: components["schemas"]["DayType"] | null;
      per_minutes: number | null;
      price_minor: number | null;
      cap_type: components["schemas"]["FeeCapType"] | null;
      cap_duration_hours: number | null;
      cap_price_minor: number | null;
      cap_repeat: boolean | null;
      effective_from: string | null;
      effective_to: string | null;
      max_units: number | null;
    };
    PricingRule: {
      id: components["schemas"]["Id"];
      parking_lot_id: components["schemas"]["Id"];
      pricing_group_id: components["schemas"]["Id"] | null;
      category: components["schemas"]["PricingRuleCategory"];
      rule_order: number;
      time_start: components["schemas"]["ClockTime"] | null;
      time_end: components["schemas"]["ClockTime"] | null;
      day_type: components["schemas"]["DayType"] | null;
      per_minutes: number | null;
      price_minor: number | null;
      cap_type: components["schemas"]["FeeCapType"] | null;
      cap_duration_hours: number | null;
      cap_price_minor: number | null;
      cap_repeat: boolean | null;
      effective_from: string | null;
      effective_to: string | null;
      max_units: number | null;
    };
    PricingRuleCategory: "time_band" | "flat" | "initial" | "grace" | "cap" | "published_total";
    PricingRuleInput: {
      id?: components["schemas"]["Id"];
      pricing_group_id?: components["schemas"]["Id"] | null;
      category: components["schemas"]["PricingRuleCategory"];
      rule_order?: number;
      time_start?: components["schemas"]["ClockTime"] | null;
      time_end?: components["schemas"]["ClockTime"] | null;
      day_type?: components["schemas"]["DayType"] | null;
      per_minutes?: number | null;
      price_minor?: number | null;
      cap_type?: components["schemas"]["FeeCapType"] | null;
      cap_duration_hours?: number | null;
      cap_price_minor?: number | null;
      cap_repeat?: boolean | null;
      max_units?: number | null;
      effective_from?: string | null;
      effective_to?: string | null;
    };
    PricingRules: {
      items: components["schemas"]["PricingRule"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    PricingRulesInput: {
      pricing_rules: components["schemas"]["PricingRuleInput"][];
      reason?: string;
    };
    ProcessedNotifications: {
      recorded: number;
      refused: number;
      later: number;
    };
    Provenance: {
      source: string | null;
      external_id: string | null;
      source_url: string | null;
      licence: string | null;
      attribution: string | null;
    };
    PushFigures: {
      at: components["schemas"]["Timestamp"];
      messages: number;
      waiting: number;
      retrying: number;
      oldest_at: components["schemas"]["Timestamp"] | null;
      oldest_age_seconds: number | null;
      trouble: {
        reason: "outage" | "credentials" | "not_configured";
        since: components["schemas"]["Timestamp"];
        paused_until: components["schemas"]["Timestamp"];
      } | null;
      outcomes: {
        hour: components["schemas"]["Timestamp"];
        counts: {
          [key: string]: number;
        };
      }[];
    };
    NewPushToken: {
      fcm_token: string;
      device_type: "ios" | "android" | "web";
    };
    QuietHours: {
      from: string;
      to: string;
      time_zone: string;
    };
    RankingComponents: {
      price: number;
      distance: number;
      rating: number;
    };
    NewRating: {
      value: "good" | "bad";
    };
    Readiness: {
      status: "ok";
      version: string;
      database: "ok";
      migration: string;
      newer_migrations: string[];
    };
    RealtimeContractDocument: {
      [key: string]: unknown;
    };
    ReceivedNotification: {
      status: "stored" | "known" | "ignored";
    };
    ReconciledSubscriptions: {
      recorded: number;
      acknowledged: number;
      refused: number;
      later: number;
    };
    RefreshIapRequest: {
      platform: "ios" | "android";
      receipt: string;
      product_id: string;
      transaction_id?: string;
    };
    RegisteredAiKey: {
      status: "registered";
      provider_id: string;
    };
    RequeuedMessage: {
      queue: string;
      msg_id: number;
    };
    AdminReview: {
      id: components["schemas"]["Id"];
      parking_lot_id: components["schemas"]["Id"];
      parking_lot_name: string;
      user_id: components["schemas"]["Id"] | null;
      user_name: string | null;
      rating: number;
      comment: string | null;
      status: components["schemas"]["ReviewStatus"];
      allowed_statuses: ("approved" | "rejected" | "hidden")[];
      photo_urls: string[];
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    MyReview: {
      id: components["schemas"]["Id"];
      parking_lot_id: components["schemas"]["Id"];
      rating: number;
      comment: string | null;
      status: components["schemas"]["ReviewStatus"];
      photo_urls: string[];
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
      user_id: components["schemas"]["Id"];
    };
    NewReview: {
      rating: number;
      comment?: string | null;
      photo_asset_ids?: components["schemas"]["Id"][];
    };
    PublicReview: {
      id: components["schemas"]["Id"];
      parking_lot_id: components["schemas"]["Id"];
      rating: number;
      comment: string | null;
      status: components["schemas"]["ReviewStatus"];
      photo_urls: string[];
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
      user_id: components["schemas"]["Id"] | null;
      user_name: string;
    };
    ReviewDecision: {
      status: "approved" | "rejected" | "hidden";
      reason?: string | null;
      seen_updated_at: components["schemas"]["Timestamp"];
    };
    ReviewDecisionOutcomes: {
      items: {
        id: components["schemas"]["Id"];
        outcome: "decided" | "error";
        error?: {
          code: string;
          message: string;
          param: string | null;
          details: {
            [key: string]: unknown;
          } | null;
        };
      }[];
    };
    ReviewDecisions: {
      decisions: {
        id: components["schemas"]["Id"];
        status: "approved" | "rejected" | "hidden";
        reason?: string | null;
        seen_updated_at: components["schemas"]["Timestamp"];
      }[];
    };
    ReviewStatus: "pending" | "approved" | "rejected" | "hidden";
    ReviewUpdate: {
      rating?: number;
      comment?: string | null;
      photo_asset_ids?: components["schemas"]["Id"][];
    };
    AdminReviews: {
      items: components["schemas"]["AdminReview"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
      total_is_exact?: components["schemas"]["TotalIsExact"];
    };
    MyReviews: {
      items: components["schemas"]["MyReview"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    PublicReviews: {
      items: components["schemas"]["PublicReview"][];
      next_cursor: string | null;
      rating_histogram: {
        1: number;
        2: number;
        3: number;
        4: number;
        5: number;
      };
      total?: components["schemas"]["Total"];
    };
    RuleOfStay: {
      id: components["schemas"]["Id"];
      parking_lot_id: components["schemas"]["Id"];
      pricing_group_id: components["schemas"]["Id"] | null;
      category: components["schemas"]["PricingRuleCategory"];
      rule_order: number;
      time_start: components["schemas"]["ClockTime"] | null;
      time_end: components["schemas"]["ClockTime"] | null;
      day_type: components["schemas"]["DayType"] | null;
      per_minutes: number | null;
      price_minor: number | null;
      cap_type: components["schemas"]["FeeCapType"] | null;
      cap_duration_hours: number | null;
      cap_price_minor: number | null;
      cap_repeat: boolean | null;
      effective_from?: string | null;
      effective_to?: string | null;
      max_units?: number | null;
    };
    RulesOfStay: {
      time_zone: string;
      holiday_calendar: string | null;
      price_fixed_at_entry?: boolean;
      pricing_rules: components["schemas"]["RuleOfStay"][];
      pricing_groups: {
        id: components["schemas"]["Id"];
        code: string;
        name: string;
        is_default: boolean;
        display_order: number;
        vehicle_types: string[] | null;
        free_while_closed?: boolean;
      }[];
      date_overrides: {
        override_date: string;
        pricing: {
          [key: string]: unknown;
        }[];
      }[];
    };
    NewSavedParkingLot: {
      parking_lot_id: components["schemas"]["Id"];
    };
    SavedParkingLot: {
      id: components["schemas"]["Id"];
      user_id: components["schemas"]["Id"];
      parking_lot_id: components["schemas"]["Id"];
      created_at: components["schemas"]["Timestamp"];
    };
    SavedParkingLotWithLot: {
      id: components["schemas"]["Id"];
      user_id: components["schemas"]["Id"];
      parking_lot_id: components["schemas"]["Id"];
      created_at: components["schemas"]["Timestamp"];
      parking_lot: components["schemas"]["FoundParkingLot"] | null;
    };
    SavedParkingLots: {
      items: components["schemas"]["SavedParkingLotWithLot"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    SearchAttributes: ("covered" | "open_24h" | "entry_24h" | "ev_charging" | "oversized_ok" | "motorcycle_ok" | "wheelchair_accessible" | "barrier_free" | "reservable" | "security_camera" | "has_max_fee" | "monthly_available" | "coin_500_or_less" | "near_station" | "low_price" | "partner_facility" | "24h" | "max_fee")[];
    SearchPreferences: {
      is_premium: boolean;
      yen_per_walk_minute: number;
      is_default: boolean;
    };
    SearchPreferencesUpdate: {
      yen_per_walk_minute: number;
    };
    NewSearchPreset: {
      name: string;
      query_json: components["schemas"]["SearchQueryV1"];
      is_default?: boolean;
      sort_order?: number;
    };
    SearchPreset: {
      id: components["schemas"]["Id"];
      user_id: components["schemas"]["Id"];
      name: string;
      query_json: components["schemas"]["SearchQueryV1"];
      is_default: boolean;
      sort_order: number;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    SearchPresetUpdate: {
      name?: string;
      query_json?: components["schemas"]["SearchQueryV1"];
      sort_order?: number;
    };
    SearchPresets: {
      items: components["schemas"]["SearchPreset"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    SearchQueryV1: {
      v?: number;
      center?: {
        lat: number;
        lng: number;
        placeName?: string;
      };
      radius_m?: number;
      price_min?: number | null;
      price_max?: number | null;
      attributes?: components["schemas"]["SearchAttributes"];
      difficulty?: ("easy" | "normal" | "hard")[];
      operator_codes?: string[];
      vehicle?: components["schemas"]["Vehicle"];
      keywords?: string[];
      meter_ticket_included?: boolean;
      sort?: "distance" | "price" | "recommended";
    };
    SendNotification: {
      id?: components["schemas"]["Id"];
    };
    SentNotification: {
      notification_id: components["schemas"]["Id"];
      enqueued: number;
      batches: number;
    };
    NewSessionPhoto: {
      asset_id: components["schemas"]["Id"];
    };
    SessionPhoto: {
      id: components["schemas"]["Id"];
      phase: "during" | "after";
      slot: number;
      asset_id: components["schemas"]["Id"];
      storage_key: string;
      content_type: string | null;
      size_bytes: number | null;
      created_at: components["schemas"]["Timestamp"];
      url: string;
    };
    SessionStatus: "parking" | "ended" | "cancelled";
    AdminSponsor: {
      id: components["schemas"]["Id"];
      name: string;
      description: string | null;
      category: string | null;
      address: string | null;
      lat: number;
      lng: number;
      website: string | null;
      image_url: string | null;
      opening_hours: components["schemas"]["WeeklyHours"] | null;
      time_zone: string;
      checkin_radius_m: number;
      starts_at: components["schemas"]["Timestamp"];
      ends_at: components["schemas"]["Timestamp"] | null;
      sort_order: number;
      image_asset_id: components["schemas"]["Id"] | null;
      is_active: boolean;
      status: "scheduled" | "shown" | "ended" | "withdrawn";
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    NearbySponsor: {
      id: components["schemas"]["Id"];
      name: string;
      description: string | null;
      category: string | null;
      address: string | null;
      lat: number;
      lng: number;
      website: string | null;
      image_url: string | null;
      opening_hours: components["schemas"]["WeeklyHours"] | null;
      time_zone: string;
      is_open_now: boolean | null;
      checkin_radius_m: number;
      starts_at: components["schemas"]["Timestamp"];
      ends_at: components["schemas"]["Timestamp"] | null;
      sort_order: number;
      distance_m: number;
    };
    NewSponsor: {
      name: string;
      description?: string | null;
      category?: string | null;
      address?: string | null;
      lat: number;
      lng: number;
      website?: string | null;
      image_asset_id?: components["schemas"]["Id"] | null;
      opening_hours?: {
        weekday: number;
        opens: string;
        closes: string;
      }[] | null;
      time_zone?: string;
      checkin_radius_m?: number;
      sort_order?: number;
      starts_at?: components["schemas"]["Timestamp"];
      ends_at?: components["schemas"]["Timestamp"] | null;
      is_active?: boolean;
    };
    Sponsor: {
      id: components["schemas"]["Id"];
      name: string;
      description: string | null;
      category: string | null;
      address: string | null;
      lat: number;
      lng: number;
      website: string | null;
      image_url: string | null;
      opening_hours: components["schemas"]["WeeklyHours"] | null;
      time_zone: string;
      is_open_now: boolean | null;
      checkin_radius_m: number;
      starts_at: components["schemas"]["Timestamp"];
      ends_at: components["schemas"]["Timestamp"] | null;
      sort_order: number;
    };
    SponsorChanges: {
      name?: string;
      description?: string | null;
      category?: string | null;
      address?: string | null;
      lat?: number;
      lng?: number;
      website?: string | null;
      image_asset_id?: components["schemas"]["Id"] | null;
      opening_hours?: {
        weekday: number;
        opens: string;
        closes: string;
      }[] | null;
      time_zone?: string;
      checkin_radius_m?: number;
      sort_order?: number;
      starts_at?: components["schemas"]["Timestamp"];
      ends_at?: components["schemas"]["Timestamp"] | null;
      is_active?: boolean;
    };
    SponsorCheckin: {
      id: components["schemas"]["Id"];
      sponsor_id: components["schemas"]["Id"];
      local_date: string;
      distance_m: number;
      created_at: components["schemas"]["Timestamp"];
      counted: boolean;
    };
    AdminSponsors: {
      items: components["schemas"]["AdminSponsor"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    NearbySponsors: components["schemas"]["NearbySponsor"][];
    Sponsors: {
      items: components["schemas"]["Sponsor"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    SpotInput: {
      id?: components["schemas"]["Id"];
      code: string;
      vehicle_type_max?: string | null;
      is_ev_charger?: boolean;
      ev_connector_type?: string | null;
      accessibility?: string | null;
      is_reservable?: boolean;
    };
    SpotsInput: {
      spots: components["schemas"]["SpotInput"][];
      reason?: string;
    };
    StandardStayFee: {
      total_amount: number | null;
      reason: string | null;
    };
    StartedParkingSession: {
      session_id: components["schemas"]["Id"];
      status: components["schemas"]["SessionStatus"];
    };
    StorageSweep: {
      published: number;
      deleted: number;
      failed: number;
    };
    Store: "android_store" | "ios_store";
    StoreMetric: {
      id: components["schemas"]["Id"];
      store: components["schemas"]["Store"];
      metric_date: string;
      metric: string;
      value: number;
      reported_on: string;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    StoreMetrics: {
      items: components["schemas"]["StoreMetric"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
      total_is_exact?: components["schemas"]["TotalIsExact"];
    };
    StoreReview: {
      id: components["schemas"]["Id"];
      store: components["schemas"]["Store"];
      review_id: string;
      rating: number;
      title: string | null;
      body: string;
      language: string | null;
      territory: string | null;
      author_name: string | null;
      app_version: string | null;
      response_body: string | null;
      responded_at: components["schemas"]["Timestamp"] | null;
      reviewed_at: components["schemas"]["Timestamp"];
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    StoreReviews: {
      items: components["schemas"]["StoreReview"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
      total_is_exact?: components["schemas"]["TotalIsExact"];
    };
    StoreSale: {
      id: components["schemas"]["Id"];
      store: components["schemas"]["Store"];
      sale_date: string;
      sku: string;
      title: string | null;
      product_type: string;
      country: string;
      currency: string;
      units: number;
      refund_units: number;
      amount_minor: number;
      refund_minor: number;
      proceeds_currency: string;
      proceeds_minor: number | null;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    StoreSales: {
      items: components["schemas"]["StoreSale"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
      total_is_exact?: components["schemas"]["TotalIsExact"];
    };
    StoreSalesSums: {
      from: string;
      to: string;
      items: {
        sale_date: string;
        store: components["schemas"]["Store"];
        currency: string;
        units: number;
        refund_units: number;
        amount_minor: number;
        refund_minor: number;
      }[];
      proceeds: {
        sale_date: string;
        store: components["schemas"]["Store"];
        currency: string;
        proceeds_minor: number;
      }[];
    };
    StoreSyncRun: {
      id: components["schemas"]["Id"];
      store: components["schemas"]["Store"];
      task: "sales" | "metrics" | "reviews";
      status: "queued" | "running" | "succeeded" | "failed";
      requested_by: components["schemas"]["Id"] | null;
      rows_read: number;
      rows_written: number;
      error: {
        code: string;
        message: string;
      } | null;
      problem: {
        code: string;
        message: string;
      } | null;
      due_at: components["schemas"]["Timestamp"] | null;
      created_at: components["schemas"]["Timestamp"];
      started_at: components["schemas"]["Timestamp"] | null;
      finished_at: components["schemas"]["Timestamp"] | null;
    };
    StoreSyncRuns: {
      items: components["schemas"]["StoreSyncRun"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    AdminSubscription: {
      id: components["schemas"]["Id"];
      user_id: components["schemas"]["Id"] | null;
      plan_id: components["schemas"]["Id"];
      plan_code: string;
      provider: "ios_store" | "android_store";
      environment: "Production" | "Sandbox";
      external_subscription_id: string | null;
      status: components["schemas"]["SubscriptionStatus"];
      gives_premium: boolean;
      access_ends_at: components["schemas"]["Timestamp"] | null;
      started_at: components["schemas"]["Timestamp"];
      ended_at: components["schemas"]["Timestamp"] | null;
      auto_renewing: boolean;
      is_trial_period: boolean;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
      user: components["schemas"]["AdminUserListItem"] | null;
      store_status: components["schemas"]["SubscriptionStatus"];
      is_revoked_by_hand: boolean;
      auto_renew_status: boolean | null;
      next_billing_date: components["schemas"]["Timestamp"] | null;
      original_purchase_date: components["schemas"]["Timestamp"];
      superseded_at: components["schemas"]["Timestamp"] | null;
      supersedes_id: components["schemas"]["Id"] | null;
      needs_acknowledgement: boolean;
      acknowledged_at: components["schemas"]["Timestamp"] | null;
      heard_at: components["schemas"]["Timestamp"];
      ask_at: components["schemas"]["Timestamp"] | null;
    };
    MySubscription: {
      id: components["schemas"]["Id"] | null;
      plan_id: components["schemas"]["Id"] | null;
      plan: components["schemas"]["SubscriptionPlan"] | null;
      status: components["schemas"]["SubscriptionStatus"] | null;
      started_at: components["schemas"]["Timestamp"] | null;
      ended_at: components["schemas"]["Timestamp"] | null;
    };
    AdminSubscriptionEvent: {
      id: components["schemas"]["Id"];
      event_id: string;
      source: "verify" | "refresh" | "notification" | "reconciliation" | "admin";
      type: string | null;
      subtype: string | null;
      status: components["schemas"]["SubscriptionStatus"] | null;
      occurred_at: components["schemas"]["Timestamp"];
      confirmed_at: components["schemas"]["Timestamp"];
      received_at: components["schemas"]["Timestamp"];
      facts: {
        [key: string]: unknown;
      } | null;
      payload: {
        [key: string]: unknown;
      };
    };
    SubscriptionEvent: {
      id: components["schemas"]["Id"];
      subscription_id: components["schemas"]["Id"];
      provider: "ios_store" | "android_store";
      source: "verify" | "refresh" | "notification" | "reconciliation" | "admin";
      type: string | null;
      subtype: string | null;
      status: components["schemas"]["SubscriptionStatus"] | null;
      occurred_at: components["schemas"]["Timestamp"];
    };
    AdminSubscriptionEvents: {
      items: components["schemas"]["AdminSubscriptionEvent"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    SubscriptionEvents: {
      items: components["schemas"]["SubscriptionEvent"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    AdminSubscriptionListItem: {
      id: components["schemas"]["Id"];
      user_id: components["schemas"]["Id"] | null;
      plan_id: components["schemas"]["Id"];
      plan_code: string;
      provider: "ios_store" | "android_store";
      environment: "Production" | "Sandbox";
      external_subscription_id: string | null;
      status: components["schemas"]["SubscriptionStatus"];
      gives_premium: boolean;
      access_ends_at: components["schemas"]["Timestamp"] | null;
      started_at: components["schemas"]["Timestamp"];
      ended_at: components["schemas"]["Timestamp"] | null;
      auto_renewing: boolean;
      is_trial_period: boolean;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    AdminSubscriptionPlan: {
      id: components["schemas"]["Id"];
      code: string;
      name: string;
      description: string | null;
      price_minor: number;
      currency: string;
      billing_period: string;
      accent_color: string | null;
      features: components["schemas"]["PlanFeatures"];
      sort_order: number;
      name_en: string | null;
      description_en: string | null;
      features_en: components["schemas"]["PlanFeatures"] | null;
      is_active: boolean;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    NewSubscriptionPlan: {
      name: string;
      name_en?: string | null;
      description?: string | null;
      description_en?: string | null;
      price_minor: number;
      currency?: string;
      billing_period: "week" | "month" | "year" | "one_time";
      accent_color?: string | null;
      features?: components["schemas"]["NewPlanFeatures"];
      features_en?: components["schemas"]["NewPlanFeatures"] | null;
      sort_order?: number;
      is_active?: boolean;
      code: string;
    };
    SubscriptionPlan: {
      id: components["schemas"]["Id"];
      code: string;
      name: string;
      description: string | null;
      price_minor: number;
      currency: string;
      billing_period: string;
      accent_color: string | null;
      features: components["schemas"]["PlanFeatures"];
      sort_order: number;
    };
    SubscriptionPlanChanges: {
      name?: string;
      name_en?: string | null;
      description?: string | null;
      description_en?: string | null;
      price_minor?: number;
      currency?: string;
      billing_period?: "week" | "month" | "year" | "one_time";
      accent_color?: string | null;
      features?: components["schemas"]["NewPlanFeatures"];
      features_en?: components["schemas"]["NewPlanFeatures"] | null;
      sort_order?: number;
      is_active?: boolean;
    };
    AdminSubscriptionPlans: {
      items: components["schemas"]["AdminSubscriptionPlan"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    SubscriptionPlans: {
      items: components["schemas"]["SubscriptionPlan"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    SubscriptionStatus: "active" | "expired" | "revoked" | "grace" | "on_hold" | "paused" | "pending" | "unknown";
    AdminSubscriptions: {
      items: components["schemas"]["AdminSubscriptionListItem"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
      total_is_exact?: components["schemas"]["TotalIsExact"];
    };
    NewSupportAnswer: {
      message: string;
      seen_updated_at: components["schemas"]["Timestamp"];
    };
    SupportAnswer: {
      message: components["schemas"]["AdminSupportMessage"];
      ticket: components["schemas"]["AdminSupportTicket"];
    };
    AdminSupportMessage: {
      id: components["schemas"]["Id"];
      author: "user" | "support";
      body: string;
      attachment_urls: string[];
      created_at: components["schemas"]["Timestamp"];
      admin_id: components["schemas"]["Id"] | null;
      admin_name: string | null;
    };
    NewSupportMessage: {
      message: string;
      attachment_asset_ids?: components["schemas"]["Id"][];
    };
    SupportMessage: {
      id: components["schemas"]["Id"];
      author: "user" | "support";
      body: string;
      attachment_urls: string[];
      created_at: components["schemas"]["Timestamp"];
    };
    AdminSupportTicket: {
      id: components["schemas"]["Id"];
      category: string;
      subject: string;
      status: "open" | "answered" | "closed";
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
      user_id: components["schemas"]["Id"];
      user_name: string | null;
      status_changed_at: components["schemas"]["Timestamp"];
      allowed_statuses: ("answered" | "closed")[];
      message_count: number;
      last_message_at: components["schemas"]["Timestamp"] | null;
    };
    NewSupportTicket: {
      category: string;
      subject: string;
      message: string;
      attachment_asset_ids?: components["schemas"]["Id"][];
    };
    SupportTicket: {
      id: components["schemas"]["Id"];
      category: string;
      subject: string;
      status: "open" | "answered" | "closed";
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    SupportTicketDecision: {
      status: "closed";
      seen_updated_at: components["schemas"]["Timestamp"];
    };
    AdminSupportTicketDetail: {
      id: components["schemas"]["Id"];
      category: string;
      subject: string;
      status: "open" | "answered" | "closed";
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
      user_id: components["schemas"]["Id"];
      user_name: string | null;
      status_changed_at: components["schemas"]["Timestamp"];
      allowed_statuses: ("answered" | "closed")[];
      message_count: number;
      last_message_at: components["schemas"]["Timestamp"] | null;
      messages: components["schemas"]["AdminSupportMessage"][];
      next_cursor: string | null;
    };
    SupportTicketDetail: {
      id: components["schemas"]["Id"];
      category: string;
      subject: string;
      status: "open" | "answered" | "closed";
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
      messages: components["schemas"]["SupportMessage"][];
      next_cursor: string | null;
    };
    AdminSupportTickets: {
      items: components["schemas"]["AdminSupportTicket"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
      total_is_exact?: components["schemas"]["TotalIsExact"];
    };
    SupportTickets: {
      items: components["schemas"]["SupportTicket"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    SyncedStores: {
      succeeded: number;
      failed: number;
      postponed: number;
    };
    AdminTag: {
      id: components["schemas"]["Id"];
      name: string;
      color: string | null;
      slug: string;
      category: string | null;
      icon_name: string | null;
      sort_order: number;
      name_en: string | null;
      is_active: boolean;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    NewTag: {
      name: string;
      name_en?: string | null;
      color?: string | null;
      category?: string | null;
      icon_name?: string | null;
      sort_order?: number;
      is_active?: boolean;
      slug: string;
    };
    Tag: {
      id: components["schemas"]["Id"];
      name: string;
      color: string | null;
      slug: string;
      category: string | null;
      icon_name: string | null;
    };
    TagChanges: {
      name?: string;
      name_en?: string | null;
      color?: string | null;
      category?: string | null;
      icon_name?: string | null;
      sort_order?: number;
      is_active?: boolean;
    };
    TagRow: {
      id: components["schemas"]["Id"];
      name: string;
      color: string | null;
      slug: string;
      category: string | null;
      icon_name: string | null;
      sort_order: number;
    };
    AdminTags: {
      items: components["schemas"]["AdminTag"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    TagsResponse: {
      items: components["schemas"]["TagRow"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    TariffReading: {
      is_accepted: boolean;
      rules: components["schemas"]["PricingRuleInput"][];
      parts: {
        rule: number;
        from: number;
        to: number;
      }[];
      unread: {
        from: number;
        to: number;
        reason: "ambiguous_day" | "ambiguous_number" | "amount_without_unit" | "band" | "cap_window_missing" | "contradiction" | "days_not_expressible" | "days_unclear" | "discount" | "monthly" | "no_rate" | "number" | "open_band" | "other_currency" | "overlapping_rates" | "special_days" | "tax" | "too_many_rules" | "unknown_words" | "vehicle";
      }[];
      text: {
        ja: string;
        en: string;
      } | null;
      max_parking_duration_min: number | null;
      currency: string;
      stays: {
        name: "hour" | "three_hours" | "day" | "night" | "day_and_night" | "saturday" | "sunday_night" | "holiday";
        entry_at: string;
        exit_at: string;
        today: components["schemas"]["StandardStayFee"];
        next: components["schemas"]["StandardStayFee"] | null;
      }[] | null;
    };
    TariffText: {
      text: string;
      currency?: string;
      parking_lot_id?: components["schemas"]["Id"];
    };
    TestedNotification: {
      devices: number;
    };
    AdminTheme: {
      id: components["schemas"]["Id"];
      name: string;
      description: string | null;
      is_free: boolean;
      price_yen_minor: number | null;
      unlock_level: number | null;
      unlock_badge_id: components["schemas"]["Id"] | null;
      preview_asset_id: components["schemas"]["Id"] | null;
      preview_url: string | null;
      sort_order: number;
      is_active: boolean;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    MyTheme: {
      id: components["schemas"]["Id"];
      theme_id: components["schemas"]["Id"];
      acquired_at: components["schemas"]["Timestamp"];
      acquisition_type: string;
      is_applied: boolean;
      theme: components["schemas"]["ThemeListItem"];
    };
    NewTheme: {
      name: string;
      description?: string | null;
      is_free?: boolean;
      price_yen_minor?: number | null;
      unlock_level?: number | null;
      unlock_badge_id?: components["schemas"]["Id"] | null;
      preview_asset_id?: components["schemas"]["Id"] | null;
      sort_order?: number;
      is_active?: boolean;
    };
    AdminThemeGift: {
      id: components["schemas"]["Id"];
      user_id: components["schemas"]["Id"];
      theme_id: components["schemas"]["Id"];
      admin_id: components["schemas"]["Id"] | null;
      message: string | null;
      created_at: components["schemas"]["Timestamp"];
    };
    NewThemeGift: {
      user_id: components["schemas"]["Id"];
      message?: string | null;
    };
    ThemeGift: {
      id: components["schemas"]["Id"];
      theme_id: components["schemas"]["Id"];
      message: string | null;
      created_at: components["schemas"]["Timestamp"];
      theme: components["schemas"]["ThemeListItem"];
    };
    ThemeGifts: {
      items: components["schemas"]["ThemeGift"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    ThemeListItem: {
      id: components["schemas"]["Id"];
      name: string;
      description: string | null;
      is_free: boolean;
      price_yen_minor: number | null;
      preview_asset_id: components["schemas"]["Id"] | null;
      preview_url: string | null;
      unlock_level: number | null;
      unlock_badge_id: components["schemas"]["Id"] | null;
      sort_order: number;
    };
    ThemeUpdate: {
      name?: string;
      description?: string | null;
      is_free?: boolean;
      price_yen_minor?: number | null;
      unlock_level?: number | null;
      unlock_badge_id?: components["schemas"]["Id"] | null;
      preview_asset_id?: components["schemas"]["Id"] | null;
      sort_order?: number;
      is_active?: boolean;
    };
    AdminThemes: {
      items: components["schemas"]["AdminTheme"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    MyThemes: {
      items: components["schemas"]["MyTheme"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
      catalogue?: components["schemas"]["CatalogueTheme"][];
    };
    Timestamp: string;
    Total: number;
    TotalIsExact: boolean;
    TriggerStoreSyncRequest: {
      store: "android_store" | "ios_store" | "all";
      task: "sales" | "metrics" | "reviews" | "all";
    };
    TriggeredStoreSync: {
      sync_run_ids: components["schemas"]["Id"][];
      count: number;
      status: "queued";
    };
    UndeliveredDevice: {
      token_id: components["schemas"]["Id"];
      user_id: components["schemas"]["Id"];
      device_type: string | null;
      outcome: components["schemas"]["UndeliveredOutcome"];
      attempts: number;
      recorded_at: components["schemas"]["Timestamp"] | null;
    };
    UndeliveredDevices: {
      items: components["schemas"]["UndeliveredDevice"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
      total_is_exact?: components["schemas"]["TotalIsExact"];
    };
    UndeliveredOutcome: "dead_token" | "wrong_sender" | "payload_fault" | "undeliverable" | "gone" | "suppressed" | "expired";
    UnknownFee: {
      refusal: components["schemas"]["FeeRefusal"];
    };
    Upload: {
      upload_url: string;
      asset_id: components["schemas"]["Id"];
      s3_key: string;
      public_url: string | null;
      expires_in: number;
    };
    UploadCategory: "review" | "session_photo" | "error_report" | "support" | "avatar" | "parking_lot";
    UploadRequest: {
      file_name: string;
      file_size: number;
      mime_type: "image/jpeg" | "image/png" | "image/webp" | "image/heic" | "image/jpg" | "image/heif";
      category: components["schemas"]["UploadCategory"];
      entity_type?: string;
      entity_id?: components["schemas"]["Id"];
      is_public?: boolean;
    };
    AdminUser: {
      id: components["schemas"]["Id"];
      email: string | null;
      display_name: string | null;
      status: "active" | "suspended" | "withdrawn";
      is_premium: boolean;
      premium_ends_at: components["schemas"]["Timestamp"] | null;
      created_at: components["schemas"]["Timestamp"];
      last_sign_in_at: components["schemas"]["Timestamp"] | null;
      updated_at: components["schemas"]["Timestamp"];
      avatar_url: string | null;
      allowed_statuses: ("active" | "suspended" | "withdrawn")[];
      figures: {
        total_exp: number;
        level: number;
        sessions: number;
        reviews: number;
        error_reports: number;
        badges: number;
        devices: number;
        saved_parking_lots: number;
      };
      subscription: components["schemas"]["AdminSubscriptionListItem"] | null;
    };
    UserActivities: {
      items: components["schemas"]["UserActivity"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
      total_is_exact?: components["schemas"]["TotalIsExact"];
    };
    UserActivity: {
      id: components["schemas"]["Id"];
      user_id: components["schemas"]["Id"];
      activity_type: "session_start" | "session_end" | "session_cancel" | "review_post" | "error_report_post" | "field_confirm" | "field_deny" | "lot_save" | "occupancy_report" | "support_ticket_post" | "sponsor_checkin";
      parking_lot_id: components["schemas"]["Id"] | null;
      subject_id: components["schemas"]["Id"] | null;
      metadata: {
        [key: string]: unknown;
      };
      is_rewarded: boolean;
      created_at: components["schemas"]["Timestamp"];
    };
    AdminUserListItem: {
      id: components["schemas"]["Id"];
      email: string | null;
      display_name: string | null;
      status: "active" | "suspended" | "withdrawn";
      is_premium: boolean;
      premium_ends_at: components["schemas"]["Timestamp"] | null;
      created_at: components["schemas"]["Timestamp"];
      last_sign_in_at: components["schemas"]["Timestamp"] | null;
      updated_at: components["schemas"]["Timestamp"];
    };
    UserNotification: {
      id: components["schemas"]["Id"];
      title: string;
      body: string;
      type: string;
      target: string;
      status: string;
      scheduled_at: components["schemas"]["Timestamp"] | null;
      sent_at: components["schemas"]["Timestamp"] | null;
      read_at: components["schemas"]["Timestamp"] | null;
      created_at: components["schemas"]["Timestamp"];
      data: {
        [key: string]: string;
      };
    };
    UserNotifications: {
      items: components["schemas"]["UserNotification"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
      unread_count?: number;
    };
    AdminUserPremium: {
      until: components["schemas"]["Timestamp"] | null;
      reason: string;
    };
    UserPushToken: {
      id: components["schemas"]["Id"];
      user_id: components["schemas"]["Id"];
      fcm_token: string;
      device_type: string;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    AdminUserSearchPreset: {
      id: components["schemas"]["Id"];
      user_id: components["schemas"]["Id"];
      name: string;
      query_json: components["schemas"]["SearchQueryV1"];
      is_default: boolean;
      sort_order: number;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    NewAdminUserSearchPreset: {
      name: string;
      query_json: components["schemas"]["SearchQueryV1"];
      is_default?: boolean;
      sort_order?: number;
      user_id: components["schemas"]["Id"];
    };
    AdminUserSearchPresets: {
      items: components["schemas"]["AdminUserSearchPreset"][];
      total: number;
    };
    UserVehicle: {
      id: components["schemas"]["Id"];
      user_id: components["schemas"]["Id"];
      vehicle_type: string;
      nickname: string | null;
      plate_number: string | null;
      color: string | null;
      height_m: number | null;
      width_m: number | null;
      length_m: number | null;
      weight_t: number | null;
      clearance_cm: number | null;
      tire_width_mm: number | null;
      is_default: boolean;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
    };
    UserVehicles: {
      items: components["schemas"]["UserVehicle"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
    };
    AdminUsers: {
      items: components["schemas"]["AdminUserListItem"][];
      next_cursor: string | null;
      total?: components["schemas"]["Total"];
      total_is_exact?: components["schemas"]["TotalIsExact"];
    };
    NewVehicle: {
      vehicle_type: string;
      nickname?: string | null;
      plate_number?: string | null;
      color?: string | null;
      height_m?: number | null;
      width_m?: number | null;
      length_m?: number | null;
      weight_t?: number | null;
      clearance_cm?: number | null;
      tire_width_mm?: number | null;
      is_default?: boolean;
    };
    Vehicle: {
      height_m?: number | null;
      width_m?: number | null;
      length_m?: number | null;
      weight_t?: number | null;
      clearance_cm?: number | null;
      tire_width_mm?: number | null;
    };
    VehicleFit: {
      fits: boolean | null;
      failing: ("height_m" | "width_m" | "length_m" | "weight_t" | "clearance_cm" | "tire_width_mm")[];
      unknown: ("height_m" | "width_m" | "length_m" | "weight_t" | "clearance_cm" | "tire_width_mm")[];
      limits: {
        height_m?: number | null;
        width_m?: number | null;
        length_m?: number | null;
        weight_t?: number | null;
        clearance_cm?: number | null;
        tire_width_mm?: number | null;
      };
    };
    VehicleUpdate: {
      vehicle_type?: string;
      nickname?: string | null;
      plate_number?: string | null;
      color?: string | null;
      height_m?: number | null;
      width_m?: number | null;
      length_m?: number | null;
      weight_t?: number | null;
      clearance_cm?: number | null;
      tire_width_mm?: number | null;
      is_default?: boolean;
    };
    VerifiedPurchase: {
      id: components["schemas"]["Id"];
      user_id: components["schemas"]["Id"];
      plan_id: components["schemas"]["Id"];
      status: components["schemas"]["SubscriptionStatus"];
      started_at: components["schemas"]["Timestamp"];
      ended_at: components["schemas"]["Timestamp"] | null;
      auto_renew_status: boolean | null;
      expires_at: components["schemas"]["Timestamp"] | null;
      environment: "Sandbox" | "Production" | null;
      platform: "ios" | "android";
      external_subscription_id: string | null;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
      next_billing_date: components["schemas"]["Timestamp"] | null;
      is_trial_period: boolean;
      auto_renewing: boolean;
      original_purchase_date: components["schemas"]["Timestamp"];
      provider: "ios_store" | "android_store";
      subscription: components["schemas"]["MySubscription"];
    };
    VerifyIapRequest: {
      platform: "ios" | "android";
      receipt: string;
      product_id: string;
      transaction_id?: string;
    };
    VerifyIapResponse: {
      id: components["schemas"]["Id"];
      user_id: components["schemas"]["Id"];
      plan_id: components["schemas"]["Id"];
      status: components["schemas"]["SubscriptionStatus"];
      started_at: components["schemas"]["Timestamp"];
      ended_at: components["schemas"]["Timestamp"] | null;
      auto_renew_status: boolean | null;
      expires_at: components["schemas"]["Timestamp"] | null;
      environment: "Sandbox" | "Production" | null;
      platform: "ios" | "android";
      external_subscription_id: string | null;
      created_at: components["schemas"]["Timestamp"];
      updated_at: components["schemas"]["Timestamp"];
      next_billing_date: components["schemas"]["Timestamp"] | null;
      is_trial_period: boolean;
      auto_renewing: boolean;
      original_purchase_date: components["schemas"]["Timestamp"];
      provider: "ios_store" | "android_store";
    };
    Week: {
      days: {
        date: string;
        starts_at: components["schemas"]["Timestamp"];
        ends_at: components["schemas"]["Timestamp"];
        holiday: string | null;
        date_override_id: components["schemas"]["Id"] | null;
      }[];
      spans: {
        from: components["schemas"]["Timestamp"];
        to: components["schemas"]["Timestamp"];
        is_open: boolean | null;
        can_enter: boolean | null;
        can_exit: boolean | null;
      }[];
    };
    WeeklyHours: {
      weekday: number;
      opens: string;
      closes: string;
    }[];
    WindowInput: {
      id?: components["schemas"]["Id"];
      window_type: "business" | "entry" | "exit" | "after_hours_exit";
      day_type?: components["schemas"]["DayType"] | null;
      day_of_week?: number | null;
      is_24h?: boolean | null;
      is_closed?: boolean | null;
      open_time?: components["schemas"]["ClockTime"] | null;
      close_time?: components["schemas"]["ClockTime"] | null;
      effective_from?: string | null;
      effective_to?: string | null;
    };
    WindowsInput: {
      windows: components["schemas"]["WindowInput"][];
      reason?: string;
    };
  };
  responses: {
    401: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    403: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    404: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    409: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    412: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    413: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    415: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    422: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    429: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        "Retry-After": components["headers"]["Retry-After"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    500: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    503: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        "Retry-After": components["headers"]["Retry-After"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    ConflictOrConcurrentSessionNotAllowed: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    IapInvalid: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    LotNotFound: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    NoContent: {
      headers: {
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        "X-Read-After": components["headers"]["X-Read-After"];
        [name: string]: unknown;
      };
      content?: never;
    };
    NoContentWithETag: {
      headers: {
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        ETag: components["headers"]["ETag"];
        "X-Read-After": components["headers"]["X-Read-After"];
        [name: string]: unknown;
      };
      content?: never;
    };
    NoContentWithIdempotentReplayed: {
      headers: {
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
        "X-Read-After": components["headers"]["X-Read-After"];
        [name: string]: unknown;
      };
      content?: never;
    };
    NotFoundOrLotNotFound: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    NotModified: {
      headers: {
        ETag: components["headers"]["ETag"];
        [name: string]: unknown;
      };
      content?: never;
    };
    ValidationErrorOrFeeUnknown: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    ValidationErrorOrUnparseable: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
  };
  parameters: {
    AdministratorId: components["schemas"]["Id"];
    AdvertisementId: components["schemas"]["Id"];
    AppUserId: components["schemas"]["Id"];
    ArticleId: components["schemas"]["Id"];
    BadgeId: components["schemas"]["Id"];
    Calendar: string;
    Cursor: string;
    DeadMessageId: components["schemas"]["Id"];
    DeviceId: components["schemas"]["Id"];
    ErrorReportId: components["schemas"]["Id"];
    ExpRuleId: number;
    FieldValueId: components["schemas"]["Id"];
    HolidayDate: string;
    "Idempotency-Key": string;
    "If-Match": string;
    "If-None-Match": string;
    Include: "total"[];
    IsActive: boolean;
    Lang: components["schemas"]["Lang"];
    Level: number;
    Limit: number;
    NotificationId: components["schemas"]["Id"];
    OfParkingLot: components["schemas"]["Id"];
    OfStore: components["schemas"]["Store"];
    ParkingLotId: components["schemas"]["Id"];
    PlanId: components["schemas"]["Id"];
    PresetId: components["schemas"]["Id"];
    ReviewId: components["schemas"]["Id"];
    RunId: components["schemas"]["Id"];
    SessionId: components["schemas"]["Id"];
    SponsorId: components["schemas"]["Id"];
    SubscriptionId: components["schemas"]["Id"];
    TagId: components["schemas"]["Id"];
    ThemeId: components["schemas"]["Id"];
    TicketId: components["schemas"]["Id"];
    VehicleId: components["schemas"]["Id"];
    "X-Read-After": string;
  };
  requestBodies: never;
  headers: {
    "X-Request-Id": string;
    ETag: string;
    "WWW-Authenticate": string;
    "Idempotent-Replayed": "true";
    "X-Truncated": "true";
    "X-Read-After": string;
    "RateLimit-Policy": string;
    RateLimit: string;
    "Retry-After": number;
  };
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  exportMyData: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MyData"];
          "application/x-ndjson": string;
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readMe: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Me"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  updateMe: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["MeUpdate"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Me"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  withdraw: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContentWithIdempotentReplayed"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listMyBadgeProgress: {
    parameters: {
      query?: {
        lang?: components["parameters"]["Lang"];
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MyBadgeProgressList"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listMyBadges: {
    parameters: {
      query?: {
        lang?: components["parameters"]["Lang"];
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MyBadges"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listMyErrorReports: {
    parameters: {
      query?: {
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MeErrorReports"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listMyExpEntries: {
    parameters: {
      query?: {
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ExpEntries"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readMyExp: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MyExp"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listNotifications: {
    parameters: {
      query?: {
        unread?: boolean;
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: ("unread_count" | "total")[];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["UserNotifications"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  markNotificationsRead: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["MarkRead"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MarkedRead"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readNotificationPreferences: {
    parameters: {
      query?: {
        lang?: components["parameters"]["Lang"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["NotificationPreferences"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  putNotificationPreferences: {
    parameters: {
      query?: {
        lang?: components["parameters"]["Lang"];
      };
      header?: never;
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NotificationPreferencesUpdate"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["NotificationPreferences"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listMySessions: {
    parameters: {
      query?: {
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        status?: components["schemas"]["SessionStatus"];
        from?: components["schemas"]["Timestamp"];
        to?: components["schemas"]["Timestamp"];
        parking_lot_id?: components["schemas"]["Id"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ParkingSessions"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readCurrentSession: {
    parameters: {
      query?: never;
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CurrentParkingSession"];
        };
      };
      304: components["responses"]["NotModified"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["NotFoundOrLotNotFound"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readMySession: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["SessionId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ParkingSessionDetail"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  updateMySession: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["SessionId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ParkingSessionUpdate"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ParkingSession"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  deletePushToken: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["DeviceId"];
      };
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  putPushToken: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewPushToken"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["UserPushToken"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  deleteMyReview: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["ReviewId"];
      };
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  updateMyReview: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["ReviewId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReviewUpdate"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MyReview"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listMyReviews: {
    parameters: {
      query?: {
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MyReviews"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listSavedParkingLots: {
    parameters: {
      query?: {
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SavedParkingLots"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  saveParkingLot: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewSavedParkingLot"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SavedParkingLot"];
        };
      };
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SavedParkingLot"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  unsaveParkingLot: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        lotId: components["schemas"]["Id"];
      };
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readSearchPreferences: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SearchPreferences"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  putSearchPreferences: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SearchPreferencesUpdate"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SearchPreferences"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listSearchPresets: {
    parameters: {
      query?: {
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SearchPresets"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  createSearchPreset: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewSearchPreset"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SearchPreset"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  deleteSearchPreset: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["PresetId"];
      };
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  updateSearchPreset: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["PresetId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SearchPresetUpdate"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SearchPreset"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  setDefaultSearchPreset: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["PresetId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SearchPreset"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  putSessionPhoto: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["SessionId"];
        phase: "during" | "after";
        slot: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewSessionPhoto"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SessionPhoto"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  deleteSessionPhoto: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["SessionId"];
        phase: "during" | "after";
        slot: number;
      };
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listMySubscriptionEvents: {
    parameters: {
      query?: {
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SubscriptionEvents"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readMySubscription: {
    parameters: {
      query?: {
        lang?: components["schemas"]["Lang"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MySubscription"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  refreshMyIap: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RefreshIapRequest"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["VerifyIapResponse"];
        };
      };
      400: components["responses"]["IapInvalid"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  verifyMyIap: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["VerifyIapRequest"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["VerifyIapResponse"];
        };
      };
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["VerifyIapResponse"];
        };
      };
      400: components["responses"]["IapInvalid"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  applyTheme: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["schemas"]["Id"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MyTheme"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listThemeGifts: {
    parameters: {
      query?: {
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ThemeGifts"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listThemes: {
    parameters: {
      query?: {
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: ("catalogue" | "total")[];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MyThemes"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listVehicles: {
    parameters: {
      query?: {
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["UserVehicles"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  addVehicle: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewVehicle"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["UserVehicle"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  deleteVehicle: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["VehicleId"];
      };
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  updateVehicle: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["VehicleId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["VehicleUpdate"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["UserVehicle"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readParkingLot: {
    parameters: {
      query?: {
        include?: ("field_value_ids" | "hours" | "week" | "fee_curve" | "field_provenance" | "occupancy_forecast")[];
        entry_at?: components["schemas"]["Timestamp"];
        exit_at?: components["schemas"]["Timestamp"];
        vehicle_type?: string;
        vehicle?: components["schemas"]["Vehicle"];
        lang?: components["parameters"]["Lang"];
      };
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ParkingLotWithDetail"];
        };
      };
      304: components["responses"]["NotModified"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  exportParkingLots: {
    parameters: {
      query: {
        format: "jsonld" | "osm" | "parkapi";
        ids?: components["schemas"]["Id"][];
        limit?: number;
        cursor?: components["parameters"]["Cursor"];
      };
      header?: never;
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ParkingLotExport"];
          "application/x-ndjson": string;
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  calculateFee: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["FeeRequest"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Fee"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["ValidationErrorOrFeeUnknown"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  confirmFieldValue: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
        fieldValueId: components["schemas"]["Id"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FieldValue"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["NotFoundOrLotNotFound"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  denyFieldValue: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
        fieldValueId: components["schemas"]["Id"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FieldValue"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["NotFoundOrLotNotFound"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  nearbyParkingLots: {
    parameters: {
      query: {
        lat: number;
        lng: number;
        radius_m?: number;
        limit?: number;
        filters?: components["schemas"]["NearbyFilters"];
        sort?: "distance" | "price" | "recommended";
        vehicle?: components["schemas"]["Vehicle"];
        vehicle_type?: string;
        usable?: "first" | "only";
      };
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Truncated": components["headers"]["X-Truncated"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["NearbyParkingLotWithRanking"][];
        };
      };
      304: components["responses"]["NotModified"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  feedOccupancy: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["OccupancyFeed"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["OccupancyFeedResult"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readOccupancy: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Occupancy"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  reportOccupancy: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewOccupancyReport"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["OccupancyReport"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listPricingRules: {
    parameters: {
      query?: {
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PricingRules"];
        };
      };
      304: components["responses"]["NotModified"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readRating: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ParkingLotRating"] | null;
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  putRating: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewRating"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ParkingLotRating"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  deleteRating: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listReviews: {
    parameters: {
      query?: {
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PublicReviews"];
        };
      };
      304: components["responses"]["NotModified"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  postReview: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewReview"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MyReview"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["NotFoundOrLotNotFound"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  searchParkingLots: {
    parameters: {
      query?: {
        v?: number;
        center?: {
          lat: number;
          lng: number;
          placeName?: string;
        };
        radius_m?: number;
        price_min?: number;
        price_max?: number;
        attributes?: components["schemas"]["SearchAttributes"];
        difficulty?: ("easy" | "normal" | "hard")[];
        operator_codes?: string[];
        vehicle?: components["schemas"]["Vehicle"];
        keywords?: string[];
        meter_ticket_included?: boolean;
        sort?: "distance" | "price" | "recommended";
        query?: components["schemas"]["SearchQueryV1"];
        bbox?: number[];
        ids?: components["schemas"]["Id"][];
        zoom?: number;
        updated_since?: components["schemas"]["Timestamp"];
        entry_at?: components["schemas"]["Timestamp"];
        exit_at?: components["schemas"]["Timestamp"];
        vehicle_type?: string;
        usable?: "first" | "only";
        without_surprises?: boolean;
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FoundParkingLots"];
          "application/geo+json": {
            type: "FeatureCollection";
            features: Record<string, never>[];
          };
          "application/x-ndjson": string;
        };
      };
      304: components["responses"]["NotModified"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  searchInWords: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AiSearchRequest"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AiSearchReply"] | components["schemas"]["AiSearchAnswer"] | components["schemas"]["RegisteredAiKey"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["ValidationErrorOrUnparseable"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  deleteAiKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        provider_id: string;
      };
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listAiKeys: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AiKeys"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  parseSearch: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AiSearchParseRequest"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AiSearchAnswer"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["ValidationErrorOrUnparseable"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  startSession: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewParkingSession"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StartedParkingSession"];
        };
      };
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StartedParkingSession"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["NotFoundOrLotNotFound"];
      409: components["responses"]["ConflictOrConcurrentSessionNotAllowed"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  finalizeSession: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["SessionId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["FinalizeParkingSession"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FinalizedParkingSession"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["NotFoundOrLotNotFound"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  cancelSession: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["SessionId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CancelledParkingSession"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  postErrorReport: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewErrorReport"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MeErrorReport"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["NotFoundOrLotNotFound"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listTickets: {
    parameters: {
      query?: {
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SupportTickets"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  createTicket: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewSupportTicket"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SupportTicketDetail"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readTicket: {
    parameters: {
      query?: {
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["TicketId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SupportTicketDetail"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  replyToTicket: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["TicketId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewSupportMessage"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SupportMessage"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listSponsors: {
    parameters: {
      query?: {
        category?: string;
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Sponsors"];
        };
      };
      304: components["responses"]["NotModified"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  nearbySponsors: {
    parameters: {
      query: {
        lat: number;
        lng: number;
        radius_m?: number;
        limit?: number;
      };
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["NearbySponsors"];
        };
      };
      304: components["responses"]["NotModified"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  checkIn: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["SponsorId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewCheckin"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SponsorCheckin"];
        };
      };
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SponsorCheckin"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  sweepStorage: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StorageSweep"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  createUpload: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UploadRequest"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Upload"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listCodes: {
    parameters: {
      query?: {
        lang?: components["parameters"]["Lang"];
      };
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CodesResponse"];
        };
      };
      304: components["responses"]["NotModified"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listPlaces: {
    parameters: {
      query: {
        q: string;
        lat?: number;
        lng?: number;
        limit?: number;
        lang?: components["parameters"]["Lang"];
      };
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PlacesResponse"];
        };
      };
      304: components["responses"]["NotModified"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readPlace: {
    parameters: {
      query?: {
        lang?: components["parameters"]["Lang"];
      };
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path: {
        id: string;
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Place"];
        };
      };
      304: components["responses"]["NotModified"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listTags: {
    parameters: {
      query?: {
        lang?: components["parameters"]["Lang"];
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TagsResponse"];
        };
      };
      304: components["responses"]["NotModified"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listPlans: {
    parameters: {
      query?: {
        lang?: components["parameters"]["Lang"];
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SubscriptionPlans"];
        };
      };
      304: components["responses"]["NotModified"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  verifyIap: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["VerifyIapRequest"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["VerifiedPurchase"];
        };
      };
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["VerifiedPurchase"];
        };
      };
      400: components["responses"]["IapInvalid"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listArticles: {
    parameters: {
      query?: {
        lang?: components["parameters"]["Lang"];
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Articles"];
        };
      };
      304: components["responses"]["NotModified"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readArticle: {
    parameters: {
      query?: {
        lang?: components["parameters"]["Lang"];
      };
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path: {
        slug: string;
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ArticleDetail"];
        };
      };
      304: components["responses"]["NotModified"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listAds: {
    parameters: {
      query?: {
        placement?: components["schemas"]["AdPlacement"];
        seed?: string;
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Ads"];
        };
      };
      304: components["responses"]["NotModified"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listActivityLogs: {
    parameters: {
      query?: {
        admin_id?: components["schemas"]["Id"];
        user_id?: components["schemas"]["Id"];
        action?: string;
        target_id?: string;
        from?: components["schemas"]["Timestamp"];
        to?: components["schemas"]["Timestamp"];
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminActivityLogs"];
          "application/x-ndjson": string;
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  getAdministrator: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["AdministratorId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Administrator"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  updateAdministrator: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["AdministratorId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AdministratorUpdate"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Administrator"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listAdministrators: {
    parameters: {
      query?: {
        status?: "active" | "suspended";
        area?: components["schemas"]["AdminArea"];
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Administrators"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  inviteAdministrator: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewAdministrator"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Administrator"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  reactivateAdministrator: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["AdministratorId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ActReason"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Administrator"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  resetSecondFactor: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["AdministratorId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ActReason"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Administrator"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  suspendAdministrator: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["AdministratorId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ActReason"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Administrator"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readAdOfAnyState: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["AdvertisementId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminAd"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  deleteAd: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["AdvertisementId"];
      };
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContentWithETag"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  changeAd: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["AdvertisementId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AdChanges"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminAd"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listAdsOfAllStates: {
    parameters: {
      query?: {
        placement?: components["schemas"]["AdPlacement"];
        status?: "scheduled" | "shown" | "ended" | "withdrawn";
        q?: string;
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminAds"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  createAd: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewAd"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminAd"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readArticleOfAnyState: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["ArticleId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminArticle"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  deleteArticle: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["ArticleId"];
      };
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContentWithETag"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  changeArticle: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["ArticleId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ArticleChanges"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminArticle"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listArticlesOfAllStates: {
    parameters: {
      query?: {
        lang?: components["schemas"]["Lang"];
        status?: "draft" | "scheduled" | "published" | "withdrawn";
        q?: string;
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminArticles"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  createArticle: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewArticle"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminArticle"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readBadgeBackfill: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["BadgeId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BadgeBackfill"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  backfillBadge: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["BadgeId"];
      };
    };
    requestBody?: never;
    responses: {
      202: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BadgeBackfill"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readBadgeBackfills: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BadgeBackfills"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  backfillBadges: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      202: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BadgeBackfills"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listAdminBadges: {
    parameters: {
      query?: {
        is_active?: components["parameters"]["IsActive"];
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminBadges"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  createBadge: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewBadge"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminBadge"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readBadge: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["BadgeId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminBadge"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  deleteBadge: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["BadgeId"];
      };
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  updateBadge: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["BadgeId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["BadgeUpdate"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminBadge"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  previewBadge: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["BadgePreview"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BadgeAudience"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readCodeOfAnyState: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        category_id: string;
        code: string;
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminCode"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  changeCode: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        category_id: string;
        code: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CodeChanges"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminCode"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listCodesOfAllStates: {
    parameters: {
      query?: {
        category_id?: string;
        is_active?: boolean;
        q?: string;
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminCodes"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  createCode: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewCode"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminCode"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  discardDeadMessage: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["DeadMessageId"];
      };
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listDeadMessages: {
    parameters: {
      query?: {
        queue?: string;
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DeadMessages"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  requeueDeadMessage: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["DeadMessageId"];
      };
    };
    requestBody?: never;
    responses: {
      202: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RequeuedMessage"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listErrorReports: {
    parameters: {
      query?: {
        status?: "open" | "in_review" | "resolved" | "rejected";
        severity?: "low" | "medium" | "high" | "critical";
        parking_lot_id?: components["parameters"]["OfParkingLot"];
        assigned_to?: components["schemas"]["Id"];
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminErrorReports"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readErrorReport: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["ErrorReportId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminErrorReport"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  updateErrorReport: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["ErrorReportId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ErrorReportDecision"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminErrorReport"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listExpRules: {
    parameters: {
      query?: {
        is_active?: components["parameters"]["IsActive"];
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ExpRules"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  createExpRule: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewExpRule"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ExpRule"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readExpRule: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["ExpRuleId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ExpRule"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  deleteExpRule: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["ExpRuleId"];
      };
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  updateExpRule: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["ExpRuleId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ExpRuleUpdate"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ExpRule"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readFieldValue: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["FieldValueId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminFieldValue"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  decideFieldValue: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["FieldValueId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["FieldValueDecision"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminFieldValue"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listFieldValues: {
    parameters: {
      query?: {
        state?: "disputed" | "unverified" | "confirmed" | "retired";
        parking_lot_id?: components["parameters"]["OfParkingLot"];
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminFieldValues"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readHoliday: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        calendar: components["parameters"]["Calendar"];
        holiday_date: components["parameters"]["HolidayDate"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Holiday"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  deleteHoliday: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        calendar: components["parameters"]["Calendar"];
        holiday_date: components["parameters"]["HolidayDate"];
      };
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContentWithETag"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  changeHoliday: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        calendar: components["parameters"]["Calendar"];
        holiday_date: components["parameters"]["HolidayDate"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["HolidayChanges"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Holiday"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listHolidays: {
    parameters: {
      query?: {
        calendar?: string;
        from?: string;
        to?: string;
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Holidays"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  createHoliday: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewHoliday"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Holiday"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listJobs: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Jobs"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listAdminLevels: {
    parameters: {
      query?: {
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminLevels"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  createLevel: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewLevel"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminLevel"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readLevel: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        level: components["parameters"]["Level"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminLevel"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  deleteLevel: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        level: components["parameters"]["Level"];
      };
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  updateLevel: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        level: components["parameters"]["Level"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["LevelUpdate"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminLevel"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readLevelRecalculation: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["LevelRecalculation"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  recalculateLevels: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      202: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["LevelRecalculation"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listAdminNotifications: {
    parameters: {
      query?: {
        unread?: boolean;
        include?: ("unread_count" | "total")[];
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminNotifications"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  markAdminNotificationsRead: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["MarkRead"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminMarkedRead"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readOverview: {
    parameters: {
      query?: {
        days?: number;
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Overview"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listLotEngagement: {
    parameters: {
      query?: {
        from?: string;
        to?: string;
        sort?: "saves" | "sessions" | "searches" | "name";
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["LotEngagements"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  importLots: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["LotImport"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["LotImportReport"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listLotsOfAllStatuses: {
    parameters: {
      query?: {
        status?: components["schemas"]["ParkingLotStatus"];
        operator_code?: string;
        source?: string;
        q?: string;
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminParkingLots"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  createParkingLot: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewParkingLot"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminParkingLot"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readLotOfAnyStatus: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminParkingLot"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  deleteParkingLot: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DeletedParkingLot"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  updateParkingLot: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ParkingLotChanges"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminParkingLot"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listParkingLotHistory: {
    parameters: {
      query?: {
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminActivityLogs"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  previewParkingLotFee: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["FeePreview"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Fee"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["ValidationErrorOrFeeUnknown"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  replaceDateOverrides: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["DateOverridesInput"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminParkingLot"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  replaceLotImages: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ParkingLotImagesInput"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminParkingLot"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  replaceLotTags: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ParkingLotTagsInput"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminParkingLot"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  replacePricingGroups: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["PricingGroupsInput"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminParkingLot"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  replacePricingRules: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["PricingRulesInput"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminParkingLot"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  replaceSpots: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SpotsInput"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminParkingLot"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  replaceWindows: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["ParkingLotId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["WindowsInput"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminParkingLot"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readReview: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["ReviewId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminReview"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  decideReview: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["ReviewId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReviewDecision"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminReview"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  decideReviews: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReviewDecisions"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ReviewDecisionOutcomes"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listReviewQueue: {
    parameters: {
      query?: {
        status?: components["schemas"]["ReviewStatus"];
        parking_lot_id?: components["parameters"]["OfParkingLot"];
        user_id?: components["schemas"]["Id"];
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminReviews"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readSponsorOfAnyState: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["SponsorId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminSponsor"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  deleteSponsor: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["SponsorId"];
      };
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContentWithETag"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  changeSponsor: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["SponsorId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SponsorChanges"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminSponsor"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listSponsorsOfAllStates: {
    parameters: {
      query?: {
        category?: string;
        status?: "scheduled" | "shown" | "ended" | "withdrawn";
        q?: string;
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminSponsors"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  createSponsor: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewSponsor"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminSponsor"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listStoreMetrics: {
    parameters: {
      query?: {
        store?: components["parameters"]["OfStore"];
        metric?: string;
        from?: string;
        to?: string;
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StoreMetrics"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listStoreReviews: {
    parameters: {
      query?: {
        store?: components["parameters"]["OfStore"];
        rating?: number;
        territory?: string;
        since?: components["schemas"]["Timestamp"];
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StoreReviews"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listStoreSales: {
    parameters: {
      query?: {
        store?: components["parameters"]["OfStore"];
        sku?: string;
        country?: string;
        from?: string;
        to?: string;
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StoreSales"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listStoreSyncRuns: {
    parameters: {
      query?: {
        store?: components["parameters"]["OfStore"];
        task?: "sales" | "metrics" | "reviews";
        status?: "queued" | "running" | "succeeded" | "failed";
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StoreSyncRuns"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readStoreSyncRun: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["RunId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StoreSyncRun"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  sumStoreSales: {
    parameters: {
      query?: {
        from?: string;
        to?: string;
        store?: components["parameters"]["OfStore"];
        sku?: string;
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StoreSalesSums"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  triggerStoreSync: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TriggerStoreSyncRequest"];
      };
    };
    responses: {
      202: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TriggeredStoreSync"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readPlanOfAnyState: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["PlanId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminSubscriptionPlan"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  changePlan: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["PlanId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SubscriptionPlanChanges"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminSubscriptionPlan"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listPlansOfAllStates: {
    parameters: {
      query?: {
        is_active?: boolean;
        billing_period?: "week" | "month" | "year" | "one_time";
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminSubscriptionPlans"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  createPlan: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewSubscriptionPlan"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminSubscriptionPlan"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listSubscriptionEvents: {
    parameters: {
      query?: {
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["SubscriptionId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminSubscriptionEvents"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listSubscriptions: {
    parameters: {
      query?: {
        status?: components["schemas"]["SubscriptionStatus"];
        user_id?: components["schemas"]["Id"];
        external_subscription_id?: string;
        provider?: "ios_store" | "android_store";
        plan_id?: components["schemas"]["Id"];
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminSubscriptions"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readSubscription: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["SubscriptionId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminSubscription"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  refreshSubscription: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["SubscriptionId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminSubscription"];
        };
      };
      400: components["responses"]["IapInvalid"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  reinstateSubscription: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["SubscriptionId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ActReason"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminSubscription"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  revokeSubscription: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["SubscriptionId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ActReason"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminSubscription"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  answerTicket: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["TicketId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewSupportAnswer"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SupportAnswer"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readTicketOfUser: {
    parameters: {
      query?: {
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["TicketId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminSupportTicketDetail"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  closeTicket: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["TicketId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SupportTicketDecision"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminSupportTicket"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listTicketQueue: {
    parameters: {
      query?: {
        status?: "open" | "answered" | "closed";
        category?: string;
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminSupportTickets"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readTagOfAnyState: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["TagId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminTag"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  deleteTag: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["TagId"];
      };
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContentWithETag"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  changeTag: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["TagId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TagChanges"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminTag"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listTagsOfAllStates: {
    parameters: {
      query?: {
        category?: string;
        is_active?: boolean;
        q?: string;
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminTags"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  createTag: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewTag"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminTag"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readTariffText: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TariffText"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TariffReading"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["LotNotFound"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listAdminThemes: {
    parameters: {
      query?: {
        is_active?: components["parameters"]["IsActive"];
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminThemes"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  createTheme: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewTheme"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminTheme"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readTheme: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["ThemeId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminTheme"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  deleteTheme: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["ThemeId"];
      };
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  updateTheme: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["ThemeId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ThemeUpdate"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminTheme"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  giftTheme: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["ThemeId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewThemeGift"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminThemeGift"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listUserActivities: {
    parameters: {
      query?: {
        activity_type?: "session_start" | "session_end" | "session_cancel" | "review_post" | "error_report_post" | "field_confirm" | "field_deny" | "lot_save" | "occupancy_report" | "support_ticket_post" | "sponsor_checkin";
        user_id?: components["schemas"]["Id"];
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["UserActivities"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  cancelUserNotification: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["NotificationId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ComposedNotification"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listUserNotifications: {
    parameters: {
      query?: {
        status?: components["schemas"]["ComposedNotificationStatus"];
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ComposedNotifications"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  createUserNotification: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewComposedNotification"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ComposedNotification"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readUserNotification: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["NotificationId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ComposedNotification"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  deleteUserNotification: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["NotificationId"];
      };
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  updateUserNotification: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["NotificationId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ComposedNotificationUpdate"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ComposedNotification"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listUndeliveredDevices: {
    parameters: {
      query?: {
        outcome?: components["schemas"]["UndeliveredOutcome"];
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["NotificationId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["UndeliveredDevices"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  previewUserNotification: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewComposedNotification"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["NotificationReach"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readNotificationFunnel: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["NotificationId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["NotificationFunnel"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  sendUserNotification: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["NotificationId"];
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["SendNotification"];
      };
    };
    responses: {
      202: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SentNotification"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  testUserNotification: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["NotificationId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TestedNotification"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listUserSearchPresets: {
    parameters: {
      query: {
        user_id: components["schemas"]["Id"];
        page?: number;
        limit?: components["parameters"]["Limit"];
      };
      header?: never;
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminUserSearchPresets"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  createUserSearchPreset: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewAdminUserSearchPreset"];
      };
    };
    responses: {
      201: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminUserSearchPreset"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  deleteUserSearchPreset: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components["parameters"]["PresetId"];
      };
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  updateUserSearchPreset: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
      };
      path: {
        id: components["parameters"]["PresetId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SearchPresetUpdate"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminUserSearchPreset"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  setDefaultUserSearchPreset: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["PresetId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminUserSearchPreset"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  exportUser: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["AppUserId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MyData"];
          "application/x-ndjson": string;
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listUserActivityLogs: {
    parameters: {
      query?: {
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["AppUserId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminActivityLogs"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listUsers: {
    parameters: {
      query?: {
        email?: string;
        display_name?: string;
        status?: "active" | "suspended" | "withdrawn";
        premium?: boolean;
        limit?: components["parameters"]["Limit"];
        cursor?: components["parameters"]["Cursor"];
        include?: components["parameters"]["Include"];
      };
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminUsers"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  reactivateUser: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["AppUserId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ActReason"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminUser"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readUser: {
    parameters: {
      query?: never;
      header?: {
        "X-Read-After"?: components["parameters"]["X-Read-After"];
      };
      path: {
        id: components["parameters"]["AppUserId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminUser"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  setUserPremium: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["AppUserId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AdminUserPremium"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminUser"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  suspendUser: {
    parameters: {
      query?: never;
      header?: {
        "If-Match"?: components["parameters"]["If-Match"];
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["AppUserId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ActReason"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          "X-Read-After": components["headers"]["X-Read-After"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AdminUser"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      412: components["responses"]["412"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  withdrawUser: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        id: components["parameters"]["AppUserId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ActReason"];
      };
    };
    responses: {
      204: components["responses"]["NoContentWithIdempotentReplayed"];
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      404: components["responses"]["404"];
      409: components["responses"]["409"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readAppleAssociation: {
    parameters: {
      query?: never;
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AppleAppSiteAssociation"];
        };
      };
      304: components["responses"]["NotModified"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readAssetLinks: {
    parameters: {
      query?: never;
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AssetLinksResponse"];
        };
      };
      304: components["responses"]["NotModified"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  dispatchPushes: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DispatchedPushes"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  dispatchMails: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DispatchedMails"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  processStoreNotifications: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ProcessedNotifications"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  reconcileSubscriptions: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ReconciledSubscriptions"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  receiveAppStoreNotification: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AppStoreNotification"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ReceivedNotification"];
        };
      };
      400: components["responses"]["IapInvalid"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  receiveGooglePlayNotification: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["GooglePlayNotification"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ReceivedNotification"];
        };
      };
      401: components["responses"]["401"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  syncRuns: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SyncedStores"];
        };
      };
      401: components["responses"]["401"];
      403: components["responses"]["403"];
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  reportCrash: {
    parameters: {
      query?: never;
      header?: {
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CrashReport"];
      };
    };
    responses: {
      200: {
        headers: {
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CrashReported"];
        };
      };
      413: components["responses"]["413"];
      415: components["responses"]["415"];
      422: components["responses"]["422"];
      429: components["responses"]["429"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readContract: {
    parameters: {
      query?: never;
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ContractDocument"];
        };
      };
      304: components["responses"]["NotModified"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readContractOverlay: {
    parameters: {
      query?: never;
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["OverlayDocument"];
        };
      };
      304: components["responses"]["NotModified"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readRealtimeContract: {
    parameters: {
      query?: never;
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RealtimeContractDocument"];
        };
      };
      304: components["responses"]["NotModified"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  listErrors: {
    parameters: {
      query?: never;
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorPages"];
        };
      };
      304: components["responses"]["NotModified"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readError: {
    parameters: {
      query?: never;
      header?: {
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path: {
        code: string;
      };
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorPage"];
          "text/plain": string;
        };
      };
      304: components["responses"]["NotModified"];
      404: components["responses"]["404"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  live: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Liveness"];
        };
      };
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  ready: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Readiness"];
        };
      };
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
  readMetrics: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Metrics"];
          "text/plain": string;
        };
      };
      401: components["responses"]["401"];
      422: components["responses"]["422"];
      500: components["responses"]["500"];
      503: components["responses"]["503"];
    };
  };
}

export interface ErrorReasons {
  conflict: "account_not_active" | "already_exists" | "already_owned" | "already_reviewed" | "already_revoked" | "being_invited" | "belongs_to_another_account" | "changed_meanwhile" | "default_required" | "email_exists" | "exists" | "export_not_recorded" | "external_id_taken" | "fixed_list" | "in_use" | "invitation_replaced" | "is_administrator" | "key_in_use" | "key_reused_with_different_body" | "last_administrator" | "limit_reached" | "not_revoked" | "pricing_group_in_use" | "queue_gone" | "reply_too_large" | "retired" | "search_attribute" | "session_cancelled" | "session_ended" | "signature_required" | "signature_too_old" | "status_not_reachable" | "too_late" | "too_many_keys" | "too_many_messages" | "too_many_replies" | "too_many_stored_bytes" | "too_many_unattached_uploads" | "was_published" | "was_shown";
  fee_unknown: "no_rate" | "no_rules" | "only_totals" | "vehicle_type_not_priced";
  forbidden: "mfa_required" | "not_counted" | "own_account" | "own_area" | "own_entry" | "premium_required" | "testers_only";
  server_error: "outcome_unknown";
  service_unavailable: "not_configured" | "schema_differs";
  unauthorized: "token_expired" | "token_invalid" | "token_missing";
  validation_error: "period_too_large" | "too_far" | "too_inaccurate" | "too_many_clusters" | "too_many_lots" | "too_much_to_price" | "upload_not_usable";
}
