/**
 * The consumer of the queue store-notifications: reads notifications, reads purchases from Google Play, and records the
 * statements of the stores. It continues until the queue is empty or its time is up. It can stop at any time:
 * notifications without a record are processed by the next consumer.
 */
import type { Database } from "../_shared/db/client.ts";
import { ApiError } from "../_shared/errors.ts";
import { logFailure } from "../_shared/http/log.ts";
import { ProviderDown } from "../_shared/providers/calls/errors.ts";
import { notifiedStatement, type PurchaseNotification } from "../_shared/providers/google_play/notifications.ts";
import type { KnownSubscription, Store, StoreStatement, SubscriptionFacts } from "../_shared/providers/store.ts";
import { ACKNOWLEDGE_CALLS, acknowledgeIfNeeded } from "../_shared/purchases.ts";
import { consume, type ConsumerOptions } from "../_shared/queue/consumer.ts";
import { underLease } from "../_shared/queue/lease.ts";
import { forEach } from "../_shared/queue/pool.ts";

/** The functions of the database that processing calls. */
export const PROCESS_CALLS = [
  "take_store_notifications",
  "call_next_consumer",
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

interface ReadNotifications {
  readonly found: number;
  /** Those that must be recorded. */
  readonly notifications: readonly Notification[];
}

const PROCESS: ConsumerOptions = { concurrency: 10, budgetMs: 45_000, lingerMs: 2_000, maxBatches: 50 };

const BATCH = 20;
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
  /** Set while Google Play is down and not called, so its notifications wait. */
  outage: ProviderDown | undefined;
}

export async function processNotifications(
  db: ProcessDatabase,
  googlePlay: Store,
  options: ConsumerOptions = PROCESS,
): Promise<Processed> {
  const run: Run = { db, googlePlay, done: { recorded: 0, refused: 0, later: 0 }, outage: undefined };
  await consume<readonly Notification[]>({
    take: async (ends) => {
      const { found, notifications } = await db.rpc<ReadNotifications>("take_store_notifications", {
        limit: BATCH,
        ends,
      });
      return { found, batches: [notifications] };
    },
    handle: async (notifications) => {
      await processBatch(run, await withoutUnavailableStore(run, notifications), options.concurrency);
      return "done";
    },
    recordsEnd: true,
    callNext: () => db.rpc("call_next_consumer", { function: "store-notifications/process" }),
  }, options);
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
      logFailure("A store notification is not recorded yet", failure);
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
  if (recorded !== null) await acknowledgeIfNeeded(db, googlePlay, recorded.subscription_id, statement);
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
    const retryAfter = Math.min(Math.max(seconds, 1), MAX_OUTAGE_SECONDS);
    throw run.outage ??= new ProviderDown("The store is down", { retryAfter, cause: failure });
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
  const outage = failure instanceof ProviderDown ? failure : undefined;
  const attempt = Math.max(...notifications.map(({ attempt }) => attempt));
  await db.rpc("postpone_store_notifications", {
    msg_ids: notifications.map(({ msg_id }) => msg_id),
    seconds: outage ? Math.ceil(outage.retryAfter ?? OUTAGE_SECONDS) : RETRY_SECONDS * 2 ** (attempt - 1),
    is_counted: outage === undefined,
  });
}
