import { route } from "../_shared/http/route.ts";
import { contentRoutes } from "./content_routes.ts";
import {
  AdminBadge,
  AdminBadgeParams,
  AdminBadges,
  BadgeAudience,
  BadgeBackfill,
  BadgeBackfills,
  BadgePreview,
  BadgeUpdate,
  NewBadge,
} from "./badges.schema.ts";
import { AdminRewardsQuery } from "./rewards.schema.ts";

export const {
  list: listAdminBadges,
  create: createBadge,
  read: readBadge,
  change: updateBadge,
  remove: deleteBadge,
} = contentRoutes({
  path: "/admin/badges",
  area: "rewards",
  params: AdminBadgeParams,
  item: AdminBadge,
  list: {
    calls: "admin_list_badges",
    query: AdminRewardsQuery,
    page: AdminBadges,
    summary: "List all badges",
    description: "Includes inactive badges. Sorted by `sort_order`.",
  },
  create: {
    calls: "admin_create_badge",
    as: "fields",
    body: NewBadge,
    summary: "Create a badge",
    description: "Past activity counts too: a job rebuilds the progress of all users, unless the badge is inactive.",
  },
  read: { calls: "admin_read_badge", summary: "Get a badge" },
  change: {
    calls: "admin_update_badge",
    body: BadgeUpdate,
    summary: "Update or deactivate a badge",
    description:
      "A job rebuilds the progress after a change of conditions or threshold, and after activation. Earned badges stay " +
      "earned.",
  },
  remove: {
    calls: "admin_delete_badge",
    errors: ["conflict"],
    isVersioned: false,
    summary: "Delete an unused badge",
    description:
      "Returns 409 `conflict` with `details.reason` `in_use` if a user has the badge or progress towards it, or if it " +
      "earns a theme. Deactivate it instead.",
  },
});

export const previewBadge = route({
  method: "POST",
  path: "/admin/badges/preview",
  access: "admin",
  area: "rewards",
  summary: "Count the users who would have a badge",
  description: "By past activity. Nothing is stored.",
  body: BadgePreview,
  reply: [200, BadgeAudience],
  errors: [],
  calls: "admin_preview_badge",
});

export const backfillBadge = route({
  method: "POST",
  path: "/admin/badges/{id}/backfill",
  access: "admin",
  area: "rewards",
  summary: "Rebuild the progress of all users for a badge",
  description: "A job rebuilds the progress from past activity and starts within a minute. A running rebuild restarts.",
  params: AdminBadgeParams,
  reply: [202, BadgeBackfill],
  errors: ["not_found"],
  calls: "admin_backfill_badge",
});

export const readBadgeBackfill = route({
  method: "GET",
  path: "/admin/badges/{id}/backfill",
  access: "admin",
  area: "rewards",
  summary: "Get the status of a badge's rebuild",
  params: AdminBadgeParams,
  reply: [200, BadgeBackfill],
  errors: ["not_found"],
  calls: "admin_read_badge_backfill",
});

export const backfillBadges = route({
  method: "POST",
  path: "/admin/badges/backfill",
  access: "admin",
  area: "rewards",
  summary: "Rebuild the progress of all users for all active badges",
  description: "A job rebuilds the progress from past activity and starts within a minute. A running rebuild restarts.",
  reply: [202, BadgeBackfills],
  errors: [],
  calls: "admin_backfill_badges",
});

export const readBadgeBackfills = route({
  method: "GET",
  path: "/admin/badges/backfill",
  access: "admin",
  area: "rewards",
  summary: "Get the status of all badge rebuilds",
  reply: [200, BadgeBackfills],
  errors: [],
  calls: "admin_read_badge_backfills",
});
