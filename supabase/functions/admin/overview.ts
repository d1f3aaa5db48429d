import { route } from "../_shared/http/route.ts";
import { Overview, OverviewQuery } from "./overview.schema.ts";

export const readOverview = route({
  method: "GET",
  path: "/admin/overview",
  access: "admin",
  area: null,
  summary: "Get the dashboard figures",
  description:
    "Each part is for an area and is null without it. Queues, jobs and dead messages have an area each: the figures " +
    "contain those of the caller's areas. Each part has its own time `at`. Sessions, open work, message queues, jobs, push and mail are counted every " +
    "minute. Users, sessions by day and slow queries are counted every five minutes. Dead messages and " +
    "`jobs.last_started_at` are read at the time of the request.",
  query: OverviewQuery,
  reply: [200, Overview],
  errors: [],
  calls: "admin_get_overview",
});
