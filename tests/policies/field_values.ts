// Policies of field values: they are as public as their lot; a vote is readable by its user only.
import { ACTIVE, HIDDEN } from "./lots.ts";
import { allBut, byEveryone, bySignedIn, type Domain, toEveryone, whileActive } from "./rules.ts";

const VALUES = {
  ofActiveLot: "00000000-0000-4000-8000-000000000901",
  retired: "00000000-0000-4000-8000-000000000902",
  ofDraftLot: "00000000-0000-4000-8000-000000000903",
};
const own = bySignedIn({ owner: [], stranger: ["strangers"], suspended: ["suspendeds"], administrator: [] });

export const fieldValues: Domain = {
  async seed(sql, { stranger, suspended }) {
    for (
      const [name, lot, state] of [
        ["ofActiveLot", ACTIVE, "unverified"],
        ["retired", ACTIVE, "retired"],
        ["ofDraftLot", HIDDEN.draft, "unverified"],
      ] as const
    ) {
      await sql`
        insert into public.field_values (id, parking_lot_id, field_name, value, state, is_primary)
        values (${VALUES[name]}, ${lot}, 'name', ${sql.json(name)}, ${state}, ${state !== "retired"})`;
    }
    for (const user_id of [stranger, suspended]) {
      await sql`
        insert into public.field_value_votes (field_value_id, user_id, vote)
        values (${VALUES.ofActiveLot}, ${user_id}, 'deny')`;
    }
  },

  tables: [
    {
      table: "field_values",
      grants: { select: toEveryone(allBut("decided_at")) },
      key: "id::text",
      rows: () => VALUES,
      reads: byEveryone(["ofActiveLot", "retired"]),
    },
    {
      table: "field_value_votes",
      grants: {
        select: { authenticated: allBut() },
        insert: { authenticated: ["field_value_id", "user_id", "vote"] },
        update: { authenticated: ["vote"] },
      },
      key: "user_id::text",
      rows: ({ stranger, suspended }) => ({ strangers: stranger, suspendeds: suspended }),
      reads: own,
      updates: { vote: whileActive(own) },
      writes: { vote: "'confirm'" },
      inserts: {
        "the owner's on a current value": {
          row: ({ owner }) => ({ field_value_id: VALUES.ofActiveLot, user_id: owner, vote: "confirm" }),
          by: ["owner"],
        },
        "the owner's on a retired value": {
          row: ({ owner }) => ({ field_value_id: VALUES.retired, user_id: owner, vote: "confirm" }),
          by: [],
        },
        "the owner's on a draft lot's value": {
          row: ({ owner }) => ({ field_value_id: VALUES.ofDraftLot, user_id: owner, vote: "confirm" }),
          by: [],
        },
      },
    },
  ],
};
