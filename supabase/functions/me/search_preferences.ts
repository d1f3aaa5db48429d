import { route } from "../_shared/http/route.ts";
import { SearchPreferences, SearchPreferencesUpdate } from "./search_preferences.schema.ts";

export const readSearchPreferences = route({
  method: "GET",
  path: "/me/search-preferences",
  access: "user",
  summary: "Read how the caller weighs search results",
  reply: [200, SearchPreferences],
  errors: [],
  handle: ({ db }) => db.rpc("my_search_preferences"),
});

export const putSearchPreferences = route({
  method: "PUT",
  path: "/me/search-preferences",
  access: "user",
  summary: "Set how the caller weighs search results",
  description: "For premium members; to others it is `forbidden`, with `details.reason` `premium_required`.",
  body: SearchPreferencesUpdate,
  reply: [200, SearchPreferences],
  errors: [],
  handle: ({ db, body }) => db.rpc("set_my_search_preferences", body),
});
