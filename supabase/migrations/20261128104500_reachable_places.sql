-- A check-in and a session that ends earn points only where the user can have been.
--
-- The definitions are those of supabase/schemas after this change. The way back: the two functions as they were; then drop
-- private.is_reachable.

set lock_timeout = '2s';

-- Whether a user can have been at a place at a time: an airliner flies there from each place where they were within a day of
-- it. They were where they checked in, and where their sessions began and ended. Two kilometres are always possible, because
-- positions are not exact.
create function private.is_reachable(p_user_id uuid, p_lat double precision, p_lng double precision, p_at timestamptz)
returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  c_always_m constant integer := 2000;
  c_speed_mps constant integer := 250;
begin
  return not exists (
    select from (
      select s.lat, s.lng, c.created_at as at
      from public.sponsor_checkins c join public.sponsors s on s.id = c.sponsor_id
      where c.user_id = p_user_id and c.created_at between p_at - interval '1 day' and p_at + interval '1 day'
      union all
      select l.lat, l.lng, moment.at
      from public.parking_sessions k
      join public.parking_lots l on l.id = k.parking_lot_id
      cross join lateral (values (k.started_at), (k.ended_at)) as moment (at)
      -- A month: a stay that is longer does not have the whole history of its user read.
      where k.user_id = p_user_id and k.status <> 'cancelled' and k.started_at > p_at - interval '31 days'
        and moment.at between p_at - interval '1 day' and p_at + interval '1 day'
    ) place
    where private.great_circle_m(p_lat, p_lng, place.lat, place.lng)
      > c_always_m + c_speed_mps * abs(extract(epoch from p_at - place.at))
  );
end
$$;

-- Counts the caller's check-in at a sponsor, with its activity; returns the day's check-in when there is one. It is
-- rewarded if the caller can have come there from their last place. The caller of this function has checked the distance.
-- Errors: unauthorized, forbidden, not_found.
create or replace function private.count_checkin(
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
    perform private.log_activity('sponsor_checkin', null, checkin.id, jsonb_build_object('sponsor_id', p_sponsor_id), v_is_reachable);
  else
    select c.* into strict checkin from public.sponsor_checkins c
    where c.user_id = v_user_id and c.sponsor_id = p_sponsor_id and c.local_date = v_date;
  end if;
end
$$;

-- Whether an ended session is rewarded: it lasted five minutes or more, and its user can have been there. It is one of the
-- first six such sessions of the user that ended on this day in Japan.
create or replace function private.is_rewarded_stay(p_session public.parking_sessions) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  -- By the exit and by the clock: an exit may be up to 5 minutes in the future. A user's sessions end one after another, so
  -- the count is complete.
  return least((p_session).ended_at, now()) >= (p_session).started_at + interval '5 minutes'
    and (
      select bool_and(private.is_reachable((p_session).user_id, l.lat, l.lng, moment.at))
      from public.parking_lots l
      cross join unnest(array[(p_session).started_at, (p_session).ended_at]) as moment (at)
      where l.id = (p_session).parking_lot_id
    )
    and 6 > (
      select count(*) from public.user_activity_logs l
      where l.user_id = (p_session).user_id and l.activity_type = 'session_end' and l.is_rewarded
        and l.created_at >= date_trunc('day', now() at time zone 'Asia/Tokyo') at time zone 'Asia/Tokyo'
    );
end
$$;
