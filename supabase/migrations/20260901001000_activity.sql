-- Activity: what users did, one row for each activity, written in the transaction of the activity.
--
-- Commands that other domains react to call private.log_activity. What follows (experience points, badges, the live feed)
-- depends on this table alone.
--
-- Doing the same again writes nothing: of an activity of one type about one subject a person has one row, and one row for
-- saving a lot and for reviewing it, however often they take that back. So that what follows happens once, too.
--
-- Rows of more than 90 days ago move to private.archived_activities, which has a partition for each month (UTC). The table
-- itself is not partitioned: Realtime names leaf partitions to its subscribers, and the unique keys span time. Activities
-- that can be repeated about the same thing (saving, reviewing, confirming, denying) stay: their rows are what makes them
-- count once. They are few, because there is one for each user and lot or field value.
--
-- Invariants: no activity without its row and no row without its activity; a row is of the caller, never of another; nobody
-- changes a row, and it goes with its person; only active administrators read rows; each row is in one of the two tables.
-- Interface: private.log_activity(type, lot, subject, metadata, rewarded); private.activities for what reads back.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table public.user_activity_logs (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.app_users (id) on delete cascade,
  activity_type text not null constraint user_activity_logs_activity_type_known check (activity_type in (
    'session_start', 'session_end', 'session_cancel', 'review_post', 'error_report_post', 'field_confirm', 'field_deny',
    'lot_save', 'occupancy_report', 'support_ticket_post', 'sponsor_checkin'
  )),
  parking_lot_id uuid,
  subject_id uuid,
  metadata jsonb not null default '{}' constraint user_activity_logs_metadata_is_object check (jsonb_typeof(metadata) = 'object'),
  is_rewarded boolean not null default true,
  created_at timestamptz not null default now()
);

comment on table public.user_activity_logs is 'What people did.';
comment on column public.user_activity_logs.parking_lot_id is
  'The lot that it was about; null when it was about none. Not a foreign key: the activity outlives the lot, and deleting a lot waits for no activity there.';
comment on column public.user_activity_logs.subject_id is
  'The row that it was about: a session, review, field value, report, ticket. Not a foreign key: the activity outlives it.';

comment on column public.user_activity_logs.is_rewarded is 'False: it gives no points and counts for no badge.';

-- An activity about one subject once; and of a lot one saving and one review, whose rows are new ones each time.
create unique index user_activity_logs_once_a_subject on public.user_activity_logs (user_id, activity_type, subject_id);
create unique index user_activity_logs_once_a_lot on public.user_activity_logs (user_id, activity_type, parking_lot_id)
  where activity_type in ('lot_save', 'review_post');
-- A person's own by time; and a person who goes takes theirs along.
create index user_activity_logs_user_idx on public.user_activity_logs (user_id, created_at);
-- What moves to the archive.
create index user_activity_logs_archive_idx on public.user_activity_logs (created_at)
  where activity_type not in ('lot_save', 'review_post', 'field_confirm', 'field_deny');

-- No foreign key: the job that moves rows must not wait for accounts. Rows go with their person by trigger.
create table private.archived_activities (like public.user_activity_logs) partition by range (created_at);

comment on table private.archived_activities is 'Activities of more than 90 days ago, in a partition for each month (UTC).';

create index archived_activities_user_idx on private.archived_activities (user_id, created_at);

create view private.activities with (security_invoker = true) as
select * from public.user_activity_logs union all select * from private.archived_activities;

comment on view private.activities is 'What people did, recently and before.';

grant select on private.activities, private.archived_activities to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.user_activity_logs enable row level security;

-- The console's live feed is every administrator's, whatever their areas: none of the areas is about what people do.
-- Realtime asks nothing but this policy: it shuts out administrators who are suspended, too. A person's own rows are in
-- their export.
create policy "Active administrators read all activity" on public.user_activity_logs for select to authenticated
  using (exists (select from public.admins a where a.id = (select auth.uid()) and a.status = 'active'));
-- No insert, update or delete: rows come from private.log_activity and stay.

grant select (id, user_id, activity_type, parking_lot_id, subject_id, metadata, is_rewarded, created_at)
  on public.user_activity_logs to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create function private.log_activity(
  p_activity_type text, p_parking_lot_id uuid, p_subject_id uuid, p_metadata jsonb default '{}',
  p_is_rewarded boolean default true
) returns void
language plpgsql
security definer -- nobody may write rows by hand; the row is always the caller's
set search_path = ''
as $$
begin
  insert into public.user_activity_logs (user_id, activity_type, parking_lot_id, subject_id, metadata, is_rewarded)
  values (private.active_user(), p_activity_type, p_parking_lot_id, p_subject_id, p_metadata, p_is_rewarded)
  on conflict do nothing;
end
$$;

comment on function private.log_activity(text, uuid, uuid, jsonb, boolean) is
  'Records what the caller just did, in the transaction that did it; nothing when they did the same before. Errors: unauthorized, forbidden.';

grant execute on function private.log_activity(text, uuid, uuid, jsonb, boolean) to authenticated;

create function private.next_archive_batch(p_rows integer default 5000) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_month timestamp;
  v_partition text;
begin
  select date_trunc('month', min(l.created_at) at time zone 'UTC') into v_month from public.user_activity_logs l
  where l.activity_type not in ('lot_save', 'review_post', 'field_confirm', 'field_deny')
    and l.created_at < now() - interval '90 days';
  if v_month is null then
    return false;
  end if;
  v_partition := 'archived_activities_' || to_char(v_month, 'YYYY_MM');
  if to_regclass('private.' || v_partition) is null then
    -- Attached and not created as a partition: reading the archive goes on meanwhile.
    execute format(
      'create table private.%1$I (like private.archived_activities); '
        'alter table private.archived_activities attach partition private.%1$I for values from (%2$L) to (%3$L)',
      v_partition, v_month at time zone 'UTC', (v_month + interval '1 month') at time zone 'UTC'
    );
  end if;
  with moved as (
    delete from public.user_activity_logs l where l.ctid = any (array(
      select o.ctid from public.user_activity_logs o
      where o.activity_type not in ('lot_save', 'review_post', 'field_confirm', 'field_deny')
        and o.created_at < least(now() - interval '90 days', (v_month + interval '1 month') at time zone 'UTC')
      limit p_rows for update skip locked
    )) returning l.*
  )
  insert into private.archived_activities select * from moved;
  return found;
end
$$;

comment on function private.next_archive_batch(integer) is
  'Moves the next activities of one month to the archive, and makes the partition of the month; false when there are none. Commit after each.';

select cron.schedule('archive_activities', '11 * * * *', 'do $work$ begin while private.next_archive_batch() loop commit; end loop; end $work$');

create function private.tg_app_users__forget_archived() returns trigger
language plpgsql
security definer -- the auth server, which deletes accounts, has no right on the archive
set search_path = ''
as $$
begin
  delete from private.archived_activities where user_id = old.id;
  return null;
end
$$;

comment on function private.tg_app_users__forget_archived() is 'The archive has no foreign key: what a person did goes with their account.';

-- After the foreign keys: what is moved meanwhile has left the other table by then.
create trigger _400_forget_archived after delete on public.app_users
  for each row execute function private.tg_app_users__forget_archived();
