-- Fractions of a second: they cost no unit, in no price of a stay.
--
-- The definitions are those of supabase/schemas after this change. Stored fees stay as they are. The way back: the
-- functions as they were, then private.priced_exit is dropped.

set lock_timeout = '2s';

-- The exit of the stay that is priced: a stay lasts whole seconds, from the second of its entry, and at least one if it is
-- not empty. So a fraction of a second begins no further unit and ends no grace. The entry is date_trunc('second', p_entry).
create function private.priced_exit(p_entry timestamptz, p_exit timestamptz) returns timestamptz
language sql stable parallel safe
return case when p_exit > p_entry then greatest(
  date_trunc('second', p_exit - (p_entry - date_trunc('second', p_entry))),
  date_trunc('second', p_entry) + interval '1 second'
) when p_exit <= p_entry then date_trunc('second', p_entry) end;

-- The fee of the stay at each of these lots, in minor units; or null and a refusal: no_rules, no_rate, only_totals,
-- vehicle_type_not_priced. With only_totals the fee is at_least and, if known, at_most so much. Errors: validation_error
-- (exit_at).
create or replace function private.stay_fees(
  p_lot_ids uuid[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz
) returns table (
  parking_lot_id uuid, amount bigint, currency text, refusal text, at_least bigint, at_most bigint
)
language plpgsql stable rows 50
security definer -- row security would cost a look-up per rule; the caller has chosen lots that the user may see
set search_path = ''
set plan_cache_mode = force_generic_plan -- the arguments do not matter to the plans, and planning costs more than running
as $$
#variable_conflict use_column
declare
  c_entry_at constant timestamptz := date_trunc('second', p_entry);
  c_exit_at constant timestamptz := private.priced_exit(p_entry, p_exit);
  c_entry constant bigint := extract(epoch from c_entry_at) * 1000000;
  c_exit constant bigint := extract(epoch from c_exit_at) * 1000000;
  -- The lots of a search have one zone, whose offset need not be calculated for each of them.
  v_time_zone text;
  v_offset bigint;
begin
  perform private.check_stay(p_entry, p_exit);
  if cardinality(p_lot_ids) > 3 then
    select l.time_zone into v_time_zone from public.parking_lots l where l.id = p_lot_ids[1];
    v_offset := private.steady_offset(v_time_zone, c_entry, c_exit);
  end if;
  return query
    select f.parking_lot_id, coalesce(f.plain, (f.walk).total), f.currency,
      case when f.is_priced or (f.walk).refusal is null then (f.walk).refusal else 'vehicle_type_not_priced' end,
      (f.walk).at_least, (f.walk).at_most
    from (
      select s.parking_lot_id, s.currency, s.is_priced, p.plain,
        case when p.plain is null then private.walk_fee(
          case when s.is_priced then s.tariff end, s.time_zone, s.holidays, s.overridden, c_entry_at, c_exit_at, false,
          case when s.time_zone = v_time_zone then v_offset end
        ) end as walk
      from private.stay_tariffs(p_lot_ids, p_vehicle_type, c_entry_at, c_exit_at) s
      cross join lateral (
        select case when s.is_priced and s.time_zone = v_time_zone and v_offset is not null and s.overridden is null
          then private.plain_fee(s.tariff, s.holidays, c_entry, c_exit, v_offset) end as plain
        offset 0 -- keeps the subquery from being evaluated twice
      ) p
      offset 0
    ) f;
end
$$;

-- The lots among these at which the stay may cost p_amount or less. At every other lot the fee, or what it is at most, is
-- greater or unknown.
-- Much cheaper than private.stay_fees.
create or replace function private.lots_within_amount(
  p_lot_ids uuid[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz, p_amount numeric
) returns uuid[]
language plpgsql stable
security definer -- price lists have no policies; the caller has chosen lots that the user may see
set search_path = ''
set plan_cache_mode = force_generic_plan -- the arguments do not matter to the plan, and planning costs more than running
as $$
declare
  c_stay constant bigint := trunc(extract(epoch from p_exit - p_entry)) * 1000000;
begin
  -- Units cover the stay. If no unit is flat and no cap applies, those after the initial rows cost their least rate or more.
  -- A flat unit and a published total cost their price; where a cap applies, its window costs the price of the cap. A long stay has many windows:
  -- those after the initial rows cost their least pace or more. The factor allows for rounding.
  return array(
    select t.parking_lot_id
    from private.tariffs t
    where t.parking_lot_id = any (p_lot_ids) and (t.is_default or p_vehicle_type = any (t.vehicle_types))
      and (
        c_stay <= t.longest_grace or c_stay <= t.initial_time or (
          (t.least_price <= p_amount or t.least_rate * (c_stay - t.initial_time) * 0.999999 <= p_amount)
          and t.least_pace * (c_stay - t.initial_time) * 0.999999 <= p_amount
        )
      )
    union
    select o.parking_lot_id
    from public.parking_lot_date_overrides o
    where o.parking_lot_id = any (p_lot_ids) and o.pricing is not null
      and o.override_date between (p_entry at time zone 'UTC')::date - 2 and (p_exit at time zone 'UTC')::date + 17
  );
end
$$;

-- The bills of the stay that have surprises, with the lots of each: lots with the same price list and the same bill are
-- read once. p_amounts: the fees of the lots; p_locked_in: the lots that the car cannot leave at the exit, and
-- p_next_exits: when it can, null for not within 14 days.
create or replace function private.surprising_bills(
  p_lot_ids uuid[], p_amounts bigint[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz, p_locked_in uuid[],
  p_next_exits timestamptz[]
) returns table (lot_ids uuid[], bill private.surprising_bill)
language plpgsql stable rows 50
set search_path = ''
set plan_cache_mode = force_generic_plan -- the arguments do not matter to the plan, and planning costs more than running
as $$
declare
  -- The lots of a search have one zone, whose offset need not be calculated for each of them.
  c_time_zone constant text := (select l.time_zone from public.parking_lots l where l.id = p_lot_ids[1]);
  v_offset bigint;
begin
  p_exit := private.priced_exit(p_entry, p_exit);
  p_entry := date_trunc('second', p_entry);
  if p_entry = p_exit then
    return;
  end if;
  v_offset := private.steady_offset(
    c_time_zone, (extract(epoch from p_entry) * 1000000)::bigint, (extract(epoch from p_exit) * 1000000)::bigint
  );
  return query
  select r.lot_ids, row (r.amount, r.currency, r.time_zone, r.found)::private.surprising_bill
  from (
    select k.lot_ids, k.amount, k.currency, k.time_zone, private.found_surprises(
      k.tariff, k.usual, k.time_zone, k.holidays, k.overridden, p_entry, p_exit, k.amount, k.longest, k.next_exit,
      case when k.time_zone = c_time_zone then v_offset end
    ) as found
    from (
      select array_agg(c.parking_lot_id) as lot_ids, c.tariff, c.usual, c.time_zone, c.currency, c.holidays, c.overridden,
        c.amount, c.longest, c.next_exit
      from (
        select s.parking_lot_id, private.unnamed_tariff(s.tariff) as tariff, private.unnamed_tariff(u.tariff) as usual,
          s.time_zone, s.currency, s.holidays, s.overridden, p.amount, e.next_exit,
          -- A bound that the stay keeps is none.
          case when p_exit - p_entry > l.max_parking_duration_min * interval '1 minute'
            then l.max_parking_duration_min * interval '1 minute' end as longest
        from private.stay_tariffs(p_lot_ids, p_vehicle_type, p_entry, p_exit) s
        join unnest(p_lot_ids, p_amounts) as p (id, amount) on p.id = s.parking_lot_id
        join public.parking_lots l on l.id = s.parking_lot_id
        left join private.usual_tariffs(p_lot_ids, p_vehicle_type, p_entry, p_exit) u on u.parking_lot_id = s.parking_lot_id
        left join unnest(p_locked_in, p_next_exits) as e (id, next_exit) on e.id = s.parking_lot_id
        where p.amount is not null and (
          s.overridden is not null or u.parking_lot_id is not null or e.next_exit is not null
          or coalesce(p_exit - p_entry > l.max_parking_duration_min * interval '1 minute', false)
          or private.may_surprise(s.tariff, s.time_zone, p_entry, p_exit, p.amount)
        )
      ) c
      group by c.tariff, c.usual, c.time_zone, c.currency, c.holidays, c.overridden, c.amount, c.longest, c.next_exit
    ) k
    offset 0 -- keeps the readings from being evaluated twice
  ) r
  where r.found <> '{}';
end
$$;

-- The fee of a stay and its explanation: answer, {total_amount, currency, breakdown, surprises}; or refusal, {code:
-- fee_unknown, reason, from, until, at_least, at_most, currency}. It does not check whether the caller may see the lot. Errors: validation_error,
-- lot_not_found.
create or replace function private.explained_fee(
  p_lot_id uuid, p_vehicle_type text, p_entry timestamptz, p_exit timestamptz, out answer json, out refusal jsonb
)
language plpgsql stable
security definer -- row security would cost a look-up per rule; the caller has chosen a lot that the user may see
set search_path = ''
set timezone = 'UTC'
set plan_cache_mode = force_generic_plan -- the arguments do not matter to the plans, and planning costs more than running
as $$
declare
  v_lot record;
  v_walk private.fee_walk;
  v_days private.stay_days[];
  v_not_applied jsonb := '[]';
  v_notes text[] := '{}';
  v_surprises jsonb := '[]';
begin
  perform private.check_stay(p_entry, p_exit);
  p_exit := private.priced_exit(p_entry, p_exit);
  p_entry := date_trunc('second', p_entry);
  select s.*, l.max_parking_duration_min * interval '1 minute' as longest, u.tariff as usual into v_lot
  from private.stay_tariffs(array[p_lot_id], p_vehicle_type, p_entry, p_exit) s
  join public.parking_lots l on l.id = s.parking_lot_id
  left join private.usual_tariffs(array[p_lot_id], p_vehicle_type, p_entry, p_exit) u on u.parking_lot_id = s.parking_lot_id;
  if not found then
    perform private.raise_error('lot_not_found', 404, 'There is no such parking lot.');
  end if;
  perform set_config('timezone', v_lot.time_zone, true);
  v_walk := private.walk_fee(
    case when v_lot.is_priced then v_lot.tariff end, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, p_exit, true
  );
  if v_walk.refusal is not null then
    refusal := private.fee_refusal(v_walk, v_lot.is_priced, v_lot.currency);
    return;
  end if;
  if p_entry < p_exit then
    v_days := private.days_of_stay(v_lot.tariff, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, p_exit);
    v_not_applied := private.fee_not_applied(p_lot_id, v_lot.tariff, v_walk, v_days);
    v_notes := private.fee_notes(p_lot_id, p_vehicle_type, v_lot.tariff, v_walk, v_days, p_entry, p_exit, v_lot.longest);
    v_surprises := private.surprises_of_stay(
      v_lot.tariff, v_lot.usual, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, p_exit, v_walk.total,
      v_lot.currency, v_lot.longest,
      (select s.next_exit_at from private.planned_stays(array[p_lot_id], p_entry, p_exit) as s where s.locked_in)
    );
  end if;
  answer := '{"total_amount":' || v_walk.total || ',"currency":' || to_json(v_lot.currency)
    || ',"breakdown":{"time_zone":' || to_json(v_lot.time_zone) || ',"vehicle_type":' || to_json(p_vehicle_type)
    || ',"lines":[' || private.fee_lines(v_lot.tariff, v_walk)
    || '],"caps":[' || private.fee_caps(v_lot.tariff, v_walk)
    || '],"not_applied":' || v_not_applied || ',"notes":' || to_json(v_notes) || '},"surprises":' || v_surprises || '}';
end
$$;

-- A running stay: {amount, currency, next_increase_at, next_amount, cap_reached, known_until, curve, notes, surprises}, or
-- {refusal} as in fee_answer. An increase becomes due after its at. The last point of the curve is the fee of an exit at
-- known_until: 24 hours ahead, or where the rate becomes unknown. notes: those of the curve. surprises: those of an exit
-- then that are still ahead, stay_too_long among them.
create or replace function private.fee_meter(p_lot_id uuid, p_vehicle_type text, p_entry timestamptz, p_now timestamptz) returns jsonb
language plpgsql stable
security definer -- row security would cost a look-up per rule; the caller has chosen a lot that the user may see
set search_path = ''
set timezone = 'UTC'
set plan_cache_mode = force_generic_plan -- the arguments do not matter to the plans, and planning costs more than running
as $$
declare
  v_horizon timestamptz;
  v_lot record;
  v_walk private.fee_walk;
  v_ahead private.fee_walk;
  v_until timestamptz;
  v_is_in_grace boolean;
  v_grace_until timestamptz;
  v_curve jsonb;
  v_last_amount bigint;
begin
  perform private.check_stay(p_entry, p_now);
  p_now := private.priced_exit(p_entry, p_now);
  p_entry := date_trunc('second', p_entry);
  v_horizon := least(p_now + interval '24 hours', p_entry + interval '8784 hours');
  select s.*, l.max_parking_duration_min * interval '1 minute' as longest, u.tariff as usual into v_lot
  from private.stay_tariffs(array[p_lot_id], p_vehicle_type, p_entry, v_horizon) s
  join public.parking_lots l on l.id = s.parking_lot_id
  left join private.usual_tariffs(array[p_lot_id], p_vehicle_type, p_entry, v_horizon) u on u.parking_lot_id = s.parking_lot_id;
  if not found then
    perform private.raise_error('lot_not_found', 404, 'There is no such parking lot.');
  end if;
  perform set_config('timezone', v_lot.time_zone, true);
  if not v_lot.is_priced then
    v_lot.tariff := null;
  end if;
  v_walk := private.walk_fee(v_lot.tariff, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, p_now, true);
  v_ahead := private.walk_fee(v_lot.tariff, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, v_horizon, true);
  if v_walk.refusal is not null or v_ahead.refusal = 'no_rules' then
    return jsonb_build_object('refusal', private.fee_refusal(
      case when v_walk.refusal is null then v_ahead else v_walk end, v_lot.is_priced, v_lot.currency
    ));
  end if;
  -- Nothing is charged in grace; when it ends, everything since entry is charged.
  v_grace_until := private.grace_until(v_lot.tariff, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry);
  v_is_in_grace := coalesce(p_now <= v_grace_until, false);
  if 'published_total' = any ((v_lot.tariff).families) and private.rows_at_entry(
    v_lot.tariff, 'published_total', v_lot.holidays, v_lot.overridden, (extract(epoch from p_entry at time zone v_lot.time_zone) * 1000000)::bigint
  ) <> '{}' then
    -- The amount is known up to the published stay that it is for, and not after it.
    v_until := case when v_walk.segments[1].kind = 'published_total'
      then private.instant_of_us(v_walk.segments[1].starts + v_walk.segments[1].unit_length) end;
    if (private.walk_fee(
      v_lot.tariff, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, coalesce(v_until, p_now), false
    )).total is null then
      v_until := null;
    end if;
    v_ahead.refusal := 'only_totals';
    v_ahead.refused_from := (extract(epoch from coalesce(v_until, p_now)) * 1000000)::bigint;
    v_ahead.segments := '{}';
  end if;
  v_horizon := least(v_horizon, private.instant_of_us(v_ahead.refused_from));
  if v_is_in_grace and v_horizon <= v_grace_until and v_ahead.refusal is not null then
    -- Nothing is due during grace; the fee after it is unknown.
    v_horizon := v_grace_until;
    v_ahead.segments := '{}';
  end if;
  select jsonb_agg(jsonb_build_object('at', c.at, 'amount', c.amount) order by c.at) into v_curve
  from (
    select i.at, v_walk.total + sum(i.increase) over (order by i.at) as amount
    from private.fee_increases(v_ahead, case when v_is_in_grace then p_entry else p_now end, v_grace_until) i
  ) c;
  v_last_amount := coalesce((v_curve -> -1 ->> 'amount')::bigint, v_walk.total);
  return jsonb_build_object(
    'amount', v_walk.total,
    'currency', v_lot.currency,
    'next_increase_at', v_curve -> 0 -> 'at',
    'next_amount', v_curve -> 0 -> 'amount',
    'cap_reached', exists (
      select from unnest(v_walk.windows) w
      where w.room = 0 and (private.instant_of_us(w.ends) > p_now or (v_lot.tariff).cap_types[w.rule] = 'stay')
    ),
    'known_until', v_horizon,
    'curve', coalesce(v_curve, '[]') || jsonb_build_object('at', v_horizon, 'amount', v_last_amount),
    'notes', to_jsonb(private.fee_notes(
      p_lot_id, p_vehicle_type, v_lot.tariff, v_ahead,
      private.days_of_stay(v_lot.tariff, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, v_horizon),
      p_entry, v_horizon, null
    )),
    -- A running stay has no exit, so that only the surprises ahead are known.
    'surprises', (
      select coalesce(jsonb_agg(s.surprise order by s.place), '[]')
      from jsonb_array_elements(private.surprises_of_stay(
        v_lot.tariff, v_lot.usual, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, v_horizon, v_last_amount,
        v_lot.currency, v_lot.longest, null
      )) with ordinality as s (surprise, place)
      where (s.surprise ->> 'kind' ~ '^cap_' or s.surprise ->> 'kind' in ('special_day_price', 'stay_too_long'))
        and (s.surprise ->> 'at')::timestamptz >= p_now
    )
  );
end
$$;
