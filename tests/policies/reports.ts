// Policies of error reports and support: users read their own, and no client writes support's part.
import { ACTIVE } from "./lots.ts";
import { allBut, bySignedIn, type Domain } from "./rules.ts";

const id = (group: string, n: number) => `00000000-0000-4000-8000-00000000${group}${n}`;
const rowsOf = (group: string) => ({ owners: id(group, 1), strangers: id(group, 2), suspendeds: id(group, 3) });
const REPORTS = { ...rowsOf("140"), nobodys: id("140", 4) };
const TICKETS = rowsOf("141");
const MESSAGES = rowsOf("142");

const own = bySignedIn({ owner: ["owners"], stranger: ["strangers"], suspended: ["suspendeds"], administrator: [] });

export const reports: Domain = {
  async seed(sql, { owner, stranger, suspended }) {
    for (const [name, user_id] of [["owners", owner], ["strangers", stranger], ["suspendeds", suspended]] as const) {
      await sql`
        insert into public.error_reports (id, user_id, parking_lot_id, parking_lot_name, report_type, description)
        values (${REPORTS[name]}, ${user_id}, ${ACTIVE}, 'Fixture', 'price', 'Wrong')`;
      await sql`
        insert into public.support_tickets (id, user_id, category, subject)
        values (${TICKETS[name]}, ${user_id}, 'other', 'Subject')`;
      await sql`
        insert into public.support_messages (id, ticket_id, author, body)
        values (${MESSAGES[name]}, ${TICKETS[name]}, 'user', 'Body')`;
    }
    await sql`
      insert into public.error_reports (id, parking_lot_name, report_type, description)
      values (${REPORTS.nobodys}, 'Fixture', 'missing', 'Of somebody who left')`;
  },

  tables: [
    {
      table: "error_reports",
      grants: {
        select: { authenticated: allBut("assigned_admin_id") },
        insert: { authenticated: allBut("id", "status", "assigned_admin_id", "created_at", "updated_at") },
      },
      key: "id::text",
      rows: () => REPORTS,
      reads: own,
      inserts: {
        "the owner's": {
          row: ({ owner }) => ({ user_id: owner, parking_lot_name: "Lot", report_type: "price", description: "Wrong" }),
          by: ["owner"],
        },
      },
    },
    {
      table: "support_tickets",
      grants: { select: { authenticated: allBut() } },
      key: "id::text",
      rows: () => TICKETS,
      reads: own,
    },
    {
      table: "support_messages",
      grants: { select: { authenticated: allBut("admin_id") } },
      key: "id::text",
      rows: () => MESSAGES,
      reads: own,
    },
  ],
};
