import { z } from "zod";
import { badges } from "../_shared/db/columns.ts";
import { column } from "../_shared/schema/columns.ts";
import { progress, unchanged } from "./rewards.schema.ts";
import { pageOf } from "../_shared/schema/lists.ts";
import { Id, pathId, Timestamp } from "../_shared/schema/values.ts";

const Conditions = z.record(z.string(), z.unknown()).meta({
  description:
    "The activity that counts. Required: `activity` (kinds of activity) and `measure` (`count`, `distinct_lots`, `distinct_days` " +
    "or `streak_days`). Optional: `where`, which is one of `all`, `any`, `not`, `min`, `max`, `equals`, `hours`, " +
    "`weekdays`, `dates`. An error names its position, for example `conditions.where.all.0.hours`.",
  examples: [{ activity: ["session_end"], measure: "count", where: { hours: { from: 22, to: 5 } } }],
});

const Category = z.string().regex(
  /^[a-z][a-z_]{0,49}$/,
  "Must begin with a lower-case letter and have at most 50 lower-case letters and underscores.",
).meta({ examples: ["parking"] });
const SortOrder = column(badges.sort_order);
const Threshold = column(badges.threshold).meta({ description: "Progress required to earn the badge" });
const Icon = column(badges.icon).meta({ description: "Name of a picture in the app" });

export const AdminBadge = z.object({
  id: Id,
  name: z.string().meta({ description: "In Japanese, like `description`" }),
  name_en: z.string().nullable(),
  description: z.string(),
  description_en: z.string().nullable(),
  icon: z.string(),
  category: z.string(),
  conditions: Conditions,
  threshold: z.int().min(1),
  is_active: z.boolean().meta({
    description: "False: nothing counts towards the badge, and only users who earned it see it.",
  }),
  sort_order: z.int(),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "AdminBadge" });

export const AdminBadges = pageOf(AdminBadge, "AdminBadges");

const english = {
  name_en: column(badges.name_en).optional(),
  description_en: column(badges.description_en).optional(),
};

export const NewBadge = z.strictObject({
  name: column(badges.name),
  description: column(badges.description),
  ...english,
  icon: Icon,
  category: Category,
  conditions: Conditions,
  threshold: Threshold,
  is_active: z.boolean().optional().meta({ description: "Default: true" }),
  sort_order: SortOrder.optional().meta({ description: "Default: 0" }),
}).meta({ id: "NewBadge" });

export const BadgeUpdate = z.strictObject({
  name: column(badges.name).optional(),
  description: column(badges.description).optional(),
  ...english,
  icon: Icon.optional(),
  category: Category.optional(),
  conditions: Conditions.optional(),
  threshold: Threshold.optional(),
  is_active: z.boolean().optional().meta({ description: "False deactivates the badge" }),
  sort_order: SortOrder.optional(),
}).meta({ id: "BadgeUpdate", description: unchanged });

export const BadgePreview = z.strictObject({ conditions: Conditions, threshold: Threshold }).meta({
  id: "BadgePreview",
});

export const BadgeAudience = z.object({
  users: z.int().min(0).meta({ description: "Number of users who would have the badge now, by their history" }),
  is_exact: z.boolean().meta({
    description: "False if the number is scaled from a sample, as of more than 1,000 users",
  }),
}).meta({ id: "BadgeAudience" });

export const AdminBadgeParams = z.strictObject({ id: pathId("BadgeId", "The badge") });

export const BadgeBackfill = z.object({ badge_id: Id, ...progress }).meta({ id: "BadgeBackfill" });

export const BadgeBackfills = z.object({
  ...progress,
  done_badges: z.int().min(0),
  total_badges: z.int().min(0).meta({
    description: "Number of badges that were ever rebuilt. Users are counted once for each badge.",
  }),
}).meta({ id: "BadgeBackfills", description: "Sum of the latest rebuilds of all badges" });
