// Policies of ratings, saved lots and preferences: users cannot read, change or delete those of others.
import { ACTIVE, HIDDEN } from "./lots.ts";
import { allBut, byEveryone, bySignedIn, type Domain, type TableRules, toEveryone, whileActive } from "./rules.ts";

const own = bySignedIn({ owner: ["owners"], stranger: ["strangers"], suspended: ["suspendeds"], administrator: [] });
/** A lot that the owner has not marked. */
const OTHER = "00000000-0000-4000-8000-0000000000a3";

/** A table with one row per user and lot. */
function ofPersonAndLot(table: string, columns: Record<string, string>): TableRules {
  const row = (lot: string) => ({ owner }: { owner: string }) => ({ user_id: owner, parking_lot_id: lot, ...columns });
  return {
    table,
    grants: {
      select: { authenticated: allBut() },
      insert: { authenticated: ["user_id", "parking_lot_id", ...Object.keys(columns)] },
      delete: ["authenticated"],
    },
    key: "user_id || ' ' || parking_lot_id",
    rows: ({ owner, stranger, suspended }) => ({
      owners: `${owner} ${ACTIVE}`,
      strangers: `${stranger} ${ACTIVE}`,
      suspendeds: `${suspended} ${ACTIVE}`,
    }),
    reads: own,
    inserts: {
      "the owner's of an active lot": { row: row(OTHER), by: ["owner"] },
      "the owner's of a draft lot": { row: row(HIDDEN.draft), by: [] },
    },
    deletes: whileActive(own),
  };
}

const ratings = ofPersonAndLot("parking_lot_ratings", { value: "good" });

export const ratingsAndSavedLots: Domain = {
  async seed(sql, { owner, stranger, suspended }) {
    await sql`
      insert into public.parking_lots (id, name, lat, lng, status) values (${OTHER}, 'Fixture', 35.68, 139.76, 'active')`;
    for (const user_id of [owner, stranger, suspended]) {
      await sql`
        insert into public.parking_lot_ratings (user_id, parking_lot_id, value) values (${user_id}, ${ACTIVE}, 'bad')`;
      await sql`insert into public.saved_parking_lots (user_id, parking_lot_id) values (${user_id}, ${ACTIVE})`;
    }
    // The active lot's counts follow from the ratings above.
    await sql`
      insert into public.parking_lot_rating_counts (parking_lot_id, good_count, bad_count)
      values (${HIDDEN.draft}, 1, 0)`;
    for (const user_id of [stranger, suspended]) {
      await sql`insert into public.search_preferences (user_id, yen_per_walk_minute) values (${user_id}, 30)`;
    }
  },

  tables: [
    {
      ...ratings,
      grants: { ...ratings.grants, update: { authenticated: ["value"] } },
      updates: { value: whileActive(own) },
      writes: { value: "'good'" },
    },
    ofPersonAndLot("saved_parking_lots", {}),
    {
      table: "parking_lot_rating_counts",
      grants: { select: toEveryone(allBut()) },
      key: "parking_lot_id::text",
      rows: () => ({ ofActiveLot: ACTIVE, ofDraftLot: HIDDEN.draft }),
      reads: byEveryone(["ofActiveLot"]),
    },
    {
      table: "search_preferences",
      grants: {
        select: { authenticated: allBut() },
        insert: { authenticated: ["user_id", "yen_per_walk_minute"] },
        update: { authenticated: ["yen_per_walk_minute"] },
      },
      key: "user_id::text",
      rows: ({ stranger, suspended }) => ({ strangers: stranger, suspendeds: suspended }),
      reads: { ...own, owner: [] },
      updates: { yen_per_walk_minute: { ...whileActive(own), owner: [] } },
      writes: { yen_per_walk_minute: "40" },
      inserts: {
        "the owner's": { row: ({ owner }) => ({ user_id: owner, yen_per_walk_minute: 50 }), by: ["owner"] },
      },
    },
  ],
};
