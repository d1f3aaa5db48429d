-- Theme rewards: a user who reaches a theme's level or earns its badge owns the theme, from the same transaction on.
--
-- When a theme becomes active or easier to earn, a job gives it to users who have earned it already, a batch a
-- transaction, as levels are recalculated (rewards/level_recalculation.sql).
--
-- Invariants: only active themes are earned; an earned theme stays when the level falls.
-- Interface: private.give_earned_themes for whatever raises a level (rewards/exp.sql, rewards/level_recalculation.sql) or gives a
-- badge (rewards/badges.sql); private.next_theme_batch (work).

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
create function private.next_theme_batch(p_users integer default 1000) returns boolean
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

-- Starts the job that gives a theme, which became active or easier to earn, to users who have earned it already.
create function private.tg_themes__give_to_earners() returns trigger
language plpgsql
security definer -- a role that edits themes may not write the job table
set search_path = ''
as $$
begin
  insert into private.theme_grants (theme_id) values (new.id)
  on conflict (theme_id) do update set last_user_id = null, done_users = 0, started_at = now(), finished_at = null;
  return null;
end
$$;
