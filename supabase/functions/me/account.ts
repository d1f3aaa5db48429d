import type { z } from "zod";
import { route } from "../_shared/http/route.ts";
import { Me, MeUpdate, MyData } from "../_shared/schema/me.ts";
import { Nothing } from "../_shared/schema/values.ts";

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

export const withdraw = route({
  method: "POST",
  path: "/me/withdraw",
  access: "user",
  summary: "End the caller's account",
  description:
    "For good. Name, e-mail, vehicles, memos, devices and files go; reviews and visits stay without the person. Nobody " +
    "signs in or refreshes any more; a token that is still valid is answered `forbidden`, but for `GET /v1/me`.",
  reply: [204, Nothing],
  refusals: [],
  handle: ({ db }) => db.rpc("withdraw_my_account"),
});

export const exportMyData = route({
  method: "GET",
  path: "/me/export",
  access: "user",
  summary: "Export all that is held about the caller",
  reply: [200, MyData],
  refusals: [],
  cache: { scope: "private", maxAge: 0 },
  handle: async ({ db }) => ({
    exported_at: new Date().toISOString(),
    ...await db.rpc<Omit<z.input<typeof MyData>, "exported_at">>("export_my_data"),
  }),
});
