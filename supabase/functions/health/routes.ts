import { VERSION } from "../_shared/config.ts";
import { route, routesOf } from "../_shared/http/route.ts";
import { compareMigrations, type Fingerprints } from "./migrations.ts";
import { ApiError } from "../_shared/errors.ts";
import { Liveness, Readiness } from "./health.schema.ts";
import { readMetrics } from "./metrics.ts";

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
    "Returns 200 if the primary database responds and has the migrations of this release. Returns 503 if the database " +
    "cannot be reached, and if its schema is not the release's: `error.details.reason` is then `schema_differs`. " +
    "`missing`, `changed` and `unknown` name the migrations that are not applied, that were applied with other content, " +
    "and that this release does not have.",
  instance: "primary",
  reply: [200, Readiness],
  errors: [],
  calls: "service_readiness",
  handle: async ({ db }) => {
    const { database, migration, migrations } = await db.rpc<
      { database: "ok"; migration: string; migrations: Fingerprints }
    >("service_readiness");
    const { newer, ...faults } = compareMigrations(migrations);
    if (Object.values(faults).some((names) => names.length > 0)) {
      throw new ApiError("service_unavailable", {
        details: { reason: "schema_differs", ...faults },
        cause: new Error(`The migrations differ from this release: ${JSON.stringify(faults)}`),
      });
    }
    return { status: "ok" as const, version: VERSION, database, migration, newer_migrations: [...newer] };
  },
});

export const routes = routesOf({ live, ready, readMetrics });
