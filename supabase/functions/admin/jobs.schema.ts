import { z } from "zod";
import { pageOf, PageQuery } from "../_shared/schema/lists.ts";
import { Id, pathId, text, Timestamp } from "../_shared/schema/values.ts";

const RunStatus = z.enum(["starting", "connecting", "sending", "running", "succeeded", "failed"]);

export const Job = z.object({
  name: z.string().meta({ examples: ["purge"] }),
  schedule: z.string().meta({ description: "Cron expression of pg_cron, in UTC", examples: ["19 3 * * *"] }),
  is_active: z.boolean(),
  last_run: z.union([
    z.object({
      status: RunStatus,
      started_at: Timestamp,
      ended_at: Timestamp.nullable(),
      duration_ms: z.number().nullable(),
      error: z.string().nullable().meta({ description: "The error message of the database, if the run failed" }),
    }),
    z.null(),
  ]).meta({ description: "Null if the job has not run in the last week" }),
  failed_24h: z.int().min(0).meta({ description: "Number of failed runs in the last 24 hours" }),
  next_run_at: Timestamp.nullable().meta({
    description: "Null if the job is not active or its schedule cannot be computed",
  }),
}).meta({ id: "Job" });

export const Jobs = z.object({
  at: Timestamp.meta({ description: "Time of this reading" }),
  items: z.array(Job),
}).meta({ id: "Jobs" });

export const DeadMessage = z.object({
  id: Id,
  queue: z.string().meta({ examples: ["object_deletion"] }),
  message: z.unknown().meta({ description: "Content of the message, as it was enqueued" }),
  read_count: z.int().meta({ description: "How often a consumer read the message without completing it" }),
  enqueued_at: Timestamp,
  died_at: Timestamp,
}).meta({ id: "DeadMessage" });

export const DeadMessages = pageOf(DeadMessage, "DeadMessages");

export const DeadMessagesQuery = z.strictObject({
  queue: text(1, 47).optional().meta({ description: "Only messages of this queue", examples: ["mail"] }),
  ...PageQuery.shape,
});

export const DeadMessageParams = z.strictObject({ id: pathId("DeadMessageId", "The dead message") });

export const RequeuedMessage = z.object({
  queue: z.string(),
  msg_id: z.int().meta({ description: "Id of the message in the queue" }),
}).meta({ id: "RequeuedMessage" });
