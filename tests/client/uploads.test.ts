// client/: uploads: the address, the file, the progress, and what ends them.
import assert from "node:assert/strict";
import { ApiError } from "../../client/src/index.ts";
import { apiError, fakeService, type Scripted } from "./fake_service.ts";
import { withXhr } from "./fake_xhr.ts";

const address: Scripted = (request) =>
  Response.json({
    asset_id: "asset-1",
    upload_url: `${new URL(request.url).origin}/object?signature=1`,
    expires_in: 600,
  });

Deno.test("client upload: the address is requested, the bytes are sent there without the token, the asset id is returned", async () => {
  await using service = fakeService(address, () => new Response("busy", { status: 502 }), () => new Response());
  const file = new Blob(["0123456789"], { type: "image/png" });
  assert.equal(await service.client().upload(file, { file_name: "a.png", category: "review" }), "asset-1");
  const [requested, ...puts] = service.received;
  assert.deepEqual(JSON.parse(requested!.body), {
    file_name: "a.png",
    file_size: 10,
    mime_type: "image/png",
    category: "review",
  });
  const put = { method: "PUT", path: "/object?signature=1", key: null, token: null, body: "0123456789" };
  assert.deepEqual(puts, [put, put]);
});

Deno.test("client upload: an error response of object storage is an ApiError", async () => {
  await using service = fakeService(address, () => new Response("<Error/>", { status: 403 }));
  const options = { file_name: "a.png", category: "review", mime_type: "image/png" } as const;
  await assert.rejects(
    service.client().upload(new Uint8Array(3), options),
    (error) => error instanceof ApiError && error.code === "unexpected_response" && error.status === 403,
  );
});

Deno.test("client upload: a signal ends it", async () => {
  const abort = new AbortController();
  const answered = Promise.withResolvers<Response>();
  await using service = fakeService(address, () => {
    abort.abort();
    return answered.promise;
  });
  const file = new Blob(["0"], { type: "image/png" });
  const options = { file_name: "a.png", category: "review", signal: abort.signal } as const;
  await assert.rejects(service.client().upload(file, options), { name: "AbortError" });
  answered.resolve(new Response());
});

const file = new Blob(["0123456789"], { type: "image/png" });

Deno.test("client upload: with XMLHttpRequest onProgress gets the bytes that are sent, and all at the end", async () => {
  using _xhr = withXhr({ progress: [4, 8] });
  await using service = fakeService(address, () => new Response());
  const progress: number[][] = [];
  const options = {
    file_name: "a.png",
    category: "review",
    onProgress: (...at: number[]) => progress.push(at),
  } as const;
  assert.equal(await service.client().upload(file, options), "asset-1");
  assert.deepEqual(progress, [[4, 10], [8, 10], [10, 10]]);
  const put = { method: "PUT", path: "/object?signature=1", key: null, token: null, body: "0123456789" };
  assert.deepEqual(service.received[1], put);
});

Deno.test("client upload: an upload with progress that is interrupted or rejected is sent again, from 0", async () => {
  using _xhr = withXhr({ progress: [4], isLost: true }, { progress: [7] }, { progress: [2, 10] });
  await using service = fakeService(
    address,
    () => new Response(),
    () => new Response("busy", { status: 503, headers: { "Retry-After": "0" } }),
    () => new Response(),
  );
  const sent: number[] = [];
  const options = { file_name: "a.png", category: "review", onProgress: (n: number) => sent.push(n) } as const;
  // Without a code the response of object storage is unknown, as that of a proxy.
  await service.client().upload(file, options);
  assert.deepEqual(sent, [4, 7, 2, 10]);
  assert.equal(service.received.length, 4);
});

Deno.test("client upload: an error response to an upload with progress is an ApiError, with its Retry-After", async () => {
  using _xhr = withXhr({ progress: [] });
  await using service = fakeService(address, apiError(503, "busy", {}, { "Retry-After": "3600" }));
  const options = { file_name: "a.png", category: "review", onProgress: () => {} } as const;
  const call = service.client().upload(file, options);
  await assert.rejects(
    call,
    (error) => error instanceof ApiError && error.status === 503 && error.retryAfterSeconds === 3600,
  );
  assert.equal(service.received.length, 2);
});

Deno.test("client upload: a signal ends an upload with progress, with its reason", async () => {
  using xhr = withXhr({ progress: [4] });
  const abort = new AbortController();
  const answered = Promise.withResolvers<Response>();
  await using service = fakeService(address, () => {
    abort.abort(new Error("left the screen"));
    return answered.promise;
  });
  const options = { file_name: "a.png", category: "review", signal: abort.signal, onProgress: () => {} } as const;
  await assert.rejects(service.client().upload(file, options), /left the screen/);
  answered.resolve(new Response());
  assert.deepEqual([xhr.aborted, service.received.length], [1, 2]);
});

Deno.test("client upload: without XMLHttpRequest onProgress is called once, at the end", async () => {
  await using service = fakeService(address, () => new Response());
  const progress: number[][] = [];
  const options = {
    file_name: "a.png",
    category: "review",
    onProgress: (...at: number[]) => progress.push(at),
  } as const;
  await service.client().upload(file, options);
  assert.deepEqual(progress, [[10, 10]]);
});
