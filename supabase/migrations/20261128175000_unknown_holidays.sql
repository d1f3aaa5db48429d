-- Unknown holidays: a fee and a planned stay that depend on public holidays that are not known name that. A lot in a part of a
-- country has the holidays of the country too.
--
-- The definitions are those of supabase/schemas after this change.

set lock_timeout = '2s';

-- The public holidays of a calendar from p_from to p_to: its own days, and for a part of a country those of the country.
create function private.holidays_between(p_calendar text, p_from date, p_to date) returns date[]
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
begin
  return array(
    select h.holiday_date from public.holidays h
    where h.calendar in (p_calendar, left(p_calendar, 2)) and h.holiday_date between p_from and p_to
  );
end
$$;

-- Whether the holidays of a calendar are known in a year. A part of a country without days of its own has those of the
-- country, if no part of that country has days of its own.
create function private.has_holidays(p_calendar text, p_year integer) returns boolean
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  c_first constant date := make_date(p_year, 1, 1);
  c_last constant date := make_date(p_year, 12, 31);
  c_country constant text := left(p_calendar, 2);
begin
  return exists (
    select from public.holidays h where h.calendar = p_calendar and h.holiday_date between c_first and c_last
  ) or (
    exists (select from public.holidays h where h.calendar = c_country and h.holiday_date between c_first and c_last)
    -- A range, so that the index serves.
    and not exists (select from public.holidays h where h.calendar between c_country || '-0' and c_country || '-ZZZ')
  );
end
$$;

grant execute on function private.holidays_between(text, date, date) to anon, authenticated;

-- The local dates of lots from the day before p_from to that of p_to, with day_of_week (0 is Sunday) and the bits of the
-- days. for_overnight: the day before, when only windows past midnight can matter. (Others can when clocks reach a
-- midnight twice.)
-- Bit 64 extends the bits of day types (hours/days_and_clocks.sql): rows that name only a day of the week.
create or replace function private.lot_days(p_lot_ids uuid[], p_from timestamptz, p_to timestamptz)
returns table (
  parking_lot_id uuid, time_zone text, local_date date, day_of_week integer, days integer, for_overnight boolean
)
language plpgsql stable rows 50
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_nestloop = off
set jit = off
as $$
begin
  return query
  with lots as materialized (
    select l.id, l.time_zone, l.holiday_calendar as calendar, (p_from at time zone l.time_zone)::date as first_date,
      (p_to at time zone l.time_zone)::date as last_date
    from public.parking_lots l
    where l.id = any (p_lot_ids)
  ),
  dates as materialized (
    select c.calendar, d.local_date, extract(dow from d.local_date)::integer as day_of_week,
      64 | private.date_bits(d.local_date, c.holidays) as days
    from (select min(l.first_date) - 1 as first_date, max(l.last_date) as last_date from lots l) s
    cross join lateral (
      select k.calendar, private.holidays_between(k.calendar, s.first_date, s.last_date + 1) as holidays
      from (select distinct l.calendar from lots l) k
    ) c
    cross join lateral (select s.first_date + n from generate_series(0, s.last_date - s.first_date) n) as d (local_date)
  )
  select l.id, l.time_zone, d.local_date, d.day_of_week, d.days,
    d.local_date < l.first_date and l.first_date::timestamp at time zone l.time_zone <= p_from
  from lots l
  join dates d on d.calendar = l.calendar and d.local_date between l.first_date - 1 and l.last_date;
end
$$;

-- days: the seven local dates of a lot from today on, with the name of the holiday and the date override of each. spans:
-- the three answers, without gaps. Consecutive spans differ.
create or replace function private.week_json(p_lot_id uuid, p_lang text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_lot record;
begin
  select l.time_zone, l.holiday_calendar, (now() at time zone l.time_zone)::date as today into v_lot
  from public.parking_lots l where l.id = p_lot_id;
  return (
    with days as materialized (
      select v_lot.today + n as day, (v_lot.today + n)::timestamp at time zone v_lot.time_zone as starts_at,
        (v_lot.today + n + 1)::timestamp at time zone v_lot.time_zone as ends_at
      from generate_series(0, 6) as n
    ),
    week as materialized (
      select min(d.starts_at) as starts_at, max(d.ends_at) as ends_at from days d
    ),
    answers as materialized (
      select a.*, row(a.is_open, a.can_enter, a.can_exit) is distinct from
        lag(row(a.is_open, a.can_enter, a.can_exit)) over (order by a.at) as is_change
      from week w
      cross join lateral private.hours_at_moments(array[p_lot_id], array[w.starts_at], w.ends_at) a
      where a.at < w.ends_at
    ),
    changes as materialized (
      select a.*, lead(a.at) over (order by a.at) as until from answers a where a.is_change
    )
    select jsonb_build_object(
      'days', (
        select jsonb_agg(
          jsonb_build_object(
            'date', d.day, 'starts_at', d.starts_at, 'ends_at', d.ends_at,
            'holiday', case p_lang when 'en' then coalesce(h.name_en, h.name) else h.name end,
            'date_override_id', o.id
          )
          order by d.day
        )
        from days d
        left join lateral (
          -- The name that the part of a country has for it comes first.
          select o.name, o.name_en from public.holidays o
          where o.calendar in (v_lot.holiday_calendar, left(v_lot.holiday_calendar, 2)) and o.holiday_date = d.day
          order by o.calendar = v_lot.holiday_calendar desc limit 1
        ) h on true
        left join public.parking_lot_date_overrides o on o.parking_lot_id = p_lot_id and o.override_date = d.day
      ),
      'spans', (
        select jsonb_agg(
          jsonb_build_object(
            'from', c.at, 'to', coalesce(c.until, w.ends_at), 'is_open', c.is_open, 'can_enter', c.can_enter,
            'can_exit', c.can_exit
          )
          order by c.at
        )
        from changes c cross join week w
      )
    )
  );
end
$$;

-- The arguments of private.walk_fee for this stay at these lots. A lot without rules has a null tariff.
create or replace function private.stay_tariffs(
  p_lot_ids uuid[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz
) returns table (
  parking_lot_id uuid, time_zone text, currency text, holidays date[], overridden date[], tariff private.tariff, is_priced boolean
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
      coalesce(t.is_priced, true)
    from public.parking_lots l
    left join calendars h on h.calendar = l.holiday_calendar
    left join private.chosen_tariffs(p_lot_ids, p_vehicle_type, v_overridden, c_from, c_to) t on t.parking_lot_id = l.id
    left join private.free_hours(p_lot_ids, p_entry, p_exit) c on c.parking_lot_id = l.id
    where l.id = any (p_lot_ids);
end
$$;

-- The lots among these that have hours (for_hours) or prices (for_fee) for public holidays or their eves on a date of this
-- stay whose holidays are not known. A fee that depends on the hours counts too. Only for the lots of a page; it costs
-- little if the calendars of all of them are known.
create function private.lots_without_holidays(
  p_lot_ids uuid[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz
) returns table (parking_lot_id uuid, for_hours boolean, for_fee boolean)
language plpgsql stable rows 5
security definer -- price lists have no policies; the caller has chosen lots that the user may see
set search_path = ''
set plan_cache_mode = force_generic_plan -- the arguments do not matter to the plans, and planning costs more than running
as $$
declare
  v_calendars text[];
  v_years integer[];
begin
  -- In any zone: the dates of the stay and the day after.
  select array_agg(k.calendar), array_agg(y.year) into v_calendars, v_years
  from (select distinct l.holiday_calendar as calendar from public.parking_lots l where l.id = any (p_lot_ids)) k
  cross join generate_series(
    extract(year from (p_entry at time zone 'UTC')::date - 1)::integer,
    extract(year from (p_exit at time zone 'UTC')::date + 2)::integer
  ) as y (year)
  where not private.has_holidays(k.calendar, y.year);
  if v_calendars is null then
    return;
  end if;
  return query
  with days as materialized (
    -- bits: the day types that cannot be decided. Whether a date is an eve depends on the next one.
    select l.id, d.day, case when u.year = extract(year from d.day) then 48 else 16 end as bits,
      d.day = s.first_date as is_entry,
      d.day = s.first_date or d.day::timestamp at time zone l.time_zone < p_exit as is_charged
    from public.parking_lots l
    cross join lateral (
      select (p_entry at time zone l.time_zone)::date as first_date, (p_exit at time zone l.time_zone)::date as last_date
    ) s
    cross join lateral (select s.first_date + n as day from generate_series(0, s.last_date - s.first_date) n) d
    join unnest(v_calendars, v_years) as u (calendar, year)
      on u.calendar = l.holiday_calendar and u.year in (extract(year from d.day), extract(year from d.day + 1))
    where l.id = any (p_lot_ids)
  ), hours as materialized (
    select distinct d.id
    from days d
    join public.parking_lot_windows w on w.parking_lot_id = d.id
    where private.day_bit(w.day_type) & d.bits <> 0 and private.is_in_effect(w.effective_from, w.effective_to, d.day)
  ), tariffs as materialized (
    select t.parking_lot_id as id, t.tariff, t.overridden
    from private.stay_tariffs(array(select distinct d.id from days d), p_vehicle_type, p_entry, p_exit) t
    where t.is_priced
  ), fees as materialized (
    select t.id from tariffs t join hours h on h.id = t.id where (t.tariff).free_while_closed
    union
    select t.id
    from tariffs t
    cross join lateral unnest(
      (t.tariff).families, (t.tariff).sets, (t.tariff).day_bits, (t.tariff).from_dates, (t.tariff).to_dates
    ) as r (family, set_date, bit, from_date, to_date)
    join days d on d.id = t.id and d.bits & r.bit <> 0 and d.is_charged and (d.is_entry or r.family in ('rate', 'cap'))
      and r.set_date is not distinct from case when d.day = any (t.overridden) then d.day end
      and private.is_in_effect(r.from_date, r.to_date, d.day)
  )
  select coalesce(h.id, f.id), h.id is not null, f.id is not null
  from hours h
  full join fees f on f.id = h.id;
end
$$;

grant execute on function private.lots_without_holidays(uuid[], text, timestamptz, timestamptz) to anon, authenticated;

drop function private.fee_notes(private.tariff, private.fee_walk, private.stay_days[], timestamptz);

-- The codes of fee_note that apply to this fee. p_longest: what the lot allows; null: any length.
create function private.fee_notes(
  p_lot_id uuid, p_vehicle_type text, p_tariff private.tariff, p_walk private.fee_walk, p_days private.stay_days[],
  p_entry timestamptz, p_exit timestamptz, p_longest interval
) returns text[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_notes text[] := '{}';
begin
  -- Rows of weekdays, Saturdays or Sundays were used for a holiday.
  if exists (
    select from unnest(p_days) d
    join unnest(p_tariff.families, p_tariff.sets, p_tariff.day_bits, p_tariff.from_dates, p_tariff.to_dates)
      as t (family, set_date, bit, from_date, to_date)
      on t.set_date is not distinct from d.override_date and (d.is_entry or t.family in ('rate', 'cap'))
      and private.is_in_effect(t.from_date, t.to_date, d.day)
    where d.bits & 32 <> 0
    group by d.override_date, d.day, t.family
    having bit_or(t.bit) & 32 = 0 and bit_or(t.bit) & 14 <> 0
  ) then
    v_notes := v_notes || 'holiday_rates_not_given'::text;
  end if;
  if exists (
    select from unnest(p_walk.windows) w
    where p_tariff.cap_repeats[w.rule] is null and private.instant_of_us(w.ends) < p_exit
  ) then
    v_notes := v_notes || 'cap_repeat_not_given'::text;
  end if;
  if p_exit - p_entry > p_longest then
    v_notes := v_notes || 'exceeds_max_duration'::text;
  end if;
  if exists (
    select from private.lots_without_holidays(array[p_lot_id], p_vehicle_type, p_entry, p_exit) u where u.for_fee
  ) then
    v_notes := v_notes || 'holiday_calendar_unknown'::text;
  end if;
  return v_notes;
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
  v_horizon timestamptz := least(p_now + interval '24 hours', p_entry + interval '8784 hours');
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

-- The eight stays by which tariffs are compared, at a lot's own clock. Their days are the next Wednesday that is neither a
-- holiday nor an eve, and the next Saturday and Sunday that are no holidays. The last one is the next holiday from Monday to
-- Friday; without one, Sunday.
create or replace function private.standard_stays(p_time_zone text, p_holiday_calendar text)
returns table (place integer, name text, entry_at timestamptz, exit_at timestamptz)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  with days as (
    select d as day, extract(isodow from d)::integer as dow,
      d = any (h.dates) as is_holiday, d + 1 = any (h.dates) as is_eve
    from (select (now() at time zone p_time_zone)::date as today) t
    cross join lateral (select private.holidays_between(p_holiday_calendar, t.today, t.today + 401) as dates offset 0) h
    cross join generate_series(1, 400) n
    cross join lateral (select t.today + n as d) s
  ), kinds as (
    select min(day) filter (where dow = 3 and not is_holiday and not is_eve) as weekday,
      min(day) filter (where dow = 6 and not is_holiday) as saturday,
      min(day) filter (where dow = 7 and not is_holiday) as sunday,
      min(day) filter (where dow < 6 and is_holiday) as holiday
    from days
  )
  select s.place, s.name, s.entry, s.entry + s.length
  from kinds k
  cross join lateral (values
    (1, 'hour', k.weekday + time '10:00', interval '1 hour'),
    (2, 'three_hours', k.weekday + time '10:00', interval '3 hours'),
    (3, 'day', k.weekday + time '08:00', interval '12 hours'),
    (4, 'night', k.weekday + time '20:00', interval '12 hours'),
    (5, 'day_and_night', k.weekday + time '10:00', interval '25 hours 30 minutes'),
    (6, 'saturday', k.saturday + time '10:00', interval '8 hours'),
    (7, 'sunday_night', k.sunday + time '21:00', interval '21 hours 30 minutes'),
    (8, 'holiday', coalesce(k.holiday, k.sunday) + time '10:00', interval '6 hours')
  ) v (place, name, wall, length)
  cross join lateral (select v.place, v.name, v.wall at time zone p_time_zone as entry, v.length) s;
end
$$;

-- The hours and the fee of a stay at a lot; null without a stay. Errors: validation_error.
create or replace function private.planned_stay_json(p_lot_id uuid, p_entry timestamptz, p_exit timestamptz, p_vehicle_type text)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_fee record;
begin
  if p_entry is null and p_exit is null then
    return null;
  end if;
  select f.answer, f.refusal into v_fee from private.explained_fee(p_lot_id, p_vehicle_type, p_entry, p_exit) as f;
  return (
    select to_jsonb(s) - 'parking_lot_id' || jsonb_build_object(
        'holiday_calendar_unknown', exists (
          select from private.lots_without_holidays(array[p_lot_id], p_vehicle_type, p_entry, p_exit)
        ),
        'vehicle_type', p_vehicle_type, 'fee', v_fee.answer, 'fee_refusal', v_fee.refusal
      )
    from private.planned_stays(array[p_lot_id], p_entry, p_exit) as s
  );
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
    array(select x.parking_lot_id from fees x order by x.parking_lot_id), array(select x.amount from fees x order by x.parking_lot_id),
    p_vehicle_type, p_entry, p_exit,
    array(select x.parking_lot_id from stays x where x.locked_in), array(select x.next_exit_at from stays x where x.locked_in)
  ) as n on n.parking_lot_id = d.id
  cross join lateral private.usability(
    s.can_enter_at, s.can_exit_at, null, o.state, l.max_parking_duration_min, p_entry, p_exit
  ) as u;
end
$$;

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
      select r.parking_lot_id as id, r.name, r.address, r.lat, r.lng, r.distance_m, r.avg_rating, r.review_count,
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

insert into public.codes (category_id, code, lang, display_label, sort_order) values
  ('fee_note', 'holiday_calendar_unknown', 'ja', 'この期間の祝日が不明です。祝日なら料金が変わることがあります', 50),
  ('fee_note', 'holiday_calendar_unknown', 'en', 'Public holidays are unknown for these dates; on a holiday the fee may differ', 50);
