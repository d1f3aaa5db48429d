/** Google Play: purchases (androidpublisher v3) and real-time developer notifications. */
import type { Config } from "../config.ts";
import { ApiError } from "../errors.ts";
import { DEADLINES } from "./calls/deadlines.ts";
import { type PlayAnswer, PlayApi } from "./google_play/api.ts";
import { NotificationReader, type PlayNotification } from "./google_play/notifications.ts";
import {
  deletedStatement,
  OtherProduct,
  productStatement,
  type PurchaseQuery,
  sha256,
  subscriptionStatement,
} from "./google_play/purchases.ts";
import type { KnownSubscription, Receipt, Store, StoreStatement } from "./store.ts";

export interface GooglePlay extends Store {
  /**
   * Verifies the sender of a notification (the parsed body of a Pub/Sub push) and parses it. Its contents are not
   * trusted until the purchase is read: `read`, then `notifiedStatement`. Throws `unauthorized`, `validation_error`
   * (with the field) and `service_unavailable`.
   */
  readNotification(authorization: string | null, body: unknown): Promise<PlayNotification>;
}

/**
 * Tokens of Google have fewer than 200 characters. A token of dots alone is excluded, because tokens become parts of a
 * URL.
 */
const PURCHASE_TOKEN = /^(?!\.{1,2}$)[\x21-\x7e]{1,1000}$/;
const PRODUCT_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,149}$/;

type PurchaseRequest = Omit<PurchaseQuery, "requestedAt">;

/** One per process, because it caches the access token and Google's public keys. */
export function googlePlay(config: () => Config, { timeoutMs = DEADLINES.googlePlay as number } = {}): GooglePlay {
  let store: PlayStore | undefined;
  let reader: NotificationReader | undefined;
  const open = () => store ??= new PlayStore(new PlayApi(requireConfigured(config().providers.play), timeoutMs));
  const openReader = () => {
    const { play, playNotifications } = config().providers;
    return reader ??= new NotificationReader(requireConfigured(playNotifications), requireConfigured(play).packageName);
  };
  return {
    verify: async (receipt) => await open().verify(receipt),
    read: async (subscription) => await open().read(subscription),
    acknowledge: async (subscription) => await open().acknowledge(subscription),
    readNotification: async (authorization, body) => await openReader().read(authorization, body),
  };
}

function requireConfigured<Part>(part: Part | null): Part {
  if (part !== null) return part;
  throw new ApiError("service_unavailable", { details: { reason: "not_configured" } });
}

class PlayStore implements Store {
  readonly #api: PlayApi;

  constructor(api: PlayApi) {
    this.#api = api;
  }

  async verify({ receipt, product_id }: Receipt): Promise<StoreStatement> {
    const purchase_token = checkedToken(receipt);
    const subscription_key = await sha256(purchase_token);
    const environment = "Production";
    const subscription = { subscription_key, product_id, environment, purchase_token, facts: null } as const;
    return await this.#readPurchase({ subscription, isReceipt: true });
  }

  async read(subscription: KnownSubscription): Promise<StoreStatement> {
    const purchase_token = checkedToken(subscription.purchase_token);
    return await this.#readPurchase({ subscription: { ...subscription, purchase_token }, isReceipt: false });
  }

  /** A token does not contain whether it is for a subscription. */
  async #readPurchase(request: PurchaseRequest, deadline = this.#api.deadline()): Promise<StoreStatement> {
    const { product_id, purchase_token } = request.subscription;
    const asSubscription = await this.#api.subscription(purchase_token, deadline);
    if (asSubscription.outcome !== "invalid" || product_id === null || !PRODUCT_ID.test(product_id)) {
      return await statementFrom(request, asSubscription, subscriptionStatement);
    }
    const asProduct = await this.#api.product(product_id, purchase_token, deadline);
    return await statementFrom(request, asProduct, productStatement);
  }

  async acknowledge(subscription: KnownSubscription): Promise<void> {
    const purchase_token = checkedToken(subscription.purchase_token);
    const { product_id } = subscription;
    if (product_id === null || !PRODUCT_ID.test(product_id)) throw invalid("no product id");
    const deadline = this.#api.deadline();
    const read = () =>
      this.#readPurchase({ subscription: { ...subscription, purchase_token }, isReceipt: false }, deadline);
    const asSubscription = await this.#api.acknowledge("subscriptions", product_id, purchase_token, deadline);
    if (asSubscription.outcome === "ok") return;
    // It is already acknowledged, not a subscription, or the product has changed. Reading the purchase shows which.
    const { needs_acknowledgement, facts } = await read();
    if (!needs_acknowledgement) return;
    const kind = facts.access_ends_at === "infinity" ? "products" : "subscriptions";
    const answer = await this.#api.acknowledge(kind, facts.product_id, purchase_token, deadline);
    if (answer.outcome === "ok") return;
    // A concurrent request may have acknowledged it first.
    if ((await read()).needs_acknowledgement) throw invalid(`not acknowledged: ${answer.reason}`);
  }
}

async function statementFrom(
  { subscription, isReceipt }: PurchaseRequest,
  answer: PlayAnswer,
  statementOf: (query: PurchaseQuery, resource: unknown) => Promise<StoreStatement>,
): Promise<StoreStatement> {
  const query = { subscription, isReceipt, requestedAt: answer.requestedAt };
  if (answer.outcome === "ok") {
    return await statementOf(query, answer.resource).catch((error) => {
      throw error instanceof OtherProduct ? invalid("the purchase is for another product") : error;
    });
  }
  if (answer.outcome === "invalid" || subscription.facts === null) throw invalid(answer.reason);
  return await deletedStatement(query, subscription.facts, answer.reason);
}

function checkedToken(token: string | null): string {
  if (token !== null && PURCHASE_TOKEN.test(token)) return token;
  throw invalid("not a purchase token");
}

function invalid(why: string): ApiError {
  return new ApiError("iap_invalid", { cause: new Error(`Google Play: ${why}`) });
}
