-- Public holidays by rule: Germany, France, Switzerland, Ontario, Singapore and Japan, ten years ahead, and the job for it.
--
-- The definitions are those of supabase/schemas after this change. Years in which a calendar has a holiday stay as they are.
-- The way back: unschedule the job, then drop the functions and the tables. Rows of public.holidays can stay.

create table private.holiday_calendars (
  calendar text primary key check (calendar ~ '^[A-Z]{2}(-[A-Z0-9]{1,3})?$'),
  source text not null,
  filled_until integer not null default 2023
);

comment on table private.holiday_calendars is 'Calendars whose public holidays follow from rules. Only migrations and the job extend_holidays write it.';
comment on column private.holiday_calendars.source is 'The law or authority that fixes the holidays.';
comment on column private.holiday_calendars.filled_until is 'The last year that private.extend_holidays has filled.';

create table private.holiday_rules (
  calendar text not null references private.holiday_calendars (calendar),
  name text not null,
  name_en text not null,
  kind text not null check (kind in ('date', 'weekday', 'easter', 'equinox')),
  month integer,
  day integer,
  weekday integer check (weekday between 0 and 6),
  days integer not null default 0,
  first_year integer not null default 2024,
  last_year integer,
  primary key (calendar, name, first_year),
  constraint holiday_rules_fields_of_kind check (
    (month is null) = (kind = 'easter') and (day is not null) = (kind in ('date', 'weekday'))
    and (weekday is not null) = (kind = 'weekday') and (days = 0 or kind in ('weekday', 'easter'))
  ),
  -- The formula of the equinoxes is for these years.
  constraint holiday_rules_equinox_years check (
    kind <> 'equinox' or (month in (3, 9) and first_year >= 1980 and coalesce(last_year, 9999) <= 2099)
  )
);

comment on table private.holiday_rules is 'One holiday of a calendar in each year from first_year to last_year. A part of a country has only what its country does not have.';
comment on column private.holiday_rules.kind is
  'date: month and day. weekday: the last weekday on or before month and day, plus days. easter: days from Easter Sunday. equinox: that of the month in Japan.';
comment on column private.holiday_rules.weekday is '0 is Sunday, 6 is Saturday. The second Monday of a month is the Monday on or before the 14th.';
comment on column private.holiday_rules.last_year is 'Inclusive, like first_year. Null: no end.';

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

insert into private.holiday_calendars (calendar, source) values
  ('JP', '国民の祝日に関する法律'),
  ('DE', 'Feiertagsgesetze der Länder; Einigungsvertrag, Artikel 2'),
  ('DE-BW', 'Feiertagsgesetz Baden-Württemberg'),
  ('DE-BE', 'Gesetz über die Sonn- und Feiertage, Berlin'),
  ('DE-BB', 'Feiertagsgesetz Brandenburg'),
  ('DE-HB', 'Gesetz über die Sonn- und Feiertage, Bremen'),
  ('DE-HH', 'Feiertagsgesetz Hamburg'),
  ('DE-HE', 'Hessisches Feiertagsgesetz'),
  ('DE-MV', 'Feiertagsgesetz Mecklenburg-Vorpommern'),
  ('DE-NI', 'Niedersächsisches Feiertagsgesetz'),
  ('DE-NW', 'Feiertagsgesetz Nordrhein-Westfalen'),
  ('DE-RP', 'Feiertagsgesetz Rheinland-Pfalz'),
  ('DE-SL', 'Feiertagsgesetz Saarland'),
  ('DE-SN', 'Gesetz über Sonn- und Feiertage, Sachsen'),
  ('DE-ST', 'Gesetz über die Sonn- und Feiertage, Sachsen-Anhalt'),
  ('DE-SH', 'Gesetz über Sonn- und Feiertage, Schleswig-Holstein'),
  ('DE-TH', 'Thüringer Feiertagsgesetz'),
  ('FR', 'Code du travail, article L3133-1'),
  ('CH', 'Bundesverfassung, Artikel 110; Gesetze der Kantone'),
  ('CH-ZH', 'Ruhetags- und Ladenöffnungsgesetz, Zürich'),
  ('CH-BS', 'Gesetz über öffentliche Ruhetage und Ladenöffnung, Basel-Stadt'),
  ('CH-BE', 'Gesetz über die Ruhe an öffentlichen Feiertagen, Bern'),
  ('CH-GE', 'Loi sur les jours fériés, Genève'),
  ('CH-VD', 'Loi sur l''emploi, Vaud'),
  ('CA-ON', 'Employment Standards Act, 2000, Ontario'),
  ('SG', 'Ministry of Manpower, Singapore: public holidays of 2026');

insert into private.holiday_rules (calendar, name, name_en, kind, month, day, weekday, days) values
  ('JP', '元日', 'New Year''s Day', 'date', 1, 1, null, 0),
  ('JP', '成人の日', 'Coming of Age Day', 'weekday', 1, 14, 1, 0),
  ('JP', '建国記念の日', 'National Foundation Day', 'date', 2, 11, null, 0),
  ('JP', '天皇誕生日', 'Emperor''s Birthday', 'date', 2, 23, null, 0),
  ('JP', '昭和の日', 'Showa Day', 'date', 4, 29, null, 0),
  ('JP', '憲法記念日', 'Constitution Memorial Day', 'date', 5, 3, null, 0),
  ('JP', 'みどりの日', 'Greenery Day', 'date', 5, 4, null, 0),
  ('JP', 'こどもの日', 'Children''s Day', 'date', 5, 5, null, 0),
  ('JP', '海の日', 'Marine Day', 'weekday', 7, 21, 1, 0),
  ('JP', '山の日', 'Mountain Day', 'date', 8, 11, null, 0),
  ('JP', '敬老の日', 'Respect for the Aged Day', 'weekday', 9, 21, 1, 0),
  ('JP', 'スポーツの日', 'Health and Sports Day', 'weekday', 10, 14, 1, 0),
  ('JP', '文化の日', 'National Culture Day', 'date', 11, 3, null, 0),
  ('JP', '勤労感謝の日', 'Labor Thanksgiving Day', 'date', 11, 23, null, 0),
  ('DE', 'Neujahr', 'New Year''s Day', 'date', 1, 1, null, 0),
  ('DE', 'Karfreitag', 'Good Friday', 'easter', null, null, null, -2),
  ('DE', 'Ostermontag', 'Easter Monday', 'easter', null, null, null, 1),
  ('DE', 'Tag der Arbeit', 'Labour Day', 'date', 5, 1, null, 0),
  ('DE', 'Christi Himmelfahrt', 'Ascension Day', 'easter', null, null, null, 39),
  ('DE', 'Pfingstmontag', 'Whit Monday', 'easter', null, null, null, 50),
  ('DE', 'Tag der Deutschen Einheit', 'German Unity Day', 'date', 10, 3, null, 0),
  ('DE', '1. Weihnachtstag', 'Christmas Day', 'date', 12, 25, null, 0),
  ('DE', '2. Weihnachtstag', 'Second Day of Christmas', 'date', 12, 26, null, 0),
  ('DE-BW', 'Heilige Drei Könige', 'Epiphany', 'date', 1, 6, null, 0),
  ('DE-BW', 'Fronleichnam', 'Corpus Christi', 'easter', null, null, null, 60),
  ('DE-BW', 'Allerheiligen', 'All Saints'' Day', 'date', 11, 1, null, 0),
  ('DE-BB', 'Ostersonntag', 'Easter Sunday', 'easter', null, null, null, 0),
  ('DE-BB', 'Pfingstsonntag', 'Whit Sunday', 'easter', null, null, null, 49),
  ('DE-BB', 'Reformationstag', 'Reformation Day', 'date', 10, 31, null, 0),
  ('DE-HB', 'Reformationstag', 'Reformation Day', 'date', 10, 31, null, 0),
  ('DE-HH', 'Reformationstag', 'Reformation Day', 'date', 10, 31, null, 0),
  ('DE-HE', 'Fronleichnam', 'Corpus Christi', 'easter', null, null, null, 60),
  ('DE-MV', 'Reformationstag', 'Reformation Day', 'date', 10, 31, null, 0),
  ('DE-NI', 'Reformationstag', 'Reformation Day', 'date', 10, 31, null, 0),
  ('DE-NW', 'Fronleichnam', 'Corpus Christi', 'easter', null, null, null, 60),
  ('DE-NW', 'Allerheiligen', 'All Saints'' Day', 'date', 11, 1, null, 0),
  ('DE-RP', 'Fronleichnam', 'Corpus Christi', 'easter', null, null, null, 60),
  ('DE-RP', 'Allerheiligen', 'All Saints'' Day', 'date', 11, 1, null, 0),
  ('DE-SL', 'Fronleichnam', 'Corpus Christi', 'easter', null, null, null, 60),
  ('DE-SL', 'Mariä Himmelfahrt', 'Assumption Day', 'date', 8, 15, null, 0),
  ('DE-SL', 'Allerheiligen', 'All Saints'' Day', 'date', 11, 1, null, 0),
  ('DE-SN', 'Reformationstag', 'Reformation Day', 'date', 10, 31, null, 0),
  ('DE-SN', 'Buß- und Bettag', 'Day of Repentance and Prayer', 'weekday', 11, 22, 3, 0),
  ('DE-ST', 'Heilige Drei Könige', 'Epiphany', 'date', 1, 6, null, 0),
  ('DE-ST', 'Reformationstag', 'Reformation Day', 'date', 10, 31, null, 0),
  ('DE-SH', 'Reformationstag', 'Reformation Day', 'date', 10, 31, null, 0),
  ('DE-TH', 'Reformationstag', 'Reformation Day', 'date', 10, 31, null, 0),
  ('FR', 'Jour de l''an', 'New Year''s Day', 'date', 1, 1, null, 0),
  ('FR', 'Lundi de Pâques', 'Easter Monday', 'easter', null, null, null, 1),
  ('FR', 'Fête du Travail', 'Labour Day', 'date', 5, 1, null, 0),
  ('FR', 'Victoire 1945', 'Victory in Europe Day', 'date', 5, 8, null, 0),
  ('FR', 'Ascension', 'Ascension Day', 'easter', null, null, null, 39),
  ('FR', 'Lundi de Pentecôte', 'Whit Monday', 'easter', null, null, null, 50),
  ('FR', 'Fête nationale', 'Bastille Day', 'date', 7, 14, null, 0),
  ('FR', 'Assomption', 'Assumption Day', 'date', 8, 15, null, 0),
  ('FR', 'Toussaint', 'All Saints'' Day', 'date', 11, 1, null, 0),
  ('FR', 'Armistice 1918', 'Armistice Day', 'date', 11, 11, null, 0),
  ('FR', 'Noël', 'Christmas Day', 'date', 12, 25, null, 0),
  ('CH', 'Neujahr', 'New Year''s Day', 'date', 1, 1, null, 0),
  ('CH', 'Auffahrt', 'Ascension Day', 'easter', null, null, null, 39),
  ('CH', 'Bundesfeier', 'Swiss National Day', 'date', 8, 1, null, 0),
  ('CH', 'Weihnachten', 'Christmas Day', 'date', 12, 25, null, 0),
  ('CH-ZH', 'Karfreitag', 'Good Friday', 'easter', null, null, null, -2),
  ('CH-ZH', 'Ostermontag', 'Easter Monday', 'easter', null, null, null, 1),
  ('CH-ZH', 'Tag der Arbeit', 'Labour Day', 'date', 5, 1, null, 0),
  ('CH-ZH', 'Pfingstmontag', 'Whit Monday', 'easter', null, null, null, 50),
  ('CH-ZH', 'Stephanstag', 'Saint Stephen''s Day', 'date', 12, 26, null, 0),
  ('CH-BS', 'Karfreitag', 'Good Friday', 'easter', null, null, null, -2),
  ('CH-BS', 'Ostermontag', 'Easter Monday', 'easter', null, null, null, 1),
  ('CH-BS', 'Tag der Arbeit', 'Labour Day', 'date', 5, 1, null, 0),
  ('CH-BS', 'Pfingstmontag', 'Whit Monday', 'easter', null, null, null, 50),
  ('CH-BS', 'Stephanstag', 'Saint Stephen''s Day', 'date', 12, 26, null, 0),
  ('CH-BE', 'Berchtoldstag', 'Berchtold Day', 'date', 1, 2, null, 0),
  ('CH-BE', 'Karfreitag', 'Good Friday', 'easter', null, null, null, -2),
  ('CH-BE', 'Ostermontag', 'Easter Monday', 'easter', null, null, null, 1),
  ('CH-BE', 'Pfingstmontag', 'Whit Monday', 'easter', null, null, null, 50),
  ('CH-BE', 'Stephanstag', 'Saint Stephen''s Day', 'date', 12, 26, null, 0),
  ('CH-GE', 'Vendredi saint', 'Good Friday', 'easter', null, null, null, -2),
  ('CH-GE', 'Lundi de Pâques', 'Easter Monday', 'easter', null, null, null, 1),
  ('CH-GE', 'Lundi de Pentecôte', 'Whit Monday', 'easter', null, null, null, 50),
  ('CH-GE', 'Jeûne genevois', 'Geneva Fast', 'weekday', 9, 7, 0, 4),
  ('CH-GE', 'Restauration de la République', 'Restoration of the Republic', 'date', 12, 31, null, 0),
  ('CH-VD', '2 janvier', 'Berchtold Day', 'date', 1, 2, null, 0),
  ('CH-VD', 'Vendredi saint', 'Good Friday', 'easter', null, null, null, -2),
  ('CH-VD', 'Lundi de Pâques', 'Easter Monday', 'easter', null, null, null, 1),
  ('CH-VD', 'Lundi de Pentecôte', 'Whit Monday', 'easter', null, null, null, 50),
  ('CH-VD', 'Lundi du Jeûne fédéral', 'Federal Fast Monday', 'weekday', 9, 21, 0, 1),
  ('CA-ON', 'New Year''s Day', 'New Year''s Day', 'date', 1, 1, null, 0),
  ('CA-ON', 'Family Day', 'Family Day', 'weekday', 2, 21, 1, 0),
  ('CA-ON', 'Good Friday', 'Good Friday', 'easter', null, null, null, -2),
  ('CA-ON', 'Victoria Day', 'Victoria Day', 'weekday', 5, 24, 1, 0),
  ('CA-ON', 'Canada Day', 'Canada Day', 'date', 7, 1, null, 0),
  ('CA-ON', 'Labour Day', 'Labour Day', 'weekday', 9, 7, 1, 0),
  ('CA-ON', 'Thanksgiving Day', 'Thanksgiving Day', 'weekday', 10, 14, 1, 0),
  ('CA-ON', 'Christmas Day', 'Christmas Day', 'date', 12, 25, null, 0),
  ('CA-ON', 'Boxing Day', 'Boxing Day', 'date', 12, 26, null, 0);

insert into private.holiday_rules (calendar, name, name_en, kind, month, day, first_year, last_year) values
  ('JP', '春分の日', 'Vernal Equinox Day', 'equinox', 3, null, 2024, 2099),
  ('JP', '秋分の日', 'Autumnal Equinox Day', 'equinox', 9, null, 2024, 2099),
  ('DE-BE', 'Internationaler Frauentag', 'International Women''s Day', 'date', 3, 8, 2019, null),
  ('DE-BE', '80. Jahrestag der Befreiung', '80th Anniversary of the Liberation', 'date', 5, 8, 2025, 2025),
  ('DE-BE', '75. Jahrestag des Aufstandes vom 17. Juni 1953', '75th Anniversary of the Uprising of 17 June 1953', 'date', 6, 17, 2028, 2028),
  ('DE-MV', 'Internationaler Frauentag', 'International Women''s Day', 'date', 3, 8, 2023, null),
  ('DE-TH', 'Weltkindertag', 'World Children''s Day', 'date', 9, 20, 2019, null),
  ('SG', 'New Year''s Day', 'New Year''s Day', 'date', 1, 1, 2026, 2026),
  ('SG', 'Chinese New Year', 'Chinese New Year', 'date', 2, 17, 2026, 2026),
  ('SG', 'Chinese New Year, second day', 'Chinese New Year, second day', 'date', 2, 18, 2026, 2026),
  ('SG', 'Hari Raya Puasa', 'Hari Raya Puasa', 'date', 3, 21, 2026, 2026),
  ('SG', 'Good Friday', 'Good Friday', 'date', 4, 3, 2026, 2026),
  ('SG', 'Labour Day', 'Labour Day', 'date', 5, 1, 2026, 2026),
  ('SG', 'Hari Raya Haji', 'Hari Raya Haji', 'date', 5, 27, 2026, 2026),
  ('SG', 'Vesak Day', 'Vesak Day', 'date', 5, 31, 2026, 2026),
  ('SG', 'Vesak Day in lieu', 'Vesak Day in lieu', 'date', 6, 1, 2026, 2026),
  ('SG', 'National Day', 'National Day', 'date', 8, 9, 2026, 2026),
  ('SG', 'National Day in lieu', 'National Day in lieu', 'date', 8, 10, 2026, 2026),
  ('SG', 'Deepavali', 'Deepavali', 'date', 11, 8, 2026, 2026),
  ('SG', 'Deepavali in lieu', 'Deepavali in lieu', 'date', 11, 9, 2026, 2026),
  ('SG', 'Christmas Day', 'Christmas Day', 'date', 12, 25, 2026, 2026);

select private.extend_holidays();

select cron.schedule('extend_holidays', '54 2 1 * *', 'select private.extend_holidays()');
