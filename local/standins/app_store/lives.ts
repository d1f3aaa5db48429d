// The lives of purchases as the App Store keeps them: what happens to one, and what the store says of it afterwards.
// Times are milliseconds. Each event takes the time at which it happens.

export type Environment = "Production" | "Sandbox";

/** A transaction as it is signed (JWSTransactionDecodedPayload), without what is the same in all. */
export interface Transaction {
  readonly transactionId: string;
  readonly originalTransactionId: string;
  productId: string;
  purchaseDate: number;
  originalPurchaseDate: number;
  expiresDate?: number;
  offerType?: number;
  offerDiscountType?: string;
  price: number;
  transactionReason: "PURCHASE" | "RENEWAL";
  isUpgraded?: boolean;
  revocationDate?: number;
  revocationReason?: number;
}

/** A notification that an event causes, but for its data. */
export interface Occurrence {
  readonly type: string;
  readonly subtype?: string;
}

/** What the store refuses because the subscription is not in the state for it. */
export class NotPossible extends Error {
  override readonly name = "NotPossible";
}

export interface BuyOptions {
  readonly productId: string;
  readonly environment: Environment;
  readonly accountToken: string | null;
  /** Null: bought once for all. */
  readonly periodMs: number | null;
  /** The first period is a free trial. */
  readonly isTrial: boolean;
}

const GRACE_MS = 16 * 24 * 3600_000;
const PRICE_MILLIUNITS = 480_000;
const Intent = { cancelled: 1, billingError: 2 } as const;

type State = "active" | "grace" | "billing_retry" | "expired";

export class Life {
  readonly environment: Environment;
  readonly accountToken: string | null;
  readonly periodMs: number | null;
  readonly transactions: Transaction[] = [];
  autoRenew: boolean;
  renewsAs: string;
  #state: State = "active";
  #graceEndsAt: number | undefined;
  #expirationIntent: number | undefined;
  readonly #nextId: () => string;

  constructor(options: BuyOptions, at: number, nextId: () => string) {
    this.#nextId = nextId;
    this.environment = options.environment;
    this.accountToken = options.accountToken;
    this.periodMs = options.periodMs;
    this.autoRenew = options.periodMs !== null;
    this.renewsAs = options.productId;
    const transactionId = nextId();
    this.transactions.push({
      transactionId,
      originalTransactionId: transactionId,
      productId: options.productId,
      purchaseDate: at,
      originalPurchaseDate: at,
      ...(options.periodMs === null ? {} : { expiresDate: at + options.periodMs }),
      ...(options.isTrial ? { offerType: 1, offerDiscountType: "FREE_TRIAL" } : {}),
      price: options.isTrial ? 0 : PRICE_MILLIUNITS,
      transactionReason: "PURCHASE",
    });
  }

  get originalTransactionId(): string {
    return this.transactions[0]!.transactionId;
  }

  get current(): Transaction {
    return this.transactions.at(-1)!;
  }

  /** The status that the App Store Server API gives (1 to 5); null for what is bought once. */
  statusAt(at: number): number | null {
    if (this.periodMs === null) return null;
    if (this.current.revocationDate !== undefined) return 5;
    if (this.#state === "expired") return 2;
    if (this.#state === "grace") return this.#graceEndsAt! > at ? 4 : 3;
    if (this.#state === "billing_retry") return 3;
    return this.current.expiresDate! > at ? 1 : 2;
  }

  /** As it is signed (JWSRenewalInfoDecodedPayload), without what is the same in all; null for what is bought once. */
  renewalInfo(at: number): Record<string, unknown> | null {
    if (this.periodMs === null) return null;
    const renews = this.autoRenew && this.statusAt(at) === 1;
    return {
      originalTransactionId: this.originalTransactionId,
      productId: this.current.productId,
      autoRenewProductId: this.renewsAs,
      autoRenewStatus: this.autoRenew ? 1 : 0,
      ...(this.#state === "grace" || this.#state === "billing_retry" ? { isInBillingRetryPeriod: true } : {}),
      ...(this.#state === "grace" ? { gracePeriodExpiresDate: this.#graceEndsAt } : {}),
      ...(this.#expirationIntent === undefined ? {} : { expirationIntent: this.#expirationIntent }),
      ...(renews ? { renewalDate: this.current.expiresDate } : {}),
      recentSubscriptionStartDate: this.transactions[0]!.purchaseDate,
    };
  }

  bought(): Occurrence {
    return this.periodMs === null ? { type: "ONE_TIME_CHARGE" } : { type: "SUBSCRIBED", subtype: "INITIAL_BUY" };
  }

  /** The next period is paid: it follows the current one, also when that is not over yet. */
  renew(at: number): Occurrence {
    this.#requireStatus([1, 2], at, "renew");
    this.#begin(at, Math.max(this.current.expiresDate!, at), this.renewsAs, "RENEWAL");
    return { type: "DID_RENEW" };
  }

  /** The renewal is not paid: the current period ends now at the latest. */
  fail(at: number, hasGrace: boolean, graceMs = GRACE_MS): Occurrence {
    this.#requireStatus([1, 2], at, "fail");
    this.#endPeriod(at);
    this.#state = hasGrace ? "grace" : "billing_retry";
    this.#graceEndsAt = hasGrace ? at + graceMs : undefined;
    this.#expirationIntent = Intent.billingError;
    return { type: "DID_FAIL_TO_RENEW", ...(hasGrace ? { subtype: "GRACE_PERIOD" } : {}) };
  }

  endGrace(at: number): Occurrence {
    if (this.#state !== "grace") throw new NotPossible("there is no grace period");
    this.#state = "billing_retry";
    this.#graceEndsAt = Math.min(this.#graceEndsAt!, at);
    return { type: "GRACE_PERIOD_EXPIRED" };
  }

  /** The renewal is paid after all. */
  recover(at: number): Occurrence {
    this.#requireStatus([3, 4], at, "recover");
    this.#begin(at, at, this.renewsAs, "RENEWAL");
    return { type: "DID_RENEW", subtype: "BILLING_RECOVERY" };
  }

  setAutoRenew(isOn: boolean, at: number): Occurrence {
    this.#requireStatus([1, 3, 4], at, "change the renewal of");
    this.autoRenew = isOn;
    return { type: "DID_CHANGE_RENEWAL_STATUS", subtype: isOn ? "AUTO_RENEW_ENABLED" : "AUTO_RENEW_DISABLED" };
  }

  /** Another product of the group, at once. */
  upgrade(productId: string, at: number): Occurrence {
    this.#requireStatus([1], at, "upgrade");
    this.current.isUpgraded = true;
    this.renewsAs = productId;
    this.#begin(at, at, productId, "PURCHASE");
    return { type: "DID_CHANGE_RENEWAL_PREF", subtype: "UPGRADE" };
  }

  /** Another product of the group, from the next period on. */
  downgrade(productId: string, at: number): Occurrence {
    this.#requireStatus([1], at, "downgrade");
    this.renewsAs = productId;
    return { type: "DID_CHANGE_RENEWAL_PREF", subtype: "DOWNGRADE" };
  }

  refund(at: number): Occurrence {
    if (this.current.revocationDate !== undefined) throw new NotPossible("it is refunded already");
    this.current.revocationDate = at;
    this.current.revocationReason = 0;
    this.autoRenew = false;
    return { type: "REFUND" };
  }

  reverseRefund(): Occurrence {
    if (this.current.revocationDate === undefined) throw new NotPossible("it is not refunded");
    delete this.current.revocationDate;
    delete this.current.revocationReason;
    return { type: "REFUND_REVERSED" };
  }

  /** The current period ends now at the latest, and nothing follows. */
  expire(at: number): Occurrence {
    this.#requireStatus([1, 2, 3, 4], at, "expire");
    const isUnpaid = this.#state !== "active";
    this.#endPeriod(at);
    this.#state = "expired";
    this.autoRenew = false;
    this.#expirationIntent = isUnpaid ? Intent.billingError : Intent.cancelled;
    return { type: "EXPIRED", subtype: isUnpaid ? "BILLING_RETRY" : "VOLUNTARY" };
  }

  /** Bought again after it had expired, or was refunded. */
  resubscribe(productId: string, at: number): Occurrence {
    this.#requireStatus([2, 5], at, "resubscribe to");
    this.renewsAs = productId;
    this.#begin(at, at, productId, "PURCHASE");
    return { type: "SUBSCRIBED", subtype: "RESUBSCRIBE" };
  }

  /** All of it happened so much earlier. */
  age(milliseconds: number): void {
    const dates = ["purchaseDate", "originalPurchaseDate", "expiresDate", "revocationDate"] as const;
    for (const transaction of this.transactions) {
      for (const date of dates) {
        if (transaction[date] !== undefined) transaction[date] -= milliseconds;
      }
    }
    if (this.#graceEndsAt !== undefined) this.#graceEndsAt -= milliseconds;
  }

  #requireStatus(allowed: readonly number[], at: number, verb: string): void {
    const status = this.statusAt(at);
    if (status === null) throw new NotPossible(`cannot ${verb} what is bought once`);
    if (!allowed.includes(status)) throw new NotPossible(`cannot ${verb} a subscription of status ${status}`);
  }

  #endPeriod(at: number): void {
    this.current.expiresDate = Math.min(this.current.expiresDate!, at);
  }

  #begin(at: number, from: number, productId: string, reason: Transaction["transactionReason"]): void {
    this.transactions.push({
      transactionId: this.#nextId(),
      originalTransactionId: this.originalTransactionId,
      productId,
      purchaseDate: at,
      originalPurchaseDate: this.transactions[0]!.originalPurchaseDate,
      expiresDate: from + this.periodMs!,
      price: PRICE_MILLIUNITS,
      transactionReason: reason,
    });
    this.#state = "active";
    this.autoRenew = true;
    this.#graceEndsAt = undefined;
    this.#expirationIntent = undefined;
  }
}
