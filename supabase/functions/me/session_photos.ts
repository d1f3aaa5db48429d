import type { z } from "zod";
import { confirmAsset, URL_SECONDS } from "../_shared/assets.ts";
import { route } from "../_shared/http/route.ts";
import type { ObjectStorage } from "../_shared/providers/object_storage.ts";
import {
  NewPhoto,
  ParkingSessionDetail,
  PhotoParams,
  SessionParams,
  SessionPhoto,
} from "../_shared/schema/parking_sessions.ts";
import { Nothing } from "../_shared/schema/values.ts";

type Stored = Omit<z.input<typeof SessionPhoto>, "url">;
type StoredDetail = Omit<z.input<typeof ParkingSessionDetail>, "photos"> & { photos: Stored[] };

const readable = async (storage: ObjectStorage, photo: Stored) => ({
  ...photo,
  url: await storage.readUrl(photo.storage_key, URL_SECONDS),
});

export const readMySession = route({
  method: "GET",
  path: "/me/parking-sessions/{id}",
  access: "user",
  summary: "Read a session: what it cost line by line, and its photos",
  params: SessionParams,
  reply: [200, ParkingSessionDetail],
  errors: ["not_found"],
  handle: async ({ db, params, storage }) => {
    const { photos, ...session } = await db.rpc<StoredDetail>("my_parking_session", { id: params.id });
    return { ...session, photos: await Promise.all(photos.map((photo) => readable(storage, photo))) };
  },
});

export const putSessionPhoto = route({
  method: "PUT",
  path: "/me/parking-sessions/{id}/photos/{phase}/{slot}",
  access: "user",
  summary: "Put a photo into a slot of a session",
  description:
    "The photo is uploaded first (`POST /v1/storage/upload-url`, category `session_photo`). What lay in the " +
    "slot is deleted.",
  params: PhotoParams,
  body: NewPhoto,
  reply: [200, SessionPhoto],
  errors: ["not_found"],
  handle: async (work) => {
    const { db, params, body, storage } = work;
    await confirmAsset(work, body.asset_id, "session_photo");
    return await readable(
      storage,
      await db.rpc<Stored>("put_my_session_photo", { ...params, asset_id: body.asset_id }),
    );
  },
});

export const deleteSessionPhoto = route({
  method: "DELETE",
  path: "/me/parking-sessions/{id}/photos/{phase}/{slot}",
  access: "user",
  summary: "Delete the photo in a slot of a session",
  params: PhotoParams,
  reply: [204, Nothing],
  errors: ["not_found"],
  handle: ({ db, params }) => db.rpc("delete_my_session_photo", params),
});
