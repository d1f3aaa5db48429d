-- Push: notifications to devices, each device once, with exact counts.
--
-- private.push_deliveries has a row for each device to push to, in batches of at most 500; the queue push-dispatch has
-- one message for each batch. A consumer (the function push-dispatch, messages/push_worker.sql) reads a message, sends,
-- and records the outcome of each device. A row's outcome is written once, and the same statement increases the counts of
-- a composed notification. So a message that is read twice, or by two consumers, sends at most twice and counts once.
--
-- A notification to one user is a sent row of user_notifications, and the same transaction writes its deliveries. A
-- notification to many is a row without a user; its fan-out (messages/fan_out.sql) writes the rows of the inboxes and the
-- deliveries, page by page.
--
-- Rules. A user gets at most five pushes of a type in a minute: further ones stay in the inbox and are counted as
-- suppressed. Preferences of the type, the owner of the device and the status of the account are checked again when the
-- batch is sent. In quiet hours pushes wait, except those of urgent types. A push is of use for the push_ttl of its type,
-- and a reminder only until the moment that it announces: what was not sent by then is expired.
--
-- Invariants: one row for each notification and device. An outcome does not change, unless an administrator requeues a
-- dead message. success_count, failure_count and suppressed_count of a composed notification and expired of its fan-out
-- are the numbers of its deliveries with such outcomes. No push is sent from expires_at on.
-- Interface: private.push_notification for notifications to one user; private.may_push for the fan-out.

-- Counts a push of a type to each of these users, and returns those who had fewer than five within the last minute.
create function private.may_push(p_user_ids uuid[], p_type text) returns setof uuid
language plpgsql rows 1000
set search_path = ''
as $$
begin
  -- In one order, so that two fan-outs to the same users cause no deadlock.
  return query
    insert into private.push_times as t (user_id, type, sent_at)
    select u.id, p_type, array[now()] from unnest(p_user_ids) as u (id) order by u.id
    on conflict (user_id, type) do update set sent_at = (excluded.sent_at || t.sent_at)[1:5]
      where cardinality(t.sent_at) < 5 or t.sent_at[5] <= now() - interval '1 minute'
    returning t.user_id;
end
$$;

-- Reopens the deliveries of a dead message that an administrator requeued: their outcome is unknown again.
create function private.reopen_deliveries(p_message jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  if not p_message ? 'token_ids' then
    return;
  end if;
  with reopened as (
    update private.push_deliveries d set outcome = null, recorded_at = null, attempts = 0
    where d.notification_id = (p_message ->> 'notification_id')::uuid and d.outcome = 'undeliverable'
      and d.token_id = any (array(select jsonb_array_elements_text(p_message -> 'token_ids'))::uuid[])
    returning d.token_id
  )
  update public.user_notifications n set failure_count = n.failure_count - r.devices
  from (select count(*) as devices from reopened) r
  where n.id = (p_message ->> 'notification_id')::uuid and n.is_composed and r.devices > 0;
end
$$;

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
