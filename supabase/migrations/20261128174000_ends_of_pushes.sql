-- Pushes have an end of their use: a reminder at the moment that it announces, others after the push_ttl of their type. A push
-- that was not sent by then has the outcome expired, and so has the reminder of a stay that has ended or changed.
--
-- The definitions are those of supabase/schemas after this change. The way back: the functions as they were; then drop
-- private.expire_pushes and private.is_reminder_current, and the columns.

set lock_timeout = '2s';

-- pgls-ignore lint/safety/addingFieldWithDefault: a constant default rewrites no row since Postgres 11
alter table public.notification_types add column push_ttl interval not null default '7 days'
  constraint notification_types_push_ttl_bounds check (push_ttl between '1 second' and '28 days');
comment on column public.notification_types.push_ttl is
  'How long a push of the type is of use; a reminder of a session ends earlier, at the moment that it announces.';
grant select (push_ttl) on public.notification_types to authenticated;
update public.notification_types t set push_ttl = v.push_ttl
from (values
  ('announcement', interval '1 day'),
  ('campaign', interval '1 day'),
  ('fee_increase', interval '5 minutes'),
  ('exit_closing', interval '30 minutes'),
  ('fee_surprise', interval '15 minutes'),
  ('session_reminder', interval '1 hour'),
  ('saved_lot_update', interval '1 day')
) as v (code, push_ttl)
where t.code = v.code;

-- The values of the constraint are more than before, and are checked in the next file.
-- pgls-ignore lint/safety/avoidWideLockWindow: the only rows that this file writes are the types, a dozen
-- pgls-ignore lint/safety/addingFieldWithDefault: now() is computed once, and rewrites no row since Postgres 11
alter table private.push_deliveries
  add column expires_at timestamptz not null default now() + interval '28 days',
  drop constraint push_deliveries_outcome_known,
  add constraint push_deliveries_outcome_known
    check (outcome in ('delivered', 'dead_token', 'wrong_sender', 'payload_fault', 'undeliverable', 'gone', 'suppressed', 'expired'))
    not valid;
comment on column private.push_deliveries.outcome is
  'Null: not yet known. `undeliverable`: five attempts failed. `gone`: the device is not the user''s any more, or the user does not want pushes. `expired`: it was not sent while it was of use.';
comment on column private.push_deliveries.expires_at is
  'From then on the push has no use and is not sent. The default is as long as the messaging service keeps a push.';

-- pgls-ignore lint/safety/avoidWideLockWindow: the only rows that this file writes are the types, a dozen
-- pgls-ignore lint/safety/addingFieldWithDefault: a constant default rewrites no row since Postgres 11
alter table private.fan_outs add column expired integer not null default 0;
comment on column private.fan_outs.expired is 'The number of its deliveries with the outcome `expired`.';

-- These get another parameter or another result.
drop function private.notify(uuid, text, jsonb, jsonb);
drop function private.notify_user(uuid, text, text, text, text, jsonb);
drop function private.push_notification(uuid, uuid, text);
drop function private.push_recipients(uuid, integer, text);

-- Queues the pushes of a notification to one user's devices, in the transaction of its cause. Does nothing for a user who
-- is not active, has no device or turned pushes of the type off. The pushes are of use until p_useful_until, at most for
-- the push_ttl of the type.
create function private.push_notification(p_notification_id uuid, p_user_id uuid, p_type text, p_useful_until timestamptz default null)
returns void
language plpgsql
security definer -- no client may write deliveries
set search_path = ''
as $$
declare
  v_tokens uuid[];
  v_expires_at timestamptz;
  v_may_push boolean;
begin
  select array_agg(t.id order by t.id), least(now() + min(y.push_ttl), p_useful_until) into v_tokens, v_expires_at
  from public.user_push_tokens t
  join public.app_users u on u.id = t.user_id and u.status = 'active'
  join public.notification_types y on y.code = p_type
  left join public.notification_preferences p on p.user_id = t.user_id and p.notif_type = p_type
  where t.user_id = p_user_id and coalesce(p.push_enabled, y.push_enabled);
  if v_tokens is null then
    return;
  end if;
  v_may_push := exists (select from private.may_push(array[p_user_id], p_type));
  insert into private.push_deliveries (notification_id, token_id, user_id, batch, outcome, recorded_at, expires_at)
  select p_notification_id, t.id, p_user_id, 0, case when not v_may_push then 'suppressed' end, case when not v_may_push then now() end,
    v_expires_at
  from unnest(v_tokens) as t (id);
  if v_may_push then
    perform private.enqueue('push-dispatch', jsonb_build_object('notification_id', p_notification_id, 'batch', 0));
    perform private.wake_consumer('push-dispatch');
  end if;
end
$$;

-- Sends a notification to a user, in the transaction of its cause, and returns its id: to the inbox unless the user turned
-- that off for the type, then to the devices, then by mail. Its pushes are of use until p_useful_until. For functions of
-- the service only. An unknown type is an error.
create function private.notify_user(
  p_user_id uuid, p_type text, p_title text, p_body text, p_target text default 'user', p_data jsonb default '{}',
  p_useful_until timestamptz default null
) returns uuid
language plpgsql
security definer -- no role writes notifications directly, least of all to other users
set search_path = ''
as $$
declare
  v_id uuid;
begin
  insert into public.user_notifications (user_id, type, title, body, target, status, sent_at, is_in_app, data)
  select p_user_id, t.code, p_title, p_body, p_target, 'sent', now(), coalesce(p.in_app_enabled, t.in_app_enabled), p_data
  from public.notification_types t
  left join public.notification_preferences p on p.user_id = p_user_id and p.notif_type = t.code
  where t.code = p_type
  returning id into strict v_id;
  perform private.push_notification(v_id, p_user_id, p_type, p_useful_until);
  perform private.write_mails(v_id, p_type, false, array[p_user_id]);
  return v_id;
end
$$;

-- Notifies a user by a template, in their language and in the transaction of the cause, and returns the id of the
-- notification. p_data: what the app opens. p_useful_until: the end of its use, if that comes before the push_ttl of its
-- type. For functions of the service only.
create function private.notify(
  p_user_id uuid, p_template text, p_values jsonb default '{}', p_data jsonb default '{}', p_useful_until timestamptz default null
) returns uuid
language plpgsql
security definer -- no role writes notifications directly
set search_path = ''
as $$
declare
  v_template private.notification_templates;
begin
  select t.* into strict v_template
  from private.notification_templates t
  join public.app_users u on u.id = p_user_id and u.lang = t.lang
  where t.name = p_template;
  return private.notify_user(p_user_id, v_template.type, left(private.fill_template(v_template.title, p_values, v_template.lang), 200),
    left(private.fill_template(v_template.body, p_values, v_template.lang), 4000), p_data => p_data,
    p_useful_until => p_useful_until);
end
$$;

-- Writes the deliveries to these users' devices, after the p_before that exist, and returns how many are to be sent.
-- Those of users who had five pushes within a minute are suppressed and counted.
create or replace function private.write_deliveries(p_notification public.user_notifications, p_user_ids uuid[], p_before integer) returns integer
language plpgsql
set search_path = ''
as $$
declare
  v_written integer;
begin
  with wanted as (
    select t.id as token_id, t.user_id, now() + y.push_ttl as expires_at
    from public.user_push_tokens t
    join public.notification_types y on y.code = (p_notification).type
    left join public.notification_preferences p on p.user_id = t.user_id and p.notif_type = y.code
    where t.user_id = any (p_user_ids) and coalesce(p.push_enabled, y.push_enabled)
  ), allowed as (
    select a.id from private.may_push((select array_agg(distinct w.user_id) from wanted w), (p_notification).type) as a (id)
  ), written as (
    insert into private.push_deliveries (notification_id, token_id, user_id, batch, outcome, recorded_at, expires_at)
    select (p_notification).id, w.token_id, w.user_id,
      (p_before + row_number() over (partition by a.id is null order by w.user_id, w.token_id) - 1) / 500,
      case when a.id is null then 'suppressed' end, case when a.id is null then now() end, w.expires_at
    from wanted w left join allowed a on a.id = w.user_id
    returning outcome
  ), counted as (
    select count(*) filter (where outcome is null) as open, count(*) filter (where outcome is not null) as suppressed from written
  ), noted as (
    update public.user_notifications n set suppressed_count = n.suppressed_count + c.suppressed
    from counted c where n.id = (p_notification).id and c.suppressed > 0
  )
  select c.open into v_written from counted c;
  return v_written;
end
$$;

-- Notifies the user of a running session that its fee increases within 5 minutes, unless they were notified or it is
-- watched for less than that. Returns when to check for the next increase; null: none is known.
create or replace function private.remind_of_increase(p_session public.parking_sessions) returns timestamptz
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
create or replace function private.remind_of_exit(p_session public.parking_sessions) returns timestamptz
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
create or replace function private.remind_of_surprises(p_session public.parking_sessions) returns timestamptz
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

-- Whether the session that a notification reminds of still runs, unchanged since. True for other notifications.
create function private.is_reminder_current(p_notification public.user_notifications) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  v_session_id constant text := (p_notification).data ->> 'session_id';
begin
  return v_session_id is null or (p_notification).is_composed or exists (
    select from private.session_reminders r
    where r.session_id = case when pg_input_is_valid(v_session_id, 'uuid') then v_session_id::uuid end
      and r.watched_from <= (p_notification).created_at
  );
end
$$;

-- The devices of a batch without an outcome: whether they still want the push, the end of their users' quiet hours, and the
-- end of its use.
create function private.push_recipients(p_notification_id uuid, p_batch integer, p_type text)
returns table (token_id uuid, fcm_token text, user_id uuid, lang text, is_wanted boolean, waits_until timestamptz, expires_at timestamptz)
language plpgsql stable rows 500
set search_path = ''
as $$
begin
  return query
    select d.token_id, t.fcm_token, d.user_id, u.lang,
      t.id is not null and u.status = 'active' and coalesce(p.push_enabled, y.push_enabled, false),
      case when not y.is_urgent then private.quiet_until(q.from_time, q.to_time, q.time_zone, now()) end,
      d.expires_at
    from private.push_deliveries d
    left join public.notification_types y on y.code = p_type -- no row: the notification was deleted with its user
    left join public.user_push_tokens t on t.id = d.token_id and t.user_id = d.user_id
    left join public.app_users u on u.id = d.user_id
    left join public.notification_preferences p on p.user_id = d.user_id and p.notif_type = p_type
    left join public.notification_quiet_hours q on q.user_id = d.user_id
    where d.notification_id = p_notification_id and d.batch = p_batch and d.outcome is null;
end
$$;

-- Records outcomes of devices that have none yet, and counts them on a composed notification; expired ones on its fan-out,
-- because they have not failed.
create or replace function private.record_outcomes(p_notification_id uuid, p_token_ids uuid[], p_outcomes text[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- One statement: an existing outcome is not counted again, and no outcome exists without its count.
  with recorded as (
    update private.push_deliveries d set outcome = o.outcome, recorded_at = now()
    from unnest(p_token_ids, p_outcomes) as o (token_id, outcome)
    where d.notification_id = p_notification_id and d.token_id = o.token_id and d.outcome is null
    returning d.outcome
  ), counted as (
    select count(*) filter (where outcome = 'delivered') as successes,
      count(*) filter (where outcome not in ('delivered', 'expired')) as failures, count(*) filter (where outcome = 'expired') as expired
    from recorded
  ), noted as (
    update private.fan_outs f set expired = f.expired + c.expired
    from counted c where f.notification_id = p_notification_id and c.expired > 0
  )
  update public.user_notifications n
  set success_count = n.success_count + c.successes, failure_count = n.failure_count + c.failures
  from counted c
  where n.id = p_notification_id and n.is_composed and (c.successes > 0 or c.failures > 0);
end
$$;

-- Records devices of a batch as expired for which the push is of no use any more: its end has passed, or the stay that it
-- reminds of has ended or changed.
create function private.expire_pushes(p_notification_id uuid, p_batch integer) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_is_current constant boolean := not exists (
    select from public.user_notifications n where n.id = p_notification_id and not private.is_reminder_current(n)
  );
begin
  perform private.record_outcomes(p_notification_id, array_agg(d.token_id), array_agg('expired'::text))
  from private.push_deliveries d
  where d.notification_id = p_notification_id and d.batch = p_batch and d.outcome is null
    and (d.expires_at <= now() or not v_is_current);
end
$$;

-- A batch for its consumer; null when it has no device to send to now. Devices that no longer want the push, or for which
-- it is of no use any more, get their outcome.
create or replace function private.push_batch(p_msg_id bigint, p_notification_id uuid, p_batch integer) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_notification public.user_notifications;
  v_unwanted uuid[];
  v_devices jsonb;
begin
  select * into v_notification from public.user_notifications where id = p_notification_id;
  perform private.expire_pushes(p_notification_id, p_batch);
  select array_agg(r.token_id) filter (where r.is_wanted is not true), jsonb_agg(jsonb_build_object(
      'token_id', r.token_id, 'fcm_token', r.fcm_token, 'lang', r.lang, 'badge', b.unread, 'expires_at', r.expires_at
    ) order by r.token_id) filter (where r.is_wanted and r.waits_until is null)
  into v_unwanted, v_devices
  from private.push_recipients(p_notification_id, p_batch, v_notification.type) r
  left join lateral (
    select count(*) as unread from public.user_notifications n
    where n.user_id = r.user_id and n.status = 'sent' and n.is_in_app and n.read_at is null
  ) b on r.is_wanted and r.waits_until is null;
  if v_unwanted is not null then
    perform private.record_outcomes(p_notification_id, v_unwanted, array_fill('gone'::text, array[cardinality(v_unwanted)]));
  end if;
  if v_devices is null then
    perform private.settle_batch(p_msg_id, p_notification_id, p_batch, null);
    return null;
  end if;
  return jsonb_build_object(
    'msg_id', p_msg_id, 'notification_id', p_notification_id, 'batch', p_batch, 'type', v_notification.type,
    'texts', jsonb_build_object(
      'ja', jsonb_build_object('title', v_notification.title, 'body', v_notification.body),
      'en', jsonb_build_object('title', coalesce(v_notification.title_en, v_notification.title),
        'body', coalesce(v_notification.body_en, v_notification.body))
    ),
    'data', v_notification.data, 'devices', v_devices
  );
end
$$;

-- Deletes the message of a batch when all its devices have an outcome. Otherwise it is read again after p_retry_seconds,
-- or when the quiet hours of its users or the use of the push end.
create or replace function private.settle_batch(p_msg_id bigint, p_notification_id uuid, p_batch integer, p_retry_seconds integer) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_type text;
  v_open bigint;
  v_waits_until timestamptz;
begin
  perform private.expire_pushes(p_notification_id, p_batch);
  select n.type into v_type from public.user_notifications n where n.id = p_notification_id;
  select count(*), case when bool_and(r.waits_until is not null) then min(least(r.waits_until, r.expires_at)) end into v_open, v_waits_until
  from private.push_recipients(p_notification_id, p_batch, v_type) r;
  if v_open = 0 then
    perform pgmq.delete('push-dispatch', p_msg_id);
    perform private.close_notification(p_notification_id);
  else
    perform private.note_deferred(p_notification_id, p_batch, v_type);
    perform pgmq.set_vt('push-dispatch', p_msg_id,
      greatest(1, ceil(extract(epoch from v_waits_until - now())), coalesce(p_retry_seconds, 1))::integer);
  end if;
end
$$;

comment on function api.take_push_batches(integer) is
  'Up to p_limit messages of the queue push-dispatch, hidden from other consumers for private.lease_seconds: {found, is_service_up (a device was reached within the last two minutes, and pushing is not paused), batches: [{msg_id, notification_id, batch, type, texts: {ja, en}, data, devices: [{token_id, fcm_token, lang, badge, expires_at}]}]}. An item without batch is a fan-out, for api.fan_out_notification. Batches without a device to send to are counted in found and settled, but not returned. While pushing is paused or eight batches are being sent only fan-outs are found. For the service only. It raises no errors.';

create or replace function api.record_push_outcomes(
  p_msg_id bigint, p_notification_id uuid, p_batch integer, p_outcomes jsonb, p_retry_seconds integer default null,
  p_continues boolean default false
) returns boolean
language plpgsql
security definer -- as api.take_push_batches
set search_path = ''
as $$
declare
  v_later constant uuid[] := array(select (o ->> 'token_id')::uuid from jsonb_array_elements(p_outcomes) o where o ->> 'outcome' = 'later');
  v_tries integer;
  v_is_rejected boolean;
begin
  perform private.record_outcomes(p_notification_id, array_agg((o ->> 'token_id')::uuid), array_agg(o ->> 'outcome'))
  from jsonb_array_elements(p_outcomes) o where o ->> 'outcome' <> 'later';
  -- Only if unchanged: the token may be another user's by now.
  delete from public.user_push_tokens t
  using jsonb_to_recordset(p_outcomes) as o (token_id uuid, fcm_token text, outcome text)
  where t.id = o.token_id and t.fcm_token = o.fcm_token and o.outcome in ('dead_token', 'wrong_sender');
  update private.push_deliveries d set attempts = d.attempts + 1
  where d.notification_id = p_notification_id and d.token_id = any (v_later) and d.outcome is null;
  perform private.mark_undeliverable(p_notification_id, p_batch);
  v_is_rejected := private.is_content_rejected(p_notification_id, p_outcomes);
  if v_is_rejected then
    perform private.fail_notification(p_notification_id);
  end if;
  if p_outcomes <> '[]' then
    perform private.end_outage('push-dispatch');
  end if;
  update private.outages o set reached_at = now()
  where o.queue = 'push-dispatch' and o.reached_at < now() - interval '30 seconds'
    and exists (select from jsonb_array_elements(p_outcomes) o where o ->> 'outcome' <> 'later');
  if p_continues and not v_is_rejected then
    perform private.hold_push_batch(p_msg_id);
    return false;
  end if;
  delete from private.push_leases where msg_id = p_msg_id;
  select max(d.attempts) into v_tries from private.push_deliveries d
  where d.notification_id = p_notification_id and d.batch = p_batch and d.outcome is null;
  perform private.settle_batch(p_msg_id, p_notification_id, p_batch, p_retry_seconds * (2 ^ greatest(v_tries - 1, 0))::integer);
  return v_is_rejected;
end
$$;

comment on function api.record_push_outcomes(bigint, uuid, integer, jsonb, integer, boolean) is
  'Records the outcomes of devices of a batch, each {token_id, fcm_token, outcome}. outcome is delivered, dead_token or wrong_sender (the device is deleted), payload_fault (the device refuses this message), or later. later is retried after p_retry_seconds, then after twice as long each time, at most five times. A device whose push expires_at passed meanwhile is not sent to and has no outcome here: its outcome is expired when the batch is settled. p_continues: the consumer has sent only a part of the batch, and keeps its lease. Each outcome counts once, also when it is recorded again. Returns true when the push service rejects the content: every device that it knows refused it, these are of several users, and none was reached before. The notification has then failed, and its other devices get no push. For the service only. It raises no errors.';

-- The funnel of a composed notification: its audience, the inboxes, the devices and their outcomes, the opened rows. Null:
-- there is no such notification.
create or replace function private.notification_funnel(p_id uuid) returns jsonb
language plpgsql stable
security definer -- fan-outs and deliveries are private; returns numbers
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'people', coalesce(f.people, 0), 'inboxes', case when f.notification_id is null then 0 else f.inboxes end,
      'devices', coalesce(f.devices, 0) + n.suppressed_count, 'delivered', n.success_count, 'failed', n.failure_count,
      'suppressed', n.suppressed_count, 'expired', coalesce(f.expired, 0), 'deferred', coalesce(f.deferred, 0),
      'waiting', greatest(0, coalesce(f.devices - f.expired, 0) - n.success_count - n.failure_count),
      'failures', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'outcome', c.outcome, 'devices', least(c.devices, private.max_total()), 'is_exact', c.devices <= private.max_total()
        ) order by c.devices desc, c.outcome), '[]')
        from (
          select o.outcome, (
            select count(*) from (
              select from private.push_deliveries d where d.notification_id = n.id and d.outcome = o.outcome
                and d.outcome <> 'delivered' limit private.max_total() + 1
            ) d
          ) as devices
          from unnest('{dead_token,wrong_sender,payload_fault,undeliverable,gone}'::text[]) as o (outcome)
        ) c
        where c.devices > 0
      ),
      'opened', least(r.opened, private.max_total()), 'opened_is_exact', r.opened <= private.max_total()
    )
    from public.user_notifications n
    left join private.fan_outs f on f.notification_id = n.id
    cross join lateral (
      select count(*) as opened from (
        select from public.user_notifications i where i.composed_id = n.id and i.read_at is not null limit private.max_total() + 1
      ) i
    ) r
    where n.id = p_id and n.is_composed
  );
end
$$;

comment on function api.admin_read_notification_funnel(uuid, uuid) is
  'What became of a composed notification: {people, inboxes (null: from before they were counted), devices, delivered, failed, suppressed, expired, deferred, waiting, failures: [{outcome, devices, is_exact}], opened, opened_is_exact}. Opened inboxes and devices of a reason are counted up to 10,000, reasons for 30 days. Errors: forbidden, not_found.';

create or replace function api.admin_list_undelivered_devices(
  p_admin_id uuid, p_id uuid, p_outcome text default null, p_include text[] default '{}', p_cursor text default null,
  p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'notifications');
  perform private.check_choice('outcome', p_outcome, '{dead_token,wrong_sender,payload_fault,undeliverable,gone,suppressed,expired}');
  perform private.require_row(
    (select to_jsonb(n.id) from public.user_notifications n where n.id = p_id and n.is_composed), 'There is no such notification.'
  );
  return private.undelivered_page(p_id, p_outcome, p_include, p_cursor, p_limit);
end
$$;
