/** Common parts of badges, levels, EXP rules and themes in the console. */
import { z } from "zod";
import { IsActive, PageQuery } from "../_shared/schema/lists.ts";
import { Timestamp } from "../_shared/schema/values.ts";

/** A list of items that can be inactive. */
export const AdminRewardsQuery = z.strictObject({
  is_active: IsActive,
  ...PageQuery.shape,
});

export const unchanged = "An omitted field does not change. Null clears it";

/** Progress of a job over all users. */
export const progress = {
  status: z.enum(["none", "queued", "running", "done"]).meta({
    description: "`none`: never started. `queued`: no user is processed yet.",
  }),
  done_users: z.int().min(0),
  total_users: z.int().min(0).meta({
    description: "Number of users at the start. After `done`, the number of processed users.",
  }),
  started_at: Timestamp.nullable(),
  updated_at: Timestamp.nullable().meta({ description: "When the last batch was committed" }),
};
