-- Activity: what users did, one row for each activity, written in the transaction of the activity.
--
-- Commands that other domains react to call private.log_activity. What follows (experience points, badges, the live feed)
-- depends on this table alone.
--
-- Doing the same again writes nothing: of an activity of one type about one subject a person has one row, and one row for
-- saving a lot and for reviewing it, however often they take that back. So that what follows happens once, too.
--
-- Invariants: no activity without its row and no row without its activity; a row is of the caller, never of another; nobody
-- changes or deletes a row, and it goes with its person; only active administrators read rows.
-- Interface: private.log_activity(type, lot, subject, metadata, rewarded).

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
-- A person's own, newest first; and a person who goes takes theirs along.
create index user_activity_logs_user_idx on public.user_activity_logs (user_id, created_at desc, id desc);

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
  'Records what the caller just did, in the transaction that did it; nothing when they did the same before. Refuses: unauthorized, forbidden.';

grant execute on function private.log_activity(text, uuid, uuid, jsonb, boolean) to authenticated;
