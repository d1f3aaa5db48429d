// Policies of activity: administrators with the area users read all of it, other clients nothing, and no client writes.
import { ACTIVE } from "./lots.ts";
import { allBut, bySignedIn, type Domain } from "./rules.ts";

const ROWS = {
  owners: "00000000-0000-4000-8000-000000001001",
  strangers: "00000000-0000-4000-8000-000000001002",
  suspendeds: "00000000-0000-4000-8000-000000001003",
};

export const activity: Domain = {
  async seed(sql, { owner, stranger, suspended }) {
    for (const [name, user] of [["owners", owner], ["strangers", stranger], ["suspendeds", suspended]] as const) {
      await sql`
        insert into public.user_activity_logs (id, user_id, activity_type, parking_lot_id, subject_id)
        values (${ROWS[name]}, ${user}, 'review_post', ${ACTIVE}, gen_random_uuid())`;
    }
  },

  tables: [
    {
      table: "user_activity_logs",
      grants: { select: { authenticated: allBut() } },
      key: "id::text",
      rows: () => ROWS,
      reads: bySignedIn({
        owner: [],
        stranger: [],
        suspended: [],
        administrator: ["owners", "strangers", "suspendeds"],
      }),
    },
  ],
};
