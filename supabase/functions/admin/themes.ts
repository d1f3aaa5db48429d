import type { Links } from "../_shared/http/links.ts";
import { route } from "../_shared/http/route.ts";
import { contentRoutes } from "./content_routes.ts";
import { AdminRewardsQuery } from "./rewards.schema.ts";
import {
  AdminTheme,
  AdminThemeGift,
  AdminThemeParams,
  AdminThemes,
  NewTheme,
  NewThemeGift,
  type StoredAdminTheme,
  ThemeUpdate,
} from "./themes.schema.ts";

function toResponse({ preview_key, ...theme }: StoredAdminTheme, links: Links) {
  return { ...theme, preview_url: links.asset(preview_key) };
}

export const {
  list: listAdminThemes,
  create: createTheme,
  read: readTheme,
  change: updateTheme,
  remove: deleteTheme,
} = contentRoutes({
  path: "/admin/themes",
  area: "rewards",
  params: AdminThemeParams,
  item: AdminTheme,
  list: {
    calls: "admin_list_themes",
    query: AdminRewardsQuery,
    page: AdminThemes,
    summary: "List all themes",
    description: "Includes inactive themes. Sorted by `sort_order`.",
  },
  create: {
    calls: "admin_create_theme",
    as: "fields",
    body: NewTheme,
    summary: "Create a theme",
    description: "A job gives the theme to all users who have already earned it. It starts within a minute.",
  },
  read: { calls: "admin_read_theme", summary: "Get a theme" },
  change: {
    calls: "admin_update_theme",
    body: ThemeUpdate,
    summary: "Update or deactivate a theme",
    description: "Owners keep the theme. A job gives it to users who have earned it because of the change.",
  },
  remove: {
    calls: "admin_delete_theme",
    errors: ["conflict"],
    isVersioned: false,
    summary: "Delete an unused theme",
    description:
      "Returns 409 `conflict` with `details.reason` `in_use` if a user owns the theme or received it as a gift, or if " +
      "it is free and active. Deactivate it instead.",
  },
  show: toResponse,
});

export const giftTheme = route({
  method: "POST",
  path: "/admin/themes/{id}/gift",
  access: "admin",
  area: "rewards",
  summary: "Give a theme to a user",
  description:
    "Inactive themes can be given too. The recipient owns the theme immediately and is notified. Returns 409 " +
    "`conflict` with `details.reason` `already_owned` if the recipient owns it.",
  params: AdminThemeParams,
  body: NewThemeGift,
  reply: [201, AdminThemeGift],
  errors: ["not_found", "conflict"],
  calls: "admin_gift_theme",
  args: ({ params, body }) => ({ theme_id: params.id, ...body }),
});
