// A client of the Google Play stand-in: tests buy with it, trigger events of their purchases, and read what it received.

export interface PlayOrder {
  readonly product_id: string;
  readonly base_plan_id?: string;
  readonly offer_id?: string;
  readonly account_id?: string;
  readonly one_time?: boolean;
  readonly prepaid?: boolean;
  readonly test?: boolean;
  readonly pending?: boolean;
  readonly period_seconds?: number;
}

/** What Pub/Sub pushes; `status` is the answer, when the action was given a push address. */
export interface PlayPush {
  readonly body: {
    readonly message: { readonly data: string; readonly messageId: string; readonly publishTime: string };
    readonly subscription: string;
  };
  readonly authorization: string;
  readonly status?: number;
}

/** Whether the notifications are pushed to the service, or to which address. */
export type PlaySend = boolean | string;

export interface PlayPurchase {
  readonly purchase_token: string;
  /** SHA-256 of the token, as the ledger has it. */
  readonly subscription_key: string;
  readonly order_id: string | null;
  readonly pushes: readonly PlayPush[];
}

export interface PlayReceived {
  readonly resource: Readonly<Record<string, unknown>>;
  readonly reads: number;
  readonly acknowledgements: number;
  readonly refused_acknowledgements: number;
  /** Bodies of all pushes about the purchase. */
  readonly pushes: readonly PlayPush["body"][];
}

export interface PlayAnswer {
  readonly on?: "read" | "acknowledge";
  readonly times?: number;
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly html?: boolean;
  readonly delay_ms?: number;
  readonly drop?: boolean;
}

export type PlayAction =
  | "complete"
  | "cancel"
  | "restart"
  | "renew"
  | "fail"
  | "hold"
  | "recover"
  | "pause"
  | "resume"
  | "expire"
  | "revoke"
  | "refund"
  | "void"
  | "forget"
  | "age"
  | "replace";

interface PlayActionOptions extends Partial<PlayOrder> {
  /** fail: 0 for no grace period. */
  readonly grace_seconds?: number;
  /** pause, age. */
  readonly seconds?: number;
  /** void: a part of the quantity. */
  readonly partial?: boolean;
  readonly send?: PlaySend;
}

/** Of the platform of the tests, or of the stand-ins at this address. */
export class PlayStore {
  readonly #control: string;

  constructor(providersUrl = Deno.env.get("PROVIDERS_URL")) {
    if (!providersUrl) throw new Error("PROVIDERS_URL is not set: run the tests with `deno task test`");
    this.#control = `${providersUrl}/control/google-play`;
  }

  async buy(order: PlayOrder, options: { readonly send?: PlaySend } = {}): Promise<PlayPurchase> {
    return await this.#post({ action: "buy", ...order, ...options });
  }

  /** What happens to a purchase; `replace` gives the purchase that takes its place. */
  async act(purchase_token: string, action: PlayAction, options: PlayActionOptions = {}): Promise<PlayPurchase> {
    return await this.#post({ action, purchase_token, ...options });
  }

  /** A test notification, or one with this data (encoded as JSON, unless it is text) and these claims of the bearer. */
  async push(
    options: { readonly data?: unknown; readonly claims?: Record<string, unknown>; readonly send?: PlaySend } = {},
  ): Promise<PlayPush> {
    const { pushes } = await this.#post<{ pushes: [PlayPush] }>({ action: "push", ...options });
    return pushes[0];
  }

  /** What the interface answers about a purchase, or about all, from now on. */
  async script(purchase_token: string | undefined, ...answers: readonly PlayAnswer[]): Promise<void> {
    await this.#post({ action: "script", ...(purchase_token !== undefined && { purchase_token }), answers });
  }

  async revokeAccessTokens(): Promise<void> {
    await this.#post({ action: "revoke_tokens" });
  }

  async received(purchase_token: string): Promise<PlayReceived> {
    const response = await fetch(`${this.#control}?${new URLSearchParams({ purchase_token })}`);
    return await answered(response);
  }

  async #post<Reply>(body: unknown): Promise<Reply> {
    return await answered(await fetch(this.#control, { method: "POST", body: JSON.stringify(body) }));
  }
}

async function answered<Reply>(response: Response): Promise<Reply> {
  const text = await response.text();
  if (!response.ok) throw new Error(`/control/google-play answers ${response.status}: ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as Reply;
}
