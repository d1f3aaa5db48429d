-- Surprises of fees: the second reading is given the tariffs that priced the stay, and does not read them again. Caps that are
-- for every day of the stay are no surprise, so that no bill is walked for them.
--
-- The definitions are those of supabase/schemas after this change. The functions that are dropped first have other arguments
-- or columns now. The way back: the same with the definitions before this file, and the type is dropped last.

set lock_timeout = '2s';

create type private.stay_bill as (
  parking_lot_id uuid,
  amount bigint, -- the fee; null: not known
  currency text,
  time_zone text,
  longest interval, -- the longest stay that the lot allows; null: any
  holidays date[],
  overridden date[],
  tariff private.tariff,
  is_special boolean -- the tariff is of a group for the vehicle type that is not the default one
);

comment on type private.stay_bill is 'The fee of a stay at a lot, with the tariff that it is from.';

drop function private.stay_tariffs(uuid[], text, timestamptz, timestamptz);
drop function private.stay_fees(uuid[], text, timestamptz, timestamptz);
drop function private.cap_traps(private.tariff);
drop function private.near_surprises(private.tariff, text, date[], date[], timestamptz, timestamptz, bigint, private.fee_walk, interval, timestamptz);
drop function private.surprising_bills(uuid[], bigint[], text, timestamptz, timestamptz, uuid[], timestamptz[]);
drop function private.stay_surprises(uuid[], bigint[], text, timestamptz, timestamptz, uuid[], timestamptz[]);
drop function private.surprising_lots(uuid[], bigint[], text, timestamptz, timestamptz);
drop function private.chosen_tariffs(uuid[], text, uuid[], date, date);
drop function private.passing_lots(uuid[], private.nearby_filters, boolean, private.vehicle, text, timestamptz, timestamptz, integer);
drop function private.nearby_candidates(double precision, double precision, integer, integer, private.nearby_filters, boolean, private.vehicle, text, timestamptz, timestamptz);
drop function private.nearby_ranking(uuid[], double precision[], bigint[], integer, text, timestamptz, timestamptz);
drop function private.nearby_items(uuid[], double precision[], bigint[], integer, text, timestamptz, timestamptz, boolean, text, private.vehicle, text);
drop function private.may_surprise(private.tariff, text, timestamptz, timestamptz, bigint);

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
  select s.*, u.tariff as usual into v_lot
  from private.stay_tariffs(array[p_lot_id], p_vehicle_type, p_entry, p_exit) s
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

-- When the amount due rises, and by how much: at the starts of units from p_after on. Increases before p_not_before (the
-- end of grace) become due then.
create or replace function private.fee_increases(
  p_walk private.fee_walk, p_after timestamptz, p_not_before timestamptz
) returns table (at timestamptz, increase bigint)
language plpgsql stable
set search_path = ''
as $$
declare
  c_after constant bigint := extract(epoch from p_after) * 1000000;
begin
  return query
  -- Of a segment: the units that are not free by caps; the last of them perhaps at less than its full price.
  select greatest(u.at, p_not_before), sum(u.increase)::bigint
  from unnest(p_walk.segments) s
  cross join lateral generate_series(
    -- The first unit that begins at p_after or later.
    greatest(0, (c_after - s.starts + s.unit_length - 1) / s.unit_length),
    least(s.units, (s.room + s.unit_price - 1) / nullif(s.unit_price, 0)) - 1
  ) as k
  cross join lateral (
    select private.instant_of_us(s.starts + k * s.unit_length) as at, least(s.unit_price, s.room - k * s.unit_price) as increase
  ) u
  where s.unit_price > 0 and s.starts + s.units * s.unit_length > c_after
  group by 1;
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
  select s.*, u.tariff as usual into v_lot
  from private.stay_tariffs(array[p_lot_id], p_vehicle_type, p_entry, v_horizon) s
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

-- The arguments of private.walk_fee for this stay at these lots, and the longest stay that each allows. A lot without rules
-- has a null tariff. is_priced and is_special: as in private.chosen_tariffs.
create function private.stay_tariffs(
  p_lot_ids uuid[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz
) returns table (
  parking_lot_id uuid, time_zone text, currency text, holidays date[], overridden date[], tariff private.tariff, is_priced boolean,
  is_special boolean, longest interval
)
language plpgsql stable rows 50
set search_path = ''
as $$
#variable_conflict use_column
declare
  -- In any zone: the dates of the stay, the day before, and the fortnight in which the next rate is looked up.
  c_from constant date := (p_entry at time zone 'UTC')::date - 2;
  c_to constant date := (p_exit at time zone 'UTC')::date + 17;
  v_overridden uuid[];
begin
  select coalesce(array_agg(distinct o.parking_lot_id), '{}') into v_overridden
  from public.parking_lot_date_overrides o
  where o.parking_lot_id = any (p_lot_ids) and o.override_date between c_from and c_to and o.pricing is not null;

  return query
    with calendars as materialized (
      select k.calendar, private.holidays_between(k.calendar, c_from, c_to) as dates
      from (select distinct l.holiday_calendar as calendar from public.parking_lots l where l.id = any (p_lot_ids)) k
    )
    select l.id, l.time_zone, l.currency, h.dates,
      case when l.id = any (v_overridden) then array(
        select o.override_date from public.parking_lot_date_overrides o
        where o.parking_lot_id = l.id and o.override_date between c_from and c_to and o.pricing is not null
      ) end,
      case when l.price_fixed_at_entry or c.parking_lot_id is not null then private.tariff_of_stay(
        t.tariff, case when l.price_fixed_at_entry then (p_entry at time zone l.time_zone)::date end, c.closed_from, c.closed_to
      ) else t.tariff end,
      coalesce(t.is_priced, true), t.is_special, l.max_parking_duration_min * interval '1 minute'
    from public.parking_lots l
    left join calendars h on h.calendar = l.holiday_calendar
    left join private.chosen_tariffs(p_lot_ids, p_vehicle_type, v_overridden, c_from, c_to) t on t.parking_lot_id = l.id
    left join private.free_hours(p_lot_ids, p_entry, p_exit) c on c.parking_lot_id = l.id
    where l.id = any (p_lot_ids);
end
$$;

-- The fee of the stay at each of these lots, in minor units; or null and a refusal: no_rules, no_rate, only_totals,
-- vehicle_type_not_priced. With only_totals the fee is at_least and, if known, at_most so much. bill: for private.stay_surprises.
-- Errors: validation_error (exit_at).
create function private.stay_fees(
  p_lot_ids uuid[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz
) returns table (
  parking_lot_id uuid, amount bigint, currency text, refusal text, at_least bigint, at_most bigint, bill private.stay_bill
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
      (f.walk).at_least, (f.walk).at_most, row (
        f.parking_lot_id, coalesce(f.plain, (f.walk).total), f.currency, f.time_zone, f.longest, f.holidays, f.overridden,
        f.tariff, f.is_special
      )::private.stay_bill
    from (
      select s.*, p.plain,
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

-- The tariff without the ids of its rules: lots with the same prices have the same one.
create or replace function private.unnamed_tariff(p_tariff private.tariff) returns private.tariff
language plpgsql immutable strict
set search_path = ''
as $$
begin
  if p_tariff.rule_ids is not null then
    p_tariff.rule_ids := array_fill(null::uuid, array[cardinality(p_tariff.rule_ids)]);
  end if;
  return p_tariff;
end
$$;

-- The kinds of rules of this tariff that a naive reader misses, in the order in which they are restored. They are caps that
-- do not repeat, end at midnight, are shorter than a day, or are not for every day of the stay. p_every_day: the day types that
-- all its days have (private.date_bits). For a tariff without overrides.
create function private.cap_traps(p_tariff private.tariff, p_every_day integer) returns text[]
language plpgsql immutable
set search_path = ''
as $$
declare
  c_day constant bigint := 86400000000;
  c_families constant text[] := p_tariff.families;
  c_types constant text[] := p_tariff.cap_types;
  c_spans constant bigint[] := p_tariff.cap_spans;
  v_longest bigint := 0;
  v_once boolean := false;
  v_midnight boolean := false;
  v_short boolean := false;
  v_days boolean := false;
begin
  for v_rule in 1..coalesce(cardinality(c_types), 0) loop
    continue when c_types[v_rule] is null;
    v_once := v_once or (c_types[v_rule] <> 'stay' and p_tariff.cap_repeats[v_rule] is not true);
    v_days := v_days or (c_families[v_rule] = 'cap' and p_tariff.day_bits[v_rule] & p_every_day = 0);
    continue when p_tariff.starts[v_rule] is not null;
    v_midnight := v_midnight or c_types[v_rule] = 'day';
    if c_families[v_rule] = 'cap' then
      v_longest := greatest(v_longest, coalesce(c_spans[v_rule], c_day));
    else
      v_short := v_short or c_spans[v_rule] < c_day;
    end if;
  end loop;
  return array_remove(array[
    case when v_once then 'cap_once' end, case when v_midnight then 'cap_ends_at_midnight' end,
    case when v_short or v_longest between 1 and c_day - 1 then 'cap_ends_before_exit' end,
    case when v_days then 'cap_not_on_day' end
  ], null);
end
$$;

-- The bill (p_total) minus the naive bill, by the kinds that make it, in the order in which they are restored; amounts may
-- be negative, and then their time does not matter. Empty when the naive bill is not lower, or unknown. p_usual: the lot's default list, if the vehicle has
-- another one. p_offset: private.steady_offset of the stay.
create or replace function private.fee_differences(
  p_tariff private.tariff, p_usual private.tariff, p_time_zone text, p_holidays date[], p_overridden date[],
  p_entry timestamptz, p_exit timestamptz, p_total bigint, p_offset bigint
) returns private.fee_surprise[]
language plpgsql stable
set search_path = ''
as $$
declare
  c_entry constant bigint := extract(epoch from p_entry) * 1000000;
  c_exit constant bigint := extract(epoch from p_exit) * 1000000;
  c_first constant date := (p_entry at time zone p_time_zone)::date;
  c_last constant date := ((p_exit - interval '1 microsecond') at time zone p_time_zone)::date;
  v_date date := c_first;
  v_every_day integer := 63;
  v_dates date[] := '{}';
  v_kinds text[];
  v_whole private.tariff; -- with the rows of overrides, which p_tariff is without
  v_read private.tariff;
  v_tariff private.tariff;
  v_restored private.tariff; -- with all restored kinds of windows; null: there is none
  v_naive private.fee_walk;
  v_usual private.fee_walk;
  v_bill bigint;
  v_bills bigint[];
  v_at bigint;
  v_amount bigint;
  v_found private.fee_surprise[] := '{}';
begin
  if p_overridden is not null then
    v_whole := p_tariff;
    p_tariff := private.own_tariff(p_tariff);
    v_dates := array(
      select d from unnest(p_overridden) as d
      where d between c_first and c_last
      order by d
    );
  end if;
  if p_tariff.rule_ids is null then
    return v_found;
  end if;
  while v_date <= c_last and v_every_day > 1 loop
    v_every_day := v_every_day & private.date_bits(v_date, p_holidays);
    v_date := v_date + 1;
  end loop;
  v_kinds := private.cap_traps(p_tariff, v_every_day);
  -- Below every cap both readings are the same.
  if v_dates = '{}' and (p_usual).rule_ids is null
    and (v_kinds = '{}' or p_total <= all (array_remove(p_tariff.cap_prices, null)))
  then
    return v_found;
  end if;
  v_read := private.naive_tariff(p_tariff, '{}');
  v_naive := private.walk_fee(v_read, p_time_zone, p_holidays, null, p_entry, p_exit, false, p_offset);
  if (p_usual).rule_ids is not null then
    v_usual := private.walk_fee(
      private.naive_tariff(private.own_tariff(p_usual), '{}'), p_time_zone, p_holidays, null, p_entry, p_exit, false, p_offset
    );
  end if;
  if v_naive.refusal is not null or p_total <= coalesce(v_usual.total, v_naive.total) then
    return v_found;
  end if;
  -- The bill after each kind is restored; after the last one it is the bill.
  for v_place in 1..cardinality(v_kinds) loop
    if v_place = cardinality(v_kinds) and v_dates = '{}' then
      v_bills[v_place] := p_total;
    else
      v_tariff := private.naive_tariff(p_tariff, v_kinds[:v_place]);
      v_bills[v_place] := (private.walk_fee(v_tariff, p_time_zone, p_holidays, null, p_entry, p_exit, false, p_offset)).total;
      if v_kinds[v_place] <> 'cap_not_on_day' then
        v_restored := v_tariff;
      end if;
    end if;
  end loop;
  if v_dates <> '{}' then
    -- A special day whose rates are the usual ones only lacks the caps.
    v_bill := (private.walk_fee(
      private.tariff_with_own_rates(v_whole), p_time_zone, p_holidays, p_overridden, p_entry, p_exit, false, p_offset
    )).total;
    if v_bill <> p_total then
      v_kinds := v_kinds || 'special_day_price'::text;
    elsif v_kinds[cardinality(v_kinds)] is distinct from 'cap_not_on_day' then
      v_kinds := v_kinds || 'cap_not_on_day'::text;
    end if;
    v_bills[cardinality(v_kinds)] := p_total;
  end if;
  if v_usual.total is not null then
    v_found := array[row ('other_vehicle_price', p_entry, v_naive.total - v_usual.total, null, null)::private.fee_surprise];
  end if;
  for v_place in 1..cardinality(v_kinds) loop
    v_amount := v_bills[v_place] - coalesce(v_bills[v_place - 1], v_naive.total);
    v_at := case when v_amount > 0 then case v_kinds[v_place]
      when 'special_day_price' then private.clock_instant(p_time_zone, (v_dates[1] - date '1970-01-01') * 86400000000, p_offset)
      when 'cap_not_on_day' then private.first_uncapped(
        case when v_restored.rule_ids is null then v_read else v_restored end, cardinality(p_tariff.rule_ids) + 1, p_time_zone, p_holidays,
        case when v_place = cardinality(v_kinds) then nullif(v_dates, '{}') end, c_entry, c_exit, p_offset
      )
      else private.first_cap_end(p_tariff, v_read, v_kinds[v_place], p_time_zone, c_entry, c_exit, p_offset)
    end end;
    v_found := v_found || row (
      v_kinds[v_place], case when v_at > c_entry and v_at < c_exit then private.instant_of_us(v_at) else p_entry end,
      v_amount, null, null
    )::private.fee_surprise;
  end loop;
  return v_found;
end
$$;

-- What costs more near the entry or the exit, or because of the lot, with an amount of its own. p_may_step: private.may_step;
-- p_edge: private.edge_after_entry, if it is before the exit. p_walk: to 15 minutes after the exit, with detail; it is not read
-- unless the stay is too long or p_may_step. p_longest: the longest stay that the lot allows. p_next_exit: when the car can
-- leave, if not at the exit.
create function private.near_surprises(
  p_tariff private.tariff, p_time_zone text, p_holidays date[], p_overridden date[], p_entry timestamptz,
  p_exit timestamptz, p_total bigint, p_may_step boolean, p_edge timestamptz, p_walk private.fee_walk, p_longest interval,
  p_next_exit timestamptz
) returns private.fee_surprise[]
language plpgsql stable
set search_path = ''
as $$
declare
  c_near constant interval := '15 minutes';
  c_grace_until constant timestamptz := case when p_tariff.has_entry_rows
    then private.grace_until(p_tariff, p_time_zone, p_holidays, p_overridden, p_entry) end;
  v_metered bigint := 0;
  v_step record;
  v_amount bigint;
  v_found private.fee_surprise[] := '{}';
begin
  for v_rule in 1..cardinality(p_tariff.families) loop
    if p_tariff.families[v_rule] = 'rate' and p_tariff.units[v_rule] is not null then
      v_metered := greatest(v_metered, p_tariff.prices[v_rule]);
    end if;
  end loop;
  if p_may_step then
    for v_step in
      select i.at, i.increase, i.at >= p_exit as is_ahead
      from private.fee_increases(
        p_walk, case when p_exit - c_near <= coalesce(c_grace_until, '-infinity') then p_entry else p_exit - c_near end,
        c_grace_until
      ) i
      where i.increase > v_metered and i.at > p_entry and i.at >= p_exit - c_near and i.at < p_exit + c_near
        and (i.at is distinct from c_grace_until or i.at >= p_exit)
      order by i.at
    loop
      if v_step.is_ahead then
        v_found := v_found || row ('next_step_soon', v_step.at, v_step.increase, v_step.at, v_step.increase)::private.fee_surprise;
        exit;
      end if;
      v_amount := p_total - private.fee_until(p_walk, v_step.at);
      v_found := array[row ('cheaper_if_earlier', v_step.at, v_amount, v_step.at, v_amount)::private.fee_surprise];
    end loop;
  end if;
  if c_grace_until < p_exit and c_grace_until >= p_exit - c_near then
    v_found := v_found || row ('grace_exceeded', c_grace_until, p_total, c_grace_until, p_total)::private.fee_surprise;
  end if;
  if p_edge is not null then
    v_amount := p_total - (private.walk_fee(
      p_tariff, p_time_zone, p_holidays, p_overridden, p_edge, p_exit, false
    )).total;
    if v_amount > v_metered then
      v_found := v_found || row ('cheaper_if_later', p_edge, v_amount, null, v_amount)::private.fee_surprise;
    end if;
  end if;
  if p_exit - p_entry > p_longest and p_entry + p_longest > coalesce(c_grace_until, '-infinity') then
    v_amount := p_total - private.fee_until(p_walk, p_entry + p_longest);
    v_found := v_found || row ('stay_too_long', p_entry + p_longest, v_amount, p_entry + p_longest, v_amount)::private.fee_surprise;
  end if;
  if p_next_exit > p_exit then
    v_amount := (private.walk_fee(
      p_tariff, p_time_zone, p_holidays, p_overridden, p_entry, p_next_exit, false
    )).total - p_total;
    v_found := v_found || row ('closed_at_exit', p_exit, v_amount, null, null)::private.fee_surprise;
  end if;
  return v_found;
end
$$;

-- The list of prices that a vehicle of this type would have for this stay at each of these lots without a list of its own;
-- only for lots where it has one.
create or replace function private.usual_tariffs(p_lot_ids uuid[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz)
returns table (parking_lot_id uuid, tariff private.tariff)
language plpgsql stable
set search_path = ''
as $$
begin
  if p_lot_ids = '{}' then
    return;
  end if;
  return query
  select k.parking_lot_id, case when l.price_fixed_at_entry or c.parking_lot_id is not null then private.tariff_of_stay(
      k.tariff, case when l.price_fixed_at_entry then (p_entry at time zone l.time_zone)::date end, c.closed_from, c.closed_to
    ) else k.tariff end
  from private.tariffs k
  join public.parking_lots l on l.id = k.parking_lot_id
  left join private.free_hours(p_lot_ids, p_entry, p_exit) c on c.parking_lot_id = l.id
  where k.parking_lot_id = any (p_lot_ids) and k.is_default and not coalesce(p_vehicle_type = any (k.vehicle_types), false)
    and exists (
      select from private.tariffs o
      where o.parking_lot_id = k.parking_lot_id and not o.is_default
        and coalesce(p_vehicle_type = any (o.vehicle_types), false)
    );
end
$$;

-- The surprises of a stay whose fee is p_total, those that cost 100 minor units or a tenth of it. p_usual: as in
-- private.fee_differences; p_longest and p_next_exit: as in private.near_surprises. p_offset: private.steady_offset of the
-- stay, if the caller has it.
create or replace function private.found_surprises(
  p_tariff private.tariff, p_usual private.tariff, p_time_zone text, p_holidays date[], p_overridden date[],
  p_entry timestamptz, p_exit timestamptz, p_total bigint, p_longest interval, p_next_exit timestamptz, p_offset bigint default null
) returns private.fee_surprise[]
language plpgsql stable
set search_path = ''
as $$
declare
  c_may_step constant boolean := private.may_step(p_tariff, (extract(epoch from p_exit - p_entry) * 1000000)::bigint);
  c_edge constant timestamptz := private.edge_after_entry(p_tariff, p_time_zone, p_entry);
  c_has_walk constant boolean := c_may_step or coalesce(p_exit - p_entry > p_longest, false);
  v_first date;
  v_last date;
  v_walk private.fee_walk;
  v_one private.fee_surprise;
  v_saves bigint;
  v_found private.fee_surprise[] := '{}';
begin
  -- The price of an earlier or later exit is not published.
  if 'published_total' = any (p_tariff.families) then
    return v_found;
  end if;
  if c_has_walk then
    v_walk := private.walk_fee(
      p_tariff, p_time_zone, p_holidays, p_overridden, p_entry, p_exit + interval '15 minutes', true, p_offset
    );
  end if;
  -- Below every cap both readings are the same. A usual list of no rules does not matter.
  if p_overridden is not null or p_usual.rule_ids is not null or not p_total <= all (array_remove(p_tariff.cap_prices, null)) then
    v_first := (p_entry at time zone p_time_zone)::date;
    v_last := (p_exit at time zone p_time_zone)::date;
    -- A reader of the sign sees the rules of the stay's dates. Most tariffs have no dates, and a call costs more than a look.
    foreach v_one in array private.fee_differences(
      case when p_tariff.from_dates is null then p_tariff else private.tariff_between(p_tariff, v_first, v_last) end,
      case when p_usual.from_dates is null then p_usual else private.tariff_between(p_usual, v_first, v_last) end,
      p_time_zone, p_holidays, p_overridden, p_entry, p_exit, p_total,
      coalesce(p_offset, private.steady_offset(
        p_time_zone, (extract(epoch from p_entry) * 1000000)::bigint, (extract(epoch from p_exit) * 1000000)::bigint
      ))
    ) loop
      continue when not private.is_worth_naming(v_one.amount, p_total);
      if v_one.at > p_entry then
        if not c_has_walk then
          v_saves := (private.walk_fee(
            p_tariff, p_time_zone, p_holidays, p_overridden, p_entry, v_one.at, false, p_offset
          )).total;
          -- An exit then may be free of charge by grace, which is not a price until then.
          if v_saves = 0 and p_tariff.has_entry_rows and v_walk.segments is null then
            v_walk := private.walk_fee(p_tariff, p_time_zone, p_holidays, p_overridden, p_entry, p_exit, true, p_offset);
          end if;
        end if;
        v_saves := p_total - case when v_walk.segments is not null then private.fee_until(v_walk, v_one.at) else v_saves end;
        if v_saves > 0 then
          v_one.leave_by := v_one.at;
          v_one.saves := v_saves;
        end if;
      end if;
      v_found := v_found || v_one;
    end loop;
  end if;
  if c_has_walk or p_next_exit > p_exit or c_edge < p_exit then
    foreach v_one in array private.near_surprises(
      p_tariff, p_time_zone, p_holidays, p_overridden, p_entry, p_exit, p_total, c_may_step,
      case when c_edge < p_exit then c_edge end, v_walk, p_longest, p_next_exit
    ) loop
      if private.is_worth_naming(v_one.amount, p_total) then
        v_found := v_found || v_one;
      end if;
    end loop;
  end if;
  return v_found;
end
$$;

-- The bills of the stay that are known, with their surprises and the lots of each: lots with the same price list and the
-- same bill are read once. p_bills: those of private.stay_fees; p_locked_in: the lots that the car cannot leave at the exit, and
-- p_next_exits: when it can, null for not within 14 days.
create function private.surprising_bills(
  p_bills private.stay_bill[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz, p_locked_in uuid[],
  p_next_exits timestamptz[]
) returns table (lot_ids uuid[], bill private.surprising_bill)
language plpgsql stable rows 50
set search_path = ''
set plan_cache_mode = force_generic_plan -- the arguments do not matter to the plan, and planning costs more than running
as $$
declare
  -- The lots of a search have one zone, whose offset need not be calculated for each of them.
  c_time_zone constant text := p_bills[1].time_zone;
  v_offset bigint;
begin
  p_exit := private.priced_exit(p_entry, p_exit);
  p_entry := date_trunc('second', p_entry);
  v_offset := private.steady_offset(
    c_time_zone, (extract(epoch from p_entry) * 1000000)::bigint, (extract(epoch from p_exit) * 1000000)::bigint
  );
  return query
  select r.lot_ids, row (r.amount, r.currency, r.time_zone, r.found)::private.surprising_bill
  from (
    select k.lot_ids, k.amount, k.currency, k.time_zone, case when p_entry < p_exit then private.found_surprises(
      k.tariff, k.usual, k.time_zone, k.holidays, k.overridden, p_entry, p_exit, k.amount, k.longest, k.next_exit,
      case when k.time_zone = c_time_zone then v_offset end
    ) else '{}' end as found
    from (
      select array_agg(b.parking_lot_id) as lot_ids, any_value(b.tariff) as tariff, u.usual, b.time_zone, b.currency,
        b.holidays, b.overridden, b.amount, m.longest, e.next_exit
      from unnest(p_bills) b
      -- A bound that the stay keeps is none.
      cross join lateral (select case when p_exit - p_entry > b.longest then b.longest end as longest) m
      left join (
        select t.parking_lot_id, private.unnamed_tariff(t.tariff) as usual
        from private.usual_tariffs(
          array(select s.parking_lot_id from unnest(p_bills) s where s.is_special), p_vehicle_type, p_entry, p_exit
        ) t
      ) u on u.parking_lot_id = b.parking_lot_id
      left join unnest(p_locked_in, p_next_exits) as e (id, next_exit) on e.id = b.parking_lot_id
      where b.amount is not null
      -- A tariff is compiled from these and the ids of its rules. Comparing all of it costs twice as much.
      group by (b.tariff).families, (b.tariff).sets, (b.tariff).day_bits, (b.tariff).starts, (b.tariff).ends, (b.tariff).units,
        (b.tariff).prices, (b.tariff).cap_types, (b.tariff).cap_spans, (b.tariff).cap_prices, (b.tariff).cap_repeats,
        (b.tariff).from_dates, (b.tariff).to_dates, (b.tariff).free_while_closed, (b.tariff).closed_from,
        (b.tariff).closed_to, (b.tariff).max_units, u.usual, b.time_zone, b.currency, b.holidays, b.overridden, b.amount,
        m.longest, e.next_exit
    ) k
  ) r;
end
$$;

-- The surprises of the stay at each of the lots whose fee is known. Only for the lots of a page, because they cost about as
-- much as the fees. Arguments: as in private.surprising_bills.
create function private.stay_surprises(
  p_bills private.stay_bill[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz, p_locked_in uuid[],
  p_next_exits timestamptz[]
) returns table (parking_lot_id uuid, surprises jsonb)
language plpgsql stable rows 50
security definer -- price lists have no policies; the caller has chosen lots that the user may see
set search_path = ''
set plan_cache_mode = force_generic_plan -- the arguments do not matter to the plans, and planning costs more than running
as $$
begin
  return query
  with bills as materialized (
    select b.lot_ids, b.bill, row_number() over () as place
    from private.surprising_bills(p_bills, p_vehicle_type, p_entry, p_exit, p_locked_in, p_next_exits) b
  )
  select unnest(b.lot_ids), coalesce(s.surprises, '[]')
  from bills b
  left join private.surprises_json((select array_agg(a.bill order by a.place) from bills a)) s on s.place = b.place;
end
$$;

-- Those of the lots of these bills whose bill has surprises. p_bills: those of private.stay_fees.
create function private.surprising_lots(
  p_bills private.stay_bill[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz
) returns uuid[]
language plpgsql stable
security definer -- as private.stay_surprises
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
begin
  return array(
    with stays as materialized (
      select s.parking_lot_id, s.next_exit_at
      from private.planned_stays(array(select b.parking_lot_id from unnest(p_bills) b), p_entry, p_exit) s where s.locked_in
    )
    select unnest(b.lot_ids)
    from private.surprising_bills(
      p_bills, p_vehicle_type, p_entry, p_exit, array(select x.parking_lot_id from stays x),
      array(select x.next_exit_at from stays x)
    ) b
    where (b.bill).found <> '{}'
  );
end
$$;

-- The tariff of each lot for this vehicle type: of the group that names it (smallest display_order), else of the default
-- group. is_priced is false when the default group names other types; is_special: it is not the default group. Overridden lots are compiled with their overrides.
create function private.chosen_tariffs(
  p_lot_ids uuid[],
  p_vehicle_type text,
  p_overridden_lot_ids uuid[] default '{}',
  p_from date default null,
  p_to date default null
) returns table (parking_lot_id uuid, tariff private.tariff, is_priced boolean, is_special boolean)
language plpgsql stable -- its plan is cached, unlike that of an sql function
set search_path = ''
as $$
begin
  return query
    select distinct on (t.parking_lot_id) t.parking_lot_id, t.tariff, coalesce(p_vehicle_type = any (t.vehicle_types), true),
      not t.is_default
    from (
      select k.parking_lot_id, k.place, k.is_default, k.vehicle_types, k.tariff
      from private.tariffs k
      where k.parking_lot_id = any (p_lot_ids) and k.parking_lot_id <> all (p_overridden_lot_ids)
      union all
      select c.parking_lot_id, c.place, c.is_default, c.vehicle_types, c.tariff
      from private.compiled_tariffs(p_overridden_lot_ids, p_from, p_to) c
      where p_overridden_lot_ids <> '{}'
    ) t
    where t.is_default or p_vehicle_type = any (t.vehicle_types)
    order by t.parking_lot_id, coalesce(p_vehicle_type = any (t.vehicle_types), false) desc, t.place;
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
    v_candidates.lot_ids, v_candidates.distances, v_candidates.bills, p_radius_m, p_vehicle_type, v_entry, v_exit,
    v_filters.entry_at is not null, p_sort, v_vehicle, p_usable
  ));
end
$$;

-- The lots, given nearest first, that pass the filters open_now, max_price and without_surprises; with p_is_usable only those
-- that are not unusable for the stay. With max_price or without_surprises: bills has their fees (null: at most max_price), priced is the number of
-- lots priced (the nearest, at most p_max_priced), is_cut: others were not priced.
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

-- Those of these lots whose fee for the stay is known and has no surprises.
create or replace function private.lots_without_surprises(
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

-- The fee, the hours and the usability of a stay at each of these lots, and the walk from p_distances metres away (null:
-- unknown, and so is the walk). The caller has checked the stay and chosen lots that the user may see. A search with a
-- vehicle finds only lots that it fits, so that is no reason here.
create or replace function private.stay_costs(
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

grant execute on function
  private.stay_fees(uuid[], text, timestamptz, timestamptz),
  private.stay_surprises(private.stay_bill[], text, timestamptz, timestamptz, uuid[], timestamptz[]),
  private.surprising_lots(private.stay_bill[], text, timestamptz, timestamptz),
  private.passing_lots(uuid[], private.nearby_filters, boolean, private.vehicle, text, timestamptz, timestamptz, integer),
  private.nearby_candidates(double precision, double precision, integer, integer, private.nearby_filters, boolean, private.vehicle, text, timestamptz, timestamptz),
  private.nearby_ranking(uuid[], double precision[], private.stay_bill[], integer, text, timestamptz, timestamptz),
  private.nearby_items(uuid[], double precision[], private.stay_bill[], integer, text, timestamptz, timestamptz, boolean, text, private.vehicle, text)
to anon, authenticated;
