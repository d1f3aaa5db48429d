// client/: errors, pages and streams, against a service of the test.
import assert from "node:assert/strict";
import { ApiError } from "../../client/src/index.ts";
import { jsonLines } from "../../client/src/lines.ts";
import contract from "../../contract/openapi.json" with { type: "json" };
import { apiError, fakeService, json, type Scripted } from "./fake_service.ts";

/** The error of a promise that must fail. */
async function apiErrorOf(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(() => assert.fail("no error"), (error: unknown) => error);
  assert.ok(error instanceof ApiError, String(error));
  return error;
}

Deno.test("client errors: an error response is an ApiError with its fields", async () => {
  const details = { policy: "write", retry_after: 60 };
  await using service = fakeService(apiError(429, "rate_limited", { details, param: "a.b" }, { "Retry-After": "60" }));
  const error = await apiErrorOf(service.client().GET("/v1/me"));
  const { name, code, status, requestId, param, retryAfterSeconds, message } = error;
  assert.deepEqual(
    { name, code, status, requestId, param, retryAfterSeconds, message, details: error.details },
    {
      name: "ApiError",
      code: "rate_limited",
      status: 429,
      requestId: "request-1",
      param: "a.b",
      retryAfterSeconds: 60,
      message: "A message.",
      details,
    },
  );
  assert.ok(error instanceof Error);
});

Deno.test("client errors: a response that is not from the service has the code unexpected_response", async () => {
  const headers = { "X-Request-Id": "of the proxy", "Retry-After": new Date(Date.now() + 100_000).toUTCString() };
  await using service = fakeService(() => new Response("<h1>Bad gateway</h1>", { status: 502, headers }));
  const error = await apiErrorOf(service.client({ retry: { maxRetries: 0 } }).GET("/v1/me"));
  assert.deepEqual([error.code, error.status, error.requestId], ["unexpected_response", 502, "of the proxy"]);
  assert.ok(error.retryAfterSeconds! > 90 && error.retryAfterSeconds! <= 100);
});

Deno.test("client errors: 304 is no error, and 204 has no data", async () => {
  await using service = fakeService(
    () => new Response(null, { status: 304 }),
    () => new Response(null, { status: 204 }),
  );
  const client = service.client();
  const params = { path: { id: "1" } };
  const header = { "If-None-Match": '"1"' };
  const unchanged = await client.GET("/v1/parking-lots/{id}", { params: { ...params, header } });
  assert.deepEqual([unchanged.data, unchanged.response.status], [undefined, 304]);
  assert.equal((await client.DELETE("/v1/me/vehicles/{id}", { params })).data, undefined);
});

Deno.test("openapi.json: every POST accepts an Idempotency-Key, and no other method does; the client depends on it", () => {
  const key = "#/components/parameters/Idempotency-Key";
  for (const [path, methods] of Object.entries(contract.paths)) {
    for (const [method, operation] of Object.entries(methods as Record<string, { parameters?: { $ref?: string }[] }>)) {
      const isKeyed = operation.parameters?.some(({ $ref }) => $ref === key) ?? false;
      assert.equal(isKeyed, method === "post", `${method} ${path}`);
    }
  }
});

Deno.test("client pages: every item of every page, with the query of the caller and the cursor of the page before", async () => {
  await using service = fakeService(
    json({ items: [{ id: "1" }, { id: "2" }], next_cursor: "a+b" }),
    json({ items: [], next_cursor: "c" }),
    json({ items: [{ id: "3" }], next_cursor: null }),
  );
  const ids: string[] = [];
  const query = { limit: 2 };
  for await (const { id } of service.client().pages("/v1/me/vehicles", { params: { query } })) ids.push(id);
  assert.deepEqual(ids, ["1", "2", "3"]);
  assert.deepEqual(service.received.map(({ path }) => path), [
    "/v1/me/vehicles?limit=2",
    "/v1/me/vehicles?limit=2&cursor=a%2Bb",
    "/v1/me/vehicles?limit=2&cursor=c",
  ]);
});

Deno.test("client pages: a loop that ends early reads no further page", async () => {
  await using service = fakeService(json({ items: [{ id: "1" }], next_cursor: "more" }));
  for await (const _ of service.client().pages("/v1/me/vehicles")) break;
  assert.equal(service.received.length, 1);
});

Deno.test("client pages: the changes feed ends with has_more false, although its last page has a cursor", async () => {
  await using service = fakeService(
    json({ items: [{ id: "1" }], next_cursor: "a", has_more: true }),
    json({ items: [{ id: "2" }], next_cursor: "b", has_more: false }),
  );
  const query = { updated_since: "2026-11-25T10:00:00+09:00" };
  const found = await Array.fromAsync(service.client().pages("/v1/parking-lots", { params: { query } }));
  assert.deepEqual([found.length, service.received.length], [2, 2]);
});

/** An NDJSON response in these chunks. */
const ndjson = (chunks: AsyncIterable<Uint8Array<ArrayBuffer>> | Iterable<Uint8Array<ArrayBuffer>>): Scripted => () =>
  new Response(ReadableStream.from(chunks), { headers: { "Content-Type": "application/x-ndjson" } });
const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("client stream: lines are values, also when chunks divide lines and characters", async () => {
  const text = bytes('{"name":"駅前"}\n{"name":"港"}\n\n{"name":"end"}');
  const chunks = Array.from(text, (_, n) => text.slice(n, n + 1));
  const expected = [{ name: "駅前" }, { name: "港" }, { name: "end" }];
  await using service = fakeService(ndjson(chunks));
  assert.deepEqual(await Array.fromAsync(service.client().stream("/v1/parking-lots")), expected);
  // On its way a response may come together again: here each chunk is a byte.
  assert.deepEqual(await Array.fromAsync(jsonLines(new Response(ReadableStream.from(chunks)))), expected);
});

Deno.test("client stream: a response that ends with a cursor is continued with it, and the end of a feed is a line", async () => {
  await using service = fakeService(
    ndjson([bytes('{"id":"1"}\n{"next_cursor":"a","has_more":true}\n')]),
    ndjson([bytes('{"id":"2"}\n{"next_cursor":"b","has_more":true}\n')]),
    ndjson([bytes('{"id":"3"}\n{"next_cursor":"c","has_more":false}\n')]),
  );
  const query = { updated_since: "2026-09-01T00:00:00Z", limit: 1, cursor: "0" };
  const found = await Array.fromAsync(service.client().stream("/v1/parking-lots", { params: { query } }));
  assert.deepEqual(found, [{ id: "1" }, { id: "2" }, { id: "3" }, { next_cursor: "c", has_more: false }]);
  assert.deepEqual(
    service.received.map(({ path }) => [...new URL(path, "http://service").searchParams.values()]),
    ["0", "a", "b"].map((cursor) => [query.updated_since, "1", cursor]),
  );
});

Deno.test("client stream: the last line of a service that sends no has_more ends the loop", async () => {
  await using service = fakeService(ndjson([bytes('{"id":"1"}\n{"next_cursor":"a"}\n')]));
  const found = await Array.fromAsync(service.client().stream("/v1/parking-lots"));
  assert.deepEqual(found, [{ id: "1" }, { next_cursor: "a" }]);
});

Deno.test("client stream: an endless response is read as far as the loop goes, then closed", async () => {
  const closed = Promise.withResolvers<void>();
  await using service = fakeService(ndjson((async function* () {
    try {
      for (let n = 0;; n++) yield bytes(`{"n":${n}}\n`.repeat(100));
    } finally {
      closed.resolve();
    }
  })()));
  let lines = 0;
  for await (const _ of service.client().stream("/v1/me/export")) if (++lines === 5_000) break;
  await closed.promise;
});

Deno.test("client stream: a response that breaks off throws in the loop", async () => {
  await using service = fakeService(ndjson((async function* () {
    yield bytes('{"n":1}\n{"n":');
    await new Promise((resolve) => setTimeout(resolve, 10));
    throw new Error("lost");
  })()));
  const read: unknown[] = [];
  await assert.rejects(async () => {
    for await (const line of service.client().stream("/v1/me/export")) read.push(line);
  });
  assert.deepEqual(read, [{ n: 1 }]);
});

Deno.test("client stream: without streams (React Native) the lines of the whole response are returned", async () => {
  await using service = fakeService(ndjson([bytes('{"n":1}\n{"n":2}\n')]));
  const fetch = async (request: Request) => {
    const response = await globalThis.fetch(request);
    return Object.defineProperty(response, "body", { value: undefined });
  };
  assert.equal((await Array.fromAsync(service.client({ fetch }).stream("/v1/me/export"))).length, 2);
});

Deno.test("client stream: an error response is an ApiError", async () => {
  await using service = fakeService(apiError(403, "forbidden", { details: { scope: "admin" } }));
  const error = await apiErrorOf(Array.fromAsync(service.client().stream("/v1/admin/activity-logs")));
  assert.equal(error.code, "forbidden");
});

Deno.test("client pages: a signal ends the loop, and no further page is read", async () => {
  await using service = fakeService(json({ items: [{ id: "1" }], next_cursor: "more" }));
  const abort = new AbortController();
  const ids: string[] = [];
  await assert.rejects(async () => {
    for await (const { id } of service.client().pages("/v1/me/vehicles", { signal: abort.signal })) {
      ids.push(id);
      abort.abort(new Error("left the screen"));
    }
  }, /left the screen/);
  assert.deepEqual([ids, service.received.length], [["1"], 1]);
});

Deno.test("client stream: a signal ends the loop, and the response is closed", async () => {
  const closed = Promise.withResolvers<void>();
  await using service = fakeService(ndjson((async function* () {
    try {
      for (let n = 0;; n++) {
        yield bytes(`{"n":${n}}\n`);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    } finally {
      closed.resolve();
    }
  })()));
  const abort = new AbortController();
  await assert.rejects(async () => {
    for await (const _ of service.client().stream("/v1/me/export", { signal: abort.signal })) {
      abort.abort(new Error("left the screen"));
    }
  }, /left the screen/);
  await closed.promise;
});
