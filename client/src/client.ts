import createClient, { createQuerySerializer } from "openapi-fetch";
import type { paths } from "./api.ts";
import { ApiError } from "./errors.ts";
import { jsonLines } from "./lines.ts";
import { createLive, type Live } from "./live.ts";
import { isOutcomeUnknown, type RetryOptions, sendWithRetries } from "./retry.ts";
import { serviceRoot } from "./root.ts";
import { currentSession, isSameUser, type SupabaseLike } from "./session.ts";
import type { Call, Method, ParkingClient, UploadOptions, UploadRequest } from "./types.ts";
import { hasProgress, putWithProgress } from "./upload.ts";

type Json = "application/json";
type Token = string | null | undefined;

export interface ParkingClientOptions {
  /**
   * The address of the Supabase project or of its functions, for example `https://<project>.supabase.co`. A service at a
   * domain of its own has `/v1` in its address: `https://api.example.com/v1`.
   */
  readonly url: string;
  /** The access token, or a function that returns the current one. Without a token requests are anonymous. */
  readonly accessToken?: Token | (() => Token | Promise<Token>);
  readonly retry?: RetryOptions;
  /** Sends the requests, `globalThis.fetch` by default. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

export interface LiveClientOptions extends Omit<ParkingClientOptions, "accessToken"> {
  /** A client of supabase-js 2: requests have the access token of its session. */
  readonly supabase: SupabaseLike;
}

export interface LiveParkingClient extends ParkingClient {
  /** The five Realtime channels. */
  readonly live: Live;
}

/** A client of the service. Every method throws an `ApiError` for an error response and a `NetworkError` without one. */
export function createParkingClient(options: LiveClientOptions): LiveParkingClient;
export function createParkingClient(options: ParkingClientOptions): ParkingClient;
export function createParkingClient(options: ParkingClientOptions & Partial<LiveClientOptions>): ParkingClient {
  const { supabase, ...others } = options;
  const { accessToken, retry } = others;
  const readToken = async (): Promise<Token> => {
    if (supabase) return (await currentSession(supabase))?.access_token;
    return typeof accessToken === "function" ? await accessToken() : accessToken;
  };
  const fetch = options.fetch ?? ((request: Request) => globalThis.fetch(request));

  const api = createClient<paths, Json>({
    baseUrl: serviceRoot(options.url),
    querySerializer: (query) => serializeQuery(withJson(query)),
    fetch: async (request) => {
      // One user for all attempts: an idempotency key belongs to its user.
      let token = await readToken();
      const isOurs = !request.headers.has("Authorization");
      if (token && isOurs) request.headers.set("Authorization", `Bearer ${token}`);
      // Every POST accepts a key. The service ignores the key of an anonymous request.
      const isKeyed = request.method === "POST" && request.headers.has("Authorization");
      if (isKeyed && !request.headers.has("Idempotency-Key")) {
        request.headers.set("Idempotency-Key", randomKey());
      }
      const renewToken = async () => {
        const [old, renewed] = [token, await readToken()];
        if (!isOurs || !old || !renewed || old === renewed || !isSameUser(old, renewed)) return false;
        token = renewed;
        request.headers.set("Authorization", `Bearer ${token}`);
        return true;
      };
      return await sendWithRetries(() => fetch(request.clone()), {
        method: request.method,
        isKeyed,
        renewToken,
        signal: request.signal,
      }, retry);
    },
  });

  // The types of openapi-fetch hold for the callers below; inside, a path is any text.
  type Answer = { data?: unknown; error?: unknown; response: Response };
  const request = api.request as unknown as (method: Method, path: string, init: object) => Promise<Answer>;
  const call = async (method: Method, path: string, init: object = {}) => {
    const { data, error, response } = await request(method, path, init);
    if (!response.ok && response.status !== 304) throw new ApiError(response, error, isOutcomeUnknown(response));
    return { data, response };
  };
  const methodOf = <M extends Method>(method: M) =>
    ((path: string, init?: object) => call(method, path, init)) as unknown as Call<M>;

  async function* pages(path: string, init: { params?: { query?: object } } = {}) {
    let cursor: string | null | undefined;
    do {
      const query = { ...init.params?.query, ...(cursor ? { cursor } : {}) };
      const { data } = await call("get", path, { ...init, params: { ...init.params, query } });
      const page = data as { items: unknown[]; next_cursor: string | null; has_more?: boolean };
      yield* page.items;
      // The last page of the changes feed has a cursor too, for the next synchronization.
      cursor = page.has_more === false ? null : page.next_cursor;
    } while (cursor);
  }

  async function* stream(path: string, init: { params?: { header?: object; query?: object } } = {}) {
    const header = { ...init.params?.header, Accept: "application/x-ndjson" };
    let cursor: string | undefined;
    do {
      const query = { ...init.params?.query, ...(cursor === undefined ? {} : { cursor }) };
      const params = { ...init.params, ...(Object.keys(query).length > 0 ? { query } : {}), header };
      const { response } = await call("get", path, { ...init, params, parseAs: "stream" });
      cursor = undefined;
      for await (const line of jsonLines(response)) {
        cursor = continuation(line);
        if (cursor === undefined) yield line;
      }
    } while (cursor !== undefined);
  }

  async function upload(file: Blob | Uint8Array<ArrayBuffer>, options: UploadOptions): Promise<string> {
    const { signal, onProgress, ...about } = options;
    const size = file instanceof Uint8Array ? file.byteLength : file.size;
    const type = about.mime_type ?? (file instanceof Uint8Array ? "" : file.type);
    const body = { ...about, file_size: size, mime_type: type as UploadRequest["mime_type"] };
    const { data } = await methodOf("post")("/v1/storage/upload-url", { body, ...(signal ? { signal } : {}) });
    const url = data.upload_url;
    let isReported = false;
    const report = (sent: number) => {
      isReported = sent >= size;
      onProgress?.(sent, size);
    };
    const headers = { "Content-Type": type };
    const put = onProgress && hasProgress()
      ? () => putWithProgress({ url, file, type, signal }, report)
      : () => fetch(new Request(url, { method: "PUT", body: file, headers, ...(signal ? { signal } : {}) }));
    // Object storage replaces the file: a second PUT to the same address has no other effect than the first.
    const response = await sendWithRetries(put, { method: "PUT", isKeyed: true, signal: signal ?? null }, retry);
    if (!response.ok) throw new ApiError(response, undefined);
    if (!isReported) report(size);
    return data.asset_id;
  }

  return {
    GET: methodOf("get"),
    POST: methodOf("post"),
    PUT: methodOf("put"),
    PATCH: methodOf("patch"),
    DELETE: methodOf("delete"),
    pages: pages as unknown as ParkingClient["pages"],
    stream: stream as unknown as ParkingClient["stream"],
    upload,
    live: createLive(supabase, (accessToken) => createParkingClient({ ...others, accessToken })),
  } as ParkingClient;
}

const serializeQuery = createQuerySerializer();

/** The cursor in the last line of a response that is not the last one. The end of the changes feed has `has_more` false. */
function continuation(line: unknown): string | undefined {
  const { next_cursor, has_more } = line as { next_cursor?: unknown; has_more?: unknown };
  return has_more === true && typeof next_cursor === "string" ? next_cursor : undefined;
}

/** Objects of a query, for example `filters`, are sent as JSON text. */
function withJson(query: Record<string, unknown>): Record<string, unknown> {
  const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, isObject(value) ? JSON.stringify(value) : value]),
  );
}

/** A key that its user has not used. It is not a secret, so `Math.random` is enough where `crypto` is missing (React Native). */
function randomKey(): string {
  const part = () => Math.random().toString(36).slice(2);
  return globalThis.crypto?.randomUUID?.() ?? `${Date.now().toString(36)}-${part()}-${part()}`;
}
