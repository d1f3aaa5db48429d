-- Stay fees: what a stay costs at many lots at once, and the price that search sorts by.
--
-- private.stay_tariffs finds for each lot the arguments of private.compute_fee: its tariff for the vehicle type, its holidays, its
-- overridden dates. private.stay_fees calculates the fees. Triggers on pricing_rules and pricing_groups maintain
-- private.tariffs and parking_lots.hour_price, per statement, because an import writes many rows in one.
--
-- Invariants: calc-fee, finalize, the prices of search and the meter all use private.stay_tariffs and private.compute_fee. For
-- many lots, the simplest stays are priced by private.plain_fee, which has the same result.
-- Row security does not apply in here: the callers have chosen lots that the user may see.
-- A function that prices a stay at many lots first checks its length (private.check_compared_stay) and the number of lots
-- (private.max_priced_lots): the work of a request is bounded.
-- Interface: private.check_compared_stay, private.max_priced_lots, private.reject_pricing; private.stay_fees(lots, vehicle
-- type, entry, exit), private.lots_without_holidays, private.lots_within_amount; parking_lots.hour_price.

-- ---------------------------------------------------------------------------------------------------------------------
-- Pricing
-- ---------------------------------------------------------------------------------------------------------------------

-- Checks entry and exit of a stay. Errors: validation_error, with the param entry_at or exit_at.
create function private.check_stay(p_entry timestamptz, p_exit timestamptz) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  -- Beyond these years, offsets have seconds and years have five digits, which clients do not read.
  c_earliest constant timestamptz := timestamptz '2000-01-01 00:00:00+00';
  c_latest constant timestamptz := timestamptz '2100-01-01 00:00:00+00';
begin
  if p_entry is null or p_exit is null then
    perform private.raise_error('validation_error', 422, 'A stay requires entry_at and exit_at.',
      p_param => case when p_entry is null then 'entry_at' else 'exit_at' end);
  elsif p_entry < c_earliest or p_entry >= c_latest then
    perform private.raise_error('validation_error', 422, 'The entry time must be from 2000 to 2099.', 'entry_at');
  elsif p_exit < c_earliest or p_exit >= c_latest then
    perform private.raise_error('validation_error', 422, 'The exit time must be from 2000 to 2099.', 'exit_at');
  elsif p_exit < p_entry then
    perform private.raise_error('validation_error', 422, 'The exit must not be before the entry.', 'exit_at');
  elsif p_exit > p_entry + interval '8784 hours' then
    perform private.raise_error('validation_error', 422, 'A stay must not be longer than 366 days.', 'exit_at');
  end if;
end
$$;

-- The exit of the stay that is priced: a stay lasts whole seconds, from the second of its entry, and at least one if it is
-- not empty. So a fraction of a second begins no further unit and ends no grace. The entry is date_trunc('second', p_entry).
create function private.priced_exit(p_entry timestamptz, p_exit timestamptz) returns timestamptz
language sql stable parallel safe
return case when p_exit > p_entry then greatest(
  date_trunc('second', p_exit - (p_entry - date_trunc('second', p_entry))),
  date_trunc('second', p_entry) + interval '1 second'
) when p_exit <= p_entry then date_trunc('second', p_entry) end;

-- When the lots among these are closed that may charge nothing then: from the entry of a stay to the fortnight after its
-- exit, by their business hours. The starts and ends in order, in microseconds since 1970. Dates without known hours are
-- not closed.
create function private.free_hours(p_lot_ids uuid[], p_entry timestamptz, p_exit timestamptz)
returns table (parking_lot_id uuid, closed_from bigint[], closed_to bigint[])
language plpgsql stable rows 5
set search_path = ''
as $$
declare
  c_lot_ids constant uuid[] := array(
    select distinct g.parking_lot_id from public.pricing_groups g
    where g.parking_lot_id = any (p_lot_ids) and g.free_while_closed
  );
begin
  if c_lot_ids = '{}' then
    return;
  end if;
  return query
  with closed as (
    select h.parking_lot_id, range_agg(tstzrange(d.day_start, greatest(d.day_start, d.day_end))) filter (where h.is_known)
      - coalesce(range_agg(tstzrange(h.starts_at, h.ends_at)) filter (where h.starts_at < h.ends_at), '{}') as hours
    from private.hours_of_days(c_lot_ids, p_entry, p_exit + interval '15 days') h
    cross join lateral (
      select h.local_date::timestamp at time zone h.time_zone as day_start,
        (h.local_date + 1)::timestamp at time zone h.time_zone as day_end
    ) d
    where h.for_open
    group by h.parking_lot_id
  )
  select c.parking_lot_id, array_agg((extract(epoch from lower(r)) * 1000000)::bigint order by r),
    array_agg((extract(epoch from upper(r)) * 1000000)::bigint order by r)
  from closed c
  cross join lateral unnest(c.hours) as r
  group by c.parking_lot_id;
end
$$;

-- The tariff for a stay that is not priced moment by moment: by the rules of one date (p_priced_on: the date of an entry
-- that fixes the prices), or without these closed hours.
create function private.tariff_of_stay(p_tariff private.tariff, p_priced_on date, p_closed_from bigint[], p_closed_to bigint[])
returns private.tariff
language plpgsql immutable
set search_path = ''
as $$
declare
  v_result private.tariff := case when p_priced_on is null then p_tariff
    else private.tariff_between(p_tariff, p_priced_on, p_priced_on) end;
begin
  if v_result.free_while_closed then
    v_result.closed_from := p_closed_from;
    v_result.closed_to := p_closed_to;
  end if;
  return v_result;
end
$$;

-- The arguments of private.compute_fee for this stay at these lots, and the longest stay that each allows. A lot without rules
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

-- The fee of the simplest stay: within one day, one metered rate from entry to exit, below every cap. It equals
-- private.compute_fee and takes a third of the time. Null: use private.compute_fee. Times in microseconds since 1970; for a
-- tariff without rows of date overrides.
create function private.plain_fee(p_tariff private.tariff, p_holidays date[], p_entry bigint, p_exit bigint, p_offset bigint)
returns bigint
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_day constant bigint := 86400000000;
  c_local constant bigint := p_entry + p_offset;
  c_from constant bigint := (c_local % c_day + c_day) % c_day; -- by the wall clock
  c_upto constant bigint := c_from + p_exit - p_entry;
  c_date constant date := date '1970-01-01' + ((c_local - c_from) / c_day)::integer;
  v_plan integer;
  v_rule integer := 0;
  v_fee bigint;
begin
  if c_upto > c_day or p_exit = p_entry or p_tariff.closed_from is not null then
    return null;
  end if;
  if p_tariff.has_entry_rows then
    for v_entry_rule in 1..cardinality(p_tariff.families) loop
      if p_tariff.families[v_entry_rule] in ('initial', 'published_total')
        or (p_tariff.families[v_entry_rule] = 'grace' and p_tariff.units[v_entry_rule] >= p_exit - p_entry)
      then
        return null;
      end if;
    end loop;
  end if;
  v_plan := private.plan_of_day(p_tariff.plan_sets, p_tariff.plan_bits, p_tariff.plan_masks, null,
    private.date_bits(c_date, p_holidays), p_tariff.plan_from, p_tariff.plan_to, c_date);
  if v_plan = 0 then
    return null;
  end if;
  for v_edge in p_tariff.plan_firsts[v_plan]..p_tariff.plan_firsts[v_plan + 1] - 1 loop
    if p_tariff.edges[v_edge] <= c_from then
      v_rule := p_tariff.edge_rules[v_edge];
    elsif p_tariff.edges[v_edge] < c_upto then
      return null;
    end if;
  end loop;
  -- Null without a rate, or with a flat rate.
  v_fee := (p_exit - p_entry + p_tariff.units[v_rule] - 1) / p_tariff.units[v_rule] * p_tariff.prices[v_rule];
  return case when p_tariff.max_units[v_rule] is null and v_fee <= all (array_remove(p_tariff.cap_prices, null)) then v_fee end;
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
        case when p.plain is null then private.compute_fee(
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
create function private.lots_within_amount(
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

-- Rejects a stay longer than 31 days, which a search does not price. Errors: validation_error, with the param p_param.
create function private.check_compared_stay(p_entry timestamptz, p_exit timestamptz, p_param text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_exit > p_entry + interval '744 hours' then
    perform private.raise_error('validation_error', 422, 'A stay that is priced at many lots must not be longer than 31 days.', p_param);
  end if;
end
$$;

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
  private.check_compared_stay(timestamptz, timestamptz, text),
  private.max_priced_lots(timestamptz, timestamptz, boolean),
  private.reject_pricing(timestamptz, timestamptz, boolean),
  private.stay_fees(uuid[], text, timestamptz, timestamptz),
  private.lots_within_amount(uuid[], text, timestamptz, timestamptz, numeric)
to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Keeping tariffs and hour_price
-- ---------------------------------------------------------------------------------------------------------------------

-- The hour_price of each lot, calculated from its tariffs by the rules in effect today.
create function private.hour_prices(p_lot_ids uuid[]) returns table (parking_lot_id uuid, hour_price integer)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  -- Without holidays, overrides and changes of the clock, every zone is like UTC and every Wednesday like this one.
  select lot_id, case when w.total <= 2147483647 then w.total::integer end
  from unnest(p_lot_ids) as lot_id
  left join private.chosen_tariffs(p_lot_ids, 'standard') t on t.parking_lot_id = lot_id and t.is_priced
  left join public.parking_lots l on l.id = lot_id
  cross join lateral (select (now() at time zone l.time_zone)::date as date) today
  cross join lateral private.compute_fee(
    private.tariff_between(t.tariff, today.date, today.date), 'UTC', null, null, timestamptz '2026-06-03 12:00:00+00', timestamptz '2026-06-03 13:00:00+00', false, 0
  ) w;
end
$$;

-- Raises validation_error if a published total of one of these lots is lower than that of a shorter stay, for the same
-- vehicles, days, hours and dates.
create function private.check_published_totals(p_lot_ids uuid[]) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_minutes integer;
begin
  select s.per_minutes into v_minutes
  from (
    select r.per_minutes, r.price_minor, max(r.price_minor) over (
        partition by r.parking_lot_id, case when not g.is_default then g.id end, coalesce(r.day_type, 'all'), r.time_start,
          r.time_end, r.effective_from, r.effective_to
        order by r.per_minutes
      ) as most
    from public.pricing_rules r
    left join public.pricing_groups g on g.id = r.pricing_group_id
    where r.parking_lot_id = any (p_lot_ids) and r.category = 'published_total'
  ) s
  where s.price_minor < s.most
  order by s.per_minutes limit 1;
  if found then
    perform private.raise_error('validation_error', 422,
      format('The published total of %s minutes is lower than that of a stay that is not longer. Correct one of them.', v_minutes),
      p_param => 'pricing_rules');
  end if;
end
$$;

-- Writes the hour_price of these lots, and the date on which their lists change next where that date has come. Returns the
-- lots whose hour_price changed.
create function private.refresh_hour_prices(p_lot_ids uuid[]) returns uuid[]
language plpgsql
security definer -- no role may write compiled price lists or hour prices
set search_path = ''
as $$
declare
  v_changed uuid[];
begin
  update private.tariffs t
  set changes_on = private.next_price_date(t.tariff, (now() at time zone l.time_zone)::date)
  from public.parking_lots l
  where t.parking_lot_id = any (p_lot_ids) and l.id = t.parking_lot_id
    and t.changes_on <= (now() at time zone l.time_zone)::date;
  with changed as (
    update public.parking_lots l
    set hour_price = p.hour_price
    from private.hour_prices(p_lot_ids) p
    where l.id = p.parking_lot_id and l.hour_price is distinct from p.hour_price
    returning l.id
  )
  select array_agg(c.id) into v_changed from changed c;
  return coalesce(v_changed, '{}');
end
$$;

-- Compiles the price lists of these lots again, and writes their hour_price. Errors: validation_error (pricing_rules).
create function private.refresh_tariffs(p_lot_ids uuid[]) returns uuid[]
language plpgsql
security definer -- no role may write compiled price lists; a role that may write rules may have them compiled
set search_path = ''
as $$
declare
  v_lot_ids uuid[];
begin
  -- Locked in one order first: the statements below then see what a concurrent writer of the same lot committed.
  select array_agg(l.id) into v_lot_ids
  from (select id from public.parking_lots where id = any (p_lot_ids) order by id for no key update) l;
  if v_lot_ids is null then
    return '{}';
  end if;
  perform private.check_published_totals(v_lot_ids);
  delete from private.tariffs where parking_lot_id = any (v_lot_ids);
  insert into private.tariffs (
    parking_lot_id, place, is_default, vehicle_types, longest_grace, initial_time, least_rate, least_price, least_pace, tariff,
    changes_on
  )
  select c.parking_lot_id, c.place, c.is_default, c.vehicle_types, b.longest_grace, b.initial_time, b.least_rate,
    b.least_price, private.least_pace(c.tariff), c.tariff,
    private.next_price_date(c.tariff, (now() at time zone l.time_zone)::date)
  from private.compiled_tariffs(v_lot_ids) c
  join public.parking_lots l on l.id = c.parking_lot_id
  cross join lateral private.tariff_bounds(c.tariff) b
  -- A default list without rules has the same meaning as no list.
  where not (c.is_default and c.vehicle_types is null and (c.tariff).rule_ids is null);
  return private.refresh_hour_prices(v_lot_ids);
end
$$;

-- Refreshes up to p_count lots on whose calendar other rules came into effect: hour_price, their search entries and the
-- queue of changed lots. Their lists stay as compiled: no rule changed. Returns whether there may be more.
create function private.next_price_change_batch(p_count integer default 500) returns boolean
language plpgsql
security definer -- the job reads and writes compiled price lists
set search_path = ''
as $$
declare
  v_lot_ids uuid[];
  v_written uuid[];
begin
  -- It is tomorrow somewhere before it is in UTC.
  select array_agg(d.id) into v_lot_ids
  from (
    select distinct l.id
    from private.tariffs t
    join public.parking_lots l on l.id = t.parking_lot_id
    where t.changes_on <= (now() at time zone 'UTC')::date + 1 and t.changes_on <= (now() at time zone l.time_zone)::date
    order by l.id limit p_count
  ) d;
  if v_lot_ids is null then
    return false;
  end if;
  -- In the order of all writers of lots.
  perform l.id from public.parking_lots l where l.id = any (v_lot_ids) order by l.id for no key update;
  v_written := private.refresh_hour_prices(v_lot_ids);
  -- The trigger of parking_lots has refreshed and queued the lots whose hour price changed.
  v_lot_ids := array(select unnest(v_lot_ids) except select unnest(v_written));
  perform private.refresh_search_entries(v_lot_ids);
  perform private.queue_lot_changes(v_lot_ids);
  return true;
end
$$;

grant execute on function private.check_stay(timestamptz, timestamptz) to anon, authenticated;
