import { z } from "zod";
import { Cursor, IncludeTotal, Limit, NextCursor, Total } from "../_shared/schema/lists.ts";
import { Id, Instant, text, Timestamp } from "../_shared/schema/values.ts";

const Store = z.enum(["android_store", "ios_store"]);
const Task = z.enum(["sales", "metrics", "reviews"]);
const Day = z.iso.date().refine((day) => !day.startsWith("0000"), "This is no date that can be asked about.").meta({
  examples: ["2026-09-01"],
});
const Country = z.string().regex(/^[A-Z]{2}$/, "Must be two capital letters.").meta({
  description: "ISO 3166-1 alpha-2; `ZZ`: the store does not say",
  examples: ["JP"],
});
const Currency = z.string().meta({ description: "ISO 4217", examples: ["JPY"] });

const Page = { limit: Limit, cursor: Cursor, include: IncludeTotal };

export const TriggerStoreSyncRequest = z.strictObject({
  store: z.enum(["android_store", "ios_store", "all"]),
  task: z.enum(["sales", "metrics", "reviews", "all"]),
}).meta({ id: "TriggerStoreSyncRequest" });

export const TriggeredStoreSync = z.object({
  sync_run_ids: z.array(Id).meta({ description: "A run of each store and task: new ones, and those that were open" }),
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
  requested_by: Id.nullable().meta({ description: "The administrator who started it; null: the nightly job" }),
  rows_read: z.int().min(0).meta({ description: "Rows of the store's reports" }),
  rows_written: z.int().min(0).meta({ description: "Rows that changed: none when everything was known" }),
  error: Problem.nullable().meta({ description: "Why it failed" }),
  problem: Problem.nullable().meta({ description: "What it waits for: the store asked to wait, or is down" }),
  due_at: Timestamp.nullable().meta({ description: "When it may go on; null once it has ended" }),
  created_at: Timestamp,
  started_at: Timestamp.nullable(),
  finished_at: Timestamp.nullable(),
}).meta({ id: "StoreSyncRun" });

export const StoreSyncRuns = z.object({ items: z.array(StoreSyncRun), next_cursor: NextCursor, total: Total }).meta({
  id: "StoreSyncRuns",
});

export const StoreSyncRunsQuery = z.strictObject({
  store: Store.optional(),
  task: Task.optional(),
  status: z.enum(["queued", "running", "succeeded", "failed"]).optional(),
  ...Page,
});

export const StoreSyncRunParams = z.strictObject({ id: Id.meta({ description: "The run" }) });

export const StoreReview = z.object({
  id: Id,
  store: Store,
  review_id: z.string().meta({ description: "The store's own id" }),
  rating: z.int().min(1).max(5),
  title: z.string().nullable(),
  body: z.string(),
  language: z.string().nullable().meta({ description: "Google Play, as the store gives it", examples: ["ja"] }),
  territory: z.string().nullable().meta({ description: "App Store: ISO 3166-1 alpha-3", examples: ["JPN"] }),
  author_name: z.string().nullable(),
  app_version: z.string().nullable(),
  response_body: z.string().nullable().meta({ description: "What we answered" }),
  responded_at: Timestamp.nullable(),
  reviewed_at: Timestamp.meta({ description: "When it was written (App Store), or last changed (Google Play)" }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "StoreReview" });

export const StoreReviews = z.object({ items: z.array(StoreReview), next_cursor: NextCursor, total: Total }).meta({
  id: "StoreReviews",
});

export const StoreReviewsQuery = z.strictObject({
  store: Store.optional(),
  rating: z.int().min(1).max(5).optional(),
  territory: z.string().regex(/^[A-Z]{3}$/, "Must be three capital letters.").optional().meta({ examples: ["JPN"] }),
  since: Instant.optional().meta({ description: "Reviews written or changed since" }),
  ...Page,
});

export const StoreSale = z.object({
  id: Id,
  store: Store,
  sale_date: Day.meta({ description: "By the store's own days" }),
  sku: z.string(),
  title: z.string().nullable(),
  product_type: z.string().meta({ description: "The store's word for it", examples: ["IAY"] }),
  country: Country,
  currency: Currency,
  units: z.int().meta({ description: "Less refunded ones" }),
  refund_units: z.int().min(0),
  amount_minor: z.int().meta({ description: "What customers paid less refunds, in minor units of `currency`" }),
  refund_minor: z.int().min(0),
  proceeds_currency: Currency,
  proceeds_minor: z.int().nullable().meta({
    description: "What the store owes for it; null: it does not say (Google Play)",
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "StoreSale" });

export const StoreSales = z.object({ items: z.array(StoreSale), next_cursor: NextCursor, total: Total }).meta({
  id: "StoreSales",
});

export const StoreSalesQuery = z.strictObject({
  store: Store.optional(),
  sku: text(1, 200).optional(),
  country: Country.optional(),
  from: Day.optional(),
  to: Day.optional(),
  ...Page,
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
    description: "By day, store and the customers' currency, the last day first; without what costs nothing",
  }),
  proceeds: z.array(z.object({ sale_date: Day, store: Store, currency: Currency, proceeds_minor: z.int() })).meta({
    description: "What the store owes, by day, store and currency of payment",
  }),
}).meta({ id: "StoreSalesSums" });

export const StoreSalesSumsQuery = z.strictObject({
  from: Day.optional().meta({ description: "The first day; 29 days before `to` unless given" }),
  to: Day.optional().meta({ description: "The last day; today (UTC) unless given" }),
  store: Store.optional(),
  sku: text(1, 200).optional(),
});

export const StoreMetric = z.object({
  id: Id,
  store: Store,
  metric_date: Day,
  metric: z.string().meta({ examples: ["installs"] }),
  value: z.number().meta({ description: "A count; for rates a fraction of 1" }),
  reported_on: Day.meta({ description: "The day of the report that said so" }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "StoreMetric" });

export const StoreMetrics = z.object({ items: z.array(StoreMetric), next_cursor: NextCursor, total: Total }).meta({
  id: "StoreMetrics",
});

export const StoreMetricsQuery = z.strictObject({
  store: Store.optional(),
  metric: z.string().regex(/^[a-z_]{1,50}$/, "Must be the name of a metric.").optional().meta({
    examples: ["installs"],
  }),
  from: Day.optional(),
  to: Day.optional(),
  ...Page,
});
