import { z } from "zod";
import { pageOf, PageQuery, SearchText } from "../_shared/schema/lists.ts";
import { Tag } from "../_shared/schema/tags.ts";
import { Color, pathId, text, Timestamp } from "../_shared/schema/values.ts";

export const AdminTag = Tag.extend({
  name_en: z.string().nullable(),
  is_active: z.boolean().meta({ description: "False: no longer offered. Lots that have the tag still show it." }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "AdminTag" });

export const AdminTags = pageOf(AdminTag, "AdminTags");

export const AdminTagsQuery = z.strictObject({
  category: text(1, 50).optional().meta({ description: "Only tags of this category", examples: ["facility"] }),
  is_active: z.boolean().optional().meta({
    description: "`true`: only tags that are offered. `false`: only tags that are not.",
  }),
  q: SearchText.meta({ description: "Only tags whose names or slug contain this text" }),
  ...PageQuery.shape,
});

export const AdminTagParams = z.strictObject({ id: pathId("TagId", "The tag") });

export const TagChanges = z.strictObject({
  name: text(1, 100),
  name_en: text(1, 100).nullable(),
  color: Color.nullable(),
  category: text(1, 50).nullable(),
  icon_name: text(1, 50).nullable(),
  sort_order: z.int32(),
  is_active: z.boolean().meta({ description: "`false` removes the tag from the public list" }),
}).partial().meta({ id: "TagChanges" });

export const NewTag = TagChanges.required({ name: true }).extend({
  slug: z.string().regex(
    /^[a-z0-9][a-z0-9_]{0,49}$/,
    "Must begin with a lower-case letter or digit and have at most 50 lower-case letters, digits and underscores.",
  ).meta({
    description: "Used in filters. It never changes.",
    examples: ["car_wash"],
  }),
}).meta({ id: "NewTag" });
