import { route } from "../_shared/http/route.ts";
import {
  AdminBadge,
  AdminBadgeParams,
  AdminBadges,
  BadgeBackfill,
  BadgeBackfills,
  BadgeUpdate,
  NewBadge,
} from "./badges.schema.ts";
import { AdminRewardsQuery } from "./rewards.schema.ts";
import { Nothing } from "../_shared/schema/values.ts";

export const listAdminBadges = route({
  method: "GET",
  path: "/admin/badges",
  access: "admin",
  area: "rewards",
  summary: "List all badges",
  description: "Includes inactive badges. Sorted by `sort_order`.",
  query: AdminRewardsQuery,
  reply: [200, AdminBadges],
  errors: [],
  calls: "admin_list_badges",
});

export const createBadge = route({
  method: "POST",
  path: "/admin/badges",
  access: "admin",
  area: "rewards",
  summary: "Create a badge",
  description: "Past activity counts too: a job rebuilds the progress of all users, unless the badge is inactive.",
  body: NewBadge,
  reply: [201, AdminBadge],
  errors: [],
  calls: "admin_create_badge",
  args: ({ body }) => ({ fields: body }),
});

export const readBadge = route({
  method: "GET",
  path: "/admin/badges/{id}",
  access: "admin",
  area: "rewards",
  summary: "Get a badge",
  params: AdminBadgeParams,
  reply: [200, AdminBadge],
  errors: ["not_found"],
  isVersioned: true,
  calls: "admin_read_badge",
});

export const updateBadge = route({
  method: "PATCH",
  path: "/admin/badges/{id}",
  access: "admin",
  area: "rewards",
  summary: "Update or deactivate a badge",
  description:
    "A job rebuilds the progress after a change of conditions or threshold, and after activation. Earned badges stay " +
    "earned.",
  params: AdminBadgeParams,
  body: BadgeUpdate,
  reply: [200, AdminBadge],
  errors: ["not_found", "precondition_failed"],
  isVersioned: true,
  calls: "admin_update_badge",
  args: ({ params, body, ifMatch }) => ({ id: params.id, changes: body, if_match: ifMatch }),
});

export const deleteBadge = route({
  method: "DELETE",
  path: "/admin/badges/{id}",
  access: "admin",
  area: "rewards",
  summary: "Delete an unused badge",
  description:
    "Returns 409 `conflict` with `details.reason` `in_use` if a user has the badge or progress towards it, or if it " +
    "earns a theme. Deactivate it instead.",
  params: AdminBadgeParams,
  reply: [204, Nothing],
  errors: ["not_found", "conflict"],
  calls: "admin_delete_badge",
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
