import { type StoredData, userData, withAvatarUrl } from "../_shared/accounts.ts";
import { route } from "../_shared/http/route.ts";
import { PageQuery } from "../_shared/schema/lists.ts";
import { AdminActivityLogs } from "./activity_logs.schema.ts";
import {
  ActReason,
  AdminUser,
  AdminUserParams,
  AdminUserPremium,
  AdminUsers,
  AdminUsersQuery,
  type StoredAdminUser,
} from "./users.schema.ts";
import { MyData } from "../_shared/schema/me.ts";
import { Nothing } from "../_shared/schema/values.ts";

const NOT_OWN_ACCOUNT =
  "An administrator cannot do this for their own account: 403 `forbidden` with `details.reason` `own_account`.";
const ALLOWED_TRANSITIONS =
  "A transition that is not allowed returns 409 `conflict` with the allowed statuses in `details.allowed`.";

export const listUsers = route({
  method: "GET",
  path: "/admin/users",
  access: "admin",
  area: "users",
  summary: "List and search app users",
  description:
    "Newest first. All given conditions must hold. Administrators who are not app users are not listed. `total` is " +
    "counted up to 10,000.",
  query: AdminUsersQuery,
  reply: [200, AdminUsers],
  errors: [],
  calls: "admin_list_users",
});

export const readUser = route({
  method: "GET",
  path: "/admin/users/{id}",
  access: "admin",
  area: "users",
  summary: "Get an app user",
  params: AdminUserParams,
  reply: [200, AdminUser],
  errors: ["not_found"],
  isVersioned: true,
  calls: "admin_read_user",
  uses: ["storage"],
  handle: async ({ db, params, links, storage }) =>
    await withAvatarUrl({ links, storage }, await db.rpc<StoredAdminUser>("admin_read_user", { id: params.id })),
});

export const suspendUser = route({
  method: "POST",
  path: "/admin/users/{id}/suspend",
  access: "admin",
  area: "users",
  summary: "Suspend an app user",
  description:
    "The user can still sign in and read `GET /v1/me`, which returns the status. Every other request returns 403 `forbidden`. " +
    `${ALLOWED_TRANSITIONS} ${NOT_OWN_ACCOUNT} Recorded as \`user.suspend\`.`,
  params: AdminUserParams,
  body: ActReason,
  reply: [200, AdminUser],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  calls: "admin_suspend_user",
  uses: ["storage"],
  handle: async ({ db, params, body, ifMatch, links, storage }) =>
    await withAvatarUrl(
      { links, storage },
      await db.rpc<StoredAdminUser>("admin_suspend_user", { id: params.id, ...body, if_match: ifMatch }),
    ),
});

export const reactivateUser = route({
  method: "POST",
  path: "/admin/users/{id}/reactivate",
  access: "admin",
  area: "users",
  summary: "Reactivate a suspended app user",
  description: `${ALLOWED_TRANSITIONS} ${NOT_OWN_ACCOUNT} Recorded as \`user.reactivate\`.`,
  params: AdminUserParams,
  body: ActReason,
  reply: [200, AdminUser],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  calls: "admin_reactivate_user",
  uses: ["storage"],
  handle: async ({ db, params, body, ifMatch, links, storage }) =>
    await withAvatarUrl(
      { links, storage },
      await db.rpc<StoredAdminUser>("admin_reactivate_user", { id: params.id, ...body, if_match: ifMatch }),
    ),
});

export const setUserPremium = route({
  method: "POST",
  path: "/admin/users/{id}/premium",
  access: "admin",
  area: "users",
  summary: "Grant or remove an app user's premium",
  description:
    "Replaces an earlier grant. Premium from subscriptions does not change. Also works for a suspended app user. " +
    "Returns 409 `conflict` for a withdrawn app user. " +
    `${NOT_OWN_ACCOUNT} Recorded as \`user.set_premium\`.`,
  params: AdminUserParams,
  body: AdminUserPremium,
  reply: [200, AdminUser],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  calls: "admin_set_user_premium",
  uses: ["storage"],
  handle: async ({ db, params, body, ifMatch, links, storage }) =>
    await withAvatarUrl(
      { links, storage },
      await db.rpc<StoredAdminUser>("admin_set_user_premium", { id: params.id, ...body, if_match: ifMatch }),
    ),
});

export const exportUser = route({
  method: "POST",
  path: "/admin/users/{id}/export",
  access: "admin",
  area: "users",
  summary: "Export an app user's data",
  description:
    "The same document as `GET /v1/me/export`, for any account status, also as lines. Recorded as `user.export`, " +
    "once per `Idempotency-Key`. A repeated request with the same key returns the current data.",
  params: AdminUserParams,
  reply: [200, MyData],
  isStreamed: true,
  errors: ["not_found", "conflict"],
  calls: ["admin_export_user", "admin_read_user_export"],
  uses: ["storage"],
  handle: async ({ db, pages, params, links, storage }) => {
    await db.rpc("admin_export_user", { id: params.id });
    return userData(
      { links, storage },
      (cursor) => pages.rpc<StoredData>("admin_read_user_export", { id: params.id, cursor }),
    );
  },
});

export const withdrawUser = route({
  method: "POST",
  path: "/admin/users/{id}/withdraw",
  access: "admin",
  area: "users",
  summary: "Withdraw an app user on their request",
  description: "Cannot be undone, like `POST /v1/me/withdraw`. Also works for a suspended app user. An active " +
    "administrator must first lose their administrator account: otherwise 409 `conflict` with `details.reason` " +
    `\`is_administrator\`. ${ALLOWED_TRANSITIONS} ${NOT_OWN_ACCOUNT} Recorded as \`user.withdraw\`. The values in the log ` +
    "entries about the app user are removed, including this reason.",
  params: AdminUserParams,
  body: ActReason,
  reply: [204, Nothing],
  errors: ["not_found", "conflict"],
  calls: "admin_withdraw_user",
});

export const listUserActivityLogs = route({
  method: "GET",
  path: "/admin/users/{id}/activity-logs",
  access: "admin",
  area: "users",
  summary: "List administrator actions that affect an app user",
  description: "Newest first.",
  params: AdminUserParams,
  query: PageQuery,
  reply: [200, AdminActivityLogs],
  errors: ["not_found"],
  calls: "admin_list_user_activity_logs",
});
