// Policies of sessions: users read, start and annotate their own. No client writes the fee or the status of a session.
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

/** Suspended users cannot read tables published to Realtime, nor the photos of their sessions. */
const ownWhileActive = bySignedIn({ owner: ["owners"], stranger: ["strangers"], suspended: [], administrator: [] });

const PHOTOS = {
  owners: "00000000-0000-4000-8000-000000001171",
  strangers: "00000000-0000-4000-8000-000000001172",
  suspendeds: "00000000-0000-4000-8000-000000001173",
};

export const sessions: Domain = {
  async seed(sql, { owner, stranger, suspended }) {
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
        insert into public.parking_sessions (id, user_id, parking_lot_id) values (${
        SESSIONS[name]
      }, ${user}, ${ACTIVE})`;
      await sql`update public.parking_sessions set status = 'cancelled' where id = ${SESSIONS[name]}`;
    }
    for (const name of ["owners", "strangers", "suspendeds"] as const) {
      await sql`
        with asset as (
          insert into public.assets (storage_key, category, is_public, created_by)
          values (${`private/session_photo/${
        PHOTOS[name]
      }.jpg`}, 'session_photo', false, null) returning id, storage_key
        )
        insert into public.parking_session_photos (id, session_id, phase, slot, asset_id, storage_key)
        select ${PHOTOS[name]}, ${SESSIONS[name]}, 'during', 1, id, storage_key from asset`;
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
      reads: ownWhileActive,
      updates: { memo: ownWhileActive, personal_rating: ownWhileActive },
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
    {
      table: "parking_session_photos",
      grants: { select: { authenticated: allBut() } },
      key: "id::text",
      rows: () => PHOTOS,
      reads: ownWhileActive,
    },
  ],
};
