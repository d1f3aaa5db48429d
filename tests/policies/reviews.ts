// Policies of reviews: approved ones of active lots are public; all others are readable by their author only.
import { ACTIVE, HIDDEN } from "./lots.ts";
import { allBut, asOwner, type Domain, toEveryone, whileActive } from "./rules.ts";

const REVIEWS = {
  approved: "00000000-0000-4000-8000-000000000f01",
  ownPending: "00000000-0000-4000-8000-000000000f02",
  strangersHidden: "00000000-0000-4000-8000-000000000f03",
  strangersRejected: "00000000-0000-4000-8000-000000000f04",
  ofDraftLot: "00000000-0000-4000-8000-000000000f05",
};
/** A lot without reviews, and one that is not public. */
const FRESH = "00000000-0000-4000-8000-0000000000a2";
const UNSEEN = "00000000-0000-4000-8000-0000000000d2";

const own = {
  anonymous: "rejected",
  owner: ["ownPending"],
  stranger: ["strangersHidden", "strangersRejected"],
  suspended: ["ofDraftLot"],
  administrator: [],
} as const;

export const reviews: Domain = {
  async seed(sql, { owner, stranger, suspended }) {
    for (const [lot, status] of [[FRESH, "active"], [UNSEEN, "draft"]] as const) {
      await sql`
        insert into public.parking_lots (id, name, lat, lng, status) values (${lot}, 'Fixture', 35.68, 139.76, ${status})`;
    }
    for (
      const [name, lot, user, status] of [
        ["approved", ACTIVE, null, "approved"],
        ["ownPending", ACTIVE, owner, "pending"],
        ["strangersHidden", ACTIVE, stranger, "hidden"],
        ["strangersRejected", HIDDEN.closed, stranger, "rejected"],
        ["ofDraftLot", HIDDEN.draft, suspended, "approved"],
      ] as const
    ) {
      const insert = () =>
        sql`
          insert into public.reviews (id, parking_lot_id, user_id, rating, status)
          values (${REVIEWS[name]}, ${lot}, ${user}, 4, ${status})`;
      await (status === "pending" ? insert() : asOwner(sql, insert));
    }
  },

  tables: [
    {
      table: "reviews",
      grants: {
        select: toEveryone(allBut()),
        insert: { authenticated: ["parking_lot_id", "user_id", "rating", "comment"] },
        update: { authenticated: ["rating", "comment"] },
        delete: ["authenticated"],
      },
      key: "id::text",
      rows: () => REVIEWS,
      reads: {
        anonymous: ["approved"],
        owner: ["approved", ...own.owner],
        stranger: ["approved", ...own.stranger],
        suspended: ["approved", ...own.suspended],
        administrator: ["approved"],
      },
      updates: { rating: whileActive(own), comment: whileActive(own) },
      writes: { rating: "3", comment: "null" },
      inserts: {
        "the owner's of an active lot": {
          row: ({ owner }) => ({ parking_lot_id: FRESH, user_id: owner, rating: 5 }),
          by: ["owner"],
        },
        "the owner's of a draft lot": {
          row: ({ owner }) => ({ parking_lot_id: UNSEEN, user_id: owner, rating: 5 }),
          by: [],
        },
      },
      deletes: whileActive(own),
    },
  ],
};
