-- Session history: the sessions of a user as lists, and the user's notes on them.
--
-- Invariants: users read only their own sessions. Pages neither repeat nor skip a session, also when sessions begin and end
-- between them. A lot that has closed keeps its name in the history of users who parked there.
-- Interface: api.list_my_parking_sessions, update_my_parking_session; private.session_rows for other responses.

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

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

comment on function private.session_lot_names(uuid[]) is 'The names of lots, public or not. The ids are those of the caller''s own sessions.';

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
      'personal_rating', s.personal_rating, 'start_lat', s.start_lat, 'start_lng', s.start_lng, 'created_at', s.created_at
    ) order by s.place), '[]')
    from unnest(p_sessions) with ordinality as s (
      id, user_id, parking_lot_id, status, vehicle_id, vehicle_type, started_at, ended_at, total_amount_minor, currency,
      breakdown, price_list_id, memo, personal_rating, start_lat, start_lng, client_request_id, finalize_request_id, created_at, place
    )
    left join private.session_lot_names(array(select distinct o.parking_lot_id from unnest(p_sessions) as o)) as n
      on n.parking_lot_id = s.parking_lot_id
  );
end
$$;

comment on function private.session_rows(public.parking_sessions[]) is 'Sessions as the interface shows them in a list: an array in the same order.';

grant execute on function
  private.session_lot_names(uuid[]), private.session_rows(public.parking_sessions[])
to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
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
