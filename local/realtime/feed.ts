// The row changes of the publication, for those who may read them. Each stream of the write-ahead log has a dispatcher of
// its own; when the stream breaks, its subscribers are lost and the next one is opened.
import { withTimeout } from "../timeout.ts";
import { ChangeDispatcher } from "./dispatcher.ts";
import type { FeedOptions } from "./database.ts";
import type { Binding, Feed, Identity, Listener, Subscription } from "./types.ts";
import { SubscriptionRejected } from "./types.ts";

/** Between two attempts to open a stream. */
const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 2_000;

export class PostgresFeed implements Feed {
  /** Resolves when a stream runs. */
  #running = Promise.withResolvers<ChangeDispatcher>();
  readonly #stopped = Promise.withResolvers<undefined>();
  #isStopping = false;
  #dispatcher: ChangeDispatcher | undefined;
  #loop: Promise<void> | undefined;

  constructor(readonly options: FeedOptions) {}

  /** Resolves when the stream runs for the first time, or when the feed stops before. */
  async start(): Promise<void> {
    this.#loop ??= this.#run();
    await Promise.race([this.#running.promise, this.#stopped.promise]);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#stopped.resolve(undefined);
    this.#dispatcher?.end("The feed has stopped.");
    await this.#loop;
  }

  subscribe(bindings: readonly Binding[], identity: Identity, listener: Listener): Promise<Subscription> {
    return this.#onStream((dispatcher) => dispatcher.subscribe(bindings, identity, listener));
  }

  mayJoin(topic: string, identity: Identity): Promise<boolean> {
    return this.#onStream(({ database }) => database.mayJoin(topic, identity));
  }

  /** Runs once a stream is open. If the stream breaks meanwhile, it runs again with the next one. */
  async #onStream<Value>(run: (dispatcher: ChangeDispatcher) => Promise<Value>): Promise<Value> {
    for (;;) {
      const dispatcher = await Promise.race([this.#running.promise, this.#stopped.promise]);
      if (dispatcher === undefined || this.#isStopping) throw new Error("The feed has stopped.");
      try {
        return await run(dispatcher);
      } catch (error) {
        if (!dispatcher.isEnded || error instanceof SubscriptionRejected) throw error;
        await dispatcher.closed;
      }
    }
  }

  async #run(): Promise<void> {
    let backoff = MIN_BACKOFF_MS;
    while (!this.#isStopping) {
      const dispatcher = new ChangeDispatcher(this.options);
      this.#dispatcher = dispatcher;
      const isOpen = await dispatcher.open();
      if (isOpen) this.#running.resolve(dispatcher);
      const reason = await dispatcher.ended;
      if (isOpen) this.#running = Promise.withResolvers();
      await dispatcher.close(reason);
      if (this.#isStopping) return;
      this.options.log(`The stream of changes ${isOpen ? "broke" : "could not be opened"}: ${reason}`);
      backoff = isOpen ? MIN_BACKOFF_MS : Math.min(MAX_BACKOFF_MS, backoff * 2);
      await withTimeout(this.#stopped.promise, backoff, () => undefined);
    }
  }
}
