-- Hours: when a lot is open, may be entered, may be left.
--
-- parking_lot_windows are the weekly hours, parking_lot_date_overrides replace them on one date, holidays are the public
-- holidays of each calendar. A date override may also replace the prices of that date; fees define their shape.
--
-- Invariants: start and end are both set or both null; a lot has one override per date; a row that the evaluator cannot read
-- cannot be stored.
-- Interface: private.always_open, private.lasting_hours; the evaluator of hours (0610) reads the rows. Times of day are
-- returned as private.clock_text writes them.

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals that constraints use
-- ---------------------------------------------------------------------------------------------------------------------

create function private.is_override_span(p_span jsonb) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  return coalesce(
    p_span = '{"is_24h": true}'
    or p_span = '{"is_closed": true}'
    or (
      p_span - '{open_time,close_time}'::text[] = '{}'
      and p_span ->> 'open_time' ~ '^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$'
      and p_span ->> 'close_time' ~ '^(([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?|24:00(:00)?)$'
    ),
    false
  );
end
$$;

comment on function private.is_override_span(jsonb) is
  'Whether this is a span of a date override: {open_time, close_time}, {is_24h: true} or {is_closed: true}.';

create function private.is_override_hours(p_hours jsonb) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  return jsonb_typeof(p_hours) = 'object'
    and coalesce(
      (
        select bool_and(
          case
            when k.key in ('is_closed', 'is_24h') then jsonb_typeof(k.value) = 'boolean'
            when k.key in ('business', 'entry', 'exit', 'after_hours_exit') and jsonb_typeof(k.value) = 'array' then
              coalesce(
                (
                  select bool_and(case jsonb_typeof(s) when 'object' then private.is_override_span(s) else false end)
                  from jsonb_array_elements(k.value) as s
                ),
                true
              )
            else false
          end
        )
        from jsonb_each(p_hours) as k
      ),
      true
    );
end
$$;

comment on function private.is_override_hours(jsonb) is
  'Whether this is the hours of a date override: kinds with arrays of spans, or the short forms is_closed and is_24h.';

-- A constraint runs as the role that writes the row.
grant execute on function private.is_override_span(jsonb), private.is_override_hours(jsonb) to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

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

comment on table public.parking_lot_windows is 'Weekly hours of a lot, by kind of hours (window_type).';
comment on column public.parking_lot_windows.day_of_week is '0 is Sunday, 6 is Saturday.';
comment on column public.parking_lot_windows.close_time is
  'When not after open_time: on the next day; when equal: at the same time of the next day. 24:00 is the end of the day.';
comment on column public.parking_lot_windows.effective_to is 'Inclusive, like effective_from. Null: no end.';

-- The evaluator reads the rows of one kind of a lot.
create index parking_lot_windows_lot_idx on public.parking_lot_windows (parking_lot_id, window_type);

create table public.parking_lot_date_overrides (
  id uuid primary key default gen_random_uuid(),
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  override_date date not null,
  label text check (char_length(label) between 1 and 200),
  hours jsonb check (private.is_override_hours(hours)),
  pricing jsonb check (jsonb_typeof(pricing) = 'array'),
  note text check (char_length(note) <= 2000),
  constraint parking_lot_date_overrides_one_a_date unique (parking_lot_id, override_date)
);

comment on table public.parking_lot_date_overrides is 'Hours and prices of a lot on one date, instead of the usual ones.';
comment on column public.parking_lot_date_overrides.override_date is 'A date in the time zone of the lot.';
comment on column public.parking_lot_date_overrides.hours is
  'Kinds of hours with arrays of spans, or is_closed, or is_24h. Null: the usual hours.';
comment on column public.parking_lot_date_overrides.pricing is
  'Pricing rules that replace all rules of the lot on this date. Null: the usual prices.';

create table public.holidays (
  calendar text not null check (calendar ~ '^[A-Z]{2}(-[A-Z0-9]{1,3})?$'),
  holiday_date date not null,
  name text not null check (char_length(name) between 1 and 200),
  name_en text check (char_length(name_en) between 1 and 200),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (calendar, holiday_date)
);

comment on table public.holidays is 'Public holidays by calendar; parking_lots.holiday_calendar names one.';
comment on column public.holidays.name is 'The name in the language of the calendar; name_en is the English name.';

create trigger _100_touch_updated_at before update on public.holidays
  for each row execute function private.tg_touch_updated_at();

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------
-- No insert, update or delete for clients: importers, accepted corrections and administrators write hours.

alter table public.parking_lot_windows enable row level security;
alter table public.parking_lot_date_overrides enable row level security;
alter table public.holidays enable row level security;

-- Row security of parking_lots applies inside these: rows of a lot that the caller cannot see are hidden.
create policy "Everyone reads the windows of active lots" on public.parking_lot_windows
  for select to anon, authenticated
  using ((select true from public.parking_lots l where l.id = parking_lot_id));
create policy "Everyone reads the date overrides of active lots" on public.parking_lot_date_overrides
  for select to anon, authenticated
  using ((select true from public.parking_lots l where l.id = parking_lot_id));
create policy "Everyone reads holidays" on public.holidays for select to anon, authenticated using (true);

grant select (
  id, parking_lot_id, window_type, day_type, day_of_week, is_24h, is_closed, open_time, close_time, effective_from,
  effective_to
) on public.parking_lot_windows to anon, authenticated;
grant select (id, parking_lot_id, override_date, label, hours, pricing, note)
  on public.parking_lot_date_overrides to anon, authenticated;
grant select (calendar, holiday_date, name, name_en) on public.holidays to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

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

comment on function private.always_open(uuid[], timestamptz, timestamptz) is
  'The lots whose windows are all 24 hours on every day, business hours among them, and that have no override near the two moments: most lots. They are open and may be entered and left, without a calculation of dates.';

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

comment on function private.lasting_hours(uuid, timestamptz, timestamptz) is
  'Which answers of a public lot do not change between the two moments, as its windows and the absence of overrides show without dates. Returns those answers: true, or null where unknown. All null: it cannot be decided.';

create function private.clock_text(p_time time) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return to_char(p_time, 'HH24:MI');
end
$$;

comment on function private.clock_text(time) is 'A time of day as clients read it: HH:MM, 24:00 at the end of a day.';

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

comment on function private.clock_times(jsonb) is 'Hours or pricing of a date override, with its times of day in the form of private.clock_text.';

grant execute on function
  private.always_open(uuid[], timestamptz, timestamptz), private.lasting_hours(uuid, timestamptz, timestamptz),
  private.clock_text(time), private.clock_times(jsonb)
to anon, authenticated, service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Reference data: public holidays of Japan, 2024 to 2028
-- ---------------------------------------------------------------------------------------------------------------------

insert into public.holidays (calendar, holiday_date, name, name_en) values
  ('JP', '2024-01-01', '元日', 'New Year''s Day'),
  ('JP', '2024-01-08', '成人の日', 'Coming of Age Day'),
  ('JP', '2024-02-11', '建国記念の日', 'National Foundation Day'),
  ('JP', '2024-02-12', '建国記念の日 振替休日', 'Holiday in lieu'),
  ('JP', '2024-02-23', '天皇誕生日', 'Emperor''s Birthday'),
  ('JP', '2024-03-20', '春分の日', 'Vernal Equinox Day'),
  ('JP', '2024-04-29', '昭和の日', 'Showa Day'),
  ('JP', '2024-05-03', '憲法記念日', 'Constitution Memorial Day'),
  ('JP', '2024-05-04', 'みどりの日', 'Greenery Day'),
  ('JP', '2024-05-05', 'こどもの日', 'Children''s Day'),
  ('JP', '2024-05-06', 'こどもの日 振替休日', 'Holiday in lieu'),
  ('JP', '2024-07-15', '海の日', 'Marine Day'),
  ('JP', '2024-08-11', '山の日', 'Mountain Day'),
  ('JP', '2024-08-12', '山の日 振替休日', 'Holiday in lieu'),
  ('JP', '2024-09-16', '敬老の日', 'Respect for the Aged Day'),
  ('JP', '2024-09-22', '秋分の日', 'Autumnal Equinox Day'),
  ('JP', '2024-09-23', '秋分の日 振替休日', 'Holiday in lieu'),
  ('JP', '2024-10-14', 'スポーツの日', 'Health and Sports Day'),
  ('JP', '2024-11-03', '文化の日', 'National Culture Day'),
  ('JP', '2024-11-04', '文化の日 振替休日', 'Holiday in lieu'),
  ('JP', '2024-11-23', '勤労感謝の日', 'Labor Thanksgiving Day'),
  ('JP', '2025-01-01', '元日', 'New Year''s Day'),
  ('JP', '2025-01-13', '成人の日', 'Coming of Age Day'),
  ('JP', '2025-02-11', '建国記念の日', 'National Foundation Day'),
  ('JP', '2025-02-23', '天皇誕生日', 'Emperor''s Birthday'),
  ('JP', '2025-02-24', '天皇誕生日 振替休日', 'Holiday in lieu'),
  ('JP', '2025-03-20', '春分の日', 'Vernal Equinox Day'),
  ('JP', '2025-04-29', '昭和の日', 'Showa Day'),
  ('JP', '2025-05-03', '憲法記念日', 'Constitution Memorial Day'),
  ('JP', '2025-05-04', 'みどりの日', 'Greenery Day'),
  ('JP', '2025-05-05', 'こどもの日', 'Children''s Day'),
  ('JP', '2025-05-06', 'こどもの日 振替休日', 'Holiday in lieu'),
  ('JP', '2025-07-21', '海の日', 'Marine Day'),
  ('JP', '2025-08-11', '山の日', 'Mountain Day'),
  ('JP', '2025-09-15', '敬老の日', 'Respect for the Aged Day'),
  ('JP', '2025-09-23', '秋分の日', 'Autumnal Equinox Day'),
  ('JP', '2025-10-13', 'スポーツの日', 'Health and Sports Day'),
  ('JP', '2025-11-03', '文化の日', 'National Culture Day'),
  ('JP', '2025-11-23', '勤労感謝の日', 'Labor Thanksgiving Day'),
  ('JP', '2025-11-24', '勤労感謝の日 振替休日', 'Holiday in lieu'),
  ('JP', '2026-01-01', '元日', 'New Year''s Day'),
  ('JP', '2026-01-12', '成人の日', 'Coming of Age Day'),
  ('JP', '2026-02-11', '建国記念の日', 'National Foundation Day'),
  ('JP', '2026-02-23', '天皇誕生日', 'Emperor''s Birthday'),
  ('JP', '2026-03-20', '春分の日', 'Vernal Equinox Day'),
  ('JP', '2026-04-29', '昭和の日', 'Showa Day'),
  ('JP', '2026-05-03', '憲法記念日', 'Constitution Memorial Day'),
  ('JP', '2026-05-04', 'みどりの日', 'Greenery Day'),
  ('JP', '2026-05-05', 'こどもの日', 'Children''s Day'),
  ('JP', '2026-05-06', 'こどもの日 振替休日', 'Holiday in lieu'),
  ('JP', '2026-07-20', '海の日', 'Marine Day'),
  ('JP', '2026-08-11', '山の日', 'Mountain Day'),
  ('JP', '2026-09-21', '敬老の日', 'Respect for the Aged Day'),
  ('JP', '2026-09-22', '休日', 'Citizen''s Holiday'),
  ('JP', '2026-09-23', '秋分の日', 'Autumnal Equinox Day'),
  ('JP', '2026-10-12', 'スポーツの日', 'Health and Sports Day'),
  ('JP', '2026-11-03', '文化の日', 'National Culture Day'),
  ('JP', '2026-11-23', '勤労感謝の日', 'Labor Thanksgiving Day'),
  ('JP', '2027-01-01', '元日', 'New Year''s Day'),
  ('JP', '2027-01-11', '成人の日', 'Coming of Age Day'),
  ('JP', '2027-02-11', '建国記念の日', 'National Foundation Day'),
  ('JP', '2027-02-23', '天皇誕生日', 'Emperor''s Birthday'),
  ('JP', '2027-03-21', '春分の日', 'Vernal Equinox Day'),
  ('JP', '2027-03-22', '春分の日 振替休日', 'Holiday in lieu'),
  ('JP', '2027-04-29', '昭和の日', 'Showa Day'),
  ('JP', '2027-05-03', '憲法記念日', 'Constitution Memorial Day'),
  ('JP', '2027-05-04', 'みどりの日', 'Greenery Day'),
  ('JP', '2027-05-05', 'こどもの日', 'Children''s Day'),
  ('JP', '2027-07-19', '海の日', 'Marine Day'),
  ('JP', '2027-08-11', '山の日', 'Mountain Day'),
  ('JP', '2027-09-20', '敬老の日', 'Respect for the Aged Day'),
  ('JP', '2027-09-23', '秋分の日', 'Autumnal Equinox Day'),
  ('JP', '2027-10-11', 'スポーツの日', 'Health and Sports Day'),
  ('JP', '2027-11-03', '文化の日', 'National Culture Day'),
  ('JP', '2027-11-23', '勤労感謝の日', 'Labor Thanksgiving Day'),
  ('JP', '2028-01-01', '元日', 'New Year''s Day'),
  ('JP', '2028-01-10', '成人の日', 'Coming of Age Day'),
  ('JP', '2028-02-11', '建国記念の日', 'National Foundation Day'),
  ('JP', '2028-02-23', '天皇誕生日', 'Emperor''s Birthday'),
  ('JP', '2028-03-20', '春分の日', 'Vernal Equinox Day'),
  ('JP', '2028-04-29', '昭和の日', 'Showa Day'),
  ('JP', '2028-05-03', '憲法記念日', 'Constitution Memorial Day'),
  ('JP', '2028-05-04', 'みどりの日', 'Greenery Day'),
  ('JP', '2028-05-05', 'こどもの日', 'Children''s Day'),
  ('JP', '2028-07-17', '海の日', 'Marine Day'),
  ('JP', '2028-08-11', '山の日', 'Mountain Day'),
  ('JP', '2028-09-18', '敬老の日', 'Respect for the Aged Day'),
  ('JP', '2028-09-22', '秋分の日', 'Autumnal Equinox Day'),
  ('JP', '2028-10-09', 'スポーツの日', 'Health and Sports Day'),
  ('JP', '2028-11-03', '文化の日', 'National Culture Day'),
  ('JP', '2028-11-23', '勤労感謝の日', 'Labor Thanksgiving Day');
