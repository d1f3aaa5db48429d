-- Surprises: where the bill of a stay is higher than a reader of the sign expects, by docs/domains/fees.md.
--
-- The naive reading of a price list is a price list too: private.naive_tariff rewrites the caps, and private.compute_fee prices
-- both. The difference is divided among the rules that make it, by restoring them one after another. Other kinds have an
-- amount of their own: a step near the exit, free minutes just passed, a closed exit.
--
-- Invariants: nothing here has a price of its own; the differences sum to the bill minus the naive bill.
-- A second reading costs about as much as the first. So it is made only where the bill is above a cap that a naive reader
-- misses in this stay, and once for all lots of a page with the same price list and bill. It is given the tariffs that
-- priced the stay (private.stay_bill).
-- Interface: private.surprises_of_stay for one priced stay, private.stay_surprises for the lots of a page,
-- private.surprising_lots for a filter.

-- ---------------------------------------------------------------------------------------------------------------------
-- The naive reading
-- ---------------------------------------------------------------------------------------------------------------------

-- A tariff of these rules of another one, each as a row of this date (null: the lot's own rule), with its series and plans.
create function private.picked_tariff(p_tariff private.tariff, p_rules integer[], p_sets date[]) returns private.tariff
language plpgsql immutable
set search_path = ''
as $$
declare
  v_result private.tariff;
begin
  select array_agg(p_tariff.rule_ids[r.rule] order by r.n), array_agg(p_tariff.families[r.rule] order by r.n),
    array_agg(r.set_date order by r.n), array_agg(p_tariff.day_bits[r.rule] order by r.n),
    array_agg(p_tariff.starts[r.rule] order by r.n), array_agg(p_tariff.ends[r.rule] order by r.n),
    array_agg(p_tariff.units[r.rule] order by r.n), array_agg(p_tariff.prices[r.rule] order by r.n),
    array_agg(p_tariff.cap_types[r.rule] order by r.n), array_agg(p_tariff.cap_spans[r.rule] order by r.n),
    array_agg(p_tariff.cap_prices[r.rule] order by r.n), array_agg(p_tariff.cap_repeats[r.rule] order by r.n),
    bool_or(p_tariff.families[r.rule] in ('grace', 'initial', 'published_total')),
    case when p_tariff.from_dates is not null then array_agg(case when r.set_date is null then p_tariff.from_dates[r.rule] end order by r.n) end,
    case when p_tariff.from_dates is not null then array_agg(case when r.set_date is null then p_tariff.to_dates[r.rule] end order by r.n) end,
    case when p_tariff.max_units is not null then array_agg(p_tariff.max_units[r.rule] order by r.n) end
  into v_result.rule_ids, v_result.families, v_result.sets, v_result.day_bits, v_result.starts, v_result.ends,
    v_result.units, v_result.prices, v_result.cap_types, v_result.cap_spans, v_result.cap_prices, v_result.cap_repeats,
    v_result.has_entry_rows, v_result.from_dates, v_result.to_dates, v_result.max_units
  from unnest(p_rules, p_sets) with ordinality as r (rule, set_date, n);
  v_result.free_while_closed := p_tariff.free_while_closed;
  v_result.closed_from := p_tariff.closed_from;
  v_result.closed_to := p_tariff.closed_to;
  return case when v_result.rule_ids is not null then private.with_plans(private.with_series(v_result)) end;
end
$$;

-- The tariff without the rows of date overrides.
create function private.own_tariff(p_tariff private.tariff) returns private.tariff
language plpgsql immutable
set search_path = ''
as $$
begin
  if array_remove(p_tariff.sets, null) = '{}' then
    return p_tariff;
  end if;
  return private.picked_tariff(p_tariff, array_agg(r.rule::integer order by r.rule), array_fill(null::date, array[count(*)::integer]))
    from unnest(p_tariff.sets) with ordinality as r (set_date, rule) where r.set_date is null;
end
$$;

-- The tariff without the ids of its rules: lots with the same prices have the same one.
create function private.unnamed_tariff(p_tariff private.tariff) returns private.tariff
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

-- The tariff whose dates with an override have the override's caps, and the lot's own rates.
create function private.tariff_with_own_rates(p_tariff private.tariff) returns private.tariff
language plpgsql immutable
set search_path = ''
as $$
begin
  return private.picked_tariff(p_tariff, array_agg(r.rule order by r.rule), array_agg(r.set_date order by r.rule))
  from (
    select t.rule::integer as rule, t.set_date
    from unnest(p_tariff.sets, p_tariff.families) with ordinality as t (set_date, family, rule)
    where t.set_date is null or t.family = 'cap'
    union all
    select t.rule::integer, d.set_date
    from unnest(p_tariff.sets, p_tariff.families) with ordinality as t (set_date, family, rule)
    cross join (select distinct s.set_date from unnest(p_tariff.sets) as s (set_date) where s.set_date is not null) as d
    where t.set_date is null and t.family <> 'cap'
      and private.is_in_effect(p_tariff.from_dates[t.rule], p_tariff.to_dates[t.rule], d.set_date)
  ) as r;
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

-- The tariff as a naive reader reads it: every cap repeats, applies every day, and runs 24 hours from entry where it names
-- no band. p_restored: the kinds of surprise whose rules are read as they are. For a tariff without overrides. Caps for days
-- that the list does not name come last, as additional rows.
create function private.naive_tariff(p_tariff private.tariff, p_restored text[]) returns private.tariff
language plpgsql immutable
set search_path = ''
as $$
declare
  c_day constant bigint := 86400000000;
  c_count constant integer := coalesce(cardinality(p_tariff.rule_ids), 0);
  c_families constant text[] := p_tariff.families;
  c_starts constant bigint[] := p_tariff.starts;
  c_ends constant bigint[] := p_tariff.ends;
  c_bits constant integer[] := p_tariff.day_bits;
  c_prices constant bigint[] := p_tariff.cap_prices;
  v_result private.tariff := p_tariff;
  v_types text[] := p_tariff.cap_types;
  v_spans bigint[] := p_tariff.cap_spans;
  v_repeats boolean[] := p_tariff.cap_repeats;
  v_longest bigint := 0;
  v_covered integer;
  v_dearest integer;
  v_is_first boolean;
begin
  for v_rule in 1..c_count loop
    if c_families[v_rule] = 'cap' and c_starts[v_rule] is null then
      v_longest := greatest(v_longest, coalesce(v_spans[v_rule], c_day));
    end if;
  end loop;
  for v_rule in 1..c_count loop
    continue when v_types[v_rule] is null;
    if 'cap_once' <> all (p_restored) then
      v_repeats[v_rule] := true;
    end if;
    continue when c_starts[v_rule] is not null;
    if v_types[v_rule] = 'day' and 'cap_ends_at_midnight' <> all (p_restored) then
      v_types[v_rule] := 'duration';
      v_spans[v_rule] := c_day;
    elsif v_spans[v_rule] < c_day and 'cap_ends_before_exit' <> all (p_restored)
      and (c_families[v_rule] <> 'cap' or v_spans[v_rule] = v_longest)
    then
      v_spans[v_rule] := c_day;
    end if;
  end loop;
  for v_rule in 1..case when 'cap_not_on_day' = any (p_restored) then 0 else c_count end loop
    continue when c_families[v_rule] <> 'cap';
    -- Caps of one band, or those without a band, together.
    v_covered := 0;
    v_dearest := v_rule;
    v_is_first := true;
    for v_other in 1..c_count loop
      continue when c_families[v_other] <> 'cap' or c_starts[v_other] is distinct from c_starts[v_rule]
        or c_ends[v_other] is distinct from c_ends[v_rule];
      v_is_first := v_is_first and v_other >= v_rule;
      v_covered := v_covered | c_bits[v_other];
      if c_prices[v_other] > c_prices[v_dearest] then
        v_dearest := v_other;
      end if;
    end loop;
    continue when not v_is_first or v_covered & 1 = 1 or v_covered & 14 = 14;
    v_result.rule_ids := v_result.rule_ids || v_result.rule_ids[v_dearest];
    v_result.families := v_result.families || 'cap'::text;
    v_result.sets := v_result.sets || null::date;
    v_result.day_bits := v_result.day_bits || (14 - (v_covered & 14));
    v_result.starts := v_result.starts || v_result.starts[v_dearest];
    v_result.ends := v_result.ends || v_result.ends[v_dearest];
    v_result.units := v_result.units || null::bigint;
    v_result.prices := v_result.prices || null::bigint;
    v_result.cap_prices := v_result.cap_prices || v_result.cap_prices[v_dearest];
    v_types := v_types || v_types[v_dearest];
    v_spans := v_spans || v_spans[v_dearest];
    v_repeats := v_repeats || v_repeats[v_dearest];
    if p_tariff.from_dates is not null then
      v_result.from_dates := v_result.from_dates || v_result.from_dates[v_dearest];
      v_result.to_dates := v_result.to_dates || v_result.to_dates[v_dearest];
    end if;
  end loop;
  v_result.cap_types := v_types;
  v_result.cap_spans := v_spans;
  v_result.cap_repeats := v_repeats;
  return private.with_series(v_result);
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- The difference between both readings
-- ---------------------------------------------------------------------------------------------------------------------

-- The sum of the units that begin before p_at, by a walk with detail. Without grace rows it is the fee of an exit
-- then.
create function private.fee_until(p_walk private.fee_walk, p_at timestamptz) returns bigint
language plpgsql immutable
set search_path = ''
as $$
declare
  c_at constant bigint := extract(epoch from p_at) * 1000000;
begin
  return (
    select coalesce(sum(least(
      least(s.units, (c_at - s.starts + s.unit_length - 1) / s.unit_length) * s.unit_price, s.room
    )), 0)
    from unnest(p_walk.segments) s
    where s.starts < c_at
  );
end
$$;

-- When the first of the caps ends that this kind of surprise is about, as they are written. Null without one. p_naive: the
-- naive reading of the tariff.
create function private.first_cap_end(
  p_tariff private.tariff, p_naive private.tariff, p_kind text, p_time_zone text, p_entry bigint, p_exit bigint, p_offset bigint
) returns bigint
language plpgsql immutable
set search_path = ''
as $$
declare
  v_first bigint;
  v_now bigint;
  v_window record;
begin
  for v_rule in 1..cardinality(p_tariff.cap_types) loop
    continue when not coalesce(case p_kind
      when 'cap_once' then p_tariff.cap_types[v_rule] <> 'stay' and p_tariff.cap_repeats[v_rule] is not true
      when 'cap_ends_at_midnight' then p_tariff.cap_types[v_rule] = 'day' and p_tariff.starts[v_rule] is null
      else p_tariff.cap_spans[v_rule] <> p_naive.cap_spans[v_rule] end, false);
    v_now := p_entry;
    loop
      v_window := private.window_at(
        p_tariff.cap_types[v_rule], p_tariff.cap_spans[v_rule], p_tariff.starts[v_rule], p_tariff.ends[v_rule], p_entry,
        p_exit, v_now, private.day_number(v_now + coalesce(p_offset, private.clock_offset(p_time_zone, v_now))),
        p_time_zone, p_offset
      );
      exit when v_window.starts is not null;
      v_now := v_window.ends;
    end loop;
    v_first := least(v_first, v_window.ends);
  end loop;
  return v_first;
end
$$;

-- The first moment at which a window of a cap begins on a day without this cap; null without one. Such a day has an
-- override, or the cap is one of the rows from p_added on, which a naive reader adds.
create function private.first_uncapped(
  p_tariff private.tariff, p_added integer, p_time_zone text, p_holidays date[], p_overridden date[], p_entry bigint,
  p_exit bigint, p_offset bigint
) returns bigint
language plpgsql immutable
set search_path = ''
as $$
declare
  v_first bigint;
  v_now bigint;
  v_from bigint;
  v_date date;
  v_all_bits integer := 0;
  v_window record;
begin
  for v_rule in 1..cardinality(p_tariff.cap_types) loop
    if p_tariff.families[v_rule] = 'cap' then
      v_all_bits := v_all_bits | p_tariff.day_bits[v_rule];
    end if;
  end loop;
  for v_rule in case when p_overridden is null then p_added else 1 end..cardinality(p_tariff.cap_types) loop
    continue when p_tariff.families[v_rule] <> 'cap';
    v_now := p_entry;
    while v_now < coalesce(v_first, p_exit) loop
      v_window := private.window_at(
        p_tariff.cap_types[v_rule], p_tariff.cap_spans[v_rule], p_tariff.starts[v_rule], p_tariff.ends[v_rule], p_entry,
        p_exit, v_now, private.day_number(v_now + coalesce(p_offset, private.clock_offset(p_time_zone, v_now))),
        p_time_zone, p_offset
      );
      v_now := v_window.ends;
      continue when v_window.starts is null;
      v_from := greatest(v_window.starts, p_entry);
      v_date := date '1970-01-01' + private.day_number(
        v_from + coalesce(p_offset, private.clock_offset(p_time_zone, v_from))
      )::integer;
      if v_date = any (p_overridden) or (v_rule >= p_added
        and private.is_in_effect(p_tariff.from_dates[v_rule], p_tariff.to_dates[v_rule], v_date) and p_tariff.day_bits[v_rule]
        & private.bits_in_force(private.date_bits(v_date, p_holidays), v_all_bits) <> 0)
      then
        v_first := least(v_first, v_from);
      end if;
      exit when p_tariff.cap_repeats[v_rule] is not true;
    end loop;
  end loop;
  return v_first;
end
$$;

-- The bill (p_total) minus the naive bill, by the kinds that make it, in the order in which they are restored; amounts
-- may be negative, and then their time does not matter. Empty when the naive bill is not lower, or unknown. p_usual:
-- the lot's default list, if the vehicle has another one. p_offset: private.steady_offset of the stay.
create function private.fee_differences(
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
  v_naive := private.compute_fee(v_read, p_time_zone, p_holidays, null, p_entry, p_exit, false, p_offset);
  if (p_usual).rule_ids is not null then
    v_usual := private.compute_fee(
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
      v_bills[v_place] := (private.compute_fee(v_tariff, p_time_zone, p_holidays, null, p_entry, p_exit, false, p_offset)).total;
      if v_kinds[v_place] <> 'cap_not_on_day' then
        v_restored := v_tariff;
      end if;
    end if;
  end loop;
  if v_dates <> '{}' then
    -- A special day whose rates are the usual ones only lacks the caps.
    v_bill := (private.compute_fee(
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

-- ---------------------------------------------------------------------------------------------------------------------
-- What is near
-- ---------------------------------------------------------------------------------------------------------------------

-- The first edge at most 15 minutes after entry; null without one. A midnight is an edge, and so are both ends of the band
-- of a rule. Metered rates and caps of a band have no edges.
create function private.edge_after_entry(p_tariff private.tariff, p_time_zone text, p_entry timestamptz) returns timestamptz
language plpgsql stable
set search_path = ''
as $$
declare
  c_day constant bigint := 86400000000;
  c_quarter constant bigint := 900000000;
  c_local constant bigint := extract(epoch from (p_entry at time zone p_time_zone)::time) * 1000000;
  c_starts constant bigint[] := p_tariff.starts;
  c_ends constant bigint[] := p_tariff.ends;
  v_least bigint := case when c_local >= c_day - c_quarter then c_day - c_local end;
  v_ahead bigint;
begin
  for v_rule in 1..cardinality(c_starts) loop
    continue when c_starts[v_rule] is null or p_tariff.cap_types[v_rule] = 'band'
      or (p_tariff.families[v_rule] = 'rate' and p_tariff.units[v_rule] is not null);
    foreach v_ahead in array array[
      (c_starts[v_rule] - c_local + c_day) % c_day, (c_ends[v_rule] - c_local + c_day) % c_day
    ] loop
      if v_ahead between 1 and c_quarter then
        v_least := least(v_least, v_ahead);
      end if;
    end loop;
  end loop;
  return p_entry + v_least * interval '1 microsecond';
end
$$;

-- Whether what becomes due at one moment near the exit may be more than a metered unit. Then the tariff has prices of one
-- unit, or the stay (p_stay, in microseconds) ends near its initial prices or its grace.
create function private.may_step(p_tariff private.tariff, p_stay bigint) returns boolean
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_families constant text[] := p_tariff.families;
  c_units constant bigint[] := p_tariff.units;
  v_initial bigint := 900000000;
begin
  for v_rule in 1..cardinality(c_families) loop
    if c_families[v_rule] = 'initial' then
      v_initial := v_initial + c_units[v_rule];
    elsif (c_families[v_rule] = 'rate' and c_units[v_rule] is null)
      or (c_families[v_rule] = 'grace' and p_stay <= c_units[v_rule] + 900000000)
    then
      return true;
    end if;
  end loop;
  return v_initial > 900000000 and p_stay <= v_initial;
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
    v_amount := p_total - (private.compute_fee(
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
    v_amount := (private.compute_fee(
      p_tariff, p_time_zone, p_holidays, p_overridden, p_entry, p_next_exit, false
    )).total - p_total;
    v_found := v_found || row ('closed_at_exit', p_exit, v_amount, null, null)::private.fee_surprise;
  end if;
  return v_found;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Answers
-- ---------------------------------------------------------------------------------------------------------------------

-- The texts of a kind of surprise, by language, with the placeholders at and amount.
create function private.surprise_texts(p_kind text) returns jsonb
language sql immutable
return case p_kind
  when 'cap_once' then '{"ja": "最大料金は1回限りです。{at}以降は{amount}高くなります。",
    "en": "The maximum fee applies once only. After {at} this adds {amount}."}'::jsonb
  when 'cap_not_on_day' then '{"ja": "最大料金が適用されない日があります。{at}から{amount}高くなります。",
    "en": "The maximum fee does not apply on every day of the stay. From {at} this adds {amount}."}'
  when 'cap_ends_at_midnight' then '{"ja": "最大料金は24時までです。{at}以降は{amount}高くなります。",
    "en": "The maximum fee ends at midnight. After {at} this adds {amount}."}'
  when 'cap_ends_before_exit' then '{"ja": "最大料金の時間は出庫前に終わります。{at}以降は{amount}高くなります。",
    "en": "The hours of the maximum fee end before the exit. After {at} this adds {amount}."}'
  when 'special_day_price' then '{"ja": "特別料金の日があります。{at}から{amount}高くなります。",
    "en": "A day of the stay has special prices. From {at} this adds {amount}."}'
  when 'other_vehicle_price' then '{"ja": "この車種の料金は{amount}高くなります。",
    "en": "The prices for this vehicle type add {amount}."}'
  when 'stay_too_long' then '{"ja": "駐車できる時間は{at}までです。その後の料金は{amount}です。",
    "en": "The lot allows this stay until {at}. The time after it costs {amount}."}'
  when 'next_step_soon' then '{"ja": "{at}を過ぎると{amount}加算されます。", "en": "After {at} the fee rises by {amount}."}'
  when 'cheaper_if_earlier' then '{"ja": "{at}までに出庫すると{amount}安くなります。", "en": "Leave by {at} and save {amount}."}'
  when 'cheaper_if_later' then '{"ja": "{at}以降に入庫すると{amount}安くなります。", "en": "Enter at {at} and save {amount}."}'
  when 'closed_at_exit' then '{"ja": "出庫時刻には出庫できません。出庫できるまでに{amount}加算されます。",
    "en": "The exit is closed then. Waiting until it opens adds {amount}."}'
  when 'grace_exceeded' then '{"ja": "無料時間は{at}までです。過ぎると{amount}かかります。",
    "en": "The free minutes end at {at}. The longer stay costs {amount}."}'
end;

-- The surprises of each of these bills, in their order: at most five, the dearest first. From the third one on they cost 100
-- minor units and a tenth of the bill. Arrays of {kind, at, amount_minor, message, message_key, leave_by, saves}.
create function private.surprises_json(p_bills private.surprising_bill[]) returns table (place bigint, surprises jsonb)
language plpgsql stable rows 50
set search_path = ''
set plan_cache_mode = force_generic_plan -- the arguments do not matter to the plan, and planning costs more than running
as $$
begin
  return query
  select s.place, jsonb_agg(jsonb_build_object(
    'kind', s.kind, 'at', s.at, 'amount_minor', s.amount, 'leave_by', s.leave_by, 'saves', s.saves,
    'message_key', 'fee_surprise.' || s.kind,
    'message', jsonb_build_object(
      'ja', replace(replace(t.texts ->> 'ja', '{at}', to_char(s.local, 'FMMM/FMDD HH24:MI')),
        '{amount}', coalesce(m.amount ->> 'ja', m.amount #>> '{}')),
      'en', replace(replace(t.texts ->> 'en', '{at}', to_char(s.local, 'FMDD Mon HH24:MI')),
        '{amount}', coalesce(m.amount ->> 'en', m.amount #>> '{}'))
    )
  ) order by s.rank)
  from (
    select b.place, b.total, b.currency, f.*, f.at at time zone b.time_zone as local,
      row_number() over (partition by b.place order by f.amount desc, f.at, f.kind) as rank
    from unnest(p_bills) with ordinality as b (total, currency, time_zone, found, place)
    cross join lateral unnest(b.found) as f
  ) s
  cross join lateral (select private.surprise_texts(s.kind) as texts offset 0) t -- offset 0: evaluated once
  cross join lateral (select private.money_text(s.amount, s.currency) as amount offset 0) m
  where s.rank <= 2 or (s.rank <= 5 and s.amount >= 100 and s.amount * 10 >= s.total)
  group by s.place;
end
$$;

-- The list of prices that a vehicle of this type would have for this stay at each of these lots without a list of its own;
-- only for lots where it has one.
create function private.usual_tariffs(p_lot_ids uuid[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz)
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

-- Whether an amount is 100 minor units or a tenth of the bill.
create function private.is_worth_naming(p_amount bigint, p_total bigint) returns boolean
language sql immutable parallel safe
return p_amount >= 100 or (p_amount > 0 and p_amount * 10 >= p_total);

-- The surprises of a stay whose fee is p_total, those that cost 100 minor units or a tenth of it. p_usual: as in
-- private.fee_differences; p_longest and p_next_exit: as in private.near_surprises. p_offset: private.steady_offset of the
-- stay, if the caller has it.
create function private.found_surprises(
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
    v_walk := private.compute_fee(
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
          v_saves := (private.compute_fee(
            p_tariff, p_time_zone, p_holidays, p_overridden, p_entry, v_one.at, false, p_offset
          )).total;
          -- An exit then may be free of charge by grace, which is not a price until then.
          if v_saves = 0 and p_tariff.has_entry_rows and v_walk.segments is null then
            v_walk := private.compute_fee(p_tariff, p_time_zone, p_holidays, p_overridden, p_entry, p_exit, true, p_offset);
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

-- The surprises of a stay, as an array of private.surprises_json. The arguments are those of private.found_surprises.
create function private.surprises_of_stay(
  p_tariff private.tariff, p_usual private.tariff, p_time_zone text, p_holidays date[], p_overridden date[],
  p_entry timestamptz, p_exit timestamptz, p_total bigint, p_currency text, p_longest interval, p_next_exit timestamptz
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if p_entry = p_exit then
    return '[]';
  end if;
  return coalesce((
    select s.surprises
    from private.surprises_json(array[row (p_total, p_currency, p_time_zone, private.found_surprises(
      p_tariff, p_usual, p_time_zone, p_holidays, p_overridden, p_entry, p_exit, p_total, p_longest, p_next_exit
    ))::private.surprising_bill]) s
  ), '[]');
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

grant execute on function
  private.stay_surprises(private.stay_bill[], text, timestamptz, timestamptz, uuid[], timestamptz[]),
  private.surprising_lots(private.stay_bill[], text, timestamptz, timestamptz)
to anon, authenticated;
