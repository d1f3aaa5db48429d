-- The interface of sessions: stays of users, from the start to the fee.
--
-- Clients and the service call these functions. The rules are in history.sql, meter.sql, photos.sql, reminder_job.sql,
-- reminders.sql and sessions.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Sessions
-- ---------------------------------------------------------------------------------------------------------------------

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

create function commands.finalize_parking_session(p_id uuid, p_exit_at timestamptz, p_client_request_id uuid default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_session public.parking_sessions := private.end_session(p_id, p_exit_at, p_client_request_id);
begin
  return jsonb_build_object(
    'session_id', v_session.id, 'total_amount', v_session.total_amount_minor, 'currency', v_session.currency,
    'breakdown', v_session.breakdown
  );
end
$$;

comment on function commands.finalize_parking_session(uuid, timestamptz, uuid) is
  'Ends a running session of the caller: {session_id, total_amount, currency, breakdown}. When the fee is unknown, total_amount is null and breakdown is {refusal}. An exit up to 5 minutes before the start ends the session at its start, for the first unit. The client request id that ended the session returns the same result again. Errors: unauthorized, forbidden, validation_error, not_found, lot_not_found, conflict.';

create function commands.cancel_parking_session(p_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.cancel_session(p_id);
  return '{"cancelled": true}';
end
$$;

comment on function commands.cancel_parking_session(uuid) is
  'Cancels a session of the caller within 5 minutes of its start. Idempotent. Errors: unauthorized, forbidden, not_found, conflict.';

-- ---------------------------------------------------------------------------------------------------------------------
-- History
-- ---------------------------------------------------------------------------------------------------------------------

create function commands.update_my_parking_session(p_id uuid, p_memo text default null, p_personal_rating text default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
  v_session public.parking_sessions;
begin
  update public.parking_sessions s
  set memo = case when p_memo is null then s.memo else private.trimmed(p_memo) end,
    personal_rating = case when p_personal_rating is null then s.personal_rating
      else private.trimmed(p_personal_rating) end
  where s.id = p_id and s.user_id = v_user_id
  returning * into v_session;
  if not found then
    perform private.raise_error('not_found', 404, 'You have no session with this id.', p_param => 'id');
  end if;
  return private.session_rows(array[v_session]) -> 0;
end
$$;

comment on function commands.update_my_parking_session(uuid, text, text) is
  'Writes memo and personal_rating of the caller''s session and returns it. Null keeps a field, an empty text removes it. Idempotent. Errors: unauthorized, forbidden, not_found.';

create function api.list_my_parking_sessions(
  p_limit integer default 20, p_cursor text default null, p_status text default null, p_from timestamptz default null,
  p_to timestamptz default null, p_parking_lot_id uuid default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_filters jsonb := jsonb_build_object('list', 'my_parking_sessions', 'user_id', v_user_id, 'status', p_status,
    'from', p_from, 'to', p_to, 'parking_lot_id', p_parking_lot_id);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
  -- The statement has only the given conditions, so that each filter has its index with any plan.
  v_matching constant text := concat(
    'from public.parking_sessions s where s.user_id = $1',
    case when p_status is not null then format(' and s.status = %L', p_status) end,
    case when p_parking_lot_id is not null then ' and s.parking_lot_id = $2' end,
    case when p_from is not null then ' and s.started_at >= $3' end,
    case when p_to is not null then ' and s.started_at < $4' end
  );
  v_sessions public.parking_sessions[];
  v_total bigint;
begin
  perform private.page_limit(p_limit);
  if p_status not in ('parking', 'ended', 'cancelled') then
    perform private.raise_error('validation_error', 422, 'status must be parking, ended or cancelled.', p_param => 'status');
  end if;
  execute concat(
    'select array(select s ', v_matching, ' and (s.started_at, s.id) < ($5, $6) order by s.started_at desc, s.id desc limit $7)'
  ) into v_sessions using v_user_id, p_parking_lot_id, p_from, p_to, (v_keys ->> 0)::timestamptz, (v_keys ->> 1)::uuid, p_limit + 1;
  if 'total' = any (p_include) then
    execute 'select count(*) ' || v_matching into v_total using v_user_id, p_parking_lot_id, p_from, p_to;
  end if;
  return private.page(v_filters, private.session_rows(v_sessions), '{started_at,id}', p_limit, v_total);
end
$$;

comment on function api.list_my_parking_sessions(integer, text, text, timestamptz, timestamptz, uuid, text[]) is
  'The caller''s sessions, newest first: {items, next_cursor}, and total when p_include has it. Filters: p_status, p_parking_lot_id, started at or after p_from and before p_to. Reads only. Errors: unauthorized, forbidden, validation_error.';

grant execute on function
  commands.update_my_parking_session(uuid, text, text),
  api.list_my_parking_sessions(integer, text, text, timestamptz, timestamptz, uuid, text[])
to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- The live meter
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Photos
-- ---------------------------------------------------------------------------------------------------------------------

create function api.my_parking_session(p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_session public.parking_sessions;
begin
  select * into v_session from public.parking_sessions s where s.id = p_id and s.user_id = v_user_id;
  if not found then
    perform private.raise_error('not_found', 404, 'You have no session with this id.', p_param => 'id');
  end if;
  return (private.session_rows(array[v_session]) -> 0) || jsonb_build_object(
    'breakdown', v_session.breakdown, 'rules', private.price_list(v_session.price_list_id),
    'photos', (
      select coalesce(jsonb_agg(private.photo_row(p) order by p.phase desc, p.slot), '[]')
      from public.parking_session_photos p where p.session_id = p_id
    )
  );
end
$$;

comment on function api.my_parking_session(uuid) is
  'A session of the caller with its breakdown, the pricing rules of that time, and its photos: those of phase during first. Reads only. Errors: unauthorized, forbidden, not_found.';

create function commands.put_my_session_photo(p_id uuid, p_phase text, p_slot integer, p_asset_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.check_slot(p_phase, p_slot);
  return private.photo_row(private.put_session_photo(p_id, p_phase, p_slot, p_asset_id));
end
$$;

comment on function commands.put_my_session_photo(uuid, text, integer, uuid) is
  'Puts a confirmed upload of the caller into a slot of their session and returns the photo; the previous picture is deleted. Idempotent. Errors: unauthorized, forbidden, validation_error, not_found.';

create function commands.delete_my_session_photo(p_id uuid, p_phase text, p_slot integer) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.check_slot(p_phase, p_slot);
  perform private.drop_session_photo(p_id, p_phase, p_slot);
end
$$;

comment on function commands.delete_my_session_photo(uuid, text, integer) is
  'Removes the photo from a slot of the caller''s session. Errors: unauthorized, forbidden, validation_error, not_found.';

grant execute on function
  api.my_parking_session(uuid), commands.put_my_session_photo(uuid, text, integer, uuid),
  commands.delete_my_session_photo(uuid, text, integer)
to authenticated;
