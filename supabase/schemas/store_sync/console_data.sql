-- Store data for administrators: reviews, sales and metrics as lists, and sales as daily sums.
--
-- Lists have cursors, the latest first. A statement contains only the conditions that are given, so that each filter uses
-- its index. Daily sums are of at most 92 days.
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

-- A page of a table t after the keys of a cursor, the latest first by p_time, of the type p_type: {items, next_cursor},
-- and total (counted up to 10,000) with total_is_exact when p_include has it. p_conditions are literals of this file that
-- start with and; $1 in them is p_filters: the name of the list, and the values of the filters. Errors: validation_error.
create function private.store_page(
  p_filters jsonb, p_after jsonb, p_table text, p_time text, p_type text, p_conditions text, p_include text[], p_limit integer
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_items jsonb;
  v_total jsonb := '{}';
begin
  execute format(
    'select jsonb_agg(to_jsonb(r) order by r.%1$I desc, r.id desc)
    from (select t.* from public.%2$I t where (t.%1$I, t.id) < (($3 ->> 0)::%4$s, ($3 ->> 1)::uuid)%3$s order by t.%1$I desc, t.id desc limit $2) r',
    p_time, p_table, p_conditions,
    p_type
  ) into v_items using p_filters, private.page_limit(p_limit) + 1, p_after;
  if 'total' = any (p_include) then
    execute format('select private.capped_total(count(*)) from (select from public.%I t where true%s limit $2) f', p_table, p_conditions)
      into v_total using p_filters, private.max_total() + 1;
  end if;
  return private.page(p_filters, v_items, array[p_time, 'id'], p_limit) || v_total;
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

grant execute on function
  private.check_days(date, date), private.store_page(jsonb, jsonb, text, text, text, text, text[], integer),
  private.sums_of_sales(date, date, text, text)
to service_role;

create function api.admin_list_store_reviews(
  p_admin_id uuid, p_store text default null, p_rating integer default null, p_territory text default null,
  p_since timestamptz default null, p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters constant jsonb := jsonb_build_array('admin_store_reviews', p_store, p_rating, p_territory, p_since);
  v_after jsonb;
begin
  perform private.check_admin(p_admin_id, 'store_sync');
  v_after := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
  perform private.check_choice('store', p_store, '{android_store,ios_store}');
  return private.store_page(v_filters, v_after, 'store_reviews', 'reviewed_at', 'timestamptz', concat(
    case when p_store is not null then ' and t.store = $1 ->> 1' end,
    case when p_rating is not null then ' and t.rating = ($1 ->> 2)::smallint' end,
    case when p_territory is not null then ' and t.territory = $1 ->> 3' end,
    case when p_since is not null then ' and t.reviewed_at >= ($1 ->> 4)::timestamptz' end
  ), p_include, p_limit);
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
declare
  v_filters constant jsonb := jsonb_build_array('admin_store_sales', p_store, p_sku, p_country, p_from, p_to);
  v_after jsonb;
begin
  perform private.check_admin(p_admin_id, 'store_sync');
  v_after := private.page_start(v_filters, p_cursor, '{date,uuid}', 'desc');
  perform private.check_choice('store', p_store, '{android_store,ios_store}');
  perform private.check_days(p_from, p_to);
  return private.store_page(v_filters, v_after, 'store_daily_sales', 'sale_date', 'date', concat(
    case when p_store is not null then ' and t.store = $1 ->> 1' end,
    case when p_sku is not null then ' and t.sku = $1 ->> 2' end,
    case when p_country is not null then ' and t.country = $1 ->> 3' end,
    case when p_from is not null then ' and t.sale_date >= ($1 ->> 4)::date' end,
    case when p_to is not null then ' and t.sale_date <= ($1 ->> 5)::date' end
  ), p_include, p_limit);
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
declare
  v_filters constant jsonb := jsonb_build_array('admin_store_metrics', p_store, p_metric, p_from, p_to);
  v_after jsonb;
begin
  perform private.check_admin(p_admin_id, 'store_sync');
  v_after := private.page_start(v_filters, p_cursor, '{date,uuid}', 'desc');
  perform private.check_choice('store', p_store, '{android_store,ios_store}');
  perform private.check_days(p_from, p_to);
  return private.store_page(v_filters, v_after, 'store_metrics', 'metric_date', 'date', concat(
    case when p_store is not null then ' and t.store = $1 ->> 1' end,
    case when p_metric is not null then ' and t.metric = $1 ->> 2' end,
    case when p_from is not null then ' and t.metric_date >= ($1 ->> 3)::date' end,
    case when p_to is not null then ' and t.metric_date <= ($1 ->> 4)::date' end
  ), p_include, p_limit);
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

grant execute on function
  api.admin_list_store_reviews(uuid, text, integer, text, timestamptz, text[], text, integer),
  api.admin_list_store_sales(uuid, text, text, text, date, date, text[], text, integer),
  api.admin_list_store_metrics(uuid, text, text, date, date, text[], text, integer),
  api.admin_sum_store_sales(uuid, date, date, text, text)
to service_role;
