/**
 * How often searches showed each lot, counted after the replies: collected in memory and written by the batch, so that a
 * read writes nothing and waits for nothing.
 *
 * Counts are lost when the process is killed, when a write fails, and when more lots are shown between two writes than the
 * memory's bound. None counts twice: a write is never repeated. Nothing is sampled.
 */
import type { Config } from "../config.ts";
import { asService } from "../db/client.ts";
import { describe } from "./log.ts";

/** How long counts are collected before they are written. */
const INTERVAL_MS = 5_000;
/** So many lots are written at once. */
const BATCH_LOTS = 2_000;
/** So many lots are kept while a write is under way; further lots are not counted. */
const MAX_LOTS = 10_000;

export interface SearchCountsOptions {
  readonly write: (counts: Record<string, number>) => Promise<unknown>;
  readonly intervalMs?: number;
  readonly batchLots?: number;
  readonly maxLots?: number;
  readonly log?: (line: Record<string, unknown>) => void;
}

/** What keeps the hosted runtime from ending the process before the promise settles. */
declare const EdgeRuntime: { waitUntil(promise: Promise<unknown>): void } | undefined;

export class SearchCounts {
  #counts = new Map<string, number>();
  #writing = false;
  /** Ends the wait before the next write; undefined while none is planned. */
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

  /** Counts a search for each lot that its page showed. */
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
