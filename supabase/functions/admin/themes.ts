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

function shown({ preview_key, ...theme }: StoredAdminTheme, links: Links) {
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
  description: "Also inactive ones, by `sort_order`.",
  query: AdminRewardsQuery,
  reply: [200, AdminThemes],
  errors: [],
  handle: async ({ db, query, links }) => {
    const page = await db.rpc<Page>("admin_list_themes", query);
    return { ...page, items: page.items.map((theme) => shown(theme, links)) };
  },
});

export const createTheme = route({
  method: "POST",
  path: "/admin/themes",
  access: "admin",
  area: "rewards",
  summary: "Create a theme",
  description: "Users who have earned it already get it by a job that begins within a minute.",
  body: NewTheme,
  reply: [201, AdminTheme],
  errors: [],
  handle: async ({ db, body, links }) =>
    shown(await db.rpc<StoredAdminTheme>("admin_create_theme", { fields: body }), links),
});

export const readTheme = route({
  method: "GET",
  path: "/admin/themes/{id}",
  access: "admin",
  area: "rewards",
  summary: "Read a theme",
  params: AdminThemeParams,
  reply: [200, AdminTheme],
  errors: ["not_found"],
  isVersioned: true,
  handle: async ({ db, params, links }) =>
    shown(await db.rpc<StoredAdminTheme>("admin_read_theme", { id: params.id }), links),
});

export const updateTheme = route({
  method: "PATCH",
  path: "/admin/themes/{id}",
  access: "admin",
  area: "rewards",
  summary: "Change a theme, or deactivate it",
  description: "What is owned stays owned. Users who have earned it by the change get it by a job.",
  params: AdminThemeParams,
  body: ThemeUpdate,
  reply: [200, AdminTheme],
  errors: ["not_found", "precondition_failed"],
  isVersioned: true,
  handle: async ({ db, params, body, ifMatch, links }) =>
    shown(
      await db.rpc<StoredAdminTheme>("admin_update_theme", { id: params.id, changes: body, if_match: ifMatch }),
      links,
    ),
});

export const deleteTheme = route({
  method: "DELETE",
  path: "/admin/themes/{id}",
  access: "admin",
  area: "rewards",
  summary: "Delete a theme that nobody owns",
  description: "A theme that somebody owns or was given, and a free one that is active, are `conflict` with " +
    "`details.reason` `in_use`: deactivate it.",
  params: AdminThemeParams,
  reply: [204, Nothing],
  errors: ["not_found", "conflict"],
  handle: ({ db, params }) => db.rpc("admin_delete_theme", { id: params.id }),
});

export const giftTheme = route({
  method: "POST",
  path: "/admin/themes/{id}/gift",
  access: "admin",
  area: "rewards",
  summary: "Give a theme to a user",
  description: "Also one that is not active. The recipient owns it at once and is notified. Who owns it already: " +
    "`conflict` with `details.reason` `already_owned`.",
  params: AdminThemeParams,
  body: NewThemeGift,
  reply: [201, AdminThemeGift],
  errors: ["not_found", "conflict"],
  handle: ({ db, params, body }) => db.rpc("admin_gift_theme", { theme_id: params.id, ...body }),
});
