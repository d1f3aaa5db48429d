-- Parts of the walk that prices a stay (docs/fees.md): what it answers, how it reads clocks, what it asks for rarely.
--
-- Times are microseconds since 1970: instants as they are, wall clock times as if the zone were UTC.
--
-- Invariants: nothing here reads a table.
-- Interface: for private.walk_fee alone; the types for whoever reads its answer.

-- ---------------------------------------------------------------------------------------------------------------------
-- Types
-- ---------------------------------------------------------------------------------------------------------------------

create type private.fee_stretch as (
  line integer, -- stretches of one row that follow one another have the same
  kind text, -- grace, initial, rate, flat
  rule integer, -- its place in the tariff
  starts bigint,
  units bigint,
  unit_length bigint,
  unit_price bigint,
  net bigint, -- what it costs after caps
  room bigint -- what the caps had left when it began; null: no cap
);

create type private.fee_window as (
  rule integer,
  starts bigint,
  ends bigint,
  room bigint, -- what is left of the cap
  saved bigint, -- what this cap, and no tighter one, took off
  reached bigint -- when the unit began that filled it; null: it was not filled
);

create type private.fee_walk as (
  total bigint,
  refusal text, -- no_rules or no_rate; then the total is null
  refused_from bigint,
  known_from bigint, -- when the next rate is known, at most a fortnight later
  stretches private.fee_stretch[], -- in order of time; when refused, those before refused_from
  windows private.fee_window[] -- of caps, those in which a unit began; null when refused
);

comment on type private.fee_stretch is 'Units of one row that follow one another and are bounded by the same caps.';
comment on type private.fee_window is 'A window of a cap in which a unit began.';
comment on type private.fee_walk is 'What a stay costs; stretches and windows when asked for in detail.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: clocks
-- ---------------------------------------------------------------------------------------------------------------------

create function private.clock_offset(p_time_zone text, p_at bigint) returns bigint
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_at constant timestamptz := timestamptz 'epoch' + p_at * interval '1 microsecond';
begin
  return round(date_part('epoch', (c_at at time zone p_time_zone) - (c_at at time zone 'UTC')))::bigint * 1000000;
end
$$;

comment on function private.clock_offset(text, bigint) is 'How far the zone''s clock is ahead of UTC at this instant.';

create function private.clock_instant(p_time_zone text, p_local bigint) returns bigint
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return extract(epoch from (timestamp 'epoch' + p_local * interval '1 microsecond') at time zone p_time_zone) * 1000000;
end
$$;

comment on function private.clock_instant(text, bigint) is
  'The instant of a wall clock time; one that does not exist, or exists twice, as Postgres resolves it.';

create function private.clock_change(p_time_zone text, p_from bigint, p_to bigint) returns bigint
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_before constant bigint := private.clock_offset(p_time_zone, p_from);
  v_low bigint := p_from;
  v_high bigint := p_to;
  v_middle bigint;
begin
  while v_high - v_low > 1 loop
    v_middle := (v_low + v_high) / 2;
    if private.clock_offset(p_time_zone, v_middle) = c_before then
      v_low := v_middle;
    else
      v_high := v_middle;
    end if;
  end loop;
  return v_high;
end
$$;

comment on function private.clock_change(text, bigint, bigint) is
  'The instant at which the zone''s clock changes, which it does between the two.';

create function private.calm_until(p_time_zone text, p_from bigint, p_enough bigint) returns bigint
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  -- No zone changes there and back within eight days.
  c_step constant bigint := 8 * 86400000000;
  c_offset constant bigint := private.clock_offset(p_time_zone, p_from);
  v_until bigint := p_from;
begin
  for v_step in 1..6 loop
    exit when v_until >= p_enough or private.clock_offset(p_time_zone, v_until + c_step) <> c_offset;
    v_until := v_until + c_step;
  end loop;
  return v_until;
end
$$;

comment on function private.calm_until(text, bigint, bigint) is
  'An instant until which the zone''s clock does not change: p_enough or later when it can be seen, else as far as was looked.';

create function private.calm_offset(p_time_zone text, p_entry timestamptz, p_exit timestamptz) returns bigint
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_day constant bigint := 86400000000;
  c_from constant bigint := round(extract(epoch from p_entry) * 1000000) - 4 * c_day;
  c_to constant bigint := round(extract(epoch from p_exit) * 1000000) + 4 * c_day;
begin
  return case when private.calm_until(p_time_zone, c_from, c_to) >= c_to then private.clock_offset(p_time_zone, c_from) end;
end
$$;

comment on function private.calm_offset(text, timestamptz, timestamptz) is
  'How far the zone''s clock is ahead of UTC, when it can be seen not to change in the stay and four days before and after; else null.';

create function private.day_of(p_local bigint) returns bigint
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return (p_local - ((p_local % 86400000000) + 86400000000) % 86400000000) / 86400000000;
end
$$;

comment on function private.day_of(bigint) is 'The day of a wall clock time, counted from 1970-01-01, backwards too.';

create function private.day_mask(p_day bigint, p_holidays date[], p_names_holidays boolean) returns integer
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_date constant date := date '1970-01-01' + p_day::integer;
  c_is_holiday constant boolean := coalesce(c_date = any (p_holidays), false);
begin
  if c_is_holiday and p_names_holidays then
    return 33;
  end if;
  return 1 | case extract(isodow from c_date) when 7 then 8 when 6 then 4 else 2 end
    | case when not c_is_holiday and c_date + 1 = any (p_holidays) then 16 else 0 end;
end
$$;

comment on function private.day_mask(bigint, date[], boolean) is
  'The bits of a day''s types. p_names_holidays: some row of the family is for holidays; else a holiday is a day of the week.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: what the walk asks for rarely
-- ---------------------------------------------------------------------------------------------------------------------

create function private.rows_at_entry(
  p_tariff private.tariff, p_family text, p_holidays date[], p_set date, p_local bigint
) returns integer[]
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_day constant bigint := private.day_of(p_local);
  c_families constant text[] := p_tariff.families;
  c_sets constant date[] := p_tariff.sets;
  c_bits constant integer[] := p_tariff.day_bits;
  v_family integer[] := '{}';
  v_mask integer;
  v_best integer := 0;
  v_rows integer[] := '{}';
begin
  for v_rule in 1..cardinality(c_families) loop
    if c_families[v_rule] = p_family and c_sets[v_rule] is not distinct from p_set then
      v_family := v_family || v_rule;
      v_best := v_best | c_bits[v_rule];
    end if;
  end loop;
  if v_family = '{}' then
    return v_rows;
  end if;
  v_mask := private.day_mask(c_day, p_holidays, v_best & 32 <> 0);
  v_best := null;
  -- The most specific day type comes first.
  for v_place in 1..cardinality(v_family) loop
    exit when c_bits[v_family[v_place]] <> v_best;
    if c_bits[v_family[v_place]] & v_mask <> 0 and private.band_holds(
      p_tariff.starts[v_family[v_place]], p_tariff.ends[v_family[v_place]], p_local - c_day * 86400000000
    ) then
      v_best := c_bits[v_family[v_place]];
      v_rows := v_rows || v_family[v_place];
    end if;
  end loop;
  return v_rows;
end
$$;

comment on function private.rows_at_entry(private.tariff, text, date[], date, bigint) is
  'The grace or initial rows in force at entry (p_local) of the most specific day type among them, in rule_order.';

create function private.first_occurrence(p_time_zone text, p_entry bigint, p_band_end bigint, p_offset bigint) returns bigint
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  v_day bigint := private.day_of(p_entry + coalesce(p_offset, private.clock_offset(p_time_zone, p_entry))) - 1;
begin
  while p_entry >= coalesce(
    v_day * 86400000000 + p_band_end - p_offset, private.clock_instant(p_time_zone, v_day * 86400000000 + p_band_end)
  ) loop
    v_day := v_day + 1;
  end loop;
  return v_day;
end
$$;

comment on function private.first_occurrence(text, bigint, bigint, bigint) is
  'The day of the first occurrence of a band that a stay touches. The band''s end counts from midnight of the day on which it begins. p_offset: of a clock that does not change for days before and after; or null.';

create function private.cap_of_window(
  p_tariff private.tariff, p_first integer, p_is_first boolean, p_holidays date[], p_overridden date[], p_local bigint
) returns integer
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_day constant bigint := private.day_of(p_local);
  c_date constant date := date '1970-01-01' + c_day::integer;
  c_set constant date := case when c_date = any (p_overridden) then c_date end;
  -- Only a holiday asks whether some row is for holidays: the query costs more than all the rest.
  c_mask constant integer := private.day_mask(c_day, p_holidays, coalesce(c_date = any (p_holidays), false) and exists (
    select from unnest(p_tariff.families, p_tariff.sets, p_tariff.day_bits) as t (family, set_date, bit)
    where t.family = 'cap' and t.bit = 32 and t.set_date is not distinct from c_set
  ));
begin
  for v_rule in p_first..cardinality(p_tariff.rule_ids) loop
    continue when p_tariff.families[v_rule] <> 'cap' or p_tariff.cap_types[v_rule] <> p_tariff.cap_types[p_first]
      or p_tariff.cap_spans[v_rule] is distinct from p_tariff.cap_spans[p_first]
      or p_tariff.day_bits[v_rule] & c_mask = 0 or p_tariff.sets[v_rule] is distinct from c_set
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

comment on function private.cap_of_window(private.tariff, integer, boolean, date[], date[], bigint) is
  'The cap row of the series that counts for a window, by the window''s first moment (p_local); 0 when none does.';
