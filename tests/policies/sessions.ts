// Sessions: a person reads, begins and annotates their own. What a session cost and how it stands, no client writes.
import { ACTIVE, HIDDEN } from "./lots.ts";
import { allBut, bySignedIn, type Domain } from "./rules.ts";

const SESSIONS = {
  owners: "00000000-0000-4000-8000-000000001101",
  strangers: "00000000-0000-4000-8000-000000001102",
  suspendeds: "00000000-0000-4000-8000-000000001103",
  nobodys: "00000000-0000-4000-8000-000000001104",
};

/** A stranger's vehicle that no other rules count on. */
const VEHICLE = "00000000-0000-4000-8000-000000001199";

const own = bySignedIn({ owner: ["owners"], stranger: ["strangers"], suspended: ["suspendeds"], administrator: [] });

export const sessions: Domain = {
  async plant(sql, { owner, stranger, suspended }) {
    await sql`
      insert into public.user_vehicles (id, user_id, vehicle_type)
      values (${VEHICLE}, ${stranger}, 'standard')`;
    for (
      const [name, user] of [
        ["owners", owner],
        ["strangers", stranger],
        ["suspendeds", suspended],
        ["nobodys", null],
      ] as const
    ) {
      await sql`
        insert into public.parking_sessions (id, user_id, parking_lot_id, status)
        values (${SESSIONS[name]}, ${user}, ${ACTIVE}, 'cancelled')`;
    }
  },

  tables: [
    {
      table: "parking_sessions",
      grants: {
        select: { authenticated: allBut() },
        insert: {
          authenticated: [
            "user_id",
            "parking_lot_id",
            "vehicle_id",
            "vehicle_type",
            "start_lat",
            "start_lng",
            "client_request_id",
          ],
        },
        update: { authenticated: ["memo", "personal_rating"] },
      },
      key: "id::text",
      rows: () => SESSIONS,
      reads: own,
      updates: { memo: own, personal_rating: own },
      writes: { memo: "'north exit'", personal_rating: "'good'" },
      inserts: {
        "the owner's at an active lot": {
          row: ({ owner }) => ({ user_id: owner, parking_lot_id: ACTIVE }),
          by: ["owner"],
        },
        "the owner's with a stranger's vehicle": {
          row: ({ owner }) => ({ user_id: owner, parking_lot_id: ACTIVE, vehicle_id: VEHICLE }),
          by: [],
        },
        "the owner's at a draft lot": {
          row: ({ owner }) => ({ user_id: owner, parking_lot_id: HIDDEN.draft }),
          by: [],
        },
      },
    },
  ],
};
