import { z } from "zod";
import { Id, text, Timestamp } from "../_shared/schema/values.ts";

export const LARGEST_UPLOAD = 10 * 1024 * 1024;

export const UploadCategory = z.enum(["review", "session_photo", "error_report", "support", "avatar", "parking_lot"])
  .meta({
    id: "UploadCategory",
    description: "What the file is for; `parking_lot` is for administrators of lots or content",
  });

export const UploadRequest = z.strictObject({
  file_name: text(1, 255).meta({
    description: "What the file is called on the device; it is not kept",
    examples: ["IMG_0042.jpg"],
  }),
  file_size: z.int().min(1).max(LARGEST_UPLOAD).meta({ description: "Bytes, at most 10 MiB", examples: [482133] }),
  mime_type: z.enum(["image/jpeg", "image/png", "image/webp", "image/heic"]),
  category: UploadCategory,
  entity_type: z.string().regex(/^[a-z][a-z_]{0,49}$/).optional().meta({
    description: "What kind of thing the file will belong to, when that is known; goes with `entity_id`",
    examples: ["parking_session"],
  }),
  entity_id: Id.optional(),
  is_public: z.boolean().default(false).meta({
    description:
      "Whether the file gets a public address once it is attached and shown: for `review`, `avatar` and `parking_lot` only",
  }),
}).meta({
  id: "UploadRequest",
  dependentRequired: { entity_type: ["entity_id"], entity_id: ["entity_type"] },
});

export const Upload = z.object({
  upload_url: z.url().meta({
    description:
      "Takes the bytes with one PUT, with the declared length, and the declared type as `Content-Type`; nothing else is signed in",
  }),
  asset_id: Id.meta({ description: "Names the file when it is attached" }),
  s3_key: z.string(),
  public_url: z.url().nullable().meta({
    description: "Where everyone reads the file once it is attached and shown; null when it stays private",
  }),
  expires_in: z.int().meta({ description: "Seconds from the first answer until `upload_url` is good for nothing" }),
}).meta({ id: "Upload" });

/** What commands.create_upload replies. */
export interface Created {
  readonly asset_id: string;
  readonly storage_key: string;
  readonly content_type: string;
  readonly size_bytes: number;
  readonly may_be_public: boolean;
  readonly created_at: z.infer<typeof Timestamp>;
}

export const Sweep = z.object({
  published: z.int().min(0).meta({ description: "Files whose public copy was made or deleted" }),
  deleted: z.int().min(0).meta({ description: "Objects deleted, with their rows" }),
  failed: z.int().min(0).meta({ description: "Objects that could not be copied or deleted; they are tried again" }),
}).meta({ id: "StorageSweep" });
