/**
 * Counts how often searches returned each lot. Counts are collected in memory after the response and written in batches, so
 * that searches do not wait.
 *
 * Counts are lost if the process is killed, if a write fails, or if more than MAX_LOTS lots were returned between two writes.
 * No count is written twice, because writes are not retried. There is no sampling.
 */
import type { Config } from "../config.ts";
import { asService } from "../db/client.ts";
import { describe } from "./log.ts";

/** Time between two writes. */
const INTERVAL_MS = 5_000;
/** Maximum number of lots per write. */
const BATCH_LOTS = 2_000;
/** Maximum number of lots in memory during a write. Further lots are not counted. */
const MAX_LOTS = 10_000;

export interface SearchCountsOptions {
  readonly write: (counts: Record<string, number>) => Promise<unknown>;
  readonly intervalMs?: number;
  readonly batchLots?: number;
  readonly maxLots?: number;
  readonly log?: (line: Record<string, unknown>) => void;
}

/** Keeps the hosted runtime from ending the process before the promise settles. */
declare const EdgeRuntime: { waitUntil(promise: Promise<unknown>): void } | undefined;

export class SearchCounts {
  #counts = new Map<string, number>();
  #writing = false;
  /** Ends the wait before the next write. Undefined if none is planned. */
  #writeNow: (() => void) | undefined;
  readonly #options: Required<SearchCountsOptions>;

  constructor(options: SearchCountsOptions) {
    this.#options = {
      intervalMs: INTERVAL_MS,
      batchLots: BATCH_LOTS,
      maxLots: MAX_LOTS,
      log: (line) => console.error(JSON.stringify(line)),
      ...options,
    };
  }

  /** Counts a search for each lot in its page. */
  add(lotIds: readonly string[]): void {
    const { batchLots, maxLots } = this.#options;
    for (const id of lotIds) {
      const count = this.#counts.get(id) ?? 0;
      if (count > 0 || this.#counts.size < maxLots) this.#counts.set(id, count + 1);
    }
    if (this.#counts.size === 0) return;
    if (this.#writeNow === undefined && !this.#writing) this.#plan();
    if (this.#counts.size >= batchLots) this.#writeNow?.();
  }

  #plan(): void {
    const { promise: wait, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#options.intervalMs);
    this.#writeNow = () => {
      clearTimeout(timer);
      resolve();
    };
    const written = wait.then(() => this.#write());
    if (typeof EdgeRuntime !== "undefined") EdgeRuntime.waitUntil(written);
  }

  async #write(): Promise<void> {
    const counts = this.#counts;
    this.#counts = new Map();
    this.#writeNow = undefined;
    this.#writing = true;
    try {
      await this.#options.write(Object.fromEntries(counts));
    } catch (failure) {
      const message = `The searches of ${counts.size} lots are not counted`;
      this.#options.log({ level: "error", time: new Date().toISOString(), message, cause: describe(failure) });
    } finally {
      this.#writing = false;
    }
    if (this.#counts.size > 0) this.#plan();
  }
}

/** Search counts that the service writes to the database. */
export function searchCounts(config: () => Config): SearchCounts {
  return new SearchCounts({
    write: (counts) =>
      asService(config(), { headers: { "X-Request-Id": crypto.randomUUID() }, onCall: () => {} }).rpc(
        "add_search_counts",
        { counts },
      ),
  });
}
