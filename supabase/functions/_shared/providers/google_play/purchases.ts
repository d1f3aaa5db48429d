/** Converts Google Play purchases to the subscription format common to both stores. */
import { z } from "zod";
import type { KnownSubscription, StoreStatement, SubscriptionFacts, SubscriptionStatus } from "../store.ts";
import { unavailable } from "./api.ts";

/** The requested purchase, and the time of the request. */
export interface PurchaseQuery {
  readonly subscription: KnownSubscription & { readonly purchase_token: string };
  /** Whether a client sent the purchase. Then its product must match the one in the request. */
  readonly isReceipt: boolean;
  readonly requestedAt: Date;
}

/** The purchase is for other products than the client's request. */
export class OtherProduct extends Error {
  override readonly name = "OtherProduct";
}

/** The wire format has up to nanoseconds, the result milliseconds. */
const Time = z.iso.datetime({ offset: true }).transform((time) => new Date(time).toISOString());
const Milliseconds = z.string().regex(/^\d{1,14}$/).transform((time) => new Date(Number(time)).toISOString());

const LineItem = z.object({
  productId: z.string(),
  expiryTime: Time.optional(),
  latestSuccessfulOrderId: z.string().optional(),
  autoRenewingPlan: z.object({
    autoRenewEnabled: z.boolean().optional(),
    recurringPrice: z.object({
      currencyCode: z.string().optional(),
      units: z.string().optional(),
      nanos: z.number().optional(),
    }).optional(),
  }).optional(),
  prepaidPlan: z.object({}).optional(),
  offerDetails: z.object({
    basePlanId: z.string().optional(),
    offerId: z.string().optional(),
    offerTags: z.array(z.string()).optional(),
  }).optional(),
  offerPhase: z.record(z.string(), z.unknown()).optional(),
  deferredItemReplacement: z.object({ productId: z.string().optional() }).optional(),
});
type LineItem = z.output<typeof LineItem>;

const AccountIdentifiers = z.object({ obfuscatedExternalAccountId: z.string().optional() });

const SubscriptionPurchase = z.object({
  regionCode: z.string().optional(),
  startTime: Time.optional(),
  subscriptionState: z.string().optional(),
  lineItems: z.array(LineItem).default([]),
  linkedPurchaseToken: z.string().optional(),
  acknowledgementState: z.string().optional(),
  externalAccountIdentifiers: AccountIdentifiers.optional(),
  // Bought in the Play Store after an earlier purchase had lapsed: only this says whose it is.
  outOfAppPurchaseContext: z.object({
    expiredExternalAccountIdentifiers: AccountIdentifiers.optional(),
    expiredPurchaseToken: z.string().optional(),
  }).optional(),
  canceledStateContext: z.record(z.string(), z.looseObject({ cancelTime: Time.optional() })).optional(),
  pausedStateContext: z.object({ autoResumeTime: Time.optional() }).optional(),
  testPurchase: z.object({}).optional(),
});
type SubscriptionPurchase = z.output<typeof SubscriptionPurchase>;

const ProductPurchase = z.object({
  purchaseState: z.int().default(0),
  purchaseTimeMillis: Milliseconds,
  productId: z.string().optional(),
  orderId: z.string().optional(),
  acknowledgementState: z.int().default(0),
  consumptionState: z.int().default(0),
  purchaseType: z.int().optional(),
  quantity: z.int().optional(),
  regionCode: z.string().optional(),
  obfuscatedExternalAccountId: z.string().optional(),
});
type ProductPurchase = z.output<typeof ProductPurchase>;

const STATUSES: Readonly<Record<string, SubscriptionStatus>> = {
  SUBSCRIPTION_STATE_PENDING: "pending",
  SUBSCRIPTION_STATE_ACTIVE: "active",
  SUBSCRIPTION_STATE_PAUSED: "paused",
  SUBSCRIPTION_STATE_IN_GRACE_PERIOD: "grace",
  SUBSCRIPTION_STATE_ON_HOLD: "on_hold",
  SUBSCRIPTION_STATE_CANCELED: "active", // until it expires
  SUBSCRIPTION_STATE_EXPIRED: "expired",
  SUBSCRIPTION_STATE_PENDING_PURCHASE_CANCELED: "expired",
};
/** A purchase that was never paid does not replace another one. */
const NEVER_PAID = ["SUBSCRIPTION_STATE_PENDING", "SUBSCRIPTION_STATE_PENDING_PURCHASE_CANCELED"];
const AUTO_RENEW: Readonly<Record<string, boolean>> = {
  SUBSCRIPTION_STATE_ACTIVE: true,
  SUBSCRIPTION_STATE_CANCELED: false,
};
/** `purchaseType` of license testers. */
const TEST = 0;
/** By `purchaseState`. */
const PRODUCT_STATUSES: readonly (SubscriptionStatus | undefined)[] = ["active", "revoked", "pending"];
const PAID: readonly SubscriptionStatus[] = ["active", "grace", "on_hold", "paused"];

/** Throws OtherProduct, or `service_unavailable` for an unexpected response. */
export async function subscriptionStatement(query: PurchaseQuery, resource: unknown): Promise<StoreStatement> {
  const purchase = parseResource(SubscriptionPurchase, resource);
  const item = itemOf(purchase, query);
  const facts = subscriptionFacts(purchase, item, query);
  const linked = purchase.linkedPurchaseToken ?? purchase.outOfAppPurchaseContext?.expiredPurchaseToken;
  const linkedKey = linked === undefined ? null : await sha256(linked);
  const isPaid = facts.status !== "unknown" && !NEVER_PAID.includes(purchase.subscriptionState ?? "");
  return await statement(query, facts, {
    payload: subscriptionPayload(purchase, linkedKey),
    supersedes: isPaid ? linkedKey : null,
    isAcknowledged: purchase.acknowledgementState !== "ACKNOWLEDGEMENT_STATE_PENDING",
  });
}

/** For one-time purchases. Throws as subscriptionStatement. */
export async function productStatement(query: PurchaseQuery, resource: unknown): Promise<StoreStatement> {
  const purchase = parseResource(ProductPurchase, resource);
  const productId = query.subscription.product_id ?? purchase.productId;
  if (productId === undefined) throw unavailable("Google Play's response does not contain a product");
  if (purchase.productId !== undefined && purchase.productId !== productId) throw new OtherProduct();
  return await statement(query, productFacts(purchase, productId), {
    payload: { product: productPayload(purchase) },
    supersedes: null,
    isAcknowledged: purchase.acknowledgementState !== 0,
  });
}

/** For a purchase that Google has deleted, sixty days after it expired. */
export async function deletedStatement(
  query: PurchaseQuery,
  known: SubscriptionFacts,
  reason: string,
): Promise<StoreStatement> {
  const facts = { ...known, ...withoutAccess, status: "expired" as const };
  return await statement(query, facts, { payload: { gone: reason }, supersedes: null, isAcknowledged: true });
}

export const withoutAccess = {
  access_ends_at: null,
  auto_renew_status: null,
  auto_renewing: false,
  next_billing_date: null,
} as const;

/** The line item of the requested product. For a known subscription, otherwise its current item. */
function itemOf({ lineItems }: SubscriptionPurchase, { subscription, isReceipt }: PurchaseQuery): LineItem {
  const same = lineItems.find(({ productId }) => productId === subscription.product_id);
  if (same !== undefined) return same;
  if (isReceipt) throw new OtherProduct();
  const [last] = lineItems.toSorted((a, b) => (b.expiryTime ?? "").localeCompare(a.expiryTime ?? ""));
  if (last === undefined) throw unavailable("Google Play's response does not contain a line item");
  return last;
}

function subscriptionFacts(purchase: SubscriptionPurchase, item: LineItem, query: PurchaseQuery): SubscriptionFacts {
  const { subscriptionState = "", startTime, pausedStateContext } = purchase;
  const lapsed = purchase.outOfAppPurchaseContext?.expiredExternalAccountIdentifiers;
  const expiresAt = item.expiryTime ?? null;
  const status = statusOf(subscriptionState, expiresAt, query.requestedAt);
  const givesAccess = status === "active" || status === "grace";
  if (givesAccess && expiresAt === null) throw unavailable("Google Play's response does not contain an expiry time");
  const autoRenewing = item.autoRenewingPlan?.autoRenewEnabled ?? false;
  const next = givesAccess ? expiresAt : status === "paused" ? pausedStateContext?.autoResumeTime ?? null : null;
  // A purchase with a pending payment has not started.
  const startedAt = startTime ?? query.subscription.facts?.started_at ?? query.requestedAt.toISOString();
  return {
    status,
    product_id: item.productId,
    environment: purchase.testPurchase === undefined ? "Production" : "Sandbox",
    external_subscription_id: item.latestSuccessfulOrderId?.replace(/\.\.\d+$/, "") ?? null,
    started_at: startedAt,
    original_purchase_date: startedAt,
    expires_at: expiresAt,
    access_ends_at: givesAccess ? expiresAt : null,
    auto_renew_status: AUTO_RENEW[subscriptionState] ?? null,
    auto_renewing: autoRenewing,
    next_billing_date: autoRenewing ? next : null,
    is_trial_period: /trial/i.test(item.offerDetails?.offerId ?? ""),
    account_token: purchase.externalAccountIdentifiers?.obfuscatedExternalAccountId ??
      lapsed?.obfuscatedExternalAccountId ?? null,
  };
}

function statusOf(state: string, expiresAt: string | null, now: Date): SubscriptionStatus {
  const isOver = expiresAt === null || new Date(expiresAt) <= now;
  if (state === "SUBSCRIPTION_STATE_CANCELED" && isOver) return "expired";
  return Object.hasOwn(STATUSES, state) ? STATUSES[state]! : "unknown";
}

function productFacts(purchase: ProductPurchase, productId: string): SubscriptionFacts {
  const status = PRODUCT_STATUSES[purchase.purchaseState] ?? "unknown";
  return {
    ...withoutAccess,
    status,
    product_id: productId,
    environment: purchase.purchaseType === TEST ? "Sandbox" : "Production",
    external_subscription_id: purchase.orderId ?? null,
    started_at: purchase.purchaseTimeMillis,
    original_purchase_date: purchase.purchaseTimeMillis,
    expires_at: null,
    access_ends_at: status === "active" ? "infinity" : null,
    is_trial_period: false,
    account_token: purchase.obfuscatedExternalAccountId ?? null,
  };
}

function subscriptionPayload(purchase: SubscriptionPurchase, linkedKey: string | null): Record<string, unknown> {
  return {
    state: purchase.subscriptionState ?? null,
    region: purchase.regionCode ?? null,
    start_time: purchase.startTime ?? null,
    acknowledgement: purchase.acknowledgementState ?? null,
    is_test: purchase.testPurchase !== undefined,
    linked_subscription_key: linkedKey,
    // The cancellation reasons written by users are private.
    canceled: Object.entries(purchase.canceledStateContext ?? {}).map(([by, { cancelTime }]) => ({
      by,
      time: cancelTime ?? null,
    }))[0] ?? null,
    resumes_at: purchase.pausedStateContext?.autoResumeTime ?? null,
    items: purchase.lineItems.map((item) => ({
      product_id: item.productId,
      expiry_time: item.expiryTime ?? null,
      order_id: item.latestSuccessfulOrderId ?? null,
      plan: item.prepaidPlan ? "prepaid" : item.autoRenewingPlan ? "auto_renewing" : null,
      auto_renew_enabled: item.autoRenewingPlan?.autoRenewEnabled ?? false,
      price: item.autoRenewingPlan?.recurringPrice ?? null,
      base_plan_id: item.offerDetails?.basePlanId ?? null,
      offer_id: item.offerDetails?.offerId ?? null,
      offer_tags: item.offerDetails?.offerTags ?? [],
      offer_phase: Object.keys(item.offerPhase ?? {})[0] ?? null,
      replaced_by: item.deferredItemReplacement?.productId ?? null,
    })),
  };
}

function productPayload(purchase: ProductPurchase): Record<string, unknown> {
  return {
    purchase_state: purchase.purchaseState,
    purchase_time: purchase.purchaseTimeMillis,
    order_id: purchase.orderId ?? null,
    acknowledgement_state: purchase.acknowledgementState,
    consumption_state: purchase.consumptionState,
    purchase_type: purchase.purchaseType ?? null,
    quantity: purchase.quantity ?? 1,
    region: purchase.regionCode ?? null,
  };
}

async function statement(
  { subscription, isReceipt, requestedAt }: PurchaseQuery,
  facts: SubscriptionFacts,
  { payload, supersedes, isAcknowledged }: {
    readonly payload: Readonly<Record<string, unknown>>;
    readonly supersedes: string | null;
    readonly isAcknowledged: boolean;
  },
): Promise<StoreStatement> {
  const key = subscription.subscription_key;
  const occurredAt = requestedAt.toISOString();
  // Includes the time, because a state that returns is a new statement.
  const content = await sha256(JSON.stringify([key, occurredAt, facts, payload]));
  return {
    store: "android_store",
    subscription_key: key,
    event_id: `read:${content}`,
    type: null,
    subtype: null,
    occurred_at: occurredAt,
    facts,
    payload,
    receipt_hash: isReceipt ? key : null,
    purchase_token: subscription.purchase_token,
    supersedes,
    needs_acknowledgement: !isAcknowledged && PAID.includes(facts.status),
    proof: isReceipt ? { kind: "purchase_token" } : null,
    limited_to: null, // Google Play has its own list of testers
  };
}

function parseResource<Schema extends z.ZodType>(schema: Schema, resource: unknown): z.output<Schema> {
  const parsed = schema.safeParse(resource);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path }) => path.join(".") || "(all)").join(", ");
  throw unavailable(`Google Play's response has an unknown format: ${fields}`);
}

/** Hexadecimal. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
