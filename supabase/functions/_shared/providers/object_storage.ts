/**
 * Object storage, by the S3 protocol. Every request is one signed address, for the client who uploads as for ourselves,
 * so that the SDK only signs: it is loaded when the first address is needed, and no function starts slower for it.
 */
import type { S3Client, S3ClientConfig } from "@aws-sdk/client-s3";
import { type Config, ConfigError, type StorageConfig } from "../config.ts";
import { Refusal } from "../errors.ts";

/** What is known of an object without reading it. */
export interface ObjectFacts {
  readonly size: number;
  readonly contentType: string | null;
  readonly etag: string;
}

export interface ObjectStorage {
  /** The address that takes the object with PUT, with exactly this length and type, from `signedAt` on. */
  uploadUrl(key: string, what: { size: number; contentType: string; signedAt: Date; seconds: number }): Promise<string>;
  /** The address that gives the object to whoever holds it, for so many seconds. */
  readUrl(key: string, seconds: number): Promise<string>;
  /** Null when there is no such object. */
  head(key: string): Promise<ObjectFacts | null>;
  /** The first bytes of the object that has this ETag; null when it is another one by now, or gone. */
  firstBytes(key: string, etag: string, count: number): Promise<Uint8Array | null>;
  /** Deletes the object, and says whether it is gone; that there was none is as good. */
  delete(key: string): Promise<boolean>;
}

/** Private objects are in a bucket of their own, because the other one is read by everyone. */
export const PRIVATE_PREFIX = "private/";

const DEADLINE_MS = 10_000;
/** Our own requests are sent at once. */
const OWN_SECONDS = 60;

type Command = "PutObject" | "GetObject" | "HeadObject" | "DeleteObject";
type Input = { ContentType?: string; ContentLength?: number; Range?: string; IfMatch?: string };
type Place = { Bucket: string; Key: string };
type Sign = (command: Command, key: string, input: Input, seconds: number, signedAt?: Date) => Promise<string>;

export function objectStorage(config: () => Config): ObjectStorage {
  let signer: Promise<Sign> | undefined;
  const sign: Sign = async (...about) => await (await (signer ??= loadSigner(settings(config()))))(...about);

  const ask = async (command: Command, key: string, input: Input = {}): Promise<Response> => {
    const headers: Record<string, string> = {};
    if (input.Range !== undefined) headers["Range"] = input.Range;
    if (input.IfMatch !== undefined) headers["If-Match"] = input.IfMatch;
    const method = { PutObject: "PUT", GetObject: "GET", HeadObject: "HEAD", DeleteObject: "DELETE" }[command];
    return await send(await sign(command, key, input, OWN_SECONDS), { method, headers });
  };

  return {
    uploadUrl: (key, { size, contentType, signedAt, seconds }) =>
      sign("PutObject", key, { ContentType: contentType, ContentLength: size }, seconds, signedAt),
    readUrl: (key, seconds) => sign("GetObject", key, {}, seconds),
    head: async (key) => {
      const answer = await ask("HeadObject", key);
      if (answer.status === 404) return null;
      expect(answer, 200);
      const { headers } = answer;
      return {
        size: Number(headers.get("content-length")),
        contentType: headers.get("content-type"),
        etag: headers.get("etag") ?? "",
      };
    },
    firstBytes: async (key, etag, count) => {
      const answer = await ask("GetObject", key, { Range: `bytes=0-${count - 1}`, IfMatch: etag });
      const bytes = new Uint8Array(await answer.arrayBuffer());
      if (answer.status === 404 || answer.status === 412) return null;
      expect(answer, 206);
      return bytes;
    },
    delete: async (key) => {
      const answer = await attempt(() => ask("DeleteObject", key));
      await answer?.body?.cancel();
      return answer !== null && (answer.ok || answer.status === 404);
    },
  };
}

function settings({ storage }: Config): StorageConfig {
  if (storage === null) throw new ConfigError("S3_ENDPOINT is missing");
  return storage;
}

/** Whatever is not said here the SDK looks for in files and in the system, which a function may not read. */
const NOT_LOOKED_UP = {
  authSchemePreference: ["sigv4"],
  defaultsMode: "standard",
  defaultUserAgentProvider: () => Promise.resolve([]),
  disableS3ExpressSessionAuth: true,
  maxAttempts: 1,
  retryMode: "standard",
  useArnRegion: false,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  userAgentAppId: "parking-lots",
} satisfies S3ClientConfig & Record<string, unknown>;

async function loadSigner(storage: StorageConfig): Promise<Sign> {
  const [s3, { getSignedUrl }] = await Promise.all([
    import("@aws-sdk/client-s3"),
    import("@aws-sdk/s3-request-presigner"),
  ]);
  const client: S3Client = new s3.S3Client({
    endpoint: storage.endpoint,
    region: storage.region,
    credentials: { accessKeyId: storage.accessKeyId, secretAccessKey: storage.secretAccessKey },
    forcePathStyle: true,
    // Otherwise an upload's address would carry the checksum of an empty body.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    ...NOT_LOOKED_UP,
  });
  const commands = {
    PutObject: (input: Input & Place) => new s3.PutObjectCommand(input),
    GetObject: (input: Input & Place) => new s3.GetObjectCommand(input),
    HeadObject: (input: Input & Place) => new s3.HeadObjectCommand(input),
    DeleteObject: (input: Input & Place) => new s3.DeleteObjectCommand(input),
  };
  return (command, key, input, seconds, signedAt) => {
    const bucket = key.startsWith(PRIVATE_PREFIX) ? storage.privateBucket : storage.bucket;
    const options = {
      expiresIn: seconds,
      signableHeaders: new Set(["content-length", "content-type", "if-match", "range"]),
      ...(signedAt === undefined ? {} : { signingDate: signedAt }),
    };
    return getSignedUrl(client, commands[command]({ Bucket: bucket, Key: key, ...input }), options);
  };
}

/** Sends a request that may be repeated: a second time when the first found nobody, or trouble at the other end. */
async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(DEADLINE_MS) });
    if (answer.status < 500) return answer;
    await answer.body?.cancel();
  } catch (error) {
    if (!isNetworkError(error)) throw error;
  }
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(DEADLINE_MS) });
  } catch (cause) {
    if (isNetworkError(cause)) throw new Refusal("service_unavailable", { cause });
    throw cause;
  }
}

/** Null when object storage could not be asked. */
async function attempt(asking: () => Promise<Response>): Promise<Response | null> {
  try {
    return await asking();
  } catch (error) {
    if (error instanceof Refusal && error.code === "service_unavailable") return null;
    throw error;
  }
}

function isNetworkError(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof DOMException && error.name === "TimeoutError");
}

function expect(answer: Response, status: number): void {
  if (answer.status === status) return;
  throw new Refusal("service_unavailable", { cause: new Error(`object storage answered ${answer.status}`) });
}
