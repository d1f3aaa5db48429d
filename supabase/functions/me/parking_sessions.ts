import { route } from "../_shared/http/route.ts";
import {
  ParkingSession,
  ParkingSessions,
  SessionParams,
  SessionsQuery,
  SessionUpdate,
} from "../_shared/schema/parking_sessions.ts";

export const listMySessions = route({
  method: "GET",
  path: "/me/parking-sessions",
  access: "user",
  summary: "List the caller's sessions",
  description: "Newest first.",
  query: SessionsQuery,
  reply: [200, ParkingSessions],
  refusals: [],
  handle: ({ db, query }) => db.rpc("list_my_parking_sessions", query),
});

export const updateMySession = route({
  method: "PATCH",
  path: "/me/parking-sessions/{id}",
  access: "user",
  summary: "Annotate a session",
  params: SessionParams,
  body: SessionUpdate,
  reply: [200, ParkingSession],
  refusals: ["not_found"],
  handle: ({ db, params, body: { memo, personal_rating } }) =>
    // To the database null is a field that is not given, and an empty text one that is taken away.
    db.rpc("update_my_parking_session", {
      id: params.id,
      memo: memo === null ? "" : memo,
      personal_rating: personal_rating === null ? "" : personal_rating,
    }),
});
