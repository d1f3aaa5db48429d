// client/: a token that expires between the requests of a loop, during a stream, and before a request arrives.
import assert from "node:assert/strict";
import { ApiError } from "../../client/src/index.ts";
import { apiError, fakeService, json, type Scripted } from "./fake_service.ts";
import { sessionOf } from "./fake_supabase.ts";

const USER = "555c77e1-60d8-4123-9321-94515af67cff";
const tokenOf = (user: string, n: number) => sessionOf(user, { iat: n }).access_token;
const [first, second, others] = [tokenOf(USER, 1), tokenOf(USER, 2), tokenOf(crypto.randomUUID(), 3)];
const expired = apiError(401, "unauthorized", { details: { reason: "token_expired" } });
const start = { body: { parking_lot_id: USER } };

/** A source of tokens: each request takes the next one, the last one is repeated. */
function source(...tokens: string[]): { accessToken: () => string } {
  return { accessToken: () => tokens.length > 1 ? tokens.shift()! : tokens[0]! };
}

Deno.test("client tokens: a request with an expired token is sent once more with the newer one, with the same key", async () => {
  await using service = fakeService(expired, json({ session_id: "1" }));
  await service.client(source(first, second)).POST("/v1/parking-sessions", start);
  const [old, renewed] = service.received;
  assert.deepEqual([old!.token, renewed!.token], [`Bearer ${first}`, `Bearer ${second}`]);
  assert.ok(old!.key);
  assert.deepEqual({ ...renewed, token: old!.token }, old);
});

const rejected: [name: string, tokens: string[], requests: number][] = [
  ["is not sent again without a newer token", [first], 1],
  ["is not sent again with the token of another user", [first, others], 1],
  ["is sent again once only", [first, second, tokenOf(USER, 4)], 2],
];

for (const [name, tokens, requests] of rejected) {
  Deno.test(`client tokens: a request with an expired token ${name}`, async () => {
    await using service = fakeService(expired);
    const call = service.client(source(...tokens)).POST("/v1/parking-sessions", start);
    await assert.rejects(call, (error) => error instanceof ApiError && error.status === 401);
    assert.equal(service.received.length, requests);
  });
}

Deno.test("client tokens: an authorization of the caller is not replaced", async () => {
  await using service = fakeService(expired);
  const headers = { Authorization: "Bearer of the caller" };
  await assert.rejects(service.client(source(first, second)).GET("/v1/me", { headers }), ApiError);
  assert.deepEqual(service.received.map(({ token }) => token), ["Bearer of the caller"]);
});

/** A list of two pages, which accepts only one token for each. */
const twoPages: Scripted = (request, n) => {
  const isValid = request.headers.get("Authorization") === `Bearer ${n === 0 ? first : second}`;
  if (!isValid) return expired(request, n);
  return Response.json({ items: [{ id: `${n}` }], next_cursor: n === 0 ? "more" : null });
};

Deno.test("client tokens: a token that expires in the middle of a loop is replaced for the next page", async () => {
  await using service = fakeService(twoPages);
  let token = first;
  const ids: string[] = [];
  for await (const { id } of service.client({ accessToken: () => token }).pages("/v1/me/vehicles")) {
    ids.push(id);
    token = second;
  }
  assert.deepEqual(ids, ["0", "1"]);
  assert.equal(service.received.length, 2);
});

Deno.test("client tokens: a stream continues when its token expires, and the next request has the new one", async () => {
  const line = (n: number) => new TextEncoder().encode(`{"n":${n}}\n`);
  const isExpired = Promise.withResolvers<void>();
  await using service = fakeService((request, n) => {
    if (request.headers.get("Authorization") !== `Bearer ${n === 0 ? first : second}`) return expired(request, n);
    const lines = (async function* () {
      yield line(1);
      await isExpired.promise;
      yield line(2);
    })();
    return new Response(ReadableStream.from(lines), { headers: { "Content-Type": "application/x-ndjson" } });
  });
  let token = first;
  const client = service.client({ accessToken: () => token });
  const found: unknown[] = [];
  for await (const each of client.stream("/v1/me/export")) {
    found.push(each);
    token = second;
    isExpired.resolve();
  }
  found.push(...await Array.fromAsync(client.stream("/v1/me/export")));
  assert.deepEqual(found, [{ n: 1 }, { n: 2 }, { n: 1 }, { n: 2 }]);
  assert.equal(service.received.length, 2);
});
