// Policies of sponsors: they are public during their period; check-ins are readable by their user, and no client writes them.
import { allBut, byEveryone, bySignedIn, type Domain, toEveryone } from "./rules.ts";

const id = (group: string, n: number) => `00000000-0000-4000-8000-00000000${group}${n}`;
const SPONSORS = { shown: id("173", 1), inactive: id("173", 2), early: id("173", 3), over: id("173", 4) };
const CHECKINS = { owners: id("174", 1), strangers: id("174", 2), suspendeds: id("174", 3) };

export const sponsors: Domain = {
  async seed(sql, { owner, stranger, suspended }) {
    await sql`
      insert into public.sponsors (id, name, lat, lng, is_active, starts_at, ends_at) values
        (${SPONSORS.shown}, 'Shown', 35.6, 139.7, true, now() - interval '1 day', now() + interval '1 day'),
        (${SPONSORS.inactive}, 'Inactive', 35.6, 139.7, false, now() - interval '1 day', null),
        (${SPONSORS.early}, 'Early', 35.6, 139.7, true, now() + interval '1 day', null),
        (${SPONSORS.over}, 'Over', 35.6, 139.7, true, now() - interval '2 days', now() - interval '1 day')`;
    for (const [name, user_id] of [["owners", owner], ["strangers", stranger], ["suspendeds", suspended]] as const) {
      await sql`
        insert into public.sponsor_checkins (id, user_id, sponsor_id, local_date, distance_m, accuracy_m)
        values (${CHECKINS[name]}, ${user_id}, ${SPONSORS.shown}, '2026-09-01', 10, 5)`;
    }
  },

  tables: [
    {
      table: "sponsors",
      grants: { select: toEveryone(allBut("mercator", "was_shown", "created_at", "updated_at")) },
      key: "id::text",
      rows: () => SPONSORS,
      reads: byEveryone(["shown"]),
    },
    {
      table: "sponsor_checkins",
      grants: { select: { authenticated: allBut() } },
      key: "id::text",
      rows: () => CHECKINS,
      reads: bySignedIn({
        owner: ["owners"],
        stranger: ["strangers"],
        suspended: ["suspendeds"],
        administrator: [],
      }),
    },
  ],
};
