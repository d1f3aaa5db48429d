import { route } from "../_shared/http/route.ts";
import { Jobs } from "./jobs.schema.ts";

export const listJobs = route({
  method: "GET",
  path: "/admin/jobs",
  access: "admin",
  area: null,
  summary: "List database jobs",
  description: "The jobs of the caller's areas, sorted by name, each with its last and next run.",
  reply: [200, Jobs],
  errors: [],
  calls: "admin_list_jobs",
});
