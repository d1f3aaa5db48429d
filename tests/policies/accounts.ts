import { allBut, type Domain } from "./rules.ts";

export const accounts: Domain = {
  plant: () => Promise.resolve(), // the actors' own accounts are the rows

  tables: [
    {
      table: "app_users",
      grants: { select: { authenticated: allBut("premium_ends_at") }, update: { authenticated: ["display_name"] } },
      key: "id::text",
      rows: ({ owner, stranger, suspended }) => ({ owner, stranger, suspended }),
      reads: {
        visitor: "refused",
        owner: ["owner"],
        stranger: ["stranger"],
        suspended: ["suspended"],
        administrator: [],
      },
      updates: {
        display_name: {
          visitor: "refused",
          owner: ["owner"],
          stranger: ["stranger"],
          suspended: [],
          administrator: [],
        },
      },
    },
    {
      table: "admins",
      grants: { select: { authenticated: allBut() } },
      key: "id::text",
      rows: ({ administrator }) => ({ administrator }),
      reads: {
        visitor: "refused",
        owner: [],
        stranger: [],
        suspended: [],
        administrator: ["administrator"],
      },
    },
  ],
};
