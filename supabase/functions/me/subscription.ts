import { route } from "../_shared/http/route.ts";
import { VERIFY_CALLS, verifyPurchase } from "../_shared/purchases.ts";
import { PageQuery } from "../_shared/schema/lists.ts";
import {
  MySubscription,
  MySubscriptionQuery,
  RefreshIapRequest,
  SubscriptionEvents,
  VerifyIapRequest,
  VerifyIapResponse,
} from "../_shared/schema/subscriptions.ts";

export const readMySubscription = route({
  method: "GET",
  path: "/me/subscription",
  access: "user",
  summary: "Get the caller's subscription",
  description:
    "The subscription that gives access longest, otherwise the latest one. Every field is null if there is none.",
  query: MySubscriptionQuery,
  reply: [200, MySubscription],
  errors: [],
  calls: "my_subscription",
});

export const listMySubscriptionEvents = route({
  method: "GET",
  path: "/me/subscription/history",
  access: "user",
  summary: "List the caller's subscription events",
  description: "Newest first, by the stores' clocks.",
  query: PageQuery,
  reply: [200, SubscriptionEvents],
  errors: [],
  calls: "list_my_subscription_events",
});

export const verifyMyIap = route({
  method: "POST",
  path: "/me/subscription/verify-iap",
  access: "user",
  summary: "Verify a purchase for the caller",
  description: "Same as `POST /v1/verify-iap`, but the response does not contain the caller's subscription.",
  body: VerifyIapRequest,
  limit: "verify_iap",
  reply: [201, VerifyIapResponse],
  alternateStatus: 200,
  replyStatus: ({ is_new }) => is_new ? 201 : 200,
  errors: ["iap_invalid", "conflict", "not_found"],
  calls: VERIFY_CALLS,
  uses: ["appStore", "googlePlay"],
  handle: async ({ body, caller, db, service, appStore, googlePlay }) => {
    const { is_new, subscription } = await verifyPurchase(
      { caller, db, service, appStore, googlePlay },
      body,
      "verify",
    );
    return { ...subscription, is_new };
  },
});

export const refreshMyIap = route({
  method: "POST",
  path: "/me/subscription/refresh-iap",
  access: "user",
  summary: "Refresh the caller's purchase from its store",
  description: "Only for a purchase of the caller. Any other returns 404 `not_found`: verify it instead.",
  body: RefreshIapRequest,
  limit: "verify_iap",
  reply: [200, VerifyIapResponse],
  errors: ["iap_invalid", "conflict", "not_found"],
  calls: VERIFY_CALLS,
  uses: ["appStore", "googlePlay"],
  handle: async ({ body, caller, db, service, appStore, googlePlay }) =>
    (await verifyPurchase({ caller, db, service, appStore, googlePlay }, body, "refresh")).subscription as never,
});
