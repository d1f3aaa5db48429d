// Policies of plans, articles and advertisements, which are public once published, and of crashes, which administrators read.
import { allBut, byEveryone, bySignedIn, type Domain, toEveryone } from "./rules.ts";

const id = (group: string, n: number) => `00000000-0000-4000-8000-00000000${group}${n}`;
const PLANS = { sold: id("180", 1), gone: id("180", 2) };
const ARTICLES = { published: id("181", 1), draft: id("181", 2), future: id("181", 3), withdrawn: id("181", 4) };
const ADS = { running: id("182", 1), stopped: id("182", 2), future: id("182", 3), over: id("182", 4) };
const CRASHES = { crash: id("183", 1) };

export const published: Domain = {
  async seed(sql) {
    for (const [name, plan] of Object.entries(PLANS)) {
      await sql`
        insert into public.subscription_plans (id, code, name, price_minor, billing_period, is_active)
        values (${plan}, ${`fixture_${name}`}, 'Fixture', 1, 'month', ${name === "sold"})`;
    }
    for (const [name, article] of Object.entries(ARTICLES)) {
      await sql`
        insert into public.articles (id, slug, locale, title, body, published_at, withdrawn_at)
        values (
          ${article}, ${`fixture-${name}`}, 'ja', 'Fixture', 'Body',
          case ${name} when 'draft' then null when 'future' then now() + interval '1 day' else now() - interval '2 days' end,
          case ${name} when 'withdrawn' then now() - interval '1 day' end
        )`;
    }
    for (const [name, ad] of Object.entries(ADS)) {
      await sql`
        insert into public.ads (id, placement, title, starts_at, ends_at, is_active)
        values (
          ${ad}, 'map', 'Fixture', now() + case ${name} when 'future' then 1 else -2 end * interval '1 day',
          case ${name} when 'over' then now() - interval '1 day' end, ${name !== "stopped"}
        )`;
    }
    await sql`
      insert into public.client_crash_reports (id, fingerprint, stack, device, app_version)
      values (${CRASHES.crash}, repeat('0', 64), 'Error', 'Device', '1.0')`;
  },

  tables: [
    {
      table: "subscription_plans",
      grants: { select: toEveryone(allBut()) },
      key: "id::text",
      rows: () => PLANS,
      reads: byEveryone(["sold"]),
    },
    {
      table: "articles",
      grants: { select: toEveryone(allBut()) },
      key: "id::text",
      rows: () => ARTICLES,
      reads: byEveryone(["published"]),
    },
    {
      table: "ads",
      grants: { select: toEveryone(allBut("was_shown", "created_at", "updated_at")) },
      key: "id::text",
      rows: () => ADS,
      reads: byEveryone(["running"]),
    },
    {
      table: "client_crash_reports",
      grants: { select: { authenticated: allBut("network") } },
      key: "id::text",
      rows: () => CRASHES,
      reads: bySignedIn({ owner: [], stranger: [], suspended: [], administrator: ["crash"] }),
    },
  ],
};
