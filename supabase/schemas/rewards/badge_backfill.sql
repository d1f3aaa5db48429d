-- Badge backfill: rebuilds progress from history.
--
-- A job is a row for each badge. It processes users in the order of their ids, in batches, each in its own transaction; the
-- row keeps the last id. When the worker ends, the next one continues after the last committed batch. Activities that
-- happen meanwhile count as usual: a batch locks the accounts of its users, and marks are a set.
--
-- Invariants: a rebuild has the same result as counting each activity. A badge that is earned already is neither earned
-- again nor taken away.
-- Interface: api.backfill_badge_progress, api.backfill_all_badge_progress (start), private.next_badge_batch (work).

-- Starts to rebuild all users' progress with these badges from history; restarts a running rebuild from the beginning.
create function private.start_badge_backfills(p_badge_ids uuid[], p_has_other_conditions boolean default false) returns void
language plpgsql
security definer -- only this function and the worker write the job table
set search_path = ''
as $$
declare
  v_users integer := private.count_users();
begin
  insert into private.badge_backfills as f (badge_id, total_users, had_other_conditions)
  select b.id, v_users, p_has_other_conditions from unnest(p_badge_ids) as b (id) order by b.id
  on conflict (badge_id) do update
  set had_other_conditions = excluded.had_other_conditions or (f.had_other_conditions and f.finished_at is null),
    last_user_id = null, done_users = 0, total_users = excluded.total_users, started_at = now(), updated_at = now(),
    finished_at = null;
end
$$;

-- The progress of the rebuild of a badge, as private.job_progress returns it; null when there is no such badge.
create function private.badge_backfill_progress(p_badge_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('badge_id', b.id)
      || private.job_progress(f.done_users, f.total_users, f.started_at, f.updated_at, f.finished_at is not null)
    from public.badges b left join private.badge_backfills f on f.badge_id = b.id
    where b.id = p_badge_id
  );
end
$$;

-- The sum of the latest rebuilds of all badges, as private.job_progress returns it, with done_badges and total_badges.
-- started_at is that of the oldest unfinished one, or of the latest.
create function private.badge_backfills_progress() returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select private.job_progress(sum(f.done_users), sum(f.total_users),
        coalesce(min(f.started_at) filter (where f.finished_at is null), max(f.started_at)), max(f.updated_at),
        bool_and(f.finished_at is not null))
      || jsonb_build_object('done_badges', count(f.finished_at), 'total_badges', count(*))
    from private.badge_backfills f
  );
end
$$;

-- The marks that the history of these users has under valid conditions, each once.
create function private.marks_of_history(p_conditions jsonb, p_user_ids uuid[]) returns table (user_id uuid, mark text)
language plpgsql stable rows 10000
set search_path = ''
as $$
declare
  v_kinds constant text[] := array(select jsonb_array_elements_text(p_conditions -> 'activity'));
  v_measure constant text := p_conditions ->> 'measure';
  v_is_plain constant boolean := not p_conditions ? 'where';
begin
  return query
  select distinct s.user_id,
    private.badge_mark(v_measure, s.kind, s.subject_id, s.parking_lot_id, s.created_at) collate "C" as mark
  from private.badge_sources s
  where s.user_id = any (p_user_ids) and s.kind = any (v_kinds)
    and (v_measure <> 'distinct_lots' or s.parking_lot_id is not null)
    and case when v_is_plain then true else private.meets_badge_conditions(
      private.badge_metadata(s.kind, s.metadata, s.created_at), p_conditions) end;
end
$$;

-- The number of users who would have a badge with these valid conditions and this threshold by their history. Of more than
-- 1,000 users a sample of 1,000 is read, and the number is scaled: not exact.
create function private.badge_audience(p_conditions jsonb, p_threshold integer) returns jsonb
language plpgsql stable
security definer -- history is private; returns numbers
set search_path = ''
as $$
declare
  c_sample constant integer := 1000;
  c_accounts constant double precision := (
    select c.reltuples from pg_catalog.pg_class c where c.oid = 'public.app_users'::regclass
  );
  v_user_ids uuid[] := array(select u.id from public.app_users u where u.status <> 'withdrawn' limit c_sample + 1);
  v_is_exact constant boolean := cardinality(v_user_ids) <= c_sample;
  v_holders bigint;
begin
  if not v_is_exact then
    execute format('select array(select u.id from public.app_users u tablesample system (%s) repeatable (1)
      where u.status <> ''withdrawn'' limit %s)', 100 * c_sample / greatest(c_accounts, c_sample), c_sample) into v_user_ids;
  end if;
  if p_conditions ->> 'measure' = 'streak_days' then
    select count(*) into v_holders
    from (
      select array_agg(m.user_id) as user_ids, array_agg(m.mark) as marks from private.marks_of_history(p_conditions, v_user_ids) m
    ) m cross join lateral private.longest_runs(m.user_ids, m.marks) r
    where r.days >= p_threshold;
  else
    select count(*) into v_holders
    from (
      select from private.marks_of_history(p_conditions, v_user_ids) m group by m.user_id having count(*) >= p_threshold
    ) u;
  end if;
  return jsonb_build_object(
    'users', case when v_is_exact then v_holders else round(v_holders * greatest(c_accounts, cardinality(v_user_ids))
      / greatest(cardinality(v_user_ids), 1)) end,
    'is_exact', v_is_exact
  );
end
$$;

-- Rebuilds the progress of these users, whose accounts are locked, with a badge of valid conditions. Nothing changes for
-- users who have it.
create function private.rebuild_badge(p_badge public.badges, p_user_ids uuid[]) returns void
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

-- Processes the next batch of users of a running rebuild; false when there is none. Commit after each call.
create function private.next_badge_batch(p_users integer default 1000) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_job private.badge_backfills;
  v_badge public.badges;
  v_error text[];
  v_user_ids uuid[] := '{}';
begin
  -- One worker at a time on a badge; another takes the next badge, or none. A transaction that changes the badge waits for
  -- the job when it commits, and nothing here waits for it: the change restarts the rebuild.
  select f.* into v_job
  from private.badge_backfills f join public.badges b on b.id = f.badge_id
  where f.finished_at is null order by f.badge_id limit 1
  for no key update of f skip locked for key share of b skip locked;
  if not found then
    return false;
  end if;
  select * into v_badge from public.badges b where b.id = v_job.badge_id;
  v_error := private.badge_conditions_error(v_badge.conditions);
  if v_error is not null then
    insert into private.badge_errors (badge_id, error) values (v_badge.id, v_error[2]) on conflict do nothing;
  else
    v_user_ids := private.next_users(v_job.last_user_id, p_users);
    perform private.rebuild_badge(v_badge, v_user_ids);
  end if;
  update private.badge_backfills f
  set last_user_id = coalesce(v_user_ids[cardinality(v_user_ids)], f.last_user_id),
    done_users = f.done_users + cardinality(v_user_ids), updated_at = clock_timestamp(),
    total_users = case when cardinality(v_user_ids) < p_users then f.done_users + cardinality(v_user_ids) else f.total_users end,
    finished_at = case when cardinality(v_user_ids) < p_users then clock_timestamp() end
  where f.badge_id = v_job.badge_id;
  return true;
end
$$;

-- Rebuilds a new badge, or one whose conditions changed: earlier activities count too.
create function private.tg_badges__backfill() returns trigger
language plpgsql
security definer -- only this function writes the job table
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' and new.conditions is distinct from old.conditions then
    perform private.start_badge_backfills(array[new.id], true);
  elsif new.is_active and (tg_op = 'INSERT' or (new.threshold, new.is_active) is distinct from (old.threshold, old.is_active)) then
    perform private.start_badge_backfills(array[new.id]);
  end if;
  return null;
end
$$;
