import { contentRoutes } from "./content_routes.ts";
import { AdminCode, AdminCodeParams, AdminCodes, AdminCodesQuery, CodeChanges, NewCode } from "./codes.schema.ts";

// No delete: rows may use the code.

export const {
  list: listCodesOfAllStates,
  create: createCode,
  read: readCodeOfAnyState,
  change: changeCode,
} = contentRoutes({
  path: "/admin/codes",
  area: "content",
  params: AdminCodeParams,
  item: AdminCode,
  list: {
    calls: "admin_list_codes",
    query: AdminCodesQuery,
    page: AdminCodes,
    summary: "List codes, including inactive ones",
    description: "Sorted by list, `sort_order` and code, with labels in both languages.",
  },
  create: {
    calls: "admin_create_code",
    as: "code",
    body: NewCode,
    errors: ["conflict"],
    summary: "Add a code to a list",
    description:
      "Requires labels in both languages. The code is added at the end, unless `sort_order` is given. Only lists with " +
      "`is_open` accept new codes: those for lot construction and for vehicles. For other lists the request returns " +
      "409 `conflict` with `details.reason` `fixed_list`. It returns 409 with `already_exists` if the list has the " +
      "code.",
  },
  read: { calls: "admin_get_code", summary: "Get a code, active or not" },
  change: {
    calls: "admin_update_code",
    body: CodeChanges,
    errors: ["conflict"],
    summary: "Update or withdraw a code",
    description:
      "Omitted fields do not change. `labels` and `metadata` are replaced completely. `is_active` can only change in a " +
      "list with `is_open`. Otherwise the request returns 409 `conflict` with `details.reason` `fixed_list`. Clients " +
      "may cache the public list for five minutes.",
  },
});
