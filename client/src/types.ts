import type { FetchResponse, MaybeOptionalInit } from "openapi-fetch";
import type { components, paths } from "./api.ts";
import type { OnProgress } from "./upload.ts";

type Json = "application/json";
export type Method = "get" | "post" | "put" | "patch" | "delete";

/** The paths of the contract that have this method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in M]: unknown } ? P : never;
}[keyof paths];

/** Parameters, body, headers and signal of a request. `ETag` is the type of `If-None-Match`, if the request has it. */
type Init<P extends keyof paths, M extends Method> = MaybeOptionalInit<paths[P], M & keyof paths[P]>;
type Conditional<ETag extends string> = { params?: { header?: { "If-None-Match"?: ETag } } };
type InitArgument<P extends keyof paths, M extends Method, ETag extends string = string> = undefined extends Init<P, M>
  ? [init?: NonNullable<Init<P, M>> & Conditional<ETag>]
  : [init: Init<P, M> & Conditional<ETag>];

type Operation<P extends keyof paths, M extends Method> = paths[P][M & keyof paths[P]];
type Body<O> = O extends Record<string | number, unknown>
  ? FetchResponse<O, unknown, Json> extends infer R ? R extends { error?: never; data: infer D } ? D : never : never
  : never;

/** The body of a 2xx response, undefined if it has none. */
export type ResponseBody<P extends keyof paths, M extends Method> = [Body<Operation<P, M>>] extends [never] ? undefined
  : Body<Operation<P, M>>;

/** `data` is undefined after 304, which only a request with `If-None-Match` gets. */
export type Call<M extends Method> = <P extends PathOf<M>, ETag extends string = never>(
  path: P,
  ...init: InitArgument<P, M, ETag>
) => Promise<{ data: ResponseBody<P, M> | ([ETag] extends [never] ? never : undefined); response: Response }>;

/** The paths of lists with a cursor. */
export type ListPath = {
  [P in PathOf<"get">]: ResponseBody<P, "get"> extends { items: unknown[]; next_cursor: string | null } ? P : never;
}[PathOf<"get">];
export type ListItem<P extends ListPath> = ResponseBody<P, "get"> extends { items: (infer Item)[] } ? Item : never;

/** The paths that also return NDJSON. */
export type StreamPath = {
  [P in PathOf<"get">]: Operation<P, "get"> extends
    { responses: { 200: { content: { "application/x-ndjson": string } } } } ? P : never;
}[PathOf<"get">];
export type StreamItem<P extends StreamPath> = P extends ListPath
  ? ListItem<P> | (P extends "/v1/parking-lots" ? ChangesEnd : never)
  : Record<string, unknown>;
/** The last line of the changes feed (`updated_since`): where the next synchronization begins. */
export interface ChangesEnd {
  next_cursor: string;
  has_more?: false;
}

export type UploadRequest = components["schemas"]["UploadRequest"];
export interface UploadOptions extends Omit<UploadRequest, "file_size" | "mime_type"> {
  /** The type of the file, if `file.type` does not have it. */
  readonly mime_type?: UploadRequest["mime_type"];
  /** Without XMLHttpRequest (Node) it is called once, after the upload. */
  readonly onProgress?: OnProgress;
  readonly signal?: AbortSignal;
}

export interface ParkingClient {
  readonly GET: Call<"get">;
  readonly POST: Call<"post">;
  readonly PUT: Call<"put">;
  readonly PATCH: Call<"patch">;
  readonly DELETE: Call<"delete">;
  /** The items of a list. Reads a page when the loop needs it, and keeps one page in memory. */
  pages<P extends ListPath>(
    path: P,
    ...init: InitArgument<P, "get">
  ): AsyncGenerator<ListItem<P>, void, undefined>;
  /**
   * The lines of an NDJSON response, and of those that continue it: a response has a part of a long list. A response that
   * breaks off throws an error in the loop.
   */
  stream<P extends StreamPath>(
    path: P,
    ...init: InitArgument<P, "get">
  ): AsyncGenerator<StreamItem<P>, void, undefined>;
  /** Uploads a file and returns its asset id, for the endpoint that uses the file. */
  upload(file: Blob | Uint8Array<ArrayBuffer>, options: UploadOptions): Promise<string>;
}
