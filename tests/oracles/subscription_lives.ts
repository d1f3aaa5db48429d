// Random lives of subscriptions in both stores, as the statements that their clients record in the ledger.
import { factsOf, keptPayload, statement, timeAt } from "../../supabase/functions/_shared/providers/app_store/facts.ts";
import type { RenewalPayload } from "../../supabase/functions/_shared/providers/app_store/payloads.ts";
import {
  notifiedStatement,
  type PurchaseNotification,
} from "../../supabase/functions/_shared/providers/google_play/notifications.ts";
import { sha256, subscriptionStatement } from "../../supabase/functions/_shared/providers/google_play/purchases.ts";
import type { StoreStatement } from "../../supabase/functions/_shared/providers/store.ts";
import type { Chance } from "../support/random.ts";

export const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MONTH_MS = 30 * DAY_MS;
const GRACE_MS = 6 * DAY_MS;

export interface LifeOptions {
  readonly now: number;
  /** Products that are plans; the first statement of a purchase names one of these. */
  readonly products: readonly string[];
  /** A product that is no plan. */
  readonly unknownProduct: string;
  /** The account that the app names at each purchase. */
  readonly accountToken: string | null;
}

type State = "pending" | "active" | "grace" | "on_hold" | "paused" | "expired" | "revoked" | "never_paid";

interface Purchase {
  readonly id: string;
  readonly bought: number;
  readonly linked: string | null;
  product: string;
  state: State;
  periodStarted: number;
  expires: number;
  renews: boolean;
  isTrial: boolean;
  isAcknowledged: boolean;
  revokedAt: number | null;
  transactions: number;
}

interface Word {
  /** The App Store's type of the notification. */
  readonly apple: string;
  readonly google: number;
}

/** What happens next in a state: a chance of each, and whether it waits for the end of the period. */
const NEXT: Readonly<Record<State, readonly (readonly [name: string, weight: number, atEnd: boolean])[]>> = {
  pending: [["pay", 3, false], ["fall_through", 1, false]],
  active: [
    ["renew", 6, true],
    ["fail_into_grace", 2, true],
    ["fail_into_hold", 1, true],
    ["expire", 2, true],
    ["pause", 1, true],
    ["switch_renewal", 2, false],
    ["change_product", 2, false],
    ["refund", 1, false],
  ],
  grace: [["recover", 2, false], ["fail_into_hold", 1, true]],
  on_hold: [["recover", 2, false], ["expire", 1, false]],
  paused: [["recover", 2, false], ["expire", 1, false]],
  expired: [["buy_again", 1, false]],
  revoked: [["reverse", 1, false], ["buy_again", 1, false]],
  never_paid: [["buy_again", 1, false]],
};
const WORDS: Readonly<Record<string, Word>> = {
  buy: { apple: "SUBSCRIBED", google: 4 },
  pay: { apple: "SUBSCRIBED", google: 4 },
  fall_through: { apple: "EXPIRED", google: 20 },
  renew: { apple: "DID_RENEW", google: 2 },
  fail_into_grace: { apple: "DID_FAIL_TO_RENEW", google: 6 },
  fail_into_hold: { apple: "GRACE_PERIOD_EXPIRED", google: 5 },
  recover: { apple: "DID_RENEW", google: 1 },
  expire: { apple: "EXPIRED", google: 13 },
  pause: { apple: "EXPIRED", google: 10 },
  switch_renewal: { apple: "DID_CHANGE_RENEWAL_STATUS", google: 3 },
  change_product: { apple: "DID_CHANGE_RENEWAL_PREF", google: 4 },
  refund: { apple: "REFUND", google: 12 },
  reverse: { apple: "REFUND_REVERSED", google: 7 },
  buy_again: { apple: "SUBSCRIBED", google: 4 },
};
const GOOGLE_TYPES: Readonly<Record<number, string>> = {
  1: "SUBSCRIPTION_RECOVERED",
  2: "SUBSCRIPTION_RENEWED",
  3: "SUBSCRIPTION_CANCELED",
  4: "SUBSCRIPTION_PURCHASED",
  5: "SUBSCRIPTION_ON_HOLD",
  6: "SUBSCRIPTION_IN_GRACE_PERIOD",
  7: "SUBSCRIPTION_RESTARTED",
  10: "SUBSCRIPTION_PAUSED",
  12: "SUBSCRIPTION_REVOKED",
  13: "SUBSCRIPTION_EXPIRED",
  20: "SUBSCRIPTION_PENDING_PURCHASE_CANCELED",
};

/** The statements of one life, in the order in which the store made them. */
export async function randomLife(chance: Chance, isApple: boolean, options: LifeOptions): Promise<StoreStatement[]> {
  const life = new Life(chance, isApple, options);
  await life.run();
  return life.statements;
}

class Life {
  readonly statements: StoreStatement[] = [];
  readonly #chance: Chance;
  readonly #isApple: boolean;
  readonly #options: LifeOptions;
  readonly #purchases: Purchase[] = [];
  #time: number;

  constructor(chance: Chance, isApple: boolean, options: LifeOptions) {
    this.#chance = chance;
    this.#isApple = isApple;
    this.#options = options;
    this.#time = options.now - (30 + chance.below(300)) * DAY_MS - chance.below(HOUR_MS);
  }

  get #current(): Purchase {
    return this.#purchases.at(-1)!;
  }

  async run(): Promise<void> {
    const { now, products } = this.#options;
    this.#buy(this.#chance.pick(products), null, !this.#isApple && this.#chance.below(6) === 0);
    await this.#tell("buy");
    for (;;) {
      const [name, at] = this.#next();
      await this.#read(this.#time, Math.min(at, now));
      if (at >= now) return;
      this.#time = at;
      this.#happen(name);
      await this.#tell(name);
    }
  }

  #next(): [name: string, at: number] {
    const purchase = this.#current;
    const ways = NEXT[purchase.state].filter(([name]) => this.#isPossible(name));
    const [name, , atEnd] = this.#chance.pick(ways.flatMap((way) => Array.from({ length: way[1] }, () => way)));
    const end = purchase.state === "grace" ? purchase.expires + GRACE_MS : purchase.expires;
    if (atEnd) return [name, Math.max(end, this.#time + 1)];
    const at = this.#time + 1 + this.#chance.below(20 * DAY_MS);
    const isRunning = purchase.state === "active" || purchase.state === "grace";
    if (!isRunning || at < end) return [name, at];
    return [purchase.state === "grace" ? "fail_into_hold" : "expire", Math.max(end, this.#time + 1)];
  }

  #isPossible(name: string): boolean {
    const { renews } = this.#current;
    if (name === "renew" || name.startsWith("fail_into")) return renews;
    if (name === "pause") return renews && !this.#isApple;
    if (name === "reverse") return this.#isApple;
    return true;
  }

  #buy(product: string, linked: string | null, isPending = false): void {
    const { below, next } = this.#chance;
    // At Google Play a purchase is a token; at the App Store all purchases of a group are one subscription.
    const id = this.#isApple && this.#purchases.length > 0
      ? this.#current.id
      : `${Math.floor(next() * 1e15)}${Math.floor(next() * 1e9)}`;
    this.#purchases.push({
      id,
      bought: this.#time,
      linked,
      product,
      state: isPending ? "pending" : "active",
      periodStarted: this.#time,
      expires: this.#time + MONTH_MS,
      renews: below(8) > 0,
      isTrial: below(3) === 0,
      isAcknowledged: false,
      revokedAt: null,
      transactions: this.#isApple ? this.#purchases.length + 1 : 1,
    });
  }

  #happen(name: string): void {
    const { products, unknownProduct } = this.#options;
    const purchase = this.#current;
    const startPeriod = (at: number) => {
      Object.assign(purchase, { state: "active", periodStarted: at, expires: at + MONTH_MS, isTrial: false });
      purchase.transactions++;
    };
    switch (name) {
      case "pay":
        return startPeriod(this.#time);
      case "renew":
      case "recover":
        return startPeriod(this.#time);
      case "fail_into_grace":
        purchase.state = "grace";
        return;
      case "fail_into_hold":
        purchase.state = "on_hold";
        return;
      case "pause":
        purchase.state = "paused";
        return;
      case "expire":
        purchase.state = "expired";
        return;
      case "fall_through":
        purchase.state = "never_paid";
        return;
      case "switch_renewal":
        purchase.renews = !purchase.renews;
        return;
      case "refund":
        purchase.state = "revoked";
        purchase.revokedAt = this.#time;
        purchase.expires = this.#isApple ? purchase.expires : this.#time;
        return;
      case "reverse":
        purchase.revokedAt = null;
        purchase.state = purchase.expires > this.#time ? "active" : "expired";
        return;
      case "change_product": {
        const product = this.#chance.below(12) === 0 && this.#isApple ? unknownProduct : this.#chance.pick(products);
        if (this.#isApple) {
          startPeriod(this.#time);
          purchase.product = product;
          return;
        }
        this.#buy(product, purchase.id);
        purchase.state = "expired";
        purchase.expires = this.#time;
        purchase.renews = false;
        return;
      }
      case "buy_again": {
        const isLinked = !this.#isApple && this.#chance.below(2) === 0;
        return this.#buy(this.#chance.pick(products), isLinked ? purchase.id : null);
      }
      default:
        throw new Error(`Nothing happens by ${name}`);
    }
  }

  /** The store's notification, which may be lost; Google's may come twice, and the purchase is read each time. */
  async #tell(name: string): Promise<void> {
    if (this.#chance.below(5) === 0) return;
    const word = WORDS[name]!;
    if (this.#isApple) {
      const { at, ...said } = this.#appleSays(this.#time);
      this.statements.push(statement({
        event_id: `notification:${crypto.randomUUID()}`,
        type: word.apple,
        subtype: null,
        occurred_at: timeAt(at),
        ...said,
        receipt_hash: null,
      }));
      return;
    }
    const purchase = this.#current;
    const { now } = this.#options;
    const notification: PurchaseNotification = {
      kind: "subscription",
      message_id: crypto.randomUUID(),
      event_time: timeAt(this.#time),
      notification_type: GOOGLE_TYPES[word.google]!,
      purchase_token: purchase.id,
      subscription_key: await sha256(purchase.id),
      product_id: purchase.product,
      order_id: null,
    };
    const times = this.#chance.below(8) === 0 ? 2 : 1;
    for (let nth = 0; nth < times; nth++) {
      const at = Math.min(this.#time + this.#chance.below(2) * this.#chance.below(60_000), now);
      this.statements.push(notifiedStatement(notification, await this.#googleSays(purchase, at)));
    }
  }

  /** Answers to questions between two moments; now and then several at one. */
  async #read(from: number, to: number): Promise<void> {
    for (let left = this.#chance.below(4); left > 0; left--) {
      const at = this.#chance.below(6) === 0 ? from : from + this.#chance.below(to - from);
      if (this.#isApple) {
        const { at: signed, ...said } = this.#appleSays(at);
        this.statements.push(statement({
          event_id: `status:${this.#current.id}:${said.facts.status}:${signed}:${said.facts.product_id}`,
          type: null,
          subtype: null,
          occurred_at: timeAt(signed),
          ...said,
          receipt_hash: null,
        }));
        continue;
      }
      if (this.#chance.below(3) === 0) this.#current.isAcknowledged = true;
      const purchase = this.#chance.below(4) === 0 ? this.#chance.pick(this.#purchases) : this.#current;
      this.statements.push(await this.#googleSays(purchase, at));
    }
  }

  #appleSays(at: number) {
    const { now: _, accountToken } = this.#options;
    const { id, product, state, periodStarted, expires, renews, isTrial, revokedAt, transactions } = this.#current;
    const transaction = {
      originalTransactionId: id,
      transactionId: `${id}-${transactions}`,
      productId: product,
      purchaseDate: periodStarted,
      originalPurchaseDate: this.#purchases[0]!.bought,
      expiresDate: expires,
      type: "Auto-Renewable Subscription",
      signedDate: at,
      environment: "Production" as const,
      ...(isTrial && { offerType: 1, offerDiscountType: "FREE_TRIAL" }),
      ...(revokedAt !== null && { revocationDate: revokedAt }),
      ...(accountToken !== null && { appAccountToken: accountToken }),
    };
    const renewal: RenewalPayload = {
      autoRenewStatus: renews ? 1 : 0,
      signedDate: at,
      ...(state === "grace" && { gracePeriodExpiresDate: expires + GRACE_MS }),
    };
    const status = { active: 1, expired: 2, on_hold: 3, grace: 4, revoked: 5 }[state as string] ?? 6;
    const said = { transaction, renewal, status, at };
    return { at, facts: factsOf(said), payload: keptPayload(said) };
  }

  async #googleSays(purchase: Purchase, at: number): Promise<StoreStatement> {
    const { accountToken } = this.#options;
    const { id, product, state, expires, renews, isTrial, isAcknowledged, linked, bought, transactions } = purchase;
    const states: Readonly<Record<State, string>> = {
      pending: "PENDING",
      active: renews ? "ACTIVE" : "CANCELED",
      grace: "IN_GRACE_PERIOD",
      on_hold: "ON_HOLD",
      paused: "PAUSED",
      expired: "EXPIRED",
      revoked: "EXPIRED",
      never_paid: "PENDING_PURCHASE_CANCELED",
    };
    const wasPaid = state !== "pending" && state !== "never_paid";
    const question = {
      subscription: {
        subscription_key: await sha256(id),
        product_id: product,
        environment: "Production" as const,
        purchase_token: id,
        facts: null,
      },
      isReceipt: false,
      requestedAt: new Date(at),
    };
    return await subscriptionStatement(question, {
      startTime: timeAt(bought),
      subscriptionState: `SUBSCRIPTION_STATE_${states[state]}`,
      acknowledgementState: `ACKNOWLEDGEMENT_STATE_${isAcknowledged ? "ACKNOWLEDGED" : "PENDING"}`,
      lineItems: [{
        productId: product,
        ...(wasPaid && {
          expiryTime: timeAt(state === "grace" ? expires + GRACE_MS : expires),
          latestSuccessfulOrderId: `GPA.${id}..${transactions}`,
        }),
        autoRenewingPlan: { autoRenewEnabled: renews },
        ...(isTrial && { offerDetails: { offerId: "month-trial" } }),
      }],
      ...(linked !== null && { linkedPurchaseToken: linked }),
      ...(accountToken !== null && {
        externalAccountIdentifiers: { obfuscatedExternalAccountId: accountToken.toUpperCase() },
      }),
    });
  }
}
