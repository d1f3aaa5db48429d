import { route } from "../_shared/http/route.ts";
import {
  Administrator,
  AdministratorParams,
  Administrators,
  AdministratorsQuery,
  AdministratorUpdate,
  NewAdministrator,
} from "./admins.schema.ts";
import { ActReason } from "./users.schema.ts";

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
  calls: "admin_list_admins",
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
  calls: "admin_get_admin",
});

export const inviteAdministrator = route({
  method: "POST",
  path: "/admin/admins",
  access: "admin",
  area: "admins",
  summary: "Invite an administrator",
  description:
    "Creates the account and mails an invitation link. If the mail cannot be sent, nothing is created. Returns 409 " +
    "`conflict` with `details.reason` `email_exists` if the address has an account, or `being_invited` while " +
    "another request sends the invitation. With an `Idempotency-Key`, a repeated request never sends a second mail.",
  body: NewAdministrator,
  reply: [201, Administrator],
  errors: ["not_found"],
  calls: ["admin_invite_admin", "admin_claim_invitation", "admin_get_invited_admin"],
  uses: ["identity"],
  handle: async ({ db, service, identity, caller, body }) => {
    const { invitation_id: id } = await db.rpc<{ invitation_id: string }>("admin_invite_admin", body);
    // Runs as the service, and not once per key: a repeated request continues from the step at which the previous one
    // stopped.
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
  summary: "Update an administrator",
  description:
    "The new areas apply from the administrator's next request on, with any token. An administrator cannot add " +
    "an area to their own account, nor remove the area `admins` from it: 403 `forbidden` with `details.reason` `own_area`.",
  params: AdministratorParams,
  body: AdministratorUpdate,
  reply: [200, Administrator],
  errors: ["not_found"],
  isVersioned: true,
  calls: "admin_update_admin",
  args: ({ params, body, ifMatch }) => ({ ...params, changes: body, if_match: ifMatch }),
});

export const suspendAdministrator = route({
  method: "POST",
  path: "/admin/admins/{id}/suspend",
  access: "admin",
  area: "admins",
  summary: "Suspend an administrator",
  description:
    "From the next request on, the administrator receives 403 `forbidden`, with any token. An administrator cannot " +
    "suspend their own account: 403 `forbidden` with `details.reason` `own_account`. Returns 409 `conflict` with " +
    "`details.reason` `status_not_reachable` if the administrator is already suspended.",
  params: AdministratorParams,
  body: ActReason,
  reply: [200, Administrator],
  errors: ["not_found"],
  calls: "admin_suspend_admin",
});

export const resetSecondFactor = route({
  method: "POST",
  path: "/admin/admins/{id}/reset-second-factor",
  access: "admin",
  area: "admins",
  summary: "Reset the second factor of an administrator",
  description:
    "For an administrator who lost the authenticator app: removes the second factors and ends the sessions. " +
    "The administrator enrolls again at the next sign-in. An administrator cannot reset their own: 403 `forbidden` " +
    "with `details.reason` `own_account`.",
  params: AdministratorParams,
  body: ActReason,
  reply: [200, Administrator],
  errors: ["not_found"],
  calls: "admin_reset_second_factor",
});

export const reactivateAdministrator = route({
  method: "POST",
  path: "/admin/admins/{id}/reactivate",
  access: "admin",
  area: "admins",
  summary: "Reactivate a suspended administrator",
  description: "The administrator gets the previous areas back. Returns 409 `conflict` with `details.reason` " +
    "`status_not_reachable` if the administrator is already active.",
  params: AdministratorParams,
  body: ActReason,
  reply: [200, Administrator],
  errors: ["not_found"],
  calls: "admin_reactivate_admin",
});
