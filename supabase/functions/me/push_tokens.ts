import { route } from "../_shared/http/route.ts";
import { NewPushToken, PushTokenParams, UserPushToken } from "../_shared/schema/notifications.ts";
import { Nothing } from "../_shared/schema/values.ts";

export const putPushToken = route({
  method: "PUT",
  path: "/me/push-tokens",
  access: "user",
  summary: "Register the caller's device",
  description:
    "A device belongs to the user who registered it last. The previous user no longer receives pushes on it. A " +
    "user has at most 20 devices. Registering another one removes the oldest registration.",
  body: NewPushToken,
  reply: [200, UserPushToken],
  errors: [],
  calls: "put_my_push_token",
});

export const deletePushToken = route({
  method: "DELETE",
  path: "/me/push-tokens/{id}",
  access: "user",
  summary: "Unregister the caller's device",
  description: "For example at sign-out.",
  params: PushTokenParams,
  reply: [204, Nothing],
  errors: ["not_found"],
  calls: "delete_my_push_token",
});
