// Receipts from before signed transactions: they name a transaction, and the App Store Server API says what it is.
import assert from "node:assert/strict";
import { appReceipt, transactionReceipt } from "../../local/standins/app_store/receipts.ts";
import { kindOf, purchasesIn, ReceiptError } from "../../supabase/functions/_shared/providers/app_store/receipt.ts";
import { chance } from "../support/random.ts";
import { errorFrom, openShop, reasonOf } from "./app_store.ts";

const BUNDLE_ID = "jp.example.parking";
const PLAN = "premium_monthly";
const LIFETIME = "premium_lifetime";
const KINDS = ["app", "xcode", "transaction"] as const;

for (const kind of KINDS) {
  Deno.test(`app store: a receipt of the kind "${kind}" gives the state of the Server API`, async () => {
    await using shop = await openShop();
    const bought = await shop.store.buy({ product_id: PLAN });
    const id = bought.subscription.original_transaction_id;
    const receipts = await shop.store.receipts(id);
    const receipt = receipts[kind];
    const direct = await shop.apple.verify({ receipt: bought.signed_transaction, product_id: PLAN });
    const { facts, receipt_hash, subscription_key } = await shop.apple.verify({ receipt, product_id: PLAN });
    assert.deepEqual([facts, subscription_key], [direct.facts, id]);
    assert.match(receipt_hash!, /^[0-9a-f]{64}$/);
    await shop.apple.verify({ receipt: receipt.replace(/.{76}/g, "$&\r\n"), product_id: PLAN, transaction_id: id });
    for (const wrong of [{ product_id: "premium_yearly" }, { product_id: PLAN, transaction_id: "1" }]) {
      const rejection = await errorFrom(shop.apple.verify({ receipt, ...wrong }));
      assert.deepEqual([rejection.code, reasonOf(rejection)], [
        "iap_invalid",
        "the receipt does not list the purchase",
      ]);
    }
    const { code, details } = await errorFrom(shop.offline.verify({ receipt, product_id: PLAN }));
    assert.deepEqual([code, details], ["service_unavailable", { reason: "not_configured" }]);
  });
}

Deno.test("app store: an old receipt gives the current period, and a one-time purchase its own transaction", async () => {
  await using shop = await openShop();
  const bought = await shop.store.buy({ product_id: PLAN });
  const id = bought.subscription.original_transaction_id;
  const { app } = await shop.store.receipts(id);
  const renewed = await shop.store.act(id, "renew");
  const { facts } = await shop.apple.verify({ receipt: app, product_id: PLAN, transaction_id: id });
  assert.equal(facts.expires_at, renewed.subscription.expires_at);
  const once = await shop.store.buy({ product_id: LIFETIME, one_time: true });
  const { transaction } = await shop.store.receipts(once.subscription.original_transaction_id);
  const lifetime = await shop.apple.verify({ receipt: transaction, product_id: LIFETIME });
  assert.equal(lifetime.facts.access_ends_at, "infinity");
});

Deno.test("app store: a receipt that Production does not know is looked up in Sandbox", async () => {
  await using shop = await openShop();
  const { subscription } = await shop.store.buy({ product_id: PLAN, environment: "Sandbox" });
  const id = subscription.original_transaction_id;
  const { app } = await shop.store.receipts(id);
  assert.equal((await shop.apple.verify({ receipt: app, product_id: PLAN })).facts.environment, "Sandbox");
  // Before an app is released, Production rejects the key.
  await shop.store.script(id, { status: 401, times: 2 });
  assert.equal((await shop.apple.verify({ receipt: app, product_id: PLAN })).facts.environment, "Sandbox");
});

Deno.test("app store: a receipt that neither environment knows is rejected; during an outage of one it is not", async () => {
  await using shop = await openShop();
  const entry = { productId: PLAN, transactionId: "7", originalTransactionId: "7" };
  const receipt = appReceipt(BUNDLE_ID, [entry], "app");
  const rejection = await errorFrom(shop.apple.verify({ receipt, product_id: PLAN }));
  assert.deepEqual([rejection.code, reasonOf(rejection)], [
    "iap_invalid",
    "the App Store responded with 404 (4040010)",
  ]);
  assert.equal(await shop.store.requests("7"), 2);
  await shop.store.script("7", { status: 401, times: 2 });
  assert.equal((await errorFrom(shop.apple.verify({ receipt, product_id: PLAN }))).code, "service_unavailable");
});

Deno.test("app store: Sandbox is not called where only Production is accepted", async () => {
  await using shop = await openShop(5_000, { APP_STORE_ENVIRONMENTS: "Production" });
  const { subscription } = await shop.store.buy({ product_id: PLAN, environment: "Sandbox" });
  const { app } = await shop.store.receipts(subscription.original_transaction_id);
  assert.equal((await errorFrom(shop.apple.verify({ receipt: app, product_id: PLAN }))).code, "iap_invalid");
  assert.equal(await shop.store.requests(subscription.original_transaction_id), 1);
});

Deno.test("app store: ids that are not numbers are not looked up", async () => {
  await using shop = await openShop();
  for (const transactionId of ["../1", "", "1?x", "9".repeat(40), "one"]) {
    const entry = { productId: PLAN, transactionId, originalTransactionId: transactionId };
    for (const receipt of [appReceipt(BUNDLE_ID, [entry], "app"), transactionReceipt(BUNDLE_ID, entry)]) {
      const rejection = await errorFrom(shop.apple.verify({ receipt, product_id: PLAN }));
      assert.deepEqual([rejection.code, reasonOf(rejection)], [
        "iap_invalid",
        "the receipt does not list the purchase",
      ]);
    }
  }
});

const ENTRY = { productId: PLAN, transactionId: "2000000000000002", originalTransactionId: "2000000000000001" };

Deno.test("app store: the kinds of receipts are distinguished", () => {
  assert.equal(kindOf("eyJhbGciOiJFUzI1NiJ9.e30.AA"), "signed");
  assert.equal(kindOf(appReceipt(BUNDLE_ID, [ENTRY], "app")), "app");
  assert.equal(kindOf(appReceipt(BUNDLE_ID, [ENTRY], "xcode")), "app");
  assert.equal(kindOf(transactionReceipt(BUNDLE_ID, ENTRY)), "transaction");
  for (const receipt of ["", "AAAA", "!!!!", "receipt"]) assert.equal(kindOf(receipt), "transaction", receipt);
});

Deno.test("app store: a receipt lists its purchases in their order", () => {
  const entries = [ENTRY, { ...ENTRY, productId: LIFETIME, transactionId: "2000000000000009" }];
  const listed = entries.map(({ productId, transactionId }) => ({ productId, transactionId }));
  for (const style of ["app", "xcode"] as const) {
    assert.deepEqual(purchasesIn(appReceipt(BUNDLE_ID, entries, style)), listed);
    assert.deepEqual(purchasesIn(appReceipt(BUNDLE_ID, [], style)), []);
  }
  assert.deepEqual(purchasesIn(transactionReceipt(BUNDLE_ID, ENTRY)), [listed[0]]);
});

Deno.test("app store: invalid, truncated and changed receipts fail with the same error", () => {
  const random = chance(1703);
  const receipts = [
    appReceipt(BUNDLE_ID, [ENTRY, ENTRY], "app"),
    appReceipt(BUNDLE_ID, [ENTRY], "xcode"),
    transactionReceipt(BUNDLE_ID, ENTRY),
  ].map((text) => Uint8Array.fromBase64(text));
  let failures = 0;
  for (let nth = 0; nth < 6_000; nth++) {
    const bytes = receipts[nth % 3]!.slice(0, random.pick([undefined, random.below(receipts[nth % 3]!.length)]));
    for (let count = random.below(4); count > 0; count--) bytes[random.below(bytes.length)] = random.below(256);
    try {
      for (const { transactionId } of purchasesIn(bytes.toBase64())) assert.equal(typeof transactionId, "string");
    } catch (error) {
      assert.ok(error instanceof ReceiptError, String(error));
      failures++;
    }
  }
  assert.ok(failures > 1_000);
  assert.throws(() => purchasesIn("no base64!"), ReceiptError);
  const deep = new Uint8Array(1_000_000).fill(0x30).map((byte, index) => index % 2 === 0 ? byte : 0x80);
  assert.throws(() => purchasesIn(deep.toBase64()), ReceiptError);
});
