// The App Store: signed transactions are verified, and their current state is read from the App Store Server API.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appStore } from "../../supabase/functions/_shared/providers/app_store.ts";
import { factsOf } from "../../supabase/functions/_shared/providers/app_store/facts.ts";
import type { RenewalPayload } from "../../supabase/functions/_shared/providers/app_store/payloads.ts";
import type { StoreStatement } from "../../supabase/functions/_shared/providers/store.ts";
import { configOf, errorFrom, known, openShop, reasonOf } from "./app_store.ts";

const PLAN = "premium_monthly";
const YEARLY = "premium_yearly";
const LIFETIME = "premium_lifetime";
const ACCOUNT = "0d2c9f6e-6b1c-4d0e-9f43-0a6a3f1f9f11";
const DAY = 86_400;

/** The same as the app sends it. */
function sent(signed: string, product_id = PLAN) {
  return { receipt: signed, product_id };
}

function assertNear(time: string | null, expected: number): void {
  assert.ok(time !== null && Math.abs(Date.parse(time) - expected) < 10_000, `${time} is not near ${expected}`);
}

Deno.test("app store: a subscription that was bought is active until it renews", async () => {
  await using shop = await openShop();
  const bought = await shop.store.buy({ product_id: PLAN, account_token: ACCOUNT });
  const id = bought.subscription.original_transaction_id;
  const statement = await shop.apple.verify({ ...sent(bought.signed_transaction), transaction_id: id });
  const { facts, payload, event_id, occurred_at, proof: _, ...rest } = statement;
  assert.deepEqual(rest, {
    store: "ios_store",
    subscription_key: id,
    type: null,
    subtype: null,
    receipt_hash: createHash("sha256").update(bought.signed_transaction).digest("hex"),
    purchase_token: null,
    supersedes: null,
    needs_acknowledgement: false,
    limited_to: null,
  });
  assert.match(event_id, new RegExp(`^status:${id}:1:\\d+$`));
  assertNear(occurred_at, Date.now());
  const { started_at, expires_at } = facts;
  assertNear(started_at, Date.now());
  assertNear(expires_at, Date.now() + 30 * DAY * 1000);
  assert.deepEqual(facts, {
    status: "active",
    product_id: PLAN,
    environment: "Production",
    external_subscription_id: id,
    started_at,
    original_purchase_date: started_at,
    expires_at,
    access_ends_at: expires_at,
    auto_renew_status: true,
    auto_renewing: true,
    next_billing_date: expires_at,
    is_trial_period: false,
    account_token: ACCOUNT,
  });
  assert.doesNotMatch(JSON.stringify(payload), new RegExp(`eyJ|${ACCOUNT}`));
  assert.equal((payload["transaction"] as Record<string, unknown>)["transactionId"], id);
});

Deno.test("app store: without the Server API a receipt is verified by its signature alone, with the same result each time", async () => {
  await using shop = await openShop();
  const { signed_transaction, subscription } = await shop.store.buy({ product_id: PLAN, environment: "Sandbox" });
  const [first, again] = [
    await shop.offline.verify(sent(signed_transaction)),
    await shop.offline.verify(sent(signed_transaction)),
  ];
  assert.deepEqual(first, again);
  assert.match(first.event_id, new RegExp(`^transaction:${subscription.transaction_id}:\\d+$`));
  const { status, environment, auto_renew_status, auto_renewing, next_billing_date, expires_at } = first.facts;
  assert.deepEqual([status, environment, auto_renew_status, auto_renewing], ["active", "Sandbox", null, true]);
  assert.equal(next_billing_date, expires_at);
});

Deno.test("app store: the Server API and the notification give the same state for each event of a subscription", async () => {
  await using shop = await openShop();
  const bought = await shop.store.buy({ product_id: PLAN, trial: true });
  const id = bought.subscription.original_transaction_id;
  const first = await shop.apple.verify(sent(bought.signed_transaction));
  assert.equal(first.facts.is_trial_period, true);
  const expected: [Parameters<typeof shop.store.act>[1], Record<string, unknown>, string | null, string][] = [
    ["renew", {}, null, "active"],
    ["cancel", {}, "AUTO_RENEW_DISABLED", "active"],
    ["enable", {}, "AUTO_RENEW_ENABLED", "active"],
    ["fail", { grace: true }, "GRACE_PERIOD", "grace"],
    ["end_grace", {}, null, "on_hold"],
    ["recover", {}, "BILLING_RECOVERY", "active"],
    ["downgrade", { product_id: YEARLY }, "DOWNGRADE", "active"],
    ["renew", {}, null, "active"],
    ["upgrade", { product_id: PLAN }, "UPGRADE", "active"],
    ["refund", {}, null, "revoked"],
    ["reverse_refund", {}, null, "active"],
    ["expire", {}, "VOLUNTARY", "expired"],
    ["resubscribe", { product_id: PLAN }, "RESUBSCRIBE", "active"],
    ["fail", {}, null, "on_hold"],
    ["expire", {}, "BILLING_RETRY", "expired"],
  ];
  for (const [action, options, subtype, status] of expected) {
    const { notification } = await shop.store.act(id, action, options);
    const said = await shop.apple.readNotification(notification.signedPayload);
    const read = await shop.apple.read(known(first));
    assert.deepEqual([said?.subtype, said?.facts.status], [subtype, status], action);
    assert.deepEqual(said?.facts, read.facts, action);
    assert.ok(read.occurred_at > said.occurred_at, action);
    assert.match(said.event_id, /^notification:[0-9a-f-]{36}$/);
    assert.equal(said.receipt_hash, null);
    assert.doesNotMatch(JSON.stringify(said.payload), /eyJ/);
    assertAccess(said, action);
  }
});

/** Access ends in the future exactly for what gives it. */
function assertAccess({ facts: { status, access_ends_at } }: StoreStatement, action: string): void {
  const hasAccess = access_ends_at !== null && Date.parse(access_ends_at) > Date.now() + 60_000;
  assert.equal(hasAccess, status === "active" || status === "grace", action);
}

Deno.test("app store: in a grace period access lasts until its end, and the subscription does not renew by itself", async () => {
  await using shop = await openShop();
  const bought = await shop.store.buy({ product_id: PLAN });
  await shop.store.act(bought.subscription.original_transaction_id, "fail", { grace: true, grace_seconds: 3 * DAY });
  const { facts } = await shop.apple.verify(sent(bought.signed_transaction));
  assert.equal(facts.status, "grace");
  assertNear(facts.expires_at, Date.now());
  assertNear(facts.access_ends_at, Date.now() + 3 * DAY * 1000);
  assert.deepEqual([facts.auto_renew_status, facts.auto_renewing, facts.next_billing_date], [true, false, null]);
});

Deno.test("app store: a one-time purchase has no end, until it is refunded", async () => {
  await using shop = await openShop();
  const bought = await shop.store.buy({ product_id: LIFETIME, one_time: true });
  const statement = await shop.apple.verify(sent(bought.signed_transaction, LIFETIME));
  const { status, expires_at, access_ends_at, auto_renewing, next_billing_date } = statement.facts;
  assert.deepEqual([status, expires_at, access_ends_at, auto_renewing], ["active", null, "infinity", false]);
  assert.equal(next_billing_date, null);
  const refund = await shop.store.act(bought.subscription.original_transaction_id, "refund");
  const said = await shop.apple.readNotification(refund.notification.signedPayload);
  const read = await shop.apple.read(known(statement));
  assert.deepEqual(said?.facts, read.facts);
  assert.equal(read.facts.status, "revoked");
  assertNear(read.facts.access_ends_at, Date.now());
});

Deno.test("app store: the receipt of an upgraded subscription gives the subscription that replaced it", async () => {
  await using shop = await openShop();
  const bought = await shop.store.buy({ product_id: PLAN });
  const id = bought.subscription.original_transaction_id;
  await shop.store.act(id, "upgrade", { product_id: YEARLY });
  const upgraded = await shop.store.read(id, { transaction_id: id });
  const { facts, subscription_key } = await shop.apple.verify(sent(upgraded.signed_transaction));
  assert.deepEqual([facts.product_id, facts.status, subscription_key], [YEARLY, "active", id]);
  const error = await errorFrom(shop.offline.verify(sent(upgraded.signed_transaction)));
  assert.equal(error.code, "iap_invalid");
});

Deno.test("app store: without the Server API the receipt of an earlier period does not replace newer statements", async () => {
  await using shop = await openShop();
  const bought = await shop.store.buy({ product_id: PLAN });
  const id = bought.subscription.original_transaction_id;
  await shop.store.age(id, 31 * DAY);
  const renewed = await shop.store.act(id, "renew");
  const again = await shop.store.read(id, { transaction_id: id });
  const [old, current] = [
    await shop.offline.verify(sent(again.signed_transaction)),
    await shop.offline.verify(sent(renewed.signed_transaction)),
  ];
  assert.deepEqual([old.facts.status, current.facts.status], ["expired", "active"]);
  assert.ok(old.occurred_at < current.occurred_at);
  assert.notEqual(old.event_id, current.event_id);
});

Deno.test("app store: notifications without a subscription change nothing", async () => {
  await using shop = await openShop();
  const test = await shop.store.testNotification();
  assert.equal(await shop.apple.readNotification(test.notification.signedPayload), null);
  const bought = await shop.store.buy({ product_id: PLAN });
  const id = bought.subscription.original_transaction_id;
  await shop.store.act(id, "renew");
  const earlier = await shop.store.read(id, { transaction_id: id });
  const [, claims] = earlier.signed_transaction.split(".");
  const payload = JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(claims!, { alphabet: "base64url" })));
  const about = async (notificationType: string, transaction: Record<string, unknown>, status: number) =>
    await shop.apple.readNotification(
      await shop.store.sign({
        notificationType,
        notificationUUID: crypto.randomUUID(),
        version: "2.0",
        signedDate: Date.now(),
        data: {
          bundleId: shop.environment["APP_STORE_BUNDLE_ID"],
          environment: "Production",
          signedTransactionInfo: await shop.store.sign(transaction),
          status,
        },
      }),
    );
  const refunded = { ...payload, revocationDate: Date.now() - 1000, revocationReason: 0 };
  assert.equal(await about("REFUND_DECLINED", payload, 1), null);
  assert.equal(await about("CONSUMPTION_REQUEST", payload, 1), null);
  assert.equal(await about("REFUND", refunded, 1), null);
  assert.equal(await about("REFUND_REVERSED", { ...payload, expiresDate: Date.now() - 1000 }, 1), null);
  assert.equal((await about("REFUND", refunded, 5))?.facts.status, "revoked");
  assert.equal((await about("REFUND_REVERSED", payload, 1))?.facts.status, "active");
});

Deno.test("app store: a receipt proves possession by its own signature, never by that of the Server API", async () => {
  await using shop = await openShop();
  const { subscription, signed_transaction } = await shop.store.buy({ product_id: PLAN });
  const id = subscription.original_transaction_id;
  const at = new Date(Date.now() - 3_600_000).toISOString();
  const old = (await shop.store.read(id, { at })).signed_transaction;
  for (const client of [shop.apple, shop.offline]) {
    const { proof } = await client.verify({ receipt: old, product_id: PLAN });
    assert.deepEqual(proof, { kind: "signature", signed_at: at });
  }
  const { proof, ...statement } = await shop.apple.verify({ receipt: signed_transaction, product_id: PLAN });
  assert.ok(proof?.kind === "signature" && proof.signed_at > at);
  assert.equal((await shop.apple.read(known({ ...statement, proof }))).proof, null);
  for (const receipt of Object.values(await shop.store.receipts(id))) {
    assert.equal((await shop.apple.verify({ receipt, product_id: PLAN })).proof, null);
  }
  const { notification } = await shop.store.act(id, "renew");
  assert.equal((await shop.apple.readNotification(notification.signedPayload))?.proof, null);
});

Deno.test("app store: statements of the Sandbox are limited to the testers of the settings, others are not", async () => {
  await using shop = await openShop(5_000, { APP_STORE_SANDBOX_TESTERS: "Tester@example.com" });
  for (const environment of ["Sandbox", "Production"] as const) {
    const limited_to = environment === "Sandbox" ? ["tester@example.com"] : null;
    const { subscription, signed_transaction, notification } = await shop.store.buy({ product_id: PLAN, environment });
    const statement = await shop.apple.verify({ receipt: signed_transaction, product_id: PLAN });
    const { app } = await shop.store.receipts(subscription.original_transaction_id);
    const all = [
      statement,
      await shop.apple.verify({ receipt: app, product_id: PLAN }),
      await shop.offline.verify({ receipt: signed_transaction, product_id: PLAN }),
      await shop.apple.read(known(statement)),
      await shop.apple.readNotification(notification.signedPayload),
    ];
    assert.deepEqual(all.map((each) => each?.limited_to), Array(5).fill(limited_to), environment);
  }
});

Deno.test("app store: a receipt for another product or transaction is rejected", async () => {
  await using shop = await openShop();
  const { signed_transaction } = await shop.store.buy({ product_id: PLAN });
  for (const apple of [shop.apple, shop.offline]) {
    const product = await errorFrom(apple.verify(sent(signed_transaction, YEARLY)));
    assert.deepEqual([product.code, reasonOf(product)], ["iap_invalid", "the receipt is for another product"]);
    const transaction = await errorFrom(apple.verify({ ...sent(signed_transaction), transaction_id: "1" }));
    assert.deepEqual([transaction.code, reasonOf(transaction)], [
      "iap_invalid",
      "the receipt is for another transaction",
    ]);
  }
});

Deno.test("app store: the status counts, also when dates contradict it", () => {
  const at = Date.parse("2026-09-01T00:00:00Z");
  const [past, future] = [at - DAY * 1000, at + DAY * 1000];
  const purchase = {
    originalTransactionId: "1",
    transactionId: "2",
    productId: PLAN,
    purchaseDate: past - DAY * 1000,
    signedDate: at,
    type: "Auto-Renewable Subscription",
    environment: "Production",
  } as const;
  const grace = { gracePeriodExpiresDate: future };
  type Dates = { readonly expiresDate?: number; readonly revocationDate?: number };
  const expected: [number | null, Dates, RenewalPayload | null, [string, number | null, boolean]][] = [
    [1, { expiresDate: future }, null, ["active", future, true]],
    [1, { expiresDate: future }, { autoRenewStatus: 0 }, ["active", future, false]],
    [1, { expiresDate: past }, { autoRenewStatus: 1 }, ["active", past, false]],
    [2, { expiresDate: past }, null, ["expired", past, false]],
    [2, { expiresDate: future }, null, ["expired", at, false]],
    [3, { expiresDate: past }, { autoRenewStatus: 1 }, ["on_hold", past, false]],
    [4, { expiresDate: past }, { ...grace, autoRenewStatus: 1 }, ["grace", future, false]],
    [4, { expiresDate: past }, null, ["grace", past, false]],
    [5, { expiresDate: future }, null, ["revoked", at, false]],
    [5, { expiresDate: future, revocationDate: past }, null, ["revoked", past, false]],
    [6, { expiresDate: future }, null, ["unknown", null, false]],
    [null, { expiresDate: future }, null, ["active", future, true]],
    [null, { expiresDate: at }, null, ["expired", at, false]],
    [null, { expiresDate: future, revocationDate: past }, null, ["revoked", past, false]],
  ];
  for (const [status, dates, renewal, [name, access, renews]] of expected) {
    const facts = factsOf({ transaction: { ...purchase, ...dates }, renewal, status, at });
    const end = access === null ? null : new Date(access).toISOString();
    const what = JSON.stringify([status, dates, renewal]);
    assert.deepEqual([facts.status, facts.access_ends_at, facts.auto_renewing], [name, end, renews], what);
    assert.equal(facts.next_billing_date, renews ? facts.expires_at : null, what);
  }
});

Deno.test("app store: without settings the provider is not configured", async () => {
  const apple = appStore(() => configOf({}));
  const { code, details } = await errorFrom(apple.verify(sent("a.b.c")));
  assert.deepEqual([code, details], ["service_unavailable", { reason: "not_configured" }]);
});
