-- Stay fees: what a stay costs at many lots at once, and the price that search sorts by.
--
-- private.stay_tariffs finds for each lot the arguments of private.walk_fee: its tariff for the vehicle type, its holidays, its
-- overridden dates. private.stay_fees calculates the fees. Triggers on pricing_rules and pricing_groups maintain
-- private.tariffs and parking_lots.hour_price, per statement, because an import writes many rows in one.
--
-- Invariants: calc-fee, finalize, the prices of search and the meter all use private.stay_tariffs and private.walk_fee. For
-- many lots, the simplest stays are priced by private.plain_fee, which has the same result.
-- Row security does not apply in here: the callers have chosen lots that the user may see.
-- A function that prices a stay at many lots first checks its length (private.check_compared_stay) and the number of lots
-- (private.max_priced_lots): the work of a request is bounded.
-- Interface: private.check_compared_stay, private.max_priced_lots, private.reject_pricing; private.stay_fees(lots, vehicle
-- type, entry, exit), private.lots_within_amount; parking_lots.hour_price.

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
  if p_entry is null or p_entry < c_earliest or p_entry >= c_latest then
    perform private.raise_error('validation_error', 422, 'The entry time must be from 2000 to 2099.', 'entry_at');
  elsif p_exit is null or p_exit < c_earliest or p_exit >= c_latest then
    perform private.raise_error('validation_error', 422, 'The exit time must be from 2000 to 2099.', 'exit_at');
  elsif p_exit < p_entry then
    perform private.raise_error('validation_error', 422, 'The exit must not be before the entry.', 'exit_at');
  elsif p_exit > p_entry + interval '8784 hours' then
    perform private.raise_error('validation_error', 422, 'A stay must not be longer than 366 days.', 'exit_at');
  end if;
end
$$;

-- The arguments of private.walk_fee for this stay at these lots. A lot without rules has a null tariff.
create function private.stay_tariffs(
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
      select h.calendar, array_agg(h.holiday_date) as dates
      from public.holidays h
      where h.holiday_date between c_from and c_to
      group by h.calendar
    )
    select l.id, l.time_zone, l.currency, h.dates,
      case when l.id = any (v_overridden) then array(
        select o.override_date from public.parking_lot_date_overrides o
        where o.parking_lot_id = l.id and o.override_date between c_from and c_to and o.pricing is not null
      ) end,
      t.tariff, coalesce(t.is_priced, true)
    from public.parking_lots l
    left join calendars h on h.calendar = l.holiday_calendar
    left join private.chosen_tariffs(p_lot_ids, p_vehicle_type, v_overridden, c_from, c_to) t on t.parking_lot_id = l.id
    where l.id = any (p_lot_ids);
end
$$;

-- The fee of the simplest stay: within one day, one metered rate from entry to exit, below every cap. It equals
-- private.walk_fee and takes a third of the time. Null: use private.walk_fee. Times in microseconds since 1970; for a
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
  v_plan integer;
  v_rule integer := 0;
  v_fee bigint;
begin
  if c_upto > c_day or p_exit = p_entry then
    return null;
  end if;
  if p_tariff.has_entry_rows then
    for v_entry_rule in 1..cardinality(p_tariff.families) loop
      if p_tariff.families[v_entry_rule] = 'initial'
        or (p_tariff.families[v_entry_rule] = 'grace' and p_tariff.units[v_entry_rule] >= p_exit - p_entry)
      then
        return null;
      end if;
    end loop;
  end if;
  v_plan := private.plan_of_day(p_tariff.plan_sets, p_tariff.plan_bits, p_tariff.plan_masks, null,
    private.date_bits(date '1970-01-01' + ((c_local - c_from) / c_day)::integer, p_holidays));
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
  return case when v_fee <= all (array_remove(p_tariff.cap_prices, null)) then v_fee end;
end
$$;

-- The fee of the stay at each of these lots, in minor units; or null and a refusal: no_rules, no_rate,
-- vehicle_type_not_priced. Errors: validation_error (exit_at).
create function private.stay_fees(
  p_lot_ids uuid[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz
) returns table (parking_lot_id uuid, amount bigint, currency text, refusal text)
language plpgsql stable rows 50
security definer -- row security would cost a look-up per rule; the caller has chosen lots that the user may see
set search_path = ''
set plan_cache_mode = force_generic_plan -- the arguments do not matter to the plans, and planning costs more than running
as $$
#variable_conflict use_column
declare
  c_entry constant bigint := extract(epoch from p_entry) * 1000000;
  c_exit constant bigint := extract(epoch from p_exit) * 1000000;
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
      case when f.is_priced or (f.walk).refusal is null then (f.walk).refusal else 'vehicle_type_not_priced' end
    from (
      select s.parking_lot_id, s.currency, s.is_priced, p.plain,
        case when p.plain is null then private.walk_fee(
          case when s.is_priced then s.tariff end, s.time_zone, s.holidays, s.overridden, p_entry, p_exit, false,
          case when s.time_zone = v_time_zone then v_offset end
        ) end as walk
      from private.stay_tariffs(p_lot_ids, p_vehicle_type, p_entry, p_exit) s
      cross join lateral (
        select case when s.is_priced and s.time_zone = v_time_zone and v_offset is not null and s.overridden is null
          then private.plain_fee(s.tariff, s.holidays, c_entry, c_exit, v_offset) end as plain
        offset 0 -- keeps the subquery from being evaluated twice
      ) p
      offset 0
    ) f;
end
$$;

-- The lots among these at which the stay may cost p_amount or less. At every other lot the fee is greater or unknown.
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
  c_stay constant bigint := round(extract(epoch from p_exit - p_entry) * 1000000);
begin
  -- Units cover the stay. If no unit is flat and no cap applies, those after the initial rows cost their least rate or more.
  -- A flat unit costs its price; where a cap applies, its window costs the price of the cap. A long stay has many windows:
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

-- The greatest number of lots at which one request may price this stay: 1,777 for a day or less, 410 for 31 days.
create function private.max_priced_lots(p_entry timestamptz, p_exit timestamptz) returns integer
language plpgsql stable
set search_path = ''
as $$
declare
  -- Pricing a lot costs as much as eight days of its stay. All together: 0.2 s on two slow cores.
  c_max_work constant integer := 16000;
begin
  return c_max_work / (8 + ceil(extract(epoch from p_exit - p_entry) / 86400)::integer);
end
$$;

-- Rejects a request that would price a stay at more lots than private.max_priced_lots. Errors: validation_error;
-- details.reason is too_much_to_price.
create function private.reject_pricing(p_entry timestamptz, p_exit timestamptz) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.raise_error('validation_error', 422,
    format('This search would price more than %s lots. Search a smaller area, a shorter stay or another price range.',
      private.max_priced_lots(p_entry, p_exit)),
    p_details => '{"reason": "too_much_to_price"}');
end
$$;

grant execute on function
  private.check_compared_stay(timestamptz, timestamptz, text),
  private.max_priced_lots(timestamptz, timestamptz),
  private.reject_pricing(timestamptz, timestamptz),
  private.stay_fees(uuid[], text, timestamptz, timestamptz),
  private.lots_within_amount(uuid[], text, timestamptz, timestamptz, numeric)
to anon, authenticated, service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Keeping tariffs and hour_price
-- ---------------------------------------------------------------------------------------------------------------------

-- The hour_price of each lot, calculated from its tariffs.
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
  cross join lateral private.walk_fee(
    t.tariff, 'UTC', null, null, timestamptz '2026-06-03 12:00:00+00', timestamptz '2026-06-03 13:00:00+00', false, 0
  ) w;
end
$$;

-- Compiles the price lists of these lots again, and writes their hour_price.
create function private.refresh_tariffs(p_lot_ids uuid[]) returns void
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
    return;
  end if;
  delete from private.tariffs where parking_lot_id = any (v_lot_ids);
  insert into private.tariffs (
    parking_lot_id, place, is_default, vehicle_types, longest_grace, initial_time, least_rate, least_price, least_pace, tariff
  )
  select c.parking_lot_id, c.place, c.is_default, c.vehicle_types, b.longest_grace, b.initial_time, b.least_rate,
    b.least_price, private.least_pace(c.tariff), c.tariff
  from private.compiled_tariffs(v_lot_ids) c
  cross join lateral private.tariff_bounds(c.tariff) b
  -- A default list without rules has the same meaning as no list.
  where not (c.is_default and c.vehicle_types is null and (c.tariff).rule_ids is null);
  update public.parking_lots l
  set hour_price = p.hour_price
  from private.hour_prices(v_lot_ids) p
  where l.id = p.parking_lot_id and l.hour_price is distinct from p.hour_price;
end
$$;

grant execute on function private.refresh_tariffs(uuid[]) to service_role;

-- Compiles the tariffs and hour_price of the lots whose prices a statement changed.
-- For pricing_rules and pricing_groups.
create function private.tg_price_rows__refresh_tariffs() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  v_lot_ids uuid[];
begin
  if tg_op = 'TRUNCATE' then
    v_lot_ids := array(select l.id from public.parking_lots l);
  elsif tg_op = 'UPDATE' then
    select array_agg(distinct r.parking_lot_id) into v_lot_ids
    from (select parking_lot_id from rows_before union all select parking_lot_id from rows_changed) r;
  else
    select array_agg(distinct r.parking_lot_id) into v_lot_ids from rows_changed r;
  end if;
  if v_lot_ids is not null then
    perform private.refresh_tariffs(v_lot_ids);
  end if;
  return null;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Stay costs
-- ---------------------------------------------------------------------------------------------------------------------

grant execute on function private.check_stay(timestamptz, timestamptz) to anon, authenticated;
