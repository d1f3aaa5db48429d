import { z } from "zod";
import { theme_gifts, themes } from "../_shared/db/columns.ts";
import { column } from "../_shared/schema/columns.ts";
import { unchanged } from "./rewards.schema.ts";
import { pageOf } from "../_shared/schema/lists.ts";
import type { Stored } from "../_shared/schema/themes.ts";
import { Id, pathId, Timestamp } from "../_shared/schema/values.ts";

const Price = column(themes.price_yen_minor).meta({
  description: "Null if the theme is not sold. A free theme has no price.",
});
const UnlockLevel = column(themes.unlock_level).meta({ description: "The level that earns this theme" });
const UnlockBadge = Id.nullable().meta({ description: "The badge that earns this theme" });
const Preview = Id.nullable().meta({
  description: "An unused public upload of category `parking_lot`. The previous picture is deleted.",
});

export const AdminTheme = z.object({
  id: Id,
  name: z.string(),
  description: z.string().nullable(),
  is_free: z.boolean().meta({ description: "True: while the theme is active, every user owns it." }),
  price_yen_minor: z.int().nullable(),
  unlock_level: z.int().nullable(),
  unlock_badge_id: Id.nullable(),
  preview_asset_id: Id.nullable(),
  preview_url: z.url().nullable().meta({ description: "Picture of `preview_asset_id`" }),
  sort_order: z.int(),
  is_active: z.boolean().meta({ description: "False: no longer offered. Current owners keep it." }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "AdminTheme" });

export const AdminThemes = pageOf(AdminTheme, "AdminThemes");

const optional = {
  description: column(themes.description).optional(),
  is_free: z.boolean().optional(),
  price_yen_minor: Price.optional(),
  unlock_level: UnlockLevel.optional(),
  unlock_badge_id: UnlockBadge.optional(),
  preview_asset_id: Preview.optional(),
  sort_order: column(themes.sort_order).optional(),
  is_active: z.boolean().optional(),
};

export const NewTheme = z.strictObject({ name: column(themes.name), ...optional }).meta({
  id: "NewTheme",
  description:
    "With only a name, the theme is active, not free, not sold and not earned. Administrators can give it to users.",
});

export const ThemeUpdate = z.strictObject({ name: column(themes.name).optional(), ...optional }).meta({
  id: "ThemeUpdate",
  description: unchanged,
});

export const AdminThemeParams = z.strictObject({ id: pathId("ThemeId", "The theme") });

export const NewThemeGift = z.strictObject({
  user_id: Id.meta({ description: "The recipient" }),
  message: column(theme_gifts.message).optional().meta({ description: "Message to the recipient" }),
}).meta({ id: "NewThemeGift" });

export const AdminThemeGift = z.object({
  id: Id,
  user_id: Id,
  theme_id: Id,
  admin_id: Id.nullable().meta({ description: "The administrator who gave it. Null after the account was deleted." }),
  message: z.string().nullable(),
  created_at: Timestamp,
}).meta({ id: "AdminThemeGift" });

/** A theme from the database, with the key of its picture. */
export type StoredAdminTheme = Stored<z.input<typeof AdminTheme>>;
