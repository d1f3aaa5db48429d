import { route } from "../_shared/http/route.ts";
import { BadgesQuery, MyBadgeProgressList, MyBadges } from "./badges.schema.ts";

export const listMyBadges = route({
  method: "GET",
  path: "/me/badges",
  access: "user",
  summary: "List the badges that the caller has",
  description: "The latest first. A badge that is earned stays.",
  query: BadgesQuery,
  reply: [200, MyBadges],
  errors: [],
  handle: ({ db, query }) => db.rpc("list_my_badges", query),
});

export const listMyBadgeProgress = route({
  method: "GET",
  path: "/me/badge-progress",
  access: "user",
  summary: "List how far the caller is with every badge",
  description: "All badges that can be earned, also those with nothing counted yet.",
  query: BadgesQuery,
  reply: [200, MyBadgeProgressList],
  errors: [],
  handle: ({ db, query }) => db.rpc("list_my_badge_progress", query),
});
