import { z } from "zod";
import { Timestamp } from "../_shared/schema/values.ts";

const Count = z.int().min(0);
const AsOf = Timestamp.meta({ description: "Time at which this part was measured" });

const OpenWork = z.object({
  count: Count,
  oldest_at: Timestamp.nullable().meta({
    description: "Time since which the oldest item is waiting. Null if none is waiting.",
  }),
  oldest_age_seconds: Count.nullable(),
}).meta({ id: "OpenWork" });

/** For pushes and mails. `unit` is the unit that waits. */
const delivery = (unit: string, retrying: string, reasons: readonly [string, ...string[]], outcomes: string) => ({
  at: AsOf,
  messages: Count.meta({ description: "Messages in the queue. Each is a batch or a fan-out." }),
  waiting: Count.meta({ description: `${unit} without an outcome` }),
  retrying: Count.meta({ description: retrying }),
  oldest_at: Timestamp.nullable().meta({
    description: "When the oldest message was enqueued. Null if there is none.",
  }),
  oldest_age_seconds: Count.nullable(),
  trouble: z.object({
    reason: z.enum(reasons),
    since: Timestamp,
    paused_until: Timestamp.meta({ description: "When it is retried. In the past during a retry." }),
  }).nullable().meta({ description: "The current reason why nothing is sent. Null if delivery works." }),
  outcomes: z.array(z.object({
    hour: Timestamp.meta({ description: "Start of the hour" }),
    counts: z.record(z.string(), Count).meta({
      description: outcomes,
      examples: [{ [unit === "Mails" ? "sent" : "delivered"]: 12 }],
    }),
  })).meta({
    description: "The last 24 hours including the current one, oldest first. Hours without activity are omitted.",
  }),
});

const without = (area: string) => ({ description: `Null if the caller does not have the area \`${area}\`` });

export const PushFigures = z.object(delivery(
  "Devices",
  "Of these, devices that were not reached at the first attempt",
  ["outage", "credentials", "not_configured"],
  "Devices by outcome: `delivered`, `dead_token`, `wrong_sender`, `payload_fault`, `undeliverable`, `gone`, `suppressed`, " +
    "`expired`",
)).meta({ id: "PushFigures" });

export const MailFigures = z.object(delivery(
  "Mails",
  "Messages being delivered now or waiting for a retry",
  ["outage", "credentials", "quota"],
  "Mails by outcome: `sent`, `rejected`, `gone`, `not_configured`",
)).meta({ id: "MailFigures" });

export const Overview = z.object({
  at: AsOf,
  people: z.object({
    at: AsOf,
    all: Count.meta({ description: "Number of app users, without withdrawn ones" }),
    active: Count,
    new_7d: Count.meta({ description: "Number of app users who signed up in the last seven days" }),
    premium: Count.meta({
      description:
        "Number of active app users with premium, without those who have it only by purchases of the sandbox",
    }),
  }).nullable().meta(without("users")),
  sessions: z.object({ at: AsOf, parking: Count.meta({ description: "Number of running sessions" }) })
    .nullable().meta(without("users")),
  sessions_by_day: z.object({
    at: AsOf,
    time_zone: z.string().meta({ description: "Time zone of the days", examples: ["Asia/Tokyo"] }),
    days: z.array(z.object({ date: z.iso.date(), started: Count })).meta({ description: "By day, ending with today" }),
  }).nullable().meta(without("users")),
  open_work: z.object({
    at: AsOf,
    pending_reviews: OpenWork.nullable().meta(without("reviews")),
    open_error_reports: OpenWork.nullable().meta(without("lots")),
    waiting_tickets: OpenWork.nullable().meta({
      description: "Number of support tickets awaiting an answer. Null if the caller does not have the area `support`",
    }),
  }),
  message_queues: z.object({
    at: AsOf,
    items: z.array(z.object({
      queue: z.string(),
      length: Count,
      due: Count.meta({ description: "Messages that a consumer can read now" }),
      oldest_due_at: Timestamp.nullable().meta({ description: "When the oldest of these messages became due" }),
    })),
  }),
  jobs: z.object({
    at: AsOf,
    active: Count,
    failed_24h: Count.meta({ description: "Failed runs of all jobs in the last 24 hours" }),
    last_started_at: Timestamp.nullable().meta({
      description:
        "When a job was last started, read now. Jobs run every minute, so an earlier time means that no job runs.",
    }),
    failing: z.array(z.string()).meta({ description: "Number of jobs whose last completed run failed" }),
  }),
  dead_messages: z.object({ at: AsOf, count: Count, newest_at: Timestamp.nullable() }),
  slow_queries: z.object({
    at: AsOf,
    reason: z.enum(["not_installed", "not_loaded"]).nullable().meta({
      description: "Why there are no queries: the database does not have `pg_stat_statements`, or has not loaded it",
    }),
    items: z.array(z.object({
      query: z.string().meta({ description: "Query text without values, at most 500 characters" }),
      calls: Count,
      mean_ms: z.number(),
      max_ms: z.number(),
      total_ms: z.number(),
    })).meta({ description: "The ten queries with the longest mean time" }),
  }).nullable().meta(without("admins")),
  push: PushFigures.nullable().meta(without("notifications")),
  mail: MailFigures.nullable().meta(without("notifications")),
}).meta({ id: "Overview" });

export const OverviewQuery = z.strictObject({
  days: z.int().min(1).max(30).default(14).meta({ description: "Number of days of `sessions_by_day`" }),
});
