/** Uploaded files, as the other endpoints use them: looked at before they are attached, shown to whoever may see them. */
import type { Caller } from "./auth/token.ts";
import type { Database } from "./db/client.ts";
import { Refusal } from "./errors.ts";
import { type ImageType, imageTypeOf, SIGNATURE_BYTES } from "./image_type.ts";
import type { ObjectStorage } from "./providers/object_storage.ts";

export type UploadCategory = "review" | "session_photo" | "error_report" | "support" | "avatar" | "parking_lot";

/** How long an address to upload to, or to read a private file from, is good for. */
export const URL_SECONDS = 600;

/** What this needs of a handler's work. */
interface Work {
  readonly caller: Caller;
  readonly service: Database;
  readonly storage: ObjectStorage;
}

interface Pending {
  readonly storage_key: string;
  readonly content_type: ImageType;
  readonly size_bytes: number;
}

/**
 * Looks at the object of an upload that is about to be attached, and marks its asset placed. Refuses with
 * validation_error, `param` being the field that named the asset, when the object is not there or is not what was
 * declared. What is no pending upload of the caller's is left alone: private.attach_asset, which comes next, decides.
 */
export async function confirmAsset(
  { caller, service, storage }: Work,
  assetId: string,
  category: UploadCategory,
  param = "asset_id",
): Promise<void> {
  const declared = await service.rpc<Pending | null>("pending_asset", {
    asset_id: assetId,
    user_id: caller.id,
    category,
  });
  if (declared === null) return;
  const problem = await problemWith(storage, declared);
  if (problem !== null) {
    throw Refusal.ofFields([{ param, code: "invalid_value", message: problem }], { reason: "upload_not_usable" });
  }
  await service.rpc("place_asset", { asset_id: assetId });
}

async function problemWith(storage: ObjectStorage, declared: Pending): Promise<string | null> {
  const { storage_key: key, content_type, size_bytes } = declared;
  const found = await storage.head(key);
  if (found === null) return "This file has not been uploaded.";
  if (found.size !== size_bytes) return "The uploaded file has another size than was declared.";
  if (found.contentType !== content_type) return "The uploaded file was sent as another type than was declared.";
  const bytes = await storage.firstBytes(key, found.etag, SIGNATURE_BYTES);
  if (bytes === null) return "The file is being uploaded anew.";
  return imageTypeOf(bytes) === content_type ? null : `The uploaded file is no ${content_type}.`;
}

/** The same for a list of uploads; `param` names the list. */
export async function confirmAssets(
  work: Work,
  assetIds: readonly string[] | undefined,
  category: UploadCategory,
  param: string,
): Promise<void> {
  for (const id of assetIds ?? []) await confirmAsset(work, id, category, param);
}

/** Addresses under which whoever is shown these files reads them for a while; null where there are no files. */
export function addressesOf(storage: ObjectStorage, keys: readonly string[]): Promise<string[]>;
export function addressesOf(storage: ObjectStorage, keys: readonly string[] | null): Promise<string[] | null>;
export async function addressesOf(storage: ObjectStorage, keys: readonly string[] | null): Promise<string[] | null> {
  return keys === null ? null : await Promise.all(keys.map((key) => storage.readUrl(key, URL_SECONDS)));
}
