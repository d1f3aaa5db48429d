// Access tokens signed with the shared secret and with the published key: every part of the platform accepts both.
import assert from "node:assert/strict";
import { createSign } from "node:crypto";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { KEY_ID, privateKey, PUBLIC_JWK, sign, verify } from "../../local/gateway/tokens.ts";
import type { JwtAlgorithm } from "../../local/settings.ts";
import { crashPlatform } from "../support/crash_platform.ts";
import { keyPair, signedToken } from "../support/key_pairs.ts";
import { stack } from "../support/stack.ts";
import { token } from "../support/tokens.ts";

const options = { auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false } };

interface Address {
  readonly apiUrl: string;
  readonly publishableKey: string;
}

function headerOf(jwt: string): Record<string, unknown> {
  return JSON.parse(atob(jwt.split(".")[0]!.replaceAll("-", "+").replaceAll("_", "/")));
}

function claimsOf(jwt: string): Record<string, unknown> {
  return JSON.parse(atob(jwt.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")));
}

async function join(supabase: SupabaseClient): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  await supabase.realtime.setAuth();
  supabase.channel("signed").subscribe((status, error) => resolve(error?.message ?? status));
  const outcome = await promise;
  await supabase.removeAllChannels();
  await supabase.realtime.disconnect();
  return outcome;
}

/** What each part of the platform answers to a token: its status, or what the library says. */
async function answersTo(jwt: string, { apiUrl, publishableKey }: Address): Promise<Record<string, unknown>> {
  const headers = { apikey: publishableKey, authorization: `Bearer ${jwt}`, "content-type": "application/json" };
  const status = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${apiUrl}${path}`, { headers, ...init });
    await response.body?.cancel();
    return response.status;
  };
  const supabase = createClient(apiUrl, publishableKey, { accessToken: () => Promise.resolve(jwt) });
  return {
    functions: await status("/v1/me"),
    "Data API": await status("/rest/v1/rpc/my_account", { method: "POST", body: "{}" }),
    auth: await status("/auth/v1/user"),
    realtime: await join(supabase),
  };
}

async function signsWith(algorithm: JwtAlgorithm, at: Address): Promise<void> {
  const supabase = createClient(at.apiUrl, at.publishableKey, options);
  const email = `${crypto.randomUUID()}@example.com`;
  const { data } = await supabase.auth.signUp({ email, password: "password one" });
  const session = data.session!;
  assert.deepEqual(headerOf(session.access_token), {
    alg: algorithm,
    typ: "JWT",
    ...(algorithm === "ES256" ? { kid: KEY_ID } : {}),
  });
  const taken = { functions: 200, "Data API": 200, auth: 200, realtime: "SUBSCRIBED" };
  assert.deepEqual(await answersTo(session.access_token, at), taken);
  const other = await sign(claimsOf(session.access_token), algorithm === "ES256" ? "HS256" : "ES256");
  assert.deepEqual(await answersTo(other, at), taken, "the other algorithm");

  const { data: refreshed } = await supabase.auth.refreshSession(session);
  assert.equal(headerOf(refreshed.session!.access_token)["alg"], algorithm);
  const { data: claims, error } = await supabase.auth.getClaims(refreshed.session!.access_token);
  assert.equal(error, null);
  assert.equal(claims?.claims.sub, data.user!.id);
  assert.equal((await supabase.auth.updateUser({ password: "password two" })).error, null);
  assert.equal((await supabase.auth.signOut()).error, null);
}

Deno.test("LOCAL_JWT_ALG: by default sessions are signed with the published key, and HS256 is accepted as well", async () => {
  await signsWith("ES256", stack());
});

Deno.test("LOCAL_JWT_ALG: with HS256 sessions are signed with the shared secret, and ES256 is accepted as well", async () => {
  await using platform = await crashPlatform({ jwtAlgorithm: "HS256" });
  await signsWith("HS256", { apiUrl: platform.status.API_URL, publishableKey: platform.status.PUBLISHABLE_KEY });
});

Deno.test("jwks.json: has the public half of the signing key, without an API key", async () => {
  const response = await fetch(`${stack().apiUrl}/auth/v1/.well-known/jwks.json`);
  assert.equal(response.headers.get("cache-control"), "public, max-age=600");
  const { keys } = await response.json();
  assert.deepEqual(keys, [PUBLIC_JWK]);
  assert.deepEqual(Object.keys(PUBLIC_JWK).sort(), ["alg", "crv", "key_ops", "kid", "kty", "use", "x", "y"]);
});

Deno.test("tokens: every part of the platform rejects other keys, and the public key used as a secret", async () => {
  const sub = crypto.randomUUID();
  const stranger = keyPair("ES256");
  const forged = {
    "another key": signedToken(stranger, sub),
    "another key under the name of the right one": signedToken({ ...stranger, kid: KEY_ID }, sub),
    "RS256": signedToken(keyPair("RS256", KEY_ID), sub),
    "the public key as secret": token(sub, { secret: JSON.stringify(PUBLIC_JWK), header: { kid: KEY_ID } }),
    "x as secret": token(sub, { secret: PUBLIC_JWK.x, header: { kid: KEY_ID } }),
    "no signature": token(sub, { secret: "", header: { alg: "none", kid: KEY_ID } }),
    "a signature in the other form (DER)": await der(sub),
  };
  await Promise.all(
    Object.entries(forged).map(async ([name, jwt]) => {
      const { functions, "Data API": rest, auth, realtime } = await answersTo(jwt, stack());
      assert.deepEqual([functions, rest, auth === 200, realtime === "SUBSCRIBED"], [401, 401, false, false], name);
      assert.ok("problem" in await verify(jwt), name);
    }),
  );
});

/** The right claims and key, but the signature as OpenSSL writes it. */
async function der(sub: string): Promise<string> {
  const claims = { sub, aud: "authenticated", role: "authenticated", exp: Math.floor(Date.now() / 1000) + 60 };
  const content = (await sign(claims, "ES256")).split(".").slice(0, 2).join(".");
  return `${content}.${createSign("sha256").update(content).sign(privateKey).toString("base64url")}`;
}

Deno.test("tokens: a clock difference of 60 s is accepted to the end, for both algorithms", async () => {
  const { apiUrl, publishableKey } = stack();
  const supabase = createClient(apiUrl, publishableKey, options);
  const email = `${crypto.randomUUID()}@example.com`;
  const { data } = await supabase.auth.signUp({ email, password: "password one" });
  const claims = claimsOf(data.session!.access_token);
  const now = Math.floor(Date.now() / 1000);
  const statusOf = async (changed: Record<string, unknown>, algorithm: JwtAlgorithm) => {
    const authorization = `Bearer ${await sign({ ...claims, ...changed }, algorithm)}`;
    const response = await fetch(`${apiUrl}/v1/me`, { headers: { authorization } });
    await response.body?.cancel();
    return response.status;
  };
  for (const algorithm of ["HS256", "ES256"] as const) {
    for (const within of [{ exp: now - 45 }, { nbf: now + 45 }, { iat: now + 45 }]) {
      assert.equal(await statusOf(within, algorithm), 200, JSON.stringify(within));
    }
    for (const beyond of [{ exp: now - 75 }, { nbf: now + 100 }, { iat: now + 100 }]) {
      assert.equal(await statusOf(beyond, algorithm), 401, JSON.stringify(beyond));
    }
  }
});
