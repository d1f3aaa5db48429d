// Google Play: purchases are verified, read and acknowledged as androidpublisher v3 has them.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { StoreStatement } from "../../supabase/functions/_shared/providers/store.ts";
import type { PlayStore } from "../support/google_play.ts";
import { errorFrom, known, openShop } from "./google_play.ts";

const PLAN = "premium_monthly";
const LIFETIME = "premium_lifetime";
const ACCOUNT = "0d2c9f6e-6b1c-4d0e-9f43-0a6a3f1f9f11";
const DAY = 86_400;
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const after = (seconds: number) => Date.now() + seconds * 1000;

/** Both within ten seconds of each other. */
function assertNear(time: string | null, expected: number): void {
  assert.ok(
    time !== null && Math.abs(Date.parse(time) - expected) < 10_000,
    `${time} is not near ${new Date(expected)}`,
  );
}

Deno.test("google play: a subscription that was bought is active until it renews, and waits to be acknowledged", async () => {
  await using shop = await openShop();
  const { purchase_token, subscription_key, order_id } = await shop.store.buy({
    product_id: PLAN,
    base_plan_id: "monthly-auto",
    account_id: ACCOUNT,
  });
  const before = Date.now();
  const statement = await shop.play.verify({ receipt: purchase_token, product_id: PLAN });
  const { facts, payload, event_id, occurred_at, ...rest } = statement;
  assert.equal(subscription_key, sha256(purchase_token));
  assert.deepEqual(rest, {
    store: "android_store",
    subscription_key,
    type: null,
    subtype: null,
    receipt_hash: sha256(purchase_token),
    purchase_token,
    supersedes: null,
    needs_acknowledgement: true,
    proof: { kind: "purchase_token" },
    limited_to: null,
  });
  assert.ok(Date.parse(occurred_at) >= before && Date.parse(occurred_at) <= Date.now());
  assert.match(event_id, /^read:[0-9a-f]{64}$/);
  const { started_at, expires_at } = facts;
  assertNear(started_at, Date.now());
  assertNear(expires_at, after(30 * DAY));
  assert.deepEqual(facts, {
    status: "active",
    product_id: PLAN,
    environment: "Production",
    external_subscription_id: order_id,
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
  const { items, ...purchase } = payload as { items: Record<string, unknown>[] };
  assert.deepEqual(purchase, {
    state: "SUBSCRIPTION_STATE_ACTIVE",
    region: "JP",
    start_time: started_at,
    acknowledgement: "ACKNOWLEDGEMENT_STATE_PENDING",
    is_test: false,
    linked_subscription_key: null,
    canceled: null,
    resumes_at: null,
  });
  assert.deepEqual(items, [{
    product_id: PLAN,
    expiry_time: expires_at,
    order_id,
    plan: "auto_renewing",
    auto_renew_enabled: true,
    price: { currencyCode: "JPY", units: "480" },
    base_plan_id: "monthly-auto",
    offer_id: null,
    offer_tags: [],
    offer_phase: null,
    replaced_by: null,
  }]);
  assert.ok(![purchase_token, ACCOUNT].some((secret) => JSON.stringify(payload).includes(secret)));
});

/** What becomes of a subscription, and what the statement says then. */
interface Life {
  readonly name: string;
  readonly offer_id?: string;
  readonly pending?: boolean;
  readonly prepaid?: boolean;
  readonly live?: (store: PlayStore, token: string) => Promise<unknown>;
  readonly expected: Partial<StoreStatement["facts"]>;
  readonly needsAcknowledgement: boolean;
  /** Seconds from now at which access ends. */
  readonly access: number | null;
}

const noRenewal = { auto_renewing: false, next_billing_date: null } as const;
const LIVES: readonly Life[] = [
  {
    name: "waiting for its payment is pending",
    pending: true,
    expected: { status: "pending", expires_at: null, next_billing_date: null, external_subscription_id: null },
    needsAcknowledgement: false,
    access: null,
  },
  {
    name: "paid at last is active",
    pending: true,
    live: (store, token) => store.act(token, "complete"),
    expected: { status: "active", auto_renew_status: true, auto_renewing: true },
    needsAcknowledgement: true,
    access: 30 * DAY,
  },
  {
    name: "never paid has expired",
    pending: true,
    live: (store, token) => store.act(token, "cancel"),
    expected: { status: "expired", auto_renew_status: null, expires_at: null },
    needsAcknowledgement: false,
    access: null,
  },
  {
    name: "in a trial says so",
    offer_id: "first-month-trial",
    expected: { status: "active", is_trial_period: true },
    needsAcknowledgement: true,
    access: 30 * DAY,
  },
  {
    name: "with another offer is in no trial",
    offer_id: "half-price",
    expected: { status: "active", is_trial_period: false },
    needsAcknowledgement: true,
    access: 30 * DAY,
  },
  {
    name: "that is prepaid does not renew",
    prepaid: true,
    expected: { status: "active", auto_renew_status: true, ...noRenewal },
    needsAcknowledgement: true,
    access: 30 * DAY,
  },
  {
    name: "renewed is active for a period more",
    live: (store, token) => store.act(token, "renew"),
    expected: { status: "active", auto_renew_status: true, auto_renewing: true },
    needsAcknowledgement: true,
    access: 60 * DAY,
  },
  {
    name: "in its grace period has access until that ends, and is to be billed then",
    live: (store, token) => store.act(token, "fail", { grace_seconds: 3 * DAY }),
    expected: { status: "grace", auto_renew_status: null, auto_renewing: true },
    needsAcknowledgement: true,
    access: 3 * DAY,
  },
  {
    name: "on hold gives no access, and nobody knows when it is billed",
    live: (store, token) => store.act(token, "fail", { grace_seconds: 0 }),
    expected: { status: "on_hold", auto_renew_status: null, auto_renewing: true, next_billing_date: null },
    needsAcknowledgement: true,
    access: null,
  },
  {
    name: "recovered is active",
    live: async (store, token) => {
      await store.act(token, "fail", { grace_seconds: 0 });
      await store.act(token, "recover");
    },
    expected: { status: "active", auto_renew_status: true, auto_renewing: true },
    needsAcknowledgement: true,
    access: 30 * DAY,
  },
  {
    name: "paused gives no access",
    live: (store, token) => store.act(token, "pause", { seconds: 7 * DAY }),
    expected: { status: "paused", auto_renew_status: null, auto_renewing: true },
    needsAcknowledgement: true,
    access: null,
  },
  {
    name: "resumed is active",
    live: async (store, token) => {
      await store.act(token, "pause");
      await store.act(token, "resume");
    },
    expected: { status: "active", auto_renew_status: true },
    needsAcknowledgement: true,
    access: 30 * DAY,
  },
  {
    name: "canceled has access until it expires",
    live: (store, token) => store.act(token, "cancel"),
    expected: { status: "active", auto_renew_status: false, ...noRenewal },
    needsAcknowledgement: true,
    access: 30 * DAY,
  },
  {
    name: "canceled and restarted renews again",
    live: async (store, token) => {
      await store.act(token, "cancel");
      await store.act(token, "restart");
    },
    expected: { status: "active", auto_renew_status: true, auto_renewing: true },
    needsAcknowledgement: true,
    access: 30 * DAY,
  },
  {
    name: "canceled and over has expired",
    live: async (store, token) => {
      await store.act(token, "cancel");
      await store.act(token, "age", { seconds: 31 * DAY });
    },
    expected: { status: "expired", auto_renew_status: null, ...noRenewal },
    needsAcknowledgement: false,
    access: null,
  },
  {
    name: "that was revoked is merely expired for a reader",
    live: (store, token) => store.act(token, "revoke"),
    expected: { status: "expired", auto_renew_status: null, ...noRenewal },
    needsAcknowledgement: false,
    access: null,
  },
];

Deno.test("google play: a purchase of a license tester is one of the sandbox", async () => {
  await using shop = await openShop();
  for (const one_time of [false, true]) {
    for (const test of [false, true]) {
      const { purchase_token } = await shop.store.buy({ product_id: PLAN, one_time, test });
      const statement = await shop.play.verify({ receipt: purchase_token, product_id: PLAN });
      assert.equal(statement.facts.environment, test ? "Sandbox" : "Production");
      const read = await shop.play.read(known(statement));
      assert.deepEqual([read.facts.environment, read.proof], [statement.facts.environment, null]);
    }
  }
});

Deno.test("google play: each state of a subscription is one status, with what goes with it", async (test) => {
  await using shop = await openShop();
  for (const { name, live, expected, access, needsAcknowledgement, ...order } of LIVES) {
    await test.step(`a subscription ${name}`, async () => {
      const { purchase_token } = await shop.store.buy({ product_id: PLAN, ...order });
      await live?.(shop.store, purchase_token);
      const { facts, needs_acknowledgement } = await shop.play.verify({ receipt: purchase_token, product_id: PLAN });
      assert.deepEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, facts[key as "status"]])), expected);
      if (access === null) assert.equal(facts.access_ends_at, null);
      else assertNear(facts.access_ends_at, after(access));
      if (facts.auto_renewing && access !== null) assert.equal(facts.next_billing_date, facts.expires_at);
      assert.equal(needs_acknowledgement, needsAcknowledgement);
    });
  }
});

Deno.test("google play: a paused subscription is billed when it resumes", async () => {
  await using shop = await openShop();
  const { purchase_token } = await shop.store.buy({ product_id: PLAN });
  await shop.store.act(purchase_token, "pause", { seconds: 7 * DAY });
  const { facts } = await shop.play.verify({ receipt: purchase_token, product_id: PLAN });
  assertNear(facts.next_billing_date, after(7 * DAY));
});

Deno.test("google play: a canceled subscription has expired when its time is over", async () => {
  await using shop = await openShop();
  const { purchase_token } = await shop.store.buy({ product_id: PLAN });
  const answer = (expiryTime: string) => ({
    status: 200,
    body: { subscriptionState: "SUBSCRIPTION_STATE_CANCELED", lineItems: [{ productId: PLAN, expiryTime }] },
  });
  const verified = () => shop.play.verify({ receipt: purchase_token, product_id: PLAN });
  await shop.store.script(purchase_token, answer(new Date(after(-1)).toISOString()));
  assert.equal((await verified()).facts.status, "expired");
  await shop.store.script(purchase_token, answer("2099-12-31T23:59:59.123456789Z"));
  const { status, access_ends_at } = (await verified()).facts;
  assert.deepEqual([status, access_ends_at], ["active", "2099-12-31T23:59:59.123Z"]);
});

Deno.test("google play: a new or absent state is unknown and gives no access", async () => {
  await using shop = await openShop();
  const { purchase_token } = await shop.store.buy({ product_id: PLAN });
  for (
    const subscriptionState of ["SUBSCRIPTION_STATE_UNSPECIFIED", "SUBSCRIPTION_STATE_ASLEEP", "constructor", undefined]
  ) {
    const body = {
      subscriptionState,
      acknowledgementState: "ACKNOWLEDGEMENT_STATE_PENDING",
      linkedPurchaseToken: "former",
      lineItems: [{ productId: PLAN, expiryTime: "2099-01-01T00:00:00Z" }],
    };
    await shop.store.script(purchase_token, { status: 200, body });
    const statement = await shop.play.verify({ receipt: purchase_token, product_id: PLAN });
    assert.deepEqual(
      [statement.facts.status, statement.facts.access_ends_at, statement.supersedes, statement.needs_acknowledgement],
      ["unknown", null, null, false],
    );
  }
});

Deno.test("google play: a later read is another statement of the same facts", async () => {
  await using shop = await openShop();
  const { purchase_token } = await shop.store.buy({ product_id: PLAN });
  const first = await shop.play.verify({ receipt: purchase_token, product_id: PLAN });
  await new Promise((resolve) => setTimeout(resolve, 2));
  const second = await shop.play.read(known(first));
  assert.deepEqual(second.facts, first.facts);
  assert.deepEqual(second.payload, first.payload);
  assert.notEqual(second.event_id, first.event_id);
  assert.ok(second.occurred_at > first.occurred_at);
  assert.equal(second.receipt_hash, null);
});

Deno.test("google play: a renewal keeps the order's id and the first purchase's date", async () => {
  await using shop = await openShop();
  const { purchase_token, order_id } = await shop.store.buy({ product_id: PLAN });
  const first = await shop.play.verify({ receipt: purchase_token, product_id: PLAN });
  for (let time = 0; time < 3; time++) await shop.store.act(purchase_token, "renew");
  const { facts, payload } = await shop.play.read(known(first));
  assert.deepEqual(facts, { ...first.facts, ...datesOf(facts.expires_at) });
  assertNear(facts.expires_at, after(120 * DAY));
  assert.equal((payload as { items: { order_id: string }[] }).items[0]!.order_id, `${order_id}..2`);
});

function datesOf(expires_at: string | null) {
  return { expires_at, access_ends_at: expires_at, next_billing_date: expires_at };
}

Deno.test("google play: the line item is that of the product named by the client; another product is rejected", async () => {
  await using shop = await openShop();
  const { purchase_token } = await shop.store.buy({ product_id: PLAN });
  const { code } = await errorFrom(
    shop.play.verify({ receipt: purchase_token, product_id: "premium_yearly" }),
    purchase_token,
  );
  assert.equal(code, "iap_invalid");
  const lineItems = [
    { productId: "addon", expiryTime: "2098-01-01T00:00:00Z" },
    { productId: PLAN, expiryTime: "2097-01-01T00:00:00Z" },
  ];
  await shop.store.script(purchase_token, {
    status: 200,
    body: { startTime: "2026-01-01T00:00:00Z", subscriptionState: "SUBSCRIPTION_STATE_ACTIVE", lineItems },
  });
  const statement = await shop.play.verify({ receipt: purchase_token, product_id: PLAN });
  assert.deepEqual([statement.facts.product_id, statement.facts.expires_at], [PLAN, "2097-01-01T00:00:00.000Z"]);
  // A subscription that is known may have another product by now.
  const moved = await shop.play.read({ ...known(statement), product_id: "premium_yearly" });
  assert.deepEqual([moved.facts.product_id, moved.facts.expires_at], ["addon", "2098-01-01T00:00:00.000Z"]);
});

Deno.test("google play: a subscription that was bought again in the Play Store has account and token of the lapsed one", async () => {
  await using shop = await openShop();
  const { purchase_token } = await shop.store.buy({ product_id: PLAN });
  const [own, former] = [crypto.randomUUID(), crypto.randomUUID()];
  const lapsed = {
    expiredExternalAccountIdentifiers: { obfuscatedExternalAccountId: former },
    expiredPurchaseToken: "old",
  };
  for (
    const [context, account, token] of [
      [{ outOfAppPurchaseContext: lapsed }, former, "old"],
      [{ outOfAppPurchaseContext: lapsed, externalAccountIdentifiers: {} }, former, "old"],
      [
        {
          outOfAppPurchaseContext: lapsed,
          externalAccountIdentifiers: { obfuscatedExternalAccountId: own },
          linkedPurchaseToken: "linked",
        },
        own,
        "linked",
      ],
      [{ outOfAppPurchaseContext: { expiredPurchaseToken: "old" } }, null, "old"],
      [{ outOfAppPurchaseContext: {} }, null, null],
    ] as const
  ) {
    const body = {
      subscriptionState: "SUBSCRIPTION_STATE_ACTIVE",
      acknowledgementState: "ACKNOWLEDGEMENT_STATE_PENDING",
      lineItems: [{ productId: PLAN, expiryTime: "2099-01-01T00:00:00Z" }],
      ...context,
    };
    await shop.store.script(purchase_token, { status: 200, body });
    const { facts, supersedes } = await shop.play.verify({ receipt: purchase_token, product_id: PLAN });
    assert.deepEqual([facts.account_token, supersedes], [account, token && sha256(token)], JSON.stringify(context));
  }
});

Deno.test("google play: a purchase replaces the one that it names, once it is paid", async () => {
  await using shop = await openShop();
  const former = await shop.store.buy({ product_id: PLAN });
  const next = await shop.store.act(former.purchase_token, "replace", { product_id: "premium_yearly", pending: true });
  const verified = () => shop.play.verify({ receipt: next.purchase_token, product_id: "premium_yearly" });
  const pending = await verified();
  assert.deepEqual([pending.facts.status, pending.supersedes], ["pending", null]);
  const still = await shop.play.verify({ receipt: former.purchase_token, product_id: PLAN });
  assert.equal(still.facts.status, "active");
  await shop.store.act(next.purchase_token, "complete");
  const paid = await verified();
  assert.deepEqual([paid.facts.status, paid.supersedes], ["active", sha256(former.purchase_token)]);
  assert.equal(paid.payload["linked_subscription_key"], sha256(former.purchase_token));
  assert.ok(!JSON.stringify(paid.payload).includes(former.purchase_token));
  assert.equal((await shop.play.read(known(still))).facts.status, "expired");
});

Deno.test("google play: a replacement that is never paid replaces nothing", async () => {
  await using shop = await openShop();
  const former = await shop.store.buy({ product_id: PLAN });
  const next = await shop.store.act(former.purchase_token, "replace", { product_id: PLAN, pending: true });
  await shop.store.act(next.purchase_token, "cancel");
  const { facts, supersedes, payload } = await shop.play.verify({ receipt: next.purchase_token, product_id: PLAN });
  assert.deepEqual([facts.status, supersedes], ["expired", null]);
  assert.equal(payload["linked_subscription_key"], sha256(former.purchase_token));
});

Deno.test("google play: a one-time purchase has no end, until it is refunded", async () => {
  await using shop = await openShop();
  const { purchase_token, order_id } = await shop.store.buy({
    product_id: LIFETIME,
    one_time: true,
    account_id: ACCOUNT,
  });
  const statement = await shop.play.verify({ receipt: purchase_token, product_id: LIFETIME });
  const { started_at } = statement.facts;
  assertNear(started_at, Date.now());
  assert.deepEqual(statement.facts, {
    status: "active",
    product_id: LIFETIME,
    environment: "Production",
    external_subscription_id: order_id,
    started_at,
    original_purchase_date: started_at,
    expires_at: null,
    access_ends_at: "infinity",
    auto_renew_status: null,
    auto_renewing: false,
    next_billing_date: null,
    is_trial_period: false,
    account_token: ACCOUNT,
  });
  assert.equal(statement.needs_acknowledgement, true);
  await shop.store.act(purchase_token, "refund");
  const { facts, needs_acknowledgement } = await shop.play.read(known(statement));
  assert.deepEqual([facts.status, facts.access_ends_at, needs_acknowledgement], ["revoked", null, false]);
  const { code } = await errorFrom(shop.play.verify({ receipt: purchase_token, product_id: PLAN }), purchase_token);
  assert.equal(code, "iap_invalid");
});

Deno.test("google play: a one-time product is pending until it is paid", async () => {
  await using shop = await openShop();
  const { purchase_token } = await shop.store.buy({ product_id: LIFETIME, one_time: true, pending: true });
  const pending = await shop.play.verify({ receipt: purchase_token, product_id: LIFETIME });
  assert.deepEqual(
    [pending.facts.status, pending.facts.access_ends_at, pending.needs_acknowledgement],
    ["pending", null, false],
  );
  await shop.store.act(purchase_token, "complete");
  assert.equal((await shop.play.read(known(pending))).facts.status, "active");
});

Deno.test("google play: a purchase is acknowledged once, also by repeated calls", async (test) => {
  await using shop = await openShop();
  for (const order of [{ product_id: PLAN }, { product_id: LIFETIME, one_time: true }]) {
    await test.step(order.product_id, async () => {
      const { purchase_token } = await shop.store.buy(order);
      const statement = await shop.play.verify({ receipt: purchase_token, product_id: order.product_id });
      await shop.play.acknowledge(known(statement));
      assert.equal((await shop.store.received(purchase_token)).acknowledgements, 1);
      assert.equal((await shop.play.read(known(statement))).needs_acknowledgement, false);
      await shop.play.acknowledge(known(statement));
      await Promise.all([1, 2, 3].map(() => shop.play.acknowledge(known(statement))));
      assert.equal((await shop.store.received(purchase_token)).acknowledgements, 1);
    });
  }
});

Deno.test("google play: concurrent acknowledgements send one request", async () => {
  await using shop = await openShop();
  for (const order of [{ product_id: PLAN }, { product_id: LIFETIME, one_time: true }]) {
    const { purchase_token } = await shop.store.buy(order);
    const statement = await shop.play.verify({ receipt: purchase_token, product_id: order.product_id });
    await Promise.all(Array.from({ length: 10 }, () => shop.play.acknowledge(known(statement))));
    assert.equal((await shop.store.received(purchase_token)).acknowledgements, 1);
  }
});

Deno.test("google play: a subscription that changed its product is acknowledged under the one that it has", async () => {
  await using shop = await openShop();
  const { purchase_token } = await shop.store.buy({ product_id: PLAN });
  const statement = await shop.play.verify({ receipt: purchase_token, product_id: PLAN });
  await shop.play.acknowledge({ ...known(statement), product_id: "premium_old" });
  assert.equal((await shop.store.received(purchase_token)).acknowledgements, 1);
});

Deno.test("google play: a pending or expired purchase needs no acknowledgement", async () => {
  await using shop = await openShop();
  const pending = await shop.store.buy({ product_id: PLAN, pending: true });
  const statement = await shop.play.verify({ receipt: pending.purchase_token, product_id: PLAN });
  await shop.play.acknowledge(known(statement));
  assert.equal((await shop.store.received(pending.purchase_token)).acknowledgements, 0);
});

Deno.test("google play: an acknowledgement that Google rejects for good is an error", async () => {
  await using shop = await openShop();
  const { purchase_token } = await shop.store.buy({ product_id: PLAN });
  const statement = await shop.play.verify({ receipt: purchase_token, product_id: PLAN });
  const error = { code: 400, message: "Invalid Value", errors: [{ reason: "invalid" }] };
  await shop.store.script(purchase_token, { on: "acknowledge", status: 400, body: { error } });
  assert.equal((await errorFrom(shop.play.acknowledge(known(statement)), purchase_token)).code, "iap_invalid");
});
