import { z } from "zod";
import { Cursor, Limit, pageOf } from "./lists.ts";
import { Id, Timestamp } from "./values.ts";

const item = {
  id: Id,
  name: z.string(),
  description: z.string().nullable(),
  is_free: z.boolean(),
  price_yen_minor: z.int().nullable().meta({ description: "Null if the theme is not sold" }),
  preview_asset_id: Id.nullable(),
  preview_url: z.url().nullable().meta({ description: "Picture of `preview_asset_id`" }),
  unlock_level: z.int().nullable().meta({ description: "The level that earns this theme" }),
  unlock_badge_id: Id.nullable().meta({ description: "The badge that earns this theme" }),
  sort_order: z.int(),
};

export const ThemeListItem = z.object(item).meta({ id: "ThemeListItem" });

const CatalogueTheme = z.object({ ...item, is_owned: z.boolean(), is_applied: z.boolean() }).meta({
  id: "CatalogueTheme",
});

export const MyTheme = z.object({
  id: Id,
  theme_id: Id,
  acquired_at: Timestamp,
  acquisition_type: z.string().meta({ description: "A code of category `theme_acquisition_type`", examples: ["gift"] }),
  is_applied: z.boolean(),
  theme: ThemeListItem,
}).meta({ id: "MyTheme" });

export const MyThemes = pageOf(MyTheme, "MyThemes", {
  catalogue: z.array(CatalogueTheme).optional().meta({
    description: "All themes that are offered or owned, by `sort_order`. Only with `include=catalogue`.",
  }),
});

export const MyThemesQuery = z.strictObject({
  limit: Limit,
  cursor: Cursor,
  include: z.array(z.enum(["catalogue", "total"])).optional().meta({
    description: "`catalogue`: also list all themes. `total`: also count the owned themes.",
    example: ["catalogue"],
  }),
});

export const MyThemeParams = z.strictObject({
  id: Id.meta({ description: "Id of the theme (`theme_id`), or of the caller's own row (`id` of MyTheme)" }),
});

const ThemeGift = z.object({
  id: Id,
  theme_id: Id,
  message: z.string().nullable(),
  created_at: Timestamp,
  theme: ThemeListItem,
}).meta({ id: "ThemeGift" });

export const ThemeGifts = pageOf(ThemeGift, "ThemeGifts");

/** A theme from the database, with the key of its picture. */
export type Stored<Shown extends { readonly preview_url: string | null }> = Omit<Shown, "preview_url"> & {
  readonly preview_key: string | null;
};
export type StoredTheme = Stored<z.input<typeof ThemeListItem>>;
export type StoredCatalogueTheme = Stored<z.input<typeof CatalogueTheme>>;
export type StoredMyTheme = Omit<z.input<typeof MyTheme>, "theme"> & { readonly theme: StoredTheme };
export type StoredThemeGift = Omit<z.input<typeof ThemeGift>, "theme"> & { readonly theme: StoredTheme };
