-- The live meter: the current and next fee of a running session, and whether its car can leave.
--
-- The meter is that of fees (fees/answers.sql) for the lot, vehicle type and start of the session. A session longer than
-- the longest stay that can be priced is shown as that stay.
--
-- Invariants: the meter, calc-fee and the end of the session have the same amount for the same moment.
-- Interface: api.my_current_parking_session; private.session_meter and private.session_exit for reminders.

-- The meter of a running session, as private.fee_meter returns it.
create function private.session_meter(p_session public.parking_sessions) returns jsonb
language sql stable
return private.fee_meter(
  (p_session).parking_lot_id, (p_session).vehicle_type, (p_session).started_at,
  greatest((p_session).started_at, least(now(), (p_session).started_at + interval '8784 hours'))
);

-- Whether the car can leave now (null: unknown), and when that changes, within 14 days.
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

grant execute on function private.session_meter(public.parking_sessions), private.session_exit(public.parking_sessions)
to authenticated;
