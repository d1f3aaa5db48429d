-- Stay costs: the fee and the hours of one stay at each lot of a search result, and whether it can be used.
--
-- Fees come from private.stay_fees (fees/stays.sql) and hours from private.planned_stays (hours/evaluator.sql), each
-- called once for all lots. api.nearby_parking_lots (search/nearby.sql) uses the same functions, so that a stay has the
-- same numbers in both. The fee equals that of calc-fee.
--
-- Invariants: an unknown fee is null, with the reason; effective_cost is estimated_fee + walk_minutes *
-- walk_yen_per_minute, and null when one of them is unknown.
-- Interface: private.check_search_stay, private.stay_costs and private.items_with_stay.

-- Whether a search has a stay. A stay has both ends and lasts at most 31 days. Errors: validation_error, with the param
-- entry_at, exit_at or vehicle_type.
create function private.check_search_stay(p_entry timestamptz, p_exit timestamptz, p_vehicle_type text) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_vehicle_type(p_vehicle_type);
  if num_nonnulls(p_entry, p_exit) = 0 then
    return false;
  end if;
  perform private.check_stay(p_entry, p_exit);
  perform private.check_compared_stay(p_entry, p_exit, 'exit_at');
  return true;
end
$$;

-- Why private.stay_fees has no fee: {code, reason} and, with only_totals, at_least, at_most and currency. Null for a known
-- fee.
create function private.stay_fee_refusal(p_refusal text, p_at_least bigint, p_at_most bigint, p_currency text) returns json
language sql stable parallel safe
return case
  when p_at_least is not null then json_strip_nulls(json_build_object(
    'code', 'fee_unknown', 'reason', p_refusal, 'at_least', p_at_least, 'at_most', p_at_most, 'currency', p_currency
  ))
  when p_refusal is not null then json_build_object('code', 'fee_unknown', 'reason', p_refusal)
end;

-- The fee, the hours and the usability of a stay at each of these lots, and the walk from p_distances metres away (null:
-- unknown, and so is the walk). The caller has checked the stay and chosen lots that the user may see. A search with a
-- vehicle finds only lots that it fits, so that is no reason here.
create function private.stay_costs(
  p_lot_ids uuid[], p_distances numeric[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz
) returns table (
  parking_lot_id uuid, estimated_fee bigint, fee_refusal json, walk_minutes integer, effective_cost bigint,
  walk_yen_per_minute integer, planned_stay json, usable_for_stay boolean, unusable_reasons text[], surprises jsonb
)
language plpgsql stable rows 50
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  c_yen constant integer := private.yen_per_walk_minute();
begin
  return query
  with stays as materialized (
    select p.* from private.planned_stays(p_lot_ids, p_entry, p_exit) as p
  ), fees as materialized (
    select b.* from private.stay_fees(p_lot_ids, p_vehicle_type, p_entry, p_exit) as b
  )
  select f.parking_lot_id, f.amount,
    private.stay_fee_refusal(f.refusal, f.at_least, f.at_most, f.currency),
    private.walk_minutes(d.distance_m),
    case when f.currency = 'JPY' then f.amount + private.walk_minutes(d.distance_m) * c_yen end, c_yen,
    json_build_object(
      'entry_at', s.entry_at, 'exit_at', s.exit_at, 'is_open_at_entry', s.is_open_at_entry,
      'can_enter_at', s.can_enter_at, 'can_exit_at', s.can_exit_at, 'locked_in', s.locked_in,
      'next_exit_at', s.next_exit_at, 'holiday_calendar_unknown', h.parking_lot_id is not null
    ),
    u.usable_for_stay, u.unusable_reasons, n.surprises
  from unnest(p_lot_ids, p_distances) as d (id, distance_m)
  join fees as f on f.parking_lot_id = d.id
  join stays as s on s.parking_lot_id = d.id
  join public.parking_lots l on l.id = d.id
  left join private.lots_without_holidays(p_lot_ids, p_vehicle_type, p_entry, p_exit) as h on h.parking_lot_id = d.id
  left join private.occupancy_of(p_lot_ids) as o on o.parking_lot_id = d.id
  left join private.stay_surprises(
    array(select x.bill from fees x order by x.parking_lot_id), p_vehicle_type, p_entry, p_exit,
    array(select x.parking_lot_id from stays x where x.locked_in), array(select x.next_exit_at from stays x where x.locked_in)
  ) as n on n.parking_lot_id = d.id
  cross join lateral private.usability(
    s.can_enter_at, s.can_exit_at, null, o.state, l.max_parking_duration_min, p_entry, p_exit
  ) as u;
end
$$;

-- Lots as search shows them (id, distance_m), each with estimated_fee, fee_refusal, walk_minutes, effective_cost,
-- walk_yen_per_minute, planned_stay, usable_for_stay, unusable_reasons and surprises.
create function private.items_with_stay(p_items jsonb, p_vehicle_type text, p_entry timestamptz, p_exit timestamptz)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  c_lot_ids constant uuid[] := array(
    select (e.item ->> 'id')::uuid from jsonb_array_elements(p_items) with ordinality as e (item, place) order by e.place
  );
  c_distances constant numeric[] := array(
    select (e.item ->> 'distance_m')::numeric
    from jsonb_array_elements(p_items) with ordinality as e (item, place) order by e.place
  );
begin
  return (
    select coalesce(jsonb_agg(i.item || (to_jsonb(c) - 'parking_lot_id') order by i.place), '[]')
    from jsonb_array_elements(p_items) with ordinality as i (item, place)
    join private.stay_costs(c_lot_ids, c_distances, p_vehicle_type, p_entry, p_exit) as c
      on c.parking_lot_id = c_lot_ids[i.place]
  );
end
$$;

grant execute on function
  private.check_search_stay(timestamptz, timestamptz, text), private.stay_fee_refusal(text, bigint, bigint, text), private.stay_costs(uuid[], numeric[], text, timestamptz,
  timestamptz), private.items_with_stay(jsonb, text, timestamptz, timestamptz)
to anon, authenticated;
