import { z } from "zod";
import { route, routesOf } from "../_shared/http/route.ts";
import { sync } from "./sync.ts";

const SyncedStores = z.object({
  succeeded: z.int().min(0).meta({ description: "Runs that have read all there is" }),
  failed: z.int().min(0).meta({ description: "Runs that cannot go on" }),
  postponed: z.int().min(0).meta({ description: "Runs that go on later" }),
}).meta({ id: "SyncedStores" });

export const syncRuns = route({
  method: "POST",
  path: "/store-sync",
  access: "service",
  summary: "Work on what waits in the queue store-sync",
  description:
    "For the service's job, and called when something is put into the queue. It ends when no run is due, or " +
    "after 45 seconds; several may run at once, one for each store.",
  reply: [200, SyncedStores],
  errors: [],
  handle: ({ db, storeReports }) => sync(db, storeReports),
});

export const routes = routesOf({ syncRuns });
