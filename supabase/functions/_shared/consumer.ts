/** Common code of queue consumers: they process batches until the queue is empty or their time is up. */

export interface ConsumerOptions {
  /** Maximum number of concurrent requests to the provider. */
  readonly concurrency: number;
  /** Time after the start, in milliseconds, from which on no more batches are read. */
  readonly budgetMs: number;
  /** How long an empty queue is polled before the consumer ends. */
  readonly lingerMs: number;
}

const POLL_MS = 500;

/** Result of reading the queue. `found` also counts batches that have nothing to send and are not in `batches`. */
export interface ReadBatches<Batch> {
  readonly found: number;
  readonly batches: readonly Batch[];
}

/** Ends early if `handle` reports that the provider is unavailable. */
export async function consume<Batch>(
  { budgetMs, lingerMs }: ConsumerOptions,
  take: () => Promise<ReadBatches<Batch>>,
  handle: (batch: Batch, until: number) => Promise<"done" | "paused">,
): Promise<void> {
  const until = performance.now() + budgetMs;
  let emptySince: number | undefined;
  while (performance.now() < until) {
    const { found, batches } = await take();
    if (found === 0) {
      emptySince ??= performance.now();
      if (performance.now() - emptySince >= lingerMs) return;
      await pause(POLL_MS);
      continue;
    }
    emptySince = undefined;
    for (const batch of batches) {
      if (await handle(batch, until) === "paused") return;
    }
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Adds a random jitter of up to a quarter, so that messages that failed together are not retried together. */
export function jittered(seconds: number): number {
  return Math.round(seconds * (0.75 + Math.random() / 2));
}
