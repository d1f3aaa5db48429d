// Many photos for one slot of a session at once, uploaded and put there through HTTP.
import assert from "node:assert/strict";
import { Upload } from "../../supabase/functions/storage/storage.schema.ts";
import { createUpload } from "../../supabase/functions/storage/uploads.ts";
import { ParkingSessionDetail, SessionPhoto } from "../../supabase/functions/_shared/schema/parking_sessions.ts";
import { readMySession } from "../../supabase/functions/me/parking_sessions.ts";
import { putSessionPhoto } from "../../supabase/functions/me/session_photos.ts";
import { ask, bearer, jsonBody, replyOf } from "../api/client.ts";
import { inDatabase } from "../api/lots.ts";
import { aPricedLot, post } from "../api/sessions.ts";
import { picture, put } from "../support/files.ts";
import { type Person, signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";

/** As many as may wait to be attached. */
const MANY = 20;

/** A JPEG in object storage that nothing uses yet; the id of its asset. */
async function upload({ token }: Person, bytes = picture("image/jpeg")): Promise<string> {
  const said = {
    file_name: "IMG_1.jpg",
    file_size: bytes.length,
    mime_type: "image/jpeg",
    category: "session_photo",
  };
  const answer = await ask("/storage/upload-url", { method: "POST", ...jsonBody(said, bearer(token)) });
  const { upload_url, asset_id } = await replyOf(createUpload, answer, Upload);
  assert.equal(await put(upload_url, bytes, "image/jpeg"), 200);
  return asset_id;
}

async function aSession({ token }: Person): Promise<string> {
  const answer = await post("", token, { parking_lot_id: await aPricedLot() });
  return (await answer.json()).session_id;
}

const putPhoto = ({ token }: Person, session: string, place: string, asset_id: string) =>
  ask(`/me/parking-sessions/${session}/photos/${place}`, { method: "PUT", ...jsonBody({ asset_id }, bearer(token)) });

const detail = async ({ token }: Person, session: string) =>
  await replyOf(
    readMySession,
    await ask(`/me/parking-sessions/${session}`, { headers: bearer(token) }),
    ParkingSessionDetail,
  );

Deno.test("session photos: a photo is uploaded, put into its slot, read by its address, and deleted", async () => {
  const user = await signUp();
  const [session, bytes] = [await aSession(user), picture("image/jpeg", 3000)];
  const asset = await upload(user, bytes);
  const photo = await replyOf(putSessionPhoto, await putPhoto(user, session, "during/3", asset), SessionPhoto);
  assert.deepEqual(
    [photo.phase, photo.slot, photo.content_type, photo.size_bytes],
    ["during", 3, "image/jpeg", 3000],
  );
  const { photos: [visible] } = await detail(user, session);
  assert.equal(visible!.id, photo.id);
  const read = await fetch(visible!.url);
  assert.deepEqual(new Uint8Array(await read.arrayBuffer()), bytes);
  const deleted = await ask(`/me/parking-sessions/${session}/photos/during/3`, {
    method: "DELETE",
    headers: bearer(user.token),
  });
  assert.deepEqual([deleted.status, await deleted.text()], [204, ""]);
  assert.deepEqual((await detail(user, session)).photos, []);
});

Deno.test("session photos: a file that was not uploaded, belongs to another user or is in use is rejected", async () => {
  const [user, stranger] = [await signUp(), await signUp()];
  const session = await aSession(user);
  const said = { file_name: "a.jpg", file_size: 200, mime_type: "image/jpeg", category: "session_photo" };
  const answer = await ask("/storage/upload-url", { method: "POST", ...jsonBody(said, bearer(user.token)) });
  const { asset_id } = await replyOf(createUpload, answer, Upload);
  const missing = { code: "validation_error", param: "asset_id" } as const;
  await assertError(await putPhoto(user, session, "after/1", asset_id), missing);
  const unknown = { code: "not_found", param: "asset_id" } as const;
  await assertError(await putPhoto(user, session, "after/1", await upload(stranger)), unknown);
  const used = await upload(user);
  await putPhoto(user, session, "after/1", used);
  await assertError(await putPhoto(user, session, "after/2", used), unknown);
  for (const [place, param] of [["before/1", "phase"], ["after/5", "slot"], ["after/1.5", "slot"]] as const) {
    await assertError(await putPhoto(user, session, place, used), { code: "validation_error", param });
  }
});

Deno.test(`session photos: of ${MANY} photos for one slot at once one is stored, and the files of the others are deleted`, async () => {
  const user = await signUp();
  const session = await aSession(user);
  const assets = await Promise.all(Array.from({ length: MANY }, () => upload(user)));
  const answers = await Promise.all(assets.map((asset) => putPhoto(user, session, "during/1", asset)));
  for (const answer of answers) {
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
  }
  const { photos } = await detail(user, session);
  assert.equal(photos.length, 1);
  const kept = await inDatabase((sql) =>
    sql<{ id: string }[]>`
      select id from public.assets where id = any (${assets}::uuid[]) and deleted_at is null`
  );
  assert.deepEqual(kept.map(({ id }) => id), photos.map(({ asset_id }) => asset_id));
});
