// Uploads pictures for API tests.
import { Upload } from "../../supabase/functions/storage/storage.schema.ts";
import type { UploadCategory } from "../../supabase/functions/_shared/storage/assets.ts";
import { createUpload } from "../../supabase/functions/storage/uploads.ts";
import assert from "node:assert/strict";
import { picture, put } from "../support/files.ts";
import type { Person } from "../support/people.ts";
import { ask, bearer, jsonBody, replyOf } from "./client.ts";

/** A JPEG in object storage that nothing uses yet; the id of its asset. */
export async function uploaded(
  { token }: Person,
  category: UploadCategory,
  bytes: Uint8Array<ArrayBuffer> = picture("image/jpeg"),
): Promise<string> {
  const said = { file_name: "IMG_1.jpg", file_size: bytes.length, mime_type: "image/jpeg", category };
  const answer = await ask("/storage/upload-url", { method: "POST", ...jsonBody(said, bearer(token)) });
  const { upload_url, asset_id } = await replyOf(createUpload, answer, Upload);
  assert.equal(await put(upload_url, bytes, "image/jpeg"), 200);
  return asset_id;
}
