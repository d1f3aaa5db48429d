-- Tables of store sync: sales, reviews and metrics of the stores.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in runs.sql, worker.sql
-- and writes.sql.

create table public.store_sync_runs (
  id uuid primary key default gen_random_uuid(),
  store text collate "C" not null constraint store_sync_runs_store_known check (store in ('android_store', 'ios_store')),
  task text collate "C" not null constraint store_sync_runs_task_known check (task in ('sales', 'metrics', 'reviews')),
  status text collate "C" not null default 'queued' constraint store_sync_runs_status_known
    check (status in ('queued', 'running', 'succeeded', 'failed')),
  requested_by uuid,
  rows_read integer not null default 0,
  rows_written integer not null default 0,
  error jsonb,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  msg_id bigint,
  lease_id uuid,
  lease_ends_at timestamptz,
  due_at timestamptz not null default now(),
  attempts integer not null default 0,
  problem jsonb,
  next_page text
);

comment on table public.store_sync_runs is 'Runs of store sync: one task of one store each. Kept for 90 days after their end.';
comment on column public.store_sync_runs.requested_by is 'The administrator who started it; null: the nightly job.';
comment on column public.store_sync_runs.rows_read is
  'Rows of the store''s reports and lists that were read, including repeated reads.';
comment on column public.store_sync_runs.rows_written is
  'Rows of the service that were inserted, changed or deleted by it.';
comment on column public.store_sync_runs.error is 'Why it failed: {code, message}.';
comment on column public.store_sync_runs.msg_id is 'Its message in the queue store-sync; null once it has ended.';
comment on column public.store_sync_runs.lease_id is 'The lease of the consumer that works on it; null: none.';
comment on column public.store_sync_runs.due_at is 'When it may be taken: later than now while the store requested a wait.';
comment on column public.store_sync_runs.attempts is 'Turns since it last wrote rows. After ten it fails.';
comment on column public.store_sync_runs.problem is
  'The error of the last turn, which the next one may overcome: {code, message}.';
comment on column public.store_sync_runs.next_page is 'reviews: the page to continue with; null: the first one.';

create unique index store_sync_runs_one_open on public.store_sync_runs (store, task) where status in ('queued', 'running');
create index store_sync_runs_created_idx on public.store_sync_runs (created_at desc, id desc);

alter table public.store_sync_runs enable row level security;
create policy "Administrators of store sync read the runs" on public.store_sync_runs for select to authenticated
  using ((select private.has_second_factor()) and exists (
    select from public.admins a where a.id = (select auth.uid()) and a.status = 'active' and 'store_sync' = any (a.areas)
  ));

-- No insert, update or delete: the service writes.
grant select (id, store, task, status, requested_by, rows_read, rows_written, error, created_at, started_at, finished_at)
  on public.store_sync_runs to authenticated;

create table private.store_synced_parts (
  store text collate "C" not null,
  task text collate "C" not null,
  part text collate "C" not null,
  synced_at timestamptz not null default now(),
  primary key (store, task, part)
);

comment on table private.store_synced_parts is
  'Parts of the stores'' reports that were read, and when last; also days without sales.';
comment on column private.store_synced_parts.part is 'sales: the day, YYYY-MM-DD; metrics: the report.';

create table public.store_reviews (
  id uuid primary key default gen_random_uuid(),
  store text collate "C" not null constraint store_reviews_store_known check (store in ('android_store', 'ios_store')),
  review_id text collate "C" not null,
  rating smallint not null constraint store_reviews_rating_range check (rating between 1 and 5),
  title text,
  body text not null,
  language text collate "C",
  territory text collate "C",
  author_name text,
  app_version text,
  response_body text,
  responded_at timestamptz,
  reviewed_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint store_reviews_once unique (store, review_id)
);

comment on table public.store_reviews is 'Reviews of the apps in the stores, as they were last read.';
comment on column public.store_reviews.review_id is 'The store''s own id.';
comment on column public.store_reviews.language is 'Google Play: as the store gives it (ja, en_US). The App Store has none.';
comment on column public.store_reviews.territory is 'The App Store: ISO 3166-1 alpha-3. Google Play has none.';
comment on column public.store_reviews.reviewed_at is 'The App Store: when it was written; Google Play: when it was last changed.';

create index store_reviews_reviewed_idx on public.store_reviews (reviewed_at desc, id desc);
create index store_reviews_store_idx on public.store_reviews (store, reviewed_at desc, id desc);
create index store_reviews_rating_idx on public.store_reviews (rating, reviewed_at desc, id desc);
create index store_reviews_territory_idx on public.store_reviews (territory, reviewed_at desc, id desc);

alter table public.store_reviews enable row level security;
create policy "Administrators of store sync read the reviews" on public.store_reviews for select to authenticated
  using ((select private.has_second_factor()) and exists (
    select from public.admins a where a.id = (select auth.uid()) and a.status = 'active' and 'store_sync' = any (a.areas)
  ));

grant select (id, store, review_id, rating, title, body, language, territory, author_name, app_version, response_body, responded_at,
  reviewed_at, created_at, updated_at) on public.store_reviews to authenticated;

create table public.store_daily_sales (
  id uuid primary key default gen_random_uuid(),
  store text collate "C" not null constraint store_daily_sales_store_known check (store in ('android_store', 'ios_store')),
  sale_date date not null,
  sku text collate "C" not null,
  title text,
  product_type text collate "C" not null,
  country text collate "C" not null constraint store_daily_sales_country_code check (country ~ '^[A-Z]{2}$'),
  currency text collate "C" not null constraint store_daily_sales_currency_code check (currency ~ '^[A-Z]{3}$'),
  units integer not null,
  refund_units integer not null constraint store_daily_sales_refund_units_positive check (refund_units >= 0),
  amount_minor bigint not null,
  refund_minor bigint not null constraint store_daily_sales_refund_positive check (refund_minor >= 0),
  proceeds_currency text collate "C" not null constraint store_daily_sales_proceeds_code check (proceeds_currency ~ '^[A-Z]{3}$'),
  proceeds_minor bigint,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint store_daily_sales_once unique (store, sale_date, sku, product_type, country, currency, proceeds_currency)
);

comment on table public.store_daily_sales is 'Sales of the stores: one row a day, product, country and currency.';
comment on column public.store_daily_sales.sku is 'The store''s id of the product; the app''s own for downloads.';
comment on column public.store_daily_sales.product_type is
  'The store''s code (IAY, 1F, 7F; subscription, inapp): downloads and updates are rows without an amount.';
comment on column public.store_daily_sales.country is 'ISO 3166-1 alpha-2; ZZ when the store gives none.';
comment on column public.store_daily_sales.units is
  'Units minus refunded units: negative on a day with more refunds than sales.';
comment on column public.store_daily_sales.refund_units is 'Refunded units. A partial refund refunds no unit.';
comment on column public.store_daily_sales.amount_minor is
  'Customer payments minus refunds, with taxes, in minor units of currency.';
comment on column public.store_daily_sales.refund_minor is 'Refunds, in minor units of currency.';
comment on column public.store_daily_sales.proceeds_minor is
  'The store''s payout for it, in minor units of proceeds_currency. Google Play''s report has none: null, with the currency of the sale.';

create index store_daily_sales_date_idx on public.store_daily_sales (sale_date desc, id desc);
create index store_daily_sales_store_idx on public.store_daily_sales (store, sale_date desc, id desc);
create index store_daily_sales_sku_idx on public.store_daily_sales (sku, sale_date desc, id desc);
create index store_daily_sales_country_idx on public.store_daily_sales (country, sale_date desc, id desc);

alter table public.store_daily_sales enable row level security;
create policy "Administrators of store sync read the sales" on public.store_daily_sales for select to authenticated
  using ((select private.has_second_factor()) and exists (
    select from public.admins a where a.id = (select auth.uid()) and a.status = 'active' and 'store_sync' = any (a.areas)
  ));

grant select (id, store, sale_date, sku, title, product_type, country, currency, units, refund_units, amount_minor, refund_minor,
  proceeds_currency, proceeds_minor, created_at, updated_at) on public.store_daily_sales to authenticated;

create table public.store_metrics (
  id uuid primary key default gen_random_uuid(),
  store text collate "C" not null constraint store_metrics_store_known check (store in ('android_store', 'ios_store')),
  metric_date date not null,
  metric text collate "C" not null,
  value numeric not null,
  reported_on date not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint store_metrics_once unique (store, metric, metric_date)
);

comment on table public.store_metrics is
  'Usage of the apps, as the stores count it: one row a day and metric. docs/operations/store_sync.md lists the metrics.';
comment on column public.store_metrics.value is 'A count; for rates a fraction of 1, for ratings 1 to 5.';
comment on column public.store_metrics.reported_on is 'The day of the report: an older report changes nothing.';

create index store_metrics_date_idx on public.store_metrics (metric_date desc, id desc);
create index store_metrics_metric_idx on public.store_metrics (metric, metric_date desc, id desc);
create index store_metrics_store_idx on public.store_metrics (store, metric_date desc, id desc);

alter table public.store_metrics enable row level security;
create policy "Administrators of store sync read the metrics" on public.store_metrics for select to authenticated
  using ((select private.has_second_factor()) and exists (
    select from public.admins a where a.id = (select auth.uid()) and a.status = 'active' and 'store_sync' = any (a.areas)
  ));

grant select (id, store, metric_date, metric, value, reported_on, created_at, updated_at) on public.store_metrics to authenticated;
