/**
 * Uploaded files for other endpoints: checked before they are attached, and returned with URLs to users who may see
 * them.
 */
import type { Caller } from "../auth/token.ts";
import type { Database } from "../db/client.ts";
import { ApiError } from "../errors.ts";
import type { Links } from "../http/links.ts";
import { limited } from "../queue/pool.ts";
import { type ImageType, imageTypeNamed, imageTypeOf, SIGNATURE_BYTES } from "./image_type.ts";
import { type ObjectStorage, PRIVATE_PREFIX } from "./object_storage.ts";
import { PROBLEMS, withoutMetadata } from "./picture.ts";

export const UPLOAD_CATEGORIES = [
  "review",
  "session_photo",
  "error_report",
  "support",
  "avatar",
  "parking_lot",
] as const;
export type UploadCategory = (typeof UPLOAD_CATEGORIES)[number];

/** Pictures that other users see, by a public URL or a temporary one. They are stored without metadata. */
const SHOWN_CATEGORIES: readonly UploadCategory[] = ["review", "avatar", "parking_lot"];

/** Lifetime of URLs for uploads and for reading private files, in seconds. */
export const URL_SECONDS = 600;

/** The functions of the database that confirming an upload calls. */
export const CONFIRM_ASSET_CALLS = ["pending_asset", "place_asset", "refuse_asset"] as const;

/** The functions of the database that settling a publication calls. */
export const PUBLICATION_CALLS = ["finish_object_publication", "reject_published_object"] as const;

/** The functions of the database that publishing a file calls. */
export const PUBLISH_CALLS = ["object_publication", ...PUBLICATION_CALLS] as const;

interface AssetContext {
  readonly caller: Caller;
  readonly service: Database<(typeof CONFIRM_ASSET_CALLS)[number]>;
  readonly storage: ObjectStorage;
}

interface Declared {
  readonly storage_key: string;
  readonly content_type: ImageType;
  readonly size_bytes: number;
}

/** Location of a file. Every upload is in the private bucket. A public file is in the public bucket too. */
export interface StoredFile {
  readonly storage_key: string;
  readonly is_public: boolean;
}

/** Key of a checked file in the private bucket, for its whole lifetime. No upload URL has this key. */
export function originalKey(storageKey: string): string {
  return storageKey.startsWith(PRIVATE_PREFIX) ? storageKey : PRIVATE_PREFIX + storageKey;
}

/** Key of the client's upload. */
export function incomingKey(storageKey: string): string {
  return `${PRIVATE_PREFIX}incoming/${originalKey(storageKey).slice(PRIVATE_PREFIX.length)}`;
}

/**
 * Checks the object of an upload before it is attached. Copies it to a key that clients cannot overwrite, and marks its
 * asset as placed. A picture that other users see is copied without its metadata, so that no URL shows them. Throws
 * `validation_error` if the object is missing or differs from the declaration, or is no picture: then the upload is
 * deleted, so that the same bytes are not read again. `param` is the field with the asset's id. If the asset is not a
 * pending upload of the caller, nothing happens: private.attach_asset rejects it later.
 */
export async function confirmAsset(
  { caller, service, storage }: AssetContext,
  assetId: string,
  category: UploadCategory,
  param = "asset_id",
): Promise<void> {
  const declared = await service.rpc<Declared | null>("pending_asset", {
    asset_id: assetId,
    user_id: caller.id,
    category,
  });
  if (declared === null) return;
  const { storage_key } = declared;
  const [from, to] = [incomingKey(storage_key), originalKey(storage_key)];
  const found = await checkedObject(storage, from, declared);
  const copy: Copy = "problem" in found
    ? found
    : await copyPicture(storage, from, to, found.etag, declared.content_type, SHOWN_CATEGORIES.includes(category));
  if (copy === null) throw new ApiError("service_unavailable");
  if (copy === "changed" || "problem" in copy) {
    if (copy !== "changed" && copy.isFinal) await service.rpc("refuse_asset", { asset_id: assetId });
    const message = copy === "changed" ? STILL_UPLOADING : copy.problem;
    throw ApiError.ofFields([{ param, code: "invalid_value", message }], { reason: "upload_not_usable" });
  }
  await service.rpc("place_asset", {
    asset_id: assetId,
    etag: copy.etag,
    size_bytes: copy.size ?? declared.size_bytes,
  });
}

/** Why an upload is not used. Unless that is final, the client may send the file again to the same address. */
interface Refusal {
  readonly problem: string;
  readonly isFinal?: boolean;
}

/** A copy, or why there is none, as for `ObjectStorage.copy`. `size` is that of the copy where it may be another one. */
type Copy = { readonly etag: string; readonly size?: number } | Refusal | "changed" | null;

/** Pictures that are in memory at the same time: a function has 256 MB, and each one needs its size a few times. */
const withMemory = limited(3);

/** Copies the picture with this ETag, if it is one; without its metadata if it is shown to others. */
function copyPicture(
  storage: ObjectStorage,
  from: string,
  to: string,
  etag: string,
  type: ImageType,
  isShown: boolean,
): Promise<Copy> {
  return withMemory(async () => {
    const bytes = await storage.read(from, etag);
    if (bytes === null) return "changed";
    const picture = await withoutMetadata(bytes, type);
    if (typeof picture === "string") {
      return { problem: `${PROBLEMS[picture](type)} Create a new upload with a valid file.`, isFinal: true };
    }
    if (!isShown) return await storage.copy(from, to, etag);
    const written = await storage.write(to, picture, type);
    return written === null ? null : { etag: written.etag, size: picture.length };
  });
}

const STILL_UPLOADING = "The file is being uploaded again. Wait for that upload to finish, then retry.";

async function checkedObject(
  storage: ObjectStorage,
  key: string,
  { content_type, size_bytes }: Pick<Declared, "content_type" | "size_bytes">,
): Promise<{ etag: string } | Refusal> {
  const found = await storage.head(key);
  if (found === null) {
    return { problem: "This file has not been uploaded. Send it with PUT to its `upload_url` first." };
  }
  if (found.size !== size_bytes) {
    return { problem: "The uploaded file does not have the declared size. Upload the declared file." };
  }
  if (imageTypeNamed(found.contentType ?? "") !== content_type) {
    return {
      problem: "The uploaded file was sent with another content type than declared. Upload it with the declared type.",
    };
  }
  const bytes = await storage.firstBytes(key, found.etag, SIGNATURE_BYTES);
  if (bytes === null) return { problem: STILL_UPLOADING };
  if (imageTypeOf(bytes) !== content_type) {
    return { problem: `The uploaded file is not of the declared type ${content_type}. Upload a valid file.` };
  }
  return { etag: found.etag };
}

/** The same for a list of uploads. `param` is the field of the list. */
export async function confirmAssets(
  context: AssetContext,
  assetIds: readonly string[] | undefined,
  category: UploadCategory,
  param: string,
): Promise<void> {
  for (const id of assetIds ?? []) await confirmAsset(context, id, category, param);
}

/** Temporary URLs for reading these files. Null for null. */
export function fileUrls(storage: ObjectStorage, keys: readonly string[]): Promise<string[]>;
export function fileUrls(storage: ObjectStorage, keys: readonly string[] | null): Promise<string[] | null>;
export async function fileUrls(storage: ObjectStorage, keys: readonly string[] | null): Promise<string[] | null> {
  return keys === null ? null : await Promise.all(keys.map((key) => storage.readUrl(key, URL_SECONDS)));
}

/** URL of a file: public, or temporary. */
export async function fileUrl(
  { links, storage }: { readonly links: Links; readonly storage: ObjectStorage },
  { storage_key, is_public }: StoredFile,
): Promise<string> {
  return is_public ? links.asset(storage_key)! : await storage.readUrl(originalKey(storage_key), URL_SECONDS);
}

/** Replaces the photos of a review by their URLs. */
export async function withPhotoUrls<Review extends { readonly photos: readonly StoredFile[] }>(
  reader: { readonly links: Links; readonly storage: ObjectStorage },
  { photos, ...review }: Review,
): Promise<Omit<Review, "photos"> & { photo_urls: string[] }> {
  return { ...review, photo_urls: await Promise.all(photos.map((photo) => fileUrl(reader, photo))) };
}

/** A file whose public copy must be made or deleted, in the format of api.read_object_publications. */
export interface Publication {
  readonly msg_id: number | null;
  readonly storage_key: string;
  /** Whether the file must have a public copy. */
  readonly is_wanted: boolean;
  readonly is_public: boolean;
  readonly content_type: string | null;
  readonly size_bytes: number | null;
  readonly etag: string | null;
}

/**
 * Makes or deletes the public copy of a file, and returns whether that is complete. It is safe to run twice or
 * concurrently: the state of the row decides, and the message stays in the queue until the copy matches it.
 */
export async function applyPublication(
  service: Database<(typeof PUBLICATION_CALLS)[number]>,
  storage: ObjectStorage,
  file: Publication,
): Promise<boolean> {
  const { msg_id, storage_key } = file;
  const finish = (is_copied: boolean) =>
    service.rpc<boolean>("finish_object_publication", { msg_id, storage_key, is_copied });
  const removeCopy = async () => await storage.delete(storage_key) && await finish(false);

  if (!file.is_wanted) return await removeCopy();
  if (file.is_public) return await finish(true);
  const copied = await copyOriginal(storage, file);
  if (copied === null) return false;
  if (copied === "changed") {
    // The checked object no longer exists, and no other object may replace it.
    await service.rpc("reject_published_object", { storage_key });
    return await removeCopy();
  }
  return await finish(true) || await removeCopy();
}

/**
 * Copies the object that was checked when the file was attached, and lost its metadata then. A file that was never
 * checked is checked now, and its copy has no metadata.
 */
async function copyOriginal(storage: ObjectStorage, file: Publication): Promise<{ etag: string } | "changed" | null> {
  const { storage_key, content_type, size_bytes, etag } = file;
  const original = originalKey(storage_key);
  if (etag !== null) return await storage.copy(original, storage_key, etag);
  const declared = { content_type: content_type as ImageType, size_bytes: size_bytes ?? -1 };
  const found = await checkedObject(storage, original, declared);
  if ("problem" in found) return "changed";
  const copy = await copyPicture(storage, original, storage_key, found.etag, declared.content_type, true);
  return copy !== null && copy !== "changed" && "problem" in copy ? "changed" : copy;
}

/**
 * Makes the public copy of a newly published file without waiting for the job, and returns whether it exists. On
 * failure the job makes it.
 */
export async function publishAsset(
  { service, storage }: { readonly service: Database<(typeof PUBLISH_CALLS)[number]>; readonly storage: ObjectStorage },
  assetId: string,
): Promise<boolean> {
  try {
    const file = await service.rpc<Publication | null>("object_publication", { asset_id: assetId });
    return file?.is_wanted === true && await applyPublication(service, storage, file);
  } catch (failure) {
    if (failure instanceof ApiError) return false; // the changes of the request remain
    throw failure;
  }
}
