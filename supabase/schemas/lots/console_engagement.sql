-- Engagement in the console: the lots with the most saves, sessions and searches of a period.
--
-- The counts and their sums are of lots/engagement.sql and lots/recent_counts.sql.

create function api.admin_list_lot_engagement(
  p_admin_id uuid, p_from date default null, p_to date default null, p_sort text default null,
  p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  c_epoch constant date := '2000-01-01';
  v_filters constant jsonb := jsonb_build_array('lot_engagement', p_from, p_to, p_sort);
  v_counts constant text[] := private.engagement_counts(p_sort);
  v_keys constant text[] := case when p_sort = 'name' then '{text}' else array_fill('integer'::text, array[cardinality(v_counts)]) end;
  v_after jsonb;
  v_today integer;
  v_period daterange;
  v_items jsonb;
begin
  perform private.check_admin(p_admin_id, 'lots');
  v_after := private.cursor_decode(v_filters, p_cursor, 'integer'::text || v_keys || 'uuid'::text);
  -- The cursor has the day of the first page: all pages of a report without dates are of one period, also after midnight.
  v_today := case when v_after is null then private.day_of(now()) - c_epoch
    else least(greatest((v_after ->> 0)::integer, 0), 36525) end;
  v_period := private.engagement_period(p_from, p_to, c_epoch + v_today);
  if p_from is not null or p_to is not null then
    perform private.check_engagement_size(v_period, p_sort, private.page_limit(p_limit));
  end if;
  v_items := private.engagement_items(
    v_period, p_sort,
    case when v_after is not null and p_sort is distinct from 'name' then array(
      select (v_after ->> n)::bigint from generate_series(1, cardinality(v_counts)) n order by n
    ) end,
    v_after ->> 1, (v_after ->> -1)::uuid, private.page_limit(p_limit) + 1
  );
  return jsonb_build_object(
    'from', lower(v_period), 'to', upper(v_period),
    'items', v_items - p_limit,
    'next_cursor', case when jsonb_array_length(v_items) > p_limit then private.cursor_encode(v_filters, (
      select jsonb_build_array(v_today) || jsonb_agg(v_items -> (p_limit - 1) -> k order by n)
      from unnest(v_counts || 'parking_lot_id'::text) with ordinality as o (k, n)
    )) end
  ) || case when 'total' = any (p_include)
    then jsonb_build_object('total', private.count_engaged_lots(v_period, p_sort)) else '{}' end;
end
$$;

comment on function api.admin_list_lot_engagement(uuid, date, date, text, text[], text, integer) is
  'How often lots were saved, parked at and returned by searches from p_from to the day before p_to (default: the last 30 days): {from, to, items, next_cursor}, and total when p_include has it. Without p_sort every lot with any count, by sessions, then saves, then searches, the highest first. By saves, sessions or searches: without lots whose count is 0. By name: all lots. A period with more than 200,000 daily counts is rejected with details.reason period_too_large. For administrators with the area lots. Errors: forbidden, validation_error.';
