import { route } from "../_shared/http/route.ts";
import { AdChanges, AdminAd, AdminAdParams, AdminAds, AdminAdsQuery, NewAd } from "./ads.schema.ts";
import { Nothing } from "../_shared/schema/values.ts";

export const listAdsOfAllStates = route({
  method: "GET",
  path: "/admin/ads",
  access: "admin",
  area: "content",
  summary: "List advertisements in any state",
  description: "Newest first.",
  query: AdminAdsQuery,
  reply: [200, AdminAds],
  errors: [],
  calls: "admin_list_ads",
});

export const createAd = route({
  method: "POST",
  path: "/admin/ads",
  access: "admin",
  area: "content",
  summary: "Create an advertisement",
  description: "The advertisement is shown from `starts_at` to `ends_at` while `is_active` is true.",
  body: NewAd,
  reply: [201, AdminAd],
  errors: [],
  calls: "admin_create_ad",
  args: ({ body }) => ({ ad: body }),
});

export const readAdOfAnyState = route({
  method: "GET",
  path: "/admin/ads/{id}",
  access: "admin",
  area: "content",
  summary: "Get an advertisement in any state",
  params: AdminAdParams,
  reply: [200, AdminAd],
  errors: ["not_found"],
  isVersioned: true,
  calls: "admin_get_ad",
});

export const changeAd = route({
  method: "PATCH",
  path: "/admin/ads/{id}",
  access: "admin",
  area: "content",
  summary: "Update, stop or resume an advertisement",
  description:
    "Omitted fields do not change. `is_active` false stops the advertisement. Clients may cache the public list for " +
    "a minute.",
  params: AdminAdParams,
  body: AdChanges,
  reply: [200, AdminAd],
  errors: ["not_found"],
  isVersioned: true,
  calls: "admin_update_ad",
  args: ({ params, body, ifMatch }) => ({ ...params, changes: body, if_match: ifMatch }),
});

export const deleteAd = route({
  method: "DELETE",
  path: "/admin/ads/{id}",
  access: "admin",
  area: "content",
  summary: "Delete an advertisement that was never shown",
  description:
    "Returns 409 `conflict` with `details.reason` `was_shown` for any other advertisement. Set `is_active` to " +
    "`false` instead.",
  params: AdminAdParams,
  reply: [204, Nothing],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  calls: "admin_delete_ad",
});
