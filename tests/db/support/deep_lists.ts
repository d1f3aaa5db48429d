// Every list of the interface with more rows than it reads for a page: the rows, and the calls of the list.
import type { Sql } from "postgres";

/** How many rows each list has. */
export const ROWS = 3000;
/** The last of them in the order of the list are the only ones that a filter leaves. */
export const RARE = 45;

const id = () => crypto.randomUUID() as string;
export const people = { user: id(), admin: id(), rareUser: id(), otherAdmin: id() };
const { user, admin, rareUser, otherAdmin } = people;
const [lot, rareLot, ticket, plan, rarePlan, subscription, composed] = [id(), id(), id(), id(), id(), id(), id()];

export interface DeepList {
  readonly as: "user" | "admin" | "anon";
  /** The arguments in addition to limit and cursor. */
  readonly given?: Record<string, unknown>;
  /** Filters, each of which leaves the last rows of the list; page by page they are read like the list. */
  readonly rare?: readonly Record<string, unknown>[];
  /** A statement whose work grows with the list, for values in addition to its items. */
  readonly beside?: RegExp;
  /** Filters that leave most of the list. */
  readonly common?: readonly Record<string, unknown>[];
}

const own = (more: Partial<DeepList> = {}): DeepList => ({ as: "user", ...more });
const open = (more: Partial<DeepList> = {}): DeepList => ({ as: "anon", ...more });
const console_ = (more: Partial<DeepList> = {}): DeepList => ({ as: "admin", ...more });

export const DEEP: Record<string, DeepList> = {
  list_my_reviews: own(),
  list_my_parking_sessions: own({
    rare: [{ p_status: "cancelled" }, { p_parking_lot_id: rareLot }, { p_to: "2026-01-01T00:45:30Z" }],
    common: [{ p_status: "ended" }, { p_parking_lot_id: lot }],
  }),
  list_my_notifications: own({ rare: [{ p_unread: false }], common: [{ p_unread: true }] }),
  list_my_error_reports: own(),
  list_my_support_tickets: own(),
  get_support_ticket: own({ given: { p_id: ticket } }),
  list_my_exp_entries: own(),
  list_my_theme_gifts: own(),
  list_my_saved_parking_lots: own(),
  list_my_subscription_events: own(),
  list_parking_lot_reviews: open({
    given: { p_parking_lot_id: lot },
    beside: /generate_series\(1, 5\) as s \(stars\)/, // the histogram counts all reviews of a lot, in an index
  }),
  list_sponsors: open(),
  list_articles: open(),
  export_parking_lots: open(),
  admin_list_reviews: console_({
    given: { p_status: "approved" },
    rare: [{ p_status: "hidden" }, { p_status: "approved", p_parking_lot_id: rareLot }, { p_user_id: rareUser }],
    common: [{ p_parking_lot_id: lot }, { p_user_id: user }],
  }),
  admin_list_error_reports: console_({
    given: { p_status: "open" },
    rare: [{ p_status: "resolved" }, { p_severity: "low" }, { p_parking_lot_id: rareLot }, { p_assigned_to: admin }],
    common: [{ p_status: null }, { p_severity: "high" }],
  }),
  admin_list_support_tickets: console_({ rare: [{ p_category: "account" }, { p_status: "closed" }] }),
  admin_get_support_ticket: console_({ given: { p_id: ticket } }),
  admin_list_field_values: console_({ rare: [{ p_state: "confirmed" }, { p_parking_lot_id: rareLot }] }),
  admin_list_activity_logs: console_({
    rare: [
      { p_by_admin_id: otherAdmin },
      { p_user_id: rareUser },
      { p_action: "rare.act" },
      { p_target_id: rareLot },
      { p_to: "2026-01-01T00:45:30Z" },
    ],
    common: [{ p_by_admin_id: admin }, { p_user_id: user }],
  }),
  admin_list_user_activity_logs: console_({ given: { p_id: user } }),
  admin_list_user_activities: console_({
    rare: [{ p_activity_type: "sponsor_checkin" }, { p_user_id: rareUser }],
    common: [{ p_activity_type: "session_end" }, { p_user_id: user }, {
      p_user_id: user,
      p_activity_type: "session_end",
    }],
  }),
  admin_list_parking_lot_history: console_({ given: { p_parking_lot_id: lot } }),
  admin_list_notifications: console_(),
  admin_list_users: console_({ rare: [{ p_status: "suspended" }], common: [{ p_premium: false }] }),
  admin_list_parking_lots: console_({
    rare: [{ p_status: "closed" }, { p_source: "rare" }, { p_operator_code: "rare" }],
    common: [{ p_status: "active" }],
  }),
  admin_list_lot_engagement: console_({ given: { p_sort: "name" } }),
  admin_list_dead_messages: console_({ rare: [{ p_queue: "rare" }] }),
  admin_list_subscriptions: console_({
    rare: [
      { p_user_id: rareUser },
      { p_plan_id: rarePlan },
      { p_external_subscription_id: "rare" },
      { p_provider: "android_store" },
      { p_status: "revoked" },
    ],
    common: [{ p_status: "expired" }, { p_provider: "ios_store" }],
  }),
  admin_list_subscription_events: console_({ given: { p_id: subscription } }),
  admin_list_store_sync_runs: console_(),
  admin_list_store_reviews: console_({
    rare: [{ p_rating: 1 }, { p_territory: "XX" }, { p_store: "android_store" }],
    common: [{ p_store: "ios_store" }, { p_since: "2026-01-01T00:00:00Z" }],
  }),
  admin_list_store_sales: console_({
    rare: [{ p_sku: "rare" }, { p_country: "XX" }, { p_store: "android_store" }, { p_to: "2000-02-14" }],
    common: [{ p_store: "ios_store" }],
  }),
  admin_list_store_metrics: console_({
    rare: [{ p_metric: "rare" }, { p_store: "android_store" }, { p_to: "2000-02-14" }],
    common: [{ p_store: "ios_store" }],
  }),
  admin_list_user_notifications: console_(),
  admin_list_undelivered_devices: console_({
    given: { p_id: composed },
    rare: [{ p_outcome: "suppressed" }],
    common: [{ p_outcome: "gone" }],
  }),
  admin_list_articles: console_(),
};

/** Lists that are read whole for each page, and why they have few rows. */
export const WHOLE: Record<string, string> = {
  list_my_vehicles: "a user has at most ten",
  list_my_search_presets: "a user has at most twenty",
  list_my_themes: "there are dozens of themes; a free one has no row, so there is no index of what a user owns",
  list_my_badges: "there are dozens of badges",
  list_my_badge_progress: "there are dozens of badges",
  list_pricing_rules: "those of one lot",
  list_tags: "the service's own words, some hundred",
  list_subscription_plans: "what the stores sell, dozens",
  list_ads: "those that are shown now, in an order that is worked out for each seed",
  admin_list_admins: "dozens",
  admin_list_ads: "administrators write them, some hundred",
  admin_list_badges: "dozens",
  admin_list_codes: "the service's own words, some hundred; both languages of a code are one item",
  admin_list_exp_rules: "one a reason and activity",
  admin_list_holidays: "those of some calendars and years",
  admin_list_levels: "some hundred",
  admin_list_sponsors: "administrators write them, some hundred",
  admin_list_subscription_plans: "what the stores sell, dozens",
  admin_list_tags: "the service's own words, some hundred",
  admin_list_themes: "dozens",
  export_my_data: "no list; tests/db/withdrawal.test.ts",
  admin_read_user_export: "as export_my_data",
  search_parking_lots: "tests/db/search_bounds.test.ts",
};

/** The columns of rows n = 1 to `rows` of each table, where those of RARE have values of their own. */
function tables(rows: number): [table: string, columns: Record<string, string>][] {
  const at = "timestamptz '2026-01-01 00:00:00Z' + n * interval '1 minute'";
  const day = "date '2000-01-01' + n";
  // The last in a list that begins with the newest, and in one that begins with the oldest.
  const oldest = (rare: string, common: string) => `case when n <= ${RARE} then ${rare} else ${common} end`;
  const newest = (rare: string, common: string) => `case when n > ${rows - RARE} then ${rare} else ${common} end`;
  const q = (text: string) => `'${text}'`;
  const uuid = (text: string) => `'${text}'::uuid`;
  const some = "gen_random_uuid()";
  const nth = "md5(n::text)::uuid";
  const another = `md5((n % ${rows} + 1)::text)::uuid`;
  const lotOf = `case when n = ${rows} then ${uuid(lot)} when n = 1 then ${uuid(rareLot)} else ${nth} end`;
  const store = oldest("'android_store'", "'ios_store'");
  return [
    ["auth.users", { id: nth, email: "'user' || n || '@example.test'" }],
    ["public.app_users", { id: nth, status: oldest("'suspended'", "'active'"), created_at: at }],
    ["public.parking_lots", {
      id: lotOf,
      name: "'Lot ' || to_char(n, 'FM0000')",
      lat: "35 + n % 3000 * 0.001",
      lng: "139",
      status: oldest("'closed'", "'active'"),
      source: oldest("'rare'", "'common'"),
      external_id: "n::text",
      operator_code: oldest("'rare'", "'common'"),
      updated_at: at,
    }],
    ["public.reviews", {
      parking_lot_id: lotOf,
      user_id: uuid(user),
      rating: "5",
      status: q("approved"),
      created_at: at,
    }],
    ["public.reviews", {
      parking_lot_id: newest(uuid(rareLot), uuid(lot)),
      user_id: nth,
      rating: "5",
      status: q("approved"),
      created_at: at,
    }],
    ["public.reviews", {
      parking_lot_id: lotOf,
      user_id: nth,
      rating: "5",
      status: newest("'hidden'", "'pending'"),
      created_at: at,
    }],
    ["public.reviews", {
      parking_lot_id: lotOf,
      user_id: newest(uuid(rareUser), another),
      rating: "5",
      status: newest("'approved'", "'rejected'"),
      created_at: at,
    }],
    ["public.parking_sessions", {
      user_id: uuid(user),
      parking_lot_id: oldest(uuid(rareLot), uuid(lot)),
      status: oldest("'cancelled'", "'ended'"),
      started_at: at,
      ended_at: oldest("null", at),
      total_amount_minor: oldest("null", "0"),
      currency: oldest("null", "'JPY'"),
      breakdown: oldest("null", "'{}'::jsonb"),
      price_list_id: oldest("null", "gen_random_uuid()"),
    }],
    ["public.user_notifications", {
      user_id: uuid(user),
      type: "(select min(code) from public.notification_types)",
      title: q("Title"),
      body: q("Body"),
      status: q("sent"),
      sent_at: at,
      read_at: oldest("now()", "null"),
    }],
    ["public.user_notifications", {
      type: "(select min(code) from public.notification_types)",
      title: q("Title"),
      body: q("Body"),
      target: q("all"),
      is_composed: "true",
      created_at: at,
      id: `case when n = 1 then ${uuid(composed)} else ${nth} end`,
    }],
    ["private.push_deliveries", {
      notification_id: uuid(composed),
      token_id: nth,
      user_id: nth,
      batch: "0",
      outcome: newest("'suppressed'", "'gone'"),
      recorded_at: at,
    }],
    ["public.error_reports", {
      user_id: uuid(user),
      parking_lot_id: newest(uuid(rareLot), uuid(lot)),
      parking_lot_name: q("Lot"),
      report_type: q("other"),
      severity: newest("'low'", "'high'"),
      description: q("Text"),
      assigned_admin_id: newest(uuid(admin), uuid(otherAdmin)),
      created_at: at,
    }],
    ["public.error_reports", {
      parking_lot_name: q("Lot"),
      report_type: q("other"),
      status: newest("'resolved'", "'rejected'"),
      created_at: at,
    }],
    ["public.support_tickets", {
      id: `case when n = 1 then ${uuid(ticket)} else ${some} end`,
      user_id: uuid(user),
      category: newest("'account'", "'other'"),
      subject: q("Subject"),
      status_changed_at: at,
      created_at: at,
    }],
    ["public.support_tickets", {
      user_id: nth,
      category: q("other"),
      subject: q("Subject"),
      status: newest("'closed'", "'answered'"),
      status_changed_at: at,
    }],
    ["public.support_messages", { ticket_id: uuid(ticket), author: q("user"), body: q("Text"), created_at: at }],
    ["public.exp_entries", {
      user_id: uuid(user),
      reason: q("activity"),
      source_type: q("activity"),
      source_id: some,
      amount: "1",
      created_at: at,
    }],
    ["public.theme_gifts", { user_id: uuid(user), theme_id: nth, created_at: at }],
    ["public.saved_parking_lots", { user_id: uuid(user), parking_lot_id: lotOf, created_at: at }],
    ["public.sponsors", { name: q("Sponsor"), lat: "35", lng: "139", sort_order: "n" }],
    ["public.articles", {
      slug: "'article-' || n",
      locale: q("ja"),
      title: q("Title"),
      body: q("Text"),
      published_at: `${at} - interval '1 year'`,
      created_at: at,
    }],
    ["public.field_values", {
      parking_lot_id: newest(uuid(rareLot), lotOf),
      field_name: "'field_' || n",
      value: "'1'::jsonb",
      state: newest("'confirmed'", "'unverified'"),
      created_at: at,
    }],
    ["public.admin_activity_logs", {
      admin_id: oldest(uuid(otherAdmin), uuid(admin)),
      action: oldest("'rare.act'", "'parking_lot.update'"),
      target_type: q("parking_lot"),
      target_id: oldest(q(rareLot), q(lot)),
      user_id: oldest(uuid(rareUser), uuid(user)),
      created_at: at,
    }],
    ["public.user_activity_logs", {
      user_id: oldest(uuid(rareUser), uuid(user)),
      activity_type: oldest("'sponsor_checkin'", "'session_end'"),
      subject_id: some,
      created_at: "now() - interval '80 days' + n * interval '1 minute'", // the list has 90 days
    }],
    ["public.admin_notifications", { title: q("Title"), created_at: at }],
    ["private.dead_messages", {
      queue: oldest("'rare'", "'common'"),
      msg_id: "n",
      message: "'{}'::jsonb",
      read_count: "5",
      enqueued_at: at,
      died_at: at,
    }],
    ["public.user_subscriptions", {
      id: `case when n = ${rows} then ${uuid(subscription)} else ${some} end`,
      user_id: `case when n = ${rows} then ${uuid(user)} when n <= ${RARE} then ${uuid(rareUser)} else ${nth} end`,
      plan_id: oldest(uuid(rarePlan), uuid(plan)),
      platform: oldest("'android'", "'ios'"),
      environment: q("Production"),
      subscription_key: "n::text",
      external_subscription_id: oldest("'rare'", "n::text"),
      status: oldest("'revoked'", "'expired'"),
      started_at: at,
      auto_renewing: "false",
      is_trial_period: "false",
      original_purchase_date: at,
      created_at: at,
    }],
    ["public.store_events", {
      store: q("ios_store"),
      event_id: "n::text",
      subscription_id: uuid(subscription),
      source: q("verify"),
      occurred_at: at,
      confirmed_at: at,
      facts: "'{}'::jsonb",
    }],
    ["public.store_sync_runs", {
      store: q("ios_store"),
      task: q("sales"),
      status: q("succeeded"),
      started_at: at,
      finished_at: at,
      created_at: at,
    }],
    ["public.store_reviews", {
      store,
      review_id: "n::text",
      rating: oldest("1", "5"),
      body: q("Text"),
      territory: oldest("'XX'", "'JP'"),
      reviewed_at: at,
    }],
    ["public.store_daily_sales", {
      store,
      sale_date: day,
      sku: oldest("'rare'", "'common'"),
      product_type: q("subscription"),
      country: oldest("'XX'", "'JP'"),
      currency: q("JPY"),
      units: "1",
      refund_units: "0",
      amount_minor: "1",
      refund_minor: "0",
      proceeds_currency: q("JPY"),
    }],
    ["public.store_metrics", {
      store,
      metric_date: day,
      metric: oldest("'rare'", "'common'"),
      value: "1",
      reported_on: day,
    }],
  ];
}

/**
 * Fills the lists. `superuser` is a connection of the superuser: what triggers do, and who is referred to, is not what is tested.
 * `only`: these tables.
 */
export async function fillLists(superuser: Sql, rows = ROWS, only?: readonly string[]): Promise<void> {
  await superuser`
    insert into auth.users (id, email, raw_app_meta_data)
    select u.id::uuid, u.id || '@example.test',
      case when u.is_admin then jsonb_build_object('admin', jsonb_build_object('areas', private.admin_areas())) else '{}' end
    from (values (${user}, false), (${rareUser}, false), (${admin}, true), (${otherAdmin}, true)) as u (id, is_admin)`;
  const filled = tables(rows).filter(([table]) => only === undefined || only.includes(table));
  await superuser.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`
      insert into public.subscription_plans (id, code, name, price_minor, billing_period)
      values (${plan}, 'plan', 'Plan', 1, 'month'), (${rarePlan}, 'rare', 'Rare', 1, 'month')`;
    for (const [table, columns] of filled) {
      await sql.unsafe(
        `insert into ${table} (${Object.keys(columns).join(", ")})
        select ${Object.values(columns).join(", ")} from generate_series(1, ${rows}) as n`,
      );
    }
  });
  await superuser`select private.put_user_search_entries(array(select id from public.app_users))`;
  for (const table of new Set([...filled.map(([table]) => table), "private.user_search_entries"])) {
    await superuser.unsafe(`analyze ${table}`);
  }
}
