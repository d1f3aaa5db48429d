-- The meter of a session has the surprises of its fee that are ahead, and its user is reminded of each before it begins.
--
-- The definitions are those of supabase/schemas after this change. The way back is a file of its own.

set lock_timeout = '2s';
alter table private.session_reminders add column told_surprise timestamptz;
comment on column private.session_reminders.told_surprise is 'When the last surprise begins that was sent: an earlier one is not sent.';

-- A running stay: {amount, currency, next_increase_at, next_amount, cap_reached, known_until, curve, surprises}, or
-- {refusal} as in fee_answer. An increase becomes due after its at. The last point of the curve is the fee of an exit at
-- known_until: 24 hours ahead, or where the rate becomes unknown. surprises: those of an exit then that are still ahead.
create or replace function private.fee_meter(p_lot_id uuid, p_vehicle_type text, p_entry timestamptz, p_now timestamptz) returns jsonb
language plpgsql stable
security definer -- row security would cost a look-up per rule; the caller has chosen a lot that the user may see
set search_path = ''
set timezone = 'UTC'
set plan_cache_mode = force_generic_plan -- the arguments do not matter to the plans, and planning costs more than running
as $$
declare
  v_horizon timestamptz := least(p_now + interval '24 hours', p_entry + interval '8784 hours');
  v_lot record;
  v_walk private.fee_walk;
  v_ahead private.fee_walk;
  v_is_in_grace boolean;
  v_grace_until timestamptz;
  v_curve jsonb;
  v_last_amount bigint;
begin
  perform private.check_stay(p_entry, p_now);
  select s.*, l.max_parking_duration_min * interval '1 minute' as longest, u.tariff as usual into v_lot
  from private.stay_tariffs(array[p_lot_id], p_vehicle_type, p_entry, v_horizon) s
  join public.parking_lots l on l.id = s.parking_lot_id
  left join private.usual_tariffs(array[p_lot_id], p_vehicle_type) u on u.parking_lot_id = s.parking_lot_id;
  if not found then
    perform private.raise_error('lot_not_found', 404, 'There is no such parking lot.');
  end if;
  perform set_config('timezone', v_lot.time_zone, true);
  if not v_lot.is_priced then
    v_lot.tariff := null;
  end if;
  v_walk := private.walk_fee(v_lot.tariff, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, p_now, true);
  v_ahead := private.walk_fee(v_lot.tariff, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, v_horizon, true);
  if v_walk.refusal is not null or v_ahead.refusal = 'no_rules' then
    return jsonb_build_object('refusal', private.fee_refusal(
      case when v_walk.refusal is null then v_ahead else v_walk end, v_lot.is_priced
    ));
  end if;
  -- Nothing is charged in grace; when it ends, everything since entry is charged.
  v_grace_until := private.grace_until(v_lot.tariff, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry);
  v_is_in_grace := coalesce(p_now <= v_grace_until, false);
  v_horizon := least(v_horizon, private.instant_of_us(v_ahead.refused_from));
  if v_is_in_grace and v_horizon <= v_grace_until and v_ahead.refusal is not null then
    -- Nothing is due during grace; the fee after it is unknown.
    v_horizon := v_grace_until;
    v_ahead.segments := '{}';
  end if;
  select jsonb_agg(jsonb_build_object('at', c.at, 'amount', c.amount) order by c.at) into v_curve
  from (
    select i.at, v_walk.total + sum(i.increase) over (order by i.at) as amount
    from private.fee_increases(v_ahead, case when v_is_in_grace then p_entry else p_now end, v_grace_until) i
  ) c;
  v_last_amount := coalesce((v_curve -> -1 ->> 'amount')::bigint, v_walk.total);
  return jsonb_build_object(
    'amount', v_walk.total,
    'currency', v_lot.currency,
    'next_increase_at', v_curve -> 0 -> 'at',
    'next_amount', v_curve -> 0 -> 'amount',
    'cap_reached', exists (
      select from unnest(v_walk.windows) w
      where w.room = 0 and (private.instant_of_us(w.ends) > p_now or (v_lot.tariff).cap_types[w.rule] = 'stay')
    ),
    'known_until', v_horizon,
    'curve', coalesce(v_curve, '[]') || jsonb_build_object('at', v_horizon, 'amount', v_last_amount),
    -- A running stay has no exit, so that only the surprises ahead are known.
    'surprises', (
      select coalesce(jsonb_agg(s.surprise order by s.place), '[]')
      from jsonb_array_elements(private.surprises_of_stay(
        v_lot.tariff, v_lot.usual, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, v_horizon, v_last_amount,
        v_lot.currency, v_lot.longest, null
      )) with ordinality as s (surprise, place)
      where (s.surprise ->> 'kind' ~ '^cap_' or s.surprise ->> 'kind' in ('special_day_price', 'stay_too_long'))
        and (s.surprise ->> 'at')::timestamptz >= p_now
    )
  );
end
$$;

-- Notifies the user of a running session of the surprises of the fee that begin within 15 minutes, once for each time. Returns when to check for the next one; null: none is ahead.
create function private.remind_of_surprises(p_session public.parking_sessions) returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  c_ahead constant interval := '15 minutes';
  v_meter constant jsonb := private.session_meter(p_session);
  v_time_zone constant text := (select l.time_zone from public.parking_lots l where l.id = (p_session).parking_lot_id);
  v_last_amount constant bigint := v_meter -> 'curve' -> -1 ->> 'amount';
  v_until constant timestamp := (v_meter ->> 'known_until')::timestamptz at time zone v_time_zone;
  v_surprise record;
  v_later_at timestamptz;
begin
  for v_surprise in
    -- The dearest of those that begin together.
    select distinct on (s.at) s.at, s.saves, s.message
    from rows from (
      jsonb_to_recordset(v_meter -> 'surprises') as (at timestamptz, saves bigint, message jsonb)
    ) with ordinality as s (at, saves, message, place)
    where s.saves > 0
    order by s.at, s.place
  loop
    if v_surprise.at - c_ahead > now() then
      v_later_at := least(v_later_at, v_surprise.at - c_ahead);
      continue;
    end if;
    update private.session_reminders r set told_surprise = v_surprise.at
    where r.session_id = (p_session).id and v_surprise.at > coalesce(r.told_surprise, '-infinity');
    if found then
      perform private.notify((p_session).user_id, 'fee_surprise', jsonb_build_object(
        'time', to_char(v_surprise.at at time zone v_time_zone, 'HH24:MI'),
        'before', private.money_text(v_last_amount - v_surprise.saves, v_meter ->> 'currency'),
        'amount', private.money_text(v_last_amount, v_meter ->> 'currency'),
        'until', jsonb_build_object(
          'ja', to_char(v_until, 'FMMM/FMDD HH24:MI'), 'en', to_char(v_until, 'FMDD Mon HH24:MI')
        ),
        'message', v_surprise.message
      ), jsonb_build_object('session_id', (p_session).id));
    end if;
  end loop;
  return v_later_at;
end
$$;

-- Processes sessions that are due, at most p_count; true when there were any that no other transaction had locked.
create or replace function private.next_reminder_batch(p_count integer default 20) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_session public.parking_sessions;
  v_look_at timestamptz;
  v_fault text;
begin
  -- The user before the session, as in every function that changes both. Locked, so that a session that ends meanwhile has
  -- ended before its reminder, or ends after it.
  for v_session in
    select s.* from private.session_reminders r
    join public.parking_sessions s on s.id = r.session_id
    join public.app_users u on u.id = s.user_id
    where r.look_at <= now() and s.status = 'parking' and u.status <> 'withdrawn'
    order by r.look_at limit p_count
    for key share of u skip locked for no key update of s skip locked
  loop
    begin
      v_look_at := least(
        private.remind_of_increase(v_session), private.remind_of_exit(v_session), private.remind_of_surprises(v_session),
        now() + interval '12 hours'
      );
    exception when sqlstate 'PGRST' or data_exception or integrity_constraint_violation or raise_exception then
      get stacked diagnostics v_fault = message_text;
      raise warning 'Session % is checked again in ten minutes: %', v_session.id, v_fault;
      v_look_at := now() + interval '10 minutes';
    end;
    update private.session_reminders set look_at = greatest(v_look_at, now() + interval '30 seconds')
    where session_id = v_session.id;
  end loop;
  return found;
end
$$;

insert into public.codes (category_id, code, lang, display_label, sort_order) values
  ('notification_type', 'fee_surprise', 'ja', '料金が大きく上がる前', 45),
  ('notification_type', 'fee_surprise', 'en', 'Before the fee rises sharply', 45);

insert into public.notification_types (code, push_enabled, in_app_enabled, email_enabled, is_urgent, email_allowed) values
  ('fee_surprise', true, true, false, false, false);

insert into private.notification_templates (name, type, lang, title, body) values
  ('fee_surprise', 'fee_surprise', 'ja', '{time}から料金が大きく上がります', '{time}に{before}の料金が、{until}には{amount}になります。{message}'),
  ('fee_surprise', 'fee_surprise', 'en', 'Your parking fee rises sharply after {time}',
    '{before} at {time} becomes {amount} by {until}. {message}');
