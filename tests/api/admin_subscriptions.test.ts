// The subscriptions of the console: listed, read, revoked, reinstated, and refreshed from their store.
import assert from "node:assert/strict";
import {
  AdminSubscription,
  AdminSubscriptionEvents,
  AdminSubscriptions,
} from "../../supabase/functions/admin/subscriptions.schema.ts";
import { AdminUser } from "../../supabase/functions/admin/users.schema.ts";
import {
  listSubscriptionEvents,
  listSubscriptions,
  readSubscription,
  refreshSubscription,
  reinstateSubscription,
  revokeSubscription,
} from "../../supabase/functions/admin/subscriptions.ts";
import { readUser } from "../../supabase/functions/admin/users.ts";
import { aPlan, aStatement, premiumOf, record } from "../db/support/subscriptions.ts";
import { PlayStore } from "../support/google_play.ts";
import { type Person, signUp } from "../support/people.ts";
import {
  actsOn,
  type Administrator,
  anAdministratingUser,
  anAdministrator,
  assertErrorDetails,
  sending,
} from "./administrators.ts";
import { ask, bearer, jsonBody, replyOf } from "./client.ts";
import { inDatabase } from "./lots.ts";

const PATH = "/admin/subscriptions";
const DAY_MS = 86_400_000;
const users = await anAdministrator("users");
const play = new PlayStore();

/** A subscription of the App Store that a user has, by the account that its purchase names. */
async function aSubscription(user: Person, plan?: string, changes: Parameters<typeof aStatement>[1] = {}) {
  return await inDatabase(async (sql) => {
    const code = plan ?? await aPlan(sql);
    const statement = aStatement(code, changes);
    const named = { ...statement, facts: { ...statement.facts, account_token: user.id } };
    return { id: await record(sql, named, undefined, "notification"), code, statement: named };
  });
}

const read = async (id: string, by = users) =>
  await replyOf(readSubscription, await by.ask(`${PATH}/${id}`), AdminSubscription);

async function list(query: string) {
  return await replyOf(listSubscriptions, await users.ask(`${PATH}?${query}`), AdminSubscriptions);
}

const idsOf = async (query: string) => (await list(query)).items.map(({ id }) => id);

const act = (id: string, what: "revoke" | "reinstate", by: Administrator = users, headers = {}, reason = "Fraud") =>
  by.ask(`${PATH}/${id}/${what}`, sending("POST", { reason }, headers));

const premium = ({ id }: Person) => inDatabase((sql) => premiumOf(sql, id));

Deno.test("GET /admin/subscriptions: by user, plan, provider, external id and the status that they have now, page by page", async () => {
  const [user, other] = [await signUp(), await signUp()];
  const { id, code } = await aSubscription(user);
  const past = new Date(Date.now() - DAY_MS).toISOString();
  const lapsed = await aSubscription(user, code, {
    facts: { ...aStatement(code).facts, access_ends_at: past, external_subscription_id: crypto.randomUUID() },
  });
  const expired = await aSubscription(other, code, { facts: { ...aStatement(code).facts, status: "expired" } });
  const { plan_id, plan_code, status, user_id, gives_premium } = await read(id);
  assert.deepEqual([plan_code, status, user_id, gives_premium], [code, "active", user.id, true]);
  assert.deepEqual(await idsOf(`user_id=${user.id}`), [lapsed.id, id]);
  const first = await list(`plan_id=${plan_id}&limit=2&include=total`);
  assert.deepEqual([first.total, first.total_is_exact], [3, true]);
  assert.equal((await list(`plan_id=${plan_id}&status=expired&limit=1&include=total`)).total, 2);
  assert.deepEqual(first.items.map(({ id }) => id), [expired.id, lapsed.id]);
  assert.deepEqual(await idsOf(`plan_id=${plan_id}&limit=2&cursor=${first.next_cursor}`), [id]);
  assert.deepEqual(await idsOf(`plan_id=${plan_id}&status=expired`), [expired.id, lapsed.id]);
  assert.deepEqual(await idsOf(`plan_id=${plan_id}&status=active`), [id]);
  assert.deepEqual(await idsOf(`plan_id=${plan_id}&status=paused`), []);
  assert.deepEqual(await idsOf(`plan_id=${plan_id}&provider=android_store`), []);
  const external = lapsed.statement.facts.external_subscription_id;
  assert.deepEqual(await idsOf(`external_subscription_id=${external}&provider=ios_store`), [lapsed.id]);
  await assertErrorDetails(await users.ask(`${PATH}?status=gone`), "validation_error", "status");
  await assertErrorDetails(await users.ask(`${PATH}?cursor=${first.next_cursor}`), "validation_error", "cursor");
  await assertErrorDetails(await users.ask(`${PATH}/${crypto.randomUUID()}`), "not_found", "id");
});

Deno.test("POST /admin/subscriptions/{id}/revoke and /reinstate: premium follows, the user is notified, both are recorded", async () => {
  const user = await signUp();
  const { id, statement } = await aSubscription(user);
  const before = await read(id);
  assert.deepEqual([before.user?.id, before.store_status, before.is_revoked_by_hand], [user.id, "active", false]);
  const revoked = await replyOf(revokeSubscription, await act(id, "revoke"), AdminSubscription);
  assert.deepEqual([revoked.status, revoked.gives_premium, revoked.is_revoked_by_hand], ["revoked", false, true]);
  assert.ok((await premium(user))! <= new Date());
  const renewal = {
    ...statement,
    event_id: crypto.randomUUID(),
    occurred_at: new Date().toISOString(),
    type: "DID_RENEW",
  };
  await inDatabase((sql) => record(sql, renewal, undefined, "notification"));
  assert.equal((await read(id)).status, "revoked");
  assert.equal((await assertErrorDetails(await act(id, "revoke"), "conflict", "id"))?.["reason"], "already_revoked");
  const reinstated = await replyOf(reinstateSubscription, await act(id, "reinstate"), AdminSubscription);
  assert.deepEqual([reinstated.status, reinstated.is_revoked_by_hand], ["active", false]);
  assert.equal((await premium(user))?.toISOString(), statement.facts.access_ends_at);
  assert.equal((await assertErrorDetails(await act(id, "reinstate"), "conflict", "id"))?.["reason"], "not_revoked");

  const acts = await actsOn(id);
  assert.deepEqual(acts.map(({ action, user_id }) => [action, user_id]), [
    ["subscription.revoke", user.id],
    ["subscription.reinstate", user.id],
  ]);
  assert.equal(acts[0]!.changes["reason"], "Fraud");
  assert.deepEqual(acts[0]!.changes["status"], { old: "active", new: "revoked" });
  const reply = await users.ask(`${PATH}/${id}/events?limit=3&include=total`);
  const { items, next_cursor, total } = await replyOf(listSubscriptionEvents, reply, AdminSubscriptionEvents);
  assert.deepEqual([total, items.map(({ type }) => type)], [4, ["REINSTATED", "DID_RENEW", "REVOKED"]]);
  assert.deepEqual([items[0]!.status, items[0]!.payload], [null, { admin_id: users.id, reason: "Fraud" }]);
  const rest = await users.ask(`${PATH}/${id}/events?cursor=${next_cursor}`);
  const { items: said } = await replyOf(listSubscriptionEvents, rest, AdminSubscriptionEvents);
  assert.deepEqual(said.map(({ type, facts }) => [type, facts?.["status"], facts?.["account_token"]]), [
    [null, "active", undefined],
  ]);

  const inbox = await ask("/me/notifications", { headers: bearer(user.token) });
  const titles = (await inbox.json()).items.map(({ title }: { title: string }) => title);
  assert.deepEqual(titles.sort(), [
    "「プラン」が終了しました",
    "「プラン」をご利用いただけます",
    "「プラン」をご利用いただけます",
  ]);
});

Deno.test("POST /admin/subscriptions/{id}/revoke: a stale version, a missing reason and the caller's own subscription are rejected", async () => {
  const { id, statement } = await aSubscription(await signUp());
  const reply = await users.ask(`${PATH}/${id}`);
  const etag = reply.headers.get("etag")!;
  await reply.body?.cancel();
  const renewed = { ...statement.facts, expires_at: new Date(Date.now() + 50 * DAY_MS).toISOString() };
  await inDatabase((sql) =>
    record(sql, { ...statement, event_id: crypto.randomUUID(), occurred_at: new Date().toISOString(), facts: renewed })
  );
  await assertErrorDetails(await act(id, "revoke", users, { "If-Match": etag }), "precondition_failed", "If-Match");
  await assertErrorDetails(await act(id, "revoke", users, {}, " "), "validation_error", "reason");
  const both = await anAdministratingUser("users");
  const own = await aSubscription(both);
  assert.equal((await assertErrorDetails(await act(own.id, "revoke", both), "forbidden"))?.["reason"], "own_account");
  assert.deepEqual([await actsOn(id), await actsOn(own.id)], [[], []]);
});

Deno.test("admin subscriptions: without the area every route is 403 with the missing scope", async () => {
  const other = await anAdministrator("support", "content");
  const { id } = await aSubscription(await signUp());
  for (
    const response of [
      await other.ask(PATH),
      await other.ask(`${PATH}/${id}`),
      await other.ask(`${PATH}/${id}/events`),
      await act(id, "revoke", other),
      await act(id, "reinstate", other),
      await other.ask(`${PATH}/${id}/refresh`, sending("POST")),
    ]
  ) {
    assert.equal(response.status, 403);
    assert.deepEqual((await response.json()).error.details, { scope: "admin:users" });
  }
});

Deno.test("POST /admin/subscriptions/{id}/refresh: the state of Google Play is stored; while Google Play is down nothing changes", async () => {
  const user = await signUp();
  const product_id = await inDatabase((sql) => aPlan(sql));
  const { purchase_token } = await play.buy({ product_id });
  const verified = await ask("/verify-iap", {
    method: "POST",
    ...jsonBody({ platform: "android", receipt: purchase_token, product_id }, bearer(user.token)),
  });
  assert.equal(verified.status, 201);
  const { id } = await verified.json();
  const refresh = () => users.ask(`${PATH}/${id}/refresh`, sending("POST"));
  await play.act(purchase_token, "cancel");
  await play.script(purchase_token, { on: "read", times: 10, status: 503 });
  await assertErrorDetails(await refresh(), "service_unavailable");
  assert.deepEqual([(await read(id)).auto_renewing, await actsOn(id)], [true, []]);
  await play.script(purchase_token);
  const refreshed = await replyOf(refreshSubscription, await refresh(), AdminSubscription);
  assert.deepEqual([refreshed.status, refreshed.auto_renewing, refreshed.needs_acknowledgement], [
    "active",
    false,
    false,
  ]);
  assert.deepEqual((await actsOn(id)).map(({ action, user_id }) => [action, user_id]), [[
    "subscription.refresh",
    user.id,
  ]]);
  assert.ok(!JSON.stringify(refreshed).includes(purchase_token));
});

Deno.test("GET /admin/users/{id}: shows the subscription that gives access longest; null without one", async () => {
  const user = await signUp();
  const visible = async () =>
    (await replyOf(readUser, await users.ask(`/admin/users/${user.id}`), AdminUser)).subscription;
  assert.equal(await visible(), null);
  const { id, code } = await aSubscription(user);
  await aSubscription(user, code, { facts: { ...aStatement(code).facts, status: "expired" } });
  assert.deepEqual([(await visible())?.id, (await visible())?.plan_code], [id, code]);
});
