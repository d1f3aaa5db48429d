/** Object storage (S3 protocol). Every request uses a presigned URL, both for clients and for the service itself. */
import type { Config, StorageConfig } from "../config.ts";
import { ConfigError } from "../environment.ts";
import { ApiError } from "../errors.ts";
import { DEADLINES } from "../providers/calls/deadlines.ts";
import { isTimeout } from "../providers/calls/request.ts";
import { encodePath, signerOf } from "./s3_signature.ts";

/** Metadata of an object. */
export interface ObjectFacts {
  readonly size: number;
  readonly contentType: string | null;
  readonly etag: string;
}

export interface ObjectStorage {
  /** URL for a PUT of the object, with exactly this length and type. Valid from `signedAt` on. */
  uploadUrl(key: string, what: { size: number; contentType: string; signedAt: Date; seconds: number }): Promise<string>;
  /** URL for reading the object without a token, valid for this many seconds. */
  readUrl(key: string, seconds: number): Promise<string>;
  /** Null if the object does not exist. */
  head(key: string): Promise<ObjectFacts | null>;
  /** The first bytes of the object with this ETag. Null if the object has changed or does not exist. */
  firstBytes(key: string, etag: string, count: number): Promise<Uint8Array | null>;
  /** The object with this ETag. Null if the object has changed or does not exist. */
  read(key: string, etag: string): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Writes an object, and returns its ETag. Null if storage failed. */
  write(key: string, bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<{ readonly etag: string } | null>;
  /**
   * Copies the object with this ETag, and returns the copy's ETag. Returns `changed` if the object has changed or does
   * not exist, and null if storage failed.
   */
  copy(from: string, to: string, etag: string): Promise<{ readonly etag: string } | "changed" | null>;
  /** Deletes the object, and returns whether it no longer exists. A missing object is a success. */
  delete(key: string): Promise<boolean>;
}

/** Private objects have their own bucket, because the other one is public. */
export const PRIVATE_PREFIX = "private/";

/** Requests of the service are sent immediately. */
const SERVICE_URL_SECONDS = 60;

export function objectStorage(config: () => Config): ObjectStorage {
  let store: Store | undefined;
  const storeOf = () => store ??= openStore(settings(config()));

  /** Sends a request of the service. All its headers are signed. */
  const ask = async (
    method: string,
    key: string,
    headers: Record<string, string> = {},
    body: Uint8Array<ArrayBuffer> | null = null,
  ): Promise<Response> => {
    const { sign, path } = storeOf();
    return await send(await sign({ method, path: path(key), headers, seconds: SERVICE_URL_SECONDS }), {
      method,
      headers,
      body,
    });
  };
  /** The bytes of the object with this ETag: all, or those of a range. */
  const bytesOf = async (key: string, etag: string, range: Record<string, string> = {}) => {
    const answer = await ask("GET", key, { ...range, "if-match": etag });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (answer.status === 404 || answer.status === 412) return null;
    expect(answer, "range" in range ? 206 : 200);
    return bytes;
  };

  return {
    uploadUrl: async (key, { size, contentType, signedAt, seconds }) => {
      const { signForClients, path } = storeOf();
      const headers = { "content-length": String(size), "content-type": contentType };
      return await signForClients({ method: "PUT", path: path(key), headers, seconds, signedAt });
    },
    readUrl: async (key, seconds) => {
      const { signForClients, path } = storeOf();
      return await signForClients({ method: "GET", path: path(key), seconds });
    },
    head: async (key) => {
      const answer = await ask("HEAD", key);
      if (answer.status === 404) return null;
      expect(answer, 200);
      const { headers } = answer;
      return {
        size: Number(headers.get("content-length")),
        contentType: headers.get("content-type"),
        etag: headers.get("etag") ?? "",
      };
    },
    firstBytes: (key, etag, count) => bytesOf(key, etag, { range: `bytes=0-${count - 1}` }),
    read: (key, etag) => bytesOf(key, etag),
    write: async (key, bytes, contentType) => {
      const answer = await attempt(() => ask("PUT", key, { "content-type": contentType }, bytes));
      await answer?.body?.cancel();
      const etag = answer?.ok ? answer.headers.get("etag") : null;
      return etag === null || etag === undefined ? null : { etag };
    },
    copy: async (from, to, etag) => {
      const source = `/${encodePath(storeOf().path(from).join("/"))}`;
      const headers = { "x-amz-copy-source": source, "x-amz-copy-source-if-match": etag };
      const answer = await attempt(() => ask("PUT", to, headers));
      const body = await answer?.text();
      if (answer?.status === 404 || answer?.status === 412) return "changed";
      // A copy that fails after its start has status 200, an error in the body, and no ETag.
      const copied = answer?.ok ? /<ETag>([^<]+)<\/ETag>/.exec(body ?? "")?.[1] : undefined;
      return copied === undefined ? null : { etag: copied.replaceAll("&quot;", '"').replaceAll("&#34;", '"') };
    },
    delete: async (key) => {
      const answer = await attempt(() => ask("DELETE", key));
      await answer?.body?.cancel();
      return answer !== null && (answer.ok || answer.status === 404);
    },
  };
}

interface Store {
  readonly sign: ReturnType<typeof signerOf>;
  /** Replaces the endpoint by the one for clients. */
  readonly signForClients: ReturnType<typeof signerOf>;
  /** Bucket and key. */
  readonly path: (key: string) => readonly [bucket: string, key: string];
}

function openStore(storage: StorageConfig): Store {
  return {
    sign: signerOf(storage),
    signForClients: signerOf({ ...storage, endpoint: storage.publicEndpoint }),
    path: (key) => [key.startsWith(PRIVATE_PREFIX) ? storage.privateBucket : storage.bucket, key],
  };
}

function settings({ storage }: Config): StorageConfig {
  if (storage === null) throw new ConfigError("S3_ENDPOINT is missing");
  return storage;
}

/** Sends an idempotent request, with one retry after a connection failure or a server error. */
async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(DEADLINES.objectStorage) });
    if (answer.status < 500) return answer;
    await answer.body?.cancel();
  } catch (error) {
    if (!isNetworkError(error)) throw error;
  }
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(DEADLINES.objectStorage) });
  } catch (cause) {
    if (isNetworkError(cause)) throw new ApiError("service_unavailable", { cause });
    throw cause;
  }
}

/** Null if object storage could not be reached. */
async function attempt(asking: () => Promise<Response>): Promise<Response | null> {
  try {
    return await asking();
  } catch (error) {
    if (error instanceof ApiError && error.code === "service_unavailable") return null;
    throw error;
  }
}

function isNetworkError(error: unknown): boolean {
  return error instanceof TypeError || isTimeout(error);
}

function expect(answer: Response, status: number): void {
  if (answer.status === status) return;
  throw new ApiError("service_unavailable", { cause: new Error(`object storage answered ${answer.status}`) });
}
