import type { z } from "zod";
import { route } from "../_shared/http/route.ts";
import {
  CurrentSession,
  ParkingSession,
  ParkingSessionDetail,
  ParkingSessions,
  SessionParams,
  SessionsQuery,
  SessionUpdate,
} from "../_shared/schema/parking_sessions.ts";
import { type StoredPhoto, withPhotoUrl } from "./session_photos.ts";

type StoredDetail = Omit<z.input<typeof ParkingSessionDetail>, "photos"> & { photos: StoredPhoto[] };

export const listMySessions = route({
  method: "GET",
  path: "/me/parking-sessions",
  access: "user",
  summary: "List the caller's sessions",
  description: "Newest first.",
  query: SessionsQuery,
  reply: [200, ParkingSessions],
  errors: [],
  calls: "list_my_parking_sessions",
});

export const readCurrentSession = route({
  method: "GET",
  path: "/me/parking-sessions/current",
  access: "user",
  summary: "Get the caller's running session with its fee meter",
  description:
    "If the fee is unknown (`fee_unknown` of calc-fee), `meter` contains the `refusal`. Returns 404 `not_found` " +
    "without a running session.",
  reply: [200, CurrentSession],
  errors: ["not_found", "lot_not_found"],
  cache: { scope: "private", maxAge: 0 },
  calls: "my_current_parking_session",
});

export const readMySession = route({
  method: "GET",
  path: "/me/parking-sessions/{id}",
  access: "user",
  summary: "Get a session with its fee breakdown and photos",
  description: "`rules` are the pricing rules that applied to the session. Photos with the phase `during` come " +
    "first.",
  params: SessionParams,
  reply: [200, ParkingSessionDetail],
  errors: ["not_found"],
  calls: "my_parking_session",
  uses: ["storage"],
  handle: async ({ db, params, storage }) => {
    const { photos, ...session } = await db.rpc<StoredDetail>("my_parking_session", { id: params.id });
    return { ...session, photos: await Promise.all(photos.map((photo) => withPhotoUrl(storage, photo))) };
  },
});

export const updateMySession = route({
  method: "PATCH",
  path: "/me/parking-sessions/{id}",
  access: "user",
  summary: "Update the notes of a session",
  description: "Null or an empty text removes a note. An omitted field stays as it is. Sessions of any status can be " +
    "updated.",
  params: SessionParams,
  body: SessionUpdate,
  reply: [200, ParkingSession],
  errors: ["not_found"],
  calls: "update_my_parking_session",
  handle: ({ db, params, body: { memo, personal_rating } }) =>
    // For the database, null is an omitted field, and an empty text clears the field.
    db.rpc("update_my_parking_session", {
      id: params.id,
      memo: memo === null ? "" : memo,
      personal_rating: personal_rating === null ? "" : personal_rating,
    }),
});
