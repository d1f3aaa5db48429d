import { route } from "../_shared/http/route.ts";
import { Me, MeUpdate } from "../_shared/schema/me.ts";

export const readMe = route({
  method: "GET",
  path: "/me",
  access: "user",
  summary: "Read the caller's account",
  description: "Answers for suspended and withdrawn accounts too, so that a client can tell its user.",
  reply: [200, Me],
  refusals: [],
  handle: ({ db }) => db.rpc("my_account"),
});

export const updateMe = route({
  method: "PATCH",
  path: "/me",
  access: "user",
  summary: "Update the caller's profile",
  body: MeUpdate,
  reply: [200, Me],
  refusals: [],
  handle: ({ db, body }) => db.rpc("update_my_account", body),
});
