import { z } from "zod";

export const Liveness = z.object({
  status: z.literal("ok"),
  version: z.string().meta({ examples: ["0.1.0"] }),
}).meta({ id: "Liveness" });

export const Readiness = z.object({
  status: z.literal("ok"),
  version: z.string().meta({ examples: ["0.1.0"] }),
  database: z.literal("ok"),
  migration: z.string().meta({ description: "The latest applied migration", examples: ["20260901000500"] }),
  newer_migrations: z.array(z.string()).meta({
    description: "Applied migrations that came after this release. It works with them, so the service is ready",
    examples: [["20261101093000_saved_lot_notes"]],
  }),
}).meta({ id: "Readiness" });
