import { z } from "zod";
import { client_crash_reports } from "../_shared/db/columns.ts";
import { column } from "../_shared/schema/columns.ts";
import { text } from "../_shared/schema/values.ts";

const STACK_BYTES = 65_536;

export const CrashReport = z.strictObject({
  stack: text(1, STACK_BYTES).refine((stack) => new TextEncoder().encode(stack).length <= STACK_BYTES, {
    message: `Must be at most ${STACK_BYTES} bytes of UTF-8.`,
  }).meta({ description: "The stack trace, at most 65536 bytes of UTF-8. The first 8 KiB are stored." }),
  device: column(client_crash_reports.device).meta({
    description: "Device model and operating system",
    examples: ["Pixel 9, Android 16"],
  }),
  app_version: column(client_crash_reports.app_version).meta({ examples: ["1.4.2 (318)"] }),
}).meta({ id: "CrashReport" });

export const CrashReported = z.object({ ok: z.literal(true) }).meta({ id: "CrashReported" });
