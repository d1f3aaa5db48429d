-- Usable lots: nearby and search put lots that are unusable for the stay last, or leave them out, and name the reasons.
-- Without the parameter usable the order is as before.
--
-- The definitions are those of supabase/schemas after this change. The way back is a file with the former definitions.

set lock_timeout = '2s';

insert into public.code_categories (id, description) values
  ('unusable_reason', 'Why a lot cannot be used for a stay: unusable_reasons');

insert into public.codes (category_id, code, lang, display_label, sort_order)
select 'unusable_reason', c.code, label.lang, label.display_label, c.sort_order
from (values
  ('closed_at_entry', 10, '入庫時刻は入れません', 'Closed at entry'),
  ('closed_at_exit', 20, '出庫時刻は出られません', 'No exit at that time'),
  ('vehicle_does_not_fit', 30, '車が入りません', 'Vehicle does not fit'),
  ('full', 40, '満車', 'Full'),
  ('stay_too_long', 50, '駐車時間の上限を超えます', 'Stay is too long')
) as c (code, sort_order, label_ja, label_en)
cross join lateral (values ('ja', c.label_ja), ('en', c.label_en)) as label (lang, display_label);

-- Whether each lot is open and may be entered at the entry, and may be left at the exit: true, false, or null where
-- unknown.
create function private.hours_at_ends(p_lot_ids uuid[], p_entry timestamptz, p_exit timestamptz)
returns table (parking_lot_id uuid, is_open boolean, can_enter boolean, can_exit boolean)
language plpgsql stable rows 50
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_nestloop = off
as $$
declare
  c_is_short constant boolean := p_exit <= p_entry + interval '72 hours';
begin
  return query
  -- The answers at both ends together, unless the dates between them would cost more.
  with ends as materialized (
    select m.* from private.hours_at_moments(p_lot_ids, case when c_is_short then array[p_entry, p_exit] else array[p_entry] end) m
    union all
    select m.* from private.hours_at_moments(case when c_is_short then '{}' else p_lot_ids end, array[p_exit]) m
  )
  select e.parking_lot_id, e.is_open, e.can_enter, x.can_exit
  from ends e
  join ends x on x.parking_lot_id = e.parking_lot_id and x.at = p_exit
  where e.at = p_entry;
end
$$;

grant execute on function private.hours_at_ends(uuid[], timestamptz, timestamptz) to anon, authenticated;

-- The answers of each lot for a stay from p_entry to p_exit. next_exit_at: when a car that is locked in can next leave,
-- within 14 days from p_exit.
create or replace function private.planned_stays(p_lot_ids uuid[], p_entry timestamptz, p_exit timestamptz)
returns table (
  parking_lot_id uuid, entry_at timestamptz, exit_at timestamptz, is_open_at_entry boolean, can_enter_at boolean,
  can_exit_at boolean, locked_in boolean, next_exit_at timestamptz
)
language plpgsql stable rows 50
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_nestloop = off
as $$
begin
  return query
  with ends as materialized (
    select h.* from private.hours_at_ends(p_lot_ids, p_entry, p_exit) h
  ),
  -- Nearly all cars can leave within a day, and a day is much cheaper to evaluate than a fortnight.
  soon as materialized (
    select n.*
    from private.next_exits(
      array(select e.parking_lot_id from ends e where not e.can_exit), p_exit, p_exit + interval '24 hours'
    ) n
  ),
  later as (
    select n.*
    from private.next_exits(
      array(
        select e.parking_lot_id from ends e where not e.can_exit
        except
        select s.parking_lot_id from soon s
      ),
      p_exit, p_exit + interval '336 hours'
    ) n
  )
  select e.parking_lot_id, p_entry, p_exit, e.is_open, e.can_enter, e.can_exit, not e.can_exit, n.starts_at
  from ends e
  left join (select * from soon union all select * from later) n on n.parking_lot_id = e.parking_lot_id;
end
$$;

-- Checks usable of a request, which may be null. Errors: validation_error.
create function private.check_usable(p_usable text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_usable not in ('first', 'only') then
    perform private.raise_error('validation_error', 422, 'usable must be first or only.', p_param => 'usable');
  end if;
end
$$;

-- Whether a lot can be used for the stay, and the reasons against it. p_fit: of private.vehicle_fit, null without a vehicle;
-- p_state: the current occupancy. Without a search_path (every name has its schema), so that Postgres inlines the query.
create function private.usability(
  p_can_enter boolean, p_can_exit boolean, p_fit jsonb, p_state text, p_longest_min integer, p_entry timestamptz,
  p_exit timestamptz
) returns table (usable_for_stay boolean, unusable_reasons text[])
language sql stable rows 1
as $$
  select case when r.reasons <> '{}' then false when p_can_enter and p_can_exit and r.fits then true end, r.reasons
  from (
    select f.fits, array_remove(array[
      case when not p_can_enter then 'closed_at_entry' end,
      case when not p_can_exit then 'closed_at_exit' end,
      case when not f.fits then 'vehicle_does_not_fit' end,
      case when p_state = 'full' and p_entry between now() - interval '1 hour' and now() + interval '1 hour' then 'full' end,
      case when p_exit - p_entry > p_longest_min * interval '1 minute' then 'stay_too_long' end
    ], null) as reasons
    from (select case when p_fit is null then true else (p_fit ->> 'fits')::boolean end as fits) as f
    offset 0 -- keeps the reasons from being evaluated twice
  ) as r
$$;

-- Those of these lots that are unusable for the stay. The caller has chosen lots that the user may see.
create function private.unusable_lots(
  p_lot_ids uuid[], p_vehicle private.vehicle, p_entry timestamptz, p_exit timestamptz
) returns uuid[]
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_nestloop = off
as $$
begin
  return array(
    select l.id
    from public.parking_lots l
    left join private.hours_at_ends(p_lot_ids, p_entry, p_exit) as h on h.parking_lot_id = l.id
    left join private.occupancy_of(p_lot_ids) as o on o.parking_lot_id = l.id
    cross join lateral (
      select case when not p_vehicle is null then private.vehicle_fit(p_vehicle, row(
        l.max_height_m, l.max_width_m, l.max_length_m, l.max_weight_t, l.min_clearance_cm, l.max_tire_width_mm
      )::private.vehicle) end as fit
      offset 0 -- keeps the fit from being evaluated twice
    ) as f
    cross join lateral private.usability(
      h.can_enter, h.can_exit, f.fit, o.state, l.max_parking_duration_min, p_entry, p_exit
    ) as u
    where l.id = any (p_lot_ids) and u.usable_for_stay is false
  );
end
$$;

grant execute on function
  private.check_usable(text),
  private.usability(boolean, boolean, jsonb, text, integer, timestamptz, timestamptz),
  private.unusable_lots(uuid[], private.vehicle, timestamptz, timestamptz)
to anon, authenticated;

drop function private.stay_costs(uuid[], numeric[], text, timestamptz, timestamptz);
drop function private.passing_lots(uuid[], private.nearby_filters, text, timestamptz, timestamptz, integer);
drop function private.nearby_candidates(
  double precision, double precision, integer, integer, private.nearby_filters, text, timestamptz, timestamptz
);
drop function private.nearby_ranking(uuid[], double precision[], bigint[], integer, text, timestamptz, timestamptz);
drop function private.nearby_items(
  uuid[], double precision[], bigint[], integer, text, timestamptz, timestamptz, boolean, text, private.vehicle
);
drop function private.search_page(jsonb, double precision[], uuid[], integer, text, text[]);
drop function api.search_parking_lots(
  jsonb, double precision[], uuid[], integer, text, text[], integer, timestamptz, timestamptz, timestamptz, text
);
drop function api.nearby_parking_lots(double precision, double precision, integer, integer, jsonb, text, jsonb, text);

-- The fee, the hours and the usability of a stay at each of these lots, and the walk from p_distances metres away (null:
-- unknown, and so is the walk). The caller has checked the stay and chosen lots that the user may see. A search with a
-- vehicle finds only lots that it fits, so that is no reason here.
create function private.stay_costs(
  p_lot_ids uuid[], p_distances numeric[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz
) returns table (
  parking_lot_id uuid, estimated_fee bigint, fee_refusal json, walk_minutes integer, effective_cost bigint,
  walk_yen_per_minute integer, planned_stay json, usable_for_stay boolean, unusable_reasons text[]
)
language plpgsql stable rows 50
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  c_yen constant integer := private.yen_per_walk_minute();
begin
  return query
  select f.parking_lot_id, f.amount,
    case when f.refusal is not null then json_build_object('code', 'fee_unknown', 'reason', f.refusal) end,
    private.walk_minutes(d.distance_m),
    case when f.currency = 'JPY' then f.amount + private.walk_minutes(d.distance_m) * c_yen end, c_yen,
    json_build_object(
      'entry_at', s.entry_at, 'exit_at', s.exit_at, 'is_open_at_entry', s.is_open_at_entry,
      'can_enter_at', s.can_enter_at, 'can_exit_at', s.can_exit_at, 'locked_in', s.locked_in,
      'next_exit_at', s.next_exit_at
    ),
    u.usable_for_stay, u.unusable_reasons
  from unnest(p_lot_ids, p_distances) as d (id, distance_m)
  join private.stay_fees(p_lot_ids, p_vehicle_type, p_entry, p_exit) as f on f.parking_lot_id = d.id
  join private.planned_stays(p_lot_ids, p_entry, p_exit) as s on s.parking_lot_id = d.id
  join public.parking_lots l on l.id = d.id
  left join private.occupancy_of(p_lot_ids) as o on o.parking_lot_id = d.id
  cross join lateral private.usability(
    s.can_enter_at, s.can_exit_at, null, o.state, l.max_parking_duration_min, p_entry, p_exit
  ) as u;
end
$$;

grant execute on function private.stay_costs(uuid[], numeric[], text, timestamptz, timestamptz) to anon, authenticated;

-- The lots, given nearest first, that are known to be open now and to cost no more for the stay than the filters allow, and
-- with p_is_usable are not unusable for it. With max_price: amounts has their fees, priced is the number of lots priced (the nearest, at most p_max_priced),
-- is_cut: others were not priced.
create function private.passing_lots(
  p_lot_ids uuid[], p_filters private.nearby_filters, p_is_usable boolean, p_vehicle private.vehicle, p_vehicle_type text,
  p_entry timestamptz, p_exit timestamptz, p_max_priced integer, out lot_ids uuid[], out amounts bigint[], out priced integer, out is_cut boolean
)
language plpgsql stable
set search_path = ''
as $$
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
  if p_filters.max_price is null then
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
  where f.amount <= p_filters.max_price;
end
$$;

-- The nearest lots that pass all filters, at most p_limit, nearest first, with their distances and, with max_price, their
-- fees. p_is_usable: only lots that are not unusable for the stay. At most 3,000 lots are checked. is_truncated: others within the radius pass or were not checked. Errors:
-- validation_error (too_much_to_price).
create function private.nearby_candidates(
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
  v_left integer := private.max_priced_lots(p_entry, p_exit);
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
    if p_filters.max_price is null and p_filters.open_now is not true and not p_is_usable then
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
    perform private.reject_pricing(p_entry, p_exit);
  end if;
  is_truncated := v_near.is_cut or v_passing.is_cut or cardinality(lot_ids) > p_limit;
  lot_ids := lot_ids[:p_limit];
  distances := distances[:p_limit];
  amounts := case when p_filters.max_price is not null then amounts[:p_limit] end;
end
$$;

-- Lots that are given nearest first, with fee and ranking. p_amounts: their fees, if they are known already. Components
-- are 0 to 100; the score is 0.4 price + 0.4 distance + 0.2 rating; in a tie the nearer lot comes first.
-- Without a search_path (every name has its schema), so that Postgres inlines the query into that of private.nearby_items:
-- one plan, and one look-up per lot.
create function private.nearby_ranking(
  p_lot_ids uuid[], p_distances double precision[], p_amounts bigint[], p_radius_m integer, p_vehicle_type text,
  p_entry timestamptz, p_exit timestamptz
) returns table (
  parking_lot_id uuid, place bigint, distance_m numeric, estimated_fee bigint, currency text, fee_refusal text,
  price numeric, distance numeric, rating numeric, score numeric, rank bigint, name text, address text,
  lat double precision, lng double precision, avg_rating numeric, review_count integer, main_image_key text,
  tag_slugs text[], limits private.vehicle, max_parking_duration_min integer
)
language sql stable rows 50
as $$
  with fees as (
    select f.parking_lot_id, f.amount, f.refusal
    from private.stay_fees(case when p_amounts is null then p_lot_ids else '{}' end, p_vehicle_type, p_entry, p_exit) as f
    union all
    select k.id, k.amount, null from unnest(p_lot_ids, p_amounts) as k (id, amount) where p_amounts is not null
  ), priced as (
    select l.id, c.place, round(c.distance_m::numeric, 2) as distance_m, f.amount, l.currency, f.refusal, l.name, l.address,
      l.lat, l.lng, l.avg_rating, l.review_count, l.main_image_key, l.tag_slugs, row(
        l.max_height_m, l.max_width_m, l.max_length_m, l.max_weight_t, l.min_clearance_cm, l.max_tire_width_mm
      )::private.vehicle as limits, l.max_parking_duration_min,
      min(f.amount) over () as least, max(f.amount) over () as most
    from unnest(p_lot_ids, p_distances) with ordinality as c (id, distance_m, place)
    join public.parking_lots l on l.id = c.id
    left join fees f on f.parking_lot_id = c.id
  ),
  -- Rounded as they are shown, so that the score can be calculated from shown values.
  compared as materialized (
    select p.*,
      trim_scale(round(
        case when p.amount is null then 0 when p.most = p.least then 100
          else 100::numeric * (p.most - p.amount) / (p.most - p.least) end, 6
      )) as price,
      trim_scale(round(100 * (1 - p.distance_m / p_radius_m), 6)) as distance,
      trim_scale(round(case when p.review_count > 0 then 25 * (p.avg_rating - 1) else 50 end, 6)) as rating
    from priced p
  )
  select s.id, s.place, s.distance_m, s.amount, s.currency, s.refusal, s.price, s.distance, s.rating, s.score,
    row_number() over (order by s.score desc, s.place), s.name, s.address, s.lat, s.lng, s.avg_rating, s.review_count,
    s.main_image_key, s.tag_slugs, s.limits, s.max_parking_duration_min
  from (select c.*, round(0.4 * c.price + 0.4 * c.distance + 0.2 * c.rating, 2) as score from compared c) as s;
$$;

-- The candidates as api.nearby_parking_lots shows them, in the order of p_sort; with planned_stay if p_is_planned. p_usable
-- first: unusable lots come last. Whether a lot is usable is shown with p_is_planned or p_usable.
create function private.nearby_items(
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
    select coalesce(to_json(array_agg(item)), '[]')
    from (
      select r.parking_lot_id as id, r.name, r.address, r.lat, r.lng, r.distance_m, r.avg_rating, r.review_count,
        r.main_image_key as main_image, r.tag_slugs as tags, r.score as ranking_score, r.rank as ranking_rank,
        r.rank <= 3 as is_top3,
        json_build_object('price', r.price, 'distance', r.distance, 'rating', r.rating) as ranking_components,
        r.estimated_fee, r.currency,
        case when r.fee_refusal is not null then json_build_object('code', 'fee_unknown', 'reason', r.fee_refusal) end
          as fee_refusal,
        private.walk_minutes(r.distance_m) as walk_minutes,
        case when r.currency = 'JPY' then r.estimated_fee + private.walk_minutes(r.distance_m) * c_yen end as effective_cost,
        c_yen as walk_yen_per_minute,
        case when p_is_planned then json_build_object(
          'entry_at', s.entry_at, 'exit_at', s.exit_at, 'is_open_at_entry', s.is_open_at_entry,
          'can_enter_at', s.can_enter_at, 'can_exit_at', s.can_exit_at, 'locked_in', s.locked_in,
          'next_exit_at', s.next_exit_at
        ) end as planned_stay,
        f.fit,
        m.is_saved, m.my_rating,
        case when o.parking_lot_id is not null then json_build_object(
          'state', o.state, 'free_spaces', o.free_spaces, 'trust', o.trust, 'observed_at', o.observed_at,
          'age_seconds', o.age_seconds, 'source', o.source
        ) end as availability,
        case when s.parking_lot_id is not null then u.usable_for_stay end as usable_for_stay,
        case when s.parking_lot_id is not null then u.unusable_reasons else '{}' end as unusable_reasons
      from private.nearby_ranking(p_lot_ids, p_distances, p_amounts, p_radius_m, p_vehicle_type, p_entry, p_exit) as r
      left join private.my_ratings_and_saves(p_lot_ids) as m on m.parking_lot_id = r.parking_lot_id
      left join private.occupancy_of(p_lot_ids) as o on o.parking_lot_id = r.parking_lot_id
      left join (
        select p.* from private.planned_stays(p_lot_ids, p_entry, p_exit) as p where p_is_planned or p_usable is not null
        offset 0 -- keeps the condition inside, where it saves the call
      ) as s on s.parking_lot_id = r.parking_lot_id
      cross join lateral (
        select case when not p_vehicle is null then private.vehicle_fit(p_vehicle, r.limits) end as fit
        offset 0 -- keeps the fit from being evaluated twice
      ) as f
      cross join lateral private.usability(
        s.can_enter_at, s.can_exit_at, f.fit, o.state, r.max_parking_duration_min, p_entry, p_exit
      ) as u
      order by case p_usable when 'first' then u.unusable_reasons <> '{}' end,
        case p_sort when 'price' then r.estimated_fee when 'recommended' then r.rank end nulls last, r.place
    ) as item
  );
end
$$;

grant execute on function
  private.passing_lots(
    uuid[], private.nearby_filters, boolean, private.vehicle, text, timestamptz, timestamptz, integer
  ),
  private.nearby_candidates(
    double precision, double precision, integer, integer, private.nearby_filters, boolean, private.vehicle, text,
    timestamptz, timestamptz
  ),
  private.nearby_ranking(uuid[], double precision[], bigint[], integer, text, timestamptz, timestamptz),
  private.nearby_items(
    uuid[], double precision[], bigint[], integer, text, timestamptz, timestamptz, boolean, text, private.vehicle, text
  )
to anon, authenticated;

-- A page of the lots of a checked search in the order of p_usable: first or only. p_after and next: the part (0: lots that
-- are not unusable for the stay, 1: the others) with the key and id in it; next is null at the end. At most 1,000 lots are
-- checked, so a page may be short, or empty.
create function private.usable_page(
  p_query jsonb, p_bbox double precision[], p_ids uuid[], p_sort text, p_after jsonb, p_limit integer, p_usable text,
  p_entry timestamptz, p_exit timestamptz, out lot_ids uuid[], out next jsonb
)
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  -- The lots that are checked, and found lots are read twice at most: 0.1 s on two slow cores.
  c_max constant integer := 1000;
  -- Before every key of every order.
  c_second_part constant jsonb := '[1, -2147483648, "00000000-0000-0000-0000-000000000000"]';
  c_part constant integer := coalesce((p_after ->> 0)::integer, 0);
  v_after jsonb := p_after - 0;
  v_take integer := 2 * p_limit + 1;
  v_seen integer := 0;
  v_found private.found_page;
  v_keys double precision[] := '{}';
  v_others uuid[] := '{}';
  v_other_keys double precision[] := '{}';
  v_is_end boolean;
  v_left integer;
begin
  lot_ids := '{}';
  loop
    v_found := private.found_lots(p_query, p_bbox, p_ids, p_sort, v_after, v_take);
    select lot_ids || coalesce(array_agg(f.id order by f.place) filter (where f.part = c_part), '{}'),
      v_keys || coalesce(array_agg(f.key order by f.place) filter (where f.part = c_part), '{}'),
      v_others || coalesce(array_agg(f.id order by f.place) filter (where f.part <> c_part), '{}'),
      v_other_keys || coalesce(array_agg(f.key order by f.place) filter (where f.part <> c_part), '{}')
    into lot_ids, v_keys, v_others, v_other_keys
    from (
      select e.id, e.key, e.place, (u.id is not null)::integer as part
      from unnest(v_found.lot_ids, v_found.keys) with ordinality as e (id, key, place)
      left join unnest(private.unusable_lots(v_found.lot_ids, null, p_entry, p_exit)) as u (id) on u.id = e.id
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
    when c_part = 1 or p_usable = 'only' then null
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

-- The number of lots that a checked search finds with usable only, counted among the first 3,000 lots of its order:
-- {total, total_is_exact}.
create function private.usable_total(
  p_query jsonb, p_bbox double precision[], p_ids uuid[], p_sort text, p_entry timestamptz, p_exit timestamptz
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  c_max constant integer := 3000; -- as many as private.nearby_candidates checks
  c_found constant uuid[] := (private.found_lots(p_query, p_bbox, p_ids, p_sort, null, c_max + 1)).lot_ids;
begin
  return private.capped_total(
    coalesce(cardinality(c_found[:c_max]), 0) - cardinality(private.unusable_lots(c_found[:c_max], null, p_entry, p_exit)),
    coalesce(cardinality(c_found), 0) <= c_max
  );
end
$$;

-- A page of a checked search: {items, next_cursor}, and total with total_is_exact when p_include has it. p_usable: first,
-- only, or null for the order of the search; it requires the stay. Errors: validation_error.
create function private.search_page(
  p_query jsonb, p_bbox double precision[], p_ids uuid[], p_limit integer, p_cursor text, p_include text[], p_usable text,
  p_entry timestamptz, p_exit timestamptz
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_sort text := coalesce(p_query ->> 'sort', case when p_query ? 'center' then 'distance' else 'recommended' end);
  v_filters jsonb := jsonb_build_object('list', 'parking_lots', 'query', p_query, 'bbox', p_bbox, 'ids', p_ids)
    || case when p_usable is null then '{}' else jsonb_build_object('usable', p_usable,
      'entry', extract(epoch from p_entry), 'exit', extract(epoch from p_exit)) end;
  v_after jsonb := private.cursor_decode(v_filters, p_cursor, case when p_usable is null then '{}' else '{integer}' end::text[]
    || case v_sort when 'distance' then '{double precision,uuid}' else '{integer,uuid}' end::text[]);
  v_page private.found_page;
  v_usable record;
  v_lot_ids uuid[];
  v_next jsonb;
begin
  if p_usable is null then
    v_page := private.found_lots(p_query, p_bbox, p_ids, v_sort, v_after, p_limit + 1);
    v_lot_ids := v_page.lot_ids[:p_limit];
    v_next := case when cardinality(v_page.lot_ids) > p_limit
      then jsonb_build_array(v_page.keys[p_limit], v_page.lot_ids[p_limit]) end;
  else
    v_usable := private.usable_page(p_query, p_bbox, p_ids, v_sort, v_after, p_limit, p_usable, p_entry, p_exit);
    v_lot_ids := v_usable.lot_ids;
    v_next := v_usable.next;
  end if;
  return jsonb_build_object(
    'items', private.search_items(v_lot_ids, p_query -> 'center'), 'next_cursor', private.cursor_encode(v_filters, v_next)
  ) || case when 'total' <> all (p_include) then '{}'
    -- The first page has all.
    when p_cursor is null and v_next is null then private.capped_total(coalesce(cardinality(v_lot_ids), 0), true)
    when p_usable = 'only' then private.usable_total(p_query, p_bbox, p_ids, v_sort, p_entry, p_exit)
    else private.found_total(p_query, p_bbox, p_ids) end;
end
$$;

grant execute on function
  private.usable_page(
    jsonb, double precision[], uuid[], text, jsonb, integer, text, timestamptz, timestamptz
  ),
  private.usable_total(jsonb, double precision[], uuid[], text, timestamptz, timestamptz),
  private.search_page(
    jsonb, double precision[], uuid[], integer, text, text[], text, timestamptz, timestamptz
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
  p_usable text default null
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
  end if;
  perform private.check_usable(p_usable);
  if p_limit > 100 or 'total' = any (p_include) or p_exit_at - p_entry_at > interval '24 hours'
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
    p_query, p_bbox, p_ids, p_limit, p_cursor, p_include, p_usable, p_entry_at, p_exit_at
  );
  if v_has_stay then
    v_page := jsonb_set(v_page, '{items}', private.items_with_stay(v_page -> 'items', p_vehicle_type, p_entry_at, p_exit_at));
  end if;
  return v_page;
end
$$;

comment on function api.search_parking_lots(jsonb, double precision[], uuid[], integer, text, text[], integer, timestamptz, timestamptz, timestamptz, text, text) is
  'Public lots that meet p_query (SearchQueryV1), p_bbox (west, south, east, north) and p_ids, a page of p_limit (1..1000): {items, next_cursor}. p_include total: total (counted up to 10,000) and total_is_exact. p_zoom: {items: [], clusters} of p_bbox, and total. p_updated_since: lots changed since, and tombstones. p_entry_at and p_exit_at (at most 31 days, p_limit at most 100): the fee for p_vehicle_type and the hours of the stay at each lot of the page. p_usable first: lots that are unusable for the stay come last; only: they are left out. A page may then have fewer lots, or none: the list ends without a next_cursor. Reads only. Errors: validation_error, forbidden.';

grant execute on function
  api.search_parking_lots(
    jsonb, double precision[], uuid[], integer, text, text[], integer, timestamptz, timestamptz, timestamptz, text,
    text
  )
to anon, authenticated;

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
  -- The filters are checked lot by lot, for up to 3,000 lots of a large radius.
  if v_exit - v_entry > interval '24 hours' or p_radius_m > 2000 and (
    v_filters.max_price is not null or v_filters.open_now or p_usable = 'only' or v_filters.max_height_m is not null or v_filters.tags <> '{}'
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
  'The active lots nearest to a point that pass p_filters, within p_radius_m (1..50000), at most p_limit (1..100): {items, is_truncated}. Items are in the order of p_sort (distance, price, recommended) and compared for one stay with p_vehicle_type: from entry_at to exit_at of the filters, or 60 minutes from now. is_truncated: other lots within the radius pass, or were not checked; of the lots with the tags and the height the nearest 3,000 are checked. max_height_m: lots known to accept this height. tags: lots that have all of these. open_now true: lots known to be open. max_price: lots whose fee is known and not higher. entry_at with exit_at: at most 31 days. A max_price that would price too many lots is rejected with details.reason too_much_to_price. distance_m: great circle on the mean radius 6371008.8 m (IUGG), to the centimetre. main_image: a storage key or null. p_vehicle: the measures of a vehicle. p_usable first: lots that are unusable for the stay come last; only: the nearest 3,000 lots are checked and unusable ones left out. Reads only. Errors: validation_error, forbidden.';

grant execute on function
  api.nearby_parking_lots(double precision, double precision, integer, integer, jsonb, text, jsonb, text, text)
to anon, authenticated;
