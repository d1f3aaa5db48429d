import { route } from "../_shared/http/route.ts";
import { PageQuery } from "../_shared/schema/lists.ts";
import { contentRoutes } from "./content_routes.ts";
import {
  AdminLevel,
  AdminLevelParams,
  AdminLevels,
  LevelRecalculation,
  LevelUpdate,
  NewLevel,
} from "./levels.schema.ts";

export const {
  list: listAdminLevels,
  create: createLevel,
  read: readLevel,
  change: updateLevel,
  remove: deleteLevel,
} = contentRoutes({
  path: "/admin/levels",
  area: "rewards",
  params: AdminLevelParams,
  item: AdminLevel,
  list: {
    calls: "admin_list_levels",
    query: PageQuery,
    page: AdminLevels,
    summary: "List levels",
    description: "Lowest level first.",
  },
  create: {
    calls: "admin_create_level",
    as: "fields",
    body: NewLevel,
    errors: ["conflict"],
    summary: "Create a level",
    description:
      "Users who already have the points reach the level at the next recalculation, or when they next receive points.",
  },
  read: { calls: "admin_read_level", summary: "Get a level" },
  change: {
    calls: "admin_update_level",
    body: LevelUpdate,
    summary: "Update a level",
    description: "Users keep their level until the next recalculation, or until they next receive points.",
  },
  remove: {
    calls: "admin_delete_level",
    errors: ["conflict"],
    isVersioned: false,
    summary: "Delete an unused level",
    description:
      "Returns 409 `conflict` with `details.reason` `in_use` for the first level, a level that a user has, or a level " +
      "that earns a theme.",
  },
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
