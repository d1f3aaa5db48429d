// Photos of reviews and avatars: shown with their review or account, public only while they are shown, and deleted with it.
import assert from "node:assert/strict";
import { applyPublication, type Publication } from "../../supabase/functions/_shared/storage/assets.ts";
import { withoutMetadata } from "../../supabase/functions/_shared/storage/picture.ts";
import { Me, MyData } from "../../supabase/functions/_shared/schema/me.ts";
import { MyReview, MyReviews, PublicReviews } from "../../supabase/functions/_shared/schema/reviews.ts";
import { Upload } from "../../supabase/functions/storage/storage.schema.ts";
import { exportMyData, readMe, updateMe } from "../../supabase/functions/me/account.ts";
import { listMyReviews, updateMyReview } from "../../supabase/functions/me/reviews.ts";
import { listReviews, postReview } from "../../supabase/functions/parking-lots/reviews.ts";
import { createUpload } from "../../supabase/functions/storage/uploads.ts";
import { eventually } from "../support/eventually.ts";
import { cameraPicture, contains, IMAGE_TYPES, type ImageType, picture, pngHeader, put } from "../support/files.ts";
import { type Person, signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { stack } from "../support/stack.ts";
import { ask, bearer, jsonBody, replyOf } from "./client.ts";
import { aLot, inDatabase } from "./lots.ts";
import { awayStorage, service, storage } from "./object_storage.ts";

const { apiUrl, serviceRoleKey } = stack();

interface Uploaded {
  readonly id: string;
  readonly key: string;
  readonly publicUrl: string | null;
  readonly uploadUrl: string;
}

/** A file in object storage that nothing uses yet; a PNG unless it is said otherwise. */
async function upload(
  { token }: Person,
  category: "review" | "avatar" | "support",
  is_public: boolean,
  bytes = picture("image/png"),
  mime_type: ImageType = "image/png",
): Promise<Uploaded> {
  const said = { file_name: "a.png", file_size: bytes.length, mime_type, category, is_public };
  const answer = await ask("/storage/upload-url", { method: "POST", ...jsonBody(said, bearer(token)) });
  const { upload_url, asset_id, s3_key, public_url } = await replyOf(createUpload, answer, Upload);
  assert.equal(await put(upload_url, bytes, mime_type), 200);
  return { id: asset_id, key: s3_key, publicUrl: public_url, uploadUrl: upload_url };
}

const post = (lot: string, { token }: Person, body: unknown) =>
  ask(`/parking-lots/${lot}/reviews`, { method: "POST", ...jsonBody(body, bearer(token)) });
const posted = async (lot: string, user: Person, photos: readonly Uploaded[]) =>
  await replyOf(
    postReview,
    await post(lot, user, { rating: 4, photo_asset_ids: photos.map(({ id }) => id) }),
    MyReview,
  );
const patch = (path: string, { token }: Person, body: unknown) =>
  ask(path, { method: "PATCH", ...jsonBody(body, bearer(token)) });
const edited = async (id: string, user: Person, body: unknown) =>
  await replyOf(updateMyReview, await patch(`/me/reviews/${id}`, user, body), MyReview);
const published = async (lot: string) =>
  (await replyOf(listReviews, await ask(`/parking-lots/${lot}/reviews`), PublicReviews)).items;
const move = (id: string, status: string) =>
  inDatabase((sql) => sql`update public.reviews set status = ${status} where id = ${id}`);
const me = async ({ token }: Person) => await replyOf(readMe, await ask("/me", { headers: bearer(token) }), Me);
const meWith = async (user: Person, body: unknown) => await replyOf(updateMe, await patch("/me", user, body), Me);

async function status(url: string | null): Promise<number> {
  const answer = await fetch(url ?? assert.fail("there is no address"));
  await answer.body?.cancel();
  return answer.status;
}

const bytesAt = async (url: string) => new Uint8Array(await (await fetch(url)).arrayBuffer());
const publicUrl = (key: string) => `${apiUrl}/storage/v1/object/public/assets/${key}`;
const isDeleted = (id: string) =>
  inDatabase(async (sql) => {
    const [row] = await sql`select deleted_at is not null as deleted from public.assets where id = ${id}`;
    return row === undefined || row["deleted"] === true;
  });

/** What the job does each minute: calls the function. The platform's own job may do it at the same time. */
async function sweep(): Promise<void> {
  const answer = await ask("/storage/sweep", { method: "POST", headers: bearer(serviceRoleKey) });
  assert.equal(answer.status, 200, await answer.text());
}

/** Sweeps until it is so. */
async function swept(what: () => Promise<boolean>): Promise<void> {
  await eventually(async () => {
    await sweep();
    return await what() ? true : undefined;
  });
}

Deno.test("POST /parking-lots/{id}/reviews: photos are readable by the author until the review is approved, then public, then deleted", async () => {
  const [lot, author, stranger] = [await aLot(), await signUp({ displayName: "山田" }), await signUp()];
  const files = [picture("image/png", 300), picture("image/png", 400)];
  const [open, secret] = [
    await upload(author, "review", true, files[0]),
    await upload(author, "review", false, files[1]),
  ];
  const review = await posted(lot, author, [open, secret]);
  assert.equal(review.photo_urls.length, 2);
  for (const [n, url] of review.photo_urls.entries()) assert.deepEqual(await bytesAt(url), files[n]);
  await sweep();
  assert.equal(await status(open.publicUrl), 404, "a photo of a pending review is not public");
  const others = await replyOf(listMyReviews, await ask("/me/reviews", { headers: bearer(stranger.token) }), MyReviews);
  assert.deepEqual(others.items, []);

  await move(review.id, "approved");
  const [visible] = await published(lot);
  for (const [n, url] of visible!.photo_urls.entries()) {
    assert.deepEqual(await bytesAt(url), files[n], "shown before the job has copied it");
  }
  await swept(async () => await status(open.publicUrl) === 200);
  const [copied] = await eventually(async () => {
    const items = await published(lot);
    return items[0]!.photo_urls[0] === open.publicUrl ? items : undefined;
  });
  assert.deepEqual(await bytesAt(open.publicUrl!), files[0]);
  assert.notEqual(copied!.photo_urls[1], undefined);
  for (const key of [secret.key, secret.key.replace("private/", "")]) assert.equal(await status(publicUrl(key)), 404);

  await move(review.id, "hidden");
  assert.deepEqual(await published(lot), []);
  await swept(async () => await status(open.publicUrl) === 404);
  const mine = await replyOf(listMyReviews, await ask("/me/reviews", { headers: bearer(author.token) }), MyReviews);
  assert.deepEqual(await bytesAt(mine.items[0]!.photo_urls[0]!), files[0]);
});

Deno.test("PATCH /me/reviews/{id}: photos are replaced whole, left when absent, and those left out are deleted", async () => {
  const [lot, author] = [await aLot(), await signUp()];
  const [a, b, c] = [
    await upload(author, "review", true),
    await upload(author, "review", true),
    await upload(author, "review", true),
  ];
  const { id } = await posted(lot, author, [a, b]);
  await move(id, "approved");
  await swept(async () => await status(a.publicUrl) === 200);
  assert.equal((await edited(id, author, { rating: 5 })).photo_urls.length, 2);
  const changed = await edited(id, author, { photo_asset_ids: [c.id, b.id] });
  assert.equal(changed.status, "pending");
  const keys = changed.photo_urls.map((url) => decodeURIComponent(new URL(url).pathname.split("/private/")[1]!));
  assert.deepEqual(keys, [c.key, b.key]);
  await swept(async () => await status(a.publicUrl) === 404 && await isDeleted(a.id));
  assert.deepEqual((await edited(id, author, { photo_asset_ids: [] })).photo_urls, []);
  assert.ok(await isDeleted(b.id) && await isDeleted(c.id));
});

Deno.test("DELETE /me/reviews/{id} and a withdrawal remove photos and avatar from object storage", async () => {
  const [author, leaver] = [await signUp(), await signUp()];
  const left: Uploaded[] = [];
  for (const user of [author, leaver]) {
    const lot = await aLot();
    const photo = await upload(user, "review", true);
    const { id } = await posted(lot, user, [photo]);
    await move(id, "approved");
    left.push(photo);
    if (user === author) {
      await swept(async () => await status(photo.publicUrl) === 200);
      const answer = await ask(`/me/reviews/${id}`, { method: "DELETE", headers: bearer(user.token) });
      assert.equal(answer.status, 204);
    } else {
      const avatar = await upload(user, "avatar", true);
      await meWith(user, { avatar_asset_id: avatar.id });
      left.push(avatar);
      await swept(async () => await status(photo.publicUrl) === 200);
      const answer = await ask("/me/withdraw", { method: "POST", headers: bearer(user.token) });
      assert.equal(answer.status, 204);
    }
  }
  for (const { id, publicUrl } of left) {
    await swept(async () => await isDeleted(id) && await status(publicUrl) === 404);
  }
});

Deno.test("reviews: a text declared as PNG, a fifth photo, another user's photo and one in use are rejected with their field", async () => {
  const [lot, author, stranger] = [await aLot(), await signUp(), await signUp()];
  const html = new TextEncoder().encode("<html><script>alert(1)</script>".padEnd(200));
  const text = await upload(author, "review", true, html);
  const unusable = { code: "validation_error", param: "photo_asset_ids", field: "invalid_value" } as const;
  await assertError(await post(lot, author, { rating: 4, photo_asset_ids: [text.id] }), unusable);
  const textAvatar = await upload(author, "avatar", true, html);
  const wrong = { ...unusable, param: "avatar_asset_id" };
  await assertError(await patch("/me", author, { avatar_asset_id: textAvatar.id }), wrong);
  await sweep();
  for (const file of [text, textAvatar]) assert.equal(await status(file.publicUrl), 404);

  const five = Array.from({ length: 5 }, () => crypto.randomUUID());
  const tooMany = { code: "validation_error", param: "photo_asset_ids" } as const;
  await assertError(await post(lot, author, { rating: 4, photo_asset_ids: five }), tooMany);
  const notTheirs = { code: "not_found", param: "photo_asset_ids" } as const;
  const foreign = await upload(stranger, "review", true);
  await assertError(await post(lot, author, { rating: 4, photo_asset_ids: [foreign.id] }), notTheirs);
  const avatar = await upload(author, "avatar", true);
  await assertError(await post(lot, author, { rating: 4, photo_asset_ids: [avatar.id] }), notTheirs);
  assert.deepEqual(
    (await replyOf(listMyReviews, await ask("/me/reviews", { headers: bearer(author.token) }), MyReviews))
      .items,
    [],
  );
  const photo = await upload(author, "review", true);
  await posted(lot, author, [photo]);
  await assertError(await post(await aLot(), author, { rating: 4, photo_asset_ids: [photo.id] }), notTheirs);
});

Deno.test("storage: a file that is uploaded again after its check does not change the published file", async () => {
  const [lot, author] = [await aLot(), await signUp()];
  const html = new TextEncoder().encode("<html><script>alert(1)</script>".padEnd(400));
  const files = [picture("image/png"), picture("image/png")];
  const photos = [await upload(author, "review", true, files[0]), await upload(author, "review", false, files[1])];
  const { id, photo_urls } = await posted(lot, author, photos);
  for (const { uploadUrl } of photos) assert.equal(await put(uploadUrl, html, "image/png"), 200);
  for (const [n, url] of photo_urls.entries()) assert.deepEqual(await bytesAt(url), files[n]);
  await move(id, "approved");
  await swept(async () => await status(photos[0]!.publicUrl) === 200);
  assert.deepEqual(await bytesAt(photos[0]!.publicUrl!), files[0]);
  const [visible] = await published(lot);
  for (const [n, url] of visible!.photo_urls.entries()) assert.deepEqual(await bytesAt(url), files[n]);
});

Deno.test("storage: a file whose original changed after the check is deleted, not copied", async () => {
  const [lot, author] = [await aLot(), await signUp()];
  const photo = await upload(author, "review", true);
  const { id } = await posted(lot, author, [photo]);
  const key = `private/${photo.key}`;
  const url = await storage.uploadUrl(key, { size: 3, contentType: "image/png", signedAt: new Date(), seconds: 60 });
  assert.equal(await put(url, new TextEncoder().encode("abc"), "image/png"), 200);
  await move(id, "approved");
  await swept(async () => await isDeleted(photo.id));
  assert.equal(await status(photo.publicUrl), 404);
  assert.deepEqual((await published(lot))[0]!.photo_urls, []);
});

Deno.test("storage: the next sweep completes a sweep that crashed or had no storage", async () => {
  const [lot, author] = [await aLot(), await signUp()];
  const photo = await upload(author, "review", true);
  const { id } = await posted(lot, author, [photo]);
  const due = () =>
    inDatabase((sql) =>
      sql<{ msg_id: number }[]>`
        select pgmq.set_vt('object_publication', msg_id, 0) from pgmq.q_object_publication
        where message ->> 'storage_key' = ${photo.key}`
    );
  const read = async (): Promise<Publication> => {
    const [file] = await inDatabase((sql) =>
      sql<{ file: Publication }[]>`
        select api.object_publication(${photo.id}) || jsonb_build_object('msg_id', (
          select msg_id from pgmq.q_object_publication where message ->> 'storage_key' = ${photo.key}
          order by msg_id desc limit 1
        )) as file`
    );
    return file!.file;
  };
  await move(id, "approved");
  // Another consumer has the message, and storage is away: nothing is done, and the message stays.
  if ((await read()).is_wanted && !(await read()).is_public) {
    assert.equal(await applyPublication(service, awayStorage, await read()), false);
  }
  // The copy is made, and the consumer dies before it says so.
  const { etag } = await storage.head(`private/${photo.key}`) ?? assert.fail("there is an original");
  assert.deepEqual(await storage.copy(`private/${photo.key}`, photo.key, etag), { etag });
  await due();
  await swept(async () => (await published(lot))[0]!.photo_urls[0] === photo.publicUrl);

  // The copy is to go, storage is away, and the reader of the list gets no public address all the same.
  await move(id, "hidden");
  const unwanted = await read();
  assert.deepEqual([unwanted.is_wanted, unwanted.is_public], [false, false]);
  if (unwanted.msg_id !== null) assert.equal(await applyPublication(service, awayStorage, unwanted), false);
  await due();
  await swept(async () => await status(photo.publicUrl) === 404);
  await swept(async () => (await due()).length === 0);
});

Deno.test("PATCH /me: an avatar is public at once when allowed, is replaced, and is deleted by null", async () => {
  const user = await signUp({ displayName: "佐藤" });
  assert.equal((await me(user)).app_user?.avatar_url, null);
  const [first, second] = [await upload(user, "avatar", true), await upload(user, "avatar", false)];
  assert.equal((await meWith(user, { avatar_asset_id: first.id })).app_user?.avatar_url, first.publicUrl);
  assert.equal(await status(first.publicUrl), 200);
  assert.equal((await me(user)).app_user?.avatar_url, first.publicUrl);
  const again = await meWith(user, { avatar_asset_id: first.id, display_name: "鈴木" });
  assert.deepEqual([again.app_user?.display_name, again.app_user?.avatar_url], ["鈴木", first.publicUrl]);
  assert.equal((await meWith(user, { display_name: "田中" })).app_user?.avatar_url, first.publicUrl);

  const replaced = await meWith(user, { avatar_asset_id: second.id });
  assert.equal(await status(replaced.app_user!.avatar_url), 200);
  assert.notEqual(replaced.app_user!.avatar_url, second.publicUrl);
  await swept(async () => await isDeleted(first.id) && await status(first.publicUrl) === 404);

  const exported = await replyOf(exportMyData, await ask("/me/export", { headers: bearer(user.token) }), MyData);
  assert.equal(await status(exported.account.app_user!.avatar_url), 200);
  assert.equal((await meWith(user, { avatar_asset_id: null })).app_user?.avatar_url, null);
  assert.ok(await isDeleted(second.id));
  await assertError(await patch("/me", user, { avatar_asset_id: second.id }), {
    code: "not_found",
    param: "avatar_asset_id",
  });
});

Deno.test("storage: photos and avatars that are used are not deleted a day later", async () => {
  const [lot, user] = [await aLot(), await signUp()];
  const [photo, avatar, unused] = [
    await upload(user, "review", true),
    await upload(user, "avatar", false),
    await upload(user, "avatar", false),
  ];
  await posted(lot, user, [photo]);
  await meWith(user, { avatar_asset_id: avatar.id });
  await inDatabase(async (sql) => {
    const ids = [photo.id, avatar.id, unused.id];
    await sql`update public.assets set created_at = now() - interval '25 hours' where id in ${sql(ids)}`;
    await sql`select private.sweep_assets()`;
  });
  assert.deepEqual([await isDeleted(photo.id), await isDeleted(avatar.id), await isDeleted(unused.id)], [
    false,
    false,
    true,
  ]);
});

Deno.test("GET /parking-lots/{id}/reviews: an author without a name has no user_id", async () => {
  const [lot, named, nameless] = [await aLot(), await signUp({ displayName: "山田" }), await signUp()];
  for (const user of [named, nameless]) await move((await posted(lot, user, [])).id, "approved");
  const visible = (await published(lot)).map(({ user_id, user_name }) => [user_id, user_name]);
  assert.deepEqual(
    new Map(visible as [string | null, string][]),
    new Map([[named.id, "山田"], [null, "匿名ユーザー"]]),
  );
  await inDatabase((sql) => sql`update public.app_users set status = 'suspended' where id = ${named.id}`);
  assert.deepEqual((await published(lot)).map(({ user_id }) => user_id), [null, null]);
});

for (const type of IMAGE_TYPES) {
  Deno.test(`reviews: a published ${type} has no position, no description and no appended bytes, also before its copy is made`, async () => {
    const [lot, author] = [await aLot(), await signUp()];
    const html = new TextEncoder().encode("<html><script>alert(1)</script></html>");
    const file = new Uint8Array([...cameraPicture(type), ...html]);
    assert.ok(contains(file, "SecretMaker"));
    const clean = await withoutMetadata(file, type);
    assert.ok(typeof clean !== "string", `the ${type} is a picture`);
    const open = await upload(author, "review", true, file, type);
    const secret = await upload(author, "review", false, file, type);
    const { id, photo_urls } = await posted(lot, author, [open, secret]);
    await move(id, "approved");
    const shown = [...photo_urls, ...(await published(lot))[0]!.photo_urls];
    await swept(async () => await status(open.publicUrl) === 200);
    shown.push(open.publicUrl!, ...(await published(lot))[0]!.photo_urls);
    for (const url of shown) {
      const answer = await fetch(url);
      assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, type], url);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      assert.deepEqual(bytes, clean);
      for (const text of ["Secret", "GPS", "<html>"]) assert.ok(!contains(bytes, text), `${text} in ${url}`);
    }
    const sizes = await inDatabase((sql) =>
      sql<{ size: number }[]>`select size_bytes as size from public.assets where id in ${sql([open.id, secret.id])}`
    );
    assert.deepEqual(sizes.map(({ size }) => size), Array(2).fill(clean.length));
  });
}

Deno.test("reviews and avatars: a file that only begins as a picture is rejected with its field, and is not published", async () => {
  const [lot, author] = [await aLot(), await signUp()];
  const cut = cameraPicture("image/png").slice(0, 300);
  const [photo, avatar] = [await upload(author, "review", true, cut), await upload(author, "avatar", true, cut)];
  const unusable = { code: "validation_error", field: "invalid_value" } as const;
  const rejected = await post(lot, author, { rating: 4, photo_asset_ids: [photo.id] });
  const { error } = await rejected.clone().json();
  assert.deepEqual([error.details.reason, error.message], [
    "upload_not_usable",
    "The uploaded file is not a complete picture of the type image/png. Create a new upload with a valid file.",
  ]);
  await assertError(rejected, { ...unusable, param: "photo_asset_ids" });
  await assertError(await patch("/me", author, { avatar_asset_id: avatar.id }), {
    ...unusable,
    param: "avatar_asset_id",
  });
  for (const { publicUrl } of [photo, avatar]) assert.equal(await status(publicUrl), 404);
});

Deno.test("storage: a file that is no picture is read once: the upload is refused for good, and counts for its day", async () => {
  const user = await signUp();
  const day = () =>
    inDatabase((sql) =>
      sql<{ files: number }[]>`select day_files as files from private.file_totals where user_id = ${user.id}`
    );
  const bad = await upload(user, "avatar", true, pngHeader(30_000, 30_000));
  const unusable = { code: "validation_error", field: "invalid_value", param: "avatar_asset_id" } as const;
  await assertError(await patch("/me", user, { avatar_asset_id: bad.id }), unusable);
  assert.ok(await isDeleted(bad.id));
  const gone = { code: "not_found", param: "avatar_asset_id" } as const;
  await assertError(await patch("/me", user, { avatar_asset_id: bad.id }), gone);
  assert.deepEqual((await day()).map(({ files }) => files), [1]);
  const good = await upload(user, "avatar", true);
  assert.equal((await meWith(user, { avatar_asset_id: good.id })).app_user?.avatar_url, good.publicUrl);
});

Deno.test("storage: private photos must be pictures too, and keep their metadata", async () => {
  const user = await signUp();
  const report = (ids: string[]) =>
    ask("/support/tickets", {
      method: "POST",
      ...jsonBody(
        { category: "other", subject: "写真", message: "写真です", attachment_asset_ids: ids },
        bearer(user.token),
      ),
    });
  const text = await upload(user, "support", false, cameraPicture("image/png").slice(0, 300));
  await assertError(await report([text.id]), { code: "validation_error", param: "attachment_asset_ids" });
  const photo = await upload(user, "support", false, cameraPicture("image/png"));
  assert.equal((await report([photo.id])).status, 201);
  assert.deepEqual(await storage.read(photo.key, (await storage.head(photo.key))!.etag), cameraPicture("image/png"));
});

Deno.test("storage: the public copy of a file that was never checked has no metadata, and one that is no picture is deleted", async () => {
  const admin = await signUp();
  for (const bytes of [cameraPicture("image/jpeg"), cameraPicture("image/jpeg").slice(0, 400)]) {
    const key = `parking_lot/${crypto.randomUUID().replaceAll("-", "")}.jpg`;
    assert.ok(await storage.write(`private/${key}`, bytes, "image/jpeg"));
    const [row] = await inDatabase((sql) =>
      sql<{ id: string }[]>`
        insert into public.assets (storage_key, content_type, size_bytes, is_public, status, created_by)
        values (${key}, 'image/jpeg', ${bytes.length}, false, 'placed', ${admin.id}) returning id`
    );
    await inDatabase((sql) => sql`update public.assets set published_at = now() where id = ${row!.id}`);
    const clean = await withoutMetadata(bytes, "image/jpeg");
    if (typeof clean === "string") {
      await swept(() => isDeleted(row!.id));
      assert.equal(await status(publicUrl(key)), 404);
    } else {
      await swept(async () => await status(publicUrl(key)) === 200);
      assert.deepEqual(await bytesAt(publicUrl(key)), clean);
    }
  }
});
