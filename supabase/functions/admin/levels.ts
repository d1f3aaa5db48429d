import { route } from "../_shared/http/route.ts";
import {
  AdminLevel,
  AdminLevelParams,
  AdminLevels,
  AdminLevelsQuery,
  LevelRecalculation,
  LevelUpdate,
  NewLevel,
} from "./levels.schema.ts";
import { Nothing } from "../_shared/schema/values.ts";

export const listAdminLevels = route({
  method: "GET",
  path: "/admin/levels",
  access: "admin",
  area: "rewards",
  summary: "List the levels",
  description: "The lowest first.",
  query: AdminLevelsQuery,
  reply: [200, AdminLevels],
  errors: [],
  handle: ({ db, query }) => db.rpc("admin_list_levels", query),
});

export const createLevel = route({
  method: "POST",
  path: "/admin/levels",
  access: "admin",
  area: "rewards",
  summary: "Create a level",
  description:
    "Users who have the points already keep their level until the levels are recalculated, or they are given points.",
  body: NewLevel,
  reply: [201, AdminLevel],
  errors: ["conflict"],
  handle: ({ db, body }) => db.rpc("admin_create_level", { fields: body }),
});

export const readLevel = route({
  method: "GET",
  path: "/admin/levels/{level}",
  access: "admin",
  area: "rewards",
  summary: "Read a level",
  params: AdminLevelParams,
  reply: [200, AdminLevel],
  errors: ["not_found"],
  isVersioned: true,
  handle: ({ db, params }) => db.rpc("admin_read_level", { level: params.level }),
});

export const updateLevel = route({
  method: "PATCH",
  path: "/admin/levels/{level}",
  access: "admin",
  area: "rewards",
  summary: "Change a level",
  description: "Users keep their level until the levels are recalculated, or they are given points.",
  params: AdminLevelParams,
  body: LevelUpdate,
  reply: [200, AdminLevel],
  errors: ["not_found", "precondition_failed"],
  isVersioned: true,
  handle: ({ db, params, body, ifMatch }) =>
    db.rpc("admin_update_level", { level: params.level, changes: body, if_match: ifMatch }),
});

export const deleteLevel = route({
  method: "DELETE",
  path: "/admin/levels/{level}",
  access: "admin",
  area: "rewards",
  summary: "Delete a level that nobody has",
  description: "The first level, one that somebody has, and one that earns a theme are `conflict` with " +
    "`details.reason` `in_use`.",
  params: AdminLevelParams,
  reply: [204, Nothing],
  errors: ["not_found", "conflict"],
  handle: ({ db, params }) => db.rpc("admin_delete_level", { level: params.level }),
});

export const recalculateLevels = route({
  method: "POST",
  path: "/admin/levels/recalculate",
  access: "admin",
  area: "rewards",
  summary: "Recalculate the levels of all users",
  description: "From the ledger and the levels of now, by a job that begins within a minute. " +
    "A recalculation that is running starts again.",
  reply: [202, LevelRecalculation],
  errors: [],
  handle: ({ db }) => db.rpc("admin_recalculate_levels"),
});

export const readLevelRecalculation = route({
  method: "GET",
  path: "/admin/levels/recalculate",
  access: "admin",
  area: "rewards",
  summary: "Read how far the recalculation of levels is",
  reply: [200, LevelRecalculation],
  errors: [],
  handle: ({ db }) => db.rpc("admin_read_level_recalculation"),
});
