import { z } from "zod";
import { route, routesOf } from "../_shared/http/route.ts";
import { sync, SYNC_CALLS } from "./sync.ts";

const SyncedStores = z.object({
  succeeded: z.int().min(0).meta({ description: "Number of runs that have read all data" }),
  failed: z.int().min(0).meta({ description: "Number of runs that failed" }),
  postponed: z.int().min(0).meta({ description: "Number of runs that continue later" }),
}).meta({ id: "SyncedStores" });

export const syncRuns = route({
  method: "POST",
  path: "/store-sync",
  access: "service",
  isConsumer: true,
  summary: "Process the queue store-sync",
  description:
    "For internal jobs, and called when a message is enqueued. Ends when no run is due or after 45 seconds. " +
    "Several calls can run at the same time, one for each store.",
  reply: [200, SyncedStores],
  errors: [],
  calls: SYNC_CALLS,
  uses: ["storeReports"],
  handle: ({ db, storeReports }) => sync(db, storeReports),
});

export const routes = routesOf({ syncRuns });
