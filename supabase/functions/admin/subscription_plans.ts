import { contentRoutes } from "./content_routes.ts";
import {
  AdminSubscriptionPlan,
  AdminSubscriptionPlanParams,
  AdminSubscriptionPlans,
  AdminSubscriptionPlansQuery,
  NewSubscriptionPlan,
  SubscriptionPlanChanges,
} from "./subscription_plans.schema.ts";

// No delete: subscriptions refer to their plan.

export const {
  list: listPlansOfAllStates,
  create: createPlan,
  read: readPlanOfAnyState,
  change: changePlan,
} = contentRoutes({
  path: "/admin/subscription-plans",
  area: "content",
  params: AdminSubscriptionPlanParams,
  item: AdminSubscriptionPlan,
  list: {
    calls: "admin_list_subscription_plans",
    query: AdminSubscriptionPlansQuery,
    page: AdminSubscriptionPlans,
    summary: "List plans, including those not on sale",
    description: "Sorted by `sort_order` and `code`, in both languages.",
  },
  create: {
    calls: "admin_create_subscription_plan",
    as: "plan",
    body: NewSubscriptionPlan,
    errors: ["conflict"],
    summary: "Create a plan",
    description: "Returns 409 `conflict` with `details.reason` `already_exists` if another plan has the `code`.",
  },
  read: { calls: "admin_get_subscription_plan", summary: "Get a plan, on sale or not" },
  change: {
    calls: "admin_update_subscription_plan",
    body: SubscriptionPlanChanges,
    errors: ["conflict"],
    summary: "Update a plan or end its sale",
    description:
      "Omitted fields do not change, and `code` can never change. `is_active` false ends the sale. Clients may cache " +
      "the public list for five minutes.",
  },
});
