/**
 * The loop of all queue consumers: they process batches until the queue is empty or their time is up. After some work a
 * consumer calls the next one and ends, because the platform ends a process after two seconds of CPU.
 */

export interface ConsumerOptions {
  /** Maximum number of concurrent requests to the provider. */
  readonly concurrency: number;
  /** Time after the start, in milliseconds, from which on no more batches are read. */
  readonly budgetMs: number;
  /** How long an empty queue is polled before the consumer ends. */
  readonly lingerMs: number;
  readonly pollMs?: number;
  /** After so many batches the next consumer is called. They take half of the CPU that a process may use. */
  readonly maxBatches?: number;
}

const POLL_MS = 500;
/** This long before its time is up, a consumer that finds nothing ends. */
const ENDING_MS = 1_000;

/** Result of reading the queue. `found` also counts messages that need no work and are in no batch. */
export interface ReadBatches<Batch> {
  readonly found: number;
  readonly batches: readonly Batch[];
}

export interface Queue<Batch> {
  /** `ends`: if the queue is empty, this consumer ends. */
  take(ends: boolean): Promise<ReadBatches<Batch>>;
  /** Processes a batch under its lease, if possible before `until`. The consumer ends early after `paused`. */
  handle(batch: Batch, until: number): Promise<"done" | "paused">;
  /**
   * The last read records in the database that this consumer ends. Then it is repeated, because a message can be stored
   * meanwhile.
   */
  readonly recordsEnd?: boolean;
  /** Calls the next consumer, which continues. */
  callNext?(): Promise<unknown>;
}

export async function consume<Batch>(
  queue: Queue<Batch>,
  { budgetMs, lingerMs, pollMs = POLL_MS, maxBatches = Infinity }: Omit<ConsumerOptions, "concurrency">,
): Promise<void> {
  const until = performance.now() + budgetMs;
  let emptySince = performance.now();
  let lastReads = 0;
  let handled = 0;
  while (performance.now() < until) {
    const ends = performance.now() - emptySince >= lingerMs || performance.now() >= until - ENDING_MS;
    const { found, batches } = await queue.take(ends);
    if (found === 0) {
      if (ends && ++lastReads === (queue.recordsEnd ? 2 : 1)) return;
      await pause(pollMs);
      continue;
    }
    for (const batch of batches) {
      if (await queue.handle(batch, until) === "paused") return;
      handled++;
    }
    if (handled >= maxBatches) {
      await queue.callNext?.();
      return;
    }
    emptySince = performance.now();
    lastReads = 0;
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Adds a random jitter of up to a quarter, so that messages that failed together are not retried together. */
export function jittered(seconds: number): number {
  return Math.round(seconds * (0.75 + Math.random() / 2));
}
