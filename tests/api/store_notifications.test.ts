// Notifications of the stores, from the message to premium, and rejected messages.
import assert from "node:assert/strict";
import type { AppStoreAction } from "../support/app_store.ts";
import type { PlayAction } from "../support/google_play.ts";
import { eventually } from "../support/eventually.ts";
import type { Person } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { ask, jsonBody } from "./client.ts";
import { inDatabase } from "./lots.ts";
import {
  aPlan,
  apple,
  consume,
  historyOf,
  isPremium,
  mySubscription,
  onAndroid,
  onIos,
  play,
  verify,
} from "./purchases.ts";

const [plan, better] = [await aPlan(), await aPlan()];

const receiveApple = (body: unknown) => ask("/store-notifications/app-store", { method: "POST", ...jsonBody(body) });
const receivePlay = (body: unknown, authorization?: string) =>
  ask("/store-notifications/google-play", {
    method: "POST",
    ...jsonBody(body, authorization === undefined ? {} : { authorization }),
  });
const storedAs = (eventId: string) =>
  inDatabase(async (sql) => [
    ...await sql<{ processed_at: Date | null; problem: string | null; body: unknown }[]>`
      select processed_at, problem, body from private.store_notifications where event_id = ${eventId}`,
  ]);
/** The history of a user, once it has so many entries. */
const hasHeard = (user: Person, events: number) =>
  eventually(async () => {
    const history = await historyOf(user);
    return history.length === events ? history : undefined;
  });

Deno.test("store notifications: premium follows the life of a subscription in the App Store", async () => {
  const { user, request, id } = await onIos(plan);
  await verify(user, request);
  const steps: [action: AppStoreAction, status: string, hasPremium: boolean, options?: Record<string, unknown>][] = [
    ["renew", "active", true],
    ["fail", "grace", true, { grace: true }],
    ["end_grace", "on_hold", false],
    ["recover", "active", true],
    ["cancel", "active", true],
    ["enable", "active", true],
    ["refund", "revoked", false],
    ["reverse_refund", "active", true],
    ["upgrade", "active", true, { product_id: better }],
    ["expire", "expired", false],
    ["resubscribe", "active", true, { product_id: plan }],
  ];
  for (const [nth, [action, status, hasPremium, options]] of steps.entries()) {
    const { delivered } = await apple.act(id, action, { ...options, send: true });
    assert.equal(delivered, 200, action);
    const history = await hasHeard(user, nth + 2);
    assert.equal(history.at(-1)![1], status, action);
    const mine = await mySubscription(user);
    assert.deepEqual([mine.status, await isPremium(user)], [status, hasPremium], action);
    if (action === "upgrade") assert.equal(mine.plan.code, better);
  }
  assert.equal((await mySubscription(user)).plan.code, plan);
});

Deno.test("store notifications: premium follows the life of a subscription in Google Play", async () => {
  const { user, request, id } = await onAndroid(plan);
  await verify(user, request);
  const steps: [action: PlayAction, status: string, hasPremium: boolean][] = [
    ["renew", "active", true],
    ["fail", "grace", true],
    ["hold", "on_hold", false],
    ["recover", "active", true],
    ["pause", "paused", false],
    ["resume", "active", true],
    ["cancel", "active", true],
    ["restart", "active", true],
    ["refund", "revoked", false],
  ];
  let events = 1;
  for (const [action, status, hasPremium] of steps) {
    const { pushes } = await play.act(id, action, { send: true });
    assert.deepEqual(pushes.map((push) => push.status), pushes.map(() => 200), action);
    await hasHeard(user, events += pushes.length);
    assert.deepEqual([(await mySubscription(user)).status, await isPremium(user)], [status, hasPremium], action);
  }
});

Deno.test("store notifications: an upgrade in Google Play replaces the former purchase, for the same user", async () => {
  const { user, request, id } = await onAndroid(plan);
  const former = await verify(user, request);
  const next = await play.act(id, "replace", { product_id: better, send: true });
  const subscription = await eventually(async () => {
    const mine = await mySubscription(user);
    return mine.id !== former.id ? mine : undefined;
  });
  assert.equal(subscription.plan.code, better);
  assert.equal(await isPremium(user), true);
  await eventually(async () => (await play.received(next.purchase_token)).acknowledgements === 1 || undefined);
  assert.equal((await verify(user, request, 200)).status, "expired");
});

Deno.test("store notifications: a repeated one has no effect", async () => {
  const { user, request, id } = await onIos(plan);
  await verify(user, request);
  const { notification } = await apple.act(id, "renew");
  const statuses = await Promise.all(Array.from({ length: 5 }, async () => {
    const response = await receiveApple(notification);
    assert.equal(response.status, 200);
    return (await response.json()).status;
  }));
  assert.deepEqual(statuses.sort(), ["known", "known", "known", "known", "stored"]);
  await hasHeard(user, 2);
  const { purchase_token, pushes: [push] } = await play.buy({ product_id: plan });
  const answers = [];
  for (let nth = 0; nth < 2; nth++) answers.push(await (await receivePlay(push!.body, push!.authorization)).json());
  assert.deepEqual(answers, [{ status: "stored" }, { status: "known" }]);
  const eventId = `notification:${push!.body.message.messageId}`;
  const [stored] = await eventually(async () => {
    const rows = await storedAs(eventId);
    return rows[0]?.processed_at ? rows : undefined;
  });
  assert.deepEqual([stored!.problem, stored!.body], [null, null], "what is recorded is not kept twice");
  await eventually(async () => (await play.received(purchase_token)).acknowledgements === 1 || undefined);
});

Deno.test("store notifications: forged ones of the App Store are rejected without effect", async () => {
  const { user, request, id } = await onIos(plan);
  await verify(user, request);
  const { notification: { signedPayload } } = await apple.act(id, "refund");
  const [header, payload] = signedPayload.split(".");
  const foreign = await apple.sign({
    notificationType: "DID_RENEW",
    notificationUUID: crypto.randomUUID(),
    version: "2.0",
    signedDate: Date.now(),
    data: { bundleId: "com.example.other", environment: "Sandbox" },
  });
  const forged = [
    signedPayload.replace(/.{6}$/, "AAAAAA"),
    `${header}.${payload}.`,
    `${header}.${btoa('{"notificationType":"REFUND"}')}.AAAA`,
    "abc",
    foreign,
  ];
  for (const each of forged) {
    await assertError(await receiveApple({ signedPayload: each }), { code: "iap_invalid" });
  }
  assert.equal((await mySubscription(user)).status, "active");
  assert.equal((await historyOf(user)).length, 1);
});

Deno.test("store notifications: pushes of Google Play need the bearer of the account that is configured", async () => {
  const { pushes: [push] } = await play.buy({ product_id: plan });
  const { body, authorization } = push!;
  const wrong = [
    undefined,
    "Bearer abc",
    authorization.replace(/.{6}$/, "AAAAAA"),
    (await play.push({ claims: { aud: "https://elsewhere.example" } })).authorization,
    (await play.push({ claims: { email: "other@example.com" } })).authorization,
    (await play.push({ claims: { iss: "https://elsewhere.example" } })).authorization,
    (await play.push({ claims: { exp: Math.floor(Date.now() / 1000) - 3600 } })).authorization,
  ];
  for (const each of wrong) await assertError(await receivePlay(body, each), { code: "unauthorized" });
  assert.deepEqual(await storedAs(`notification:${body.message.messageId}`), []);
});

Deno.test("store notifications: tests and other apps are ignored", async () => {
  const test = await play.push();
  const other = await play.push({
    data: {
      version: "1.0",
      packageName: "com.example.other",
      eventTimeMillis: "1",
      subscriptionNotification: { version: "1.0", notificationType: 2, purchaseToken: "token" },
    },
  });
  for (const { body, authorization } of [test, other]) {
    const response = await receivePlay(body, authorization);
    assert.deepEqual([response.status, await response.json()], [200, { status: "ignored" }]);
  }
  const response = await receiveApple((await apple.testNotification()).notification);
  assert.deepEqual([response.status, await response.json()], [200, { status: "ignored" }]);
});

Deno.test("store notifications: bodies that are too large or have other fields are rejected", async () => {
  await assertError(await receiveApple({ signedPayload: "a".repeat(200_000) }), { code: "payload_too_large" });
  await assertError(await receiveApple({ signedPayload: "a", more: 1 }), { code: "validation_error", param: "more" });
  await assertError(await receivePlay({ message: {} }), { code: "validation_error", param: "message.data" });
});

Deno.test("store notifications: Google Play down keeps them waiting, and no attempt is counted", async () => {
  const { user, request, id } = await onAndroid(plan);
  await verify(user, request);
  await play.script(id, { on: "read", status: 503, html: true, headers: { "retry-after": "1" } });
  const { pushes: [push] } = await play.act(id, "hold", { send: true });
  assert.equal(push!.status, 200);
  const eventId = `notification:${push!.body.message.messageId}`;
  await eventually(() =>
    inDatabase(async (sql) => {
      const [row] = await sql`
        select from private.store_notifications n
        join pgmq."q_store-notifications" q on q.message ->> 'notification_id' = n.id::text
        where n.event_id = ${eventId} and n.processed_at is null and q.read_ct = 0 and q.vt > n.received_at + interval '1 second'`;
      return row !== undefined || undefined;
    })
  );
  assert.equal((await mySubscription(user)).status, "active");
  await play.script(id);
  await inDatabase((sql) =>
    sql`
      update pgmq."q_store-notifications" q set vt = now() from private.store_notifications n
      where n.event_id = ${eventId} and q.message ->> 'notification_id' = n.id::text`
  );
  await consume("process");
  assert.equal((await mySubscription(user)).status, "on_hold");
});
