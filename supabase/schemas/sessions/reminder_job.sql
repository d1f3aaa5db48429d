-- Session reminders: users who park are notified 5 minutes before the fee increases, 30 minutes before the exit closes, and
-- 15 minutes before a surprise of the fee begins.
--
-- A job reads the sessions that are due (sessions/reminders.sql), computes fee and hours, notifies, and stores the time
-- of its next check. That is in time for the next increase that is more than 5 minutes ahead, the next closing and surprise,
-- and at least every 12 hours, because prices and hours change. It works in batches, each a transaction: a reminder is
-- sent together with its record, or not at all. Past events, when the job did not run, are not sent. The push of a reminder
-- is of use until its event.
--
-- Invariants: a session is reminded once of each event: an increase, a closing, a surprise. A session that another transaction has
-- locked is checked later, so that no user and no job is in a deadlock with a batch. A session whose price or hours
-- cannot be computed blocks no other.
-- Interface: the job send_session_reminders.

-- An amount in minor units as text, by language where it differs.
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

-- Notifies the user of a running session that its fee increases within 5 minutes, unless they were notified or it is
-- watched for less than that. Returns when to check for the next increase; null: none is known.
create function private.remind_of_increase(p_session public.parking_sessions) returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  c_ahead constant interval := '5 minutes';
  v_meter constant jsonb := private.session_meter(p_session);
  v_next record;
begin
  -- The last point of the curve is its end, not an increase.
  select min(c.at) as at, min(c.at) filter (where c.at - c_ahead > now()) as later_at,
    (array_agg(c.amount order by c.at))[1] as amount
  into v_next
  from jsonb_to_recordset((v_meter -> 'curve') - -1) as c (at timestamptz, amount numeric) where c.at >= now();
  update private.session_reminders r set told_increase = v_next.at
  where r.session_id = (p_session).id and v_next.at <= now() + c_ahead and v_next.at >= r.watched_from + c_ahead
    and v_next.at is distinct from r.told_increase;
  if found then
    perform private.notify((p_session).user_id, 'fee_increase', jsonb_build_object(
      'time', to_char(v_next.at at time zone (
        select l.time_zone from public.parking_lots l where l.id = (p_session).parking_lot_id
      ), 'HH24:MI'), 'amount', private.money_text(v_next.amount, v_meter ->> 'currency')
    ), jsonb_build_object('session_id', (p_session).id), v_next.at);
  end if;
  return v_next.later_at - c_ahead;
end
$$;

-- Notifies the user of a running session that the exit closes within 30 minutes, unless they were notified. Returns when
-- to check the exit again; null: nothing changes within 14 days.
create function private.remind_of_exit(p_session public.parking_sessions) returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  c_ahead constant interval := '30 minutes';
  v_exit record;
begin
  select e.can_exit, e.changes_at into v_exit from private.session_exit(p_session) e;
  if v_exit.can_exit and v_exit.changes_at - c_ahead > now() then
    return v_exit.changes_at - c_ahead;
  end if;
  update private.session_reminders r set told_exit = v_exit.changes_at
  where r.session_id = (p_session).id and v_exit.can_exit and v_exit.changes_at <> coalesce(r.told_exit, '-infinity');
  if found then
    perform private.notify((p_session).user_id, 'exit_closing', jsonb_build_object(
      'time', to_char(v_exit.changes_at at time zone (
        select l.time_zone from public.parking_lots l where l.id = (p_session).parking_lot_id
      ), 'HH24:MI')
    ), jsonb_build_object('session_id', (p_session).id), v_exit.changes_at);
  end if;
  return v_exit.changes_at;
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
      ), jsonb_build_object('session_id', (p_session).id), v_surprise.at);
    end if;
  end loop;
  return v_later_at;
end
$$;

-- Processes sessions that are due, at most p_count; true when there were any that no other transaction had locked.
create function private.next_reminder_batch(p_count integer default 20) returns boolean
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
