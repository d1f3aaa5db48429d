import { route } from "../_shared/http/route.ts";
import { SearchPreferences, SearchPreferencesUpdate } from "./search_preferences.schema.ts";

export const readSearchPreferences = route({
  method: "GET",
  path: "/me/search-preferences",
  access: "user",
  summary: "Get the caller's search preferences",
  description: "For every user. `is_default` is true if the caller has never stored preferences.",
  reply: [200, SearchPreferences],
  errors: [],
  calls: "my_search_preferences",
});

export const putSearchPreferences = route({
  method: "PUT",
  path: "/me/search-preferences",
  access: "user",
  summary: "Set the caller's search preferences",
  description: "Only for premium users. Other users receive 403 `forbidden` with `details.reason` `premium_required`.",
  body: SearchPreferencesUpdate,
  reply: [200, SearchPreferences],
  errors: [],
  calls: "set_my_search_preferences",
});
