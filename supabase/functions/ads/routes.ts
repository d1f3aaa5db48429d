import { route, routesOf } from "../_shared/http/route.ts";
import { Ads, AdsQuery } from "../_shared/schema/ads.ts";

export const listAds = route({
  method: "GET",
  path: "/ads",
  access: "public",
  summary: "List active advertisements",
  description:
    "The order is a weighted random order derived from `seed`. An advertisement of weight w is first for w of " +
    "every W seeds, where W is the sum of the weights. The same seed returns the same order, even if " +
    "advertisements are added or removed.",
  query: AdsQuery,
  reply: [200, Ads],
  errors: [],
  cache: { scope: "public", maxAge: 60 },
  calls: "list_ads",
});

export const routes = routesOf({ listAds });
