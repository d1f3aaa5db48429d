-- One writer: changes of lots are queued, uploads are detached and earned themes are given by one function each. Triggers call
-- it and need no rights of their own.
--
-- The definitions are those of supabase/schemas after this change. Nothing changes for clients. The way back: the functions as
-- they were, in one transaction.

set lock_timeout = '2s';

-- Queues the lots of which a statement added, changed or deleted field values.
-- By column, not as jsonb: a withdrawal recounts thousands of values, and changed counts are not changes of a lot.
create or replace function private.tg_field_values__record_changes() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'TRUNCATE' then
    perform private.queue_lot_changes(array(select c.parking_lot_id from private.lot_changes c where not c.is_gone));
  elsif tg_op = 'UPDATE' then
    perform private.queue_lot_changes(array(
      select p.lot_id from rows_before b full join rows_changed c using (id)
      cross join lateral unnest(array[b.parking_lot_id, c.parking_lot_id]) as p (lot_id)
      where (b.parking_lot_id, b.field_name, b.value, b.state, b.is_primary, b.source, b.licence)
        is distinct from (c.parking_lot_id, c.field_name, c.value, c.state, c.is_primary, c.source, c.licence)
    ));
  else
    perform private.queue_lot_changes(array(select r.parking_lot_id from rows_changed r));
  end if;
  return null;
end
$$;

-- Detaches the uploads of pictures that have left their slots; their objects are deleted.
create or replace function private.tg_parking_session_photos__detach() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.detach_assets(array(select r.asset_id from rows_deleted r));
  return null;
end
$$;

-- Gives these users the themes, or only this one, that they have earned by their level or a badge, and do not own. The
-- themes are locked as the foreign key locks them: one that is deleted meanwhile gets no owner.
create function private.give_earned_themes(p_user_ids uuid[], p_theme_id uuid default null) returns void
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan -- as private.mark_badges
as $$
begin
  insert into public.user_themes (user_id, theme_id, acquisition_type)
  select u.id, t.id, 'reward'
  from public.themes t
  join public.app_users u on u.id = any (p_user_ids) and (u.level >= t.unlock_level or exists (
    select from public.user_badges b where b.user_id = u.id and b.badge_id = t.unlock_badge_id
  ))
  where t.is_active and not t.is_free and t.id = coalesce(p_theme_id, t.id)
    and not exists (select from public.user_themes o where o.user_id = u.id and o.theme_id = t.id)
  for key share of t
  on conflict on constraint user_themes_owned_once do nothing;
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
  perform private.give_earned_themes(v_user_ids, v_job.theme_id);
  update private.theme_grants g
  set last_user_id = coalesce(v_user_ids[cardinality(v_user_ids)], g.last_user_id),
    done_users = g.done_users + cardinality(v_user_ids),
    finished_at = case when cardinality(v_user_ids) < p_users then clock_timestamp() end
  where g.theme_id = v_job.theme_id;
  return true;
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
    perform private.give_earned_themes(v_risen);
  end if;
  return null;
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
  perform private.give_earned_themes(array[p_user_id]);
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
  perform private.give_earned_themes(v_risen);
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

drop function private.earned_themes(uuid[], uuid);
