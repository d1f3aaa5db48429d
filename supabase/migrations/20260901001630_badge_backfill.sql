-- Badge backfill: progress rebuilt from history.
--
-- A job is a row for each badge, worked off in batches of people, each in a transaction of its own, in the order of their
-- ids; the row keeps the last id. Whatever ends the worker, the next one goes on behind the last batch that was committed.
-- Deeds that happen meanwhile count as ever: a batch holds the accounts of its people, and marks are a set.
--
-- Invariants: a rebuild gives what counting deed by deed gave; a badge already earned is not earned again and not taken.
-- Interface: private.backfill_badge_progress, private.backfill_all_badge_progress (start), private.next_badge_batch (work).

create table private.badge_backfills (
  badge_id uuid primary key references public.badges (id) on delete cascade,
  had_other_conditions boolean not null default false,
  last_user_id uuid,
  people integer not null default 0,
  started_at timestamptz not null default now(),
  finished_at timestamptz
);

comment on table private.badge_backfills is 'The rebuild of each badge: running until it has finished_at.';
comment on column private.badge_backfills.had_other_conditions is
  'People who are not done may have marks of what counted before: they earn the badge by the rebuild alone.';
comment on column private.badge_backfills.last_user_id is 'Everybody up to this one is done.';
comment on column private.badge_backfills.people is 'How many are done.';

grant select on private.badge_backfills to service_role;

create function private.backfill_badge_progress(p_target_badge_id uuid) returns void
language plpgsql
security definer -- the job table is written here alone
set search_path = ''
as $$
begin
  perform 1 from public.badges b where b.id = p_target_badge_id;
  if not found then
    perform private.refuse('not_found', 404, 'There is no such badge', p_param => 'id');
  end if;
  insert into private.badge_backfills as f (badge_id) values (p_target_badge_id)
  on conflict (badge_id) do update
  set had_other_conditions = f.had_other_conditions and f.finished_at is null, last_user_id = null, people = 0,
    started_at = now(), finished_at = null;
end
$$;

comment on function private.backfill_badge_progress(uuid) is
  'Starts to rebuild everybody''s progress with a badge from history; one that is running begins anew. Refuses: not_found.';

create function private.backfill_all_badge_progress() returns integer
language plpgsql
security definer -- the job table is written here alone
set search_path = ''
as $$
declare
  v_started integer;
begin
  perform private.backfill_badge_progress(b.id) from public.badges b where b.is_active order by b.id;
  get diagnostics v_started = row_count;
  return v_started;
end
$$;

comment on function private.backfill_all_badge_progress() is
  'Starts to rebuild everybody''s progress with every active badge; how many badges. Refuses: not_found.';

grant execute on function private.backfill_badge_progress(uuid), private.backfill_all_badge_progress() to service_role;

-- Everything that can count, from the tables themselves.
create view private.badge_sources with (security_invoker = true) as
select l.user_id, l.activity_type as kind, coalesce(l.subject_id, l.id) as subject_id, l.parking_lot_id, l.metadata, l.created_at
from public.user_activity_logs l where l.is_rewarded
union all
select r.user_id, 'review_approved', r.id, r.parking_lot_id, jsonb_build_object('rating', r.rating), r.created_at
from public.reviews r where r.status = 'approved' and r.user_id is not null
union all
select k.user_id, 'review_approved', k.review_id, k.parking_lot_id, jsonb_build_object('rating', k.rating), k.created_at
from private.kept_reviews k
union all
select e.user_id, 'error_report_resolved', e.id, e.parking_lot_id, jsonb_build_object('report_type', e.report_type), e.created_at
from public.error_reports e where e.status = 'resolved' and e.user_id is not null;

comment on view private.badge_sources is 'Deeds, and states that hold, as badges count them.';

create function private.rebuild_badge(p_badge public.badges, p_user_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_kinds text[] := array(select jsonb_array_elements_text((p_badge).conditions -> 'activity'));
  v_measure text := (p_badge).conditions ->> 'measure';
  v_is_plain boolean := not (p_badge).conditions ? 'where';
begin
  -- Only what differs is written: mostly nothing does.
  with marks as materialized (
    select distinct s.user_id,
      private.badge_mark(v_measure, s.kind, s.subject_id, s.parking_lot_id, s.created_at) collate "C" as mark
    from private.badge_sources s
    where s.user_id = any (p_user_ids) and s.kind = any (v_kinds)
      and (v_measure <> 'distinct_lots' or s.parking_lot_id is not null)
      and case when v_is_plain then true else private.evaluate_badge_conditions(
        private.badge_metadata(s.kind, s.metadata, s.created_at), (p_badge).conditions) end
  ), marks_before as materialized (
    select m.user_id, m.mark from private.badge_marks m where m.badge_id = (p_badge).id and m.user_id = any (p_user_ids)
  ), gone as (
    delete from private.badge_marks m using (table marks_before except table marks) as g
    where m.user_id = g.user_id and m.badge_id = (p_badge).id and m.mark = g.mark
  ), without as (
    update public.user_badge_progress p set count = 0
    where p.badge_id = (p_badge).id and p.user_id = any (p_user_ids) and p.count <> 0
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
    from private.longest_streaks(p_user_ids, (p_badge).id) as s
    where p.badge_id = (p_badge).id and p.user_id = s.user_id and p.count <> s.days;
  end if;
  if (p_badge).is_active then
    insert into public.user_badges (user_id, badge_id)
    select p.user_id, p.badge_id from public.user_badge_progress p
    where p.badge_id = (p_badge).id and p.user_id = any (p_user_ids) and p.count >= (p_badge).threshold
      and not exists (select from public.user_badges u where u.user_id = p.user_id and u.badge_id = p.badge_id)
    order by p.user_id;
  end if;
end
$$;

comment on function private.rebuild_badge(public.badges, uuid[]) is
  'Rebuilds the progress of these people, whose accounts are held, with a badge whose conditions are understood.';

create function private.next_badge_batch(p_people integer default 1000) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_job private.badge_backfills;
  v_badge public.badges;
  v_fault text;
  v_user_ids uuid[];
begin
  -- One worker at a time on a badge; another takes the next badge, or nothing. Whoever changes the badge waits for the job
  -- at their end, and nothing here waits for them: what they changed begins anew.
  select f.* into v_job
  from private.badge_backfills f join public.badges b on b.id = f.badge_id
  where f.finished_at is null order by f.badge_id limit 1
  for no key update of f skip locked for key share of b skip locked;
  if not found then
    return false;
  end if;
  select * into v_badge from public.badges b where b.id = v_job.badge_id;
  v_fault := private.badge_conditions_fault(v_badge.conditions);
  if v_fault is not null then
    insert into private.badge_faults (badge_id, fault) values (v_badge.id, v_fault) on conflict do nothing;
  else
    v_user_ids := array(
      select u.id from public.app_users u
      where u.status <> 'withdrawn' and (v_job.last_user_id is null or u.id > v_job.last_user_id)
      order by u.id limit p_people for no key update
    );
    perform private.rebuild_badge(v_badge, v_user_ids);
  end if;
  update private.badge_backfills f
  set last_user_id = coalesce(v_user_ids[cardinality(v_user_ids)], f.last_user_id),
    people = f.people + coalesce(cardinality(v_user_ids), 0),
    finished_at = case when coalesce(cardinality(v_user_ids), 0) < p_people then clock_timestamp() end
  where f.badge_id = v_job.badge_id;
  return true;
end
$$;

comment on function private.next_badge_batch(integer) is
  'Does the next batch of people of a rebuild that is running; false when there is none. Commit after each.';

create function private.tg_badges__backfill() returns trigger
language plpgsql
security definer -- the job table is written here alone
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' and new.conditions is distinct from old.conditions then
    perform private.backfill_badge_progress(new.id);
    update private.badge_backfills f set had_other_conditions = true where f.badge_id = new.id;
  elsif new.is_active then
    perform private.backfill_badge_progress(new.id);
  end if;
  return null;
end
$$;

comment on function private.tg_badges__backfill() is
  'A badge that is new, or counts otherwise than before, is rebuilt: what was done before counts too.';

create trigger _300_backfill after insert or update of conditions, threshold, is_active on public.badges
  for each row execute function private.tg_badges__backfill();

-- Where people and their deeds are many, a rebuild of one badge is some tens of batches.
select cron.schedule('backfill_badges', '* * * * *', 'do $work$ begin while private.next_badge_batch() loop commit; end loop; end $work$');
