// The five channels of the specification: each kind of change comes with what it should carry.
import assert from "node:assert/strict";
import { newLot } from "../support/rows.ts";
import { asUser, type Person, signUp } from "../support/people.ts";
import { connect, logActivity, notify, tellAdmins } from "./activities.ts";
import { assertNoRows, Client, type Heard, keyOf } from "./listen.ts";

const sql = connect();
Deno.test.afterAll(() => sql.end());

const person = await signUp();
const other = await signUp();
const administrator = await signUp({ appMetadata: { admin: { name: "Console", areas: ["lots", "support"] } } });

const own = (who: Person, table: string) => ({ table, filter: `user_id=eq.${who.id}` });

/** A moment as the change carries it: UTC, milliseconds. */
function recent(moment: string): void {
  assert.match(moment, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.ok(Math.abs(Date.now() - Date.parse(moment)) < 30_000, moment);
}

function assertShape(change: Heard, eventType: string, table: string): void {
  assert.deepEqual(
    { eventType: change.eventType, schema: change.schema, table: change.table, errors: change.errors },
    { eventType, schema: "public", table, errors: null },
  );
  recent(change.commit_timestamp);
}

Deno.test("a notification comes when it is sent, and again when it is read, to its person alone", async () => {
  await using mine = new Client(person);
  await using theirs = new Client(other);
  const [heard, strangers] = await Promise.all([
    mine.listen(`user_notifications:user_id=eq.${person.id}`, own(person, "user_notifications")),
    theirs.listen(`user_notifications:user_id=eq.${other.id}`, own(other, "user_notifications")),
  ]);
  const id = await notify(sql, person.id, { title: "お知らせ 🚗", scheduled_at: new Date(1_800_000_000_000) });
  await sql`update public.user_notifications set read_at = '2026-11-01 12:00:00.123456+09' where id = ${id}`;
  const [sent, read] = await heard.hears(2);
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
  assert.equal(heard.heard.length, 2);
});

Deno.test("a draft never comes; it comes as an update when it is sent, and not at all past a closed inbox", async () => {
  await using mine = new Client(person);
  const heard = await mine.listen("drafts", own(person, "user_notifications"));
  const draft = await notify(sql, person.id, { status: "draft", sent_at: null, title: "Draft" });
  await sql`update public.user_notifications set title = 'Scheduled', status = 'scheduled' where id = ${draft}`;
  await sql`update public.user_notifications set status = 'sending' where id = ${draft}`;
  await notify(sql, person.id, { is_in_app: false });
  await notify(sql, null);
  await sql`update public.user_notifications set status = 'sent', sent_at = now() where id = ${draft}`;
  const fence = await notify(sql, person.id);
  assert.deepEqual(
    (await heard.until(fence)).map(({ eventType, new: row }) => [eventType, (row as { id: string }).id]),
    [
      ["UPDATE", draft],
    ],
  );
});

Deno.test("a session comes to all devices of its driver when it starts, is annotated and ends, as the interface did it", async () => {
  const lot = await newLot(sql);
  const driver = await signUp();
  await using phone = new Client(driver);
  await using tablet = new Client(driver);
  await using stranger = new Client(person);
  const devices = await Promise.all(
    [phone, tablet].map((device) =>
      device.listen(`parking_sessions:user_id=eq.${driver.id}`, own(driver, "parking_sessions"))
    ),
  );
  const strangers = await stranger.listen("sessions", own(driver, "parking_sessions"), { table: "user_notifications" });

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
    const changes = await device.hears(3);
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

Deno.test("a badge comes when it is earned", async () => {
  await using mine = new Client(person);
  const heard = await mine.listen(`user_badges:user_id=eq.${person.id}`, {
    ...own(person, "user_badges"),
    event: "INSERT",
  });
  const [badge] = await sql<{ id: string; badge_id: string }[]>`
    insert into public.user_badges (user_id, badge_id)
    select ${person.id}, id from public.badges order by sort_order limit 1 returning id, badge_id`;
  await heard.until(badge!.id);
  await sql`update public.user_badges set earned_at = now() where id = ${badge!.id}`;
  await sql`delete from public.user_badges where id = ${badge!.id}`;
  const [again] = await sql<{ id: string }[]>`
    insert into public.user_badges (user_id, badge_id) values (${person.id}, ${badge!.badge_id}) returning id`;
  const [earned] = await heard.hears(1);
  assertShape(earned!, "INSERT", "user_badges");
  const { earned_at: _, ...row } = earned!.new as Record<string, unknown>;
  assert.deepEqual(row, { id: badge!.id, user_id: person.id, badge_id: badge!.badge_id });
  assert.equal((await heard.until(again!.id)).length, 1, "only inserts were asked for");
});

Deno.test("administrators hear what everybody does, and nobody else hears any of it, also of themselves", async () => {
  await using console = new Client(administrator);
  await using mine = new Client(person);
  await using visitor = new Client();
  const activity = { event: "INSERT", table: "user_activity_logs" } as const;
  const [feed, ofMine] = await Promise.all([
    console.listen("live-user-activity", activity),
    mine.listen("live-user-activity", activity),
  ]);
  const refused = await visitor.join("live-user-activity", activity);
  const first = await logActivity(sql, other.id);
  const second = await logActivity(sql, person.id);
  const before = await feed.until(second);
  const heard = before.find(({ new: row }) => (row as { id: string }).id === first);
  assert.ok(heard);
  assertShape(heard, "INSERT", "user_activity_logs");
  assert.deepEqual(heard.old, {});
  const row = heard.new as Record<string, unknown>;
  assert.deepEqual([row["user_id"], row["activity_type"], row["metadata"]], [other.id, "support_ticket_post", {}]);
  await Promise.all([mine.settled(), visitor.settled()]);
  assert.deepEqual(ofMine.heard, []);
  assertNoRows(refused);
});

Deno.test("administrators hear every event of what is for them, and nobody else hears any but a deleted key", async () => {
  const reviewer = await signUp({ appMetadata: { admin: { areas: ["reviews"] } } });
  await using console = new Client(administrator);
  await using others = new Client(reviewer);
  await using user = new Client(person);
  const sidebar = { table: "admin_notifications" };
  const [heard, ofReviewer, ofUser] = await Promise.all([
    console.listen("admin-notifications-sidebar", sidebar),
    others.listen("admin-notifications-sidebar", sidebar),
    user.listen("admin-notifications-sidebar", sidebar, own(person, "user_notifications")),
  ]);
  const ticket = await tellAdmins(sql, { area: "support", type: "support_ticket", link: "/support-tickets/1" });
  await sql`update public.admin_notifications set read_by = array[${administrator.id}::uuid] where id = ${ticket}`;
  // Of a row that is gone when its changes are looked at only the key comes.
  await heard.hears(2, (change) => keyOf(change) === ticket);
  await sql`delete from public.admin_notifications where id = ${ticket}`;
  const review = await tellAdmins(sql, { area: "reviews" });
  const toOne = await tellAdmins(sql, { admin_id: administrator.id });
  const toAll = await tellAdmins(sql);
  const fence = await notify(sql, person.id);

  const of = (changes: readonly Heard[], ...ids: string[]) =>
    changes.filter((change) =>
      ids.includes(String((change.new as { id?: string }).id ?? (change.old as { id: string }).id))
    );
  const mine = of(
    [
      ...await heard.until(toAll),
      ...await heard.hears(1, ({ new: row }) => (row as { id?: string }).id === toAll),
    ],
    ticket,
    review,
    toOne,
    toAll,
  );
  assert.deepEqual(mine.map(({ eventType }) => eventType), ["INSERT", "UPDATE", "DELETE", "INSERT", "INSERT"]);
  const [told, read, deleted] = mine;
  assertShape(told!, "INSERT", "admin_notifications");
  assert.equal((told!.new as { link: string }).link, "/support-tickets/1");
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

Deno.test("changes come in the order of their commits, those of a transaction in the order of its statements", async () => {
  await using mine = new Client(person);
  const heard = await mine.listen("order", own(person, "user_notifications"));
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
  assert.deepEqual((await heard.until(fence)).map(({ new: row }) => (row as { id: string }).id), ids);
});

Deno.test("what did not change and lies apart is left out of an update, not sent empty", async () => {
  await using mine = new Client(person);
  const heard = await mine.listen("toast", own(person, "parking_sessions"));
  const lot = await newLot(sql);
  // Random text does not compress: the column is stored beside the row.
  const breakdown = { lines: Array.from({ length: 500 }, () => crypto.randomUUID()) };
  const [session] = await sql<{ id: string }[]>`
    insert into public.parking_sessions (user_id, parking_lot_id, status, ended_at, total_amount_minor, currency, breakdown, price_list_id)
    values (${person.id}, ${lot}, 'ended', now() + interval '1 hour', 100, 'JPY', ${
    sql.json(breakdown)
  }, gen_random_uuid()) returning id`;
  await sql`update public.parking_sessions set memo = 'later' where id = ${session!.id}`;
  const [inserted, updated] = await heard.hears(2);
  assert.deepEqual((inserted!.new as { breakdown: unknown }).breakdown, breakdown);
  assert.equal((updated!.new as { memo: string }).memo, "later");
  assert.ok(!("breakdown" in updated!.new), "an update of the memo does not carry the breakdown");
});

Deno.test("a client of the older protocol hears the same", async () => {
  await using old = new Client({ token: person.token, realtime: { vsn: "1.0.0" } });
  const heard = await old.listen("old", own(person, "user_notifications"));
  const id = await notify(sql, person.id);
  const [change] = await heard.hears(1);
  assertShape(change!, "INSERT", "user_notifications");
  assert.equal((change!.new as { id: string }).id, id);
});
