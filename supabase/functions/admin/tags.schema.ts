import { z } from "zod";
import { tags } from "../_shared/db/columns.ts";
import { column } from "../_shared/schema/columns.ts";
import { pageOf, PageQuery, SearchText } from "../_shared/schema/lists.ts";
import { Tag } from "../_shared/schema/tags.ts";
import { Color, pathId, Timestamp } from "../_shared/schema/values.ts";

export const AdminTag = Tag.extend({
  name_en: z.string().nullable(),
  is_active: z.boolean().meta({ description: "False: no longer offered. Lots that have the tag still show it." }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "AdminTag" });

export const AdminTags = pageOf(AdminTag, "AdminTags");

export const AdminTagsQuery = z.strictObject({
  category: column(tags.category).unwrap().optional().meta({
    description: "Only tags of this category",
    examples: ["facility"],
  }),
  is_active: z.boolean().optional().meta({
    description: "`true`: only tags that are offered. `false`: only tags that are not.",
  }),
  q: SearchText.meta({ description: "Only tags whose names or slug contain this text" }),
  ...PageQuery.shape,
});

export const AdminTagParams = z.strictObject({ id: pathId("TagId", "The tag") });

export const TagChanges = z.strictObject({
  name: column(tags.name),
  name_en: column(tags.name_en),
  color: Color.nullable(),
  category: column(tags.category),
  icon_name: column(tags.icon_name),
  sort_order: column(tags.sort_order),
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
