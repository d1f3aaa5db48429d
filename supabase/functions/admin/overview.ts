import { route } from "../_shared/http/route.ts";
import { Overview, OverviewQuery } from "./overview.schema.ts";

export const readOverview = route({
  method: "GET",
  path: "/admin/overview",
  access: "admin",
  area: null,
  summary: "Get the figures of the console's first page",
  description:
    "Each part says as of when it is. Sessions, open work, message queues, jobs, push and mail are counted every minute; people, " +
    "sessions by day and slow queries every five minutes. Dead messages and `jobs.last_started_at` are read now.",
  query: OverviewQuery,
  reply: [200, Overview],
  errors: [],
  handle: ({ db, query }) => db.rpc("admin_get_overview", query),
});
