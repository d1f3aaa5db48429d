-- Sponsors: shops on the map, where users check in.
--
-- Sponsors are on the same plane as lots (search/mercator.sql), with their own index, and use the same functions for the
-- boxes of a circle and for the great circle. There are thousands of sponsors, not millions, so nearby reads all sponsors
-- in the boxes and sorts them by true distance.
--
-- A check-in counts once per user, sponsor and local day of the sponsor. The user's position is not stored, only its
-- distance and accuracy.
--
-- Invariants: sponsors outside of their period are never returned. A check-in that counts has its activity row, in one
-- transaction.
-- Interface: api.list_sponsors, nearby_sponsors, check_in_at_sponsor.

-- Whether weekly hours, valid by private.is_weekly_hours, are open at a time; null without hours.
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

grant execute on function private.is_open_at(jsonb, text, timestamptz) to anon, authenticated;

-- The active sponsors nearest to a point: at most p_limit of them within p_radius_m (at most 50 km), by great-circle
-- distance and then id.
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

-- A sponsor as the interface returns it; image is a storage key, null without a visible one. Null when the caller cannot
-- see it.
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

-- Counts the caller's check-in at a sponsor, with its activity; returns the day's check-in when there is one. It is
-- rewarded if the caller can have come there from their last place. The caller of this function has checked the distance.
-- Errors: unauthorized, forbidden, not_found.
create function private.count_checkin(
  p_sponsor_id uuid, p_distance_m numeric, p_accuracy_m numeric,
  out checkin public.sponsor_checkins, out counted boolean
)
language plpgsql
security definer -- no role may write check-ins directly; they are always the caller's
set search_path = ''
as $$
declare
  -- Locks the account: of check-ins at once each sees the one before.
  v_user_id uuid := private.writing_user();
  v_sponsor public.sponsors;
  v_date date;
  v_is_reachable boolean;
begin
  -- From here on it cannot be deleted.
  select * into v_sponsor from public.sponsors s where s.id = p_sponsor_id for key share;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such sponsor.', p_param => 'id');
  end if;
  v_date := (now() at time zone v_sponsor.time_zone)::date;
  v_is_reachable := private.is_reachable(v_user_id, v_sponsor.lat, v_sponsor.lng, now());
  insert into public.sponsor_checkins (user_id, sponsor_id, local_date, distance_m, accuracy_m)
  values (v_user_id, p_sponsor_id, v_date, p_distance_m, p_accuracy_m)
  on conflict on constraint sponsor_checkins_once_a_day do nothing
  returning * into checkin;
  counted := found;
  if counted then
    perform private.record_activity(v_user_id, 'sponsor_checkin', null, checkin.id,
      jsonb_build_object('sponsor_id', p_sponsor_id), v_is_reachable);
  else
    select c.* into strict checkin from public.sponsor_checkins c
    where c.user_id = v_user_id and c.sponsor_id = p_sponsor_id and c.local_date = v_date;
  end if;
end
$$;

-- The distance of a position from a visible sponsor, in metres. Raises validation_error when it is too far, or the
-- accuracy is worse than 100 m; not_found.
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
  perform private.check_fields('public.sponsors', jsonb_build_object('lat', p_lat, 'lng', p_lng), '{lat,lng}');
  perform private.check_fields('public.sponsor_checkins', jsonb_build_object('accuracy_m', p_accuracy_m), '{accuracy_m}');
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

grant execute on function
  private.nearest_sponsors(double precision, double precision, double precision, integer), private.sponsor_row(uuid)
to anon, authenticated;
grant execute on function
  private.count_checkin(uuid, numeric, numeric),
  private.checkin_distance(uuid, double precision, double precision, double precision)
to authenticated;
