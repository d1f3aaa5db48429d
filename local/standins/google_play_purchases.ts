// Purchases as Google Play keeps them: what users, their banks and time do to them, what the interface says of them, and
// which notifications they cause.

/** Of a real-time developer notification, without what all have. */
export type Notification =
  | { readonly subscriptionNotification: Record<string, unknown> }
  | { readonly oneTimeProductNotification: Record<string, unknown> }
  | { readonly voidedPurchaseNotification: Record<string, unknown> };

export interface Order {
  readonly product_id: string;
  readonly base_plan_id?: string | undefined;
  readonly offer_id?: string | undefined;
  /** What the app names at the purchase: obfuscatedExternalAccountId. */
  readonly account_id?: string | undefined;
  readonly one_time?: boolean | undefined;
  readonly prepaid?: boolean | undefined;
  /** By a tester of the app's licence. */
  readonly test?: boolean | undefined;
  /** The payment is not there yet. */
  readonly pending?: boolean | undefined;
  readonly period_seconds?: number | undefined;
}

const DAY_MS = 86_400_000;
const FORGOTTEN_AFTER_MS = 60 * DAY_MS;
const SUBSCRIPTION = {
  RECOVERED: 1,
  RENEWED: 2,
  CANCELED: 3,
  PURCHASED: 4,
  ON_HOLD: 5,
  IN_GRACE_PERIOD: 6,
  RESTARTED: 7,
  PAUSED: 10,
  REVOKED: 12,
  EXPIRED: 13,
  PENDING_PURCHASE_CANCELED: 20,
} as const;
const ONE_TIME = { PURCHASED: 1, CANCELED: 2 } as const;

/** What an action asks of a purchase that it cannot do. */
export class Impossible extends Error {
  override readonly name = "Impossible";
}

export abstract class Purchase {
  readonly token = newToken();
  isAcknowledged = false;
  isForgotten = false;
  /** Requests of the interface: read; acknowledged; acknowledgements that were refused. */
  readonly counts = { reads: 0, acknowledgements: 0, refused_acknowledgements: 0 };
  readonly order: Order;
  protected readonly orderId = newOrderId();

  constructor(order: Order) {
    this.order = order;
  }

  abstract readonly productId: string;
  /** What the interface says. */
  abstract resource(): Record<string, unknown>;
  abstract get canBeAcknowledged(): boolean;
  abstract get latestOrderId(): string | undefined;
  /** The times of the purchase are earlier by so much. */
  abstract age(milliseconds: number): void;
  abstract complete(): Notification[];
  abstract refund(): Notification[];
  abstract bought(): Notification[];

  /** The notification that money went back; `isPartial`: for a part of the quantity. */
  voided(isPartial = false): Notification {
    return {
      voidedPurchaseNotification: {
        purchaseToken: this.token,
        ...(this.latestOrderId && { orderId: this.latestOrderId }),
        productType: this.order.one_time ? 2 : 1,
        refundType: isPartial ? 2 : 1,
      },
    };
  }
}

type State =
  | "PENDING"
  | "ACTIVE"
  | "PAUSED"
  | "IN_GRACE_PERIOD"
  | "ON_HOLD"
  | "CANCELED"
  | "EXPIRED"
  | "PENDING_PURCHASE_CANCELED";

export class Subscription extends Purchase {
  state: State;
  readonly productId: string;
  readonly linkedToken: string | undefined;
  #startsAt: number | undefined;
  #expiresAt: number | undefined;
  #renewals = -1;
  #autoRenews: boolean;
  #resumesAt: number | undefined;
  #canceled: Record<string, unknown> | undefined;

  constructor(order: Order, linkedToken?: string) {
    super(order);
    this.productId = order.product_id;
    this.linkedToken = linkedToken;
    this.#autoRenews = !order.prepaid;
    this.state = "PENDING";
    if (!order.pending) this.#pay();
  }

  get latestOrderId(): string | undefined {
    if (this.#startsAt === undefined) return undefined;
    return this.#renewals < 0 ? this.orderId : `${this.orderId}..${this.#renewals}`;
  }

  get canBeAcknowledged(): boolean {
    return !["PENDING", "PENDING_PURCHASE_CANCELED", "EXPIRED"].includes(this.settle());
  }

  bought(): Notification[] {
    return this.#startsAt === undefined ? [] : [this.#notification("PURCHASED")];
  }

  complete(): Notification[] {
    this.#need("PENDING");
    this.#pay();
    return [this.#notification("PURCHASED")];
  }

  /** A pending purchase that is never paid, or else the end of renewal. */
  cancel(): Notification[] {
    if (this.settle() === "PENDING") {
      this.state = "PENDING_PURCHASE_CANCELED";
      return [this.#notification("PENDING_PURCHASE_CANCELED")];
    }
    this.#need("ACTIVE", "IN_GRACE_PERIOD", "ON_HOLD", "PAUSED");
    const goesOn = this.state === "ACTIVE" || this.state === "IN_GRACE_PERIOD";
    this.#end(goesOn ? "CANCELED" : "EXPIRED", "userInitiatedCancellation", { cancelTime: isoTime(Date.now()) });
    return [this.#notification("CANCELED"), ...(goesOn ? [] : [this.#notification("EXPIRED")])];
  }

  restart(): Notification[] {
    this.#need("CANCELED");
    this.state = "ACTIVE";
    this.#autoRenews = true;
    this.#canceled = undefined;
    return [this.#notification("RESTARTED")];
  }

  renew(): Notification[] {
    this.#need("ACTIVE", "IN_GRACE_PERIOD");
    this.#renewOnce(Math.max(this.#expiresAt!, this.state === "ACTIVE" ? 0 : Date.now()));
    return [this.#notification("RENEWED")];
  }

  /** The payment fails: a grace period, or account hold where there is none. */
  fail(graceSeconds = 3 * 86_400): Notification[] {
    this.#need("ACTIVE");
    if (graceSeconds === 0) return this.hold();
    this.state = "IN_GRACE_PERIOD";
    this.#expiresAt = Date.now() + graceSeconds * 1000;
    return [this.#notification("IN_GRACE_PERIOD")];
  }

  hold(): Notification[] {
    this.#need("ACTIVE", "IN_GRACE_PERIOD");
    this.state = "ON_HOLD";
    this.#expiresAt = Math.min(this.#expiresAt!, Date.now());
    return [this.#notification("ON_HOLD")];
  }

  recover(): Notification[] {
    this.#need("ON_HOLD", "IN_GRACE_PERIOD");
    this.#renewOnce(Date.now());
    return [this.#notification("RECOVERED")];
  }

  pause(seconds = 30 * 86_400): Notification[] {
    this.#need("ACTIVE");
    this.state = "PAUSED";
    this.#expiresAt = Math.min(this.#expiresAt!, Date.now());
    this.#resumesAt = Date.now() + seconds * 1000;
    return [this.#notification("PAUSED")];
  }

  resume(): Notification[] {
    this.#need("PAUSED");
    this.#renewOnce(Date.now());
    return [this.#notification("RECOVERED")];
  }

  expire(): Notification[] {
    this.#need("ACTIVE", "CANCELED", "IN_GRACE_PERIOD", "ON_HOLD", "PAUSED");
    this.#end("EXPIRED", "systemInitiatedCancellation");
    return [this.#notification("EXPIRED")];
  }

  revoke(): Notification[] {
    this.#need("ACTIVE", "CANCELED", "IN_GRACE_PERIOD", "ON_HOLD", "PAUSED", "EXPIRED");
    this.#end("EXPIRED", "developerInitiatedCancellation");
    return [this.#notification("REVOKED")];
  }

  refund(): Notification[] {
    return [...this.revoke(), this.voided()];
  }

  /** Another purchase takes its place, once it is paid. */
  replace(): Notification[] {
    this.#end("EXPIRED", "replacementCancellation");
    return [this.#notification("EXPIRED")];
  }

  age(milliseconds: number): void {
    if (this.#startsAt !== undefined) this.#startsAt -= milliseconds;
    if (this.#expiresAt !== undefined) this.#expiresAt -= milliseconds;
    if (this.#resumesAt !== undefined) this.#resumesAt -= milliseconds;
  }

  /** What time has done by now. Payments succeed unless `fail` says otherwise. */
  settle(): State {
    const now = Date.now();
    if (this.state === "PAUSED" && this.#resumesAt! <= now) this.#renewOnce(this.#resumesAt!);
    if (this.#expiresAt === undefined || this.#expiresAt > now) return this.state;
    if (this.state === "ACTIVE" && this.#autoRenews) {
      while (this.#expiresAt <= now) {
        this.#renewOnce(this.#expiresAt);
      }
    }
    if (this.state === "IN_GRACE_PERIOD") this.state = "ON_HOLD";
    if (this.state === "ACTIVE" || this.state === "CANCELED") this.state = "EXPIRED";
    if (this.state === "EXPIRED" && this.#expiresAt + FORGOTTEN_AFTER_MS < now) this.isForgotten = true;
    return this.state;
  }

  resource(): Record<string, unknown> {
    const state = this.settle();
    const { account_id, test } = this.order;
    const isPending = state === "PENDING" || state === "PENDING_PURCHASE_CANCELED";
    return {
      kind: "androidpublisher#subscriptionPurchaseV2",
      regionCode: "JP",
      ...(this.#startsAt !== undefined && { startTime: isoTime(this.#startsAt) }),
      subscriptionState: `SUBSCRIPTION_STATE_${state}`,
      ...(this.linkedToken !== undefined && { linkedPurchaseToken: this.linkedToken }),
      ...(this.#canceled && { canceledStateContext: this.#canceled }),
      ...(state === "PAUSED" && { pausedStateContext: { autoResumeTime: isoTime(this.#resumesAt!) } }),
      ...(test && { testPurchase: {} }),
      acknowledgementState: `ACKNOWLEDGEMENT_STATE_${this.isAcknowledged ? "ACKNOWLEDGED" : "PENDING"}`,
      ...(account_id !== undefined && { externalAccountIdentifiers: { obfuscatedExternalAccountId: account_id } }),
      lineItems: [this.#lineItem(isPending)],
      etag: `"${crypto.randomUUID()}"`,
    };
  }

  #lineItem(isPending: boolean): Record<string, unknown> {
    const { base_plan_id, offer_id, prepaid } = this.order;
    const recurringPrice = { currencyCode: "JPY", units: "480" };
    return {
      productId: this.productId,
      ...(this.#expiresAt !== undefined && { expiryTime: isoTime(this.#expiresAt) }),
      ...(this.latestOrderId !== undefined && { latestSuccessfulOrderId: this.latestOrderId }),
      ...(prepaid
        ? { prepaidPlan: isPending ? {} : { allowExtendAfterTime: isoTime(this.#startsAt!) } }
        : { autoRenewingPlan: { ...(this.#autoRenews && { autoRenewEnabled: true }), recurringPrice } }),
      offerDetails: { basePlanId: base_plan_id ?? "monthly", ...(offer_id !== undefined && { offerId: offer_id }) },
      ...(this.#isInTrial && { offerPhase: { freeTrial: {} } }),
    };
  }

  get #isInTrial(): boolean {
    return this.#renewals < 0 && /trial/.test(this.order.offer_id ?? "");
  }

  get #periodMs(): number {
    return (this.order.period_seconds ?? 30 * 86_400) * 1000;
  }

  #pay(): void {
    this.state = "ACTIVE";
    this.#startsAt = Date.now();
    this.#expiresAt = this.#startsAt + this.#periodMs;
  }

  #renewOnce(from: number): void {
    this.state = "ACTIVE";
    this.#renewals++;
    this.#expiresAt = from + this.#periodMs;
    this.#resumesAt = undefined;
  }

  #end(state: "CANCELED" | "EXPIRED", why: string, context: Record<string, unknown> = {}): void {
    this.state = state;
    this.#autoRenews = false;
    this.#resumesAt = undefined;
    this.#canceled ??= { [why]: context };
    if (state === "EXPIRED") this.#expiresAt = Math.min(this.#expiresAt ?? Infinity, Date.now());
  }

  #need(...states: readonly State[]): void {
    const state = this.settle();
    if (!states.includes(state)) throw new Impossible(`the subscription is ${state}, not ${states.join(" or ")}`);
  }

  #notification(type: keyof typeof SUBSCRIPTION): Notification {
    return {
      subscriptionNotification: {
        version: "1.0",
        notificationType: SUBSCRIPTION[type],
        purchaseToken: this.token,
        subscriptionId: this.productId,
      },
    };
  }
}

export class OneTimePurchase extends Purchase {
  readonly productId: string;
  #state: "PURCHASED" | "CANCELED" | "PENDING";
  #boughtAt = Date.now();

  constructor(order: Order) {
    super(order);
    this.productId = order.product_id;
    this.#state = order.pending ? "PENDING" : "PURCHASED";
  }

  get latestOrderId(): string | undefined {
    return this.#state === "PENDING" ? undefined : this.orderId;
  }

  get canBeAcknowledged(): boolean {
    return this.#state === "PURCHASED";
  }

  bought(): Notification[] {
    return this.#state === "PURCHASED" ? [this.#notification("PURCHASED")] : [];
  }

  complete(): Notification[] {
    if (this.#state !== "PENDING") throw new Impossible(`the purchase is ${this.#state}, not PENDING`);
    this.#state = "PURCHASED";
    return this.bought();
  }

  cancel(): Notification[] {
    if (this.#state !== "PENDING") throw new Impossible(`the purchase is ${this.#state}, not PENDING`);
    this.#state = "CANCELED";
    return [this.#notification("CANCELED")];
  }

  refund(): Notification[] {
    this.#state = "CANCELED";
    return [this.voided()];
  }

  age(milliseconds: number): void {
    this.#boughtAt -= milliseconds;
  }

  resource(): Record<string, unknown> {
    const { account_id, test } = this.order;
    return {
      kind: "androidpublisher#productPurchase",
      purchaseTimeMillis: `${this.#boughtAt}`,
      purchaseState: ["PURCHASED", "CANCELED", "PENDING"].indexOf(this.#state),
      consumptionState: 0,
      developerPayload: "",
      ...(this.latestOrderId !== undefined && { orderId: this.latestOrderId }),
      ...(test && { purchaseType: 0 }),
      acknowledgementState: this.isAcknowledged ? 1 : 0,
      regionCode: "JP",
      ...(account_id !== undefined && { obfuscatedExternalAccountId: account_id }),
    };
  }

  #notification(type: keyof typeof ONE_TIME): Notification {
    return {
      oneTimeProductNotification: {
        version: "1.0",
        notificationType: ONE_TIME[type],
        purchaseToken: this.token,
        sku: this.productId,
      },
    };
  }
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Google's have a part in lower case, a dot, and a part in base64url. */
function newToken(): string {
  const letters = [...crypto.getRandomValues(new Uint8Array(24))].map((byte) => String.fromCharCode(97 + byte % 26));
  const bytes = crypto.getRandomValues(new Uint8Array(96));
  return `${letters.join("")}.AO-J1${bytes.toBase64({ alphabet: "base64url", omitPadding: true })}`;
}

function newOrderId(): string {
  const digits = [...crypto.getRandomValues(new Uint8Array(17))].map((byte) => byte % 10).join("");
  return `GPA.${digits.slice(0, 4)}-${digits.slice(4, 8)}-${digits.slice(8, 12)}-${digits.slice(12)}`;
}
