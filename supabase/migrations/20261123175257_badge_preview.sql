-- Before a badge is saved, the console shows how many users would have it.
--
-- The definitions are those of supabase/schemas after this change. The way back is a file of its own.

set lock_timeout = '2s';
-- The longest run of days among marks of days, one of each user at a place, for each of these users.
create function private.longest_runs(p_user_ids uuid[], p_marks text[]) returns table (user_id uuid, days integer)
language plpgsql immutable
set search_path = ''
as $$
begin
  return query
  select r.user_id, max(r.days)::integer
  from (
    select n.user_id, count(*) as days
    from (
      select d.user_id, d.day - row_number() over (partition by d.user_id order by d.day)::integer as run
      from (
        select m.user_id, substr(m.mark, 5)::date as day from unnest(p_user_ids, p_marks) as m (user_id, mark)
        where m.mark like 'day:%'
      ) d
    ) n group by n.user_id, n.run
  ) r group by r.user_id;
end
$$;

-- The longest run of days among the marks for a badge of days, for each of these users who has marks.
create or replace function private.longest_streaks(p_user_ids uuid[], p_badge_id uuid) returns table (user_id uuid, days integer)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  select r.user_id, r.days
  from (
    select array_agg(m.user_id) as user_ids, array_agg(m.mark) as marks from private.badge_marks m
    where m.user_id = any (p_user_ids) and m.badge_id = p_badge_id
  ) m cross join lateral private.longest_runs(m.user_ids, m.marks) r;
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
    perform private.earn_badge(u.id, (p_badge).id) from unnest(v_user_ids) as u (id);
  end if;
end
$$;

create function api.admin_preview_badge(p_admin_id uuid, p_conditions jsonb, p_threshold integer) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'rewards');
  perform private.require_badge_conditions(p_conditions);
  if p_threshold is null or p_threshold not between 1 and 1000000 then
    perform private.raise_error('validation_error', 422, 'threshold must be between 1 and 1,000,000.', p_param => 'threshold');
  end if;
  return private.badge_audience(p_conditions, p_threshold);
end
$$;

comment on function api.admin_preview_badge(uuid, jsonb, integer) is
  'The number of users who would have a badge with these conditions and this threshold by their history: {users, is_exact}. Not exact: scaled from a sample, of more than 1,000 users. Stores nothing. Area: rewards. Errors: forbidden, validation_error.';
