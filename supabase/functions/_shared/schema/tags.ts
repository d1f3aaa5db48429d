import { z } from "zod";
import { LangQuery } from "./codes.ts";
import { NextCursor, PageQuery, Total } from "./lists.ts";
import { Id } from "./values.ts";

export const TagsQuery = z.strictObject({
  lang: LangQuery,
  ...PageQuery.shape,
});

const fields = {
  id: Id,
  name: z.string().meta({ examples: ["屋根あり"] }),
  color: z.string().nullable().meta({ examples: ["#4f4f4f"] }),
  slug: z.string().meta({ description: "Used in filters", examples: ["covered"] }),
  category: z.string().nullable().meta({ examples: ["facility"] }),
  icon_name: z.string().nullable().meta({ examples: ["roof"] }),
};

/** A tag of a lot. */
export const LotTag = z.object(fields).meta({ id: "Tag" });

export const Tag = z.object({ ...fields, sort_order: z.int() }).meta({ id: "TagRow" });

export const Tags = z.object({
  items: z.array(Tag).meta({ description: "Sorted by `sort_order`" }),
  next_cursor: NextCursor,
  total: Total,
}).meta({ id: "TagsResponse", description: "All tags that a lot can have" });
