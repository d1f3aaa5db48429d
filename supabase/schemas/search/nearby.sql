-- Nearby: the lots around a point, compared by price, distance and rating for one stay.
--
-- private.nearest_lots (search/by_distance.sql) returns lots in order of distance, and private.nearest_passing_lots those
-- with a height and tags. Whether a lot is open, whether it can be used for a stay and the fee of the stay must be
-- calculated. private.nearby_candidates does so batch by batch, nearest first, until enough lots have passed, the radius is exhausted or the bound on the work is
-- reached: 3,000 lots checked, private.max_priced_lots priced. Ranking, price component and order are over the candidates
-- only.
--
-- The stay is from entry_at to exit_at, or by default 60 minutes from now. Its fee equals that of calc-fee: both use the
-- same evaluator. An unknown fee is null, with the reason; it never counts as cheap. Where only totals are published, the
-- fee counts as what it is at most: for max_price, the order and the price component.
--
-- Invariants: the candidates are the nearest lots that pass; is_truncated is true when one may be missing. Shown numbers
-- are consistent: ranking_score is calculated from ranking_components, these from distance_m, estimated_fee and
-- avg_rating; effective_cost is estimated_fee + walk_minutes * walk_yen_per_minute.
-- Interface: api.nearby_parking_lots.

-- ---------------------------------------------------------------------------------------------------------------------
-- Reading the request
-- ---------------------------------------------------------------------------------------------------------------------

-- The error of a filter of api.nearby_parking_lots; null when it is valid.
create function private.nearby_filter_error(p_key text, p_value jsonb) returns text
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

-- Reads the filters of api.nearby_parking_lots. Errors: validation_error, with the param filters or filters.<key>.
create function private.read_nearby_filters(p_filters jsonb) returns private.nearby_filters
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters private.nearby_filters;
  v_key text;
  v_error text;
begin
  if jsonb_typeof(p_filters) is distinct from 'object' then
    perform private.raise_error('validation_error', 422, 'filters must be an object.', p_param => 'filters');
  end if;
  for v_key, v_error in
    select f.key, private.nearby_filter_error(f.key, f.value) from jsonb_each(p_filters) as f
  loop
    if v_error is not null then
      perform private.raise_error('validation_error', 422, v_error, p_param => 'filters.' || v_key);
    end if;
  end loop;
  v_filters := jsonb_populate_record(null::private.nearby_filters, p_filters);
  v_filters.tags := coalesce(v_filters.tags, '{}');
  v_error := case
    when v_filters.exit_at is null and v_filters.entry_at is not null then 'entry_at requires exit_at.'
    when v_filters.exit_at < v_filters.entry_at then 'The exit must not be before the entry.'
  end;
  if v_error is not null then
    perform private.raise_error('validation_error', 422, v_error, p_param => 'filters.exit_at');
  elsif v_filters.entry_at is null and v_filters.exit_at is not null then
    perform private.raise_error('validation_error', 422, 'exit_at requires entry_at.', p_param => 'filters.entry_at');
  end if;
  perform private.check_compared_stay(v_filters.entry_at, v_filters.exit_at, 'filters.exit_at');
  return v_filters;
end
$$;

-- Checks the other arguments of api.nearby_parking_lots. Errors: validation_error.
create function private.check_nearby(
  p_lat double precision, p_lng double precision, p_radius_m integer, p_limit integer, p_sort text
) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_lat is null or p_lat not between -90 and 90 then
    perform private.raise_error('validation_error', 422, 'lat must be between -90 and 90.', p_param => 'lat');
  elsif p_lng is null or p_lng not between -180 and 180 then
    perform private.raise_error('validation_error', 422, 'lng must be between -180 and 180.', p_param => 'lng');
  elsif p_radius_m is null or p_radius_m not between 1 and 50000 then
    perform private.raise_error('validation_error', 422, 'radius_m must be between 1 and 50000.', p_param => 'radius_m');
  elsif p_limit is null or p_limit not between 1 and 100 then
    perform private.raise_error('validation_error', 422, 'limit must be between 1 and 100.', p_param => 'limit');
  elsif p_sort is null or p_sort not in ('distance', 'price', 'recommended') then
    perform private.raise_error('validation_error', 422, 'sort must be distance, price or recommended.', p_param => 'sort');
  end if;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Candidates
-- ---------------------------------------------------------------------------------------------------------------------

-- The lots, given nearest first, that pass the filters open_now, max_price and without_surprises; with p_is_usable only
-- those that are not unusable for the stay. With max_price or without_surprises: bills has their fees (null: at most
-- max_price), priced is the number of lots priced (the nearest, at most p_max_priced), is_cut: others were not priced.
create function private.passing_lots(
  p_lot_ids uuid[], p_filters private.nearby_filters, p_is_usable boolean, p_vehicle private.vehicle, p_vehicle_type text,
  p_entry timestamptz, p_exit timestamptz, p_max_priced integer, out lot_ids uuid[], out bills private.stay_bill[], out priced integer, out is_cut boolean
)
language plpgsql stable
set search_path = ''
as $$
declare
  v_bills private.stay_bill[];
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
  select coalesce(array_agg(f.parking_lot_id), '{}'), coalesce(array_agg(f.bill), '{}') into lot_ids, v_bills
  from private.stay_fees(lot_ids, p_vehicle_type, p_entry, p_exit) as f
  where coalesce(f.amount, case when p_filters.without_surprises is not true then f.at_most end) <= coalesce(p_filters.max_price, f.amount);
  if p_filters.without_surprises then
    v_surprising := private.surprising_lots(v_bills, p_vehicle_type, p_entry, p_exit);
    select coalesce(array_agg(b.parking_lot_id), '{}'), coalesce(array_agg(b), '{}') into lot_ids, v_bills
    from unnest(v_bills) as b
    where b.parking_lot_id <> all (v_surprising);
  end if;
  bills := v_bills;
end
$$;

-- The nearest lots that pass all filters, at most p_limit, nearest first, with their distances and, with max_price or
-- without_surprises, their fees. p_is_usable: only lots that are not unusable for the stay. At most 3,000 lots are checked,
-- and beyond 300 the request is counted. is_truncated: others within the radius pass or were not checked. Errors:
-- validation_error (too_much_to_price), forbidden.
create function private.nearby_candidates(
  p_lat double precision, p_lng double precision, p_radius_m integer, p_limit integer,
  p_filters private.nearby_filters, p_is_usable boolean, p_vehicle private.vehicle, p_vehicle_type text,
  p_entry timestamptz, p_exit timestamptz, out lot_ids uuid[], out distances double precision[], out bills private.stay_bill[], out is_truncated boolean
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
  v_bills private.stay_bill[];
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
      v_bills || array_agg(f order by b.place)
    into lot_ids, distances, v_bills
    from unnest(v_near.lot_ids[v_seen + 1:], v_near.distances[v_seen + 1:]) with ordinality as b (id, distance_m, place)
    join unnest(v_passing.lot_ids) as p (id) on p.id = b.id
    left join unnest(v_passing.bills) as f on f.parking_lot_id = b.id;
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
  bills := case when p_filters.max_price is not null or c_with_surprises then v_bills[:p_limit] end;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Comparison
-- ---------------------------------------------------------------------------------------------------------------------

-- Lots that are given nearest first, with fee and ranking. p_bills: their fees, as far as they are known already. Components
-- are 0 to 100; the score is 0.4 price + 0.4 distance + 0.2 rating; in a tie the nearer lot comes first.
-- Without a search_path (every name has its schema), so that Postgres inlines the query into that of private.nearby_items:
-- one plan, and one look-up per lot.
create function private.nearby_ranking(
  p_lot_ids uuid[], p_distances double precision[], p_bills private.stay_bill[], p_radius_m integer, p_vehicle_type text,
  p_entry timestamptz, p_exit timestamptz
) returns table (
  parking_lot_id uuid, place bigint, distance_m numeric, estimated_fee bigint, currency text, fee_refusal json,
  bill private.stay_bill, most_due bigint,
  price numeric, distance numeric, rating numeric, score numeric, rank bigint, name text, address text,
  lat double precision, lng double precision, avg_rating numeric, review_count integer, main_image_key text,
  tag_slugs text[], limits private.vehicle, max_parking_duration_min integer, time_zone text
)
language sql stable rows 50
as $$
  with fees as (
    select f.parking_lot_id, f.amount, f.at_least, f.at_most, f.refusal, f.bill
    from private.stay_fees(
      case when p_bills is null then p_lot_ids
        else array(select n.parking_lot_id from unnest(p_bills) as n where n.amount is null) end,
      p_vehicle_type, p_entry, p_exit
    ) as f
    union all
    select k.parking_lot_id, k.amount, null, null, null, k from unnest(p_bills) as k where k.amount is not null
  ), priced as (
    select l.id, c.place, round(c.distance_m::numeric, 2) as distance_m, f.amount, l.currency, f.refusal, f.bill, f.at_least,
      f.at_most, coalesce(f.amount, f.at_most) as due, l.name, l.address,
      l.lat, l.lng, l.avg_rating, l.review_count, l.main_image_key, l.tag_slugs, row(
        l.max_height_m, l.max_width_m, l.max_length_m, l.max_weight_t, l.min_clearance_cm, l.max_tire_width_mm
      )::private.vehicle as limits, l.max_parking_duration_min, l.time_zone,
      min(coalesce(f.amount, f.at_most)) over () as least, max(coalesce(f.amount, f.at_most)) over () as most
    from unnest(p_lot_ids, p_distances) with ordinality as c (id, distance_m, place)
    join public.parking_lots l on l.id = c.id
    left join fees f on f.parking_lot_id = c.id
  ),
  -- Rounded as they are shown, so that the score can be calculated from shown values.
  compared as materialized (
    select p.*,
      trim_scale(round(
        case when p.due is null then 0 when p.most = p.least then 100
          else 100::numeric * (p.most - p.due) / (p.most - p.least) end, 6
      )) as price,
      trim_scale(round(100 * (1 - p.distance_m / p_radius_m), 6)) as distance,
      trim_scale(round(case when p.review_count > 0 then 25 * (p.avg_rating - 1) else 50 end, 6)) as rating
    from priced p
  )
  select s.id, s.place, s.distance_m, s.amount, s.currency, private.stay_fee_refusal(s.refusal, s.at_least, s.at_most, s.currency),
    s.bill, s.due, s.price, s.distance, s.rating, s.score,
    row_number() over (order by s.score desc, s.place), s.name, s.address, s.lat, s.lng, s.avg_rating, s.review_count,
    s.main_image_key, s.tag_slugs, s.limits, s.max_parking_duration_min, s.time_zone
  from (select c.*, round(0.4 * c.price + 0.4 * c.distance + 0.2 * c.rating, 2) as score from compared c) as s;
$$;

-- The candidates as api.nearby_parking_lots shows them, in the order of p_sort; with planned_stay and surprises if
-- p_is_planned. p_usable first: unusable lots come last. Whether a lot is usable is shown with p_is_planned or p_usable.
create function private.nearby_items(
  p_lot_ids uuid[], p_distances double precision[], p_bills private.stay_bill[], p_radius_m integer, p_vehicle_type text,
  p_entry timestamptz, p_exit timestamptz, p_is_planned boolean, p_sort text, p_vehicle private.vehicle,
  p_usable text
) returns json
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  c_yen constant integer := private.yen_per_walk_minute();
begin
  -- An array of rows is converted to JSON at once, which an aggregate of JSON objects is not. Text, because nothing here reads it.
  return (
    with stays as materialized (
      select p.* from private.planned_stays(p_lot_ids, p_entry, p_exit) as p where p_is_planned or p_usable is not null
    ), ranked as materialized (
      select k.* from private.nearby_ranking(p_lot_ids, p_distances, p_bills, p_radius_m, p_vehicle_type, p_entry, p_exit) as k
    )
    select coalesce(to_json(array_agg(item)), '[]')
    from (
      select r.parking_lot_id as id, r.name, r.address, r.lat, r.lng, r.time_zone, r.distance_m, r.avg_rating,
        r.review_count,
        r.main_image_key as main_image, r.tag_slugs as tags, r.score as ranking_score, r.rank as ranking_rank,
        r.rank <= 3 as is_top3,
        json_build_object('price', r.price, 'distance', r.distance, 'rating', r.rating) as ranking_components,
        r.estimated_fee, r.currency, r.fee_refusal,
        private.walk_minutes(r.distance_m) as walk_minutes,
        case when r.currency = 'JPY' then r.estimated_fee + private.walk_minutes(r.distance_m) * c_yen end as effective_cost,
        c_yen as walk_yen_per_minute,
        case when p_is_planned then json_build_object(
          'entry_at', s.entry_at, 'exit_at', s.exit_at, 'is_open_at_entry', s.is_open_at_entry,
          'can_enter_at', s.can_enter_at, 'can_exit_at', s.can_exit_at, 'locked_in', s.locked_in,
          'next_exit_at', s.next_exit_at, 'holiday_calendar_unknown', h.parking_lot_id is not null
        ) end as planned_stay,
        n.surprises,
        f.fit,
        m.is_saved, m.my_rating,
        case when o.parking_lot_id is not null then json_build_object(
          'state', o.state, 'free_spaces', o.free_spaces, 'trust', o.trust, 'observed_at', o.observed_at,
          'age_seconds', o.age_seconds, 'source', o.source
        ) end as availability,
        case when s.parking_lot_id is not null then u.usable_for_stay end as usable_for_stay,
        case when s.parking_lot_id is not null then u.unusable_reasons else '{}' end as unusable_reasons
      from ranked as r
      left join private.my_ratings_and_saves(p_lot_ids) as m on m.parking_lot_id = r.parking_lot_id
      left join private.occupancy_of(p_lot_ids) as o on o.parking_lot_id = r.parking_lot_id
      left join stays as s on s.parking_lot_id = r.parking_lot_id
      left join private.lots_without_holidays(
        case when p_is_planned then p_lot_ids end, p_vehicle_type, p_entry, p_exit
      ) as h on h.parking_lot_id = r.parking_lot_id
      left join private.stay_surprises(
        array(select x.bill from ranked x where p_is_planned order by x.place), p_vehicle_type, p_entry, p_exit,
        array(select x.parking_lot_id from stays x where x.locked_in), array(select x.next_exit_at from stays x where x.locked_in)
      ) as n on n.parking_lot_id = r.parking_lot_id
      cross join lateral (
        select case when not p_vehicle is null then private.vehicle_fit(p_vehicle, r.limits) end as fit
        offset 0 -- keeps the fit from being evaluated twice
      ) as f
      cross join lateral private.usability(
        s.can_enter_at, s.can_exit_at, f.fit, o.state, r.max_parking_duration_min, p_entry, p_exit
      ) as u
      order by case p_usable when 'first' then u.unusable_reasons <> '{}' end,
        case p_sort when 'price' then r.most_due when 'recommended' then r.rank end nulls last, r.place
    ) as item
  );
end
$$;

grant execute on function
  private.nearby_filter_error(text, jsonb),
  private.read_nearby_filters(jsonb),
  private.check_nearby(double precision, double precision, integer, integer, text),
  private.passing_lots(
    uuid[], private.nearby_filters, boolean, private.vehicle, text, timestamptz, timestamptz, integer
  ),
  private.nearby_candidates(
    double precision, double precision, integer, integer, private.nearby_filters, boolean, private.vehicle, text,
    timestamptz, timestamptz
  ),
  private.nearby_ranking(uuid[], double precision[], private.stay_bill[], integer, text, timestamptz, timestamptz),
  private.nearby_items(
    uuid[], double precision[], private.stay_bill[], integer, text, timestamptz, timestamptz, boolean, text, private.vehicle, text
  )
to anon, authenticated;
