import { z } from "zod";
import { Provider, SubscriptionStatus } from "../_shared/schema/subscriptions.ts";
import { Id, Timestamp } from "../_shared/schema/values.ts";

export const AdminSubscriptionListItem = z.object({
  id: Id,
  user_id: Id.nullable().meta({ description: "Null if the subscription was never claimed, or its user has withdrawn" }),
  plan_id: Id,
  plan_code: z.string(),
  provider: Provider,
  environment: z.enum(["Production", "Sandbox"]).meta({
    description: "`Sandbox`: a purchase without a payment, by App Review, TestFlight or a license tester. It gives " +
      "premium and counts in no figure.",
  }),
  external_subscription_id: z.string().nullable().meta({
    description: "ios_store: id of the original transaction. android_store: order id without the renewal suffix.",
  }),
  status: SubscriptionStatus.meta({
    description: "Current status. `expired` once access has ended, even before the store reports it.",
  }),
  gives_premium: z.boolean(),
  access_ends_at: Timestamp.nullable().meta({
    description:
      "When premium access ends or ended. Null without access, or with `gives_premium` for access without an end.",
  }),
  started_at: Timestamp,
  ended_at: Timestamp.nullable().meta({
    description: "When the paid period ends, or ended early, for example by a refund. Null for never.",
  }),
  auto_renewing: z.boolean(),
  is_trial_period: z.boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "AdminSubscriptionListItem" });
