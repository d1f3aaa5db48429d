/**
 * Writes in batches: what requests add to memory is written after their responses, so that none waits for it. Search counts,
 * counts of requests and spans are written this way.
 */
import { keepAlive } from "./background.ts";

export interface BatchOptions {
  /** Writes what is in memory, and returns whether some is left or new. It does not throw. */
  readonly write: () => Promise<boolean>;
  /** Time from the first addition to its write. */
  readonly intervalMs: number;
}

/** One write at a time: the next one is planned when something is added, and after a write that left something. */
export class Batches {
  #isWriting = false;
  /** Ends the wait before the next write. Undefined if none is planned. */
  #writeNow: (() => void) | undefined;

  constructor(readonly options: BatchOptions) {}

  /** Something was added. `isFull`: it is written at once. */
  added(isFull = false): void {
    if (this.#writeNow === undefined && !this.#isWriting) this.#plan();
    if (isFull) this.#writeNow?.();
  }

  #plan(): void {
    const { promise: wait, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.options.intervalMs);
    this.#writeNow = () => {
      clearTimeout(timer);
      resolve();
    };
    keepAlive(wait.then(() => this.#write()));
  }

  async #write(): Promise<void> {
    this.#writeNow = undefined;
    this.#isWriting = true;
    const isMore = await this.options.write();
    this.#isWriting = false;
    if (isMore) this.#plan();
  }
}
