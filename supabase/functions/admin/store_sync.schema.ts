import { z } from "zod";
import { cappedPageOf, pageOf, PageQuery } from "../_shared/schema/lists.ts";
import { sharedParameters } from "../_shared/schema/parameters.ts";
import { Id, Instant, pathId, text, Timestamp } from "../_shared/schema/values.ts";

const Store = z.enum(["android_store", "ios_store"]).meta({ id: "Store" });
const OfStore = Store.optional().meta({ description: "Only data of this store" }).register(sharedParameters, {
  id: "OfStore",
});
const Task = z.enum(["sales", "metrics", "reviews"]);
const Day = z.iso.date().refine((day) => !day.startsWith("0000"), "Must be a date from 2000 to 2099.").meta({
  examples: ["2026-09-01"],
});
const Country = z.string().regex(/^[A-Z]{2}$/, "Must be two capital letters.").meta({
  description: "ISO 3166-1 alpha-2. `ZZ` if the store does not report it.",
  examples: ["JP"],
});
const Currency = z.string().meta({ description: "ISO 4217", examples: ["JPY"] });

export const TriggerStoreSyncRequest = z.strictObject({
  store: z.enum(["android_store", "ios_store", "all"]),
  task: z.enum(["sales", "metrics", "reviews", "all"]),
}).meta({ id: "TriggerStoreSyncRequest" });

export const TriggeredStoreSync = z.object({
  sync_run_ids: z.array(Id).meta({ description: "One run for each store and task, either new or already open" }),
  count: z.int().min(1),
  status: z.literal("queued"),
}).meta({ id: "TriggeredStoreSync" });

const Problem = z.object({
  code: z.string().meta({ examples: ["column_missing"] }),
  message: z.string().meta({ examples: ['The sales report of 2026-09-01 has no column "Units".'] }),
});

export const StoreSyncRun = z.object({
  id: Id,
  store: Store,
  task: Task,
  status: z.enum(["queued", "running", "succeeded", "failed"]),
  requested_by: Id.nullable().meta({ description: "The administrator who started the run. Null for the nightly job." }),
  rows_read: z.int().min(0).meta({ description: "Rows in the store's reports" }),
  rows_written: z.int().min(0).meta({ description: "Rows that changed. 0 if all data was known." }),
  error: Problem.nullable().meta({ description: "Why the run failed" }),
  problem: Problem.nullable().meta({ description: "Why the run waits: the store requested a delay, or is down" }),
  due_at: Timestamp.nullable().meta({ description: "When the run can continue. Null after its end." }),
  created_at: Timestamp,
  started_at: Timestamp.nullable(),
  finished_at: Timestamp.nullable(),
}).meta({ id: "StoreSyncRun" });

export const StoreSyncRuns = pageOf(StoreSyncRun, "StoreSyncRuns");

export const StoreSyncRunsQuery = z.strictObject({
  store: OfStore,
  task: Task.optional().meta({ description: "Only runs of this task" }),
  status: z.enum(["queued", "running", "succeeded", "failed"]).optional().meta({
    description: "Only runs with this status",
  }),
  ...PageQuery.shape,
});

export const StoreSyncRunParams = z.strictObject({ id: pathId("RunId", "The run") });

export const StoreReview = z.object({
  id: Id,
  store: Store,
  review_id: z.string().meta({ description: "Id of the review in the store" }),
  rating: z.int().min(1).max(5),
  title: z.string().nullable(),
  body: z.string(),
  language: z.string().nullable().meta({ description: "Only Google Play, in the store's format", examples: ["ja"] }),
  territory: z.string().nullable().meta({ description: "Only App Store: ISO 3166-1 alpha-3", examples: ["JPN"] }),
  author_name: z.string().nullable(),
  app_version: z.string().nullable(),
  response_body: z.string().nullable().meta({ description: "The published response" }),
  responded_at: Timestamp.nullable(),
  reviewed_at: Timestamp.meta({ description: "When the review was written (App Store) or last changed (Google Play)" }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "StoreReview" });

export const StoreReviews = cappedPageOf(StoreReview, "StoreReviews");

export const StoreReviewsQuery = z.strictObject({
  store: OfStore,
  rating: z.int().min(1).max(5).optional().meta({ description: "Only reviews with this number of stars" }),
  territory: z.string().regex(/^[A-Z]{3}$/, "Must be three capital letters.").optional().meta({
    description: "Only reviews from this territory, an ISO 3166-1 alpha-3 code",
    examples: ["JPN"],
  }),
  since: Instant.optional().meta({ description: "Only reviews written or changed at or after this time" }),
  ...PageQuery.shape,
});

export const StoreSale = z.object({
  id: Id,
  store: Store,
  sale_date: Day.meta({ description: "A day in the store's own calendar" }),
  sku: z.string(),
  title: z.string().nullable(),
  product_type: z.string().meta({ description: "The store's product type", examples: ["IAY"] }),
  country: Country,
  currency: Currency,
  units: z.int().meta({ description: "Units sold, minus refunded units" }),
  refund_units: z.int().min(0),
  amount_minor: z.int().meta({ description: "Paid by customers, minus refunds, in minor units of `currency`" }),
  refund_minor: z.int().min(0),
  proceeds_currency: Currency,
  proceeds_minor: z.int().nullable().meta({
    description: "Owed by the store. Null if the store does not report it (Google Play).",
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "StoreSale" });

export const StoreSales = cappedPageOf(StoreSale, "StoreSales");

/** A product, in filters of sales. */
const Sku = text(1, 200).optional().meta({
  description: "Only sales of the product with this id in the store",
  examples: ["premium_monthly"],
});

export const StoreSalesQuery = z.strictObject({
  store: OfStore,
  sku: Sku,
  country: Country.optional(),
  from: Day.optional().meta({ description: "Only days from this one on" }),
  to: Day.optional().meta({ description: "Only days up to this one" }),
  ...PageQuery.shape,
});

export const StoreSalesSums = z.object({
  from: Day,
  to: Day,
  items: z.array(z.object({
    sale_date: Day,
    store: Store,
    currency: Currency,
    units: z.int(),
    refund_units: z.int().min(0),
    amount_minor: z.int(),
    refund_minor: z.int().min(0),
  })).meta({
    description: "By day, store and customer currency, the last day first. Free products are omitted.",
  }),
  proceeds: z.array(z.object({ sale_date: Day, store: Store, currency: Currency, proceeds_minor: z.int() })).meta({
    description: "Amount owed by the store, by day, store and payment currency",
  }),
}).meta({ id: "StoreSalesSums" });

export const StoreSalesSumsQuery = z.strictObject({
  from: Day.optional().meta({ description: "First day. Default: 29 days before `to`." }),
  to: Day.optional().meta({ description: "Last day. Default: today (UTC)." }),
  store: OfStore,
  sku: Sku,
});

export const StoreMetric = z.object({
  id: Id,
  store: Store,
  metric_date: Day,
  metric: z.string().meta({ examples: ["installs"] }),
  value: z.number().meta({ description: "A count. Rates are fractions of 1." }),
  reported_on: Day.meta({ description: "Day of the report that contains the value" }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "StoreMetric" });

export const StoreMetrics = cappedPageOf(StoreMetric, "StoreMetrics");

export const StoreMetricsQuery = z.strictObject({
  store: OfStore,
  metric: z.string().regex(/^[a-z_]{1,50}$/, "Must be the name of a metric.").optional().meta({
    description: "Only values of this metric",
    examples: ["installs"],
  }),
  from: Day.optional().meta({ description: "Only days from this one on" }),
  to: Day.optional().meta({ description: "Only days up to this one" }),
  ...PageQuery.shape,
});
