-- Search pages: public lots that meet up to sixteen conditions, in one of three orders, page by page.
--
-- A page ends with the sort key and id of its last lot, and the next page begins after them. A lot that keeps its key is
-- neither skipped nor repeated, even if other lots change.
--
-- With usable the list has up to two parts: lots that are not unusable for the stay, and then, with first, the others. Each
-- part is in the order of the search. without_surprises leaves lots out of both. Usability and surprises are calculated, so a
-- page checks a bounded number of lots: it may have fewer than its limit, and the next one begins after the last lot that was
-- checked.
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
-- of its area when no index leaves few. Otherwise at least total lots are found, and it is not exact.
create function private.found_total(p_query jsonb, p_bbox double precision[], p_ids uuid[]) returns jsonb
language plpgsql stable
security definer -- as private.found_lots
set search_path = ''
as $$
declare
  -- Where no index leaves few entries, so many are compared with the conditions.
  c_max_read constant integer := 300000;
  c_search constant record := private.search_condition(p_query, p_bbox, p_ids);
  c_area constant text := case when c_search.in_area < c_max_read then c_search.area else 'true' end;
  v_count integer;
  v_is_all boolean := true;
begin
  execute format('select count(*) from (select from %s e where %s limit $1) s',
    case when c_search.is_narrow then 'private.search_entries'
      else format('(select e.* from private.search_entries e where %s limit %s)', c_area, c_max_read) end,
    c_search.condition
  ) into v_count using private.max_total() + 1;
  if not c_search.is_narrow and v_count <= private.max_total() then
    execute format('select not exists (select from private.search_entries e where %s offset %s limit 1)', c_area, c_max_read)
      into v_is_all;
  end if;
  return private.capped_total(v_count, v_is_all);
end
$$;

-- Those of these lots whose fee for the stay is known and has no surprises.
create function private.lots_without_surprises(
  p_lot_ids uuid[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz
) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_lot_ids uuid[];
  v_bills private.stay_bill[];
  v_surprising uuid[];
begin
  select coalesce(array_agg(f.parking_lot_id), '{}'), coalesce(array_agg(f.bill), '{}') into v_lot_ids, v_bills
  from private.stay_fees(p_lot_ids, p_vehicle_type, p_entry, p_exit) as f
  where f.amount is not null;
  v_surprising := private.surprising_lots(v_bills, p_vehicle_type, p_entry, p_exit);
  return array(select l.id from unnest(v_lot_ids) as l (id) where l.id <> all (v_surprising));
end
$$;

-- Those of these lots that a stay leaves: not unusable for it with p_usable only, and without surprises with
-- p_without_surprises.
create function private.lots_of_stay(
  p_lot_ids uuid[], p_usable text, p_without_surprises boolean, p_vehicle_type text, p_entry timestamptz, p_exit timestamptz
) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  if p_usable = 'only' then
    p_lot_ids := array(select unnest(p_lot_ids) except select unnest(private.unusable_lots(p_lot_ids, null, p_entry, p_exit)));
  end if;
  if p_without_surprises then
    p_lot_ids := private.lots_without_surprises(p_lot_ids, p_vehicle_type, p_entry, p_exit);
  end if;
  return p_lot_ids;
end
$$;

-- How many lots a page or total of a search checks for a stay, at most p_most.
create function private.max_checked_lots(p_most integer, p_without_surprises boolean, p_entry timestamptz, p_exit timestamptz)
returns integer
language sql stable
return case when p_without_surprises then least(p_most, private.max_priced_lots(p_entry, p_exit, true)) else p_most end;

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
      select l.id, l.name, l.name_kana, l.address, l.lat, l.lng, l.time_zone, l.total_spaces, l.status, l.structure,
        l.created_at, l.updated_at, l.max_height_m, l.max_width_m, l.max_length_m, l.max_weight_t, l.min_clearance_cm,
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

-- A page of the lots of a checked search in the order of p_usable: first, only, or null for one part. p_after and next: the
-- part (0: lots that are not unusable for the stay, 1: the others) with the key and id in it; next is null at the end. At
-- most 1,000 lots are checked, so a page may be short, or empty.
create function private.stay_page(
  p_query jsonb, p_bbox double precision[], p_ids uuid[], p_sort text, p_after jsonb, p_limit integer, p_usable text,
  p_without_surprises boolean, p_vehicle_type text, p_entry timestamptz, p_exit timestamptz, out lot_ids uuid[], out next jsonb
)
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  -- The lots that are checked, and found lots are read twice at most: 0.1 s on two slow cores.
  c_max constant integer := private.max_checked_lots(1000, p_without_surprises, p_entry, p_exit);
  -- Before every key of every order.
  c_second_part constant jsonb := '[1, -2147483648, "00000000-0000-0000-0000-000000000000"]';
  c_part constant integer := coalesce((p_after ->> 0)::integer, 0);
  v_after jsonb := p_after - 0;
  v_take integer := least(2 * p_limit + 1, c_max);
  v_seen integer := 0;
  v_found private.found_page;
  v_keys double precision[] := '{}';
  v_unsurprising uuid[];
  v_others uuid[] := '{}';
  v_other_keys double precision[] := '{}';
  v_is_end boolean;
  v_left integer;
begin
  lot_ids := '{}';
  loop
    v_found := private.found_lots(p_query, p_bbox, p_ids, p_sort, v_after, v_take);
    if p_without_surprises then
      v_unsurprising := private.lots_of_stay(v_found.lot_ids, p_usable, true, p_vehicle_type, p_entry, p_exit);
    end if;
    select lot_ids || coalesce(array_agg(f.id order by f.place) filter (where f.part = c_part), '{}'),
      v_keys || coalesce(array_agg(f.key order by f.place) filter (where f.part = c_part), '{}'),
      v_others || coalesce(array_agg(f.id order by f.place) filter (where f.part <> c_part), '{}'),
      v_other_keys || coalesce(array_agg(f.key order by f.place) filter (where f.part <> c_part), '{}')
    into lot_ids, v_keys, v_others, v_other_keys
    from (
      select e.id, e.key, e.place, (u.id is not null)::integer as part
      from unnest(v_found.lot_ids, v_found.keys) with ordinality as e (id, key, place)
      left join unnest(
        case when p_usable is null then '{}' else private.unusable_lots(v_found.lot_ids, null, p_entry, p_exit) end
      ) as u (id) on u.id = e.id
      where not p_without_surprises or e.id = any (v_unsurprising)
    ) f;
    v_is_end := coalesce(cardinality(v_found.lot_ids), 0) < v_take;
    v_seen := v_seen + v_take;
    exit when cardinality(lot_ids) > p_limit or v_is_end or v_seen >= c_max;
    v_after := jsonb_build_array(v_found.keys[v_take], v_found.lot_ids[v_take]);
    v_take := c_max - v_seen;
  end loop;
  v_left := p_limit - cardinality(lot_ids);
  next := case
    when v_left < 0 then jsonb_build_array(c_part, v_keys[p_limit], lot_ids[p_limit])
    when not v_is_end then jsonb_build_array(c_part, v_found.keys[v_take], v_found.lot_ids[v_take])
    when c_part = 1 or p_usable is distinct from 'first' then null
    -- This page began after the first lot, so it does not know all lots of the second part.
    when p_after is not null then c_second_part
    when cardinality(v_others) > v_left
      then case v_left when 0 then c_second_part else jsonb_build_array(1, v_other_keys[v_left], v_others[v_left]) end
  end;
  lot_ids := lot_ids[:p_limit] || case
    when v_is_end and v_left > 0 and c_part = 0 and p_usable = 'first' and p_after is null then v_others[:v_left]
    else '{}'
  end;
end
$$;

-- The number of lots that a checked search finds with usable only or without surprises, counted among the first lots of its
-- order, at most 3,000: {total, total_is_exact}.
create function private.stay_total(
  p_query jsonb, p_bbox double precision[], p_ids uuid[], p_sort text, p_usable text, p_without_surprises boolean,
  p_vehicle_type text, p_entry timestamptz, p_exit timestamptz
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  -- As many as private.nearby_candidates checks.
  c_max constant integer := private.max_checked_lots(3000, p_without_surprises, p_entry, p_exit);
  c_found constant uuid[] := (private.found_lots(p_query, p_bbox, p_ids, p_sort, null, c_max + 1)).lot_ids;
begin
  return private.capped_total(
    cardinality(private.lots_of_stay(
      coalesce(c_found[:c_max], '{}'), p_usable, p_without_surprises, p_vehicle_type, p_entry, p_exit
    )),
    coalesce(cardinality(c_found), 0) <= c_max
  );
end
$$;

-- A page of a checked search: {items, next_cursor}, and total with total_is_exact when p_include has it. p_usable: first,
-- only, or null for the order of the search; it and p_without_surprises require the stay. Errors: validation_error.
create function private.search_page(
  p_query jsonb, p_bbox double precision[], p_ids uuid[], p_limit integer, p_cursor text, p_include text[], p_usable text,
  p_without_surprises boolean, p_vehicle_type text, p_entry timestamptz, p_exit timestamptz
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  c_is_calculated constant boolean := p_usable is not null or p_without_surprises;
  v_sort text := coalesce(p_query ->> 'sort', case when p_query ? 'center' then 'distance' else 'recommended' end);
  v_filters jsonb := jsonb_build_object('list', 'parking_lots', 'query', p_query, 'bbox', p_bbox, 'ids', p_ids)
    || case when c_is_calculated then jsonb_build_object('usable', p_usable,
      'entry', extract(epoch from p_entry), 'exit', extract(epoch from p_exit)) else '{}' end
    || case when p_without_surprises then jsonb_build_object('without_surprises', true, 'vehicle_type', p_vehicle_type) else '{}' end;
  v_after jsonb := private.cursor_decode(v_filters, p_cursor, case when c_is_calculated then '{integer}' else '{}' end::text[]
    || case v_sort when 'distance' then '{double precision,uuid}' else '{integer,uuid}' end::text[]);
  v_page private.found_page;
  v_calculated record;
  v_lot_ids uuid[];
  v_next jsonb;
begin
  if not c_is_calculated then
    v_page := private.found_lots(p_query, p_bbox, p_ids, v_sort, v_after, p_limit + 1);
    v_lot_ids := v_page.lot_ids[:p_limit];
    v_next := case when cardinality(v_page.lot_ids) > p_limit
      then jsonb_build_array(v_page.keys[p_limit], v_page.lot_ids[p_limit]) end;
  else
    v_calculated := private.stay_page(
      p_query, p_bbox, p_ids, v_sort, v_after, p_limit, p_usable, p_without_surprises, p_vehicle_type, p_entry, p_exit
    );
    v_lot_ids := v_calculated.lot_ids;
    v_next := v_calculated.next;
  end if;
  return jsonb_build_object(
    'items', private.search_items(v_lot_ids, p_query -> 'center'), 'next_cursor', private.cursor_encode(v_filters, v_next)
  ) || case when 'total' <> all (p_include) then '{}'
    -- The first page has all.
    when p_cursor is null and v_next is null then private.capped_total(coalesce(cardinality(v_lot_ids), 0), true)
    when p_usable = 'only' or p_without_surprises then private.stay_total(
      p_query, p_bbox, p_ids, v_sort, p_usable, p_without_surprises, p_vehicle_type, p_entry, p_exit
    )
    else private.found_total(p_query, p_bbox, p_ids) end;
end
$$;

grant execute on function
  private.found_lots(jsonb, double precision[], uuid[], text, jsonb, integer),
  private.found_total(jsonb, double precision[], uuid[]), private.search_items(uuid[], jsonb),
  private.lots_without_surprises(uuid[], text, timestamptz, timestamptz),
  private.lots_of_stay(uuid[], text, boolean, text, timestamptz, timestamptz),
  private.max_checked_lots(integer, boolean, timestamptz, timestamptz),
  private.stay_page(
    jsonb, double precision[], uuid[], text, jsonb, integer, text, boolean, text, timestamptz, timestamptz
  ),
  private.stay_total(
    jsonb, double precision[], uuid[], text, text, boolean, text, timestamptz, timestamptz
  ),
  private.search_page(
    jsonb, double precision[], uuid[], integer, text, text[], text, boolean, text, timestamptz, timestamptz
  )
to anon, authenticated;
