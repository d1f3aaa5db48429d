// The platform's object storage as Amazon's own client uses it, and each of its errors.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import {
  CopyObjectCommand,
  type CopyObjectCommandInput,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { Storage } from "../../local/storage/storage.ts";

const credentials = { accessKeyId: "key", secretAccessKey: "secret" };
const MAX_SIZE = 1024 * 1024;
const folder = await Deno.makeTempDir();
const buckets = [{ name: "assets", isPublic: true }, { name: "private", isPublic: false }];
const storage = await Storage.start({ folder, buckets, maxObjectSize: MAX_SIZE, credentials });
const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  (request) => storage.handle(request, new URL(request.url)),
);
const origin = `http://127.0.0.1:${server.addr.port}`;
const client = clientWith();
Deno.test.afterAll(async () => {
  client.destroy();
  await server.shutdown();
  await Deno.remove(folder, { recursive: true });
});

function clientWith(config: S3ClientConfig = {}): S3Client {
  const endpoint = `${origin}/storage/v1/s3`;
  return new S3Client({ endpoint, region: "local", forcePathStyle: true, credentials, maxAttempts: 1, ...config });
}

const at = (key: string, bucket = "assets") => ({ Bucket: bucket, Key: key });
const bytesOf = (text: string) => new TextEncoder().encode(text);

async function failure(sending: Promise<unknown>): Promise<[status: number | undefined, code: string]> {
  try {
    await sending;
  } catch (error) {
    if (error instanceof S3ServiceException) return [error.$metadata.httpStatusCode, error.name];
    throw error;
  }
  return assert.fail("the request should be rejected");
}

/** Status and code of an error, read from its XML. */
async function refused(answer: Response): Promise<[number, string | undefined]> {
  const text = await answer.text();
  assert.match(text, /^<\?xml .*<Error>.*<Message>.+<\/Message><Resource>.+<\/Resource><RequestId>/s);
  return [answer.status, /<Code>(\w+)<\/Code>/.exec(text)?.[1]];
}

/** A URL to upload `size` bytes of a PNG to, both bound by the signature. */
function uploadUrl(key: string, size: number, more: { signingDate?: Date; expiresIn?: number } = {}): Promise<string> {
  const command = new PutObjectCommand({ ...at(key), ContentType: "image/png", ContentLength: size });
  const signableHeaders = new Set(["content-type", "content-length"]);
  const signer = clientWith({ requestChecksumCalculation: "WHEN_REQUIRED" });
  return getSignedUrl(signer, command, { expiresIn: 600, signableHeaders, ...more });
}

const put = (url: string | URL, body: string, headers: Record<string, string> = { "content-type": "image/png" }) =>
  fetch(url, { method: "PUT", body: bytesOf(body), headers });

Deno.test("local storage: the S3 client writes, describes, reads and deletes an object", async () => {
  const body = crypto.getRandomValues(new Uint8Array(60_000));
  const etag = `"${createHash("md5").update(body).digest("hex")}"`;
  const stored = await client.send(new PutObjectCommand({ ...at("a/b.png"), Body: body, ContentType: "image/png" }));
  assert.equal(stored.ETag, etag);
  const facts = await client.send(new HeadObjectCommand(at("a/b.png")));
  assert.deepEqual([facts.ContentLength, facts.ContentType, facts.ETag], [body.length, "image/png", etag]);
  const got = await client.send(new GetObjectCommand(at("a/b.png")));
  assert.deepEqual(await got.Body!.transformToByteArray(), body);
  const part = await client.send(new GetObjectCommand({ ...at("a/b.png"), Range: "bytes=10-19" }));
  assert.deepEqual(await part.Body!.transformToByteArray(), body.slice(10, 20));
  assert.equal(part.ContentRange, `bytes 10-19/${body.length}`);
  await client.send(new DeleteObjectCommand(at("a/b.png")));
  await client.send(new DeleteObjectCommand(at("a/b.png")));
  assert.deepEqual(await failure(client.send(new GetObjectCommand(at("a/b.png")))), [404, "NoSuchKey"]);
  assert.deepEqual(await failure(client.send(new HeadObjectCommand(at("a/b.png")))), [404, "NotFound"]);
});

Deno.test("local storage: a key with any valid character is one object", async () => {
  const keys = ["a b", "a+b", "a%20b", "駐車/場.png", "!'()*", "&$@=;:?,", "a//b", "x".repeat(1024)];
  for (const key of keys) await client.send(new PutObjectCommand({ ...at(key), Body: bytesOf(key) }));
  for (const key of keys) {
    const { Body } = await client.send(new GetObjectCommand(at(key)));
    assert.equal(await Body!.transformToString(), key);
  }
  assert.deepEqual(
    await failure(client.send(new PutObjectCommand({ ...at("x".repeat(1025)), Body: "x" }))),
    [400, "KeyTooLongError"],
  );
});

Deno.test("local storage: an object is replaced whole and survives a restart, and temporary files are removed", async () => {
  await client.send(new PutObjectCommand({ ...at("twice"), Body: "first and long" }));
  await client.send(new PutObjectCommand({ ...at("twice"), Body: "second" }));
  await Deno.writeTextFile(join(folder, "unfinished", "left"), "half");
  const again = await Storage.start({ folder, buckets, maxObjectSize: MAX_SIZE, credentials });
  const url = `${origin}/storage/v1/object/public/assets/twice`;
  assert.equal(await (await again.handle(new Request(url), new URL(url))).text(), "second");
  assert.deepEqual([...Deno.readDirSync(join(folder, "unfinished"))], []);
});

Deno.test("local storage: a copy into another bucket keeps the type and is conditional on the ETag", async () => {
  const body = new Uint8Array(200_000).map((_, n) => n % 251);
  await client.send(new PutObjectCommand({ ...at("駐 車.png", "private"), Body: body, ContentType: "image/png" }));
  const { ETag } = await client.send(new HeadObjectCommand(at("駐 車.png", "private")));
  const CopySource = `/private/${encodeURIComponent("駐 車.png")}`;
  const copied = await client.send(
    new CopyObjectCommand({ ...at("copy.png"), CopySource, CopySourceIfMatch: ETag! }),
  );
  assert.equal(copied.CopyObjectResult?.ETag, ETag);
  const copy = await fetch(`${origin}/storage/v1/object/public/assets/copy.png`);
  assert.equal(copy.headers.get("content-type"), "image/png");
  assert.deepEqual(new Uint8Array(await copy.arrayBuffer()), body);
  const copying = (input: Partial<CopyObjectCommandInput>) =>
    failure(client.send(new CopyObjectCommand({ ...at("other.png"), CopySource, ...input })));
  assert.deepEqual(await copying({ CopySourceIfMatch: '"other"' }), [412, "PreconditionFailed"]);
  assert.deepEqual(await copying({ CopySource: "/private/nothing.png" }), [404, "NoSuchKey"]);
  assert.deepEqual(await copying({ CopySource: "/nowhere/a.png" }), [404, "NoSuchBucket"]);
  assert.deepEqual(await copying({ CopySource: "/assets/other.png" }), [400, "InvalidRequest"]);
  assert.deepEqual(await copying({ MetadataDirective: "REPLACE" }), [501, "NotImplemented"]);
  assert.deepEqual(await failure(client.send(new HeadObjectCommand(at("other.png")))), [404, "NotFound"]);
  const unsigned = await put(await uploadUrl("copy", 1), "1", {
    "content-type": "image/png",
    "x-amz-copy-source": CopySource,
  });
  assert.deepEqual(await refused(unsigned), [403, "AccessDenied"]);
});

Deno.test("local storage: ranges and conditions of the S3 client are followed", async () => {
  await client.send(new PutObjectCommand({ ...at("digits"), Body: "0123456789" }));
  const { ETag } = await client.send(new HeadObjectCommand(at("digits")));
  const read = async (range: string) =>
    await (await client.send(new GetObjectCommand({ ...at("digits"), Range: range }))).Body!.transformToString();
  assert.deepEqual(await Promise.all(["bytes=8-", "bytes=5-99"].map(read)), ["89", "56789"]);
  const getting = (input: { Range?: string; IfMatch?: string; IfNoneMatch?: string }) =>
    failure(client.send(new GetObjectCommand({ ...at("digits"), ...input })));
  assert.deepEqual(await getting({ Range: "bytes=10-" }), [416, "InvalidRange"]);
  assert.deepEqual(await getting({ IfMatch: '"other"' }), [412, "PreconditionFailed"]);
  assert.equal((await getting({ IfNoneMatch: ETag! }))[0], 304);
});

Deno.test("local storage: ETag conditions and ranges work in the public bucket", async () => {
  await client.send(new PutObjectCommand({ ...at("kept"), Body: "0123456789" }));
  const url = `${origin}/storage/v1/object/public/assets/kept`;
  const first = await fetch(url);
  await first.body?.cancel();
  const etag = first.headers.get("etag")!;
  const cases: [Record<string, string>, number, string?][] = [
    [{ "if-none-match": `"other", W/${etag}` }, 304],
    [{ "if-none-match": "*" }, 304],
    [{ "if-none-match": '"other"' }, 200],
    [{ "if-match": `"other", ${etag}` }, 200],
    [{ "if-match": '"other"' }, 412],
    [{ range: "bytes=0-1" }, 206, "bytes 0-1/10"],
    [{ range: "bytes=10-" }, 416, "bytes */10"],
  ];
  for (const [headers, status, shown = null] of cases) {
    const answer = await fetch(url, { headers });
    await answer.body?.cancel();
    assert.deepEqual([answer.status, answer.headers.get("content-range")], [status, shown], JSON.stringify(headers));
  }
});

Deno.test("local storage: a PUT with a condition is rejected with 501", async () => {
  await client.send(new PutObjectCommand({ ...at("once"), Body: "first" }));
  for (const condition of [{ IfNoneMatch: "*" }, { IfMatch: '"other"' }]) {
    const second = client.send(new PutObjectCommand({ ...at("once"), Body: "second", ...condition }));
    assert.deepEqual(await failure(second), [501, "NotImplemented"]);
  }
  const { Body } = await client.send(new GetObjectCommand(at("once")));
  assert.equal(await Body!.transformToString(), "first");
});

Deno.test("local storage: the public bucket is readable without a signature, the private one is not", async () => {
  for (const bucket of ["assets", "private"]) {
    const place = at("shown.png", bucket);
    await client.send(new PutObjectCommand({ ...place, Body: "shown", ContentType: "image/png" }));
  }
  const read = (bucket: string) => fetch(`${origin}/storage/v1/object/public/${bucket}/shown.png`);
  const open = await read("assets");
  assert.deepEqual([open.status, open.headers.get("content-type"), await open.text()], [200, "image/png", "shown"]);
  assert.deepEqual(await refused(await read("private")), [404, "NoSuchKey"]);
  assert.deepEqual(await refused(await read("nothing")), [404, "NoSuchBucket"]);
  const write = await put(`${origin}/storage/v1/object/public/assets/shown.png`, "changed");
  assert.deepEqual(await refused(write), [405, "MethodNotAllowed"]);
  const signed = await getSignedUrl(client, new GetObjectCommand(at("shown.png", "private")), { expiresIn: 60 });
  assert.equal(await (await fetch(signed)).text(), "shown");
});

Deno.test("local storage: a presigned upload URL accepts exactly the signed request", async () => {
  const url = await uploadUrl("upload.png", 5);
  const answer = await put(url, "12345");
  assert.equal(answer.status, 200, await answer.text());
  const { Body, ContentType } = await client.send(new GetObjectCommand(at("upload.png")));
  assert.deepEqual([await Body!.transformToString(), ContentType], ["12345", "image/png"]);

  const changed = (change: (url: URL) => void) => {
    const other = new URL(url);
    change(other);
    return other;
  };
  const flip = (hex: string) => (hex.startsWith("0") ? "1" : "0") + hex.slice(1);
  const mismatches: Record<string, () => Promise<Response>> = {
    "a byte more": () => put(url, "123456"),
    "a byte less": () => put(url, "1234"),
    "another type": () => put(url, "12345", { "content-type": "image/jpeg" }),
    "no type": () => put(url, "12345", {}),
    "no length": () =>
      fetch(url, { method: "PUT", body: new Blob(["12345"]).stream(), headers: { "content-type": "image/png" } }),
    "another key": () => put(changed((it) => it.pathname = it.pathname.replace("upload", "other")), "12345"),
    "another bucket": () => put(changed((it) => it.pathname = it.pathname.replace("assets", "private")), "12345"),
    "another method": () => fetch(url, { method: "DELETE", headers: { "content-type": "image/png" } }),
    "a changed signature": () =>
      put(
        changed((it) => it.searchParams.set("X-Amz-Signature", flip(it.searchParams.get("X-Amz-Signature")!))),
        "12345",
      ),
    "a longer life": () => put(changed((it) => it.searchParams.set("X-Amz-Expires", "601")), "12345"),
    "a further parameter": () => put(changed((it) => it.searchParams.set("x-amz-acl", "public-read")), "12345"),
    "another host": () => put(changed((it) => it.hostname = "localhost"), "12345"),
  };
  for (const [what, send] of Object.entries(mismatches)) {
    assert.deepEqual(await refused(await send()), [403, "SignatureDoesNotMatch"], what);
  }
});

Deno.test("local storage: a presigned URL is rejected before and after its time", async () => {
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
  assert.equal((await put(await uploadUrl("time", 1, { signingDate: ago(590) }), "1")).status, 200);
  for (const seconds of [602, -16 * 60]) {
    const url = await uploadUrl("time", 1, { signingDate: ago(seconds) });
    assert.deepEqual(await refused(await put(url, "1")), [403, "AccessDenied"], `${seconds} s ago`);
  }
});

Deno.test("local storage: unsigned, doubly signed and wrongly signed requests are rejected", async () => {
  const url = new URL(await uploadUrl("x", 1));
  const bare = new URL(url.pathname, url);
  assert.deepEqual(await refused(await put(bare, "1")), [403, "AccessDenied"]);
  const both = await put(url, "1", { authorization: "AWS4-HMAC-SHA256 Credential=a", "content-type": "image/png" });
  assert.deepEqual(await refused(both), [400, "InvalidArgument"]);
  const header = await put(bare, "1", { authorization: "Bearer abc" });
  assert.deepEqual(await refused(header), [400, "AuthorizationHeaderMalformed"]);
  for (
    const [name, value, code] of [
      ["X-Amz-Expires", "0", "AuthorizationQueryParametersError"],
      ["X-Amz-Expires", "604801", "AuthorizationQueryParametersError"],
      ["X-Amz-Algorithm", "AWS4-HMAC-SHA1", "AuthorizationQueryParametersError"],
      ["X-Amz-Date", "yesterday", "AuthorizationHeaderMalformed"],
      ["X-Amz-SignedHeaders", "content-type", "AuthorizationHeaderMalformed"],
      ["X-Amz-Credential", "key/20260101/local/s3/aws4_request", "AuthorizationHeaderMalformed"],
      ["X-Amz-Signature", "abc", "AuthorizationHeaderMalformed"],
    ] as const
  ) {
    const changed = new URL(url);
    changed.searchParams.set(name, value);
    assert.deepEqual(await refused(await put(changed, "1")), [400, code], `${name}=${value}`);
  }
  const sending = (config: S3ClientConfig) => {
    const other = clientWith(config);
    return failure(other.send(new PutObjectCommand({ ...at("x"), Body: "1" }))).finally(() => other.destroy());
  };
  const otherSecret = { ...credentials, secretAccessKey: "guess" };
  assert.deepEqual(await sending({ credentials: otherSecret }), [403, "SignatureDoesNotMatch"]);
  const otherKey = { ...credentials, accessKeyId: "guess" };
  assert.deepEqual(await sending({ credentials: otherKey }), [403, "InvalidAccessKeyId"]);
  const late = { systemClockOffset: -20 * 60_000 };
  assert.deepEqual(await sending(late), [403, "RequestTimeTooSkewed"]);
});

Deno.test("local storage: a body with another hash than the signed one is rejected and not stored", async () => {
  const signedFor = bytesOf("signed");
  const other = clientWith();
  other.middlewareStack.add((next) => (args) => {
    (args.request as { body: Uint8Array }).body = bytesOf("forged");
    return next(args);
  }, { step: "finalizeRequest", priority: "low" });
  const sending = other.send(new PutObjectCommand({ ...at("forged"), Body: signedFor }));
  assert.deepEqual(await failure(sending), [400, "XAmzContentSHA256Mismatch"]);
  other.destroy();
  assert.deepEqual(await failure(client.send(new HeadObjectCommand(at("forged")))), [404, "NotFound"]);
});

Deno.test("local storage: an object that is too large is rejected by Content-Length and while it is received", async () => {
  const tooMuch = new Uint8Array(MAX_SIZE + 1);
  const sending = client.send(new PutObjectCommand({ ...at("large"), Body: tooMuch }));
  assert.deepEqual(await failure(sending), [400, "EntityTooLarge"]);
  const url = await getSignedUrl(
    clientWith({ requestChecksumCalculation: "WHEN_REQUIRED" }),
    new PutObjectCommand(at("large")),
    { expiresIn: 60 },
  );
  const flowing = await fetch(url, { method: "PUT", body: new Blob([tooMuch]).stream() });
  assert.deepEqual(await refused(flowing), [400, "EntityTooLarge"]);
  await client.send(new PutObjectCommand({ ...at("large"), Body: tooMuch.subarray(1) }));
});

Deno.test("local storage: CORS allows any origin", async () => {
  const preflight = await fetch(`${origin}/storage/v1/s3/assets/x`, { method: "OPTIONS" });
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /PUT/);
  const answer = await put(await uploadUrl("cors", 1), "1");
  assert.equal(answer.headers.get("access-control-allow-origin"), "*");
});
