// The changes of one stream and their subscribers. Batches of changes and new subscriptions are handled one after another,
// so that a subscription begins at one place in the log: it receives every transaction that its snapshot does not contain.
import { AccessQuery, type Answer } from "./access_query.ts";
import { DatabaseConnections, type FeedOptions, type Table } from "./database.ts";
import { errorChange, payloadOf, type Row, rowOf } from "./payload.ts";
import { ReplicationStream } from "./replication.ts";
import { getOrMake, matchesEvent, Subscriber, SubscriptionIndex, type TableSubscription } from "./subscriptions.ts";
import type { Binding, Change, Identity, Listener, Subscription } from "./types.ts";
import { type RowChange, valueOf, WalReader } from "./wal.ts";

/** One batch: changes, bytes of the log, and subscriptions to check. */
const BATCH = { changes: 500, bytes: 4 << 20, checks: 2_000 };
/** Above this the stream is paused: Postgres keeps the rest. */
const MAX_QUEUE = { changes: 2_000, bytes: 16 << 20 };
/** Transactions that were read lately: the log has a commit a little before other transactions see it. */
const RECENT = 100;

interface BatchItem {
  readonly change: RowChange;
  /** The subscriptions that the change matches, as far as that is known without Postgres. */
  readonly candidates: readonly TableSubscription[];
}

export class ChangeDispatcher {
  readonly database: DatabaseConnections;
  readonly #stream: ReplicationStream;
  readonly #reader = new WalReader((xid) => this.#recent = [...this.#recent.slice(1 - RECENT), xid]);
  readonly #index = new SubscriptionIndex();
  readonly #subscribers = new Set<Subscriber>();
  /** Changes, and the places in the log where transactions end. */
  #queue: (RowChange | bigint)[] = [];
  #queuedBytes = 0;
  #recent: readonly number[] = [];
  #tasks: Promise<unknown> = Promise.resolve();
  #isDispatching = false;
  readonly #ended = Promise.withResolvers<string>();
  readonly #closed = Promise.withResolvers<void>();
  isEnded = false;

  constructor(readonly options: FeedOptions) {
    this.database = new DatabaseConnections(options);
    this.#stream = new ReplicationStream({
      url: options.url,
      onMessage: (message) => this.#receive(this.#reader.read(message)),
      onIdle: (lsn) => {
        if (this.#queue.length === 0 && !this.#isDispatching && !this.#reader.inTransaction) this.#stream.done = lsn;
      },
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
    this.#queue = [];
    for (const subscriber of [...this.#subscribers]) this.#lose(subscriber, reason);
    await Promise.all([this.#stream.close(), this.database.close()]);
    this.#closed.resolve();
  }

  subscribe(bindings: readonly Binding[], identity: Identity, listener: Listener): Promise<Subscription> {
    return this.#exclusively(async () => {
      const { snapshot, subscriptions } = await this.database.subscribe(bindings, identity, this.#recent);
      if (this.isEnded) throw new Error("The stream of changes broke.");
      const subscriber = new Subscriber(listener, snapshot, identity);
      this.#subscribers.add(subscriber);
      this.#index.set(subscriber, subscriptions);
      return {
        identify: (next) => this.#identify(subscriber, bindings, next),
        close: () => this.#remove(subscriber),
      };
    });
  }

  #identify(subscriber: Subscriber, bindings: readonly Binding[], identity: Identity): Promise<void> {
    return this.#exclusively(async () => {
      const { subscriptions } = await this.database.subscribe(bindings, identity, []);
      if (subscriber.isClosed) return;
      subscriber.identify(identity);
      this.#index.set(subscriber, subscriptions);
    });
  }

  #remove(subscriber: Subscriber): void {
    subscriber.isClosed = true;
    this.#index.remove(subscriber);
    this.#subscribers.delete(subscriber);
  }

  #lose(subscriber: Subscriber, reason: string): void {
    if (subscriber.isClosed) return;
    this.#remove(subscriber);
    this.#notify(() => subscriber.listener.lost(reason));
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

  #receive(read: RowChange | bigint | undefined): void {
    if (read === undefined || this.isEnded) return;
    this.#queue.push(read);
    if (typeof read !== "bigint") this.#queuedBytes += read.size;
    if (this.#isQueueFull) this.#stream.pause();
    if (!this.#isDispatching) this.#dispatchAll();
  }

  get #isQueueFull(): boolean {
    return this.#queue.length > MAX_QUEUE.changes || this.#queuedBytes > MAX_QUEUE.bytes;
  }

  async #dispatchAll(): Promise<void> {
    this.#isDispatching = true;
    try {
      while (this.#queue.length > 0) await this.#exclusively(() => this.#dispatchBatch());
    } catch (error) {
      this.end(error instanceof Error ? error.message : String(error));
    } finally {
      this.#isDispatching = false;
    }
  }

  async #dispatchBatch(): Promise<void> {
    const { items, done } = this.#nextBatch();
    if (items.length > 0) await this.#dispatch(items);
    if (done !== undefined) this.#stream.done = done;
    if (!this.#isQueueFull) this.#stream.resume();
  }

  /** `done`: the place that the log has reached with the batch. */
  #nextBatch(): { items: BatchItem[]; done: bigint | undefined } {
    const items: BatchItem[] = [];
    let done: bigint | undefined;
    let [bytes, checks, count] = [0, 0, 0];
    for (const next of this.#queue) {
      if (items.length >= BATCH.changes || bytes >= BATCH.bytes || checks >= BATCH.checks) break;
      count++;
      if (typeof next === "bigint") {
        done = next;
        continue;
      }
      bytes += next.size;
      const subscriptions = this.#index.of(next.relation.table);
      if (subscriptions.size === 0) continue;
      const candidates = [...subscriptions].filter((one) =>
        matchesEvent(one, next) && one.filters.every((filter) => filter.passes(next) !== false)
      );
      items.push({ change: next, candidates });
      checks += candidates.length;
    }
    this.#queue.splice(0, count);
    this.#queuedBytes -= bytes;
    return { items, done };
  }

  async #dispatch(items: readonly BatchItem[]): Promise<void> {
    const xids = new Set(items.map(({ change }) => change.transaction.xid));
    const ids = new Set(items.map(({ change }) => change.relation.table));
    const roles = new Set([...this.#subscribers].map(({ role }) => role));
    const tables = await this.database.describe([...xids], [...ids], [...roles]);
    const query = new AccessQuery();
    const deliveries = items.flatMap(({ change, candidates }) => {
      const table = tables[change.relation.table];
      return table === undefined ? [] : [this.#prepare(change, candidates, table, query)];
    });
    await query.run(this.database, this.options.log);
    for (const deliver of deliveries) if (!this.isEnded) deliver();
  }

  /** Adds to the query what a change needs; the result delivers the change once the query has been run. */
  #prepare(
    change: RowChange,
    candidates: readonly TableSubscription[],
    table: Table,
    query: AccessQuery,
  ): () => void {
    const errors = new Map<string, string | undefined>();
    const errorFor = (role: string) => getOrMake(errors, role, () => roleError(change, table, role));
    const checks = candidates.filter(({ subscriber }) => errorFor(subscriber.role) === undefined)
      .map((subscription) => ({ subscription, conditions: conditionsOf(change, subscription, table, query) }));
    const row = checks.length > 0 ? rowOf(change, table, query) : undefined;
    return () => {
      const matched = new Map<Subscriber, number[]>();
      for (const { subscription: { subscriber, bindingIndex }, conditions } of checks) {
        const results = conditions.map((condition) => condition());
        if (results.includes(undefined)) this.#lose(subscriber, "A policy or a filter failed.");
        else if (results.every((result) => result === true)) {
          getOrMake(matched, subscriber, () => []).push(bindingIndex);
        }
      }
      this.#deliver(matched, (role) => payloadOf(row as Row, table, role));
      const refused = new Map<Subscriber, number[]>();
      for (const one of this.#index.of(change.relation.table)) {
        if (errorFor(one.subscriber.role) === undefined || !matchesEvent(one, change)) continue;
        getOrMake(refused, one.subscriber, () => []).push(one.bindingIndex);
      }
      this.#deliver(refused, (role) => errorChange(change, table, errorFor(role)!));
    };
  }

  #deliver(bindings: ReadonlyMap<Subscriber, number[]>, changeFor: (role: string) => Change): void {
    const changes = new Map<string, Change>();
    for (const [subscriber, indexes] of bindings) {
      if (subscriber.isClosed) continue;
      const change = getOrMake(changes, subscriber.role, () => changeFor(subscriber.role));
      this.#notify(() => subscriber.listener.change(indexes, change));
    }
  }
}

/** What Postgres has to answer with true before the subscription receives the change. */
function conditionsOf(change: RowChange, one: TableSubscription, table: Table, query: AccessQuery): Answer[] {
  const conditions: Answer[] = one.filters.filter((filter) => filter.passes(change) === undefined)
    .map(({ column, type, operator, value }) => query.compare({ type, operator, value }, valueOf(change, column)!));
  if (change.type === "DELETE" || !table.secured) return conditions;
  const key = table.key.map((column) => change.row?.[change.relation.positions.get(column) ?? -1]);
  const isComplete = key.every((text) => typeof text === "string");
  const { role, claims } = one.subscriber;
  return [...conditions, isComplete ? query.isVisible(table, role, claims, key) : () => false];
}

/** The error for a role that may not read the table. Deletes are not checked, as hosted. */
function roleError({ type }: RowChange, { key, readable }: Table, role: string): string | undefined {
  if (type === "DELETE") return undefined;
  if (key.length === 0) return "Error 400: Bad Request, no primary key";
  return key.every((column) => readable[role]?.includes(column)) ? undefined : "Error 401: Unauthorized";
}
