// A client of the App Store stand-in: tests buy with it and trigger events of their purchases.

export type AppStoreEnvironment = "Production" | "Sandbox";

export interface AppStoreOrder {
  readonly product_id: string;
  /** Production, without it. */
  readonly environment?: AppStoreEnvironment;
  readonly account_token?: string | null;
  /** 30 days, without it. */
  readonly period_seconds?: number;
  readonly trial?: boolean;
  readonly one_time?: boolean;
}

export interface AppStoreEventOptions {
  /** When it happens by the store's clock, RFC 3339; now, without it. */
  readonly at?: string;
  /** Sends the notification to the platform, or to this address. */
  readonly send?: boolean | string;
}

export interface AppStoreSubscription {
  readonly original_transaction_id: string;
  readonly transaction_id: string;
  readonly product_id: string;
  readonly environment: AppStoreEnvironment;
  /** 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked; null: bought once for all. */
  readonly status: number | null;
  readonly auto_renew: boolean;
  readonly expires_at: string | null;
}

export interface AppStoreState {
  readonly subscription: AppStoreSubscription;
  /** What the app sends as a receipt. */
  readonly signed_transaction: string;
  readonly signed_renewal_info: string | null;
}

export interface AppStoreNotification {
  /** The body of the request to the service. */
  readonly notification: { readonly signedPayload: string };
  /** The status code of the service's answer; 0: none; null: it was not sent. */
  readonly delivered: number | null;
}

export type AppStoreEvent = AppStoreState & AppStoreNotification;

/** What happens without further details. */
export type AppStoreAction =
  | "renew"
  | "fail"
  | "end_grace"
  | "recover"
  | "cancel"
  | "enable"
  | "upgrade"
  | "downgrade"
  | "refund"
  | "reverse_refund"
  | "expire"
  | "resubscribe";

export interface AppStoreActionOptions extends AppStoreEventOptions {
  /** upgrade, downgrade, resubscribe. */
  readonly product_id?: string;
  /** fail: with a grace period, which lasts 16 days unless `grace_seconds` says otherwise. */
  readonly grace?: boolean;
  readonly grace_seconds?: number;
}

/** An answer of the Server API in place of its own. */
export interface AppStoreAnswer {
  readonly status?: number;
  readonly error_code?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delay_ms?: number;
  readonly drop?: boolean;
  readonly times?: number;
}

/** Of the platform of the tests, or of the stand-ins at this address. */
export class AppleStore {
  readonly #control: string;

  constructor(providersUrl = Deno.env.get("PROVIDERS_URL")) {
    if (!providersUrl) throw new Error("PROVIDERS_URL is not set: run the tests with `deno task test`");
    this.#control = `${providersUrl}/control/app-store`;
  }

  async buy(order: AppStoreOrder, options: AppStoreEventOptions = {}): Promise<AppStoreEvent> {
    return await this.#post({ action: "buy", ...order, ...options });
  }

  /** What happens to a purchase, by the id of its first transaction. */
  async act(id: string, action: AppStoreAction, options: AppStoreActionOptions = {}): Promise<AppStoreEvent> {
    return await this.#post({ action, original_transaction_id: id, ...options });
  }

  /** All of it happened so much earlier: its dates move, what was signed stays as it is. */
  async age(id: string, seconds: number): Promise<AppStoreState> {
    return await this.#post({ action: "age", original_transaction_id: id, seconds });
  }

  /** Signs a transaction again: the current one, or an earlier one. */
  async read(id: string, options: { transaction_id?: string; at?: string } = {}): Promise<AppStoreState> {
    return await this.#post({ action: "read", original_transaction_id: id, ...options });
  }

  /** Receipts from before signed transactions. */
  async receipts(id: string): Promise<{ readonly app: string; readonly xcode: string; readonly transaction: string }> {
    return await this.#post({ action: "receipts", original_transaction_id: id });
  }

  async testNotification(options: AppStoreEventOptions = {}): Promise<AppStoreNotification> {
    return await this.#post({ action: "test_notification", ...options });
  }

  /** Any payload, signed as the store signs. */
  async sign(payload: Record<string, unknown>): Promise<string> {
    return (await this.#post<{ signed: string }>({ action: "sign", payload })).signed;
  }

  /** The next answers of the Server API to questions about a transaction; undefined: about all that have none. */
  async script(transaction_id: string | undefined, ...answers: readonly AppStoreAnswer[]): Promise<void> {
    await this.#post({ action: "script", ...(transaction_id !== undefined && { transaction_id }), answers });
  }

  /** How often the Server API was called about a transaction. */
  async requests(transaction_id: string): Promise<number> {
    const { by_transaction } = await answered<{ by_transaction: Record<string, number> }>(await fetch(this.#control));
    return by_transaction[transaction_id] ?? 0;
  }

  async #post<Reply>(body: unknown): Promise<Reply> {
    return await answered(await fetch(this.#control, { method: "POST", body: JSON.stringify(body) }));
  }
}

async function answered<Reply>(response: Response): Promise<Reply> {
  const text = await response.text();
  if (!response.ok) throw new Error(`/control/app-store answers ${response.status}: ${text}`);
  return JSON.parse(text) as Reply;
}
