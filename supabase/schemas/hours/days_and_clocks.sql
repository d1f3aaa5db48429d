-- Days and clocks: the day types of a date, and the wall clock of a time zone. Hours and fees use both.
--
-- Day types are bits, of a date and of a row alike. A row matches a date when they share a bit: all 1, weekday 2,
-- saturday 4, sunday 8, holiday_eve 16, holiday 32. A greater bit is more specific.
--
-- In the calculation of fees, times are microseconds since 1970: instants as they are, wall clock times as if the zone were
-- UTC.
--
-- Invariants: nothing here reads a table.
-- Interface: private.day_bit, private.date_bits, private.bits_in_force; private.clock_offset, private.steady_offset,
-- private.clock_instant, private.clock_change, private.day_number. Functions without a search_path are inlined.

-- The bit of a row's day type. Null is all.
create function private.day_bit(p_day_type text) returns integer
language sql immutable parallel safe
return case p_day_type when 'weekday' then 2 when 'saturday' then 4 when 'sunday' then 8 when 'holiday_eve' then 16
  when 'holiday' then 32 else 1 end;

-- The day types of a date as bits. A holiday also has the bit of its day of the week.
create function private.date_bits(p_date date, p_holidays date[]) returns integer
language sql immutable parallel safe
return 1 | case extract(dow from p_date) when 0 then 8 when 6 then 4 else 2 end
  | case when p_date = any (p_holidays) then 32 when p_date + 1 = any (p_holidays) then 16 else 0 end;

-- Which day types of a date count for rows of one family, whose bits together are p_row_bits. Without a row for holidays,
-- a holiday counts as its day of the week.
create function private.bits_in_force(p_date_bits integer, p_row_bits integer) returns integer
language sql immutable parallel safe
return case when p_date_bits & p_row_bits & 32 <> 0 then 33 when p_row_bits is not null then p_date_bits & 31 end;

-- The offset of the zone from UTC at this instant, in microseconds.
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

-- The offset of the zone from UTC in microseconds, if it does not change from eight days before the first instant to 16
-- days or more after the second; otherwise null.
create function private.steady_offset(p_time_zone text, p_from bigint, p_to bigint) returns bigint
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  -- No zone changes there and back within eight days. After the end: a fortnight in which the next rate is looked up.
  c_step constant bigint := 8 * 86400000000;
  c_offset constant bigint := private.clock_offset(p_time_zone, p_from - c_step);
begin
  for v_step in 0..(p_to - p_from) / c_step + 3 loop
    if private.clock_offset(p_time_zone, p_from + v_step * c_step) <> c_offset then
      return null;
    end if;
  end loop;
  return c_offset;
end
$$;

-- The instant of a wall clock time. Postgres resolves a time that does not exist or exists twice. p_offset:
-- private.steady_offset.
create function private.clock_instant(p_time_zone text, p_local bigint, p_offset bigint) returns bigint
language sql immutable parallel safe
return coalesce(p_local - p_offset,
  (extract(epoch from (timestamp 'epoch' + p_local * interval '1 microsecond') at time zone p_time_zone - timestamptz 'epoch')
    * 1000000)::bigint);

-- The instant at which the clock of the zone changes between the two.
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

-- The day number of a wall clock time, counted from 1970-01-01; negative before.
create function private.day_number(p_local bigint) returns bigint
language sql immutable parallel safe
return (p_local - ((p_local % 86400000000) + 86400000000) % 86400000000) / 86400000000;

grant execute on function private.date_bits(date, date[]) to anon, authenticated;
