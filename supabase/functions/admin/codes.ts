import { route } from "../_shared/http/route.ts";
import { AdminCode, AdminCodeParams, AdminCodes, AdminCodesQuery, CodeChanges, NewCode } from "./codes.schema.ts";

// No delete: rows may hold the code.

export const listCodesOfAllStates = route({
  method: "GET",
  path: "/admin/codes",
  access: "admin",
  area: "content",
  summary: "List codes, offered or not",
  description: "By list, `sort_order` and code, with the labels of both languages.",
  query: AdminCodesQuery,
  reply: [200, AdminCodes],
  errors: [],
  handle: ({ db, query }) => db.rpc("admin_list_codes", query),
});

export const createCode = route({
  method: "POST",
  path: "/admin/codes",
  access: "admin",
  area: "content",
  summary: "Add a code to a list",
  description: "In both languages at once, at the end of the list unless `sort_order` is given. Lists with `is_open` " +
    "take codes: those of how lots are built and of vehicles. The others are fixed by what the service does with " +
    "them: 409 with `details.reason` `fixed_list`. `already_exists` where the list has the code.",
  body: NewCode,
  reply: [201, AdminCode],
  errors: ["conflict"],
  handle: ({ db, body }) => db.rpc("admin_create_code", { code: body }),
});

export const readCodeOfAnyState = route({
  method: "GET",
  path: "/admin/codes/{category_id}/{code}",
  access: "admin",
  area: "content",
  summary: "Read a code, offered or not",
  params: AdminCodeParams,
  reply: [200, AdminCode],
  errors: ["not_found"],
  isVersioned: true,
  handle: ({ db, params }) => db.rpc("admin_get_code", params),
});

export const changeCode = route({
  method: "PATCH",
  path: "/admin/codes/{category_id}/{code}",
  access: "admin",
  area: "content",
  summary: "Change the labels, place or metadata of a code, or withdraw it",
  description: "What is absent stays. `labels` and `metadata` are replaced whole. `is_active` changes only in a list " +
    "with `is_open`: 409 with `details.reason` `fixed_list` in the others. Clients may keep the public list for five " +
    "minutes.",
  params: AdminCodeParams,
  body: CodeChanges,
  reply: [200, AdminCode],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  handle: ({ db, params, body, ifMatch }) =>
    db.rpc("admin_update_code", { ...params, changes: body, if_match: ifMatch }),
});
