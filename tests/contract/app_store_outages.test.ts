// The App Store Server API in trouble: 503 with Retry-After, nothing is granted or taken, and the next try succeeds.
import assert from "node:assert/strict";
import { appStore } from "../../supabase/functions/_shared/providers/app_store.ts";
import type { AppStoreAnswer } from "../support/app_store.ts";
import { configOf, errorFrom, known, openShop, reasonOf } from "./app_store.ts";

const PLAN = "premium_monthly";
const LIFETIME = "premium_lifetime";

interface Trouble {
  readonly answer: AppStoreAnswer;
  readonly reason: RegExp;
  /** How often the store is called before the request fails. */
  readonly requests: number;
}

const troubles: Record<string, Trouble> = {
  "is unavailable": { answer: { status: 503, times: 2 }, reason: /responded with 503$/, requests: 2 },
  "has an internal error": {
    answer: { error_code: 5000000, times: 2 },
    reason: /responded with 500 \(5000000\)/,
    requests: 2,
  },
  "asks for another try": {
    answer: { error_code: 4040002, times: 2 },
    reason: /responded with 404 \(4040002\)/,
    requests: 2,
  },
  "answers in HTML": {
    answer: { status: 502, body: "<html>Bad Gateway</html>", headers: { "content-type": "text/html" }, times: 2 },
    reason: /responded with 502$/,
    requests: 2,
  },
  "answers 200 in HTML": { answer: { body: "<html></html>" }, reason: /unknown format/, requests: 1 },
  "answers something else": { answer: { body: '{"data": 5}' }, reason: /unknown format/, requests: 1 },
  "breaks off": { answer: { drop: true, times: 2 }, reason: /cannot be reached/, requests: 2 },
  "hangs": { answer: { delay_ms: 20_000 }, reason: /does not respond in time/, requests: 1 },
  "rejects the key without a body": { answer: { status: 401, times: 2 }, reason: /rejects the key/, requests: 2 },
  "does not know the app": { answer: { error_code: 4040003 }, reason: /responded with 404 \(4040003\)/, requests: 1 },
  "sends elsewhere": {
    answer: { status: 302, headers: { location: "/inApps/v1/subscriptions/1" } },
    reason: /responded with 302$/,
    requests: 1,
  },
  "answers with what it has not signed": {
    answer: {
      body: JSON.stringify({
        data: [{ lastTransactions: [{ originalTransactionId: "ID", signedTransactionInfo: "a.b.c", status: 1 }] }],
      }),
    },
    reason: /does not have its signature/,
    requests: 1,
  },
};

for (const [what, { answer, reason, requests }] of Object.entries(troubles)) {
  Deno.test(`app store: when the Server API ${what}, a receipt gets 503, and the next try succeeds`, async () => {
    await using shop = await openShop(1_000);
    const { signed_transaction, subscription } = await shop.store.buy({ product_id: PLAN });
    const id = subscription.original_transaction_id;
    const before = await shop.apple.verify({ receipt: signed_transaction, product_id: PLAN });
    const ask = {
      verify: () => shop.apple.verify({ receipt: signed_transaction, product_id: PLAN }),
      read: () => shop.apple.read(known(before)),
    };
    for (const [name, again] of Object.entries(ask)) {
      await shop.store.script(id, { ...answer, ...(answer.body && { body: answer.body.replace("ID", id) }) });
      const requestsBefore = await shop.store.requests(id);
      const error = await errorFrom(again());
      assert.equal(error.code, "service_unavailable", name);
      assert.match(reasonOf(error), reason, name);
      assert.match(error.headers["Retry-After"] ?? "", /^[1-9]\d*$/, name);
      assert.equal(await shop.store.requests(id) - requestsBefore, requests, name);
      assert.equal((await again()).facts.status, "active", name);
    }
  });
}

Deno.test("app store: one failure of the Server API is tried again at once", async () => {
  await using shop = await openShop();
  const { signed_transaction, subscription } = await shop.store.buy({ product_id: PLAN });
  for (const answer of [{ status: 503 }, { error_code: 5000001 }, { drop: true }, { status: 401 }]) {
    await shop.store.script(subscription.transaction_id, answer);
    const { facts } = await shop.apple.verify({ receipt: signed_transaction, product_id: PLAN });
    assert.equal(facts.status, "active", JSON.stringify(answer));
  }
});

Deno.test("app store: the Retry-After of a rate limit is in milliseconds since 1970, in seconds, or a date", async () => {
  await using shop = await openShop();
  const { signed_transaction, subscription } = await shop.store.buy({ product_id: PLAN });
  const id = subscription.transaction_id;
  const waits: [string | undefined, (seconds: number) => boolean][] = [
    [String(Date.now() + 90_000), (seconds) => seconds > 60 && seconds <= 90],
    [String(Date.now() - 90_000), (seconds) => seconds === 1],
    [String(Date.now() + 90 * 86_400_000), (seconds) => seconds === 3600],
    ["30", (seconds) => seconds === 30],
    [new Date(Date.now() + 90_000).toUTCString(), (seconds) => seconds > 60 && seconds <= 90],
    ["7200", (seconds) => seconds === 3600],
    ["soon", (seconds) => seconds === 60],
    [undefined, (seconds) => seconds === 60],
  ];
  for (const [retryAfter, isRight] of waits) {
    const headers: Record<string, string> = retryAfter === undefined ? {} : { "retry-after": retryAfter };
    await shop.store.script(id, { error_code: 4290000, status: 429, headers });
    const requestsBefore = await shop.store.requests(id);
    const error = await errorFrom(shop.apple.verify({ receipt: signed_transaction, product_id: PLAN }));
    assert.equal(error.code, "service_unavailable");
    assert.ok(isRight(Number(error.headers["Retry-After"])), `${retryAfter}: ${error.headers["Retry-After"]}`);
    assert.equal(await shop.store.requests(id) - requestsBefore, 1);
  }
});

Deno.test("app store: a rejected connection is an outage", async () => {
  await using shop = await openShop();
  const { signed_transaction } = await shop.store.buy({ product_id: PLAN });
  const settings = { ...shop.environment, APP_STORE_API_URL: "http://127.0.0.1:1" };
  const error = await errorFrom(
    appStore(() => configOf(settings)).verify({ receipt: signed_transaction, product_id: PLAN }),
  );
  assert.deepEqual([error.code, reasonOf(error)], ["service_unavailable", "the App Store cannot be reached"]);
});

Deno.test("app store: an invalid key is an error of ours, and is in no message or log", async () => {
  await using shop = await openShop();
  const { signed_transaction } = await shop.store.buy({ product_id: PLAN });
  const wrong: Record<string, string>[] = [
    { APP_STORE_PRIVATE_KEY: "-----BEGIN PRIVATE KEY-----\nMIGHAgEAsecret\n-----END PRIVATE KEY-----" },
    { APP_STORE_KEY_ID: "OTHER" },
    { APP_STORE_ISSUER_ID: "other" },
  ];
  for (const change of wrong) {
    const apple = appStore(() => configOf({ ...shop.environment, ...change }));
    const error = await errorFrom(apple.verify({ receipt: signed_transaction, product_id: PLAN }));
    assert.equal(error.code, "service_unavailable");
    assert.match(reasonOf(error), /the key of/);
  }
});

Deno.test("app store: a fresh purchase that the Server API does not know yet is granted by its signature", async () => {
  await using shop = await openShop();
  const answers: AppStoreAnswer[] = [{ error_code: 4040010 }, { error_code: 4040005 }, { body: '{"data": []}' }];
  for (const answer of answers) {
    const { signed_transaction, subscription } = await shop.store.buy({ product_id: PLAN });
    const id = subscription.transaction_id;
    await shop.store.script(id, answer);
    const granted = await shop.apple.verify({ receipt: signed_transaction, product_id: PLAN });
    assert.deepEqual(granted, await shop.offline.verify({ receipt: signed_transaction, product_id: PLAN }));
    assert.equal(granted.facts.status, "active");
    await shop.store.script(id, { error_code: 4040010, times: 2 });
    assert.equal((await errorFrom(shop.apple.read(known(granted)))).code, "service_unavailable");
    await shop.store.script(id);
    assert.equal((await shop.apple.read(known(granted))).facts.auto_renew_status, true);
  }
  const once = await shop.store.buy({ product_id: LIFETIME, one_time: true });
  await shop.store.script(once.subscription.transaction_id, { error_code: 4040010 });
  const granted = await shop.apple.verify({ receipt: once.signed_transaction, product_id: LIFETIME });
  assert.equal(granted.facts.access_ends_at, "infinity");
});

Deno.test("app store: a purchase that the Server API does not know, of two days ago or of the future, is not granted", async () => {
  await using shop = await openShop();
  for (const ms of [-2 * 86_400_000, 3_600_000]) {
    const at = new Date(Date.now() + ms).toISOString();
    const { signed_transaction, subscription } = await shop.store.buy({ product_id: PLAN }, { at });
    await shop.store.script(subscription.transaction_id, { error_code: 4040010 });
    const error = await errorFrom(shop.apple.verify({ receipt: signed_transaction, product_id: PLAN }));
    assert.deepEqual([error.code, reasonOf(error)], ["iap_invalid", "the App Store responded with 404 (4040010)"], at);
  }
});

Deno.test("app store: a purchase that the App Store no longer knows is expired, with its known fields", async () => {
  await using shop = await openShop();
  const at = new Date(Date.now() - 2 * 86_400_000).toISOString();
  const { signed_transaction, subscription } = await shop.store.buy({ product_id: PLAN }, { at });
  const before = await shop.apple.verify({ receipt: signed_transaction, product_id: PLAN });
  const id = subscription.transaction_id;
  await shop.store.script(id, { error_code: 4040010, times: 4 });
  const { facts, subscription_key } = await shop.apple.read(known(before));
  assert.equal(subscription_key, id);
  assert.deepEqual(facts, { ...before.facts, status: "expired", auto_renewing: false, next_billing_date: null });
  const error = await errorFrom(shop.apple.read({ ...known(before), facts: null }));
  assert.equal(error.code, "iap_invalid");
});

Deno.test("app store: a subscription that the response leaves out is kept", async () => {
  await using shop = await openShop();
  const { signed_transaction, subscription } = await shop.store.buy({ product_id: PLAN });
  const before = await shop.apple.verify({ receipt: signed_transaction, product_id: PLAN });
  await shop.store.script(subscription.transaction_id, { body: '{"data": []}' });
  assert.equal((await errorFrom(shop.apple.read(known(before)))).code, "service_unavailable");
});

Deno.test("app store: a response about another purchase is ignored", async () => {
  await using shop = await openShop();
  const [mine, other] = [await shop.store.buy({ product_id: PLAN }), await shop.store.buy({ product_id: PLAN })];
  const id = mine.subscription.transaction_id;
  const before = await shop.apple.verify({ receipt: mine.signed_transaction, product_id: PLAN });
  const swapped: [string, string | null][] = [
    [other.signed_transaction, mine.signed_renewal_info],
    [mine.signed_transaction, other.signed_renewal_info],
  ];
  for (const [signedTransactionInfo, signedRenewalInfo] of swapped) {
    const item = { originalTransactionId: id, status: 1, signedTransactionInfo, signedRenewalInfo };
    await shop.store.script(id, { body: JSON.stringify({ data: [{ lastTransactions: [item] }] }) });
    const error = await errorFrom(shop.apple.read(known(before)));
    assert.equal(error.code, "service_unavailable");
    assert.match(reasonOf(error), /another transaction than requested/);
  }
  const once = await shop.store.buy({ product_id: LIFETIME, one_time: true });
  await shop.store.script(once.subscription.transaction_id, {
    body: JSON.stringify({ signedTransactionInfo: other.signed_transaction }),
  });
  const error = await errorFrom(shop.apple.verify({ receipt: once.signed_transaction, product_id: LIFETIME }));
  assert.match(reasonOf(error), /another transaction than requested/);
});

Deno.test("app store: without the Server API a subscription cannot be read", async () => {
  await using shop = await openShop();
  const { signed_transaction } = await shop.store.buy({ product_id: PLAN });
  const before = await shop.offline.verify({ receipt: signed_transaction, product_id: PLAN });
  const { code, details } = await errorFrom(shop.offline.read(known(before)));
  assert.deepEqual([code, details], ["service_unavailable", { reason: "not_configured" }]);
});

Deno.test("app store: the stand-in rejects requests without a bearer, and of other apps", async () => {
  await using shop = await openShop();
  const { subscription } = await shop.store.buy({ product_id: PLAN });
  const url = `${shop.environment["APP_STORE_API_URL"]}/inApps/v1/subscriptions/${subscription.transaction_id}`;
  for (const headers of [{}, { authorization: "Bearer x" }] as Record<string, string>[]) {
    const response = await fetch(url, { headers });
    assert.deepEqual([response.status, await response.text()], [401, ""]);
  }
  const settings = { ...shop.environment, APP_STORE_BUNDLE_ID: "jp.example.other" };
  const error = await errorFrom(
    appStore(() => configOf(settings)).read({
      subscription_key: subscription.transaction_id,
      product_id: PLAN,
      environment: "Production",
      purchase_token: null,
      facts: null,
    }),
  );
  assert.match(reasonOf(error), /rejects the key/);
});
