import { route } from "../_shared/http/route.ts";
import { PageQuery } from "../_shared/schema/lists.ts";
import {
  AdminLevel,
  AdminLevelParams,
  AdminLevels,
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
  summary: "List levels",
  description: "Lowest level first.",
  query: PageQuery,
  reply: [200, AdminLevels],
  errors: [],
  calls: "admin_list_levels",
});

export const createLevel = route({
  method: "POST",
  path: "/admin/levels",
  access: "admin",
  area: "rewards",
  summary: "Create a level",
  description:
    "Users who already have the points reach the level at the next recalculation, or when they next receive points.",
  body: NewLevel,
  reply: [201, AdminLevel],
  errors: ["conflict"],
  calls: "admin_create_level",
  args: ({ body }) => ({ fields: body }),
});

export const readLevel = route({
  method: "GET",
  path: "/admin/levels/{level}",
  access: "admin",
  area: "rewards",
  summary: "Get a level",
  params: AdminLevelParams,
  reply: [200, AdminLevel],
  errors: ["not_found"],
  isVersioned: true,
  calls: "admin_read_level",
});

export const updateLevel = route({
  method: "PATCH",
  path: "/admin/levels/{level}",
  access: "admin",
  area: "rewards",
  summary: "Update a level",
  description: "Users keep their level until the next recalculation, or until they next receive points.",
  params: AdminLevelParams,
  body: LevelUpdate,
  reply: [200, AdminLevel],
  errors: ["not_found", "precondition_failed"],
  isVersioned: true,
  calls: "admin_update_level",
  args: ({ params, body, ifMatch }) => ({ level: params.level, changes: body, if_match: ifMatch }),
});

export const deleteLevel = route({
  method: "DELETE",
  path: "/admin/levels/{level}",
  access: "admin",
  area: "rewards",
  summary: "Delete an unused level",
  description:
    "Returns 409 `conflict` with `details.reason` `in_use` for the first level, a level that a user has, or a level " +
    "that earns a theme.",
  params: AdminLevelParams,
  reply: [204, Nothing],
  errors: ["not_found", "conflict"],
  calls: "admin_delete_level",
});

export const recalculateLevels = route({
  method: "POST",
  path: "/admin/levels/recalculate",
  access: "admin",
  area: "rewards",
  summary: "Recalculate the levels of all users",
  description:
    "A job recalculates them from the ledger and the current levels, and starts within a minute. A running " +
    "recalculation restarts.",
  reply: [202, LevelRecalculation],
  errors: [],
  calls: "admin_recalculate_levels",
});

export const readLevelRecalculation = route({
  method: "GET",
  path: "/admin/levels/recalculate",
  access: "admin",
  area: "rewards",
  summary: "Get the status of the level recalculation",
  reply: [200, LevelRecalculation],
  errors: [],
  calls: "admin_read_level_recalculation",
});
