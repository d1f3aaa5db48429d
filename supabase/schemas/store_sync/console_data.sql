-- Store data for administrators: reviews, sales and metrics as lists, and sales as daily sums.
--
-- Lists have cursors, the latest first. Daily sums are of at most 92 days.
--
-- Interface: api.admin_list_store_reviews, admin_list_store_sales, admin_list_store_metrics, admin_sum_store_sales.

-- Raises validation_error (param: to) when the last day is before the first. Null: no bound.
create function private.check_days(p_from date, p_to date) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_to < p_from then
    perform private.raise_error('validation_error', 422, 'to must not be before from.', p_param => 'to');
  end if;
end
$$;

-- Sales by day and currency, {items, proceeds}, without free products.
create function private.sums_of_sales(p_from date, p_to date, p_store text, p_sku text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_sums jsonb;
begin
  execute concat(
    'with sold as materialized (
      select s.sale_date, s.store, s.currency, s.proceeds_currency, sum(s.units) as units, sum(s.refund_units) as refund_units,
        sum(s.amount_minor) as amount_minor, sum(s.refund_minor) as refund_minor, sum(s.proceeds_minor) as proceeds_minor
      from public.store_daily_sales s
      where s.sale_date between $1 and $2 and (s.amount_minor <> 0 or s.refund_minor <> 0 or s.proceeds_minor <> 0)',
    case when p_store is not null then ' and s.store = $3' end, case when p_sku is not null then ' and s.sku = $4' end,
    ' group by s.sale_date, s.store, s.currency, s.proceeds_currency
    ), amounts as (
      select d.sale_date, d.store, d.currency, sum(d.units) as units, sum(d.refund_units) as refund_units,
        sum(d.amount_minor) as amount_minor, sum(d.refund_minor) as refund_minor
      from sold d group by d.sale_date, d.store, d.currency
    ), proceeds as (
      select d.sale_date, d.store, d.proceeds_currency as currency, sum(d.proceeds_minor) as proceeds_minor
      from sold d where d.proceeds_minor is not null group by d.sale_date, d.store, d.proceeds_currency
    )
    select jsonb_build_object(
      ''items'', coalesce((select jsonb_agg(to_jsonb(a) order by a.sale_date desc, a.store, a.currency) from amounts a), ''[]''),
      ''proceeds'', coalesce((select jsonb_agg(to_jsonb(p) order by p.sale_date desc, p.store, p.currency) from proceeds p), ''[]'')
    )'
  ) into v_sums using p_from, p_to, p_store, p_sku;
  return v_sums;
end
$$;

create function api.admin_list_store_reviews(
  p_admin_id uuid, p_store text default null, p_rating integer default null, p_territory text default null,
  p_since timestamptz default null, p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'store_sync');
  perform private.check_choice('store', p_store, '{android_store,ios_store}');
  return private.list_rows('public.store_reviews', '{reviewed_at timestamptz,id uuid}', 'desc', jsonb_build_object(
    'r.store = %s', p_store,
    'r.rating = %s::smallint', p_rating,
    'r.territory = %s', p_territory,
    'r.reviewed_at >= %s::timestamptz', p_since
  ), p_include, p_cursor, p_limit, p_is_capped => true);
end
$$;

comment on function api.admin_list_store_reviews(uuid, text, integer, text, timestamptz, text[], text, integer) is
  'Reviews of the apps in the stores, the latest first: {items, next_cursor}, and total (counted up to 10,000) with total_is_exact when p_include has it. p_since: those written or changed since. For administrators of store_sync. Errors: forbidden, validation_error.';

create function api.admin_list_store_sales(
  p_admin_id uuid, p_store text default null, p_sku text default null, p_country text default null,
  p_from date default null, p_to date default null,
  p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'store_sync');
  perform private.check_choice('store', p_store, '{android_store,ios_store}');
  perform private.check_days(p_from, p_to);
  return private.list_rows('public.store_daily_sales', '{sale_date date,id uuid}', 'desc', jsonb_build_object(
    'r.store = %s', p_store,
    'r.sku = %s', p_sku,
    'r.country = %s', p_country,
    'r.sale_date >= %s::date', p_from,
    'r.sale_date <= %s::date', p_to
  ), p_include, p_cursor, p_limit, p_is_capped => true);
end
$$;

comment on function api.admin_list_store_sales(uuid, text, text, text, date, date, text[], text, integer) is
  'Sales of the stores, a row a day, product, country and currency, the latest days first: {items, next_cursor}, and total (counted up to 10,000) with total_is_exact when p_include has it. Money in minor units. For administrators of store_sync. Errors: forbidden, validation_error.';

create function api.admin_list_store_metrics(
  p_admin_id uuid, p_store text default null, p_metric text default null, p_from date default null, p_to date default null,
  p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'store_sync');
  perform private.check_choice('store', p_store, '{android_store,ios_store}');
  perform private.check_days(p_from, p_to);
  return private.list_rows('public.store_metrics', '{metric_date date,id uuid}', 'desc', jsonb_build_object(
    'r.store = %s', p_store,
    'r.metric = %s', p_metric,
    'r.metric_date >= %s::date', p_from,
    'r.metric_date <= %s::date', p_to
  ), p_include, p_cursor, p_limit, p_is_capped => true);
end
$$;

comment on function api.admin_list_store_metrics(uuid, text, text, date, date, text[], text, integer) is
  'Usage of the apps, a row a day and metric, the latest days first: {items, next_cursor}, and total (counted up to 10,000) with total_is_exact when p_include has it. For administrators of store_sync. Errors: forbidden, validation_error.';

create function api.admin_sum_store_sales(
  p_admin_id uuid, p_from date default null, p_to date default null, p_store text default null, p_sku text default null
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  c_days constant integer := 92;
  v_to constant date := coalesce(p_to, (now() at time zone 'UTC')::date);
  v_from constant date := coalesce(p_from, v_to - 29);
begin
  perform private.check_admin(p_admin_id, 'store_sync');
  perform private.check_choice('store', p_store, '{android_store,ios_store}');
  perform private.check_days(v_from, v_to);
  if v_to - v_from >= c_days then
    perform private.raise_error('validation_error', 422, format('The period must have at most %s days.', c_days), p_param => 'from');
  end if;
  return jsonb_build_object('from', v_from, 'to', v_to) || private.sums_of_sales(v_from, v_to, p_store, p_sku);
end
$$;

comment on function api.admin_sum_store_sales(uuid, date, date, text, text) is
  'Sales by day, store and currency: {from, to, items, proceeds}, for at most 92 days; the last 30 without p_from and p_to. items are by the customers'' currency, proceeds by that of the store''s payments. Free products are left out. For administrators of store_sync. Errors: forbidden, validation_error.';
