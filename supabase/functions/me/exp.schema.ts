import { z } from "zod";
import { pageOf } from "../_shared/schema/lists.ts";
import { Id, Timestamp } from "../_shared/schema/values.ts";

export const MyExp = z.object({
  total_exp: z.int(),
  level: z.int().min(1),
  next_level_exp: z.int().nullable().meta({
    description: "Points at which the next level starts. Null at the highest level.",
  }),
  exp_to_next_level: z.int().min(0).nullable().meta({
    description: "Points missing for the next level. Null at the highest level.",
  }),
}).meta({ id: "MyExp" });

export const ExpEntry = z.object({
  id: Id,
  reason: z.string().meta({ description: "A code of category `exp_reason`", examples: ["session_end"] }),
  amount: z.int().meta({ description: "Negative if points were deducted" }),
  source_type: z.string().meta({ description: "The kind of row that `source_id` refers to", examples: ["review"] }),
  source_id: Id.meta({ description: "Reason of the points" }),
  created_at: Timestamp,
}).meta({ id: "ExpEntry" });

export const ExpEntries = pageOf(ExpEntry, "ExpEntries");
