// Purchases from the receipt to premium, over HTTP, with the stand-ins of both stores.
import assert from "node:assert/strict";
import { verifyIap } from "../../supabase/functions/verify-iap/routes.ts";
import { listMySubscriptionEvents, readMySubscription, verifyMyIap } from "../../supabase/functions/me/subscription.ts";
import {
  MySubscription,
  SubscriptionEvents,
  VerifiedPurchase,
  VerifyIapResponse,
} from "../../supabase/functions/_shared/schema/subscriptions.ts";
import type { AppStoreAnswer } from "../support/app_store.ts";
import { eventually } from "../support/eventually.ts";
import type { PlayAnswer } from "../support/google_play.ts";
import { signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { ask, bearer, replyOf } from "./client.ts";
import { inDatabase } from "./lots.ts";
import {
  aPlan,
  apple,
  consume,
  dueNow,
  historyOf,
  isPremium,
  mySubscription,
  onAndroid,
  onIos,
  play,
  post,
  verify,
} from "./purchases.ts";

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

Deno.test("verify-iap: a signed transaction gives the caller the subscription and premium", async () => {
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

Deno.test("verify-iap: a Google Play subscription is the caller's and is acknowledged once", async () => {
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
  for (const request of wrong) await assertError(await post(user, "/verify-iap", request), { code: "iap_invalid" });
  assert.equal((await mySubscription(user)).id, null);
});

Deno.test("verify-iap: a transaction id with platform android is named", async () => {
  const { user, request } = await onAndroid(plan);
  await assertError(await post(user, "/verify-iap", { ...request, transaction_id: "1" }), {
    code: "validation_error",
    param: "transaction_id",
  });
});

async function reasonOf(response: Response): Promise<string> {
  const { error } = await response.json();
  return `${response.status} ${error.details?.reason ?? error.code}`;
}

Deno.test("verify-iap: an unsigned receipt refreshes a purchase of the caller, and assigns no purchase", async () => {
  const { user, request, id } = await onIos(plan);
  const { app, transaction } = await apple.receipts(id);
  const unsigned = [app, transaction].map((receipt) => ({ platform: "ios", receipt, product_id: plan }) as const);
  for (const receipt of unsigned) {
    assert.equal(await reasonOf(await post(user, "/verify-iap", receipt)), "409 signature_required");
    const refresh = await post(user, "/me/subscription/refresh-iap", receipt);
    await assertError(refresh, { code: "not_found", param: "receipt" });
  }
  assert.deepEqual([(await mySubscription(user)).id, await isPremium(user)], [null, false]);
  const { id: subscription } = await verify(user, request);
  const stranger = await signUp();
  for (const receipt of unsigned) {
    assert.equal((await verify(user, receipt, 200)).id, subscription);
    assert.equal(await reasonOf(await post(stranger, "/verify-iap", receipt)), "409 signature_required");
  }
  assert.deepEqual([await isPremium(user), await isPremium(stranger)], [true, false]);
});

Deno.test("verify-iap: an unsigned receipt of a purchase that states the caller's account is enough", async () => {
  const user = await signUp();
  const { subscription } = await apple.buy({ product_id: plan, account_token: user.id });
  const { app } = await apple.receipts(subscription.original_transaction_id);
  const first = await verify(user, { platform: "ios", receipt: app, product_id: plan });
  assert.equal(first["external_subscription_id"], subscription.original_transaction_id);
  assert.equal(await isPremium(user), true);
});

Deno.test("verify-iap: a transaction signed more than 10 minutes ago takes a purchase from no other user", async () => {
  const { user, request, id } = await onIos(plan);
  const { id: subscription } = await verify(user, request);
  const next = await signUp();
  const old = await apple.read(id, { at: new Date(Date.now() - 11 * 60_000).toISOString() });
  const response = await post(next, "/verify-iap", { ...request, receipt: old.signed_transaction });
  assert.equal(await reasonOf(response), "409 signature_too_old");
  assert.deepEqual([await isPremium(user), await isPremium(next)], [true, false]);
  await verify(user, { ...request, receipt: old.signed_transaction }, 200);
  const restored = await apple.read(id);
  assert.equal((await verify(next, { ...request, receipt: restored.signed_transaction }, 200)).id, subscription);
  assert.deepEqual([await isPremium(user), await isPremium(next)], [false, true]);
});

Deno.test("verify-iap: a purchase of the sandbox gives premium and is marked, in both stores", async () => {
  const user = await signUp();
  const { signed_transaction } = await apple.buy({ product_id: plan, environment: "Sandbox" });
  const { purchase_token } = await play.buy({ product_id: plan, test: true });
  const once = await play.buy({ product_id: plan, one_time: true, test: true });
  const requests = [
    { platform: "ios", receipt: signed_transaction, product_id: plan },
    { platform: "android", receipt: purchase_token, product_id: plan },
    { platform: "android", receipt: once.purchase_token, product_id: plan },
  ] as const;
  for (const request of requests) {
    const shown = request.platform === "ios" ? "Sandbox" : "Production";
    const { id, environment } = await verify(user, request);
    assert.equal(environment, shown);
    assert.equal((await verify(user, request, 200))["environment"], shown);
    const [row] = await inDatabase((sql) =>
      sql`select environment from public.user_subscriptions where id = ${String(id)}`
    );
    assert.equal(row!["environment"], "Sandbox");
  }
  assert.equal(await isPremium(user), true);
});

for (const [name, buy] of [["App Store", onIos], ["Google Play", onAndroid]] as const) {
  Deno.test(`me/subscription: a refunded subscription (${name}) ended at its refund`, async () => {
    const { user, request, id } = await buy(plan);
    await verify(user, request);
    await (request.platform === "ios" ? apple : play).act(id, "refund", { send: true });
    const revoked = await eventually(async () => {
      const found = await mySubscription(user);
      return found.status === "revoked" ? found : undefined;
    });
    assert.ok(Date.parse(revoked.ended_at) <= Date.now() + 60_000, JSON.stringify(revoked));
    const verified = await verify(user, request, 200, "/me/subscription/refresh-iap");
    assert.deepEqual([verified["ended_at"], verified["expires_at"]], [revoked.ended_at, revoked.ended_at]);
  });

  Deno.test(`verify-iap (${name}): six users who verify one purchase twice each at once get 200, 201 or 409, and one has it`, async () => {
    const { user, request } = await buy(plan);
    const users = [user, ...await Promise.all(Array.from({ length: 5 }, () => signUp()))];
    const responses = await Promise.all([...users, ...users].map((each) => post(each, "/verify-iap", request)));
    const replies = await Promise.all(responses.map(async (response) => [response.status, await response.json()]));
    for (const [status, reply] of replies) assert.ok([200, 201, 409].includes(status), JSON.stringify(reply));
    assert.equal(replies.filter(([status]) => status === 201).length, 1);
    const mine = await Promise.all(users.map((each) => mySubscription(each)));
    assert.equal(mine.filter(({ id }) => id !== null).length, 1);
    const premium = await Promise.all(users.map(isPremium));
    assert.deepEqual(premium, mine.map(({ id }) => id !== null));
  });

  Deno.test(`verify-iap (${name}): an Idempotency-Key with another receipt is rejected before the store is queried`, async () => {
    const { user, request } = await buy(plan);
    const key = { "idempotency-key": crypto.randomUUID() };
    assert.equal((await post(user, "/verify-iap", request, key)).status, 201);
    const queried = () =>
      request.platform === "ios"
        ? apple.requests("no-such-receipt")
        : play.received("no-such-receipt").then(({ reads }) => reads, () => 0);
    const before = await queried();
    const others = [
      { ...request, product_id: "another" },
      { ...request, receipt: "no-such-receipt" },
      (await buy(plan, user)).request,
    ];
    for (const path of ["/verify-iap", "/me/subscription/verify-iap", "/me/subscription/refresh-iap"]) {
      for (const other of path === "/verify-iap" ? others : [request, ...others]) {
        const response = await post(user, path, other, key);
        assert.equal(
          await reasonOf(response),
          "409 key_reused_with_different_body",
          `${path} ${JSON.stringify(other)}`,
        );
      }
    }
    assert.equal(await queried(), before);
    assert.equal((await post(user, "/verify-iap", request, key)).headers.get("idempotent-replayed"), "true");
  });
}

Deno.test("verify-iap: a receipt longer than its bound is named, and one of 100 KiB is read", async () => {
  const user = await signUp();
  const request = { platform: "ios", product_id: plan };
  await assertError(await post(user, "/verify-iap", { ...request, receipt: "A".repeat(262_145) }), {
    code: "validation_error",
    param: "receipt",
  });
  await assertError(await post(user, "/verify-iap", { ...request, receipt: "A".repeat(102_400) }), {
    code: "iap_invalid",
  });
});

Deno.test("verify-iap: a one-time purchase has no end, and is acknowledged", async () => {
  const user = await signUp();
  const { purchase_token } = await play.buy({ product_id: plan, one_time: true });
  const android = await verify(user, { platform: "android", receipt: purchase_token, product_id: plan });
  assert.deepEqual([android["status"], android["expires_at"], android["next_billing_date"]], ["active", null, null]);
  assert.equal((await play.received(purchase_token)).acknowledgements, 1);
  const other = await signUp();
  const { signed_transaction } = await apple.buy({ product_id: plan, one_time: true });
  const ios = await verify(other, { platform: "ios", receipt: signed_transaction, product_id: plan });
  assert.deepEqual([ios["status"], ios["ended_at"], ios["auto_renew_status"]], ["active", null, null]);
  assert.equal(await isPremium(other), true);
});

for (const [name, buy] of [["App Store", onIos], ["Google Play", onAndroid]] as const) {
  Deno.test(`subscriptions: verify-iap (${name}): the same receipt 20 times at once makes one subscription, granted once`, async () => {
    const { user, request } = await buy(plan);
    const responses = await Promise.all(Array.from({ length: 20 }, () => post(user, "/verify-iap", request)));
    const replies = await Promise.all(responses.map((response) => response.json()));
    assert.deepEqual(
      responses.map(({ status }) => status).sort(),
      [...Array(19).fill(200), 201],
      JSON.stringify(replies),
    );
    assert.equal(new Set(replies.map(({ id }) => id)).size, 1);
    const inbox = await (await ask("/me/notifications", { headers: bearer(user.token) })).json();
    assert.equal(inbox.items.filter(({ type }: { type: string }) => type === "subscription").length, 1);
  });

  Deno.test(`subscriptions: verify-iap (${name}): another user's receipt moves the subscription, and premium with it`, async () => {
    const { user, request } = await buy(plan);
    const { id } = await verify(user, request);
    const next = await signUp();
    assert.equal((await verify(next, request, 200)).id, id);
    assert.deepEqual([await isPremium(user), await isPremium(next)], [false, true]);
    assert.deepEqual([(await mySubscription(user)).id, (await mySubscription(next)).id], [null, id]);
  });

  Deno.test(`subscriptions: verify-iap (${name}): of users who restore concurrently exactly one has the subscription and premium`, async () => {
    const { user, request } = await buy(plan);
    const users = [user, await signUp(), await signUp()];
    const responses = await Promise.all(users.map((each) => post(each, "/verify-iap", request)));
    for (const response of responses) assert.ok(response.ok, await response.text());
    const premium = await Promise.all(users.map(isPremium));
    assert.equal(premium.filter(Boolean).length, 1);
    const mine = await Promise.all(users.map((each) => mySubscription(each)));
    assert.deepEqual(mine.map(({ id }) => id !== null), premium);
  });

  Deno.test(`subscriptions: verify-iap (${name}): the next account of a user who withdrew restores the subscription`, async () => {
    const { user, request } = await buy(plan);
    const { id } = await verify(user, request);
    assert.equal((await ask("/me/withdraw", { method: "POST", headers: bearer(user.token) })).status, 204);
    const next = await signUp();
    assert.equal((await verify(next, request, 201)).id, id);
    assert.equal(await isPremium(next), true);
  });

  Deno.test(`subscriptions: refresh-iap (${name}): 200 for the caller's purchase, 404 for any other`, async () => {
    const { user, request } = await buy(plan);
    const path = "/me/subscription/refresh-iap";
    await assertError(await post(user, path, request), { code: "not_found", param: "receipt" });
    const { id } = await verify(user, request);
    assert.equal((await verify(user, request, 200, path)).id, id);
    await assertError(await post(await signUp(), path, request), { code: "not_found", param: "receipt" });
    assert.equal(await isPremium(user), true);
  });

  Deno.test(`subscriptions: verify-iap (${name}): a repeated Idempotency-Key gets the same reply`, async () => {
    const { user, request } = await buy(plan);
    const key = { "idempotency-key": crypto.randomUUID() };
    const first = await post(user, "/verify-iap", request, key);
    const again = await post(user, "/verify-iap", request, key);
    assert.deepEqual([first.status, again.status], [201, 201]);
    assert.deepEqual(await again.json(), await first.json());
    assert.equal(again.headers.get("idempotent-replayed"), "true");
  });
}

Deno.test("verify-iap: a purchase that names another account is a conflict, until that account has withdrawn", async () => {
  const [owner, other] = [await signUp(), await signUp()];
  const { signed_transaction } = await apple.buy({ product_id: plan, account_token: owner.id });
  const { purchase_token } = await play.buy({ product_id: plan, account_id: owner.id });
  const requests = [
    { platform: "ios", receipt: signed_transaction, product_id: plan },
    { platform: "android", receipt: purchase_token, product_id: plan },
  ] as const;
  for (const request of requests) {
    const response = await post(other, "/verify-iap", request);
    const { error } = await response.json();
    assert.deepEqual([response.status, error.code, error.details.reason], [
      409,
      "conflict",
      "belongs_to_another_account",
    ]);
    // It is the owner's since the store said so.
    await verify(owner, request, 200);
  }
  assert.equal((await ask("/me/withdraw", { method: "POST", headers: bearer(owner.token) })).status, 204);
  for (const request of requests) await verify(other, request);
});

Deno.test("me/subscription/history: a paginated list of store events, newest first", async () => {
  const { user, request, id } = await onIos(plan);
  await verify(user, request);
  await apple.act(id, "cancel");
  await verify(user, request, 200, "/me/subscription/refresh-iap");
  const page = async (query: string) =>
    await replyOf(
      listMySubscriptionEvents,
      await ask(`/me/subscription/history${query}`, { headers: bearer(user.token) }),
      SubscriptionEvents,
    );
  const first = await page("?limit=1&include=total");
  assert.deepEqual([first.items.length, first.total, first.items[0]!.source], [1, 2, "refresh"]);
  const second = await page(`?limit=1&cursor=${encodeURIComponent(first.next_cursor!)}`);
  assert.deepEqual([second.items[0]!.source, second.next_cursor], ["verify", null]);
  assert.equal((await mySubscription(user)).status, "active");
});

/** What a store that is in trouble answers. */
const troubles: Record<string, { apple: AppStoreAnswer; google: PlayAnswer }> = {
  "429 with a time in milliseconds": {
    apple: { status: 429, error_code: 4290000, headers: { "retry-after": String(Date.now() + 3600_000) } },
    google: { status: 429, body: { error: { code: 429 } }, headers: { "retry-after": "30" } },
  },
  "401 without a body": { apple: { status: 401 }, google: { status: 401 } },
  HTML: {
    apple: { status: 502, body: "<html>", headers: { "content-type": "text/html" } },
    google: { status: 502, html: true },
  },
  "an answer that breaks off": { apple: { drop: true }, google: { status: 200, drop: true } },
  "500": { apple: { status: 500, error_code: 5000000 }, google: { status: 500, body: {} } },
};

for (const [name, { apple: ofApple, google }] of Object.entries(troubles)) {
  Deno.test(`verify-iap: ${name} of the store is service_unavailable, and the next try succeeds`, async () => {
    const ios = await onIos(plan);
    const android = await onAndroid(plan);
    await apple.script(ios.id, { ...ofApple, times: 20 });
    await play.script(android.id, { ...google, on: "read" });
    for (const { user, request } of [ios, android]) {
      await assertError(await post(user, "/verify-iap", request), { code: "service_unavailable" });
      assert.equal((await mySubscription(user)).id, null);
    }
    await apple.script(ios.id);
    await play.script(android.id);
    for (const { user, request } of [ios, android]) {
      await verify(user, request);
      assert.equal(await isPremium(user), true);
    }
  });
}

Deno.test("verify-iap: an acknowledgement that fails does not fail the request, and reconciliation makes it", async () => {
  const { user, request, id } = await onAndroid(plan);
  await play.script(id, { on: "acknowledge", status: 503, html: true });
  const { id: subscriptionId } = await verify(user, request);
  assert.equal((await play.received(id)).acknowledgements, 0);
  await play.script(id);
  await dueNow(subscriptionId);
  await consume("reconcile");
  await eventually(async () => (await play.received(id)).acknowledgements === 1 || undefined);
});

Deno.test("reconciliation: a subscription that expired without a notification is expired once its store is queried", async () => {
  const ios = await onIos(plan);
  const android = await onAndroid(plan);
  for (const { user, request } of [ios, android]) await verify(user, request);
  await apple.act(ios.id, "expire");
  await play.act(android.id, "expire");
  for (const { user } of [ios, android]) {
    assert.equal(await isPremium(user), true);
    await dueNow((await mySubscription(user)).id);
  }
  await consume("reconcile");
  for (const { user } of [ios, android]) {
    await eventually(async () => !await isPremium(user) || undefined);
    assert.equal((await mySubscription(user)).status, "expired");
  }
});

Deno.test("reconciliation: an outage of a store changes only the time of the next query", async () => {
  const { user, request, id } = await onAndroid(plan);
  const { id: subscriptionId } = await verify(user, request);
  const row = () =>
    inDatabase(async (sql) => {
      const [found] = await sql`
        select to_jsonb(s) - '{ask_at,updated_at}'::text[] as columns, s.ask_at > now() + interval '50 minutes' as is_later
        from public.user_subscriptions s where s.id = ${subscriptionId}`;
      return found!;
    });
  await play.script(id, { on: "read", status: 503, html: true });
  await dueNow(subscriptionId);
  const before = await row();
  await consume("reconcile");
  const after = await eventually(async () => {
    const found = await row();
    return found["is_later"] ? found : undefined;
  });
  assert.deepEqual(after["columns"], before["columns"]);
  assert.deepEqual([await isPremium(user), (await historyOf(user)).length], [true, 1]);
  await play.script(id);
});
