// Policies of the activity log: every active administrator reads the acts of their areas, and no client writes it.
import { allBut, asOwner, bySignedIn, type Domain } from "./rules.ts";

const ROWS = {
  theirOwn: "00000000-0000-4000-8000-000000002001",
  anothers: "00000000-0000-4000-8000-000000002002",
};

export const adminActivity: Domain = {
  async seed(sql, { administrator, owner }) {
    await asOwner(sql, async () => {
      for (const [id, admin] of [[ROWS.theirOwn, administrator], [ROWS.anothers, crypto.randomUUID()]] as const) {
        await sql`
          insert into public.admin_activity_logs (id, admin_id, action, target_type, target_id, user_id)
          values (${id}, ${admin}, 'user.view_search_presets', 'app_user', ${owner}, ${owner})`;
      }
    });
  },

  tables: [
    {
      table: "admin_activity_logs",
      grants: { select: { authenticated: allBut() } },
      key: "id::text",
      rows: () => ROWS,
      reads: bySignedIn({ owner: [], stranger: [], suspended: [], administrator: ["theirOwn", "anothers"] }),
    },
  ],
};
