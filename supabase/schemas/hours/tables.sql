-- Tables of hours: when a lot is open, may be entered, may be left.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in days_and_clocks.sql,
-- evaluator.sql, hours.sql and week.sql.

create table public.parking_lot_windows (
  id uuid primary key default gen_random_uuid(),
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  window_type text not null check (window_type in ('business', 'entry', 'exit', 'after_hours_exit')),
  day_type text check (day_type in ('weekday', 'saturday', 'sunday', 'holiday', 'holiday_eve', 'all')),
  day_of_week integer check (day_of_week between 0 and 6),
  is_24h boolean,
  is_closed boolean,
  open_time time,
  close_time time,
  effective_from date,
  effective_to date,
  constraint parking_lot_windows_times_are_a_pair check ((open_time is null) = (close_time is null)),
  constraint parking_lot_windows_opens_within_the_day check (open_time < '24:00'),
  constraint parking_lot_windows_open_or_closed check (not (is_24h and is_closed)),
  constraint parking_lot_windows_effective_in_order check (effective_from <= effective_to),
  -- Dates that clients can read; no end is null, not infinity.
  constraint parking_lot_windows_effective_from_is_a_date check (effective_from between '0001-01-01' and '9999-12-31'),
  constraint parking_lot_windows_effective_to_is_a_date check (effective_to between '0001-01-01' and '9999-12-31')
);

-- What each constraint requires, for the errors of requests (foundation/fields.sql).
comment on constraint parking_lot_windows_times_are_a_pair on public.parking_lot_windows is 'Give open_time and close_time together.';
comment on constraint parking_lot_windows_opens_within_the_day on public.parking_lot_windows is 'open_time must be before 24:00.';
comment on constraint parking_lot_windows_open_or_closed on public.parking_lot_windows is
  'is_closed must not be true together with is_24h.';
comment on constraint parking_lot_windows_effective_in_order on public.parking_lot_windows is
  'effective_to must not be before effective_from.';
comment on constraint parking_lot_windows_effective_from_is_a_date on public.parking_lot_windows is
  'effective_from must be in the years 1 to 9999.';
comment on constraint parking_lot_windows_effective_to_is_a_date on public.parking_lot_windows is
  'effective_to must be in the years 1 to 9999.';

comment on table public.parking_lot_windows is 'Weekly hours of a lot, by kind of hours (window_type).';
comment on column public.parking_lot_windows.day_of_week is '0 is Sunday, 6 is Saturday.';
comment on column public.parking_lot_windows.close_time is
  'When not after open_time: on the next day; when equal: at the same time of the next day. 24:00 is the end of the day.';
comment on column public.parking_lot_windows.effective_to is 'Inclusive, like effective_from. Null: no end.';

-- The evaluator reads the rows of one kind of a lot.
create index parking_lot_windows_lot_idx on public.parking_lot_windows (parking_lot_id, window_type);

-- No insert, update or delete for clients: importers, accepted corrections and administrators write hours.

alter table public.parking_lot_windows enable row level security;

-- Row security of parking_lots applies inside these: rows of a lot that the caller cannot see are hidden.
create policy "Everyone reads the windows of active lots" on public.parking_lot_windows
  for select to anon, authenticated
  using ((select true from public.parking_lots l where l.id = parking_lot_id));

grant select (
  id, parking_lot_id, window_type, day_type, day_of_week, is_24h, is_closed, open_time, close_time, effective_from,
  effective_to
) on public.parking_lot_windows to anon, authenticated;

create table public.parking_lot_date_overrides (
  id uuid primary key default gen_random_uuid(),
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  override_date date not null,
  label text check (char_length(label) between 1 and 200),
  hours jsonb check (private.is_override_hours(hours)),
  pricing jsonb check (jsonb_typeof(pricing) = 'array'),
  note text check (char_length(note) <= 2000),
  constraint parking_lot_date_overrides_one_a_date unique (parking_lot_id, override_date),
  -- The pricing of a date has the rules of a price list.
  constraint parking_lot_date_overrides_pricing_is_rules check (private.is_override_pricing(pricing))
);

comment on constraint parking_lot_date_overrides_hours_check on public.parking_lot_date_overrides is
  'hours must be an object of kinds of hours with their spans, or is_closed, or is_24h.';
comment on constraint parking_lot_date_overrides_pricing_is_rules on public.parking_lot_date_overrides is
  'pricing must be an array of pricing rules.';
comment on table public.parking_lot_date_overrides is 'Hours and prices of a lot on one date, instead of the usual ones.';
comment on column public.parking_lot_date_overrides.override_date is 'A date in the time zone of the lot.';
comment on column public.parking_lot_date_overrides.hours is
  'Kinds of hours with arrays of spans, or is_closed, or is_24h. Null: the usual hours.';
comment on column public.parking_lot_date_overrides.pricing is
  'Pricing rules that replace all rules of the lot on this date. Null: the usual prices.';

alter table public.parking_lot_date_overrides enable row level security;
create policy "Everyone reads the date overrides of active lots" on public.parking_lot_date_overrides
  for select to anon, authenticated
  using ((select true from public.parking_lots l where l.id = parking_lot_id));

grant select (id, parking_lot_id, override_date, label, hours, pricing, note)
  on public.parking_lot_date_overrides to anon, authenticated;

create table public.holidays (
  calendar text not null check (calendar ~ '^[A-Z]{2}(-[A-Z0-9]{1,3})?$'),
  holiday_date date not null,
  name text not null check (char_length(name) between 1 and 200),
  name_en text check (char_length(name_en) between 1 and 200),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (calendar, holiday_date)
);

comment on constraint holidays_calendar_check on public.holidays is 'calendar must be an ISO 3166 code, for example JP.';

comment on table public.holidays is 'Public holidays by calendar; parking_lots.holiday_calendar names one.';
comment on column public.holidays.name is 'The name in the language of the calendar; name_en is the English name.';

alter table public.holidays enable row level security;
create policy "Everyone reads holidays" on public.holidays for select to anon, authenticated using (true);

grant select (calendar, holiday_date, name, name_en) on public.holidays to anon, authenticated;

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
