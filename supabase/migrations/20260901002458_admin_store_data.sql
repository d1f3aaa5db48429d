-- Administrators and what the stores say: reviews, sales and metrics as lists, and sales as daily sums.
--
-- Lists are cursor lists, the newest first. The conditions that are given are the only ones in the statement, so that each
-- filter has its index. Daily sums are of at most 92 days.
--
-- Interface: api.admin_list_store_reviews, admin_list_store_sales, admin_list_store_metrics, admin_sum_store_sales.

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create function private.check_days(p_from date, p_to date) returns void
language plpgsql immutable
set search_path = ''
as $$
begin
  if p_to < p_from then
    perform private.refuse('validation_error', 422, 'to must not be before from.', p_param => 'to');
  end if;
end
$$;

comment on function private.check_days(date, date) is 'Rejects days of which the last is before the first: validation_error, param to. Null: no bound.';

create function private.store_page(p_name text, p_table text, p_time text, p_conditions text, p_values jsonb, p_include text[], p_cursor text, p_limit integer)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters constant jsonb := jsonb_build_array(p_name, p_values);
  v_is_moment constant boolean := p_time = 'reviewed_at';
  v_after jsonb;
  v_items jsonb;
  v_total bigint;
begin
  v_after := private.cursor_decode(v_filters, p_cursor, array[case when v_is_moment then 'timestamptz' else 'text' end, 'uuid']);
  if not v_is_moment and not pg_input_is_valid(v_after ->> 0, 'date') then
    perform private.refuse('validation_error', 422, 'This cursor does not belong to this list and these filters', p_param => 'cursor');
  end if;
  execute format(
    'select jsonb_agg(to_jsonb(r) order by r.%1$I desc, r.id desc)
    from (select t.* from public.%2$I t where true%3$s%4$s order by t.%1$I desc, t.id desc limit $2) r',
    p_time, p_table, p_conditions,
    case when v_after is not null then format(' and (t.%I, t.id) < (($3 ->> 0)::%s, ($3 ->> 1)::uuid)', p_time, case when v_is_moment then 'timestamptz' else 'date' end) end
  ) into v_items using p_values, private.page_limit(p_limit) + 1, v_after;
  if 'total' = any (p_include) then
    execute format('select count(*) from public.%I t where true%s', p_table, p_conditions) into v_total using p_values;
  end if;
  return private.page(v_filters, v_items, array[p_time, 'id'], p_limit)
    || case when v_total is null then '{}' else jsonb_build_object('total', v_total) end;
end
$$;

comment on function private.store_page(text, text, text, text, jsonb, text[], text, integer) is
  'A page of a table t, the newest first by p_time: {items, next_cursor}, and total when p_include has it. p_conditions are literals of ours that begin with and, with the values of the filters in $1 (p_values). Refuses: validation_error.';

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

comment on function private.sums_of_sales(date, date, text, text) is
  'What was sold on each day in each currency, {items, proceeds}, without what costs nothing.';

grant execute on function
  private.check_days(date, date), private.store_page(text, text, text, text, jsonb, text[], text, integer),
  private.sums_of_sales(date, date, text, text)
to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

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
  return private.store_page('admin_store_reviews', 'store_reviews', 'reviewed_at', concat(
    case when p_store is not null then ' and t.store = $1 ->> 0' end,
    case when p_rating is not null then ' and t.rating = ($1 ->> 1)::smallint' end,
    case when p_territory is not null then ' and t.territory = $1 ->> 2' end,
    case when p_since is not null then ' and t.reviewed_at >= ($1 ->> 3)::timestamptz' end
  ), jsonb_build_array(p_store, p_rating, p_territory, p_since), p_include, p_cursor, p_limit);
end
$$;

comment on function api.admin_list_store_reviews(uuid, text, integer, text, timestamptz, text[], text, integer) is
  'Reviews of the apps in the stores, the newest first: {items, next_cursor}, and total when p_include has it. p_since: those written or changed since. For administrators of store_sync. Refuses: forbidden, validation_error.';

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
  return private.store_page('admin_store_sales', 'store_daily_sales', 'sale_date', concat(
    case when p_store is not null then ' and t.store = $1 ->> 0' end,
    case when p_sku is not null then ' and t.sku = $1 ->> 1' end,
    case when p_country is not null then ' and t.country = $1 ->> 2' end,
    case when p_from is not null then ' and t.sale_date >= ($1 ->> 3)::date' end,
    case when p_to is not null then ' and t.sale_date <= ($1 ->> 4)::date' end
  ), jsonb_build_array(p_store, p_sku, p_country, p_from, p_to), p_include, p_cursor, p_limit);
end
$$;

comment on function api.admin_list_store_sales(uuid, text, text, text, date, date, text[], text, integer) is
  'What the stores sold, a row a day, product, country and currency, the newest days first: {items, next_cursor}, and total when p_include has it. Money in minor units. For administrators of store_sync. Refuses: forbidden, validation_error.';

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
  return private.store_page('admin_store_metrics', 'store_metrics', 'metric_date', concat(
    case when p_store is not null then ' and t.store = $1 ->> 0' end,
    case when p_metric is not null then ' and t.metric = $1 ->> 1' end,
    case when p_from is not null then ' and t.metric_date >= ($1 ->> 2)::date' end,
    case when p_to is not null then ' and t.metric_date <= ($1 ->> 3)::date' end
  ), jsonb_build_array(p_store, p_metric, p_from, p_to), p_include, p_cursor, p_limit);
end
$$;

comment on function api.admin_list_store_metrics(uuid, text, text, date, date, text[], text, integer) is
  'How the apps are used, a row a day and metric, the newest days first: {items, next_cursor}, and total when p_include has it. For administrators of store_sync. Refuses: forbidden, validation_error.';

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
    perform private.refuse('validation_error', 422, format('These are more than %s days.', c_days), p_param => 'from');
  end if;
  return jsonb_build_object('from', v_from, 'to', v_to) || private.sums_of_sales(v_from, v_to, p_store, p_sku);
end
$$;

comment on function api.admin_sum_store_sales(uuid, date, date, text, text) is
  'What the stores sold on each day, by store and currency: {from, to, items, proceeds}, for at most 92 days; the last 30 unless p_from and p_to say. items are by the customers'' currency, proceeds by that of the store''s payments. Units and money of what costs nothing are left out. For administrators of store_sync. Refuses: forbidden, validation_error.';

grant execute on function
  api.admin_list_store_reviews(uuid, text, integer, text, timestamptz, text[], text, integer),
  api.admin_list_store_sales(uuid, text, text, text, date, date, text[], text, integer),
  api.admin_list_store_metrics(uuid, text, text, date, date, text[], text, integer),
  api.admin_sum_store_sales(uuid, date, date, text, text)
to service_role;
