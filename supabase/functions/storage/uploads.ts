import { incomingKey, URL_SECONDS } from "../_shared/storage/assets.ts";
import { route } from "../_shared/http/route.ts";
import { type Created, Upload, UploadRequest } from "./storage.schema.ts";

export const createUpload = route({
  method: "POST",
  path: "/storage/upload-url",
  access: "user",
  summary: "Create an upload URL for a picture",
  description:
    "Send the bytes with PUT to `upload_url`. Then send `asset_id` to the endpoint that uses the picture. That " +
    "endpoint checks the file and rejects it if it differs from the declared one. A file that can be public stays " +
    "private until it is attached and shown: `public_url` responds with 404 until then. Pictures of the categories " +
    "`review`, `avatar` and `parking_lot` lose their metadata, such as the position. Files that are not attached " +
    "within a day are deleted. More than 20 uploads or 100 MiB that wait to be attached return 409 `conflict` with " +
    "`details.reason` `too_many_unattached_uploads`; more than 500 MiB of an account `too_many_stored_bytes`. More " +
    "than 200 files or 200 MiB in a day (UTC) return 429 `rate_limited` with the policy `daily_uploads`. Pictures of " +
    "lots do not count in the last two.",
  body: UploadRequest,
  limit: "upload",
  reply: [201, Upload],
  errors: ["conflict"],
  calls: "create_upload",
  uses: ["storage"],
  handle: async ({ db, body: { file_name: _, ...file }, links, storage }) => {
    const asset = await db.rpc<Created>("create_upload", file);
    return {
      // Signed with the time of the row: a repeated request returns the same URL with the same expiry.
      upload_url: await storage.uploadUrl(incomingKey(asset.storage_key), {
        size: asset.size_bytes,
        contentType: file.mime_type, // by the name that its client has for it
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
