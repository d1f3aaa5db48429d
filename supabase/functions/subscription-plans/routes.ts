import { route, routesOf } from "../_shared/http/route.ts";
import { SubscriptionPlans, SubscriptionPlansQuery } from "../_shared/schema/plans.ts";

export const listPlans = route({
  method: "GET",
  path: "/subscription-plans",
  access: "public",
  summary: "List plans on sale",
  description: "Sorted by `sort_order`. They rarely change: cache and revalidate them.",
  query: SubscriptionPlansQuery,
  reply: [200, SubscriptionPlans],
  errors: [],
  cache: { scope: "public", maxAge: 300, staleWhileRevalidate: 600 },
  calls: "list_subscription_plans",
});

export const routes = routesOf({ listPlans });
