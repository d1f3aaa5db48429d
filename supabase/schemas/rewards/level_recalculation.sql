-- Level recalculation: sets the sum of points and the level of all users from the ledger and the current levels.
--
-- An edit of levels alone changes no user's level. The job processes users in the order of their ids, a batch a
-- transaction; its row keeps the last id. When the worker ends, the next one continues after the last committed batch.
-- The jobs of badges (rewards/badge_backfill.sql) and themes (rewards/theme_rewards.sql) have the same form and share
-- private.next_users.
--
-- The job sends no notifications, because no user did anything. It gives the themes that a level earns
-- (rewards/theme_rewards.sql).
--
-- Invariants: there is one recalculation; a request while it runs restarts it from the beginning.
-- Interface: api.recalculate_all_user_levels (start), private.next_level_batch (work).

-- Number of users that a job over all users processes.
create function private.count_users() returns integer
language plpgsql stable
set search_path = ''
as $$
begin
  return (select count(*) from public.app_users u where u.status <> 'withdrawn');
end
$$;

-- The next batch of a job over all users, in the order of their ids. Locks their rows until the transaction ends.
create function private.next_users(p_after uuid, p_users integer) returns uuid[]
language plpgsql
set search_path = ''
as $$
begin
  -- Locked in one order. Later reads include everything that the former holders of the locks have committed.
  return array(
    select u.id from public.app_users u
    where u.status <> 'withdrawn' and (p_after is null or u.id > p_after)
    order by u.id limit p_users for no key update
  );
end
$$;

-- The progress of a job over all users: {status, done_users, total_users, started_at, updated_at}. status is none when it
-- was never started, queued until the first batch is committed, then running, then done.
create function private.job_progress(
  p_done_users bigint, p_total_users bigint, p_started_at timestamptz, p_updated_at timestamptz, p_is_finished boolean
) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'status', case when p_started_at is null then 'none' when p_is_finished then 'done'
      when p_done_users > 0 then 'running' else 'queued' end,
    'done_users', coalesce(p_done_users, 0), 'total_users', coalesce(p_total_users, 0),
    'started_at', p_started_at, 'updated_at', p_updated_at
  );
end
$$;

-- The progress of the recalculation of levels, as private.job_progress returns it, with changed_users.
create function private.level_recalculation_progress() returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select private.job_progress(r.done_users, r.total_users, r.started_at, r.updated_at, r.finished_at is not null)
      || jsonb_build_object('changed_users', coalesce(r.changed_users, 0))
    from (values (true)) as one (is_only) left join private.level_recalculation r using (is_only)
  );
end
$$;

-- Starts the recalculation of levels; restarts a running one from the beginning.
create function private.start_level_recalculation() returns void
language plpgsql
security definer -- only this function and the worker write the job table
set search_path = ''
as $$
begin
  insert into private.level_recalculation as r (total_users) values (private.count_users())
  on conflict (is_only) do update
  set last_user_id = null, done_users = 0, total_users = excluded.total_users, changed_users = 0,
    started_at = now(), updated_at = now(), finished_at = null;
end
$$;

-- Sets sums and levels that differ for the next batch of users; false when there is nothing to do. Commit after each
-- call.
create function private.next_level_batch(p_users integer default 1000) returns boolean
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

-- ---------------------------------------------------------------------------------------------------------------------
-- The highest level: a level that a recalculation takes away and gives back is not announced again
-- ---------------------------------------------------------------------------------------------------------------------

-- Raises the highest level of a user to their level.
create function private.tg_app_users__keep_highest_level() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.highest_level := greatest(new.highest_level, new.level);
  return new;
end
$$;
