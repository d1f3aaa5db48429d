import { z } from "zod";
import { LangQuery } from "./codes.ts";
import { pageOf, PageQuery } from "./lists.ts";
import { Id } from "./values.ts";

const PlanFeatures = z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).meta({
  id: "PlanFeatures",
  description: "Features of the plan: a list of texts, or an object known to the clients",
});

export const SubscriptionPlan = z.object({
  id: Id,
  code: z.string().meta({ description: "The product id in the stores", examples: ["premium_monthly"] }),
  name: z.string(),
  description: z.string().nullable(),
  price_minor: z.int().min(0),
  currency: z.string().meta({ examples: ["JPY"] }),
  billing_period: z.string().meta({ description: "A code of category `billing_period`", examples: ["month"] }),
  accent_color: z.string().nullable().meta({ examples: ["#1565c0"] }),
  features: PlanFeatures,
  sort_order: z.int(),
}).meta({ id: "SubscriptionPlan" });

export const SubscriptionPlans = pageOf(SubscriptionPlan, "SubscriptionPlans");

export const SubscriptionPlansQuery = z.strictObject({
  lang: LangQuery,
  ...PageQuery.shape,
});
