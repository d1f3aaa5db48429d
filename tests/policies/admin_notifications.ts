// Policies of administrators' notifications: each reads those for all, for their areas and for themselves. The administrator here has lots and reviews.
import { allBut, bySignedIn, type Domain } from "./rules.ts";

const id = (n: number) => `00000000-0000-4000-8000-00000000189${n}`;
const ROWS = { toAll: id(1), ofTheirArea: id(2), ofAnotherArea: id(3), theirOwn: id(4), anothers: id(5) };
const OTHER_ADMINISTRATOR = id(9);

export const adminNotifications: Domain = {
  async seed(sql, { administrator }) {
    await sql`reset role`;
    await sql`insert into auth.users (id, email, raw_app_meta_data)
      values (${OTHER_ADMINISTRATOR}, 'other.administrator@example.test', '{"admin": {"areas": ["reviews"]}}')`;
    await sql`set local role service_role`;
    for (
      const [name, area, admin_id] of [
        ["toAll", null, null],
        ["ofTheirArea", "reviews", null],
        ["ofAnotherArea", "support", null],
        ["theirOwn", null, administrator],
        ["anothers", "reviews", OTHER_ADMINISTRATOR],
      ] as const
    ) {
      await sql`
        insert into public.admin_notifications (id, title, area, admin_id)
        values (${ROWS[name]}, 'Title', ${area}, ${admin_id})`;
    }
  },

  tables: [
    {
      table: "admin_notifications",
      grants: { select: { authenticated: allBut() } },
      key: "id::text",
      rows: () => ROWS,
      reads: bySignedIn({
        owner: [],
        stranger: [],
        suspended: [],
        administrator: ["toAll", "ofTheirArea", "theirOwn"],
      }),
    },
  ],
};
