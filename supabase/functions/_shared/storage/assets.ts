/** Uploaded files, as the other endpoints use them: checked before they are attached, shown to those who may see them. */
import type { Caller } from "../auth/token.ts";
import type { Database } from "../db/client.ts";
import { ApiError } from "../errors.ts";
import type { Links } from "../http/links.ts";
import { type ImageType, imageTypeOf, SIGNATURE_BYTES } from "./image_type.ts";
import { type ObjectStorage, PRIVATE_PREFIX } from "./object_storage.ts";

export type UploadCategory = "review" | "session_photo" | "error_report" | "support" | "avatar" | "parking_lot";

/** How long an address to upload to, or to read a private file from, is good for. */
export const URL_SECONDS = 600;

/** The functions of the database that confirming an upload calls. */
export const CONFIRM_ASSET_CALLS = ["pending_asset", "place_asset"] as const;

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

/** Where a file is: every upload in the private bucket, and one that is public in the other bucket as well. */
export interface StoredFile {
  readonly storage_key: string;
  readonly is_public: boolean;
}

/** The key of a checked file in the private bucket, where it stays as long as it exists. No address takes an upload to it. */
export function originalKey(storageKey: string): string {
  return storageKey.startsWith(PRIVATE_PREFIX) ? storageKey : PRIVATE_PREFIX + storageKey;
}

/** The key that the client uploads to. */
export function incomingKey(storageKey: string): string {
  return `${PRIVATE_PREFIX}incoming/${originalKey(storageKey).slice(PRIVATE_PREFIX.length)}`;
}

/**
 * Checks the object of an upload that is about to be attached, copies it to where nobody can replace it, and marks its asset
 * placed. Refuses with validation_error, `param` being the field that named the asset, when the object is not there or is not
 * what was declared. What is no pending upload of the caller's is left alone: private.attach_asset, which comes next,
 * decides.
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
  const found = await checkedObject(storage, incomingKey(storage_key), declared);
  const copy = "problem" in found
    ? found
    : await storage.copy(incomingKey(storage_key), originalKey(storage_key), found.etag);
  if (copy === null) throw new ApiError("service_unavailable");
  if (copy === "changed" || "problem" in copy) {
    const message = copy === "changed" ? CHANGED : copy.problem;
    throw ApiError.ofFields([{ param, code: "invalid_value", message }], { reason: "upload_not_usable" });
  }
  await service.rpc("place_asset", { asset_id: assetId, etag: copy.etag });
}

const CHANGED = "The file is being uploaded again. Wait for that upload to finish, then retry.";

async function checkedObject(
  storage: ObjectStorage,
  key: string,
  { content_type, size_bytes }: Pick<Declared, "content_type" | "size_bytes">,
): Promise<{ etag: string } | { problem: string }> {
  const found = await storage.head(key);
  if (found === null) {
    return { problem: "This file has not been uploaded. Send it with PUT to its `upload_url` first." };
  }
  if (found.size !== size_bytes) {
    return { problem: "The uploaded file does not have the declared size. Upload the declared file." };
  }
  if (found.contentType !== content_type) {
    return {
      problem: "The uploaded file was sent with another content type than declared. Upload it with the declared type.",
    };
  }
  const bytes = await storage.firstBytes(key, found.etag, SIGNATURE_BYTES);
  if (bytes === null) return { problem: CHANGED };
  if (imageTypeOf(bytes) !== content_type) {
    return { problem: `The uploaded file is not of the declared type ${content_type}. Upload a valid file.` };
  }
  return { etag: found.etag };
}

/** The same for a list of uploads; `param` names the list. */
export async function confirmAssets(
  work: AssetContext,
  assetIds: readonly string[] | undefined,
  category: UploadCategory,
  param: string,
): Promise<void> {
  for (const id of assetIds ?? []) await confirmAsset(work, id, category, param);
}

/** Addresses under which these files are read for a while; null where there are no files. */
export function addressesOf(storage: ObjectStorage, keys: readonly string[]): Promise<string[]>;
export function addressesOf(storage: ObjectStorage, keys: readonly string[] | null): Promise<string[] | null>;
export async function addressesOf(storage: ObjectStorage, keys: readonly string[] | null): Promise<string[] | null> {
  return keys === null ? null : await Promise.all(keys.map((key) => storage.readUrl(key, URL_SECONDS)));
}

/** The address of a file: its public one, or one that is good for a while. */
export async function addressOf(
  { links, storage }: { readonly links: Links; readonly storage: ObjectStorage },
  { storage_key, is_public }: StoredFile,
): Promise<string> {
  return is_public ? links.asset(storage_key)! : await storage.readUrl(originalKey(storage_key), URL_SECONDS);
}

/** A review with the addresses of its photos in place of their files. */
export async function withPhotoUrls<Review extends { readonly photos: readonly StoredFile[] }>(
  reader: { readonly links: Links; readonly storage: ObjectStorage },
  { photos, ...review }: Review,
): Promise<Omit<Review, "photos"> & { photo_urls: string[] }> {
  return { ...review, photo_urls: await Promise.all(photos.map((photo) => addressOf(reader, photo))) };
}

/** A file whose copy in the public bucket is to be made or deleted, as api.read_object_publications gives it. */
export interface Publication {
  readonly msg_id: number | null;
  readonly storage_key: string;
  /** Whether there is to be a copy. */
  readonly is_wanted: boolean;
  readonly is_public: boolean;
  readonly content_type: string | null;
  readonly size_bytes: number | null;
  readonly etag: string | null;
}

/**
 * Makes or deletes the copy of a file in the public bucket, and says whether that is done. May be done twice, and at the
 * same time as another: what the row wants in the end decides, and the message stays until that is so.
 */
export async function settlePublication(
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
    // What was checked is not there any more: nothing else takes its place.
    await service.rpc("reject_published_object", { storage_key });
    return await removeCopy();
  }
  return await finish(true) || await removeCopy();
}

/** The copy is of the object that was checked when the file was attached; for one that never was, now. */
async function copyOriginal(storage: ObjectStorage, file: Publication): Promise<{ etag: string } | "changed" | null> {
  const { storage_key, content_type, size_bytes } = file;
  let { etag } = file;
  if (etag === null) {
    const declared = { content_type: content_type as ImageType, size_bytes: size_bytes ?? -1 };
    const found = await checkedObject(storage, originalKey(storage_key), declared);
    if ("problem" in found) return "changed";
    etag = found.etag;
  }
  return await storage.copy(originalKey(storage_key), storage_key, etag);
}

/**
 * Makes the copy of a file that was just published, so that nobody waits for the job, and says whether it is there. When
 * it fails, the job makes it.
 */
export async function publishAsset(
  { service, storage }: { readonly service: Database<(typeof PUBLISH_CALLS)[number]>; readonly storage: ObjectStorage },
  assetId: string,
): Promise<boolean> {
  try {
    const file = await service.rpc<Publication | null>("object_publication", { asset_id: assetId });
    return file?.is_wanted === true && await settlePublication(service, storage, file);
  } catch (failure) {
    if (failure instanceof ApiError) return false; // what the request changed stands
    throw failure;
  }
}
