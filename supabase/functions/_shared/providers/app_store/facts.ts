/** Converts signed App Store data to the subscription format common to both stores. */
import type { StoreStatement, SubscriptionFacts, SubscriptionStatus } from "../store.ts";
import type { RenewalPayload, TransactionPayload } from "./payloads.ts";
import { type Environment, SignedDataError } from "./signed_data.ts";

export interface SignedFacts {
  readonly transaction: Purchase;
  readonly renewal: RenewalPayload | null;
  /**
   * Status from the App Store Server API or a notification (1 to 5). Null: derived from the dates of the transaction.
   */
  readonly status: number | null;
  /** Time of the statement in milliseconds. */
  readonly at: number;
}

const STATUSES: Readonly<Record<number, SubscriptionStatus>> = {
  1: "active",
  2: "expired",
  3: "on_hold",
  4: "grace",
  5: "revoked",
};
const INTRODUCTORY = 1;

/** Required fields of every valid transaction. */
export interface Purchase extends TransactionPayload {
  readonly originalTransactionId: string;
  readonly transactionId: string;
  readonly productId: string;
  readonly purchaseDate: number;
  readonly signedDate: number;
  readonly environment: Environment;
}

/** Throws SignedDataError if a required field of a purchase is missing. */
export function purchaseOf(transaction: TransactionPayload): Purchase {
  const { originalTransactionId, transactionId, productId, purchaseDate, signedDate, expiresDate } = transaction;
  if (
    !originalTransactionId || !transactionId || !productId || purchaseDate === undefined || signedDate === undefined
  ) {
    throw new SignedDataError("malformed", "payload: a transaction");
  }
  if (isAutoRenewable(transaction) && expiresDate === undefined) {
    throw new SignedDataError("malformed", "payload: expiresDate");
  }
  // The environment was checked together with the signature.
  const environment = transaction.environment as Environment;
  return { ...transaction, originalTransactionId, transactionId, productId, purchaseDate, signedDate, environment };
}

export function isAutoRenewable({ type }: TransactionPayload): boolean {
  return type === "Auto-Renewable Subscription";
}

export function factsOf(signedFacts: SignedFacts): SubscriptionFacts {
  const { transaction: purchase, renewal, at } = signedFacts;
  const { expiresDate } = purchase;
  const status = statusOf(signedFacts);
  const isOn = renewal?.autoRenewStatus === undefined ? null : renewal.autoRenewStatus === 1;
  const renews = status === "active" && expiresDate !== undefined && expiresDate > at && isAutoRenewable(purchase) &&
    isOn !== false;
  return {
    status,
    product_id: purchase.productId,
    environment: purchase.environment,
    external_subscription_id: purchase.originalTransactionId,
    started_at: timeAt(purchase.purchaseDate),
    original_purchase_date: timeAt(purchase.originalPurchaseDate ?? purchase.purchaseDate),
    expires_at: expiresDate === undefined ? null : timeAt(expiresDate),
    access_ends_at: accessEnd(status, signedFacts),
    auto_renew_status: isOn,
    auto_renewing: renews,
    next_billing_date: renews ? timeAt(renewal?.renewalDate ?? expiresDate) : null,
    is_trial_period: purchase.offerType === INTRODUCTORY && purchase.offerDiscountType === "FREE_TRIAL",
    account_token: (purchase.appAccountToken ?? renewal?.appAccountToken)?.toLowerCase() ?? null,
  };
}

function statusOf({ transaction: { revocationDate, expiresDate }, status, at }: SignedFacts): SubscriptionStatus {
  if (revocationDate !== undefined) return "revoked";
  if (status !== null) return STATUSES[status] ?? "unknown";
  return expiresDate === undefined || expiresDate > at ? "active" : "expired";
}

function accessEnd(status: SubscriptionStatus, { transaction, renewal, at }: SignedFacts): string | null {
  const { expiresDate, revocationDate } = transaction;
  if (status === "active" && expiresDate === undefined) return "infinity";
  const end = status === "grace" ? renewal?.gracePeriodExpiresDate ?? expiresDate : revocationDate ?? expiresDate;
  if (status === "unknown" || end === undefined) return null;
  return timeAt(status === "active" || status === "grace" ? end : Math.min(end, at));
}

export function timeAt(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Fields that are equal in every statement of this store. */
export function statement(
  said: Pick<StoreStatement, "event_id" | "type" | "subtype" | "occurred_at" | "facts" | "payload" | "receipt_hash">,
): StoreStatement {
  return {
    store: "ios_store",
    subscription_key: said.facts.external_subscription_id!,
    purchase_token: null,
    supersedes: null,
    needs_acknowledgement: false,
    proof: null,
    limited_to: null,
    ...said,
  };
}

/** The payloads to store: without signatures and without the account token of the app. */
export function keptPayload(
  { transaction, renewal, status }: Pick<SignedFacts, "transaction" | "renewal" | "status">,
): Record<string, unknown> {
  return { transaction: withoutAccount(transaction), renewal: renewal && withoutAccount(renewal), status };
}

function withoutAccount({ appAccountToken: _, ...rest }: TransactionPayload | RenewalPayload): Record<string, unknown> {
  return rest;
}
