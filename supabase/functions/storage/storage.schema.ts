import { z } from "zod";
import { Id, text, Timestamp } from "../_shared/schema/values.ts";
import { UPLOAD_CATEGORIES } from "../_shared/storage/assets.ts";
import { IMAGE_TYPE_NAMES } from "../_shared/storage/image_type.ts";

export const MAX_UPLOAD_BYTES = 10 * 1024 * 1024;

export const UploadCategory = z.enum(UPLOAD_CATEGORIES)
  .meta({
    id: "UploadCategory",
    description: "Purpose of the file. `parking_lot` requires an administrator of lots or content.",
  });

export const UploadRequest = z.strictObject({
  file_name: text(1, 255).meta({
    description: "Name of the file on the device. It is not stored.",
    examples: ["IMG_0042.jpg"],
  }),
  file_size: z.int().min(1).max(MAX_UPLOAD_BYTES).meta({
    description: "Size in bytes, at most 10 MiB",
    examples: [482133],
  }),
  mime_type: z.string().overwrite((name) => name.toLowerCase()).pipe(z.enum(IMAGE_TYPE_NAMES)).meta({
    enum: [...IMAGE_TYPE_NAMES],
    description: "In any case. `image/jpg` is JPEG, `image/heif` is HEIC.",
  }),
  category: UploadCategory,
  entity_type: z.string().regex(
    /^[a-z][a-z_]{0,49}$/,
    "Must begin with a lower-case letter and have at most 50 lower-case letters and underscores.",
  ).optional().meta({
    description: "Type of the resource that the file will belong to, if known. Send it together with `entity_id`.",
    examples: ["parking_session"],
  }),
  entity_id: Id.optional(),
  is_public: z.boolean().default(false).meta({
    description: "Whether the file becomes public once it is attached and shown. Only for `review`, `avatar` and " +
      "`parking_lot`.",
  }),
}).meta({
  id: "UploadRequest",
  dependentRequired: { entity_type: ["entity_id"], entity_id: ["entity_type"] },
});

export const Upload = z.object({
  upload_url: z.url().meta({
    description:
      "URL for one PUT of the bytes. Send the declared length, and the declared type as `Content-Type`, in lower " +
      "case. Other headers are not signed.",
  }),
  asset_id: Id.meta({ description: "Refers to the file when it is attached" }),
  s3_key: z.string().meta({
    description: "Key of the file once it is attached. Until then the bytes are at `private/incoming/` and this key.",
  }),
  public_url: z.url().nullable().meta({
    description:
      "Public URL of the file once it is attached and shown. It responds with 404 before. Null if the file stays private.",
  }),
  expires_in: z.int().meta({ description: "Seconds until `upload_url` expires, counted from the first response" }),
}).meta({ id: "Upload" });

/** Reply of commands.create_upload. */
export interface Created {
  readonly asset_id: string;
  readonly storage_key: string;
  readonly size_bytes: number;
  readonly may_be_public: boolean;
  readonly created_at: z.infer<typeof Timestamp>;
}

export const Sweep = z.object({
  published: z.int().min(0).meta({ description: "Number of files whose public copy was created or deleted" }),
  deleted: z.int().min(0).meta({ description: "Number of deleted objects. Their rows are deleted too." }),
  failed: z.int().min(0).meta({
    description: "Number of objects that could not be copied or deleted. They are retried.",
  }),
}).meta({ id: "StorageSweep" });
