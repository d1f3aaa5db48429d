// The part of the administrators, and of the service's own callers: queues, content, lots, users, stores.
import { apple, play } from "../api/purchases.ts";
import { inDatabase } from "../api/lots.ts";
import { eventually } from "../support/eventually.ts";
import { runJob } from "../support/rows.ts";
import { stack } from "../support/stack.ts";
import { LOT, uploaded } from "./app_walk.ts";
import type { Reply } from "./recorder.ts";
import type { Cast, Walk } from "./walk.ts";

export async function walkQueues({ send, chapter }: Walk, { admin, friend }: Cast, done: Reply): Promise<void> {
  const as = admin.token;
  chapter();
  await send("listReviewQueue", { as, query: { status: "pending" } });
  const review = await send("readReview", { as, params: { id: done.review.id } });
  await send("decideReview", {
    as,
    params: { id: review.id },
    body: { status: "approved", seen_updated_at: review.updated_at },
  });
  const next = await send("postReview", {
    as: friend.token,
    params: { id: LOT },
    body: { rating: 1, comment: "http://example.com/ で安く買えます" },
  });
  const spam = await send("readReview", { as, params: { id: next.id } });
  await send("decideReviews", {
    as,
    body: { decisions: [{ id: spam.id, status: "rejected", reason: "宣伝です。", seen_updated_at: spam.updated_at }] },
  });
  await send("deleteMyReview", { as: friend.token, params: { id: next.id } });

  await send("listErrorReports", { as, query: { status: "open" } });
  const report = await send("readErrorReport", { as, params: { id: done.report.id } });
  const taken = await send("updateErrorReport", {
    as,
    params: { id: report.id },
    body: { assigned_admin_id: admin.id, status: "in_review", seen_updated_at: report.updated_at },
  });
  await send("listFieldValues", { as, query: { parking_lot_id: LOT } });
  const value = await send("readFieldValue", { as, params: { id: done.voted.fieldValueId } });
  await send("decideFieldValue", {
    as,
    params: { id: value.id },
    body: { state: "confirmed", reason: "看板の写真で確認しました。" },
  });
  await send("updateErrorReport", {
    as,
    params: { id: report.id },
    body: { status: "resolved", correction: { max_height_m: 2.1 }, seen_updated_at: taken.updated_at },
  });

  await send("listTicketQueue", { as, query: { status: "open" } });
  const ticket = await send("readTicketOfUser", { as, params: { id: done.ticket.id } });
  const answered = await send("answerTicket", {
    as,
    params: { id: ticket.id },
    body: { message: "ご連絡ありがとうございます。修正しました。", seen_updated_at: ticket.updated_at },
  });
  await send("closeTicket", {
    as,
    params: { id: ticket.id },
    body: { status: "closed", seen_updated_at: answered.ticket.updated_at },
  });
}

export async function walkContent({ send, at, chapter }: Walk, { admin }: Cast): Promise<void> {
  const as = admin.token;
  const week = { starts_at: at({ days: 7 }), ends_at: at({ days: 21 }) };
  chapter();
  const article = await send("createArticle", {
    as,
    body: {
      slug: "year-end-parking",
      locale: "ja",
      title: "年末年始の駐車場の選び方",
      summary: "休業日と最大料金の変更に気をつけましょう。",
      body: "# 年末年始の駐車場の選び方\n\n12月31日から1月3日までは、料金が変わる駐車場があります。\n",
      tags: ["料金"],
    },
  });
  const articleId = { id: article.id };
  await send("readArticleOfAnyState", { as, params: articleId });
  await send("changeArticle", { as, params: articleId, body: { title: "年末年始の駐車場ガイド" } });
  await send("listArticlesOfAllStates", { as, query: { lang: "ja", status: "draft" } });
  await send("deleteArticle", { as, params: articleId });

  const ad = await send("createAd", {
    as,
    body: {
      placement: "map",
      title: "年末セール開催中",
      body: "対象の駐車場が500円引きです。",
      link_url: "https://example.com/sale",
      weight: 200,
      ...week,
    },
  });
  await send("readAdOfAnyState", { as, params: { id: ad.id } });
  await send("changeAd", { as, params: { id: ad.id }, body: { weight: 300 } });
  await send("listAdsOfAllStates", { as, query: { placement: "map", status: "scheduled" } });
  await send("deleteAd", { as, params: { id: ad.id } });

  const sponsor = await send("createSponsor", {
    as,
    body: {
      name: "ベーカリーこむぎ 八重洲店",
      description: "チェックインで経験値がもらえます。",
      category: "bakery",
      address: "東京都中央区八重洲1丁目3-4",
      lat: 35.6818,
      lng: 139.7702,
      website: "https://example.com/komugi",
      opening_hours: [{ weekday: 1, opens: "07:00", closes: "19:00" }],
      checkin_radius_m: 100,
      ...week,
    },
  });
  await send("readSponsorOfAnyState", { as, params: { id: sponsor.id } });
  await send("changeSponsor", { as, params: { id: sponsor.id }, body: { checkin_radius_m: 150 } });
  await send("listSponsorsOfAllStates", { as, query: { category: "bakery" } });
  await send("deleteSponsor", { as, params: { id: sponsor.id } });

  const plan = await send("createPlan", {
    as,
    body: {
      code: "premium_weekly",
      name: "プレミアム（週額）",
      name_en: "Premium, weekly",
      description: "毎週の自動更新です。",
      price_minor: 160,
      currency: "JPY",
      billing_period: "week",
      accent_color: "#2e7d32",
      features: ["歩く時間を料金に換算した検索"],
      sort_order: 5,
      is_active: false,
    },
  });
  await send("readPlanOfAnyState", { as, params: { id: plan.id } });
  await send("changePlan", { as, params: { id: plan.id }, body: { price_minor: 150 } });
  await send("listPlansOfAllStates", { as, query: { billing_period: "week" } });

  await send("createCode", {
    as,
    body: {
      category_id: "structure",
      code: "underground_robot",
      labels: { ja: "地下ロボット式", en: "Underground, automated" },
      metadata: { color: "#455a64" },
      sort_order: 80,
    },
  });
  const code = { category_id: "structure", code: "underground_robot" };
  await send("readCodeOfAnyState", { as, params: code });
  await send("changeCode", { as, params: code, body: { sort_order: 75 } });
  await send("listCodesOfAllStates", { as, query: { category_id: "structure" } });

  const tag = await send("createTag", {
    as,
    body: {
      slug: "bicycle_rental",
      name: "レンタサイクル",
      name_en: "Bicycle rental",
      color: "#00897b",
      sort_order: 900,
    },
  });
  await send("readTagOfAnyState", { as, params: { id: tag.id } });
  await send("changeTag", { as, params: { id: tag.id }, body: { icon_name: "bicycle" } });
  await send("listTagsOfAllStates", { as, query: { q: "レンタ" } });
  await send("deleteTag", { as, params: { id: tag.id } });

  const holiday = { calendar: "JP", holiday_date: "2031-06-11" };
  await send("createHoliday", { as, body: { ...holiday, name: "臨時休日", name_en: "Special holiday" } });
  await send("readHoliday", { as, params: holiday });
  await send("changeHoliday", { as, params: holiday, body: { name: "特別休日" } });
  await send("listHolidays", { as, query: { calendar: "JP", from: "2031-06-01", to: "2031-06-30" } });
  await send("deleteHoliday", { as, params: holiday });
}

export async function walkLots(walk: Walk, { admin }: Cast): Promise<void> {
  const { send, chapter } = walk;
  const as = admin.token;
  chapter();
  const lot = await send("createParkingLot", {
    as,
    body: {
      name: "神田川ひかり駐車場",
      name_kana: "かんだがわひかりちゅうしゃじょう",
      address: "東京都千代田区外神田2丁目4-1",
      lat: 35.6994,
      lng: 139.7684,
      area: {
        type: "Polygon",
        coordinates: [[[139.7682, 35.6993], [139.7686, 35.6993], [139.7686, 35.6996], [139.7682, 35.6993]]],
      },
      total_spaces: 24,
      status: "draft",
      structure: "surface",
      max_height_m: 2.1,
      entry_method: "lockless_plate",
      entry_difficulty: "easy",
      operator_code: "aozora",
      phone: "03-0000-0000",
      licence: "CC0-1.0",
    },
  });
  const params = { id: lot.id };
  await send("replacePricingGroups", {
    as,
    params,
    body: {
      pricing_groups: [{ code: "standard", name: "普通車", is_default: true, vehicle_types: ["standard", "kei"] }],
    },
  });
  const rules = [
    { category: "time_band", rule_order: 1, time_start: "08:00", time_end: "20:00", per_minutes: 30, price_minor: 300 },
    { category: "time_band", rule_order: 2, per_minutes: 60, price_minor: 100 },
    {
      category: "cap",
      rule_order: 3,
      cap_type: "duration",
      cap_duration_hours: 24,
      cap_price_minor: 1800,
      cap_repeat: true,
    },
  ];
  await send("replacePricingRules", { as, params, body: { pricing_rules: rules, reason: "看板の写真" } });
  await send("replaceWindows", {
    as,
    params,
    body: { windows: [{ window_type: "business", day_type: "all", is_24h: true }] },
  });
  await send("replaceDateOverrides", {
    as,
    params,
    body: {
      date_overrides: [{
        override_date: "2027-01-01",
        label: "元日",
        pricing: [{ category: "flat", rule_order: 1, price_minor: 1000 }],
        note: "元日は一律料金です。",
      }],
    },
  });
  await send("replaceSpots", {
    as,
    params,
    body: { spots: [{ code: "EV-1", vehicle_type_max: "standard", is_ev_charger: true, ev_connector_type: "type1" }] },
  });
  const tags = await send("listTags", { query: { lang: "ja" } });
  const camera = tags.items.find(({ slug }: Reply) => slug === "security_camera");
  await send("replaceLotTags", { as, params, body: { tags: [{ tag_id: camera.id, state: true }] } });
  const asset_id = await uploaded(walk, admin, "parking_lot", { is_public: true });
  await send("replaceLotImages", { as, params, body: { images: [{ asset_id, is_main: true, sort_order: 1 }] } });
  await send("updateParkingLot", { as, params, body: { status: "active", total_spaces: 26 } });
  await send("previewParkingLotFee", {
    as,
    params,
    body: {
      entry_at: "2026-12-01T10:00:00+09:00",
      exit_at: "2026-12-01T12:30:00+09:00",
      vehicle_type: "standard",
      pricing_rules: [{ category: "time_band", rule_order: 1, per_minutes: 20, price_minor: 200 }],
    },
  });
  await send("readTariffText", {
    as,
    body: { text: "平日 30分200円 土日祝 30分300円", parking_lot_id: params.id },
  });
  await send("readLotOfAnyStatus", { as, params });
  await send("listParkingLotHistory", { as, params });
  await send("listLotsOfAllStatuses", { as, query: { status: "active", q: "神田川" } });
  await send("importLots", {
    as,
    body: {
      source: "city.example",
      licence: "CC-BY-4.0",
      attribution: "例市",
      dry_run: true,
      lots: [{
        external_id: "P-001",
        name: "例市役所前駐車場",
        lat: 35.4437,
        lng: 139.638,
        total_spaces: 120,
        tags: { covered: true },
        windows: [{ day_type: "weekday", open_time: "08:00", close_time: "22:00" }],
        pricing_rules: [{ category: "time_band", per_minutes: 30, price_minor: 200 }],
      }],
    },
  });
  await inDatabase((sql) => runJob(sql, "fold_lot_counts"));
  await send("listLotEngagement", { as, query: { sort: "sessions" } });
  await send("deleteParkingLot", { as, params });
}

export async function walkRewards({ send, chapter }: Walk, { admin, user }: Cast): Promise<void> {
  const as = admin.token;
  chapter();
  const badge = await send("createBadge", {
    as,
    body: {
      name: "サポーター",
      name_en: "Supporter",
      description: "誤りを10件報告しました",
      description_en: "Reported 10 errors",
      icon: "supporter",
      category: "community",
      conditions: { activity: ["error_report_post"], measure: "count" },
      threshold: 10,
      is_active: false,
      sort_order: 80,
    },
  });
  const params = { id: badge.id };
  await send("readBadge", { as, params });
  await send("updateBadge", { as, params, body: { threshold: 5 } });
  await send("listAdminBadges", { as });
  await send("previewBadge", {
    as,
    body: { conditions: { activity: ["session_end"], measure: "distinct_lots" }, threshold: 5 },
  });
  await send("backfillBadge", { as, params });
  await inDatabase((sql) => runJob(sql, "backfill_badges"));
  await eventually(async () => (await send("readBadgeBackfill", { as, params })).status === "done" || undefined);
  await send("backfillBadges", { as });
  await inDatabase((sql) => runJob(sql, "backfill_badges"));
  await send("readBadgeBackfills", { as });
  const mistake = await send("createBadge", {
    as,
    body: {
      name: "二重登録",
      description: "まちがえて登録したバッジ",
      icon: "supporter",
      category: "community",
      conditions: { activity: ["error_report_post"], measure: "count" },
      threshold: 10,
      is_active: false,
    },
  });
  await send("deleteBadge", { as, params: { id: mistake.id } });

  await send("createLevel", { as, body: { level: 11, required_exp: 9000, name: "伝説の先", name_en: "Beyond" } });
  await send("readLevel", { as, params: { level: 11 } });
  await send("updateLevel", { as, params: { level: 11 }, body: { required_exp: 8500 } });
  await send("listAdminLevels", { as });
  await send("deleteLevel", { as, params: { level: 11 } });
  await send("recalculateLevels", { as });
  await inDatabase((sql) => runJob(sql, "recalculate_levels"));
  await send("readLevelRecalculation", { as });

  const rule = await send("createExpRule", {
    as,
    body: { reason: "field_value_vote", activity_type: "error_report_post", amount: 5, daily_limit: 3 },
  });
  await send("readExpRule", { as, params: { id: rule.id } });
  await send("updateExpRule", { as, params: { id: rule.id }, body: { amount: 10 } });
  await send("listExpRules", { as });
  await send("deleteExpRule", { as, params: { id: rule.id } });

  const theme = await send("createTheme", {
    as,
    body: {
      name: "紅葉",
      description: "秋の並木道をイメージしました。",
      is_free: false,
      price_yen_minor: 250,
      sort_order: 60,
    },
  });
  await send("readTheme", { as, params: { id: theme.id } });
  await send("updateTheme", { as, params: { id: theme.id }, body: { price_yen_minor: 300 } });
  const { items } = await send("listAdminThemes", { as, query: { is_active: true } });
  const sakura = items.find(({ name }: Reply) => name === "桜");
  await send("giftTheme", { as, params: { id: sakura.id }, body: { user_id: user.id, message: "ご協力のお礼です。" } });
  await send("deleteTheme", { as, params: { id: theme.id } });
}

export async function walkUsers({ send, at, chapter }: Walk, { admin, user, friend, misbehaved, gone }: Cast) {
  const as = admin.token;
  const service = stack().serviceRoleKey;
  chapter();
  const preset = await send("createUserSearchPreset", {
    as,
    body: { user_id: user.id, name: "空港の近く", query_json: { v: 1, keywords: ["羽田"], attributes: ["covered"] } },
  });
  const params = { id: preset.id };
  await send("listUserSearchPresets", { as, query: { user_id: user.id } });
  await send("updateUserSearchPreset", { as, params, body: { name: "羽田空港の近く" } });
  await send("setDefaultUserSearchPreset", { as, params });
  await send("deleteUserSearchPreset", { as, params });

  await send("listUsers", { as, query: { display_name: "花子" } });
  await send("readUser", { as, params: { id: user.id } });
  await send("listUserActivityLogs", { as, params: { id: user.id } });
  await send("setUserPremium", {
    as,
    params: { id: friend.id },
    body: { until: at({ days: 30 }), reason: "不具合のお詫び" },
  });
  await send("suspendUser", { as, params: { id: misbehaved.id }, body: { reason: "宣伝の投稿を繰り返しました。" } });
  await send("reactivateUser", { as, params: { id: misbehaved.id }, body: { reason: "本人と確認できました。" } });
  await send("exportUser", { as, params: { id: user.id } });
  await send("withdrawUser", { as, params: { id: gone.id }, body: { reason: "電話で依頼がありました。" } });

  chapter();
  const notification = await send("createUserNotification", {
    as,
    body: {
      type: "announcement",
      title: "年末年始の営業について",
      body: "12月31日から1月3日まで、料金が変わる駐車場があります。",
      title_en: "Year-end opening hours",
      body_en: "Some lots have other prices from December 31 to January 3.",
      data: { screen: "article", slug: "how-maximum-fees-work" },
      target: "all",
    },
  });
  const id = { id: notification.id };
  await send("readUserNotification", { as, params: id });
  await send("updateUserNotification", { as, params: id, body: { target: "user", user_id: user.id } });
  await send("previewUserNotification", {
    as,
    body: {
      type: "announcement",
      title: "年末年始の営業について",
      body: "料金が変わる駐車場があります。",
      target: "all",
    },
  });
  await send("testUserNotification", { as, params: id });
  await send("sendUserNotification", { as, params: id });
  await send("dispatchPushes", { as: service });
  await send("dispatchMails", { as: service });
  await send("readNotificationFunnel", { as, params: id });
  await send("listUndeliveredDevices", { as, params: id });
  await send("listUserNotifications", { as });
  const later = await send("createUserNotification", {
    as,
    body: {
      type: "campaign",
      title: "秋の割引",
      body: "週末は半額です。",
      target: "all",
      scheduled_at: at({ days: 3 }),
    },
  });
  await send("cancelUserNotification", { as, params: { id: later.id } });
  const draft = await send("createUserNotification", {
    as,
    body: { type: "campaign", title: "下書き", body: "本文", target: "all" },
  });
  await send("deleteUserNotification", { as, params: { id: draft.id } });
}

export async function walkStores({ send, chapter }: Walk, { admin }: Cast, done: Reply): Promise<void> {
  const as = admin.token;
  const service = stack().serviceRoleKey;
  chapter();
  const renewed = await apple.act(done.originalTransactionId, "renew", { send: false });
  await send("receiveAppStoreNotification", { body: { ...renewed.notification } });
  const { pushes: [push] } = await play.act(done.purchaseToken, "renew", { send: false });
  await send("receiveGooglePlayNotification", {
    body: { ...push!.body },
    headers: { authorization: push!.authorization },
  });
  await send("processStoreNotifications", { as: service });
  await send("reconcileSubscriptions", { as: service });
  const params = { id: done.subscription.id };
  await send("listSubscriptions", { as, query: { status: "active" } });
  await send("readSubscription", { as, params });
  await send("listSubscriptionEvents", { as, params });
  await send("refreshSubscription", { as, params });
  await send("revokeSubscription", { as, params, body: { reason: "返金の依頼がありました。" } });
  await send("reinstateSubscription", { as, params, body: { reason: "依頼が取り下げられました。" } });

  const { sync_run_ids: runs } = await send("triggerStoreSync", { as, body: { store: "all", task: "all" } });
  await eventually(async () => {
    await inDatabase((sql) =>
      sql`update public.store_sync_runs set due_at = now() where lease_id is null and due_at > now()`
    );
    await send("syncRuns", { as: service });
    const { items } = await inDatabase(async (sql) => ({
      items: await sql`select from public.store_sync_runs where status not in ('succeeded', 'failed')`,
    }));
    return items.length === 0 || undefined;
  }, 120_000);
  await send("listStoreSyncRuns", { as, query: { store: "ios_store" } });
  await send("readStoreSyncRun", { as, params: { id: runs[0] } });
  await send("listStoreSales", { as, query: { store: "ios_store", sku: "premium_monthly", country: "JP" } });
  await send("sumStoreSales", { as, query: { store: "ios_store", sku: "premium_monthly" } });
  await send("listStoreMetrics", { as, query: { store: "android_store", metric: "installs" } });
  await send("listStoreReviews", { as, query: { store: "ios_store" } });
}

export async function walkAdministrators({ send, chapter }: Walk, { admin, colleague }: Cast): Promise<void> {
  const as = admin.token;
  const service = stack().serviceRoleKey;
  chapter();
  const params = { id: colleague.id };
  await send("inviteAdministrator", {
    as,
    body: { email: "ken.suzuki@example.com", name: "鈴木 健", areas: ["reviews", "support"] },
  });
  await send("listAdministrators", { as, query: { status: "active" } });
  await send("getAdministrator", { as, params });
  await send("updateAdministrator", { as, params, body: { areas: ["content", "support"] } });
  await send("suspendAdministrator", { as, params, body: { reason: "休職中です。" } });
  await send("reactivateAdministrator", { as, params, body: { reason: "復職しました。" } });
  await send("resetSecondFactor", { as, params, body: { reason: "電話をなくしました。" } });
  await send("listActivityLogs", { as, query: { action: "user.create_search_preset" } });
  await send("listUserActivities", { as, query: { activity_type: "session_end", limit: 2 } });
  const { items } = await send("listAdminNotifications", { as, query: { unread: true, include: ["unread_count"] } });
  await send("markAdminNotificationsRead", { as, body: { ids: [items[0].id] } });
  await inDatabase(async (sql) => {
    await runJob(sql, "refresh_overview_now");
    await runJob(sql, "refresh_overview");
  });
  await send("readOverview", { as, query: { days: 7 } });
  await send("listJobs", { as });
  const message = (n: number) =>
    inDatabase(async (sql) => {
      const [row] = await sql<{ id: string }[]>`
        insert into private.dead_messages (queue, msg_id, message, read_count, enqueued_at)
        values ('mail', ${n}, ${sql.json({ mail_id: crypto.randomUUID() })}, 5, now() - interval '1 hour')
        returning id`;
      return row!.id;
    });
  const [one, other] = [await message(1041), await message(1042)];
  await send("listDeadMessages", { as, query: { queue: "mail" } });
  await send("discardDeadMessage", { as, params: { id: one } });
  await send("requeueDeadMessage", { as, params: { id: other } });
  await send("sweepStorage", { as: service });
}
