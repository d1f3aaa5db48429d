// The inbox, notification preferences and devices.
import assert from "node:assert/strict";
import {
  MarkedRead,
  NotificationPreferences,
  UserNotifications,
  UserPushToken,
} from "../../supabase/functions/_shared/schema/notifications.ts";
import {
  listNotifications,
  markNotificationsRead,
  putNotificationPreferences,
  readNotificationPreferences,
} from "../../supabase/functions/me/notifications.ts";
import { putPushToken } from "../../supabase/functions/me/push_tokens.ts";
import { signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { ask, bearer, jsonBody, replyOf } from "./client.ts";
import { inDatabase } from "./lots.ts";

/** Sends notifications one after the other; the titles are 1, 2, and so on. */
async function notifications(user: string, many: number): Promise<void> {
  await inDatabase(async (sql) => {
    for (let n = 1; n <= many; n++) await sql`select private.notify_user(${user}, 'announcement', ${`${n}`}, 'Body')`;
  });
}

const inbox = async (token: string, query = "") =>
  await replyOf(
    listNotifications,
    await ask(`/me/notifications${query}`, { headers: bearer(token) }),
    UserNotifications,
  );
const mark = (token: string, body: unknown) =>
  ask("/me/notifications/mark-read", { method: "POST", ...jsonBody(body, bearer(token)) });
const marked = async (token: string, body: unknown) =>
  (await replyOf(markNotificationsRead, await mark(token, body), MarkedRead)).updated;

Deno.test("notifications: an inbox is read page by page, counted, and marked by id and by time", async () => {
  const { id, token } = await signUp();
  await notifications(id, 5);
  const first = await inbox(token, "?limit=3&include=unread_count,total");
  const second = await inbox(token, `?limit=3&cursor=${first.next_cursor}`);
  assert.deepEqual([...first.items, ...second.items].map(({ title }) => title), ["5", "4", "3", "2", "1"]);
  assert.deepEqual([first.unread_count, first.total, second.next_cursor], [5, 5, null]);
  assert.deepEqual([first.items[0]?.status, first.items[0]?.target, first.items[0]?.read_at], ["sent", "user", null]);

  assert.equal(await marked(token, { ids: [first.items[0]!.id, crypto.randomUUID()] }), 1);
  assert.equal(await marked(token, { ids: [first.items[0]!.id] }), 0);
  assert.equal((await inbox(token, "?unread=true")).items.length, 4);
  assert.equal((await inbox(token, "?unread=false&include=unread_count")).unread_count, 4);
  assert.equal(await marked(token, { before: second.items[0]!.sent_at }), 1);
  assert.equal(await marked(token, { before: "2099-12-31T00:00:00Z" }), 3);
  assert.deepEqual((await inbox(token, "?unread=true")).items, []);
});

Deno.test("notifications: a user cannot read or mark another user's notifications, nor a draft", async () => {
  const [owner, stranger] = [await signUp(), await signUp()];
  await notifications(owner.id, 1);
  const [draft] = await inDatabase((sql) =>
    sql<{ id: string }[]>`
      insert into public.user_notifications (user_id, type, title, body)
      values (${owner.id}, 'announcement', 'Draft', 'Body') returning id`
  );
  const { items } = await inbox(owner.token);
  assert.deepEqual(items.map(({ title }) => title), ["1"]);
  assert.deepEqual(await inbox(stranger.token, "?include=unread_count,total"), {
    items: [],
    next_cursor: null,
    unread_count: 0,
    total: 0,
  });
  assert.equal(await marked(stranger.token, { ids: [items[0]!.id] }), 0);
  assert.equal(await marked(owner.token, { ids: [draft!.id] }), 0);
});

Deno.test("notifications: marking takes exactly one of ids and before", async () => {
  const { id, token } = await signUp();
  const before = "2026-09-01T10:00:00Z";
  const wrong: [unknown, string, string][] = [
    [{}, "ids", "custom"],
    [{ ids: [id], before }, "before", "custom"],
    [{ ids: [] }, "ids", "too_small"],
    [{ ids: Array(101).fill(id) }, "ids", "too_big"],
    [{ ids: ["7"] }, "ids.0", "invalid_format"],
    [{ before: "2026-09-01T10:00:00" }, "before", "invalid_format"],
    [{ ids: null }, "ids", "invalid_type"],
  ];
  for (const [body, param, field] of wrong) {
    await assertError(await mark(token, body), { code: "validation_error", param, field });
  }
});

Deno.test("notifications: preferences are read in two languages and set type by type", async () => {
  const { token } = await signUp();
  const path = "/me/notification-preferences";
  const read = async (lang: string) =>
    await replyOf(
      readNotificationPreferences,
      await ask(`${path}?lang=${lang}`, { headers: bearer(token) }),
      NotificationPreferences,
    );
  const [ja, en] = [await read("ja"), await read("en")];
  assert.deepEqual(ja.items, en.items);
  assert.equal(ja.types.find(({ code }) => code === "campaign")?.display_label, "キャンペーン");
  assert.equal(en.types.find(({ code }) => code === "campaign")?.display_label, "Campaigns");

  const item = { notif_type: "campaign", push_enabled: true, in_app_enabled: false, email_enabled: true };
  const put = (body: unknown) => ask(path, { method: "PUT", ...jsonBody(body, bearer(token)) });
  const after = await replyOf(putNotificationPreferences, await put({ items: [item] }), NotificationPreferences);
  assert.deepEqual(after.items, ja.items.map((one) => one.notif_type === "campaign" ? item : one));
  assert.deepEqual(await read("ja"), after);

  const wrong: [unknown, string][] = [
    [{ items: [] }, "items"],
    [{ items: [{ ...item, notif_type: "nothing" }] }, "items.0.notif_type"],
    [{ items: [item, item] }, "items.0.notif_type"],
    [{ items: [{ notif_type: "campaign" }] }, "items.0.push_enabled"],
    [{ items: [{ ...item, sms_enabled: true }] }, "items.0.sms_enabled"],
  ];
  for (const [body, param] of wrong) await assertError(await put(body), { code: "validation_error", param });
});

Deno.test("notifications: a device is registered, moves to the next user who registers it, and is deleted", async () => {
  const [user, stranger] = [await signUp(), await signUp()];
  const fcm_token = crypto.randomUUID();
  const put = (token: string, body: unknown) =>
    ask("/me/push-tokens", { method: "PUT", ...jsonBody(body, bearer(token)) });
  const register = async (token: string) =>
    await replyOf(putPushToken, await put(token, { fcm_token, device_type: "android" }), UserPushToken);
  const forget = (id: string, token: string) =>
    ask(`/me/push-tokens/${id}`, { method: "DELETE", headers: bearer(token) });
  const first = await register(user.token);
  assert.deepEqual([first.user_id, first.fcm_token, first.device_type], [user.id, fcm_token, "android"]);
  assert.equal((await register(user.token)).id, first.id);
  const second = await register(stranger.token);
  assert.equal(second.user_id, stranger.id);
  await assertError(await forget(first.id, user.token), { code: "not_found" });
  await assertError(await forget(second.id, user.token), { code: "not_found" });
  const deleted = await forget(second.id, stranger.token);
  assert.equal(deleted.status, 204);
  assert.equal(await deleted.text(), "");
  for (
    const [body, param] of [
      [{ fcm_token: "two words", device_type: "ios" }, "fcm_token"],
      [{ fcm_token: "", device_type: "ios" }, "fcm_token"],
      [{ fcm_token: "a".repeat(2001), device_type: "ios" }, "fcm_token"],
      [{ fcm_token: "a", device_type: "fridge" }, "device_type"],
    ] as const
  ) {
    await assertError(await put(user.token, body), { code: "validation_error", param });
  }
});
