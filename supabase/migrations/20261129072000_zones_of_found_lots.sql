-- Time zones of found lots: the items of nearby and search, and the lots that clusters show, have time_zone.
--
-- The definitions are those of supabase/schemas after this change. The way back: the functions as they were; clients that
-- read the zone from an item read it from the lot.

set lock_timeout = '2s';

drop function private.nearby_ranking(uuid[], double precision[], bigint[], integer, text, timestamptz, timestamptz);

-- Lots that are given nearest first, with fee and ranking. p_amounts: their fees, as far as they are known already. Components
-- are 0 to 100; the score is 0.4 price + 0.4 distance + 0.2 rating; in a tie the nearer lot comes first.
-- Without a search_path (every name has its schema), so that Postgres inlines the query into that of private.nearby_items:
-- one plan, and one look-up per lot.
create function private.nearby_ranking(
  p_lot_ids uuid[], p_distances double precision[], p_amounts bigint[], p_radius_m integer, p_vehicle_type text,
  p_entry timestamptz, p_exit timestamptz
) returns table (
  parking_lot_id uuid, place bigint, distance_m numeric, estimated_fee bigint, currency text, fee_refusal json, most_due bigint,
  price numeric, distance numeric, rating numeric, score numeric, rank bigint, name text, address text,
  lat double precision, lng double precision, avg_rating numeric, review_count integer, main_image_key text,
  tag_slugs text[], limits private.vehicle, max_parking_duration_min integer, time_zone text
)
language sql stable rows 50
as $$
  with fees as (
    select f.parking_lot_id, f.amount, f.at_least, f.at_most, f.refusal
    from private.stay_fees(
      case when p_amounts is null then p_lot_ids
        else array(select n.id from unnest(p_lot_ids, p_amounts) as n (id, amount) where n.amount is null) end,
      p_vehicle_type, p_entry, p_exit
    ) as f
    union all
    select k.id, k.amount, null, null, null from unnest(p_lot_ids, p_amounts) as k (id, amount) where k.amount is not null
  ), priced as (
    select l.id, c.place, round(c.distance_m::numeric, 2) as distance_m, f.amount, l.currency, f.refusal, f.at_least,
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
    s.due, s.price, s.distance, s.rating, s.score,
    row_number() over (order by s.score desc, s.place), s.name, s.address, s.lat, s.lng, s.avg_rating, s.review_count,
    s.main_image_key, s.tag_slugs, s.limits, s.max_parking_duration_min, s.time_zone
  from (select c.*, round(0.4 * c.price + 0.4 * c.distance + 0.2 * c.rating, 2) as score from compared c) as s;
$$;

grant execute on function
  private.nearby_ranking(uuid[], double precision[], bigint[], integer, text, timestamptz, timestamptz)
to anon, authenticated;

-- The candidates as api.nearby_parking_lots shows them, in the order of p_sort; with planned_stay and surprises if
-- p_is_planned. p_usable first: unusable lots come last. Whether a lot is usable is shown with p_is_planned or p_usable.
create or replace function private.nearby_items(
  p_lot_ids uuid[], p_distances double precision[], p_amounts bigint[], p_radius_m integer, p_vehicle_type text,
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
      select k.* from private.nearby_ranking(p_lot_ids, p_distances, p_amounts, p_radius_m, p_vehicle_type, p_entry, p_exit) as k
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
        array(select x.parking_lot_id from ranked x where p_is_planned order by x.place),
        array(select x.estimated_fee from ranked x where p_is_planned order by x.place), p_vehicle_type, p_entry, p_exit,
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

-- Lots as search shows them, in this order. Without a center distance_m is null.
create or replace function private.search_items(p_lot_ids uuid[], p_center jsonb) returns jsonb
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

-- The cells of a zoom in a bbox as the interface shows them, the greatest lot count first. total, when p_include has it,
-- is the sum of their counts. Errors: validation_error.
create or replace function private.map_page(
  p_query jsonb, p_bbox double precision[], p_ids uuid[], p_zoom integer, p_cursor text, p_include text[]
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_found record;
  v_clusters jsonb;
  v_total bigint;
begin
  perform private.check_map(p_bbox, p_zoom, p_cursor);
  -- Before the join, which would not calculate clusters where there is no lot.
  v_found := private.clusters(p_query, p_bbox, p_ids, p_zoom + 3);
  select coalesce(jsonb_agg(jsonb_build_object(
      'count', c.lot_count, 'lat', round(c.lat::numeric, 6), 'lng', round(c.lng::numeric, 6),
      'price_min', c.price_min, 'price_max', c.price_max, 'currency', c.currency,
      'bbox', jsonb_build_array(
        private.cell_lng(c.cell_x, p_zoom + 3), private.cell_lat(c.cell_y, p_zoom + 3),
        private.cell_lng(c.cell_x + 1, p_zoom + 3), private.cell_lat(c.cell_y + 1, p_zoom + 3)
      ),
      'representative', jsonb_build_object('id', l.id, 'name', l.name, 'lat', l.lat, 'lng', l.lng,
        'time_zone', l.time_zone, 'hour_price', l.hour_price, 'avg_rating', l.avg_rating)
    ) order by c.lot_count desc, c.cell_x, c.cell_y), '[]'), coalesce(sum(c.lot_count), 0)
  into v_clusters, v_total
  from unnest(v_found.clusters) as c join public.parking_lots l on l.id = c.representative_id;
  return jsonb_build_object('items', '[]'::jsonb, 'next_cursor', null, 'clusters', v_clusters)
    || case when 'total' = any (p_include) then jsonb_build_object('total', v_total, 'total_is_exact', v_found.is_exact) else '{}' end;
end
$$;
