-- The walk: what a stay costs, by docs/fees.md. One function; every price that anybody is told comes from it.
--
-- Inside, times are microseconds since 1970: instants as they are, wall clock times as if the zone were UTC. The walk goes
-- from unit to unit, but never singly: between two changes (day, band, window of a cap, clock) units are counted by division.
-- Such a run of units is a stretch. A stay of a year has about a thousand; days that repeat (0717) are not walked again.
--
-- private.walk_fee is longer than our functions are, on purpose: a call a day or a window would double the price of a long stay.
-- What is rare stands outside it.
--
-- Invariants: it reads no table, and knows nothing of lots; the same arguments give the same answer.
-- Interface: private.walk_fee(tariff, time zone, holidays, overridden dates, entry, exit, detail, offset).

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: the walk
-- ---------------------------------------------------------------------------------------------------------------------

create function private.walk_fee(
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
  c_edges constant bigint[] := p_tariff.edges;
  c_edge_rules constant integer[] := p_tariff.edge_rules;
  c_series constant integer[] := p_tariff.series;
  c_series_rates constant integer[] := p_tariff.series_rates;
  c_series_plain constant boolean[] := p_tariff.series_plain;
  c_plan_count constant integer := coalesce(cardinality(p_tariff.plan_masks), 0);
  c_series_count constant integer := coalesce(cardinality(p_tariff.series), 0);
  v_result private.fee_walk;
  v_now bigint := c_entry;
  v_total bigint := 0;
  -- The piece of a day that holds now, in which the wall clock does not jump.
  v_piece_end bigint := c_entry;
  v_offset bigint := p_offset;
  v_midnight bigint;
  v_day bigint;
  v_date date;
  v_set date;
  v_mask integer;
  v_edge integer;
  v_last_edge integer;
  v_edge_end bigint;
  -- Where the clock does not change. Calm: not within three days of now, so that instant = wall clock - offset.
  v_calm boolean := p_offset is not null;
  v_calm_start bigint := case when p_offset is null then c_exit else c_entry - 4 * c_day end;
  v_calm_end bigint := case when p_offset is null then c_entry else c_exit + 4 * c_day end;
  -- Initial rows, those still to come from v_stage on.
  v_stages integer[] := '{}';
  v_stage integer := 1;
  -- One element a series of caps: the window that holds now.
  v_window_end bigint[];
  v_window_start bigint[];
  v_window_cap integer[]; -- the row that counts; 0: none
  v_window_room bigint[];
  v_window_saved bigint[];
  v_window_reached bigint[];
  v_window_origin bigint[];
  v_first integer;
  v_cap integer;
  v_start bigint;
  v_end bigint;
  v_ordinal bigint;
  v_moment bigint;
  -- What begins now.
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
  -- Detail.
  v_stretches private.fee_stretch[] := '{}';
  v_stretch_count integer := 0;
  v_line integer := 0;
  v_line_rule integer := 0;
  v_windows private.fee_window[] := '{}';
  v_window_count integer := 0;
  -- Days that repeat. The day in hand is walked, and v_day_key its key, when v_whole_day is the day.
  c_repeats_from constant bigint := case when c_exit - c_entry > 10 * c_day then private.repeats_from(p_tariff, c_entry) end;
  v_walked private.walked_days;
  v_repeats private.repeated_days;
  v_repeated private.repeated_days;
  v_state bigint[];
  v_place integer;
  v_day_key text;
  v_whole_day bigint;
  v_day_total bigint;
  v_day_stretches integer;
  v_day_windows integer;
  v_day_line integer;
begin
  if c_exit = c_entry then
    v_result.total := 0;
    return v_result;
  elsif p_tariff.rule_ids is null then
    v_result.refusal := 'no_rules';
    return v_result;
  end if;
  if c_series_count > 0 then
    v_window_end := array_fill(c_entry, array[c_series_count]);
    v_window_start := v_window_end;
    v_window_cap := array_fill(0, array[c_series_count]);
    v_window_room := array_fill(null::bigint, array[c_series_count]);
    v_window_saved := v_window_room;
    v_window_reached := v_window_room;
    v_window_origin := v_window_room;
  end if;

  if p_tariff.has_entry_rows then
    v_offset := coalesce(p_offset, private.clock_offset(p_time_zone, c_entry));
    v_date := date '1970-01-01' + private.day_of(c_entry + v_offset)::integer;
    v_set := case when v_date = any (p_overridden) then v_date end;
    foreach v_rule in array private.rows_at_entry(p_tariff, 'grace', p_holidays, v_set, c_entry + v_offset) loop
      if c_exit - c_entry <= c_units[v_rule] then
        v_result.total := 0;
        v_result.stretches := array[
          row (1, 'grace', v_rule, c_entry, 1, c_exit - c_entry, 0, 0, null)::private.fee_stretch
        ];
        v_result.windows := v_windows;
        return v_result;
      end if;
    end loop;
    v_stages := private.rows_at_entry(p_tariff, 'initial', p_holidays, v_set, c_entry + v_offset);
  end if;

  -- Once refused, it only looks for the next rate.
  while v_now < c_exit or v_result.refusal is not null loop
    if v_now >= v_piece_end then
      if v_now + 3 * c_day > v_calm_end or v_now - 3 * c_day < v_calm_start then
        v_offset := private.clock_offset(p_time_zone, v_now);
        v_calm_start := v_now - 4 * c_day;
        v_calm_end := case when private.clock_offset(p_time_zone, v_calm_start) = v_offset
          then private.calm_until(p_time_zone, v_calm_start, c_exit + 4 * c_day) else v_calm_start end;
        v_calm := v_now + 3 * c_day <= v_calm_end;
      end if;
      v_day := v_now + v_offset;
      v_day := (v_day - ((v_day % c_day) + c_day) % c_day) / c_day;
      v_midnight := v_day * c_day - v_offset;
      v_piece_end := v_midnight + c_day;
      if not v_calm and private.clock_offset(p_time_zone, v_piece_end) <> v_offset then
        v_piece_end := private.clock_change(p_time_zone, v_now, v_piece_end);
      end if;
      if v_now >= c_repeats_from then
        if v_calm and v_result.refusal is null and v_stage > cardinality(v_stages) then
          for v_s in 1..case when p_detail then c_series_count else 0 end loop
            continue when v_window_end[v_s] > v_now or v_window_cap[v_s] = 0;
            v_window_count := v_window_count + 1;
            v_windows[v_window_count] := row (
              v_window_cap[v_s], v_window_start[v_s], v_window_end[v_s], v_window_room[v_s], v_window_saved[v_s],
              v_window_reached[v_s]
            )::private.fee_window;
            v_window_cap[v_s] := 0;
          end loop;
          v_state := private.state_of_day(
            p_tariff, c_entry, v_now, v_midnight, v_line_rule, v_window_end, v_window_room,
            case when p_detail then v_window_start end, v_window_cap, v_window_saved, v_window_reached
          );
          if v_whole_day = v_day - 1 then
            v_walked := private.with_day(
              v_walked, v_day_key, v_midnight - c_day, v_total - v_day_total, v_state::text,
              array[v_day_stretches + 1, v_stretch_count, v_day_windows + 1, v_window_count, v_day_line, v_line]
            );
          end if;
          v_repeats := private.repeat_days(
            v_walked, v_state::text, v_day, least((c_exit + v_offset) / c_day, (v_calm_end + v_offset) / c_day - 3),
            v_midnight, p_holidays, p_overridden, case when p_detail then v_line end
          );
          if v_repeats.days > 0 then
            v_total := v_total + v_repeats.total;
            v_state := v_repeats.state::bigint[];
            v_midnight := v_midnight + v_repeats.days * c_day;
            v_now := v_midnight + v_state[1];
            for v_s in 1..c_series_count loop
              v_place := 7 * v_s - 3;
              v_window_end[v_s] := case v_state[v_place] when -1 then c_exit else coalesce(v_midnight + v_state[v_place], v_now) end;
              v_window_room[v_s] := v_state[v_place + 1];
              if p_detail then
                v_window_start[v_s] := case v_state[v_place] when -1 then c_entry else v_midnight + v_state[v_place + 2] end;
                v_window_cap[v_s] := coalesce(v_state[v_place + 3], 0);
                v_window_saved[v_s] := v_state[v_place + 4];
                v_window_reached[v_s] := v_state[v_place + 5] + case v_state[v_place] when -1 then 0 else v_midnight end;
              end if;
            end loop;
            if p_detail then
              v_line := v_repeats.line;
              v_line_rule := v_state[2];
              v_repeated.places := v_repeated.places || v_repeats.places;
              v_repeated.shifts := v_repeated.shifts || v_repeats.shifts;
              v_repeated.line_shifts := v_repeated.line_shifts || v_repeats.line_shifts;
            end if;
            v_whole_day := null;
            v_piece_end := v_now;
            continue;
          end if;
          v_day_key := v_repeats.key;
          v_whole_day := case when v_day_key is not null then v_day end;
          v_day_total := v_total;
          v_day_stretches := v_stretch_count;
          v_day_windows := v_window_count;
          v_day_line := v_line;
        else
          v_whole_day := null;
        end if;
      end if;
      v_date := date '1970-01-01' + v_day::integer;
      v_set := case when v_date = any (p_overridden) then v_date end;
      v_mask := 1 | case ((v_day % 7 + 11) % 7)::integer when 0 then 8 when 6 then 4 else 2 end;
      v_edge := 0;
      v_last_edge := 0;
      v_edge_end := v_piece_end;
      for v_plan in 1..c_plan_count loop
        continue when c_plan_sets[v_plan] is distinct from v_set;
        if v_mask < 16 and p_holidays is not null then
          if not v_date = any (p_holidays) then
            if v_date + 1 = any (p_holidays) then v_mask := v_mask | 16; end if;
          elsif c_plan_bits[v_plan] & 32 <> 0 then
            v_mask := 33;
          end if;
        end if;
        if c_plan_masks[v_plan] = v_mask & c_plan_bits[v_plan] then
          v_edge := c_plan_firsts[v_plan] - 1;
          v_last_edge := c_plan_firsts[v_plan + 1] - 1;
          v_edge_end := v_now;
          exit;
        end if;
      end loop;
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
      if v_rule = 0 then
        if v_result.refusal is null then
          v_result.refusal := 'no_rate';
          v_result.refused_from := v_now;
          v_result.stretches := case when v_repeated.places is null then v_stretches
            else private.repeated_stretches(v_stretches, v_walked, v_repeated) end;
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
          v_end := v_day * c_day + c_ends[v_rule]
            + case when c_starts[v_rule] < c_ends[v_rule] or v_now - v_midnight < c_starts[v_rule] then 0 else c_day end;
          v_length := case when v_calm then v_end - v_offset else private.clock_instant(p_time_zone, v_end) end - v_now;
        end if;
      end if;
    end if;
    v_price := c_prices[v_rule];
    if c_exit < v_until then v_until := c_exit; end if;

    -- The windows that hold now, and the smallest room that they leave.
    v_room := null;
    v_binding := 0;
    for v_s in 1..c_series_count loop
      continue when c_series_rates[v_s] <> 0 and c_series_rates[v_s] <> v_rule;
      if v_now >= v_window_end[v_s] then
        v_first := c_series[v_s];
        if c_cap_types[v_first] = 'stay' then
          v_start := c_entry;
          v_end := c_exit;
          v_ordinal := 0;
        elsif c_cap_types[v_first] = 'duration' then
          v_ordinal := (v_now - c_entry) / c_cap_spans[v_first];
          v_start := c_entry + v_ordinal * c_cap_spans[v_first];
          v_end := v_start + c_cap_spans[v_first];
        else
          -- Of a calendar day or a band. Until the loop ends, v_start and v_end are times of day.
          v_start := case when c_cap_types[v_first] = 'day' then 0 else c_starts[v_first] end;
          v_moment := case when c_cap_types[v_first] = 'day' then c_day
            else c_ends[v_first] + case when v_start < c_ends[v_first] then 0 else c_day end end;
          if v_window_origin[v_s] is null then
            v_window_origin[v_s] := private.first_occurrence(p_time_zone, c_entry, v_moment, p_offset);
          end if;
          v_ordinal := v_day - 1;
          loop
            v_end := v_ordinal * c_day + v_moment;
            v_end := case when v_calm then v_end - v_offset else private.clock_instant(p_time_zone, v_end) end;
            exit when v_now < v_end;
            v_ordinal := v_ordinal + 1;
          end loop;
          v_start := v_ordinal * c_day + v_start;
          v_start := case when v_calm then v_start - v_offset else private.clock_instant(p_time_zone, v_start) end;
          v_ordinal := v_ordinal - v_window_origin[v_s];
          if v_now < v_start then
            -- Between two bands.
            v_end := v_start;
            v_start := null;
          end if;
        end if;
        if p_detail and v_window_cap[v_s] <> 0 then
          v_window_count := v_window_count + 1;
          v_windows[v_window_count] := row (
            v_window_cap[v_s], v_window_start[v_s], v_window_end[v_s], v_window_room[v_s], v_window_saved[v_s],
            v_window_reached[v_s]
          )::private.fee_window;
        end if;
        v_window_end[v_s] := v_end;
        v_cap := 0;
        if v_start is null then
          null;
        elsif c_series_plain[v_s] then
          if v_ordinal = 0 or c_cap_repeats[v_first] then v_cap := v_first; end if;
        else
          v_moment := greatest(v_start, c_entry);
          v_cap := private.cap_of_window(p_tariff, v_first, v_ordinal = 0, p_holidays, p_overridden,
            v_moment + case when v_moment >= v_calm_start and v_now <= v_calm_end then v_offset
              else private.clock_offset(p_time_zone, v_moment) end);
        end if;
        v_window_room[v_s] := case when v_cap <> 0 then c_cap_prices[v_cap] end;
        if p_detail then
          v_window_start[v_s] := v_start;
          v_window_cap[v_s] := v_cap;
          v_window_saved[v_s] := 0;
          v_window_reached[v_s] := case when v_window_room[v_s] = 0 then v_now end;
        end if;
      end if;
      if v_window_end[v_s] < v_until then v_until := v_window_end[v_s]; end if;
      if v_window_room[v_s] < v_room or (v_room is null and v_window_room[v_s] is not null) then
        v_room := v_window_room[v_s];
        v_binding := v_s;
      end if;
    end loop;

    -- As many units as begin before anything changes.
    v_units := (v_until - v_now + v_length - 1) / v_length;
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
      v_stretch_count := v_stretch_count + 1;
      v_stretches[v_stretch_count] := row (
        v_line, v_kind, v_rule, v_now, v_units, v_length, v_price, v_net, v_room
      )::private.fee_stretch;
    end if;
    v_now := v_now + v_units * v_length;
  end loop;

  v_result.total := v_total;
  if p_detail then
    for v_s in 1..c_series_count loop
      continue when v_window_cap[v_s] = 0;
      v_windows := v_windows || row (
        v_window_cap[v_s], v_window_start[v_s], v_window_end[v_s], v_window_room[v_s], v_window_saved[v_s],
        v_window_reached[v_s]
      )::private.fee_window;
    end loop;
  end if;
  if v_repeated.places is not null then
    v_stretches := private.repeated_stretches(v_stretches, v_walked, v_repeated);
    v_windows := private.repeated_windows(v_windows, v_walked, v_repeated);
  end if;
  v_result.stretches := v_stretches;
  v_result.windows := v_windows;
  return v_result;
end
$$;

comment on function private.walk_fee(private.tariff, text, date[], date[], timestamptz, timestamptz, boolean, bigint) is
  'What the stay costs by this tariff. Holidays and overridden dates from the day before entry until the look ahead ends; detail adds stretches, windows and, when refused, the next known rate. p_offset: private.calm_offset of the stay, when it is at hand.';
