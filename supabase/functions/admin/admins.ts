import { route } from "../_shared/http/route.ts";
import {
  ActReason,
  Administrator,
  AdministratorParams,
  Administrators,
  AdministratorsQuery,
  AdministratorUpdate,
} from "../_shared/schema/admin_admins.ts";

export const listAdministrators = route({
  method: "GET",
  path: "/admin/admins",
  access: "admin",
  area: "admins",
  summary: "List administrators",
  description: "Newest first.",
  query: AdministratorsQuery,
  reply: [200, Administrators],
  refusals: [],
  handle: ({ db, query }) => db.rpc("admin_list_admins", query),
});

export const getAdministrator = route({
  method: "GET",
  path: "/admin/admins/{id}",
  access: "admin",
  area: "admins",
  summary: "Get an administrator",
  params: AdministratorParams,
  reply: [200, Administrator],
  refusals: ["not_found"],
  isVersioned: true,
  handle: ({ db, params }) => db.rpc("admin_get_admin", params),
});

export const updateAdministrator = route({
  method: "PATCH",
  path: "/admin/admins/{id}",
  access: "admin",
  area: "admins",
  summary: "Change an administrator",
  description:
    "The next request of the administrator is judged by the new areas, whatever token they hold. Nobody takes " +
    "the area `admins` away from themselves: `forbidden`, with `details.reason` `own_area`.",
  params: AdministratorParams,
  body: AdministratorUpdate,
  reply: [200, Administrator],
  refusals: ["not_found"],
  isVersioned: true,
  handle: ({ db, params, body, ifMatch }) =>
    db.rpc("admin_update_admin", { ...params, changes: body, if_match: ifMatch }),
});

export const suspendAdministrator = route({
  method: "POST",
  path: "/admin/admins/{id}/suspend",
  access: "admin",
  area: "admins",
  summary: "Suspend an administrator",
  description: "The next request of the administrator is `forbidden`, whatever token they hold. Nobody suspends " +
    "themselves: `forbidden`, with `details.reason` `own_account`. An administrator who is suspended already is " +
    "`conflict`, with `details.reason` `status_not_reachable`.",
  params: AdministratorParams,
  body: ActReason,
  reply: [200, Administrator],
  refusals: ["not_found"],
  handle: ({ db, params, body }) => db.rpc("admin_suspend_admin", { ...params, ...body }),
});

export const reactivateAdministrator = route({
  method: "POST",
  path: "/admin/admins/{id}/reactivate",
  access: "admin",
  area: "admins",
  summary: "Reactivate a suspended administrator",
  description: "With the areas that they had. An administrator who is active already is `conflict`, with " +
    "`details.reason` `status_not_reachable`.",
  params: AdministratorParams,
  body: ActReason,
  reply: [200, Administrator],
  refusals: ["not_found"],
  handle: ({ db, params, body }) => db.rpc("admin_reactivate_admin", { ...params, ...body }),
});
