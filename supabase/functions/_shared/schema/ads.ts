import { z } from "zod";
import { pageOf, PageQuery } from "./lists.ts";
import { Id, text, Timestamp } from "./values.ts";

export const Placement = z.enum(["home_top", "map", "search_results", "lot_detail", "session_end", "article"]).meta({
  id: "AdPlacement",
  description: "A code of category `ad_placement`",
});

const Seed = text(1, 64).meta({
  description:
    "Seed of the order. The same seed returns the same order. For example, an installation id combined with the " +
    "date. Default: the current date in Tokyo.",
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

export const Ads = pageOf(Ad, "Ads", {
  seed: z.string().meta({ description: "The seed used for the order" }),
});

export const AdsQuery = z.strictObject({
  placement: Placement.optional().meta({ description: "Only advertisements at this place of the app" }),
  seed: Seed.optional(),
  ...PageQuery.shape,
});
