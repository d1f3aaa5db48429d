// Object storage of the local platform: PUT, GET, HEAD, DELETE and copies of objects by the S3 protocol at /storage/v1/s3,
// and the objects of the public bucket without a signature at /storage/v1/object/public.
import { createHash } from "node:crypto";
import { BodyError, readBody } from "../gateway/body.ts";
import { errorResponse, S3Error } from "./errors.ts";
import { ObjectStore, type StoredObject } from "./objects.ts";
import { type Credentials, decode, type Signed, verifySignature } from "./signature.ts";

export interface Bucket {
  readonly name: string;
  readonly isPublic: boolean;
}

export interface StorageOptions {
  /** The folder of the objects. */
  readonly folder: string;
  readonly buckets: readonly Bucket[];
  /** Bytes. */
  readonly maxObjectSize: number;
  readonly credentials: Credentials;
}

const S3 = "/storage/v1/s3";
const PUBLIC = "/storage/v1/object/public";
const MAX_KEY_BYTES = 1024;
const XMLNS = "http://s3.amazonaws.com/doc/2006-03-01/";

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "ETag",
};
const PREFLIGHT = {
  ...CORS,
  "access-control-allow-methods": "GET, HEAD, PUT, DELETE",
  "access-control-allow-headers": "*, authorization",
  "access-control-max-age": "3600",
};

export class Storage {
  readonly #objects: ObjectStore;

  private constructor(readonly options: StorageOptions) {
    this.#objects = new ObjectStore(options.folder);
  }

  static async start(options: StorageOptions): Promise<Storage> {
    const storage = new Storage(options);
    await storage.#objects.prepare();
    return storage;
  }

  async handle(request: Request, url: URL): Promise<Response> {
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: PREFLIGHT });
    let response: Response;
    try {
      response = await this.#respond(request, url);
    } catch (error) {
      if (!(error instanceof S3Error)) throw error;
      if (!request.bodyUsed) await request.body?.cancel();
      response = errorResponse(error, url.pathname);
    }
    for (const [name, value] of Object.entries(CORS)) response.headers.set(name, value);
    return response;
  }

  async #respond(request: Request, url: URL): Promise<Response> {
    if (url.pathname.startsWith(`${PUBLIC}/`)) {
      if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(request.method);
      const { bucket, key } = this.#resolve(url.pathname.slice(PUBLIC.length));
      if (!bucket.isPublic) throw noSuchKey();
      return await this.#read(request, bucket.name, key, { "cache-control": "public, max-age=3600" });
    }
    const signed = verifySignature(request, url, this.options.credentials);
    const { bucket: { name: bucket }, key } = this.#resolve(url.pathname.slice(S3.length));
    switch (request.method) {
      case "GET":
      case "HEAD":
        return await this.#read(request, bucket, key, {});
      case "PUT":
        if (request.headers.has("x-amz-copy-source")) return await this.#copy(request, bucket, key, signed);
        return new Response(null, { headers: { etag: (await this.#write(request, bucket, key, signed)).etag } });
      case "DELETE":
        await this.#objects.delete(bucket, key);
        return new Response(null, { status: 204 });
      default:
        throw methodNotAllowed(request.method);
    }
  }

  #resolve(path: string): { bucket: Bucket; key: string } {
    const [, first = "", ...rest] = path.split("/");
    const bucket = this.options.buckets.find(({ name }) => name === decode(first));
    if (bucket === undefined) throw new S3Error(404, "NoSuchBucket", "The bucket does not exist.");
    const key = rest.map(decode).join("/");
    if (key === "") throw notImplemented("Requests for buckets are not supported. Name an object.");
    if (new TextEncoder().encode(key).length > MAX_KEY_BYTES) {
      throw new S3Error(400, "KeyTooLongError", `A key has at most ${MAX_KEY_BYTES} bytes.`);
    }
    return { bucket, key };
  }

  async #write(request: Request, bucket: string, key: string, signed: Signed): Promise<StoredObject> {
    const { headers } = request;
    if (headers.has("if-match") || headers.has("if-none-match")) {
      throw notImplemented("Conditions of a PUT are not supported.");
    }
    const bytes = await this.#receive(request);
    const declared = headers.get("content-length");
    if (declared !== null && Number(declared) !== bytes.length) {
      throw new S3Error(400, "IncompleteBody", "The length of the body differs from Content-Length.");
    }
    if (signed.bodySha256 !== null && createHash("sha256").update(bytes).digest("hex") !== signed.bodySha256) {
      throw new S3Error(400, "XAmzContentSHA256Mismatch", "The hash of the body differs from the signed one.");
    }
    return await this.#objects.put(bucket, key, headers.get("content-type") ?? "application/octet-stream", bytes);
  }

  async #receive(request: Request): Promise<Uint8Array<ArrayBuffer>> {
    const { maxObjectSize } = this.options;
    try {
      return await readBody(request, maxObjectSize) as Uint8Array<ArrayBuffer>;
    } catch (error) {
      if (!(error instanceof BodyError && error.status === 413)) throw error;
      throw new S3Error(400, "EntityTooLarge", `An object has at most ${maxObjectSize} bytes.`);
    }
  }

  /** Copies bytes and type of another object, on the condition of its ETag if the request has one. */
  async #copy(request: Request, bucket: string, key: string, signed: Signed): Promise<Response> {
    const source = request.headers.get("x-amz-copy-source") ?? "";
    const supported = ["x-amz-copy-source", "x-amz-copy-source-if-match"];
    if (!signed.headers.has("x-amz-copy-source")) {
      throw new S3Error(403, "AccessDenied", "The header x-amz-copy-source is not signed.");
    }
    const others = [...request.headers.keys()].filter((name) =>
      /^x-amz-(copy-source|metadata-directive)/.test(name) && !supported.includes(name)
    );
    if (others.length > 0) throw notImplemented(`A copy does not support ${others.join(", ")}.`);
    await request.body?.cancel();
    const from = this.#resolve(source.startsWith("/") ? source : `/${source}`);
    if (from.bucket.name === bucket && from.key === key) {
      throw new S3Error(400, "InvalidRequest", "An object cannot be copied to itself.");
    }
    const object = await this.#objects.get(from.bucket.name, from.key);
    if (object === undefined) throw noSuchKey();
    const condition = request.headers.get("x-amz-copy-source-if-match");
    if (condition !== null && condition !== object.etag) throw preconditionFailed();
    const copy = await this.#objects.put(bucket, key, object.contentType, object.bytes);
    const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<CopyObjectResult xmlns="${XMLNS}">` +
      `<LastModified>${new Date(copy.modified).toISOString()}</LastModified>` +
      `<ETag>${copy.etag.replaceAll('"', "&quot;")}</ETag></CopyObjectResult>`;
    return new Response(xml, { headers: { "content-type": "application/xml" } });
  }

  async #read(request: Request, bucket: string, key: string, more: Record<string, string>): Promise<Response> {
    const object = await this.#objects.get(bucket, key);
    if (object === undefined) throw noSuchKey();
    const { contentType, etag, modified, bytes } = object;
    const headers = new Headers({
      "content-type": contentType,
      "accept-ranges": "bytes",
      "last-modified": modified,
      "x-content-type-options": "nosniff",
      etag,
      ...more,
    });
    if (!matches(request.headers.get("if-match") ?? "*", etag)) throw preconditionFailed();
    if (matches(request.headers.get("if-none-match") ?? "", etag)) return new Response(null, { status: 304, headers });
    const range = parseRange(request.headers.get("range"), bytes.length);
    const content = range === undefined ? bytes : bytes.subarray(...range);
    if (range !== undefined) headers.set("content-range", `bytes ${range[0]}-${range[1] - 1}/${bytes.length}`);
    headers.set("content-length", String(content.length));
    const status = range === undefined ? 200 : 206;
    return new Response(request.method === "HEAD" ? null : content, { status, headers });
  }
}

function matches(list: string, etag: string): boolean {
  return list === "*" || list.split(",").some((name) => name.trim().replace(/^W\//, "") === etag);
}

/** The bytes of `bytes=<first>-<last>`, the end exclusive; undefined for all bytes. */
function parseRange(header: string | null, size: number): [from: number, to: number] | undefined {
  const [, first, last] = header?.match(/^bytes=(\d+)-(\d*)$/) ?? [];
  if (first === undefined) return undefined;
  const to = last ? Math.min(Number(last) + 1, size) : size;
  if (Number(first) < to) return [Number(first), to];
  throw new S3Error(416, "InvalidRange", "The object is shorter than the range.", {
    "content-range": `bytes */${size}`,
  });
}

function noSuchKey(): S3Error {
  return new S3Error(404, "NoSuchKey", "The object does not exist.");
}

function preconditionFailed(): S3Error {
  return new S3Error(412, "PreconditionFailed", "The object has another ETag.");
}

function methodNotAllowed(method: string): S3Error {
  return new S3Error(405, "MethodNotAllowed", `The method ${method} is not supported here.`);
}

function notImplemented(message: string): S3Error {
  return new S3Error(501, "NotImplemented", message);
}
