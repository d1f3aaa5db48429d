import { type StoredData, userData, withAvatarUrl } from "../_shared/accounts.ts";
import { route } from "../_shared/http/route.ts";
import { AdminActivityLogs } from "./activity_logs.schema.ts";
import {
  AdminUser,
  AdminUserActivityLogsQuery,
  AdminUserParams,
  AdminUserPremium,
  AdminUserReason,
  AdminUsers,
  AdminUsersQuery,
  type StoredAdminUser,
} from "./users.schema.ts";
import { MyData } from "../_shared/schema/me.ts";
import { Nothing } from "../_shared/schema/values.ts";

const NOT_ONES_OWN = "Not an account of the administrator's own: `forbidden`, with `details.reason` `own_account`.";
const ALLOWED_MOVES = "A move that is not allowed is `conflict`; `details.allowed` has the statuses that may follow.";

export const listUsers = route({
  method: "GET",
  path: "/admin/users",
  access: "admin",
  area: "users",
  summary: "List and search app users",
  description:
    "Newest first; all conditions must hold. Administrators who are no app users are not among them. `total` " +
    "is counted up to 10,000.",
  query: AdminUsersQuery,
  reply: [200, AdminUsers],
  errors: [],
  handle: ({ db, query }) => db.rpc("admin_list_users", query),
});

export const readUser = route({
  method: "GET",
  path: "/admin/users/{id}",
  access: "admin",
  area: "users",
  summary: "Read an app user",
  params: AdminUserParams,
  reply: [200, AdminUser],
  errors: ["not_found"],
  isVersioned: true,
  handle: async ({ db, params, links, storage }) =>
    await withAvatarUrl({ links, storage }, await db.rpc<StoredAdminUser>("admin_read_user", { id: params.id })),
});

export const suspendUser = route({
  method: "POST",
  path: "/admin/users/{id}/suspend",
  access: "admin",
  area: "users",
  summary: "Suspend an app user",
  description: "They may sign in and read `GET /v1/me`, which shows the status; every other request is `forbidden`. " +
    `${ALLOWED_MOVES} ${NOT_ONES_OWN} Recorded as \`user.suspend\`.`,
  params: AdminUserParams,
  body: AdminUserReason,
  reply: [200, AdminUser],
  errors: ["not_found", "conflict"],
  isVersioned: true,
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
  description: `${ALLOWED_MOVES} ${NOT_ONES_OWN} Recorded as \`user.reactivate\`.`,
  params: AdminUserParams,
  body: AdminUserReason,
  reply: [200, AdminUser],
  errors: ["not_found", "conflict"],
  isVersioned: true,
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
  summary: "Give an app user premium until a time, or take it away",
  description:
    "In place of what was granted before; what their subscriptions give stays. Of a suspended app user too, not of a withdrawn one (`conflict`). " +
    `${NOT_ONES_OWN} Recorded as \`user.set_premium\`.`,
  params: AdminUserParams,
  body: AdminUserPremium,
  reply: [200, AdminUser],
  errors: ["not_found", "conflict"],
  isVersioned: true,
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
  summary: "Export all that is held about an app user",
  description:
    "The document of `GET /v1/me/export`, whatever the status, also as lines. Recorded as `user.export`, once for an " +
    "`Idempotency-Key`; a request that is sent again with it gets what is held by then.",
  params: AdminUserParams,
  reply: [200, MyData],
  isStreamed: true,
  errors: ["not_found", "conflict"],
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
  summary: "End the account of an app user, on their request",
  description: "For good, as `POST /v1/me/withdraw`; of a suspended app user too. An active administrator is no " +
    `administrator first (\`conflict\`, \`details.reason\` \`is_administrator\`). ${ALLOWED_MOVES} ${NOT_ONES_OWN} ` +
    "Recorded as `user.withdraw`; the values in the records about the app user, this reason too, are removed.",
  params: AdminUserParams,
  body: AdminUserReason,
  reply: [204, Nothing],
  errors: ["not_found", "conflict"],
  handle: ({ db, params, body }) => db.rpc("admin_withdraw_user", { id: params.id, ...body }),
});

export const listUserActivityLogs = route({
  method: "GET",
  path: "/admin/users/{id}/activity-logs",
  access: "admin",
  area: "users",
  summary: "List what administrators did that concerns an app user",
  description: "Newest first.",
  params: AdminUserParams,
  query: AdminUserActivityLogsQuery,
  reply: [200, AdminActivityLogs],
  errors: ["not_found"],
  handle: ({ db, params, query }) => db.rpc("admin_list_user_activity_logs", { id: params.id, ...query }),
});
