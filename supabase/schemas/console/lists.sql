-- Lists in the console: rows of one table that meet filters, in one order, page by page.
--
-- A list states where its rows come from, its order with the types of the keys, each filter as condition and value, and
-- how a row is shown. The statement has only the conditions of filters that were given: so each filter uses its index. A
-- condition `p_status is null or ...` would be a filter of every row in a generic plan.
--
-- Invariants: values are parameters, never a part of the statement. The comparison with the cursor's keys is one row
-- comparison, which an index with the list's order answers. Rows are shown after the page is cut.
-- Interface: private.list_rows; private.without_leavers for lists of what users wrote.

-- For p_also of private.list_rows: without rows of users who withdrew, and whose data are not deleted yet. Null: there are
-- none, as mostly.
create function private.without_leavers() returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return case when exists (select from private.account_ends)
    then '(r.user_id = any (array(select e.user_id from private.account_ends e))) is not true' end;
end
$$;

-- A page {items, next_cursor} of the rows r of p_from, a table, with the total if p_include has it. Errors:
-- validation_error.
--
-- p_order: the keys with their types, as '{created_at timestamptz,id uuid}', and p_direction: asc or desc, of all keys.
-- p_filters: conditions with their values, {"r.placement = %s": "map"}; %s is the value, a text; null: no condition. A
-- condition without a value has true. A list of texts is string_to_array(%s, ','), which is computed once: a cast to an
-- array is computed for each row.
-- p_row: the item, an expression of r, which has the keys. p_rows: all items as one array, where they are read together,
-- an expression with aggregates of r, as 'private.admin_review_rows(array_agg((r).id))'.
-- p_is_capped: the total is counted up to private.max_total(), and comes with total_is_exact.
-- p_parts: conditions of which each row of the list meets exactly one. Each part is read in the order of its index, up to a
-- page, so none of them is sorted as a whole.
-- p_also: a condition that may change from page to page: it is no part of what a cursor belongs to.
create function private.list_rows(
  p_from text, p_order text[], p_direction text, p_filters jsonb, p_include text[], p_cursor text, p_limit integer,
  p_row text default 'to_jsonb(r)', p_rows text default null, p_is_capped boolean default false, p_max_limit integer default 100,
  p_parts text[] default '{true}', p_also text default null
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_keys constant text[] := array(select split_part(o, ' ', 1) from unnest(p_order) as o);
  v_types constant text[] := array(select substr(o, strpos(o, ' ') + 1) from unnest(p_order) as o);
  -- The list, which another page must have as well.
  v_list constant jsonb := jsonb_build_object(
    'from', p_from, 'parts', p_parts, 'order', p_order || p_direction, 'filters', jsonb_strip_nulls(p_filters)
  );
  v_after constant jsonb := private.page_start(v_list, p_cursor, v_types, p_direction);
  v_order constant text := (select string_agg(format('(r).%I %s', k, p_direction), ', ') from unnest(v_keys) as k);
  v_matching constant text := concat(' and (' || p_also || ')', (
    select string_agg(format(' and (%s)', format(f.key, format('($1 ->> %L)', f.key))), '') from jsonb_each(p_filters) as f
    where f.value <> 'null'
  ));
  v_following constant text := format(
    ' and (%s) %s (%s) order by %s limit $3',
    (select string_agg(format('r.%I', k), ', ') from unnest(v_keys) as k),
    case p_direction when 'asc' then '>' else '<' end,
    (select string_agg(format('($2 ->> %s)::%s', t.nth - 1, t.name), ', ') from unnest(v_types) with ordinality as t (name, nth)),
    v_order
  );
  v_items jsonb;
  v_total bigint;
begin
  execute format(
    'select %s from (select r from (%s) m order by %s limit $3) p',
    coalesce(p_rows, format('jsonb_agg(%s order by %s)', p_row, v_order)),
    (select string_agg(concat('(select r from ', p_from, ' r where (', part, ')', v_matching, v_following, ')'), ' union all ')
      from unnest(p_parts) as part),
    v_order
  ) into v_items using p_filters, v_after, private.page_limit(p_limit, p_max_limit) + 1;
  if 'total' = any (p_include) then
    execute format('select count(*) from (%s) f', (
      select string_agg(concat('(select from ', p_from, ' r where (', part, ')', v_matching, ' limit $2)'), ' union all ')
      from unnest(p_parts) as part
    )) into v_total using p_filters, case when p_is_capped then private.max_total() + 1 end;
  end if;
  return private.page(v_list, v_items, v_keys, p_limit, case when not p_is_capped then v_total end)
    || case when p_is_capped and v_total is not null then private.capped_total(v_total) else '{}' end;
end
$$;
