import { incomingKey, URL_SECONDS } from "../_shared/storage/assets.ts";
import { route } from "../_shared/http/route.ts";
import { type Created, Upload, UploadRequest } from "./storage.schema.ts";

export const createUpload = route({
  method: "POST",
  path: "/storage/upload-url",
  access: "user",
  summary: "Get an address to upload a picture to",
  description:
    "Send the bytes with PUT to `upload_url`, then name `asset_id` where the picture belongs. It is checked there: a " +
    "file that is not what was declared is refused. A file that may be public is private until it is attached and shown; " +
    "`public_url` is the address that it has then. What is not attached within a day is deleted. At most 20 uploads and " +
    "100 MiB wait to be attached: beyond them `conflict`, with `details.reason` `too_many_unattached_uploads`. Of the " +
    "last 24 hours at most 200 uploads and 500 MiB are kept, attached or not: beyond them `rate_limited`, with the policy " +
    "`daily_uploads`. A deleted file makes room once it is gone.",
  body: UploadRequest,
  limit: "upload",
  reply: [201, Upload],
  errors: ["conflict"],
  handle: async ({ db, body: { file_name: _, ...file }, links, storage }) => {
    const asset = await db.rpc<Created>("create_upload", file);
    return {
      // Signed as of the row's time: the same request sent again gets the same address, which ends when it always did.
      upload_url: await storage.uploadUrl(incomingKey(asset.storage_key), {
        size: asset.size_bytes,
        contentType: asset.content_type,
        signedAt: new Date(asset.created_at),
        seconds: URL_SECONDS,
      }),
      asset_id: asset.asset_id,
      s3_key: asset.storage_key,
      public_url: asset.may_be_public ? links.asset(asset.storage_key) : null,
      expires_in: URL_SECONDS,
    };
  },
});
