// Photos of reviews and avatars in the database: who sees them, when they are published, and what ends them.
import assert from "node:assert/strict";
import { createPeople } from "../policies/people.ts";
import { type Caller, database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";
import { newLot, newUser, signedIn } from "../support/rows.ts";

const db = await database();
const users = await createPeople(db.sql);
Deno.test.afterAll(() => db.close());

const administrator = signedIn(users.administrator);
const anonymous: Caller = { role: "anon" };

/** An upload whose object has been checked; its id. */
async function placed(user: string, category = "review", isPublic = true): Promise<string> {
  const [row] = await db.as(signedIn(user), (sql) =>
    sql<{ id: string }[]>`
      select commands.create_upload(12, 'image/png', ${category}, null, null, ${isPublic}) ->> 'asset_id' as id`);
  await db.as({ role: "service_role" }, (sql) => sql`select api.place_asset(${row!.id}, '"abc"')`);
  return row!.id;
}

async function posted(user: string, photos: string[], lot?: string): Promise<string> {
  const [row] = await db.as(signedIn(user), async (sql) =>
    sql<{ id: string }[]>`
      select commands.post_review(${lot ?? await newLot(db.sql)}, 4, null, ${photos}::uuid[]) ->> 'id' as id`);
  return row!.id;
}

const edit = (user: string, id: string, photos: string[]) =>
  db.as(signedIn(user), (sql) => sql`select commands.update_my_review(${id}, p_photo_asset_ids => ${photos}::uuid[])`);
const move = (id: string, status: string) => db.sql`update public.reviews set status = ${status} where id = ${id}`;
const photosFor = async (caller: Caller, review: string) => {
  const rows = await db.as(
    caller,
    (sql) =>
      sql<{ photos: { storage_key: string }[] }[]>`select photos from private.review_photos(array[${review}]::uuid[])`,
  );
  return rows[0]?.photos.length ?? 0;
};
const stateOf = async (id: string) => {
  const [row] = await db.sql`
    select published_at is not null as published, is_public, deleted_at is not null as deleted
    from public.assets where id = ${id}`;
  return { ...row };
};
const kept = { published: false, is_public: false, deleted: false };

Deno.test("review photos: the author can always read them, every client when the review is approved at a public lot", async () => {
  const [author, stranger] = [await newUser(db.sql), await newUser(db.sql)];
  const lot = await newLot(db.sql);
  const review = await posted(author, [await placed(author), await placed(author, "review", false)], lot);
  const seen = async () =>
    await Promise.all(
      [signedIn(author), administrator, signedIn(stranger), anonymous].map((caller) => photosFor(caller, review)),
    );
  assert.deepEqual(await seen(), [2, 0, 0, 0]);
  await move(review, "approved");
  assert.deepEqual(await seen(), [2, 2, 2, 2]);
  await db.sql`update public.parking_lots set status = 'suspended' where id = ${lot}`;
  assert.deepEqual(await seen(), [2, 0, 0, 0]);
  await db.sql`update public.parking_lots set status = 'active' where id = ${lot}`;
  await move(review, "hidden");
  assert.deepEqual(await seen(), [2, 0, 0, 0]);
});

Deno.test("review photos: they are published with the approval and unpublished by each transition out of it", async () => {
  const author = await newUser(db.sql);
  const [open, secret] = [await placed(author), await placed(author, "review", false)];
  const review = await posted(author, [open, secret]);
  assert.deepEqual(await stateOf(open), kept);
  await move(review, "approved");
  assert.deepEqual([await stateOf(open), await stateOf(secret)], [{ ...kept, published: true }, kept]);
  await db.sql`update public.assets set is_public = true where id = ${open}`;
  await move(review, "hidden");
  assert.deepEqual(await stateOf(open), kept);
  await move(review, "approved");
  assert.equal((await stateOf(open)).published, true);
  await edit(author, review, [open, secret]);
  assert.deepEqual(await stateOf(open), kept);
  await db.sql`update public.reviews set status = 'approved' where id = ${review}`;
  assert.equal((await stateOf(open)).published, true);
  await db.sql`delete from public.reviews where id = ${review}`;
  assert.equal((await stateOf(open)).deleted, true);
});

Deno.test("review photos: deleting a lot deletes the photos of its reviews", async () => {
  const lot = await newLot(db.sql);
  const photos = await Promise.all([1, 2, 3].map(async () => {
    const author = await newUser(db.sql);
    const photo = await placed(author);
    await posted(author, [photo], lot);
    return photo;
  }));
  await db.sql`delete from public.parking_lots where id = ${lot}`;
  for (const photo of photos) assert.equal((await stateOf(photo)).deleted, true);
});

Deno.test("review photos: a file that another user attached to the review is not shown with it", async () => {
  const [author, stranger] = [await newUser(db.sql), await newUser(db.sql)];
  const review = await posted(author, []);
  const photo = await placed(stranger);
  await db.sql`
    update public.assets set entity_type = 'review', entity_id = ${review}, attached_at = now() where id = ${photo}`;
  await move(review, "approved");
  assert.equal(await photosFor(anonymous, review), 0);
});

Deno.test("review photos: at most four, of the caller's review, and a rejected change has no effect", async () => {
  const [author, stranger] = [await newUser(db.sql), await newUser(db.sql)];
  const photos = await Promise.all(Array.from({ length: 5 }, () => placed(author)));
  const review = await posted(author, photos.slice(0, 2));
  const tooMany = await errorOf(edit(author, review, photos));
  assert.deepEqual([tooMany.code, tooMany.param], ["validation_error", "photo_asset_ids"]);
  const foreign = await errorOf(edit(stranger, review, []));
  assert.deepEqual([foreign.code, foreign.param], ["not_found", "id"]);
  assert.equal((await errorOf(edit(author, review, [photos[2]!, crypto.randomUUID()]))).param, "photo_asset_ids");
  assert.equal(await photosFor(signedIn(author), review), 2);
  assert.deepEqual(await stateOf(photos[1]!), kept);
});

Deno.test("avatar: of twenty set concurrently one stays, and the others are deleted", async () => {
  const user = await newUser(db.sql);
  const avatars = await Promise.all(Array.from({ length: 20 }, () => placed(user, "avatar")));
  await Promise.all(
    avatars.map((id) =>
      db.as(signedIn(user), (sql) => sql`select commands.update_my_account(p_avatar_asset_id => ${id})`)
    ),
  );
  const states = await Promise.all(avatars.map(stateOf));
  assert.equal(states.filter(({ deleted }) => deleted !== true).length, 1);
  const [row] = await db.as(
    signedIn(user),
    (sql) => sql<{ avatar: { asset_id: string } }[]>`select api.my_account() #> '{app_user,avatar}' as avatar`,
  );
  assert.equal(row!.avatar.asset_id, avatars[states.findIndex(({ deleted }) => deleted !== true)]);
});

/** A lot whose main image is a file of this user, attached or not; its key in the lot's row. */
async function mainImage(user: string, columns: { category: string; attached_at: Date | null }) {
  const lot = await newLot(db.sql);
  const asset = {
    storage_key: `lots/${crypto.randomUUID()}.png`,
    created_by: user,
    created_at: new Date(Date.now() - 172_800_000),
    ...columns,
  };
  const [row] = await db.sql<{ id: string }[]>`insert into public.assets ${db.sql(asset)} returning id`;
  await db.sql`insert into public.parking_lot_images (parking_lot_id, asset_id, is_main) values (${lot}, ${
    row!.id
  }, true)`;
  const key = async () =>
    (await db.sql`select main_image_key from public.parking_lots where id = ${lot}`)[0]!["main_image_key"];
  assert.equal(await key(), asset.storage_key);
  return { asset: row!.id, key };
}

Deno.test("main_image_key: deleting the picture clears it, also when the statement wrote another column", async () => {
  for (
    const columns of [{ category: "review", attached_at: new Date() }, { category: "parking_lot", attached_at: null }]
  ) {
    const user = await newUser(db.sql);
    const { asset, key } = await mainImage(user, columns);
    await db.sql`delete from auth.users where id = ${user}`;
    assert.deepEqual([(await stateOf(asset))["deleted"], await key()], [true, null], columns.category);
  }
});

Deno.test("sweep_assets: a picture that a lot shows is kept, attached or not", async () => {
  const { asset, key } = await mainImage(await newUser(db.sql), { category: "parking_lot", attached_at: null });
  await db.sql`select private.sweep_assets()`;
  assert.deepEqual([(await stateOf(asset))["deleted"], typeof await key()], [false, "string"]);
});
