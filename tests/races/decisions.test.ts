// Decisions of administrators during edits of authors: no unseen text is approved.
import assert from "node:assert/strict";
import postgres from "postgres";
import { database } from "../support/database.ts";
import { call, newAdministrator } from "../support/activities.ts";
import { newLot, newUser } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const EDITS = 30;

interface Decided {
  /** Whether the decision was taken. */
  readonly taken: boolean;
  readonly reason?: string;
}

/** Decides on a row as it was seen, as the service on behalf of an administrator. */
async function decide(administrator: string, decision: string, ...args: string[]): Promise<Decided> {
  try {
    await db.as({ role: "service_role" }, (sql) => sql.unsafe(`select ${decision}`, [administrator, ...args]));
    return { taken: true };
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || error.code !== "PGRST") throw error;
    const { details } = JSON.parse(error.message) as { details: string };
    return { taken: false, reason: JSON.parse(details).details.reason };
  }
}

Deno.test(`decisions: of ${EDITS} reviews that are edited while they are approved none is approved with a text that was not seen`, async () => {
  const administrator = await newAdministrator(db.sql);
  for (let n = 0; n < EDITS; n++) {
    const [user, lot] = [await newUser(db.sql), await newLot(db.sql)];
    await call(db.sql, user, "commands.post_review", { parking_lot_id: lot, rating: 4, comment: "seen" });
    const [seen] = await db.sql<{ id: string; at: string }[]>`
      select id, to_jsonb(updated_at) #>> '{}' as at from public.reviews where user_id = ${user}`;
    const edit = () => call(db.sql, user, "commands.update_my_review", { id: seen!.id, comment: "not seen" });
    const approve = () =>
      decide(
        administrator,
        "api.admin_decide_review($1, $2, 'approved', null, $3::text::timestamptz)",
        seen!.id,
        seen!.at,
      );
    // Each begins first as often as the other.
    const [first, second] = n % 2 === 0 ? [edit(), approve()] as const : [approve(), edit()] as const;
    const decided = (await Promise.all([first, second])).find((one) => one !== null && "taken" in one) as Decided;
    const [row] = await db.sql<{ status: string; comment: string }[]>`
      select status, comment from public.reviews where id = ${seen!.id}`;
    // An edit after the approval takes it back: the review is pending with the new text, never approved with it.
    assert.deepEqual({ ...row }, { status: "pending", comment: "not seen" });
    if (!decided.taken) assert.equal(decided.reason, "changed_meanwhile");
  }
});

Deno.test("decisions: a ticket whose author writes meanwhile is neither answered nor closed without the new message", async () => {
  const administrator = await newAdministrator(db.sql);
  await db.sql`update public.admins set areas = '{support}' where id = ${administrator}`;
  for (let n = 0; n < EDITS; n++) {
    const user = await newUser(db.sql);
    const ticket = await call(db.sql, user, "commands.create_support_ticket", {
      category: "other",
      subject: "Subject",
      message: "seen",
    });
    const id = String(ticket!["id"]);
    const [seen] = await db.sql<{ at: string }[]>`
      select to_jsonb(updated_at) #>> '{}' as at from public.support_tickets where id = ${id}`;
    const write = () => call(db.sql, user, "commands.reply_to_support_ticket", { id, message: "not seen" });
    const answer = () =>
      decide(
        administrator,
        "api.admin_answer_support_ticket($1, $2, 'Answer', $3::text::timestamptz)",
        id,
        seen!.at,
      );
    const [first, second] = n % 2 === 0 ? [write(), answer()] as const : [answer(), write()] as const;
    const decided = (await Promise.all([first, second])).find((one) => one !== null && "taken" in one) as Decided;
    const messages = await db.sql<{ body: string }[]>`
      select body from public.support_messages where ticket_id = ${id} order by created_at, id`;
    const bodies = messages.map(({ body }) => body);
    if (decided.taken) assert.deepEqual(bodies, ["seen", "Answer", "not seen"]);
    else {
      assert.equal(decided.reason, "changed_meanwhile");
      assert.deepEqual(bodies, ["seen", "not seen"]);
    }
    const [row] = await db.sql<{ status: string }[]>`select status from public.support_tickets where id = ${id}`;
    assert.equal(row!.status, "open");
  }
});

Deno.test("decisions: of two administrators who decide on one report at once, one does", async () => {
  const administrators = [await newAdministrator(db.sql), await newAdministrator(db.sql)];
  for (let n = 0; n < EDITS; n++) {
    const [report] = await db.sql<{ id: string; at: string }[]>`
      insert into public.error_reports (user_id, parking_lot_name, report_type, description)
      values (${await newUser(db.sql)}, 'Lot', 'price', 'Dearer') returning id, to_jsonb(updated_at) #>> '{}' as at`;
    const decided = await Promise.all(
      administrators.map((administrator) =>
        decide(
          administrator,
          "api.admin_update_error_report($1, $2, jsonb_build_object('status', 'in_review', 'seen_updated_at', $3::text))",
          report!.id,
          report!.at,
        )
      ),
    );
    assert.deepEqual(decided.map(({ taken }) => taken).sort(), [false, true]);
    assert.deepEqual(decided.find(({ taken }) => !taken)?.reason, "changed_meanwhile");
  }
});
