// The fan-out of a composed notification: each subscribed user receives it once.
import assert from "node:assert/strict";
import { asUser, type Person, signUp } from "../support/people.ts";
import { newPlanOf } from "../support/plan_members.ts";
import { connect, notify } from "./activities.ts";
import { Client, keyOf, type ReceivedChange, type Row } from "./listen.ts";

const sql = connect();
Deno.test.afterAll(() => sql.end());

const LISTENERS = 6;

async function post(admin: Person, path: string, body?: unknown): Promise<Row> {
  const response = await asUser(admin)(`/admin/user-notifications${path}`, {
    method: "POST",
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, text);
  return JSON.parse(text);
}

/** The keys of rows that other tests delete arrive at every subscriber without a filter. */
const isKept = ({ eventType }: ReceivedChange) => eventType !== "DELETE";

Deno.test("user_notifications: each subscribed user receives a composed notification once, in their language", async () => {
  const admin = await signUp({ appMetadata: { admin: { name: "Console", areas: ["notifications", "users"] } } });
  const users = await Promise.all(Array.from({ length: LISTENERS }, () => signUp()));
  const stranger = await signUp();
  const ids = users.map(({ id }) => id);
  const plan = await newPlanOf(sql, ids);
  await sql`update public.app_users set lang = 'en' where id = ${ids[0]!}`;

  await using clients = new AsyncDisposableStack();
  const listen = async (user: Person, filter?: string) => {
    const client = clients.use(new Client(user));
    return await client.subscribe("inbox", { table: "user_notifications", ...(filter ? { filter } : {}) });
  };
  // Some ask for their own rows, the others for all, which are the same.
  const inboxes = await Promise.all(
    users.map((user, n) => listen(user, n % 2 === 0 ? `user_id=eq.${user.id}` : undefined)),
  );
  const elsewhere = await listen(stranger);
  const ofAnother = await listen(stranger, `user_id=eq.${ids[1]!}`);

  const sent: unknown[] = [];
  for (const n of [1, 2]) {
    const text = { title: `題名 ${n}`, body: "本文", title_en: `Title ${n}`, body_en: "Body" };
    const { id } = await post(admin, "", {
      type: "announcement",
      ...text,
      target: "all",
      segment: { plan },
      data: { path: "/articles/one" },
    });
    await post(admin, `/${id}/send`);
    await Promise.all(inboxes.map((inbox) => inbox.receives(n, isKept)));
    sent.push(id);
  }
  for (const [n, inbox] of inboxes.entries()) {
    const kept = inbox.received.filter(isKept);
    const received = kept.map(({ eventType, errors, new: row }) => {
      const { user_id, composed_id, title, data, status } = row as Row;
      return { eventType, errors, user_id, composed_id, title, data, status };
    });
    assert.deepEqual(
      received,
      sent.map((composed_id, nth) => ({
        eventType: "INSERT",
        errors: null,
        user_id: ids[n],
        composed_id,
        title: n === 0 ? `Title ${nth + 1}` : `題名 ${nth + 1}`,
        data: { path: "/articles/one" },
        status: "sent",
      })),
    );
    const rows = await sql<{ id: string }[]>`
      select id from public.user_notifications where user_id = ${ids[n]!} and composed_id is not null order by sent_at`;
    assert.deepEqual(kept.map(keyOf), rows.map(({ id }) => id));
  }
  const fence = await notify(sql, stranger.id);
  assert.deepEqual((await elsewhere.until(fence)).filter(isKept), []);
  assert.deepEqual(ofAnother.received, []);
});
