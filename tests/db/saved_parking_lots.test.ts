// Saved lots and search preferences through their functions.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";
import { newLot, newUser, signedIn } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

interface Saved {
  readonly id: string;
  readonly parking_lot_id: string;
  readonly is_new?: boolean;
  readonly parking_lot?: { id: string; name: string; is_saved: boolean } | null;
}

async function save(user: string, lot: string): Promise<Saved> {
  const [row] = await db.as(
    signedIn(user),
    (sql) => sql<{ saved: Saved }[]>`select commands.save_parking_lot(${lot}) as saved`,
  );
  return row!.saved;
}

const unsave = (user: string, lot: string) =>
  db.as(signedIn(user), (sql) => sql`select commands.unsave_parking_lot(${lot})`);

async function list(user: string, limit = 20, cursor: string | null = null) {
  const [row] = await db.as(
    signedIn(user),
    (sql) =>
      sql<{ page: { items: Saved[]; next_cursor: string | null; total: number } }[]>`
        select api.list_my_saved_parking_lots(${limit}, ${cursor}, '{total}') as page`,
  );
  return row!.page;
}

Deno.test("saved lots: a lot is saved once, also by repeated requests, and leaves one row of activity", async () => {
  const [lot, user] = [await newLot(db.sql), await newUser(db.sql)];
  const first = await save(user, lot);
  const second = await save(user, lot);
  assert.deepEqual([first.is_new, second.is_new, second.id], [true, false, first.id]);
  const activity = await db.sql`
    select activity_type, parking_lot_id, subject_id from public.user_activity_logs where user_id = ${user}`;
  assert.deepEqual(activity.map((row) => ({ ...row })), [
    { activity_type: "lot_save", parking_lot_id: lot, subject_id: first.id },
  ]);
});

Deno.test("saved lots: saved lots are listed latest first with their search fields; a closed one has none", async () => {
  const user = await newUser(db.sql);
  const lots = await Array.fromAsync({ length: 5 }, (_, n) => newLot(db.sql, { name: `Lot ${n}` }));
  for (const lot of lots) await save(user, lot);
  await db.sql`update public.parking_lots set status = 'closed' where id = ${lots[1]!}`;
  const first = await list(user, 3);
  const second = await list(user, 3, first.next_cursor);
  assert.deepEqual([...first.items, ...second.items].map(({ parking_lot_id }) => parking_lot_id), lots.toReversed());
  assert.deepEqual(
    [...first.items, ...second.items].map(({ parking_lot }) => parking_lot && [parking_lot.name, parking_lot.is_saved]),
    [["Lot 4", true], ["Lot 3", true], ["Lot 2", true], null, ["Lot 0", true]],
  );
  assert.deepEqual([first.total, second.next_cursor], [5, null]);
  await unsave(user, lots[1]!);
  assert.equal((await list(user)).total, 4);
});

Deno.test("saved lots: a lot that is not public cannot be saved", async () => {
  const user = await newUser(db.sql);
  for (const lot of [await newLot(db.sql, { status: "draft" }), crypto.randomUUID()]) {
    const { code, param } = await errorOf(save(user, lot));
    assert.deepEqual([code, param], ["lot_not_found", "parking_lot_id"]);
  }
});

Deno.test("saved lots: removing a lot removes it from the caller's list only, and may be repeated", async () => {
  const [lot, user, stranger] = [await newLot(db.sql), await newUser(db.sql), await newUser(db.sql)];
  await save(user, lot);
  await unsave(stranger, lot);
  assert.equal((await list(user)).total, 1);
  await unsave(user, lot);
  await unsave(user, lot);
  assert.equal((await list(user)).total, 0);
});

async function preferences(user: string) {
  const [row] = await db.as(signedIn(user), (sql) => sql`select api.my_search_preferences() as preferences`);
  return row!["preferences"];
}

async function prefer(user: string, yen: number | null) {
  const [row] = await db.as(
    signedIn(user),
    (sql) => sql`select commands.set_my_search_preferences(${yen}) as preferences`,
  );
  return row!["preferences"];
}

const premiumUntil = (user: string, moment: string) =>
  db.sql`update public.app_users set premium_ends_at = ${moment}::text::timestamptz where id = ${user}`;

Deno.test("saved lots: by default a minute of walking is worth 20 yen, and only premium members change it", async () => {
  const user = await newUser(db.sql);
  assert.deepEqual(await preferences(user), { is_premium: false, yen_per_walk_minute: 20, is_default: true });
  const { code, details } = await errorOf(prefer(user, 30));
  assert.deepEqual([code, details], ["forbidden", { reason: "premium_required" }]);
  await premiumUntil(user, "infinity");
  assert.deepEqual(await preferences(user), { is_premium: true, yen_per_walk_minute: 20, is_default: true });
  for (const yen of [0, 500]) {
    assert.deepEqual(await prefer(user, yen), { is_premium: true, yen_per_walk_minute: yen, is_default: false });
  }
  for (const yen of [-1, 501, null]) assert.equal((await errorOf(prefer(user, yen))).param, "yen_per_walk_minute");
});

Deno.test("saved lots: after the end of premium the preferences cannot be changed; the stored preference is kept", async () => {
  const user = await newUser(db.sql);
  await premiumUntil(user, "infinity");
  await prefer(user, 50);
  await premiumUntil(user, "2026-01-01T00:00:00Z");
  assert.equal((await errorOf(prefer(user, 60))).code, "forbidden");
  assert.deepEqual(await preferences(user), { is_premium: false, yen_per_walk_minute: 50, is_default: false });
});

Deno.test("saved lots: premium is a scope of an active account", async () => {
  const user = await newUser(db.sql);
  const scopes = async () => {
    const [row] = await db.as(signedIn(user), (sql) => sql`select api.my_account() -> 'permission_scopes' as scopes`);
    return row!["scopes"];
  };
  assert.deepEqual(await scopes(), ["user"]);
  await premiumUntil(user, "infinity");
  assert.deepEqual(await scopes(), ["user", "premium"]);
  await db.sql`update public.app_users set status = 'suspended' where id = ${user}`;
  assert.deepEqual(await scopes(), []);
});

Deno.test("saved lots: a user suspended or withdrawn has no saved lots and no preferences", async () => {
  for (const status of ["suspended", "withdrawn"]) {
    const [lot, user] = [await newLot(db.sql), await newUser(db.sql)];
    await db.sql`
      update public.app_users set status = ${status}, premium_ends_at = 'infinity' where id = ${user}`;
    const activities = [
      () => list(user),
      () => save(user, lot),
      () => unsave(user, lot),
      () => preferences(user),
      () => prefer(user, 1),
    ];
    for (const activity of activities) assert.equal((await errorOf(activity())).code, "forbidden", status);
  }
});
