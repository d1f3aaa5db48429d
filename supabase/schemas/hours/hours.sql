-- Hours: when a lot is open, may be entered, may be left.
--
-- parking_lot_windows are the weekly hours, parking_lot_date_overrides replace them on one date, holidays are the public
-- holidays of each calendar. A date override may also replace the prices of that date; fees define their shape.
--
-- Invariants: start and end are both set or both null; a lot has one override per date; a row that the evaluator cannot
-- read cannot be stored.
-- A lot in a part of a country (CH-ZH) has the holidays of the country (CH) and those of the part.
-- Interface: private.holidays_between, private.has_holidays; private.always_open, private.lasting_hours; the evaluator of
-- hours (hours/evaluator.sql) reads the rows.
-- Times of day are returned as private.clock_text writes them.

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

-- The lots whose windows are all 24 hours on every day, business hours among them, and that have no override near the two
-- moments: most lots. They are open and may be entered and left, without a calculation of dates.
create function private.always_open(p_lot_ids uuid[], p_from timestamptz, p_to timestamptz) returns uuid[]
language plpgsql stable
security definer -- row security would look up the lot of every row; the lots are public, which the query checks
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_nestloop = on -- the evaluator turns it off, and a hash join would read all lots
as $$
begin
  return array(
    select w.parking_lot_id
    from public.parking_lot_windows w
    join public.parking_lots l on l.id = w.parking_lot_id and l.status = 'active'
    where w.parking_lot_id = any (p_lot_ids)
    group by w.parking_lot_id
    having bool_or(w.window_type = 'business') and bool_and(
      w.window_type <> 'after_hours_exit' and w.is_24h is true and w.is_closed is not true and w.open_time is null
        and coalesce(w.day_type, 'all') = 'all' and num_nonnulls(w.day_of_week, w.effective_from, w.effective_to) = 0
    )
    except
    select o.parking_lot_id
    from public.parking_lot_date_overrides o
    where o.parking_lot_id = any (p_lot_ids) and o.hours is not null
      and o.override_date between (p_from at time zone 'UTC')::date - 2 and (p_to at time zone 'UTC')::date + 1
  );
end
$$;

-- Which answers of a public lot do not change between the two moments, as its windows and the absence of overrides show
-- without dates. Returns those answers: true, or null where unknown. All null: it cannot be decided.
create function private.lasting_hours(
  p_lot_id uuid, p_from timestamptz, p_to timestamptz,
  out is_open boolean, out can_enter boolean, out can_exit boolean, out open_lasts boolean, out entry_lasts boolean,
  out exit_lasts boolean
)
language plpgsql stable
security definer -- row security would look up the lot of every row; the lot is public, which the query checks
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
begin
  -- A kind whose rows are all 24 hours on every day is always true; a kind without rows is always unknown.
  with kinds as (
    select bool_and(w.is_24h) filter (where w.window_type = 'business') as is_open,
      bool_and(w.is_24h) filter (where w.window_type = 'entry') as can_enter,
      bool_and(w.is_24h) filter (where w.window_type = 'exit') as can_exit,
      coalesce(bool_or(w.window_type = 'after_hours_exit'), false) as has_late_exit
    from public.parking_lots l
    left join lateral (
      select w.window_type, w.is_24h is true and w.is_closed is not true and w.open_time is null
        and coalesce(w.day_type, 'all') = 'all' and num_nonnulls(w.day_of_week, w.effective_from, w.effective_to) = 0 as is_24h
      from public.parking_lot_windows w
      where w.parking_lot_id = l.id
    ) w on true
    where l.id = p_lot_id and l.status = 'active' and not exists (
      select from public.parking_lot_date_overrides o
      where o.parking_lot_id = l.id and o.hours is not null
        and o.override_date between (p_from at time zone 'UTC')::date - 2 and (p_to at time zone 'UTC')::date + 1
    )
    group by l.id
  )
  select k.is_open, coalesce(k.can_enter, k.is_open), coalesce(k.can_exit, k.is_open),
    k.is_open is not false, coalesce(k.can_enter, k.is_open) is not false,
    coalesce(k.can_exit, k.is_open and not k.has_late_exit, not k.has_late_exit)
  into is_open, can_enter, can_exit, open_lasts, entry_lasts, exit_lasts
  from kinds k;
end
$$;

-- A time of day as clients read it: HH:MM, 24:00 at the end of a day.
create function private.clock_text(p_time time) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return to_char(p_time, 'HH24:MI');
end
$$;

-- Hours or pricing of a date override, with its times of day in the form of private.clock_text.
create function private.clock_times(p_value jsonb) returns jsonb
language plpgsql immutable strict
set search_path = ''
as $$
begin
  -- Usually all times have this form already.
  if p_value::text !~ '"(open_time|close_time|time_start|time_end)": (?!"([01]\d|2[0-3]):[0-5]\d"|"24:00"|null)' then
    return p_value;
  end if;
  return case jsonb_typeof(p_value)
    when 'object' then (
      select coalesce(jsonb_object_agg(e.key, case
        when e.key in ('open_time', 'close_time', 'time_start', 'time_end')
          then coalesce(to_jsonb(private.clock_text((e.value #>> '{}')::time)), 'null')
        else private.clock_times(e.value) end), '{}')
      from jsonb_each(p_value) as e
    )
    when 'array' then (
      select coalesce(jsonb_agg(private.clock_times(e.value) order by e.place), '[]')
      from jsonb_array_elements(p_value) with ordinality as e (value, place)
    )
    else p_value
  end;
end
$$;

grant execute on function
  private.holidays_between(text, date, date),
  private.always_open(uuid[], timestamptz, timestamptz), private.lasting_hours(uuid, timestamptz, timestamptz),
  private.clock_text(time), private.clock_times(jsonb)
to anon, authenticated;
