import { route, routesOf } from "../_shared/http/route.ts";
import { Ads, AdsQuery } from "../_shared/schema/ads.ts";

export const listAds = route({
  method: "GET",
  path: "/ads",
  access: "public",
  summary: "List the advertisements that run",
  description:
    "In an order drawn by weight from `seed`: one of weight w stands first for w of every W seeds, W being " +
    "the sum of the weights. The same seed gives the same order, whatever comes or goes.",
  query: AdsQuery,
  reply: [200, Ads],
  errors: [],
  cache: { scope: "public", maxAge: 60 },
  handle: ({ db, query }) => db.rpc("list_ads", query),
});

export const routes = routesOf({ listAds });
