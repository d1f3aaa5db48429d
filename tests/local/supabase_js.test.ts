// The platform's client, unmodified, against the platform: the version of today, and one that apps in the field still have.
import { strict as assert } from "node:assert";
import { createClient, FunctionRegion } from "@supabase/supabase-js";
import postgres from "postgres";
import { createClient as createOldClient } from "supabase-js-2.39";
import { eventually } from "../support/eventually.ts";
import { stack } from "../support/stack.ts";

const options = { auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false } };

function client() {
  return createClient(stack().apiUrl, stack().publishableKey, options);
}

function service() {
  return createClient(stack().apiUrl, stack().secretKey, options);
}

function credentials() {
  return { email: `${crypto.randomUUID()}@example.com`, password: "password one" };
}

/** The data of an answer that must be a success. */
function data<Answer extends { data: unknown; error: unknown }>(
  answer: Answer,
): Extract<Answer, { error: null }>["data"] {
  assert.equal(answer.error, null);
  return answer.data;
}

Deno.test("local auth: a user signs up, signs out, signs in and changes the password, and the old one is rejected", async () => {
  const supabase = client();
  const { email, password } = credentials();
  const { user } = data(await supabase.auth.signUp({ email, password, options: { data: { display_name: "Hana" } } }));
  assert.equal(user?.user_metadata["display_name"], "Hana");
  assert.equal((await supabase.auth.signOut()).error, null);
  data(await supabase.auth.signInWithPassword({ email, password }));
  data(await supabase.auth.updateUser({ password: "password two" }));
  const { error } = await client().auth.signInWithPassword({ email, password });
  assert.equal(error?.code, "invalid_credentials");
  data(await client().auth.signInWithPassword({ email, password: "password two" }));
});

Deno.test("local auth: an access token has the claims of a hosted project", async () => {
  const { session, user } = data(await client().auth.signUp(credentials()));
  const claims = JSON.parse(atob(session!.access_token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")));
  assert.equal(claims.iss, `${stack().apiUrl}/auth/v1`);
  assert.equal(claims.sub, user!.id);
  assert.equal(claims.aud, "authenticated");
  assert.equal(claims.role, "authenticated");
  assert.equal(claims.exp - claims.iat, 3600);
  assert.equal(claims.aal, "aal1");
  assert.deepEqual(claims.app_metadata, { provider: "email", providers: ["email"] });
});

Deno.test("local auth: a refresh returns a new token pair, and an old refresh token ends the session", async () => {
  const supabase = client();
  const first = data(await supabase.auth.signUp(credentials())).session!;
  const second = data(await supabase.auth.refreshSession(first)).session!;
  assert.notEqual(second.refresh_token, first.refresh_token);
  const third = data(await supabase.auth.refreshSession(second)).session!;
  // Within ten seconds it would be taken for a client that lost the answer.
  const sql = postgres(stack().dbUrl, { max: 1 });
  await sql`update auth.refresh_tokens set updated_at = now() - interval '1 minute' where token = ${first.refresh_token}`;
  await sql.end();
  const reused = await client().auth.refreshSession(first);
  assert.equal(reused.error?.code, "refresh_token_already_used");
  assert.notEqual((await client().auth.refreshSession(third)).error, null);
});

Deno.test("local auth: two concurrent refreshes with one token return the same session", async () => {
  const { session } = data(await client().auth.signUp(credentials()));
  const answers = await Promise.all([client(), client()].map((one) => one.auth.refreshSession(session!)));
  const tokens = answers.map((answer) => data(answer).session!.refresh_token);
  assert.equal(tokens[0], tokens[1]);
});

Deno.test("local auth: after sign-out the refresh token and the access token are rejected", async () => {
  const supabase = client();
  const { session } = data(await supabase.auth.signUp(credentials()));
  assert.equal((await supabase.auth.signOut()).error, null);
  assert.equal((await client().auth.refreshSession(session!)).error?.code, "refresh_token_not_found");
  assert.equal((await client().auth.getUser(session!.access_token)).error?.name, "AuthSessionMissingError");
});

Deno.test("supabase-js: rpc runs as the signed-in user, and as anon without a session", async () => {
  const supabase = client();
  const refused = await supabase.schema("api").rpc("my_account");
  assert.equal(refused.error?.code, "42501");
  assert.equal(refused.status, 401);
  const { user } = data(await supabase.auth.signUp(credentials()));
  assert.equal(data(await supabase.schema("api").rpc("my_account")).user_id, user!.id);
});

Deno.test("supabase-js: functions.invoke calls a function as the signed-in user", async () => {
  const supabase = client();
  const { user } = data(await supabase.auth.signUp(credentials()));
  assert.equal(data(await supabase.functions.invoke("me", { method: "GET" })).user_id, user!.id);
});

Deno.test("local auth: the service key creates, reads, lists, updates and deletes users", async () => {
  const { admin } = service().auth;
  const { email, password } = credentials();
  const { user } = data(
    await admin.createUser({
      email,
      password,
      email_confirm: true,
      app_metadata: { plan: "a" },
      user_metadata: { n: 1 },
    }),
  );
  assert.equal(user!.email, email);
  assert.equal(user!.app_metadata["plan"], "a");
  assert.equal(user!.identities?.[0]?.provider, "email");
  data(await client().auth.signInWithPassword({ email, password }));

  assert.equal(data(await admin.getUserById(user!.id)).user!.id, user!.id);
  const page = await admin.listUsers({ page: 1, perPage: 1 });
  assert.equal(data(page).users.length, 1);
  assert.ok("total" in page.data && page.data.total >= 1);

  const moved = `moved-${email}`;
  const changed = data(
    await admin.updateUserById(user!.id, { email: moved, app_metadata: { more: true }, user_metadata: { n: null } }),
  ).user!;
  assert.equal(changed.email, moved);
  assert.deepEqual(changed.app_metadata, { provider: "email", providers: ["email"], plan: "a", more: true });
  assert.equal("n" in changed.user_metadata, false);
  data(await client().auth.signInWithPassword({ email: moved, password }));

  assert.equal((await admin.deleteUser(user!.id)).error, null);
  assert.equal((await admin.getUserById(user!.id)).error?.code, "user_not_found");
});

Deno.test("local auth: creating a user with a taken address or a weak password is rejected", async () => {
  const { admin } = service().auth;
  const { email, password } = credentials();
  data(await admin.createUser({ email, password }));
  assert.equal((await admin.createUser({ email: email.toUpperCase(), password })).error?.code, "email_exists");
  assert.equal((await admin.createUser({ ...credentials(), password: "short" })).error?.code, "weak_password");
  assert.equal((await admin.createUser({ email: "no address", password })).error?.code, "validation_failed");
});

Deno.test("local auth: a banned user cannot sign in or refresh until the ban is lifted", async () => {
  const { admin } = service().auth;
  const { email, password } = credentials();
  const supabase = client();
  const { user, session } = data(await supabase.auth.signUp({ email, password }));
  data(await admin.updateUserById(user!.id, { ban_duration: "1h30m" }));
  assert.equal((await client().auth.signInWithPassword({ email, password })).error?.code, "user_banned");
  assert.equal((await client().auth.refreshSession(session!)).error?.code, "user_banned");
  data(await admin.updateUserById(user!.id, { ban_duration: "none" }));
  data(await client().auth.signInWithPassword({ email, password }));
});

Deno.test("local auth: a user who is banned while signed in is rejected, with a session and with a code", async () => {
  const { admin } = service().auth;
  const { email, password } = credentials();
  const supabase = client();
  const { user } = data(await supabase.auth.signUp({ email, password }));
  const token_hash = crypto.randomUUID();
  const sql = postgres(stack().dbUrl, { max: 1 });
  try {
    await sql`update auth.users set recovery_token = ${token_hash}, recovery_sent_at = now() where id = ${user!.id}`;
    data(await admin.updateUserById(user!.id, { ban_duration: "1h" }));
    for (
      const refused of [
        await supabase.auth.getUser(),
        await supabase.auth.updateUser({ data: { a: 1 } }),
        await client().auth.verifyOtp({ token_hash, type: "email" }),
      ]
    ) assert.deepEqual([refused.error?.status, refused.error?.code], [403, "user_banned"]);
    data(await admin.updateUserById(user!.id, { ban_duration: "none" }));
    data(await supabase.auth.getUser());
    assert.equal(data(await client().auth.verifyOtp({ token_hash, type: "email" })).user?.id, user!.id);
  } finally {
    await sql.end();
  }
});

Deno.test("local auth: a body that is not an object, or with a wrong type, is rejected with bad_json", async () => {
  for (const body of ["null", "[]", '{"email":5,"token":{}}', '{"email":{},"password":5}']) {
    for (const path of ["signup", "token?grant_type=password", "otp", "verify"]) {
      const answer = await fetch(`${stack().apiUrl}/auth/v1/${path}`, {
        method: "POST",
        headers: { apikey: stack().publishableKey, "content-type": "application/json" },
        body,
      });
      assert.deepEqual([answer.status, (await answer.json()).error_code], [400, "bad_json"], `${path} ${body}`);
    }
  }
});

Deno.test("local auth: an invalid ban duration or page number is rejected with validation_failed", async () => {
  const { admin } = service().auth;
  const { email } = credentials();
  const banned = await admin.createUser({ email, ban_duration: "99999999999999h" });
  assert.deepEqual([banned.error?.status, banned.error?.code], [400, "validation_failed"]);
  const far = await admin.listUsers({ page: 1e21, perPage: 1 });
  assert.deepEqual([far.error?.status, far.error?.code], [400, "validation_failed"]);
  data(await admin.listUsers());
});

Deno.test("local auth: only the service key administers users", async () => {
  const supabase = client();
  assert.equal((await supabase.auth.admin.listUsers()).error?.code, "not_admin");
  data(await supabase.auth.signUp(credentials()));
  const asUser = await fetch(`${stack().apiUrl}/auth/v1/admin/users`, {
    headers: {
      apikey: stack().publishableKey,
      authorization: `Bearer ${(await supabase.auth.getSession()).data.session!.access_token}`,
    },
  });
  assert.equal(asUser.status, 403);
  assert.equal((await asUser.json()).error_code, "not_admin");
});

const VERSIONS = {
  "2.119.1": createClient,
  "2.39.8": createOldClient as unknown as typeof createClient,
};

for (const [version, create] of Object.entries(VERSIONS)) {
  const anonymous = () => create(stack().apiUrl, stack().publishableKey, options);

  Deno.test(`supabase-js ${version}: sign-up, sign-in, refresh, change of password and sign-out`, async () => {
    const supabase = anonymous();
    const { email, password } = credentials();
    const { user, session } = data(await supabase.auth.signUp({ email, password }));
    assert.equal(user?.email, email);
    const refreshed = data(await supabase.auth.refreshSession(session!)).session!;
    assert.notEqual(refreshed.refresh_token, session!.refresh_token);
    assert.equal(data(await supabase.auth.getUser()).user?.id, user?.id);
    data(await supabase.auth.updateUser({ password: "password two", data: { display_name: "Hana" } }));
    assert.equal((await supabase.auth.signOut()).error, null);
    const { error } = await anonymous().auth.signInWithPassword({ email, password });
    assert.deepEqual([error?.status, error?.message], [400, "Invalid login credentials"]);
    const again = data(await anonymous().auth.signInWithPassword({ email, password: "password two" }));
    assert.equal(again.user?.user_metadata["display_name"], "Hana");
  });

  Deno.test(`supabase-js ${version}: rpc and functions.invoke act as the caller, in a region of the caller's choice too`, async () => {
    const supabase = anonymous();
    assert.equal((await supabase.schema("api").rpc("my_account")).status, 401);
    const { user } = data(await supabase.auth.signUp(credentials()));
    assert.equal(data(await supabase.schema("api").rpc("my_account")).user_id, user!.id);
    assert.equal(data(await supabase.functions.invoke("me", { method: "GET" })).user_id, user!.id);
    const region = FunctionRegion.ApNortheast1;
    const near = data(await supabase.functions.invoke("me", { method: "GET", region }));
    assert.equal(near.user_id, user!.id);
    const { error } = await supabase.functions.invoke("me", { method: "PATCH", body: { nothing: 1 } });
    assert.equal((await error.context.json()).error.code, "validation_error");
  });

  Deno.test(`supabase-js ${version}: an UPDATE that the caller may not read is an error in the payload, not in the client`, async () => {
    const owner = anonymous();
    const { user } = data(await owner.auth.signUp(credentials()));
    const stranger = anonymous();
    const heard: { eventType: string; new: unknown; old: unknown; errors: string[] | null }[] = [];
    let ready = false;
    stranger.channel("others")
      .on(
        "postgres_changes",
        { event: "*", schema: "public", table: "user_notifications" },
        (payload) => heard.push(payload),
      )
      .on("system", {}, ({ extension, status }: Record<string, string>) => {
        ready ||= extension === "postgres_changes" && status === "ok";
      })
      .subscribe();
    const sql = postgres(stack().dbUrl, { max: 1 });
    try {
      await eventually(() => ready || undefined);
      const [sent] = await sql`
        insert into public.user_notifications (user_id, type, title, body, status, sent_at)
        values (${user!.id}, 'announcement', 'One', 'Two', 'sent', now()) returning id`;
      await sql`update public.user_notifications set read_at = now() where id = ${sent!["id"]}`;
      const update = await eventually(() => heard.find(({ eventType }) => eventType === "UPDATE"));
      assert.deepEqual([update.new, update.old, update.errors], [{}, {}, ["Error 401: Unauthorized"]]);
    } finally {
      await sql.end();
      await stranger.removeAllChannels();
    }
  });
}

Deno.test("local auth: an invalid address has the hosted message, wherever it is sent", async () => {
  const invalid = [400, "validation_failed", "Unable to validate email address: invalid format"];
  const email = "not an address";
  const { auth: { admin } } = service();
  const answers = await Promise.all([
    client().auth.signUp({ email, password: "password one" }),
    client().auth.signInWithOtp({ email }),
    client().auth.resetPasswordForEmail(email),
    admin.createUser({ email }),
    admin.inviteUserByEmail(email),
    admin.generateLink({ type: "signup", email, password: "password one" }),
  ]);
  for (const { error } of answers) assert.deepEqual([error?.status, error?.code, error?.message], invalid);
  // The password is checked first.
  const weak = await client().auth.signUp({ email, password: "short" });
  assert.equal(weak.error?.code, "weak_password");
});

Deno.test("local auth: a link that the service generates signs in by its hash and by its code, and no mail is sent", async () => {
  const { auth: { admin } } = service();
  const { email, password } = credentials();
  const signup = data(await admin.generateLink({ type: "signup", email, password, options: { data: { plan: "a" } } }));
  assert.deepEqual([signup.user.email, signup.user.user_metadata["plan"]], [email, "a"]);
  const { action_link: link, hashed_token, verification_type } = signup.properties;
  assert.equal(verification_type, "signup");
  assert.equal(new URL(link).pathname, "/auth/v1/verify");
  assert.equal(new URL(link).searchParams.get("token"), hashed_token);
  const confirmed = data(await client().auth.verifyOtp({ type: "signup", token_hash: hashed_token }));
  assert.equal(confirmed.user?.id, signup.user.id);
  data(await client().auth.signInWithPassword({ email, password }));

  for (const type of ["magiclink", "recovery"] as const) {
    const { properties } = data(await admin.generateLink({ type, email }));
    data(await client().auth.verifyOtp({ type, email, token: properties.email_otp }));
    assert.notEqual((await client().auth.verifyOtp({ type, email, token: properties.email_otp })).error, null);
  }
  const newEmail = `${crypto.randomUUID()}@example.com`;
  const hashes: string[] = [];
  for (const type of ["email_change_current", "email_change_new"] as const) {
    const { user, properties } = data(await admin.generateLink({ type, email, newEmail }));
    assert.deepEqual([user.email, user.new_email], [email, newEmail]);
    const url = new URL(properties.action_link);
    assert.equal(url.searchParams.get("type"), "email_change");
    hashes.push(url.searchParams.get("token")!);
  }
  const addresses: (string | undefined)[] = [];
  for (const token_hash of hashes) {
    await client().auth.verifyOtp({ type: "email_change", token_hash });
    addresses.push(data(await admin.getUserById(confirmed.user!.id)).user.email);
  }
  assert.deepEqual(addresses, [email, newEmail]);
  // A link to one address alone changes nothing.
  const third = `${crypto.randomUUID()}@example.com`;
  const alone = data(await admin.generateLink({ type: "email_change_new", email: newEmail, newEmail: third }));
  const token_hash = new URL(alone.properties.action_link).searchParams.get("token")!;
  await client().auth.verifyOtp({ type: "email_change", token_hash });
  assert.equal(data(await admin.getUserById(confirmed.user!.id)).user.email, newEmail);
  const mails = await (await fetch(`${stack().apiUrl}/_mail`, { headers: { accept: "application/json" } })).text();
  assert.ok(!mails.includes(email) && !mails.includes(newEmail), "no mail was sent");
});

Deno.test("local auth: links are generated for the service only, and not for unknown or confirmed users", async () => {
  const { auth: { admin } } = service();
  const { email, password } = credentials();
  const { error: denied } = await client().auth.admin.generateLink({ type: "magiclink", email });
  assert.deepEqual([denied?.status, denied?.code], [403, "not_admin"]);
  const unknown = await admin.generateLink({ type: "recovery", email });
  assert.deepEqual([unknown.error?.status, unknown.error?.code], [404, "user_not_found"]);
  const created = data(await admin.generateLink({ type: "magiclink", email }));
  assert.equal(created.properties.verification_type, "signup");
  data(await client().auth.verifyOtp({ type: "signup", token_hash: created.properties.hashed_token }));
  for (const type of ["signup", "invite"] as const) {
    const { error } = await admin.generateLink({ type, email, password } as never);
    assert.deepEqual([error?.status, error?.code], [422, "email_exists"]);
  }
});

Deno.test("local auth: kinds of sign-in that are off are rejected as by a hosted project", async () => {
  const token = "123456";
  const outcomes = [
    await client().auth.verifyOtp({ type: "sms", phone: "+81312345678", token }),
    await client().auth.verifyOtp({ type: "sms", phone: "+8131234567x", token }),
    await client().auth.signInWithIdToken({ provider: "google", token: "x.y.z" }),
    await client().auth.signInAnonymously(),
  ].map(({ error }) => [error?.status, error?.code, error?.message]);
  assert.deepEqual(outcomes, [
    [403, "otp_expired", "Token has expired or is invalid"],
    [400, "validation_failed", "Invalid phone number format (E.164 required)"],
    [400, "provider_disabled", "Provider is not enabled"],
    [422, "anonymous_provider_disabled", "Anonymous sign-ins are disabled"],
  ]);
  const web3 = await fetch(`${stack().apiUrl}/auth/v1/token?grant_type=web3`, {
    method: "POST",
    headers: { apikey: stack().publishableKey, "content-type": "application/json" },
    body: "{}",
  });
  assert.deepEqual([web3.status, (await web3.json()).msg], [422, "Web3 provider is disabled"]);
});
