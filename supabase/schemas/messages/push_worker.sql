-- Push worker: batches for the consumer, and the outcomes of devices.
--
-- The function push-dispatch takes batches, sends them and records the outcomes, fifty at a time, until the queue is
-- empty. A taken batch is hidden from other consumers for the lease, which the consumer extends while it works. When a
-- consumer dies, the batch is taken again, without the devices whose outcome is recorded. So the push service gets each
-- push at least once, at most fifty twice after a crash of a consumer, and the counts are exact.
--
-- At most eight batches are sent at once, for any number of consumers.
--
-- A device that cannot be reached is retried with its batch, up to five times, each time after twice the wait. While the
-- push service is down, rejects the credentials or is not configured, no attempt is counted: everything except fan-outs
-- waits, and each retry waits longer, up to five minutes. After a pause one consumer tries one batch, and the others
-- continue when it succeeds. Administrators are notified once (messages/outages.sql).
--
-- A push that was not sent while it was of use is expired, and so is the reminder of a stay that has ended or changed. The
-- database checks it before each try, and the consumer compares its clock before each request.
--
-- Interface, for the function: api.take_push_batches, api.extend_push_lease, api.record_push_outcomes, api.pause_push.

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
create function private.record_outcomes(p_notification_id uuid, p_token_ids uuid[], p_outcomes text[]) returns void
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

-- Sets a notification to sent when its fan-out has ended and all its devices have an outcome.
create function private.close_notification(p_notification_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.user_notifications n set status = 'sent', sent_at = coalesce(n.sent_at, now())
  where n.id = p_notification_id and n.status = 'sending'
    and exists (select from private.fan_outs f where f.notification_id = n.id and f.finished_at is not null)
    and not exists (select from private.push_deliveries d where d.notification_id = n.id and d.outcome is null);
end
$$;

-- A batch for its consumer; null when it has no device to send to now. Devices that no longer want the push, or for which
-- it is of no use any more, get their outcome.
create function private.push_batch(p_msg_id bigint, p_notification_id uuid, p_batch integer) returns jsonb
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
create function private.settle_batch(p_msg_id bigint, p_notification_id uuid, p_batch integer, p_retry_seconds integer) returns void
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

-- Records devices of a batch with five failed attempts as undeliverable, and stores them as a dead message.
create function private.mark_undeliverable(p_notification_id uuid, p_batch integer) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_given_up uuid[];
begin
  select array_agg(d.token_id) into v_given_up from private.push_deliveries d
  where d.notification_id = p_notification_id and d.batch = p_batch and d.outcome is null and d.attempts >= 5;
  if v_given_up is not null then
    perform private.record_outcomes(p_notification_id, v_given_up, array_fill('undeliverable'::text, array[cardinality(v_given_up)]));
    insert into private.dead_messages (queue, msg_id, message, read_count, enqueued_at)
    select 'push-dispatch', nextval('private.undeliverable_pushes'), jsonb_build_object(
      'notification_id', p_notification_id, 'batch', p_batch, 'token_ids', to_jsonb(v_given_up)
    ), 5, now();
  end if;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- The consumer
-- ---------------------------------------------------------------------------------------------------------------------

-- How many batches may be taken now: none while pushing is paused, one (the try) after a pause, otherwise eight without
-- those that are being sent.
create function private.open_push_slots() returns integer
language plpgsql stable
set search_path = ''
as $$
declare
  c_batches_at_once constant integer := 8;
  v_outage private.outages;
begin
  select * into v_outage from private.outages o where o.queue = 'push-dispatch';
  return case
    when v_outage.paused_until > now() then 0
    when v_outage.failures > 0 then case when v_outage.tried_until > now() then 0 else 1 end
    else greatest(0, c_batches_at_once - (select count(*) from private.push_leases l where l.leased_until > now()))
  end;
end
$$;

-- Up to p_limit messages of batches that may be taken now, the oldest first; a random one while the push service cannot
-- be used. The caller excludes other consumers.
create function private.take_push_messages(p_limit integer)
returns table (msg_id bigint, message jsonb)
language plpgsql rows 10
set search_path = ''
as $$
declare
  v_slots constant integer := private.open_push_slots();
begin
  if exists (select from private.outages o where o.queue = 'push-dispatch' and o.failures > 0) then
    -- A random one of those that wait: a batch whose devices have their own problem does not block the others.
    return query
      select m.msg_id, m.message from (
        select q.msg_id from pgmq."q_push-dispatch" q where q.vt <= clock_timestamp() and v_slots > 0 order by random() limit 1
      ) chosen
      cross join lateral pgmq.set_vt('push-dispatch', chosen.msg_id, private.lease_seconds()) as m;
  else
    return query
      select m.msg_id, m.message from pgmq.read('push-dispatch', private.lease_seconds(), least(p_limit, v_slots)) as m;
  end if;
end
$$;

-- Records that a batch is being sent.
create function private.lease_push_batch(p_msg_id bigint) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_until constant timestamptz := clock_timestamp() + make_interval(secs => private.lease_seconds());
begin
  insert into private.push_leases as l (msg_id, leased_until) values (p_msg_id, v_until)
  on conflict (msg_id) do update set leased_until = excluded.leased_until;
  -- The first batch after a pause is the try; when its consumer dies, another one tries.
  update private.outages o set tried_until = v_until where o.queue = 'push-dispatch' and o.failures > 0;
end
$$;

-- As api.extend_push_lease, without further checks.
create function private.hold_push_batch(p_msg_id bigint) returns void
language plpgsql
security definer -- as api.take_push_batches
set search_path = ''
as $$
begin
  perform private.hide_messages('push-dispatch', array[p_msg_id], private.lease_seconds());
  -- A fan-out has no row here, and neither has a batch whose last outcomes are recorded.
  perform private.lease_push_batch(l.msg_id) from private.push_leases l where l.msg_id = p_msg_id for update;
end
$$;

-- Whether the push service rejects the content of a composed notification, by the outcomes of devices that it answered at
-- once. It refuses each of them that it knows, these are of several users, and no device was reached before. One refusal
-- proves nothing: some tokens that are broken get the same response.
create function private.is_content_rejected(p_notification_id uuid, p_outcomes jsonb) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select count(distinct d.user_id) filter (where o.outcome = 'payload_fault') >= 2
      and bool_and(o.outcome in ('payload_fault', 'dead_token', 'wrong_sender'))
    from jsonb_to_recordset(p_outcomes) as o (token_id uuid, outcome text)
    join private.push_deliveries d on d.notification_id = p_notification_id and d.token_id = o.token_id
  ) and exists (select from public.user_notifications n where n.id = p_notification_id and n.is_composed and n.success_count = 0);
end
$$;

-- The push service rejects the content of a notification: devices without an outcome fail, and so does the notification.
create function private.fail_notification(p_notification_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.record_outcomes(p_notification_id, array_agg(d.token_id), array_agg('payload_fault'::text))
  from private.push_deliveries d where d.notification_id = p_notification_id and d.outcome is null;
  update public.user_notifications n set status = 'failed' where n.id = p_notification_id and n.status = 'sending';
end
$$;
