-- Sponsors: shops on the map, where users check in.
--
-- Sponsors are on the same plane as lots (0500), with their own index, and use the same functions for the boxes of a circle
-- and for the great circle. There are thousands of sponsors, not millions, so nearby reads all sponsors in the boxes and
-- sorts them by true distance.
--
-- A check-in counts once per user, sponsor and local day of the sponsor. The user's position is not stored, only its
-- distance and accuracy.
--
-- Invariants: sponsors outside of their period are never returned. A check-in that counts has its activity row, in one
-- transaction.
-- Interface: api.list_sponsors, nearby_sponsors, check_in_at_sponsor.

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: opening hours
-- ---------------------------------------------------------------------------------------------------------------------

create function private.is_weekly_hours(p_hours jsonb) returns boolean
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return case when jsonb_typeof(p_hours) <> 'array' then false else not exists (
    select from jsonb_array_elements(p_hours) as w
    where (
      jsonb_typeof(w) = 'object' and w - '{weekday,opens,closes}'::text[] = '{}'
      and w -> 'weekday' in ('1', '2', '3', '4', '5', '6', '7')
      and jsonb_typeof(w -> 'opens') = 'string' and w ->> 'opens' ~ '^([01]\d|2[0-3]):[0-5]\d$'
      and jsonb_typeof(w -> 'closes') = 'string' and w ->> 'closes' ~ '^(([01]\d|2[0-3]):[0-5]\d|24:00)$'
      and w -> 'opens' <> w -> 'closes'
    ) is not true
  ) end;
end
$$;

comment on function private.is_weekly_hours(jsonb) is
  'Whether a value is an array of {weekday 1 (Monday) to 7, opens HH:MM, closes HH:MM}. A window that closes before it opens ends on the next day.';

create function private.is_open_at(p_hours jsonb, p_time_zone text, p_at timestamptz) returns boolean
language plpgsql stable parallel safe
set search_path = ''
as $$
begin
  return (
    select case when p_hours is not null then exists (
      select from jsonb_array_elements(p_hours) as w
      cross join lateral (select w ->> 'opens' as opens, w ->> 'closes' as closes, (w -> 'weekday')::integer as weekday) h
      where case when h.opens < h.closes
        then h.weekday = l.weekday and l.clock >= h.opens and l.clock < h.closes
        else h.weekday = l.weekday and l.clock >= h.opens or h.weekday % 7 + 1 = l.weekday and l.clock < h.closes end
    ) end
    from (select p_at at time zone p_time_zone as at) t
    cross join lateral (select extract(isodow from t.at)::integer as weekday, to_char(t.at, 'HH24:MI') as clock) l
  );
end
$$;

comment on function private.is_open_at(jsonb, text, timestamptz) is
  'Whether weekly hours, valid by private.is_weekly_hours, are open at a time; null without hours.';

grant execute on function private.is_weekly_hours(jsonb) to service_role;
grant execute on function private.is_open_at(jsonb, text, timestamptz) to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

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
  constraint sponsors_time_zone_is_iana check (
    time_zone ~ '^(UTC|Etc/GMT[+-]1?[0-9]|[A-Z][A-Za-z]*(/[A-Z][A-Za-z_-]+){1,2})$'
    and (timestamptz '2000-01-01 00:00:00+00' at time zone time_zone) is not null
  ),
  constraint sponsors_ends_after_start check (ends_at > starts_at),
  -- Dates that the interface can express: no infinity.
  constraint sponsors_times_have_four_digit_years
    check (starts_at >= timestamptz '0001-01-01 00:00:00+00' and ends_at < timestamptz '10000-01-01 00:00:00+00')
);

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

create table public.sponsor_checkins (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.app_users (id) on delete cascade,
  sponsor_id uuid not null references public.sponsors (id) on delete cascade,
  local_date date not null,
  distance_m numeric not null constraint sponsor_checkins_distance_range check (distance_m >= 0),
  accuracy_m numeric not null constraint sponsor_checkins_accuracy_range check (accuracy_m >= 0),
  created_at timestamptz not null default now(),
  constraint sponsor_checkins_once_a_day unique (user_id, sponsor_id, local_date)
);

comment on table public.sponsor_checkins is 'Which user was at which sponsor on which day.';
comment on column public.sponsor_checkins.local_date is 'The day in the sponsor''s time zone.';

create index sponsor_checkins_sponsor_id_idx on public.sponsor_checkins (sponsor_id);

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.sponsors enable row level security;
alter table public.sponsor_checkins enable row level security;

create policy "Everyone reads active sponsors" on public.sponsors for select to anon, authenticated
  using (is_active and starts_at <= now() and (ends_at is null or ends_at > now()));
create policy "Users read their own check-ins" on public.sponsor_checkins for select to authenticated
  using ((select auth.uid()) = user_id);
-- No insert, update or delete: private.count_checkin writes check-ins, and they stay.

grant select (
  id, name, description, category, address, lat, lng, website, image_asset_id, opening_hours, time_zone,
  checkin_radius_m, sort_order, is_active, starts_at, ends_at
) on public.sponsors to anon, authenticated;
grant select (id, user_id, sponsor_id, local_date, distance_m, accuracy_m, created_at)
  on public.sponsor_checkins to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create trigger _100_touch_updated_at before update on public.sponsors
  for each row execute function private.tg_touch_updated_at();

-- For every table with is_active, starts_at and was_shown.
create function private.tg_timed_rows__note_shown() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.was_shown := old.was_shown or (old.is_active and old.starts_at <= now());
  return new;
end
$$;

comment on function private.tg_timed_rows__note_shown() is
  'Records at each update whether the row was returned to clients before: such a row can be deactivated, not deleted.';

create trigger _200_note_shown before update on public.sponsors
  for each row execute function private.tg_timed_rows__note_shown();

create function private.nearest_sponsors(
  p_lat double precision, p_lng double precision, p_radius_m double precision, p_limit integer
) returns table (sponsor_id uuid, distance_m double precision)
language plpgsql stable rows 50
security definer -- row security would keep <@ from the index, because it is not leakproof; the query has its condition
set search_path = ''
as $$
begin
  return query
  select c.id, c.distance_m
  from (
    select s.id, private.great_circle_m(p_lat, p_lng, s.lat, s.lng) as distance_m
    from private.search_boxes(p_lat, p_lng, p_radius_m) as around
    cross join lateral unnest(around.boxes) as b (area)
    join public.sponsors s on s.mercator <@ b.area
    where s.is_active and s.starts_at <= now() and (s.ends_at is null or s.ends_at > now())
  ) c
  where c.distance_m <= p_radius_m
  order by round(c.distance_m * 1e6), c.id -- micrometres: sponsors tie when only rounding separates them
  limit p_limit;
end
$$;

comment on function private.nearest_sponsors(double precision, double precision, double precision, integer) is
  'The active sponsors nearest to a point: at most p_limit of them within p_radius_m (at most 50 km), by great-circle distance and then id.';

create function private.sponsor_row(p_sponsor_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'id', s.id, 'name', s.name, 'description', s.description, 'category', s.category, 'address', s.address,
      'lat', s.lat, 'lng', s.lng, 'website', s.website,
      'image', (select a.storage_key from public.assets a where a.id = s.image_asset_id),
      'opening_hours', s.opening_hours, 'time_zone', s.time_zone,
      'is_open_now', private.is_open_at(s.opening_hours, s.time_zone, now()),
      'checkin_radius_m', s.checkin_radius_m, 'starts_at', s.starts_at, 'ends_at', s.ends_at, 'sort_order', s.sort_order
    )
    from public.sponsors s where s.id = p_sponsor_id
  );
end
$$;

comment on function private.sponsor_row(uuid) is
  'A sponsor as the interface returns it; image is a storage key, null without a visible one. Null when the caller cannot see it.';

create function private.count_checkin(
  p_sponsor_id uuid, p_distance_m numeric, p_accuracy_m numeric,
  out checkin public.sponsor_checkins, out counted boolean
)
language plpgsql
security definer -- no role may write check-ins directly; they are always the caller's
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
  v_date date;
begin
  -- From here on it cannot be deleted.
  select (now() at time zone s.time_zone)::date into v_date from public.sponsors s where s.id = p_sponsor_id for key share;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such sponsor.', p_param => 'id');
  end if;
  insert into public.sponsor_checkins (user_id, sponsor_id, local_date, distance_m, accuracy_m)
  values (v_user_id, p_sponsor_id, v_date, p_distance_m, p_accuracy_m)
  on conflict on constraint sponsor_checkins_once_a_day do nothing
  returning * into checkin;
  counted := found;
  if counted then
    perform private.log_activity('sponsor_checkin', null, checkin.id, jsonb_build_object('sponsor_id', p_sponsor_id));
  else
    select c.* into strict checkin from public.sponsor_checkins c
    where c.user_id = v_user_id and c.sponsor_id = p_sponsor_id and c.local_date = v_date;
  end if;
end
$$;

comment on function private.count_checkin(uuid, numeric, numeric) is
  'Counts the caller''s check-in at a sponsor, with its activity; returns the day''s check-in when there is one. The caller of this function has checked the distance. Errors: unauthorized, forbidden, not_found.';

create function private.checkin_distance(
  p_sponsor_id uuid, p_lat double precision, p_lng double precision, p_accuracy_m double precision
) returns numeric
language plpgsql stable
set search_path = ''
as $$
declare
  c_max_accuracy_m constant integer := 100;
  v_distance_m numeric;
  v_allowed_m integer;
begin
  if p_lat is null or p_lat not between -90 and 90 then
    perform private.raise_error('validation_error', 422, 'lat must be between -90 and 90.', p_param => 'lat');
  elsif p_lng is null or p_lng not between -180 and 180 then
    perform private.raise_error('validation_error', 422, 'lng must be between -180 and 180.', p_param => 'lng');
  elsif p_accuracy_m is null or p_accuracy_m not between 0 and 1e6 then
    perform private.raise_error('validation_error', 422, 'accuracy_m must be between 0 and 1000000.', p_param => 'accuracy_m');
  end if;
  select round(private.great_circle_m(p_lat, p_lng, s.lat, s.lng)::numeric, 2), s.checkin_radius_m
  into v_distance_m, v_allowed_m
  from public.sponsors s where s.id = p_sponsor_id;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such sponsor.', p_param => 'id');
  elsif p_accuracy_m > c_max_accuracy_m then
    perform private.raise_error('validation_error', 422, 'The position is not accurate enough. Retry with an accuracy_m of at most details.allowed_m.', p_param => 'accuracy_m',
      p_details => jsonb_build_object('reason', 'too_inaccurate', 'accuracy_m', p_accuracy_m, 'allowed_m', c_max_accuracy_m));
  elsif v_distance_m > v_allowed_m then
    perform private.raise_error('validation_error', 422, 'You are too far from the sponsor. Check in within details.allowed_m metres.', p_param => 'lat',
      p_details => jsonb_build_object('reason', 'too_far', 'distance_m', v_distance_m, 'allowed_m', v_allowed_m));
  end if;
  return v_distance_m;
end
$$;

comment on function private.checkin_distance(uuid, double precision, double precision, double precision) is
  'The distance of a position from a visible sponsor, in metres. Raises validation_error when it is too far, or the accuracy is worse than 100 m; not_found.';

grant execute on function
  private.nearest_sponsors(double precision, double precision, double precision, integer), private.sponsor_row(uuid)
to anon, authenticated;
grant execute on function
  private.count_checkin(uuid, numeric, numeric),
  private.checkin_distance(uuid, double precision, double precision, double precision)
to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.list_sponsors(
  p_category text default null, p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_object('list', 'sponsors', 'category', p_category);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{integer,uuid}', 'asc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    select jsonb_agg(private.sponsor_row(p.id) order by p.sort_order, p.id)
    from (
      select s.id, s.sort_order from public.sponsors s
      where s.is_active and (p_category is null or s.category = p_category)
        and (s.sort_order, s.id) > ((v_keys ->> 0)::integer, (v_keys ->> 1)::uuid)
      order by s.sort_order, s.id
      limit p_limit + 1
    ) p
  ), '{sort_order,id}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.sponsors s where s.is_active and (p_category is null or s.category = p_category)
  ) end);
end
$$;

comment on function api.list_sponsors(text, integer, text, text[]) is
  'The active sponsors, of one category or all, in sort_order: {items, next_cursor}, and total when p_include has it. Reads only. Errors: validation_error.';

create function api.nearby_sponsors(
  p_lat double precision, p_lng double precision, p_radius_m integer default 500, p_limit integer default 50
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_nearby(p_lat, p_lng, p_radius_m, p_limit, 'distance');
  return (
    select coalesce(jsonb_agg(
      private.sponsor_row(n.sponsor_id) || jsonb_build_object('distance_m', round(n.distance_m::numeric, 2)) order by n.place
    ), '[]')
    from private.nearest_sponsors(p_lat, p_lng, p_radius_m, p_limit)
      with ordinality as n (sponsor_id, distance_m, place)
  );
end
$$;

comment on function api.nearby_sponsors(double precision, double precision, integer, integer) is
  'The p_limit (1..100) active sponsors nearest to a point within p_radius_m (1..50000), nearest first, ties by id: an array. distance_m as in nearby_parking_lots. Reads only. Errors: validation_error.';

create function commands.check_in_at_sponsor(
  p_id uuid, p_lat double precision, p_lng double precision, p_accuracy_m double precision
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_taken record;
begin
  perform private.active_user();
  select c.* into v_taken from private.count_checkin(
    p_id, private.checkin_distance(p_id, p_lat, p_lng, p_accuracy_m), p_accuracy_m::numeric
  ) as c;
  return jsonb_build_object(
    'id', (v_taken.checkin).id, 'sponsor_id', p_id, 'local_date', (v_taken.checkin).local_date,
    'distance_m', (v_taken.checkin).distance_m, 'created_at', (v_taken.checkin).created_at, 'counted', v_taken.counted
  );
end
$$;

comment on function commands.check_in_at_sponsor(uuid, double precision, double precision, double precision) is
  'Checks the caller in at a sponsor, within its radius and with an accuracy of 100 m or better. Counts once per local day: later calls return the first check-in with counted false. Errors: unauthorized, forbidden, validation_error, not_found.';

grant execute on function
  api.list_sponsors(text, integer, text, text[]),
  api.nearby_sponsors(double precision, double precision, integer, integer)
to anon, authenticated;
grant execute on function commands.check_in_at_sponsor(uuid, double precision, double precision, double precision)
to authenticated;
