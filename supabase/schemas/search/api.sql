-- The interface of search: entries, conditions, pages, nearby, map and changes.
--
-- Clients and the service call these functions. The rules are in by_distance.sql, cells.sql, changes.sql, conditions.sql,
-- entries.sql, map.sql, mercator.sql, nearby.sql, pages.sql, renames.sql, stay_costs.sql and usability.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Pages
-- ---------------------------------------------------------------------------------------------------------------------

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

-- ---------------------------------------------------------------------------------------------------------------------
-- Nearby
-- ---------------------------------------------------------------------------------------------------------------------

create function api.nearby_parking_lots(
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
  if v_exit - v_entry > interval '24 hours' then
    perform private.require_counted_read();
  end if;
  v_candidates := private.nearby_candidates(
    p_lat, p_lng, p_radius_m, p_limit, v_filters, p_usable is not distinct from 'only', v_vehicle, p_vehicle_type, v_entry,
    v_exit
  );
  return json_build_object('is_truncated', v_candidates.is_truncated, 'items', private.nearby_items(
    v_candidates.lot_ids, v_candidates.distances, v_candidates.bills, p_radius_m, p_vehicle_type, v_entry, v_exit,
    v_filters.entry_at is not null, p_sort, v_vehicle, p_usable
  ));
end
$$;

comment on function api.nearby_parking_lots(double precision, double precision, integer, integer, jsonb, text, jsonb, text, text) is
  'The active lots nearest to a point that pass p_filters, within p_radius_m (1..50000), at most p_limit (1..100): {items, is_truncated}. Items are in the order of p_sort (distance, price, recommended) and compared for one stay with p_vehicle_type: from entry_at to exit_at of the filters, or 60 minutes from now. is_truncated: other lots within the radius pass, or were not checked; of the lots with the tags and the height the nearest 3,000 are checked. max_height_m: lots known to accept this height. tags: lots that have all of these. open_now true: lots known to be open. max_price: lots whose fee is known and not higher. without_surprises true: lots whose fee is known and has no surprises. entry_at with exit_at: at most 31 days. A max_price or without_surprises that would price too many lots is rejected with details.reason too_much_to_price. distance_m: great circle on the mean radius 6371008.8 m (IUGG), to the centimetre. main_image: a storage key or null. p_vehicle: the measures of a vehicle. p_usable first: lots that are unusable for the stay come last; only: the nearest 3,000 lots are checked and unusable ones left out. Reads only. Errors: validation_error, forbidden.';

grant execute on function
  api.nearby_parking_lots(double precision, double precision, integer, integer, jsonb, text, jsonb, text, text)
to anon, authenticated;
