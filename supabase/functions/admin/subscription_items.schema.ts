import { z } from "zod";
import { Provider, SubscriptionStatus } from "../_shared/schema/subscriptions.ts";
import { Id, Timestamp } from "../_shared/schema/values.ts";

export const AdminSubscriptionListItem = z.object({
  id: Id,
  user_id: Id.nullable().meta({ description: "Null: nobody has claimed it, or its user has withdrawn" }),
  plan_id: Id,
  plan_code: z.string(),
  provider: Provider,
  environment: z.enum(["Production", "Sandbox"]),
  external_subscription_id: z.string().nullable().meta({
    description: "ios_store: the id of the original transaction; android_store: the order's id without its renewal",
  }),
  status: SubscriptionStatus.meta({ description: "Now: access that has ended is `expired` before the store says so" }),
  gives_premium: z.boolean(),
  access_ends_at: Timestamp.nullable().meta({
    description: "Until when it gives premium, or gave it. Null: it gave none, or with `gives_premium` without an end",
  }),
  started_at: Timestamp,
  ended_at: Timestamp.nullable().meta({ description: "When the period that is paid for ends; null: never" }),
  auto_renewing: z.boolean(),
  is_trial_period: z.boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "AdminSubscriptionListItem" });
