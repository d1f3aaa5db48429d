import { type StoredData, toAccountResponse, userData } from "../_shared/accounts.ts";
import { CONFIRM_ASSET_CALLS, confirmAsset, PUBLISH_CALLS, publishAsset } from "../_shared/storage/assets.ts";
import { route } from "../_shared/http/route.ts";
import { Me, MeUpdate, MyData, type StoredMe } from "../_shared/schema/me.ts";
import { Nothing } from "../_shared/schema/values.ts";

export const readMe = route({
  method: "GET",
  path: "/me",
  access: "user",
  summary: "Get the caller's account",
  description: "Also works for suspended and withdrawn accounts, so that a client can show the status.",
  reply: [200, Me],
  errors: [],
  calls: "my_account",
  uses: ["storage"],
  handle: async ({ db, links, storage }) =>
    await toAccountResponse({ links, storage }, await db.rpc<StoredMe>("my_account")),
});

export const updateMe = route({
  method: "PATCH",
  path: "/me",
  access: "user",
  summary: "Update the caller's profile",
  description: "Upload the avatar first (`POST /v1/storage/upload-url`, category `avatar`).",
  body: MeUpdate,
  reply: [200, Me],
  errors: ["not_found"],
  calls: ["update_my_account", ...CONFIRM_ASSET_CALLS, ...PUBLISH_CALLS],
  uses: ["storage"],
  handle: async (context) => {
    const { db, body: { avatar_asset_id: avatar, display_name, lang }, links, storage } = context;
    if (avatar) await confirmAsset(context, avatar, "avatar", "avatar_asset_id");
    const changes = {
      display_name,
      lang,
      avatar_asset_id: avatar ?? undefined,
      remove_avatar: avatar === null ? true : undefined,
    };
    const account = await db.rpc<StoredMe>("update_my_account", changes);
    const isCopied = avatar ? await publishAsset(context, avatar) : false;
    const file = account.app_user?.avatar;
    if (isCopied && account.app_user && file) {
      const app_user = { ...account.app_user, avatar: { ...file, is_public: true } };
      return await toAccountResponse({ links, storage }, { ...account, app_user });
    }
    return await toAccountResponse({ links, storage }, account);
  },
});

export const withdraw = route({
  method: "POST",
  path: "/me/withdraw",
  access: "user",
  summary: "Close the caller's account",
  description:
    "Cannot be undone. Before the response, name, e-mail, devices and sign-in are deleted, and the remaining data " +
    "becomes hidden. Vehicles, memos, files and the rest are deleted afterwards, mostly within a minute. Reviews " +
    "and visits are kept without the user's identity. Valid tokens then receive 403 `forbidden`, except for `GET " +
    "/v1/me`. Returns 409 `conflict` with `details.reason` `last_administrator` for the only active administrator " +
    "with the area `admins`.",
  reply: [204, Nothing],
  errors: ["conflict"],
  calls: "withdraw_my_account",
});

export const exportMyData = route({
  method: "GET",
  path: "/me/export",
  access: "user",
  summary: "Export all data about the caller",
  description:
    "Streamed, without a size limit. With `Accept: application/x-ndjson` the response consists of lines: first " +
    "`exported_at` and `account`, then `table` and `row` for each row. If the stream fails, the connection is " +
    "aborted.",
  reply: [200, MyData],
  isStreamed: true,
  errors: [],
  calls: "export_my_data",
  uses: ["storage"],
  handle: ({ pages, links, storage }) =>
    userData({ links, storage }, (cursor) => pages.rpc<StoredData>("export_my_data", { cursor: cursor ?? undefined })),
});
