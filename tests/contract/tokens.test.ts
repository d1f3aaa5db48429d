// Which access tokens the interface accepts: by the shared secret, by the project's public keys, and by configuration.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { KeySet, type KeySetTimes } from "../../supabase/functions/_shared/auth/key_set.ts";
import { TokenVerifier } from "../../supabase/functions/_shared/auth/token.ts";
import type { TokenConfig } from "../../supabase/functions/_shared/config.ts";
import type { ApiError } from "../../supabase/functions/_shared/errors.ts";
import { keyPair, type KeyServer, keyServer, signedToken } from "../support/key_pairs.ts";
import { token } from "../support/tokens.ts";
import { SECRET } from "./fake_rest.ts";

const USER = "11111111-2222-4333-8444-555555555555";
const bytes = (text: string) => new TextEncoder().encode(text);
const now = () => Math.floor(Date.now() / 1000);

interface Options {
  readonly config?: Partial<TokenConfig>;
  readonly times?: Partial<KeySetTimes>;
  readonly clock?: () => number;
}

function verifierFor({ url }: KeyServer, { config, times, clock }: Options = {}): TokenVerifier {
  const all = { algorithms: ["HS256", "ES256", "RS256"], secret: bytes(SECRET), jwksUrl: url, issuer: null, ...config };
  return new TokenVerifier(all as TokenConfig, new KeySet(url, times, clock));
}

/** Why a token is rejected: `details.reason`, or the code where there is none. Undefined when it is accepted. */
async function rejectionOf(verifier: TokenVerifier, given: string): Promise<unknown> {
  return await verifier.verify(given).then(
    () => undefined,
    ({ code, details }: ApiError) => details?.["reason"] ?? code,
  );
}

Deno.test("tokens: ES256 and RS256 are verified by the published key that the token names", async () => {
  const pairs = [keyPair("ES256"), keyPair("RS256"), keyPair("ES256")];
  await using server = keyServer(...pairs);
  const verifier = verifierFor(server);
  for (const pair of pairs) {
    const given = signedToken(pair, USER);
    assert.deepEqual(await verifier.verify(given), { id: USER, assurance: "aal1", token: given });
  }
  assert.equal(server.reads, 1);
});

Deno.test("tokens: only the claim aal2 is a sign-in with a second factor", async () => {
  const pair = keyPair("ES256");
  await using server = keyServer(pair);
  const verifier = verifierFor(server);
  const assuranceOf = async (aal: unknown) =>
    (await verifier.verify(signedToken(pair, USER, { claims: { aal } }))).assurance;
  const found = await Promise.all(["aal2", "aal1", "aal3", "AAL2", ["aal2"], 2, null].map(assuranceOf));
  assert.deepEqual(found, ["aal2", "aal1", "aal1", "aal1", "aal1", "aal1", "aal1"]);
});

Deno.test("tokens: the configuration chooses the algorithms, never the token", async () => {
  const [ec, rsa] = [keyPair("ES256"), keyPair("RS256")];
  await using server = keyServer(ec, rsa);
  const given = {
    HS256: token(USER, { secret: SECRET }),
    ES256: signedToken(ec, USER),
    RS256: signedToken(rsa, USER),
  };
  for (const accepted of ["HS256", "ES256", "RS256"] as const) {
    const verifier = verifierFor(server, { config: { algorithms: [accepted] } });
    for (const [algorithm, one] of Object.entries(given)) {
      const expected = algorithm === accepted ? undefined : "token_invalid";
      assert.equal(await rejectionOf(verifier, one), expected, `${algorithm} where ${accepted} is accepted`);
    }
  }
});

Deno.test("tokens: a public key is never used as a shared secret, with any header", async () => {
  const [ec, rsa] = [keyPair("ES256"), keyPair("RS256")];
  await using server = keyServer(ec, rsa);
  // A published symmetric key is no key either: its secret would be public.
  server.keys.push({ kty: "oct", kid: "shared", alg: "HS256", k: base64url(SECRET) });
  for (const secret of [bytes(SECRET), null]) {
    const algorithms = secret ? ["HS256", "ES256", "RS256"] as const : ["ES256", "RS256"] as const;
    const verifier = verifierFor(server, { config: { algorithms, secret } });
    for (const { publicPem, kid, jwk } of [ec, rsa]) {
      for (const key of [publicPem, publicPem.trim(), JSON.stringify(jwk), String(jwk["x"] ?? jwk["n"])]) {
        const forged = token(USER, { secret: key, header: { kid } });
        assert.equal(await rejectionOf(verifier, forged), "token_invalid");
      }
    }
    const shared = token(USER, { secret: SECRET, header: { kid: "shared" } });
    assert.equal(await rejectionOf(verifier, shared), secret ? undefined : "token_invalid");
    assert.equal(await rejectionOf(verifier, unsigned({ alg: "none" })), "token_invalid");
    assert.equal(await rejectionOf(verifier, unsigned({ alg: "none", kid: ec.kid })), "token_invalid");
  }
});

function base64url(text: string): string {
  return bytes(text).toBase64({ alphabet: "base64url", omitPadding: true });
}

function unsigned(header: Record<string, unknown>): string {
  return token(USER, { secret: SECRET, header }).replace(/[^.]*$/, "");
}

Deno.test("tokens: an ES256 token is rejected for every claim that an HS256 token is rejected for", async () => {
  const [pair, stranger] = [keyPair("ES256"), keyPair("ES256")];
  await using server = keyServer(pair);
  const verifier = verifierFor(server, { config: { issuer: "https://ref.test/auth/v1" } });
  const iss = "https://ref.test/auth/v1";
  const reason = (claims: Record<string, unknown>, header = {}) =>
    rejectionOf(verifier, signedToken(pair, USER, { claims: { iss, ...claims }, header }));
  assert.equal(await reason({}), undefined);
  assert.equal(await reason({ exp: now() - 120 }), "token_expired");
  const wrong: Record<string, unknown>[] = [
    { iss: "https://other.test/auth/v1" },
    { iss: undefined },
    { aud: "anon" },
    { aud: undefined },
    { role: "service_role" },
    { role: undefined },
    { sub: "admin" },
    { sub: undefined },
    { exp: undefined },
    { nbf: now() + 120 },
    { iat: now() + 120 },
  ];
  for (const claims of wrong) assert.equal(await reason(claims), "token_invalid", JSON.stringify(claims));
  for (const header of [{ alg: "RS256" }, { kid: stranger.kid }, { crit: ["b64"], b64: false }]) {
    assert.equal(await reason({}, header), "token_invalid", JSON.stringify(header));
  }
  const forged = signedToken({ ...stranger, kid: pair.kid }, USER, { claims: { iss } });
  assert.equal(await rejectionOf(verifier, forged), "token_invalid");
});

Deno.test("tokens: requests that come together share one read of the keys", async () => {
  const pair = keyPair("ES256");
  await using server = keyServer(pair);
  const verifier = verifierFor(server);
  const given = signedToken(pair, USER);
  await Promise.all(Array.from({ length: 20 }, () => verifier.verify(given)));
  assert.equal(server.reads, 1);
});

Deno.test("tokens: a new key is found by one more read, and unknown keys cost one read in each cooldown", async () => {
  const [first, second, unknown] = [keyPair("ES256"), keyPair("ES256"), keyPair("ES256")];
  await using server = keyServer(first);
  let time = 0;
  const verifier = verifierFor(server, { clock: () => time });
  assert.equal(await rejectionOf(verifier, signedToken(first, USER)), undefined);
  const readAgain = async (expected: number) => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => rejectionOf(verifier, signedToken(unknown, USER))),
    );
    assert.deepEqual(new Set(outcomes), new Set(["token_invalid"]));
    assert.equal(server.reads, expected);
  };
  await readAgain(1); // the keys were read a moment ago
  time += 30_000;
  server.keys = [second.jwk];
  assert.equal(await rejectionOf(verifier, signedToken(second, USER)), undefined);
  assert.equal(
    await rejectionOf(verifier, signedToken(first, USER)),
    "token_invalid",
    "a revoked key no longer counts",
  );
  assert.equal(server.reads, 2);
  await readAgain(2);
  time += 30_000;
  await readAgain(3);
});

Deno.test("tokens: keys are read again after ten minutes, and a revoked one no longer counts then", async () => {
  const [first, second] = [keyPair("ES256"), keyPair("ES256")];
  await using server = keyServer(first, second);
  let time = 0;
  const verifier = verifierFor(server, { clock: () => time });
  assert.equal(await rejectionOf(verifier, signedToken(first, USER)), undefined);
  server.keys = [second.jwk];
  time += 599_000;
  assert.equal(await rejectionOf(verifier, signedToken(first, USER)), undefined);
  time += 2_000;
  assert.equal(await rejectionOf(verifier, signedToken(first, USER)), "token_invalid");
  assert.equal(server.reads, 2);
});

Deno.test("tokens: during an outage of the auth server known keys are valid for an hour, others are 503, HS256 works", async () => {
  const [known, other] = [keyPair("ES256"), keyPair("ES256")];
  await using server = keyServer(known);
  let time = 0;
  const verifier = verifierFor(server, { clock: () => time });
  const away = [
    () => new Response("down", { status: 502 }),
    () => new Response("<html>"),
    () => Response.json({ keys: "none" }),
  ];
  server.answer = away[0];
  assert.equal(await rejectionOf(verifier, signedToken(known, USER)), "service_unavailable");
  assert.equal(await rejectionOf(verifier, signedToken(known, USER)), "service_unavailable");
  assert.equal(server.reads, 1, "a read that failed is not repeated at once");
  time += 2_000;
  server.answer = undefined;
  assert.equal(await rejectionOf(verifier, signedToken(known, USER)), undefined);
  for (const answer of away) {
    time += 700_000;
    server.answer = answer;
    assert.equal(await rejectionOf(verifier, signedToken(known, USER)), undefined);
    time += 3_000;
    assert.equal(await rejectionOf(verifier, signedToken(other, USER)), "service_unavailable");
    assert.equal(await rejectionOf(verifier, token(USER, { secret: SECRET })), undefined);
  }
  time += 3_600_000;
  assert.equal(await rejectionOf(verifier, signedToken(known, USER)), "service_unavailable");
});

Deno.test("tokens: a request to an auth server without a response ends with the timeout", async () => {
  const pair = keyPair("ES256");
  await using server = keyServer(pair);
  const { promise: end, resolve } = Promise.withResolvers<Response>();
  server.answer = () => end;
  const verifier = verifierFor(server, { times: { timeout: 100 } });
  assert.equal(await rejectionOf(verifier, signedToken(pair, USER)), "service_unavailable");
  resolve(new Response());
});

Deno.test("tokens: a token valid only by the leeway is sent to the database as a copy with current times", async () => {
  const pair = keyPair("ES256");
  await using server = keyServer(pair);
  const times = [{ exp: now() - 45 }, { nbf: now() + 45 }, { iat: now() + 45 }];
  for (const claims of times) {
    const own = signedToken(pair, USER, { claims });
    for (const given of [token(USER, { secret: SECRET, claims }), own]) {
      const copy = (await verifierFor(server).verify(given)).token;
      assert.notEqual(copy, given);
      const [head, body, signature] = copy.split(".");
      assert.equal(createHmac("sha256", SECRET).update(`${head}.${body}`).digest("base64url"), signature);
      const { iat, exp, nbf, ...others } = JSON.parse(new TextDecoder().decode(
        Uint8Array.fromBase64(body!, { alphabet: "base64url" }),
      ));
      assert.ok(Math.abs(iat - now()) <= 2 && exp - iat === 60 && nbf === undefined);
      assert.deepEqual(others, { sub: USER, aud: "authenticated", role: "authenticated" });
    }
    // Without the secret there is nothing to sign a copy with: the Data API decides, and allows 30 s.
    const withoutSecret = verifierFor(server, { config: { algorithms: ["ES256"], secret: null } });
    assert.equal((await withoutSecret.verify(own)).token, own);
  }
  const beyond = [{ exp: now() - 62 }, { nbf: now() + 75 }, { iat: now() + 75 }];
  for (const claims of beyond) {
    const expected = "exp" in claims ? "token_expired" : "token_invalid";
    assert.equal(await rejectionOf(verifierFor(server), token(USER, { secret: SECRET, claims })), expected);
  }
});
