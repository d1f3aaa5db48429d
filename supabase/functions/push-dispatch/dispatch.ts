/**
 * The consumer of the queue push-dispatch: reads batches, sends them, and records the outcomes, fifty devices at a time.
 * It continues until the queue is empty or its time is up. It can stop at any time: devices without an outcome are
 * processed by the next consumer.
 */
import type { Database } from "../_shared/db/client.ts";
import type { PushSender } from "../_shared/providers/fcm.ts";
import { consume, type ConsumerOptions, jittered, type ReadBatches } from "../_shared/queue/consumer.ts";
import { underLease } from "../_shared/queue/lease.ts";

/** The functions of the database that sending pushes calls. */
export const DISPATCH_CALLS = [
  "take_push_batches",
  "extend_push_lease",
  "fan_out_notification",
  "record_push_outcomes",
  "pause_push",
  "call_next_consumer",
] as const;

type DispatchDatabase = Database<(typeof DISPATCH_CALLS)[number]>;

interface Text {
  readonly title: string;
  readonly body: string;
}

interface Device {
  readonly token_id: string;
  readonly fcm_token: string;
  readonly lang: "ja" | "en";
  readonly badge: number;
  /** From then on it is not sent to, and the database records that its push expired. */
  readonly expires_at: string;
}

/** A fan-out if `batch` is missing. */
interface Batch {
  readonly msg_id: number;
  readonly notification_id: string;
  readonly batch?: number;
  readonly texts: { readonly ja: Text; readonly en: Text };
  readonly data: Readonly<Record<string, string>>;
  readonly devices: readonly Device[];
}

export const DISPATCH: ConsumerOptions = { concurrency: 50, budgetMs: 45_000, lingerMs: 2_000, maxBatches: 8 };

/** Retry delay in seconds for a device that could not be reached. The database doubles it with each attempt. */
const RETRY_SECONDS = 30;
/** At most this many devices may all fail although FCM is up: they can be the devices of one user. */
const FEW_DEVICES = 20;

export interface Dispatched {
  batches: number;
  delivered: number;
  failed: number;
  later: number;
}

export async function dispatch(
  db: DispatchDatabase,
  sender: PushSender,
  options: ConsumerOptions = DISPATCH,
): Promise<Dispatched> {
  const done: Dispatched = { batches: 0, delivered: 0, failed: 0, later: 0 };
  const run: Run = { db, sender, concurrency: options.concurrency, done, isServiceUp: false, wasServiceUp: false };
  await consume<Batch>({
    take: async () => {
      const read = await db.rpc<ReadPushes>("take_push_batches", { limit: 1 });
      run.wasServiceUp = read.is_service_up;
      return read;
    },
    handle: (batch, until) =>
      underLease(
        () => db.rpc("extend_push_lease", { msg_id: batch.msg_id }),
        () => batch.batch === undefined ? fanOut(db, batch, until) : send(run, batch),
      ),
    callNext: () => db.rpc("call_next_consumer", { function: "push-dispatch" }),
  }, options);
  return done;
}

/** Page by page. If the time is up, the rest is processed when the lease has ended. */
async function fanOut(db: DispatchDatabase, { msg_id, notification_id }: Batch, until: number): Promise<"done"> {
  while (performance.now() < until) {
    const page = await db.rpc<{ is_done: boolean }>("fan_out_notification", { notification_id, msg_id });
    if (page.is_done) break;
  }
  return "done";
}

/** Failures that affect all devices, not a single one. */
type Trouble = "outage" | "credentials" | "not_configured";

function isTrouble(outcome: string): outcome is Trouble {
  return outcome === "outage" || outcome === "credentials" || outcome === "not_configured";
}

interface ReadPushes extends ReadBatches<Batch> {
  readonly is_service_up: boolean;
}

interface Run {
  readonly db: DispatchDatabase;
  readonly sender: PushSender;
  readonly concurrency: number;
  readonly done: Dispatched;
  /** Whether the last devices were reached. If so, the cause of devices that are not reached is in these devices. */
  isServiceUp: boolean;
  /**
   * Whether a batch of any consumer reached a device within the last two minutes. Then a failed batch of few devices is
   * not an outage.
   */
  wasServiceUp: boolean;
}

interface Outcome {
  readonly token_id: string;
  readonly fcm_token: string;
  readonly outcome: string;
}

/** As many devices at once as requests at once, so that a killed consumer leaves only these without a record. */
async function send(run: Run, batch: Batch): Promise<"done" | "paused"> {
  const { db, done } = run;
  done.batches++;
  let retryAfter = 0;
  for (let from = 0; from < batch.devices.length; from += run.concurrency) {
    const part = await sendPart(run, batch, batch.devices.slice(from, from + run.concurrency));
    retryAfter = Math.max(retryAfter, part.retryAfter);
    const { outcomes, trouble } = part;
    const isLast = trouble !== undefined || from + run.concurrency >= batch.devices.length;
    let isRejected = false;
    if (trouble === undefined || run.isServiceUp) {
      isRejected = await db.rpc("record_push_outcomes", {
        msg_id: batch.msg_id,
        notification_id: batch.notification_id,
        batch: batch.batch!,
        outcomes,
        retry_seconds: Math.max(retryAfter, jittered(RETRY_SECONDS)),
        continues: !isLast,
      });
    }
    count(done, outcomes);
    if (trouble !== undefined) {
      await db.rpc("pause_push", { reason: trouble, seconds: retryAfter, msg_ids: [batch.msg_id] });
      return "paused";
    }
    if (isLast || isRejected) break;
  }
  return "done";
}

/** Sends to these devices at the same time. After a failure of the service nothing more is sent. */
async function sendPart(
  run: Run,
  batch: Batch,
  devices: readonly Device[],
): Promise<{ outcomes: readonly Outcome[]; retryAfter: number; trouble: Trouble | undefined }> {
  const outcomes: Outcome[] = [];
  let retryAfter = 0;
  let trouble: Trouble | undefined;
  const current = devices.filter(({ expires_at }) => Date.parse(expires_at) > Date.now());
  if (current.length === 0) return { outcomes, retryAfter, trouble };
  await Promise.all(current.map(async (device) => {
    const result = await run.sender.send(messageTo(device, batch));
    if (isTrouble(result.outcome)) {
      trouble = result.outcome;
      return;
    }
    if (result.outcome === "later") retryAfter = Math.max(retryAfter, result.retryAfter ?? 0);
    outcomes.push({ token_id: device.token_id, fcm_token: device.fcm_token, outcome: result.outcome });
  }));
  const isReached = outcomes.some(({ outcome }) => outcome !== "later");
  const hasFewDevices = current.length <= FEW_DEVICES;
  if (!isReached && !run.isServiceUp && !(hasFewDevices && run.wasServiceUp)) trouble ??= "outage";
  run.isServiceUp = isReached;
  return { outcomes, retryAfter, trouble };
}

function messageTo(device: Device, { notification_id, texts, data }: Batch) {
  const { title, body } = texts[device.lang];
  return {
    token: device.fcm_token,
    title,
    body,
    data: { ...data, notification_id },
    badge: device.badge,
    tag: notification_id,
    expiresAt: new Date(device.expires_at),
  };
}

function count(done: Dispatched, outcomes: readonly Outcome[]): void {
  for (const { outcome } of outcomes) {
    if (outcome === "delivered") done.delivered++;
    else if (outcome === "later") done.later++;
    else done.failed++;
  }
}
