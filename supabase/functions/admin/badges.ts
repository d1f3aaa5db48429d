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
  description: "Also inactive ones, by `sort_order`.",
  query: AdminRewardsQuery,
  reply: [200, AdminBadges],
  errors: [],
  handle: ({ db, query }) => db.rpc("admin_list_badges", query),
});

export const createBadge = route({
  method: "POST",
  path: "/admin/badges",
  access: "admin",
  area: "rewards",
  summary: "Create a badge",
  description: "What users did before counts too: a job rebuilds the progress of all of them, unless it is not active.",
  body: NewBadge,
  reply: [201, AdminBadge],
  errors: [],
  handle: ({ db, body }) => db.rpc("admin_create_badge", { fields: body }),
});

export const readBadge = route({
  method: "GET",
  path: "/admin/badges/{id}",
  access: "admin",
  area: "rewards",
  summary: "Read a badge",
  params: AdminBadgeParams,
  reply: [200, AdminBadge],
  errors: ["not_found"],
  isVersioned: true,
  handle: ({ db, params }) => db.rpc("admin_read_badge", { id: params.id }),
});

export const updateBadge = route({
  method: "PATCH",
  path: "/admin/badges/{id}",
  access: "admin",
  area: "rewards",
  summary: "Change a badge, or deactivate it",
  description: "Other conditions, another threshold, and a badge that becomes active are rebuilt by a job. " +
    "What was earned stays.",
  params: AdminBadgeParams,
  body: BadgeUpdate,
  reply: [200, AdminBadge],
  errors: ["not_found", "precondition_failed"],
  isVersioned: true,
  handle: ({ db, params, body, ifMatch }) =>
    db.rpc("admin_update_badge", { id: params.id, changes: body, if_match: ifMatch }),
});

export const deleteBadge = route({
  method: "DELETE",
  path: "/admin/badges/{id}",
  access: "admin",
  area: "rewards",
  summary: "Delete a badge that nobody has",
  description: "A badge that somebody has or has progress with, or that earns a theme, is `conflict` with " +
    "`details.reason` `in_use`: deactivate it.",
  params: AdminBadgeParams,
  reply: [204, Nothing],
  errors: ["not_found", "conflict"],
  handle: ({ db, params }) => db.rpc("admin_delete_badge", { id: params.id }),
});

export const backfillBadge = route({
  method: "POST",
  path: "/admin/badges/{id}/backfill",
  access: "admin",
  area: "rewards",
  summary: "Rebuild the progress of all users with a badge",
  description: "From history, by a job that begins within a minute. A rebuild that is running starts again.",
  params: AdminBadgeParams,
  reply: [202, BadgeBackfill],
  errors: ["not_found"],
  handle: ({ db, params }) => db.rpc("admin_backfill_badge", { id: params.id }),
});

export const readBadgeBackfill = route({
  method: "GET",
  path: "/admin/badges/{id}/backfill",
  access: "admin",
  area: "rewards",
  summary: "Read how far the rebuild of a badge is",
  params: AdminBadgeParams,
  reply: [200, BadgeBackfill],
  errors: ["not_found"],
  handle: ({ db, params }) => db.rpc("admin_read_badge_backfill", { id: params.id }),
});

export const backfillBadges = route({
  method: "POST",
  path: "/admin/badges/backfill",
  access: "admin",
  area: "rewards",
  summary: "Rebuild the progress of all users with every active badge",
  description: "From history, by a job that begins within a minute. A rebuild that is running starts again.",
  reply: [202, BadgeBackfills],
  errors: [],
  handle: ({ db }) => db.rpc("admin_backfill_badges"),
});

export const readBadgeBackfills = route({
  method: "GET",
  path: "/admin/badges/backfill",
  access: "admin",
  area: "rewards",
  summary: "Read how far the rebuilds of all badges are",
  reply: [200, BadgeBackfills],
  errors: [],
  handle: ({ db }) => db.rpc("admin_read_badge_backfills"),
});
