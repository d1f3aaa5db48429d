/**
 * The consumer of the queue store-notifications: reads notifications, reads purchases from Google Play, and records the
 * statements of the stores. It continues until the queue is empty or its time is up. It can stop at any time:
 * notifications without a record are processed by the next consumer.
 */
import { forEach } from "../_shared/concurrency.ts";
import { pause, underLease } from "../_shared/consumer.ts";
import type { Database } from "../_shared/db/client.ts";
import { ApiError } from "../_shared/errors.ts";
import { describe } from "../_shared/http/log.ts";
import { notifiedStatement, type PurchaseNotification } from "../_shared/providers/google_play/notifications.ts";
import type { KnownSubscription, Store, StoreStatement, SubscriptionFacts } from "../_shared/providers/store.ts";
import { acknowledge, ACKNOWLEDGE_CALLS } from "../_shared/purchases.ts";

/** The functions of the database that processing calls. */
export const PROCESS_CALLS = [
  "take_store_notifications",
  "extend_lease",
  "finish_store_notification",
  "postpone_store_notifications",
  ...ACKNOWLEDGE_CALLS,
] as const;

type ProcessDatabase = Database<(typeof PROCESS_CALLS)[number]>;

interface QueuedNotification {
  readonly msg_id: number;
  readonly attempt: number;
  readonly notification_id: string;
}

type Notification =
  | QueuedNotification & { readonly store: "ios_store"; readonly body: StoreStatement }
  | QueuedNotification & {
    readonly store: "android_store";
    readonly body: PurchaseNotification;
    readonly facts: SubscriptionFacts | null;
  };

interface Batch {
  readonly found: number;
  /** Those that must be recorded. */
  readonly notifications: readonly Notification[];
}

export interface ProcessOptions {
  readonly concurrency: number;
  /** Time after the start, in milliseconds, from which on no more notifications are read. */
  readonly budgetMs: number;
  /** How long an empty queue is polled before the consumer ends. */
  readonly lingerMs: number;
}

const PROCESS: ProcessOptions = { concurrency: 10, budgetMs: 45_000, lingerMs: 2_000 };

const BATCH = 20;
const POLL_MS = 500;
/** This long before the consumer's time is up, the next notification starts another consumer. */
const ENDING_MS = 1_000;
/** Retry delay of a failed notification in seconds, doubled with each attempt. */
const RETRY_SECONDS = 30;
/** How long Google Play is not called while it is down, if it does not return a delay. */
const OUTAGE_SECONDS = 60;
const MAX_OUTAGE_SECONDS = 600;

export interface Processed {
  recorded: number;
  refused: number;
  later: number;
}

interface Run {
  readonly db: ProcessDatabase;
  readonly googlePlay: Store;
  readonly done: Processed;
  /** Set while Google Play is down and not called. */
  outage: Outage | undefined;
}

/** The store is down, so its notifications wait. */
class Outage extends Error {
  override readonly name = "Outage";

  constructor(readonly seconds: number, cause: ApiError) {
    super("The store is down", { cause });
  }
}

export async function processNotifications(
  db: ProcessDatabase,
  googlePlay: Store,
  options: ProcessOptions = PROCESS,
): Promise<Processed> {
  const until = performance.now() + options.budgetMs;
  const run: Run = { db, googlePlay, done: { recorded: 0, refused: 0, later: 0 }, outage: undefined };
  let emptySince = performance.now();
  let lastReads = 0;
  while (performance.now() < until) {
    const ends = performance.now() - emptySince >= options.lingerMs || performance.now() >= until - ENDING_MS;
    const { found, notifications } = await db.rpc<Batch>("take_store_notifications", { limit: BATCH, ends });
    if (found > 0) {
      await processBatch(run, await withoutUnavailableStore(run, notifications), options.concurrency);
      emptySince = performance.now();
      lastReads = 0;
      continue;
    }
    // Read twice, because a notification can be stored while the first read informs the database that this consumer
    // ends.
    if (ends && ++lastReads === 2) break;
    await pause(POLL_MS);
  }
  return run.done;
}

/** Those that can be recorded now. Notifications of Google Play are postponed while it is down. */
async function withoutUnavailableStore(
  run: Run,
  notifications: readonly Notification[],
): Promise<readonly Notification[]> {
  if (run.outage === undefined) return notifications;
  const waiting = notifications.filter(({ store }) => store === "android_store");
  if (waiting.length > 0) await postpone(run, waiting, run.outage);
  return notifications.filter(({ store }) => store === "ios_store");
}

async function processBatch(run: Run, notifications: readonly Notification[], concurrency: number): Promise<void> {
  const waiting = new Set(notifications.map(({ msg_id }) => msg_id));
  await underLease(
    () => run.db.rpc("extend_lease", { queue: "store-notifications", msg_ids: [...waiting] }),
    () =>
      forEach(notifications, concurrency, async (notification) => {
        await processOne(run, notification);
        waiting.delete(notification.msg_id);
      }),
  );
}

async function processOne(run: Run, notification: Notification): Promise<void> {
  try {
    await record(run, notification);
    run.done.recorded++;
  } catch (failure) {
    const problem = failure instanceof ApiError ? problemOf(failure) : undefined;
    if (problem === undefined) {
      logFailure(failure);
      return await postpone(run, [notification], failure);
    }
    run.done.refused++;
    const { msg_id, notification_id } = notification;
    await run.db.rpc("finish_store_notification", { msg_id, notification_id, problem });
  }
}

async function record(run: Run, notification: Notification): Promise<void> {
  const { db, googlePlay } = run;
  const { msg_id, notification_id } = notification;
  const statement = notification.store === "ios_store" ? notification.body : await readPurchase(run, notification);
  const recorded = await db.rpc<{ subscription_id: string } | null>("finish_store_notification", {
    msg_id,
    notification_id,
    statement,
  });
  if (recorded === null || !statement.needs_acknowledgement) return;
  try {
    await acknowledge(db, googlePlay, recorded.subscription_id, statement);
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure; // otherwise reconciliation retries
  }
}

async function readPurchase(
  run: Run,
  { body, facts }: Extract<Notification, { store: "android_store" }>,
): Promise<StoreStatement> {
  const { subscription_key, purchase_token, product_id } = body;
  const known: KnownSubscription = { subscription_key, product_id, environment: "Production", purchase_token, facts };
  try {
    return notifiedStatement(body, await run.googlePlay.read(known));
  } catch (failure) {
    if (!(failure instanceof ApiError) || failure.code !== "service_unavailable") throw failure;
    const seconds = Number(failure.headers["Retry-After"] ?? OUTAGE_SECONDS);
    throw run.outage ??= new Outage(Math.min(Math.max(seconds, 1), MAX_OUTAGE_SECONDS), failure);
  }
}

/** Why it can never be recorded. Undefined if it can be retried. */
function problemOf({ code, message, cause }: ApiError): string | undefined {
  if (code === "validation_error") return `${code}: ${message}`;
  if (code === "iap_invalid") return `${code}: ${cause instanceof Error ? cause.message : message}`;
  return undefined;
}

async function postpone({ db, done }: Run, notifications: readonly Notification[], failure: unknown): Promise<void> {
  done.later += notifications.length;
  const isOutage = failure instanceof Outage;
  const attempt = Math.max(...notifications.map(({ attempt }) => attempt));
  await db.rpc("postpone_store_notifications", {
    msg_ids: notifications.map(({ msg_id }) => msg_id),
    seconds: isOutage ? Math.ceil(failure.seconds) : RETRY_SECONDS * 2 ** (attempt - 1),
    is_counted: !isOutage,
  });
}

function logFailure(failure: unknown): void {
  const message = "A store notification is not recorded yet";
  const line = { level: "error", time: new Date().toISOString(), message, cause: describe(failure) };
  console.error(JSON.stringify(line));
}
