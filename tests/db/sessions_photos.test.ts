// Photos of sessions: what lies in a slot, and what becomes of what lay there.
import assert from "node:assert/strict";
import { createPeople } from "../policies/people.ts";
import { database } from "../support/database.ts";
import { eraseWithdrawn } from "../support/forgotten.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { newUser } from "../support/rows.ts";
import { callAs, inMinutes, parked, type Session } from "./support/sessions.ts";

const db = await database();
const users = await createPeople(db.sql);
Deno.test.afterAll(() => db.close());

interface Photo {
  readonly id: string;
  readonly phase: string;
  readonly slot: number;
  readonly asset_id: string;
  readonly storage_key: string;
  readonly content_type: string | null;
  readonly size_bytes: number | null;
}

interface Detail extends Session {
  readonly photos: Photo[];
  readonly breakdown: unknown;
  readonly rules: unknown;
}

/** An upload of `user` whose object has been looked at; its id. */
async function upload(user: string, columns: Record<string, string | boolean | null> = {}): Promise<string> {
  const row = {
    storage_key: `private/session_photo/${crypto.randomUUID()}.jpg`,
    content_type: "image/jpeg",
    size_bytes: 4096,
    category: "session_photo",
    is_public: false,
    status: "placed",
    attached_at: null,
    created_by: user,
    ...columns,
  };
  const [asset] = await db.sql<{ id: string }[]>`insert into public.assets ${db.sql(row)} returning id`;
  return asset!.id;
}

const put = (user: string, id: string, phase: string, slot: number, asset: string) =>
  callAs<Photo>(db, user, "put_my_session_photo", { id, phase, slot, asset_id: asset });
const drop = (user: string, id: string, phase: string, slot: number) =>
  callAs<null>(db, user, "delete_my_session_photo", { id, phase, slot });
const detail = (user: string, id: string) => callAs<Detail>(db, user, "my_parking_session", { id });

async function isDeleted(asset: string): Promise<boolean> {
  const [row] = await db.sql<{ deleted: boolean }[]>`
    select deleted_at is not null as deleted from public.assets where id = ${asset}`;
  return row!.deleted;
}

Deno.test("session photos: photos are in their slots, those of the stay before those after it, in every state of the session", async () => {
  const { user, id } = await parked(db, 10);
  const [first, second, third] = [await upload(user), await upload(user), await upload(user)];
  await put(user, id, "during", 4, first);
  await callAs(db, user, "finalize_parking_session", { id, exit_at: inMinutes(0) });
  await put(user, id, "after", 1, second);
  const photo = await put(user, id, "during", 2, third);
  assert.deepEqual([photo.content_type, photo.size_bytes, photo.asset_id], ["image/jpeg", 4096, third]);
  const { photos, breakdown, rules, status } = await detail(user, id);
  assert.deepEqual(photos.map(({ phase, slot, asset_id }) => [phase, slot, asset_id]), [
    ["during", 2, third],
    ["during", 4, first],
    ["after", 1, second],
  ]);
  assert.equal(status, "ended");
  assert.ok(breakdown && rules);
});

Deno.test("session photos: a second photo in a slot replaces the first, which is deleted; repeating it changes nothing", async () => {
  const { user, id } = await parked(db);
  const [first, second] = [await upload(user), await upload(user)];
  const before = await put(user, id, "during", 1, first);
  assert.deepEqual(await put(user, id, "during", 1, first), before);
  const after = await put(user, id, "during", 1, second);
  assert.notEqual(after.id, before.id);
  assert.deepEqual((await detail(user, id)).photos, [after]);
  assert.deepEqual([await isDeleted(first), await isDeleted(second)], [true, false]);
  assert.equal((await errorOf(put(user, id, "during", 2, first))).code, "not_found");
});

Deno.test("session photos: of two concurrent photos for a slot one is stored and the other is deleted", async () => {
  const { user, id } = await parked(db);
  const assets = await Promise.all([1, 2, 3, 4].map(() => upload(user)));
  await Promise.all(assets.map((asset) => put(user, id, "after", 3, asset)));
  const { photos } = await detail(user, id);
  assert.equal(photos.length, 1);
  for (const asset of assets) assert.equal(await isDeleted(asset), asset !== photos[0]!.asset_id);
});

Deno.test("session photos: a removed photo is deleted, and removing from an empty slot is an error", async () => {
  const { user, id } = await parked(db);
  const asset = await upload(user);
  await put(user, id, "during", 1, asset);
  await drop(user, id, "during", 1);
  assert.equal(await isDeleted(asset), true);
  assert.deepEqual((await detail(user, id)).photos, []);
  const { code, param } = await errorOf(drop(user, id, "during", 1));
  assert.deepEqual([code, param], ["not_found", "slot"]);
});

Deno.test("session photos: a photo must be the caller's own checked upload of the category, not in use elsewhere", async () => {
  const { user, id } = await parked(db);
  const used = await upload(user);
  await put(user, id, "during", 1, used);
  for (
    const asset of [
      await upload(users.stranger),
      await upload(user, { status: "pending" }),
      await upload(user, { category: "error_report" }),
      used,
      crypto.randomUUID(),
    ]
  ) {
    const { code, param } = await errorOf(put(user, id, "during", 2, asset));
    assert.deepEqual([code, param], ["not_found", "asset_id"]);
  }
  assert.equal((await detail(user, id)).photos.length, 1);
});

Deno.test("session photos: a phase and a slot out of bounds are rejected by name, and cannot be stored", async () => {
  const { user, id } = await parked(db);
  for (const [phase, slot, param] of [["before", 1, "phase"], ["during", 0, "slot"], ["after", 5, "slot"]] as const) {
    const asset = await upload(user);
    assert.equal((await errorOf(put(user, id, phase, slot, asset))).param, param);
    assert.equal((await errorOf(drop(user, id, phase, slot))).param, param);
    const insert = db.sql`
      insert into public.parking_session_photos (session_id, phase, slot, asset_id, storage_key)
      values (${id}, ${phase}, ${slot}, ${asset}, 'private/x')`;
    assert.equal(await sqlstate(insert), "23514");
  }
});

Deno.test("session photos: another user's session is not found, and inactive users have none", async () => {
  const { user, id } = await parked(db);
  await put(user, id, "during", 1, await upload(user));
  const calls = (appUser: string, session: string) => [
    async () => await put(appUser, session, "during", 1, await upload(appUser)),
    () => drop(appUser, session, "during", 1),
    () => detail(appUser, session),
  ];
  for (const call of [...calls(users.stranger, id), ...calls(user, crypto.randomUUID())]) {
    assert.equal((await errorOf(call())).code, "not_found");
  }
  for (const call of [...calls(users.suspended, id), ...calls(users.administrator, id)]) {
    assert.equal((await errorOf(call())).code, "forbidden");
  }
  assert.equal((await detail(user, id)).photos.length, 1);
});

Deno.test("session photos: the photos of a user who withdraws are deleted", async () => {
  const leave: ((user: string) => Promise<unknown>)[] = [
    (user) => db.sql`select private.empty_account(${user})`,
    (user) => db.sql`delete from auth.users where id = ${user}`,
  ];
  for (const go of leave) {
    const { user, id } = await parked(db);
    const asset = await upload(user);
    await put(user, id, "during", 1, asset);
    await go(user);
    await eraseWithdrawn(db.sql);
    assert.equal((await db.sql`select from public.parking_session_photos where session_id = ${id}`).length, 0);
    assert.equal(await isDeleted(asset), true);
  }
});

Deno.test("session photos: a session without photos has an empty list, and one that runs has no breakdown yet", async () => {
  const user = await newUser(db.sql);
  const { user: driver, id } = await parked(db);
  assert.deepEqual([(await detail(driver, id)).photos, (await detail(driver, id)).breakdown], [[], null]);
  assert.equal((await errorOf(detail(user, id))).code, "not_found");
});
