import { z } from "zod";
import { levels } from "../_shared/db/columns.ts";
import { column } from "../_shared/schema/columns.ts";
import { sharedParameters } from "../_shared/schema/parameters.ts";
import { progress, unchanged } from "./rewards.schema.ts";
import { pageOf } from "../_shared/schema/lists.ts";
import { Timestamp } from "../_shared/schema/values.ts";

const Level = column(levels.level);
const RequiredExp = column(levels.required_exp).meta({
  description: "Minimum points of the level. They increase with the level. The first level requires 0.",
});

const nameFields = { name: column(levels.name).optional(), name_en: column(levels.name_en).optional() };

export const AdminLevel = z.object({
  level: z.int().min(1),
  required_exp: z.int().min(0),
  name: z.string().nullable().meta({ description: "Name in Japanese" }),
  name_en: z.string().nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "AdminLevel" });

export const AdminLevels = pageOf(AdminLevel, "AdminLevels");

export const NewLevel = z.strictObject({ level: Level, required_exp: RequiredExp, ...nameFields }).meta({
  id: "NewLevel",
});

export const LevelUpdate = z.strictObject({ required_exp: RequiredExp.optional(), ...nameFields }).meta({
  id: "LevelUpdate",
  description: unchanged,
});

export const AdminLevelParams = z.strictObject({
  level: Level.meta({ description: "The level" }).register(sharedParameters, { id: "Level" }),
});

export const LevelRecalculation = z.object({
  ...progress,
  changed_users: z.int().min(0).meta({ description: "Number of users whose total points or level were corrected" }),
}).meta({ id: "LevelRecalculation" });
