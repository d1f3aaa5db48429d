import { z } from "zod";
import { LangQuery } from "../_shared/schema/codes.ts";
import { pageOf, PageQuery } from "../_shared/schema/lists.ts";
import { Id, Timestamp } from "../_shared/schema/values.ts";

const face = { name: z.string(), description: z.string(), icon: z.string(), category: z.string() };

export const MyBadge = z.object({
  id: Id,
  badge_id: Id,
  earned_at: Timestamp,
  badge: z.object({ id: Id, ...face }).nullable(),
}).meta({ id: "MyBadge" });

export const MyBadges = pageOf(MyBadge, "MyBadges");

export const MyBadgeProgress = z.object({
  badge_id: Id,
  count: z.int().min(0),
  threshold: z.int().min(1),
  percent: z.number().min(0).max(100).meta({
    description: "Percentage of the threshold, with two decimals, at most 100",
  }),
  badge: z.object(face).nullable(),
}).meta({ id: "MyBadgeProgress" });

export const MyBadgeProgressList = pageOf(MyBadgeProgress, "MyBadgeProgressList");

export const BadgesQuery = z.strictObject({
  lang: LangQuery,
  ...PageQuery.shape,
});
