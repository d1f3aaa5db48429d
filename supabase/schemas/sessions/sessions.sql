-- Parking sessions: the stay of a user at a lot, from the start to its fee.
--
-- A session is parking until it is ended or cancelled; both are final. Ending a session calculates the fee
-- (fees/answers.sql) and stores it: the amount, the breakdown and the prices, so that a later price changes nothing. A
-- stay whose fee is unknown ends without an amount; the breakdown then has the refusal. started_at is the full second in
-- which the session began, so that a client whose clock has no fractions of a second can end it at once. A device that had
-- no connection reports the start afterwards, at most a day later. Clocks of devices are believed within five minutes.
-- Stays of less than five minutes are not rewarded, and of a user's stays of a day only six (docs/domains/rewards.md).
--
-- Invariants: one running session per user. Requests with the same client request id have one effect; a start that names
-- another lot or vehicle is rejected. A session that has ended has its complete result, and no other has one. A
-- session is kept when its user leaves, without data of the user: no memo, no rating, no place.
-- Interface: commands.start_parking_session, finalize_parking_session, cancel_parking_session.

-- ---------------------------------------------------------------------------------------------------------------------
-- Users who leave
-- ---------------------------------------------------------------------------------------------------------------------

-- Removes the user's data from a session whose user leaves; a running session is cancelled.
create function private.tg_parking_sessions__remove_user_data() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.memo := null;
  new.personal_rating := null;
  new.start_lat := null;
  new.start_lng := null;
  new.vehicle_id := null;
  new.client_request_id := null;
  new.finalize_request_id := null;
  if new.status = 'parking' then
    new.status := 'cancelled';
  end if;
  return new;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- The end of a session
-- ---------------------------------------------------------------------------------------------------------------------

-- The current prices of a lot that a stay may need: its rules, groups, and the dates of the stay that have prices of
-- their own.
create function private.rules_of_stay(p_lot_id uuid, p_entry timestamptz, p_exit timestamptz) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'time_zone', l.time_zone, 'holiday_calendar', l.holiday_calendar, 'price_fixed_at_entry', l.price_fixed_at_entry,
      'pricing_rules', private.pricing_rules_json(l.id),
      'pricing_groups', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'id', g.id, 'code', g.code, 'name', g.name, 'is_default', g.is_default, 'display_order', g.display_order,
          'vehicle_types', g.vehicle_types, 'free_while_closed', g.free_while_closed
        ) order by g.display_order, g.id), '[]')
        from public.pricing_groups g where g.parking_lot_id = l.id
      ),
      'date_overrides', (
        select coalesce(jsonb_agg(jsonb_build_object('override_date', o.override_date, 'pricing', o.pricing) order by o.override_date), '[]')
        from public.parking_lot_date_overrides o
        where o.parking_lot_id = l.id and o.pricing is not null
          and o.override_date between (p_entry at time zone l.time_zone)::date and (p_exit at time zone l.time_zone)::date
      )
    )
    from public.parking_lots l where l.id = p_lot_id
  );
end
$$;

-- The id of a price list, which is stored if it is new.
create function private.store_price_list(p_rules jsonb) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  v_id constant uuid := encode(substr(sha256(convert_to(p_rules::text, 'UTF8')), 1, 16), 'hex');
begin
  insert into private.price_lists (id, rules) values (v_id, p_rules) on conflict (id) do nothing;
  return v_id;
end
$$;

-- A price list by its id; null without one.
create function private.price_list(p_id uuid) returns jsonb
language plpgsql stable
security definer -- clients read no table of private; the id is in the sessions that they may read
set search_path = ''
as $$
begin
  return (select l.rules from private.price_lists l where l.id = p_id);
end
$$;

grant execute on function private.price_list(uuid) to authenticated;

-- A session of the caller, locked until the transaction ends. Errors: unauthorized, forbidden, not_found.
create function private.my_session_for_change(p_id uuid) returns public.parking_sessions
language plpgsql
security definer -- no client may lock a row that it may not change
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
  v_session public.parking_sessions;
begin
  select * into v_session from public.parking_sessions s where s.id = p_id and s.user_id = v_user_id for no key update;
  if not found then
    perform private.raise_error('not_found', 404, 'You have no session with this id.', p_param => 'id');
  end if;
  return v_session;
end
$$;

-- Rejects an exit that is missing, or more than 5 minutes before the entry or in the future. For an entry in the future any
-- exit is valid. Errors: validation_error.
create function private.check_exit(p_session public.parking_sessions, p_exit_at timestamptz) returns void
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

-- Whether an ended session is rewarded: it lasted five minutes or more, and its user can have been there. It is one of the
-- first six such sessions of the user that ended on this day in Japan.
create function private.is_rewarded_stay(p_session public.parking_sessions) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  -- By the exit and by the clock: an exit may be up to 5 minutes in the future. A user's sessions end one after another, so
  -- the count is complete.
  return least((p_session).ended_at, now()) >= (p_session).started_at + interval '5 minutes'
    and (
      select bool_and(private.is_reachable((p_session).user_id, l.lat, l.lng, moment.at))
      from public.parking_lots l
      cross join unnest(array[(p_session).started_at, (p_session).ended_at]) as moment (at)
      where l.id = (p_session).parking_lot_id
    )
    and 6 > (
      select count(*) from public.user_activity_logs l
      where l.user_id = (p_session).user_id and l.activity_type = 'session_end' and l.is_rewarded
        and l.created_at >= date_trunc('day', now() at time zone 'Asia/Tokyo') at time zone 'Asia/Tokyo'
    );
end
$$;

-- Ends a running session of the caller and stores its fee; a second request with the same client request id returns the
-- same session. Errors: unauthorized, forbidden, not_found, validation_error, lot_not_found, conflict.
create function private.end_session(p_id uuid, p_exit_at timestamptz, p_client_request_id uuid)
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
  if v_fee ? 'breakdown' and exists (
    select from private.tariffs t
    where t.parking_lot_id = v_session.parking_lot_id and t.compiled_at > v_session.started_at
  ) then
    v_fee := jsonb_insert(v_fee, '{breakdown,notes,0}', '"prices_changed"');
  end if;
  update public.parking_sessions s
  set status = 'ended', ended_at = v_exit_at, finalize_request_id = p_client_request_id,
    total_amount_minor = (v_fee ->> 'total_amount')::bigint,
    currency = coalesce(v_fee ->> 'currency', (select l.currency from public.parking_lots l where l.id = s.parking_lot_id)),
    breakdown = coalesce(v_fee -> 'breakdown' || jsonb_build_object('surprises', v_fee -> 'surprises'), v_fee),
    price_list_id = private.store_price_list(private.rules_of_stay(s.parking_lot_id, s.started_at, v_exit_at))
  where s.id = p_id
  returning * into v_session;
  perform private.record_activity(v_session.user_id, 'session_end', v_session.parking_lot_id, p_id, jsonb_build_object(
    'total_amount', v_session.total_amount_minor, 'currency', v_session.currency,
    'minutes', floor(extract(epoch from v_session.ended_at - v_session.started_at) / 60)
  ), private.is_rewarded_stay(v_session));
  return v_session;
end
$$;

-- Cancels a running session of the caller that began, or was reported, within the last 5 minutes; a cancelled one stays
-- cancelled. Errors: unauthorized, forbidden, not_found, conflict.
create function private.cancel_session(p_id uuid) returns void
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
  perform private.record_activity(v_session.user_id, 'session_cancel', v_session.parking_lot_id, p_id);
end
$$;

grant execute on function
  private.end_session(uuid, timestamptz, uuid), private.cancel_session(uuid)
to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- The start of a session
-- ---------------------------------------------------------------------------------------------------------------------

-- The vehicle type of a vehicle of the caller; null for none. Errors: not_found.
create function private.my_vehicle_type(p_vehicle_id uuid) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_vehicle_type text;
begin
  select v.vehicle_type into v_vehicle_type from public.user_vehicles v
  where v.id = p_vehicle_id and v.user_id = (select auth.uid()) and v.deleted_at is null;
  if not found and p_vehicle_id is not null then
    perform private.raise_error('not_found', 404, 'You have no vehicle with this id.', p_param => 'vehicle_id');
  end if;
  return v_vehicle_type;
end
$$;

-- Checks the vehicle type and the position of a start. Errors: validation_error.
create function private.check_start(p_vehicle_type text, p_lat double precision, p_lng double precision) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_param text;
begin
  perform private.check_vehicle_type(p_vehicle_type);
  v_param := case
    when p_lat not between -90 and 90 or (p_lat is null and p_lng is not null) then 'start_lat'
    when p_lng not between -180 and 180 or (p_lng is null and p_lat is not null) then 'start_lng'
  end;
  if v_param is not null then
    perform private.raise_error('validation_error', 422, 'start_lat and start_lng must be a position in degrees, or both must be left out.',
      p_param => v_param);
  end if;
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

grant execute on function
  private.my_vehicle_type(uuid),
  private.check_start(text, double precision, double precision), private.report_start(uuid, timestamptz)
to authenticated;
