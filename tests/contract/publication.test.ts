// A picture that cannot be copied to the public bucket at once: the change that attached it is kept, and the job makes the copy.
import assert from "node:assert/strict";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import type { ObjectStorage } from "../../supabase/functions/_shared/storage/object_storage.ts";
import { updateMe } from "../../supabase/functions/me/account.ts";
import { token } from "../support/tokens.ts";
import { databaseError, fakeRest, SECRET } from "./fake_rest.ts";

const USER = "11111111-2222-4333-8444-555555555555";
const AVATAR = "22222222-2222-4333-8444-555555555555";
const account = {
  user_id: USER,
  email: "a@example.com",
  app_user: {
    id: USER,
    display_name: "A",
    lang: "ja",
    status: "active",
    created_at: "2026-09-01T00:00:00+00:00",
    avatar: { storage_key: "avatar/a.png", is_public: false },
  },
  admin: null,
  permission_scopes: ["user"],
};
/** Nothing but addresses to read by is wanted of it. */
const storage = {
  readUrl: (key: string) => Promise.resolve(`https://storage.test/${key}`),
} as unknown as ObjectStorage;

Deno.test("PATCH /me: an avatar whose public copy fails is attached, with a signed URL meanwhile", async () => {
  await using rest = fakeRest(({ name }) =>
    name === "object_publication"
      ? databaseError(503, "57P03", "the database system is starting up")
      : Response.json(name === "update_my_account" ? account : null)
  );
  const { fetch } = createApp([updateMe], { config: () => rest.config, log: () => {}, storage: () => storage });
  const response = await fetch(
    new Request("http://localhost/me", {
      method: "PATCH",
      headers: { authorization: `Bearer ${token(USER, { secret: SECRET })}`, "content-type": "application/json" },
      body: JSON.stringify({ avatar_asset_id: AVATAR }),
    }),
  );
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.match(JSON.parse(text).app_user.avatar_url, /^https:\/\/storage\.test\//);
});
