import { z } from "zod";
import { subscription_plans } from "../_shared/db/columns.ts";
import { column } from "../_shared/schema/columns.ts";
import { pageOf, PageQuery } from "../_shared/schema/lists.ts";
import { SubscriptionPlan } from "../_shared/schema/plans.ts";
import { Color, CurrencyCode, pathId, text, Timestamp } from "../_shared/schema/values.ts";

const BillingPeriod = column(subscription_plans.billing_period).meta({
  description: "A code of category `billing_period`",
});

export const AdminSubscriptionPlan = SubscriptionPlan.extend({
  name_en: z.string().nullable(),
  description_en: z.string().nullable(),
  features_en: SubscriptionPlan.shape.features.nullable(),
  is_active: z.boolean().meta({ description: "Whether the plan is on sale" }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "AdminSubscriptionPlan" });

export const AdminSubscriptionPlans = pageOf(AdminSubscriptionPlan, "AdminSubscriptionPlans");

export const AdminSubscriptionPlansQuery = z.strictObject({
  is_active: z.boolean().optional().meta({
    description: "`true`: only plans on sale. `false`: only plans not on sale.",
  }),
  billing_period: BillingPeriod.optional(),
  ...PageQuery.shape,
});

export const AdminSubscriptionPlanParams = z.strictObject({ id: pathId("PlanId", "The plan") });

const NewPlanFeatures = z.union(
  [z.array(text(1, 200)).max(50), z.record(z.string(), z.unknown())],
  "Must be an object, or a list of at most 50 texts of 1 to 200 characters.",
).meta({ id: "NewPlanFeatures", description: "A list of texts, or an object known to the clients" });

export const SubscriptionPlanChanges = z.strictObject({
  name: column(subscription_plans.name),
  name_en: column(subscription_plans.name_en),
  description: column(subscription_plans.description),
  description_en: column(subscription_plans.description_en),
  price_minor: column(subscription_plans.price_minor),
  currency: CurrencyCode,
  billing_period: BillingPeriod,
  accent_color: Color.nullable(),
  features: NewPlanFeatures,
  features_en: NewPlanFeatures.nullable(),
  sort_order: column(subscription_plans.sort_order),
  is_active: z.boolean().meta({ description: "`false` ends the sale. Current subscribers keep the plan." }),
}).partial().meta({ id: "SubscriptionPlanChanges" });

export const NewSubscriptionPlan = SubscriptionPlanChanges
  .required({ name: true, price_minor: true, billing_period: true })
  .extend({
    code: z.string().regex(
      /^[A-Za-z0-9][A-Za-z0-9_.-]{0,149}$/,
      "Must begin with a letter or digit and have at most 150 letters, digits, dots, hyphens and underscores.",
    ).meta({
      description: "Product id in the stores. It never changes.",
      examples: ["premium_monthly"],
    }),
  }).meta({ id: "NewSubscriptionPlan" });
