-- Activity: the activities of users, one row each, written in the transaction of the activity.
--
-- private.record_activity has all effects of an activity, in order: its points, the badges that it completes, the count of
-- its lot, the day of the account. Levels and their themes follow from the points, by the trigger of the ledger.
--
-- Repeating an activity writes nothing: a user has one row for each type and subject, and one row for saving and one for
-- reviewing a lot, even if they undo and repeat it. So the effects occur once too.
--
-- Rows older than 90 days move to private.archived_activities, which has a partition for each month (UTC). The table itself is
-- not partitioned: Realtime sends names of leaf partitions to its subscribers, and the unique keys span time. Activities that
-- can be repeated about the same thing (saving, reviewing, confirming, denying) stay, because their rows prevent a second
-- one. They are few, because there is one for each user and lot or field value.
--
-- Invariants: an activity has a row, and a row has an activity. A row always belongs to the caller. No role changes a row,
-- and it is deleted with its user. Only active administrators read rows. Each row is in one of the two tables.
-- Interface: private.log_activity(type, lot, subject) for commands; private.record_activity for functions with the owner's
-- rights; private.is_reachable for what is rewarded at a place; private.activities for later reads.

-- Records an activity of a user and does what follows from it, in order. Returns false, and does nothing, when the user has
-- done the same before. For functions of the service only.
create function private.record_activity(
  p_user_id uuid, p_activity_type text, p_parking_lot_id uuid default null, p_subject_id uuid default null,
  p_metadata jsonb default '{}', p_is_rewarded boolean default true, p_created_at timestamptz default now()
) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_activity public.user_activity_logs;
begin
  insert into public.user_activity_logs (user_id, activity_type, parking_lot_id, subject_id, metadata, is_rewarded, created_at)
  values (p_user_id, p_activity_type, p_parking_lot_id, p_subject_id, p_metadata, p_is_rewarded, p_created_at)
  on conflict do nothing
  returning * into v_activity;
  if not found then
    return false;
  end if;
  if v_activity.is_rewarded then
    -- The account is locked first: a later writer of the same user waits here, and reads the sums after it.
    perform 1 from public.app_users u where u.id = p_user_id for no key update;
    perform private.give_exp(p_user_id, e.reason, e.source_type, e.source_id, e.activity_type)
    from private.exp_of_activity(v_activity) as e;
    -- After its points: a badge comes after them in the history.
    perform private.earn_badge(p_user_id, b.id), private.give_exp(p_user_id, 'badge_earned', 'badge', b.id)
    from private.count_for_badges(p_user_id, p_activity_type, coalesce(p_subject_id, v_activity.id), p_parking_lot_id,
      p_metadata, p_created_at) as b (id);
  end if;
  if v_activity.parking_lot_id is not null and v_activity.activity_type in ('lot_save', 'session_start') then
    perform private.append_lot_count(v_activity.parking_lot_id, v_activity.activity_type, v_activity.created_at);
  end if;
  -- Only the first activity of a day writes.
  update public.app_users u set last_active_on = private.utc_day(v_activity.created_at)
  where u.id = p_user_id and coalesce(u.last_active_on < private.utc_day(v_activity.created_at), true);
  return true;
end
$$;

-- Records an activity of the caller in its transaction; false when the caller has done the same before. Errors:
-- unauthorized, forbidden.
create function private.log_activity(p_activity_type text, p_parking_lot_id uuid, p_subject_id uuid) returns boolean
language plpgsql
security definer -- no role may write rows directly; the row is always the caller's
set search_path = ''
as $$
begin
  return private.record_activity(private.active_user(), p_activity_type, p_parking_lot_id, p_subject_id);
end
$$;

grant execute on function private.log_activity(text, uuid, uuid) to authenticated;

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

-- The day of a time, in UTC.
create function private.utc_day(p_at timestamptz) returns date
language sql immutable parallel safe
return (p_at at time zone 'UTC')::date;

-- Moves the next activities of one month to the archive, and creates the partition of the month; false when there are
-- none. Commit after each batch.
create function private.next_archive_batch(p_rows integer default 5000) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_types constant text[] := array(
    select c.code from public.codes c
    where c.category_id = 'user_activity' and c.lang = 'en'
      and c.code not in ('lot_save', 'review_post', 'field_confirm', 'field_deny')
  );
  v_month timestamp;
  v_partition text;
begin
  select date_trunc('month', min(o.created_at) at time zone 'UTC') into v_month
  from unnest(v_types) as t (activity_type)
  cross join lateral (
    select min(l.created_at) as created_at from public.user_activity_logs l where l.activity_type = t.activity_type
  ) o
  where o.created_at < now() - interval '90 days';
  if v_month is null then
    return false;
  end if;
  v_partition := 'archived_activities_' || to_char(v_month, 'YYYY_MM');
  if to_regclass('private.' || v_partition) is null then
    -- Attached, not created as a partition: reads of the archive are not blocked.
    execute format(
      'create table private.%1$I (like private.archived_activities); '
        'alter table private.archived_activities attach partition private.%1$I for values from (%2$L) to (%3$L)',
      v_partition, v_month at time zone 'UTC', (v_month + interval '1 month') at time zone 'UTC'
    );
  end if;
  with moved as (
    delete from public.user_activity_logs l where l.ctid = any (array(
      select o.ctid from public.user_activity_logs o
      where o.activity_type = any (v_types)
        and o.created_at < least(now() - interval '90 days', (v_month + interval '1 month') at time zone 'UTC')
      order by o.activity_type, o.created_at -- the order of the index, so that no plan reads the whole table
      limit p_rows for update skip locked
    )) returning l.*
  )
  insert into private.archived_activities select * from moved;
  return found;
end
$$;

-- Deletes the archived activities of a deleted account, because the archive has no foreign key.
create function private.tg_app_users__delete_archived() returns trigger
language plpgsql
security definer -- the auth server, which deletes accounts, has no right on the archive
set search_path = ''
as $$
begin
  delete from private.archived_activities where user_id = old.id;
  return null;
end
$$;
