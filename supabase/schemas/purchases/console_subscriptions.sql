-- Subscriptions in the console (area users): list, read with their ledger, revoke and reinstate manually, query the store
-- again.
--
-- A manual revocation is an event of the ledger: the subscription stays revoked, regardless of later statements of the
-- store, until an administrator reinstates it. Then the store's last statement counts. Premium and the notification of the
-- user follow as from any event. Premium without a subscription is granted by api.admin_set_user_premium.
--
-- Invariants: the act, its event and its effects are one transaction; of two concurrent acts the second finds the first.
-- Administrators cannot act on their own subscription.
-- Interface: api.admin_list_subscriptions, admin_read_subscription, admin_list_subscription_events,
-- admin_revoke_subscription, admin_reinstate_subscription, admin_read_known_subscription, admin_refresh_subscription; for
-- the console's users private.admin_subscription_of_user.

-- Subscriptions as the console lists them, newest first, with their current status; null for an empty list.
create function private.admin_subscription_rows(p_ids uuid[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_agg(jsonb_build_object(
      'id', s.id, 'user_id', s.user_id, 'plan_id', s.plan_id, 'plan_code', p.code, 'provider', s.provider,
      'environment', s.environment, 'external_subscription_id', s.external_subscription_id,
      'status', private.status_at(s.status, s.access_ends_at, now()),
      'gives_premium', coalesce(s.access_ends_at > now(), false),
      -- JSON has no time for infinity.
      'access_ends_at', case when isfinite(s.access_ends_at) then s.access_ends_at end,
      'started_at', s.started_at, 'ended_at', s.ended_at, 'auto_renewing', s.auto_renewing,
      'is_trial_period', s.is_trial_period, 'created_at', s.created_at, 'updated_at', s.updated_at
    ) order by s.created_at desc, s.id desc)
    from public.user_subscriptions s
    join public.subscription_plans p on p.id = s.plan_id
    where s.id = any (p_ids)
  );
end
$$;

-- A subscription as the console reads it: the row of the list, its user, the store's last statement and the time of the
-- next query. Errors: not_found.
create function private.admin_subscription(p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_listed constant jsonb := private.require_row(private.admin_subscription_rows(array[p_id]) -> 0, 'There is no such subscription.');
begin
  return (
    select v_listed || jsonb_build_object(
      'user', private.admin_user_rows(array[s.user_id]) -> 0,
      'store_status', (private.last_store_event(s.id)).status,
      'is_revoked_by_hand', private.is_revoked_by_hand(s.id),
      'auto_renew_status', s.auto_renew_status, 'next_billing_date', s.next_billing_date,
      'original_purchase_date', s.original_purchase_date, 'superseded_at', s.superseded_at,
      'supersedes_id', (
        select o.id from public.user_subscriptions o
        where o.platform = s.platform and o.environment = s.environment and o.subscription_key = s.supersedes
      ),
      'needs_acknowledgement', s.needs_acknowledgement, 'acknowledged_at', s.acknowledged_at,
      'heard_at', s.heard_at, 'ask_at', s.ask_at
    )
    from public.user_subscriptions s where s.id = p_id
  );
end
$$;

-- Whether an administrator revoked a subscription and none has reinstated it.
create function private.is_revoked_by_hand(p_id uuid) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce((
    select e.type = 'REVOKED' from public.store_events e where e.subscription_id = p_id and e.source = 'admin'
    order by e.occurred_at desc, e.event_id desc limit 1
  ), false);
end
$$;

-- The subscription of a user that gives access longest, else the latest, as the console lists it; null without one.
create function private.admin_subscription_of_user(p_user_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return private.admin_subscription_rows(array(
    select s.id from public.user_subscriptions s where s.user_id = p_user_id
    order by coalesce(s.access_ends_at, '-infinity') desc, s.started_at desc, s.id limit 1
  )) -> 0;
end
$$;

-- The data for a query of the store about a subscription. Errors: not_found.
create function private.known_subscription(p_id uuid) returns jsonb
language plpgsql stable
security definer -- no role may read purchase tokens directly
set search_path = ''
as $$
declare
  v_known jsonb;
begin
  select jsonb_build_object(
    'provider', s.provider, 'subscription_key', s.subscription_key, 'product_id', p.code, 'environment', s.environment,
    'purchase_token', t.token, 'facts', (private.last_store_event(s.id)).facts
  ) into v_known
  from public.user_subscriptions s
  join public.subscription_plans p on p.id = s.plan_id
  left join private.purchase_tokens t on t.subscription_id = s.id
  where s.id = p_id;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such subscription.', p_param => 'id');
  end if;
  return v_known;
end
$$;

-- An event of the ledger as the console returns it.
create function private.admin_store_event_row(p_event public.store_events) returns jsonb
language sql stable
return jsonb_build_object(
  'id', p_event.id, 'event_id', p_event.event_id, 'source', p_event.source, 'type', p_event.type, 'subtype', p_event.subtype,
  'status', p_event.status, 'occurred_at', p_event.occurred_at, 'confirmed_at', p_event.confirmed_at,
  'received_at', p_event.received_at, 'facts', p_event.facts - 'account_token', 'payload', p_event.payload
);

-- Adds an act of an administrator to the ledger of a subscription, which the caller has locked, and computes the
-- subscription.
create function private.write_subscription_act(p_row public.user_subscriptions, p_admin_id uuid, p_type text, p_reason text)
returns void
language plpgsql
security definer -- no role may write the ledger directly
set search_path = ''
as $$
declare
  -- Acts have the order in which they are made: a transaction that waited for another started before it.
  v_now constant timestamptz := greatest(now(), (
    select max(e.occurred_at) + interval '1 microsecond' from public.store_events e
    where e.subscription_id = (p_row).id and e.source = 'admin'
  ));
begin
  insert into public.store_events (store, event_id, subscription_id, source, type, occurred_at, confirmed_at, payload)
  values ((p_row).provider, 'act:' || gen_random_uuid(), (p_row).id, 'admin', p_type, v_now, v_now,
    jsonb_build_object('admin_id', p_admin_id, 'reason', p_reason));
  perform private.project_subscription((p_row).id);
end
$$;

-- A subscription for an administrator's act, locked with its user. Errors: forbidden, not_found, conflict.
create function private.locked_admin_subscription(p_admin_id uuid, p_id uuid) returns public.user_subscriptions
language plpgsql
security definer -- no role has the functions of the ledger
set search_path = ''
as $$
declare
  v_row public.user_subscriptions := private.lock_subscription(p_id);
begin
  if v_row.id is null then
    perform private.raise_error('not_found', 404, 'There is no such subscription.', p_param => 'id');
  end if;
  perform private.require_another(p_admin_id, v_row.user_id);
  return v_row;
end
$$;

-- Revokes (REVOKED) or reinstates (REINSTATED) a subscription, as an act of an administrator. Errors: forbidden,
-- validation_error, not_found, conflict, precondition_failed.
create function private.act_on_subscription(p_admin_id uuid, p_id uuid, p_type text, p_reason text, p_if_match text)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_reason constant text := private.required_reason(p_reason);
  v_before constant public.user_subscriptions := private.locked_admin_subscription(p_admin_id, p_id);
  v_after public.user_subscriptions;
begin
  perform private.require_match(p_if_match, v_before.updated_at);
  if private.is_revoked_by_hand(p_id) = (p_type = 'REVOKED') then
    perform private.raise_error('conflict', 409, case p_type when 'REVOKED' then 'The subscription is revoked already.'
      else 'The subscription is not revoked by an administrator.' end, p_param => 'id',
      p_details => jsonb_build_object('reason', case p_type when 'REVOKED' then 'already_revoked' else 'not_revoked' end));
  end if;
  perform private.write_subscription_act(v_before, p_admin_id, p_type, v_reason);
  select * into v_after from public.user_subscriptions s where s.id = p_id;
  perform private.record_act(p_admin_id, case p_type when 'REVOKED' then 'subscription.revoke' else 'subscription.reinstate' end,
    'user_subscription', p_id::text, v_before.user_id,
    private.difference(jsonb_build_object('status', v_before.status, 'access_ends_at', v_before.access_ends_at),
      jsonb_build_object('status', v_after.status, 'access_ends_at', v_after.access_ends_at))
      || jsonb_build_object('reason', v_reason));
  return private.admin_subscription(p_id);
end
$$;

create function api.admin_list_subscriptions(
  p_admin_id uuid, p_status text default null, p_user_id uuid default null, p_external_subscription_id text default null,
  p_provider text default null, p_plan_id uuid default null, p_include text[] default '{}', p_cursor text default null,
  p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  -- The access of an active subscription may have ended since the store's last statement: then it is expired.
  v_parts constant text[] := case when p_status = 'expired'
    then '{"r.status = ''expired''","r.status in (''active'', ''grace'') and r.access_ends_at <= now()"}' else '{true}' end;
begin
  perform private.check_admin(p_admin_id, 'users');
  perform private.check_choice('status', p_status, '{active,expired,revoked,grace,on_hold,paused,pending,unknown}');
  perform private.check_choice('provider', p_provider, '{ios_store,android_store}');
  return private.list_rows('public.user_subscriptions', '{created_at timestamptz,id uuid}', 'desc', jsonb_build_object(
    'r.status = %s', nullif(p_status, 'expired'),
    'r.access_ends_at > now()', case when p_status in ('active', 'grace') then true end,
    'r.user_id = %s::uuid', p_user_id,
    'r.external_subscription_id = %s', p_external_subscription_id,
    'r.provider = %s', p_provider,
    'r.plan_id = %s::uuid', p_plan_id
  ), p_include, p_cursor, p_limit, p_rows => 'private.admin_subscription_rows(array_agg((r).id))', p_is_capped => true,
    p_parts => v_parts);
end
$$;

comment on function api.admin_list_subscriptions(uuid, text, uuid, text, text, uuid, text[], text, integer) is
  'Subscriptions that meet all filters, newest first: {items: [{id, user_id, plan_id, plan_code, provider, environment, external_subscription_id, status, gives_premium, access_ends_at, started_at, ended_at, auto_renewing, is_trial_period, created_at, updated_at}], next_cursor}, and total (counted up to 10,000) with total_is_exact when p_include has it. status is the current one. Reads only. For administrators of users. Errors: forbidden, validation_error.';

create function api.admin_read_subscription(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'users');
  return private.admin_subscription(p_id);
end
$$;

comment on function api.admin_read_subscription(uuid, uuid) is
  'A subscription as api.admin_list_subscriptions lists it, with {user, store_status, is_revoked_by_hand, auto_renew_status, next_billing_date, original_purchase_date, superseded_at, supersedes_id, needs_acknowledgement, acknowledged_at, heard_at, ask_at}. Reads only. For administrators of users. Errors: forbidden, not_found.';

create function api.admin_list_subscription_events(
  p_admin_id uuid, p_id uuid, p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'users');
  perform private.require_row(
    (select to_jsonb(s.id) from public.user_subscriptions s where s.id = p_id), 'There is no such subscription.'
  );
  return private.list_rows('public.store_events', '{occurred_at timestamptz,id uuid}', 'desc',
    jsonb_build_object('r.subscription_id = %s::uuid', p_id), p_include, p_cursor, p_limit, 'private.admin_store_event_row(r)');
end
$$;

comment on function api.admin_list_subscription_events(uuid, uuid, text[], text, integer) is
  'The ledger of a subscription, the last event first: {items: [{id, event_id, source, type, subtype, status, occurred_at, confirmed_at, received_at, facts, payload}], next_cursor}, and total when p_include has it. status and facts are null for an act of an administrator. Reads only. For administrators of users. Errors: forbidden, validation_error, not_found.';

create function api.admin_revoke_subscription(p_admin_id uuid, p_id uuid, p_reason text, p_if_match text default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'users');
  return private.act_on_subscription(p_admin_id, p_id, 'REVOKED', p_reason, p_if_match);
end
$$;

comment on function api.admin_revoke_subscription(uuid, uuid, text, text) is
  'Ends the access of a subscription, until it is reinstated, and returns it as admin_read_subscription does. Not idempotent: one that an administrator has revoked is a conflict (already_revoked). Records the act subscription.revoke with the reason. For administrators of users, not on their own subscription. Errors: forbidden, validation_error, not_found, conflict, precondition_failed.';

create function api.admin_reinstate_subscription(p_admin_id uuid, p_id uuid, p_reason text, p_if_match text default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'users');
  return private.act_on_subscription(p_admin_id, p_id, 'REINSTATED', p_reason, p_if_match);
end
$$;

comment on function api.admin_reinstate_subscription(uuid, uuid, text, text) is
  'Undoes a manual revocation: the store''s last statement counts again. Returns the subscription as admin_read_subscription does. Not idempotent: one that no administrator has revoked is a conflict (not_revoked). Records the act subscription.reinstate with the reason. For administrators of users, not on their own subscription. Errors: forbidden, validation_error, not_found, conflict, precondition_failed.';

create function api.admin_read_known_subscription(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'users');
  return private.known_subscription(p_id);
end
$$;

comment on function api.admin_read_known_subscription(uuid, uuid) is
  'For the function `admin`, which queries the store with it and does not return it: {provider} and KnownSubscription of the functions {subscription_key, product_id, environment, purchase_token, facts}. Reads only. For administrators of users. Errors: forbidden, not_found.';

create function api.admin_refresh_subscription(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_subscription jsonb;
begin
  perform private.lock_admin(p_admin_id, 'users');
  v_subscription := private.admin_subscription(p_id);
  perform private.record_act(p_admin_id, 'subscription.refresh', 'user_subscription', p_id::text, (v_subscription ->> 'user_id')::uuid);
  return v_subscription;
end
$$;

comment on function api.admin_refresh_subscription(uuid, uuid) is
  'Records that an administrator queried the store of a subscription, whose answer is recorded already, and returns it as admin_read_subscription does. For administrators of users. Errors: forbidden, not_found.';
