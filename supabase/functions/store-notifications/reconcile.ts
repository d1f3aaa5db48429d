/**
 * Reconciliation: queries the stores for subscriptions that are due, records the responses, and acknowledges purchases.
 * A subscription that was taken is not taken again for three minutes, and one whose query failed for an hour. So it can
 * stop at any time, and an outage of a store delays only the subscriptions that were queried.
 */
import type { Database } from "../_shared/db/client.ts";
import { ApiError } from "../_shared/errors.ts";
import { logFailure } from "../_shared/http/log.ts";
import type { KnownSubscription, Store } from "../_shared/providers/store.ts";
import { acknowledge, ACKNOWLEDGE_CALLS } from "../_shared/purchases.ts";
import { pause } from "../_shared/queue/consumer.ts";
import { forEach } from "../_shared/queue/pool.ts";

/** The functions of the database that reconciliation calls. */
export const RECONCILE_CALLS = [
  "take_due_subscriptions",
  "record_store_statement",
  "postpone_question",
  ...ACKNOWLEDGE_CALLS,
] as const;

type ReconcileDatabase = Database<(typeof RECONCILE_CALLS)[number]>;

interface Due extends KnownSubscription {
  readonly subscription_id: string;
}

export interface ReconcileOptions {
  /** Per store. */
  readonly concurrency: number;
  /** Requests per second to each store. The stores allow 50. */
  readonly rate: number;
  /** Time after the start, in milliseconds, from which on no more requests are sent. */
  readonly budgetMs: number;
}

const RECONCILE: ReconcileOptions = { concurrency: 5, rate: 20, budgetMs: 45_000 };

const BATCH = 50;
const RETRY_SECONDS = 3_600;
const REFUSED_SECONDS = 86_400;

export interface Reconciled {
  recorded: number;
  acknowledged: number;
  refused: number;
  later: number;
}

interface Run {
  readonly db: ReconcileDatabase;
  readonly store: Store;
  readonly done: Reconciled;
  readonly waitForSlot: () => Promise<void>;
  readonly until: number;
  isDown: boolean;
}

export async function reconcile(
  db: ReconcileDatabase,
  stores: { readonly ios: Store; readonly android: Store },
  { concurrency, rate, budgetMs }: ReconcileOptions = RECONCILE,
): Promise<Reconciled> {
  const until = performance.now() + budgetMs;
  const done: Reconciled = { recorded: 0, acknowledged: 0, refused: 0, later: 0 };
  const reconcileStore = async (platform: "ios" | "android") => {
    const run: Run = { db, store: stores[platform], done, waitForSlot: rateLimiter(rate), until, isDown: false };
    while (!isOver(run)) {
      const due = await db.rpc<Due[]>("take_due_subscriptions", { platform, limit: BATCH });
      if (due.length === 0) return;
      await forEach(due, concurrency, (subscription) => reconcileOne(run, subscription));
    }
  };
  await Promise.all([reconcileStore("ios"), reconcileStore("android")]);
  return done;
}

function isOver({ isDown, until }: Run): boolean {
  return isDown || performance.now() >= until;
}

async function reconcileOne(run: Run, subscription: Due): Promise<void> {
  await run.waitForSlot();
  if (isOver(run)) {
    run.done.later++;
    return;
  }
  try {
    await refresh(run, subscription);
  } catch (failure) {
    await postpone(run, subscription, failure);
  }
}

async function refresh({ db, store, done }: Run, { subscription_id, ...known }: Due): Promise<void> {
  const statement = await store.read(known);
  await db.rpc("record_store_statement", { statement, source: "reconciliation" });
  done.recorded++;
  if (!statement.needs_acknowledgement) return;
  await acknowledge(db, store, subscription_id, statement);
  done.acknowledged++;
}

async function postpone(run: Run, { subscription_id }: Due, failure: unknown): Promise<void> {
  const { db, done } = run;
  if (failure instanceof ApiError && failure.code === "iap_invalid") {
    done.refused++;
    await db.rpc("postpone_question", { subscription_id, seconds: REFUSED_SECONDS });
    return;
  }
  done.later++;
  if (failure instanceof ApiError && failure.code === "service_unavailable") {
    run.isDown = true; // or the database is down, and then no more requests are sent either
  }
  logFailure("A subscription is not reconciled yet", failure);
  await db.rpc("postpone_question", { subscription_id, seconds: RETRY_SECONDS });
}

/** Limits the rate to this many calls per second, evenly spaced. */
function rateLimiter(rate: number): () => Promise<void> {
  let next = performance.now();
  return async () => {
    const wait = Math.max(next - performance.now(), 0);
    next = performance.now() + wait + 1000 / rate;
    await pause(wait);
  };
}
