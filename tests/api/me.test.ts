import assert from "node:assert/strict";
import postgres from "postgres";
import { Me } from "../../supabase/functions/_shared/schema/me.ts";
import { readMe, updateMe } from "../../supabase/functions/me/account.ts";
import { textLengths } from "../support/cases.ts";
import { signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { stack } from "../support/stack.ts";
import { token } from "../support/tokens.ts";
import { ask, bearer, jsonBody, replyOf } from "./client.ts";

const me = async (access: string) => await replyOf(readMe, await ask("/me", { headers: bearer(access) }), Me);
const rename = async (access: string, body: unknown) =>
  await ask("/me", { method: "PATCH", ...jsonBody(body, bearer(access)) });

async function setStatus(userId: string, status: string): Promise<void> {
  const sql = postgres(stack().dbUrl, { max: 1, onnotice: () => {} });
  try {
    await sql`update public.app_users set status = ${status} where id = ${userId}`;
  } finally {
    await sql.end();
  }
}

Deno.test("me: a new user finds an active account with the scope user", async () => {
  const user = await signUp();
  const { user_id, email, app_user, admin, permission_scopes } = await me(user.token);
  assert.deepEqual({ user_id, email, admin, permission_scopes }, {
    user_id: user.id,
    email: user.email,
    admin: null,
    permission_scopes: ["user"],
  });
  assert.equal(app_user?.id, user.id);
  assert.equal(app_user?.status, "active");
});

Deno.test("me: a display name is stored as others see it and read back, up to 100 characters of any script", async () => {
  const user = await signUp();
  const names = Object.fromEntries(
    ["a", "駐車 太郎", "🚗".repeat(100), "O'Brien; drop table app_users"].map((name) => [name, name]),
  );
  for (const [name, shown] of Object.entries({ ...names, "\u202eright to left": "right to left", " a\nb ": "a b" })) {
    const updated = await replyOf(updateMe, await rename(user.token, { display_name: name }), Me);
    assert.equal(updated.app_user?.display_name, shown);
    assert.deepEqual(await me(user.token), updated);
  }
});

Deno.test("me: the length of a display name counts code points after NFC, of which it has at most 100", async () => {
  const user = await signUp();
  const hangul = { text: "\u1112\u1161\u11ab".repeat(100), length: 100 };
  for (const { text, length } of [...textLengths(), hangul]) {
    const response = await rename(user.token, { display_name: text });
    if (length > 100) await assertError(response, { code: "validation_error", param: "display_name" });
    else assert.equal((await replyOf(updateMe, response, Me)).app_user?.display_name, text.normalize("NFC"));
  }
});

Deno.test("me: a display name that cannot be seen is 422, and the name before stays", async () => {
  const user = await signUp();
  await rename(user.token, { display_name: "before" }).then((response) => response.body?.cancel());
  for (const display_name of [" ", "\u3000", "\n", "\u200b", "\u202e", "\u2800", "\u3164", "\ufe0f", "\u200d"]) {
    await assertError(await rename(user.token, { display_name }), { code: "validation_error", param: "display_name" });
  }
  assert.equal((await me(user.token)).app_user?.display_name, "before");
});

Deno.test("me: a profile update without a field changes nothing", async () => {
  const user = await signUp();
  await rename(user.token, { display_name: "before" }).then((response) => response.body?.cancel());
  const updated = await replyOf(updateMe, await rename(user.token, {}), Me);
  assert.equal(updated.app_user?.display_name, "before");
});

Deno.test("me: an update changes only the caller's account", async () => {
  const [one, other] = [await signUp(), await signUp()];
  const before = await me(other.token);
  await rename(one.token, { display_name: "one" }).then((response) => response.body?.cancel());
  assert.deepEqual(await me(other.token), before);
});

for (const status of ["suspended", "withdrawn"] as const) {
  Deno.test(`me: a ${status} user sees the account's state and is rejected by every other route that needs a user`, async () => {
    const user = await signUp();
    await setStatus(user.id, status);
    assert.equal((await me(user.token)).app_user?.status, status);
    await assertError(await rename(user.token, { display_name: "again" }), { code: "forbidden" });
    const near = await ask("/parking-lots/nearby?lat=35.68&lng=139.76", { headers: bearer(user.token) });
    await assertError(near, { code: "forbidden" });
    assert.equal((await me(user.token)).app_user?.display_name, null);
  });
}

Deno.test("me: a token of a user who does not exist is rejected with 401", async () => {
  const stranger = token(crypto.randomUUID(), { secret: stack().jwtSecret });
  await assertError(await ask("/me", { headers: bearer(stranger) }), { code: "unauthorized" });
});

Deno.test("me: the project's API keys identify no user: 401, as apikey header or as bearer", async () => {
  for (const key of [stack().publishableKey, stack().anonKey, stack().secretKey, stack().serviceRoleKey]) {
    await assertError(await ask("/me", { headers: { apikey: key } }), { code: "unauthorized" });
    await assertError(await ask("/me", { headers: bearer(key) }), { code: "unauthorized" });
  }
});

Deno.test("me: the reply is never cached", async () => {
  const response = await ask("/me", { headers: bearer((await signUp()).token) });
  await response.body?.cancel();
  assert.equal(response.headers.get("cache-control"), "no-store");
});
