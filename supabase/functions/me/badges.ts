import { route } from "../_shared/http/route.ts";
import { BadgesQuery, MyBadgeProgressList, MyBadges } from "./badges.schema.ts";

export const listMyBadges = route({
  method: "GET",
  path: "/me/badges",
  access: "user",
  summary: "List the caller's badges",
  description: "Latest first. Earned badges are never taken away.",
  query: BadgesQuery,
  reply: [200, MyBadges],
  errors: [],
  calls: "list_my_badges",
});

export const listMyBadgeProgress = route({
  method: "GET",
  path: "/me/badge-progress",
  access: "user",
  summary: "List the caller's badge progress",
  description: "All badges that can be earned, including those without progress.",
  query: BadgesQuery,
  reply: [200, MyBadgeProgressList],
  errors: [],
  calls: "list_my_badge_progress",
});
