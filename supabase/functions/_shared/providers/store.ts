/** What both stores say of subscriptions, in the same words. */

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

/** What a store says of one subscription at one moment. Times are RFC 3339 in UTC. */
export interface SubscriptionFacts {
  readonly status: SubscriptionStatus;
  /** The code of the plan. */
  readonly product_id: string;
  readonly environment: "Production" | "Sandbox";
  /** ios: the original transaction's id; android: the order's id without its renewal, or null. */
  readonly external_subscription_id: string | null;
  readonly started_at: string;
  readonly original_purchase_date: string;
  /** Null for what is bought once for all. */
  readonly expires_at: string | null;
  /**
   * Until when this statement gives access: in grace the end of the grace period, after a revocation its moment, for what is
   * bought once for all `infinity`; null: it gives none.
   */
  readonly access_ends_at: string | null;
  readonly auto_renew_status: boolean | null;
  readonly auto_renewing: boolean;
  readonly next_billing_date: string | null;
  readonly is_trial_period: boolean;
  /** The account that the app named at the purchase (appAccountToken, obfuscatedExternalAccountId). */
  readonly account_token: string | null;
}

/** One entry of the ledger: what a store said, when, and what it was asked or told about. */
export interface StoreStatement {
  readonly store: StoreName;
  /** The subscription it is about: ios: the original transaction's id; android: SHA-256 of the purchase token, hexadecimal. */
  readonly subscription_key: string;
  /** The same statement has the same id, so that it is in the ledger once. */
  readonly event_id: string;
  /** The store's word for what happened (`DID_RENEW`, `SUBSCRIPTION_CANCELED`); null for an answer to a question. */
  readonly type: string | null;
  readonly subtype: string | null;
  /** When the store said it, by the store's clock (android: when it was read). */
  readonly occurred_at: string;
  readonly facts: SubscriptionFacts;
  /** What was decoded, without receipts, purchase tokens and account tokens. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** SHA-256 of the receipt, hexadecimal; null where there was none. */
  readonly receipt_hash: string | null;
  /** android: what reconciliation asks with. The database keeps it in `private` and nowhere else. */
  readonly purchase_token: string | null;
  /** android: the subscription that this one takes the place of (linkedPurchaseToken), as its key. */
  readonly supersedes: string | null;
  /** android: the purchase waits to be acknowledged once it is stored. */
  readonly needs_acknowledgement: boolean;
}

/** A purchase as a client sends it. */
export interface Receipt {
  readonly receipt: string;
  readonly product_id: string;
  /** ios only. */
  readonly transaction_id?: string | undefined;
}

/** A subscription that is known already, as its store has to be asked for it. */
export interface KnownSubscription {
  readonly subscription_key: string;
  /** Null where only the store's notification is known; then the store's answer says it. */
  readonly product_id: string | null;
  readonly environment: "Production" | "Sandbox";
  /** android. */
  readonly purchase_token: string | null;
  /** What is known of it; null: nothing yet. An answer without dates keeps these: the store has forgotten the purchase. */
  readonly facts: SubscriptionFacts | null;
}

export interface Store {
  /**
   * Verifies a receipt and asks the store what it is worth now.
   * Throws iap_invalid (the reason is the cause, for the log) and service_unavailable (with Retry-After; `not_configured`).
   */
  verify(receipt: Receipt): Promise<StoreStatement>;
  /**
   * Asks the store for a subscription that is known. Throws as verify; a purchase that the store has forgotten is expired,
   * or iap_invalid when there are no facts of it.
   */
  read(subscription: KnownSubscription): Promise<StoreStatement>;
  /** android: tells the store that the purchase is stored; nothing for ios. One that is acknowledged already is as good. */
  acknowledge(subscription: KnownSubscription): Promise<void>;
}
