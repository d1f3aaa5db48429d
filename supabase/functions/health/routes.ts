import { VERSION } from "../_shared/config.ts";
import { route, routesOf } from "../_shared/http/route.ts";
import { Liveness, Readiness } from "./health.schema.ts";

export const live = route({
  method: "GET",
  path: "/health",
  access: "public",
  summary: "Liveness",
  description: "Returns 200 if the service process responds. Does not check dependencies.",
  reply: [200, Liveness],
  errors: [],
  handle: () => ({ status: "ok" as const, version: VERSION }),
});

export const ready = route({
  method: "GET",
  path: "/health/ready",
  access: "public",
  summary: "Readiness",
  description:
    "Returns 200 if the primary database responds and its migrations are applied. Returns 503 if the database cannot " +
    "be reached.",
  instance: "primary",
  reply: [200, Readiness],
  errors: [],
  calls: "service_readiness",
  handle: async ({ db }) => {
    const { database, migration } = await db.rpc<
      { database: "ok"; migration: string }
    >("service_readiness");
    return { status: "ok" as const, version: VERSION, database, migration };
  },
});

export const routes = routesOf({ live, ready });
