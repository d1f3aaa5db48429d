-- Tables of activity: what users did, one row each.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in activity.sql.

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

comment on table public.user_activity_logs is 'Activities of users.';
comment on column public.user_activity_logs.parking_lot_id is
  'The lot of the activity; null without a lot. Not a foreign key: the activity is kept when the lot is deleted, and deleting a lot does not wait for activities.';
comment on column public.user_activity_logs.subject_id is
  'The row of the activity: a session, review, field value, report, ticket. Not a foreign key: the activity is kept when that row is deleted.';

comment on column public.user_activity_logs.is_rewarded is 'False: it earns no experience points and counts for no badge.';

-- One activity per subject; and per lot one saving and one review, whose rows are new each time.
create unique index user_activity_logs_once_a_subject on public.user_activity_logs (user_id, activity_type, subject_id);
create unique index user_activity_logs_once_a_lot on public.user_activity_logs (user_id, activity_type, parking_lot_id)
  where activity_type in ('lot_save', 'review_post');
-- The activities of a user by time; and those of a user who is deleted.
create index user_activity_logs_user_idx on public.user_activity_logs (user_id, created_at);
-- Rows that move to the archive, and the list of the console: both read one type after another. An index by time alone
-- would not do for the archive, because the types that stay are its oldest rows.
create index user_activity_logs_type_idx on public.user_activity_logs (activity_type, created_at);

alter table public.user_activity_logs enable row level security;

-- Every administrator may read the live feed of the console, with any areas: none of the areas is about activities.
-- Realtime checks only this policy, so it also excludes suspended administrators. Users find their own rows in their
-- export.
create policy "Administrators of users read all activity" on public.user_activity_logs for select to authenticated
  using ((select private.has_second_factor()) and exists (
    select from public.admins a where a.id = (select auth.uid()) and a.status = 'active' and 'users' = any (a.areas)
  ));
-- No insert, update or delete: private.log_activity writes rows, and they stay.

grant select (id, user_id, activity_type, parking_lot_id, subject_id, metadata, is_rewarded, created_at)
  on public.user_activity_logs to authenticated;

-- No foreign key: the job that moves rows must not wait for accounts. A trigger deletes the rows of a deleted user.
create table private.archived_activities (like public.user_activity_logs) partition by range (created_at);

comment on table private.archived_activities is 'Activities older than 90 days, in a partition for each month (UTC).';

create index archived_activities_user_idx on private.archived_activities (user_id, created_at);

create view private.activities with (security_invoker = true) as
select * from public.user_activity_logs union all select * from private.archived_activities;

comment on view private.activities is 'Activities of users, recent and archived.';

grant select on private.activities, private.archived_activities to service_role;
