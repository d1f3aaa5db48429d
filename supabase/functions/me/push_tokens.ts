import { route } from "../_shared/http/route.ts";
import { NewPushToken, PushTokenParams, UserPushToken } from "../_shared/schema/notifications.ts";
import { Nothing } from "../_shared/schema/values.ts";

export const putPushToken = route({
  method: "PUT",
  path: "/me/push-tokens",
  access: "user",
  summary: "Register the caller's device",
  description:
    "A device belongs to the one who registered it last: whoever had it before gets nothing on it any more. " +
    "A person has at most 20; beyond, the one that was registered longest ago is forgotten.",
  body: NewPushToken,
  reply: [200, UserPushToken],
  errors: [],
  handle: ({ db, body }) => db.rpc("put_my_push_token", body),
});

export const deletePushToken = route({
  method: "DELETE",
  path: "/me/push-tokens/{id}",
  access: "user",
  summary: "Forget the caller's device",
  description: "At sign-out, for instance.",
  params: PushTokenParams,
  reply: [204, Nothing],
  errors: ["not_found"],
  handle: ({ db, params }) => db.rpc("delete_my_push_token", { id: params.id }),
});
