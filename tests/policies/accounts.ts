import type { Actor } from "./people.ts";
import { allBut, type Domain, type Reach } from "./rules.ts";

const OWN: Record<Actor, Reach> = {
  anonymous: "rejected",
  owner: ["owner"],
  stranger: ["stranger"],
  suspended: [],
  administrator: [],
};

export const accounts: Domain = {
  seed: () => Promise.resolve(), // the actors' own accounts are the rows

  tables: [
    {
      table: "app_users",
      grants: {
        select: {
          authenticated: allBut("premium_ends_at", "granted_premium_ends_at", "highest_level", "last_active_on"),
        },
        update: { authenticated: ["display_name", "lang"] },
      },
      key: "id::text",
      rows: ({ owner, stranger, suspended }) => ({ owner, stranger, suspended }),
      reads: {
        anonymous: "rejected",
        owner: ["owner"],
        stranger: ["stranger"],
        suspended: ["suspended"],
        administrator: [],
      },
      updates: { display_name: OWN, lang: OWN },
      writes: { lang: "'en'" },
    },
    {
      table: "admins",
      grants: { select: { authenticated: allBut() } },
      key: "id::text",
      rows: ({ administrator }) => ({ administrator }),
      reads: {
        anonymous: "rejected",
        owner: [],
        stranger: [],
        suspended: [],
        administrator: ["administrator"],
      },
    },
  ],
};
