/** Purchases with a user's receipt: verified at the store, recorded, claimed and acknowledged. */
import type { z } from "zod";
import type { Caller } from "./auth/token.ts";
import type { Database } from "./db/client.ts";
import { ApiError } from "./errors.ts";
import type { KnownSubscription, Receipt, Store, StoreStatement } from "./providers/store.ts";
import type { MySubscription, VerifyIapResponse } from "./schema/subscriptions.ts";

/** The functions of the database that acknowledging a purchase calls. */
export const ACKNOWLEDGE_CALLS = ["record_acknowledgement"] as const;

/** The functions of the database that verifying a purchase calls. */
export const VERIFY_CALLS = [
  "check_purchaser",
  "record_store_statement",
  "claim_subscription",
  ...ACKNOWLEDGE_CALLS,
] as const;

interface PurchaseContext {
  readonly caller: Caller;
  readonly db: Database<(typeof VERIFY_CALLS)[number]>;
  readonly service: Database<(typeof VERIFY_CALLS)[number]>;
  readonly appStore: Store;
  readonly googlePlay: Store;
}

interface Purchase extends Receipt {
  readonly platform: "ios" | "android";
}

/** Reply of commands.claim_subscription. */
export interface Claimed {
  /** The purchase did not belong to a user before. */
  readonly is_new: boolean;
  readonly subscription: z.input<typeof VerifyIapResponse>;
  readonly my_subscription: z.input<typeof MySubscription>;
}

/**
 * Assigns a purchase to the caller, in its current state at the store. It can stop at any step and be repeated: a
 * statement is recorded once and a claim is made once. Reconciliation acknowledges the purchase if this function did
 * not.
 */
export async function verifyPurchase(
  context: PurchaseContext,
  purchase: Purchase,
  source: "verify" | "refresh",
): Promise<Claimed> {
  const { platform, ...receipt } = purchase;
  const store = platform === "ios" ? context.appStore : context.googlePlay;
  await context.service.rpc("check_purchaser", { user_id: context.caller.id });
  const statement = await store.verify(receipt);
  const { subscription_id } = await context.service.rpc<{ subscription_id: string }>("record_store_statement", {
    statement,
    source,
    user_id: context.caller.id,
  });
  const claimed = await context.db.rpc<Claimed>("claim_subscription", {
    subscription_id,
    must_be_own: source === "refresh",
  });
  await acknowledgeIfNeeded(context.service, store, subscription_id, statement);
  return claimed;
}

/** Acknowledges a purchase if needed. If the store is down, reconciliation retries. */
export async function acknowledgeIfNeeded(
  service: Database<(typeof ACKNOWLEDGE_CALLS)[number]>,
  store: Store,
  subscriptionId: string,
  statement: StoreStatement,
): Promise<void> {
  if (!statement.needs_acknowledgement) return;
  try {
    await acknowledge(service, store, subscriptionId, statement);
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure;
  }
}

/** Acknowledges a stored purchase at its store, and records the acknowledgement. */
export async function acknowledge(
  service: Database<(typeof ACKNOWLEDGE_CALLS)[number]>,
  store: Store,
  subscriptionId: string,
  statement: StoreStatement,
): Promise<void> {
  await store.acknowledge(knownBy(statement));
  await service.rpc("record_acknowledgement", { subscription_id: subscriptionId });
}

function knownBy({ subscription_key, purchase_token, facts }: StoreStatement): KnownSubscription {
  const { product_id, environment } = facts;
  return { subscription_key, product_id, environment, purchase_token, facts };
}
