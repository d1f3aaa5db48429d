// The area of each resource of the console, and what the routes without an area of their own show of each area.
import type { Sql } from "postgres";
import type { AdminArea } from "../../supabase/functions/_shared/http/route.ts";

/** The first segment of the path after /admin, and its area. */
export const classes: Readonly<Record<string, AdminArea>> = {
  "admins": "admins",
  "ads": "content",
  "articles": "content",
  "badges": "rewards",
  "codes": "content",
  "dead-messages": "admins", // requeuing and discarding; the list is below
  "error-reports": "lots",
  "exp-rules": "rewards",
  "field-values": "lots",
  "holidays": "content",
  "levels": "rewards",
  "parking-lots": "lots",
  "reviews": "reviews",
  "sponsors": "content",
  "store-metrics": "store_sync",
  "store-reviews": "store_sync",
  "store-sales": "store_sync",
  "store-sync": "store_sync",
  "subscription-plans": "content",
  "subscriptions": "users",
  "support-tickets": "support",
  "tags": "content",
  "tariff-text": "lots",
  "themes": "rewards",
  "user-activity-logs": "users",
  "user-notifications": "notifications",
  "user-search-presets": "search_presets",
  "users": "users",
};

interface Arealess {
  /** The areas of which the seeded rows are; all by default. */
  readonly areas?: readonly AdminArea[];
  readonly init?: { readonly body?: string; readonly headers?: Record<string, string> };
  /** The areas that a reply shows something of. */
  // deno-lint-ignore no-explicit-any
  read(body: any): AdminArea[];
}

const ACTS: Record<string, AdminArea> = {
  "parking_lot.update": "lots",
  "user_notification.create": "notifications",
  "review.approve": "reviews",
  "user.view_search_presets": "search_presets",
  "store_sync.trigger": "store_sync",
  "support_ticket.close": "support",
  "user.suspend": "users",
  "theme.gift": "rewards",
  "article.create": "content",
  "admin.invite": "admins",
};
const QUEUES: Record<string, AdminArea> = {
  "mail": "notifications",
  "push-dispatch": "notifications",
  "store-notifications": "users",
  "store-sync": "store_sync",
  "object_deletion": "admins",
  "object_publication": "admins",
};
const JOBS: Record<string, AdminArea> = {
  "purge": "admins",
  "check_mail_health": "notifications",
  "reconcile_subscriptions": "users",
  "refresh_map": "lots",
  "backfill_badges": "rewards",
  "sync_stores": "store_sync",
};
const ofQueues: readonly AdminArea[] = ["admins", "notifications", "store_sync", "users"];

/** The routes that any active administrator may call, and the area of each part of their replies. */
export const arealess: Readonly<Record<string, Arealess>> = {
  "GET /admin/activity-logs": {
    read: ({ items }) => items.map(({ action }: { action: string }) => ACTS[action]!),
  },
  "GET /admin/dead-messages": {
    areas: ofQueues,
    read: ({ items }) => items.map(({ queue }: { queue: string }) => QUEUES[queue]!),
  },
  "GET /admin/jobs": {
    areas: [...ofQueues, "lots", "rewards"],
    read: ({ items }) => items.flatMap(({ name }: { name: string }) => name in JOBS ? [JOBS[name]!] : []),
  },
  "GET /admin/overview": {
    areas: [...ofQueues, "lots", "reviews", "support"],
    read: ({ people, sessions, sessions_by_day, open_work, message_queues, slow_queries, push, mail }) => [
      ...[people, sessions, sessions_by_day].flatMap((part): AdminArea[] => part === null ? [] : ["users"]),
      ...[push, mail].flatMap((part): AdminArea[] => part === null ? [] : ["notifications"]),
      ...(slow_queries === null ? [] : ["admins" as const]),
      ...(open_work.pending_reviews === null ? [] : ["reviews" as const]),
      ...(open_work.open_error_reports === null ? [] : ["lots" as const]),
      ...(open_work.waiting_tickets === null ? [] : ["support" as const]),
      ...message_queues.items.map(({ queue }: { queue: string }) => QUEUES[queue]!),
    ],
  },
  "GET /admin/notifications": {
    read: ({ items }) => items.map(({ title }: { title: AdminArea }) => title),
  },
  "POST /admin/notifications/mark-read": {
    // The number of rows that the administrator may mark: the list above states which.
    areas: [],
    init: { body: JSON.stringify({ before: "2000-01-01T00:00:00Z" }), headers: { "content-type": "application/json" } },
    read: () => [],
  },
};

/** Rows of every area, for the routes above. Returns the areas. */
export async function seedAreas(sql: Sql): Promise<AdminArea[]> {
  const [known] = await sql<{ areas: AdminArea[] }[]>`select private.admin_areas() as areas`;
  await sql`truncate public.admin_activity_logs, private.dead_messages, public.admin_notifications`;
  for (const action of Object.keys(ACTS)) {
    await sql`select private.record_act(gen_random_uuid(), ${action}, 'target', null)`;
  }
  for (const [n, queue] of Object.keys(QUEUES).entries()) {
    await sql`
      insert into private.dead_messages (queue, msg_id, message, read_count, enqueued_at)
      values (${queue}, ${n}, '{}', 5, now())`;
  }
  for (const area of known!.areas) await sql`select private.notify_admins('notice', ${area}, p_area => ${area})`;
  await sql`select private.refresh_overview_now(), private.refresh_overview()`;
  return known!.areas;
}
