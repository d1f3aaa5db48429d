-- The live meter: the current and next fee of a running session, and whether its car can leave.
--
-- The meter is that of fees (0740) for the lot, vehicle type and start of the session. A session longer than the longest stay
-- that can be priced is shown as that stay.
--
-- Invariants: the meter, calc-fee and the end of the session have the same amount for the same moment.
-- Interface: api.my_current_parking_session; private.session_meter and private.session_exit for reminders.

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: the fee of a running session
-- ---------------------------------------------------------------------------------------------------------------------

create function private.session_meter(p_session public.parking_sessions) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return private.fee_meter(
    (p_session).parking_lot_id, (p_session).vehicle_type, (p_session).started_at,
    greatest((p_session).started_at, least(now(), (p_session).started_at + interval '8784 hours'))
  );
end
$$;

comment on function private.session_meter(public.parking_sessions) is 'The meter of a running session, as private.fee_meter returns it.';

create function private.session_exit(p_session public.parking_sessions, out can_exit boolean, out changes_at timestamptz)
language plpgsql stable
security definer -- cars can leave a lot that is no longer public
set search_path = ''
as $$
begin
  select c.can_exit, c.can_exit_changes_at into can_exit, changes_at
  from private.next_changes(p_session.parking_lot_id, now()) c;
end
$$;

comment on function private.session_exit(public.parking_sessions) is
  'Whether the car can leave now (null: unknown), and when that changes, within 14 days.';

grant execute on function private.session_meter(public.parking_sessions), private.session_exit(public.parking_sessions)
to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.my_current_parking_session() returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_session public.parking_sessions;
  v_exit record;
begin
  select * into v_session from public.parking_sessions s where s.user_id = v_user_id and s.status = 'parking';
  if not found then
    perform private.raise_error('not_found', 404, 'You have no running session. Start one first.');
  end if;
  select e.can_exit, e.changes_at into v_exit from private.session_exit(v_session) e;
  return (private.session_rows(array[v_session]) -> 0) || jsonb_build_object(
    'meter', private.session_meter(v_session),
    'can_exit_now', v_exit.can_exit, 'can_exit_changes_at', v_exit.changes_at
  );
end
$$;

comment on function api.my_current_parking_session() is
  'The caller''s running session with its meter, whether the car can leave now, and when that changes. Reads only. Errors: unauthorized, forbidden, not_found, validation_error, lot_not_found.';

grant execute on function api.my_current_parking_session() to authenticated;
