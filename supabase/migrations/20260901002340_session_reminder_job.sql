-- Session reminders are sent: users who park are notified before the fee rises and before the exit closes.
--
-- The queue session_reminders has a message for each reminder, due when it is to be sent (migration session_reminders). A job
-- takes them one at a time, works out what is true now, notifies the user and has the next reminder written, in one
-- transaction: a message is sent once, and one that fails holds up no other. A reminder whose event has passed, because the
-- job was down, is not sent.
--
-- Invariants: of one event, the increase or the closing of a moment, a session is reminded once.
-- Interface: the job send_session_reminders.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table private.sent_session_reminders (
  session_id uuid not null references public.parking_sessions (id) on delete cascade,
  kind text collate "C" not null,
  event_at timestamptz not null,
  primary key (session_id, kind, event_at)
);

comment on table private.sent_session_reminders is 'The events that users have been reminded of. The rows of a session go when it ends.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create function private.money_text(p_amount numeric, p_currency text) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  return case p_currency
    when 'JPY' then jsonb_build_object('ja', to_char(p_amount, 'FM999G999G999G990') || '円', 'en', '¥' || to_char(p_amount, 'FM999G999G999G990'))
    else to_jsonb(to_char(p_amount / 100, 'FM999G999G999G990D00') || ' ' || p_currency) end;
end
$$;

comment on function private.money_text(numeric, text) is 'An amount in minor units as people read it, by language where it differs.';

create function private.is_first_reminder(p_session_id uuid, p_kind text, p_event_at timestamptz) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  insert into private.sent_session_reminders (session_id, kind, event_at) values (p_session_id, p_kind, p_event_at)
  on conflict do nothing;
  return found;
end
$$;

comment on function private.is_first_reminder(uuid, text, timestamptz) is
  'Notes that a session is reminded of an event; false when it has been.';

create function private.send_session_reminder(p_session public.parking_sessions, p_kind text) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_time_zone text := (select l.time_zone from public.parking_lots l where l.id = (p_session).parking_lot_id);
  v_data constant jsonb := jsonb_build_object('session_id', (p_session).id);
  v_meter jsonb;
  v_exit record;
begin
  if p_kind = 'increase' then
    v_meter := private.session_meter(p_session);
    if (v_meter ->> 'next_increase_at')::timestamptz between now() and now() + interval '6 minutes'
      and private.is_first_reminder((p_session).id, p_kind, (v_meter ->> 'next_increase_at')::timestamptz) then
      perform private.notify((p_session).user_id, 'fee_increase', jsonb_build_object(
        'time', to_char((v_meter ->> 'next_increase_at')::timestamptz at time zone v_time_zone, 'HH24:MI'),
        'amount', private.money_text((v_meter ->> 'next_amount')::numeric, v_meter ->> 'currency')
      ), v_data);
    end if;
  else
    select e.can_exit, e.changes_at into v_exit from private.session_exit(p_session) e;
    if v_exit.can_exit and v_exit.changes_at between now() and now() + interval '31 minutes'
      and private.is_first_reminder((p_session).id, p_kind, v_exit.changes_at) then
      perform private.notify((p_session).user_id, 'exit_closing', jsonb_build_object(
        'time', to_char(v_exit.changes_at at time zone v_time_zone, 'HH24:MI')
      ), v_data);
    end if;
  end if;
end
$$;

comment on function private.send_session_reminder(public.parking_sessions, text) is
  'Notifies the user of a running session of its next increase, or of the closing exit, as it stands now; not when that is past or further ahead than it was thought to be.';

create function private.send_next_session_reminder() returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_message jsonb := private.read_messages('session_reminders', 60, 1) -> 0;
  v_session public.parking_sessions;
begin
  if v_message is null then
    return false;
  end if;
  -- Locked: a session that ends meanwhile either has ended before, or ends after its reminder.
  select s.* into v_session from public.parking_sessions s
  join private.session_reminders r on r.session_id = s.id and r.msg_id = (v_message ->> 'msg_id')::bigint
  where s.id = (v_message #>> '{message,session_id}')::uuid and s.status = 'parking' and s.user_id is not null
  for no key update of s;
  if found then
    perform private.send_session_reminder(v_session, v_message #>> '{message,kind}');
    if v_message #>> '{message,kind}' = 'increase' then
      perform private.remind_of_session(v_session.id); -- of the next one
    else
      delete from private.session_reminders r where r.session_id = v_session.id and r.kind = 'exit_closes';
    end if;
  end if;
  perform private.finish_messages('session_reminders', array[(v_message ->> 'msg_id')::bigint]);
  return true;
end
$$;

comment on function private.send_next_session_reminder() is 'Works off one message of the queue session_reminders; false when none is due.';

create function private.tg_parking_sessions__forget_reminders() returns trigger
language plpgsql
security definer -- no client reaches what was sent
set search_path = ''
as $$
begin
  delete from private.sent_session_reminders where session_id = new.id;
  return null;
end
$$;

comment on function private.tg_parking_sessions__forget_reminders() is 'What a session was reminded of is not needed once it has ended.';

create trigger _310_forget_reminders after update of status on public.parking_sessions
  for each row when (old.status = 'parking' and new.status <> 'parking')
  execute function private.tg_parking_sessions__forget_reminders();

select cron.schedule('send_session_reminders', '* * * * *',
  'do $work$ begin while private.send_next_session_reminder() loop commit; end loop; end $work$');
