-- Tariffs: price lists compiled for private.compute_fee, which prices a stay (docs/domains/fees.md).
--
-- A tariff is the rules of one pricing group of a lot as parallel arrays. The best row comes first: by day type from the most
-- specific to all, then by rule_order, then by id. A tariff also has, for every kind of day, the rule in force from each edge
-- of the clock, and the series of caps. It is compiled when rules are written, so that a search prices fifty lots with fifty
-- look-ups. Where a date override is near the stay, the tariffs of the lot are compiled for that stay, with its rows.
--
-- A rule with dates is in effect on these dates only. A tariff has all rules of its group, past and future ones too, and
-- plans for each period without a change. So no tariff is ever out of date; only hour_price and the attributes of a search
-- are (private.next_price_change_batch).
--
-- Invariants: private.tariffs always equals the compiled pricing_rules and pricing_groups (private.refresh_tariffs).
-- Interface: private.compiled_tariffs(lots, from, to); private.chosen_tariffs(lots, vehicle type, ...).

-- ---------------------------------------------------------------------------------------------------------------------
-- Packing rules into arrays
-- ---------------------------------------------------------------------------------------------------------------------

-- The rules of these lots by pricing group, as arrays without plans and series, with the rows of date overrides from
-- p_from to p_to. A group without rules has a null tariff.
create function private.packed_tariffs(p_lot_ids uuid[], p_from date, p_to date)
returns table (parking_lot_id uuid, place integer, is_default boolean, vehicle_types text[], tariff private.tariff)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  with lists as (
    -- One tariff for each group that is not the default, and one for the default group and the rules without a group.
    select g.parking_lot_id, g.id as group_id, g.display_order, g.vehicle_types, g.free_while_closed
    from public.pricing_groups g
    where g.parking_lot_id = any (p_lot_ids) and not g.is_default
    union all
    select lot_id, null, coalesce(g.display_order, 0), g.vehicle_types, g.free_while_closed
    from unnest(p_lot_ids) as lot_id
    left join public.pricing_groups g on g.parking_lot_id = lot_id and g.is_default
  ), rules as (
    select r.parking_lot_id, case when not g.is_default then g.id end as group_id, r.id, null::date as set_date, 0 as place,
      r.category, r.rule_order, r.time_start, r.time_end, r.day_type, r.per_minutes, r.price_minor, r.cap_type,
      r.cap_duration_hours, r.cap_price_minor, r.cap_repeat, r.effective_from, r.effective_to, r.max_units
    from public.pricing_rules r
    left join public.pricing_groups g on g.id = r.pricing_group_id
    where r.parking_lot_id = any (p_lot_ids)
    union all
    -- The prices of a date apply to every group.
    select l.parking_lot_id, l.group_id, null, o.override_date, n.place::integer,
      t.category, coalesce(t.rule_order, n.place::integer), t.time_start, t.time_end, t.day_type, t.per_minutes,
      t.price_minor, t.cap_type, t.cap_duration_hours, t.cap_price_minor, t.cap_repeat, null, null, t.max_units
    from lists l
    join public.parking_lot_date_overrides o on o.parking_lot_id = l.parking_lot_id
    cross join jsonb_array_elements(o.pricing) with ordinality as n (rule, place)
    cross join jsonb_populate_record(null::private.pricing_terms, n.rule) as t
    where o.override_date between p_from and p_to
  ), ordered as (
    select r.parking_lot_id, r.group_id, r.id, r.set_date, r.per_minutes, r.price_minor, r.cap_type,
      r.cap_duration_hours, r.cap_price_minor, r.cap_repeat, r.effective_from, r.effective_to, r.max_units, l.free_while_closed,
      private.day_bit(r.day_type) as day_bit,
      case when r.category in ('time_band', 'flat') then 'rate' else r.category end as family,
      date_part('epoch', r.time_start) * 1000000 as start_us,
      case r.time_end when '00:00' then 86400000000 else date_part('epoch', r.time_end) * 1000000 end as end_us
    from rules r
    join lists l on l.parking_lot_id = r.parking_lot_id and l.group_id is not distinct from r.group_id
    order by r.parking_lot_id, r.group_id, day_bit desc, r.rule_order, r.id, r.place
  ), packed as (
    select o.parking_lot_id, o.group_id, row (
      array_agg(o.id), array_agg(o.family), array_agg(o.set_date), array_agg(o.day_bit),
      array_agg(o.start_us::bigint), array_agg(o.end_us::bigint), array_agg(o.per_minutes * bigint '60000000'),
      array_agg(o.price_minor::bigint), array_agg(o.cap_type), array_agg((o.cap_duration_hours * 3600000000)::bigint),
      array_agg(o.cap_price_minor::bigint), array_agg(o.cap_repeat), bool_or(o.family in ('grace', 'initial', 'published_total')),
      null, null, null, null, null, null, null, null, null,
      case when count(o.effective_from) + count(o.effective_to) > 0 then array_agg(o.effective_from) end,
      case when count(o.effective_from) + count(o.effective_to) > 0 then array_agg(o.effective_to) end,
      null, null, nullif(bool_or(o.free_while_closed), false), null, null,
      case when count(o.max_units) > 0 then array_agg(o.max_units) end, null, null
    )::private.tariff as tariff
    from ordered o
    group by o.parking_lot_id, o.group_id
  )
  select l.parking_lot_id,
    row_number() over (partition by l.parking_lot_id order by l.display_order, l.group_id)::integer,
    l.group_id is null, l.vehicle_types, p.tariff
  from lists l
  left join packed p on p.parking_lot_id = l.parking_lot_id and p.group_id is not distinct from l.group_id;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Compiling
-- ---------------------------------------------------------------------------------------------------------------------

-- Whether a band contains a time of day. All in microseconds since midnight. Null p_start: there is no band, and every
-- time of day is in it.
create function private.band_holds(p_start bigint, p_end bigint, p_at bigint) returns boolean
language sql immutable parallel safe
return p_start is null
  or case when p_start < p_end then p_at >= p_start and p_at < p_end else p_at >= p_start or p_at < p_end end;

-- Whether a rule with these dates is in effect on a date. A null date is no bound.
create function private.is_in_effect(p_from date, p_to date, p_date date) returns boolean
language sql immutable parallel safe
return coalesce(p_from <= p_date, true) and coalesce(p_to >= p_date, true);

-- The tariff with its series of caps: cap rows of one kind that share their windows, and each cap of a single rate.
create function private.with_series(p_tariff private.tariff) returns private.tariff
language plpgsql immutable
set search_path = ''
as $$
declare
  v_result private.tariff := p_tariff;
  v_types constant text[] := p_tariff.cap_types;
  v_series integer[] := '{}';
  v_rates integer[] := '{}';
  v_plain boolean[] := '{}';
  v_is_own boolean;
  v_same integer;
  v_first integer;
begin
  for v_rule in 1..cardinality(v_types) loop
    continue when v_types[v_rule] is null;
    v_is_own := p_tariff.families[v_rule] <> 'cap';
    v_same := 0;
    for v_other in 1..case when v_is_own then 0 else cardinality(v_series) end loop
      v_first := v_series[v_other];
      if v_rates[v_other] = 0 and v_types[v_first] = v_types[v_rule]
        and p_tariff.cap_spans[v_first] is not distinct from p_tariff.cap_spans[v_rule]
        and (
          v_types[v_rule] <> 'band'
          or (p_tariff.starts[v_first] = p_tariff.starts[v_rule] and p_tariff.ends[v_first] = p_tariff.ends[v_rule])
        )
      then
        v_same := v_other;
      end if;
    end loop;
    if v_same > 0 then
      v_plain[v_same] := false;
      continue;
    end if;
    v_series := v_series || v_rule;
    v_rates := v_rates || case when v_is_own then 0 + v_rule else 0 end;
    v_plain := v_plain || (
      v_is_own or (
        p_tariff.day_bits[v_rule] = 1 and (v_types[v_rule] = 'band' or p_tariff.starts[v_rule] is null)
        and array_remove(p_tariff.sets, null) = '{}'
        and p_tariff.from_dates[v_rule] is null and p_tariff.to_dates[v_rule] is null
      )
    );
  end loop;
  v_result.series := v_series;
  v_result.series_rates := v_rates;
  v_result.series_plain := v_plain;
  return v_result;
end
$$;

-- The tariff with a plan for each kind of day, and for each period in which the same rates are in effect: which rate is in
-- force from which time of day. The best row comes first, so the first match is taken.
create function private.with_plans(p_tariff private.tariff) returns private.tariff
language plpgsql immutable
set search_path = ''
as $$
declare
  -- A sign has fewer steps. The work of a stay is bounded.
  c_max_next constant integer := 20;
  v_result private.tariff := p_tariff;
  v_bits constant integer[] := p_tariff.day_bits;
  v_starts constant bigint[] := p_tariff.starts;
  v_ends constant bigint[] := p_tariff.ends;
  v_set record;
  v_mask integer;
  v_mark bigint;
  v_rate integer;
  v_rule integer;
  v_last integer;
  v_next integer;
  v_next_firsts integer[] := '{}';
  v_next_rates integer[] := '{}';
  v_sets date[] := '{}';
  v_plan_bits integer[] := '{}';
  v_masks integer[] := '{}';
  v_firsts integer[] := '{}';
  v_edges bigint[] := '{}';
  v_edge_rules integer[] := '{}';
  v_plan_from date[] := '{}';
  v_plan_to date[] := '{}';
begin
  for v_set in
    with starts as (
      -- The dates on which rates begin, and those after their last dates. The first period has no start.
      select null::date as first_date
      union
      select d.first_date
      from unnest(p_tariff.families, p_tariff.from_dates, p_tariff.to_dates) as r (family, from_date, to_date)
      cross join lateral (values (r.from_date), (r.to_date + 1)) as d (first_date)
      where r.family = 'rate'
    ), periods as (
      select s.first_date, lead(s.first_date) over (order by s.first_date nulls first) - 1 as last_date from starts s
    )
    select r.set_date, p.first_date, p.last_date, bit_or(r.bits) as bits, array_agg(r.rule::integer order by r.rule) as rates,
      -- Where a band begins or ends, the rate may change.
      array(select distinct m from unnest(array_agg(r.band_from) || array_agg(r.band_to) || bigint '0') as m
        where m < 86400000000 order by m) as marks
    from unnest(p_tariff.families, p_tariff.sets, v_bits, v_starts, v_ends, p_tariff.from_dates, p_tariff.to_dates)
      with ordinality as r (family, set_date, bits, band_from, band_to, from_date, to_date, rule)
    join periods p on case
      when r.set_date is not null then p.first_date is null
      else coalesce(r.from_date <= p.first_date, r.from_date is null) and coalesce(r.to_date >= p.last_date, r.to_date is null) end
    where r.family = 'rate'
    group by r.set_date, p.first_date, p.last_date
  loop
    -- The day types of a weekday, a Saturday, a Sunday, each also as an eve, and a holiday, as far as rates name them.
    foreach v_mask in array array(select distinct m & v_set.bits from unnest('{3,5,9,19,21,25,33}'::integer[]) as m) loop
      v_sets := v_sets || v_set.set_date;
      v_plan_from := v_plan_from || case when v_set.set_date is null then v_set.first_date end;
      v_plan_to := v_plan_to || case when v_set.set_date is null then v_set.last_date end;
      v_plan_bits := v_plan_bits || v_set.bits;
      v_masks := v_masks || v_mask;
      v_firsts := v_firsts || cardinality(v_edges) + 1;
      v_last := null;
      foreach v_mark in array v_set.marks loop
        v_rule := 0;
        v_next := cardinality(v_next_rates);
        foreach v_rate in array v_set.rates loop
          continue when v_bits[v_rate] & v_mask = 0 or not private.band_holds(v_starts[v_rate], v_ends[v_rate], v_mark);
          if v_rule = 0 then
            v_rule := v_rate;
          else
            v_next_rates := v_next_rates || v_rate;
          end if;
          exit when p_tariff.max_units[v_rate] is null or cardinality(v_next_rates) = v_next + c_max_next;
        end loop;
        -- Where units are counted, a later rate may change, or an occurrence begin, while the first rate stays.
        continue when v_rule = v_last and p_tariff.max_units is null;
        v_edges := v_edges || v_mark;
        v_edge_rules := v_edge_rules || v_rule;
        v_next_firsts := v_next_firsts || v_next + 1;
        v_last := v_rule;
      end loop;
    end loop;
  end loop;
  v_result.plan_from := case when p_tariff.from_dates is not null then v_plan_from end;
  v_result.plan_to := case when p_tariff.from_dates is not null then v_plan_to end;
  v_result.plan_sets := v_sets;
  v_result.plan_bits := v_plan_bits;
  v_result.plan_masks := v_masks;
  v_result.plan_firsts := v_firsts || cardinality(v_edges) + 1;
  v_result.edges := v_edges;
  v_result.edge_rules := v_edge_rules;
  if p_tariff.max_units is not null then
    v_result.next_firsts := v_next_firsts || cardinality(v_next_rates) + 1;
    v_result.next_rates := v_next_rates;
  end if;
  return v_result;
end
$$;

-- The lower bounds of the fees of a tariff of the lot's own rules, without rows of date overrides.
create function private.tariff_bounds(
  p_tariff private.tariff, out longest_grace bigint, out initial_time bigint, out least_rate double precision, out least_price bigint
)
language plpgsql immutable
set search_path = ''
as $$
declare
  c_families constant text[] := p_tariff.families;
  c_units constant bigint[] := p_tariff.units;
  c_prices constant bigint[] := p_tariff.prices;
  c_cap_prices constant bigint[] := p_tariff.cap_prices;
begin
  longest_grace := 0;
  initial_time := 0;
  for v_rule in 1..coalesce(cardinality(c_families), 0) loop
    if c_families[v_rule] = 'grace' then
      longest_grace := greatest(longest_grace, c_units[v_rule]);
    elsif c_families[v_rule] = 'initial' then
      initial_time := initial_time + c_units[v_rule];
    elsif c_families[v_rule] = 'published_total' or (c_families[v_rule] = 'rate' and c_units[v_rule] is null) then
      least_price := least(least_price, c_prices[v_rule]);
    elsif c_families[v_rule] = 'rate' then
      least_rate := least(least_rate, c_prices[v_rule]::double precision / c_units[v_rule]);
    end if;
    least_price := least(least_price, c_cap_prices[v_rule]);
  end loop;
  if p_tariff.free_while_closed then
    least_price := 0;
  end if;
end
$$;

-- The lowest average price per microsecond of a stay after its initial rows; 0 where it depends on the length of the
-- stay. For a compiled tariff of the lot's own rules.
-- Let J be the window of a cap that was reached, extended by the longest unit, because the last unit that it makes free may
-- end after it. All free time is in some J, and a window that was reached costs the price of its cap. With one series of
-- caps no two windows overlap, so that the time in all J costs cap / J or more. With several series, some of the windows
-- that do not overlap cover half of that time or more. All other time is paid at its rate.
create function private.least_pace(p_tariff private.tariff) returns double precision
language plpgsql immutable
set search_path = ''
as $$
declare
  c_hour constant bigint := 3600000000;
begin
  return (
    with terms as (
      select r.family, r.unit, r.price, r.cap_type, r.cap_span, r.cap_price,
        -- The length of a band; the clock may be set back in it.
        case when r.starts < r.ends then r.ends - r.starts else r.ends - r.starts + 24 * c_hour end + c_hour as band
      from unnest(
        p_tariff.families, p_tariff.units, p_tariff.prices, p_tariff.cap_types, p_tariff.cap_spans, p_tariff.cap_prices,
        p_tariff.starts, p_tariff.ends
      ) as r (family, unit, price, cap_type, cap_span, cap_price, starts, ends)
    ), spans as (
      -- Null: as long as the stay.
      select t.price, coalesce(t.unit, t.band) as unit, t.family, t.cap_price,
        case t.cap_type when 'duration' then t.cap_span when 'day' then 25 * c_hour when 'band' then t.band end as cap_span
      from terms t
    )
    select case
        when p_tariff.free_while_closed or bool_or(s.family = 'published_total' or (s.family = 'rate' and s.unit is null)) or bool_or(s.cap_price is not null and s.cap_span is null) then 0
        else coalesce(least(
          min(s.price::double precision / s.unit) filter (where s.family = 'rate'),
          min(s.cap_price::double precision / (s.cap_span + l.longest)) / case when cardinality(p_tariff.series) > 1 then 2 else 1 end
        ), 0) end
    from spans s
    cross join (select max(u.unit) as longest from spans u where u.family = 'rate') l
  );
end
$$;

-- The tariff of the rules that are in effect on any date from p_from to p_to, with their dates. Rules that are in effect on
-- all of them have none. For one date it is a tariff without dates.
create function private.tariff_between(p_tariff private.tariff, p_from date, p_to date) returns private.tariff
language plpgsql immutable
set search_path = ''
as $$
declare
  v_rules integer[];
  v_sets date[];
  v_result private.tariff;
begin
  if p_tariff.from_dates is null then
    return p_tariff;
  end if;
  select array_agg(r.rule::integer order by r.rule), array_agg(r.set_date order by r.rule) into v_rules, v_sets
  from unnest(p_tariff.sets, p_tariff.from_dates, p_tariff.to_dates) with ordinality as r (set_date, from_date, to_date, rule)
  where coalesce(r.from_date <= p_to, true) and coalesce(r.to_date >= p_from, true);
  v_result := private.picked_tariff(p_tariff, v_rules, v_sets);
  if v_result.rule_ids is null then
    return v_result;
  end if;
  select array_agg(case when r.from_date > p_from then r.from_date end order by r.rule),
    array_agg(case when r.to_date < p_to then r.to_date end order by r.rule)
  into v_result.from_dates, v_result.to_dates
  from unnest(v_result.from_dates, v_result.to_dates) with ordinality as r (from_date, to_date, rule);
  if array_remove(v_result.from_dates || v_result.to_dates, null) = '{}' then
    v_result.from_dates := null;
    v_result.to_dates := null;
  end if;
  return private.with_plans(private.with_series(v_result));
end
$$;

-- The next date after p_date on which other rules are in effect; null: none.
create function private.next_price_date(p_tariff private.tariff, p_date date) returns date
language plpgsql immutable
set search_path = ''
as $$
begin
  if p_tariff.from_dates is null then
    return null;
  end if;
  return (
    select min(d.at)
    from unnest(p_tariff.from_dates, p_tariff.to_dates) as r (from_date, to_date)
    cross join lateral (values (r.from_date), (r.to_date + 1)) as d (at)
    where d.at > p_date
  );
end
$$;

-- The tariffs of these lots by pricing group, with the rows of date overrides from p_from to p_to; null dates: without
-- overrides. A group without rules has a null tariff.
create function private.compiled_tariffs(p_lot_ids uuid[], p_from date default null, p_to date default null)
returns table (parking_lot_id uuid, place integer, is_default boolean, vehicle_types text[], tariff private.tariff)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  select p.parking_lot_id, p.place, p.is_default, p.vehicle_types,
    case when (p.tariff).rule_ids is not null then private.with_plans(private.with_series(p.tariff)) end
  from private.packed_tariffs(p_lot_ids, p_from, p_to) p;
end
$$;

-- The tariff of each lot for this vehicle type: of the group that names it (smallest display_order), else of the
-- default group. is_priced is false when the default group names other types; is_special: it is not the default group.
-- Overridden lots are compiled with their overrides.
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
