// Notifications of administrators about users' actions; access to them is in tests/policies.
import assert from "node:assert/strict";
import type { TransactionSql } from "postgres";
import { database } from "../support/database.ts";
import { sqlstate } from "../support/database_errors.ts";
import { newLot, newUser, purge, signedIn } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const lot = await newLot(db.sql);

/** A user's action in the interface, and the notification of administrators about it. */
const ACTIVITIES: Record<string, { does(sql: TransactionSql): Promise<unknown>; told: Record<string, unknown> }> = {
  "a review that waits": {
    does: (sql) => sql`select commands.post_review(${lot}, 4, 'Written by somebody')`,
    told: { type: "review_pending", area: "reviews", severity: "info", path: "reviews" },
  },
  "a report about a lot": {
    does: (sql) => sql`select commands.post_error_report('hours', 'Written by somebody', ${lot}, p_severity => 'high')`,
    told: { type: "error_report", area: "lots", severity: "warning", path: "error-reports" },
  },
  "a ticket": {
    does: (sql) =>
      sql`select commands.create_support_ticket(p_category => 'other', p_subject => 'Written by somebody',
        p_message => 'Written by somebody')`,
    told: { type: "support_ticket", area: "support", severity: "info", path: "support-tickets" },
  },
};

async function notifications() {
  return await db.sql`
    select type, area, severity, split_part(link, '/', 2) as path, title, body, admin_id, read_by, to_jsonb(n)::text as all
    from public.admin_notifications n order by created_at`;
}

for (const [name, { does, told: expected }] of Object.entries(ACTIVITIES)) {
  Deno.test(`admin notifications: ${name} notifies the administrators of its area once, without the author's text`, async () => {
    await db.sql`delete from public.admin_notifications`;
    const author = await newUser(db.sql, "Somebody");
    await db.as(signedIn(author), does);
    const rows = await notifications();
    assert.equal(rows.length, 1);
    const { type, area, severity, path, body, admin_id, read_by, all } = rows[0]!;
    assert.deepEqual({ type, area, severity, path }, expected);
    assert.deepEqual({ body, admin_id, read_by }, { body: "", admin_id: null, read_by: [] });
    assert.ok(!all.includes(author) && !all.includes("omebody"), all);
  });

  Deno.test(`admin notifications: ${name} that is deleted notifies no administrator`, async () => {
    await db.sql`delete from public.admin_notifications`;
    const undo = new Error("undo");
    const author = await newUser(db.sql);
    const doing = db.as(signedIn(author), async (sql) => {
      await does(sql);
      throw undo;
    });
    await assert.rejects(doing, undo);
    assert.deepEqual([...await notifications()], []);
  });
}

Deno.test("admin notifications: a review that is posted, deleted and posted again is notified once", async () => {
  await db.sql`delete from public.admin_notifications`;
  const author = await newUser(db.sql);
  for (let n = 0; n < 3; n++) {
    await db.as(signedIn(author), async (sql) => {
      const [row] = await sql<{ id: string }[]>`select commands.post_review(${lot}, 4) ->> 'id' as id`;
      await sql`select commands.delete_my_review(${row!.id})`;
    });
  }
  assert.equal((await notifications()).length, 1);
});

Deno.test("admin notifications: a notification needs a known area, a path and a text", async () => {
  const tell = (area: string | null, link: string | null, title: string) =>
    sqlstate(db.sql`select private.notify_admins('notice', ${title}, p_area => ${area}, p_link => ${link})`);
  assert.equal(await tell("cooking", null, "Title"), "23514");
  assert.equal(await tell(null, "https://example.com", "Title"), "23514");
  assert.equal(await tell(null, null, ""), "23514");
  await db.sql`select private.notify_admins('notice', 'Title', p_area => 'lots', p_link => '/lots')`;
});

Deno.test("admin notifications: rows are deleted after 90 days, and with their administrator", async () => {
  await db.sql`delete from public.admin_notifications`;
  const administrator = crypto.randomUUID();
  await db.sql`
    insert into auth.users (id, email, raw_app_meta_data)
    values (${administrator}, 'gone@example.test', '{"admin": {"areas": []}}')`;
  await db.sql`
    insert into public.admin_notifications (title, admin_id, created_at) values
      ('old', null, now() - interval '91 days'), ('young', null, now() - interval '89 days'),
      ('theirs', ${administrator}, now())`;
  const titles = async () => (await notifications()).map(({ title }) => title);
  await purge(db.sql);
  assert.deepEqual(await titles(), ["young", "theirs"]);
  await db.sql`delete from auth.users where id = ${administrator}`;
  assert.deepEqual(await titles(), ["young"]);
});

Deno.test("admin notifications: clients cannot write notifications of administrators", async () => {
  const user = await newUser(db.sql);
  const attempt = db.as(signedIn(user), (sql) => sql`select private.notify_admins('notice', 'Hello')`);
  assert.equal(await sqlstate(attempt), "42501");
});
