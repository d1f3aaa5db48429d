import type { Links } from "../_shared/http/links.ts";
import { route } from "../_shared/http/route.ts";
import { PageQuery } from "../_shared/schema/lists.ts";
import {
  MyTheme,
  MyThemeParams,
  MyThemes,
  MyThemesQuery,
  type StoredCatalogueTheme,
  type StoredMyTheme,
  type StoredThemeGift,
  ThemeGifts,
} from "../_shared/schema/themes.ts";

function toResponse<Theme extends { readonly preview_key: string | null }>(
  { preview_key, ...theme }: Theme,
  links: Links,
) {
  return { ...theme, preview_url: links.asset(preview_key) };
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
  readonly total?: number;
}

export const listThemes = route({
  method: "GET",
  path: "/me/themes",
  access: "user",
  summary: "List the caller's themes",
  description: "Themes that the caller owns, latest first. Every user owns the free themes that are offered.",
  query: MyThemesQuery,
  reply: [200, MyThemes],
  errors: [],
  calls: "list_my_themes",
  handle: async ({ db, query, links }) => {
    const { catalogue, items, ...page } = await db.rpc<
      Page<StoredMyTheme> & { readonly catalogue?: readonly StoredCatalogueTheme[] }
    >("list_my_themes", query);
    return {
      ...page,
      items: items.map((owned) => ({ ...owned, theme: toResponse(owned.theme, links) })),
      ...(catalogue && { catalogue: catalogue.map((theme) => toResponse(theme, links)) }),
    };
  },
});

export const applyTheme = route({
  method: "POST",
  path: "/me/themes/{id}/apply",
  access: "user",
  summary: "Apply a theme",
  description: "Replaces the current theme. The caller must own the theme.",
  params: MyThemeParams,
  reply: [200, MyTheme],
  errors: ["not_found"],
  calls: "apply_my_theme",
  handle: async ({ db, params, links }) => {
    const owned = await db.rpc<StoredMyTheme>("apply_my_theme", { id: params.id });
    return { ...owned, theme: toResponse(owned.theme, links) };
  },
});

export const listThemeGifts = route({
  method: "GET",
  path: "/me/theme-gifts",
  access: "user",
  summary: "List the themes given to the caller",
  description: "Latest first.",
  query: PageQuery,
  reply: [200, ThemeGifts],
  errors: [],
  calls: "list_my_theme_gifts",
  handle: async ({ db, query, links }) => {
    const page = await db.rpc<Page<StoredThemeGift>>("list_my_theme_gifts", query);
    return { ...page, items: page.items.map((gift) => ({ ...gift, theme: toResponse(gift.theme, links) })) };
  },
});
