import { route } from "../_shared/http/route.ts";
import {
  AdminUserSearchPreset,
  AdminUserSearchPresets,
  AdminUserSearchPresetsQuery,
  NewAdminUserSearchPreset,
} from "./user_search_presets.schema.ts";
import { PresetParams, SearchPresetUpdate } from "../_shared/schema/search_presets.ts";
import { Nothing } from "../_shared/schema/values.ts";

const NOT_OF_SUSPENDED_USERS =
  "The presets of a suspended app user cannot be changed: 409 `conflict` with `details.reason` `account_not_active`.";

export const listUserSearchPresets = route({
  method: "GET",
  path: "/admin/user-search-presets",
  access: "admin",
  area: "search_presets",
  summary: "List the search presets of an app user",
  description:
    "Sorted by `sort_order`, then oldest first. Also works for a suspended app user. Each request is recorded as " +
    "`user.view_search_presets`.",
  instance: "primary",
  query: AdminUserSearchPresetsQuery,
  reply: [200, AdminUserSearchPresets],
  errors: ["not_found"],
  calls: "admin_list_search_presets",
});

export const createUserSearchPreset = route({
  method: "POST",
  path: "/admin/user-search-presets",
  access: "admin",
  area: "search_presets",
  summary: "Create a search preset for an app user",
  description:
    `At most 20: another one returns 409 \`conflict\` with \`details.reason\` \`limit_reached\`. ${NOT_OF_SUSPENDED_USERS} ` +
    "Recorded as `user.create_search_preset`.",
  body: NewAdminUserSearchPreset,
  reply: [201, AdminUserSearchPreset],
  errors: ["not_found", "conflict"],
  calls: "admin_create_search_preset",
});

export const updateUserSearchPreset = route({
  method: "PATCH",
  path: "/admin/user-search-presets/{id}",
  access: "admin",
  area: "search_presets",
  summary: "Update a search preset of an app user",
  description: `${NOT_OF_SUSPENDED_USERS} The changed fields are recorded as \`user.update_search_preset\`.`,
  params: PresetParams,
  body: SearchPresetUpdate,
  reply: [200, AdminUserSearchPreset],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  calls: "admin_update_search_preset",
});

export const deleteUserSearchPreset = route({
  method: "DELETE",
  path: "/admin/user-search-presets/{id}",
  access: "admin",
  area: "search_presets",
  summary: "Delete a search preset of an app user",
  description:
    `If the preset was the default, the first of the remaining presets becomes the default. ${NOT_OF_SUSPENDED_USERS} Recorded as ` +
    "`user.delete_search_preset`.",
  params: PresetParams,
  reply: [204, Nothing],
  errors: ["not_found", "conflict"],
  calls: "admin_delete_search_preset",
});

export const setDefaultUserSearchPreset = route({
  method: "POST",
  path: "/admin/user-search-presets/{id}/set-default",
  access: "admin",
  area: "search_presets",
  summary: "Set the default search preset of an app user",
  description: `Atomic: there is always exactly one default. ${NOT_OF_SUSPENDED_USERS} Recorded as ` +
    "`user.set_default_search_preset`, also if the preset is the default already.",
  params: PresetParams,
  reply: [200, AdminUserSearchPreset],
  errors: ["not_found", "conflict"],
  calls: "admin_set_default_search_preset",
});
