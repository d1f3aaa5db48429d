-- Session reminders: who parks is told in time what is about to change.
--
-- For a running session two messages wait in the queue session_reminders: one 5 minutes before the next increase that is
-- that far ahead, one 30 minutes before the way out closes. They are written again whenever what they follow from changes,
-- and taken back when the session ends. What a message says was so when it was written; who sends it looks at the session
-- again, and afterwards has the next one written by private.remind_of_session.
--
-- Invariants: only running sessions have messages waiting, at most one of each kind; what is no longer noted in
-- private.session_reminders is no longer in the queue.
-- Interface: private.remind_of_session(session), for who sends reminders.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table private.session_reminders (
  session_id uuid not null references public.parking_sessions (id) on delete cascade,
  kind text not null constraint session_reminders_kind_known check (kind in ('increase', 'exit_closes')),
  msg_id bigint not null,
  event_at timestamptz not null,
  primary key (session_id, kind)
);

comment on table private.session_reminders is 'Which messages of the queue session_reminders are waiting for running sessions.';
comment on column private.session_reminders.event_at is 'When that of which they remind comes about.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: reminders
-- ---------------------------------------------------------------------------------------------------------------------

create function private.tg_session_reminders__dequeue() returns trigger
language plpgsql
security definer -- no client reaches the queues
set search_path = ''
as $$
begin
  perform private.dequeue('session_reminders', old.msg_id);
  return null;
end
$$;

comment on function private.tg_session_reminders__dequeue() is 'A reminder that is no longer noted is taken out of the queue.';

create trigger _100_dequeue after delete on private.session_reminders
  for each row execute function private.tg_session_reminders__dequeue();

create function private.session_events(p_session public.parking_sessions)
returns table (kind text, remind_at timestamptz, message jsonb)
language plpgsql stable
set search_path = ''
as $$
declare
  -- The last point of the curve is its end, no increase.
  v_curve jsonb := (private.session_meter(p_session) -> 'curve') - -1;
  v_exit record;
begin
  return query
    select 'increase', (c.point ->> 'at')::timestamptz - interval '5 minutes', c.point
    from jsonb_array_elements(v_curve) with ordinality as c (point, place)
    where (c.point ->> 'at')::timestamptz - interval '5 minutes' >= now()
    order by c.place
    limit 1;
  select e.can_exit, e.changes_at into v_exit from private.session_exit(p_session) e;
  if v_exit.can_exit and v_exit.changes_at is not null then
    return query select 'exit_closes', v_exit.changes_at - interval '30 minutes', jsonb_build_object('at', v_exit.changes_at);
  end if;
end
$$;

comment on function private.session_events(public.parking_sessions) is
  'Of what the driver of a running session should be told, when, and the message: {at, amount} or {at}.';

create function private.remind_of_session(p_session_id uuid) returns void
language plpgsql
security definer -- no client reaches the queues
set search_path = ''
as $$
declare
  v_session public.parking_sessions;
begin
  delete from private.session_reminders r where r.session_id = p_session_id;
  select * into v_session from public.parking_sessions s
  where s.id = p_session_id and s.status = 'parking' and s.user_id is not null;
  if not found then
    return;
  end if;
  insert into private.session_reminders (session_id, kind, msg_id, event_at)
  select p_session_id, e.kind, private.enqueue(
      'session_reminders', e.message || jsonb_build_object('kind', e.kind, 'session_id', p_session_id),
      greatest(0, ceil(extract(epoch from e.remind_at - now())))::integer
    ), (e.message ->> 'at')::timestamptz
  from private.session_events(v_session) e;
end
$$;

comment on function private.remind_of_session(uuid) is
  'Has the reminders of a session wait in the queue that follow from how it stands now; none when it does not run.';

create function private.tg_parking_sessions__remind() returns trigger
language plpgsql
security definer -- no client reaches the queues
set search_path = ''
as $$
begin
  perform private.remind_of_session(new.id);
  return null;
end
$$;

comment on function private.tg_parking_sessions__remind() is 'Reminders follow the session.';

create trigger _300_remind_on_insert after insert on public.parking_sessions
  for each row when (new.status = 'parking') execute function private.tg_parking_sessions__remind();
create trigger _300_remind_on_update after update of status, started_at, vehicle_type, parking_lot_id, user_id on public.parking_sessions
  for each row when (
    'parking' in (new.status, old.status) and
    (new.status, new.started_at, new.vehicle_type, new.parking_lot_id, new.user_id)
      is distinct from (old.status, old.started_at, old.vehicle_type, old.parking_lot_id, old.user_id)
  )
  execute function private.tg_parking_sessions__remind();
