// Notifications of the console, and the access check of every route of administrators with its errors.
import assert from "node:assert/strict";
import { AdminNotifications } from "../../supabase/functions/admin/notifications.schema.ts";
import { listAdminNotifications } from "../../supabase/functions/admin/notifications.ts";
import { asAnonymous, asUser, signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { anAdministrator, sending } from "./administrators.ts";
import { replyOf } from "./client.ts";
import { inDatabase } from "./lots.ts";

const PATH = "/admin/notifications";
const MARK = `${PATH}/mark-read`;

async function notify(title: string, area: string | null, adminId: string | null = null): Promise<string> {
  const [row] = await inDatabase((sql) =>
    sql<
      { id: string }[]
    >`select private.notify_admins('notice', ${title}, p_area => ${area}, p_admin_id => ${adminId}) as id`
  );
  return row!.id;
}

Deno.test("admin notifications: an administrator reads those for all, of their areas and their own", async () => {
  const [one, other] = [await anAdministrator("lots"), await anAdministrator("support")];
  const ids = [await notify("all", null), await notify("lots", "lots"), await notify("own", null, one.id)];
  const hidden = [await notify("support", "support"), await notify("other's", null, other.id)];
  const page = await replyOf(
    listAdminNotifications,
    await one.ask(`${PATH}?unread=true&include=unread_count&limit=100`),
    AdminNotifications,
  );
  const seen = page.items.map(({ id }) => id);
  assert.deepEqual(ids.filter((id) => !seen.includes(id)), []);
  assert.deepEqual(hidden.filter((id) => seen.includes(id)), []);
  assert.ok(page.unread_count! >= 3);
});

Deno.test("admin notifications: marking as read counts for the caller only, and once per key", async () => {
  const [one, other] = [await anAdministrator("lots"), await anAdministrator("lots")];
  const id = await notify("read me", "lots");
  const key = { "Idempotency-Key": crypto.randomUUID() };
  const first = await one.ask(MARK, sending("POST", { ids: [id] }, key));
  assert.deepEqual(await first.json(), { updated: 1, has_more: false });
  const again = await one.ask(MARK, sending("POST", { ids: [id] }, key));
  assert.deepEqual(await again.json(), { updated: 1, has_more: false });
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.match(again.headers.get("ratelimit-policy")!, /^"admin_write"/);
  assert.deepEqual(await (await one.ask(MARK, sending("POST", { ids: [id] }))).json(), { updated: 0, has_more: false });
  assert.deepEqual(await (await other.ask(MARK, sending("POST", { ids: [id] }))).json(), {
    updated: 1,
    has_more: false,
  });
});

Deno.test("admin routes: a caller who is not an active administrator gets 403 with the missing scope for every request", async () => {
  const user = asUser(await signUp());
  const suspended = await signUp({ appMetadata: { admin: { areas: ["lots"], status: "suspended" } } });
  for (const ask of [user, asUser(suspended)]) {
    for (
      const response of [
        await ask(PATH),
        await ask(`${PATH}?limit=0`),
        await ask(MARK, sending("POST", { ids: [crypto.randomUUID()] })),
        await ask(MARK, sending("POST", { ids: "none" })),
        await ask(MARK, { method: "POST", body: "{", headers: { "content-type": "text/plain" } }),
      ]
    ) {
      assert.equal(response.status, 403);
      const { error } = await response.json();
      assert.equal(error.code, "forbidden");
      assert.deepEqual(error.details, { scope: "admin" });
    }
  }
  assert.equal((await asAnonymous()(PATH)).status, 401);
  const invalid = await (await anAdministrator()).ask(MARK, sending("POST", { ids: "none" }));
  assert.equal(invalid.status, 422);
});

Deno.test("admin functions: the service names the administrator on whose behalf it acts, and no other caller may execute them", async () => {
  const { apiUrl, publishableKey, secretKey } = stack();
  const administrator = await anAdministrator();
  const call = (key: string, token: string | null, body: unknown) =>
    fetch(`${apiUrl}/rest/v1/rpc/admin_list_notifications`, {
      method: "POST",
      headers: {
        apikey: key,
        "content-type": "application/json",
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
  const answered = await call(secretKey, null, { p_admin_id: administrator.id });
  assert.equal(answered.status, 200, await answered.text());
  const ofNobody = await call(secretKey, null, { p_admin_id: crypto.randomUUID() });
  assert.equal(ofNobody.status, 403);
  assert.deepEqual(JSON.parse((await ofNobody.json()).details), { details: { scope: "admin" } });
  const byHand = await call(publishableKey, administrator.token, { p_admin_id: administrator.id });
  assert.equal(byHand.status, 403);
  await byHand.body?.cancel();
});
