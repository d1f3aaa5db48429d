import type { Links } from "../_shared/http/links.ts";
import { route } from "../_shared/http/route.ts";
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
import { Nothing } from "../_shared/schema/values.ts";

function toResponse({ preview_key, ...theme }: StoredAdminTheme, links: Links) {
  return { ...theme, preview_url: links.asset(preview_key) };
}

interface Page {
  readonly items: readonly StoredAdminTheme[];
  readonly next_cursor: string | null;
  readonly total?: number;
}

export const listAdminThemes = route({
  method: "GET",
  path: "/admin/themes",
  access: "admin",
  area: "rewards",
  summary: "List all themes",
  description: "Includes inactive badges. Sorted by `sort_order`.",
  query: AdminRewardsQuery,
  reply: [200, AdminThemes],
  errors: [],
  calls: "admin_list_themes",
  handle: async ({ db, query, links }) => {
    const page = await db.rpc<Page>("admin_list_themes", query);
    return { ...page, items: page.items.map((theme) => toResponse(theme, links)) };
  },
});

export const createTheme = route({
  method: "POST",
  path: "/admin/themes",
  access: "admin",
  area: "rewards",
  summary: "Create a theme",
  description: "A job gives the theme to all users who have already earned it. It starts within a minute.",
  body: NewTheme,
  reply: [201, AdminTheme],
  errors: [],
  calls: "admin_create_theme",
  handle: async ({ db, body, links }) =>
    toResponse(await db.rpc<StoredAdminTheme>("admin_create_theme", { fields: body }), links),
});

export const readTheme = route({
  method: "GET",
  path: "/admin/themes/{id}",
  access: "admin",
  area: "rewards",
  summary: "Get a theme",
  params: AdminThemeParams,
  reply: [200, AdminTheme],
  errors: ["not_found"],
  isVersioned: true,
  calls: "admin_read_theme",
  handle: async ({ db, params, links }) =>
    toResponse(await db.rpc<StoredAdminTheme>("admin_read_theme", { id: params.id }), links),
});

export const updateTheme = route({
  method: "PATCH",
  path: "/admin/themes/{id}",
  access: "admin",
  area: "rewards",
  summary: "Update or deactivate a theme",
  description: "Owners keep the theme. A job gives it to users who have earned it because of the change.",
  params: AdminThemeParams,
  body: ThemeUpdate,
  reply: [200, AdminTheme],
  errors: ["not_found", "precondition_failed"],
  isVersioned: true,
  calls: "admin_update_theme",
  handle: async ({ db, params, body, ifMatch, links }) =>
    toResponse(
      await db.rpc<StoredAdminTheme>("admin_update_theme", { id: params.id, changes: body, if_match: ifMatch }),
      links,
    ),
});

export const deleteTheme = route({
  method: "DELETE",
  path: "/admin/themes/{id}",
  access: "admin",
  area: "rewards",
  summary: "Delete an unused theme",
  description:
    "Returns 409 `conflict` with `details.reason` `in_use` if a user owns the theme or received it as a gift, or if " +
    "it is free and active. Deactivate it instead.",
  params: AdminThemeParams,
  reply: [204, Nothing],
  errors: ["not_found", "conflict"],
  calls: "admin_delete_theme",
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
