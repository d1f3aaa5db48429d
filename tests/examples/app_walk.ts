// The part of an app user: searches, a parked car, a review, reports, rewards and a subscription.
import { apple, play } from "../api/purchases.ts";
import { inDatabase } from "../api/lots.ts";
import { picture, put } from "../support/files.ts";
import type { Person } from "../support/people.ts";
import { age, makeVoters } from "../support/rows.ts";
import { stack } from "../support/stack.ts";
import type { Reply } from "./recorder.ts";
import type { Cast, Walk } from "./walk.ts";

/** A lot of the seed that is open at any hour at one rate, so that the time of a recording does not change its prices. */
export const LOT = "10fdaeb8-c96b-4fcc-9995-3fd5a1d7da92";
const STATION = { lat: 35.6812, lng: 139.7671 };

export async function uploaded({ send }: Walk, { token }: Person, category: string, more = {}): Promise<string> {
  const bytes = picture("image/jpeg", 1_843_200);
  const { asset_id, upload_url } = await send("createUpload", {
    as: token,
    body: { file_name: "IMG_0412.jpg", file_size: bytes.length, mime_type: "image/jpeg", category, ...more },
  });
  await put(upload_url, bytes, "image/jpeg");
  return asset_id;
}

export async function walkAsUser(walk: Walk, { user, friend }: Cast): Promise<Reply> {
  const { send, at, chapter } = walk;
  const as = user.token;
  const stay = { entry_at: "2026-12-01T10:00:00+09:00", exit_at: "2026-12-01T12:30:00+09:00" };

  chapter(); // Public data
  await send("live");
  await send("ready");
  await send("readMetrics", { as: stack().metricsToken });
  await send("listErrors");
  await send("readError", { params: { code: "fee_unknown" } });
  await send("readContract");
  await send("readContractOverlay");
  await send("readRealtimeContract");
  await send("readAppleAssociation");
  await send("readAssetLinks");
  await send("listCodes", { query: { lang: "ja" } });
  await send("listTags", { query: { lang: "ja", limit: 20 } });
  await send("listPlans", { query: { lang: "ja" } });
  await send("listArticles", { query: { lang: "ja", limit: 20 } });
  await send("readArticle", { params: { slug: "how-maximum-fees-work" }, query: { lang: "ja" } });
  const { items: [station] } = await send("listPlaces", { query: { q: "渋谷", lat: 35.68, lng: 139.77, limit: 2 } });
  await send("readPlace", { params: { id: station!.id } });
  await send("listAds", { query: { placement: "map", seed: "2026-11-25" } });
  await send("listSponsors", { query: { category: "cafe" } });
  const [sponsor] = await send("nearbySponsors", { query: { ...STATION, radius_m: 500 } });
  await send("reportCrash", {
    body: {
      stack: "TypeError: undefined is not an object\n    at LotScreen (LotScreen.tsx:42:17)",
      device: "iPhone 16, iOS 19.1",
      app_version: "1.4.0",
    },
  });

  chapter(); // Search and lots
  await send("searchParkingLots", {
    query: { bbox: [139.75, 35.67, 139.78, 35.69], attributes: ["open_24h"], sort: "price", ...stay, limit: 20 },
  });
  await send("nearbyParkingLots", {
    query: { ...STATION, radius_m: 800, filters: { tags: ["covered"], ...stay }, vehicle_type: "standard", limit: 20 },
  });
  await send("readParkingLot", { params: { id: LOT }, query: { include: ["hours"], ...stay, lang: "ja" } });
  await send("exportParkingLots", { query: { format: "jsonld", ids: [LOT] } });
  await send("listPricingRules", { params: { id: LOT } });
  await send("calculateFee", { params: { id: LOT }, body: { ...stay, vehicle_type: "standard" } });
  await send("searchInWords", {
    as,
    body: { query: "明日の10時から12時半まで 東京駅の近く 2000円以内 屋根付き", locale: "ja" },
  });
  await send("parseSearch", { as, body: { query: "東京駅の近くで24時間営業 1000円以内", locale: "ja" } });
  await send("searchInWords", {
    as,
    body: { action: "register_key", provider_id: "openai", api_key: "your-key-of-the-provider" },
  });
  await send("listAiKeys", { as });
  await send("deleteAiKey", { as, params: { provider_id: "openai" } });

  chapter(); // Account
  await send("readMe", { as });
  const avatar = await uploaded(walk, user, "avatar");
  await send("updateMe", { as, body: { display_name: "山田 花子", lang: "ja", avatar_asset_id: avatar } });
  const vehicle = await send("addVehicle", {
    as,
    body: {
      vehicle_type: "standard",
      nickname: "白いプリウス",
      plate_number: "品川 300 あ 12-34",
      color: "白",
      height_m: 1.47,
    },
  });
  await send("listVehicles", { as });
  await send("updateVehicle", { as, params: { id: vehicle.id }, body: { nickname: "家の車", height_m: 1.5 } });
  const bike = await send("addVehicle", { as, body: { vehicle_type: "motorcycle" } });
  await send("deleteVehicle", { as, params: { id: bike.id } });
  const preset = await send("createSearchPreset", {
    as,
    body: {
      name: "会社の近く",
      query_json: { v: 1, center: { ...STATION, placeName: "東京駅" }, radius_m: 800, attributes: ["covered"] },
    },
  });
  await send("listSearchPresets", { as });
  await send("updateSearchPreset", { as, params: { id: preset.id }, body: { name: "会社", sort_order: 10 } });
  await send("setDefaultSearchPreset", { as, params: { id: preset.id } });
  const other = await send("createSearchPreset", { as, body: { name: "実家", query_json: { keywords: ["横浜"] } } });
  await send("deleteSearchPreset", { as, params: { id: other.id } });
  const { items } = await send("readNotificationPreferences", { as, query: { lang: "ja" } });
  await send("putNotificationPreferences", {
    as,
    query: { lang: "ja" },
    body: {
      items: items.filter((item: Reply) => item.notif_type === "campaign").map((item: Reply) => ({
        notif_type: item.notif_type,
        push_enabled: false,
        in_app_enabled: true,
        email_enabled: false,
      })),
      quiet_hours: { from: "22:00", to: "07:00", time_zone: "Asia/Tokyo" },
    },
  });
  await send("putPushToken", { as, body: { fcm_token: "token-of-the-device", device_type: "ios" } });
  const tablet = await send("putPushToken", { as, body: { fcm_token: "token-of-the-tablet", device_type: "android" } });
  await send("deletePushToken", { as, params: { id: tablet.id } });

  chapter(); // Saved lots, ratings, occupancy, votes
  await send("saveParkingLot", { as, body: { parking_lot_id: LOT } });
  await send("listSavedParkingLots", { as });
  await send("putRating", { as, params: { id: LOT }, body: { value: "good" } });
  await send("readRating", { as, params: { id: LOT } });
  await send("deleteRating", { as, params: { id: LOT } });
  await send("putRating", { as, params: { id: LOT }, body: { value: "good" } });
  await send("reportOccupancy", { as, params: { id: LOT }, body: { state: "crowded", free_spaces: 6 } });
  await send("feedOccupancy", {
    as: stack().serviceRoleKey,
    body: { source: "operator", reports: [{ parking_lot_id: LOT, free_spaces: 12, occupancy_ratio: 0.86 }] },
  });
  await send("readOccupancy", { params: { id: LOT } });
  await inDatabase((sql) => makeVoters(sql, [user.id, friend.id]));
  const detail = await send("readParkingLot", { params: { id: LOT }, query: { include: ["field_value_ids"] } });
  const voted = { id: LOT, fieldValueId: detail.field_value_ids.max_height_m };
  await send("confirmFieldValue", { as, params: voted });
  await send("denyFieldValue", { as: friend.token, params: voted });

  chapter(); // A parking session
  const started = await send("startSession", {
    as,
    body: {
      parking_lot_id: LOT,
      vehicle_id: vehicle.id,
      start_lat: 35.68181,
      start_lng: 139.7736,
      client_request_id: crypto.randomUUID(),
    },
  });
  const session = started.session_id;
  await send("cancelSession", { as, params: { id: session } });
  const { session_id: id } = await send("startSession", { as, body: { parking_lot_id: LOT, vehicle_id: vehicle.id } });
  await inDatabase((sql) => age(sql, id, 100));
  await send("readCurrentSession", { as });
  const photo = await uploaded(walk, user, "session_photo");
  await send("putSessionPhoto", { as, params: { id, phase: "during", slot: 1 }, body: { asset_id: photo } });
  const second = await uploaded(walk, user, "session_photo");
  await send("putSessionPhoto", { as, params: { id, phase: "during", slot: 2 }, body: { asset_id: second } });
  await send("deleteSessionPhoto", { as, params: { id, phase: "during", slot: 2 } });
  await send("finalizeSession", {
    as,
    params: { id },
    body: { exit_at: at({ minutes: 0 }), client_request_id: crypto.randomUUID() },
  });
  await send("readMySession", { as, params: { id } });
  await send("updateMySession", { as, params: { id }, body: { memo: "3階の青い柱の横", personal_rating: "また使う" } });
  await send("listMySessions", { as, query: { status: "ended", from: at({ days: -30 }), include: ["total"] } });

  chapter(); // Reviews, reports, support
  const review = await send("postReview", {
    as,
    params: { id: LOT },
    body: {
      rating: 4,
      comment: "駅に近く、幅が広くて停めやすいです。",
      photo_asset_ids: [await uploaded(walk, user, "review")],
    },
  });
  await send("listMyReviews", { as });
  await send("updateMyReview", {
    as,
    params: { id: review.id },
    body: { rating: 5, comment: "駅に近く、幅が広くて停めやすいです。夜も明るいです。" },
  });
  const report = await send("postErrorReport", {
    as,
    body: {
      parking_lot_id: LOT,
      report_type: "vehicle_limits",
      severity: "medium",
      description: "入口の看板では高さ制限が2.1mでした。",
      evidence_asset_ids: [await uploaded(walk, user, "error_report")],
    },
  });
  await send("listMyErrorReports", { as });
  const ticket = await send("createTicket", {
    as,
    body: {
      category: "parking_session",
      subject: "料金が表示されない",
      message: "駐車を終了しましたが、料金が表示されません。",
    },
  });
  await send("listTickets", { as });
  await send("replyToTicket", {
    as,
    params: { id: ticket.id },
    body: { message: "アプリを再起動すると表示されました。" },
  });
  await send("readTicket", { as, params: { id: ticket.id } });

  chapter(); // Rewards
  await send("checkIn", {
    as,
    params: { id: sponsor.id },
    body: { lat: sponsor.lat, lng: sponsor.lng, accuracy_m: 12 },
  });
  await send("readMyExp", { as });
  await send("listMyExpEntries", { as });
  await send("listMyBadges", { as, query: { lang: "ja" } });
  await send("listMyBadgeProgress", { as, query: { lang: "ja" } });
  const themes = await send("listThemes", { as });
  await send("applyTheme", { as, params: { id: themes.items[0].theme_id } });

  chapter(); // Purchases
  const bought = await apple.buy({ product_id: "premium_monthly", account_token: user.id });
  const receipt = { platform: "ios", receipt: bought.signed_transaction, product_id: "premium_monthly" };
  const subscription = await send("verifyMyIap", { as, body: receipt });
  await send("refreshMyIap", { as, body: receipt });
  await send("readMySubscription", { as, query: { lang: "ja" } });
  await send("listMySubscriptionEvents", { as });
  await send("readSearchPreferences", { as });
  await send("putSearchPreferences", { as, body: { yen_per_walk_minute: 30 } });
  const { purchase_token } = await play.buy({ product_id: "premium_yearly", account_id: friend.id });
  await send("verifyIap", {
    as: friend.token,
    body: { platform: "android", receipt: purchase_token, product_id: "premium_yearly" },
  });
  return {
    review,
    report,
    ticket,
    voted,
    subscription,
    originalTransactionId: bought.subscription.original_transaction_id,
    purchaseToken: purchase_token,
  };
}

/** What an app user reads after the console has worked. */
export async function walkAfterwards({ send, chapter }: Walk, { user, friend, leaver }: Cast): Promise<void> {
  const as = user.token;
  chapter();
  await send("listNotifications", { as, query: { include: ["unread_count"] } });
  const [notification] = (await send("listNotifications", { as })).items;
  await send("markNotificationsRead", { as, body: { ids: [notification.id] } });
  await send("listThemeGifts", { as });
  await send("listReviews", { params: { id: LOT } });
  await send("exportMyData", { as });
  const mine = await send("postReview", { as: friend.token, params: { id: LOT }, body: { rating: 3 } });
  await send("deleteMyReview", { as: friend.token, params: { id: mine.id } });
  await send("unsaveParkingLot", { as, params: { lotId: LOT } });
  await send("withdraw", { as: leaver.token });
}
