// Signed addresses of object storage, held to what Amazon's own library signs.
import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { S3RequestPresigner } from "@aws-sdk/s3-request-presigner";
import { encodePath, signerOf, type ToSign } from "../../supabase/functions/_shared/storage/s3_signature.ts";

const signer = {
  endpoint: "https://store.example:8443/storage/v1/s3",
  region: "ap-northeast-1",
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "secret/with+signs=",
};

/** The hash that the library wants to be given. */
class Sha256 {
  readonly #hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", bytesOf(secret));
  }
  update(data: string | ArrayBuffer | ArrayBufferView) {
    this.#hash.update(bytesOf(data));
  }
  digest() {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }
  reset() {}
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === "string") return new TextEncoder().encode(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

/** The query of the address that Amazon's library signs for the same request. */
async function expected({ method, path, headers = {}, seconds, signedAt }: ToSign): Promise<Record<string, string>> {
  const { endpoint, accessKeyId, secretAccessKey, region } = signer;
  const presigner = new S3RequestPresigner({ region, credentials: { accessKeyId, secretAccessKey }, sha256: Sha256 });
  const url = new URL(endpoint);
  const names = new Set(Object.keys(headers));
  const { query } = await presigner.presign({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    port: Number(url.port),
    path: `${url.pathname}/${path.map(encodePath).join("/")}`,
    query: {},
    headers: { ...headers, host: url.host },
  }, { expiresIn: seconds, signingDate: signedAt!, signableHeaders: names, unhoistableHeaders: names });
  return Object.fromEntries(Object.entries(query ?? {}).map(([name, value]) => [name, String(value)]));
}

const signedAt = new Date("2026-09-01T23:59:59.900Z");
const requests: Record<string, ToSign> = {
  "an upload": {
    method: "PUT",
    path: ["assets-private", "private/review/0123.png"],
    headers: { "content-length": "482133", "content-type": "image/png" },
    seconds: 600,
    signedAt,
  },
  "a read of a key with every sign": {
    method: "GET",
    path: ["assets", "a b/駐車!'()*+&=~/c.png"],
    seconds: 60,
    signedAt,
  },
  "the first bytes": {
    method: "GET",
    path: ["assets", "a.png"],
    headers: { range: "bytes=0-31", "if-match": '"abc"' },
    seconds: 60,
    signedAt,
  },
  "a copy": {
    method: "PUT",
    path: ["assets", "review/a.png"],
    headers: { "x-amz-copy-source": "/assets-private/private/review/a.png", "x-amz-copy-source-if-match": '"abc"' },
    seconds: 60,
    signedAt,
  },
  "a deletion": { method: "DELETE", path: ["assets", "review/a.png"], seconds: 604_800, signedAt },
};

for (const [what, request] of Object.entries(requests)) {
  Deno.test(`object storage: the address of ${what} is signed as Amazon's library signs it`, async () => {
    const url = new URL(await signerOf(signer)(request));
    assert.equal(url.pathname, `/storage/v1/s3/${request.path.map(encodePath).join("/")}`);
    assert.deepEqual(Object.fromEntries(url.searchParams), await expected(request));
  });
}

Deno.test("object storage: one signer uses the key of each day", async () => {
  const sign = signerOf(signer);
  const request = requests["a deletion"]!;
  for (const day of ["2026-09-01T00:00:00Z", "2026-09-02T00:00:00Z", "2026-09-01T00:00:00Z"]) {
    const requested = { ...request, signedAt: new Date(day) };
    assert.deepEqual(Object.fromEntries(new URL(await sign(requested)).searchParams), await expected(requested));
  }
});
