import { z } from "zod";
import { Limit } from "../_shared/schema/lists.ts";
import { NewSearchPreset, SearchPreset } from "../_shared/schema/search_presets.ts";
import { Id } from "../_shared/schema/values.ts";

const Owner = Id.meta({ description: "The app user whose presets they are" });

export const AdminUserSearchPreset = z.object(SearchPreset.shape).meta({
  id: "AdminUserSearchPreset",
  description: "A search preset of an app user, as its owner has it",
});

export const AdminUserSearchPresets = z.object({
  items: z.array(AdminUserSearchPreset),
  total: z.int().min(0).meta({ description: "Total number of presets" }),
}).meta({ id: "AdminUserSearchPresets" });

export const AdminUserSearchPresetsQuery = z.strictObject({
  user_id: Owner,
  page: z.int().min(1).max(1_000_000).default(1).meta({ description: "Page number, starting at 1" }),
  limit: Limit,
});

export const NewAdminUserSearchPreset = NewSearchPreset.extend({ user_id: Owner }).meta({
  id: "NewAdminUserSearchPreset",
});
