-- Badges: what users earn for activities, and their progress.
--
-- An activity that counts for a badge leaves a mark: the subject, the lot or the day, depending on the measure. Progress
-- is the number of marks, or the longest run of days among them. Marks are a set, so the order of activities, repeated
-- activities and a rebuild during new activities all have the same result. A badge that is earned stays, and counting
-- ends: its marks are deleted, none are added, and its progress stays at the threshold.
--
-- Invariants: a badge that is saved has valid conditions. A badge with invalid conditions counts nothing, is noted in
-- private.badge_errors, and stops neither the activity nor the other badges. A user earns a badge once.
-- Interface: private.count_for_badges, earn_badge and unmark_badges, for the functions of events;
-- api.list_my_badges, list_my_badge_progress (rewards/api.sql); for the service api.backfill_badge_progress and
-- api.backfill_all_badge_progress (rewards/badge_backfill.sql).

-- ---------------------------------------------------------------------------------------------------------------------
-- Badges
-- ---------------------------------------------------------------------------------------------------------------------

-- Gives a user a badge: notifies them, gives its themes, and ends the counting for it. The caller gives its points.
create function private.earn_badge(p_user_id uuid, p_badge_id uuid) returns void
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

-- Rejects invalid conditions, with the place and the message. A trigger, not a constraint: after a later change of the
-- rules the row is still readable.
create function private.tg_badges__check_conditions() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.require_badge_conditions(new.conditions);
  return new;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Counting
-- ---------------------------------------------------------------------------------------------------------------------

-- The mark of an activity under a measure; null: no mark, because it has no lot.
create function private.badge_mark(p_measure text, p_kind text, p_subject_id uuid, p_lot_id uuid, p_at timestamptz)
returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return case
    -- A user has one review of a lot: as many reviews as lots.
    when p_measure = 'count' or (p_measure = 'distinct_lots' and p_kind = 'review_approved') then p_kind || ':' || p_subject_id
    when p_measure = 'distinct_lots' then 'lot:' || p_lot_id
    else 'day:' || to_char(p_at at time zone 'Asia/Tokyo', 'YYYY-MM-DD')
  end;
end
$$;

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
create function private.longest_streaks(p_user_ids uuid[], p_badge_id uuid) returns table (user_id uuid, days integer)
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

-- Deletes the mark of a review from the badges that a user has not earned. Marks of activities stay.
create function private.unmark_badges(p_user_id uuid, p_mark text) returns void
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
