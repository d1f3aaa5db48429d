import { route } from "../_shared/http/route.ts";
import {
  ActReason,
  Administrator,
  AdministratorParams,
  Administrators,
  AdministratorsQuery,
  AdministratorUpdate,
  NewAdministrator,
} from "./admins.schema.ts";

export const listAdministrators = route({
  method: "GET",
  path: "/admin/admins",
  access: "admin",
  area: "admins",
  summary: "List administrators",
  description: "Newest first.",
  query: AdministratorsQuery,
  reply: [200, Administrators],
  errors: [],
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
  errors: ["not_found"],
  isVersioned: true,
  handle: ({ db, params }) => db.rpc("admin_get_admin", params),
});

export const inviteAdministrator = route({
  method: "POST",
  path: "/admin/admins",
  access: "admin",
  area: "admins",
  summary: "Invite an administrator",
  description:
    "Creates the account and mails a link that opens it. Nothing is created when the mail cannot be sent. An " +
    "address that has an account is `conflict`, with `details.reason` `email_exists`; with `being_invited` another " +
    "request is sending the invitation. With an `Idempotency-Key` a repeated request never sends a second mail.",
  body: NewAdministrator,
  reply: [201, Administrator],
  errors: ["not_found"],
  handle: async ({ db, service, identity, caller, body }) => {
    const { invitation_id: id } = await db.rpc<{ invitation_id: string }>("admin_invite_admin", body);
    // By the service itself, not once a key: a repeated request goes on from where the one before it stopped.
    const invitation = { admin_id: caller.id, id };
    const { email, is_sent } = await service.rpc<Claimed>("admin_claim_invitation", invitation);
    if (!is_sent) await identity.invite(email, { invitation: id });
    return await service.rpc("admin_get_invited_admin", invitation);
  },
});

interface Claimed {
  readonly email: string;
  readonly is_sent: boolean;
}

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
  errors: ["not_found"],
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
  errors: ["not_found"],
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
  errors: ["not_found"],
  handle: ({ db, params, body }) => db.rpc("admin_reactivate_admin", { ...params, ...body }),
});
