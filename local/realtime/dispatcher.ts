// The changes of one stream and their subscribers. Changes and new subscriptions are handled one after another, so that a
// subscription begins at one place in the log: it receives every transaction that its snapshot does not contain.
import type { Buffer } from "node:buffer";
import { DatabaseConnections, type FeedOptions, type TableBinding } from "./database.ts";
import { ReplicationStream } from "./replication.ts";
import type { Binding, Identity, Listener, Subscription } from "./types.ts";
import { type RowChange, WalReader } from "./wal.ts";

/** Transactions that were read lately: the log has a commit a little before other transactions see it. */
const RECENT = 100;

/** One subscription of a client, with all its bindings. */
interface Subscriber {
  readonly listener: Listener;
  readonly snapshot: string;
  identity: Identity;
  bindings: readonly TableBinding[];
}

export class ChangeDispatcher {
  readonly database: DatabaseConnections;
  readonly #stream: ReplicationStream;
  readonly #reader = new WalReader((xid) => this.#recent = [...this.#recent.slice(1 - RECENT), xid]);
  readonly #subscribers = new Set<Subscriber>();
  #recent: readonly number[] = [];
  #tasks: Promise<unknown> = Promise.resolve();
  readonly #ended = Promise.withResolvers<string>();
  readonly #closed = Promise.withResolvers<void>();
  isEnded = false;

  constructor(readonly options: FeedOptions) {
    this.database = new DatabaseConnections(options);
    this.#stream = new ReplicationStream({
      url: options.url,
      onMessage: (message) => this.#receive(message),
      onLost: (reason) => this.end(reason),
    });
  }

  /** Resolves with the reason when the stream has ended. */
  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Whether the stream runs. */
  async open(): Promise<boolean> {
    try {
      return await Promise.race([this.#stream.open().then(() => true), this.ended.then(() => false)]);
    } catch (error) {
      this.end(error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  end(reason: string): void {
    this.isEnded = true;
    this.#ended.resolve(reason);
  }

  async close(reason: string): Promise<void> {
    for (const subscriber of this.#subscribers) this.#lose(subscriber, reason);
    await Promise.all([this.#stream.close(), this.database.close()]);
    this.#closed.resolve();
  }

  subscribe(bindings: readonly Binding[], identity: Identity, listener: Listener): Promise<Subscription> {
    return this.#exclusively(async () => {
      const subscriber = { listener, identity, ...await this.database.subscribe(bindings, identity, this.#recent) };
      if (this.isEnded) throw new Error("The stream of changes broke.");
      this.#subscribers.add(subscriber);
      return {
        identify: (next) =>
          this.#exclusively(async () => {
            const { bindings: checked } = await this.database.subscribe(bindings, next, []);
            Object.assign(subscriber, { identity: next, bindings: checked });
          }),
        close: () => void this.#subscribers.delete(subscriber),
      };
    });
  }

  #lose(subscriber: Subscriber, reason: string): void {
    if (this.#subscribers.delete(subscriber)) this.#notify(() => subscriber.listener.lost(reason));
  }

  /** The failure of one listener does not affect the others. */
  #notify(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.options.log(`A listener failed: ${error instanceof Error ? error.stack : error}`);
    }
  }

  #exclusively<Value>(task: () => Promise<Value>): Promise<Value> {
    const done = this.#tasks.then(task);
    this.#tasks = done.catch(() => {});
    return done;
  }

  #receive(message: Buffer): void {
    const change = this.#reader.read(message);
    if (change === undefined) return;
    this.#exclusively(() => this.#dispatch(change)).catch((error) =>
      this.end(error instanceof Error ? error.message : String(error))
    );
  }

  async #dispatch(change: RowChange): Promise<void> {
    if (this.isEnded) return;
    const candidates = [...this.#subscribers].flatMap((subscriber) =>
      subscriber.bindings.filter(({ table, event }) =>
        table === change.table && (event === "*" || event === change.type)
      )
        .map(({ index, filters }) => ({ subscriber, index, filters }))
    );
    if (candidates.length === 0) return;
    const subscriptions = candidates.map(({ subscriber: { identity: { role, claims }, snapshot }, filters }) => ({
      role,
      claims: JSON.stringify(claims),
      snapshot,
      filters,
    }));
    for (const { change: text, receivers } of await this.database.authorize({ ...change, subscriptions })) {
      const matched = Map.groupBy(receivers.map((place) => candidates[place]!), ({ subscriber }) => subscriber);
      for (const [subscriber, found] of matched) {
        if (text === null) this.#lose(subscriber, "A policy failed.");
        else if (this.#subscribers.has(subscriber)) {
          this.#notify(() => subscriber.listener.change(found.map(({ index }) => index), text));
        }
      }
    }
  }
}
