-- A device that had no connection reports the start of a session afterwards. An exit by a slow clock ends a session at its
-- start. A client request id is that of one start.
--
-- The definitions are those of supabase/schemas after this change. The way back: the functions as they were; then drop
-- commands.start_parking_session with seven arguments, private.report_start and parking_sessions.is_start_reported.

set lock_timeout = '2s';

-- pgls-ignore lint/safety/addingFieldWithDefault: a constant default rewrites no row since Postgres 11
alter table public.parking_sessions add column is_start_reported boolean not null default false;
comment on column public.parking_sessions.is_start_reported is
  'Whether started_at is what the device reported, because it had no connection at the start.';
grant select (is_start_reported) on public.parking_sessions to authenticated;

-- Sessions as the interface shows them in a list: an array in the same order.
create or replace function private.session_rows(p_sessions public.parking_sessions[]) returns jsonb
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

-- Rejects an exit that is missing, or more than 5 minutes before the entry or in the future. For an entry in the future any
-- exit is valid. Errors: validation_error.
create or replace function private.check_exit(p_session public.parking_sessions, p_exit_at timestamptz) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_exit_at is null then
    perform private.raise_error('validation_error', 422, 'exit_at is required.', p_param => 'exit_at');
  -- A session that starts in the future was started before the clock was set back. Its exit cannot be compared with its
  -- start, and a clock must not prevent the end of a session.
  elsif p_exit_at < (p_session).started_at - interval '5 minutes' and (p_session).started_at <= now() then
    perform private.raise_error('validation_error', 422, 'The exit must not be more than 5 minutes before the entry.', p_param => 'exit_at');
  elsif p_exit_at > greatest(now(), (p_session).started_at) + interval '5 minutes' then
    perform private.raise_error('validation_error', 422, 'The exit must not be more than 5 minutes in the future.', p_param => 'exit_at');
  end if;
end
$$;

-- Ends a running session of the caller and stores its fee; a second request with the same client request id returns the
-- same session. Errors: unauthorized, forbidden, not_found, validation_error, lot_not_found, conflict.
create or replace function private.end_session(p_id uuid, p_exit_at timestamptz, p_client_request_id uuid)
returns public.parking_sessions
language plpgsql
security definer -- no client may write the fee of a session
set search_path = ''
as $$
declare
  v_session public.parking_sessions := private.my_session_for_change(p_id);
  -- By the clock of a device that is slow the car left before it came: it ends then at the start.
  v_exit_at constant timestamptz := greatest(v_session.started_at, p_exit_at);
  v_priced_until timestamptz;
  v_fee jsonb;
begin
  if v_session.status = 'ended' and v_session.finalize_request_id = p_client_request_id then
    return v_session;
  elsif v_session.status <> 'parking' then
    perform private.raise_error('conflict', 409, format('The session already has the status %s.', v_session.status),
      p_details => jsonb_build_object('reason', 'session_' || v_session.status));
  end if;
  perform private.check_exit(v_session, p_exit_at);
  -- A session that was never ended costs its first 366 days, which the breakdown states. One that ends before its start
  -- costs a second: the first unit.
  v_priced_until := case when p_exit_at < v_session.started_at then v_exit_at + interval '1 second'
    else least(v_exit_at, v_session.started_at + interval '8784 hours') end;
  v_fee := private.fee_answer(v_session.parking_lot_id, v_session.vehicle_type, v_session.started_at, v_priced_until);
  if v_priced_until < v_exit_at and v_fee ? 'breakdown' then
    v_fee := jsonb_insert(v_fee, '{breakdown,notes,0}', '"only_366_days_priced"');
  end if;
  update public.parking_sessions s
  set status = 'ended', ended_at = v_exit_at, finalize_request_id = p_client_request_id,
    total_amount_minor = (v_fee ->> 'total_amount')::bigint,
    currency = coalesce(v_fee ->> 'currency', (select l.currency from public.parking_lots l where l.id = s.parking_lot_id)),
    breakdown = coalesce(v_fee -> 'breakdown' || jsonb_build_object('surprises', v_fee -> 'surprises'), v_fee),
    price_list_id = private.store_price_list(private.rules_of_stay(s.parking_lot_id, s.started_at, v_exit_at))
  where s.id = p_id
  returning * into v_session;
  perform private.log_activity('session_end', v_session.parking_lot_id, p_id, jsonb_build_object(
    'total_amount', v_session.total_amount_minor, 'currency', v_session.currency,
    'minutes', floor(extract(epoch from v_session.ended_at - v_session.started_at) / 60)
  ), private.is_rewarded_stay(v_session));
  return v_session;
end
$$;

-- Cancels a running session of the caller that began, or was reported, within the last 5 minutes; a cancelled one stays
-- cancelled. Errors: unauthorized, forbidden, not_found, conflict.
create or replace function private.cancel_session(p_id uuid) returns void
language plpgsql
security definer -- no client may write the status
set search_path = ''
as $$
declare
  v_session public.parking_sessions := private.my_session_for_change(p_id);
begin
  if v_session.status = 'cancelled' then
    return;
  elsif v_session.status = 'ended' then
    perform private.raise_error('conflict', 409, 'The session has already ended.', p_details => '{"reason": "session_ended"}');
  -- A start that the device reported is known since the report.
  elsif (case when v_session.is_start_reported then v_session.created_at else v_session.started_at end) < now() - interval '5 minutes' then
    perform private.raise_error('conflict', 409, 'A session can only be cancelled within 5 minutes of its start. End it instead.',
      p_details => '{"reason": "too_late"}');
  end if;
  update public.parking_sessions s set status = 'cancelled' where s.id = p_id;
  perform private.log_activity('session_cancel', v_session.parking_lot_id, p_id);
end
$$;

-- Sets the start of the caller's session that this transaction made to what their device reported: at most a day ago, and
-- not before their last session ended. Five minutes more are the device's clock. Errors: validation_error.
create function private.report_start(p_id uuid, p_started_at timestamptz) returns void
language plpgsql
security definer -- no client may write the start of a session
set search_path = ''
as $$
declare
  v_start constant timestamptz := date_trunc('second', p_started_at);
  v_last_end timestamptz;
  v_problem text;
begin
  -- Sessions of a user do not overlap: the one that started last has ended last.
  select date_trunc('second', s.ended_at) into v_last_end from public.parking_sessions s
  where s.user_id = (select auth.uid()) and s.status = 'ended' order by s.started_at desc limit 1;
  v_problem := case
    when p_started_at > now() + interval '5 minutes' then 'more than 5 minutes in the future'
    when p_started_at < now() - interval '1 day' then 'more than a day ago'
    when v_start < v_last_end - interval '5 minutes' then 'before the end of your last session'
  end;
  if v_problem is not null then
    perform private.raise_error('validation_error', 422, format('started_at must not be %s.', v_problem), p_param => 'started_at');
  end if;
  update public.parking_sessions s
  set started_at = least(s.started_at, greatest(v_start, v_last_end)), is_start_reported = true
  where s.id = p_id and s.user_id = (select auth.uid()) and s.status = 'parking' and s.created_at = now();
end
$$;

grant execute on function private.report_start(uuid, timestamptz) to authenticated;

drop function commands.start_parking_session(uuid, text, double precision, double precision, uuid, uuid);

create function commands.start_parking_session(
  p_parking_lot_id uuid, p_vehicle_type text default null, p_start_lat double precision default null,
  p_start_lng double precision default null, p_client_request_id uuid default null, p_vehicle_id uuid default null,
  p_started_at timestamptz default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
  v_vehicle_type text;
  v_id uuid;
  v_before public.parking_sessions;
begin
  select * into v_before from public.parking_sessions s
  where s.user_id = v_user_id and s.client_request_id = p_client_request_id;
  if found then
    if p_parking_lot_id <> v_before.parking_lot_id or p_vehicle_type <> v_before.vehicle_type
      or p_vehicle_id <> v_before.vehicle_id then
      perform private.raise_error('conflict', 409, 'Another start had this client_request_id. Use a new one.',
        p_param => 'client_request_id', p_details => '{"reason": "key_reused_with_different_body"}');
    end if;
    return jsonb_build_object('session_id', v_before.id, 'status', v_before.status, 'is_new', false);
  end if;
  v_vehicle_type := private.my_vehicle_type(p_vehicle_id);
  v_vehicle_type := coalesce(p_vehicle_type, v_vehicle_type, 'standard');
  perform private.check_start(v_vehicle_type, p_start_lat, p_start_lng);
  perform private.lock_public_lot(p_parking_lot_id, 'parking_lot_id');
  insert into public.parking_sessions
    (user_id, parking_lot_id, vehicle_id, vehicle_type, start_lat, start_lng, client_request_id)
  values (v_user_id, p_parking_lot_id, p_vehicle_id, v_vehicle_type, p_start_lat, p_start_lng, p_client_request_id)
  on conflict (user_id) where status = 'parking' do nothing
  returning id into v_id;
  if not found then
    select s.id into v_id from public.parking_sessions s where s.user_id = v_user_id and s.status = 'parking';
    perform private.raise_error('concurrent_session_not_allowed', 409, 'You have a running session. End or cancel it first.',
      p_details => jsonb_build_object('session_id', v_id));
  end if;
  if p_started_at is not null then
    perform private.report_start(v_id, p_started_at);
  end if;
  perform private.log_activity('session_start', p_parking_lot_id, v_id);
  return jsonb_build_object('session_id', v_id, 'status', 'parking', 'is_new', true);
end
$$;

comment on function commands.start_parking_session(uuid, text, double precision, double precision, uuid, uuid, timestamptz) is
  'Starts a session of the caller at a lot: {session_id, status, is_new}. Charged as p_vehicle_type, else as the vehicle, else as standard. p_started_at is for a device that had no connection at the start: at most a day ago, and not before the last session ended. A client request id that was used before returns its session, and is_new is false; with another lot or vehicle it is a conflict. Errors: unauthorized, forbidden, validation_error, not_found, lot_not_found, concurrent_session_not_allowed, conflict.';

comment on function commands.finalize_parking_session(uuid, timestamptz, uuid) is
  'Ends a running session of the caller: {session_id, total_amount, currency, breakdown}. When the fee is unknown, total_amount is null and breakdown is {refusal}. An exit up to 5 minutes before the start ends the session at its start, for the first unit. The client request id that ended the session returns the same result again. Errors: unauthorized, forbidden, validation_error, not_found, lot_not_found, conflict.';
