import { route, routesOf } from "../_shared/http/route.ts";
import { VERIFY_CALLS, verifyPurchase } from "../_shared/purchases.ts";
import { VerifiedPurchase, VerifyIapRequest } from "../_shared/schema/subscriptions.ts";

export const verifyIap = route({
  method: "POST",
  path: "/verify-iap",
  access: "user",
  summary: "Verify a purchase for the caller",
  description:
    "The store is queried for the current state of the purchase. Returns 201 for a new purchase, and 200 if it " +
    "already belonged to the caller, or moved here from another account of the caller. Returns 409 `conflict` with " +
    "`details.reason` `belongs_to_another_account` if the app made the purchase for another account " +
    "(`appAccountToken`, `obfuscatedExternalAccountId`). The receipt must prove that the caller has the purchase: a " +
    "transaction signed by the App Store, a purchase token of Google Play, or any receipt if the store names the " +
    "caller's account. Otherwise it returns 409 `signature_required`. For a purchase of another user, a transaction " +
    "signed more than 10 minutes ago returns 409 `signature_too_old`: restore purchases in the store and send the " +
    "new one. Returns 400 `iap_invalid` if the store does not confirm the receipt, or if it is for another product " +
    "or transaction. Returns 403 `forbidden` with the reason `testers_only` for a purchase of the sandbox, if the " +
    "operator limits these. After an error, send the same receipt again: a purchase is never granted twice.",
  body: VerifyIapRequest,
  limit: "verify_iap",
  reply: [201, VerifiedPurchase],
  alternateStatus: 200,
  replyStatus: ({ is_new }) => is_new ? 201 : 200,
  errors: ["iap_invalid", "conflict", "not_found"],
  calls: VERIFY_CALLS,
  uses: ["appStore", "googlePlay"],
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
