import { shownAccount, type StoredData, userData } from "../_shared/accounts.ts";
import { confirmAsset, publishAsset } from "../_shared/storage/assets.ts";
import { route } from "../_shared/http/route.ts";
import { Me, MeUpdate, MyData, type StoredMe } from "../_shared/schema/me.ts";
import { Nothing } from "../_shared/schema/values.ts";

export const readMe = route({
  method: "GET",
  path: "/me",
  access: "user",
  summary: "Read the caller's account",
  description: "Answers for suspended and withdrawn accounts too, so that a client can tell its user.",
  reply: [200, Me],
  errors: [],
  handle: async ({ db, links, storage }) =>
    await shownAccount({ links, storage }, await db.rpc<StoredMe>("my_account")),
});

export const updateMe = route({
  method: "PATCH",
  path: "/me",
  access: "user",
  summary: "Update the caller's profile",
  description: "The avatar is uploaded first (`POST /v1/storage/upload-url`, category `avatar`).",
  body: MeUpdate,
  reply: [200, Me],
  errors: ["not_found"],
  handle: async (work) => {
    const { db, body: { avatar_asset_id: avatar, display_name, lang }, links, storage } = work;
    if (avatar) await confirmAsset(work, avatar, "avatar", "avatar_asset_id");
    const changes = {
      display_name,
      lang,
      avatar_asset_id: avatar ?? undefined,
      remove_avatar: avatar === null ? true : undefined,
    };
    const account = await db.rpc<StoredMe>("update_my_account", changes);
    const isCopied = avatar ? await publishAsset(work, avatar) : false;
    const file = account.app_user?.avatar;
    if (isCopied && account.app_user && file) {
      const app_user = { ...account.app_user, avatar: { ...file, is_public: true } };
      return await shownAccount({ links, storage }, { ...account, app_user });
    }
    return await shownAccount({ links, storage }, account);
  },
});

export const withdraw = route({
  method: "POST",
  path: "/me/withdraw",
  access: "user",
  summary: "End the caller's account",
  description:
    "For good. Name, e-mail, devices and sign-in are gone with the response, and nobody is shown what is left; vehicles, " +
    "memos, files and the rest are deleted after it, mostly within a minute. Reviews and visits stay without the person. " +
    "A token that is still valid is answered `forbidden`, but for `GET /v1/me`. " +
    "The only active administrator with the area `admins` is `conflict`, with `details.reason` `last_administrator`.",
  reply: [204, Nothing],
  errors: ["conflict"],
  handle: ({ db }) => db.rpc("withdraw_my_account"),
});

export const exportMyData = route({
  method: "GET",
  path: "/me/export",
  access: "user",
  summary: "Export all that is held about the caller",
  description: "Read while it is sent, however much it is. `Accept: application/x-ndjson` answers with lines: first " +
    "`exported_at` and `account`, then `table` and `row` of each row. A response that fails is broken off, never ended.",
  reply: [200, MyData],
  isStreamed: true,
  errors: [],
  handle: ({ pages, links, storage }) =>
    userData({ links, storage }, (cursor) => pages.rpc<StoredData>("export_my_data", { cursor: cursor ?? undefined })),
});
