-- Session reminders: when the job checks each running session, to remind its user of a change that is near.
--
-- A new session is due at once. A job (session_reminder_job) calculates its next price and when the exit closes, sends a
-- reminder, and stores the time of its next check. Starting a session writes a narrow row and calculates no price.
--
-- Invariants: a session has a row exactly while it runs and has its user; it is due at once when data changes on which its
-- price or exit depends.
-- Interface: private.session_reminders, for the job; private.is_reminder_current, for the pushes.

-- Makes a session due when it starts or when data changes on which its price depends; removes one that ends.
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

-- Whether the session that a notification reminds of still runs, unchanged since. True for other notifications.
create function private.is_reminder_current(p_notification public.user_notifications) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  v_session_id constant text := (p_notification).data ->> 'session_id';
begin
  return v_session_id is null or (p_notification).is_composed or exists (
    select from private.session_reminders r
    where r.session_id = case when pg_input_is_valid(v_session_id, 'uuid') then v_session_id::uuid end
      and r.watched_from <= (p_notification).created_at
  );
end
$$;
