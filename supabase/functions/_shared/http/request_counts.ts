/**
 * Counts of requests for metrics, by route and status. A process adds what it counted to the table private.request_counts
 * every ten seconds, so a request costs no write, and the counts of all processes are sums. Memory and table have a row for
 * each route and status: a path that no route has is counted as `unmatched`.
 *
 * Counts are lost if the process is killed before its next write. A write that fails is repeated with the next one. If its
 * outcome is unknown, its counts may be added twice.
 */
import type { Config } from "../config.ts";
import { asService, ownTrace } from "../db/client.ts";
import { Batches } from "./batches.ts";
import { logFailure } from "./log.ts";
import type { Route } from "./route.ts";

/** Upper bounds of the buckets in seconds. The last bucket, of longer requests, has none. */
export const BUCKETS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
export const UNMATCHED = "unmatched";

const INTERVAL_MS = 10_000;
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

export interface RequestCount {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly access: string;
  readonly buckets: number[];
  seconds: number;
}

export interface RequestCountsOptions {
  readonly write: (counts: readonly RequestCount[]) => Promise<unknown>;
  /** Whether requests are counted. */
  readonly isOn: () => boolean;
  readonly intervalMs?: number;
  readonly log?: (message: string, failure: unknown) => void;
}

export class RequestCounts {
  #counts = new Map<string, RequestCount>();
  readonly #batches: Batches;
  readonly #options: RequestCountsOptions;

  constructor(options: RequestCountsOptions) {
    this.#options = options;
    this.#batches = new Batches({ intervalMs: options.intervalMs ?? INTERVAL_MS, write: () => this.#write() });
  }

  /** Counts a request. `method` is the client's; without a route it may be any text. */
  add(route: Pick<Route, "method" | "path" | "access"> | undefined, method: string, status: number, ms: number): void {
    if (!this.#options.isOn()) return;
    const seconds = ms / 1000;
    const bucket = BUCKETS.findIndex((bound) => seconds <= bound);
    const buckets = new Array<number>(BUCKETS.length + 1).fill(0);
    buckets[bucket === -1 ? BUCKETS.length : bucket] = 1;
    this.#merge({
      method: route?.method ?? (METHODS.includes(method) ? method : "OTHER"),
      route: route?.path ?? UNMATCHED,
      status,
      access: route?.access ?? "public",
      buckets,
      seconds,
    });
    this.#batches.added();
  }

  #merge(count: RequestCount): void {
    const key = `${count.method} ${count.route} ${count.status}`;
    const known = this.#counts.get(key);
    if (known === undefined) {
      this.#counts.set(key, count);
      return;
    }
    known.seconds += count.seconds;
    for (const [nth, times] of count.buckets.entries()) known.buckets[nth]! += times;
  }

  async #write(): Promise<boolean> {
    const counts = [...this.#counts.values()];
    this.#counts = new Map();
    try {
      await this.#options.write(counts);
    } catch (failure) {
      for (const count of counts) this.#merge(count);
      const log = this.#options.log ?? logFailure;
      log("The counts of requests could not be written. They are written again.", failure);
    }
    return this.#counts.size > 0;
  }
}

/** Counts that the service writes to the database, if metrics have a token. */
export function requestCounts(config: () => Config, isOn: () => boolean): RequestCounts {
  return new RequestCounts({
    isOn,
    write: (counts) => asService(config(), ownTrace()).rpc("add_request_counts", { counts }),
  });
}
