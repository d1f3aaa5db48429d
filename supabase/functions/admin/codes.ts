import { route } from "../_shared/http/route.ts";
import { AdminCode, AdminCodeParams, AdminCodes, AdminCodesQuery, CodeChanges, NewCode } from "./codes.schema.ts";

// No delete: rows may use the code.

export const listCodesOfAllStates = route({
  method: "GET",
  path: "/admin/codes",
  access: "admin",
  area: "content",
  summary: "List codes, including inactive ones",
  description: "Sorted by list, `sort_order` and code, with labels in both languages.",
  query: AdminCodesQuery,
  reply: [200, AdminCodes],
  errors: [],
  calls: "admin_list_codes",
});

export const createCode = route({
  method: "POST",
  path: "/admin/codes",
  access: "admin",
  area: "content",
  summary: "Add a code to a list",
  description:
    "Requires labels in both languages. The code is added at the end, unless `sort_order` is given. Only lists with " +
    "`is_open` accept new codes: those for lot construction and for vehicles. For other lists the request returns " +
    "409 `conflict` with `details.reason` `fixed_list`. It returns 409 with `already_exists` if the list has the " +
    "code.",
  body: NewCode,
  reply: [201, AdminCode],
  errors: ["conflict"],
  calls: "admin_create_code",
  args: ({ body }) => ({ code: body }),
});

export const readCodeOfAnyState = route({
  method: "GET",
  path: "/admin/codes/{category_id}/{code}",
  access: "admin",
  area: "content",
  summary: "Get a code, active or not",
  params: AdminCodeParams,
  reply: [200, AdminCode],
  errors: ["not_found"],
  isVersioned: true,
  calls: "admin_get_code",
});

export const changeCode = route({
  method: "PATCH",
  path: "/admin/codes/{category_id}/{code}",
  access: "admin",
  area: "content",
  summary: "Update or withdraw a code",
  description:
    "Omitted fields do not change. `labels` and `metadata` are replaced completely. `is_active` can only change in a " +
    "list with `is_open`. Otherwise the request returns 409 `conflict` with `details.reason` `fixed_list`. Clients " +
    "may cache the public list for five minutes.",
  params: AdminCodeParams,
  body: CodeChanges,
  reply: [200, AdminCode],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  calls: "admin_update_code",
  args: ({ params, body, ifMatch }) => ({ ...params, changes: body, if_match: ifMatch }),
});
