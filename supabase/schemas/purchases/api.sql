-- The interface of purchases: plans and subscriptions, by the statements of the stores.
--
-- Clients and the service call these functions. The rules are in claims.sql, ends.sql, figures.sql, ledger.sql,
-- plans.sql, reconciliation.sql, statements.sql and subscriptions.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Plans
-- ---------------------------------------------------------------------------------------------------------------------

create function api.list_subscription_plans(
  p_lang text default 'ja', p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_object('list', 'subscription_plans', 'lang', private.require_lang(p_lang));
  v_after jsonb := private.page_start(v_filters, p_cursor, '{integer,text}', 'asc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    select jsonb_agg(private.plan_row(r.plan, p_lang) order by (r.plan).sort_order, (r.plan).code)
    from (
      select p as plan
      from public.subscription_plans p
      where p.is_active
        and (p.sort_order, p.code) > ((v_after ->> 0)::integer, v_after ->> 1)
      order by p.sort_order, p.code
      limit p_limit + 1
    ) r
  ), '{sort_order,code}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.subscription_plans p where p.is_active
  ) end);
end
$$;

comment on function api.list_subscription_plans(text, integer, text, text[]) is
  'The plans on sale, by sort_order and code, in the language (Japanese without English texts): {items, next_cursor}, and total when p_include has it. Reads only. Errors: validation_error.';

grant execute on function api.list_subscription_plans(text, integer, text, text[]) to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- The service records
-- ---------------------------------------------------------------------------------------------------------------------

create function api.record_store_statement(p_statement jsonb, p_source text, p_user_id uuid default null) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  if p_source is null or p_source not in ('verify', 'refresh', 'notification', 'reconciliation') then
    perform private.raise_error('validation_error', 422, 'source must be verify, refresh, notification or reconciliation.', p_param => 'source');
  end if;
  if p_user_id is not null then
    perform private.require_active((select u.status from public.app_users u where u.id = p_user_id));
    perform private.keep_possession(p_statement, p_source, p_user_id);
  end if;
  return private.write_store_statement(p_statement, p_source, p_user_id);
end
$$;

comment on function api.record_store_statement(jsonb, text, uuid) is
  'For the service: adds a store''s statement (StoreStatement of the functions) to the ledger and computes the subscription: {subscription_id}. p_source is verify, refresh, notification or reconciliation; p_user_id sent the receipt. With verify they may claim the subscription within the hour. A receipt that proves nothing is a conflict (signature_required; not_found for refresh) unless the subscription is theirs, and nothing is written. A purchase that is limited to other accounts is forbidden (testers_only). A repeated statement changes nothing. A product that is not a plan is a validation_error. Errors: forbidden, validation_error, not_found, conflict.';

create function api.record_acknowledgement(p_subscription_id uuid) returns void
language plpgsql
security definer -- as private.write_store_statement
set search_path = ''
as $$
begin
  update public.user_subscriptions s set needs_acknowledgement = false, acknowledged_at = clock_timestamp(),
    ask_at = private.next_query_at(s.status, s.access_ends_at, false, s.heard_at)
  where s.id = p_subscription_id;
end
$$;

comment on function api.record_acknowledgement(uuid) is
  'For the service: records that a purchase was acknowledged to the store. Idempotent. It raises no errors.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Claims
-- ---------------------------------------------------------------------------------------------------------------------

create function api.check_purchaser(p_user_id uuid) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_active((select u.status from public.app_users u where u.id = p_user_id));
end
$$;

comment on function api.check_purchaser(uuid) is
  'For the service, before it queries a store about a receipt: raises forbidden unless the caller is an active app user. Errors: forbidden.';

create function commands.claim_subscription(p_subscription_id uuid, p_must_be_own boolean default false) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.claim_purchase(p_subscription_id, p_must_be_own);
end
$$;

comment on function commands.claim_subscription(uuid, boolean) is
  'Gives the caller a subscription that they proved to have, with a receipt that the service verified for them within the hour: {is_new, subscription (VerifyIapResponse), my_subscription (MySubscription, in the account''s language)}. is_new: it had no owner. p_must_be_own: it has to be the caller''s already. One that was bought for another account is a conflict (belongs_to_another_account), and so is one of another user whose receipt was signed more than 10 minutes ago (signature_too_old). Errors: unauthorized, forbidden, not_found, conflict.';

create function api.my_subscription(p_lang text default null) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if p_lang is not null then
    perform private.require_lang(p_lang);
  end if;
  return private.subscription_of_user(private.active_user(), p_lang);
end
$$;

comment on function api.my_subscription(text) is
  'The caller''s subscription (MySubscription): the one that gives access longest, else the latest; all keys null without one. p_lang is the language of the plan; null: the account''s. Reads only. Errors: unauthorized, forbidden, validation_error.';

create function api.list_my_subscription_events(
  p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_filters jsonb := jsonb_build_object('list', 'subscription_events', 'user_id', v_user_id);
  v_after jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    select jsonb_agg(jsonb_build_object(
      'id', r.id, 'subscription_id', r.subscription_id, 'provider', r.store, 'source', r.source, 'type', r.type,
      'subtype', r.subtype, 'status', r.status, 'occurred_at', r.occurred_at
    ) order by r.occurred_at desc, r.id desc)
    from (
      -- From each subscription as many as the page has, in the order of the index.
      select l.*
      from public.user_subscriptions s
      cross join lateral (
        select e.id, e.subscription_id, e.store, e.source, e.type, e.subtype, e.status, e.occurred_at
        from public.store_events e
        where e.subscription_id = s.id and (e.occurred_at, e.id) < ((v_after ->> 0)::timestamptz, (v_after ->> 1)::uuid)
        order by e.occurred_at desc, e.id desc
        limit p_limit + 1
      ) l
      where s.user_id = v_user_id
      order by l.occurred_at desc, l.id desc
      limit p_limit + 1
    ) r
  ), '{occurred_at,id}', p_limit, case when 'total' = any (p_include) then (
      select count(*) from public.user_subscriptions s join public.store_events e on e.subscription_id = s.id
      where s.user_id = v_user_id
  ) end);
end
$$;

comment on function api.list_my_subscription_events(integer, text, text[]) is
  'The stores'' statements about the caller''s subscriptions, the last first: {items: [{id, subscription_id, provider, source, type, subtype, status, occurred_at}], next_cursor}, and total when p_include has it. status is null for an act of an administrator. Reads only. Errors: unauthorized, forbidden, validation_error.';

grant execute on function
  commands.claim_subscription(uuid, boolean), api.my_subscription(text), api.list_my_subscription_events(integer, text,
  text[])
to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Store notifications: stored before they are answered, and recorded from a queue
-- ---------------------------------------------------------------------------------------------------------------------

-- The function store-notifications verifies a notification and stores it here, with a message of the queue
-- store-notifications in the same transaction. Its consumer records it in the ledger: one of the App Store directly, one of
-- Google Play after a query of the purchase there. A notification is processed in the transaction that records it. While a
-- store is down its notifications wait, and no attempt is counted; other failures are retried up to five times.
--
-- Invariants: a notification is stored once, by the store's id. Its content is kept only until it is recorded, because it
-- has purchase tokens and account tokens.

create function api.receive_store_notification(p_store text, p_event_id text, p_body jsonb) returns boolean
language plpgsql
security definer -- no role may read or write queues and notifications directly
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

comment on function api.receive_store_notification(text, text, jsonb) is
  'For the service: stores a verified notification of a store (ios_store, android_store) and queues it; false when its id exists. It raises no errors.';

create function api.take_store_notifications(p_limit integer default 20, p_ends boolean default false) returns jsonb
language plpgsql
security definer -- as api.receive_store_notification
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

comment on function api.take_store_notifications(integer, boolean) is
  'For the consumer: waiting notifications, hidden from other consumers for private.lease_seconds: {found, notifications: [{msg_id, attempt, notification_id, store, body, facts}]}. facts: the last known ones of a purchase of Google Play. p_ends: the consumer is about to end, so the next notification calls one again. It raises no errors.';

create function api.finish_store_notification(
  p_msg_id bigint, p_notification_id uuid, p_statement jsonb default null, p_problem text default null
) returns jsonb
language plpgsql
security definer -- as api.receive_store_notification
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

comment on function api.finish_store_notification(bigint, uuid, jsonb, text) is
  'For the consumer: records the statement of a notification (StoreStatement of the functions) and ends it: {subscription_id}; null when it was ended before, or is discarded for p_problem. Errors: validation_error, conflict.';

create function api.postpone_store_notifications(p_msg_ids bigint[], p_seconds integer, p_is_counted boolean) returns void
language plpgsql
security definer -- as api.receive_store_notification
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

comment on function api.postpone_store_notifications(bigint[], integer, boolean) is
  'For the consumer: these are taken again in p_seconds or up to a quarter more. The attempt counts as one of five, unless the store was down. It raises no errors.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Reconciliation
-- ---------------------------------------------------------------------------------------------------------------------

create function api.take_due_subscriptions(p_platform text, p_limit integer default 50) returns jsonb
language plpgsql
security definer -- no role may read purchase tokens directly
set search_path = ''
as $$
declare
  -- A batch of 50 takes seconds, and a minute where each request times out.
  c_lease constant interval := '180 seconds';
  v_due jsonb;
begin
  -- Consumers take one after another, so that none takes the same rows.
  perform pg_advisory_xact_lock(hashtext('take_due_subscriptions ' || p_platform));
  with due as (
    select s.id, s.ask_at, s.subscription_key, s.environment, s.plan_id from public.user_subscriptions s
    where s.platform = p_platform and s.ask_at <= now()
      -- Read row by row, so that the index returns due rows in its order.
      and coalesce((
        select a.leased_until <= now() from private.leased_subscriptions a where a.subscription_id = s.id and a.ask_at = s.ask_at
      ), true)
    order by s.ask_at limit p_limit
  ), leased as (
    insert into private.leased_subscriptions (subscription_id, ask_at, leased_until)
    select d.id, d.ask_at, now() + c_lease from due d
    on conflict (subscription_id) do update set ask_at = excluded.ask_at, leased_until = excluded.leased_until
  )
  select coalesce(jsonb_agg(jsonb_build_object(
    'subscription_id', d.id, 'provider', p_platform || '_store', 'subscription_key', d.subscription_key,
    'product_id', p.code, 'environment', d.environment, 'purchase_token', t.token, 'facts', e.facts
  ) order by d.ask_at), '[]') into v_due
  from due d
  join public.subscription_plans p on p.id = d.plan_id
  left join private.purchase_tokens t on t.subscription_id = d.id
  left join lateral (
    select l.facts from public.store_events l where l.subscription_id = d.id and l.facts is not null
    order by l.confirmed_at desc limit 1
  ) e on true;
  return v_due;
end
$$;

comment on function api.take_due_subscriptions(text, integer) is
  'For the consumer: subscriptions of a platform whose store is to be queried, the longest due first: [{subscription_id, provider, and KnownSubscription of the functions: subscription_key, product_id, environment, purchase_token, facts}]. They are not taken again for three minutes, unless they become due at another time. It raises no errors.';

create function api.postpone_question(p_subscription_id uuid, p_seconds integer) returns void
language plpgsql
security definer -- no client may write subscriptions
set search_path = ''
as $$
begin
  update public.user_subscriptions s set ask_at = now() + make_interval(secs => p_seconds) where s.id = p_subscription_id;
end
$$;

comment on function api.postpone_question(uuid, integer) is
  'For the consumer: the store of a subscription is queried again in p_seconds. It raises no errors.';
