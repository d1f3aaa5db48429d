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
  description:
    "A user has at most one running session. A second one returns 409 `concurrent_session_not_allowed` with " +
    "`details.session_id` of the first. A `client_request_id` that was used before returns 200 with the session that " +
    "it started, or 409 `conflict` for another lot or vehicle.",
  body: NewSession,
  reply: [201, StartedSession],
  alternateStatus: 200,
  replyStatus: ({ is_new }) => is_new ? 201 : 200,
  errors: ["not_found", "lot_not_found", "concurrent_session_not_allowed", "conflict"],
  calls: "start_parking_session",
});

export const finalizeSession = route({
  method: "POST",
  path: "/parking-sessions/{id}/finalize",
  access: "user",
  summary: "End a session",
  description:
    "The fee is that of calc-fee for the same times; later price changes have no effect. If it is unknown, " +
    "`breakdown.refusal` has the reason. A repeated `client_request_id` returns the same response. Otherwise, if the " +
    "session is not `parking`, the request returns 409 `conflict` with `details.reason` `session_ended` or " +
    "`session_cancelled`.",
  params: SessionParams,
  body: FinalizeSession,
  reply: [200, FinalizedSession],
  errors: ["not_found", "lot_not_found", "conflict"],
  calls: "finalize_parking_session",
});

export const cancelSession = route({
  method: "POST",
  path: "/parking-sessions/{id}/cancel",
  access: "user",
  summary: "Cancel a session",
  description: "Possible within 5 minutes of the start. After that it returns 409 `conflict` with " +
    "`details.reason` `too_late`, or `session_ended` if the session has ended. Cancelling again returns the same response.",
  params: SessionParams,
  reply: [200, CancelledSession],
  errors: ["not_found", "conflict"],
  calls: "cancel_parking_session",
});

export const routes = routesOf({ startSession, finalizeSession, cancelSession });
