import { z } from "zod";
import { Lang } from "./codes.ts";
import { pageOf } from "./lists.ts";
import { SubscriptionPlan } from "./plans.ts";
import { Id, text, Timestamp } from "./values.ts";

export const SubscriptionStatus = z.enum([
  "active",
  "expired",
  "revoked",
  "grace",
  "on_hold",
  "paused",
  "pending",
  "unknown",
]).meta({ id: "SubscriptionStatus" });
export const Provider = z.enum(["ios_store", "android_store"]);

/** Receipts of an app with a long history have about 100 KiB. */
export const MAX_RECEIPT_LENGTH = 262_144;

const purchase = {
  platform: z.enum(["ios", "android"]),
  receipt: text(1, MAX_RECEIPT_LENGTH).meta({
    description: "ios: the signed transaction (JWS), or a legacy receipt in base64, which has no signature and only " +
      "refreshes what is the caller's. android: the purchase token.",
  }),
  product_id: text(1, 200).meta({ description: "The code of the plan", examples: ["premium_monthly"] }),
  transaction_id: text(1, 100).optional().meta({
    description: "ios only: the transaction that the receipt must belong to. Default: taken from the receipt.",
  }),
};

type Purchase = z.output<z.ZodObject<typeof purchase>>;

function onlyOfIos({ platform, transaction_id }: Purchase, context: z.RefinementCtx): void {
  if (platform === "android" && transaction_id !== undefined) {
    const message = "`transaction_id` is only allowed with platform ios. Remove it.";
    context.addIssue({ code: "custom", path: ["transaction_id"], message });
  }
}

export const VerifyIapRequest = z.strictObject(purchase).superRefine(onlyOfIos).meta({ id: "VerifyIapRequest" });

export const RefreshIapRequest = z.strictObject({
  ...purchase,
  receipt: purchase.receipt.meta({
    description: "ios: the latest signed transaction (JWS). android: the purchase token, which never changes.",
  }),
}).superRefine(onlyOfIos).meta({ id: "RefreshIapRequest" });

export const VerifyIapResponse = z.object({
  id: Id,
  user_id: Id,
  plan_id: Id,
  status: SubscriptionStatus,
  started_at: Timestamp,
  ended_at: Timestamp.nullable().meta({
    description: "When the paid period ends, or ended early, for example by a refund. Null for never.",
  }),
  auto_renew_status: z.boolean().nullable().meta({ description: "Null if the store does not report it" }),
  expires_at: Timestamp.nullable().meta({ description: "Same value as `ended_at`" }),
  environment: z.enum(["Sandbox", "Production"]).nullable().meta({
    description: "`Sandbox`: a purchase in the App Store without a payment, by App Review or TestFlight. It gives " +
      "premium. Always `Production` for Google Play.",
  }),
  platform: z.enum(["ios", "android"]),
  external_subscription_id: z.string().nullable().meta({
    description: "ios: id of the original transaction. android: order id without the renewal suffix.",
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
  next_billing_date: Timestamp.nullable().meta({ description: "Null if there is no further billing" }),
  is_trial_period: z.boolean(),
  auto_renewing: z.boolean(),
  original_purchase_date: Timestamp.meta({ description: "Date of the first purchase. Renewals do not change it." }),
  provider: Provider,
}).meta({ id: "VerifyIapResponse", description: "A subscription or a one-time purchase" });

export const MySubscription = z.object({
  id: Id.nullable(),
  plan_id: Id.nullable(),
  plan: SubscriptionPlan.nullable(),
  status: SubscriptionStatus.nullable(),
  started_at: Timestamp.nullable(),
  ended_at: Timestamp.nullable(),
}).meta({
  id: "MySubscription",
  description:
    "The caller's subscription that gives access longest, otherwise the latest one. Every field is null if there is " +
    "none.",
});

export const VerifiedPurchase = VerifyIapResponse.extend({ subscription: MySubscription }).meta({
  id: "VerifiedPurchase",
  description: "A subscription, and the caller's subscription in the format of `GET /v1/me/subscription`",
});

export const MySubscriptionQuery = z.strictObject({
  lang: Lang.optional().meta({ description: "Language of the plan. Default: the account's language." }),
});

const SubscriptionEvent = z.object({
  id: Id,
  subscription_id: Id,
  provider: Provider,
  source: z.enum(["verify", "refresh", "notification", "reconciliation", "admin"]).meta({
    description: "How the service received the event",
  }),
  type: z.string().nullable().meta({
    description: "The store's event type. Null for the response to a query.",
    examples: ["DID_RENEW"],
  }),
  subtype: z.string().nullable(),
  status: SubscriptionStatus.nullable().meta({ description: "Null for an administrator's action" }),
  occurred_at: Timestamp.meta({ description: "Time by the store's clock" }),
}).meta({ id: "SubscriptionEvent" });

export const SubscriptionEvents = pageOf(SubscriptionEvent, "SubscriptionEvents");
