-- Session reminders: when the job checks each running session, to remind its user of a change that is near.
--
-- A new session is due at once. A job (session_reminder_job) calculates its next price and when the exit closes, sends a
-- reminder, and stores the time of its next check. Starting a session writes a narrow row and calculates no price.
--
-- Invariants: a session has a row exactly while it runs and has its user; it is due at once when data changes on which its
-- price or exit depends.
-- Interface: private.session_reminders, for the job.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table private.session_reminders (
  session_id uuid primary key references public.parking_sessions (id) on delete cascade,
  look_at timestamptz not null default now(),
  watched_from timestamptz not null default now(),
  told_increase timestamptz,
  told_exit timestamptz
);

comment on table private.session_reminders is 'The running sessions, and when the job checks each.';
comment on column private.session_reminders.watched_from is 'When the session was started or last changed: no reminder is sent for an increase less than 5 minutes later.';
comment on column private.session_reminders.told_increase is 'The increase of the last reminder; told_exit: the closing of the exit in the last reminder.';

-- The sessions that are due.
create index session_reminders_look_at_idx on private.session_reminders (look_at);

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create function private.tg_parking_sessions__remind() returns trigger
language plpgsql
security definer -- no client has a right on reminders
set search_path = ''
as $$
begin
  if new.status <> 'parking' or new.user_id is null then
    delete from private.session_reminders where session_id = new.id;
  elsif tg_op = 'INSERT' then
    insert into private.session_reminders (session_id) values (new.id);
  else
    update private.session_reminders set look_at = now(), watched_from = now() where session_id = new.id;
  end if;
  return null;
end
$$;

comment on function private.tg_parking_sessions__remind() is
  'Makes a session due when it starts or when data changes on which its price depends; removes one that ends.';

create trigger _300_remind_on_insert after insert on public.parking_sessions
  for each row when (new.status = 'parking') execute function private.tg_parking_sessions__remind();
create trigger _300_remind_on_update after update of status, started_at, vehicle_type, parking_lot_id, user_id on public.parking_sessions
  for each row when (
    'parking' in (new.status, old.status) and
    (new.status, new.started_at, new.vehicle_type, new.parking_lot_id, new.user_id)
      is distinct from (old.status, old.started_at, old.vehicle_type, old.parking_lot_id, old.user_id)
  )
  execute function private.tg_parking_sessions__remind();
