// Occupancy reports: nobody sees who reported but the driver; feeds are the service's.
import { ACTIVE, HIDDEN } from "./lots.ts";
import { allBut, bySignedIn, type Domain } from "./rules.ts";

const REPORTS = {
  strangers: "00000000-0000-4000-8000-000000000801",
  suspendeds: "00000000-0000-4000-8000-000000000802",
  ofSensor: "00000000-0000-4000-8000-000000000803",
};
const row = (lot: string) => ({ owner }: { owner: string }) => ({
  parking_lot_id: lot,
  source: "driver",
  user_id: owner,
  state: "full",
});

export const occupancy: Domain = {
  async plant(sql, { stranger, suspended }) {
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
      select: { authenticated: allBut("is_current", "is_sample") },
      insert: {
        authenticated: ["parking_lot_id", "source", "user_id", "state", "free_spaces", "occupancy_ratio"],
      },
    },
    key: "id::text",
    rows: () => REPORTS,
    reads: bySignedIn({ owner: [], stranger: ["strangers"], suspended: ["suspendeds"], administrator: [] }),
    inserts: {
      "the owner's on an active lot": { row: row(ACTIVE), by: ["owner"] },
      "the owner's on a draft lot": { row: row(HIDDEN.draft), by: [] },
      "a sensor's": { row: () => ({ parking_lot_id: ACTIVE, source: "sensor", state: "full" }), by: [] },
    },
  }],
};
