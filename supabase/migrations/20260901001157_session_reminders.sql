-- Session reminders: which sessions are looked at, and when, to remind who parks of what is about to change.
--
-- A session that starts is due to be looked at; a job (session_reminder_job) works out what it costs next and when the way out
-- closes, reminds, and notes when it looks again. Start pays for a narrow row and for no price.
--
-- Invariants: a session has a row exactly while it runs and has its user; what the price and the exit follow from has
-- changed: it is due at once.
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

comment on table private.session_reminders is 'The running sessions, and when the job looks at each.';
comment on column private.session_reminders.watched_from is 'Since when the session is as it is: of an increase less than 5 minutes later nobody is reminded.';
comment on column private.session_reminders.told_increase is 'The increase that its user was last reminded of; told_exit the closing of the exit.';

-- The due ones.
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
  'A session that starts, or changes in what it costs by, is due to be looked at; one that ends is not looked at any more.';

create trigger _300_remind_on_insert after insert on public.parking_sessions
  for each row when (new.status = 'parking') execute function private.tg_parking_sessions__remind();
create trigger _300_remind_on_update after update of status, started_at, vehicle_type, parking_lot_id, user_id on public.parking_sessions
  for each row when (
    'parking' in (new.status, old.status) and
    (new.status, new.started_at, new.vehicle_type, new.parking_lot_id, new.user_id)
      is distinct from (old.status, old.started_at, old.vehicle_type, old.parking_lot_id, old.user_id)
  )
  execute function private.tg_parking_sessions__remind();
