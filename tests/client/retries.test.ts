// client/: which requests are retried, with which key, and after which wait.
import assert from "node:assert/strict";
import { ApiError, NetworkError, type ParkingClient } from "../../client/src/index.ts";
import { apiError, fakeService, json, type Scripted } from "./fake_service.ts";

const lost: Scripted = () => new Response(new ReadableStream({ start: (c) => c.error(new Error("lost")) }));
const unavailable = apiError(503, "service_unavailable", {}, { "Retry-After": "0" });
const unknown = apiError(500, "server_error", { details: { reason: "outcome_unknown" } });

const id = "555c77e1-60d8-4123-9321-94515af67cff";
const start = (client: ParkingClient) => client.POST("/v1/parking-sessions", { body: { parking_lot_id: id } });
const read = (client: ParkingClient) => client.GET("/v1/me");
const rate = (client: ParkingClient) =>
  client.PUT("/v1/parking-lots/{id}/rating", { params: { path: { id } }, body: { value: "good" } });

const cases: [
  name: string,
  first: Scripted,
  call: (client: ParkingClient) => Promise<unknown>,
  token: string | null,
  requests: number,
][] = [
  ["503 of the service: a PUT is sent again", unavailable, rate, "token", 2],
  ["503 of the service: an anonymous POST is sent again", unavailable, start, null, 2],
  [
    "503 with not_configured: nothing is sent again",
    apiError(503, "service_unavailable", { details: { reason: "not_configured" } }),
    read,
    "token",
    1,
  ],
  ["429: a PUT is sent again", apiError(429, "rate_limited", {}, { "Retry-After": "0" }), rate, "token", 2],
  [
    "429 with a Retry-After above the bound: nothing is sent again",
    apiError(429, "rate_limited", {}, { "Retry-After": "3600" }),
    read,
    "token",
    1,
  ],
  ["500 outcome_unknown: a POST with a key is sent again", unknown, start, "token", 2],
  ["500 outcome_unknown: an anonymous POST is not sent again", unknown, start, null, 1],
  ["500 outcome_unknown: a PUT is not sent again", unknown, rate, "token", 1],
  ["500 without a reason: a POST with a key is not sent again", apiError(500, "server_error"), start, "token", 1],
  [
    "409 key_in_use: a POST with a key is sent again",
    apiError(409, "conflict", { details: { reason: "key_in_use" } }),
    start,
    "token",
    2,
  ],
  [
    "409 with another reason: nothing is sent again",
    apiError(409, "conflict", { details: { reason: "session_ended" } }),
    start,
    "token",
    1,
  ],
  [
    "502 of a proxy: a GET is sent again",
    () => new Response("<h1>Bad gateway</h1>", { status: 502 }),
    read,
    "token",
    2,
  ],
  [
    "503 of a proxy: a PUT is not sent again",
    () => new Response("<h1>Unavailable</h1>", { status: 503 }),
    rate,
    "token",
    1,
  ],
  ["a response that breaks off: a GET is sent again", lost, read, "token", 2],
  ["a response that breaks off: a POST with a key is sent again", lost, start, "token", 2],
  ["a response that breaks off: an anonymous POST is not sent again", lost, start, null, 1],
  ["a response that breaks off: a PUT is not sent again", lost, rate, "token", 1],
  ["422: nothing is sent again", apiError(422, "validation_error"), start, "token", 1],
];

for (const [name, first, call, accessToken, requests] of cases) {
  Deno.test(`client retries: ${name}`, async () => {
    await using service = fakeService(first, json({ session_id: id }));
    const outcome = await call(service.client({ accessToken })).then(() => "success", () => "error");
    assert.equal(service.received.length, requests);
    assert.equal(outcome, requests === 1 ? "error" : "success");
    const [sent, again] = service.received;
    if (again) assert.deepEqual(again, sent);
    assert.equal(sent!.key !== null, sent!.method === "POST" && accessToken !== null);
  });
}

Deno.test("client retries: each call has a key of its own, and a key of the caller is kept", async () => {
  await using service = fakeService(json({ session_id: id }));
  const client = service.client();
  await start(client);
  await start(client);
  const header = { "Idempotency-Key": "mine" };
  await client.POST("/v1/parking-sessions", { body: { parking_lot_id: id }, params: { header } });
  const keys = service.received.map(({ key }) => key);
  assert.equal(new Set(keys).size, 3);
  assert.equal(keys[2], "mine");
});

Deno.test("client retries: the access token is read once for all attempts of a call", async () => {
  await using service = fakeService(unavailable, unavailable, json({ session_id: id }));
  let reads = 0;
  await start(service.client({ accessToken: () => Promise.resolve(`token-${++reads}`) }));
  assert.deepEqual(service.received.map(({ token }) => token), Array(3).fill("Bearer token-1"));
});

Deno.test("client retries: after three retries the error is thrown", async () => {
  await using service = fakeService(unavailable);
  await assert.rejects(read(service.client()), (error) => error instanceof ApiError && error.status === 503);
  assert.equal(service.received.length, 4);
});

Deno.test("client retries: maxRetries 0 sends every request once", async () => {
  await using service = fakeService(unavailable);
  await assert.rejects(read(service.client({ retry: { maxRetries: 0 } })));
  assert.equal(service.received.length, 1);
});

Deno.test("client retries: without a response the error is a NetworkError, which names an unknown outcome", async () => {
  await using service = fakeService(json({}));
  const client = service.client({ fetch: () => Promise.reject(new TypeError("offline")) });
  const unknownAfter = async (call: (client: ParkingClient) => Promise<unknown>) => {
    const error = await call(client).then(() => assert.fail("no error"), (error: unknown) => error);
    assert.ok(error instanceof NetworkError && error.cause instanceof TypeError);
    return error.isOutcomeUnknown;
  };
  assert.deepEqual([await unknownAfter(read), await unknownAfter(start)], [false, true]);
});

Deno.test("client retries: an error after an attempt with an unknown outcome has isOutcomeUnknown, also when the last attempt was rejected", async () => {
  const after = async (responses: Scripted[], call: (client: ParkingClient) => Promise<unknown>) => {
    await using service = fakeService(...responses);
    const error = await call(service.client()).then(() => assert.fail("no error"), (error: unknown) => error);
    assert.ok(error instanceof ApiError);
    return [error.status, error.isOutcomeUnknown];
  };
  const forbidden = apiError(403, "forbidden");
  assert.deepEqual(await after([lost, unavailable], start), [503, true]);
  assert.deepEqual(await after([unknown, forbidden], start), [403, true]);
  assert.deepEqual(await after([unknown], rate), [500, true]);
  assert.deepEqual(await after([unavailable], start), [503, false]);
  assert.deepEqual(await after([lost, forbidden], read), [403, false]);
});

Deno.test("client retries: a signal ends the wait for a retry, with its reason", async () => {
  await using service = fakeService(apiError(503, "service_unavailable", {}, { "Retry-After": "20" }));
  const abort = new AbortController();
  const fetch = async (request: Request) => {
    const response = await globalThis.fetch(request);
    setTimeout(() => abort.abort(new Error("left the screen")), 20);
    return response;
  };
  const client = service.client({ fetch, retry: {} });
  await assert.rejects(client.GET("/v1/me", { signal: abort.signal }), /left the screen/);
  assert.equal(service.received.length, 1);
});

Deno.test("client retries: a signal ends a request, which is not sent again", async () => {
  const abort = new AbortController();
  const answered = Promise.withResolvers<Response>();
  await using service = fakeService(() => {
    abort.abort();
    return answered.promise;
  });
  await assert.rejects(service.client().GET("/v1/me", { signal: abort.signal }), { name: "AbortError" });
  answered.resolve(new Response());
  assert.equal(service.received.length, 1);
});

/** Records the waits that the client asks for, and makes them a thousand times shorter. */
function shortWaits(): Disposable & { readonly milliseconds: number[] } {
  const original = globalThis.setTimeout;
  const milliseconds: number[] = [];
  globalThis.setTimeout = ((run: () => void, wait = 0) => {
    if (wait >= 100) milliseconds.push(wait);
    return original(run, wait >= 100 ? wait / 1_000 : wait);
  }) as typeof setTimeout;
  return { milliseconds, [Symbol.dispose]: () => void (globalThis.setTimeout = original) };
}

const CALLS = 100;

Deno.test("client retries: many calls that are rejected with Retry-After are sent four times at most, at different moments", async () => {
  using waits = shortWaits();
  await using service = fakeService(apiError(429, "rate_limited", {}, { "Retry-After": "10" }));
  const client = service.client({ retry: {} });
  const calls = await Promise.allSettled(Array.from({ length: CALLS }, () => start(client)));
  assert.ok(calls.every(({ status }) => status === "rejected"));
  assert.equal(service.received.length, 4 * CALLS);
  assert.equal(new Set(service.received.map(({ key }) => key)).size, CALLS);
  // Not before Retry-After, and over more than two seconds.
  assert.equal(waits.milliseconds.length, 3 * CALLS);
  const [least, most] = [Math.min(...waits.milliseconds), Math.max(...waits.milliseconds)];
  assert.ok(least >= 10_000 && most < 13_000 && most - least > 2_000, `${least} to ${most} ms`);
});

Deno.test("client retries: many calls through a service that rejects and loses responses are carried out once each", async () => {
  using _waits = shortWaits();
  const carriedOut = new Map<string, number>();
  const attempts = new Map<string, number>();
  await using service = fakeService((request, n) => {
    const key = request.headers.get("Idempotency-Key")!;
    attempts.set(key, (attempts.get(key) ?? 0) + 1);
    if (attempts.get(key) === 1) return unavailable(request, n);
    // The service keeps the outcome of a key.
    const outcome = carriedOut.get(key) ?? carriedOut.size;
    carriedOut.set(key, outcome);
    return Response.json({ session_id: `${outcome}` });
  });
  const fetch = async (request: Request) => {
    const response = await globalThis.fetch(request);
    if (attempts.get(request.headers.get("Idempotency-Key")!) !== 2) return response;
    await response.body?.cancel();
    throw new TypeError("lost");
  };
  const client = service.client({ fetch, retry: {} });
  const calls = await Promise.all(Array.from({ length: CALLS }, () => start(client)));
  assert.equal(new Set(calls.map(({ data }) => data.session_id)).size, CALLS);
  assert.equal(carriedOut.size, CALLS);
  assert.equal(service.received.length, 3 * CALLS);
});
