import { route } from "../_shared/http/route.ts";
import {
  AdminSubscriptionPlan,
  AdminSubscriptionPlanParams,
  AdminSubscriptionPlans,
  AdminSubscriptionPlansQuery,
  NewSubscriptionPlan,
  SubscriptionPlanChanges,
} from "./subscription_plans.schema.ts";

// No delete: subscriptions name their plan.

export const listPlansOfAllStates = route({
  method: "GET",
  path: "/admin/subscription-plans",
  access: "admin",
  area: "content",
  summary: "List plans, on sale or not",
  description: "By `sort_order` and `code`, in both languages.",
  query: AdminSubscriptionPlansQuery,
  reply: [200, AdminSubscriptionPlans],
  errors: [],
  handle: ({ db, query }) => db.rpc("admin_list_subscription_plans", query),
});

export const createPlan = route({
  method: "POST",
  path: "/admin/subscription-plans",
  access: "admin",
  area: "content",
  summary: "Create a plan",
  description: "409 with `details.reason` `already_exists` where another plan has the `code`.",
  body: NewSubscriptionPlan,
  reply: [201, AdminSubscriptionPlan],
  errors: ["conflict"],
  handle: ({ db, body }) => db.rpc("admin_create_subscription_plan", { plan: body }),
});

export const readPlanOfAnyState = route({
  method: "GET",
  path: "/admin/subscription-plans/{id}",
  access: "admin",
  area: "content",
  summary: "Read a plan, on sale or not",
  params: AdminSubscriptionPlanParams,
  reply: [200, AdminSubscriptionPlan],
  errors: ["not_found"],
  isVersioned: true,
  handle: ({ db, params }) => db.rpc("admin_get_subscription_plan", params),
});

export const changePlan = route({
  method: "PATCH",
  path: "/admin/subscription-plans/{id}",
  access: "admin",
  area: "content",
  summary: "Change a plan, or take it off sale",
  description: "What is absent stays; `code` never changes. `is_active` `false` takes it off sale; clients may keep " +
    "the public list for five minutes.",
  params: AdminSubscriptionPlanParams,
  body: SubscriptionPlanChanges,
  reply: [200, AdminSubscriptionPlan],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  handle: ({ db, params, body, ifMatch }) =>
    db.rpc("admin_update_subscription_plan", { ...params, changes: body, if_match: ifMatch }),
});
