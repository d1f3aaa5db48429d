-- Public holidays by rule: the days of a calendar in any year, and the job that keeps public.holidays ten years ahead.
--
-- A calendar is a country (DE) or a part of one (DE-BW). A part has only the days that its country does not have.
--
-- Invariants: a year of a calendar is filled once, so a holiday that an administrator deletes does not come back.
-- Interface: private.extend_holidays for the job; private.holidays_by_rule, private.easter_sunday.

-- Easter Sunday of a year of the Gregorian calendar.
create function private.easter_sunday(p_year integer) returns date
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_golden constant integer := p_year % 19;
  c_century constant integer := p_year / 100;
  c_epact constant integer := (c_century - c_century / 4 - (8 * c_century + 13) / 25 + 19 * c_golden + 15) % 30;
  -- The full moon of spring: so many days after 21 March.
  c_moon constant integer := c_epact - c_epact / 28 * (1 - 29 / (c_epact + 1) * ((21 - c_golden) / 11));
  c_weekday constant integer := (p_year + p_year / 4 + c_moon + 2 - c_century + c_century / 4) % 7;
begin
  return make_date(p_year, 3, 28) + c_moon - c_weekday;
end
$$;

-- The public holidays of a calendar in these years, one a day. In Japan a holiday on a Sunday also makes the next day that
-- is no holiday one, named after the holiday before it, and a day between two holidays is one.
create function private.holidays_by_rule(p_calendar text, p_from_year integer, p_to_year integer)
returns table (holiday_date date, name text, name_en text)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  with ruled as materialized (
    select r.calendar, d.day, r.name, r.name_en
    from private.holiday_rules r
    cross join generate_series(greatest(p_from_year, r.first_year), least(p_to_year, r.last_year)) as y (year)
    cross join lateral (
      select case r.kind
        when 'date' then make_date(y.year, r.month, r.day)
        when 'weekday' then make_date(y.year, r.month, r.day) + r.days
          - (extract(dow from make_date(y.year, r.month, r.day))::integer - r.weekday + 7) % 7
        when 'easter' then private.easter_sunday(y.year) + r.days
        when 'equinox' then make_date(y.year, r.month, floor(
          case r.month when 3 then 20.8431 else 23.2488 end + 0.242194 * (y.year - 1980) - (y.year - 1980) / 4)::integer)
      end as day
    ) d
    where r.calendar in (p_calendar, left(p_calendar, 2))
  )
  select distinct on (a.day) a.day, a.name, a.name_en
  from (
    select r.day, r.name, r.name_en
    from ruled r
    where r.calendar = p_calendar
      and not exists (select from ruled c where c.calendar <> p_calendar and c.day = r.day)
    union all
    select before.day + 1, before.name || ' 振替休日', 'Holiday in lieu'
    from ruled sunday
    join ruled before on before.day >= sunday.day and before.day < sunday.day + 7
    where p_calendar = 'JP' and extract(dow from sunday.day) = 0
      and not exists (select from ruled r where r.day = before.day + 1)
      -- All days from the Sunday to this one are holidays.
      and (select count(*) from ruled r where r.day between sunday.day and before.day) = before.day - sunday.day + 1
    union all
    select before.day + 1, '休日', 'Citizen''s Holiday'
    from ruled before
    join ruled after on after.day = before.day + 2
    where p_calendar = 'JP' and not exists (select from ruled r where r.day = before.day + 1)
  ) a
  order by a.day, a.name;
end
$$;

-- Adds the holidays of the years that were not filled yet, from 2024 on. A year in which the calendar has a holiday already
-- stays as it is.
create function private.extend_holidays(p_until_year integer default extract(year from now())::integer + 10) returns void
language plpgsql
set search_path = ''
as $$
begin
  with days as materialized (
    select c.calendar, d.holiday_date, d.name, d.name_en, extract(year from d.holiday_date)::integer as year
    from private.holiday_calendars c
    cross join lateral private.holidays_by_rule(c.calendar, c.filled_until + 1, p_until_year) d
  ),
  filled as (
    update private.holiday_calendars c set filled_until = d.year
    from (select calendar, max(year) as year from days group by calendar) d
    where d.calendar = c.calendar
  )
  insert into public.holidays (calendar, holiday_date, name, name_en)
  select d.calendar, d.holiday_date, d.name, d.name_en
  from days d
  where not exists (
    select from public.holidays h
    where h.calendar = d.calendar and h.holiday_date between make_date(d.year, 1, 1) and make_date(d.year, 12, 31)
  )
  on conflict do nothing;
end
$$;
