// Notifications: access, unread counts, preferences and devices.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { newUser, signedIn } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

interface Notification {
  readonly id: string;
  readonly title: string;
  readonly read_at: string | null;
}

interface Inbox {
  readonly items: Notification[];
  readonly next_cursor: string | null;
  readonly unread_count?: number;
  readonly total?: number;
}

async function inbox(
  user: string,
  { unread = null, limit = 20, cursor = null }: { unread?: boolean | null; limit?: number; cursor?: string | null } =
    {},
): Promise<Inbox> {
  const [row] = await db.as(
    signedIn(user),
    (sql) =>
      sql<{ page: Inbox }[]>`
        select api.list_my_notifications(${unread}, ${limit}, ${cursor}, '{unread_count,total}') as page`,
  );
  return row!.page;
}

async function tell(user: string, title = "Title", type = "announcement"): Promise<string> {
  const [row] = await db.sql<{ id: string }[]>`select private.notify_user(${user}, ${type}, ${title}, 'Body') as id`;
  return row!.id;
}

async function mark(user: string, ids: string[] | null, before: string | null = null): Promise<number> {
  const [row] = await db.as(
    signedIn(user),
    (sql) =>
      sql<{ marked: { updated: number } }[]>`
        select commands.mark_my_notifications_read(${ids}::uuid[], ${before}::text::timestamptz) as marked`,
  );
  return row!.marked.updated;
}

/** Sent at these minutes past a noon, in their order. */
async function sentAt(user: string, minutes: readonly number[]): Promise<string[]> {
  const ids = [];
  for (const minute of minutes) {
    const id = await tell(user, `${minute}`);
    await db.sql`
      update public.user_notifications
      set sent_at = timestamptz '2026-09-01T12:00:00Z' + ${minute} * interval '1 minute' where id = ${id}`;
    ids.push(id);
  }
  return ids;
}

Deno.test("notifications: an inbox has what was sent to its user, the latest first, page by page", async () => {
  const [user, stranger] = [await newUser(db.sql), await newUser(db.sql)];
  await sentAt(user, [3, 1, 4, 2, 5]);
  await sentAt(stranger, [6]);
  const first = await inbox(user, { limit: 3 });
  const second = await inbox(user, { limit: 3, cursor: first.next_cursor });
  assert.deepEqual([...first.items, ...second.items].map(({ title }) => title), ["5", "4", "3", "2", "1"]);
  assert.deepEqual([first.total, first.unread_count, second.next_cursor], [5, 5, null]);
  const other = inbox(user, { unread: true, cursor: first.next_cursor });
  assert.equal((await errorOf(other)).param, "cursor");
});

Deno.test("notifications: unsent ones are not readable: draft, pending, failed, cancelled and composed ones", async () => {
  const user = await newUser(db.sql);
  for (const status of ["draft", "scheduled", "sending", "failed", "cancelled"]) {
    await db.sql`
      insert into public.user_notifications (user_id, type, title, body, status, scheduled_at)
      values (${user}, 'announcement', ${status}, 'Body', ${status}, now())`;
  }
  await db.sql`
    insert into public.user_notifications (type, title, body, target, status, sent_at)
    values ('announcement', 'many', 'Body', 'all', 'sent', now())`;
  assert.deepEqual(await inbox(user), { items: [], next_cursor: null, unread_count: 0, total: 0 });
  const drafts = await db.sql<{ id: string }[]>`select id from public.user_notifications where user_id = ${user}`;
  assert.equal(await mark(user, drafts.map(({ id }) => id)), 0);
  assert.equal(await mark(user, null, "2100-01-01T00:00:00Z"), 0);
});

Deno.test("notifications: notifications are marked by id, once, and only the user's own", async () => {
  const [user, stranger] = [await newUser(db.sql), await newUser(db.sql)];
  const [one, two] = [await tell(user), await tell(user)];
  const theirs = await tell(stranger);
  assert.equal(await mark(user, [one, theirs, crypto.randomUUID()]), 1);
  assert.equal(await mark(user, [one]), 0);
  assert.equal((await inbox(stranger)).unread_count, 1);
  assert.deepEqual((await inbox(user, { unread: true })).items.map(({ id }) => id), [two]);
  const read = await inbox(user, { unread: false });
  assert.deepEqual([read.items.map(({ id }) => id), read.total, read.unread_count], [[one], 1, 1]);
});

Deno.test("notifications: notifications sent before a time are marked, those at or after it are not", async () => {
  const user = await newUser(db.sql);
  await sentAt(user, [1, 2, 3]);
  assert.equal(await mark(user, null, "2026-09-01T12:02:00Z"), 1);
  assert.deepEqual((await inbox(user, { unread: true })).items.map(({ title }) => title), ["3", "2"]);
});

Deno.test("notifications: marking needs exactly one of ids and before", async () => {
  const user = await newUser(db.sql);
  for (const activity of [() => mark(user, null), () => mark(user, [], "2026-09-01T12:00:00Z")]) {
    assert.equal((await errorOf(activity())).code, "validation_error");
  }
  const many = Array.from({ length: 101 }, () => crypto.randomUUID());
  assert.equal((await errorOf(mark(user, many))).param, "ids");
  assert.equal(await mark(user, []), 0);
});

async function preferences(user: string, lang = "ja") {
  const [row] = await db.as(
    signedIn(user),
    (sql) => sql`select api.my_notification_preferences(${lang}) as preferences`,
  );
  return row!["preferences"] as {
    items: { notif_type: string; push_enabled: boolean; in_app_enabled: boolean; email_enabled: boolean }[];
    types: { code: string; display_label: string }[];
  };
}

async function prefer(user: string, items: Parameters<typeof db.sql.json>[0]) {
  await db.as(signedIn(user), (sql) => sql`select commands.set_my_notification_preferences(${sql.json(items)})`);
}

const off = (notif_type: string) => ({
  notif_type,
  push_enabled: false,
  in_app_enabled: false,
  email_enabled: false,
});

Deno.test("notifications: every type of the code master has a preference, in its order, with its label", async () => {
  const user = await newUser(db.sql);
  const codes = await db.sql`
    select code, display_label from public.codes where category_id = 'notification_type' and lang = 'en' order by sort_order`;
  const { items, types } = await preferences(user, "en");
  assert.ok(types.length > 1);
  assert.deepEqual(types.map(({ code, display_label }) => ({ code, display_label })), codes.map((row) => ({ ...row })));
  assert.deepEqual(items.map(({ notif_type }) => notif_type), types.map(({ code }) => code));
  assert.equal((await errorOf(preferences(user, "fr"))).param, "lang");
});

Deno.test("notifications: setting a type leaves the others unchanged", async () => {
  const user = await newUser(db.sql);
  const before = (await preferences(user)).items;
  await prefer(user, [off("campaign"), off("level_up")]);
  await prefer(user, [{ ...off("level_up"), push_enabled: true }]);
  const expected = before.map((item) =>
    item.notif_type === "campaign"
      ? off("campaign")
      : item.notif_type === "level_up"
      ? { ...off("level_up"), push_enabled: true }
      : item
  );
  assert.deepEqual((await preferences(user)).items, expected);
  assert.deepEqual((await preferences(await newUser(db.sql))).items, before);
});

Deno.test("notifications: with a wrong item no preference is stored, and the item is named", async () => {
  const user = await newUser(db.sql);
  const wrong: [Parameters<typeof db.sql.json>[0], string][] = [
    [[], "items"],
    [{}, "items"],
    [[off("campaign"), off("nothing")], "items.1.notif_type"],
    [[off("campaign"), off("campaign")], "items.0.notif_type"],
    [[{ notif_type: "campaign" }], "items.0"],
    [[{ ...off("campaign"), sms_enabled: true }], "items.0"],
    [["campaign"], "items.0"],
  ];
  const before = await preferences(user);
  for (const [items, param] of wrong) {
    assert.equal((await errorOf(prefer(user, items))).param, param, JSON.stringify(items));
  }
  assert.deepEqual(await preferences(user), before);
});

Deno.test("notifications: a type disabled for the inbox is stored, but not shown in the inbox", async () => {
  const user = await newUser(db.sql);
  await prefer(user, [off("level_up")]);
  const id = await tell(user, "Level 2", "level_up");
  assert.equal((await inbox(user)).total, 0);
  const [row] = await db.sql`select status, is_in_app, target from public.user_notifications where id = ${id}`;
  assert.deepEqual({ ...row }, { status: "sent", is_in_app: false, target: "user" });
});

Deno.test("notifications: an unknown type is rejected", async () => {
  const user = await newUser(db.sql);
  assert.equal(await sqlstate(tell(user, "Title", "nothing")), "P0002");
});

interface Token {
  readonly id: string;
  readonly user_id: string;
  readonly created_at: string;
  readonly device_type: string;
}

async function put(user: string, token: string, device = "ios"): Promise<Token> {
  const [row] = await db.as(
    signedIn(user),
    (sql) => sql<{ token: Token }[]>`select commands.put_my_push_token(${token}, ${device}) as token`,
  );
  return row!.token;
}

const forget = (user: string, id: string) =>
  db.as(signedIn(user), (sql) => sql`select commands.delete_my_push_token(${id})`);
const owners = (token: string) => db.sql`select user_id from public.user_push_tokens where fcm_token = ${token}`;

Deno.test("notifications: a device that is registered again stays the same one", async () => {
  const user = await newUser(db.sql);
  const first = await put(user, "again");
  const second = await put(user, "again", "android");
  assert.deepEqual([second.id, second.created_at, second.device_type], [first.id, first.created_at, "android"]);
});

Deno.test("notifications: a device belongs to its last user only, with a new id", async () => {
  const [user, stranger] = [await newUser(db.sql), await newUser(db.sql)];
  const first = await put(user, "passed");
  const second = await put(stranger, "passed");
  assert.notEqual(second.id, first.id);
  assert.deepEqual((await owners("passed")).map(({ user_id }) => user_id), [stranger]);
  assert.equal((await errorOf(forget(user, first.id))).code, "not_found");
  assert.equal((await errorOf(forget(user, second.id))).code, "not_found");
  await forget(stranger, second.id);
  assert.equal((await owners("passed")).length, 0);
});

Deno.test("notifications: a user has at most twenty devices; the oldest registration is deleted", async () => {
  const user = await newUser(db.sql);
  for (let n = 0; n < 20; n++) await put(user, `device-${n}`);
  await put(user, "device-0");
  await put(user, "device-20");
  const left = await db.sql`select fcm_token from public.user_push_tokens where user_id = ${user}`;
  const tokens = left.map((row) => row["fcm_token"]);
  assert.equal(tokens.length, 20);
  assert.deepEqual([tokens.includes("device-0"), tokens.includes("device-1")], [true, false]);
});

Deno.test("notifications: a wrong device is rejected by its field", async () => {
  const user = await newUser(db.sql);
  for (const token of ["", "two words", "トークン", "a".repeat(2001)]) {
    assert.equal((await errorOf(put(user, token))).param, "fcm_token");
  }
  assert.equal((await errorOf(put(user, "token", "fridge"))).param, "device_type");
});

Deno.test("notifications: a user suspended or withdrawn has no inbox, no preferences and no devices", async () => {
  for (const status of ["suspended", "withdrawn"]) {
    const user = await newUser(db.sql);
    const { id } = await put(user, `of-${user}`);
    await db.sql`update public.app_users set status = ${status} where id = ${user}`;
    const activities = [
      () => inbox(user),
      () => mark(user, [id]),
      () => preferences(user),
      () => prefer(user, [off("campaign")]),
      () => put(user, "another"),
      () => forget(user, id),
    ];
    for (const activity of activities) assert.equal((await errorOf(activity())).code, "forbidden", status);
  }
});

Deno.test("notifications: an infinite time is rejected when it is stored: it would fail the whole inbox", async () => {
  const user = await newUser(db.sql);
  const id = await tell(user);
  for (const at of ["infinity", "-infinity", "10000-01-01 00:00:00+00", "0044-03-15 00:00:00+00 BC"]) {
    for (const column of ["sent_at", "scheduled_at"]) {
      const change = db.sql`
        update public.user_notifications set ${db.sql(column)} = ${at}::text::timestamptz where id = ${id}`;
      assert.equal(await sqlstate(change), "23514", `${column} ${at}`);
    }
  }
  await db.sql`
    update public.user_notifications set scheduled_at = '0001-01-01 00:00:00+00', sent_at = '9999-12-31 23:59:59.999999+00'
    where id = ${id}`;
  assert.deepEqual((await inbox(user)).items.map((item) => item.id), [id]);
});
