import { syncRuns } from "./runs.ts";

export const routes = [syncRuns];
