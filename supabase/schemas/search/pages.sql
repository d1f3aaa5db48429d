-- Search pages: public lots that meet up to sixteen conditions, in one of three orders, page by page.
--
-- A page ends with the sort key and id of its last lot, and the next page begins after them. A lot that keeps its key is
-- neither skipped nor repeated, even if other lots change.
--
-- Invariants: orders are total (ties by id); the keys of a cursor are values bound to a statement, never part of its text.
-- Interface: api.search_parking_lots.

-- The first lots after the key and id p_after that meet the condition, by a column of private.search_entries and id.
-- p_share: the share of all lots that the narrowing terms leave.
create function private.page_by_key(
  p_condition text, p_share double precision, p_column text, p_after jsonb, p_limit integer
) returns private.found_page
language plpgsql stable
set search_path = ''
as $$
declare
  -- The order from the cursor on. Only private.search_condition makes p_condition, and it quotes the values of a caller.
  c_order constant text := format('order by e.%I, e.parking_lot_id', p_column);
  c_after constant text := case when p_after is null then 'true'
    else format('(e.%I, e.parking_lot_id) > ($1, $2)', p_column) end;
  c_page constant text := format(
    'select array_agg(f.id order by f.key, f.id), array_agg(f.key order by f.key, f.id) from (
      select e.parking_lot_id as id, e.%1$I as key
      from (select e.* from private.search_entries e where %2$s %%s) e where %%s %3$s limit $3
    ) f', p_column, c_after, c_order);
  -- An export reads pages of a thousand.
  c_window constant integer := 3000 + 3 * p_limit;
  c_key constant integer := p_after ->> 0;
  c_id constant uuid := p_after ->> 1;
  v_page private.found_page;
begin
  -- For a common condition the next few thousand entries of the order fill a page.
  if p_share > 0.0005 then
    execute format(c_page, format('%s limit %s', c_order, c_window), p_condition)
      into v_page.lot_ids, v_page.keys using c_key, c_id, p_limit;
    if cardinality(v_page.lot_ids) >= p_limit then
      return v_page;
    end if;
  end if;
  perform private.require_counted_scan(p_condition);
  -- Otherwise all entries that meet it are found and then sorted. offset 0 keeps the order from the planner: it treats
  -- correlated conditions as independent, and would read the order to its end for a page that does not fill.
  execute format(c_page, format('and %s offset 0', p_condition), 'true')
    into v_page.lot_ids, v_page.keys using c_key, c_id, p_limit;
  return v_page;
end
$$;

-- A page of the lots that a checked search finds, after the key and id p_after.
create function private.found_lots(
  p_query jsonb, p_bbox double precision[], p_ids uuid[], p_sort text, p_after jsonb, p_limit integer
) returns private.found_page
language plpgsql stable
security definer -- entries are private, and row security would prevent the index of terms; all are of public lots
set search_path = ''
as $$
declare
  v_search record := private.search_condition(p_query, p_bbox, p_ids);
begin
  return case p_sort
    when 'price' then
      private.page_by_key(v_search.condition, private.term_share(v_search.narrowing), 'price_key', p_after, p_limit)
    when 'recommended' then
      private.page_by_key(v_search.condition, private.term_share(v_search.narrowing), 'rank_key', p_after, p_limit)
    else private.distance_page(
      v_search.condition, v_search.share, (p_query -> 'center' ->> 'lat')::double precision,
      (p_query -> 'center' ->> 'lng')::double precision, (p_query ->> 'radius_m')::double precision, p_after, p_limit
    ) end;
end
$$;

-- The number of lots that a checked search finds: {total, total_is_exact}. Counted up to 10,000, and among 300,000 lots
-- when no index leaves few. Otherwise at least total lots are found, and it is not exact.
create function private.found_total(p_query jsonb, p_bbox double precision[], p_ids uuid[]) returns jsonb
language plpgsql stable
security definer -- as private.found_lots
set search_path = ''
as $$
declare
  -- Where no index leaves few entries, so many are compared with the conditions.
  c_max_read constant integer := 300000;
  v_search record := private.search_condition(p_query, p_bbox, p_ids);
  v_count integer;
  v_is_all boolean := true;
begin
  execute format('select count(*) from (select from %s e where %s limit $1) s',
    case when v_search.is_narrow then 'private.search_entries'
      else format('(select * from private.search_entries limit %s)', c_max_read) end,
    v_search.condition
  ) into v_count using private.max_total() + 1;
  if not v_search.is_narrow and v_count <= private.max_total() then
    v_is_all := not exists (select from private.search_entries offset c_max_read limit 1);
  end if;
  return private.capped_total(v_count, v_is_all);
end
$$;

-- Lots as search shows them, in this order. Without a center distance_m is null.
create function private.search_items(p_lot_ids uuid[], p_center jsonb) returns jsonb
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    select coalesce(to_jsonb(array_agg(item)), '[]')
    from (
      select l.id, l.name, l.name_kana, l.address, l.lat, l.lng, l.total_spaces, l.status, l.structure, l.created_at,
        l.updated_at, l.max_height_m, l.max_width_m, l.max_length_m, l.max_weight_t, l.min_clearance_cm,
        l.max_tire_width_mm, l.max_parking_duration_min, l.entry_method, l.source, l.licence, l.attribution,
        l.shape_type, l.operator_code, l.entry_difficulty, l.hour_price, l.currency, l.avg_rating, l.review_count,
        l.main_image_key as main_image, l.tag_slugs as tags,
        round(private.great_circle_m(
          (p_center ->> 'lat')::double precision, (p_center ->> 'lng')::double precision, l.lat, l.lng
        )::numeric, 2) as distance_m,
        m.is_saved, m.my_rating
      from unnest(p_lot_ids) with ordinality as p (id, place)
      join public.parking_lots l on l.id = p.id
      left join private.my_ratings_and_saves(p_lot_ids) as m on m.parking_lot_id = l.id
      order by p.place
    ) as item
  );
end
$$;

-- A page of a checked search: {items, next_cursor}, and total with total_is_exact when p_include has it. Errors:
-- validation_error.
create function private.search_page(
  p_query jsonb, p_bbox double precision[], p_ids uuid[], p_limit integer, p_cursor text, p_include text[]
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_sort text := coalesce(p_query ->> 'sort', case when p_query ? 'center' then 'distance' else 'recommended' end);
  v_filters jsonb := jsonb_build_object('list', 'parking_lots', 'query', p_query, 'bbox', p_bbox, 'ids', p_ids);
  v_after jsonb := private.cursor_decode(
    v_filters, p_cursor, case v_sort when 'distance' then '{double precision,uuid}' else '{integer,uuid}' end::text[]
  );
  v_page private.found_page;
begin
  v_page := private.found_lots(p_query, p_bbox, p_ids, v_sort, v_after, p_limit + 1);
  return jsonb_build_object(
    'items', private.search_items(v_page.lot_ids[:p_limit], p_query -> 'center'),
    'next_cursor', case when cardinality(v_page.lot_ids) > p_limit then
      private.cursor_encode(v_filters, jsonb_build_array(v_page.keys[p_limit], v_page.lot_ids[p_limit])) end
  ) || case when 'total' <> all (p_include) then '{}'
    -- The first page has all.
    when p_cursor is null and coalesce(cardinality(v_page.lot_ids), 0) <= p_limit
      then private.capped_total(coalesce(cardinality(v_page.lot_ids), 0), true)
    else private.found_total(p_query, p_bbox, p_ids) end;
end
$$;

grant execute on function
  private.found_lots(jsonb, double precision[], uuid[], text, jsonb, integer),
  private.found_total(jsonb, double precision[], uuid[]), private.search_items(uuid[], jsonb),
  private.search_page(jsonb, double precision[], uuid[], integer, text, text[])
to anon, authenticated;
