/**
 * Common code of queue consumers: they process batches until the queue is empty or their time is up, each batch under a
 * lease. A lease is short (`private.lease_seconds`), so that the work of a killed consumer is soon taken by another one.
 */
import { describe } from "./http/log.ts";

export interface ConsumerOptions {
  /** Maximum number of concurrent requests to the provider. */
  readonly concurrency: number;
  /** Time after the start, in milliseconds, from which on no more batches are read. */
  readonly budgetMs: number;
  /** How long an empty queue is polled before the consumer ends. */
  readonly lingerMs: number;
}

const POLL_MS = 500;
/** How often a working consumer extends its leases. A lease outlasts three missed extensions. */
const EXTEND_MS = 3_000;
/** Work that lasts longer than this is stuck: its lease ends, and another consumer takes it. */
const MAX_LEASE_MS = 120_000;

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

/** Works under a lease that `extend` extends. A failed extension is logged, because a later one can still be in time. */
export async function underLease<Result>(
  extend: () => Promise<unknown>,
  work: () => Promise<Result>,
  { everyMs = EXTEND_MS, maxMs = MAX_LEASE_MS } = {},
): Promise<Result> {
  const until = performance.now() + maxMs;
  let extending: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (performance.now() >= until) return clearInterval(timer);
    extending ??= extend().then(() => {}, logFailure).finally(() => extending = undefined);
  }, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await extending;
  }
}

function logFailure(failure: unknown): void {
  const message = "A consumer could not extend its lease";
  const line = { level: "error", time: new Date().toISOString(), message, cause: describe(failure) };
  console.error(JSON.stringify(line));
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Adds a random jitter of up to a quarter, so that messages that failed together are not retried together. */
export function jittered(seconds: number): number {
  return Math.round(seconds * (0.75 + Math.random() / 2));
}
