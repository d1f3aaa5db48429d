-- Tables of sponsors: sponsors near a lot, and check-ins.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in sponsors.sql.

create table public.sponsors (
  id uuid primary key default gen_random_uuid(),
  name text not null constraint sponsors_name_length check (char_length(name) between 1 and 200),
  description text constraint sponsors_description_length check (char_length(description) between 1 and 4000),
  category text constraint sponsors_category_form check (category ~ '^[a-z][a-z0-9_]{0,49}$'),
  address text constraint sponsors_address_length check (char_length(address) between 1 and 500),
  lat double precision not null constraint sponsors_lat_range check (lat between -90 and 90),
  lng double precision not null constraint sponsors_lng_range check (lng between -180 and 180),
  mercator point not null generated always as (point(radians(lng), private.mercator_y(lat))) stored,
  website text constraint sponsors_website_form check (website ~ '^https?://[!-~]+$' and char_length(website) <= 2000),
  image_asset_id uuid references public.assets (id) on delete set null,
  opening_hours jsonb constraint sponsors_opening_hours_form check (private.is_weekly_hours(opening_hours)),
  time_zone text not null default 'Asia/Tokyo',
  checkin_radius_m integer not null default 100
    constraint sponsors_checkin_radius_range check (checkin_radius_m between 10 and 1000),
  sort_order integer not null default 0,
  is_active boolean not null default true,
  was_shown boolean not null default false,
  starts_at timestamptz not null default now(),
  ends_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint sponsors_time_zone_is_iana check (private.is_time_zone(time_zone)),
  constraint sponsors_ends_after_start check (ends_at > starts_at),
  -- Dates that the interface can express: no infinity.
  constraint sponsors_times_have_four_digit_years
    check (starts_at >= timestamptz '0001-01-01 00:00:00+00' and ends_at < timestamptz '10000-01-01 00:00:00+00')
);

comment on constraint sponsors_category_form on public.sponsors is
  'category must be 1 to 50 lower case letters, digits and _, and begin with a letter.';
comment on constraint sponsors_website_form on public.sponsors is
  'website must be an http or https address in ASCII, of at most 2000 characters.';
comment on constraint sponsors_time_zone_is_iana on public.sponsors is
  'time_zone must be the name of an IANA time zone, for example Asia/Tokyo.';
comment on constraint sponsors_ends_after_start on public.sponsors is 'ends_at must be after starts_at.';
comment on constraint sponsors_opening_hours_form on public.sponsors is
  'opening_hours must be an array of windows, each with days, opens and closes.';
comment on constraint sponsors_times_have_four_digit_years on public.sponsors is
  'starts_at and ends_at must be in the years 1 to 9999.';
comment on table public.sponsors is 'Shops on the map, where users check in.';
comment on column public.sponsors.mercator is 'Its position on the Mercator plane, in radians. For the search index.';
comment on column public.sponsors.opening_hours is 'Weekly windows, see private.is_weekly_hours; null: unknown.';
comment on column public.sponsors.checkin_radius_m is 'The maximum distance of a check-in, in metres.';
comment on column public.sponsors.was_shown is
  'Whether it was returned to clients before its last change; private.tg_timed_rows__note_shown sets it.';
comment on column public.sponsors.ends_at is 'The end of its period; null: no end.';

create index sponsors_mercator_idx on public.sponsors using gist (mercator) where is_active;
create index sponsors_order_idx on public.sponsors (sort_order, id) where is_active;
create index sponsors_image_asset_id_idx on public.sponsors (image_asset_id) where image_asset_id is not null;

alter table public.sponsors enable row level security;
create policy "Everyone reads active sponsors" on public.sponsors for select to anon, authenticated
  using (is_active and starts_at <= now() and (ends_at is null or ends_at > now()));

grant select (
  id, name, description, category, address, lat, lng, website, image_asset_id, opening_hours, time_zone,
  checkin_radius_m, sort_order, is_active, starts_at, ends_at
) on public.sponsors to anon, authenticated;

create table public.sponsor_checkins (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.app_users (id) on delete cascade,
  sponsor_id uuid not null references public.sponsors (id) on delete cascade,
  local_date date not null,
  distance_m numeric not null constraint sponsor_checkins_distance_range check (distance_m >= 0),
  accuracy_m numeric not null constraint sponsor_checkins_accuracy_range check (accuracy_m between 0 and 1000000),
  created_at timestamptz not null default now(),
  constraint sponsor_checkins_once_a_day unique (user_id, sponsor_id, local_date)
);

comment on table public.sponsor_checkins is 'Which user was at which sponsor on which day.';
comment on column public.sponsor_checkins.local_date is 'The day in the sponsor''s time zone.';

create index sponsor_checkins_sponsor_id_idx on public.sponsor_checkins (sponsor_id);

alter table public.sponsor_checkins enable row level security;
create policy "Users read their own check-ins" on public.sponsor_checkins for select to authenticated
  using ((select auth.uid()) = user_id);
-- No insert, update or delete: private.count_checkin writes check-ins, and they stay.

grant select (id, user_id, sponsor_id, local_date, distance_m, accuracy_m, created_at)
  on public.sponsor_checkins to authenticated;
