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

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_queue('store-notifications', 'store-notifications/process');

create table private.store_notifications (
  id uuid primary key default gen_random_uuid(),
  store text collate "C" not null constraint store_notifications_store_known check (store in ('ios_store', 'android_store')),
  event_id text collate "C" not null constraint store_notifications_event_id_length check (char_length(event_id) between 1 and 255),
  body jsonb,
  received_at timestamptz not null default now(),
  processed_at timestamptz,
  problem text,
  constraint store_notifications_event_unique unique (store, event_id)
);

comment on table private.store_notifications is 'Notifications of the stores, each once; kept for 35 days.';
comment on column private.store_notifications.event_id is 'The id of its entry in the ledger.';
comment on column private.store_notifications.body is
  'ios: the statement of the store; android: the purchase to query, with its token; null once it is recorded.';
comment on column private.store_notifications.processed_at is 'When it was recorded, or discarded; null: it waits.';
comment on column private.store_notifications.problem is 'Why it was discarded; null: it was not.';

-- The purge.
create index store_notifications_received_at_idx on private.store_notifications (received_at);

insert into private.rate_limit_policies (name, quota, window_seconds, comment) values
  ('store_notification', 30000, 60, 'Notifications of the stores, by network: a store sends from few addresses');

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

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

comment on function private.keep_store_notification(text, text, jsonb) is 'As api.receive_store_notification.';

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

comment on function private.read_store_notifications(integer, boolean) is 'As api.take_store_notifications.';

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

comment on function private.end_store_notification(bigint, uuid, jsonb, text) is 'As api.finish_store_notification.';

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

comment on function private.delay_store_notifications(bigint[], integer, boolean) is 'As api.postpone_store_notifications.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.receive_store_notification(p_store text, p_event_id text, p_body jsonb) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  return private.keep_store_notification(p_store, p_event_id, p_body);
end
$$;

comment on function api.receive_store_notification(text, text, jsonb) is
  'For the service: stores a verified notification of a store (ios_store, android_store) and queues it; false when its id exists. It raises no errors.';

create function api.take_store_notifications(p_limit integer default 20, p_ends boolean default false) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.read_store_notifications(p_limit, p_ends);
end
$$;

comment on function api.take_store_notifications(integer, boolean) is
  'For the consumer: waiting notifications, hidden from other consumers for private.lease_seconds: {found, notifications: [{msg_id, attempt, notification_id, store, body, facts}]}. facts: the last known ones of a purchase of Google Play. p_ends: the consumer is about to end, so the next notification calls one again. It raises no errors.';

create function api.finish_store_notification(
  p_msg_id bigint, p_notification_id uuid, p_statement jsonb default null, p_problem text default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.end_store_notification(p_msg_id, p_notification_id, p_statement, p_problem);
end
$$;

comment on function api.finish_store_notification(bigint, uuid, jsonb, text) is
  'For the consumer: records the statement of a notification (StoreStatement of the functions) and ends it: {subscription_id}; null when it was ended before, or is discarded for p_problem. Errors: validation_error, conflict.';

create function api.postpone_store_notifications(p_msg_ids bigint[], p_seconds integer, p_is_counted boolean) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.delay_store_notifications(p_msg_ids, p_seconds, p_is_counted);
end
$$;

comment on function api.postpone_store_notifications(bigint[], integer, boolean) is
  'For the consumer: these are taken again in p_seconds or up to a quarter more. The attempt counts as one of five, unless the store was down. It raises no errors.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Retention
-- ---------------------------------------------------------------------------------------------------------------------

insert into private.retentions (table_name, condition) values (
  -- The stores repeat for up to 31 days; a notification that could not be processed is kept as long as its dead message.
  'private.store_notifications',
  't.received_at < now() - interval ''35 days'' and (t.processed_at is not null or t.received_at < now() - interval ''90 days'')'
);

grant execute on function
  private.keep_store_notification(text, text, jsonb), private.read_store_notifications(integer, boolean),
  private.end_store_notification(bigint, uuid, jsonb, text), private.delay_store_notifications(bigint[], integer, boolean),
  api.receive_store_notification(text, text, jsonb), api.take_store_notifications(integer, boolean),
  api.finish_store_notification(bigint, uuid, jsonb, text), api.postpone_store_notifications(bigint[], integer, boolean)
to service_role;
