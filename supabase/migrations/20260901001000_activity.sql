-- Activity: what people did, one row for each deed, written in the transaction of the deed.
--
-- The functions of api that do something worth telling call private.log_activity; what follows from a deed (points, badges,
-- the live feed) hangs on this table and needs no word from them.
--
-- Invariants: no deed without its row and no row without its deed; a row is of the caller, never of another; nobody changes
-- or deletes a row, and it goes with its person.
-- Interface: private.log_activity(type, lot, subject, metadata).

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
  created_at timestamptz not null default now()
);

comment on table public.user_activity_logs is 'What people did.';
comment on column public.user_activity_logs.parking_lot_id is
  'The lot that it was about; null when it was about none. Not a foreign key: the deed outlives it, and whoever deletes a lot waits for nobody who did something there.';
comment on column public.user_activity_logs.subject_id is
  'The row that it was about: a session, review, field value, report, ticket. Not a foreign key: the deed outlives it.';

-- A person's own, newest first; and a person who goes takes theirs along.
create index user_activity_logs_user_idx on public.user_activity_logs (user_id, created_at desc, id desc);

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.user_activity_logs enable row level security;

-- The console's live feed is every administrator's, whatever their areas: none of the areas is about what people do.
-- Realtime asks nothing but this policy: it shuts out whoever is suspended, too.
create policy "People read their own activity, administrators all" on public.user_activity_logs for select to authenticated
  using (
    exists (select from public.admins a where a.id = (select auth.uid()) and a.status = 'active')
    or (
      (select auth.uid()) = user_id
      and exists (select from public.app_users u where u.id = (select auth.uid()) and u.status = 'active')
    )
  );
-- No insert, update or delete: rows come from private.log_activity and stay.

grant select (id, user_id, activity_type, parking_lot_id, subject_id, metadata, created_at)
  on public.user_activity_logs to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create function private.log_activity(
  p_activity_type text, p_parking_lot_id uuid, p_subject_id uuid, p_metadata jsonb default '{}'
) returns void
language plpgsql
security definer -- nobody may write rows by hand; the row is always the caller's
set search_path = ''
as $$
begin
  insert into public.user_activity_logs (user_id, activity_type, parking_lot_id, subject_id, metadata)
  values (private.active_user(), p_activity_type, p_parking_lot_id, p_subject_id, p_metadata);
end
$$;

comment on function private.log_activity(text, uuid, uuid, jsonb) is
  'Writes down what the caller just did, in the transaction that did it. Refuses: unauthorized, forbidden.';

grant execute on function private.log_activity(text, uuid, uuid, jsonb) to authenticated;
