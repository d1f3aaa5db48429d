import { route } from "../_shared/http/route.ts";
import {
  StoreMetrics,
  StoreMetricsQuery,
  StoreReviews,
  StoreReviewsQuery,
  StoreSales,
  StoreSalesQuery,
  StoreSalesSums,
  StoreSalesSumsQuery,
  StoreSyncRun,
  StoreSyncRunParams,
  StoreSyncRuns,
  StoreSyncRunsQuery,
  TriggeredStoreSync,
  TriggerStoreSyncRequest,
} from "./store_sync.schema.ts";

export const triggerStoreSync = route({
  method: "POST",
  path: "/admin/store-sync/trigger",
  access: "admin",
  area: "store_sync",
  summary: "Fetch sales, metrics or reviews from the stores",
  description:
    "Starts a run for each requested store and task. If a run is already open, the response contains its id " +
    "instead, also if all of them are open. The run of a store that is not configured fails with `not_configured`.",
  body: TriggerStoreSyncRequest,
  reply: [202, TriggeredStoreSync],
  errors: [],
  calls: "admin_trigger_store_sync",
});

export const listStoreSyncRuns = route({
  method: "GET",
  path: "/admin/store-sync/runs",
  access: "admin",
  area: "store_sync",
  summary: "List store sync runs",
  description: "Newest first. Runs are kept for 90 days after their end.",
  query: StoreSyncRunsQuery,
  reply: [200, StoreSyncRuns],
  errors: [],
  calls: "admin_list_store_sync_runs",
});

export const readStoreSyncRun = route({
  method: "GET",
  path: "/admin/store-sync/runs/{id}",
  access: "admin",
  area: "store_sync",
  summary: "Get a store sync run",
  params: StoreSyncRunParams,
  reply: [200, StoreSyncRun],
  errors: ["not_found"],
  calls: "admin_get_store_sync_run",
});

export const listStoreReviews = route({
  method: "GET",
  path: "/admin/store-reviews",
  access: "admin",
  area: "store_sync",
  summary: "List store reviews",
  description: "Newest first.",
  query: StoreReviewsQuery,
  reply: [200, StoreReviews],
  errors: [],
  calls: "admin_list_store_reviews",
});

export const listStoreSales = route({
  method: "GET",
  path: "/admin/store-sales",
  access: "admin",
  area: "store_sync",
  summary: "List store sales",
  description:
    "One row per day, product, country and currency, newest days first. Downloads and updates in the App Store are " +
    "rows without an amount.",
  query: StoreSalesQuery,
  reply: [200, StoreSales],
  errors: [],
  calls: "admin_list_store_sales",
});

export const sumStoreSales = route({
  method: "GET",
  path: "/admin/store-sales/daily",
  access: "admin",
  area: "store_sync",
  summary: "Get store sales by day and currency",
  description: "At most 92 days. The default is the last 30 days. Currencies are not converted.",
  query: StoreSalesSumsQuery,
  reply: [200, StoreSalesSums],
  errors: [],
  calls: "admin_sum_store_sales",
});

export const listStoreMetrics = route({
  method: "GET",
  path: "/admin/store-metrics",
  access: "admin",
  area: "store_sync",
  summary: "List store metrics",
  description: "One row per day and metric, newest days first.",
  query: StoreMetricsQuery,
  reply: [200, StoreMetrics],
  errors: [],
  calls: "admin_list_store_metrics",
});
