import type { z } from "zod";
import { route, routesOf } from "../_shared/http/route.ts";
import {
  CancelledSession,
  FinalizedSession,
  FinalizeSession,
  NewSession,
  SessionParams,
  StartedSession,
} from "../_shared/schema/parking_sessions.ts";

export const startSession = route({
  method: "POST",
  path: "/parking-sessions",
  access: "user",
  summary: "Start a session",
  description: "At most one session runs at a time: a second is `concurrent_session_not_allowed`, with its " +
    "`details.session_id`. A `client_request_id` that was used before answers 200 with the session that it started.",
  body: NewSession,
  reply: [201, StartedSession],
  alternateStatus: 200,
  replyStatus: ({ is_new }) => is_new ? 201 : 200,
  errors: ["not_found", "lot_not_found", "concurrent_session_not_allowed"],
  handle: ({ db, body }) => db.rpc<z.input<typeof StartedSession> & { is_new: boolean }>("start_parking_session", body),
});

export const finalizeSession = route({
  method: "POST",
  path: "/parking-sessions/{id}/finalize",
  access: "user",
  summary: "End a session",
  description:
    "The fee is the one that calc-fee tells for the same times, and is kept with its breakdown: a later price " +
    "alters nothing. Where calc-fee would answer `fee_unknown` the session ends all the same, with `total_amount` null " +
    "and the reason in `breakdown.refusal`. Sent again with the same `client_request_id` it answers the same; otherwise " +
    "a session that is not `parking` is `conflict`, with `details.reason` `session_ended` or `session_cancelled`.",
  params: SessionParams,
  body: FinalizeSession,
  reply: [200, FinalizedSession],
  errors: ["not_found", "lot_not_found", "conflict"],
  handle: ({ db, params, body }) => db.rpc("finalize_parking_session", { id: params.id, ...body }),
});

export const cancelSession = route({
  method: "POST",
  path: "/parking-sessions/{id}/cancel",
  access: "user",
  summary: "Cancel a session",
  description: "Within 5 minutes of the start; later it is `conflict`, with `details.reason` `too_late`, and " +
    "`session_ended` when it has ended. A cancelled session answers the same again.",
  params: SessionParams,
  reply: [200, CancelledSession],
  errors: ["not_found", "conflict"],
  handle: ({ db, params }) => db.rpc("cancel_parking_session", { id: params.id }),
});

export const routes = routesOf({ startSession, finalizeSession, cancelSession });
