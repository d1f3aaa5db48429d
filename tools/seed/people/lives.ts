// What the sample people did before the first start: sessions with fees, reviews and reports in every state, tickets, votes,
// notifications, rewards, a subscription, and the work of the administrators. So no screen is empty.
import type { StoreStatement, SubscriptionFacts } from "../../../supabase/functions/_shared/providers/store.ts";
import type { History } from "./history.ts";
import type { Ids } from "./sample_people.ts";

interface Plan {
  readonly history: History;
  readonly ids: Ids;
  /** The ids of seeded lots, by their names in tools/seed/. */
  readonly lots: Readonly<Record<string, string>>;
}

const MINUTE_MS = 60_000;

export async function planLives(history: History, ids: Ids): Promise<void> {
  const rows = await history.sql<{ id: string; external_id: string }[]>`
    select id, external_id from public.parking_lots where source = 'seed'`;
  const plan = { history, ids, lots: Object.fromEntries(rows.map(({ id, external_id }) => [external_id, id])) };
  planSettings(plan);
  planSessions(plan);
  planReviews(plan);
  planReports(plan);
  planTickets(plan);
  planFacts(plan);
  planRewards(plan);
  planSubscription(plan);
  planAdministration(plan);
}

function planSettings({ history, ids, lots }: Plan): void {
  const { "hanako@example.com": hanako, "james@example.com": james, "yuki@example.com": yuki } = ids;
  history.at(history.daysAgo(42, "20:00"), async () => {
    await history.asUser(hanako, "create_my_search_preset", {
      p_name: "会社の近く",
      p_query_json: {
        v: 1,
        center: { lat: 35.6812, lng: 139.7671, placeName: "東京駅" },
        radius_m: 800,
        attributes: ["has_max_fee"],
      },
    });
    await history.asUser(hanako, "create_my_search_preset", {
      p_name: "雨の日の渋谷",
      p_query_json: { v: 1, center: { lat: 35.658, lng: 139.7016 }, radius_m: 1000, attributes: ["covered"] },
    });
    await history.asUser(hanako, "set_my_notification_preferences", {
      p_items: [inAppOnly("campaign")],
      p_quiet_hours: { from: "22:00", to: "07:00", time_zone: "Asia/Tokyo" },
    });
    for (const lot of ["tokyo-001", "tokyo-016", "tokyo-029", "shibuya-002"]) {
      await history.asUser(hanako, "save_parking_lot", { p_parking_lot_id: lots[lot] });
    }
  });
  history.at(history.daysAgo(41, "19:30"), async () => {
    await history.asUser(james, "update_my_account", { p_lang: "en" });
    // Mails of the past are sent at the first start: only hanako receives some.
    await history.asUser(james, "set_my_notification_preferences", { p_items: [inAppOnly("subscription")] });
    await history.asUser(yuki, "set_my_notification_preferences", { p_items: [inAppOnly("support_reply")] });
    await history.asUser(james, "create_my_search_preset", {
      p_name: "Yokohama, high roof",
      p_query_json: { v: 1, center: { lat: 35.4657, lng: 139.6224 }, radius_m: 1500, vehicle: { height_m: 2.3 } },
    });
    for (const lot of ["tokyo-016", "yokohama-004"]) {
      await history.asUser(james, "save_parking_lot", { p_parking_lot_id: lots[lot] });
    }
    await history.asUser(yuki, "save_parking_lot", { p_parking_lot_id: lots["tokyo-002"] });
  });
}

function inAppOnly(type: string) {
  return { notif_type: type, push_enabled: false, in_app_enabled: true, email_enabled: false };
}

/** A stay: lot, days ago, time of the start, minutes, and what the user noted. */
type Stay = readonly [lot: string, days: number, time: string, minutes: number, memo?: string, rating?: "good" | "bad"];

const HANAKO_STAYS: readonly Stay[] = [
  ["tokyo-002", 35, "10:05", 95, "打ち合わせ", "good"],
  ["shibuya-002", 28, "13:20", 240, "3階、エレベーターの近く", "good"],
  ["tokyo-016", 21, "18:40", 205, "銀座で夕食"],
  ["tokyo-029", 12, "09:10", 480, "終日セミナー", "good"],
  ["tokyo-001", 11, "11:00", 60],
  ["tokyo-004", 10, "14:30", 45],
  ["tokyo-016", 9, "12:05", 130, "買い物"],
  ["tokyo-007", 8, "08:50", 70, "出口が混んでいた", "bad"],
  ["tokyo-010", 7, "16:15", 190],
  ["tokyo-013", 6, "10:30", 25],
  ["shibuya-006", 4, "23:10", 100, "深夜料金"],
];
const JAMES_STAYS: readonly Stay[] = [
  ["yokohama-004", 30, "10:00", 300, "Visiting a client", "good"],
  ["tokyo-016", 24, "19:00", 150],
  ["yokohama-007", 15, "09:30", 420],
  ["yokohama-002", 8, "12:00", 35, "Short stop"],
];
const YUKI_STAYS: readonly Stay[] = [
  ["tokyo-002", 33, "09:00", 55],
  ["tokyo-029", 20, "10:00", 200, "地下2階", "good"],
  ["yokohama-007", 13, "13:00", 120],
  ["tokyo-001", 5, "17:30", 80],
];

function planSessions({ history, ids, lots }: Plan): void {
  const vehicle = new Map<string, unknown>();
  const addVehicle = async (user: string, fields: Readonly<Record<string, unknown>>) => {
    const { id } = await history.asUser(user, "add_my_vehicle", { p_vehicle: fields });
    if (!vehicle.has(user)) vehicle.set(user, id);
  };
  const { "hanako@example.com": hanako, "james@example.com": james, "yuki@example.com": yuki } = ids;
  history.at(history.daysAgo(40, "20:00"), async () => {
    await addVehicle(hanako, {
      vehicle_type: "standard",
      nickname: "ミニバン",
      plate_number: "品川 300 あ 12-34",
      color: "白",
      height_m: 1.71,
      width_m: 1.7,
      length_m: 4.26,
      weight_t: 1.4,
    });
    await addVehicle(hanako, { vehicle_type: "kei", nickname: "軽", color: "水色", height_m: 1.53, length_m: 3.4 });
    await addVehicle(james, {
      vehicle_type: "high_roof",
      nickname: "Camper",
      color: "Silver",
      height_m: 2.28,
      width_m: 1.88,
      length_m: 5.38,
      weight_t: 2.4,
    });
    await addVehicle(yuki, { vehicle_type: "compact", nickname: "コンパクト", height_m: 1.5, length_m: 3.9 });
  });
  const start = async (user: string, lot: string) => {
    const args = { p_parking_lot_id: lots[lot], p_vehicle_id: vehicle.get(user) };
    return (await history.asUser(user, "start_parking_session", args))["session_id"];
  };
  const plan = (user: string, [lot, days, time, minutes, memo, rating]: Stay) => {
    const entry = history.daysAgo(days, time);
    const exit = new Date(+entry + minutes * MINUTE_MS);
    let session: unknown;
    history.at(entry, async () => session = await start(user, lot));
    history.at(exit, async () => {
      await history.asUser(user, "finalize_parking_session", { p_id: session, p_exit_at: exit });
      if (memo === undefined) return;
      const note = { p_id: session, p_memo: memo, p_personal_rating: rating };
      await history.asUser(user, "update_my_parking_session", note);
    });
  };
  for (const stay of HANAKO_STAYS) plan(hanako, stay);
  for (const stay of JAMES_STAYS) plan(james, stay);
  for (const stay of YUKI_STAYS) plan(yuki, stay);
  plan(ids["emma@example.com"], ["tokyo-005", 38, "15:00", 90]);
  history.at(history.daysAgo(26, "08:55"), async () => {
    await history.asUser(hanako, "cancel_parking_session", { p_id: await start(hanako, "tokyo-003") });
  });
  // It runs still.
  history.at(history.minutesAgo(50), () => start(hanako, "tokyo-016"));
}

function planReviews({ history, ids, lots }: Plan): void {
  const moderators = [ids["support@example.com"], ids["admin@example.com"]];
  let count = 0;
  const plan = (
    [email, lot, days, rating, comment]: readonly [keyof Ids, string, number, number, string],
    status?: "approved" | "rejected" | "hidden",
    reason?: string,
  ) => {
    const moderator = moderators[count++ % moderators.length]!;
    let review: unknown;
    history.at(history.daysAgo(days, "21:15"), async () => {
      const args = { p_parking_lot_id: lots[lot], p_rating: rating, p_comment: comment };
      review = (await history.asUser(ids[email], "post_review", args))["id"];
    });
    if (status === undefined) return;
    const decide = async (decided: string) => {
      const seen = await history.versionOf("reviews", String(review));
      const args = { p_id: review, p_status: decided, p_reason: reason, p_seen_updated_at: seen };
      await history.asAdmin(moderator, "admin_decide_review", args);
    };
    history.at(history.daysAgo(days - 1, "10:40"), () => decide(status === "hidden" ? "approved" : status));
    if (status === "hidden") history.at(history.daysAgo(days - 2, "16:05"), () => decide(status));
  };
  plan(["hanako@example.com", "tokyo-002", 34, 5, "駅に近く、フラップ板も新しくて停めやすいです。"], "approved");
  plan(["hanako@example.com", "tokyo-016", 20, 4, "立体で出入口が広いです。週末の夕方は混みます。"], "approved");
  plan(["hanako@example.com", "shibuya-002", 27, 1, "最悪"], "rejected", "どこが悪かったかを具体的に書いてください。");
  plan(["hanako@example.com", "tokyo-029", 2, 4, "地下で雨の日に便利です。料金はやや高め。"]);
  plan(["james@example.com", "tokyo-016", 23, 4, "Wide ramps, and staff who speak English."], "approved");
  plan(["james@example.com", "yokohama-004", 3, 2, "The entrance is hard to find. My camper just fits."]);
  plan(["yuki@example.com", "tokyo-002", 32, 4, "24時間出し入れできます。"], "approved");
  plan(["yuki@example.com", "tokyo-029", 19, 5, "広くて明るい。車椅子用の区画もありました。"], "approved");
  plan(["yuki@example.com", "tokyo-016", 18, 5, "最大料金があるので安心です。"], "approved");
  plan(["yuki@example.com", "yokohama-007", 12, 3, "機械が古く、精算に時間がかかりました。"], "approved");
  plan(["yuki@example.com", "tokyo-001", 4, 4, "会議の前後に使いました。出口は一方通行です。"], "approved");
  plan(
    ["yuki@example.com", "tokyo-004", 9, 2, "となりの店の看板が落ちそうでした。"],
    "hidden",
    "駐車場についての内容ではありません。",
  );
  plan(["emma@example.com", "tokyo-005", 37, 5, "Cheap tickets at my shop! Call me!"], "rejected", "Advertising.");
}

function planReports({ history, ids, lots }: Plan): void {
  const admin = ids["admin@example.com"];
  const plan = (
    email: keyof Ids,
    days: number,
    fields: Readonly<Record<string, unknown>>,
    ...decisions: readonly Readonly<Record<string, unknown>>[]
  ) => {
    let report: unknown;
    history.at(
      history.daysAgo(days, "12:30"),
      async () => report = (await history.asUser(ids[email], "post_error_report", fields))["id"],
    );
    decisions.forEach((changes, index) =>
      history.at(history.daysAgo(days - 1 - index, "11:10"), async () => {
        const seen = await history.versionOf("error_reports", String(report));
        const args = { p_id: report, p_changes: { ...changes, seen_updated_at: seen } };
        await history.asAdmin(admin, "admin_update_error_report", args);
      })
    );
  };
  plan(
    "yuki@example.com",
    25,
    {
      p_report_type: "capacity",
      p_parking_lot_id: lots["tokyo-020"],
      p_description: "区画が2台分減って24台になっています。",
      p_severity: "medium",
    },
    { status: "in_review", assigned_admin_id: admin },
    { status: "resolved", correction: { total_spaces: 24 }, reason: "現地の写真で確認しました。" },
  );
  plan(
    "james@example.com",
    6,
    {
      p_report_type: "vehicle_limits",
      p_parking_lot_id: lots["shibuya-005"],
      p_description: "The sign at the ramp says 1.50 m, not 1.55 m.",
      p_severity: "medium",
    },
    { status: "in_review", assigned_admin_id: admin },
  );
  plan("hanako@example.com", 3, {
    p_report_type: "hours",
    p_parking_lot_id: lots["tokyo-007"],
    p_description: "日曜日は8時に開きました。",
    p_severity: "low",
  });
  plan("yuki@example.com", 2, {
    p_report_type: "closed",
    p_parking_lot_id: lots["yokohama-006"],
    p_description: "工事中で、入口がふさがれています。",
    p_severity: "high",
  });
  plan("hanako@example.com", 17, {
    p_report_type: "missing",
    p_parking_lot_name: "日本橋の新しい地下駐車場",
    p_description: "今月できた駐車場が地図にありません。",
  });
  plan(
    "emma@example.com",
    36,
    { p_report_type: "other", p_parking_lot_id: lots["tokyo-005"], p_description: "See my shop." },
    { status: "in_review" },
    { status: "rejected", reason: "Not about the parking lot." },
  );
}

function planTickets({ history, ids }: Plan): void {
  const support = ids["support@example.com"];
  /** A ticket: the first message, then by turns the answer of support and the next message. */
  const plan = (
    email: keyof Ids,
    days: number,
    [category, subject]: readonly string[],
    messages: readonly string[],
  ) => {
    let ticket: unknown;
    messages.forEach((message, index) =>
      history.at(history.daysAgo(days - index, index % 2 === 0 ? "08:20" : "10:05"), async () => {
        if (index === 0) {
          const args = { p_category: category, p_subject: subject, p_message: message };
          ticket = (await history.asUser(ids[email], "create_support_ticket", args))["id"];
        } else if (index % 2 === 1) {
          const seen = await history.versionOf("support_tickets", String(ticket));
          const args = { p_id: ticket, p_message: message, p_seen_updated_at: seen };
          await history.asAdmin(support, "admin_answer_support_ticket", args);
        } else await history.asUser(ids[email], "reply_to_support_ticket", { p_id: ticket, p_message: message });
      })
    );
    return async () => {
      const seen = await history.versionOf("support_tickets", String(ticket));
      const args = { p_id: ticket, p_status: "closed", p_seen_updated_at: seen };
      await history.asAdmin(support, "admin_update_support_ticket", args);
    };
  };
  plan("hanako@example.com", 9, ["parking_session", "終了を押し忘れました"], [
    "昨日の駐車で、終了を押すのを2時間忘れました。記録を直せますか。",
    "ご連絡ありがとうございます。終了の時刻は「出庫時刻」で選べます。次回お試しください。",
    "できました。ありがとうございます。",
    "お役に立てて何よりです。",
  ]);
  plan("james@example.com", 1, ["subscription", "Can I change to the yearly plan?"], [
    "I pay monthly. Does the yearly plan start at once, or at the end of the month?",
  ]);
  const close = plan("yuki@example.com", 29, ["app_problem", "地図が表示されません"], [
    "機内モードから戻すと、地図が白いままです。",
    "次の版で修正しました。更新してお試しください。",
  ]);
  history.at(history.daysAgo(22, "17:00"), close);
}

/** Votes on the fields of lots, ratings, and how full lots are. */
function planFacts({ history, ids, lots }: Plan): void {
  const vote = async (email: keyof Ids, lot: string, field: string, said: "confirm" | "deny") => {
    const [value] = await history.sql<{ id: string }[]>`
      select id from private.current_field_values(${lots[lot]!}) where field_name = ${field}`;
    const args = { p_parking_lot_id: lots[lot], p_field_value_id: value!.id, p_vote: said };
    await history.asUser(ids[email], "vote_on_field_value", args);
  };
  history.at(history.daysAgo(34, "10:00"), async () => {
    await vote("emma@example.com", "tokyo-001", "max_height_m", "confirm");
    await vote("emma@example.com", "tokyo-029", "total_spaces", "deny");
  });
  history.at(history.daysAgo(18, "12:00"), async () => {
    await vote("hanako@example.com", "tokyo-001", "max_height_m", "confirm");
    await vote("hanako@example.com", "tokyo-002", "entry_method", "confirm");
  });
  history.at(history.daysAgo(17, "12:00"), async () => {
    await vote("james@example.com", "tokyo-001", "max_height_m", "confirm");
    await vote("james@example.com", "tokyo-002", "entry_method", "deny");
    await vote("james@example.com", "tokyo-029", "total_spaces", "deny");
  });
  history.at(history.daysAgo(16, "12:00"), async () => {
    await vote("yuki@example.com", "tokyo-001", "max_height_m", "confirm");
    await vote("yuki@example.com", "tokyo-029", "total_spaces", "deny");
  });

  const rate = (email: keyof Ids, lot: string, value: string) =>
    history.asUser(ids[email], "rate_parking_lot", { p_parking_lot_id: lots[lot], p_value: value });
  history.at(history.daysAgo(11, "20:00"), async () => {
    await rate("hanako@example.com", "tokyo-002", "good");
    await rate("james@example.com", "tokyo-002", "good");
    await rate("yuki@example.com", "tokyo-002", "bad");
    await rate("hanako@example.com", "tokyo-016", "good");
    await rate("yuki@example.com", "tokyo-029", "good");
  });

  const report = (email: keyof Ids, lot: string, state: string, free?: number) =>
    history.asUser(ids[email], "report_occupancy", {
      p_parking_lot_id: lots[lot],
      p_state: state,
      p_free_spaces: free,
    });
  // At the hours of one weekday of past weeks, for the forecast.
  for (const days of [7, 14, 21, 28]) {
    history.at(history.daysAgo(days, "08:00"), () => report("yuki@example.com", "tokyo-016", "available", 60));
    history.at(history.daysAgo(days, "19:00"), () => report("emma@example.com", "tokyo-016", "full"));
  }
  history.at(history.minutesAgo(12), () => report("yuki@example.com", "tokyo-016", "crowded", 9));
  history.at(history.minutesAgo(4), () => report("james@example.com", "tokyo-002", "full"));
}

function planRewards({ history, ids }: Plan): void {
  const admin = ids["admin@example.com"];
  const themeOf = async (name: string) => {
    const [theme] = await history.sql<{ id: string }[]>`select id from public.themes where name = ${name}`;
    return theme!.id;
  };
  history.at(history.daysAgo(19, "15:00"), async () => {
    const [sponsor] = await history.sql<{ id: string; lat: number; lng: number }[]>`
      select id, lat, lng from public.sponsors where category = 'cafe' limit 1`;
    const { id, lat, lng } = sponsor!;
    const args = { p_id: id, p_lat: lat, p_lng: lng, p_accuracy_m: 15 };
    await history.asUser(ids["hanako@example.com"], "check_in_at_sponsor", args);
  });
  history.at(history.daysAgo(5, "13:00"), async () =>
    history.asAdmin(admin, "admin_gift_theme", {
      p_theme_id: await themeOf("桜"),
      p_user_id: ids["hanako@example.com"],
      p_message: "いつもご報告ありがとうございます。",
    }));
  history.at(history.daysAgo(39, "22:00"), async () => {
    await history.asUser(ids["james@example.com"], "apply_my_theme", { p_id: await themeOf("ナイトドライブ") });
  });
}

/** Premium by the App Store: bought, then renewed. The stand-in does not know the purchase, as after each restart. */
function planSubscription({ history, ids }: Plan): void {
  const james = ids["james@example.com"];
  const bought = history.daysAgo(35, "21:00");
  const days = (count: number) => new Date(+bought + count * 24 * 60 * MINUTE_MS).toISOString();
  const record = (type: string, subtype: string | null, from: number, to: number) =>
    history.at(new Date(days(from)), async () => {
      const facts: SubscriptionFacts = {
        status: "active",
        product_id: "premium_monthly",
        environment: "Sandbox",
        external_subscription_id: "2000000000000001",
        started_at: days(0),
        original_purchase_date: days(0),
        expires_at: days(to),
        access_ends_at: days(to),
        auto_renew_status: true,
        auto_renewing: true,
        next_billing_date: days(to),
        is_trial_period: false,
        account_token: james,
      };
      const statement: StoreStatement = {
        store: "ios_store",
        subscription_key: facts.external_subscription_id!,
        event_id: `sample-${type}`,
        type,
        subtype,
        occurred_at: days(from),
        facts,
        payload: { productId: facts.product_id, notificationType: type },
        receipt_hash: null,
        purchase_token: null,
        supersedes: null,
        needs_acknowledgement: false,
        proof: null,
        limited_to: null,
      };
      const [row] = await history.sql<{ id: string }[]>`
        select api.record_store_statement(${history.sql.json(statement as never)}, 'verify', ${james})
          ->> 'subscription_id' as id`;
      if (from === 0) await history.asUser(james, "claim_subscription", { p_subscription_id: row!.id });
    });
  record("SUBSCRIBED", "INITIAL_BUY", 0, 30);
  record("DID_RENEW", null, 30, 60);
  history.at(
    history.daysAgo(4, "08:00"),
    () => history.asUser(james, "set_my_search_preferences", { p_yen_per_walk_minute: 40 }),
  );
}

function planAdministration({ history, ids }: Plan): void {
  const { "admin@example.com": admin, "support@example.com": support, "hanako@example.com": hanako } = ids;
  history.at(history.daysAgo(16, "09:30"), () =>
    history.asAdmin(admin, "admin_create_ad", {
      p_ad: {
        placement: "home_top",
        title: "夏の海沿いドライブ特集",
        weight: 100,
        link_url: "https://example.com/summer",
        starts_at: history.daysAgo(16, "10:00").toISOString(),
        ends_at: history.daysAgo(8, "00:00").toISOString(),
      },
    }));
  history.at(history.daysAgo(5, "11:00"), () =>
    history.asAdmin(admin, "admin_suspend_user", {
      p_id: ids["emma@example.com"],
      p_reason: "Advertising in reviews and reports.",
    }));
  history.at(history.daysAgo(7, "15:20"), () =>
    history.asAdmin(admin, "admin_create_article", {
      p_article: {
        slug: "winter-parking",
        locale: "ja",
        title: "雪の日の駐車",
        summary: "下書きです。",
        body: "# 雪の日の駐車\n\nワイパーを上げ、ギアをPに入れます。\n",
        tags: ["季節"],
      },
    }));
  history.at(history.daysAgo(6, "09:00"), async () => {
    const args = { p_before: history.now.toISOString() };
    for (const id of [admin, support]) await history.asAdmin(id, "admin_mark_notifications_read", args);
    await history.asUser(hanako, "mark_my_notifications_read", args);
  });
  const compose = async (fields: Readonly<Record<string, unknown>>) =>
    (await history.asAdmin(admin, "admin_create_user_notification", { p_notification: fields }))["id"];
  history.at(history.minutesAgo(0), async () => {
    const announcement = await compose({
      type: "announcement",
      title: "秋のメンテナンスのお知らせ",
      body: "日曜日の3時から5時まで、検索が止まることがあります。",
      title_en: "Maintenance in autumn",
      body_en: "On Sunday from 3:00 to 5:00 the search may be down.",
    });
    await history.asAdmin(admin, "admin_send_user_notification", { p_id: announcement });
    await compose({
      type: "campaign",
      title: "週末はチェックインで2倍",
      body: "スポンサーのお店でのチェックインが、この週末だけ2倍です。",
      target: "free",
      scheduled_at: new Date(+history.now + 2 * 24 * 60 * MINUTE_MS).toISOString(),
    });
    await compose({
      type: "announcement",
      title: "年末年始の営業（下書き）",
      body: "各駐車場の年末年始の営業時間を確認してください。",
    });
    await history.asAdmin(admin, "admin_trigger_store_sync", { p_store: "all", p_task: "all" });
  });
}
