// Row changes for those who may see them: the log is read as a stream, in batches that are judged one after another. When
// the stream breaks, every subscriber is told so and a new one is opened.
import type { Admitted } from "./admission.ts";
import { Backlog } from "./backlog.ts";
import { type Item, judgeBatch } from "./batch.ts";
import { type FeedOptions, Inquirer } from "./inquirer.ts";
import type { Table } from "./look.ts";
import { ReplicationStream } from "./replication.ts";
import { Route, Routes } from "./routes.ts";
import { Subscriber } from "./subscriber.ts";
import {
  type Binding,
  type Feed,
  type Identity,
  type Listener,
  type Subscription,
  SubscriptionRejected,
} from "./types.ts";
import { type RowChange, WalReader } from "./wal.ts";

/** Between two attempts to open the stream, in milliseconds. */
const SHORTEST_PAUSE = 50;
const LONGEST_PAUSE = 2_000;

const STOPPED = "The feed has stopped";

export class PostgresFeed implements Feed {
  readonly #routes = new Routes();
  readonly #subscribers = new Set<Subscriber>();
  readonly #tables = new Map<number, Table>();
  #inquirer: Inquirer;
  /** The stream that runs, as soon as one does. */
  #running = Promise.withResolvers<ReplicationStream>();
  #stream: ReplicationStream | undefined;
  readonly #backlog = new Backlog();
  #isJudging = false;
  /** For each subscription that is being admitted, the transactions that go by meanwhile. */
  readonly #admissions = new Set<Set<number>>();
  /** What is to be done between two batches. */
  #between: (() => void)[] = [];
  #lose: (reason: string) => void = () => {};
  #stopping = false;
  #wake: () => void = () => {};
  #kept: Promise<void> | undefined;

  constructor(readonly options: FeedOptions) {
    this.#inquirer = new Inquirer(options);
    this.#running.promise.catch(() => {}); // whoever waits for it hears of it
  }

  /** Resolves when the stream runs for the first time, or never will. */
  async start(): Promise<void> {
    this.#kept ??= this.#keep();
    try {
      await this.#running.promise;
    } catch (error) {
      if (!this.#stopping) throw error;
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#running.reject(new Error(STOPPED));
    this.#lose(STOPPED);
    this.#wake();
    await this.#kept;
    await this.#inquirer.end();
  }

  async subscribe(bindings: readonly Binding[], identity: Identity, listener: Listener): Promise<Subscription> {
    for (;;) {
      const stream = await this.#running.promise;
      if (this.#stopping) throw new Error(STOPPED);
      const begun = new Set<number>();
      this.#admissions.add(begun);
      let admission;
      try {
        admission = await this.#inquirer.admission.admit(bindings, identity);
      } catch (error) {
        if (stream === this.#stream || error instanceof SubscriptionRejected) throw error;
        continue; // what it was asked on went with the stream
      } finally {
        this.#admissions.delete(begun);
      }
      const { admitted, snapshot } = admission;
      // What a stream that broke meanwhile had to tell is not known: the next one has to run first.
      if (stream !== this.#stream) continue;
      const subscriber = new Subscriber(listener, snapshot, identity);
      this.#subscribers.add(subscriber);
      this.#route(subscriber, admitted);
      // What went by meanwhile is not told, and has to be there for whoever reads the rows that are.
      try {
        await this.#inquirer.admission.awaitCommits([...begun].filter((xid) => !snapshot.sees(xid)));
      } catch (error) {
        this.#drop(subscriber);
        throw error;
      }
      return {
        identify: (next) => this.#identify(subscriber, bindings, next),
        close: () => this.#drop(subscriber),
      };
    }
  }

  authorize(topic: string, identity: Identity): Promise<{ read: boolean; write: boolean }> {
    return this.#inquirer.admission.authorize(topic, identity);
  }

  async #identify(subscriber: Subscriber, bindings: readonly Binding[], identity: Identity): Promise<void> {
    const { admitted } = await this.#inquirer.admission.admit(bindings, identity);
    // Changes that are being judged go to who the subscriber was.
    await this.#whenIdle(() => {
      if (subscriber.isClosed) return;
      this.#unroute(subscriber);
      subscriber.identify(identity);
      this.#route(subscriber, admitted);
    });
  }

  #whenIdle(act: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.#between.push(() => (act(), resolve()));
      if (!this.#isJudging) this.#flushBetween();
    });
  }

  #route(subscriber: Subscriber, admitted: readonly Admitted[]): void {
    subscriber.routes = admitted.map(({ bindingIndex, table, event, select, filters }) =>
      new Route(subscriber, bindingIndex, table, event, select, filters)
    );
    for (const route of subscriber.routes) this.#routes.add(route);
  }

  #unroute(subscriber: Subscriber): void {
    for (const route of subscriber.routes) this.#routes.remove(route);
    subscriber.routes = [];
  }

  #drop(subscriber: Subscriber): void {
    subscriber.isClosed = true;
    this.#unroute(subscriber);
    this.#subscribers.delete(subscriber);
  }

  #dropLost(subscriber: Subscriber, reason: string): void {
    if (subscriber.isClosed) return;
    this.#drop(subscriber);
    this.#tell(() => subscriber.listener.lost(reason));
  }

  /** A listener that fails is nothing to the others. */
  #tell(say: () => void): void {
    try {
      say();
    } catch (error) {
      this.options.log(`A listener failed: ${error instanceof Error ? error.stack : error}`);
    }
  }

  async #keep(): Promise<void> {
    let pause = SHORTEST_PAUSE;
    while (!this.#stopping) {
      const { reason, ran } = await this.#run();
      if (this.#stopping) break;
      this.options.log(`The stream of changes ${ran ? "broke" : "could not be opened"}: ${reason}`);
      pause = ran ? SHORTEST_PAUSE : Math.min(LONGEST_PAUSE, pause * 2);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pause);
        this.#wake = () => (clearTimeout(timer), resolve());
      });
    }
  }

  /** One stream, from its beginning to its end. */
  async #run(): Promise<{ reason: string; ran: boolean }> {
    const { promise: lost, resolve } = Promise.withResolvers<string>();
    this.#lose = resolve;
    const began = (xid: number) => this.#admissions.forEach((begun) => begun.add(xid));
    const reader = new WalReader((table) => this.#routes.has(table), began);
    const stream: ReplicationStream = new ReplicationStream({
      url: this.options.url,
      message: (message) => this.#hear(stream, reader.read(message)),
      idle: (lsn) => {
        if (this.#backlog.isEmpty && !this.#isJudging && !reader.inside) stream.done = lsn;
      },
      lost: resolve,
    });
    if (this.#stopping) resolve(STOPPED);
    let ran = false;
    try {
      const opened = stream.open().then(
        () => undefined,
        (error) => String(error instanceof Error ? error.message : error),
      );
      const failure = await Promise.race([opened, lost]);
      if (failure !== undefined) return { reason: failure, ran };
      ran = true;
      this.#stream = stream;
      this.#running.resolve(stream);
      return { reason: await lost, ran };
    } finally {
      const reason = ran ? await lost : "";
      this.#stream = undefined;
      if (ran && !this.#stopping) {
        this.#running = Promise.withResolvers();
        this.#running.promise.catch(() => {});
      }
      this.#backlog.clear();
      for (const subscriber of [...this.#subscribers]) this.#dropLost(subscriber, reason);
      const over = this.#inquirer;
      this.#inquirer = new Inquirer(this.options);
      await Promise.all([stream.close(), over.end()]);
    }
  }

  #hear(stream: ReplicationStream, read: RowChange | bigint | undefined): void {
    if (read === undefined) return;
    this.#backlog.add(read);
    if (this.#backlog.isFull) stream.pause();
    if (!this.#isJudging) this.#judge(stream);
  }

  async #judge(stream: ReplicationStream): Promise<void> {
    this.#isJudging = true;
    try {
      while (stream === this.#stream && !this.#backlog.isEmpty) {
        const { items, done } = this.#backlog.take(this.#routes);
        if (items.length > 0) await this.#judgeBatch(stream, items);
        if (done !== undefined) stream.done = done;
        if (!this.#backlog.isFull) stream.resume();
        this.#flushBetween();
      }
    } catch (error) {
      if (stream === this.#stream) this.#lose(error instanceof Error ? error.message : String(error));
    } finally {
      this.#isJudging = false;
      this.#flushBetween();
    }
    // What a new stream brought while the last batch of the old one was judged.
    const next = this.#stream;
    if (next !== undefined && next !== stream && !this.#backlog.isEmpty) this.#judge(next);
  }

  #flushBetween(): void {
    for (const act of this.#between.splice(0)) act();
  }

  async #judgeBatch(stream: ReplicationStream, items: readonly Item[]): Promise<void> {
    const { deliveries, failed } = await judgeBatch(items, this.#routes, this.#inquirer.looker, this.#tables);
    if (stream !== this.#stream) return;
    for (const { subscriber, bindings, change } of deliveries) {
      if (!subscriber.isClosed && !failed.has(subscriber)) {
        this.#tell(() => subscriber.listener.change(bindings, change));
      }
    }
    for (const [subscriber, reason] of failed) this.#dropLost(subscriber, reason);
  }
}
