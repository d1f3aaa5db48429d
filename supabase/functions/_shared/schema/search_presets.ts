import { z } from "zod";
import { search_presets } from "../db/columns.ts";
import { column } from "./columns.ts";
import { pageOf } from "./lists.ts";
import { SearchQueryV1 } from "./search.ts";
import { Id, pathId, text, Timestamp } from "./values.ts";

const Name = text(1, search_presets.name.maxLength).meta({ examples: ["会社の近く"] });
const SortOrder = column(search_presets.sort_order);

export const SearchPreset = z.object({
  id: Id,
  user_id: Id,
  name: z.string(),
  query_json: SearchQueryV1,
  is_default: z.boolean().meta({ description: "True for exactly one preset, which is applied at app launch" }),
  sort_order: z.int(),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "SearchPreset" });

export const SearchPresets = pageOf(SearchPreset, "SearchPresets");

export const PresetParams = z.strictObject({ id: pathId("PresetId", "The preset") });

export const NewSearchPreset = z.strictObject({
  name: Name,
  query_json: SearchQueryV1,
  is_default: z.boolean().optional().meta({
    description:
      "True makes this preset the default instead of the current one. The first preset is always the default.",
  }),
  sort_order: SortOrder.optional().meta({ description: "Default: last" }),
}).meta({ id: "NewSearchPreset" });

export const SearchPresetUpdate = z.strictObject({
  name: Name.optional(),
  query_json: SearchQueryV1.optional().meta({ description: "Replaces the whole query" }),
  sort_order: SortOrder.optional(),
}).meta({ id: "SearchPresetUpdate", description: "An omitted field does not change" });
