import { z } from "zod";
import { Cursor, IncludeTotal, Limit, NextCursor, Total } from "../_shared/schema/lists.ts";
import { Id, text, Timestamp } from "../_shared/schema/values.ts";

const RunStatus = z.enum(["starting", "connecting", "sending", "running", "succeeded", "failed"]);

export const Job = z.object({
  name: z.string().meta({ examples: ["purge"] }),
  schedule: z.string().meta({ description: "As pg_cron reads it, in UTC", examples: ["19 3 * * *"] }),
  is_active: z.boolean(),
  last_run: z.union([
    z.object({
      status: RunStatus,
      started_at: Timestamp,
      ended_at: Timestamp.nullable(),
      duration_ms: z.number().nullable(),
      error: z.string().nullable().meta({ description: "What the database said, when the run failed" }),
    }),
    z.null(),
  ]).meta({ description: "Null: no run in the last week" }),
  failed_24h: z.int().min(0).meta({ description: "Failed runs of the last 24 hours" }),
  next_run_at: Timestamp.nullable().meta({ description: "Null: not active, or the schedule cannot be computed" }),
}).meta({ id: "Job" });

export const Jobs = z.object({
  at: Timestamp.meta({ description: "When this was so" }),
  items: z.array(Job),
}).meta({ id: "Jobs" });

export const DeadMessage = z.object({
  id: Id,
  queue: z.string().meta({ examples: ["object_deletion"] }),
  message: z.unknown().meta({ description: "As it was put into the queue" }),
  read_count: z.int().meta({ description: "How often a consumer read it and did not finish it" }),
  enqueued_at: Timestamp,
  died_at: Timestamp,
}).meta({ id: "DeadMessage" });

export const DeadMessages = z.object({ items: z.array(DeadMessage), next_cursor: NextCursor, total: Total }).meta({
  id: "DeadMessages",
});

export const DeadMessagesQuery = z.strictObject({
  queue: text(1, 47).optional(),
  limit: Limit,
  cursor: Cursor,
  include: IncludeTotal,
});

export const DeadMessageParams = z.strictObject({ id: Id.meta({ description: "The dead message" }) });

export const RequeuedMessage = z.object({
  queue: z.string(),
  msg_id: z.int().meta({ description: "Its id in the queue" }),
}).meta({ id: "RequeuedMessage" });
