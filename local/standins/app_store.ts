// The App Store: the Server API for production and sandbox, as strict as the original, and the store's side of purchases.
// Keys and certificates are made at start.
//
//   GET  /control/app-store    what was received: {requests, by_transaction: {id: requests}}
//   POST /control/app-store    one action: buy, renew, fail, end_grace, recover, cancel, enable, upgrade, downgrade, refund,
//                              reverse_refund, expire, resubscribe, age, read, receipts, test_notification, sign, script
//                              (app_store/control.ts has the fields). What happens to a purchase answers {subscription,
//                              signed_transaction, signed_renewal_info, notification, delivered}
import { exportPKCS8 } from "jose/key/export";
import { generateKeyPair } from "jose/key/generate/keypair";
import { jwtVerify } from "jose/jwt/verify";
import { type Chain, makeChain, pemOf, signCompact, x5cOf } from "./app_store/certificates.ts";
import { type Answer, Control, type LifeEvent } from "./app_store/control.ts";
import { type Environment, Life, NotPossible, type Occurrence, type Transaction } from "./app_store/lives.ts";
import { appReceipt, transactionReceipt } from "./app_store/receipts.ts";

export const BUNDLE_ID = "jp.example.parking";
const ISSUER_ID = "57246542-96fe-1a63-e053-0824d011072a";
const KEY_ID = "STANDIN001";
const AUDIENCE = "appstoreconnect-v1";
const GROUP = "21000001";
const MAX_TOKEN_SECONDS = 3600;
const PERIOD_SECONDS = 30 * 24 * 3600;
const NOTIFICATION_TIMEOUT_MS = 10_000;

const ERROR_MESSAGES: Readonly<Record<number, string>> = {
  4000006: "Invalid transaction id.",
  4040010: "Transaction id not found.",
  4290000: "Rate limit exceeded.",
  5000000: "An unknown error occurred.",
  5000001: "An unknown error occurred. Please try again.",
};

interface Keys {
  readonly chain: Chain;
  readonly publicKey: Awaited<ReturnType<typeof generateKeyPair>>["publicKey"];
  readonly privateKey: string;
}

export class AppStoreStandIn {
  readonly #keys: Keys;
  readonly #notificationsUrl: string | undefined;
  readonly #lives = new Map<string, Life>();
  /** All ids of transactions, with what they belong to. */
  readonly #byTransaction = new Map<string, Life>();
  readonly #scripts = new Map<string, { readonly answer: Answer; left: number }[]>();
  readonly #requests = new Map<string, number>();
  #nextId = 2_000_000_000_000_000 + Math.floor(Math.random() * 1e12) * 1000;
  #clock = 0;

  private constructor(keys: Keys, notificationsUrl: string | undefined) {
    this.#keys = keys;
    this.#notificationsUrl = notificationsUrl;
  }

  /** `notificationsUrl`: where the service takes its notifications. */
  static async make(notificationsUrl?: string): Promise<AppStoreStandIn> {
    const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
    const keys = { chain: await makeChain(), publicKey, privateKey: await exportPKCS8(privateKey) };
    return new AppStoreStandIn(keys, notificationsUrl);
  }

  get chain(): Chain {
    return this.#keys.chain;
  }

  /** The settings that point the service here; `url` is where `handle` answers below /production and /sandbox. */
  environment(url: string): Record<string, string> {
    return {
      APP_STORE_BUNDLE_ID: BUNDLE_ID,
      APP_STORE_ROOT_CERTIFICATES: pemOf(this.#keys.chain.root),
      APP_STORE_ISSUER_ID: ISSUER_ID,
      APP_STORE_KEY_ID: KEY_ID,
      APP_STORE_PRIVATE_KEY: this.#keys.privateKey,
      APP_STORE_API_URL: `${url}/production`,
      APP_STORE_SANDBOX_API_URL: `${url}/sandbox`,
    };
  }

  /** The Server API of an environment. */
  async handle(environment: Environment, request: Request, path: string): Promise<Response> {
    const [, resource, id] = /^\/inApps\/v1\/(subscriptions|transactions)\/([^/]+)$/.exec(path) ?? [];
    if (resource === undefined || id === undefined || request.method !== "GET") {
      return new Response(null, { status: 404 });
    }
    this.#requests.set(id, (this.#requests.get(id) ?? 0) + 1);
    if (!await this.#isAuthorized(request)) return new Response(null, { status: 401 });
    const scripted = this.#scripted(id);
    if (scripted) {
      await delay(scripted.delay_ms ?? 0, request.signal);
      const response = responseOf(scripted);
      if (response) return response;
    }
    if (!/^\d+$/.test(id)) return failure(400, 4000006);
    const life = this.#byTransaction.get(id);
    if (life?.environment !== environment) return failure(404, 4040010);
    return Response.json(
      resource === "subscriptions" ? await this.#statuses(life) : await this.#transactionAnswer(life, id),
    );
  }

  async control(request: Request): Promise<Response> {
    if (request.method === "GET") {
      const requests = [...this.#requests.values()].reduce((sum, count) => sum + count, 0);
      return Response.json({ requests, by_transaction: Object.fromEntries(this.#requests) });
    }
    const parsed = Control.safeParse(await request.json().catch(() => null));
    if (request.method !== "POST" || !parsed.success) return new Response(parsed.error?.message, { status: 400 });
    try {
      return Response.json(await this.#act(parsed.data));
    } catch (error) {
      if (!(error instanceof NotPossible)) throw error;
      return new Response(error.message, { status: 409 });
    }
  }

  async #act(control: Control): Promise<unknown> {
    switch (control.action) {
      case "buy":
        return await this.#buy(control);
      case "age": {
        const life = this.#life(control.original_transaction_id);
        life.age(control.seconds * 1000);
        return await this.#state(life, this.#now());
      }
      case "read": {
        const life = this.#life(control.original_transaction_id);
        return await this.#state(life, control.at ?? this.#now(), control.transaction_id);
      }
      case "receipts":
        return this.#receipts(this.#life(control.original_transaction_id));
      case "test_notification": {
        const signedPayload = await this.#notification({ type: "TEST" }, null, control.at ?? this.#now());
        return await this.#delivered(signedPayload, control.send);
      }
      case "sign":
        return { signed: await this.#sign(control.payload) };
      case "script":
        this.#scripts.set(
          control.transaction_id ?? "",
          control.answers.map((answer) => ({ answer, left: answer.times ?? 1 })),
        );
        return {};
      default: {
        const life = this.#life(control.original_transaction_id);
        const at = control.at ?? this.#now();
        return await this.#happened(life, happen(life, control, at), at, control.send);
      }
    }
  }

  async #buy(control: Extract<Control, { action: "buy" }>): Promise<unknown> {
    const at = control.at ?? this.#now();
    const life = new Life(
      {
        productId: control.product_id,
        environment: control.environment ?? "Production",
        accountToken: control.account_token ?? null,
        periodMs: control.one_time ? null : (control.period_seconds ?? PERIOD_SECONDS) * 1000,
        isTrial: control.trial ?? false,
      },
      at,
      () => String(this.#nextId++),
    );
    this.#lives.set(life.originalTransactionId, life);
    return await this.#happened(life, life.bought(), at, control.send);
  }

  #life(id: string): Life {
    const life = this.#lives.get(id);
    if (life === undefined) throw new NotPossible("there is no such purchase");
    return life;
  }

  async #happened(life: Life, occurrence: Occurrence, at: number, send: boolean | string | undefined) {
    for (const { transactionId } of life.transactions) this.#byTransaction.set(transactionId, life);
    const signedPayload = await this.#notification(occurrence, life, at);
    return { ...await this.#state(life, at), ...await this.#delivered(signedPayload, send) };
  }

  async #state(life: Life, at: number, transactionId = life.current.transactionId): Promise<Record<string, unknown>> {
    const transaction = life.transactions.find((each) => each.transactionId === transactionId);
    if (transaction === undefined) throw new NotPossible("there is no such transaction");
    const { expiresDate } = life.current;
    return {
      subscription: {
        original_transaction_id: life.originalTransactionId,
        transaction_id: transactionId,
        product_id: transaction.productId,
        environment: life.environment,
        status: life.statusAt(at),
        auto_renew: life.autoRenew,
        expires_at: expiresDate === undefined ? null : new Date(expiresDate).toISOString(),
      },
      signed_transaction: await this.#signTransaction(life, transaction, at),
      signed_renewal_info: await this.#signRenewal(life, at),
    };
  }

  #receipts(life: Life): Record<string, string> {
    const { transactionId, originalTransactionId, productId } = life.current;
    const entry = { transactionId, originalTransactionId, productId };
    return {
      app: appReceipt(BUNDLE_ID, life.transactions, "app"),
      xcode: appReceipt(BUNDLE_ID, life.transactions, "xcode"),
      transaction: transactionReceipt(BUNDLE_ID, entry),
    };
  }

  async #statuses(life: Life): Promise<Record<string, unknown>> {
    const at = this.#now();
    const lastTransactions = life.periodMs === null ? [] : [{
      originalTransactionId: life.originalTransactionId,
      status: life.statusAt(at),
      signedTransactionInfo: await this.#signTransaction(life, life.current, at),
      signedRenewalInfo: await this.#signRenewal(life, at),
    }];
    const data = lastTransactions.length === 0 ? [] : [{ subscriptionGroupIdentifier: GROUP, lastTransactions }];
    return { environment: life.environment, bundleId: BUNDLE_ID, data };
  }

  async #transactionAnswer(life: Life, id: string): Promise<Record<string, unknown>> {
    const transaction = life.transactions.find(({ transactionId }) => transactionId === id)!;
    return { signedTransactionInfo: await this.#signTransaction(life, transaction, this.#now()) };
  }

  async #signTransaction(life: Life, transaction: Transaction, at: number): Promise<string> {
    const isSubscription = life.periodMs !== null;
    return await this.#sign({
      ...transaction,
      bundleId: BUNDLE_ID,
      ...(isSubscription ? { subscriptionGroupIdentifier: GROUP } : {}),
      quantity: 1,
      type: isSubscription ? "Auto-Renewable Subscription" : "Non-Consumable",
      inAppOwnershipType: "PURCHASED",
      ...(life.accountToken === null ? {} : { appAccountToken: life.accountToken }),
      environment: life.environment,
      storefront: "JPN",
      storefrontId: "143462",
      currency: "JPY",
      signedDate: at,
    });
  }

  async #signRenewal(life: Life, at: number): Promise<string | null> {
    const info = life.renewalInfo(at);
    return info && await this.#sign({ ...info, environment: life.environment, signedDate: at });
  }

  async #notification({ type, subtype }: Occurrence, life: Life | null, at: number): Promise<string> {
    const status = life?.statusAt(at) ?? null;
    const signedRenewalInfo = life && await this.#signRenewal(life, at);
    return await this.#sign({
      notificationType: type,
      ...(subtype === undefined ? {} : { subtype }),
      notificationUUID: crypto.randomUUID(),
      version: "2.0",
      signedDate: at,
      data: {
        bundleId: BUNDLE_ID,
        bundleVersion: "1.0",
        environment: life?.environment ?? "Sandbox",
        ...(life === null ? {} : { signedTransactionInfo: await this.#signTransaction(life, life.current, at) }),
        ...(signedRenewalInfo === null ? {} : { signedRenewalInfo }),
        ...(status === null ? {} : { status }),
      },
    });
  }

  async #delivered(signedPayload: string, send: boolean | string | undefined): Promise<Record<string, unknown>> {
    const notification = { signedPayload };
    if (send === undefined || send === false) return { notification, delivered: null };
    const url = send === true ? this.#notificationsUrl : send;
    if (url === undefined) throw new NotPossible("it is not known where the service takes notifications");
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(notification),
      signal: AbortSignal.timeout(NOTIFICATION_TIMEOUT_MS),
    }).catch(() => null);
    await response?.body?.cancel();
    return { notification, delivered: response?.status ?? 0 };
  }

  async #sign(payload: Record<string, unknown>): Promise<string> {
    const { chain } = this.#keys;
    return await signCompact(payload, { leaf: chain.leaf, x5c: x5cOf(chain) });
  }

  /** No two moments are the same, so that what is said later is later. */
  #now(): number {
    return this.#clock = Math.max(Date.now(), this.#clock + 1);
  }

  async #isAuthorized(request: Request): Promise<boolean> {
    const token = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
    try {
      const { payload, protectedHeader } = await jwtVerify(token ?? "", this.#keys.publicKey, {
        algorithms: ["ES256"],
        issuer: ISSUER_ID,
        audience: AUDIENCE,
        requiredClaims: ["iat", "exp"],
      });
      const lifetime = payload.exp! - payload.iat!;
      return protectedHeader.kid === KEY_ID && payload["bid"] === BUNDLE_ID && lifetime <= MAX_TOKEN_SECONDS;
    } catch {
      return false;
    }
  }

  #scripted(id: string): Answer | undefined {
    for (const name of [id, ""]) {
      const next = this.#scripts.get(name)?.find(({ left }) => left > 0);
      if (next === undefined) continue;
      next.left--;
      return next.answer;
    }
    return undefined;
  }
}

function happen(life: Life, control: LifeEvent, at: number): Occurrence {
  switch (control.action) {
    case "renew":
      return life.renew(at);
    case "fail":
      return life.fail(at, control.grace ?? false, control.grace_seconds && control.grace_seconds * 1000);
    case "end_grace":
      return life.endGrace(at);
    case "recover":
      return life.recover(at);
    case "cancel":
      return life.setAutoRenew(false, at);
    case "enable":
      return life.setAutoRenew(true, at);
    case "upgrade":
      return life.upgrade(control.product_id, at);
    case "downgrade":
      return life.downgrade(control.product_id, at);
    case "refund":
      return life.refund(at);
    case "reverse_refund":
      return life.reverseRefund();
    case "expire":
      return life.expire(at);
    case "resubscribe":
      return life.resubscribe(control.product_id, at);
  }
}

/** Undefined: the answer is the usual one, only later. */
function responseOf({ status, error_code, body, headers = {}, drop }: Answer): Response | undefined {
  if (drop) {
    // Shorter than it says.
    const part = new Blob(["{"]).stream();
    return new Response(part, { headers: { "content-type": "application/json", "content-length": "100" } });
  }
  if (error_code !== undefined) return failure(status ?? Math.floor(error_code / 10_000), error_code, headers);
  if (status === undefined && body === undefined) return undefined;
  return new Response(body ?? null, { status: status ?? 200, headers });
}

function failure(status: number, errorCode: number, headers: Record<string, string> = {}): Response {
  return Response.json({ errorCode, errorMessage: ERROR_MESSAGES[errorCode] ?? "An error occurred." }, {
    status,
    headers,
  });
}

async function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds === 0) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
