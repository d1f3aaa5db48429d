import { route } from "../_shared/http/route.ts";
import { PageQuery } from "../_shared/schema/lists.ts";
import {
  NewSearchPreset,
  PresetParams,
  SearchPreset,
  SearchPresets,
  SearchPresetUpdate,
} from "../_shared/schema/search_presets.ts";
import { Nothing } from "../_shared/schema/values.ts";

export const listSearchPresets = route({
  method: "GET",
  path: "/me/search-presets",
  access: "user",
  summary: "List the caller's search presets",
  description: "Sorted by `sort_order`, then oldest first.",
  query: PageQuery,
  reply: [200, SearchPresets],
  errors: [],
  calls: "list_my_search_presets",
});

export const createSearchPreset = route({
  method: "POST",
  path: "/me/search-presets",
  access: "user",
  summary: "Create a search preset",
  description:
    "At most 20 presets: another one returns 409 `conflict` with `details.reason` `limit_reached`. A preset may " +
    "contain `radius_m` or the order `distance` without a `center`, which is then set when the preset is used.",
  body: NewSearchPreset,
  reply: [201, SearchPreset],
  errors: ["conflict"],
  calls: "create_my_search_preset",
});

export const updateSearchPreset = route({
  method: "PATCH",
  path: "/me/search-presets/{id}",
  access: "user",
  summary: "Update a search preset",
  description: "An omitted field stays as it is. `query_json` replaces the stored query completely.",
  params: PresetParams,
  body: SearchPresetUpdate,
  reply: [200, SearchPreset],
  errors: ["not_found"],
  calls: "update_my_search_preset",
});

export const deleteSearchPreset = route({
  method: "DELETE",
  path: "/me/search-presets/{id}",
  access: "user",
  summary: "Delete a search preset",
  description: "If the preset was the default, the first of the remaining presets becomes the default.",
  params: PresetParams,
  reply: [204, Nothing],
  errors: ["not_found"],
  calls: "delete_my_search_preset",
});

export const setDefaultSearchPreset = route({
  method: "POST",
  path: "/me/search-presets/{id}/set-default",
  access: "user",
  summary: "Set the default search preset",
  description: "Atomic: there is always exactly one default.",
  params: PresetParams,
  reply: [200, SearchPreset],
  errors: ["not_found"],
  calls: "set_default_search_preset",
});
