import { z } from "zod";
import { Timestamp } from "./values.ts";

const Count = z.int().min(0);
const AsOf = Timestamp.meta({ description: "As of when this part is" });

const OpenWork = z.object({
  count: Count,
  oldest_at: Timestamp.nullable().meta({ description: "Since when the oldest waits; null: nothing waits" }),
  oldest_age_seconds: Count.nullable(),
}).meta({ id: "OpenWork" });

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
}).meta({ id: "Overview" });

export const OverviewQuery = z.strictObject({
  days: z.int().min(1).max(30).default(14).meta({ description: "How many of the sessions by day" }),
});
