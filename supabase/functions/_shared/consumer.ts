/** What consumers of queues have in common: they take batch after batch until the queue is empty or their time is up. */

export interface ConsumerOptions {
  /** How many requests to the provider run at once. */
  readonly concurrency: number;
  /** When to take no more batches, in milliseconds after the start. */
  readonly budgetMs: number;
  /** How long an empty queue is looked at again before the consumer ends. */
  readonly lingerMs: number;
}

const POLL_MS = 500;

/** What the database gives: batches that have nothing to send are found and not given. */
export interface Taken<Batch> {
  readonly found: number;
  readonly batches: readonly Batch[];
}

/** Ends early when `handle` says that the provider cannot be used now. */
export async function consume<Batch>(
  { budgetMs, lingerMs }: ConsumerOptions,
  take: () => Promise<Taken<Batch>>,
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

/** So many seconds, or up to a quarter more or less, so that what failed together does not come back together. */
export function jittered(seconds: number): number {
  return Math.round(seconds * (0.75 + Math.random() / 2));
}
