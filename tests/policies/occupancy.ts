// Policies of occupancy reports: only the reporter can read who reported; feeds belong to the service.
import { ACTIVE } from "./lots.ts";
import { allBut, bySignedIn, type Domain } from "./rules.ts";

const REPORTS = {
  strangers: "00000000-0000-4000-8000-000000000801",
  suspendeds: "00000000-0000-4000-8000-000000000802",
  ofSensor: "00000000-0000-4000-8000-000000000803",
};
export const occupancy: Domain = {
  async seed(sql, { stranger, suspended }) {
    for (
      const [name, source, user_id] of [
        ["strangers", "driver", stranger],
        ["suspendeds", "driver", suspended],
        ["ofSensor", "sensor", null],
      ] as const
    ) {
      await sql`
        insert into public.occupancy_reports (id, parking_lot_id, source, user_id, state)
        values (${REPORTS[name]}, ${ACTIVE}, ${source}, ${user_id}, 'available')`;
    }
  },

  tables: [{
    table: "occupancy_reports",
    grants: {
      select: { authenticated: allBut("is_sample") },
    },
    key: "id::text",
    rows: () => REPORTS,
    reads: bySignedIn({ owner: [], stranger: ["strangers"], suspended: ["suspendeds"], administrator: [] }),
  }],
};
