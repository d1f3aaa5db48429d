/**
 * The consumer of the queue mail: reads batches, sends them, and records the outcome of each mail. It continues until
 * the queue is empty or its time is up. It can stop at any time: mails without an outcome are sent by the next
 * consumer, with the same idempotency keys.
 */
import type { Database } from "../_shared/db/client.ts";
import type { MailOutcome, MailSender } from "../_shared/providers/mail.ts";
import { consume, type ConsumerOptions, jittered, pause, type ReadBatches } from "../_shared/queue/consumer.ts";
import { underLease } from "../_shared/queue/lease.ts";
import { forEach } from "../_shared/queue/pool.ts";
import { compose, type Text } from "./compose.ts";

/** The functions of the database that sending mails calls. */
export const DISPATCH_CALLS = [
  "take_mails",
  "extend_lease",
  "record_mail_outcomes",
  "pause_mail",
  "call_next_consumer",
] as const;

type DispatchDatabase = Database<(typeof DISPATCH_CALLS)[number]>;

interface Recipient {
  readonly user_id: string;
  readonly address: string;
  readonly lang: "ja" | "en";
}

interface Batch {
  readonly msg_id: number;
  readonly notification_id: string;
  readonly batch: number;
  /** How often it was read, including this time. */
  readonly tries: number;
  readonly texts: { readonly ja: Text; readonly en: Text };
  readonly mails: readonly Recipient[];
}

export const DISPATCH: ConsumerOptions = { concurrency: 5, budgetMs: 45_000, lingerMs: 2_000, maxBatches: 40 };

/** A consumer waits this long itself if the mail service accepts no mails. For longer waits it pauses the queue. */
const MAX_WAIT_SECONDS = 10;
/** Retry delay of a mail in seconds. Each further delay is four times as long. */
const RETRY_SECONDS = 60;
const MAX_TRIES = 5;

export interface Dispatched {
  batches: number;
  sent: number;
  rejected: number;
  later: number;
  not_configured: number;
}

export async function dispatch(
  db: DispatchDatabase,
  sender: MailSender,
  options: ConsumerOptions = DISPATCH,
): Promise<Dispatched> {
  const done: Dispatched = { batches: 0, sent: 0, rejected: 0, later: 0, not_configured: 0 };
  await consume<Batch>({
    take: () => db.rpc<ReadBatches<Batch>>("take_mails"),
    handle: async (batch, until) => {
      const attempt = new Attempt(batch, sender, until);
      const extend = () => db.rpc("extend_lease", { queue: "mail", msg_ids: [batch.msg_id] });
      if (sender.isAvailable) await underLease(extend, () => attempt.send(options.concurrency));
      else attempt.drop();
      for (const { outcome } of attempt.outcomes) done[outcome]++;
      done.later += batch.mails.length - attempt.outcomes.length;
      done.batches++;
      return await settle(db, batch, attempt);
    },
    callNext: () => db.rpc("call_next_consumer", { function: "mail-dispatch" }),
  }, options);
  return done;
}

interface Trouble {
  readonly reason: "outage" | "credentials" | "quota";
  readonly seconds: number;
}

/** One attempt of a batch. Mails without an outcome are retried. */
class Attempt {
  readonly outcomes: { user_id: string; outcome: "sent" | "rejected" | "not_configured" }[] = [];
  retryAfter = 0;
  trouble: Trouble | undefined;
  /** When the mail service accepts mails again. */
  #openAt = 0;

  constructor(readonly batch: Batch, readonly sender: MailSender, readonly until: number) {}

  drop(): void {
    for (const { user_id } of this.batch.mails) this.outcomes.push({ user_id, outcome: "not_configured" });
  }

  async send(concurrency: number): Promise<void> {
    await forEach(this.batch.mails, concurrency, (to) => this.#send(to));
  }

  /** After a failure of the service nothing more is sent. Accepted mails are recorded. */
  async #send(to: Recipient): Promise<void> {
    for (let isSettled = false; !isSettled && this.trouble === undefined;) {
      await pause(Math.max(0, this.#openAt - performance.now()));
      const result = await this.sender.send(this.#mailTo(to));
      isSettled = result.outcome !== "quota";
      this.#note(to, result);
    }
  }

  #note(to: Recipient, result: MailOutcome): void {
    switch (result.outcome) {
      case "sent":
      case "rejected":
        this.outcomes.push({ user_id: to.user_id, outcome: result.outcome });
        break;
      case "later":
        this.retryAfter = Math.max(this.retryAfter, result.retryAfter ?? 0);
        break;
      case "quota":
        this.#wait(result.retryAfter);
        break;
      default:
        this.trouble = { reason: result.outcome, seconds: 0 };
    }
  }

  #wait(seconds: number): void {
    const openAt = performance.now() + seconds * 1000;
    if (seconds > MAX_WAIT_SECONDS || openAt > this.until) {
      this.trouble = { reason: "quota", seconds };
    } else {
      this.#openAt = Math.max(this.#openAt, openAt);
    }
  }

  #mailTo({ user_id, address, lang }: Recipient) {
    const { notification_id, texts } = this.batch;
    return { ...compose(texts[lang], lang), to: address, idempotencyKey: `${notification_id}/${user_id}` };
  }
}

async function settle(db: DispatchDatabase, batch: Batch, attempt: Attempt): Promise<"done" | "paused"> {
  const { msg_id, notification_id, tries } = batch;
  const { outcomes, retryAfter, trouble } = attempt;
  if (outcomes.length > 0 || trouble === undefined) {
    // After the last attempt it is read once more, immediately, to become a dead message.
    const retry = tries >= MAX_TRIES ? 1 : Math.max(retryAfter, jittered(RETRY_SECONDS * 4 ** (tries - 1)));
    await db.rpc("record_mail_outcomes", {
      msg_id,
      notification_id,
      batch: batch.batch,
      outcomes,
      retry_seconds: retry,
    });
  }
  if (trouble === undefined) return "done";
  await db.rpc("pause_mail", { reason: trouble.reason, seconds: trouble.seconds, msg_ids: [msg_id] });
  return "paused";
}
