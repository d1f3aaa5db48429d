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
    "Starts a run of each store and task that is asked for. One that has an open run is joined: its id is in the " +
    "response. When all of them have one: `conflict`, with `details.reason` `already_running` and `details.sync_run_ids`. " +
    "A store that is not configured has a run that fails with `not_configured`.",
  body: TriggerStoreSyncRequest,
  reply: [202, TriggeredStoreSync],
  errors: ["conflict"],
  handle: ({ db, body }) => db.rpc("admin_trigger_store_sync", body),
});

export const listStoreSyncRuns = route({
  method: "GET",
  path: "/admin/store-sync/runs",
  access: "admin",
  area: "store_sync",
  summary: "List runs of store sync",
  description: "The newest first. They are kept for 90 days after their end.",
  query: StoreSyncRunsQuery,
  reply: [200, StoreSyncRuns],
  errors: [],
  handle: ({ db, query }) => db.rpc("admin_list_store_sync_runs", query),
});

export const readStoreSyncRun = route({
  method: "GET",
  path: "/admin/store-sync/runs/{id}",
  access: "admin",
  area: "store_sync",
  summary: "Read a run of store sync",
  params: StoreSyncRunParams,
  reply: [200, StoreSyncRun],
  errors: ["not_found"],
  handle: ({ db, params }) => db.rpc("admin_get_store_sync_run", params),
});

export const listStoreReviews = route({
  method: "GET",
  path: "/admin/store-reviews",
  access: "admin",
  area: "store_sync",
  summary: "List reviews in the stores",
  description: "The newest first.",
  query: StoreReviewsQuery,
  reply: [200, StoreReviews],
  errors: [],
  handle: ({ db, query }) => db.rpc("admin_list_store_reviews", query),
});

export const listStoreSales = route({
  method: "GET",
  path: "/admin/store-sales",
  access: "admin",
  area: "store_sync",
  summary: "List what the stores sold",
  description:
    "A row a day, product, country and currency, the newest days first. Downloads and updates of the App Store are " +
    "rows without an amount.",
  query: StoreSalesQuery,
  reply: [200, StoreSales],
  errors: [],
  handle: ({ db, query }) => db.rpc("admin_list_store_sales", query),
});

export const sumStoreSales = route({
  method: "GET",
  path: "/admin/store-sales/daily",
  access: "admin",
  area: "store_sync",
  summary: "Get what the stores sold, summed by day and currency",
  description: "At most 92 days, the last 30 unless `from` and `to` say. Currencies are not converted.",
  query: StoreSalesSumsQuery,
  reply: [200, StoreSalesSums],
  errors: [],
  handle: ({ db, query }) => db.rpc("admin_sum_store_sales", query),
});

export const listStoreMetrics = route({
  method: "GET",
  path: "/admin/store-metrics",
  access: "admin",
  area: "store_sync",
  summary: "List how the apps are used, as the stores count it",
  description: "A row a day and metric, the newest days first.",
  query: StoreMetricsQuery,
  reply: [200, StoreMetrics],
  errors: [],
  handle: ({ db, query }) => db.rpc("admin_list_store_metrics", query),
});
