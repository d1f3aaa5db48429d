/** Purchases that users show a receipt of: asked about at the store, recorded, claimed and acknowledged. */
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

/** What commands.claim_subscription replies. */
export interface Claimed {
  /** It was nobody's. */
  readonly is_new: boolean;
  readonly subscription: z.input<typeof VerifyIapResponse>;
  readonly my_subscription: z.input<typeof MySubscription>;
}

/**
 * Makes a purchase the caller's, as its store says it is now. It may break off at any point, and be sent again: what the
 * store said is recorded once, a claim is made once, and reconciliation acknowledges what was not acknowledged here.
 */
export async function verifyPurchase(
  work: PurchaseContext,
  purchase: Purchase,
  source: "verify" | "refresh",
): Promise<Claimed> {
  const { platform, ...receipt } = purchase;
  const store = platform === "ios" ? work.appStore : work.googlePlay;
  await work.service.rpc("check_purchaser", { user_id: work.caller.id });
  const statement = await store.verify(receipt);
  const { subscription_id } = await work.service.rpc<{ subscription_id: string }>("record_store_statement", {
    statement,
    source,
    user_id: work.caller.id,
  });
  const claimed = await work.db.rpc<Claimed>("claim_subscription", {
    subscription_id,
    must_be_own: source === "refresh",
  });
  await acknowledgeIfNeeded(work.service, store, subscription_id, statement);
  return claimed;
}

/** Acknowledges a purchase that waits for it; where its store is down, reconciliation tries again. */
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

/** Tells the store that a purchase is stored, and records that it knows. */
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
