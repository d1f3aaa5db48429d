/** The subscription format common to both stores. */

export type StoreName = "ios_store" | "android_store";

export type SubscriptionStatus =
  | "active"
  | "expired"
  | "revoked"
  | "grace"
  | "on_hold"
  | "paused"
  | "pending"
  | "unknown";

/** State of one subscription at one time. Times are RFC 3339 in UTC. */
export interface SubscriptionFacts {
  readonly status: SubscriptionStatus;
  /** The code of the plan. */
  readonly product_id: string;
  readonly environment: "Production" | "Sandbox";
  /** ios: id of the original transaction. android: order id without the renewal suffix, or null. */
  readonly external_subscription_id: string | null;
  readonly started_at: string;
  readonly original_purchase_date: string;
  /** Null for one-time purchases. */
  readonly expires_at: string | null;
  /**
   * End of the access that this statement gives: the end of the grace period in grace, the time of a revocation, or
   * `infinity` for one-time purchases. Null without access.
   */
  readonly access_ends_at: string | null;
  readonly auto_renew_status: boolean | null;
  readonly auto_renewing: boolean;
  readonly next_billing_date: string | null;
  readonly is_trial_period: boolean;
  /** The account token that the app sent with the purchase (appAccountToken, obfuscatedExternalAccountId). */
  readonly account_token: string | null;
}

/** How the sender of a receipt has proved to have the purchase: the signature of the App Store, or Google Play's token. */
export type Proof =
  | { readonly kind: "signature"; readonly signed_at: string }
  | { readonly kind: "purchase_token" };

/** One entry of the ledger: a statement of the store, its time, and its cause. */
export interface StoreStatement {
  readonly store: StoreName;
  /** The subscription. ios: id of the original transaction. android: SHA-256 of the purchase token, hexadecimal. */
  readonly subscription_key: string;
  /** Equal statements have equal ids, so that the ledger contains each once. */
  readonly event_id: string;
  /** The store's event type (`DID_RENEW`, `SUBSCRIPTION_CANCELED`). Null for the response to a query. */
  readonly type: string | null;
  readonly subtype: string | null;
  /** Time of the statement by the store's clock (android: when it was read). */
  readonly occurred_at: string;
  readonly facts: SubscriptionFacts;
  /** The decoded data, without receipts, purchase tokens and account tokens. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** SHA-256 of the receipt, hexadecimal. Null if there was none. */
  readonly receipt_hash: string | null;
  /** android: the token for reconciliation. The database stores it only in the schema `private`. */
  readonly purchase_token: string | null;
  /** android: key of the subscription that this one replaces (linkedPurchaseToken). */
  readonly supersedes: string | null;
  /** android: the purchase must be acknowledged after it is stored. */
  readonly needs_acknowledgement: boolean;
  /** What the receipt proves. Null for an unsigned receipt, and without a receipt. */
  readonly proof: Proof | null;
  /** The only accounts that may get the purchase: ids and e-mail addresses in lower case. Null: every account. */
  readonly limited_to: readonly string[] | null;
}

/** A purchase in a client's request. */
export interface Receipt {
  readonly receipt: string;
  readonly product_id: string;
  /** ios only. */
  readonly transaction_id?: string | undefined;
}

/** A known subscription, with the data for a request to its store. */
export interface KnownSubscription {
  readonly subscription_key: string;
  /** Null if only the store's notification is known. Then the store's response contains it. */
  readonly product_id: string | null;
  readonly environment: "Production" | "Sandbox";
  /** android. */
  readonly purchase_token: string | null;
  /**
   * The last known state. Null if there is none. A response without dates keeps these dates, because the store has
   * deleted the purchase.
   */
  readonly facts: SubscriptionFacts | null;
}

export interface Store {
  /**
   * Verifies a receipt and reads its current state from the store. Throws `iap_invalid` (the reason is the cause, for
   * the log) and `service_unavailable` (with Retry-After; `not_configured`).
   */
  verify(receipt: Receipt): Promise<StoreStatement>;
  /**
   * Reads a known subscription from the store. Throws as verify. A purchase that the store has deleted is expired, or
   * `iap_invalid` if it has no known state.
   */
  read(subscription: KnownSubscription): Promise<StoreStatement>;
  /** android: acknowledges the stored purchase at the store. ios: does nothing. Acknowledging twice is not an error. */
  acknowledge(subscription: KnownSubscription): Promise<void>;
}
