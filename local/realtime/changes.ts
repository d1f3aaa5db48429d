// The row changes of one channel: its subscription in the feed, and what its client is told of it.
import type { Binding, Change, Feed, Identity, Subscription } from "./types.ts";
import { SubscriptionRejected } from "./types.ts";

/** What a channel does with what comes of its subscription. */
export interface Sink {
  /** The payload of a `postgres_changes` frame, as JSON. */
  change(payload: string): void;
  system(status: "ok" | "error", message: string): void;
  /** The stream broke: nothing more comes. The feed has said why. */
  lost(): void;
}

export class Changes {
  #subscription: Subscription | undefined;
  #closed = false;
  /** Changes that come before the client has been told of its subscription. */
  #early: string[] | undefined = [];

  /** `ids`: the number that each binding has in the answer to the join. */
  constructor(
    readonly feed: Feed,
    readonly bindings: readonly Binding[],
    readonly ids: readonly number[],
    readonly sink: Sink,
  ) {}

  /** Resolves when the subscription stands. */
  async subscribe(identity: Identity): Promise<void> {
    const subscription = await this.feed.subscribe(this.bindings, identity, {
      change: (indexes, change) => this.#change(indexes, change),
      lost: () => this.#closed || this.sink.lost(),
    });
    if (this.#closed) subscription.close();
    else this.#subscription = subscription;
  }

  /** Tells the client that it is subscribed; what came meanwhile follows. */
  announce(): void {
    this.sink.system("ok", "Subscribed to PostgreSQL");
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const payload of early) this.sink.change(payload);
  }

  /** Subscribes and tells the client how it went. What is refused is not tried again. */
  async subscribeAndTell(identity: Identity): Promise<void> {
    if (await this.#unlessRefused(this.subscribe(identity))) this.announce();
  }

  /** Goes on as somebody else, or with new claims. */
  async identify(identity: Identity): Promise<void> {
    if (this.#subscription === undefined) return;
    if (await this.#unlessRefused(this.#subscription.identify(identity))) this.announce();
    else this.close();
  }

  close(): void {
    this.#closed = true;
    this.#subscription?.close();
    this.#subscription = undefined;
  }

  async #unlessRefused(work: Promise<void>): Promise<boolean> {
    try {
      await work;
    } catch (error) {
      if (!(error instanceof SubscriptionRejected)) throw error;
      if (!this.#closed) this.sink.system("error", error.message);
      return false;
    }
    return !this.#closed;
  }

  #change(indexes: readonly number[], change: Change): void {
    if (this.#closed) return;
    const ids = [...new Set(indexes.map((index) => this.ids[index]))];
    const payload = `{"ids":[${ids.join(",")}],"data":${textOf(change)}}`;
    if (this.#early === undefined) this.sink.change(payload);
    else this.#early.push(payload);
  }
}

const texts = new WeakMap<Change, string>();

/** A change as JSON, made once however many get it. */
function textOf(change: Change): string {
  const known = texts.get(change);
  if (known !== undefined) return known;
  const text = JSON.stringify(change);
  texts.set(change, text);
  return text;
}
