-- Days that repeat: a long stay walks few of its days, the others are like one that it has walked.
--
-- What a day costs follows from its day types and from how it begins: how far a unit that began the day before reaches into
-- it, and the windows of caps that are open, by the wall clock. That is the key of a day. Where two days have the same key
-- they cost the same and end the same, so that a year of 365 days walks about ten of them. It holds for whole days of the
-- stay, far from its entry and from changes of the clock, and beside no overridden date; all others are walked.
--
-- Invariants: a total, a line or a window is the same as if every day had been walked (tests/db/fee_long.test.ts).
-- Interface: for private.walk_fee alone.

-- ---------------------------------------------------------------------------------------------------------------------
-- Types
-- ---------------------------------------------------------------------------------------------------------------------

create type private.walked_days as ( -- one element a walked day
  keys text[],
  midnights bigint[], -- when they began
  totals bigint[],
  states text[], -- how the day after begins
  stretch_from integer[],
  stretch_upto integer[],
  window_from integer[],
  window_upto integer[],
  line_from integer[], -- the line before its first
  line_upto integer[]
);

create type private.repeated_days as (
  days integer,
  total bigint,
  state text, -- how the day after them begins
  key text, -- of the day after them; null when no day may repeat it
  line integer,
  places integer[], -- the walked day that each of them is like, and how much later
  shifts bigint[],
  line_shifts integer[]
);

comment on type private.walked_days is 'Whole days that a walk went through, for others that begin alike.';
comment on type private.repeated_days is 'Days on end that begin like days that were walked.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create function private.repeats_from(p_tariff private.tariff, p_entry bigint) returns bigint
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_day constant bigint := 86400000000;
  v_span bigint;
  v_longest bigint := 4 * c_day;
begin
  for v_s in 1..coalesce(cardinality(p_tariff.series), 0) loop
    v_span := p_tariff.cap_spans[p_tariff.series[v_s]];
    -- Which cap counts for a window follows from the day on which it began: that has to be this day or the one before.
    if v_span > c_day and not p_tariff.series_plain[v_s] then
      return null;
    end if;
    v_longest := greatest(v_longest, v_span);
  end loop;
  return p_entry + v_longest;
end
$$;

comment on function private.repeats_from(private.tariff, bigint) is
  'From when on days of a stay may repeat: no window of a cap that opens then is its first. Null: never.';

create function private.state_of_day(
  p_tariff private.tariff, p_entry bigint, p_now bigint, p_midnight bigint, p_line_rule integer, p_ends bigint[],
  p_rooms bigint[], p_starts bigint[], p_caps integer[], p_saved bigint[], p_reached bigint[]
) returns bigint[]
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_series constant integer[] := p_tariff.series;
  c_types constant text[] := p_tariff.cap_types;
  c_spans constant bigint[] := p_tariff.cap_spans;
  v_state bigint[] := array[p_now - p_midnight, p_line_rule];
begin
  for v_s in 1..coalesce(cardinality(c_series), 0) loop
    if c_types[c_series[v_s]] = 'duration' then
      v_state := v_state || (p_midnight - p_entry) % c_spans[c_series[v_s]];
    else
      v_state := v_state || null::bigint;
    end if;
    if p_ends[v_s] <= p_now then
      v_state := v_state || array[null, null, null, null, null, null]::bigint[];
    elsif c_types[c_series[v_s]] = 'stay' then
      v_state := v_state || array[-1, p_rooms[v_s], null, p_caps[v_s], p_saved[v_s], p_reached[v_s]];
    else
      v_state := v_state || array[
        p_ends[v_s] - p_midnight, p_rooms[v_s], p_starts[v_s] - p_midnight, p_caps[v_s], p_saved[v_s],
        p_reached[v_s] - p_midnight
      ];
    end if;
  end loop;
  return v_state;
end
$$;

comment on function private.state_of_day(private.tariff, bigint, bigint, bigint, integer, bigint[], bigint[], bigint[], integer[], bigint[], bigint[]) is
  'How a day begins, counted from its midnight: how far a unit reaches into it, the row of the line; then seven of each series: the phase of a duration, and of the window that is open its end (-1: that of the stay), room, start, cap, what it saved, when it was reached.';

create function private.with_day(
  p_walked private.walked_days, p_key text, p_midnight bigint, p_total bigint, p_state text, p_ranges integer[]
) returns private.walked_days
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  p_walked.keys := p_walked.keys || p_key;
  p_walked.midnights := p_walked.midnights || p_midnight;
  p_walked.totals := p_walked.totals || p_total;
  p_walked.states := p_walked.states || p_state;
  p_walked.stretch_from := p_walked.stretch_from || p_ranges[1];
  p_walked.stretch_upto := p_walked.stretch_upto || p_ranges[2];
  p_walked.window_from := p_walked.window_from || p_ranges[3];
  p_walked.window_upto := p_walked.window_upto || p_ranges[4];
  p_walked.line_from := p_walked.line_from || p_ranges[5];
  p_walked.line_upto := p_walked.line_upto || p_ranges[6];
  return p_walked;
end
$$;

comment on function private.with_day(private.walked_days, text, bigint, bigint, text, integer[]) is
  'One walked day more. p_ranges: first and last of its stretches and of its windows, the line before it, its last line.';

create function private.repeat_days(
  p_walked private.walked_days, p_state text, p_day bigint, p_until bigint, p_midnight bigint, p_holidays date[],
  p_overridden date[], p_line integer
) returns private.repeated_days
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_keys constant text[] := p_walked.keys;
  c_totals constant bigint[] := p_walked.totals;
  c_states constant text[] := p_walked.states;
  v_result private.repeated_days;
  v_day bigint := p_day;
  v_state text := p_state;
  v_total bigint := 0;
  v_line integer := p_line;
  v_places integer[] := '{}';
  v_shifts bigint[] := '{}';
  v_line_shifts integer[] := '{}';
  v_date date;
  v_key text;
  v_place integer;
begin
  while v_day < p_until loop
    v_date := date '1970-01-01' + v_day::integer;
    v_key := null;
    exit when v_date = any (p_overridden) or v_date - 1 = any (p_overridden);
    v_key := (v_day % 7 + case when p_holidays is null then 0
      else 8 * (v_date - 1 = any (p_holidays))::integer + 16 * (v_date = any (p_holidays))::integer
        + 32 * (v_date + 1 = any (p_holidays))::integer end)::text || v_state;
    v_place := array_position(c_keys, v_key);
    exit when v_place is null;
    v_total := v_total + c_totals[v_place];
    v_state := c_states[v_place];
    if p_line is not null then
      v_places := v_places || v_place;
      v_shifts := v_shifts || p_midnight + (v_day - p_day) * 86400000000 - p_walked.midnights[v_place];
      v_line_shifts := v_line_shifts || v_line - p_walked.line_from[v_place];
      v_line := v_line + p_walked.line_upto[v_place] - p_walked.line_from[v_place];
    end if;
    v_day := v_day + 1;
    v_key := null;
  end loop;
  v_result := row (v_day - p_day, v_total, v_state, v_key, v_line, v_places, v_shifts, v_line_shifts);
  return v_result;
end
$$;

comment on function private.repeat_days(private.walked_days, text, bigint, bigint, bigint, date[], date[], integer) is
  'The days from p_day (which begins at p_midnight) on, before p_until, that begin like walked ones; p_state is how the first begins. With p_line, the line so far, it also tells which they are like.';

create function private.repeated_stretches(
  p_stretches private.fee_stretch[], p_walked private.walked_days, p_repeated private.repeated_days
) returns private.fee_stretch[]
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return array(
    select s
    from (
      select s.*::private.fee_stretch as s, s.starts from unnest(p_stretches) s
      union all
      select row (
        s.line + r.lines, s.kind, s.rule, s.starts + r.shift, s.units, s.unit_length, s.unit_price, s.net, s.room
      )::private.fee_stretch, s.starts + r.shift
      from unnest(p_repeated.places, p_repeated.shifts, p_repeated.line_shifts) as r (place, shift, lines)
      cross join lateral unnest(p_stretches[p_walked.stretch_from[r.place]:p_walked.stretch_upto[r.place]]) s
    ) as all_stretches
    order by starts
  );
end
$$;

comment on function private.repeated_stretches(private.fee_stretch[], private.walked_days, private.repeated_days) is
  'The stretches of walked days and those of the days that repeat them, in order of time.';

create function private.repeated_windows(
  p_windows private.fee_window[], p_walked private.walked_days, p_repeated private.repeated_days
) returns private.fee_window[]
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return p_windows || array(
    select row (w.rule, w.starts + r.shift, w.ends + r.shift, w.room, w.saved, w.reached + r.shift)::private.fee_window
    from unnest(p_repeated.places, p_repeated.shifts) as r (place, shift)
    cross join lateral unnest(p_windows[p_walked.window_from[r.place]:p_walked.window_upto[r.place]]) w
  );
end
$$;

comment on function private.repeated_windows(private.fee_window[], private.walked_days, private.repeated_days) is
  'The windows that ended on walked days, and those that ended on days that repeat them.';
