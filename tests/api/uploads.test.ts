// A picture on its way: the address, the bytes, the look at them, and who may read them.
import assert from "node:assert/strict";
import { confirmAsset, incomingKey, originalKey } from "../../supabase/functions/_shared/storage/assets.ts";
import { ApiError } from "../../supabase/functions/_shared/errors.ts";
import { Sweep, Upload } from "../../supabase/functions/storage/storage.schema.ts";
import { sweepStorage } from "../../supabase/functions/storage/sweep.ts";
import { createUpload } from "../../supabase/functions/storage/uploads.ts";
import { eventually } from "../support/eventually.ts";
import { IMAGE_TYPES, picture, put } from "../support/files.ts";
import { type Person, signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { stack } from "../support/stack.ts";
import { ask, bearer, jsonBody, replyOf } from "./client.ts";
import { inDatabase } from "./lots.ts";
import { awayStorage, service, storage, storageWith } from "./object_storage.ts";

const SIZE = 400;
const wish = { file_name: "IMG 1.png", file_size: SIZE, mime_type: "image/png", category: "review" };

const post = (user: Person, body: unknown, headers: Record<string, string> = {}) =>
  ask("/storage/upload-url", { method: "POST", ...jsonBody(body, { ...bearer(user.token), ...headers }) });
const begin = async (user: Person, more: Record<string, unknown> = {}) =>
  await replyOf(createUpload, await post(user, { ...wish, ...more }), Upload);
const statusOf = (asset: string) =>
  inDatabase(async (sql) => (await sql`select status from public.assets where id = ${asset}`)[0]?.["status"]);

const { apiUrl, anonKey, serviceRoleKey } = stack();

/** What an endpoint does with an asset that it is given, as far as the object goes. */
const confirm = ({ id, token }: Person, asset: string) =>
  confirmAsset({ caller: { id, token, assurance: "aal1" }, service, storage }, asset, "review", "photo_asset_id");

Deno.test("uploads: each type gets a URL that takes one PUT, and the file is not readable before it is used", async () => {
  const user = await signUp({ displayName: "山田" });
  for (const type of IMAGE_TYPES) {
    const file = picture(type, SIZE);
    const upload = await begin(user, { mime_type: type, is_public: true });
    assert.equal(upload.expires_in, 600);
    assert.ok(upload.public_url?.endsWith(`/${upload.s3_key}`), String(upload.public_url));
    assert.equal(await put(upload.upload_url, file, type), 200);
    await confirm(user, upload.asset_id);
    assert.equal(await statusOf(upload.asset_id), "placed");
    assert.equal(await put(upload.upload_url, picture(type, SIZE), type), 200);
    for (const bucket of ["assets", "assets-private"]) {
      for (const key of [upload.s3_key, `private/${upload.s3_key}`]) {
        const guess = await fetch(`${apiUrl}/storage/v1/object/public/${bucket}/${key}`);
        await guess.body?.cancel();
        assert.equal(guess.status, 404, `${bucket} ${key}`);
      }
    }
    const read = await fetch(await storage.readUrl(`private/${upload.s3_key}`, 60));
    assert.deepEqual([read.status, read.headers.get("content-type")], [200, type]);
    assert.deepEqual(new Uint8Array(await read.arrayBuffer()), file);
  }
});

Deno.test("uploads: a type has the names that phones and Windows have for it, in any case", async () => {
  const user = await signUp();
  for (
    const [name, type, extension] of [
      ["image/jpg", "image/jpeg", "jpg"],
      ["IMAGE/JPEG", "image/jpeg", "jpg"],
      ["image/heif", "image/heic", "heic"],
      ["Image/HEIF", "image/heic", "heic"],
      ["IMAGE/PNG", "image/png", "png"],
    ] as const
  ) {
    const upload = await begin(user, { mime_type: name });
    assert.ok(upload.s3_key.endsWith(`.${extension}`), upload.s3_key);
    assert.equal(await put(upload.upload_url, picture(type, SIZE), name.toLowerCase()), 200, name);
    await confirm(user, upload.asset_id);
    assert.equal(await statusOf(upload.asset_id), "placed", name);
  }
  for (const name of ["image/jpeg2", "jpg", "image/heif-sequence", "image/jpg; charset=utf-8"]) {
    await assertError(await post(user, { ...wish, mime_type: name }), { code: "validation_error", param: "mime_type" });
  }
});

Deno.test("uploads: curl -T sends a file", async () => {
  const upload = await begin(await signUp());
  const file = await Deno.makeTempFile();
  await Deno.writeFile(file, picture("image/png", SIZE));
  const { stdout } = await new Deno.Command("curl", {
    args: [
      "-s",
      "-o",
      "/dev/null",
      "-w",
      "%{http_code}",
      "-T",
      file,
      "-H",
      "Content-Type: image/png",
      upload.upload_url,
    ],
  }).output();
  assert.equal(new TextDecoder().decode(stdout), "200");
  await Deno.remove(file);
});

Deno.test("uploads: a byte more or less, another type, another key or a changed signature is rejected", async () => {
  const upload = await begin(await signUp());
  const file = picture("image/png", SIZE);
  assert.equal(await put(upload.upload_url, picture("image/png", SIZE + 1), "image/png"), 403);
  assert.equal(await put(upload.upload_url, picture("image/png", SIZE - 1), "image/png"), 403);
  assert.equal(await put(upload.upload_url, file, "image/jpeg"), 403);
  assert.equal(await put(upload.upload_url.replace("/review/", "/support/"), file, "image/png"), 403);
  const signature = new URL(upload.upload_url).searchParams.get("X-Amz-Signature")!;
  const changed = signature.replace(/.$/, (last) => last === "0" ? "1" : "0");
  assert.equal(await put(upload.upload_url.replace(signature, changed), file, "image/png"), 403);
  assert.equal(await put(upload.upload_url, file, "image/png"), 200);
});

Deno.test("uploads: a private file has no public URL, and is read by a signed URL only", async () => {
  const user = await signUp();
  const upload = await begin(user);
  assert.equal(upload.public_url, null);
  assert.equal(await put(upload.upload_url, picture("image/png", SIZE), "image/png"), 200);
  for (const bucket of ["assets", "assets-private"]) {
    const guess = await fetch(`${apiUrl}/storage/v1/object/public/${bucket}/${upload.s3_key}`);
    await guess.body?.cancel();
    assert.equal(guess.status, 404, bucket);
  }
  await confirm(user, upload.asset_id);
  const read = await fetch(await storage.readUrl(upload.s3_key, 60));
  assert.equal((await read.arrayBuffer()).byteLength, SIZE);
});

Deno.test("uploads: a file that is missing, or not as declared, cannot be used until it is uploaded correctly", async () => {
  const user = await signUp();
  const upload = await begin(user);
  const rejection = async () => {
    try {
      await confirm(user, upload.asset_id);
    } catch (error) {
      if (error instanceof ApiError) return [error.code, error.param, error.message] as const;
      throw error;
    }
    return assert.fail("it was expected to be refused");
  };
  const field = ["validation_error", "photo_asset_id"] as const;
  assert.deepEqual(await rejection(), [
    ...field,
    "This file has not been uploaded. Send it with PUT to its `upload_url` first.",
  ]);
  assert.equal(await put(upload.upload_url, picture("image/jpeg", SIZE), "image/png"), 200);
  assert.deepEqual(await rejection(), [
    ...field,
    "The uploaded file is not of the declared type image/png. Upload a valid file.",
  ]);
  assert.equal(await statusOf(upload.asset_id), "pending");
  assert.equal(await put(upload.upload_url, picture("image/png", SIZE), "image/png"), 200);
  await confirm(user, upload.asset_id);
  await confirm(user, upload.asset_id);
  assert.equal(await statusOf(upload.asset_id), "placed");
});

Deno.test("uploads: another user's upload is not checked", async () => {
  const [owner, stranger] = [await signUp(), await signUp()];
  const upload = await begin(owner);
  await put(upload.upload_url, picture("image/png", SIZE), "image/png");
  await confirm(stranger, upload.asset_id);
  assert.equal(await statusOf(upload.asset_id), "pending");
});

Deno.test("uploads: the same request with the same key gets the same URL", async () => {
  const user = await signUp();
  const headers = { "idempotency-key": crypto.randomUUID() };
  const [first, second] = [await post(user, wish, headers), await post(user, wish, headers)];
  assert.equal(second.headers.get("idempotent-replayed"), "true");
  assert.deepEqual(await second.json(), await first.json());
});

Deno.test("POST /storage/upload-url: the 21st upload that nothing uses is rejected with 409 conflict", async () => {
  const user = await signUp();
  const statuses = await Promise.all(Array.from({ length: 25 }, async () => {
    const answer = await post(user, { ...wish, category: "avatar" });
    await answer.body?.cancel();
    return answer.status;
  }));
  assert.equal(statuses.filter((status) => status === 201).length, 20);
  const beyond = await post(user, wish);
  const { error } = await beyond.clone().json();
  assert.equal(error.details.reason, "too_many_unattached_uploads");
  assert.deepEqual([error.details.max_uploads, error.details.max_bytes], [20, 104_857_600]);
  await assertError(beyond, { code: "conflict" });
});

Deno.test("uploads: an upload that is not allowed is rejected with its field", async () => {
  const user = await signUp();
  const wrong: [Record<string, unknown>, string, string?][] = [
    [{ file_size: 0 }, "file_size", "too_small"],
    [{ file_size: 10 * 1024 * 1024 + 1 }, "file_size", "too_big"],
    [{ file_size: 1.5 }, "file_size", "invalid_type"],
    [{ file_name: "" }, "file_name", "too_small"],
    [{ file_name: "a".repeat(256) }, "file_name", "too_big"],
    [{ mime_type: "image/gif" }, "mime_type", "invalid_value"],
    [{ category: "video" }, "category", "invalid_value"],
    [{ category: "session_photo", is_public: true }, "is_public"],
    [{ entity_type: "review" }, "entity_id"],
    [{ entity_id: user.id }, "entity_type"],
    [{ entity_type: "Review", entity_id: user.id }, "entity_type", "invalid_format"],
  ];
  for (const [change, param, field] of wrong) {
    const expected = { code: "validation_error", param, ...(field === undefined ? {} : { field }) } as const;
    await assertError(await post(user, { ...wish, ...change }), expected);
  }
});

Deno.test("uploads: lots' pictures are for administrators of lots, and a suspended user uploads nothing", async () => {
  const [user, admin] = [await signUp(), await signUp({ appMetadata: { admin: { name: "A", areas: ["lots"] } } })];
  await assertError(await post(user, { ...wish, category: "parking_lot" }), { code: "forbidden" });
  const upload = await begin(admin, { category: "parking_lot", is_public: true });
  assert.match(upload.s3_key, /^parking_lot\//);
  await inDatabase((sql) => sql`update public.app_users set status = 'suspended' where id = ${user.id}`);
  await assertError(await post(user, wish), { code: "forbidden" });
});

Deno.test("uploads: the sweep deletes objects and then their rows, and a second sweep does nothing", async () => {
  const user = await signUp();
  const sweep = () => ask("/storage/sweep", { method: "POST", headers: bearer(serviceRoleKey) });
  const uploads = [await begin(user), await begin(user, { is_public: true }), await begin(user)];
  for (const { upload_url } of uploads.slice(0, 2)) {
    assert.equal(await put(upload_url, picture("image/png", SIZE), "image/png"), 200);
  }
  await confirm(user, uploads[0]!.asset_id);
  const kept = await begin(user);
  await put(kept.upload_url, picture("image/png", SIZE), "image/png");
  await confirm(user, kept.asset_id);
  const ids = uploads.map(({ asset_id }) => asset_id);
  await inDatabase((sql) =>
    sql`select private.detach_assets(array_agg(id)) from public.assets where id in ${sql(ids)}`
  );
  // The platform's own job may sweep at the same moment: the first one deletes.
  await eventually(async () => {
    assert.equal((await sweep()).status, 200);
    const left = await inDatabase((sql) => sql`select from public.assets where id in ${sql(ids)}`);
    return left.length === 0 ? true : undefined;
  });
  for (const { s3_key } of uploads) {
    for (const key of [incomingKey(s3_key), originalKey(s3_key)]) assert.equal(await storage.head(key), null);
  }
  assert.equal((await storage.head(kept.s3_key))?.size, SIZE);
  assert.equal(await statusOf(kept.asset_id), "placed");
  assert.equal((await replyOf(sweepStorage, await sweep(), Sweep)).failed, 0);
});

Deno.test("uploads: the database job calls the function, which deletes the queued objects", async () => {
  const upload = await begin(await signUp());
  assert.equal(await put(upload.upload_url, picture("image/png", SIZE), "image/png"), 200);
  await inDatabase((sql) => sql`select private.detach_assets(array[${upload.asset_id}]::uuid[])`);
  await inDatabase((sql) => sql`select private.call_consumers()`);
  await eventually(async () => await statusOf(upload.asset_id) === undefined ? true : undefined);
  assert.equal(await storage.head(incomingKey(upload.s3_key)), null);
});

Deno.test("storage: the uploaded object is deleted when its URL has expired; the checked copy stays", async () => {
  const user = await signUp();
  const upload = await begin(user);
  assert.equal(await put(upload.upload_url, picture("image/png", SIZE), "image/png"), 200);
  await confirm(user, upload.asset_id);
  await inDatabase(async (sql) => {
    const [message] = await sql<{ msg_id: string; minutes: number }[]>`
      select msg_id, round(extract(epoch from vt - now()) / 60)::integer as minutes from pgmq.q_object_deletion
      where message = ${sql.json({ storage_key: incomingKey(upload.s3_key) })}`;
    assert.equal(message!.minutes, 15);
    await sql`select pgmq.set_vt('object_deletion', ${message!.msg_id}::bigint, 0)`;
  });
  await eventually(async () => {
    await (await ask("/storage/sweep", { method: "POST", headers: bearer(serviceRoleKey) })).body?.cancel();
    return await storage.head(incomingKey(upload.s3_key)) === null ? true : undefined;
  });
  assert.equal((await storage.head(originalKey(upload.s3_key)))?.size, SIZE);
  assert.equal(await statusOf(upload.asset_id), "placed");
});

Deno.test("uploads: a message without an object becomes dead and does not block the others", async () => {
  const upload = await begin(await signUp());
  await inDatabase(async (sql) => {
    const poison = await sql<{ id: string }[]>`
      select pgmq.send('object_deletion', m::jsonb) as id
      from unnest(array['null', '[]', '{}', '{"storage_key": null}', '{"storage_key": ""}', '{"storage_key": 5}']) as m`;
    const ids = poison.map(({ id }) => id);
    const dueAgain = () =>
      sql`select pgmq.set_vt('object_deletion', msg_id, 0) from pgmq.q_object_deletion where msg_id in ${sql(ids)}`;
    await sql`select private.detach_assets(array[${upload.asset_id}]::uuid[])`;
    await eventually(async () => {
      const swept = await ask("/storage/sweep", { method: "POST", headers: bearer(serviceRoleKey) });
      assert.equal(swept.status, 200, await swept.text());
      return await statusOf(upload.asset_id) === undefined ? true : undefined;
    });
    await eventually(async () => {
      await dueAgain();
      await (await ask("/storage/sweep", { method: "POST", headers: bearer(serviceRoleKey) })).body?.cancel();
      const dead = await sql`
        select from private.dead_messages where queue = 'object_deletion' and msg_id in ${sql(ids)}`;
      return dead.length === ids.length ? true : undefined;
    });
  });
});

Deno.test("uploads: only the service may sweep", async () => {
  const { token } = await signUp();
  for (const headers of [{}, bearer(anonKey)]) {
    await assertError(await ask("/storage/sweep", { method: "POST", headers }), { code: "unauthorized" });
  }
  await assertError(await ask("/storage/sweep", { method: "POST", headers: bearer(token) }), { code: "forbidden" });
});

Deno.test("object storage: a failed delete leaves the object, and a failed copy makes no copy", async () => {
  assert.equal(await awayStorage.delete("review/a.png"), false);
  assert.equal(await awayStorage.copy("private/review/a.png", "review/a.png", '"a"'), null);
  const denied = storageWith({ secretAccessKey: "guess" });
  assert.equal(await denied.delete("review/a.png"), false);
  assert.equal(await denied.copy("private/review/a.png", "review/a.png", '"a"'), null);
  assert.equal(await storage.copy("private/review/a.png", "review/a.png", '"a"'), "changed");
  assert.equal(await storage.delete("review/nothing.png"), true);
});
