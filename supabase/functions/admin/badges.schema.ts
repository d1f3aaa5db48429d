import { z } from "zod";
import { progress, SortOrder, unchanged } from "./rewards.schema.ts";
import { pageOf } from "../_shared/schema/lists.ts";
import { Id, pathId, text, Timestamp } from "../_shared/schema/values.ts";

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
const Threshold = z.int().min(1).max(1_000_000).meta({ description: "Progress required to earn the badge" });
const Icon = text(1, 100).meta({ description: "Name of a picture in the app" });

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

const english = { name_en: text(1, 100).nullable().optional(), description_en: text(1, 500).nullable().optional() };

export const NewBadge = z.strictObject({
  name: text(1, 100),
  description: text(1, 500),
  ...english,
  icon: Icon,
  category: Category,
  conditions: Conditions,
  threshold: Threshold,
  is_active: z.boolean().optional().meta({ description: "Default: true" }),
  sort_order: SortOrder.optional().meta({ description: "Default: 0" }),
}).meta({ id: "NewBadge" });

export const BadgeUpdate = z.strictObject({
  name: text(1, 100).optional(),
  description: text(1, 500).optional(),
  ...english,
  icon: Icon.optional(),
  category: Category.optional(),
  conditions: Conditions.optional(),
  threshold: Threshold.optional(),
  is_active: z.boolean().optional().meta({ description: "False deactivates the badge" }),
  sort_order: SortOrder.optional(),
}).meta({ id: "BadgeUpdate", description: unchanged });

export const AdminBadgeParams = z.strictObject({ id: pathId("BadgeId", "The badge") });

export const BadgeBackfill = z.object({ badge_id: Id, ...progress }).meta({ id: "BadgeBackfill" });

export const BadgeBackfills = z.object({
  ...progress,
  done_badges: z.int().min(0),
  total_badges: z.int().min(0).meta({
    description: "Number of badges that were ever rebuilt. Users are counted once for each badge.",
  }),
}).meta({ id: "BadgeBackfills", description: "Sum of the latest rebuilds of all badges" });
