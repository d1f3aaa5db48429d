// Google Play: real-time developer notifications come from Google's account only, and say that a purchase is to be read.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { SignJWT } from "jose/jwt/sign";
import {
  notifiedStatement,
  type PurchaseNotification,
} from "../../supabase/functions/_shared/providers/google_play/notifications.ts";
import type { PlayPurchase, PlayPush } from "../support/google_play.ts";
import { keyPair, keyServer, signedToken } from "../support/key_pairs.ts";
import { volume } from "../support/sizes.ts";
import { errorFrom, known, openShop, type Shop } from "./google_play.ts";

const PLAN = "premium_monthly";
const LIFETIME = "premium_lifetime";
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

async function reading({ play }: Shop, { authorization, body }: PlayPush) {
  return await play.readNotification(authorization, body);
}

async function purchaseNotification(shop: Shop, push: PlayPush): Promise<PurchaseNotification> {
  const notification = await reading(shop, push);
  return notification.purchase_token === null ? assert.fail(notification.kind) : notification;
}

/** The notification with this type number, independent of the store's state. */
async function pushed(
  { store }: Shop,
  notification: Record<string, unknown>,
  more: Record<string, unknown> = {},
): Promise<PlayPush> {
  const data = {
    version: "1.0",
    packageName: "com.example.parking",
    eventTimeMillis: "1788000000123",
    ...notification,
    ...more,
  };
  return await store.push({ data });
}

Deno.test("google play notifications: each event of a subscription is named, with its purchase", async () => {
  await using shop = await openShop();
  const bought = await shop.store.buy({ product_id: PLAN });
  const { purchase_token } = bought;
  const named = async ({ pushes }: PlayPurchase) => {
    const names: string[] = [];
    for (const push of pushes) {
      const { message_id, event_time, notification_type, ...rest } = await purchaseNotification(shop, push);
      assert.equal(message_id, push.body.message.messageId);
      assert.ok(Math.abs(Date.parse(event_time) - Date.now()) < 10_000);
      assert.deepEqual(rest, {
        kind: notification_type.startsWith("PURCHASE") ? "voided" : "subscription",
        purchase_token,
        subscription_key: sha256(purchase_token),
        product_id: notification_type.startsWith("PURCHASE") ? null : PLAN,
        order_id: notification_type.startsWith("PURCHASE") ? `${bought.order_id}..3` : null,
      });
      names.push(notification_type);
    }
    return names;
  };
  assert.deepEqual(await named(bought), ["SUBSCRIPTION_PURCHASED"]);
  const life = [
    ["renew", ["SUBSCRIPTION_RENEWED"]],
    ["fail", ["SUBSCRIPTION_IN_GRACE_PERIOD"]],
    ["hold", ["SUBSCRIPTION_ON_HOLD"]],
    ["recover", ["SUBSCRIPTION_RECOVERED"]],
    ["pause", ["SUBSCRIPTION_PAUSED"]],
    ["resume", ["SUBSCRIPTION_RECOVERED"]],
    ["cancel", ["SUBSCRIPTION_CANCELED"]],
    ["restart", ["SUBSCRIPTION_RESTARTED"]],
    ["renew", ["SUBSCRIPTION_RENEWED"]],
    ["expire", ["SUBSCRIPTION_EXPIRED"]],
    ["refund", ["SUBSCRIPTION_REVOKED", "PURCHASE_VOIDED"]],
  ] as const;
  for (const [action, expected] of life) {
    assert.deepEqual(await named(await shop.store.act(purchase_token, action)), expected, action);
  }
});

Deno.test("google play notifications: every notification type has a name, and a new one is no error", async () => {
  await using shop = await openShop();
  const typed = async (notificationType: number) => {
    const subscriptionNotification = { version: "1.0", notificationType, purchaseToken: "t" };
    return (await reading(shop, await pushed(shop, { subscriptionNotification }))).notification_type;
  };
  const names = new Set<string>();
  for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 17, 18, 19, 20, 22]) {
    const name = await typed(number);
    assert.match(name, /^SUBSCRIPTION_(?!TYPE_)[A-Z_]+$/);
    names.add(name);
  }
  assert.equal(names.size, 18);
  assert.equal(await typed(99), "SUBSCRIPTION_TYPE_99");
});

Deno.test("google play notifications: one-time purchases", async () => {
  await using shop = await openShop();
  const bought = await shop.store.buy({ product_id: LIFETIME, one_time: true });
  const { kind, notification_type, product_id, purchase_token } = await purchaseNotification(shop, bought.pushes[0]!);
  assert.deepEqual(
    [kind, notification_type, product_id, purchase_token],
    ["one_time", "ONE_TIME_PRODUCT_PURCHASED", LIFETIME, bought.purchase_token],
  );
  const pending = await shop.store.buy({ product_id: LIFETIME, one_time: true, pending: true });
  assert.deepEqual(pending.pushes, []);
  const [push] = (await shop.store.act(pending.purchase_token, "cancel")).pushes;
  assert.equal((await reading(shop, push!)).notification_type, "ONE_TIME_PRODUCT_CANCELED");
});

Deno.test("google play notifications: tests, other apps and unknown types are ignored", async () => {
  await using shop = await openShop();
  const nothing = { purchase_token: null, product_id: null };
  const summary = async (push: PlayPush) => {
    const { message_id: _, event_time: __, ...rest } = await reading(shop, push);
    return rest;
  };
  assert.deepEqual(await summary(await shop.store.push()), { ...nothing, kind: "test", notification_type: "TEST" });
  const subscriptionNotification = { notificationType: 4, purchaseToken: "t" };
  assert.deepEqual(
    await summary(await pushed(shop, { subscriptionNotification }, { packageName: "com.example.other" })),
    {
      ...nothing,
      kind: "other",
      notification_type: "OTHER_APP",
    },
  );
  assert.deepEqual(await summary(await pushed(shop, { pendingRefundReviewNotification: { purchaseToken: "t" } })), {
    ...nothing,
    kind: "other",
    notification_type: "OTHER",
  });
  // The time may be a number.
  assert.equal(
    (await reading(shop, await pushed(shop, { testNotification: {} }, { eventTimeMillis: 1788000000123 }))).event_time,
    "2026-08-29T10:40:00.123Z",
  );
});

Deno.test("google play notifications: the state that is read becomes the notification's statement", async () => {
  await using shop = await openShop();
  const { purchase_token } = await shop.store.buy({ product_id: PLAN });
  const [push] = (await shop.store.act(purchase_token, "renew")).pushes;
  const notification = await purchaseNotification(shop, push!);
  const read = await shop.play.read({ ...notification, environment: "Production", facts: null });
  const statement = notifiedStatement(notification, read);
  const { message_id, event_time } = notification;
  assert.deepEqual(statement, {
    ...read,
    event_id: `notification:${message_id}`,
    type: "SUBSCRIPTION_RENEWED",
    payload: {
      ...read.payload,
      notification: { message_id, event_time, type: "SUBSCRIPTION_RENEWED", order_id: null },
    },
  });
  assert.ok(!JSON.stringify(statement.payload).includes(purchase_token));
  assert.equal(statement.facts.status, "active");
});

Deno.test("google play notifications: a revocation and a voided purchase end access at their own time", async () => {
  await using shop = await openShop();
  for (const action of ["revoke", "refund"] as const) {
    const { purchase_token } = await shop.store.buy({ product_id: PLAN });
    const known_ = known(await shop.play.verify({ receipt: purchase_token, product_id: PLAN }));
    for (const push of (await shop.store.act(purchase_token, action)).pushes) {
      const notification = await purchaseNotification(shop, push);
      const statement = notifiedStatement(notification, await shop.play.read(known_));
      const { status, access_ends_at, expires_at, auto_renewing, next_billing_date } = statement.facts;
      assert.deepEqual([status, auto_renewing, next_billing_date], ["revoked", false, null]);
      assert.equal(statement.occurred_at, notification.event_time);
      assert.equal(access_ends_at, expires_at! < notification.event_time ? expires_at : notification.event_time);
    }
  }
});

Deno.test("google play notifications: a one-time purchase that was voided is revoked, but not when a part was refunded", async () => {
  await using shop = await openShop();
  const { purchase_token } = await shop.store.buy({ product_id: LIFETIME, one_time: true });
  const statement = await shop.play.verify({ receipt: purchase_token, product_id: LIFETIME });
  const statementOf = async (pushes: readonly PlayPush[]) => {
    const notification = await purchaseNotification(shop, pushes[0]!);
    const { facts, occurred_at, type } = notifiedStatement(notification, await shop.play.read(known(statement)));
    return { facts, type, isAtItsTime: occurred_at === notification.event_time, time: notification.event_time };
  };
  const partly = await statementOf((await shop.store.act(purchase_token, "void", { partial: true })).pushes);
  assert.deepEqual([partly.facts.status, partly.type, partly.isAtItsTime], [
    "active",
    "PURCHASE_PARTLY_REFUNDED",
    false,
  ]);
  // Google's purchase may not show it yet.
  const early = await statementOf((await shop.store.act(purchase_token, "void")).pushes);
  assert.deepEqual([early.facts.status, early.facts.access_ends_at], ["revoked", early.time]);
  const voided = await statementOf((await shop.store.act(purchase_token, "refund")).pushes);
  assert.deepEqual([voided.facts.status, voided.facts.access_ends_at, voided.isAtItsTime], [
    "revoked",
    voided.time,
    true,
  ]);
});

Deno.test("google play notifications: the refund of an earlier period does not end a subscription that goes on", async () => {
  await using shop = await openShop();
  const { purchase_token, order_id } = await shop.store.buy({ product_id: PLAN });
  const statement = await shop.play.verify({ receipt: purchase_token, product_id: PLAN });
  await shop.store.act(purchase_token, "renew");
  const voidedPurchaseNotification = { purchaseToken: purchase_token, productType: 1, refundType: 1 };
  const statementOf = async (orderId: string | undefined) => {
    const push = await pushed(shop, { voidedPurchaseNotification: { ...voidedPurchaseNotification, orderId } });
    const notification = await purchaseNotification(shop, push);
    return notifiedStatement(notification, await shop.play.read(known(statement))).facts.status;
  };
  assert.equal(await statementOf(order_id!), "active");
  assert.equal(await statementOf(`${order_id}..0`), "revoked");
  assert.equal(await statementOf(undefined), "revoked");
});

Deno.test("google play notifications: only Google's signature for our audience and account is accepted", async (test) => {
  const [google, other] = [keyPair("RS256"), keyPair("RS256")];
  const elliptic = keyPair("ES256");
  await using server = keyServer(google, elliptic);
  await using shop = await openShop(5_000, { GOOGLE_JWKS_URL: server.url });
  const { body } = await shop.store.push();
  const good = {
    iss: "https://accounts.google.com",
    aud: "https://parking.example/store-notifications/google-play",
    email: "pubsub@stand-in.iam.gserviceaccount.example",
    email_verified: true,
    role: undefined,
  };
  const bearer = (claims: Record<string, unknown> = {}, pair = google, header: Record<string, unknown> = {}) =>
    `Bearer ${signedToken(pair, "1000", { header, claims: { ...good, ...claims } })}`;
  const now = Math.floor(Date.now() / 1000);
  const [head, payload, signature] = bearer().slice("Bearer ".length).split(".") as [string, string, string];
  const encoded = (value: unknown) =>
    new TextEncoder().encode(JSON.stringify(value)).toBase64({ alphabet: "base64url", omitPadding: true });
  const shared = await new SignJWT({ ...good, exp: now + 60 }).setProtectedHeader({ alg: "HS256", kid: google.kid })
    .sign(new TextEncoder().encode(google.publicPem));
  for (const accepted of [bearer(), bearer({ iss: "accounts.google.com" }), bearer({ exp: now - 30 })]) {
    assert.equal((await shop.play.readNotification(accepted, body)).kind, "test");
  }
  const forged: Record<string, [string | null, reason: string]> = {
    "none": [null, "token_missing"],
    "an empty one": ["", "token_invalid"],
    "another scheme": ["Basic dXNlcjpwYXNz", "token_invalid"],
    "no token": ["Bearer ", "token_invalid"],
    "not a token": ["Bearer abc", "token_invalid"],
    "another key with Google's id": [bearer({}, { ...other, kid: google.kid }), "token_invalid"],
    "a key that is unknown": [bearer({}, other), "token_invalid"],
    "another issuer": [bearer({ iss: "https://accounts.google.com.example" }), "token_invalid"],
    "no issuer": [bearer({ iss: undefined }), "token_invalid"],
    "another audience": [bearer({ aud: "https://other.example" }), "token_invalid"],
    "no audience": [bearer({ aud: undefined }), "token_invalid"],
    "another account": [bearer({ email: "somebody@example.com" }), "token_invalid"],
    "no account": [bearer({ email: undefined }), "token_invalid"],
    "an unverified address": [bearer({ email_verified: false }), "token_invalid"],
    "an address of which nothing is said": [bearer({ email_verified: undefined }), "token_invalid"],
    "an address verified in words": [bearer({ email_verified: "true" }), "token_invalid"],
    "an expired one": [bearer({ exp: now - 120 }), "token_expired"],
    "one without an end": [bearer({ exp: undefined }), "token_invalid"],
    "one of later": [bearer({ nbf: now + 600 }), "token_invalid"],
    "alg none": [`Bearer ${encoded({ alg: "none", kid: google.kid })}.${payload}.`, "token_invalid"],
    "HS256 with the public key": [`Bearer ${shared}`, "token_invalid"],
    "ES256 by a published key": [bearer({}, elliptic), "token_invalid"],
    "another payload": [`Bearer ${head}.${encoded({ ...good, exp: now + 60 })}.${signature}`, "token_invalid"],
    "without a signature": [`Bearer ${head}.${payload}.`, "token_invalid"],
  };
  for (const [name, [authorization, reason]] of Object.entries(forged)) {
    await test.step(name, async () => {
      const { code, details } = await errorFrom(shop.play.readNotification(authorization, body));
      assert.deepEqual([code, details?.["reason"]], ["unauthorized", reason]);
    });
  }
});

Deno.test("google play notifications: when Google's keys cannot be read the error is temporary", async () => {
  await using server = keyServer();
  server.answer = () => new Response("<html>", { status: 502 });
  await using shop = await openShop(5_000, { GOOGLE_JWKS_URL: server.url });
  const { authorization, body } = await shop.store.push();
  assert.equal((await errorFrom(shop.play.readNotification(authorization, body))).code, "service_unavailable");
});

Deno.test("google play notifications: an invalid body is rejected with its field", async () => {
  await using shop = await openShop();
  const { authorization, body } = await shop.store.push();
  const base64 = (text: string) => new TextEncoder().encode(text).toBase64();
  const withData = (data: unknown) => ({ ...body, message: { ...body.message, data } });
  const withJson = (value: unknown) => withData(base64(JSON.stringify(value)));
  const time = { packageName: "com.example.parking", eventTimeMillis: "1" };
  const bodies: [unknown, string | null][] = [
    [null, null],
    ["text", null],
    [[], null],
    [{}, "message"],
    [{ message: null }, "message"],
    [{ message: { messageId: "1" } }, "message.data"],
    [{ message: { data: base64("{}") } }, "message.messageId"],
    [{ message: { ...body.message, messageId: "x".repeat(201) } }, "message.messageId"],
    [{ message: { ...body.message, messageId: 7 } }, "message.messageId"],
    [withData("%%%"), "message.data"],
    [withData(""), "message.data"],
    [withData(base64("{")), "message.data"],
    [withData(new Uint8Array([0x22, 0xff, 0x22]).toBase64()), "message.data"],
    [withData("A".repeat(65_537)), "message.data"],
    [withJson(null), "message.data"],
    [withJson({}), "message.data.packageName"],
    [withJson([]), "message.data"],
    [withJson({ ...time, eventTimeMillis: "soon" }), "message.data.eventTimeMillis"],
    [withJson({ ...time, eventTimeMillis: 1e300 }), "message.data.eventTimeMillis"],
    [withJson({ ...time, eventTimeMillis: "99999999999999" }), undefined as never],
    [withJson({ ...time, subscriptionNotification: {} }), "message.data.subscriptionNotification.notificationType"],
    [
      withJson({ ...time, subscriptionNotification: { notificationType: 4 } }),
      "message.data.subscriptionNotification.purchaseToken",
    ],
    [
      withJson({ ...time, subscriptionNotification: { notificationType: 4, purchaseToken: "a b" } }),
      "message.data.subscriptionNotification.purchaseToken",
    ],
    [
      withJson({ ...time, voidedPurchaseNotification: { purchaseToken: 1 } }),
      "message.data.voidedPurchaseNotification.purchaseToken",
    ],
  ];
  for (const [one, param] of bodies) {
    if (param === undefined) {
      assert.equal((await shop.play.readNotification(authorization, one)).kind, "other");
      continue;
    }
    const error = await errorFrom(shop.play.readNotification(authorization, one));
    assert.deepEqual([error.code, error.param], ["validation_error", param], JSON.stringify(one).slice(0, 200));
  }
});

const DAMAGED = volume("DAMAGED_NOTIFICATIONS", 2_000, 10_000);

Deno.test(`google play notifications: of damaged bodies none crashes (DAMAGED_NOTIFICATIONS=${DAMAGED})`, async () => {
  await using shop = await openShop();
  const { pushes } = await shop.store.buy({ product_id: PLAN });
  const { authorization, body } = pushes[0]!;
  const text = atob(body.message.data);
  let seed = 16;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < DAMAGED; round += 100) {
    await Promise.all(Array.from({ length: 100 }, async () => {
      const at = random(text.length);
      const damaged = text.slice(0, at) + String.fromCharCode(random(128)) + text.slice(at + random(3));
      const notification = shop.play.readNotification(authorization, {
        message: { ...body.message, data: btoa(damaged) },
      });
      const outcome = await notification.then(({ kind }) => kind, ({ code }: { code?: string }) => code);
      assert.ok(["subscription", "other", "validation_error"].includes(outcome!), `${outcome}: ${damaged}`);
    }));
  }
});

Deno.test("google play notifications: the stand-in pushes to the configured address", async () => {
  await using shop = await openShop();
  const received: { authorization: string | null; body: unknown }[] = [];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    received.push({ authorization: request.headers.get("authorization"), body: await request.json() });
    return new Response(null, { status: 204 });
  });
  const send = `http://127.0.0.1:${server.addr.port}/`;
  const { purchase_token, pushes } = await shop.store.buy({ product_id: PLAN }, { send });
  assert.deepEqual(pushes.map(({ status }) => status), [204]);
  await shop.store.act(purchase_token, "cancel", { send });
  assert.deepEqual(received[0], { authorization: pushes[0]!.authorization, body: pushes[0]!.body });
  assert.deepEqual((await shop.store.received(purchase_token)).pushes, received.map(({ body }) => body));
  const kinds = await Promise.all(
    received.map(async ({ authorization, body }) =>
      (await shop.play.readNotification(authorization, body)).notification_type
    ),
  );
  assert.deepEqual(kinds, ["SUBSCRIPTION_PURCHASED", "SUBSCRIPTION_CANCELED"]);
});
