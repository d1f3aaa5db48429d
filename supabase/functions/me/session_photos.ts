import type { z } from "zod";
import { CONFIRM_ASSET_CALLS, confirmAsset, URL_SECONDS } from "../_shared/storage/assets.ts";
import { route } from "../_shared/http/route.ts";
import type { ObjectStorage } from "../_shared/storage/object_storage.ts";
import { NewPhoto, PhotoParams, SessionPhoto } from "../_shared/schema/parking_sessions.ts";
import { Nothing } from "../_shared/schema/values.ts";

export type StoredPhoto = Omit<z.input<typeof SessionPhoto>, "url">;

export async function withPhotoUrl(storage: ObjectStorage, photo: StoredPhoto): Promise<z.input<typeof SessionPhoto>> {
  return { ...photo, url: await storage.readUrl(photo.storage_key, URL_SECONDS) };
}

export const putSessionPhoto = route({
  method: "PUT",
  path: "/me/parking-sessions/{id}/photos/{phase}/{slot}",
  access: "user",
  summary: "Set the photo in a slot of a session",
  description:
    "Upload the photo first (`POST /v1/storage/upload-url`, category `session_photo`). The previous photo in the " +
    "slot is deleted.",
  params: PhotoParams,
  body: NewPhoto,
  reply: [200, SessionPhoto],
  errors: ["not_found"],
  calls: ["put_my_session_photo", ...CONFIRM_ASSET_CALLS],
  uses: ["storage"],
  handle: async (context) => {
    const { db, params, body, storage } = context;
    await confirmAsset(context, body.asset_id, "session_photo");
    return await withPhotoUrl(
      storage,
      await db.rpc<StoredPhoto>("put_my_session_photo", { ...params, asset_id: body.asset_id }),
    );
  },
});

export const deleteSessionPhoto = route({
  method: "DELETE",
  path: "/me/parking-sessions/{id}/photos/{phase}/{slot}",
  access: "user",
  summary: "Delete the photo in a slot of a session",
  description: "Returns 404 if the slot is empty.",
  params: PhotoParams,
  reply: [204, Nothing],
  errors: ["not_found"],
  calls: "delete_my_session_photo",
});
