-- Session history: the sessions of a user as lists, and the user's notes on them.
--
-- Invariants: users read only their own sessions. Pages neither repeat nor skip a session, also when sessions begin and end
-- between them. A lot that has closed keeps its name in the history of users who parked there.
-- Interface: api.list_my_parking_sessions, update_my_parking_session; private.session_rows for other responses.

-- The names of lots, public or not. The ids are those of the caller's own sessions.
create function private.session_lot_names(p_lot_ids uuid[]) returns table (parking_lot_id uuid, name text)
language plpgsql stable rows 20
security definer -- a lot that has closed keeps its name in the history of users who parked there
set search_path = ''
as $$
begin
  return query
  select l.id, l.name from public.parking_lots l where l.id = any (p_lot_ids);
end
$$;

-- Sessions as the interface shows them in a list: an array in the same order.
create function private.session_rows(p_sessions public.parking_sessions[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', s.id, 'user_id', s.user_id, 'parking_lot_id', s.parking_lot_id, 'parking_lot_name', n.name, 'status', s.status,
      'vehicle_id', s.vehicle_id, 'vehicle_type', s.vehicle_type, 'started_at', s.started_at, 'ended_at', s.ended_at,
      'total_amount_minor', s.total_amount_minor, 'currency', s.currency, 'memo', s.memo,
      'personal_rating', s.personal_rating, 'start_lat', s.start_lat, 'start_lng', s.start_lng, 'created_at', s.created_at,
      'is_start_reported', s.is_start_reported
    ) order by s.place), '[]')
    from unnest(p_sessions) with ordinality as s (
      id, user_id, parking_lot_id, status, vehicle_id, vehicle_type, started_at, ended_at, total_amount_minor, currency,
      breakdown, price_list_id, memo, personal_rating, start_lat, start_lng, client_request_id, finalize_request_id, created_at,
      is_start_reported, place
    )
    left join private.session_lot_names(array(select distinct o.parking_lot_id from unnest(p_sessions) as o)) as n
      on n.parking_lot_id = s.parking_lot_id
  );
end
$$;

grant execute on function
  private.session_lot_names(uuid[]), private.session_rows(public.parking_sessions[])
to authenticated;
