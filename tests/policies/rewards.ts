// Policies of points and badges: users read their own and all that can be earned, and no client writes.
import { allBut, bySignedIn, type Domain } from "./rules.ts";

const id = (group: string, n: number) => `00000000-0000-4000-8000-00000000${group}${n}`;
const rowsOf = (group: string) => ({ owners: id(group, 1), strangers: id(group, 2), suspendeds: id(group, 3) });
const ENTRIES = rowsOf("160");
const EARNED = rowsOf("162");
const BADGE = id("161", 1);

const own = bySignedIn({ owner: ["owners"], stranger: ["strangers"], suspended: ["suspendeds"], administrator: [] });
/** Suspended users cannot read tables published to Realtime. */
const ownWhileActive = bySignedIn({ owner: ["owners"], stranger: ["strangers"], suspended: [], administrator: [] });
const all = (...rows: string[]) => bySignedIn({ owner: rows, stranger: rows, suspended: rows, administrator: rows });

export const rewards: Domain = {
  async seed(sql, { owner, stranger, suspended }) {
    await sql`insert into public.levels (level, required_exp) values (1601, 99999999)`;
    await sql`
      insert into public.badges (id, name, description, icon, category, conditions, threshold)
      values (${BADGE}, 'Fixture', 'Fixture', 'icon', 'parking', '{"activity": ["lot_save"], "measure": "count"}', 9)`;
    for (const [name, user_id] of [["owners", owner], ["strangers", stranger], ["suspendeds", suspended]] as const) {
      await sql`
        insert into public.exp_entries (id, user_id, reason, source_type, source_id, amount)
        values (${ENTRIES[name]}, ${user_id}, 'adjustment', 'fixture', gen_random_uuid(), 1)`;
      await sql`insert into public.user_badges (id, user_id, badge_id) values (${EARNED[name]}, ${user_id}, ${BADGE})`;
      await sql`insert into public.user_badge_progress (user_id, badge_id, count) values (${user_id}, ${BADGE}, 1)`;
    }
  },

  tables: [
    {
      table: "levels",
      grants: { select: { authenticated: allBut() } },
      key: "level::text",
      rows: () => ({ fixture: "1601" }),
      reads: all("fixture"),
    },
    {
      table: "exp_entries",
      grants: { select: { authenticated: allBut() } },
      key: "id::text",
      rows: () => ENTRIES,
      reads: own,
    },
    {
      table: "badges",
      grants: { select: { authenticated: allBut("conditions") } },
      key: "id::text",
      rows: () => ({ fixture: BADGE }),
      reads: all("fixture"),
    },
    {
      table: "user_badges",
      grants: { select: { authenticated: allBut() } },
      key: "id::text",
      rows: () => EARNED,
      reads: ownWhileActive,
    },
    {
      table: "user_badge_progress",
      grants: { select: { authenticated: allBut() } },
      key: "badge_id::text || user_id::text",
      rows: ({ owner, stranger, suspended }) => ({
        owners: BADGE + owner,
        strangers: BADGE + stranger,
        suspendeds: BADGE + suspended,
      }),
      reads: own,
    },
  ],
};
