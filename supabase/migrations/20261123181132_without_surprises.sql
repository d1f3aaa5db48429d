-- Nearby and search have the filter without_surprises: only lots whose fee for the stay is known and has no surprises.
--
-- The definitions are those of supabase/schemas after this change. The way back is a file of its own.

set lock_timeout = '2s';

alter type private.nearby_filters add attribute without_surprises boolean;

drop function private.max_priced_lots(timestamptz, timestamptz);
drop function private.reject_pricing(timestamptz, timestamptz);
drop function private.usable_page(
  jsonb, double precision[], uuid[], text, jsonb, integer, text, timestamptz, timestamptz
);
drop function private.usable_total(jsonb, double precision[], uuid[], text, timestamptz, timestamptz);
drop function private.search_page(
  jsonb, double precision[], uuid[], integer, text, text[], text, timestamptz, timestamptz
);
drop function api.search_parking_lots(
  jsonb, double precision[], uuid[], integer, text, text[], integer, timestamptz, timestamptz, timestamptz, text, text
);

-- The greatest number of lots at which one request may price this stay: 1,777 for a day or less, 410 for 31 days; with
-- p_with_surprises 444 and 102.
create function private.max_priced_lots(p_entry timestamptz, p_exit timestamptz, p_with_surprises boolean default false)
returns integer
language plpgsql stable
set search_path = ''
as $$
declare
  -- Pricing a lot costs as much as eight days of its stay. All together: 0.2 s on two slow cores.
  c_max_work constant integer := 16000;
begin
  -- The surprises of a lot cost up to three times as much as its fee.
  return c_max_work / (8 + ceil(extract(epoch from p_exit - p_entry) / 86400)::integer) / case when p_with_surprises then 4 else 1 end;
end
$$;

-- Rejects a request that would price a stay at more lots than private.max_priced_lots. Errors: validation_error;
-- details.reason is too_much_to_price.
create function private.reject_pricing(p_entry timestamptz, p_exit timestamptz, p_with_surprises boolean default false)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.raise_error('validation_error', 422,
    format('This search would price more than %s lots. Search a smaller area, a shorter stay or another price range.',
      private.max_priced_lots(p_entry, p_exit, p_with_surprises)),
    p_details => '{"reason": "too_much_to_price"}');
end
$$;

grant execute on function
  private.max_priced_lots(timestamptz, timestamptz, boolean), private.reject_pricing(timestamptz, timestamptz, boolean)
to anon, authenticated;

-- The error of a filter of api.nearby_parking_lots; null when it is valid.
create or replace function private.nearby_filter_fault(p_key text, p_value jsonb) returns text
language sql stable
return case
  when p_key = 'max_height_m' then
    case when jsonb_typeof(p_value) = 'number' and p_value > '0' and p_value <= '100' then null
      else 'max_height_m must be a number above 0 and at most 100.' end
  when p_key = 'tags' then
    case when jsonb_typeof(p_value) <> 'array' then 'tags must be an array.'
      when jsonb_array_length(p_value) > 20 or jsonb_path_exists(p_value, 'strict $[*] ? (@.type() != "string")')
        then 'tags must be an array of at most 20 strings.' end
  when p_key in ('open_now', 'without_surprises') then
    case when jsonb_typeof(p_value) <> 'boolean' then format('%s must be true or false.', p_key) end
  when p_key = 'max_price' then
    case when jsonb_typeof(p_value) = 'number' and p_value >= '0' and p_value <= '100000' then null
      else 'max_price must be a number from 0 to 100000.' end
  when p_key in ('entry_at', 'exit_at') then
    case when not private.is_moment(p_value)
        then format('%s must be an RFC 3339 timestamp with an offset, for example 2026-09-01T09:30:00+09:00.', p_key)
      when (p_value #>> '{}')::timestamptz < '2000-01-01 00:00:00+00'
        or (p_value #>> '{}')::timestamptz >= '2100-01-01 00:00:00+00'
        then format('%s must be from 2000 to 2099.', p_key) end
  else format('There is no filter %s. Remove it.', p_key)
end;

-- The lots, given nearest first, that pass the filters open_now, max_price and without_surprises; with p_is_usable only those
-- that are not unusable for the stay. With max_price or without_surprises: amounts has their fees, priced is the number of
-- lots priced (the nearest, at most p_max_priced), is_cut: others were not priced.
create or replace function private.passing_lots(
  p_lot_ids uuid[], p_filters private.nearby_filters, p_is_usable boolean, p_vehicle private.vehicle, p_vehicle_type text,
  p_entry timestamptz, p_exit timestamptz, p_max_priced integer, out lot_ids uuid[], out amounts bigint[], out priced integer, out is_cut boolean
)
language plpgsql stable
set search_path = ''
as $$
declare
  v_surprising uuid[];
begin
  -- Cheap conditions come first, and the fee last, for the remaining lots.
  lot_ids := p_lot_ids;
  priced := 0;
  is_cut := false;
  if p_filters.max_price is not null then
    lot_ids := private.lots_within_amount(lot_ids, p_vehicle_type, p_entry, p_exit, p_filters.max_price);
  end if;
  if p_filters.open_now then
    lot_ids := array(select h.parking_lot_id from private.hours_at(lot_ids, now()) as h where h.is_open);
  end if;
  if p_is_usable then
    lot_ids := array(
      select unnest(lot_ids) except select unnest(private.unusable_lots(lot_ids, p_vehicle, p_entry, p_exit))
    );
  end if;
  if p_filters.max_price is null and p_filters.without_surprises is not true then
    return;
  end if;
  lot_ids := array(
    select l.id from unnest(p_lot_ids) with ordinality as l (id, place)
    join unnest(lot_ids) as left_over (id) on left_over.id = l.id
    order by l.place
  );
  is_cut := cardinality(lot_ids) > p_max_priced;
  lot_ids := lot_ids[:p_max_priced];
  priced := cardinality(lot_ids);
  select coalesce(array_agg(f.parking_lot_id), '{}'), coalesce(array_agg(f.amount), '{}') into lot_ids, amounts
  from private.stay_fees(lot_ids, p_vehicle_type, p_entry, p_exit) as f
  where f.amount <= coalesce(p_filters.max_price, f.amount);
  if p_filters.without_surprises then
    v_surprising := private.surprising_lots(lot_ids, amounts, p_vehicle_type, p_entry, p_exit);
    select coalesce(array_agg(p.id), '{}'), coalesce(array_agg(p.amount), '{}') into lot_ids, amounts
    from unnest(lot_ids, amounts) as p (id, amount)
    where p.id <> all (v_surprising);
  end if;
end
$$;

-- The nearest lots that pass all filters, at most p_limit, nearest first, with their distances and, with max_price or
-- without_surprises, their fees. p_is_usable: only lots that are not unusable for the stay. At most 3,000 lots are checked. is_truncated: others within the radius pass or were not checked. Errors:
-- validation_error (too_much_to_price).
create or replace function private.nearby_candidates(
  p_lat double precision, p_lng double precision, p_radius_m integer, p_limit integer,
  p_filters private.nearby_filters, p_is_usable boolean, p_vehicle private.vehicle, p_vehicle_type text,
  p_entry timestamptz, p_exit timestamptz, out lot_ids uuid[], out distances double precision[], out amounts bigint[], out is_truncated boolean
)
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  -- The lots that are checked, if the filters need more than the index has: 0.3 s on two slow cores.
  c_max constant integer := 3000;
  v_near record;
  v_passing record;
  c_with_surprises constant boolean := coalesce(p_filters.without_surprises, false);
  v_left integer := private.max_priced_lots(p_entry, p_exit, c_with_surprises);
  v_seen integer := 0;
  v_upto integer := p_limit + 1;
begin
  lot_ids := '{}';
  distances := '{}';
  loop
    -- One lot more than the limit, to know whether there is one.
    v_near := case when p_filters.max_height_m is null and p_filters.tags = '{}'
      then private.nearest_lots(p_lat, p_lng, p_radius_m, v_upto)
      else private.nearest_passing_lots(p_lat, p_lng, p_radius_m, v_upto, p_filters.max_height_m, p_filters.tags) end;
    if p_filters.max_price is null and p_filters.open_now is not true and not p_is_usable and not c_with_surprises then
      lot_ids := v_near.lot_ids[:p_limit];
      distances := v_near.distances[:p_limit];
      is_truncated := cardinality(v_near.lot_ids) > p_limit;
      return;
    end if;
    v_passing := private.passing_lots(
      v_near.lot_ids[v_seen + 1:], p_filters, p_is_usable, p_vehicle, p_vehicle_type, p_entry, p_exit, v_left
    );
    select lot_ids || array_agg(b.id order by b.place), distances || array_agg(b.distance_m order by b.place),
      amounts || array_agg(p.amount order by b.place)
    into lot_ids, distances, amounts
    from unnest(v_near.lot_ids[v_seen + 1:], v_near.distances[v_seen + 1:]) with ordinality as b (id, distance_m, place)
    join unnest(v_passing.lot_ids, v_passing.amounts) as p (id, amount) on p.id = b.id;
    v_seen := cardinality(v_near.lot_ids);
    v_left := v_left - v_passing.priced;
    exit when cardinality(lot_ids) > p_limit or v_passing.is_cut or v_seen < v_upto or v_seen = c_max;
    -- The expected number for the share that has passed so far, and at least as many again; all when few have passed. Each
    -- round searches from the beginning, so there are at most four.
    v_upto := case when cardinality(lot_ids) * 10 < v_seen then c_max else least(c_max, v_seen + greatest(
      v_seen, ceil(1.2 * (p_limit + 1 - cardinality(lot_ids)) / (cardinality(lot_ids)::numeric / v_seen))
    )::integer) end;
  end loop;
  if v_passing.is_cut and cardinality(lot_ids) < p_limit then
    perform private.reject_pricing(p_entry, p_exit, c_with_surprises);
  end if;
  is_truncated := v_near.is_cut or v_passing.is_cut or cardinality(lot_ids) > p_limit;
  lot_ids := lot_ids[:p_limit];
  distances := distances[:p_limit];
  amounts := case when p_filters.max_price is not null or c_with_surprises then amounts[:p_limit] end;
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
  v_amounts bigint[];
  v_surprising uuid[];
begin
  select coalesce(array_agg(f.parking_lot_id), '{}'), coalesce(array_agg(f.amount), '{}') into v_lot_ids, v_amounts
  from private.stay_fees(p_lot_ids, p_vehicle_type, p_entry, p_exit) as f
  where f.amount is not null;
  v_surprising := private.surprising_lots(v_lot_ids, v_amounts, p_vehicle_type, p_entry, p_exit);
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

create function api.search_parking_lots(
  p_query jsonb default '{}',
  p_bbox double precision[] default null,
  p_ids uuid[] default null,
  p_limit integer default 20,
  p_cursor text default null,
  p_include text[] default '{}',
  p_zoom integer default null,
  p_updated_since timestamptz default null,
  p_entry_at timestamptz default null,
  p_exit_at timestamptz default null,
  p_vehicle_type text default 'standard',
  p_usable text default null,
  p_without_surprises boolean default false
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_page jsonb;
  v_has_stay boolean;
begin
  perform private.optional_user();
  v_has_stay := private.check_search_stay(p_entry_at, p_exit_at, p_vehicle_type);
  -- A page of the interface has at most 100 lots; an export reads larger pages.
  if p_limit is null or p_limit not between 1 and 1000 then
    perform private.raise_error('validation_error', 422, 'limit must be between 1 and 1000.', p_param => 'limit');
  elsif v_has_stay and p_limit > 100 then
    perform private.raise_error('validation_error', 422, 'limit must be between 1 and 100 when entry_at and exit_at are sent.', p_param => 'limit');
  elsif v_has_stay and (p_zoom is not null or p_updated_since is not null) then
    perform private.raise_error('validation_error', 422, 'entry_at cannot be combined with zoom or updated_since.', p_param => 'entry_at');
  elsif p_usable is not null and not v_has_stay then
    perform private.raise_error('validation_error', 422, 'usable requires entry_at and exit_at.', p_param => 'usable');
  elsif p_without_surprises and not v_has_stay then
    perform private.raise_error('validation_error', 422, 'without_surprises requires entry_at and exit_at.',
      p_param => 'without_surprises');
  end if;
  perform private.check_usable(p_usable);
  if p_limit > 100 or 'total' = any (p_include) or p_exit_at - p_entry_at > interval '24 hours' or p_without_surprises
    or p_zoom is not null and p_query <> '{}' then
    perform private.require_counted_read();
  end if;
  perform private.check_search(p_query, p_bbox, p_ids);
  perform private.read_vehicle(p_query -> 'vehicle');
  if p_updated_since is not null then
    if p_query <> '{}' or p_bbox is not null or p_ids is not null or p_zoom is not null or p_include <> '{}' then
      perform private.raise_error('validation_error', 422, 'updated_since can be combined with limit and cursor only.',
        p_param => 'updated_since');
    end if;
    return private.changes_page(p_updated_since, p_limit, p_cursor);
  elsif p_zoom is not null then
    return private.map_page(p_query, p_bbox, p_ids, p_zoom, p_cursor, p_include);
  end if;
  v_page := private.search_page(
    p_query, p_bbox, p_ids, p_limit, p_cursor, p_include, p_usable, coalesce(p_without_surprises, false), p_vehicle_type,
    p_entry_at, p_exit_at
  );
  if v_has_stay then
    v_page := jsonb_set(v_page, '{items}', private.items_with_stay(v_page -> 'items', p_vehicle_type, p_entry_at, p_exit_at));
  end if;
  return v_page;
end
$$;

comment on function api.search_parking_lots(jsonb, double precision[], uuid[], integer, text, text[], integer, timestamptz, timestamptz, timestamptz, text, text, boolean) is
  'Public lots that meet p_query (SearchQueryV1), p_bbox (west, south, east, north) and p_ids, a page of p_limit (1..1000): {items, next_cursor}. p_include total: total (counted up to 10,000) and total_is_exact. p_zoom: {items: [], clusters} of p_bbox, and total. p_updated_since: lots changed since, and tombstones. p_entry_at and p_exit_at (at most 31 days, p_limit at most 100): the fee for p_vehicle_type and the hours of the stay at each lot of the page. p_usable first: lots that are unusable for the stay come last; only: they are left out. p_without_surprises: only lots whose fee for the stay is known and has no surprises. A page of either may have fewer lots, or none: the list ends without a next_cursor. Reads only. Errors: validation_error, forbidden.';

grant execute on function
  api.search_parking_lots(
    jsonb, double precision[], uuid[], integer, text, text[], integer, timestamptz, timestamptz, timestamptz, text,
    text, boolean
  )
to anon, authenticated;

create or replace function api.nearby_parking_lots(
  p_lat double precision,
  p_lng double precision,
  p_radius_m integer default 500,
  p_limit integer default 50,
  p_filters jsonb default '{}',
  p_sort text default 'distance',
  p_vehicle jsonb default null,
  p_vehicle_type text default 'standard',
  p_usable text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters private.nearby_filters;
  v_vehicle private.vehicle;
  v_entry timestamptz := now();
  v_exit timestamptz := now() + interval '60 minutes';
  v_candidates record;
begin
  perform private.optional_user();
  perform private.check_nearby(p_lat, p_lng, p_radius_m, p_limit, p_sort);
  perform private.check_vehicle_type(p_vehicle_type);
  perform private.check_usable(p_usable);
  v_filters := private.read_nearby_filters(p_filters);
  v_vehicle := private.read_vehicle(p_vehicle);
  if v_filters.entry_at is not null then
    v_entry := v_filters.entry_at;
    v_exit := v_filters.exit_at;
  end if;
  -- The filters are checked lot by lot, for up to 3,000 lots of a large radius.
  if v_exit - v_entry > interval '24 hours' or p_radius_m > 2000 and (
    v_filters.max_price is not null or v_filters.without_surprises or v_filters.open_now or p_usable = 'only' or v_filters.max_height_m is not null or v_filters.tags <> '{}'
  ) then
    perform private.require_counted_read();
  end if;
  v_candidates := private.nearby_candidates(
    p_lat, p_lng, p_radius_m, p_limit, v_filters, p_usable is not distinct from 'only', v_vehicle, p_vehicle_type, v_entry,
    v_exit
  );
  return json_build_object('is_truncated', v_candidates.is_truncated, 'items', private.nearby_items(
    v_candidates.lot_ids, v_candidates.distances, v_candidates.amounts, p_radius_m, p_vehicle_type, v_entry, v_exit,
    v_filters.entry_at is not null, p_sort, v_vehicle, p_usable
  ));
end
$$;

comment on function api.nearby_parking_lots(double precision, double precision, integer, integer, jsonb, text, jsonb, text, text) is
  'The active lots nearest to a point that pass p_filters, within p_radius_m (1..50000), at most p_limit (1..100): {items, is_truncated}. Items are in the order of p_sort (distance, price, recommended) and compared for one stay with p_vehicle_type: from entry_at to exit_at of the filters, or 60 minutes from now. is_truncated: other lots within the radius pass, or were not checked; of the lots with the tags and the height the nearest 3,000 are checked. max_height_m: lots known to accept this height. tags: lots that have all of these. open_now true: lots known to be open. max_price: lots whose fee is known and not higher. without_surprises true: lots whose fee is known and has no surprises. entry_at with exit_at: at most 31 days. A max_price or without_surprises that would price too many lots is rejected with details.reason too_much_to_price. distance_m: great circle on the mean radius 6371008.8 m (IUGG), to the centimetre. main_image: a storage key or null. p_vehicle: the measures of a vehicle. p_usable first: lots that are unusable for the stay come last; only: the nearest 3,000 lots are checked and unusable ones left out. Reads only. Errors: validation_error, forbidden.';
