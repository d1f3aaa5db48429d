/** What badges, levels, EXP rules and themes have in common in the console. */
import { z } from "zod";
import { Cursor, IncludeTotal, Limit } from "../_shared/schema/lists.ts";
import { Timestamp } from "../_shared/schema/values.ts";

export const SortOrder = z.int().min(-1_000_000).max(1_000_000);

/** A list whose items can be deactivated. */
export const AdminRewardsQuery = z.strictObject({
  is_active: z.boolean().optional().meta({ description: "`true`: only active ones; `false`: only inactive ones" }),
  limit: Limit,
  cursor: Cursor,
  include: IncludeTotal,
});

export const unchanged = "A field that is absent stays as it is; null takes it away";

/** How far a job over all users is. */
export const progress = {
  status: z.enum(["none", "queued", "running", "done"]).meta({
    description: "`none`: it was never started; `queued`: no user is done yet",
  }),
  done_users: z.int().min(0),
  total_users: z.int().min(0).meta({
    description: "How many there were when it started; when it is `done`, how many were done",
  }),
  started_at: Timestamp.nullable(),
  updated_at: Timestamp.nullable().meta({ description: "When the last batch was committed" }),
};
