-- A nearby request is counted by the lots that it checks, not by its radius: beyond 300 of them.
--
-- The definitions are those of supabase/schemas after this change. The way back: the functions as they were.

set lock_timeout = '2s';

-- The nearest lots that pass all filters, at most p_limit, nearest first, with their distances and, with max_price or
-- without_surprises, their fees. p_is_usable: only lots that are not unusable for the stay. At most 3,000 lots are checked,
-- and beyond 300 the request is counted. is_truncated: others within the radius pass or were not checked. Errors:
-- validation_error (too_much_to_price), forbidden.
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
  -- The lots that a request checks before it is counted.
  c_free constant integer := 300;
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
    if v_seen >= c_free then
      perform private.require_counted_read();
    end if;
    -- The expected number for the share that has passed so far, and at least as many again; all when few have passed. Each
    -- round searches from the beginning, so there are at most five.
    v_upto := case when cardinality(lot_ids) * 10 < v_seen then c_max else least(c_max, v_seen + greatest(
      v_seen, ceil(1.2 * (p_limit + 1 - cardinality(lot_ids)) / (cardinality(lot_ids)::numeric / v_seen))
    )::integer) end;
    if v_seen < c_free then
      v_upto := least(v_upto, c_free);
    end if;
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
  if v_exit - v_entry > interval '24 hours' then
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
