import { z } from "zod";

const Yen = z.int().min(0).max(500).meta({
  description: "What one minute of walking is worth, in yen: a lot that is a minute nearer may cost this much more",
  examples: [20],
});

export const SearchPreferences = z.object({
  is_premium: z.boolean().meta({ description: "Whether the caller may change them" }),
  yen_per_walk_minute: Yen,
  is_default: z.boolean().meta({ description: "True when the caller never set any: the service's own value is shown" }),
}).meta({ id: "SearchPreferences" });

export const SearchPreferencesUpdate = z.strictObject({ yen_per_walk_minute: Yen }).meta({
  id: "SearchPreferencesUpdate",
});
