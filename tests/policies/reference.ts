import { allBut, byEveryone, type Domain, toEveryone } from "./rules.ts";

export const reference: Domain = {
  async seed(sql) {
    await sql`insert into public.code_categories (id, description) values ('fixture', 'For these tests')`;
    await sql`
      insert into public.codes (category_id, code, lang, display_label, sort_order, is_active)
      values ('fixture', 'in_use', 'en', 'In use', 10, true), ('fixture', 'retired', 'en', 'Retired', 20, false)`;
  },

  tables: [
    {
      table: "code_categories",
      grants: { select: toEveryone(allBut("is_open")) },
      key: "id",
      rows: () => ({ fixture: "fixture" }),
      reads: byEveryone(["fixture"]),
    },
    {
      table: "codes",
      grants: { select: toEveryone(allBut("created_at", "updated_at")) },
      key: "category_id || '.' || code",
      rows: () => ({ inUse: "fixture.in_use", retired: "fixture.retired" }),
      reads: byEveryone(["inUse"]),
    },
  ],
};
