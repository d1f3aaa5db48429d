-- Chains: the function of an event gives points, counts for badges and gives those that are complete, one after the other, in
-- place of each step in the one before. A chain of the most used commands has at most six steps; eight, where a session changes.
--
-- The definitions are those of supabase/schemas after this change. Each event has the same effects in the same order. The
-- way back: the functions as they were, in one transaction.

set lock_timeout = '2s';

drop function private.reward_activity(public.user_activity_logs);
drop function private.reward_review(public.reviews);
drop function private.unreward_review(public.reviews);
drop function private.uncount_review(uuid, public.reviews);
drop function private.count_for_badges(uuid, text, uuid, uuid, jsonb, timestamptz);
drop function private.mark_badges(uuid, uuid[], text[]);
drop function private.log_activity(text, uuid, uuid, jsonb, boolean);
drop function private.grant_level_themes(uuid, integer);
drop function private.add_reviews(uuid[], integer[], integer[]);
drop function private.decide_review(uuid, uuid, text, text, timestamptz);
drop function private.notify_review_author(public.reviews, text);
drop function private.correct_reported_lot(uuid, public.error_reports, jsonb);
drop function private.change_file_totals(uuid, bigint, integer);

-- Activities

-- The points of an activity, and those of the day's first activity, for private.give_exp; none without a rule. A fact that
-- is checked counts once, confirmed or denied. The caller has locked the account.
create function private.exp_of_activity(p_activity public.user_activity_logs)
returns table (reason text, source_type text, source_id uuid, activity_type text)
language plpgsql stable rows 2
set search_path = ''
as $$
begin
  return query
  select s.* from private.exp_rules r
  cross join lateral (values
    (r.reason, case r.reason when 'field_value_vote' then 'field_value' else r.activity_type end,
      coalesce((p_activity).subject_id, (p_activity).id), r.activity_type),
    ('first_of_day', 'activity', (p_activity).id, null)
  ) as s (reason, source_type, source_id, activity_type)
  where r.activity_type = (p_activity).activity_type and r.is_active and (s.activity_type is not null or not exists (
    select from public.exp_entries e
    where e.user_id = (p_activity).user_id and e.reason = 'first_of_day'
      and e.given_on = (now() at time zone 'Asia/Tokyo')::date
  ));
end
$$;

-- Writes one mark for each of these badges. New marks update the progress. Returns the badges that the user has earned now.
create function private.mark_badges(p_user_id uuid, p_badge_ids uuid[], p_marks text[]) returns setof uuid
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan -- planned for each activity, it took twice as long
as $$
declare
  v_moved uuid[];
begin
  -- Locked as the foreign key locks it: a badge that is new to the user and deleted meanwhile counts nothing.
  perform from public.badges b
  where b.id = any (p_badge_ids)
    and not exists (select from public.user_badge_progress p where p.user_id = p_user_id and p.badge_id = b.id)
  for key share;
  with new_marks as (
    insert into private.badge_marks (user_id, badge_id, mark)
    select p_user_id, m.badge_id, m.mark
    from unnest(p_badge_ids, p_marks) as m (badge_id, mark) join public.badges b on b.id = m.badge_id
    on conflict (user_id, badge_id, mark) do nothing
    returning badge_id
  ), moved as (
    insert into public.user_badge_progress as p (user_id, badge_id, count) select p_user_id, n.badge_id, 1 from new_marks n
    on conflict (user_id, badge_id) do update set count = p.count + 1
    returning badge_id
  )
  select array_agg(m.badge_id) into v_moved from moved m;
  if v_moved is null then
    return;
  end if;
  update public.user_badge_progress p set count = s.days
  from public.badges b cross join lateral private.longest_streaks(array[p_user_id], b.id) as s
  where b.id = any (v_moved) and b.conditions ->> 'measure' = 'streak_days'
    and p.user_id = p_user_id and p.badge_id = b.id;
  return query
  select p.badge_id
  from public.user_badge_progress p join public.badges b on b.id = p.badge_id
  where p.user_id = p_user_id and p.badge_id = any (v_moved) and b.is_active and p.count >= b.threshold
    and not exists (select from public.user_badges u where u.user_id = p.user_id and u.badge_id = p.badge_id)
    and not exists (
      select from private.badge_backfills f
      where f.badge_id = p.badge_id and f.finished_at is null and f.had_other_conditions
        and (f.last_user_id is null or f.last_user_id < p.user_id)
    )
  order by b.sort_order, b.id;
end
$$;

-- Counts an activity, or a state that begins, for every badge that it meets and the user has not earned. Returns those that
-- are complete now, for private.earn_badge. A badge with invalid conditions is noted and skipped.
create function private.count_for_badges(
  p_user_id uuid, p_kind text, p_subject_id uuid, p_lot_id uuid, p_metadata jsonb, p_at timestamptz
) returns setof uuid
language plpgsql
set search_path = ''
as $$
declare
  v_badge public.badges;
  v_error text[];
  v_mark text;
  v_badge_ids uuid[] := '{}';
  v_marks text[] := '{}';
  v_metadata jsonb := private.badge_metadata(p_kind, p_metadata, p_at);
begin
  -- One transaction a user at a time, and none during a rebuild of their progress.
  perform 1 from public.app_users u where u.id = p_user_id and u.status <> 'withdrawn' for no key update;
  if not found then
    return;
  end if;
  -- Badges that clearly count other kinds are left out first. Badges without readable kinds are evaluated, and noted.
  for v_badge in
    select * from public.badges b
    where b.is_active
      and not exists (select from public.user_badges u where u.user_id = p_user_id and u.badge_id = b.id)
      and (b.conditions -> 'activity' ? p_kind or coalesce(jsonb_typeof(b.conditions -> 'activity'), '') <> 'array')
    order by b.id
  loop
    v_error := private.badge_conditions_error(v_badge.conditions);
    if v_error is not null then
      insert into private.badge_errors (badge_id, error) values (v_badge.id, v_error[2]) on conflict do nothing;
    elsif private.meets_badge_conditions(v_metadata, v_badge.conditions) then
      v_mark := private.badge_mark(v_badge.conditions ->> 'measure', p_kind, p_subject_id, p_lot_id, p_at);
      if v_mark is not null then
        v_badge_ids := v_badge_ids || v_badge.id;
        v_marks := v_marks || v_mark;
      end if;
    end if;
  end loop;
  return query select * from private.mark_badges(p_user_id, v_badge_ids, v_marks);
end
$$;

-- Gives a user a badge: notifies them, gives its themes, and ends the counting for it. The caller gives its points.
create or replace function private.earn_badge(p_user_id uuid, p_badge_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into public.user_badges (user_id, badge_id) values (p_user_id, p_badge_id);
  perform private.notify(p_user_id, 'badge_earned',
    jsonb_build_object(
      'badge', jsonb_build_object('ja', b.name, 'en', coalesce(b.name_en, b.name)),
      'description', jsonb_build_object('ja', b.description, 'en', coalesce(b.description_en, b.description))
    ), jsonb_build_object('badge_id', b.id))
  from public.badges b where b.id = p_badge_id;
  delete from private.badge_marks m where m.user_id = p_user_id and m.badge_id = p_badge_id;
  update public.user_badge_progress p set count = b.threshold
  from public.badges b where b.id = p_badge_id and p.user_id = p_user_id and p.badge_id = b.id;
  insert into public.user_themes (user_id, theme_id, acquisition_type)
  select e.user_id, e.theme_id, 'reward' from private.earned_themes(array[p_user_id]) as e
  on conflict on constraint user_themes_owned_once do nothing;
end
$$;

-- Records an activity of a user and does what follows from it, in order. Returns false, and does nothing, when the user has
-- done the same before. For functions of the service only.
create or replace function private.record_activity(
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

-- Levels and themes

-- The themes, or only this one, that these users have earned by their level or a badge, and do not own. Locked as the
-- foreign key locks them: a theme that is deleted meanwhile gets no owner.
create function private.earned_themes(p_user_ids uuid[], p_theme_id uuid default null)
returns table (user_id uuid, theme_id uuid)
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan -- as private.mark_badges
as $$
begin
  return query
  select u.id, t.id
  from public.themes t
  join public.app_users u on u.id = any (p_user_ids) and (u.level >= t.unlock_level or exists (
    select from public.user_badges b where b.user_id = u.id and b.badge_id = t.unlock_badge_id
  ))
  where t.is_active and not t.is_free and t.id = coalesce(p_theme_id, t.id)
    and not exists (select from public.user_themes o where o.user_id = u.id and o.theme_id = t.id)
  for key share of t;
end
$$;

-- Adds entries to the sums of their users. Notifies those who reached a level for the first time, and gives the themes of
-- a level that rose.
create or replace function private.tg_exp_entries__keep_sums() returns trigger
language plpgsql
security definer -- no role may write the sums directly
set search_path = ''
as $$
declare
  v_user record;
  v_risen uuid[] := '{}';
begin
  -- Locked in one order first: the sums below are added to what a concurrent writer committed, and none is lost.
  perform 1 from public.app_users u where u.id = any (array(select r.user_id from rows_changed r))
  order by u.id for no key update;
  for v_user in
    update public.app_users u
    set total_exp = u.total_exp + d.amount, level = private.level_at(u.total_exp + d.amount)
    from (
      select r.user_id, (sum(r.amount) * case tg_op when 'DELETE' then -1 else 1 end)::integer as amount
      from rows_changed r group by r.user_id
    ) d
    join public.app_users b on b.id = d.user_id
    where u.id = b.id
    returning u.id, u.status, u.total_exp, u.level, b.level as level_before, b.highest_level as highest_before
  loop
    if v_user.status <> 'withdrawn' and v_user.level > v_user.highest_before then
      perform private.notify(v_user.id, 'level_up',
        jsonb_build_object('level', v_user.level, 'exp', to_char(v_user.total_exp, 'FM999G999G999G990')));
    end if;
    if v_user.status <> 'withdrawn' and v_user.level > v_user.level_before then
      v_risen := v_risen || v_user.id;
    end if;
  end loop;
  if v_risen <> '{}' then
    insert into public.user_themes (user_id, theme_id, acquisition_type)
    select e.user_id, e.theme_id, 'reward' from private.earned_themes(v_risen) as e
    on conflict on constraint user_themes_owned_once do nothing;
  end if;
  return null;
end
$$;

-- Sets sums and levels that differ for the next batch of users; false when there is nothing to do. Commit after each
-- call.
create or replace function private.next_level_batch(p_users integer default 1000) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_job private.level_recalculation;
  v_user_ids uuid[];
  v_changed integer;
  v_risen uuid[];
begin
  select * into v_job from private.level_recalculation r where r.finished_at is null for no key update skip locked;
  if not found then
    return false;
  end if;
  v_user_ids := private.next_users(v_job.last_user_id, p_users);
  with changed as (
    update public.app_users u
    set total_exp = s.total_exp, level = private.level_at(s.total_exp)
    from (
      select p.id, coalesce(sum(e.amount), 0)::integer as total_exp
      from unnest(v_user_ids) as p (id) left join public.exp_entries e on e.user_id = p.id group by p.id
    ) s
    join public.app_users b on b.id = s.id
    where u.id = b.id and (u.total_exp, u.level) is distinct from (s.total_exp, private.level_at(s.total_exp))
    returning u.id, u.level > b.level as has_risen
  )
  select count(*), array_agg(c.id) filter (where c.has_risen) into v_changed, v_risen from changed c;
  insert into public.user_themes (user_id, theme_id, acquisition_type)
  select e.user_id, e.theme_id, 'reward' from private.earned_themes(v_risen) as e
  on conflict on constraint user_themes_owned_once do nothing;
  update private.level_recalculation r
  set last_user_id = coalesce(v_user_ids[cardinality(v_user_ids)], r.last_user_id),
    done_users = r.done_users + cardinality(v_user_ids), changed_users = r.changed_users + v_changed,
    updated_at = clock_timestamp(),
    total_users = case when cardinality(v_user_ids) < p_users then r.done_users + cardinality(v_user_ids) else r.total_users end,
    finished_at = case when cardinality(v_user_ids) < p_users then clock_timestamp() end
  where r.is_only;
  return true;
end
$$;

-- Gives a theme to those of the next batch of users who have earned it; false when there is nothing to do. Commit after
-- each call.
create or replace function private.next_theme_batch(p_users integer default 1000) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_job private.theme_grants;
  v_user_ids uuid[];
begin
  select * into v_job from private.theme_grants g
  where g.finished_at is null order by g.theme_id limit 1 for no key update skip locked;
  if not found then
    return false;
  end if;
  v_user_ids := private.next_users(v_job.last_user_id, p_users);
  -- The theme's conditions are read with each batch: a change since the job began restarts it.
  insert into public.user_themes (user_id, theme_id, acquisition_type)
  select e.user_id, e.theme_id, 'reward' from private.earned_themes(v_user_ids, v_job.theme_id) as e
  on conflict on constraint user_themes_owned_once do nothing;
  update private.theme_grants g
  set last_user_id = coalesce(v_user_ids[cardinality(v_user_ids)], g.last_user_id),
    done_users = g.done_users + cardinality(v_user_ids),
    finished_at = case when cardinality(v_user_ids) < p_users then clock_timestamp() end
  where g.theme_id = v_job.theme_id;
  return true;
end
$$;

-- Rebuilds the progress of these users, whose accounts are locked, with a badge of valid conditions. Nothing changes for
-- users who have it.
create or replace function private.rebuild_badge(p_badge public.badges, p_user_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  -- The progress of users who have the badge is complete.
  v_user_ids uuid[] := array(
    select p.id from unnest(p_user_ids) as p (id)
    where not exists (select from public.user_badges u where u.user_id = p.id and u.badge_id = (p_badge).id)
  );
  v_measure text := (p_badge).conditions ->> 'measure';
begin
  -- Only rows that differ are written: mostly none.
  with marks as materialized (
    select h.user_id, h.mark collate "C" as mark from private.marks_of_history((p_badge).conditions, v_user_ids) h
  ), marks_before as materialized (
    select m.user_id, m.mark from private.badge_marks m where m.badge_id = (p_badge).id and m.user_id = any (v_user_ids)
  ), gone as (
    delete from private.badge_marks m using (table marks_before except table marks) as g
    where m.user_id = g.user_id and m.badge_id = (p_badge).id and m.mark = g.mark
  ), without as (
    update public.user_badge_progress p set count = 0
    where p.badge_id = (p_badge).id and p.user_id = any (v_user_ids) and p.count <> 0
      and p.user_id not in (select m.user_id from marks m)
  ), progress as (
    insert into public.user_badge_progress as p (user_id, badge_id, count)
    select m.user_id, (p_badge).id, case when v_measure = 'streak_days' then 0 else count(*) end from marks m group by m.user_id
    on conflict (user_id, badge_id) do update set count = excluded.count
    where v_measure <> 'streak_days' and p.count <> excluded.count
  )
  insert into private.badge_marks (user_id, badge_id, mark)
  select a.user_id, (p_badge).id, a.mark from (table marks except table marks_before) as a;
  if v_measure = 'streak_days' then
    update public.user_badge_progress p set count = s.days
    from private.longest_streaks(v_user_ids, (p_badge).id) as s
    where p.badge_id = (p_badge).id and p.user_id = s.user_id and p.count <> s.days;
  end if;
  if (p_badge).is_active then
    v_user_ids := array(
      select p.user_id from public.user_badge_progress p
      where p.badge_id = (p_badge).id and p.user_id = any (v_user_ids) and p.count >= (p_badge).threshold
      order by p.user_id
    );
    perform private.earn_badge(u.id, (p_badge).id), private.give_exp(u.id, 'badge_earned', 'badge', (p_badge).id)
    from unnest(v_user_ids) as u (id);
  end if;
end
$$;

-- Callers of an activity

-- Ends a running session of the caller and stores its fee; a second request with the same client request id returns the
-- same session. Errors: unauthorized, forbidden, not_found, validation_error, lot_not_found, conflict.
create or replace function private.end_session(p_id uuid, p_exit_at timestamptz, p_client_request_id uuid)
returns public.parking_sessions
language plpgsql
security definer -- no client may write the fee of a session
set search_path = ''
as $$
declare
  v_session public.parking_sessions := private.my_session_for_change(p_id);
  -- By the clock of a device that is slow the car left before it came: it ends then at the start.
  v_exit_at constant timestamptz := greatest(v_session.started_at, p_exit_at);
  v_priced_until timestamptz;
  v_fee jsonb;
begin
  if v_session.status = 'ended' and v_session.finalize_request_id = p_client_request_id then
    return v_session;
  elsif v_session.status <> 'parking' then
    perform private.raise_error('conflict', 409, format('The session already has the status %s.', v_session.status),
      p_details => jsonb_build_object('reason', 'session_' || v_session.status));
  end if;
  perform private.check_exit(v_session, p_exit_at);
  -- A session that was never ended costs its first 366 days, which the breakdown states. One that ends before its start
  -- costs a second: the first unit.
  v_priced_until := case when p_exit_at < v_session.started_at then v_exit_at + interval '1 second'
    else least(v_exit_at, v_session.started_at + interval '8784 hours') end;
  v_fee := private.fee_answer(v_session.parking_lot_id, v_session.vehicle_type, v_session.started_at, v_priced_until);
  if v_priced_until < v_exit_at and v_fee ? 'breakdown' then
    v_fee := jsonb_insert(v_fee, '{breakdown,notes,0}', '"only_366_days_priced"');
  end if;
  if v_fee ? 'breakdown' and exists (
    select from private.tariffs t
    where t.parking_lot_id = v_session.parking_lot_id and t.compiled_at > v_session.started_at
  ) then
    v_fee := jsonb_insert(v_fee, '{breakdown,notes,0}', '"prices_changed"');
  end if;
  update public.parking_sessions s
  set status = 'ended', ended_at = v_exit_at, finalize_request_id = p_client_request_id,
    total_amount_minor = (v_fee ->> 'total_amount')::bigint,
    currency = coalesce(v_fee ->> 'currency', (select l.currency from public.parking_lots l where l.id = s.parking_lot_id)),
    breakdown = coalesce(v_fee -> 'breakdown' || jsonb_build_object('surprises', v_fee -> 'surprises'), v_fee),
    price_list_id = private.store_price_list(private.rules_of_stay(s.parking_lot_id, s.started_at, v_exit_at))
  where s.id = p_id
  returning * into v_session;
  perform private.record_activity(v_session.user_id, 'session_end', v_session.parking_lot_id, p_id, jsonb_build_object(
    'total_amount', v_session.total_amount_minor, 'currency', v_session.currency,
    'minutes', floor(extract(epoch from v_session.ended_at - v_session.started_at) / 60)
  ), private.is_rewarded_stay(v_session));
  return v_session;
end
$$;

-- Cancels a running session of the caller that began, or was reported, within the last 5 minutes; a cancelled one stays
-- cancelled. Errors: unauthorized, forbidden, not_found, conflict.
create or replace function private.cancel_session(p_id uuid) returns void
language plpgsql
security definer -- no client may write the status
set search_path = ''
as $$
declare
  v_session public.parking_sessions := private.my_session_for_change(p_id);
begin
  if v_session.status = 'cancelled' then
    return;
  elsif v_session.status = 'ended' then
    perform private.raise_error('conflict', 409, 'The session has already ended.', p_details => '{"reason": "session_ended"}');
  -- A start that the device reported is known since the report.
  elsif (case when v_session.is_start_reported then v_session.created_at else v_session.started_at end) < now() - interval '5 minutes' then
    perform private.raise_error('conflict', 409, 'A session can only be cancelled within 5 minutes of its start. End it instead.',
      p_details => '{"reason": "too_late"}');
  end if;
  update public.parking_sessions s set status = 'cancelled' where s.id = p_id;
  perform private.record_activity(v_session.user_id, 'session_cancel', v_session.parking_lot_id, p_id);
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
    perform private.record_activity(v_user_id, 'sponsor_checkin', null, checkin.id,
      jsonb_build_object('sponsor_id', p_sponsor_id), v_is_reachable);
  else
    select c.* into strict checkin from public.sponsor_checkins c
    where c.user_id = v_user_id and c.sponsor_id = p_sponsor_id and c.local_date = v_date;
  end if;
end
$$;

-- Opens a ticket of the caller, without a message. Errors: unauthorized, forbidden, rate_limited.
create or replace function private.open_support_ticket(p_category text, p_subject text) returns public.support_tickets
language plpgsql
security definer -- clients have no right to insert: they could circumvent the daily limit
set search_path = ''
as $$
declare
  c_max constant integer := 5;
  v_user_id uuid := private.writing_user();
  v_ticket public.support_tickets;
  v_opened timestamptz[];
begin
  select array_agg(t.created_at order by t.created_at desc) into v_opened
  from public.support_tickets t where t.user_id = v_user_id and t.created_at > clock_timestamp() - interval '24 hours';
  if cardinality(v_opened) >= c_max then
    perform private.raise_error('rate_limited', 429, format('At most %s tickets are allowed in 24 hours. Retry after details.retry_after seconds.', c_max), p_details => jsonb_build_object(
      'policy', 'support_tickets',
      'retry_after', ceil(extract(epoch from v_opened[c_max] + interval '24 hours' - clock_timestamp()))::integer
    ));
  end if;
  insert into public.support_tickets (user_id, category, subject) values (v_user_id, p_category, p_subject)
  returning * into v_ticket;
  perform private.notify_admins('support_ticket', 'サポートへの問い合わせ', p_link => '/support-tickets/' || v_ticket.id,
    p_area => 'support');
  perform private.record_activity(v_user_id, 'support_ticket_post', null, v_ticket.id);
  return v_ticket;
end
$$;

-- The effects of the caller's new report: an activity, and a notification to administrators of lots.
create or replace function private.on_error_report_posted(p_report_id uuid) returns void
language plpgsql
security definer -- a user may not write to administrators; the report is the caller's
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.active_user();
  v_report public.error_reports;
begin
  select * into v_report from public.error_reports r where r.id = p_report_id and r.user_id = v_user_id;
  if found and private.record_activity(v_user_id, 'error_report_post', v_report.parking_lot_id, p_report_id) then
    perform private.notify_admins('error_report', '情報修正の報告', p_link => '/error-reports/' || p_report_id,
      p_severity => case when v_report.severity in ('high', 'critical') then 'warning' else 'info' end, p_area => 'lots');
  end if;
end
$$;

-- The effects of the caller's new review: an activity, and the first time for this lot a notification to administrators
-- of reviews. The list of pending reviews has the rest.
create or replace function private.on_review_posted(p_review_id uuid) returns void
language plpgsql
security definer -- the author of a review may not write to administrators; the review is the caller's
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.active_user();
  v_lot_id uuid;
begin
  select r.parking_lot_id into v_lot_id from public.reviews r where r.id = p_review_id and r.user_id = v_user_id;
  if found and private.record_activity(v_user_id, 'review_post', v_lot_id, p_review_id) then
    perform private.notify_admins('review_pending', 'レビューの審査待ち', p_link => '/reviews/' || p_review_id, p_area => 'reviews');
  end if;
end
$$;

-- Reviews and error reports

-- A review that the caller has locked (private.lock_reviews) and that may get this status. Errors: forbidden,
-- validation_error, not_found, conflict.
create function private.review_to_decide(p_admin_id uuid, p_id uuid, p_status text, p_seen_updated_at timestamptz)
returns public.reviews
language plpgsql
set search_path = ''
as $$
declare
  v_review public.reviews;
begin
  if p_status is null or p_status not in ('approved', 'rejected', 'hidden') then
    perform private.raise_error('validation_error', 422, 'status must be approved, rejected or hidden.', p_param => 'status');
  end if;
  select * into v_review from public.reviews r
  where r.id = p_id and not exists (select from private.account_ends e where e.user_id = r.user_id);
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such review.', p_param => 'id');
  end if;
  perform private.check_decision(p_admin_id, v_review.user_id, v_review.updated_at, p_seen_updated_at);
  perform private.check_move('review', v_review.status, p_status);
  return v_review;
end
$$;

-- The effects of a decision on a review: a notification of the author, if there is one, with the reason, if there is one,
-- and the record of the act. Those of the new status came before (private.tg_reviews__follow).
create function private.on_review_decided(
  p_admin_id uuid, p_before public.reviews, p_after public.reviews, p_reason text
) returns void
language plpgsql
set search_path = ''
as $$
begin
  if (p_after).user_id is not null then
    perform private.notify((p_after).user_id, 'review_' || (p_after).status, jsonb_build_object(
      'lot', l.name, 'reason', private.reason_text(p_reason)
    ), jsonb_build_object('review_id', (p_after).id))
    from public.parking_lots l where l.id = (p_after).parking_lot_id;
  end if;
  perform private.record_act(p_admin_id,
    case (p_after).status when 'approved' then 'review.approve' when 'rejected' then 'review.reject' else 'review.hide' end,
    'review', (p_after).id::text, (p_after).user_id, private.difference(to_jsonb(p_before), to_jsonb(p_after))
      || jsonb_strip_nulls(jsonb_build_object('reason', p_reason)));
end
$$;

-- Deletes the mark of a review from the badges that a user has not earned. Marks of activities stay.
create or replace function private.unmark_badges(p_user_id uuid, p_mark text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform 1 from public.app_users u where u.id = p_user_id for no key update;
  with gone as (
    delete from private.badge_marks m using public.user_badge_progress p
    where p.user_id = p_user_id and m.user_id = p.user_id and m.badge_id = p.badge_id and m.mark = p_mark
    returning m.badge_id
  )
  update public.user_badge_progress p set count = p.count - 1
  from gone g where p.user_id = p_user_id and p.badge_id = g.badge_id;
end
$$;

-- The effects of reviews that a statement wrote, in order: points and badges of authors, photos, and what an author
-- leaves. A trigger, because reviews have more writers than functions: decisions, edits of the author, the deletion of a
-- lot, the withdrawal of an author, and the auth server.
create or replace function private.tg_reviews__follow() returns trigger
language plpgsql
security definer -- neither an author, an administrator nor the auth server may write points, files and reviews of others
set search_path = ''
as $$
declare
  v_review public.reviews;
  v_earning public.reviews[];
  v_losing public.reviews[];
  v_shown uuid[];
  v_hidden uuid[];
  v_deleted uuid[];
  v_left uuid[];
begin
  if tg_op = 'INSERT' then
    v_earning := array(select row (r.*)::public.reviews from rows_changed r
      where r.status = 'approved' and r.user_id is not null order by r.id);
  elsif tg_op = 'DELETE' then
    v_losing := array(select row (r.*)::public.reviews from rows_changed r
      where r.status = 'approved' and r.user_id is not null order by r.id);
    v_deleted := array(select r.id from rows_changed r);
  else
    -- Points do not change for thousands of reviews of an author who withdraws: points and progress are deleted then.
    -- A full join is never a nested loop: one that was planned for a single row would take minutes for these thousands.
    select
      array_agg(row (c.*)::public.reviews order by id) filter (where c.status = 'approved' and c.user_id is not null
        and (b.status <> 'approved' or b.user_id is distinct from c.user_id)),
      array_agg(row (b.*)::public.reviews order by id) filter (where b.status = 'approved' and b.user_id is not null
        and c.user_id is not null and (c.status <> 'approved' or b.user_id <> c.user_id)),
      array_agg(id) filter (where b.status <> 'approved' and c.status = 'approved'),
      array_agg(id) filter (where b.status = 'approved' and c.status <> 'approved'),
      array_agg(id) filter (where b.user_id is not null and c.user_id is null and c.status <> 'approved')
    into v_earning, v_losing, v_shown, v_hidden, v_left
    from rows_before b full join rows_changed c using (id);
  end if;
  for v_review in
    select r.* from unnest(v_losing) as r join public.parking_lots l on l.id = r.parking_lot_id order by r.id
  loop
    perform private.take_exp_back(v_review.user_id, 'review_approved', 'review', v_review.id);
    perform private.unmark_badges(v_review.user_id, 'review_approved:' || v_review.id);
  end loop;
  -- Reviews that were deleted with their lot keep their points, because the deletion of a lot does not wait for accounts.
  insert into private.kept_reviews (review_id, user_id, parking_lot_id, rating, created_at)
  select r.id, r.user_id, r.parking_lot_id, r.rating, r.created_at from unnest(v_losing) as r
  where not exists (select from public.parking_lots l where l.id = r.parking_lot_id);
  for v_review in select r.* from unnest(v_earning) as r loop
    perform private.give_exp(v_review.user_id, 'review_approved', 'review', v_review.id);
    perform private.earn_badge(v_review.user_id, b.id), private.give_exp(v_review.user_id, 'badge_earned', 'badge', b.id)
    from private.count_for_badges(v_review.user_id, 'review_approved', v_review.id, v_review.parking_lot_id,
      jsonb_build_object('rating', v_review.rating), v_review.created_at) as b (id);
  end loop;
  if v_shown is not null then
    perform private.publish_assets('review', v_shown);
  end if;
  if v_hidden is not null then
    perform private.unpublish_assets('review', v_hidden);
  end if;
  if v_deleted is not null then
    perform private.delete_review_photos(v_deleted);
  end if;
  -- Reviews that are not published (pending, rejected, hidden) are deleted with their author.
  if v_left is not null then
    delete from public.reviews where id = any (v_left);
  end if;
  return null;
end
$$;

-- Adds what a statement changed to the number of approved reviews of its lots with each number of stars, and writes
-- avg_rating and review_count of these lots. Runs per statement, because an import writes many rows in one.
create or replace function private.tg_reviews__count_for_lots() returns trigger
language plpgsql
security definer -- neither an author nor the auth server, which deletes accounts, has a right on lots
set search_path = ''
as $$
declare
  v_lot_ids uuid[];
  v_ratings integer[];
  v_differences integer[];
begin
  if tg_op = 'UPDATE' then
    select array_agg(d.lot_id), array_agg(d.rating), array_agg(d.difference) into v_lot_ids, v_ratings, v_differences
    from (
      select r.lot_id, r.rating, sum(r.sign) as difference
      from (
        select b.parking_lot_id as lot_id, b.rating, -1 as sign from rows_before b where b.status = 'approved'
        union all select c.parking_lot_id, c.rating, 1 from rows_changed c where c.status = 'approved'
      ) r
      group by r.lot_id, r.rating having sum(r.sign) <> 0
    ) d;
  else
    select array_agg(d.lot_id), array_agg(d.rating), array_agg(d.difference) into v_lot_ids, v_ratings, v_differences
    from (
      select r.parking_lot_id as lot_id, r.rating, count(*) * case tg_op when 'INSERT' then 1 else -1 end as difference
      from rows_changed r where r.status = 'approved' group by r.parking_lot_id, r.rating
    ) d;
  end if;
  if v_lot_ids is null then
    return null;
  end if;
  -- Locked in one order first: the sums below then see what a concurrent writer of the same lot committed.
  perform 1 from public.parking_lots l where l.id = any (v_lot_ids) order by l.id for no key update;
  insert into private.review_counts (parking_lot_id, rating, count)
  select l.id, d.rating, 0 from unnest(v_lot_ids, v_ratings) as d (lot_id, rating) join public.parking_lots l on l.id = d.lot_id
  on conflict do nothing;
  update private.review_counts o set count = o.count + d.difference
  from unnest(v_lot_ids, v_ratings, v_differences) as d (lot_id, rating, difference)
  where o.parking_lot_id = d.lot_id and o.rating = d.rating;
  update public.parking_lots l set avg_rating = c.avg_rating, review_count = c.review_count
  from (
    select o.parking_lot_id, sum(o.count)::integer as review_count,
      coalesce(round(sum(o.rating * o.count)::numeric / nullif(sum(o.count), 0), 2), 0) as avg_rating
    from private.review_counts o where o.parking_lot_id = any (v_lot_ids) group by o.parking_lot_id
  ) c
  where l.id = c.parking_lot_id and (l.avg_rating, l.review_count) is distinct from (c.avg_rating, c.review_count);
  return null;
end
$$;

-- Decides on a review.
create or replace function api.admin_decide_review(
  p_admin_id uuid, p_id uuid, p_status text, p_reason text default null, p_seen_updated_at timestamptz default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_reason text;
  v_before public.reviews;
  v_after public.reviews;
begin
  perform private.lock_admin(p_admin_id, 'reviews');
  perform private.lock_reviews(array[p_id]);
  v_reason := private.decision_reason(p_reason);
  v_before := private.review_to_decide(p_admin_id, p_id, p_status, p_seen_updated_at);
  update public.reviews set status = p_status where id = p_id returning * into v_after;
  perform private.on_review_decided(p_admin_id, v_before, v_after, v_reason);
  return private.admin_review_rows(array[p_id]) -> 0;
end
$$;

-- Decides on up to 100 reviews.
create or replace function api.admin_decide_reviews(p_admin_id uuid, p_decisions jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_decision jsonb;
  v_reason text;
  v_before public.reviews;
  v_after public.reviews;
  v_message text;
  v_items jsonb := '[]';
begin
  perform private.lock_admin(p_admin_id, 'reviews');
  perform private.check_review_decisions(p_decisions);
  -- All are locked before the first decision, in one order: two lists with the same reviews cause no deadlock.
  perform private.lock_reviews(array(select (d ->> 'id')::uuid from jsonb_array_elements(p_decisions) as d));
  for v_decision in
    select d.value from jsonb_array_elements(p_decisions) with ordinality as d (value, place) order by d.place
  loop
    begin
      v_reason := private.decision_reason(v_decision ->> 'reason');
      v_before := private.review_to_decide(p_admin_id, (v_decision ->> 'id')::uuid, v_decision ->> 'status',
        (v_decision ->> 'seen_updated_at')::timestamptz);
      update public.reviews set status = v_decision ->> 'status' where id = v_before.id returning * into v_after;
      perform private.on_review_decided(p_admin_id, v_before, v_after, v_reason);
      v_items := v_items || jsonb_build_object('id', v_decision -> 'id', 'outcome', 'decided');
    exception when sqlstate 'PGRST' then
      get stacked diagnostics v_message = message_text;
      v_items := v_items || jsonb_build_object('id', v_decision -> 'id', 'outcome', 'error', 'error', private.raised_error(v_message));
    end;
  end loop;
  return jsonb_build_object('items', v_items);
end
$$;

-- The effects of a decision on a report whose author still has an account: points and badges of a correct one, and a
-- notification of the result, with the reason if there is one.
create or replace function private.on_error_report_decided(p_report public.error_reports, p_reason text) returns void
language plpgsql
security definer -- an administrator may write neither points nor progress
set search_path = ''
as $$
begin
  if (p_report).user_id is null then
    return;
  elsif (p_report).status = 'resolved' then
    perform private.give_exp((p_report).user_id, 'error_report_resolved', 'error_report', (p_report).id);
    perform private.earn_badge((p_report).user_id, b.id), private.give_exp((p_report).user_id, 'badge_earned', 'badge', b.id)
    from private.count_for_badges((p_report).user_id, 'error_report_resolved', (p_report).id, (p_report).parking_lot_id,
      jsonb_build_object('report_type', (p_report).report_type), (p_report).created_at) as b (id);
  end if;
  perform private.notify((p_report).user_id, 'error_report_' || (p_report).status, jsonb_build_object(
    'lot', (p_report).parking_lot_name, 'reason', private.reason_text(p_reason)
  ), jsonb_build_object('error_report_id', (p_report).id));
end
$$;

-- Changes an error report, with the correction of its lot.
create or replace function api.admin_update_error_report(p_admin_id uuid, p_id uuid, p_changes jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_reason text;
  v_before public.error_reports;
  v_after public.error_reports;
  v_difference jsonb;
begin
  perform private.lock_admin(p_admin_id, 'lots');
  perform private.check_report_changes(p_changes);
  v_reason := private.decision_reason(p_changes ->> 'reason');
  v_before := private.locked_error_report(p_id, p_changes ? 'correction');
  perform private.check_decision(p_admin_id, v_before.user_id, v_before.updated_at, (p_changes ->> 'seen_updated_at')::timestamptz);
  v_after := private.moved_error_report(v_before, p_changes);
  if v_after is distinct from v_before then
    perform private.record_act(p_admin_id,
      case when v_after.status = v_before.status or not p_changes ? 'status' then 'error_report.assign'
        when v_after.status = 'resolved' then 'error_report.resolve' when v_after.status = 'rejected' then 'error_report.reject'
        else 'error_report.review' end,
      'error_report', p_id::text, v_after.user_id, private.difference(to_jsonb(v_before), to_jsonb(v_after))
        || jsonb_strip_nulls(jsonb_build_object('reason', v_reason)));
  end if;
  if p_changes ? 'correction' then
    if v_after.parking_lot_id is null then
      perform private.raise_error('validation_error', 422, 'correction requires a report with a lot. This report has none.', p_param => 'correction');
    end if;
    v_difference := private.apply_lot_changes(v_after.parking_lot_id, p_changes -> 'correction');
    if v_difference <> '{}' then
      perform private.record_act(p_admin_id, 'parking_lot.correct', 'parking_lot', v_after.parking_lot_id::text, null,
        v_difference || jsonb_build_object('error_report_id', p_id));
    end if;
  end if;
  if v_after.status <> v_before.status and v_after.status <> 'in_review' then
    perform private.on_error_report_decided(v_after, v_reason);
  end if;
  return private.admin_error_report_rows(array[p_id]) -> 0;
end
$$;

-- Files and changes of lots

-- Detaches the uploads of pictures that have left their slots; their objects are deleted.
create or replace function private.tg_parking_session_photos__detach() returns trigger
language plpgsql
security definer -- no client may write uploads
set search_path = ''
as $$
begin
  update public.assets set deleted_at = now()
  where id = any (array(select r.asset_id from rows_deleted r)) and deleted_at is null;
  return null;
end
$$;

-- Replaces the photos of the caller's review by these, in this order. Errors: unauthorized, validation_error, not_found.
create or replace function private.put_review_photos(p_review_id uuid, p_asset_ids uuid[]) returns void
language plpgsql
security definer -- no client may write assets; the function checks that the review is the caller's
set search_path = ''
as $$
begin
  if cardinality(p_asset_ids) > 4 then
    perform private.raise_error('validation_error', 422, 'photo_asset_ids must have at most 4 items.', p_param => 'photo_asset_ids');
  end if;
  perform from public.reviews r where r.id = p_review_id and r.user_id = private.caller() for no key update;
  if not found then
    perform private.raise_error('not_found', 404, 'You have no such review.', p_param => 'id');
  end if;
  perform private.attach_asset(a.id, 'review', 'review', p_review_id, 'photo_asset_ids')
  from unnest(p_asset_ids) with ordinality as a (id, place) order by a.place;
  perform private.detach_assets(array(
    select a.id from public.assets a
    where a.entity_id = p_review_id and a.entity_type = 'review' and a.attached_at is not null and a.id <> all (p_asset_ids)
  ));
end
$$;

-- Makes an upload the caller's avatar, in place of the former one; null: no avatar. The caller has locked the account.
-- Errors: unauthorized, not_found.
create or replace function private.put_avatar(p_asset_id uuid) returns void
language plpgsql
security definer -- no client may write assets; only the caller's own avatar is touched
set search_path = ''
as $$
declare
  v_user_id uuid := private.caller();
begin
  if p_asset_id is not null then
    perform private.attach_asset(p_asset_id, 'avatar', 'app_user', v_user_id, 'avatar_asset_id');
  end if;
  perform private.detach_assets(array(
    select a.id from public.assets a
    where a.entity_id = v_user_id and a.entity_type = 'app_user' and a.category = 'avatar' and a.attached_at is not null
      and a.id is distinct from p_asset_id
  ));
end
$$;

-- Adds files that a statement added, changed or deleted to the totals of their uploaders, in the order of the users, because
-- a sweep deletes files of many. Added bytes and files count for their day. A sum beyond a bound violates a constraint.
create or replace function private.tg_assets__count_bytes() returns trigger
language plpgsql
security definer -- no role may write the totals directly
set search_path = ''
as $$
declare
  -- What changed for each user: the bytes, and as day_files the files.
  v_changes private.file_totals[];
  v_change private.file_totals;
begin
  if tg_op = 'UPDATE' then
    -- Most updates change neither uploader nor size nor category: for them no user is left.
    v_changes := array(
      select row (f.created_by, sum(f.sign * coalesce(f.size_bytes, 0)), null, null, sum(f.sign))::private.file_totals
      from (
        select 1 as sign, r.created_by, r.size_bytes, r.category from rows_changed r
        union all select -1, b.created_by, b.size_bytes, b.category from rows_before b
      ) f
      where f.created_by is not null and f.category <> 'parking_lot'
      group by f.created_by having sum(f.sign * coalesce(f.size_bytes, 0)) <> 0 or sum(f.sign) <> 0 order by f.created_by
    );
  else
    v_changes := array(
      select row (r.created_by, s.sign * coalesce(sum(r.size_bytes), 0), null, null, s.sign * count(*))::private.file_totals
      from rows_changed r cross join (values (case tg_op when 'INSERT' then 1 else -1 end)) as s (sign)
      where r.created_by is not null and r.category <> 'parking_lot'
      group by r.created_by, s.sign order by r.created_by
    );
  end if;
  foreach v_change in array v_changes loop
    if v_change.bytes <= 0 and v_change.day_files <= 0 then
      update private.file_totals t set bytes = t.bytes + v_change.bytes where t.user_id = v_change.user_id;
    else
      insert into private.file_totals as t (user_id, bytes, day, day_bytes, day_files)
      values (v_change.user_id, greatest(v_change.bytes, 0), (now() at time zone 'UTC')::date, greatest(v_change.bytes, 0),
        greatest(v_change.day_files, 0))
      on conflict (user_id) do update set
        bytes = t.bytes + v_change.bytes,
        -- A day that has not begun yet was written before the clock was set back: it goes on.
        day = greatest(t.day, excluded.day),
        day_bytes = excluded.day_bytes + case when t.day >= excluded.day then t.day_bytes else 0 end,
        day_files = excluded.day_files + case when t.day >= excluded.day then t.day_files else 0 end;
    end if;
  end loop;
  return null;
end
$$;

-- Queues the lots of which a statement added, changed or deleted field values.
-- By column, not as jsonb: a withdrawal recounts thousands of values, and changed counts are not changes of a lot.
create or replace function private.tg_field_values__record_changes() returns trigger
language plpgsql
security definer -- as private.queue_lot_changes
set search_path = ''
as $$
declare
  v_lot_ids uuid[];
begin
  if tg_op = 'TRUNCATE' then
    v_lot_ids := array(select c.parking_lot_id from private.lot_changes c where not c.is_gone);
  elsif tg_op = 'UPDATE' then
    v_lot_ids := array(
      select p.lot_id from rows_before b full join rows_changed c using (id)
      cross join lateral unnest(array[b.parking_lot_id, c.parking_lot_id]) as p (lot_id)
      where (b.parking_lot_id, b.field_name, b.value, b.state, b.is_primary, b.source, b.licence)
        is distinct from (c.parking_lot_id, c.field_name, c.value, c.state, c.is_primary, c.source, c.licence)
    );
  else
    v_lot_ids := array(select r.parking_lot_id from rows_changed r);
  end if;
  insert into private.lot_change_queue (parking_lot_id) select distinct u.id from unnest(v_lot_ids) as u (id);
  return null;
end
$$;
