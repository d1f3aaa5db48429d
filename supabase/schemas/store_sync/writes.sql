-- Store sync writes: a day of sales, a page of reviews, a report of metrics, each in one statement and once.
--
-- Rows come as the function store-sync has read them, one for each natural key. A row that equals the stored one is not
-- written, so updated_at is the time of the store's change. A day of sales replaces the day: rows that the report does not
-- have any more are deleted. Reviews that a store does not list any more stay. A metric of an older report changes nothing.
--
-- Invariants: a part is written with its entry in store_synced_parts, under the lease of its run; a repeated write has the
-- same result.
-- Interface: api.write_store_sales, api.write_store_reviews, api.write_store_metrics for the function store-sync.

-- Records that a part of a store's reports was read now.
create function private.record_store_part(p_store text, p_task text, p_part text) returns void
language plpgsql
security definer -- no role may write the parts directly
set search_path = ''
as $$
begin
  insert into private.store_synced_parts (store, task, part) values (p_store, p_task, p_part)
  on conflict (store, task, part) do update set synced_at = excluded.synced_at;
end
$$;

-- Replaces a store's sales of a day by these rows; returns how many rows changed.
create function private.replace_store_day(p_store text, p_day date, p_rows jsonb) returns bigint
language plpgsql
set search_path = ''
as $$
declare
  v_written bigint;
begin
  with given as (
    select r.* from jsonb_to_recordset(p_rows) as r (
      sku text, title text, product_type text, country text, currency text, units integer, refund_units integer,
      amount_minor bigint, refund_minor bigint, proceeds_currency text, proceeds_minor bigint
    )
  ), gone as (
    delete from public.store_daily_sales s
    where s.store = p_store and s.sale_date = p_day and not exists (
      select from given g
      where g.sku = s.sku and g.product_type = s.product_type and g.country = s.country and g.currency = s.currency
        and g.proceeds_currency = s.proceeds_currency
    )
    returning 1
  ), written as (
    insert into public.store_daily_sales as s (store, sale_date, sku, title, product_type, country, currency, units, refund_units,
      amount_minor, refund_minor, proceeds_currency, proceeds_minor)
    select p_store, p_day, g.sku, g.title, g.product_type, g.country, g.currency, g.units, g.refund_units, g.amount_minor,
      g.refund_minor, g.proceeds_currency, g.proceeds_minor
    from given g
    on conflict (store, sale_date, sku, product_type, country, currency, proceeds_currency) do update set
      title = excluded.title, units = excluded.units, refund_units = excluded.refund_units, amount_minor = excluded.amount_minor,
      refund_minor = excluded.refund_minor, proceeds_minor = excluded.proceeds_minor
    where (s.title, s.units, s.refund_units, s.amount_minor, s.refund_minor, s.proceeds_minor) is distinct from
      (excluded.title, excluded.units, excluded.refund_units, excluded.amount_minor, excluded.refund_minor, excluded.proceeds_minor)
    returning 1
  )
  select (select count(*) from gone) + (select count(*) from written) into v_written;
  return v_written;
end
$$;

-- Writes reviews by the store's ids; returns how many rows changed.
create function private.put_store_reviews(p_store text, p_rows jsonb) returns bigint
language plpgsql
set search_path = ''
as $$
declare
  v_written bigint;
begin
  with given as (
    select distinct on (r.review_id) r.* from jsonb_to_recordset(p_rows) as r (
      review_id text, rating smallint, title text, body text, language text, territory text, author_name text, app_version text,
      response_body text, responded_at timestamptz, reviewed_at timestamptz
    )
    order by r.review_id, r.reviewed_at desc
  ), written as (
    insert into public.store_reviews as s (store, review_id, rating, title, body, language, territory, author_name, app_version,
      response_body, responded_at, reviewed_at)
    select p_store, g.review_id, g.rating, g.title, g.body, g.language, g.territory, g.author_name, g.app_version,
      g.response_body, g.responded_at, g.reviewed_at
    from given g
    on conflict (store, review_id) do update set
      rating = excluded.rating, title = excluded.title, body = excluded.body, language = excluded.language,
      territory = excluded.territory, author_name = excluded.author_name, app_version = excluded.app_version,
      response_body = excluded.response_body, responded_at = excluded.responded_at, reviewed_at = excluded.reviewed_at
    where (s.rating, s.title, s.body, s.language, s.territory, s.author_name, s.app_version, s.response_body, s.responded_at, s.reviewed_at)
      is distinct from (excluded.rating, excluded.title, excluded.body, excluded.language, excluded.territory, excluded.author_name,
        excluded.app_version, excluded.response_body, excluded.responded_at, excluded.reviewed_at)
    returning 1
  )
  select count(*) into v_written from written;
  return v_written;
end
$$;

-- Writes metrics of a report of p_reported_on, except those of a later report; returns how many rows changed.
create function private.put_store_metrics(p_store text, p_reported_on date, p_rows jsonb) returns bigint
language plpgsql
set search_path = ''
as $$
declare
  v_written bigint;
begin
  with written as (
    insert into public.store_metrics as s (store, metric_date, metric, value, reported_on)
    select p_store, r.metric_date, r.metric, r.value, p_reported_on
    from jsonb_to_recordset(p_rows) as r (metric_date date, metric text, value numeric)
    on conflict (store, metric, metric_date) do update set value = excluded.value, reported_on = excluded.reported_on
    where s.reported_on < excluded.reported_on or (s.reported_on = excluded.reported_on and s.value <> excluded.value)
    returning 1
  )
  select count(*) into v_written from written;
  return v_written;
end
$$;
