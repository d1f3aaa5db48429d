/**
 * Counts how often searches returned each lot. Counts are collected in memory after the response and written in batches, so
 * that searches do not wait.
 *
 * Counts are lost if the process is killed, if a write fails, or if more than MAX_LOTS lots were returned between two writes.
 * No count is written twice, because writes are not retried. There is no sampling.
 */
import type { Config } from "../config.ts";
import { asService, ownTrace } from "../db/client.ts";
import { Batches } from "./batches.ts";
import { logFailure } from "./log.ts";

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
  readonly log?: (message: string, failure: unknown) => void;
}

export class SearchCounts {
  #counts = new Map<string, number>();
  readonly #batches: Batches;
  readonly #options: Required<SearchCountsOptions>;

  constructor(options: SearchCountsOptions) {
    this.#options = {
      intervalMs: INTERVAL_MS,
      batchLots: BATCH_LOTS,
      maxLots: MAX_LOTS,
      log: logFailure,
      ...options,
    };
    this.#batches = new Batches({ intervalMs: this.#options.intervalMs, write: () => this.#write() });
  }

  /** Counts a search for each lot in its page. */
  add(lotIds: readonly string[]): void {
    const { batchLots, maxLots } = this.#options;
    for (const id of lotIds) {
      const count = this.#counts.get(id) ?? 0;
      if (count > 0 || this.#counts.size < maxLots) this.#counts.set(id, count + 1);
    }
    if (this.#counts.size > 0) this.#batches.added(this.#counts.size >= batchLots);
  }

  async #write(): Promise<boolean> {
    const counts = this.#counts;
    this.#counts = new Map();
    try {
      await this.#options.write(Object.fromEntries(counts));
    } catch (failure) {
      this.#options.log(`The searches of ${counts.size} lots are not counted`, failure);
    }
    return this.#counts.size > 0;
  }
}

/** Search counts that the service writes to the database. */
export function searchCounts(config: () => Config): SearchCounts {
  return new SearchCounts({
    write: (counts) => asService(config(), ownTrace()).rpc("add_search_counts", { counts }),
  });
}
