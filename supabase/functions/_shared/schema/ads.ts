import { z } from "zod";
import { Cursor, IncludeTotal, Limit, NextCursor, Total } from "./lists.ts";
import { Id, text, Timestamp } from "./values.ts";

export const Placement = z.enum(["home_top", "map", "search_results", "lot_detail", "session_end", "article"]).meta({
  description: "A code of category `ad_placement`",
});

const Seed = text(1, 64).meta({
  description:
    "What the order is drawn from: the same seed, the same order. An id of the installation, say, with the " +
    "day; without one it is the day in Tokyo",
});

export const Ad = z.object({
  id: Id,
  placement: Placement,
  title: z.string(),
  body: z.string().nullable(),
  image_url: z.string().nullable(),
  link_url: z.string().nullable(),
  starts_at: Timestamp,
  ends_at: Timestamp.nullable(),
}).meta({ id: "Ad" });

export const Ads = z.object({
  items: z.array(Ad),
  next_cursor: NextCursor,
  total: Total,
  seed: z.string().meta({ description: "What the order was drawn from" }),
}).meta({ id: "Ads" });

export const AdsQuery = z.strictObject({
  placement: Placement.optional(),
  seed: Seed.optional(),
  limit: Limit,
  cursor: Cursor,
  include: IncludeTotal,
});
