import { route, routesOf } from "../_shared/http/route.ts";
import { verifyPurchase } from "../_shared/purchases.ts";
import { VerifiedPurchase, VerifyIapRequest } from "../_shared/schema/subscriptions.ts";

export const verifyIap = route({
  method: "POST",
  path: "/verify-iap",
  access: "user",
  summary: "Verify a purchase and make it the caller's",
  description:
    "The store is asked what the purchase is worth now. 201 when it was nobody's, 200 when it was the caller's already or " +
    "moved here from another account of theirs. A purchase that the app made for another account (`appAccountToken`, " +
    "`obfuscatedExternalAccountId`) is `conflict`, with `details.reason` `belongs_to_another_account`. A receipt that the " +
    "store does not confirm, or of another product or transaction than the request names, is `iap_invalid`. Send the same " +
    "receipt again after an error: nothing is granted twice.",
  body: VerifyIapRequest,
  limit: "verify_iap",
  reply: [201, VerifiedPurchase],
  alternateStatus: 200,
  replyStatus: ({ is_new }) => is_new ? 201 : 200,
  errors: ["iap_invalid", "conflict", "not_found"],
  handle: async ({ body, caller, db, service, appStore, googlePlay }) => {
    const { is_new, subscription, my_subscription } = await verifyPurchase(
      { caller, db, service, appStore, googlePlay },
      body,
      "verify",
    );
    return { ...subscription, subscription: my_subscription, is_new };
  },
});

export const routes = routesOf({ verifyIap });
