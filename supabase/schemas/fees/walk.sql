-- The fee walk: what a stay costs, by docs/domains/fees.md. Every price in the service comes from this one function.
--
-- Inside, times are microseconds since 1970: instants as they are, wall clock times as if the zone were UTC. The walk goes
-- from unit to unit, but not one by one: between two changes (day, band, window of a cap, clock) it counts units by division.
-- Such a run of units is a segment. A stay of a year has about a thousand.
--
-- Invariants: nothing here reads a table or knows the lot; the same arguments have the same result.
-- Interface: private.compute_fee(tariff, time zone, holidays, overridden dates, entry, exit, detail, offset), and the types of
-- its result.

-- ---------------------------------------------------------------------------------------------------------------------
-- Parts of the walk
-- ---------------------------------------------------------------------------------------------------------------------

-- The rows of a family (grace, initial, published_total) in force at entry (p_local) that have the most specific day type, in rule_order.
create function private.rows_at_entry(
  p_tariff private.tariff, p_family text, p_holidays date[], p_overridden date[], p_local bigint
) returns integer[]
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_day constant bigint := private.day_number(p_local);
  c_date constant date := date '1970-01-01' + c_day::integer;
  c_set constant date := case when c_date = any (p_overridden) then c_date end;
  c_families constant text[] := p_tariff.families;
  c_sets constant date[] := p_tariff.sets;
  c_bits constant integer[] := p_tariff.day_bits;
  c_from_dates constant date[] := p_tariff.from_dates;
  c_to_dates constant date[] := p_tariff.to_dates;
  v_family integer[] := '{}';
  v_date_bits integer := private.date_bits(c_date, p_holidays);
  v_bits integer := 0;
  v_best integer;
  v_rule integer;
  v_rows integer[] := '{}';
begin
  for v_rule in 1..cardinality(c_families) loop
    if c_families[v_rule] = p_family and c_sets[v_rule] is not distinct from c_set
      and private.is_in_effect(c_from_dates[v_rule], c_to_dates[v_rule], c_date)
    then
      v_family := v_family || v_rule;
      v_bits := v_bits | c_bits[v_rule];
    end if;
  end loop;
  v_bits := private.bits_in_force(v_date_bits, v_bits);
  -- The most specific day type comes first.
  foreach v_rule in array v_family loop
    exit when c_bits[v_rule] <> v_best;
    if c_bits[v_rule] & v_bits <> 0
      and private.band_holds(p_tariff.starts[v_rule], p_tariff.ends[v_rule], p_local - c_day * 86400000000)
    then
      v_best := c_bits[v_rule];
      v_rows := v_rows || v_rule;
    end if;
  end loop;
  return v_rows;
end
$$;

-- The plan of a tariff (plan_sets, plan_bits, plan_masks, plan_from, plan_to) for a date: which rates are in force; 0:
-- none. p_set: the date, if it has an override.
create function private.plan_of_day(
  p_sets date[], p_bits integer[], p_masks integer[], p_set date, p_date_bits integer, p_from date[], p_to date[], p_date date
) returns integer
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  for v_plan in 1..coalesce(cardinality(p_masks), 0) loop
    if p_sets[v_plan] is not distinct from p_set
      and p_masks[v_plan] = p_bits[v_plan] & private.bits_in_force(p_date_bits, p_bits[v_plan])
      and (p_from is null or private.is_in_effect(p_from[v_plan], p_to[v_plan], p_date))
    then
      return v_plan;
    end if;
  end loop;
  return 0;
end
$$;

-- The window of a series of caps that contains p_now (on the day p_day), and whether it is the first window of the stay.
-- Between two bands: no start, and the end is the start of the next band.
create function private.window_at(
  p_cap_type text, p_span bigint, p_band_start bigint, p_band_end bigint, p_entry bigint, p_exit bigint, p_now bigint,
  p_day bigint, p_time_zone text, p_offset bigint, out starts bigint, out ends bigint, out is_first boolean
)
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_day constant bigint := 86400000000;
  -- For a calendar day or a band, since midnight of the day on which it begins.
  c_from constant bigint := case p_cap_type when 'band' then p_band_start else 0 end;
  c_upto constant bigint := case when p_cap_type <> 'band' then c_day
    when p_band_start < p_band_end then p_band_end else p_band_end + c_day end;
  v_day bigint := p_day - 1;
begin
  if p_cap_type = 'stay' then
    starts := p_entry;
    ends := p_exit;
    is_first := true;
  elsif p_cap_type = 'duration' then
    starts := p_now - (p_now - p_entry) % p_span;
    ends := starts + p_span;
    is_first := starts = p_entry;
  else
    loop
      ends := private.clock_instant(p_time_zone, v_day * c_day + c_upto, p_offset);
      exit when p_now < ends;
      v_day := v_day + 1;
    end loop;
    starts := private.clock_instant(p_time_zone, v_day * c_day + c_from, p_offset);
    is_first := private.clock_instant(p_time_zone, (v_day - 1) * c_day + c_upto, p_offset) <= p_entry;
    if p_now < starts then
      ends := starts;
      starts := null;
    end if;
  end if;
end
$$;

-- The cap row of the series that counts for a window, by the first moment of the window (p_local); 0: none.
create function private.cap_of_window(
  p_tariff private.tariff, p_first integer, p_is_first boolean, p_holidays date[], p_overridden date[], p_local bigint
) returns integer
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_day constant bigint := private.day_number(p_local);
  c_date constant date := date '1970-01-01' + c_day::integer;
  c_set constant date := case when c_date = any (p_overridden) then c_date end;
  v_bits integer := private.date_bits(c_date, p_holidays);
begin
  -- Only a holiday needs to know whether a row is for holidays: the query costs more than all the rest.
  if v_bits & 32 <> 0 then
    v_bits := private.bits_in_force(v_bits, (
      select bit_or(t.bit)
      from unnest(p_tariff.families, p_tariff.sets, p_tariff.day_bits, p_tariff.from_dates, p_tariff.to_dates)
        as t (family, set_date, bit, from_date, to_date)
      where t.family = 'cap' and t.set_date is not distinct from c_set
        and private.is_in_effect(t.from_date, t.to_date, c_date)
    ));
  end if;
  for v_rule in p_first..cardinality(p_tariff.rule_ids) loop
    continue when p_tariff.families[v_rule] <> 'cap' or p_tariff.cap_types[v_rule] <> p_tariff.cap_types[p_first]
      or p_tariff.cap_spans[v_rule] is distinct from p_tariff.cap_spans[p_first]
      or p_tariff.day_bits[v_rule] & v_bits = 0 or p_tariff.sets[v_rule] is distinct from c_set
      or not private.is_in_effect(p_tariff.from_dates[v_rule], p_tariff.to_dates[v_rule], c_date)
      or not (p_is_first or coalesce(p_tariff.cap_repeats[v_rule], false));
    if p_tariff.cap_types[v_rule] = 'band' then
      continue when p_tariff.starts[v_rule] <> p_tariff.starts[p_first] or p_tariff.ends[v_rule] <> p_tariff.ends[p_first];
    else
      continue when not private.band_holds(
        p_tariff.starts[v_rule], p_tariff.ends[v_rule], p_local - c_day * 86400000000
      );
    end if;
    return v_rule;
  end loop;
  return 0;
end
$$;

-- The fee of a stay by these rows of published totals (p_rules), all in force at entry. A price never falls with time: a
-- stay costs at least what a shorter one does, and at most what a longer one does. Where both are the same, that is the fee.
create function private.walk_of_totals(
  p_tariff private.tariff, p_rules integer[], p_time_zone text, p_overridden date[], p_entry bigint, p_exit bigint, p_offset bigint
) returns private.fee_walk
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_units constant bigint[] := p_tariff.units;
  c_prices constant bigint[] := p_tariff.prices;
  c_first constant bigint := private.day_number(p_entry + coalesce(p_offset, private.clock_offset(p_time_zone, p_entry)));
  c_last constant bigint := private.day_number(p_exit - 1 + coalesce(p_offset, private.clock_offset(p_time_zone, p_exit - 1)));
  v_result private.fee_walk;
  v_rule integer;
  v_next integer; -- the shortest that is not shorter than the stay
begin
  -- Sums that fall with time contradict one another. A date with special prices has no sums of other dates.
  if exists (
    select from (
      select c_prices[r] as price, max(c_prices[r]) over (order by c_units[r]) as most from unnest(p_rules) as r
    ) s
    where s.price < s.most
  ) or exists (select from unnest(p_overridden) as d where d - date '1970-01-01' > c_first and d - date '1970-01-01' <= c_last) then
    v_result.refusal := 'no_rate';
    v_result.refused_from := p_entry;
    return v_result;
  end if;
  v_result.at_least := 0;
  foreach v_rule in array p_rules loop
    if c_units[v_rule] <= p_exit - p_entry then
      v_result.at_least := greatest(v_result.at_least, c_prices[v_rule]);
    end if;
    if c_units[v_rule] >= p_exit - p_entry and (v_next is null or c_units[v_rule] < c_units[v_next]) then
      v_next := v_rule;
    end if;
  end loop;
  v_result.at_most := c_prices[v_next];
  if v_result.at_least < v_result.at_most or v_next is null then
    v_result.refusal := 'only_totals';
    return v_result;
  end if;
  v_result.total := v_result.at_most;
  v_result.segments := array[
    row (1, 'published_total', v_next, p_entry, 1, c_units[v_next], v_result.total, v_result.total, null)::private.fee_segment
  ];
  v_result.windows := '{}';
  v_result.at_least := null;
  v_result.at_most := null;
  return v_result;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- The walk
-- ---------------------------------------------------------------------------------------------------------------------

-- The fee of the stay by this tariff. Holidays and overridden dates: from the day before entry to a fortnight after exit.
-- p_detail adds segments, windows and, with a refusal, the next known rate. p_offset: private.steady_offset of the stay,
-- if the caller has it.
create function private.compute_fee(
  p_tariff private.tariff,
  p_time_zone text,
  p_holidays date[],
  p_overridden date[],
  p_entry timestamptz,
  p_exit timestamptz,
  p_detail boolean,
  p_offset bigint default null
) returns private.fee_walk
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_day constant bigint := 86400000000;
  c_entry constant bigint := extract(epoch from p_entry) * 1000000;
  c_exit constant bigint := extract(epoch from p_exit) * 1000000;
  c_steady constant bigint := coalesce(p_offset, private.steady_offset(p_time_zone, c_entry, c_exit));
  c_starts constant bigint[] := p_tariff.starts;
  c_ends constant bigint[] := p_tariff.ends;
  c_units constant bigint[] := p_tariff.units;
  c_prices constant bigint[] := p_tariff.prices;
  c_cap_types constant text[] := p_tariff.cap_types;
  c_cap_spans constant bigint[] := p_tariff.cap_spans;
  c_cap_prices constant bigint[] := p_tariff.cap_prices;
  c_cap_repeats constant boolean[] := p_tariff.cap_repeats;
  c_plan_sets constant date[] := p_tariff.plan_sets;
  c_plan_bits constant integer[] := p_tariff.plan_bits;
  c_plan_masks constant integer[] := p_tariff.plan_masks;
  c_plan_firsts constant integer[] := p_tariff.plan_firsts;
  c_plan_from constant date[] := p_tariff.plan_from;
  c_plan_to constant date[] := p_tariff.plan_to;
  c_closed_from constant bigint[] := p_tariff.closed_from;
  c_closed_to constant bigint[] := p_tariff.closed_to;
  c_edges constant bigint[] := p_tariff.edges;
  c_edge_rules constant integer[] := p_tariff.edge_rules;
  c_max_units constant integer[] := p_tariff.max_units;
  c_next_firsts constant integer[] := p_tariff.next_firsts;
  c_next_rates constant integer[] := p_tariff.next_rates;
  c_series constant integer[] := p_tariff.series;
  c_series_rates constant integer[] := p_tariff.series_rates;
  c_series_plain constant boolean[] := p_tariff.series_plain;
  c_series_count constant integer := coalesce(cardinality(p_tariff.series), 0);
  v_result private.fee_walk;
  v_now bigint := c_entry;
  v_total bigint := 0;
  -- The part of a day that contains now, without a jump of the wall clock, and the edges of its plan.
  v_piece_end bigint := c_entry;
  v_offset bigint := c_steady;
  v_midnight bigint;
  v_day bigint;
  v_date date;
  v_plan integer;
  v_edge integer;
  v_last_edge integer;
  v_edge_end bigint;
  v_closed integer := 1; -- the closed hours that contain now, or the next ones
  -- Initial rows; those from v_stage on are still to come.
  v_stages integer[] := '{}';
  v_stage integer := 1;
  -- One element per series of caps: the window that contains now.
  v_window_end bigint[] := array_fill(c_entry, array[c_series_count]);
  v_window_start bigint[] := v_window_end;
  v_window_cap integer[] := array_fill(0, array[c_series_count]); -- the row that counts; 0: none
  v_window_room bigint[] := array_fill(null::bigint, array[c_series_count]);
  v_window_saved bigint[] := v_window_room;
  v_window_reached bigint[] := v_window_room;
  v_window record;
  v_first integer;
  v_cap integer;
  -- The rate that begins now.
  v_rule integer;
  v_kind text;
  v_length bigint;
  v_price bigint;
  v_until bigint;
  v_units bigint;
  v_gross bigint;
  v_net bigint;
  v_room bigint;
  v_binding integer;
  -- Of rates with max_units: how many units began in which occurrence of the band, by the day on which it begins.
  v_occurrence bigint;
  v_occurrences bigint[];
  v_begun integer[];
  v_next integer; -- in c_next_rates
  v_left integer; -- of the rate that begins now; null: any number
  -- Detail.
  v_segments private.fee_segment[] := '{}';
  v_line integer := 0;
  v_line_rule integer := 0;
  v_windows private.fee_window[] := '{}';
begin
  if c_exit = c_entry then
    v_result.total := 0;
    return v_result;
  elsif p_tariff.rule_ids is null then
    v_result.refusal := 'no_rules';
    return v_result;
  end if;

  if p_tariff.has_entry_rows then
    v_offset := coalesce(c_steady, private.clock_offset(p_time_zone, c_entry));
    foreach v_rule in array private.rows_at_entry(p_tariff, 'grace', p_holidays, p_overridden, c_entry + v_offset) loop
      if c_exit - c_entry <= c_units[v_rule] then
        v_result.total := 0;
        v_result.segments := array[row (1, 'grace', v_rule, c_entry, 1, c_exit - c_entry, 0, 0, null)::private.fee_segment];
        v_result.windows := v_windows;
        return v_result;
      end if;
    end loop;
    if 'published_total' = any (p_tariff.families) then
      v_stages := private.rows_at_entry(p_tariff, 'published_total', p_holidays, p_overridden, c_entry + v_offset);
      if v_stages <> '{}' then
        return private.walk_of_totals(p_tariff, v_stages, p_time_zone, p_overridden, c_entry, c_exit, c_steady);
      end if;
    end if;
    v_stages := private.rows_at_entry(p_tariff, 'initial', p_holidays, p_overridden, c_entry + v_offset);
  end if;

  -- After a refusal it only looks for the next rate.
  while v_now < c_exit or v_result.refusal is not null loop
    if c_closed_from is not null then
      while v_now >= c_closed_to[v_closed] loop
        v_closed := v_closed + 1;
      end loop;
      -- No unit begins while the lot is closed.
      if v_now >= c_closed_from[v_closed] then
        v_now := c_closed_to[v_closed];
        v_line_rule := 0;
        continue;
      end if;
    end if;

    if v_now >= v_piece_end then
      v_offset := coalesce(c_steady, private.clock_offset(p_time_zone, v_now));
      v_day := private.day_number(v_now + v_offset);
      v_date := date '1970-01-01' + v_day::integer;
      v_midnight := v_day * c_day - v_offset;
      v_piece_end := v_midnight + c_day;
      if c_steady is null and private.clock_offset(p_time_zone, v_piece_end) <> v_offset then
        v_piece_end := private.clock_change(p_time_zone, v_now, v_piece_end);
      end if;
      v_plan := private.plan_of_day(c_plan_sets, c_plan_bits, c_plan_masks,
        case when v_date = any (p_overridden) then v_date end, private.date_bits(v_date, p_holidays),
        c_plan_from, c_plan_to, v_date);
      v_edge := case when v_plan = 0 then 0 else c_plan_firsts[v_plan] - 1 end;
      v_last_edge := case when v_plan = 0 then 0 else c_plan_firsts[v_plan + 1] - 1 end;
      v_edge_end := case when v_plan = 0 then v_piece_end else v_now end;
    end if;

    if v_stage <= cardinality(v_stages) then
      v_rule := v_stages[v_stage];
      v_stage := v_stage + 1;
      v_kind := 'initial';
      v_length := c_units[v_rule];
      v_until := v_now + 1;
    else
      while v_now >= v_edge_end loop
        v_edge := v_edge + 1;
        v_edge_end := case when v_edge < v_last_edge then least(v_midnight + c_edges[v_edge + 1], v_piece_end)
          else v_piece_end end;
      end loop;
      v_until := v_edge_end;
      v_rule := case when v_last_edge = 0 then 0 else c_edge_rules[v_edge] end;
      v_left := null;
      v_next := c_next_firsts[v_edge];
      while c_max_units[v_rule] is not null loop
        v_occurrence := v_day
          - (c_starts[v_rule] >= c_ends[v_rule] and v_now - v_midnight < c_starts[v_rule])::integer;
        v_left := c_max_units[v_rule] - case when v_occurrences[v_rule] = v_occurrence then v_begun[v_rule] else 0 end;
        exit when v_left > 0;
        v_rule := case when v_next < c_next_firsts[v_edge + 1] then c_next_rates[v_next] else 0 end;
        v_next := v_next + 1;
        v_left := null;
      end loop;
      if v_rule = 0 then
        if v_result.refusal is null then
          v_result.refusal := 'no_rate';
          v_result.refused_from := v_now;
          v_result.segments := v_segments;
        end if;
        if not p_detail or v_now > v_result.refused_from + 14 * c_day then
          return v_result;
        end if;
        v_now := v_until;
        continue;
      elsif v_result.refusal is not null then
        v_result.known_from := v_now;
        return v_result;
      end if;
      v_length := c_units[v_rule];
      v_kind := 'rate';
      if v_length is null then
        v_kind := 'flat';
        v_until := v_now + 1;
        if c_starts[v_rule] is null then
          v_length := c_exit - v_now;
        else
          v_length := private.clock_instant(p_time_zone, v_day * c_day + c_ends[v_rule]
            + case when c_starts[v_rule] < c_ends[v_rule] or v_now - v_midnight < c_starts[v_rule] then 0 else c_day end,
            c_steady) - v_now;
        end if;
      end if;
    end if;
    v_price := c_prices[v_rule];
    if c_exit < v_until then v_until := c_exit; end if;
    if c_closed_from[v_closed] < v_until then v_until := c_closed_from[v_closed]; end if;

    -- The windows that contain now, and the smallest remainder among them.
    v_room := null;
    v_binding := 0;
    for v_s in 1..c_series_count loop
      continue when c_series_rates[v_s] <> 0 and c_series_rates[v_s] <> v_rule;
      if v_now >= v_window_end[v_s] then
        v_first := c_series[v_s];
        v_window := private.window_at(c_cap_types[v_first], c_cap_spans[v_first], c_starts[v_first], c_ends[v_first],
          c_entry, c_exit, v_now, v_day, p_time_zone, c_steady);
        v_cap := 0;
        if v_window.starts is null then
          null;
        elsif c_series_plain[v_s] then
          if v_window.is_first or c_cap_repeats[v_first] then v_cap := v_first; end if;
        else
          v_cap := private.cap_of_window(p_tariff, v_first, v_window.is_first, p_holidays, p_overridden,
            greatest(v_window.starts, c_entry)
              + coalesce(c_steady, private.clock_offset(p_time_zone, greatest(v_window.starts, c_entry))));
        end if;
        if p_detail then
          if v_window_cap[v_s] <> 0 then
            v_windows := v_windows || row (
              v_window_cap[v_s], v_window_start[v_s], v_window_end[v_s], v_window_room[v_s], v_window_saved[v_s],
              v_window_reached[v_s]
            )::private.fee_window;
          end if;
          v_window_start[v_s] := v_window.starts;
          v_window_cap[v_s] := v_cap;
          v_window_saved[v_s] := 0;
          v_window_reached[v_s] := case when c_cap_prices[v_cap] = 0 then v_now end;
        end if;
        v_window_end[v_s] := v_window.ends;
        v_window_room[v_s] := c_cap_prices[v_cap]; -- null without a row
      end if;
      if v_window_end[v_s] < v_until then v_until := v_window_end[v_s]; end if;
      if v_window_room[v_s] < v_room or (v_room is null and v_window_room[v_s] is not null) then
        v_room := v_window_room[v_s];
        v_binding := v_s;
      end if;
    end loop;

    -- As many units as begin before the next change.
    v_units := (v_until - v_now + v_length - 1) / v_length;
    if v_left is not null then
      v_units := least(v_units, v_left);
      v_occurrences[v_rule] := v_occurrence;
      v_begun[v_rule] := c_max_units[v_rule] - v_left + v_units;
    end if;
    v_gross := v_units * v_price;
    v_net := v_gross;
    if v_binding <> 0 then
      if v_room < v_gross then v_net := v_room; end if;
      if v_net > 0 then
        for v_s in 1..c_series_count loop
          continue when v_window_room[v_s] is null or (c_series_rates[v_s] <> 0 and c_series_rates[v_s] <> v_rule);
          v_window_room[v_s] := v_window_room[v_s] - v_net;
          if p_detail and v_window_room[v_s] = 0 then
            v_window_reached[v_s] := v_now + ((v_net + v_price - 1) / v_price - 1) * v_length;
          end if;
        end loop;
      end if;
      if p_detail and v_net < v_gross then
        v_window_saved[v_binding] := v_window_saved[v_binding] + v_gross - v_net;
      end if;
    end if;
    v_total := v_total + v_net;
    if p_detail then
      if v_rule <> v_line_rule then
        v_line := v_line + 1;
        v_line_rule := v_rule;
      end if;
      v_segments := v_segments || row (
        v_line, v_kind, v_rule, v_now, v_units, v_length, v_price, v_net, v_room
      )::private.fee_segment;
    end if;
    v_now := v_now + v_units * v_length;
  end loop;

  v_result.total := v_total;
  for v_s in 1..case when p_detail then c_series_count else 0 end loop
    continue when v_window_cap[v_s] = 0;
    v_windows := v_windows || row (
      v_window_cap[v_s], v_window_start[v_s], v_window_end[v_s], v_window_room[v_s], v_window_saved[v_s],
      v_window_reached[v_s]
    )::private.fee_window;
  end loop;
  v_result.segments := v_segments;
  v_result.windows := v_windows;
  return v_result;
end
$$;
