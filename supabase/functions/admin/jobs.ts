import { route } from "../_shared/http/route.ts";
import { Jobs } from "./jobs.schema.ts";

export const listJobs = route({
  method: "GET",
  path: "/admin/jobs",
  access: "admin",
  area: null,
  summary: "List the jobs of the database",
  description: "All of them by name, each with its last run and the next one.",
  reply: [200, Jobs],
  errors: [],
  handle: ({ db }) => db.rpc("admin_list_jobs"),
});
