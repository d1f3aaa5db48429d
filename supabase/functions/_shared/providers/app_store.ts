/**
 * The App Store: signatures of receipts and notifications are verified locally. If the App Store Server API is
 * configured, it is queried for the current state of a subscription.
 */
import type { Config } from "../config.ts";
import { ApiError } from "../errors.ts";
import type { AppStoreConfig } from "../provider_settings.ts";
import { hexOf, sha256 } from "./app_store/bytes.ts";
import {
  factsOf,
  isAutoRenewable,
  keptPayload,
  type Purchase,
  purchaseOf,
  statement,
  timeAt,
} from "./app_store/facts.ts";
import { readNotification } from "./app_store/notifications.ts";
import { certificateStatus } from "./app_store/ocsp.ts";
import type { RenewalPayload } from "./app_store/payloads.ts";
import { kindOf, purchasesIn, ReceiptError } from "./app_store/receipt.ts";
import { ServerApi, type ServerApiOptions, type StatusItem } from "./app_store/server_api.ts";
import { type Environment, SignedData, SignedDataError } from "./app_store/signed_data.ts";
import { CredentialsRejected, ProviderDown, Refused } from "./calls/errors.ts";
import type { KnownSubscription, Receipt, Store, StoreStatement, SubscriptionFacts } from "./store.ts";

export interface AppStore extends Store {
  /**
   * Verifies the signatures of an App Store Server Notification and returns its statement. Null if it is not about a
   * subscription. Throws `iap_invalid` for a forged notification, and `service_unavailable`.
   */
  readNotification(signedPayload: string): Promise<StoreStatement | null>;
}

/**
 * For this time after its signature, a transaction is accepted even if the App Store Server API does not know it yet.
 */
const FRESH_MS = 24 * 3600_000;
/** The clock of the store may be ahead of ours by so much. A later time is not believed. */
const CLOCK_SKEW_MS = 60_000;
const NO_STATUS = "the App Store does not list a subscription of that transaction";
const OTHER_TRANSACTION = "the App Store responded with another transaction than requested";
/** Retry delay if the App Store does not return one. */
const RETRY_SECONDS = 15;

/** One per process, because it caches the API token and verified certificate chains. */
export function appStore(config: () => Config, options: ServerApiOptions = {}): AppStore {
  let opened: AppStoreClient | undefined;
  const client = () => opened ??= open(config(), options);
  return {
    verify: (receipt) => withApiErrors(async () => limited(config(), await client().verify(receipt))),
    read: (subscription) => withApiErrors(async () => limited(config(), await client().read(subscription))),
    readNotification: (signedPayload) =>
      withApiErrors(async () => {
        const statement = await client().readNotification(signedPayload);
        return statement && limited(config(), statement);
      }),
    acknowledge: () => Promise.resolve(),
  };
}

function open({ providers: { appStore } }: Config, options: ServerApiOptions): AppStoreClient {
  if (appStore !== null) return new AppStoreClient(appStore, options);
  throw notConfigured();
}

/** Purchases in the sandbox are for testers only, if the settings name any. */
function limited({ providers: { appStore } }: Config, statement: StoreStatement): StoreStatement {
  const testers = appStore?.sandboxTesters ?? [];
  if (statement.facts.environment === "Production" || testers.length === 0) return statement;
  return { ...statement, limited_to: testers };
}

function notConfigured(): ApiError {
  return new ApiError("service_unavailable", { details: { reason: "not_configured" } });
}

async function withApiErrors<Result>(operation: () => Promise<Result>): Promise<Result> {
  try {
    return await operation();
  } catch (cause) {
    if (cause instanceof SignedDataError || cause instanceof ReceiptError || cause instanceof Refused) {
      throw new ApiError("iap_invalid", { cause });
    }
    const isDown = cause instanceof ProviderDown || cause instanceof CredentialsRejected;
    if (!isDown) throw cause;
    const seconds = cause instanceof ProviderDown ? cause.retryAfter ?? RETRY_SECONDS : RETRY_SECONDS;
    throw new ApiError("service_unavailable", { headers: { "Retry-After": String(seconds) }, cause });
  }
}

/** State of a subscription according to the API. */
interface CurrentState {
  readonly transaction: Purchase;
  readonly renewal: RenewalPayload | null;
  readonly status: number | null;
}

class AppStoreClient {
  readonly #config: AppStoreConfig;
  readonly #signed: SignedData;
  readonly #api: ServerApi | null;

  constructor(config: AppStoreConfig, options: ServerApiOptions) {
    this.#config = config;
    this.#signed = new SignedData(config, config.onlineChecks ? { status: certificateStatus() } : {});
    this.#api = config.api && new ServerApi(config.api, config.bundleId, options);
  }

  async verify({ receipt, product_id, transaction_id }: Receipt): Promise<StoreStatement> {
    const text = receipt.trim();
    const isSigned = kindOf(text) === "signed";
    const purchase = isSigned
      ? purchaseOf(await this.#signed.transaction(text))
      : await this.#listedPurchase(text, product_id, transaction_id);
    if (purchase.productId !== product_id) throw new ReceiptError("the receipt is for another product");
    if (transaction_id !== undefined && purchase.transactionId !== transaction_id) {
      throw new ReceiptError("the receipt is for another transaction");
    }
    const current = await this.#currentState(purchase);
    const receipt_hash = hexOf(await sha256(new TextEncoder().encode(text)));
    const statement = current === null
      ? statementOfReceipt(purchase, receipt_hash)
      : statementOfResponse(current, receipt_hash);
    // The date of the receipt itself. A transaction from the API was signed at the request.
    const proof = isSigned ? { kind: "signature", signed_at: timeAt(purchase.signedDate) } as const : null;
    return { ...statement, proof };
  }

  async read({ subscription_key, environment, facts }: KnownSubscription): Promise<StoreStatement> {
    if (this.#api === null) throw notConfigured();
    try {
      const current = await this.#subscription(this.#api, environment, subscription_key) ??
        await this.#transaction(this.#api, environment, subscription_key);
      if (current.status === null && isAutoRenewable(current.transaction)) throw new ProviderDown(NO_STATUS);
      return statementOfResponse(current, null);
    } catch (error) {
      if (!(error instanceof Refused) || facts === null) throw error;
      // A renewal may be known before it begins.
      if (Date.parse(facts.started_at) > Date.now() - FRESH_MS) {
        throw new ProviderDown("the App Store does not know the transaction yet", { cause: error });
      }
      return deletedStatement(subscription_key, facts);
    }
  }

  async readNotification(signedPayload: string): Promise<StoreStatement | null> {
    return await readNotification(this.#signed, signedPayload);
  }

  /** The purchase in an old receipt, as returned by the API. */
  async #listedPurchase(receipt: string, productId: string, wanted: string | undefined): Promise<Purchase> {
    const listed = purchasesIn(receipt);
    const purchase = wanted === undefined
      ? listed.findLast((each) => each.productId === null || each.productId === productId)
      : listed.find(({ transactionId }) => transactionId === wanted);
    if (!purchase || !/^\d{1,20}$/.test(purchase.transactionId)) {
      throw new ReceiptError("the receipt does not list the purchase");
    }
    if (this.#api === null) throw notConfigured();
    return await this.#transactionAnywhere(this.#api, purchase.transactionId);
  }

  /** Production first. Until the app is released, Production rejects the key. */
  async #transactionAnywhere(api: ServerApi, id: string): Promise<Purchase> {
    let failure: unknown;
    for (const environment of this.#config.environments) {
      try {
        return (await this.#transaction(api, environment, id)).transaction;
      } catch (error) {
        if (!(error instanceof Refused) && !(error instanceof CredentialsRejected)) throw error;
        failure = failure instanceof CredentialsRejected ? failure : error;
      }
    }
    throw failure;
  }

  /**
   * Current state of a purchase according to the API. Null without API, or if the API does not know the purchase yet.
   */
  async #currentState(purchase: Purchase): Promise<CurrentState | null> {
    const current = this.#api === null ? null : await this.#queryApi(this.#api, purchase);
    // The transaction that replaced it is unknown here. The app has that signed transaction.
    if (current === null && purchase.isUpgraded) throw new ReceiptError("another transaction has taken its place");
    return current;
  }

  async #queryApi(api: ServerApi, purchase: Purchase): Promise<CurrentState | null> {
    const { environment, transactionId, originalTransactionId, signedDate } = purchase;
    let failure = new Refused("unknown", NO_STATUS);
    try {
      if (!isAutoRenewable(purchase)) return await this.#transaction(api, environment, transactionId);
      const current = await this.#subscription(api, environment, originalTransactionId);
      if (current !== null) return current;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      failure = error;
    }
    if (signedDate > Date.now() - FRESH_MS && signedDate <= Date.now() + CLOCK_SKEW_MS) return null;
    throw failure;
  }

  /** The subscription of this original transaction. Null if the API does not list it, which can happen. */
  async #subscription(api: ServerApi, environment: Environment, originalId: string): Promise<CurrentState | null> {
    const items = await api.subscriptions(environment, originalId);
    const item = items.find(({ originalTransactionId }) => originalTransactionId === originalId);
    return item?.signedTransactionInfo === undefined ? null : await this.#verifiedItem(item, environment);
  }

  async #verifiedItem(item: StatusItem, environment: Environment): Promise<CurrentState> {
    const { originalTransactionId, signedTransactionInfo, signedRenewalInfo, status } = item;
    const transaction = await this.#verifiedTransaction(signedTransactionInfo!, environment);
    const renewal = signedRenewalInfo === undefined
      ? null
      : await withoutSignedDataError(() => this.#signed.renewal(signedRenewalInfo, [environment]));
    const isOfAnother = transaction.originalTransactionId !== originalTransactionId ||
      (renewal !== null && renewal.originalTransactionId !== originalTransactionId);
    if (isOfAnother) throw new ProviderDown(OTHER_TRANSACTION);
    return { transaction, renewal, status: status ?? null };
  }

  async #transaction(api: ServerApi, environment: Environment, id: string): Promise<CurrentState> {
    const transaction = await this.#verifiedTransaction(await api.transaction(environment, id), environment);
    if (transaction.transactionId !== id) throw new ProviderDown(OTHER_TRANSACTION);
    return { transaction, renewal: null, status: null };
  }

  async #verifiedTransaction(signedTransaction: string, environment: Environment): Promise<Purchase> {
    return await withoutSignedDataError(async () =>
      purchaseOf(await this.#signed.transaction(signedTransaction, [environment]))
    );
  }
}

/** A response without a valid signature is a failure of the API, not of the client. */
async function withoutSignedDataError<Result>(verify: () => Promise<Result>): Promise<Result> {
  try {
    return await verify();
  } catch (cause) {
    if (!(cause instanceof SignedDataError)) throw cause;
    throw new ProviderDown("the response of the App Store does not have its signature", { cause });
  }
}

/** State according to the receipt alone. It does not change, except at the end of the period. */
function statementOfReceipt(purchase: Purchase, receipt_hash: string): StoreStatement {
  const { transactionId, signedDate, purchaseDate, expiresDate = Infinity, revocationDate } = purchase;
  const signedFacts = { transaction: purchase, renewal: null, status: null, at: Date.now() };
  const facts = factsOf(signedFacts);
  // It has no information after its period, even if it was signed later.
  const isOld = expiresDate <= signedDate && revocationDate === undefined;
  return statement({
    event_id: `transaction:${transactionId}:${signedDate}${facts.status === "expired" ? ":expired" : ""}`,
    type: null,
    subtype: null,
    occurred_at: timeAt(isOld ? purchaseDate : signedDate),
    facts,
    payload: keptPayload(signedFacts),
    receipt_hash,
  });
}

function statementOfResponse(current: CurrentState, receipt_hash: string | null): StoreStatement {
  const { transactionId, signedDate } = current.transaction;
  const at = Math.max(signedDate, current.renewal?.signedDate ?? 0);
  const signedFacts = { ...current, at };
  return statement({
    event_id: `status:${transactionId}:${current.status ?? "none"}:${at}`,
    type: null,
    subtype: null,
    occurred_at: timeAt(at),
    facts: factsOf(signedFacts),
    payload: keptPayload(signedFacts),
    receipt_hash,
  });
}

/** For a purchase that the App Store no longer knows. */
function deletedStatement(subscription_key: string, facts: SubscriptionFacts): StoreStatement {
  const now = timeAt(Date.now());
  const ended = { status: "expired", auto_renewing: false, next_billing_date: null } as const;
  return statement({
    event_id: `forgotten:${subscription_key}:${now}`,
    type: null,
    subtype: null,
    occurred_at: now,
    facts: { ...facts, ...ended, external_subscription_id: subscription_key },
    payload: {},
    receipt_hash: null,
  });
}
