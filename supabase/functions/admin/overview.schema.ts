import { z } from "zod";
import { Timestamp } from "../_shared/schema/values.ts";

const Count = z.int().min(0);
const AsOf = Timestamp.meta({ description: "As of when this part is" });

const OpenWork = z.object({
  count: Count,
  oldest_at: Timestamp.nullable().meta({ description: "Since when the oldest waits; null: nothing waits" }),
  oldest_age_seconds: Count.nullable(),
}).meta({ id: "OpenWork" });

/** Of pushes and of mails; `unit` is what waits. */
const delivery = (unit: string, retrying: string, reasons: readonly [string, ...string[]], outcomes: string) => ({
  at: AsOf,
  messages: Count.meta({ description: "Messages in the queue, each a batch or a fan-out" }),
  waiting: Count.meta({ description: `${unit} without an outcome` }),
  retrying: Count.meta({ description: retrying }),
  oldest_at: Timestamp.nullable().meta({
    description: "When the oldest message was put into the queue; null: there is none",
  }),
  oldest_age_seconds: Count.nullable(),
  trouble: z.object({
    reason: z.enum(reasons),
    since: Timestamp,
    paused_until: Timestamp.meta({ description: "When it is tried again; in the past while it is tried" }),
  }).nullable().meta({ description: "As of now, why nothing is sent; null: there is no trouble" }),
  outcomes: z.array(z.object({
    hour: Timestamp.meta({ description: "When it begins" }),
    counts: z.record(z.string(), Count).meta({
      description: outcomes,
      examples: [{ [unit === "Mails" ? "sent" : "delivered"]: 12 }],
    }),
  })).meta({
    description: "Of the last 24 hours with the current one, oldest first; without hours in which nothing was recorded",
  }),
});

const ForNotifications = "Null without the area `notifications`";

export const PushFigures = z.object(delivery(
  "Devices",
  "Devices of these that could not be reached at the first try",
  ["outage", "credentials", "not_configured"],
  "Devices by outcome: `delivered`, `dead_token`, `wrong_sender`, `payload_fault`, `undeliverable`, `gone`, `suppressed`",
)).meta({ id: "PushFigures" });

export const MailFigures = z.object(delivery(
  "Mails",
  "Messages that were taken already: being sent now, or tried again",
  ["outage", "credentials", "quota"],
  "Mails by outcome: `sent`, `rejected`, `gone`, `not_configured`",
)).meta({ id: "MailFigures" });

export const Overview = z.object({
  at: AsOf,
  people: z.object({
    at: AsOf,
    all: Count.meta({ description: "App users, without those who have withdrawn" }),
    active: Count,
    new_7d: Count.meta({ description: "Who signed up in the last seven days" }),
    premium: Count.meta({ description: "Active ones who are premium members" }),
  }),
  sessions: z.object({ at: AsOf, parking: Count.meta({ description: "Sessions that run" }) }),
  sessions_by_day: z.object({
    at: AsOf,
    time_zone: z.string().meta({ description: "Whose days these are", examples: ["Asia/Tokyo"] }),
    days: z.array(z.object({ date: z.iso.date(), started: Count })).meta({ description: "The last one is today" }),
  }),
  open_work: z.object({
    at: AsOf,
    pending_reviews: OpenWork,
    open_error_reports: OpenWork,
    waiting_tickets: OpenWork.meta({ description: "Support tickets that wait for an answer" }),
  }),
  message_queues: z.object({
    at: AsOf,
    items: z.array(z.object({
      queue: z.string(),
      length: Count,
      due: Count.meta({ description: "Messages that a consumer could read" }),
      oldest_due_at: Timestamp.nullable().meta({ description: "Since when the oldest of these is due" }),
    })),
  }),
  jobs: z.object({
    at: AsOf,
    active: Count,
    failed_24h: Count.meta({ description: "Failed runs of the last 24 hours, of all jobs" }),
    last_started_at: Timestamp.nullable().meta({
      description:
        "When a job was last started, as of now. Jobs run every minute: an earlier time means that none runs",
    }),
    failing: z.array(z.string()).meta({ description: "Jobs whose last finished run failed" }),
  }),
  dead_messages: z.object({ at: AsOf, count: Count, newest_at: Timestamp.nullable() }),
  slow_queries: z.object({
    at: AsOf,
    reason: z.enum(["not_installed", "not_loaded"]).nullable().meta({
      description: "Why there are none: the database has no `pg_stat_statements`, or has not loaded it",
    }),
    items: z.array(z.object({
      query: z.string().meta({ description: "Its text without values, 500 characters at most" }),
      calls: Count,
      mean_ms: z.number(),
      max_ms: z.number(),
      total_ms: z.number(),
    })).meta({ description: "The ten that take longest in the mean" }),
  }),
  push: PushFigures.nullable().meta({ description: ForNotifications }),
  mail: MailFigures.nullable().meta({ description: ForNotifications }),
}).meta({ id: "Overview" });

export const OverviewQuery = z.strictObject({
  days: z.int().min(1).max(30).default(14).meta({ description: "How many of the sessions by day" }),
});
