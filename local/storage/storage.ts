// Object storage of the local platform: PUT, GET, HEAD, DELETE and copies of objects by the S3 protocol at /storage/v1/s3,
// and the public bucket's objects for everyone at /storage/v1/object/public.
import { createHash } from "node:crypto";
import { rangeWanted, refusedBy } from "./conditions.ts";
import { errorResponse, S3Error } from "./errors.ts";
import { type Description, Objects } from "./objects.ts";
import { type Credentials, decode, type Signed, verifySignature } from "./signature.ts";

export interface Bucket {
  readonly name: string;
  readonly isPublic: boolean;
}

export interface StorageOptions {
  /** Where the objects are kept. */
  readonly folder: string;
  readonly buckets: readonly Bucket[];
  readonly largestObject: number;
  readonly credentials: Credentials;
}

const S3 = "/storage/v1/s3";
const PUBLIC = "/storage/v1/object/public";
const LONGEST_KEY = 1024;
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
  readonly #objects: Objects;

  private constructor(readonly options: StorageOptions) {
    this.#objects = new Objects(options.folder);
  }

  static async start(options: StorageOptions): Promise<Storage> {
    const storage = new Storage(options);
    await storage.#objects.prepare();
    return storage;
  }

  async handle(request: Request, url: URL): Promise<Response> {
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: PREFLIGHT });
    try {
      const answer = await this.#answer(request, url);
      for (const [name, value] of Object.entries(CORS)) answer.headers.set(name, value);
      return answer;
    } catch (error) {
      if (!(error instanceof S3Error)) throw error;
      await request.body?.cancel();
      const answer = errorResponse(error, url.pathname);
      for (const [name, value] of Object.entries(CORS)) answer.headers.set(name, value);
      return answer;
    }
  }

  async #answer(request: Request, url: URL): Promise<Response> {
    if (url.pathname.startsWith(`${PUBLIC}/`)) {
      if (request.method !== "GET" && request.method !== "HEAD") throw notAllowed(request.method);
      const { bucket, key } = this.#place(url.pathname.slice(PUBLIC.length));
      if (!bucket.isPublic) throw noSuchKey();
      return await this.#read(request, bucket.name, key, { "cache-control": "public, max-age=3600" });
    }
    const signed = verifySignature(request, url, this.options.credentials);
    const { bucket: { name: bucket }, key } = this.#place(url.pathname.slice(S3.length));
    switch (request.method) {
      case "GET":
      case "HEAD":
        return await this.#read(request, bucket, key, {});
      case "PUT": {
        if (request.headers.has("x-amz-copy-source")) return await this.#copy(request, bucket, key, signed);
        const { etag } = await this.#write(request, bucket, key, signed);
        return new Response(null, { headers: { etag } });
      }
      case "DELETE":
        await this.#objects.delete(bucket, key);
        return new Response(null, { status: 204 });
      default:
        throw notAllowed(request.method);
    }
  }

  #place(path: string): { bucket: Bucket; key: string } {
    const [, first = "", ...rest] = path.split("/");
    const bucket = this.options.buckets.find(({ name }) => name === decode(first));
    if (bucket === undefined) throw new S3Error(404, "NoSuchBucket", "There is no such bucket");
    const key = rest.map(decode).join("/");
    if (key === "") throw new S3Error(501, "NotImplemented", "Only objects are answered for, not buckets");
    if (new TextEncoder().encode(key).length > LONGEST_KEY) {
      throw new S3Error(400, "KeyTooLongError", "The key is too long");
    }
    return { bucket, key };
  }

  async #write(request: Request, bucket: string, key: string, signed: Signed): Promise<Description> {
    const { largestObject } = this.options;
    const declared = request.headers.get("content-length");
    const condition = request.headers.has("if-match") || request.headers.has("if-none-match");
    if (condition) throw new S3Error(501, "NotImplemented", "Conditions of a PUT are not looked at");
    let received = 0;
    const tooLarge = () => new S3Error(400, "EntityTooLarge", `An object has at most ${largestObject} bytes`);
    if (Number(declared) > largestObject) throw tooLarge();
    const sha256 = createHash("sha256");
    const watch = (chunk: Uint8Array) => {
      received += chunk.length;
      if (received > largestObject) throw tooLarge();
      sha256.update(chunk);
    };
    const finish = () => {
      if (declared !== null && Number(declared) !== received) {
        throw new S3Error(400, "IncompleteBody", "The body has another length than Content-Length says");
      }
      if (signed.bodySha256 !== null && sha256.digest("hex") !== signed.bodySha256) {
        throw new S3Error(400, "XAmzContentSHA256Mismatch", "The body is not the one that was signed");
      }
    };
    const contentType = request.headers.get("content-type") ?? "application/octet-stream";
    return await this.#objects.put(bucket, key, contentType, request.body, watch, finish);
  }

  /** The object of another place, if it is the one that is meant. Bytes and type are the source's. */
  async #copy(request: Request, bucket: string, key: string, signed: Signed): Promise<Response> {
    const header = (name: string) => request.headers.get(`x-amz-${name}`);
    const source = header("copy-source") ?? "";
    if (!signed.headers.has("x-amz-copy-source")) {
      throw new S3Error(403, "AccessDenied", "The header x-amz-copy-source is not signed");
    }
    const other = ["none-match", "modified-since", "unmodified-since"].some((name) => header(`copy-source-if-${name}`));
    if (other || source.includes("?") || (header("metadata-directive") ?? "COPY") !== "COPY") {
      throw new S3Error(501, "NotImplemented", "Only whole objects are copied, by x-amz-copy-source-if-match alone");
    }
    await request.body?.cancel();
    const from = this.#place(source.startsWith("/") ? source : `/${source}`);
    if (from.bucket.name === bucket && from.key === key) {
      throw new S3Error(400, "InvalidRequest", "An object is not copied to itself");
    }
    const object = await this.#objects.get(from.bucket.name, from.key);
    if (object === undefined) throw noSuchKey();
    const { size, contentType, etag } = object.description;
    const wanted = header("copy-source-if-match");
    if (wanted !== null && wanted !== etag) {
      object.close();
      throw new S3Error(412, "PreconditionFailed", "The object is another one");
    }
    if (size === 0) object.close();
    const body = size === 0 ? null : object.read(0, size - 1);
    const copy = await this.#objects.put(bucket, key, contentType, body, () => {}, () => {});
    const modified = new Date(copy.modified).toISOString();
    const quoted = copy.etag.replaceAll('"', "&quot;");
    const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<CopyObjectResult xmlns="${XMLNS}">` +
      `<LastModified>${modified}</LastModified><ETag>${quoted}</ETag></CopyObjectResult>`;
    return new Response(xml, { headers: { "content-type": "application/xml" } });
  }

  async #read(request: Request, bucket: string, key: string, more: Record<string, string>): Promise<Response> {
    const object = await this.#objects.get(bucket, key);
    if (object === undefined) throw noSuchKey();
    const { size, contentType, etag, modified } = object.description;
    const headers = new Headers({
      "content-type": contentType,
      "accept-ranges": "bytes",
      "last-modified": modified,
      "x-content-type-options": "nosniff",
      etag,
      ...more,
    });
    const empty = (status: number) => {
      object.close();
      return new Response(null, { status, headers });
    };
    const refused = refusedBy(request.headers, object.description);
    if (refused === 412) {
      object.close();
      throw new S3Error(412, "PreconditionFailed", "The object is another one");
    }
    if (refused === 304) return empty(304);
    const range = rangeOf(rangeWanted(request.headers, object.description), size);
    if (range === "outside") {
      object.close();
      throw new S3Error(416, "InvalidRange", "The object has no such bytes", { "content-range": `bytes */${size}` });
    }
    const [from, to] = range ?? [0, size - 1];
    if (range !== null) headers.set("content-range", `bytes ${from}-${to}/${size}`);
    headers.set("content-length", String(to - from + 1));
    const status = range === null ? 200 : 206;
    if (request.method === "HEAD" || size === 0) return empty(status);
    return new Response(object.read(from, to), { status, headers });
  }
}

/** The bytes that are asked for; null for all of them, also when the header is not one range of bytes. */
function rangeOf(header: string | null, size: number): readonly [from: number, to: number] | "outside" | null {
  const [, first, last] = header?.match(/^bytes=(\d*)-(\d*)$/) ?? [];
  if (first === undefined || last === undefined || first + last === "") return null;
  const from = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && first !== "" && Number(last) < from) return null;
  return from >= size || to < from ? "outside" : [from, to];
}

function noSuchKey(): S3Error {
  return new S3Error(404, "NoSuchKey", "There is no such object");
}

function notAllowed(method: string): S3Error {
  return new S3Error(405, "MethodNotAllowed", `${method} is not answered here`);
}
