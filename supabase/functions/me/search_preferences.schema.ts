import { z } from "zod";
import { search_preferences } from "../_shared/db/columns.ts";
import { column } from "../_shared/schema/columns.ts";

const Yen = column(search_preferences.yen_per_walk_minute).meta({
  description: "Value of one minute of walking, in yen. A lot that is one minute nearer may cost this much more.",
  examples: [20],
});

export const SearchPreferences = z.object({
  is_premium: z.boolean().meta({ description: "Whether the caller can change the preferences" }),
  yen_per_walk_minute: Yen,
  is_default: z.boolean().meta({
    description: "True if the caller never set preferences: then the service's default is returned",
  }),
}).meta({ id: "SearchPreferences" });

export const SearchPreferencesUpdate = z.strictObject({ yen_per_walk_minute: Yen }).meta({
  id: "SearchPreferencesUpdate",
});
