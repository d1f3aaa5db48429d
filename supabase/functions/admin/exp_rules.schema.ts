import { z } from "zod";
import { exp_rules } from "../_shared/db/columns.ts";
import { column } from "../_shared/schema/columns.ts";
import { sharedParameters } from "../_shared/schema/parameters.ts";
import { unchanged } from "./rewards.schema.ts";
import { pageOf } from "../_shared/schema/lists.ts";
import { text, Timestamp } from "../_shared/schema/values.ts";

const Amount = column(exp_rules.amount).meta({ description: "Points per source" });
const DailyLimit = column(exp_rules.daily_limit).meta({
  description: "How many sources per day (Japan time) give a user points. Null for no limit.",
});

export const ExpRule = z.object({
  id: z.int().min(1),
  reason: z.string().meta({ description: "A code of category `exp_reason`", examples: ["session_end"] }),
  activity_type: z.string().nullable().meta({
    description:
      "The causing activity, a code of category `user_activity`. Null if the cause is not an activity: then " +
      "`reason` names it.",
    examples: ["session_end"],
  }),
  amount: Amount,
  daily_limit: DailyLimit,
  is_active: z.boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "ExpRule" });

export const ExpRules = pageOf(ExpRule, "ExpRules");

export const NewExpRule = z.strictObject({
  reason: text(1, 50).meta({ description: "A code of category `exp_reason`", examples: ["session_end"] }),
  activity_type: text(1, 50).nullable().optional(),
  amount: Amount,
  daily_limit: DailyLimit.optional(),
  is_active: z.boolean().optional().meta({ description: "Default: true" }),
}).meta({ id: "NewExpRule" });

export const ExpRuleUpdate = z.strictObject({
  amount: Amount.optional(),
  daily_limit: DailyLimit.optional(),
  is_active: z.boolean().optional().meta({ description: "False deactivates the rule" }),
}).meta({ id: "ExpRuleUpdate", description: unchanged });

export const ExpRuleParams = z.strictObject({
  id: z.int().min(1).max(2_147_483_647).meta({ description: "The EXP rule" }).register(sharedParameters, {
    id: "ExpRuleId",
  }),
});
