import { route } from "../_shared/http/route.ts";
import {
  AdminSubscriptionPlan,
  AdminSubscriptionPlanParams,
  AdminSubscriptionPlans,
  AdminSubscriptionPlansQuery,
  NewSubscriptionPlan,
  SubscriptionPlanChanges,
} from "./subscription_plans.schema.ts";

// No delete: subscriptions refer to their plan.

export const listPlansOfAllStates = route({
  method: "GET",
  path: "/admin/subscription-plans",
  access: "admin",
  area: "content",
  summary: "List plans, including those not on sale",
  description: "Sorted by `sort_order` and `code`, in both languages.",
  query: AdminSubscriptionPlansQuery,
  reply: [200, AdminSubscriptionPlans],
  errors: [],
  calls: "admin_list_subscription_plans",
});

export const createPlan = route({
  method: "POST",
  path: "/admin/subscription-plans",
  access: "admin",
  area: "content",
  summary: "Create a plan",
  description: "Returns 409 `conflict` with `details.reason` `already_exists` if another plan has the `code`.",
  body: NewSubscriptionPlan,
  reply: [201, AdminSubscriptionPlan],
  errors: ["conflict"],
  calls: "admin_create_subscription_plan",
  args: ({ body }) => ({ plan: body }),
});

export const readPlanOfAnyState = route({
  method: "GET",
  path: "/admin/subscription-plans/{id}",
  access: "admin",
  area: "content",
  summary: "Get a plan, on sale or not",
  params: AdminSubscriptionPlanParams,
  reply: [200, AdminSubscriptionPlan],
  errors: ["not_found"],
  isVersioned: true,
  calls: "admin_get_subscription_plan",
});

export const changePlan = route({
  method: "PATCH",
  path: "/admin/subscription-plans/{id}",
  access: "admin",
  area: "content",
  summary: "Update a plan or end its sale",
  description:
    "Omitted fields do not change, and `code` can never change. `is_active` false ends the sale. Clients may cache " +
    "the public list for five minutes.",
  params: AdminSubscriptionPlanParams,
  body: SubscriptionPlanChanges,
  reply: [200, AdminSubscriptionPlan],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  calls: "admin_update_subscription_plan",
  args: ({ params, body, ifMatch }) => ({ ...params, changes: body, if_match: ifMatch }),
});
