import { contentRoutes } from "./content_routes.ts";
import { AdChanges, AdminAd, AdminAdParams, AdminAds, AdminAdsQuery, NewAd } from "./ads.schema.ts";

export const {
  list: listAdsOfAllStates,
  create: createAd,
  read: readAdOfAnyState,
  change: changeAd,
  remove: deleteAd,
} = contentRoutes({
  path: "/admin/ads",
  area: "content",
  params: AdminAdParams,
  item: AdminAd,
  list: {
    calls: "admin_list_ads",
    query: AdminAdsQuery,
    page: AdminAds,
    summary: "List advertisements in any state",
    description: "Newest first.",
  },
  create: {
    calls: "admin_create_ad",
    as: "ad",
    body: NewAd,
    summary: "Create an advertisement",
    description: "The advertisement is shown from `starts_at` to `ends_at` while `is_active` is true.",
  },
  read: { calls: "admin_get_ad", summary: "Get an advertisement in any state" },
  change: {
    calls: "admin_update_ad",
    body: AdChanges,
    summary: "Update, stop or resume an advertisement",
    description:
      "Omitted fields do not change. `is_active` false stops the advertisement. Clients may cache the public list for " +
      "a minute.",
  },
  remove: {
    calls: "admin_delete_ad",
    errors: ["conflict"],
    summary: "Delete an advertisement that was never shown",
    description:
      "Returns 409 `conflict` with `details.reason` `was_shown` for any other advertisement. Set `is_active` to " +
      "`false` instead.",
  },
});
