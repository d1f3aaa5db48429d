-- Store notifications: stored before they are answered, and recorded from a queue.
--
-- The function store-notifications verifies a notification and stores it here, with a message of the queue
-- store-notifications in the same transaction. Its consumer records it in the ledger: one of the App Store directly, one of
-- Google Play after a query of the purchase there. A notification is processed in the transaction that records it. While a
-- store is down its notifications wait, and no attempt is counted; other failures are retried up to five times.
--
-- Invariants: a notification is stored once, by the store's id. Its content is kept only until it is recorded, because it
-- has purchase tokens and account tokens.
-- Interface, all for the service: api.receive_store_notification; for the consumer api.take_store_notifications,
-- api.finish_store_notification, api.postpone_store_notifications.

-- As api.receive_store_notification.
create function private.keep_store_notification(p_store text, p_event_id text, p_body jsonb) returns boolean
language plpgsql
security definer -- queues and notifications are accessed only through functions of private
set search_path = ''
as $$
declare
  v_id uuid;
begin
  insert into private.store_notifications (store, event_id, body) values (p_store, p_event_id, p_body)
  on conflict (store, event_id) do nothing returning id into v_id;
  if v_id is null then
    return false;
  end if;
  perform private.enqueue('store-notifications', jsonb_build_object('notification_id', v_id));
  perform private.wake_consumer('store-notifications/process');
  return true;
end
$$;

-- As api.take_store_notifications.
create function private.read_store_notifications(p_limit integer, p_ends boolean) returns jsonb
language plpgsql
security definer -- as private.keep_store_notification
set search_path = ''
as $$
declare
  v_messages jsonb := private.read_messages('store-notifications', private.lease_seconds(), p_limit);
  v_notifications jsonb;
begin
  -- While a consumer works no other is called.
  if p_ends then
    delete from private.wake_ups where function = 'store-notifications/process';
  else
    insert into private.wake_ups (function, called_at) values ('store-notifications/process', clock_timestamp())
    on conflict (function) do update set called_at = excluded.called_at;
  end if;
  select coalesce(jsonb_agg(jsonb_build_object(
    'msg_id', m.msg_id, 'attempt', m.read_count, 'notification_id', n.id, 'store', n.store, 'body', n.body, 'facts', k.facts
  ) order by m.msg_id), '[]')
  into v_notifications
  from jsonb_to_recordset(v_messages) as m (msg_id bigint, read_count integer, message jsonb)
  join private.store_notifications n on n.id = (m.message ->> 'notification_id')::uuid and n.processed_at is null
  left join lateral (
    select (private.last_store_event(s.id)).facts from public.user_subscriptions s
    where s.platform = 'android' and n.store = 'android_store' and s.environment in ('Production', 'Sandbox')
      and s.subscription_key = n.body ->> 'subscription_key'
  ) k on true;
  -- Messages whose notification is processed already, or deleted.
  perform private.finish_messages('store-notifications', array_agg(m.msg_id))
  from jsonb_to_recordset(v_messages) as m (msg_id bigint)
  where not exists (
    select from jsonb_to_recordset(v_notifications) as n (msg_id bigint) where n.msg_id = m.msg_id
  );
  return jsonb_build_object('found', jsonb_array_length(v_messages), 'notifications', v_notifications);
end
$$;

-- As api.finish_store_notification.
create function private.end_store_notification(p_msg_id bigint, p_notification_id uuid, p_statement jsonb, p_problem text) returns jsonb
language plpgsql
security definer -- as private.keep_store_notification
set search_path = ''
as $$
declare
  v_recorded jsonb;
begin
  perform from private.store_notifications n where n.id = p_notification_id and n.processed_at is null for update;
  if found then
    if p_statement is not null then
      v_recorded := private.write_store_statement(p_statement, 'notification', null);
    end if;
    update private.store_notifications n
    set processed_at = now(), problem = p_problem, body = case when p_problem is not null then n.body end
    where n.id = p_notification_id;
  end if;
  perform private.dequeue('store-notifications', p_msg_id);
  return v_recorded;
end
$$;

-- As api.postpone_store_notifications.
create function private.delay_store_notifications(p_msg_ids bigint[], p_seconds integer, p_is_counted boolean) returns void
language plpgsql
security definer -- as private.keep_store_notification
set search_path = ''
as $$
begin
  -- The random part keeps them from returning all at once.
  update pgmq."q_store-notifications" q
  set vt = clock_timestamp() + make_interval(secs => p_seconds * (1 + random() / 4)),
    read_ct = case when p_is_counted then q.read_ct else greatest(q.read_ct - 1, 0) end
  where q.msg_id = any (p_msg_ids);
end
$$;

grant execute on function
  private.keep_store_notification(text, text, jsonb), private.read_store_notifications(integer, boolean),
  private.end_store_notification(bigint, uuid, jsonb, text), private.delay_store_notifications(bigint[], integer,
  boolean)
to service_role;
