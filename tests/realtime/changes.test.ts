// The five channels: each kind of change arrives with its columns.
import assert from "node:assert/strict";
import { newLot } from "../support/rows.ts";
import { asUser, type Person, signUp } from "../support/people.ts";
import { connect, logActivity, notify, notifyAdmins } from "./activities.ts";
import { assertNoRows, Client, keyOf, type ReceivedChange } from "./listen.ts";

const sql = connect();
Deno.test.afterAll(() => sql.end());

const person = await signUp();
const other = await signUp();
const administrator = await signUp({
  appMetadata: { admin: { name: "Console", areas: ["lots", "support", "users"] } },
});

const own = (who: Person, table: string) => ({ table, filter: `user_id=eq.${who.id}` });

/** A moment as the change carries it: UTC, milliseconds. */
function recent(moment: string): void {
  assert.match(moment, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.ok(Math.abs(Date.now() - Date.parse(moment)) < 30_000, moment);
}

function assertShape(change: ReceivedChange, eventType: string, table: string): void {
  assert.deepEqual(
    { eventType: change.eventType, schema: change.schema, table: change.table, errors: change.errors },
    { eventType, schema: "public", table, errors: null },
  );
  recent(change.commit_timestamp);
}

Deno.test("user_notifications: only the user receives a notification, when it is sent and when it is read", async () => {
  await using mine = new Client(person);
  await using theirs = new Client(other);
  const [channel, strangers] = await Promise.all([
    mine.subscribe(`user_notifications:user_id=eq.${person.id}`, own(person, "user_notifications")),
    theirs.subscribe(`user_notifications:user_id=eq.${other.id}`, own(other, "user_notifications")),
  ]);
  const id = await notify(sql, person.id, { title: "お知らせ 🚗", scheduled_at: new Date(1_800_000_000_000) });
  await sql`update public.user_notifications set read_at = '2026-11-01 12:00:00.123456+09' where id = ${id}`;
  const [sent, read] = await channel.receives(2);
  assertShape(sent!, "INSERT", "user_notifications");
  assert.deepEqual(sent!.old, {});
  const [row] = await sql<{ row: Record<string, unknown> }[]>`
    select to_jsonb(n) as row from public.user_notifications n where id = ${id}`;
  assert.deepEqual(sent!.new, { ...row!.row, read_at: null, updated_at: row!.row["created_at"] });
  assertShape(read!, "UPDATE", "user_notifications");
  assert.deepEqual(read!.new, row!.row);
  assert.equal((read!.new as Record<string, unknown>)["read_at"], "2026-11-01T03:00:00.123456+00:00");
  assert.deepEqual(read!.old, { id, status: "sent" });

  const fence = await notify(sql, other.id);
  assert.deepEqual(await strangers.until(fence), []);
  assert.equal(channel.received.length, 2);
});

Deno.test("user_notifications: a draft sends nothing until it is sent, as an UPDATE; one that is not for the inbox sends nothing", async () => {
  await using mine = new Client(person);
  const channel = await mine.subscribe("drafts", own(person, "user_notifications"));
  const draft = await notify(sql, person.id, { status: "draft", sent_at: null, title: "Draft" });
  await sql`update public.user_notifications set title = 'Scheduled', status = 'scheduled' where id = ${draft}`;
  await sql`update public.user_notifications set status = 'sending' where id = ${draft}`;
  await notify(sql, person.id, { is_in_app: false });
  await notify(sql, null);
  await sql`update public.user_notifications set status = 'sent', sent_at = now() where id = ${draft}`;
  const fence = await notify(sql, person.id);
  assert.deepEqual(
    (await channel.until(fence)).map(({ eventType, new: row }) => [eventType, (row as { id: string }).id]),
    [
      ["UPDATE", draft],
    ],
  );
});

Deno.test("parking_sessions: all devices of the user receive the start, the memo and the end of a session", async () => {
  const lot = await newLot(sql);
  const driver = await signUp();
  await using phone = new Client(driver);
  await using tablet = new Client(driver);
  await using stranger = new Client(person);
  const devices = await Promise.all(
    [phone, tablet].map((device) =>
      device.subscribe(`parking_sessions:user_id=eq.${driver.id}`, own(driver, "parking_sessions"))
    ),
  );
  const strangers = await stranger.subscribe("sessions", own(driver, "parking_sessions"), {
    table: "user_notifications",
  });

  const ask = asUser(driver);
  const started = await ask("/parking-sessions", {
    method: "POST",
    body: JSON.stringify({ parking_lot_id: lot, vehicle_type: "standard", client_request_id: crypto.randomUUID() }),
  });
  const { session_id } = await started.json();
  await (await ask(`/me/parking-sessions/${session_id}`, { method: "PATCH", body: '{"memo": "B2"}' })).json();
  const ended = await ask(`/parking-sessions/${session_id}/finalize`, {
    method: "POST",
    body: JSON.stringify({ exit_at: new Date().toISOString(), client_request_id: crypto.randomUUID() }),
  });
  assert.equal(ended.status, 200, await ended.text());

  for (const device of devices) {
    const changes = await device.receives(3);
    const rows = changes.map((change) => change.new as Record<string, unknown>);
    assert.deepEqual(changes.map(({ eventType }) => eventType), ["INSERT", "UPDATE", "UPDATE"]);
    assert.deepEqual(rows.map(({ status }) => status), ["parking", "parking", "ended"]);
    assert.deepEqual(rows.map(({ memo }) => memo), [null, "B2", "B2"]);
    assert.ok(rows.every(({ id, user_id }) => id === session_id && user_id === driver.id));
    assert.equal(typeof rows[2]!["breakdown"], "object");
    assert.deepEqual(changes.map(({ old }) => old), [{}, { id: session_id }, { id: session_id }]);
  }
  const fence = await notify(sql, person.id);
  assert.deepEqual(await strangers.until(fence), []);
});

Deno.test("user_badges: the user receives a badge when it is earned", async () => {
  await using mine = new Client(person);
  const channel = await mine.subscribe(`user_badges:user_id=eq.${person.id}`, {
    ...own(person, "user_badges"),
    event: "INSERT",
  });
  const [badge] = await sql<{ id: string; badge_id: string }[]>`
    insert into public.user_badges (user_id, badge_id)
    select ${person.id}, id from public.badges order by sort_order limit 1 returning id, badge_id`;
  await channel.until(badge!.id);
  await sql`update public.user_badges set earned_at = now() where id = ${badge!.id}`;
  await sql`delete from public.user_badges where id = ${badge!.id}`;
  const [again] = await sql<{ id: string }[]>`
    insert into public.user_badges (user_id, badge_id) values (${person.id}, ${badge!.badge_id}) returning id`;
  const [earned] = await channel.receives(1);
  assertShape(earned!, "INSERT", "user_badges");
  const { earned_at: _, ...row } = earned!.new as Record<string, unknown>;
  assert.deepEqual(row, { id: badge!.id, user_id: person.id, badge_id: badge!.badge_id });
  assert.equal((await channel.until(again!.id)).length, 1, "the subscription is for inserts only");
});

Deno.test("user_activity_logs: administrators receive all activities, other users none, not even their own", async () => {
  await using console = new Client(administrator);
  await using mine = new Client(person);
  await using anonymous = new Client();
  const activity = { event: "INSERT", table: "user_activity_logs" } as const;
  const [feed, ofMine] = await Promise.all([
    console.subscribe("live-user-activity", activity),
    mine.subscribe("live-user-activity", activity),
  ]);
  const refused = await anonymous.join("live-user-activity", activity);
  const first = await logActivity(sql, other.id);
  const second = await logActivity(sql, person.id);
  const before = await feed.until(second);
  const found = before.find(({ new: row }) => (row as { id: string }).id === first);
  assert.ok(found);
  assertShape(found, "INSERT", "user_activity_logs");
  assert.deepEqual(found.old, {});
  const row = found.new as Record<string, unknown>;
  assert.deepEqual([row["user_id"], row["activity_type"], row["metadata"]], [other.id, "support_ticket_post", {}]);
  await Promise.all([mine.settled(), anonymous.settled()]);
  assert.deepEqual(ofMine.received, []);
  assertNoRows(refused);
});

Deno.test("admin_notifications: administrators receive every event of their notifications, others only the keys of deleted ones", async () => {
  const reviewer = await signUp({ appMetadata: { admin: { areas: ["reviews"] } } });
  await using console = new Client(administrator);
  await using others = new Client(reviewer);
  await using user = new Client(person);
  const sidebar = { table: "admin_notifications" };
  const [channel, ofReviewer, ofUser] = await Promise.all([
    console.subscribe("admin-notifications-sidebar", sidebar),
    others.subscribe("admin-notifications-sidebar", sidebar),
    user.subscribe("admin-notifications-sidebar", sidebar, own(person, "user_notifications")),
  ]);
  const ticket = await notifyAdmins(sql, { area: "support", type: "support_ticket", link: "/support-tickets/1" });
  await sql`update public.admin_notifications set read_by = array[${administrator.id}::uuid] where id = ${ticket}`;
  // A row that is deleted before its changes are checked sends only its delete.
  await channel.receives(2, (change) => keyOf(change) === ticket);
  await sql`delete from public.admin_notifications where id = ${ticket}`;
  const review = await notifyAdmins(sql, { area: "reviews" });
  const toOne = await notifyAdmins(sql, { admin_id: administrator.id });
  const toAll = await notifyAdmins(sql);
  const fence = await notify(sql, person.id);

  const of = (changes: readonly ReceivedChange[], ...ids: string[]) =>
    changes.filter((change) =>
      ids.includes(String((change.new as { id?: string }).id ?? (change.old as { id: string }).id))
    );
  const mine = of(
    [
      ...await channel.until(toAll),
      ...await channel.receives(1, ({ new: row }) => (row as { id?: string }).id === toAll),
    ],
    ticket,
    review,
    toOne,
    toAll,
  );
  assert.deepEqual(mine.map(({ eventType }) => eventType), ["INSERT", "UPDATE", "DELETE", "INSERT", "INSERT"]);
  const [sent, read, deleted] = mine;
  assertShape(sent!, "INSERT", "admin_notifications");
  assert.equal((sent!.new as { link: string }).link, "/support-tickets/1");
  assert.deepEqual((read!.new as { read_by: string[] }).read_by, [administrator.id]);
  assertShape(deleted!, "DELETE", "admin_notifications");
  assert.deepEqual([deleted!.new, deleted!.old], [{}, { id: ticket }]);

  const theirs = of(await ofReviewer.until(toAll), ticket, review, toOne);
  assert.deepEqual(theirs.map(({ eventType, new: row }) => [eventType, (row as { id?: string }).id]), [
    ["DELETE", undefined],
    ["INSERT", review],
  ]);
  const users = (await ofUser.until(fence)).filter(({ table }) => table === "admin_notifications");
  assert.ok(users.every(({ eventType, old }) => eventType === "DELETE" && Object.keys(old).join() === "id"));
});

Deno.test("realtime: changes arrive in the order of commits, and within a transaction in the order of statements", async () => {
  await using mine = new Client(person);
  const channel = await mine.subscribe("order", own(person, "user_notifications"));
  const ids = Array.from({ length: 60 }, () => crypto.randomUUID());
  await sql.begin(async (transaction) => {
    for (const id of ids.slice(0, 20)) await notify(transaction as unknown as typeof sql, person.id, { id });
  });
  for (const id of ids.slice(20)) await notify(sql, person.id, { id });
  await sql.begin(async (transaction) => {
    await notify(transaction as unknown as typeof sql, person.id);
    throw new Error("taken back");
  }).catch((error: Error) => assert.equal(error.message, "taken back"));
  const fence = await notify(sql, person.id);
  assert.deepEqual((await channel.until(fence)).map(({ new: row }) => (row as { id: string }).id), ids);
});

Deno.test("realtime: a large value that did not change is absent from an update, not empty", async () => {
  await using mine = new Client(person);
  const channel = await mine.subscribe("toast", own(person, "parking_sessions"));
  const lot = await newLot(sql);
  // Random text does not compress: the column is stored outside of the row.
  const breakdown = { lines: Array.from({ length: 500 }, () => crypto.randomUUID()) };
  const [session] = await sql<{ id: string }[]>`
    insert into public.parking_sessions (user_id, parking_lot_id, status, ended_at, total_amount_minor, currency, breakdown, price_list_id)
    values (${person.id}, ${lot}, 'ended', now() + interval '1 hour', 100, 'JPY', ${
    sql.json(breakdown)
  }, gen_random_uuid()) returning id`;
  await sql`update public.parking_sessions set memo = 'later' where id = ${session!.id}`;
  const [inserted, updated] = await channel.receives(2);
  assert.deepEqual((inserted!.new as { breakdown: unknown }).breakdown, breakdown);
  assert.equal((updated!.new as { memo: string }).memo, "later");
  assert.ok(!("breakdown" in updated!.new), "an update of the memo does not carry the breakdown");
});

Deno.test("realtime: a client of protocol version 1 receives the same changes", async () => {
  await using old = new Client({ token: person.token, realtime: { vsn: "1.0.0" } });
  const channel = await old.subscribe("old", own(person, "user_notifications"));
  const id = await notify(sql, person.id);
  const [change] = await channel.receives(1);
  assertShape(change!, "INSERT", "user_notifications");
  assert.equal((change!.new as { id: string }).id, id);
});
