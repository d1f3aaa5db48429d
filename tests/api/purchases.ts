// Purchases in the stand-ins of both stores, and the requests of users about them.
import assert from "node:assert/strict";
import { type Person, signUp } from "../support/people.ts";
import { AppleStore } from "../support/app_store.ts";
import { PlayStore } from "../support/google_play.ts";
import { stack } from "../support/stack.ts";
import { ask, bearer, jsonBody } from "./client.ts";
import { inDatabase } from "./lots.ts";

export const apple = new AppleStore();
export const play = new PlayStore();

/** The code of a new plan, which is not on sale: other tests list those that are. */
export async function aPlan(): Promise<string> {
  const code = `plan.${crypto.randomUUID()}`;
  await inDatabase((sql) =>
    sql`
      insert into public.subscription_plans (code, name, name_en, price_minor, billing_period, is_active)
      values (${code}, 'プラン', 'Plan', 480, 'month', false)`
  );
  return code;
}

export interface IapRequest {
  readonly platform: "ios" | "android";
  readonly receipt: string;
  readonly product_id: string;
  readonly transaction_id?: string;
}

export type IapPath = "/verify-iap" | "/me/subscription/verify-iap" | "/me/subscription/refresh-iap";

export function post(user: Person, path: string, body: unknown, headers: Record<string, string> = {}) {
  return ask(path, { method: "POST", ...jsonBody(body, { ...bearer(user.token), ...headers }) });
}

/** Verifies a purchase; the reply, whose status has to be this. */
export async function verify(
  user: Person,
  request: IapRequest,
  status = 201,
  path: IapPath = "/me/subscription/verify-iap",
): Promise<Record<string, unknown> & { id: string }> {
  const response = await post(user, path, request);
  const text = await response.text();
  assert.equal(response.status, status, text);
  return JSON.parse(text);
}

export interface Bought {
  readonly user: Person;
  readonly request: IapRequest;
}

/** A user with an App Store subscription that is not verified yet. */
export async function onIos(product_id: string, user?: Person): Promise<Bought & { readonly id: string }> {
  const { subscription, signed_transaction } = await apple.buy({ product_id });
  const request = { platform: "ios", receipt: signed_transaction, product_id } as const;
  return { user: user ?? await signUp(), request, id: subscription.original_transaction_id };
}

/** A user with a Google Play subscription that is not verified yet. */
export async function onAndroid(product_id: string, user?: Person): Promise<Bought & { readonly id: string }> {
  const { purchase_token } = await play.buy({ product_id });
  const request = { platform: "android", receipt: purchase_token, product_id } as const;
  return { user: user ?? await signUp(), request, id: purchase_token };
}

export async function mySubscription(user: Person, query = "") {
  const response = await ask(`/me/subscription${query}`, { headers: bearer(user.token) });
  assert.equal(response.status, 200);
  return await response.json();
}

/** Whether the account has premium now, as GET /v1/me says. */
export async function isPremium(user: Person): Promise<boolean> {
  const me = await (await ask("/me", { headers: bearer(user.token) })).json();
  return me.permission_scopes.includes("premium");
}

/** What the stores said, the first first: types and statuses. */
export async function historyOf(user: Person): Promise<[type: string | null, status: string | null][]> {
  const response = await ask("/me/subscription/history?limit=100", { headers: bearer(user.token) });
  assert.equal(response.status, 200);
  const { items } = await response.json();
  return items.map(({ type, status }: Record<string, string>) => [type, status]).reverse();
}

/** The service's own call of a consumer. */
export async function consume(name: "process" | "reconcile"): Promise<Record<string, number>> {
  const response = await ask(`/store-notifications/${name}`, {
    method: "POST",
    headers: bearer(stack().serviceRoleKey),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text);
}

/** Makes a subscription the next one to be queried at its store. */
export async function dueNow(subscriptionId: string): Promise<void> {
  await inDatabase((sql) =>
    sql`update public.user_subscriptions set ask_at = '2000-01-01' where id = ${subscriptionId}`
  );
}
