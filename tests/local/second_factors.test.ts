// Second factors: the Supabase client, unmodified, against the local auth server.
import { strict as assert } from "node:assert";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import postgres from "postgres";
import { codeAt, isCode, newSecret } from "../../local/auth/totp.ts";
import { stack } from "../support/stack.ts";

const options = { auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false } };

function client(): SupabaseClient {
  return createClient(stack().apiUrl, stack().publishableKey, options);
}

function service(): SupabaseClient {
  return createClient(stack().apiUrl, stack().secretKey, options);
}

/** The data of an answer that must be a success. */
function data<Answer extends { data: unknown; error: unknown }>(
  answer: Answer,
): Extract<Answer, { error: null }>["data"] {
  assert.equal(answer.error, null);
  return answer.data;
}

interface Enrolled {
  readonly supabase: SupabaseClient;
  readonly credentials: { readonly email: string; readonly password: string };
  readonly userId: string;
  readonly factorId: string;
  readonly secret: string;
}

const totp = { factorType: "totp" as const };

/** A new signed-in user, with a factor that is not verified yet. */
async function enrolled(): Promise<Enrolled> {
  const supabase = client();
  const credentials = { email: `${crypto.randomUUID()}@example.com`, password: "password one" };
  const { user } = data(await supabase.auth.signUp(credentials));
  const factor = data(await supabase.auth.mfa.enroll({ ...totp, friendlyName: "Phone", issuer: "Parking lots" }));
  return { supabase, credentials, userId: user!.id, factorId: factor.id, secret: factor.totp.secret };
}

/** A new user whose session is aal2. */
async function verified(): Promise<Enrolled> {
  const person = await enrolled();
  const { supabase, factorId, secret } = person;
  data(await supabase.auth.mfa.challengeAndVerify({ factorId, code: codeAt(secret, Date.now()) }));
  return person;
}

async function assurance({ auth }: SupabaseClient) {
  const { currentLevel, nextLevel, currentAuthenticationMethods } = data(
    await auth.mfa.getAuthenticatorAssuranceLevel(),
  );
  const methods = currentAuthenticationMethods.map((method) => typeof method === "string" ? method : method.method);
  return { currentLevel, nextLevel, methods };
}

/** Runs SQL as the superuser of the platform's database. */
async function inAuth(run: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(stack().dbUrl, { max: 1 });
  try {
    await run(sql);
  } finally {
    await sql.end();
  }
}

Deno.test("second factors: codes are those of RFC 6238, of the period before and of the one after", () => {
  // The secret of the RFC's examples in base 32; its codes have eight digits, of which apps show the last six.
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  const examples = [[59, "287082"], [1111111109, "081804"], [1234567890, "005924"], [20000000000, "353130"]] as const;
  for (const [seconds, code] of examples) assert.equal(codeAt(secret, seconds * 1000), code);
  const accepted = [-60, -30, 0, 30, 60].map((seconds) => isCode(secret, "287082", (59 + seconds) * 1000));
  assert.deepEqual(accepted, [false, true, true, true, false]);
  assert.match(newSecret(), /^[A-Z2-7]{32}$/);
});

Deno.test("second factors: a factor that is enrolled and verified makes the session aal2, also after a refresh", async () => {
  const { supabase, credentials, factorId, secret } = await enrolled();
  const other = client();
  data(await other.auth.signInWithPassword(credentials));
  assert.deepEqual(await assurance(supabase), { currentLevel: "aal1", nextLevel: "aal1", methods: ["password"] });
  const before = data(await supabase.auth.getSession()).session!;

  const challenge = data(await supabase.auth.mfa.challenge({ factorId }));
  assert.ok(challenge.expires_at * 1000 > Date.now());
  data(await supabase.auth.mfa.verify({ factorId, challengeId: challenge.id, code: codeAt(secret, Date.now()) }));
  assert.deepEqual(await assurance(supabase), {
    currentLevel: "aal2",
    nextLevel: "aal2",
    methods: ["totp", "password"],
  });
  data(await supabase.auth.refreshSession());
  assert.equal((await assurance(supabase)).currentLevel, "aal2");

  // The refresh token of the time before brings no aal2, and other sessions of the user have ended.
  assert.equal((await client().auth.refreshSession(before)).error?.code, "refresh_token_not_found");
  assert.notEqual((await other.auth.refreshSession()).error, null);
});

Deno.test("second factors: enrolling returns a picture, the secret and its address; the list has only what is verified", async () => {
  const supabase = client();
  const email = `${crypto.randomUUID()}@example.com`;
  data(await supabase.auth.signUp({ email, password: "password one" }));
  const factor = data(await supabase.auth.mfa.enroll({ ...totp, friendlyName: "Phone", issuer: "Parking lots" }));
  assert.match(factor.totp.qr_code, /^data:image\/svg\+xml;utf-8,<svg [^#]+<\/svg>$/);
  const uri = new URL(factor.totp.uri);
  assert.equal(uri.protocol + uri.host, "otpauth:totp");
  assert.equal(decodeURIComponent(uri.pathname), `/Parking lots:${email}`);
  assert.equal(uri.searchParams.get("secret"), factor.totp.secret);
  assert.equal(uri.searchParams.get("issuer"), "Parking lots");

  const { all, totp: listed } = data(await supabase.auth.mfa.listFactors());
  assert.deepEqual(all.map(({ friendly_name, status }) => [friendly_name, status]), [["Phone", "unverified"]]);
  assert.ok(all.every((one) => !("secret" in one)), "the secret is shown once");
  assert.deepEqual(listed, []);
});

Deno.test("second factors: a sign-in with the password alone is aal1, and the code raises it", async () => {
  const { credentials, factorId, secret } = await verified();
  const again = client();
  data(await again.auth.signInWithPassword(credentials));
  assert.deepEqual(await assurance(again), { currentLevel: "aal1", nextLevel: "aal2", methods: ["password"] });

  const errors = [
    await again.auth.mfa.enroll({ ...totp, friendlyName: "Mine" }),
    await again.auth.mfa.unenroll({ factorId }),
    await again.auth.updateUser({ password: "password two" }),
    await again.auth.updateUser({ email: `${crypto.randomUUID()}@example.com` }),
  ].map(({ error }) => [error?.status, error?.code]);
  assert.deepEqual(errors, [
    [403, "insufficient_aal"],
    [422, "insufficient_aal"],
    [401, "insufficient_aal"],
    [401, "insufficient_aal"],
  ]);
  data(await again.auth.updateUser({ data: { display_name: "Hana" } }));

  data(await again.auth.mfa.challengeAndVerify({ factorId, code: codeAt(secret, Date.now()) }));
  data(await again.auth.updateUser({ password: "password two" }));
});

Deno.test("second factors: a removed factor leaves its sessions aal1 from the next refresh on", async () => {
  const { supabase, factorId } = await verified();
  assert.equal(data(await supabase.auth.mfa.unenroll({ factorId })).id, factorId);
  data(await supabase.auth.refreshSession());
  assert.deepEqual(await assurance(supabase), { currentLevel: "aal1", nextLevel: "aal1", methods: ["password"] });
});

Deno.test("second factors: a wrong code, a used challenge and an expired one are rejected", async () => {
  const { supabase, factorId, secret } = await enrolled();
  const challenge = async () => data(await supabase.auth.mfa.challenge({ factorId })).id;
  const attempt = async (challengeId: string, code = codeAt(secret, Date.now())) => {
    const { error } = await supabase.auth.mfa.verify({ factorId, challengeId, code });
    return [error?.status, error?.code, error?.message];
  };
  const first = await challenge();
  const wrong = String((Number(codeAt(secret, Date.now())) + 1) % 1_000_000).padStart(6, "0");
  assert.deepEqual(await attempt(first, wrong), [422, "mfa_verification_failed", "Invalid TOTP code entered"]);
  assert.deepEqual(await attempt(first, ""), [400, "validation_failed", "Code needs to be non-empty"]);
  assert.deepEqual(await attempt(first), [undefined, undefined, undefined]);
  assert.equal((await attempt(first))[1], "mfa_ip_address_mismatch");
  assert.equal((await attempt(crypto.randomUUID()))[1], "mfa_factor_not_found");

  const late = await challenge();
  await inAuth((sql) =>
    sql`update auth.mfa_challenges set created_at = now() - interval '6 minutes' where id = ${late}`
  );
  assert.equal((await attempt(late))[1], "mfa_challenge_expired");
});

Deno.test("second factors: of one user there are ten at most, each with a name of its own; others cannot use them", async () => {
  const { supabase, factorId } = await enrolled();
  const add = async (friendlyName: string) => {
    const { error } = await supabase.auth.mfa.enroll({ ...totp, friendlyName });
    return error?.code;
  };
  assert.equal(await add("Phone"), "mfa_factor_name_conflict");
  const names = Array.from({ length: 12 }, (_, nth) => `Tablet ${nth}`);
  const outcomes = await Promise.all(names.map(add));
  assert.equal(outcomes.filter((code) => code === undefined).length, 9);
  assert.ok(outcomes.every((code) => code === undefined || code === "too_many_enrolled_mfa_factors"), `${outcomes}`);

  const stranger = client();
  data(
    await stranger.auth.signUp({ email: `${crypto.randomUUID()}@example.com`, password: "password one" }),
  );
  const errors = [await stranger.auth.mfa.challenge({ factorId }), await stranger.auth.mfa.unenroll({ factorId })];
  assert.deepEqual(errors.map(({ error }) => error?.code), ["mfa_factor_not_found", "mfa_factor_not_found"]);
});

Deno.test("second factors: one that was not verified for five minutes makes room for the next", async () => {
  const { supabase, userId } = await enrolled();
  await inAuth((sql) =>
    sql`update auth.mfa_factors set created_at = now() - interval '6 minutes' where user_id = ${userId}`
  );
  data(await supabase.auth.mfa.enroll({ ...totp, friendlyName: "Phone" }));
  assert.equal(data(await supabase.auth.mfa.listFactors()).all.length, 1);
});

Deno.test("second factors: the service lists and removes those of a user, and a user's token does not", async () => {
  const { supabase, userId, factorId } = await verified();
  const { admin } = service().auth;
  assert.deepEqual(data(await admin.mfa.listFactors({ userId })).factors.map(({ id }) => id), [factorId]);
  const denied = await supabase.auth.admin.mfa.deleteFactor({ userId, id: factorId });
  assert.notEqual(denied.error, null);
  data(await admin.mfa.deleteFactor({ userId, id: factorId }));
  assert.deepEqual(data(await admin.mfa.listFactors({ userId })).factors, []);
  data(await supabase.auth.refreshSession());
  assert.equal((await assurance(supabase)).currentLevel, "aal1");
});

Deno.test("second factors: other kinds than TOTP are rejected, as by a project that has not enabled them", async () => {
  const { supabase } = await enrolled();
  const phone = await supabase.auth.mfa.enroll({ factorType: "phone", phone: "+81312345678", friendlyName: "SMS" });
  assert.equal(phone.error?.code, "mfa_phone_enroll_not_enabled");
  const key = await supabase.auth.mfa.enroll({ factorType: "webauthn", friendlyName: "Key" });
  assert.equal(key.error?.code, "mfa_webauthn_enroll_not_enabled");
});
