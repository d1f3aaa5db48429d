// Policies of themes: authenticated users read offered themes and those that they own; no client writes.
import { allBut, bySignedIn, type Domain } from "./rules.ts";

const id = (group: string, n: number) => `00000000-0000-4000-8000-00000000${group}${n}`;
const THEMES = { offered: id("170", 1), ownersOnly: id("170", 2), nobodys: id("170", 3) };
const rowsOf = (group: string) => ({ owners: id(group, 1), strangers: id(group, 2), suspendeds: id(group, 3) });
const OWNED = rowsOf("171");
const GIFTS = rowsOf("172");

const own = bySignedIn({ owner: ["owners"], stranger: ["strangers"], suspended: ["suspendeds"], administrator: [] });

export const themes: Domain = {
  async seed(sql, { owner, stranger, suspended }) {
    for (const [name, is_active] of [["offered", true], ["ownersOnly", false], ["nobodys", false]] as const) {
      await sql`insert into public.themes (id, name, is_active) values (${THEMES[name]}, ${name}, ${is_active})`;
    }
    for (
      const [name, user_id, theme] of [
        ["owners", owner, THEMES.ownersOnly],
        ["strangers", stranger, THEMES.offered],
        ["suspendeds", suspended, THEMES.offered],
      ] as const
    ) {
      await sql`
        insert into public.user_themes (id, user_id, theme_id, acquisition_type)
        values (${OWNED[name]}, ${user_id}, ${theme}, 'gift')`;
      await sql`insert into public.theme_gifts (id, user_id, theme_id) values (${GIFTS[name]}, ${user_id}, ${theme})`;
    }
  },

  tables: [
    {
      table: "themes",
      grants: { select: { authenticated: allBut() } },
      key: "id::text",
      rows: () => THEMES,
      reads: bySignedIn({
        owner: ["offered", "ownersOnly"],
        stranger: ["offered"],
        suspended: ["offered"],
        administrator: ["offered"],
      }),
    },
    {
      table: "user_themes",
      grants: { select: { authenticated: allBut() } },
      key: "id::text",
      rows: () => OWNED,
      reads: own,
    },
    {
      table: "theme_gifts",
      grants: { select: { authenticated: allBut("admin_id") } },
      key: "id::text",
      rows: () => GIFTS,
      reads: own,
    },
  ],
};
