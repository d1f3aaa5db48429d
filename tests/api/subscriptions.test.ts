// Purchases from the receipt to premium, over HTTP, with the stand-ins of both stores.
import assert from "node:assert/strict";
import { verifyIap } from "../../supabase/functions/verify-iap/verify.ts";
import { readMySubscription, verifyMyIap } from "../../supabase/functions/me/subscription.ts";
import {
  MySubscription,
  VerifiedPurchase,
  VerifyIapResponse,
} from "../../supabase/functions/_shared/schema/subscriptions.ts";
import { signUp } from "../support/people.ts";
import { assertRefused } from "../support/refusals.ts";
import { ask, bearer, replyOf } from "./client.ts";
import { aPlan, apple, isPremium, mySubscription, onAndroid, onIos, play, post, verify } from "./purchases.ts";

const plan = await aPlan();

Deno.test("me/subscription: without one every field is null", async () => {
  const user = await signUp();
  const response = await ask("/me/subscription", { headers: bearer(user.token) });
  const subscription = await replyOf(readMySubscription, response, MySubscription);
  assert.deepEqual(subscription, {
    id: null,
    plan_id: null,
    plan: null,
    status: null,
    started_at: null,
    ended_at: null,
  });
});

Deno.test("verify-iap: a signed transaction is the caller's, with premium, and the reply has the subscription", async () => {
  const { user, request, id } = await onIos(plan);
  assert.equal(await isPremium(user), false);
  const reply = await replyOf(verifyIap, await post(user, "/verify-iap", request), VerifiedPurchase);
  const { subscription, ...verified } = reply;
  assert.deepEqual(
    [verified.user_id, verified.status, verified.platform, verified.provider, verified.environment],
    [user.id, "active", "ios", "ios_store", "Production"],
  );
  assert.deepEqual([verified.external_subscription_id, verified.expires_at], [id, verified.ended_at]);
  assert.equal(subscription.id, verified.id);
  assert.equal(subscription.plan?.code, plan);
  assert.equal(await isPremium(user), true);
  assert.deepEqual(await mySubscription(user), subscription);
  assert.equal((await mySubscription(user, "?lang=en")).plan.name, "Plan");
});

Deno.test("verify-iap: a subscription of Google Play is the caller's and is acknowledged once", async () => {
  const { user, request, id } = await onAndroid(plan);
  const response = await post(user, "/me/subscription/verify-iap", request);
  const reply = await replyOf(verifyMyIap, response, VerifyIapResponse);
  assert.deepEqual([reply.user_id, reply.status, reply.environment], [user.id, "active", "Production"]);
  assert.equal((await verify(user, request, 200)).id, reply.id);
  assert.equal((await play.received(id)).acknowledgements, 1);
  assert.equal(await isPremium(user), true);
});

Deno.test("verify-iap: a receipt that the store does not confirm is iap_invalid", async () => {
  const user = await signUp();
  const { signed_transaction } = await apple.buy({ product_id: plan });
  const forged = signed_transaction.replace(/.{6}$/, "AAAAAA");
  const wrong = [
    { platform: "ios", receipt: forged, product_id: plan },
    { platform: "ios", receipt: "abc", product_id: plan },
    { platform: "ios", receipt: signed_transaction, product_id: "another" },
    { platform: "ios", receipt: signed_transaction, product_id: plan, transaction_id: "1" },
    { platform: "android", receipt: "no-such-token", product_id: plan },
    { platform: "android", receipt: (await play.buy({ product_id: plan })).purchase_token, product_id: "another" },
  ];
  for (const request of wrong) await assertRefused(await post(user, "/verify-iap", request), { code: "iap_invalid" });
  assert.equal((await mySubscription(user)).id, null);
});

Deno.test("verify-iap: a transaction id with platform android is named", async () => {
  const { user, request } = await onAndroid(plan);
  await assertRefused(await post(user, "/verify-iap", { ...request, transaction_id: "1" }), {
    code: "validation_error",
    param: "transaction_id",
  });
});
